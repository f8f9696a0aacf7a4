// A service for bookings on a bare socket, which counts how often each key was sent. To be independent it imports nothing of
// src and no HTTP library.
import net from 'node:net';
import { complete, http as httpText, listening } from '../rig/sockets.ts';
import type { Sent } from '../rig/traffic.ts';

/**
 * The answer to a complete booking request. All but `busy` and `later` create the shipment.
 * `strange`: unknown fields. `bare`: the id and nothing else. `later`: to be tried again in some seconds. `held`: created,
 * and answered when `release` is called. `same`: with one id for every order.
 */
export type Reply =
  | 'created'
  | 'same'
  | 'strange'
  | 'bare'
  | 'error'
  | 'reset'
  | 'half'
  | 'held'
  | 'busy'
  | 'later';

export interface Witness {
  url: string;
  /** Complete booking requests for a key: the first name of the receiver; for a label, the shipment's id. */
  sent(key: string): number;
  /** The tokens of these requests. */
  senders(key: string): readonly string[];
  /** Ids that were created for a key, one for each request that created something. */
  created(key: string): readonly string[];
  /** The complete booking requests. Of those that created something it is not known here what of the answer arrived. */
  passed: readonly Sent[];
  /** Every key that was sent. */
  keys(): string[];
  /** Complete booking requests in all, or with that token. */
  arrived(token?: string): number;
  /** Resolves when this many have arrived in all. */
  arrival(count: number): Promise<void>;
  /** The replies to the requests for a key, in order; the last one repeats. The default is `created`. */
  replies(key: string, ...replies: Reply[]): void;
  /** Sets a function that gives the delay of each answer in ms. The default is none. */
  answersAfter(ms: () => number): void;
  /** Sends all answers that are held. */
  release(): void;
  /** Resolves when everything is read that a process sent before it ended. */
  quiet(): Promise<void>;
  close(): Promise<void>;
}

/** The `Retry-After` of `later`, in seconds: longer than a test needs to stop the process that waits. */
const LATER = '5';

interface Account {
  senders: string[];
  created: string[];
  replies: Reply[];
}

interface Request {
  method: string;
  path: string;
  token: string;
  body: string;
}

export async function startWitness(): Promise<Witness> {
  const accounts = new Map<string, Account>();
  // By id: whether the shipment has a label.
  const shipments = new Map<string, boolean>();
  const passed: Sent[] = [];
  const waiting = new Map<number, (() => void)[]>();
  const tokens = new Map<string, number>();
  let arrived = 0;
  let latency: (() => number) | undefined;
  let held: (() => void)[] = [];
  const accountOf = (key: string): Account => {
    const account = accounts.get(key) ?? { senders: [], created: [], replies: [] };
    accounts.set(key, account);
    return account;
  };

  function book(socket: net.Socket, { method, path, token, body: text }: Request): void {
    const body: Body = JSON.parse(text);
    const label = path.endsWith('/v2/carriers/create');
    const key = (label ? (body.international ?? body.domestic) : body.receiver?.firstName) ?? '';
    const account = accountOf(key);
    account.senders.push(token);
    tokens.set(token, (tokens.get(token) ?? 0) + 1);
    arrived += 1;
    for (const resolve of waiting.get(arrived) ?? []) resolve();
    waiting.delete(arrived);
    const reply = (account.replies.length > 1 ? account.replies.shift() : account.replies[0]) ?? 'created';
    const isRefused = reply === 'busy' || reply === 'later';
    passed.push({
      ...{ line: `${method} ${path}`, body: text, isEncrypted: false, answer: [], isComplete: false },
      ...(isRefused && { status: 429 }),
    });
    if (isRefused)
      return void socket.write(
        http(429, { message: 'Slow down' }, { 'retry-after': reply === 'busy' ? '0' : LATER }),
      );
    const id = reply === 'same' ? 'S-SAME' : `${label ? 'L' : 'S'}-${key}-${account.created.length + 1}`;
    account.created.push(id);
    // A shipment whose label is requested exists, even if this service did not book it.
    if (label) shipments.set(key, true);
    else for (const one of [id, `${id}-domestic`]) shipments.set(one, body.label === true);
    const answers = label ? labels(body) : path.endsWith('/v2/shipments') ? pair(id, body) : shipment(id);
    if (reply === 'held') held.push(() => answer(socket, 'created', answers));
    else if (latency) setTimeout(() => answer(socket, reply, answers), latency());
    else answer(socket, reply === 'same' ? 'created' : reply, answers);
  }

  const server = net.createServer(socket => {
    let seen = '';
    socket.on('data', chunk => {
      seen += chunk.toString('latin1');
      for (let length = complete(seen); length !== undefined; length = complete(seen)) {
        const request = parse(Buffer.from(seen.slice(0, length), 'latin1').toString());
        seen = seen.slice(length);
        if (request.method === 'POST') book(socket, request);
        else {
          const id = decodeURIComponent(request.path.split('/').at(-1) ?? '');
          socket.write(
            shipments.has(id)
              ? http(200, detail(id, shipments.get(id) === true))
              : http(404, { message: 'No such shipment' }),
          );
        }
      }
    });
  });
  const { port, open, close } = await listening(server);
  return {
    passed,
    close,
    url: `http://127.0.0.1:${port}`,
    sent: key => accounts.get(key)?.senders.length ?? 0,
    senders: key => accounts.get(key)?.senders ?? [],
    created: key => accounts.get(key)?.created ?? [],
    keys: () => [...accounts].flatMap(([key, { senders }]) => (senders.length > 0 ? [key] : [])),
    arrived: token => (token === undefined ? arrived : (tokens.get(token) ?? 0)),
    arrival: count =>
      new Promise(resolve => {
        if (arrived >= count) resolve();
        else waiting.set(count, [...(waiting.get(count) ?? []), resolve]);
      }),
    replies: (key, ...replies) => {
      accountOf(key).replies = replies;
    },
    answersAfter: ms => {
      latency = ms;
    },
    release() {
      for (const send of held) send();
      held = [];
    },
    async quiet() {
      // Accepting a connection and reading its bytes may need some more turns.
      for (let turns = 0; turns < 5 || (open.size > 0 && turns < 400); turns += 1)
        await new Promise(resolve => setTimeout(resolve, turns < 5 ? 0 : 5));
    },
  };
}

