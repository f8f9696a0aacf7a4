// Our transport over real HTTP. The test decides when deadlines pass.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { onTestFinished } from 'vitest';
import type { Exchange, NoResponse, ServiceResponse } from '../../src/service/response.ts';
import { createTransport, type Outgoing, type Transport } from '../../src/service/transport.ts';

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
  throw new Error(`no answer: ${exchange.fault.fault}`);
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
