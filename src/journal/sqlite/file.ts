// The file of a journal of this machine, and the files beside it: it must hold what it held before, be no copy of another one, and
// stay where it was opened.
import { randomInt } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  fchownSync,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readSync,
  realpathSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname } from 'node:path';
import { Failure, messageOf, systemCode } from '../../errors.ts';
import { openStore, type SqliteSchema, type SqlValue, type Store } from '../../host/sqlite.ts';
import type { Host } from '../../host.ts';
import { shellWord } from '../../text.ts';
import { composer, type Db, type Sql, sql, type Value } from '../database.ts';
import {
  FOUND_TWICE,
  lostBookings,
  notUnique,
  ONE_KEY_INDEX,
  type Opening,
  PRIMARY_KEYS,
  recordRestoration,
  SCHEMA_VERSION,
  tables,
  type UniqueIndex,
  wrongVersion,
} from '../tables.ts';

interface JournalFile extends Store {
  readonly identity: string;
  readonly movedTo: string | undefined;
  /** Throws if the files are no longer where they were opened, or were a few ms ago; every transaction does, too. */
  checkFiles(): void;
}

/** For so many ms after a look the files count as being there: what is committed together is sent together. */
const LOOK_MS = 10;

export const SCHEMA: SqliteSchema = {
  version: SCHEMA_VERSION,
  create: `${tables({
    integer: 'INTEGER',
    // Rows of these tables are never deleted, so no number comes again.
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

/** They are done when the promise is there. */
export const statementsIn = (
  store: Pick<Store, 'all' | 'first' | 'run'>,
): Pick<Db, 'rows' | 'first' | 'run'> => ({
  rows: async <Row>(statement: Sql) => store.all<Row>(...compose(statement)),
  first: async <Row>(statement: Sql) => store.first<Row>(...compose(statement)),
  run: async statement => store.run(...compose(statement)),
});

/** Opens or creates it. Throws `storage` if it has lost bookings, and plain errors otherwise. */
export async function openJournalFile(
  file: string,
  opening: Opening,
  { now, monotonic }: Pick<Host, 'now' | 'monotonic'>,
): Promise<JournalFile> {
  const { asNew = false, restored, evenMoved = false } = opening;
  const onLost = (failure: Failure) => {
    if (!opening.onLost) throw failure;
    opening.onLost(failure);
  };
  checkOnePath(file);
  if (journalState(file) === 'used') {
    const gone = lostBookings(file, 'is missing or empty, but it held bookings', PUT_BACK, 'gone');
    // What is not there was not put back.
    if (restored) throw gone;
    if (asNew) removeMarker(file);
    else onLost(gone);
  }
  const onLess = restored ? () => {} : onLost;
  let marker = known(file, onLess);
  const held = marker?.held ?? 0;
  let present = stampIn(file);
  checkLog(file, present, marker?.stamp ?? 0);
  const store = await openStore(file, {
    durability: 'full',
    schema: SCHEMA,
    inspect(found, version) {
      checkContent(file, found, version, { held, asNew, evenMoved, onLess });
      // That it was put back is no reason to go on without them.
      if (version !== 0) checkUnique(file, found, onLost);
      present ||= stamp(found);
    },
  });
  const newestBefore = newestIn(store);
  if (restored)
    await store.transactionOf(async () => {
      for (const mark of ['copied', 'moved']) store.run(`DELETE FROM ${mark}`);
      await recordRestoration(statementsIn(store), restored, sql`${Math.floor(now())}`);
    });
  if (restored || (asNew && newestBefore < held)) {
    marker?.close();
    removeMarker(file);
    marker = known(file, () => {});
  }
  marker?.raise(newestBefore, present);
  let isStamped = false;
  // The log of writes stays while the database is open. There is none where SQLite cannot share memory.
  const opened = [file, `${file}-wal`].map(path => ({ path, at: inodeOf(path) }));
  let isThere = true;
  /** Are they still there: not deleted, replaced, or moved with their folder? SQLite would write into files that nobody finds. */
  const areThere = () => {
    // Once gone, it stays so: what was written meanwhile is lost.
    isThere &&= opened.every(({ path, at }) => at === undefined || inodeOf(path) === at);
    return isThere;
  };
  let lookedAt = Number.NEGATIVE_INFINITY;
  const checkFiles = () => {
    if (!areThere()) throw new Error('it was deleted, moved or replaced while it was in use');
    lookedAt = monotonic();
  };
  return {
    ...store,
    identity: identityIn(store),
    movedTo: movedTo(store),
    checkFiles() {
      if (monotonic() - lookedAt > LOOK_MS) checkFiles();
    },
    async transactionOf(work) {
      // Before it too, because another process may by now use files of the same names.
      checkFiles();
      const { result, newest } = await store.transactionOf(async () => {
        const done = { result: await work(), newest: newestIn(store) };
        // Each process that books raises it.
        if (!isStamped && done.newest > newestBefore)
          store.run(`PRAGMA application_id = ${stampOf(store) + 1}`);
        return done;
      });
      isStamped ||= newest > newestBefore;
      checkFiles();
      marker?.raise(newest);
      return result;
    },
    async backup(copy) {
      await store.backup(copy);
      await markAsCopy(copy, Math.floor(now()));
    },
    close() {
      marker?.close();
      // SQLite would remove files by their names, which may be those of another journal by now.
      if (areThere()) store.close();
    },
  };
}

interface ContentChecks extends Pick<Opening, 'asNew' | 'evenMoved'> {
  held: number;
  onLess(failure: Failure): void;
}

/**
 * Throws `storage` if the tables are of another version, and tells `onLess` if its bookings were moved, it is a copy that nobody has
 * declared restored, or it has fewer bookings than the file `held`; `asNew`: none at all are fine.
 */
export function checkContent(
  file: string,
  store: Pick<Store, 'first'>,
  version: number,
  { held, asNew = false, evenMoved = false, onLess }: ContentChecks,
): void {
  if (version !== 0 && version !== SCHEMA_VERSION)
    throw wrongVersion(
      file,
      version,
      `Then move all files of ${dirname(file)} that begin with ${basename(file)} into another folder, and keep them: the next booking makes a new journal, which does not know their keys`,
    );
  const there = version === 0 ? 0 : newestIn(store);
  const copiedAt = version === 0 ? undefined : timeOfCopy(store);
  const moved = version === 0 || evenMoved ? undefined : movedFailure(file, store);
  if (moved) onLess(moved);
  if (copiedAt !== undefined) onLess(unusedCopy(file, copiedAt));
  else if (there < held && !(asNew && there === 0))
    onLess(
      lostBookings(
        file,
        `has lost bookings: the newest is number ${there}, and it held ${held}`,
        PUT_BACK,
        there === 0 ? 'gone' : 'put back',
      ),
    );
}

/** The unique indexes, and the keys of one column that need none because they are the numbers of the rows. */
const INDEXES = `SELECT one.name AS name, tables.name AS "table", partial AS "isPartial",
    (SELECT group_concat(name, ', ') FROM (SELECT name FROM pragma_index_info(one.name) ORDER BY seqno)) AS columns
  FROM sqlite_master AS tables JOIN pragma_index_list(tables.name) AS one WHERE type = 'table' AND "unique"
  UNION ALL SELECT tables.name, tables.name, 0, min(one.name)
  FROM sqlite_master AS tables JOIN pragma_table_info(tables.name) AS one WHERE tables.type = 'table' AND pk > 0
  GROUP BY tables.name HAVING count(*) = 1`;

/** Tells `onLost` if a key could be held twice. */
export function checkUnique(
  file: string,
  store: Pick<Store, 'all'>,
  onLost: (failure: Failure) => void,
): void {
  const indexes = store
    .all<Omit<UniqueIndex, 'isPartial' | 'isValid'> & { isPartial: number }>(INDEXES)
    .map(one => ({ ...one, isPartial: one.isPartial === 1, isValid: true }));
  const missing = notUnique(Object.keys(PRIMARY_KEYS), indexes);
  if (missing === undefined) return;
  const { table, columns, isPartial } = missing;
  onLost(
    new Failure(
      'storage',
      `the journal ${file} may book a key twice, because its table ${table} has no unique index for ${columns}`,
      {
        hint: isPartial
          ? `To make it again, with any program for SQLite: DROP INDEX IF EXISTS one_key; ${ONE_KEY_INDEX}. ${FOUND_TWICE}`
          : 'Put it back from a backup: `waybill help journal` says how',
      },
    ),
  );
}

/** Bookings are never deleted: the number of the newest is how many there are. */
const newestIn = (store: Pick<Store, 'first'>): number =>
  store.first<{ newest: number | null }>('SELECT MAX(number) AS newest FROM bookings')?.newest ?? 0;

/** The identity of the journal in a file. Throws an error that says that the file is damaged. */
export function identityIn(store: Pick<Store, 'first'>): string {
  const identity = store.first<{ id: string }>('SELECT id FROM journal_identity')?.id;
  if (identity === undefined) throw new Error('it is damaged: it has lost its identity');
  return identity;
}

// A copy that `history backup` made is marked in itself: in place of a journal it lacks what was booked since, and the files beside
// it may be those of no journal at all.

/** When a copy was made, in ms since 1970; `undefined` of a journal, and of a copy that a person said to use as one. */
const timeOfCopy = (store: Pick<Store, 'first'>): number | undefined =>
  store.first<{ at: number }>('SELECT at FROM copied')?.at;

/** A copy of a copy lacks what was booked since the first one. It has no stamp: whatever is beside it belongs to another file. */
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

const unusedCopy = (file: string, at: number): Failure =>
  lostBookings(
    file,
    `is a copy that \`waybill history backup\` made at ${new Date(at).toISOString()}, without the bookings made since then`,
    'Use the journal itself if it still exists',
    'put back',
  );

