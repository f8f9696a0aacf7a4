import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';

/** The world on disk: the few things that the rest of the room does with SQLite. */
export interface Store {
  all<Row>(sql: string, ...values: readonly Value[]): Row[];
  first<Row>(sql: string, ...values: readonly Value[]): Row | undefined;
  /** Returns the number of rows that changed. */
  run(sql: string, ...values: readonly Value[]): number;
  /** All or nothing, and alone: other writers wait, those of other processes too. */
  transaction<T>(work: () => T): T;
  close(): void;
}

export type Value = string | number | null;

const VERSION = 1;
const BUSY_MS = 10_000;

// Times are milliseconds since 1970, money is cents of a euro.
const TABLES = `
  CREATE TABLE shipments (
    id TEXT PRIMARY KEY,
    world TEXT NOT NULL,
    leg TEXT NOT NULL,
    carrier TEXT NOT NULL,
    cents INTEGER NOT NULL,
    goods TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    delivered_at INTEGER
  ) STRICT;
  CREATE INDEX under_way ON shipments (carrier, created_at) WHERE delivered_at IS NULL;
  CREATE TABLE labels (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    shipment TEXT NOT NULL REFERENCES shipments (id),
    tracking TEXT UNIQUE
  ) STRICT;
  CREATE INDEX labels_of ON labels (shipment, number);
  CREATE TABLE subscriptions (
    id TEXT PRIMARY KEY,
    url TEXT NOT NULL,
    events TEXT NOT NULL,
    headers TEXT NOT NULL,
    retry TEXT NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE deliveries (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    subscription TEXT NOT NULL REFERENCES subscriptions (id),
    payload TEXT NOT NULL,
    state TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    due_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX waiting ON deliveries (due_at) WHERE state = 'waiting';
  CREATE TABLE requests (
    world TEXT NOT NULL,
    operation TEXT NOT NULL,
    token TEXT NOT NULL,
    at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX recent ON requests (world, operation, token, at);
`;

/** Opens or makes the file; `:memory:` is gone with the process. */
export async function openStore(file: string): Promise<Store> {
  if (file !== ':memory:') {
    // It holds names and addresses; SQLite gives its companion files the mode of this one.
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    closeSync(openSync(file, 'a', 0o600));
  }
  const { default: Database } = await import('libsql');
  const database = new Database(file, { timeout: BUSY_MS });
  const statements = new Map<string, ReturnType<typeof database.prepare>>();
  const prepared = (sql: string) => {
    const statement = statements.get(sql) ?? database.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
  const store: Store = {
    all: <Row>(sql: string, ...values: readonly Value[]) => prepared(sql).all([...values]) as Row[],
    first: <Row>(sql: string, ...values: readonly Value[]) => store.all<Row>(sql, ...values)[0],
    run: (sql, ...values) => prepared(sql).run([...values]).changes,
    transaction: work => {
      database.exec('BEGIN IMMEDIATE');
      try {
        const result = work();
        database.exec('COMMIT');
        return result;
      } catch (error) {
        database.exec('ROLLBACK');
        throw error;
      }
    },
    close: () => {
      statements.clear();
      database.close();
    },
  };
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;');
    migrate(store, sql => database.exec(sql), file);
  } catch (error) {
    store.close();
    throw error;
  }
  return store;
}

function migrate(store: Store, exec: (sql: string) => unknown, file: string): void {
  const version = () => store.first<{ user_version: number }>('PRAGMA user_version')?.user_version ?? 0;
  if (version() === VERSION) return;
  store.transaction(() => {
    const found = version();
    if (found === VERSION) return;
    if (found !== 0)
      throw new Error(`${file} was written by another version of the emulator (${found}, not ${VERSION}).`);
    exec(`${TABLES} PRAGMA user_version = ${VERSION};`);
  });
}
