import { closeSync, constants, fchmodSync, lstatSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';

export type SqlValue = string | number | null;

/** What is done with a SQLite database. All of it is synchronous. */
export interface Store {
  all<Row>(sql: string, ...values: readonly SqlValue[]): Row[];
  first<Row>(sql: string, ...values: readonly SqlValue[]): Row | undefined;
  /** Returns the number of changed rows. */
  run(sql: string, ...values: readonly SqlValue[]): number;
  /** For a statement that may read or write. */
  execute(sql: string, values: readonly SqlValue[]): { rows: unknown[]; changed: number };
  /** All or nothing, and alone: other writers wait, even in other processes. */
  transaction<T>(work: () => T): T;
  close(): void;
}

export type ReadOnlyStore = Pick<Store, 'all' | 'close'>;

export interface StoreOptions {
  /**
   * `full`: a commit survives a power failure. `normal`: it survives a crash of the process. `none`: the data ends with
   * the process, and no other process sees it.
   */
  durability: 'full' | 'normal' | 'none';
  /** The schema: one step for each version. */
  migrations: readonly string[];
}

const PRAGMAS = {
  full: 'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;',
  normal: 'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;',
  none: 'PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF;',
} as const;

// Longer than any process holds the lock, even on a busy disk.
const BUSY_MS = 10_000;

/** Opens or creates a database; `:memory:` ends with the process. Throws plain errors that name the file. */
export async function openStore(file: string, { durability, migrations }: StoreOptions): Promise<Store> {
  if (file !== ':memory:') makePrivate(file);
  const { default: Database } = await import('libsql');
  const database = new Database(file, { timeout: BUSY_MS });
  const statements = new Map<string, { statement: ReturnType<typeof database.prepare>; isRead: boolean }>();
  const prepared = (sql: string) => {
    const known = statements.get(sql);
    if (known) return known;
    const statement = database.prepare(sql);
    const added = { statement, isRead: statement.reader };
    statements.set(sql, added);
    return added;
  };
  const store: Store = {
    all: <Row>(sql: string, ...values: readonly SqlValue[]) =>
      prepared(sql).statement.all([...values]) as Row[],
    first: <Row>(sql: string, ...values: readonly SqlValue[]) => store.all<Row>(sql, ...values)[0],
    run: (sql, ...values) => prepared(sql).statement.run([...values]).changes,
    execute(sql, values) {
      const { statement, isRead } = prepared(sql);
      return isRead
        ? { rows: statement.all(values), changed: 0 }
        : { rows: [], changed: statement.run(values).changes };
    },
    transaction: work => {
      database.exec('BEGIN IMMEDIATE');
      try {
        const result = work();
        database.exec('COMMIT');
        return result;
      } catch (error) {
        try {
          database.exec('ROLLBACK');
        } catch {
          // On a full disk SQLite has rolled back already; the first error says why.
        }
        throw error;
      }
    },
    close: () => {
      statements.clear();
      database.close();
    },
  };
  try {
    // Comes first, because another journal mode would change the file.
    const version = knownVersion(store, file, migrations);
    database.exec(PRAGMAS[durability]);
    if (version < migrations.length)
      store.transaction(() => {
        // Another process may have done it by now.
        for (const step of migrations.slice(knownVersion(store, file, migrations))) database.exec(step);
        database.exec(`PRAGMA user_version = ${migrations.length}`);
      });
  } catch (error) {
    store.close();
    throw error;
  }
  return store;
}

/** Opens an existing database without creating or changing a file, and without waiting for a lock. Throws if it cannot. */
export async function openReadOnly(file: string): Promise<ReadOnlyStore> {
  // If no process has it open, all data is in the file itself. Opening it as shared would leave files beside it.
  const isShared = [`${file}-wal`, `${file}-shm`].every(
    path => statSync(path, { throwIfNoEntry: false })?.size,
  );
  const { default: Database } = await import('libsql');
  const database = new Database(`${pathToFileURL(file).href}?${isShared ? 'mode=ro' : 'immutable=1'}`);
  return {
    all: <Row>(sql: string, ...values: readonly SqlValue[]) =>
      database.prepare(sql).all([...values]) as Row[],
    close: () => void database.close(),
  };
}

/** Makes folder and file private with any umask; SQLite's companion files get the mode of this file. */
function makePrivate(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  for (const path of [file, `${file}-wal`, `${file}-shm`])
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
      throw new Error(`${path} is a symbolic link, which is not followed`);
  const opened = openSync(file, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
  fchmodSync(opened, 0o600);
  closeSync(opened);
}

/** The version of the schema in the file. Throws if only a newer version of waybill knows it. */
function knownVersion(store: Store, file: string, { length }: readonly string[]): number {
  const version = store.first<{ user_version: number }>('PRAGMA user_version')?.user_version ?? 0;
  if (version > length)
    throw new Error(`${file} was written by a newer version of waybill (${version}, not ${length})`);
  return version;
}
