import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { type HttpRequest, type HttpServer, serveHttp, writeResponse } from '../http-server.ts';
import { createEmulator, type Emulator, type EmulatorOptions } from './emulator.ts';
import { exchange, type SeenRequest } from './exchange.ts';
import type { Fault } from './faults.ts';
import { sendOnLoopback } from './send.ts';
import { failure } from './wire.ts';

/** The options of the emulator with defaults: nothing stored, real time. */
export interface ServerOptions extends Partial<EmulatorOptions> {
  /** Default `127.0.0.1`. */
  host?: string;
  /** Default 0: a free one. */
  port?: number;
  /** Milliseconds before each answer; default 0. */
  latency?: number;
  faults?: readonly Fault[];
  /** The longest body that is accepted, in bytes; default 2 MiB. */
  bodyLimit?: number;
  /** Called for each request just before its answer is sent. */
  onRequest?(seen: SeenRequest): void;
  sleep?(ms: number): Promise<unknown>;
}

export interface RunningEmulator {
  /** `http://127.0.0.1:8787`: the {base_url}; with `/sandbox` behind it the {sandbox_base_url}. */
  address: string;
  /** Takes no new requests, lets those in flight finish, frees port and file. */
  close(): Promise<void>;
}

const BODY_LIMIT = 2 * 1024 * 1024;

/** Serves the emulator over HTTP. Rejects with a sentence if the port is not available. */
export async function startEmulator(options: ServerOptions = {}): Promise<RunningEmulator> {
  const { host = '127.0.0.1', port = 0, bodyLimit = BODY_LIMIT, faults = [], latency = 0 } = options;
  const now = options.now ?? Date.now;
  const random = options.random ?? Math.random;
  const { sleep = delay, onRequest = () => {}, data = ':memory:', send = sendOnLoopback } = options;
  const emulator = await createEmulator({ ...options, now, random, data, send });
  const setting = { emulator, faults, latency, random, sleep, onRequest };
  let address = '';

  const answer = async ({ body, ...request }: HttpRequest, response: ServerResponse) => {
    if (body === undefined)
      return writeResponse(response, failure(400, `the body is larger than ${bodyLimit} bytes`));
    const origin = originOf(request.headers.host, address);
    await exchange(setting, { ...request, body: body.toString('utf8'), origin }, response);
    pump.lookSoon();
  };
  let serving: HttpServer;
  try {
    serving = await serveHttp({ name: 'The emulator', host, port, bodyLimit }, answer);
  } catch (error) {
    await emulator.close();
    throw error;
  }
  address = serving.address;
  const pump = startPump(emulator, now);
  pump.lookSoon();

  const shut = async () => {
    pump.stop();
    await serving.close();
    await emulator.close();
  };
  let shutting: Promise<void> | undefined;
  return {
    address,
    close: () => {
      shutting ??= shut();
      return shutting;
    },
  };
}

// Another process may have changed the same file: look again after this time.
const LOOK_AGAIN_MS = 1000;
const LOOK_SOON_MS = 2;

/** Wakes the emulator when something is due. */
function startPump(emulator: Emulator, now: () => number) {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const wake = (wait: number) => {
    clearTimeout(timer);
    if (!stopped) timer = setTimeout(look, Math.min(Math.max(wait, LOOK_SOON_MS), LOOK_AGAIN_MS));
  };
  const look = async () => {
    try {
      emulator.advance(now());
      const attempts = emulator.deliver();
      // A slow receiver must not delay others.
      wake(untilDue());
      await attempts;
      if (!stopped) wake(untilDue());
    } catch {
      // The file was locked for too long: nothing is lost, the next look finds it due.
      wake(LOOK_AGAIN_MS);
    }
  };
  const untilDue = () => (emulator.nextDue() ?? Number.POSITIVE_INFINITY) - now();
  return {
    lookSoon: () => wake(LOOK_SOON_MS),
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

/** Label links use the host name of the caller: in a container the emulator has another name. */
const originOf = (host: string | undefined, address: string): string =>
  host !== undefined && /^[\w.-]+(:\d+)?$|^\[[\da-f:]+\](:\d+)?$/i.test(host) ? `http://${host}` : address;
