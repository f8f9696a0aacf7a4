import { randomUUID } from 'node:crypto';
import { closeSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, messageOf, unwritableBecause } from '../../errors.ts';
import type { Host } from '../../host.ts';
import { Json } from '../../json.ts';
import { openStore, type Store, type StoreOptions } from '../../sqlite.ts';
import type { PreparedRecord } from './job.ts';

/** A record that waits to be sent. */
export interface QueuedRecord extends PreparedRecord {
  line: number;
  /** As the input has it, if it may have to be written to the `--failed` file. */
  text: string | undefined;
  /** It was put back to the end because another runner was sending it. */
  wasPutBack?: true;
}

/** The records of one run. Memory does not grow with their number: many of them are in a temporary file. */
export type Spool = Awaited<ReturnType<typeof openSpool>>;

// Keys and records are written and read by the chunk: a statement for each would take as long as reading its record.
const TABLES = `
  CREATE TABLE keys (key TEXT PRIMARY KEY, line INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE chunks (id INTEGER PRIMARY KEY, records TEXT NOT NULL) STRICT;`;
const TAKE = 'DELETE FROM chunks WHERE id = (SELECT min(id) FROM chunks) RETURNING records';
const OPTIONS: StoreOptions = { durability: 'none', schema: { version: 1, create: TABLES } };

/** Characters of keys and records: some thousand orders, so that most runs need no file. */
const MOST_IN_MEMORY = 4 * 1024 * 1024;

/** `noteKeys` and `add` throw `storage` if there is no room for the file. */
export async function openSpool(
  { temporary, platform }: Pick<Host, 'temporary' | 'platform'>,
  mostInMemory = MOST_IN_MEMORY,
) {
  let store = await openStore(':memory:', OPTIONS).catch((error: unknown) => {
    const why = `the records of the batch cannot be kept: ${messageOf(error)}; nothing was sent`;
    throw new Failure('storage', why, {}, { cause: error });
  });
  let inMemory = 0;
  let size = 0;
  let removeFile = () => {};
  // The rest of the chunk that was taken last; the next one is the last.
  let ahead: QueuedRecord[] = [];
  const append = (text: string) => void store.run('INSERT INTO chunks (records) VALUES (?)', text);

  async function keep<T>(characters: number, work: () => T): Promise<T> {
    try {
      inMemory += characters;
      if (inMemory > mostInMemory) {
        inMemory = Number.NEGATIVE_INFINITY;
        const file = join(temporary, `waybill-${randomUUID()}.db`);
        ({ store, removeFile } = await movedTo(file, store));
      }
      return work();
    } catch (error) {
      const variable = platform === 'win32' ? 'TEMP' : 'TMPDIR';
      throw new Failure(
        'storage',
        `the orders do not fit in memory, and cannot be kept in the temporary folder ${temporary}: ${unwritableBecause(error)}; nothing was sent. Set ${variable} to the absolute path of a folder with more room that this user can write to`,
        {},
        { cause: error },
      );
    }
  }

  return {
    /** How many were added. */
    get size() {
      return size;
    },
    /** Notes each key with its line; gives for each the line on which it was noted before, if any. */
    noteKeys(keys: readonly { key: string; line: number }[]): Promise<(number | undefined)[]> {
      const pairs = JSON.stringify(keys.map(({ key, line }) => [key, line]));
      return keep(pairs.length, () => {
        const before = store.all<{ key: string; line: number }>(
          'SELECT key, line FROM keys WHERE key IN (SELECT value FROM json_each(?))',
          JSON.stringify(keys.map(({ key }) => key)),
        );
        store.run('INSERT OR IGNORE INTO keys SELECT value ->> 0, value ->> 1 FROM json_each(?)', pairs);
        const lines = new Map(before.map(({ key, line }) => [key, line]));
        return keys.map(({ key, line }) => {
          const first = lines.get(key);
          if (first === undefined) lines.set(key, line);
          return first;
        });
      });
    },
    async add(records: readonly QueuedRecord[]): Promise<void> {
      if (records.length === 0) return;
      const text = linesOf(records);
      await keep(text.length, () => append(text));
      size += records.length;
    },
    /** A record that was taken comes again, after all others. */
    putBack: (record: QueuedRecord): void => append(linesOf([record])),
    /** The next one in the order of the input. */
    next(): QueuedRecord | undefined {
      if (ahead.length === 0) ahead = recordsIn(store.first<{ records: string }>(TAKE)?.records);
      return ahead.pop();
    },
    close() {
      store.close();
      removeFile();
    },
  };
}

/** The same in a new file, which is unlinked at once: orders of customers must not outlive the run. */
async function movedTo(file: string, before: Store): Promise<{ store: Store; removeFile(): void }> {
  const removeFile = () => rmSync(file, { force: true });
  try {
    // Readable for this user alone.
    closeSync(openSync(file, 'wx', 0o600));
    await before.backup(file);
    const store = await openStore(file, OPTIONS);
    before.close();
    return { store, removeFile };
  } finally {
    try {
      removeFile();
    } catch {
      // Some systems keep open files; they are removed in `close`.
    }
  }
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
