// Our transport and client over real HTTP. The test decides when deadlines pass, and waits take no time.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { onTestFinished } from 'vitest';
import { type Client, type ClientSettings, createClient } from '../../src/http/client.ts';
import type { Credentials } from '../../src/http/credentials.ts';
import type { ServiceResponse } from '../../src/http/response.ts';
import {
  createTransport,
  type Exchange,
  type NoResponse,
  type Outgoing,
  type Transport,
} from '../../src/http/transport.ts';
import { shownExchange, shownRequest, type WireEvent, watched } from '../../src/http/watch.ts';
import { type Raw, type Reply, rawServer } from './sockets.ts';

export interface Wire {
  transport: Transport;
  /** Ends the deadline of every running attempt. */
  late(): void;
  /** How many deadlines still run. */
  clocks(): number;
}

/** A transport whose deadlines pass when the test says so. */
export function wire(env: Record<string, string> = {}): Wire {
  const deadlines = new Set<() => void>();
  const transport = createTransport({
    env,
    deadline(_, late) {
      deadlines.add(late);
      return () => deadlines.delete(late);
    },
  });
  onTestFinished(() => transport.close());
  return {
    transport,
    late() {
      for (const late of [...deadlines]) late();
    },
    clocks: () => deadlines.size,
  };
}

/** A request; by default a booking: a POST on a connection of its own. */
export const outgoing = (url: URL, more: Partial<Outgoing> = {}): Outgoing => ({
  method: 'POST',
  url,
  headers: { 'content-type': 'application/json' },
  body: '{"a":1}',
  timeout: 30_000,
  maxBytes: 1000,
  fresh: true,
  purpose: { operation: 'ship', attempt: 1 },
  ...more,
});

/** A read: a GET on a connection that may be used again. */
export function reading(url: URL, more: Partial<Outgoing> = {}): Outgoing {
  const { body: _, ...request } = outgoing(url, { method: 'GET', headers: {}, fresh: false, ...more });
  return request;
}

export function answered(exchange: Exchange): ServiceResponse {
  if (exchange.kind === 'answer') return exchange;
  throw new Error(`no answer: ${exchange.fault}`);
}

export function unanswered(exchange: Exchange): NoResponse {
  if (exchange.kind === 'none') return exchange;
  throw new Error(`an answer: ${exchange.status}`);
}

/** Resolves when a client of this process has taken the next piece of a body. */
export function nextChunk(): Promise<void> {
  return new Promise(resolve => {
    const channel = 'undici:request:bodyChunkReceived';
    const seen = () => {
      unsubscribe(channel, seen);
      resolve();
    };
    subscribe(channel, seen);
  });
}

export const NOW = Date.parse('2026-03-02T09:00:00Z');

export interface Rigged extends Wire {
  client: Client;
  server: Raw;
  /** Milliseconds, one for each wait. */
  waits: number[];
  /** What `--verbose` would show. */
  trace: string[];
  interrupt(signal: 'SIGINT' | 'SIGTERM'): void;
  /** The host of the client. */
  host: Parameters<typeof createClient>[2];
}

export async function rigClient(
  reply: Reply,
  settings: Partial<Omit<ClientSettings, 'credentials'>> & {
    credentials?: Credentials;
    path?: string;
    onSleep?(rig: Rigged): void;
  } = {},
): Promise<Rigged> {
  const server = await rawServer(reply);
  const made = wire();
  const waits: number[] = [];
  const trace: string[] = [];
  const interruption = new AbortController();
  const host = {
    now: () => NOW,
    async sleep(ms: number, signal?: AbortSignal) {
      signal?.throwIfAborted();
      waits.push(ms);
      settings.onSleep?.(rig);
      signal?.throwIfAborted();
    },
    random: () => 1,
    interrupted: interruption.signal,
  };
  const { path = '', onSleep: _, credentials, ...given } = settings;
  const watch = (event: WireEvent) => {
    if (event.event === 'retry') return;
    const { request } = event;
    const shown = event.event === 'sending' ? shownRequest(request) : shownExchange(request, event.exchange);
    if (shown) trace.push(shown.text);
  };
  const client = createClient(
    watched(made.transport, watch, host.now),
    {
      base: new URL(path, server.url),
      timeout: { read: 30_000, booking: 180_000 },
      retries: 3,
      agent: 'waybill/test',
      ...given,
      ...(credentials && { credentials: () => credentials }),
    },
    host,
  );
  const rig: Rigged = {
    ...made,
    client,
    server,
    waits,
    trace,
    host,
    interrupt: signal => interruption.abort(signal),
  };
  return rig;
}
