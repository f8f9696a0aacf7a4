import { rmSync } from 'node:fs';
import { openStore } from '../../sqlite.ts';
import { openFileQueue } from './file-queue.ts';
import type { PreparedRecord } from './job.ts';

/** A record that waits in the temporary file to be sent. */
export interface QueuedRecord extends PreparedRecord {
  line: number;
  /** As the input has it, if it may have to be written to the `--failed` file. */
  text: string | undefined;
  /** It was put back to the end because another runner was sending it. */
  wasPutBack?: true;
}

/** The records of one run, on the disk so that memory does not grow with their number. */
export interface Spool {
  /** Notes each key with its line; gives for each the line on which it was noted before, if any. */
  noteKeys(keys: readonly { key: string; line: number }[]): (number | undefined)[];
  add(records: readonly QueuedRecord[]): void;
  /** A record that was taken comes again, after all others. */
  putBack(record: QueuedRecord): void;
  /** The next one in the order of the input. */
  next(): QueuedRecord | undefined;
  /** How many were added. */
  readonly size: number;
  close(): void;
}

const KEYS = ['CREATE TABLE keys (key TEXT PRIMARY KEY, line INTEGER NOT NULL) STRICT, WITHOUT ROWID;'];

/** Opens a spool in that file, and unlinks the file at once: orders of customers must not outlive the run. */
export async function openSpool(file: string): Promise<Spool> {
  const store = await openStore(file, { durability: 'none', migrations: KEYS });
  const path = `${file}-records`;
  const records = openFileQueue(path);
  const remove = () => {
    for (const name of [file, path]) rmSync(name, { force: true });
  };
  try {
    remove();
  } catch {
    // Some systems keep open files; they are removed in `close`.
  }
  let size = 0;
  return {
    get size() {
      return size;
    },
    // Two statements for a chunk: one for each key would take as long as reading its record.
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
    add(queued) {
      records.add(queued.map(record => JSON.stringify(record)));
      size += queued.length;
    },
    putBack: record => records.add([JSON.stringify(record)]),
    next() {
      const text = records.next();
      return text === undefined ? undefined : JSON.parse(text);
    },
    close() {
      store.close();
      records.close();
      remove();
    },
  };
}
