import { rmSync } from 'node:fs';
import { openStore } from '../sqlite.ts';

/** A record that waits to be sent. */
export interface Waiting {
  line: number;
  key: string | undefined;
  body: unknown;
  fingerprint: string;
  source: string;
  /** As it stands in the input, where somebody will want it back. */
  text: string | undefined;
}

/** The records of one run on the disk, so that memory does not grow with their number. */
export interface Spool {
  /** Notes a key with its line, for each; gives the line where it was noted before, where it was. */
  note(keys: readonly { key: string; line: number }[]): (number | undefined)[];
  add(records: readonly Waiting[]): void;
  /** The next one in the order of the input. */
  next(): Waiting | undefined;
  /** How many were added. */
  readonly size: number;
  close(): void;
}

const SCHEMA = [
  `CREATE TABLE keys (key TEXT PRIMARY KEY, line INTEGER NOT NULL) STRICT, WITHOUT ROWID;
   CREATE TABLE waiting (
     number INTEGER PRIMARY KEY,
     line INTEGER NOT NULL,
     key TEXT,
     body TEXT NOT NULL,
     fingerprint TEXT NOT NULL,
     source TEXT NOT NULL,
     text TEXT
   ) STRICT;`,
];

const PAGE = 100;

interface Row {
  number: number;
  line: number;
  key: string | null;
  body: string;
  fingerprint: string;
  source: string;
  text: string | null;
}

/** Opens a spool in that file, which is taken out of its folder at once: what people ordered must not outlive the run. */
export async function openSpool(file: string): Promise<Spool> {
  const store = await openStore(file, { durability: 'none', migrations: SCHEMA });
  const remove = () => rmSync(file, { force: true });
  try {
    remove();
  } catch {
    // A system that keeps open files: it goes when it is closed.
  }
  let size = 0;
  let page: Row[] = [];
  let read = 0;
  return {
    get size() {
      return size;
    },
    note: keys =>
      store.transaction(() =>
        keys.map(({ key, line }) =>
          store.run('INSERT OR IGNORE INTO keys VALUES (?, ?)', key, line) > 0
            ? undefined
            : store.first<{ line: number }>('SELECT line FROM keys WHERE key = ?', key)?.line,
        ),
      ),
    add(records) {
      store.transaction(() => {
        for (const { line, key, body, fingerprint, source, text } of records)
          store.run(
            'INSERT INTO waiting (line, key, body, fingerprint, source, text) VALUES (?, ?, ?, ?, ?, ?)',
            ...[line, key ?? null, JSON.stringify(body), fingerprint, source, text ?? null],
          );
      });
      size += records.length;
    },
    next() {
      if (page.length === 0)
        page = store.all<Row>('SELECT * FROM waiting WHERE number > ? ORDER BY number LIMIT ?', read, PAGE);
      const row = page.shift();
      if (row === undefined) return undefined;
      read = row.number;
      const { line, key, body, fingerprint, source, text } = row;
      return {
        line,
        key: key ?? undefined,
        body: JSON.parse(body),
        fingerprint,
        source,
        text: text ?? undefined,
      };
    },
    close() {
      store.close();
      remove();
    },
  };
}
