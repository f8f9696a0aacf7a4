// The emulator, with and without a socket, and bodies for its requests.
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { OPERATIONS, type Operation } from '../../src/contract/operations.ts';
import type { Send } from '../../src/emulator/deliveries.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { type Fault, seededRandom } from '../../src/emulator/faults.ts';
import { startEmulator } from '../../src/emulator/server.ts';
import type { Tokens } from '../../src/emulator/tokens.ts';

/** Noon of a day, in ms since 1970. */
export const NOON = Date.UTC(2025, 2, 5, 12);
export const DAY = 86_400_000;

export class Clock {
  at = NOON;
  now = () => this.at;
  pass(ms: number) {
    this.at += ms;
  }
}

export interface RigOptions {
  data?: string;
  tokens?: Tokens;
  speed?: number;
  faults?: readonly Fault[];
  clock?: Clock;
  random?: () => number;
  send?: Send;
}

export interface Answer {
  status: number;
  headers: Record<string, string>;
  /** Parsed if it is JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into answers that other tests hold against schemas.
  body: any;
  bytes: Uint8Array;
}

export interface Rig {
  clock: Clock;
  origin: string;
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  close(): Promise<void>;
}

export const DEMO = { authorization: 'Bearer demo' };

const wire = (body: unknown): string =>
  body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);

/** The emulator without a socket. */
export async function inProcess(options: RigOptions = {}): Promise<Rig> {
  const clock = options.clock ?? new Clock();
  const emulator = await createEmulator({
    ...{
      data: ':memory:',
      random: seededRandom(1),
      send: async () => 200,
      openapi: () => ({ openapi: '3.1.0' }),
    },
    ...options,
    now: clock.now,
  });
  const origin = 'http://emulator.test';
  return {
    clock,
    origin,
    close: emulator.close,
    call: async (method, path, body, headers = DEMO) => {
      const answer = await emulator.handle({ method, path, headers, body: wire(body), origin });
      return checked(method, path, answer.status, { ...answer.headers }, Buffer.from(answer.body));
    },
  };
}

/** The emulator behind a real socket. */
export async function overHttp(options: RigOptions = {}): Promise<Rig> {
  const clock = options.clock ?? new Clock();
  const running = await startEmulator({
    ...{ random: seededRandom(1), openapi: () => ({ openapi: '3.1.0' }) },
    ...options,
    now: clock.now,
  });
  return {
    clock,
    origin: running.address,
    close: running.close,
    call: async (method, path, body, headers = DEMO) => {
      const answer = await fetch(running.address + path, {
        method,
        headers,
        redirect: 'manual',
        ...(body !== undefined && { body: wire(body) }),
      });
      const bytes = new Uint8Array(await answer.arrayBuffer());
      return checked(method, path, answer.status, Object.fromEntries(answer.headers), bytes);
    },
  };
}

export const RIGS = [
  ['in-process', inProcess],
  ['over HTTP', overHttp],
] as const;

/** The row of the contract that a request is for. */
export function rowFor(method: string, path: string): Operation | undefined {
  const sandbox = path.startsWith('/sandbox/');
  const bare = path.replace(/^\/sandbox/, '');
  return Object.values(OPERATIONS).find(
    row =>
      row.method === method &&
      (row.sandbox || !sandbox) &&
      new RegExp(`^${row.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(bare),
  );
}

// Every answer must be one that the row of its operation lists.
function checked(
  method: string,
  path: string,
  status: number,
  headers: Record<string, string>,
  bytes: Uint8Array,
): Answer {
  const isJson = headers['content-type']?.startsWith('application/json') === true;
  const body: unknown = isJson ? JSON.parse(Buffer.from(bytes).toString()) : undefined;
  const row = rowFor(method, path);
  if (row && status === row.success.status) row.success.schema.parse(body);
  else if (row) expect(Object.keys(row.errors), `${status} of ${row.id}`).toContain(String(status));
  return { status, headers, body, bytes };
}

const FIXTURES = new URL('../../fixtures/service/', import.meta.url);

/** A fixture of the service document: `v1/shipments/POST/full.request.json`. */
// biome-ignore lint/suspicious/noExplicitAny: tests change single fields of it.
export const fixture = (name: string): any => JSON.parse(readFileSync(new URL(name, FIXTURES), 'utf8'));

export const shipmentBody = () => fixture('v1/shipments/POST/full.request.json');
export const dualBody = () => fixture('v2/shipments/POST/full.request.json');
export const subscriptionBody = (url = 'https://shop.example.test/hook') => ({
  url,
  events: ['shipment.status.updated', 'shipment.milestone.updated'],
});

/** The paths of the issues in a refusal. */
export const faultyPaths = (answer: Answer): string[] =>
  answer.body.error.details.map(({ path }: { path: string }) => path);
