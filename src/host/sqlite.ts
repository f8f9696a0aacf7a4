// SQLite: one file, statements, transactions.
import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  lstatSync,
  openSync,
  readSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import { damaged, StoreError } from '../errors.ts';
import { emptyWith } from '../json.ts';
import { messageOf } from '../system-errors.ts';
import { makeFolder } from './folder.ts';
import { sleep } from './signals.ts';

export type SqlValue = string | number | null;

/** What is done with a SQLite database. Each statement is synchronous. */
export interface Store {
  all<Row>(sql: string, ...values: readonly SqlValue[]): Row[];
  first<Row>(sql: string, ...values: readonly SqlValue[]): Row | undefined;
  /** Returns the number of changed rows. */
  run(sql: string, ...values: readonly SqlValue[]): number;
  /** Does all of the work or nothing of it, and alone: other writers wait, even in other processes. */
  transaction<T>(work: () => T): T;
  /** A transaction of asynchronous work, which waits only for its own statements. No other code may use this database meanwhile. */
  transactionOf<T>(work: () => Promise<T>): Promise<T>;
  /** Copies the whole database into an empty file, in its state of one moment. Other connections may write meanwhile. */
  backup(file: string): Promise<void>;
  /**
   * Writes the whole database anew, so that its files keep no byte of deleted data. Other connections may read meanwhile. `false`: one
   * that read kept the log of writes from being emptied.
   */
  clean(): Promise<boolean>;
  /** Resolves when no `transactionOf`, `backup` or `clean` of this file is under way in this process. */
  whenIdle(): Promise<void>;
  /** The version of SQLite. */
  readonly version: string;
  close(): void;
}

export type ReadOnlyStore = Pick<Store, 'all' | 'close'>;

/** The tables of a database. `version` is written into the database: a database with another version is refused. */
export interface SqliteSchema {
  version: number;
  create: string;
}

interface StoreOptions {
  /**
   * `full`: a commit survives a power failure. `normal`: it survives a crash of the process. `none`: the data ends with
   * the process, and no other process sees it.
   */
  durability: 'full' | 'normal' | 'none';
  /** Left out: the tables stay as they are. */
  schema?: SqliteSchema;
  /** Called before anything is changed; throws to refuse the database. `version`: the version of its schema, 0 if the database is empty. */
  inspect?(store: Store, version: number): void;
}

const PRAGMAS = {
  // `secure_delete` overwrites deleted data, except for copies that were moved within a page: only `clean` removes these.
  full: 'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON;',
  normal: 'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;',
  none: 'PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF;',
} as const;

// How long a lock is waited for: longer than a process holds it even on a busy disk, unless it writes a large database anew.
const BUSY_MS = 10_000;

/** How long `clean` waits for connections that read, before it empties the log of writes. */
const READERS_MS = 1000;

/**
 * By file: the end of the last asynchronous transaction. Another connection of this process begins its own after
 * that, because SQLite would block the thread while it waits, and so block the transaction that it waits for.
 */
const last = new Map<string, Promise<void>>();

/** Opens or creates a database; `:memory:` ends with the process. Throws plain errors that name the file. */
export async function openStore(file: string, options: StoreOptions): Promise<Store> {
  const { durability, schema, inspect } = options;
  if (file !== ':memory:') makePrivate(file);
  const { database, version: sqlite } = await openDatabase(file);
  const { all, first, run } = storeStatements(database);
  const commit = () => {
    database.exec('COMMIT');
    // step: transaction committed
  };
  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const own = (last.get(file) ?? Promise.resolve()).then(work);
    const ended = Promise.allSettled([own]).then(() => {});
    last.set(file, ended);
    try {
      return await own;
    } finally {
      if (last.get(file) === ended) last.delete(file);
    }
  }
  const rollBack = () => {
    try {
      database.exec('ROLLBACK');
    } catch {
      // On a full disk SQLite has rolled back already; the first error says why.
    }
  };
  const store: Store = {
    all,
    first,
    run,
    version: sqlite,
    transaction(work) {
      database.exec('BEGIN IMMEDIATE');
      try {
        const result = work();
        commit();
        return result;
      } catch (error) {
        rollBack();
        throw error;
      }
    },
    transactionOf: work =>
      inTurn(async () => {
        database.exec('BEGIN IMMEDIATE');
        try {
          const result = await work();
          commit();
          return result;
        } catch (error) {
          rollBack();
          throw error;
        }
      }),
    backup: copy => inTurn(async () => void run('VACUUM INTO ?', copy)),
    clean: () =>
      inTurn(async () => {
        run('VACUUM');
        run(`PRAGMA busy_timeout = ${READERS_MS}`);
        try {
          return first<{ busy: number }>('PRAGMA wal_checkpoint(TRUNCATE)')?.busy === 0;
        } finally {
          run(`PRAGMA busy_timeout = ${BUSY_MS}`);
        }
      }),
    whenIdle: () => inTurn(async () => {}),
    close: () => close(database),
  };
  try {
    // The version is read first, because setting the journal mode changes the file.
    const version = versionOf(store);
    inspect?.(store, version);
    if (schema && version !== 0 && version !== schema.version)
      throw new StoreError({ fault: 'other-version', version, supported: schema.version });
    await inMode(database, PRAGMAS[durability]);
    if (schema && version === 0)
      store.transaction(() => {
        // Another process may have made the tables by now.
        if (versionOf(store) !== 0) return;
        database.exec(schema.create);
        database.exec(`PRAGMA user_version = ${schema.version}`);
      });
  } catch (error) {
    store.close();
    throw error;
  }
  return store;
}

