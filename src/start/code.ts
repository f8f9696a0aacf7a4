// One file with the code of many modules: the length of its index in 4 bytes, the index as JSON, the code.
import {
  closeSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';

/** What V8 made of modules in an earlier run, by their names. */
export interface Code {
  names: readonly string[];
  of(name: string): Buffer | undefined;
}

interface Index {
  /** Of which bundle and by which Node it was made. */
  stamp: string;
  /** Where the code of a module lies behind the index, and its length. */
  places: Record<string, [at: number, length: number]>;
}

export const NONE: Code = { names: [], of: () => undefined };
const HEAD = 4;

/** The code in a file that is whole, has that stamp, and that nobody else may write; else none. */
export function readCode(path: string, stamp: string): Code {
  try {
    // Kept open: what replaces the file meanwhile is another one.
    const file = openSync(path, 'r');
    const start = HEAD + bytes(file, 0, HEAD).readUInt32LE();
    const index: Index = JSON.parse(bytes(file, HEAD, start - HEAD).toString());
    const { size } = fstatSync(file);
    const ends = Object.values(index.places).map(([at, length]) => start + at + length);
    if (!isOurs(file) || index.stamp !== stamp || size !== Math.max(...ends)) return NONE;
    return {
      names: Object.keys(index.places),
      of(name) {
        const place = index.places[name];
        return place && bytes(file, start + place[0], place[1]);
      },
    };
  } catch {
    return NONE;
  }
}

/** Puts the code into a file, whole or not at all. Throws what the file system throws. */
export function writeCode(path: string, stamp: string, code: ReadonlyMap<string, Buffer>): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  let end = 0;
  const places: Index['places'] = {};
  for (const [name, { length }] of code) {
    places[name] = [end, length];
    end += length;
  }
  const index = Buffer.from(JSON.stringify({ stamp, places } satisfies Index));
  const head = Buffer.alloc(HEAD);
  head.writeUInt32LE(index.length);
  const temporary = `${path}.${process.pid}`;
  try {
    const file = openSync(temporary, 'wx', 0o600);
    try {
      for (const part of [head, index, ...code.values()]) writeAll(file, part);
      // V8 trusts what it reads: a file that a loss of power leaves half written must not be found.
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function isOurs(file: number): boolean {
  const { uid, mode } = fstatSync(file);
  // Windows has neither.
  const us = process.getuid?.();
  return us === undefined || (uid === us && (mode & 0o022) === 0);
}

function bytes(file: number, at: number, length: number): Buffer {
  const read = Buffer.allocUnsafe(length);
  if (readSync(file, read, 0, length, at) !== length) throw new Error('the file is cut off');
  return read;
}

function writeAll(file: number, part: Buffer): void {
  for (let at = 0; at < part.length; ) at += writeSync(file, part, at);
}
