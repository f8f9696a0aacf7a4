// The file of a journal of this machine, and the files beside it. The file must hold what it held before, be no copy of another one, and
// stay where it was opened.
import { lstatSync, statSync } from 'node:fs';
import { damaged, Failure, StoreError } from '../../errors.ts';
import {
  applicationIdIn,
  openStore,
  type SqliteSchema,
  type SqlValue,
  type Store,
} from '../../host/sqlite.ts';
import type { Host } from '../../host.ts';
import { messageOf, systemCode } from '../../system-errors.ts';
import { composer, type Db, type Sql, sql, type Value } from '../database.ts';
import {
  lostBookings,
  notUnique,
  ONE_KEY_INDEX,
  type Opening,
  otherVersion,
  recordRestoration,
  SCHEMA_VERSION,
  TABLES,
  tables,
  throwLoss,
  type UniqueIndex,
} from '../tables.ts';
import {
  checkLog,
  journalState,
  type Marker,
  readMarker,
  removeMarker,
  UNMARKED,
  unusableMarker,
  writeMarker,
} from './marker.ts';

export interface JournalFile extends Store {
  readonly identity: string;
  readonly movedTo: string | undefined;
  /** Throws if the files are no longer where they were opened; every transaction checks that, too. */
  checkFiles(): void;
}

export const SCHEMA: SqliteSchema = {
  version: SCHEMA_VERSION,
  create: `${tables({
    integer: 'INTEGER',
    // Rows of these tables are never deleted, so no number is used again.
    counter: 'INTEGER PRIMARY KEY',
    end: 'STRICT',
    keyed: 'STRICT, WITHOUT ROWID',
  })}
  -- Has a row in a copy of a journal: when that was copied, in ms since 1970.
  CREATE TABLE copied (at INTEGER NOT NULL) STRICT;
  -- Has one row, which tells this journal from any other.
  CREATE TABLE journal_identity (id TEXT NOT NULL) STRICT;
  INSERT INTO journal_identity SELECT 'jr_' || lower(hex(randomblob(16)));
  -- Has a row from before the first of its bookings is moved to a shared journal: the identity and the name of that one.
  CREATE TABLE moved (identity TEXT NOT NULL, name TEXT NOT NULL) STRICT;`,
};

const compose = composer<SqlValue>(
  () => '?',
  (value: Value) => (typeof value === 'boolean' ? Number(value) : (value as SqlValue)),
);

/** Runs statements in a file; each is done when its promise is returned. */
export const statementsIn = (
  store: Pick<Store, 'all' | 'first' | 'run'>,
): Pick<Db, 'rows' | 'first' | 'run'> => ({
  rows: async <Row>(statement: Sql) => store.all<Row>(...compose(statement)),
  first: async <Row>(statement: Sql) => store.first<Row>(...compose(statement)),
  run: async statement => store.run(...compose(statement)),
});

/** Opens or creates the file of a journal. Throws `storage` if bookings are lost, and plain errors otherwise. */
export async function openJournalFile(
  file: string,
  opening: Opening,
  host: Pick<Host, 'now'>,
): Promise<JournalFile> {
  const { store, mark } = await openMarked(file, opening, host.now);
  const newestBefore = newestIn(store);
  const { areThere, checkFiles } = watchedFiles(file);
  let isCounted = false;
  return {
    ...store,
    identity: identityIn(store),
    movedTo: movedTo(store),
    checkFiles,
    async transactionOf(work) {
      // Checked before the transaction, too: another process may by now use files of the same names.
      checkFiles();
      const { result, newest } = await store.transactionOf(async () => {
        const done = { result: await work(), newest: newestIn(store) };
        if (!isCounted && done.newest > newestBefore) store.run(`PRAGMA application_id = ${done.newest}`);
        return done;
      });
      isCounted ||= newest > newestBefore;
      checkFiles();
      mark(newest);
      return result;
    },
    async backup(copy) {
      await store.backup(copy);
      await markAsCopy(copy, Math.floor(host.now()));
    },
    close() {
      // Not closed if the files are gone: SQLite would remove files by name, which may be those of another journal by now.
      if (areThere()) store.close();
    },
  };
}

