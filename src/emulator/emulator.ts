import type { HttpResponse } from '../http-server.ts';
import { arrive, nextArrival } from './arrivals.ts';
import { type Delivery, deliverDue, nextDelivery, type Send } from './deliveries.ts';
import { isLabelPath, labelAnswer } from './label-link.ts';
import { operate } from './operate.ts';
import { findRoute, locate } from './routes.ts';
import { openStore } from './store.ts';
import { DEFAULT_TOKENS, type Tokens } from './tokens.ts';
import { type EmulatorRequest, failure, json } from './wire.ts';

// Our own version of the shipping service, for demos and tests. It is not a carrier, makes no real shipments and costs
// nothing. If the service document does not show something, the emulator decides, and the real service may differ.

export interface EmulatorOptions {
  /** The SQLite file of its data; `:memory:` for none. */
  data: string;
  tokens?: Tokens;
  /** How much faster than real time shipments travel: 1 is real time. */
  speed?: number;
  /** Milliseconds since 1970. */
  now(): number;
  /** From 0 up to but not including 1. */
  random(): number;
  /** The document at `GET /openapi.json`; without it the path is unknown. */
  openapi?: () => unknown;
  send: Send;
}

/** The service without a socket. */
export interface Emulator {
  handle(request: EmulatorRequest): Promise<HttpResponse>;
  /** Does what is due by `now` (ms since 1970), and queues its deliveries. */
  advance(now: number): void;
  /** Sends the due deliveries; resolves when these attempts have ended. */
  deliver(): Promise<void>;
  /** When the next arrival or delivery is due, in ms since 1970. */
  nextDue(): number | undefined;
  /** All deliveries, the oldest first. */
  deliveries(): readonly Delivery[];
  /** Stops the attempts in flight and closes the file; the next process that opens it makes them again. */
  close(): Promise<void>;
}

export async function createEmulator(options: EmulatorOptions): Promise<Emulator> {
  const { now, random, speed = 1, tokens = DEFAULT_TOKENS } = options;
  if (!(speed > 0 && Number.isFinite(speed)))
    throw new RangeError(`The speed must be a number above 0, not ${speed}.`);
  const store = await openStore(options.data);
  const stopping = new AbortController();
  const attempts = new Set<Promise<void>>();
  const advance = (at: number) => arrive(store, speed, at);

  return {
    handle: async request => {
      advance(now());
      const { world, path } = locate(request.path);
      if (request.method === 'GET' && world === 'production' && path === '/openapi.json' && options.openapi)
        // Byte for byte what `waybill schema --openapi` prints.
        return { ...json(200, ''), body: `${JSON.stringify(options.openapi(), undefined, 2)}\n` };
      if (request.method === 'GET' && isLabelPath(path)) return labelAnswer(store, world, path);
      const route = findRoute(request.method, path, world);
      if (route) return operate({ store, tokens, now: now(), random }, request, world, route);
      return failure(404, `there is nothing at ${request.method} ${request.path}`);
    },
    advance,
    deliver: async () => {
      if (stopping.signal.aborted) return;
      const attempt = deliverDue({ store, now, send: options.send, signal: stopping.signal });
      attempts.add(attempt);
      await attempt.finally(() => attempts.delete(attempt));
    },
    nextDue: () => {
      const due = [nextArrival(store, speed), nextDelivery(store)].filter(at => at !== undefined);
      return due.length > 0 ? Math.min(...due) : undefined;
    },
    deliveries: () => store.all<Delivery>('SELECT * FROM deliveries ORDER BY number'),
    close: async () => {
      stopping.abort();
      await Promise.allSettled(attempts);
      store.close();
    },
  };
}
