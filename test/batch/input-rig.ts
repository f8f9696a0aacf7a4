import type * as fc from 'fast-check';
import { type InputSettings, openInput } from '../../src/batch/input.ts';
import type { Piece } from '../../src/batch/source.ts';
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
  const pieces: Piece[] = [];
  for await (const piece of input.pieces) pieces.push(piece);
  const records = pieces.map(piece => ({ line: piece.line, ...input.read(piece) }));
  return { input, pieces, records };
}

/** What all records say, in the input's own format, each with that error. */
export async function failedOf(content: string, error: string, given: Given = {}): Promise<string> {
  const { input, pieces } = await readAll(content, given);
  const { head, piece, foot } = input.failed;
  return [head(), ...pieces.map((one, index) => piece(one, error, index === 0)), foot()].join('');
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

/** As few runs as find what is broken: several people's tests share the machine. */
export const RUNS: fc.Parameters<unknown> = { numRuns: 150 };
