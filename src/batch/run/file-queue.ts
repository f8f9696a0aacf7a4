import { closeSync, openSync, readSync, writeSync } from 'node:fs';

/** Texts that wait in a file, one behind the other: those that came first leave first. */
export interface Queue {
  /** None of them holds a line feed. */
  add(texts: readonly string[]): void;
  next(): string | undefined;
  close(): void;
}

const READ = 64 * 1024;
const LINE_FEED = 10;

/** Makes the file, for us alone. All of it throws what the file system throws. */
export function openQueue(path: string): Queue {
  const file = openSync(path, 'wx+', 0o600);
  let written = 0;
  let taken = 0;
  // What was read of the file; from `start` on it was not given yet.
  let read = Buffer.alloc(0);
  let start = 0;

  function readMore(): boolean {
    const left = read.subarray(start);
    const room = Buffer.allocUnsafe(left.length + READ);
    left.copy(room);
    const length = readSync(file, room, left.length, READ, taken);
    taken += length;
    read = room.subarray(0, left.length + length);
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
