// Orders for a batch, the files that a run leaves, and a service that answers each order as a test wants.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type * as fc from 'fast-check';
import { openRecords } from '../../src/batch/input.ts';
import type { InputSettings, RawRecord } from '../../src/batch/input-types.ts';
import { getAt, textAt } from '../../src/contract/paths.ts';
import type { SeenRequest } from '../../src/emulator/server.ts';
import type { ResultLine, Summary } from '../../src/output/schemas.ts';
import { schemaOf } from '../contract/rig.ts';
import { createRig, type Ran, type Rig, type RigOptions } from './command.ts';
import { DUAL, errorOf, SHIPMENT } from './service.ts';
import { served } from './sockets.ts';

const named = (body: Record<string, unknown>, key: string) => ({
  ...body,
  items: (body.items as object[]).map(item => ({ ...item, description: `Goods ${key}` })),
});

/** A record for `batch ship`. Its item is named by its key, so that each request shows its record. */
export const order = (key: string, change: Record<string, unknown> = {}): Record<string, unknown> => ({
  key,
  ...named(SHIPMENT, key),
  ...change,
});

export const dualOrder = (key: string) => ({ key, ...named(DUAL, key) });

/** `ORDER-1`, `ORDER-2` and so on. */
export const keys = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `ORDER-${index + 1}`);

export const orders = (count: number) => keys(count).map(key => order(key));

export const jsonLines = (records: readonly unknown[]): string =>
  records.map(record => `${JSON.stringify(record)}\n`).join('');

/** A rig with a file `orders.jsonl` of these records. */
export async function shop(records: readonly unknown[], options?: RigOptions): Promise<Rig> {
  const rig = await createRig(options);
  rig.file('orders.jsonl', jsonLines(records));
  return rig;
}

/** The lines of a results file, or of any file of JSON lines in the folder of the rig. */
export const linesIn = (rig: Rig, name = 'orders.results.jsonl'): ResultLine[] =>
  readFileSync(join(rig.folder, name), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line));

/** The lines by key, as `key state exitCode sent`. */
export const ends = (lines: readonly ResultLine[]): string[] =>
  lines.map(({ key, state, exitCode, sent }) => `${key} ${state} ${exitCode} ${sent}`).sort(byNumber);

const byNumber = (one: string, other: string) => one.localeCompare(other, 'en', { numeric: true });

export const summaryOf = ({ stdout }: Pick<Ran, 'stdout'>): Summary => JSON.parse(stdout);

const SHIPMENTS = /\/v[12]\/shipments$/;

const keyIn = (body: string): string => JSON.parse(body).items[0].description.replace('Goods ', '');

/** The orders whose booking arrived, in order of their numbers. */
export const bookedIn = ({ requests }: { requests: readonly SeenRequest[] }): string[] =>
  requests
    .filter(({ path }) => SHIPMENTS.test(path))
    .map(({ body }) => keyIn(body))
    .sort(byNumber);

export type Reply = { status: number; body?: unknown; headers?: Record<string, string> } | 'reset';

export const created = (key: string, price = 12.4): Reply => ({
  status: 201,
  body: { id: `S-${key}`, carrier: { id: 'EXP', name: 'Express', price, currency: 'EUR' } },
});

export interface Arrival {
  key: string;
  /** Its status, or `reset`. */
  answered: number | 'reset';
}

/** What any order is proposed for, and the label of any shipment. */
const FIXED: Readonly<Record<string, { status: number; body: unknown }>> = {
  '/v1/carriers/proposal': {
    status: 201,
    body: {
      chargeableWeight: 4.8,
      proposals: [
        {
          ...{ id: 'EXP', name: 'Express', serviceType: 'express', isValid: true },
          ...{ deliveryTime: '1-3 days', price: 10, currency: 'EUR' },
        },
      ],
    },
  },
  '/v2/carriers/create': {
    status: 200,
    body: { success: true, international: { success: true, trackingNumber: 'T-1', label: null } },
  },
};