/** Opens the file once its marker and content are as they should be. `mark` notes in the marker how many bookings the journal holds. */
async function openMarked(file: string, opening: Opening, now: () => number) {
  const { asNew = false, restored, evenMoved = false, onLost = throwLoss } = opening;
  checkOneName(file);
  if (journalState(file) === 'used') {
    const gone = lostBookings(file, { loss: 'file' });
    // A journal that is not there cannot have been put back.
    if (restored) throw gone;
    if (asNew) removeMarker(file);
    else onLost(gone);
  }
  const onLess = restored ? () => {} : onLost;
  let marker = usableMarker(file, onLess);
  const { held } = marker ?? UNMARKED;
  const count = applicationIdIn(file);
  checkLog(file, count, marker ?? UNMARKED);
  const store = await openStore(file, {
    durability: 'full',
    schema: SCHEMA,
    inspect(store, version) {
      checkContent(file, store, version, { held, asNew, evenMoved, onLess });
      // Also a journal that was put back needs its unique indexes.
      if (version !== 0) checkUnique(file, store, onLost);
    },
  });
  if (restored)
    await store.transactionOf(async () => {
      for (const mark of ['copied', 'moved']) store.run(`DELETE FROM ${mark}`);
      await recordRestoration(statementsIn(store), restored, sql`${Math.floor(now())}`);
    });
  const newest = newestIn(store);
  if (restored || (asNew && newest < held)) {
    removeMarker(file);
    marker = UNMARKED;
  }
  const mark = (newest: number, inFile = marker?.inFile ?? 0) => {
    // The marker is made with the first booking.
    if (!marker || newest === 0 || (newest <= marker.held && inFile === marker.inFile)) return;
    marker = { held: Math.max(newest, marker.held), inFile };
    writeMarker(file, marker);
  };
  mark(newest, count);
  return { store, mark };
}

/** Are the files of an open journal still there: not deleted, replaced, or moved with their folder? SQLite would not notice. */
function watchedFiles(file: string) {
  // The log of writes stays while the database is open. There is no log where SQLite cannot share memory.
  const opened = [file, `${file}-wal`].map(path => ({ path, inode: inodeOf(path) }));
  let isThere = true;
  const areThere = () => {
    // Once the files are gone, the journal counts as gone: what was written meanwhile is lost.
    isThere &&= opened.every(({ path, inode }) => inode === undefined || inodeOf(path) === inode);
    return isThere;
  };
  return {
    areThere,
    checkFiles() {
      if (!areThere()) throw new StoreError({ fault: 'replaced' });
    },
  };
}

interface ContentChecks extends Pick<Opening, 'asNew' | 'evenMoved'> {
  held: number;
  onLess(failure: Failure): void;
}

/**
 * Throws `storage` if the tables are of another version. Tells `onLess` if the bookings were moved, if the file is a copy that nobody has
 * declared restored, or if it has fewer bookings than the marker says (`held`). `asNew`: no bookings at all are fine.
 */
export function checkContent(
  file: string,
  store: Pick<Store, 'first'>,
  version: number,
  checks: ContentChecks,
): void {
  const { held, asNew = false, evenMoved = false, onLess } = checks;
  if (version !== 0 && version !== SCHEMA_VERSION) throw otherVersion(file, 'SQLite', version);
  const isEmpty = version === 0;
  const newest = isEmpty ? 0 : newestIn(store);
  const copy = isEmpty ? undefined : store.first<{ at: number }>('SELECT at FROM copied');
  const moved = isEmpty || evenMoved ? undefined : movedFailure(file, store);
  if (moved) onLess(moved);
  if (copy) onLess(lostBookings(file, { loss: 'backup', at: new Date(copy.at).toISOString() }));
  else if (newest < held && !(asNew && newest === 0))
    onLess(lostBookings(file, { loss: 'newest', newest, held }));
}

