import { rmSync } from 'node:fs';
import { openStore } from '../../sqlite.ts';
import { openQueue } from './file-queue.ts';

/** A record that waits to be sent. */
export interface QueuedRecord {
  line: number;
  key: string | undefined;
  body: unknown;
  fingerprint: string;
  source: string;
  /** As it stands in the input, where somebody will want it back. */
  text: string | undefined;
  /** It was put back to the end, as somebody else was sending it. */
  wasPutBack?: true;
}

/** The records of one run on the disk, so that memory does not grow with their number. */
export interface Spool {
  /** Notes a key with its line, for each; gives the line where it was noted before, where it was. */
  noteKeys(keys: readonly { key: string; line: number }[]): (number | undefined)[];
  add(records: readonly QueuedRecord[]): void;
  /** One that was taken comes once more, after all others. */
  putBack(record: QueuedRecord): void;
  /** The next one in the order of the input. */
  next(): QueuedRecord | undefined;
  /** How many were added. */
  readonly size: number;
  close(): void;
}

const KEYS = ['CREATE TABLE keys (key TEXT PRIMARY KEY, line INTEGER NOT NULL) STRICT, WITHOUT ROWID;'];

/** Opens a spool in that file, which is taken out of its folder at once: what people ordered must not outlive the run. */
export async function openSpool(file: string): Promise<Spool> {
  const store = await openStore(file, { durability: 'none', migrations: KEYS });
  const path = `${file}-records`;
  const records = openQueue(path);
  const remove = () => {
    for (const one of [file, path]) rmSync(one, { force: true });
  };
  try {
    remove();
  } catch {
    // A system that keeps open files: they go when they are closed.
  }
  let size = 0;
  return {
    get size() {
      return size;
    },
    // A chunk in two statements: one for each key would take as long as reading its record.
    noteKeys(keys) {
      const before = store.all<{ key: string; line: number }>(
        'SELECT key, line FROM keys WHERE key IN (SELECT value FROM json_each(?))',
        JSON.stringify(keys.map(({ key }) => key)),
      );
      store.run(
        'INSERT OR IGNORE INTO keys SELECT value ->> 0, value ->> 1 FROM json_each(?)',
        JSON.stringify(keys.map(({ key, line }) => [key, line])),
      );
      const lines = new Map(before.map(({ key, line }) => [key, line]));
      return keys.map(({ key, line }) => {
        const first = lines.get(key);
        if (first === undefined) lines.set(key, line);
        return first;
      });
    },
    add(waiting) {
      records.add(waiting.map(record => JSON.stringify(record)));
      size += waiting.length;
    },
    putBack: record => records.add([JSON.stringify(record)]),
    next() {
      const text = records.next();
      if (text === undefined) return undefined;
      const { key, text: original, ...record }: QueuedRecord = JSON.parse(text);
      return { ...record, key, text: original };
    },
    close() {
      store.close();
      records.close();
      remove();
    },
  };
}
