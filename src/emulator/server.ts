import { setMaxListeners } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import { LEGS } from '../contract/operations.ts';
import {
  type HttpRequest,
  type HttpResponse,
  type HttpServer,
  isUnreachable,
  serveHttp,
  whenLeft,
  writeResponse,
} from '../host/http-server.ts';
import { AS_PRODUCTION } from '../text.ts';
import {
  createEmulatedService,
  failure,
  isOfService,
  json,
  operationAt,
  type ServiceRequest,
} from './service.ts';
import {
  DEFAULT_TOKENS,
  type Fault,
  faultDrawer,
  type Struck,
  TAKE_THE_ANSWER,
  type Tokens,
} from './settings.ts';
import { arrive, deliverDue, openWorld, type Send, sendOnLoopback } from './world.ts';

/** The options of a server. By default nothing is stored, time is real, and no fault happens. */
export interface ServerOptions {
  /** The host name or address to listen on; default `127.0.0.1`. */
  host?: string;
  /** The port to listen on; default 0: any free port. */
  port?: number;
  /** The path of the SQLite file with the data; default `:memory:`. */
  data?: string;
  /** The tokens that are accepted; default: the token `demo` with all scopes. */
  tokens?: Tokens;
  /** Shall clients ask a person before they book, as in production? Then the address has `/as-production`. */
  asProduction?: boolean | undefined;
  /** How much faster than real time shipments travel; default 1. */
  speed?: number;
  /** Milliseconds to wait before each answer; default 0. */
  latency?: number;
  faults?: readonly Fault[];
  /** The longest body that is accepted, in bytes; default 2 MiB. */
  bodyLimit?: number;
  /** Gives the document for `GET /openapi.json`; without it, that path is unknown. */
  loadOpenapi?: () => Promise<unknown>;
  /** Called for each request just before its answer is sent. */
  onRequest?(seen: SeenRequest): void;
  /** Called for each request of the service when its answer is sent or lost. */
  onExchange?(exchange: Exchange): void;
  /** The present time, in ms since 1970. */
  now?(): number;
  /** A number from 0 up to but not including 1, which decides about faults. Ids are not drawn with it: they must never repeat. */
  random?(): number;
  sleep?(ms: number): Promise<unknown>;
  send?: Send;
}

/** A request as the server got it. `answered`: the status of the answer, or how the connection was broken. */
export interface SeenRequest extends ServiceRequest {
  answered: number | 'reset' | 'truncated';
}

/** What the service did with a request, and whether the client got the answer. */
export interface Exchange extends Answered {
  request: ServiceRequest;
  /** `begun`: when the request came. `ended`: when its answer was sent or lost. */
  begun: Moment;
  ended: Moment;
  /** Did a fault take the answer, or did the client leave before it came? */
  isLost: boolean;
  /** The status that the client got; `null`: it got no whole answer. */
  status: number | null;
}

/** What the service did with a request. */
interface Answered {
  struck: Struck;
  /** The answer; absent if a fault stopped the request before the service did anything. */
  made?: HttpResponse;
}

export interface Moment {
  /** Milliseconds since 1970, by a clock that a person may set back. */
  ms: number;
  /** A count of moments: a later moment always has a greater number. */
  number: number;
}

export interface RunningEmulator {
  /** The {base_url}, such as `http://127.0.0.1:8787`, perhaps with `/as-production`. With `/sandbox` behind it: the {sandbox_base_url}. */
  address: string;
  /** Takes no new requests, lets those in flight finish, and frees port and file. */
  close(): Promise<void>;
}

/** How often the server looks for deliveries that are due, in milliseconds. */
const LOOK_MS = 250;

