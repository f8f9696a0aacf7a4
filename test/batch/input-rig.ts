import type * as fc from 'fast-check';
import { openInput } from '../../src/batch/input.ts';
import type { InputSettings, RawRecord } from '../../src/batch/source.ts';
import { Failure } from '../../src/errors.ts';
import { parsePackage, shipmentPackage } from '../../src/request/specs.ts';
import { schemaOf } from '../request/rig.ts';

/** The bytes in chunks of these sizes, over and over; whole where there are none. */
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

/** Opens it as orders of `ship`. */
export function opened(content: string | Uint8Array, { sizes, ...settings }: Given = {}) {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  return openInput(chunked(bytes, sizes), {
    format: 'csv',
    name: 'orders.csv',
    fields: schemaOf('createShipment'),
    packages: { path: 'packages', entry: spec => shipmentPackage(parsePackage(spec)) },
    keyColumn: 'key',
    allowUnknown: false,
    ...settings,
  });
}

/** Reads all of it, as a batch does. */
export async function readAll(content: string | Uint8Array, given: Given = {}) {
  const input = opened(content, given);
  const raw: RawRecord[] = [];
  for await (const one of input.records) raw.push(one);
  const records = raw.map(one => ({ line: one.line, ...input.parse(one) }));
  return { input, raw, records };
}

/** What all records say, in the input's own format, each with that error. */
export async function failedOf(content: string, error: string, given: Given = {}): Promise<string> {
  const { input, raw } = await readAll(content, given);
  const { head, record, foot } = input.failed;
  return [head(), ...raw.map((one, index) => record(one, error, index === 0)), foot()].join('');
}

/** The failure that the reading ends with. */
export async function refusal(content: string | Uint8Array, given: Given = {}): Promise<Failure> {
  try {
    await readAll(content, given);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

/** Enough runs to find a bug, and few because several people's tests share the machine. */
export const RUNS: fc.Parameters<unknown> = { numRuns: 150 };
