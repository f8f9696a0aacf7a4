// One file with the compiled code of many modules: the length of its index in 4 bytes, the index as JSON, the code; and all
// of it once more. V8 does not check the code: one bit that the disk lost would end every later run. So only what is the
// same in both copies is used. (Node's CRC-32 has to be loaded, which takes 4 % of a `--version`; a second copy takes none.)
import { closeSync, fstatSync, fsyncSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from '../host/folder.ts';

/** The code that V8 compiled of modules in an earlier run, by their names. */
export interface CodeCache {
  names: readonly string[];
  /** The code as it was written; none if it was damaged since. */
  of(name: string): Buffer | undefined;
}

interface Index {
  /** The bundle and the Node that it was made with. */
  stamp: string;
  /** The position of each module's code after the index, and its length. */
  places: Record<string, [at: number, length: number]>;
}

export const NO_CODE: CodeCache = { names: [], of: () => undefined };
const HEAD = 4;

/** The code in a file that is complete, has that stamp, and that no other user may write; else none. */
export function readCode(path: string, stamp: string): CodeCache {
  try {
    // Kept open, because another process may replace the file.
    const file = openSync(path, 'r');
    const half = fstatSync(file).size / 2;
    const checked = (at: number, length: number) => {
      if (at + length > half) throw new Error('the file is cut off');
      const [one, other] = [bytes(file, at, length), bytes(file, half + at, length)];
      if (!one.equals(other)) throw new Error('the file is damaged');
      return one;
    };
    const start = HEAD + checked(0, HEAD).readUInt32LE();
    const index: Index = JSON.parse(checked(HEAD, start - HEAD).toString());
    const ends = Object.values(index.places).map(([at, length]) => start + at + length);
    if (!isOurs(file) || index.stamp !== stamp || half !== Math.max(...ends)) return NO_CODE;
    return {
      names: Object.keys(index.places),
      of(name) {
        const place = index.places[name];
        try {
          return place && checked(start + place[0], place[1]);
        } catch {
          return undefined;
        }
      },
    };
  } catch {
    return NO_CODE;
  }
}

/** Writes the code into a file, completely or not at all. Throws the error of the file system. */
export function writeCode(path: string, stamp: string, code: ReadonlyMap<string, Buffer>): void {
  makeFolder(dirname(path), 0o700);
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
      const all = [head, index, ...code.values()];
      for (const part of [...all, ...all]) writeAll(file, part);
      // After a loss of power no half written file may be found.
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