/** Serves the emulator over HTTP. Rejects with `storage` if the port or the data is not available. */
export async function startEmulator(options: ServerOptions = {}): Promise<RunningEmulator> {
  const { host = '127.0.0.1', port = 0, data = ':memory:', bodyLimit = 2 * 1024 * 1024 } = options;
  const prefix = options.asProduction ? AS_PRODUCTION : '';
  const { tokens = DEFAULT_TOKENS, speed = 1, latency = 0, faults = [] } = options;
  const { loadOpenapi, onRequest, onExchange } = options;
  const { now = Date.now, random = Math.random, sleep = delay, send = sendOnLoopback } = options;
  const store = await openWorld(data);
  const service = createEmulatedService({ store, tokens, speed, now, random: Math.random, loadOpenapi });
  let origin = '';

  const answer = async (received: HttpRequest, response: ServerResponse) => {
    const { body, ...request } = received;
    if (body === undefined)
      return writeResponse(response, failure(400, `the body is larger than ${bodyLimit} bytes`));
    if (!request.path.startsWith(`${prefix}/`))
      return writeResponse(response, failure(404, `the address of this emulator ends with ${prefix}`));
    const path = request.path.slice(prefix.length);
    await carryOut({ ...request, path, body: body.toString('utf8') }, response);
    deliveries.look();
  };

  const strike = faultDrawer(faults, random);
  /** Answers one request, with the faults that apply to it. Resolves when the answer is sent. */
  const exchange = async (request: ServiceRequest, response: ServerResponse): Promise<Answered> => {
    const struck: Struck = isOfService(request.path)
      ? strike(operationAt(request)?.operation.id)
      : new Set<Fault['kind']>();
    const wait = latency + (struck.has('delay') ? 1000 + 4000 * random() : 0);
    if (wait > 0) await sleep(wait);
    const report = (answered: SeenRequest['answered']) => onRequest?.({ ...request, answered });
    const reset = () => {
      report('reset');
      response.req.socket.resetAndDestroy();
    };

    if (struck.has('reset-before')) {
      reset();
      return { struck };
    }
    const status = [...struck].find(kind => typeof kind === 'number');
    const answer = status === undefined ? await handled(request, struck) : injected(status);
    if (struck.has('reset-after')) reset();
    else if (struck.has('truncate')) {
      report('truncated');
      await truncate(response, answer);
    } else {
      report(answer.status);
      await writeResponse(response, struck.has('html') ? htmlPage(answer.status) : answer);
    }
    return { struck, ...(status === undefined && { made: answer }) };
  };

  const handled = async (request: ServiceRequest, struck: ReadonlySet<string | number>) => {
    const failLabels = new Set(LEGS.filter(leg => struck.has(`label-${leg}`)));
    try {
      return await service(request, { origin: originOf(request.headers.host, origin) + prefix, failLabels });
    } catch (error) {
      return failure(500, error instanceof Error ? error.message : String(error));
    }
  };

  const carryOut = onExchange ? followed(exchange, now, onExchange) : exchange;

  const deliveries = createDeliveries({ store, now, send }, speed);
  let serving: HttpServer;
  try {
    serving = await serveHttp({ name: 'The emulator', host, port, bodyLimit }, answer);
  } catch (error) {
    store.close();
    throw error;
  }
  origin = serving.address;
  const timer = setInterval(deliveries.look, LOOK_MS);

  return {
    address: origin + prefix,
    async close() {
      clearInterval(timer);
      await deliveries.stop();
      await serving.close();
      store.close();
    },
  };
}

/** What happens without a request: shipments arrive, and events that are due are sent. A slow receiver must not delay others. */
function createDeliveries(sending: Omit<Parameters<typeof deliverDue>[0], 'signal'>, speed: number) {
  const stopping = new AbortController();
  const { signal } = stopping;
  setMaxListeners(0, signal);
  const attempts = new Set<Promise<void>>();
  return {
    look() {
      if (signal.aborted) return;
      try {
        arrive(sending.store, speed, sending.now());
        const attempt = deliverDue({ ...sending, signal })
          .catch(() => {})
          .finally(() => attempts.delete(attempt));
        attempts.add(attempt);
      } catch {
        // The file was locked for too long. Nothing is lost: the next look finds the same deliveries due.
      }
    },
    async stop(): Promise<void> {
      stopping.abort();
      await Promise.allSettled(attempts);
    },
  };
}

/** Carries out an exchange, and tells whether the client got its answer. */
function followed(
  exchange: (request: ServiceRequest, response: ServerResponse) => Promise<Answered>,
  now: () => number,
  tell: (exchange: Exchange) => void,
) {
  let moments = 0;
  const moment = (): Moment => {
    moments += 1;
    return { ms: now(), number: moments };
  };
  return async (request: ServiceRequest, response: ServerResponse): Promise<void> => {
    // A client that gives up closes its connection before it sends again: in this turn, the server hears of a closed connection.
    await turn();
    const begun = moment();
    let closed: Moment | undefined;
    const close = () => {
      closed = moment();
    };
    const { socket } = response.req;
    socket.once('close', close);
    const answered = await exchange(request, response);
    socket.off('close', close);
    const isWhole = response.writableFinished;
    tell({
      ...answered,
      request,
      begun,
      ended: closed ?? moment(),
      isLost: !isWhole || TAKE_THE_ANSWER.some(kind => answered.struck.has(kind)),
      status: isWhole ? response.statusCode : null,
    });
  };
}

/** The beginning of label links: the host name that the caller used, because in a container the emulator knows itself by another name. */
const originOf = (host: string | undefined, origin: string): string =>
  host !== undefined && /^[\w.-]+(:\d+)?$|^\[[\da-f:]+\](:\d+)?$/i.test(host) ? `http://${host}` : origin;

// Answers of a fault

function injected(status: number): HttpResponse {
  const error = { code: 'injected_fault', message: `injected: ${status}`, details: [] };
  const headers =
    status === 429 ? { 'retry-after': '1' } : status >= 300 && status < 400 ? { location: '/moved' } : {};
  return json(status, { success: false, error }, headers);
}

const htmlPage = (status: number): HttpResponse => ({
  status,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: '<!doctype html><title>Maintenance</title><p>The service is under maintenance.</p>',
});

/** Sends the first half of an answer, and closes the connection. */
function truncate(response: ServerResponse, answer: HttpResponse): Promise<void> {
  const { status, headers, body } = answer;
  if (isUnreachable(response)) return Promise.resolve();
  const left = whenLeft(response);
  const whole = Buffer.from(body);
  response.writeHead(status, { ...headers, 'content-length': Math.max(2, whole.length) });
  response.write(whole.subarray(0, Math.max(1, whole.length >> 1)), () => response.req.socket.destroy());
  return left;
}
