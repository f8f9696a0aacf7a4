import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readdirSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Failure, messageOf, systemCode } from '../../errors.ts';

const BUFFER = 64 * 1024;

/** A file that is written line by line, and takes the place of the one that is there. */
export interface LineWriter {
  path: string;
  write(text: string): void;
  /** What was written so far takes its place under its name, and every further line is on its way to the disk at once. */
  publish(): void;
  /** Ends it; what was never published is dropped, and the file that was there stays. */
  close(): void;
}

const unwritable = (error: unknown): string =>
  systemCode(error) === 'ENOENT' ? 'there is no such folder' : messageOf(error);

/**
 * `mark` keeps several that write to one name apart, `name` is the path as it was given. Throws `storage`, here and when
 * it is written.
 */
export function openLines(path: string, mark: string = randomUUID(), name = path): LineWriter {
  const refuse = (error: unknown) =>
    new Failure('storage', `${name} cannot be written: ${unwritable(error)}`, {}, { cause: error });
  const guarded = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw refuse(error);
    }
  };
  // A pipe or a device is written to as it is; nothing may take its place.
  const there = statSync(path, { throwIfNoEntry: false });
  const isPlace = there === undefined || there.isFile();
  const part = `${path}.${mark}.part`;
  // Names and addresses are in it: for our eyes alone.
  const file = guarded(() => (isPlace ? openSync(part, 'wx', 0o600) : openSync(path, 'w')));
  let published = !isPlace;
  let gathered: string[] = [];
  let size = 0;
  const flush = () =>
    guarded(() => {
      const bytes = Buffer.from(gathered.join(''));
      gathered = [];
      size = 0;
      for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
    });
  return {
    path,
    write(text) {
      gathered.push(text);
      size += text.length;
      if (published || size > BUFFER) flush();
    },
    publish() {
      flush();
      if (!published) guarded(() => renameSync(part, path));
      published = true;
    },
    close() {
      try {
        if (published) flush();
      } finally {
        closeSync(file);
        if (!published) rmSync(part, { force: true });
      }
    },
  };
}

/** The mark of a run of this process, and of no other. */
export const markOf = (process: number): string => `${process}-${randomUUID().slice(0, 8)}`;

/** Takes away what runs that were killed left beside the file. */
export function removeLeftovers(path: string, isRunning: (process: number) => boolean): void {
  const start = `${basename(path)}.`;
  let names: string[] = [];
  try {
    names = readdirSync(dirname(path));
  } catch {
    // That it cannot be written there is told when it is opened.
  }
  for (const name of names) {
    if (!name.startsWith(start)) continue;
    const process = /^(\d+)-[0-9a-f]{8}\.part$/.exec(name.slice(start.length))?.[1];
    if (process !== undefined && !isRunning(Number(process)))
      rmSync(join(dirname(path), name), { force: true });
  }
}
