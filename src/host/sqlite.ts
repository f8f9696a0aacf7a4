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

/** What is done with a SQLite database. All of it is synchronous. */
export interface Store {
  all<Row>(sql: string, ...values: readonly SqlValue[]): Row[];
  first<Row>(sql: string, ...values: readonly SqlValue[]): Row | undefined;
  /** Returns the number of changed rows. */
  run(sql: string, ...values: readonly SqlValue[]): number;
  /** All or nothing, and alone: other writers wait, even in other processes. */
  transaction<T>(work: () => T): T;
  /** A transaction of work that waits for nothing but its own statements. Others must not use the database meanwhile. */
  transactionOf<T>(work: () => Promise<T>): Promise<T>;
  /** Copies all of it into an empty file, as it is in one moment. Others may write meanwhile. */
  backup(file: string): Promise<void>;
  /**
   * Writes all of it anew, so that no byte of what was deleted is left in its files. Others may read meanwhile. `false`: one who
   * reads kept the log of writes from being emptied.
   */
  clean(): Promise<boolean>;
  /** Resolves when no such transaction is under way any more. */
  whenIdle(): Promise<void>;
  /** The version of SQLite that has it open. */
  readonly version: string;
  close(): void;
}

export type ReadOnlyStore = Pick<Store, 'all' | 'close'>;

/** The tables of a database. `version` is written into it: a database with another one is refused. */
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
  /** Called before anything is changed; what it throws refuses the database. `version`: that of its schema, 0 if it is empty. */
  inspect?(store: Store, version: number): void;
}

const PRAGMAS = {
  // What is deleted is overwritten, but for what was moved within a page: only writing all of it anew takes that away.
  full: 'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON;',
  normal: 'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;',
  none: 'PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF;',
} as const;

// Longer than any process holds the lock, even on a busy disk, unless it writes all of a large database anew.
const BUSY_MS = 10_000;

/** How long those who read are waited for before the log of writes is emptied. */
const READERS_MS = 1000;

/**
 * By file: the end of the last transaction that waits for its statements. Another connection of this process begins after
 * it, because SQLite would block the thread, and so the transaction that it waits for.
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
    // Comes first, because another journal mode would change the file.
    const version = versionOf(store);
    inspect?.(store, version);
    if (schema && version !== 0 && version !== schema.version)
      throw new StoreError({ fault: 'other-version', version, supported: schema.version });
    await inMode(database, PRAGMAS[durability]);
    if (schema && version === 0)
      store.transaction(() => {
        // Another process may have done it by now.
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

/** SQLite itself does not wait where it changes the mode of a new file while another process does so, too. */
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

/** Does another process hold what is asked for? */
export const isLocked = (error: unknown): boolean => codeIn(error) === SQLITE_BUSY;

/** Is what was stored not what was written? SQLite says so of its pages, and where bytes stand in place of text. */
export const isDamage = (error: unknown): boolean =>
  (error instanceof StoreError && error.fault.fault === 'damaged') ||
  [SQLITE_CORRUPT, SQLITE_NOTADB].includes(codeIn(error) ?? 0) ||
  messageOf(error) === 'JSON cannot hold BLOB values';

const SQLITE_BUSY = 5;
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

/** The primary code of SQLite, of an error or of its cause. */
function codeIn(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  return 'sqliteCode' in error ? Number(error.sqliteCode) & 0xff : codeIn(error.cause);
}

/** Opens an existing database without creating or changing a file, and without waiting for a lock. Throws if it cannot. */
export async function openReadOnly(file: string): Promise<ReadOnlyStore> {
  // If no process has it open, all data is in the file itself. Opening it as shared would leave files beside it.
  const isShared = [`${file}-wal`, `${file}-shm`].every(
    path => statSync(path, { throwIfNoEntry: false })?.size,
  );
  const url = `${pathToFileURL(file).href}?${isShared ? 'mode=ro' : 'immutable=1'}`;
  const { database } = await openDatabase(url, { readOnly: true, timeout: 0 });
  return { all: storeStatements(database).all, close: () => close(database) };
}

/** The version of SQLite that `openStore` uses. Throws if it cannot be loaded. */
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
  /** Reads its rows; missing if it writes, too. */
  rowOf?: (cells: readonly unknown[]) => unknown;
}

/** Each text is prepared once: thousands of statements that nothing uses any more hold up the end of the process for minutes. */
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
  // A statement that also writes cannot be read from.
  if (!/^\s*SELECT\b/i.test(sql)) return { statement };
  const names = statement.columns().map(({ name }) => name);
  const selection = database.prepare(asJson(sql, names));
  selection.setReturnArrays(true);
  const empty = emptyWith(names);
  return { statement: selection, rowOf: ([json]) => rowIn(json as Uint8Array, names, { ...empty }) };
}

/** The engine would cut a text at a NUL. */
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
  // An open database has this mode.
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
    // An empty file is a new one.
    if (head === undefined) return 0;
    // SQLite would read the log of writes beside whatever this is.
    if (!isDatabase(head)) throw damaged({ part: 'file' });
    return head.readUInt32BE(APPLICATION_ID_AT);
  });
}

/** How each file of SQLite begins, and where it has its application id of 4 bytes. */
const HEADER = 'SQLite format 3\0';
const APPLICATION_ID_AT = 68;

const isDatabase = (head: Buffer): boolean => head.toString('latin1', 0, HEADER.length) === HEADER;

/**
 * Reads the first bytes of a file; `undefined` if it has none. To close a file drops the locks that any connection of this process has
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
// or cut it off, and say nothing. So each row is read as bytes of JSON and decoded here: cell by cell it takes five times as long.

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const lenient = new TextDecoder('utf-8', { ignoreBOM: true });

/** The query with each row as a list in JSON. `columns`: the names of its columns. */
const asJson = (query: string, columns: readonly string[]): string =>
  `SELECT CAST(json_array(${columns.map(name => `"${name}"`).join(', ')}) AS BLOB) FROM (${query})`;

/** The row in this JSON. Throws an error that names the column that cannot have been written, and the row if that has an id. */
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
  // No text with a NUL is written.
  if (lost !== '\0' || text.includes('\\u0000')) refuseLost(cells, names, lost);
  for (const [index, name] of names.entries()) row[name] = cells[index];
  return row;
}

/** Throws an error if a text has that character. */
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