/** The address of the shared journal into which the bookings were moved. */
export const movedTo = (store: Pick<Store, 'first'>): string | undefined =>
  store.first<{ name: string }>('SELECT name FROM moved')?.name;

/** Why nothing is written to a journal whose bookings were moved: the shared one would not know of it. */
export function movedFailure(file: string, store: Pick<Store, 'first'>): Failure | undefined {
  const name = movedTo(store);
  // step: mark of a move read
  if (name === undefined) return undefined;
  return new Failure('storage', `the bookings of the journal ${file} were moved to ${name}`, {
    hint: `Set WAYBILL_JOURNAL to that address, or \`waybill profile set NAME journal=${shellWord(name)}\`. If the move was interrupted, run \`waybill history move\` again`,
  });
}

function known(file: string, onLost: (failure: Failure) => void) {
  try {
    return openMarker(file);
  } catch (error) {
    const path = markerPath(file);
    const isForbidden = ['EACCES', 'EPERM', 'EROFS'].includes(systemCode(error) ?? '');
    const advice = isForbidden
      ? 'Let the user of this command write to that file and its folder'
      : 'If the journal beside it is complete, `waybill history check --restored --reason TEXT` writes that file again';
    onLost(
      new Failure(
        'storage',
        `${path}, which says how many bookings the journal held, cannot be used: ${messageOf(error)}`,
        { hint: advice },
      ),
    );
    return undefined;
  }
}

