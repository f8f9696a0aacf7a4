import { rmSync } from 'node:fs';
import { Json } from '../../json.ts';
import { openStore } from '../../sqlite.ts';
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
export type Spool = Awaited<ReturnType<typeof openSpool>>;

// Keys and records are written and read by the chunk: a statement for each would take as long as reading its record.
const TABLES = `
  CREATE TABLE keys (key TEXT PRIMARY KEY, line INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE chunks (id INTEGER PRIMARY KEY, records TEXT NOT NULL) STRICT;`;
const TAKE = 'DELETE FROM chunks WHERE id = (SELECT min(id) FROM chunks) RETURNING records';

/** Opens a spool in that file, and unlinks the file at once: orders of customers must not outlive the run. */
export async function openSpool(file: string) {
  const store = await openStore(file, { durability: 'none', migrations: [TABLES] });
  const remove = () => file !== ':memory:' && rmSync(file, { force: true });
  try {
    remove();
  } catch {
    // Some systems keep open files; they are removed in `close`.
  }
  let size = 0;
  // The rest of the chunk that was taken last; the next one is the last.
  let ahead: QueuedRecord[] = [];
  const append = (records: readonly QueuedRecord[]) =>
    void store.run('INSERT INTO chunks (records) VALUES (?)', linesOf(records));
  return {
    /** How many were added. */
    get size() {
      return size;
    },
    /** Notes each key with its line; gives for each the line on which it was noted before, if any. */
    noteKeys(keys: readonly { key: string; line: number }[]): (number | undefined)[] {
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
    add(records: readonly QueuedRecord[]): void {
      if (records.length > 0) append(records);
      size += records.length;
    },
    /** A record that was taken comes again, after all others. */
    putBack: (record: QueuedRecord): void => append([record]),
    /** The next one in the order of the input. */
    next(): QueuedRecord | undefined {
      if (ahead.length === 0) ahead = recordsIn(store.first<{ records: string }>(TAKE)?.records);
      return ahead.pop();
    },
    close() {
      store.close();
      remove();
    },
  };
}

/** Two lines for each record, so that the text of its body is neither written nor parsed again. */
const linesOf = (records: readonly QueuedRecord[]): string =>
  records.map(({ body, ...rest }) => `${JSON.stringify(rest)}\n${body.text}\n`).join('');

/** The last one first. */
function recordsIn(text = ''): QueuedRecord[] {
  const lines = text.split('\n');
  const records: QueuedRecord[] = [];
  for (let at = lines.length - 3; at >= 0; at -= 2)
    records.push({ ...JSON.parse(lines[at] ?? ''), body: Json.read(lines[at + 1] ?? '') });
  return records;
}
