import { setMaxListeners } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { LEGS } from '../contract/operations.ts';
import {
  type HttpRequest,
  type HttpResponse,
  type HttpServer,
  serveHttp,
  writeResponse,
} from '../host/http-server.ts';
import { createEmulatedService, failure, isOfService, json, type ServiceRequest } from './service.ts';
import { DEFAULT_TOKENS, drawFaults, type Fault, type Tokens } from './settings.ts';
import { arrive, deliverDue, openWorld, type Send, sendOnLoopback } from './world.ts';

/** All have defaults: nothing stored, real time, no faults. */
export interface ServerOptions {
  /** Default `127.0.0.1`. */
  host?: string;
  /** Default 0: a free one. */
  port?: number;
  /** The SQLite file of the data; default `:memory:`. */
  data?: string;
  /** Default: `demo` with all scopes. */
  tokens?: Tokens;
  /** How much faster than real time shipments travel; default 1. */
  speed?: number;
  /** Milliseconds before each answer; default 0. */
  latency?: number;
  faults?: readonly Fault[];
  /** The longest body that is accepted, in bytes; default 2 MiB. */
  bodyLimit?: number;
  /** The document at `GET /openapi.json`; without it the path is unknown. */
  loadOpenapi?: () => Promise<unknown>;
  /** Called for each request just before its answer is sent. */
  onRequest?(seen: SeenRequest): void;
  /** Milliseconds since 1970. */
  now?(): number;
  /** Which faults happen: from 0 up to but not including 1. Ids are not drawn with it, because they must never repeat. */
  random?(): number;
  sleep?(ms: number): Promise<unknown>;
  send?: Send;
}

/** A request as the server got it, and how it was answered: with a status, or by breaking the connection. */
export interface SeenRequest extends ServiceRequest {
  answered: number | 'reset' | 'truncated';
}

export interface RunningEmulator {
  /** `http://127.0.0.1:8787`: the {base_url}; with `/sandbox` behind it the {sandbox_base_url}. */
  address: string;
  /** Takes no new requests, lets those in flight finish, frees port and file. */
  close(): Promise<void>;
}

/** Milliseconds from one look at what is due to the next one. */
const LOOK_MS = 250;

/** Serves the emulator over HTTP. Rejects with `storage` if the port or the data is not available. */
export async function startEmulator(options: ServerOptions = {}): Promise<RunningEmulator> {
  const { host = '127.0.0.1', port = 0, data = ':memory:', bodyLimit = 2 * 1024 * 1024 } = options;
  const { tokens = DEFAULT_TOKENS, speed = 1, latency = 0, faults = [], loadOpenapi, onRequest } = options;
  const { now = Date.now, random = Math.random, sleep = delay, send = sendOnLoopback } = options;
  const store = await openWorld(data);
  const service = createEmulatedService({ store, tokens, speed, now, random: Math.random, loadOpenapi });
  let address = '';

  const answer = async ({ body, ...request }: HttpRequest, response: ServerResponse) => {
    if (body === undefined)
      return writeResponse(response, failure(400, `the body is larger than ${bodyLimit} bytes`));
    await exchange({ ...request, body: body.toString('utf8') }, response);
    look();
  };

  /** Answers one request, with the faults that apply to it. Resolves when the answer is sent. */
  const exchange = async (request: ServiceRequest, response: ServerResponse) => {
    const struck = drawFaults(isOfService(request.path) ? faults : [], random);
    const wait = latency + (struck.has('delay') ? 1000 + 4000 * random() : 0);
    if (wait > 0) await sleep(wait);
    const seen = (answered: SeenRequest['answered']) => onRequest?.({ ...request, answered });
    const reset = () => {
      seen('reset');
      response.socket?.resetAndDestroy();
    };

    if (struck.has('reset-before')) return reset();
    const status = [...struck].find(kind => typeof kind === 'number');
    const made = status === undefined ? await handled(request, struck) : injected(status);
    if (struck.has('reset-after')) return reset();
    if (struck.has('truncate')) {
      seen('truncated');
      return truncate(response, made);
    }
    seen(made.status);
    return writeResponse(response, struck.has('html') ? htmlPage(made.status) : made);
  };

  const handled = async (request: ServiceRequest, struck: ReadonlySet<string | number>) => {
    const origin = originOf(request.headers.host, address);
    const failLabels = new Set(LEGS.filter(leg => struck.has(`label-${leg}`)));
    try {
      return await service(request, { origin, failLabels });
    } catch (error) {
      return failure(500, error instanceof Error ? error.message : String(error));
    }
  };

  // What happens by itself. A slow receiver must not delay others.
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal);
  const attempts = new Set<Promise<void>>();
  const look = () => {
    if (stopping.signal.aborted) return;
    try {
      arrive(store, speed, now());
      const attempt = deliverDue({ store, now, send, signal: stopping.signal })
        .catch(() => {})
        .finally(() => attempts.delete(attempt));
      attempts.add(attempt);
    } catch {
      // The file was locked for too long: nothing is lost, the next look finds it due.
    }
  };

  let serving: HttpServer;
  try {
    serving = await serveHttp({ name: 'The emulator', host, port, bodyLimit }, answer);
  } catch (error) {
    store.close();
    throw error;
  }
  address = serving.address;
  const timer = setInterval(look, LOOK_MS);

  return {
    address,
    async close() {
      stopping.abort();
      clearInterval(timer);
      await Promise.allSettled(attempts);
      await serving.close();
      store.close();
    },
  };
}

/** Label links use the host name of the caller: in a container the emulator has another name. */
const originOf = (host: string | undefined, address: string): string =>
  host !== undefined && /^[\w.-]+(:\d+)?$|^\[[\da-f:]+\](:\d+)?$/i.test(host) ? `http://${host}` : address;

// What a fault answers

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
function truncate(response: ServerResponse, { status, headers, body }: HttpResponse): Promise<void> {
  return new Promise(resolve => {
    if (response.destroyed) return resolve();
    response.once('close', resolve);
    const whole = Buffer.from(body);
    response.writeHead(status, { ...headers, 'content-length': Math.max(2, whole.length) });
    response.write(whole.subarray(0, Math.max(1, whole.length >> 1)), () => response.socket?.destroy());
  });
}
