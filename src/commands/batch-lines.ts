import { closeSync, constants, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { Failure, messageOf } from '../errors.ts';

const BUFFER = 64 * 1024;

/** A file that is written line by line, and takes the place of the one that is there. */
export interface Lines {
  path: string;
  write(text: string): void;
  /** What was written so far takes its place under its name, and every further line is on its way to the disk at once. */
  publish(): void;
  /** Ends it; what was never published is dropped, and the file that was there stays. */
  close(): void;
}

/** Throws `storage`, here and when it is written. */
export function openLines(path: string): Lines {
  const refuse = (error: unknown) =>
    new Failure('storage', `${path} cannot be written: ${messageOf(error)}`, {}, { cause: error });
  const guarded = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw refuse(error);
    }
  };
  const part = `${path}.part`;
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
  // Names and addresses are in it: for our eyes alone.
  const file = guarded(() => openSync(part, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600));
  let published = false;
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
      guarded(() => renameSync(part, path));
      published = true;
    },
    close() {
      if (published) flush();
      closeSync(file);
      if (!published) rmSync(part, { force: true });
    },
  };
}