const PUT_BACK = 'Put the file back with its -wal, or from a backup';

function inodeOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev} ${found.ino}`;
}

/**
 * Throws `storage` if the file can be opened by another path, too: SQLite names its locks and its log of writes by the path,
 * so two processes would not see each other.
 */
export function checkOnePath(file: string): void {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (!found?.isFile()) return;
  const refuse = (what: string, cure: string) => {
    throw new Failure(
      'storage',
      `the journal ${file} ${what}: a process that opens it by another path does not see what this one books`,
      { hint: cure },
    );
  };
  if (found.nlink > 1)
    refuse(
      `has ${found.nlink} names (hard links)`,
      `Remove all but one; \`find / -xdev -samefile ${file}\` lists them`,
    );
  if (isMounted(file))
    refuse('is mounted by itself', 'Mount its folder instead, and name that in WAYBILL_STATE_DIR');
}

/** Is the file itself a mount point, as of a volume of a container? Only Linux says so. */
function isMounted(file: string): boolean {
  let mounts: string;
  try {
    mounts = readFileSync('/proc/self/mountinfo', 'utf8');
  } catch {
    return false;
  }
  const path = realpathSync(file).replace(
    /[ \t\n\\]/g,
    character => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`,
  );
  return mounts.split('\n').some(line => line.split(' ')[4] === path);
}

// A file beside the journal that says how many bookings the journal held, and which stamp its file had. Without it a journal that
// was emptied would be the same as a new one, and its keys would be booked again.

/**
 * The number of the newest booking and the stamp, in digits. All lines have one length, so that a write in place leaves
 * nothing behind.
 */
const LINE = /^(\d{15}) (\d{10})$/;

export const markerPath = (file: string): string => `${file}-count`;

/** `used`: it is not there or is empty, but a file beside it says that it was used. Never throws. */
export function journalState(file: string): 'there' | 'used' | 'none' {
  try {
    const found = lstatSync(file, { throwIfNoEntry: false });
    // Opening what is no file says so.
    if (found && (found.size > 0 || !found.isFile())) return 'there';
    return lstatSync(markerPath(file), { throwIfNoEntry: false }) ? 'used' : 'none';
  } catch {
    // The folder cannot be read, so it may have bookings. Opening it says why.
    return 'there';
  }
}

function removeMarker(file: string): void {
  try {
    rmSync(markerPath(file), { force: true });
  } catch {
    // Opening it says why it cannot be used.
  }
}

/** Throws an error that says why the file cannot be read; one that is not there is made with the first booking. */
function openMarker(file: string) {
  const path = markerPath(file);
  let opened = openMarkerFile(path);
  let written = { held: 0, stamp: 0 };
  try {
    if (opened !== undefined) written = markedIn(opened, file);
  } catch (error) {
    if (opened !== undefined) closeSync(opened);
    throw error;
  }
  let { stamp } = written;
  return {
    /** At least so many bookings were in the journal, and the stamp that the file had; 0 if that is not known. */
    ...written,
    /**
     * Notes that the journal holds so many, and the stamp that its file has now, with the next booking at the latest. It is not
     * synced, and processes may overwrite each other's: the number may be too small, and never too large, because the journal
     * was synced before.
     */
    raise(count: number, present = stamp): void {
      stamp = present;
      if (count <= written.held && stamp === written.stamp) return;
      // It is made with the first booking.
      if (count === 0 && opened === undefined) return;
      const held = Math.max(count, written.held);
      try {
        opened ??= createMarker(path, file);
        writeSync(opened, `${String(held).padStart(15, '0')} ${String(stamp).padStart(10, '0')}\n`, 0);
        written = { held, stamp };
      } catch {
        // The next booking writes it.
      }
    },
    close(): void {
      if (opened !== undefined) closeSync(opened);
      opened = undefined;
    },
  };
}

function openMarkerFile(path: string): number | undefined {
  const { O_RDWR, O_NOFOLLOW, O_NONBLOCK } = constants;
  try {
    return openSync(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    // If a file is in place of the folder, opening the journal says so.
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) return undefined;
    throw error;
  }
}

export function markedIn(opened: number, file: string): { held: number; stamp: number } {
  const stat = fstatSync(opened);
  if (!stat.isFile()) throw new Error('it is not a plain file');
  const owner = statSync(file, { throwIfNoEntry: false })?.uid;
  if (owner !== undefined && owner !== stat.uid)
    throw new Error('it belongs to another user than the journal');
  const bytes = Buffer.alloc(64);
  const text = bytes.toString('latin1', 0, readSync(opened, bytes, 0, bytes.length, 0)).trim();
  // It is only made with the first booking. A power failure may keep the file and lose what was in it.
  if (/^\0*$/.test(text)) return { held: 1, stamp: 0 };
  const [, held, stamp] = LINE.exec(text) ?? [];
  if (held === undefined) throw new Error('it is damaged: it does not have two numbers');
  return { held: Number(held), stamp: Number(stamp) };
}

/** Creates it for the user whose journal it is, as SQLite does with its files, so that root leaves none of its own. */
function createMarker(path: string, file: string): number {
  const { O_RDWR, O_CREAT, O_NOFOLLOW } = constants;
  const created = openSync(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600);
  const { uid, gid } = statSync(file);
  if (fstatSync(created).uid !== uid) fchownSync(created, uid, gid);
  return created;
}

// Whether journal.db is the file that the journal.db-wal beside it belongs to. After a crash the last writes are in the
// -wal alone. SQLite would add them to whatever file is there, such as an older copy, and nothing would tell that bookings
// between the two are missing. So each process that books raises a number in the file, and the marker knows the last one
// that the file itself had.

/** Where SQLite keeps the application id of a database, which is ours to choose: 4 bytes. */
const OFFSET = 68;

/** More processes than book between two checkpoints. Files that are no copies of each other differ by more. */
const CLOSE = 65_536;

/**
 * The stamp in the file itself, without the writes beside it; 0 if it has none. Throws the system's error. Only while this process
 * does not have the journal open: to close a file drops the locks that SQLite has on it.
 */
export function stampIn(file: string): number {
  if (!existsSync(file)) return 0;
  const bytes = Buffer.alloc(4);
  const opened = openSync(file, 'r');
  try {
    readSync(opened, bytes, 0, bytes.length, OFFSET);
  } finally {
    closeSync(opened);
  }
  return bytes.readUInt32BE();
}

/** Another one than any file has that is no copy of this one. */
const newStamp = (): number => randomInt(1, 2 ** 30);

const stampOf = (store: Store): number =>
  store.first<{ application_id: number }>('PRAGMA application_id')?.application_id ?? 0;

/**
 * Stamps a database that has no stamp yet, and gives that, else 0. In a new one it is written to the file itself, because
 * there is no -wal yet.
 */
function stamp(store: Store): number {
  if (stampOf(store) !== 0) return 0;
  return store.transaction(() => {
    // Another process may have done it by now.
    if (stampOf(store) !== 0) return 0;
    const given = newStamp();
    store.run(`PRAGMA application_id = ${given}`);
    return given;
  });
}

/** Throws `storage` if there are writes beside the file that belong to another one. `known`: the stamp that it had, or 0. */
export function checkLog(file: string, present: number, known: number): void {
  // step: writes beside the journal compared
  const log = `${file}-wal`;
  const hasLog = (statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 0;
  if (!hasLog || known === 0 || (present >= known && present - known < CLOSE)) return;
  throw new Failure(
    'storage',
    `${file} is not the file that ${basename(log)} beside it belongs to: it is older, or a copy, and the newest bookings are in ${basename(log)} alone. A key that both lack would be booked again`,
    {
      hint: `Put the file back that was there before. To go on without those bookings, move ${log} and ${file}-shm to another folder: then \`waybill history check\` says what is missing`,
    },
  );
}