function parse(text: string): Request {
  if (/^transfer-encoding:/im.test(text.split('\r\n\r\n', 1)[0] ?? ''))
    throw new Error('the witness reads only bodies with a content-length');
  const [method = '', path = ''] = text.split(' ', 2);
  const token = /^authorization: *bearer (.*)$/im.exec(text)?.[1]?.trim() ?? '';
  return { method, path, token, body: text.slice(text.indexOf('\r\n\r\n') + 4) };
}

const http = (status: number, body: object, more: Record<string, string> = {}): string =>
  httpText(status, JSON.stringify(body), { 'content-type': 'application/json', ...more });

function answer(socket: net.Socket, reply: Reply, { bare, full }: Answers): void {
  if (reply === 'created') socket.write(http(201, full));
  if (reply === 'strange') socket.write(http(201, { ...full, newField: { of: ['tomorrow'] } }));
  if (reply === 'bare') socket.write(http(201, bare));
  if (reply === 'error') socket.write(http(500, { message: 'Something went wrong' }));
  if (reply === 'reset') socket.resetAndDestroy();
  if (reply === 'half') socket.end(http(201, full).slice(0, -10));
}

interface Body {
  receiver?: { firstName?: string };
  international?: string;
  domestic?: string;
  label?: boolean;
}

/** The minimal and the usual answer. */
interface Answers {
  bare: object;
  full: object;
}

const AT = '2026-03-02T12:00:00.000Z';
const carrier = { id: 'EXP', name: 'Example Express' };
const status = [
  { status: 'pending_arrival_at_warehouse', date: AT, milestone: 'pending_arrival_at_warehouse' },
];

const shipment = (id: string): Answers => ({
  bare: { id },
  full: {
    id,
    carrier: { ...carrier, price: 9.5, currency: 'EUR' },
    chargeableWeight: 1,
    status,
    createdAt: AT,
  },
});

const label = (id: string) => ({
  success: true,
  operation: 'create',
  carrier: 'EXP',
  trackingNumber: `T-${id}`,
});

function pair(id: string, { label: labelled }: Body): Answers {
  const leg = (of: string) => ({
    shipment: { id: of, carrier, createdAt: AT },
    ...(labelled && { label: label(of) }),
  });
  const full = { success: true, international: leg(id), domestic: leg(`${id}-domestic`) };
  return { bare: full, full };
}

function labels({ international, domestic }: Body): Answers {
  const full = {
    success: true,
    ...(international !== undefined && { international: label(international) }),
    ...(domestic !== undefined && { domestic: label(domestic) }),
  };
  return { bare: full, full };
}

const detail = (id: string, labelled: boolean) => ({
  id,
  carrier,
  status,
  tracking: { ...(labelled && { trackingNumber: `T-${id}` }), events: [] },
});
