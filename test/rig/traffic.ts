// What the commands of a test send, to whatever service: undici tells it on the channels that Node has for that.
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';

/** A request of which at least the head was written to a connection. */
export interface Sent {
  /** `POST /v1/shipments` */
  line: string;
  body: string;
  isEncrypted: boolean;
  /** If an answer has begun. */
  status?: number;
  /** Of a booking: what came of the answer. */
  answer: Buffer[];
  isComplete: boolean;
}

/** What is looked at of a request of undici. */
interface Request {
  origin: string | URL;
  method: string;
  path: string;
  body: unknown;
}

interface Told {
  request: Request;
  response?: { statusCode: number };
  chunk?: Uint8Array;
}

const listening = new AsyncLocalStorage<Sent[]>();
const lists = new WeakMap<Request, Sent[]>();
const known = new WeakMap<Request, Sent>();

const on = (event: string, act: (told: Told) => void) =>
  subscribe(`undici:${event}`, told => act(told as Told));

on('request:create', ({ request }) => {
  const list = listening.getStore();
  if (list) lists.set(request, list);
});
on('client:sendHeaders', ({ request }) => {
  const { origin, method, path, body } = request;
  const sent: Sent = {
    line: `${method} ${path}`,
    body: body instanceof Uint8Array ? Buffer.from(body).toString() : '',
    isEncrypted: String(origin).startsWith('https:'),
    answer: [],
    isComplete: false,
  };
  known.set(request, sent);
  lists.get(request)?.push(sent);
});
on('request:headers', ({ request, response }) => {
  const sent = known.get(request);
  if (sent && response && response.statusCode >= 200) sent.status = response.statusCode;
});
on('request:bodyChunkReceived', ({ request, chunk }) => {
  const sent = known.get(request);
  if (sent && chunk && isBooking(sent)) sent.answer.push(Buffer.from(chunk));
});
on('request:trailers', ({ request }) => {
  const sent = known.get(request);
  if (sent) sent.isComplete = true;
});

/** Does the work, and adds to the list what it sends. */
export const recorded = <T>(list: Sent[], work: () => Promise<T>): Promise<T> => listening.run(list, work);

const BOOKS = /^POST .*\/(v[12]\/shipments|v2\/carriers\/create|webhooks\/subscriptions)$/;

/** Is it a request of an operation that creates something? */
export const isBooking = ({ line }: { line: string }): boolean => BOOKS.test(line);
