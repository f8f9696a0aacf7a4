// The emulator on its own, and bodies for its requests.
import { expect, onTestFinished } from 'vitest';
import { OPERATIONS, type Operation } from '../../src/contract/operations.ts';
import { ANSWERS } from '../../src/documents/answers.ts';
import { type ServerOptions, startEmulator } from '../../src/emulator/server.ts';
import { seededRandom } from '../../src/emulator/settings.ts';
import { sendOnLoopback } from '../../src/emulator/world.ts';
import { fixture } from './service.ts';

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

export interface RigOptions extends Omit<ServerOptions, 'now'> {
  clock?: Clock;
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
  /** Resolves when the answers to all deliveries that were sent are recorded. */
  recorded(): Promise<void>;
  /** Passes time when they are: what is due then is sent. */
  later(ms: number): Promise<Answer>;
  close(): Promise<void>;
}

export const DEMO = { authorization: 'Bearer demo' };

const wire = (body: unknown): string =>
  body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);

/** An emulator with a clock of its own, which is closed when the test ends. */
export async function emulator(options: RigOptions = {}): Promise<Rig> {
  const { clock = new Clock(), send = sendOnLoopback } = options;
  const attempts: Promise<unknown>[] = [];
  const running = await startEmulator({
    random: seededRandom(1),
    ...options,
    now: clock.now,
    send: (...sent) => {
      const attempt = send(...sent);
      attempts.push(attempt.catch(() => {}));
      return attempt;
    },
  });
  onTestFinished(running.close);
  const rig: Rig = {
    clock,
    origin: running.address,
    close: running.close,
    async recorded() {
      await Promise.all(attempts);
      await new Promise(setImmediate);
    },
    async later(ms) {
      await rig.recorded();
      clock.pass(ms);
      // The emulator looks what is due when it is asked something.
      return rig.call('GET', '/v1/shipments/none');
    },
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
  return rig;
}

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
  if (row && status === row.success.status) ANSWERS[row.id].parse(body);
  else if (row) expect(Object.keys(row.errors), `${status} of ${row.id}`).toContain(String(status));
  return { status, headers, body, bytes };
}

// biome-ignore lint/suspicious/noExplicitAny: tests change single fields of it.
export const shipmentBody = (): any => fixture('v1/shipments/POST/full.request.json');
// biome-ignore lint/suspicious/noExplicitAny: the same.
export const dualBody = (): any => fixture('v2/shipments/POST/full.request.json');
export const subscriptionBody = (url = 'https://shop.example.test/hook') => ({
  url,
  events: ['shipment.status.updated', 'shipment.milestone.updated'],
});

/** The paths of the issues in a refusal. */
export const faultyPaths = (answer: Answer): string[] =>
  answer.body.error.details.map(({ path }: { path: string }) => path);
