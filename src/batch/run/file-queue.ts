import { closeSync, openSync, readSync, writeSync } from 'node:fs';

/** Texts in a file, first in, first out. */
export interface FileQueue {
  /** No text may hold a line feed. */
  add(texts: readonly string[]): void;
  next(): string | undefined;
  close(): void;
}

const READ_BYTES = 64 * 1024;
const LINE_FEED = 10;

/** Creates the file, readable for this user alone. Everything throws what the file system throws. */
export function openFileQueue(path: string): FileQueue {
  const file = openSync(path, 'wx+', 0o600);
  let written = 0;
  let position = 0;
  // What was read of the file; the part from `start` on was not given yet.
  let read = Buffer.alloc(0);
  let start = 0;

  function readMore(): boolean {
    const left = read.subarray(start);
    const buffer = Buffer.allocUnsafe(left.length + READ_BYTES);
    left.copy(buffer);
    const length = readSync(file, buffer, left.length, READ_BYTES, position);
    position += length;
    read = buffer.subarray(0, left.length + length);
    start = 0;
    return length > 0;
  }

  return {
    add(texts) {
      const bytes = Buffer.from(texts.map(text => `${text}\n`).join(''));
      for (let done = 0; done < bytes.length; ) {
        const length = writeSync(file, bytes, done, bytes.length - done, written);
        done += length;
        written += length;
      }
    },
    next() {
      let end = read.indexOf(LINE_FEED, start);
      while (end < 0 && readMore()) end = read.indexOf(LINE_FEED);
      if (end < 0) return undefined;
      const text = read.toString('utf8', start, end);
      start = end + 1;
      return text;
    },
    close: () => closeSync(file),
  };
}