/** Sets the mode, again and again if need be: SQLite does not wait when two processes set the mode of a new file at the same time. */
async function inMode(database: DatabaseSyncInstance, pragmas: string): Promise<void> {
  const end = performance.now() + BUSY_MS;
  for (;;)
    try {
      return database.exec(pragmas);
    } catch (error) {
      if (!isLocked(error) || performance.now() > end) throw error;
      await sleep(10);
    }
}

/** Did SQLite give up because another connection holds a lock? */
export const isLocked = (error: unknown): boolean => codeIn(error) === SQLITE_BUSY;

/** Is stored data damaged? SQLite tells damaged pages, and bytes where text should be. */
export const isDamage = (error: unknown): boolean =>
  (error instanceof StoreError && error.fault.fault === 'damaged') ||
  [SQLITE_CORRUPT, SQLITE_NOTADB].includes(codeIn(error) ?? 0) ||
  messageOf(error) === 'JSON cannot hold BLOB values';

const SQLITE_BUSY = 5;
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

/** The primary SQLite error code of an error or of its cause. */
function codeIn(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  return 'sqliteCode' in error ? Number(error.sqliteCode) & 0xff : codeIn(error.cause);
}

/** Opens an existing database without creating or changing a file, and without waiting for a lock. Throws if it cannot. */
export async function openReadOnly(file: string): Promise<ReadOnlyStore> {
  // If no process has the database open, all data is in its file. Opening it as shared would leave further files beside that file.
  const isShared = [`${file}-wal`, `${file}-shm`].every(
    path => statSync(path, { throwIfNoEntry: false })?.size,
  );
  const url = `${pathToFileURL(file).href}?${isShared ? 'mode=ro' : 'immutable=1'}`;
  const { database } = await openDatabase(url, { readOnly: true, timeout: 0 });
  return { all: storeStatements(database).all, close: () => close(database) };
}

/** The version of SQLite that `openStore` uses. Throws if SQLite cannot be loaded. */
export async function sqliteVersion(): Promise<string> {
  const { database, version } = await openDatabase(':memory:');
  close(database);
  return version;
}

/** Throws if the engine cannot be loaded, or is known to lose commits. */
async function openDatabase(
  file: string,
  options: { readOnly?: true; timeout: number } = { timeout: BUSY_MS },
): Promise<{ database: DatabaseSyncInstance; version: string }> {
  const { DatabaseSync } = await import('@photostructure/sqlite');
  const database = new DatabaseSync(file, options);
  const version = engineOf(database);
  if (!losesCommits(version)) return { database, version };
  close(database);
  throw new StoreError({ fault: 'engine-loses-commits', version });
}

function engineOf(database: DatabaseSyncInstance): string {
  const { version } = database.prepare('SELECT sqlite_version() AS version').get() as { version: string };
  // step: version of SQLite read
  return version;
}

/**
 * Does this version lose commits? Until 3.51.2 a checkpoint beside a commit of another connection may drop commits
 * ("the WAL-reset bug", sqlite.org/wal.html); three older lines got the cure.
 */
function losesCommits(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  if (major !== 3) return major < 3;
  if (minor === 44) return patch < 6;
  if (minor === 50) return patch < 7;
  return minor < 51 || (minor === 51 && patch < 3);
}

/** Closes a database; a second time it does nothing. */
function close(database: DatabaseSyncInstance): void {
  if (database.isOpen) database.close();
}

interface Prepared {
  statement: StatementSyncInstance;
  /** Decodes a row of its result; missing if the statement writes. */
  rowOf?: (cells: readonly unknown[]) => unknown;
}

/** Prepares each SQL text once: thousands of unused prepared statements would delay the end of the process by minutes. */
function storeStatements(database: DatabaseSyncInstance): Pick<Store, 'all' | 'first' | 'run'> {
  const statements = new Map<string, Prepared>();
  function prepared(sql: string): Prepared {
    const known = statements.get(sql);
    if (known) return known;
    const added = preparedIn(database, sql);
    statements.set(sql, added);
    return added;
  }
  return {
    all<Row>(sql: string, ...values: readonly SqlValue[]) {
      const { statement, rowOf } = prepared(sql);
      const rows = statement.all(...bound(values));
      return (rowOf ? (rows as unknown[][]).map(rowOf) : rows) as Row[];
    },
    first<Row>(sql: string, ...values: readonly SqlValue[]) {
      const { statement, rowOf } = prepared(sql);
      const row = statement.get(...bound(values));
      return (row && rowOf ? rowOf(row as unknown as unknown[]) : row) as Row | undefined;
    },
    run: (sql, ...values) => prepared(sql).statement.run(...bound(values)).changes,
  };
}

