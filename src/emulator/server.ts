import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { createEmulator, type Emulator, type EmulatorOptions } from './emulator.ts';
import { exchange, readBody, type SeenRequest, write } from './exchange.ts';
import type { Fault } from './faults.ts';
import { sendOnLoopback } from './send.ts';
import { failure } from './wire.ts';

/** As for the emulator without a socket, with defaults: nothing kept, real time. */
export interface ServerOptions extends Partial<EmulatorOptions> {
  /** `127.0.0.1` where left out. */
  host?: string;
  /** 0 or left out: a free one. */
  port?: number;
  /** Milliseconds before each answer; 0 where left out. */
  latency?: number;
  faults?: readonly Fault[];
  /** The longest body that is taken, in bytes; 2 MiB where left out. */
  bodyLimit?: number;
  /** Told of each request just before its answer leaves. */
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

/** Serves the emulator over HTTP. Rejects with a sentence where the port cannot be had. */
export async function startEmulator(options: ServerOptions = {}): Promise<RunningEmulator> {
  const { host = '127.0.0.1', port = 0, bodyLimit = BODY_LIMIT, faults = [], latency = 0 } = options;
  const now = options.now ?? Date.now;
  const random = options.random ?? Math.random;
  const { sleep = delay, onRequest = () => {}, data = ':memory:', send = sendOnLoopback } = options;
  const emulator = await createEmulator({ ...options, now, random, data, send });
  const setting = { emulator, faults, latency, random, sleep, onRequest };
  const inFlight = new Set<Promise<void>>();
  let address = '';
  let closing = false;

  const serve = async (incoming: IncomingMessage, response: ServerResponse) => {
    const body = await readBody(incoming, bodyLimit);
    if (closing) response.shouldKeepAlive = false;
    if (body === undefined) return write(response, failure(400, `the body is over ${bodyLimit} bytes`));
    const headers = flat(incoming);
    const { method = '', url = '' } = incoming;
    const origin = originOf(headers.host, address);
    const work = exchange(setting, { method, path: url, headers, body, origin }, response);
    inFlight.add(work);
    await work.finally(() => inFlight.delete(work));
    pump.lookSoon();
  };
  const server = createServer((incoming, response) => {
    // Whoever went away in the middle of a request gets no answer.
    serve(incoming, response).catch(() => response.destroy());
  });
  try {
    address = await listen(server, host, port);
  } catch (error) {
    await emulator.close();
    throw error;
  }
  const pump = startPump(emulator, now);
  pump.lookSoon();

  const shut = async () => {
    closing = true;
    pump.stop();
    const closed = new Promise(resolve => server.close(resolve));
    while (inFlight.size > 0) await Promise.allSettled(inFlight);
    server.closeAllConnections();
    await closed;
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

// How long another process's doings with the same file can go unseen.
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
      // A slow receiver holds up nobody else.
      wake(untilDue());
      await attempts;
      if (!stopped) wake(untilDue());
    } catch {
      // The file was busy for longer than we wait: nothing is lost, the next look finds it due.
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

function listen(server: Server, host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why: Record<string, string> = {
        EADDRINUSE: `port ${port} is taken; give another one, or 0 for a free one`,
        EACCES: `port ${port} may not be used; give one above 1023, or 0 for a free one`,
        EADDRNOTAVAIL: `${host} is no address of this machine`,
      };
      const message = `The emulator cannot listen on ${host}: ${why[error.code ?? ''] ?? error.message}.`;
      reject(Object.assign(new Error(message, { cause: error }), { code: error.code }));
    });
    server.listen(port, host, () => {
      const bound = server.address() as AddressInfo;
      const wildcard = bound.address === '0.0.0.0' || bound.address === '::';
      const name = wildcard ? '127.0.0.1' : bound.family === 'IPv6' ? `[${bound.address}]` : bound.address;
      resolve(`http://${name}:${bound.port}`);
    });
  });
}

/** Label links lead back the way the caller came: from a container the emulator has another name. */
const originOf = (host: string | undefined, address: string): string =>
  host !== undefined && /^[\w.-]+(:\d+)?$|^\[[\da-f:]+\](:\d+)?$/i.test(host) ? `http://${host}` : address;

const flat = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );
