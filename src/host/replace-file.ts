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

/** Of whose process a file beside another one is. */
export type Process = Pick<Host['process'], 'host' | 'id' | 'exists'>;

const BUFFER_LENGTH = 64 * 1024;

const PART = '.part';

/**
 * A file that is written line by line, and replaces the file of its name when it is published. `name`: the path as the
 * user gave it. Throws `storage`, here and when it is written.
 */
export function openReplacement(path: string, name: string, process: Process) {
  removeLeftovers(path, process);
  const guarded = <T>(work: () => T): T => guard(name, work);
  // A pipe or a device is written to directly; it must not be replaced.
  const present = guarded(() => statSync(path, { throwIfNoEntry: false }));
  const isFile = present === undefined || present.isFile();
  // Several runs may write to one name.
  const part = `${path}.${machineMark(process)}-${ownMark(process)}${PART}`;
  // Readable for this user alone: names and addresses are in it.
  const file = guarded(() => (isFile ? openSync(part, 'wx+', 0o600) : openPipeEnd(path)));
  const own = fstatSync(file);
  let published = !isFile;
  let buffered = '';
  const flush = () =>
    guarded(() => {
      const bytes = Buffer.from(buffered);
      buffered = '';
      writeAll(file, bytes);
      // What is written into a file without a name is lost with this process; another run may have replaced it.
      if (published && isFile && fstatSync(file).nlink === 0 && !existsSync(path))
        throw new Error('it was deleted while it was written');
    });
  return {
    write(text: string): void {
      buffered += text;
      if (published || buffered.length > BUFFER_LENGTH) flush();
    },
    /** Puts it in place with what was written so far; from then on every write goes to the disk at once. */
    publish(): void {
      flush();
      if (!published) guarded(() => renameSync(part, path));
      published = true;
    },
    /** Has another run put its own file in place since it was published? */
    get isReplaced(): boolean {
      return guarded(() => {
        const there = published && isFile ? statSync(path, { throwIfNoEntry: false }) : undefined;
        return there !== undefined && (there.dev !== own.dev || there.ino !== own.ino);
      });
    },
    /** Puts what was written into one more file, and gives its name: once the file is replaced, no other has it. */
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
    /** If it was never published, it is removed, and the old file stays. */
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

/** The mark of a machine: a shared folder has files of other machines, whose processes have numbers of their own. */
export const machineMark = (process: Process): string =>
  createHash('sha256').update(process.host).digest('hex').slice(0, 8);

/** A mark of this process, another one each time. */
export const ownMark = (process: Process): string => `${process.id}-${unique()}`;

/** Is it the mark of a process of this machine that has ended? */
export function hasEnded(mark: string, process: Process): boolean {
  const id = Number(/^(\d+)-[0-9a-f]{8}$/.exec(mark)?.[1]);
  return id > 0 && id !== process.id && !process.exists(id);
}

function writeAll(file: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
}

/** Throws `storage`. */
function guard<T>(name: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const why = unwritableBecause(error);
    throw new Failure('storage', { kind: 'file-unwritable', path: name, why }, {}, { cause: error });
  }
}

/** Opens a pipe or a device. Without a reader the system would wait for one for ever, and no signal would end that. */
function openPipeEnd(path: string): number {
  const trial = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  try {
    return openSync(path, 'w');
  } finally {
    closeSync(trial);
  }
}

/** Was there a file to remove? A pipe or a device stays. Throws `storage`. */
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