function preparedIn(database: DatabaseSyncInstance, sql: string): Prepared {
  const statement = database.prepare(sql);
  // Only a SELECT can stand inside the query that gives its rows as JSON.
  if (!/^\s*SELECT\b/i.test(sql)) return { statement };
  const names = statement.columns().map(({ name }) => name);
  const selection = database.prepare(asJson(sql, names));
  selection.setReturnArrays(true);
  const empty = emptyWith(names);
  return { statement: selection, rowOf: ([json]) => rowIn(json as Uint8Array, names, { ...empty }) };
}

/** Replaces each NUL in a text: SQLite would cut the text there. */
const bound = (values: readonly SqlValue[]): SqlValue[] =>
  values.map(value =>
    typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value,
  );

/** Makes folder and file private with any umask; SQLite's companion files get the mode of this file. */
function makePrivate(file: string): void {
  makeFolder(dirname(file), 0o700);
  for (const path of [file, `${file}-wal`, `${file}-shm`])
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
      throw new StoreError({ fault: 'link', path });
  const found = lstatSync(file, { throwIfNoEntry: false });
  // A database that is open has this mode already: its file is not opened and closed here.
  if (found && (found.mode & 0o777) === 0o600) return;
  withHead(file, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, (head, opened) => {
    // A file that is no database is refused later, and stays as it is.
    if (head === undefined || isDatabase(head)) fchmodSync(opened, 0o600);
  });
}

/**
 * The application id in the file of a database itself, without its log of writes; 0 if there is none. Throws the system's error. The
 * database must not be open in this process.
 */
export function applicationIdIn(file: string): number {
  if (!existsSync(file)) return 0;
  return withHead(file, constants.O_RDONLY, head => {
    // An empty file is a new database.
    if (head === undefined) return 0;
    // This file is no database: SQLite would still read the log of writes beside it.
    if (!isDatabase(head)) throw damaged({ part: 'file' });
    return head.readUInt32BE(APPLICATION_ID_AT);
  });
}

/** The first bytes of each SQLite file, and the position of its application id, which has 4 bytes. */
const HEADER = 'SQLite format 3\0';
const APPLICATION_ID_AT = 68;

const isDatabase = (head: Buffer): boolean => head.toString('latin1', 0, HEADER.length) === HEADER;

/**
 * Reads the first bytes of a file; `undefined` if it is empty. Closing the file drops the locks that any connection of this process has
 * on it.
 */
function withHead<T>(file: string, flags: number, read: (head: Buffer | undefined, opened: number) => T): T {
  const opened = openSync(file, flags, 0o600);
  try {
    const head = Buffer.alloc(APPLICATION_ID_AT + 4);
    return read(readSync(opened, head, 0, head.length, 0) === 0 ? undefined : head, opened);
  } finally {
    closeSync(opened);
  }
}

/** The version of the schema in the file; 0 if there is none. */
const versionOf = (store: Store): number =>
  store.first<{ user_version: number }>('PRAGMA user_version')?.user_version ?? 0;

// One flipped bit on a disk makes text that is not UTF-8, or that has a NUL. The engine would give a text with other characters,
// or cut it off, and say nothing. So each row is read as bytes of JSON and decoded here: reading cell by cell takes five times as long.

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const lenient = new TextDecoder('utf-8', { ignoreBOM: true });

/** A query that gives each row of `query` as a list in JSON. `columns`: the names of the columns of `query`. */
const asJson = (query: string, columns: readonly string[]): string =>
  `SELECT CAST(json_array(${columns.map(name => `"${name}"`).join(', ')}) AS BLOB) FROM (${query})`;

/** Decodes a row. If a text in it is damaged, throws an error that names its column, and the row if the row has an id. */
function rowIn(
  json: Uint8Array,
  names: readonly string[],
  row: Record<string, unknown>,
): Record<string, unknown> {
  let lost = '\0';
  let text: string;
  try {
    text = strict.decode(json);
  } catch {
    lost = '\ufffd';
    text = lenient.decode(json);
  }
  const cells: unknown[] = JSON.parse(text);
  // A NUL in a text is damage, because no text with a NUL is ever written.
  if (lost !== '\0' || text.includes('\\u0000')) refuseLost(cells, names, lost);
  for (const [index, name] of names.entries()) row[name] = cells[index];
  return row;
}

/** Throws an error if a cell has the character that shows damage. */
function refuseLost(cells: readonly unknown[], names: readonly string[], lost: string): void {
  const column = cells.findIndex(cell => typeof cell === 'string' && cell.includes(lost));
  if (column < 0) return;
  const id = cells[names.indexOf('id')];
  const name = names[column] ?? '';
  throw damaged({
    part: 'text',
    column: name,
    ...(name !== 'id' && typeof id === 'string' && { booking: id }),
  });
}