/** Selects the unique indexes, and the primary keys of one column, which have no index because they are the numbers of the rows. */
const INDEXES = `SELECT indexes.name AS name, tables.name AS "table", partial AS "isPartial",
    (SELECT group_concat(name, ', ') FROM (SELECT name FROM pragma_index_info(indexes.name) ORDER BY seqno)) AS columns
  FROM sqlite_master AS tables JOIN pragma_index_list(tables.name) AS indexes WHERE type = 'table' AND "unique"
  UNION ALL SELECT tables.name, tables.name, 0, min(keys.name)
  FROM sqlite_master AS tables JOIN pragma_table_info(tables.name) AS keys WHERE tables.type = 'table' AND pk > 0
  GROUP BY tables.name HAVING count(*) = 1`;

/** Tells `onLost` if a unique index is missing, so that two bookings could hold one key. */
export function checkUnique(
  file: string,
  store: Pick<Store, 'all'>,
  onLost: (failure: Failure) => void,
): void {
  const indexes = store
    .all<Omit<UniqueIndex, 'isPartial' | 'isValid'> & { isPartial: number }>(INDEXES)
    .map(index => ({ ...index, isPartial: index.isPartial === 1, isValid: true }));
  const missing = notUnique(Object.keys(TABLES), indexes);
  if (missing === undefined) return;
  const { table, columns, isPartial } = missing;
  onLost(
    new Failure('storage', {
      kind: 'journal-key-not-unique',
      journal: file,
      engine: 'SQLite',
      table,
      columns,
      ...(isPartial && { statement: `DROP INDEX IF EXISTS one_key; ${ONE_KEY_INDEX}` }),
    }),
  );
}

/** Bookings are never deleted: the number of the newest is how many there are. */
const newestIn = (store: Pick<Store, 'first'>): number =>
  store.first<{ newest: number | null }>('SELECT MAX(number) AS newest FROM bookings')?.newest ?? 0;

/** The identity of the journal in a file. Throws an error that says that the file is damaged. */
export function identityIn(store: Pick<Store, 'first'>): string {
  const identity = store.first<{ id: string }>('SELECT id FROM journal_identity')?.id;
  if (identity === undefined) throw damaged({ part: 'identity' });
  return identity;
}

// A copy made by `history backup` is marked as a copy in the file itself: in place of a journal it lacks what was booked since, and the
// files beside it may belong to no journal at all.

/**
 * Marks a file as a copy. A copy of a copy keeps the first mark: it lacks what was booked since then. The count in the file becomes 0:
 * any log of writes beside the copy is that of another file.
 */
async function markAsCopy(file: string, at: number): Promise<void> {
  const store = await openStore(file, { durability: 'none' });
  try {
    store.transaction(() => {
      // step: copy marked
      store.run('INSERT INTO copied SELECT ? WHERE NOT EXISTS (SELECT 1 FROM copied)', at);
      store.run('PRAGMA application_id = 0');
    });
  } finally {
    store.close();
  }
}

/** The address of the shared journal into which the bookings were moved. */
export const movedTo = (store: Pick<Store, 'first'>): string | undefined =>
  store.first<{ name: string }>('SELECT name FROM moved')?.name;

/** Why nothing is written to a journal whose bookings were moved: the shared journal would not know what was written. */
export function movedFailure(file: string, store: Pick<Store, 'first'>): Failure | undefined {
  const to = movedTo(store);
  // step: mark of a move read
  return to === undefined ? undefined : new Failure('storage', { kind: 'journal-moved', journal: file, to });
}

/** The marker of a journal; `undefined` if the marker cannot be used, of which `onLost` is told. */
export function usableMarker(file: string, onLost: (failure: Failure) => void): Marker | undefined {
  try {
    return readMarker(file);
  } catch (error) {
    const isForbidden = ['EACCES', 'EPERM', 'EROFS'].includes(systemCode(error) ?? '');
    onLost(
      error instanceof Failure
        ? error
        : unusableMarker(file, { fault: 'unreadable', why: messageOf(error), isForbidden }),
    );
    return undefined;
  }
}

function inodeOf(path: string): string | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat && `${stat.dev} ${stat.ino}`;
}

/**
 * Throws `storage` if the file has several names: SQLite names its locks and its log of writes by the path, so two processes would
 * not see each other.
 */
export function checkOneName(file: string): void {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (!stat?.isFile() || stat.nlink === 1) return;
  throw new Failure('storage', { kind: 'journal-has-several-names', journal: file, names: stat.nlink });
}