/**
 * A service for shipments whose responses the test decides; `attempt` counts the requests with that key, from 1. An id that it
 * gave before gets a number, because each order has its own.
 */
export async function scriptedService(answer: (key: string, attempt: number) => Reply | Promise<Reply>) {
  const arrivals: Arrival[] = [];
  const paths: string[] = [];
  const attempts = new Map<string, number>();
  const given = new Map<string, number>();
  const numbered = (body: unknown) => {
    const id = textAt(body, ['id']);
    if (id === undefined) return body;
    const times = (given.get(id) ?? 0) + 1;
    given.set(id, times);
    return times === 1 ? body : { ...(body as object), id: `${id}-${times}` };
  };
  const seen = { most: 0 };
  let underWay = 0;

  const address = await served(async (request, response) => {
    underWay += 1;
    seen.most = Math.max(seen.most, underWay);
    const chunks = await request.toArray();
    const fixed = FIXED[request.url ?? ''];
    if (fixed) {
      underWay -= 1;
      paths.push(request.url ?? '');
      response.writeHead(fixed.status).end(JSON.stringify(fixed.body));
      return;
    }
    const key = keyIn(Buffer.concat(chunks).toString('utf8'));
    const attempt = (attempts.get(key) ?? 0) + 1;
    attempts.set(key, attempt);
    const reply = await answer(key, attempt);
    arrivals.push({ key, answered: reply === 'reset' ? reply : reply.status });
    underWay -= 1;
    if (reply === 'reset') response.socket?.resetAndDestroy();
    else response.writeHead(reply.status, reply.headers).end(JSON.stringify(numbered(reply.body ?? {})));
  });
  return { env: { WAYBILL_BASE_URL: address }, arrivals, paths, seen };
}

/** `--set PATH=VALUE` of each text and number in a request. */
const setsOf = (value: unknown, path = ''): string[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, part]) =>
        setsOf(part, Array.isArray(value) ? `${path}[${name}]` : (path && `${path}.${name}`) || name),
      )
    : ['--set', `${path}=${value}`];

/** The problems of a command with --json, as `path message`. */
export const issuesOf = (ran: Ran): string[] =>
  errorOf(ran).issues.map(({ path, message }) => `${path} ${message}`);

/**
 * A batch of `ship` over this text, with a map and further flags. What a record leaves out is as in `SHIPMENT`, so that it is
 * sent. `at` gives what was sent at some paths, for each record in the order of the file.
 */
export async function reading(
  text: string | Uint8Array,
  { name = 'orders.csv', map = {}, flags = '' }: { name?: string; map?: object; flags?: string } = {},
) {
  const rig = await createRig({ files: { 'map.json': map } });
  writeFileSync(join(rig.folder, name), text);
  const own = ['--map', 'map.json', '--concurrency', '1', '--json'];
  const ran = await rig.run([
    'batch',
    'ship',
    name,
    ...own,
    ...setsOf(SHIPMENT),
    ...flags.split(' ').filter(Boolean),
  ]);
  const at = (...paths: string[]) =>
    ran.requests.map(({ body }) => paths.map(path => getAt(JSON.parse(body), path)));
  return { rig, ran, at };
}

/** The bytes in chunks of these sizes, which repeat. Without sizes it is one chunk. */
export async function* chunked(bytes: Uint8Array, sizes: readonly number[] = []): AsyncGenerator<Uint8Array> {
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? bytes.length;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

export interface Given extends Partial<InputSettings> {
  sizes?: readonly number[];
}

/** Reads all records of `ship`, as a batch does. */
export async function readAll(content: string | Uint8Array, { sizes, ...settings }: Given = {}) {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  const input = openRecords(chunked(bytes, sizes), {
    format: 'csv',
    name: 'orders.csv',
    fields: schemaOf('createShipment'),
    keyColumn: 'key',
    allowUnknown: false,
    ...settings,
  });
  const raw: RawRecord[] = [];
  for await (const one of input.records) raw.push(one);
  return { raw, input };
}

/** Enough runs to find a bug in reasonable time. */
export const RUNS: fc.Parameters<unknown> = { numRuns: 150 };
