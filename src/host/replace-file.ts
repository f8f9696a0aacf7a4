import { createHash, randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { Failure } from '../errors.ts';
import type { Host } from '../host.ts';
import { unwritableBecause } from '../system-errors.ts';

/** What tells which process a temporary file belongs to, and whether that process still runs. */
export type Process = Pick<Host['process'], 'host' | 'id' | 'exists'>;

const BUFFER_LENGTH = 64 * 1024;

const PART = '.part';

/**
 * A new file that is written line by line, and replaces the file at `path` when it is published. `name`: the path as the
 * user gave it. Throws `storage`, here and when the file is written.
 */
export function openReplacement(path: string, name: string, process: Process) {
  removeLeftovers(path, process);
  const guarded = <T>(work: () => T): T => guard(name, work);
  // A pipe or a device must not be replaced: it is written to directly.
  const present = guarded(() => statSync(path, { throwIfNoEntry: false }));
  const isFile = present === undefined || present.isFile();
  // Several runs may write a file of one name: each has a temporary file of its own.
  const part = `${path}.${machineMark(process)}-${ownMark(process)}${PART}`;
  // Only this user may read the file: it has names and addresses.
  const file = guarded(() => (isFile ? openSync(part, 'wx+', 0o600) : openPipeEnd(path)));
  const own = fstatSync(file);
  let published = !isFile;
  let buffered = '';
  const flush = () =>
    guarded(() => {
      const bytes = Buffer.from(buffered);
      buffered = '';
      writeAll(file, bytes);
      // A file that lost its name is lost with this process. That is no error if another run has replaced it.
      if (published && isFile && fstatSync(file).nlink === 0 && !existsSync(path))
        throw new Error('it was deleted while it was written');
    });
  return {
    write(text: string): void {
      buffered += text;
      if (published || buffered.length > BUFFER_LENGTH) flush();
    },
    /** Puts the file in place with what was written so far; from then on every write goes into the file at once. */
    publish(): void {
      flush();
      if (!published) guarded(() => renameSync(part, path));
      published = true;
    },
    /** Has another run put its own file in place since this file was published? */
    get isReplaced(): boolean {
      return guarded(() => {
        const there = published && isFile ? statSync(path, { throwIfNoEntry: false }) : undefined;
        return there !== undefined && (there.dev !== own.dev || there.ino !== own.ino);
      });
    },
    /** Copies the text into one more file, and gives its name: once another run has replaced this file, only the copy has the text. */
    keep(): string {
      const id = unique();
      const beside = (name: string) =>
        `${name.slice(0, name.length - extname(name).length)}.${id}${extname(name)}`;
      guarded(() => {
        const copy = openSync(beside(path), 'wx', 0o600);
        try {
          const bytes = Buffer.alloc(BUFFER_LENGTH);
          for (let at = 0; ; ) {
            const length = readSync(file, bytes, 0, BUFFER_LENGTH, at);
            if (length === 0) break;
            writeAll(copy, bytes.subarray(0, length));
            at += length;
          }
        } finally {
          closeSync(copy);
        }
      });
      return beside(name);
    },
    /** Closes the file. If it was never published, it is removed, and the old file stays. */
    close(): void {
      try {
        if (published) flush();
      } finally {
        closeSync(file);
        if (!published) rmSync(part, { force: true });
      }
    },
  };
}

const unique = (): string => randomUUID().slice(0, 8);

/** The mark of a machine: in a shared folder, files of other machines may have the same process number. */
export const machineMark = (process: Process): string =>
  createHash('sha256').update(process.host).digest('hex').slice(0, 8);

/** A mark of this process, different each time. */
export const ownMark = (process: Process): string => `${process.id}-${unique()}`;

/** Is the mark that of a process of this machine that has ended? */
export function hasEnded(mark: string, process: Process): boolean {
  const id = Number(/^(\d+)-[0-9a-f]{8}$/.exec(mark)?.[1]);
  return id > 0 && id !== process.id && !process.exists(id);
}

function writeAll(file: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
}

/** Does a piece of work on the file `name`. Throws `storage` for its errors. */
function guard<T>(name: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const why = unwritableBecause(error);
    throw new Failure('storage', { kind: 'file-unwritable', path: name, why }, {}, { cause: error });
  }
}

/** Opens a pipe or a device. Throws if nobody reads it: a plain open would wait for a reader for ever, and no signal would end that. */
function openPipeEnd(path: string): number {
  const trial = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  try {
    return openSync(path, 'w');
  } finally {
    closeSync(trial);
  }
}

/** Removes a file; false if there was none. A pipe or a device stays. Throws `storage`. */
export function removeFile(path: string, name: string): boolean {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return false;
  guard(name, () => rmSync(path, { force: true }));
  return true;
}

/** Removes the files of runs that were killed on this machine. */
function removeLeftovers(path: string, process: Process): void {
  const prefix = `${basename(path)}.${machineMark(process)}-`;
  let names: string[] = [];
  try {
    names = readdirSync(dirname(path));
  } catch {
    // The error is reported when the file is opened.
  }
  for (const name of names) {
    if (!name.startsWith(prefix) || !name.endsWith(PART)) continue;
    if (hasEnded(name.slice(prefix.length, -PART.length), process))
      rmSync(join(dirname(path), name), { force: true });
  }
}
