// The database of the journal, watched: it must hold what it held before, and stay where it was opened.

import { lstatSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { Failure, messageOf, systemCode } from '../../errors.ts';
import { openStore, type SqliteSchema, type SqlValue, type Store } from '../../host/sqlite.ts';
import type { Host } from '../../host.ts';
import { composer, type Db, type Sql, sql, type Value } from '../database.ts';
import {
  lostBookings,
  type Opening,
  recordRestoration,
  refuse,
  SCHEMA_VERSION,
  tables,
  wrongVersion,
} from '../tables.ts';
import {
  checkLog,
  type Marker,
  markerPath,
  markerState,
  openMarker,
  raiseStamp,
  removeMarker,
  stamp,
  stampCopy,
  stampIn,
} from './marker.ts';

interface KeptStore extends Store {
  /** Throws if the files are no longer where they were opened, or were a few ms ago; every transaction does, too. */
  checkPlace(): void;
}

/** For so many ms after a look the files count as being there: what is committed together is sent together. */
const LOOK_MS = 10;

export const SCHEMA: SqliteSchema = {
  version: SCHEMA_VERSION,
  create: tables({
    integer: 'INTEGER',
    // Rows of these tables are never deleted, so no number comes again.
    counter: 'INTEGER PRIMARY KEY',
    end: 'STRICT',
    keyed: 'STRICT, WITHOUT ROWID',
  }),
};

const compose = composer<SqlValue>(
  () => '?',
  (value: Value) => (typeof value === 'boolean' ? Number(value) : (value as SqlValue)),
);

/** They are done when the promise is there. */
export const statementsIn = (store: Store): Pick<Db, 'rows' | 'first' | 'run'> => ({
  async rows<Row>(statement: Sql) {
    const { text, values } = compose(statement);
    return store.all<Row>(text, ...values);
  },
  async first<Row>(statement: Sql) {
    const { text, values } = compose(statement);
    return store.first<Row>(text, ...values);
  },
  async run(statement) {
    const { text, values } = compose(statement);
    return store.run(text, ...values);
  },
});

/** Opens or creates it. Throws `storage` if it has lost bookings, and plain errors otherwise. */
export async function openKeptStore(
  file: string,
  opening: Opening,
  { now, monotonic }: Pick<Host, 'now' | 'monotonic'>,
): Promise<KeptStore> {
  const { asNew = false, restored, onLost = refuse } = opening;
  checkOnePath(file);
  if (markerState(file) === 'used') {
    if (asNew) removeMarker(file);
    // What is not there was not put back.
    else (restored ? refuse : onLost)(gone(file));
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
      if (version !== 0 && version !== SCHEMA_VERSION) throw wrongVersion(file, version, takenOver(file));
      const there = version === 0 ? 0 : newestIn(found);
      if (there < held && !(asNew && there === 0)) onLess(older(file, there, held));
      present ||= stamp(found);
    },
  });
  const newestBefore = newestIn(store);
  if (restored) await recordRestoration(statementsIn(store), restored, sql`${Math.floor(now())}`);
  if (restored || (asNew && newestBefore < held)) {
    marker?.close();
    removeMarker(file);
    marker = known(file, () => {});
  }
  marker?.noteStamp(present);
  marker?.raise(newestBefore);
  let isStamped = false;
  const isInPlace = inPlace(file);
  let lookedAt = Number.NEGATIVE_INFINITY;
  const checkPlace = () => {
    if (!isInPlace()) throw new Error('it was deleted, moved or replaced while it was in use');
    lookedAt = monotonic();
  };
  return {
    ...store,
    checkPlace() {
      if (monotonic() - lookedAt > LOOK_MS) checkPlace();
    },
    async transactionOf(work) {
      // Before it too, because another process may by now use files of the same names.
      checkPlace();
      const { result, newest } = await store.transactionOf(async () => {
        const done = { result: await work(), newest: newestIn(store) };
        if (!isStamped && done.newest > newestBefore) raiseStamp(store);
        return done;
      });
      isStamped ||= newest > newestBefore;
      checkPlace();
      marker?.raise(newest);
      return result;
    },
    async backup(copy) {
      await store.backup(copy);
      stampCopy(copy);
    },
    close() {
      marker?.close();
      // SQLite would remove files by their names, which may be those of another journal by now.
      if (isInPlace()) store.close();
    },
  };
}

/** Bookings are never deleted: the number of the newest is how many there are. */
const newestIn = (store: Store): number =>
  store.first<{ newest: number | null }>('SELECT MAX(number) AS newest FROM bookings')?.newest ?? 0;

function known(file: string, onLost: (failure: Failure) => void): Marker | undefined {
  try {
    return openMarker(file);
  } catch (error) {
    const path = markerPath(file);
    const isForbidden = ['EACCES', 'EPERM', 'EROFS'].includes(systemCode(error) ?? '');
    const advice = isForbidden
      ? 'Let the user of this command write to that file and its folder'
      : 'If the journal beside it is complete, remove that file: the next command writes it again. `waybill history check --restored --reason TEXT` does the same, and records it';
    onLost(
      new Failure(
        'storage',
        `${path}, which says how many bookings the journal held, cannot be used: ${messageOf(error)}; nothing was sent. ${advice}`,
      ),
    );
    return undefined;
  }
}

const takenOver = (file: string): string => {
  const name = basename(file);
  return `Move all files of ${dirname(file)} that begin with ${name} into another folder, then take its bookings over: waybill history import FOLDER/${name}`;
};

const gone = (file: string): Failure =>
  lostBookings(file, 'is missing or empty, but it held bookings', PUT_BACK, 'gone');

const older = (file: string, there: number, held: number): Failure =>
  lostBookings(
    file,
    `has lost bookings: the newest is number ${there}, and it held ${held}`,
    PUT_BACK,
    there === 0 ? 'gone' : 'put back',
  );

const PUT_BACK = 'Put the file back with its -wal, or from a backup';

/**
 * Gives a function that says whether the files that were opened at that path are still there: not deleted, replaced, or
 * moved with their folder. SQLite would go on writing into files that nobody finds.
 */
export function inPlace(file: string): () => boolean {
  // The log of writes stays while the database is open. There is none where SQLite cannot share memory.
  const opened = [file, `${file}-wal`].map(path => ({ path, at: placeOf(path) }));
  let isThere = true;
  return () => {
    // Once gone, it stays so: what was written meanwhile is lost.
    isThere &&= opened.every(({ path, at }) => at === undefined || placeOf(path) === at);
    return isThere;
  };
}

function placeOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev} ${found.ino}`;
}

/**
 * Throws `storage` if the file can be opened by another path, too: SQLite names its locks and its log of writes by the path,
 * so two processes would not see each other.
 */
function checkOnePath(file: string): void {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (!found?.isFile()) return;
  const refuse = (what: string, cure: string) => {
    throw new Failure(
      'storage',
      `the journal ${file} ${what}: a process that opens it by another path does not see what this one books; nothing was sent. ${cure}`,
    );
  };
  if (found.nlink > 1)
    refuse(
      `has ${found.nlink} names (hard links)`,
      `Remove all but one; \`find / -xdev -samefile ${file}\` lists them. For a copy, use \`waybill history backup FILE\``,
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
