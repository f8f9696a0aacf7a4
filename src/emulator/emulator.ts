import type { HttpResponse } from '../http-server.ts';
import { arrive, nextArrival } from './arrivals.ts';
import { type Delivery, deliverDue, nextDelivery, type Send } from './deliveries.ts';
import { labelAnswer } from './label-link.ts';
import { operate } from './operate.ts';
import { findRoute, locate } from './routes.ts';
import { openStore } from './store.ts';
import { DEFAULT_TOKENS, type Tokens } from './tokens.ts';
import { type EmulatorRequest, failure, json } from './wire.ts';

// Our own copy of the shipping service, for demos and tests. It is no carrier, makes no real shipment and costs
// nothing; where the service document shows nothing it decides, and another service may decide otherwise.

export interface EmulatorOptions {
  /** The SQLite file that the world is kept in; `:memory:` for none. */
  data: string;
  tokens?: Tokens;
  /** How much faster than real time shipments travel: 1 is real time. */
  speed?: number;
  /** Milliseconds since 1970. */
  now(): number;
  /** From 0 up to but not including 1. */
  random(): number;
  /** The document that `GET /openapi.json` answers with; without it the path is unknown. */
  openapi?: () => unknown;
  send: Send;
}

/** The service without a socket. */
export interface Emulator {
  handle(request: EmulatorRequest): HttpResponse;
  /** Lets time pass: what is due by `now` (ms since 1970) happens, and its deliveries are queued. */
  advance(now: number): void;
  /** Sends the deliveries that are due; resolves when these attempts have ended. */
  deliver(): Promise<void>;
  /** When something is due next, in ms since 1970: an arrival or a delivery. */
  nextDue(): number | undefined;
  /** Every delivery there ever was, oldest first. */
  deliveries(): readonly Delivery[];
  /** Stops the attempts under way, to be made again by whoever opens the file next, and closes it. */
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
    handle: request => {
      advance(now());
      const { world, path } = locate(request.path);
      if (request.method === 'GET' && world === 'production' && path === '/openapi.json' && options.openapi)
        // To the byte what `waybill schema --openapi` prints.
        return { ...json(200, ''), body: `${JSON.stringify(options.openapi(), undefined, 2)}\n` };
      const label = request.method === 'GET' ? labelAnswer(store, world, path) : undefined;
      if (label) return label;
      const route = findRoute(request.method, path, world);
      if (route) return operate({ store, tokens, now: now(), random }, request, world, route);
      return failure(404, `there is nothing at ${request.method} ${request.path}`);
    },
    advance,
    deliver: async () => {
      if (stopping.signal.aborted) return;
      const attempt = deliverDue(store, now, options.send, stopping.signal);
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
