// The journal of this machine for a user who may read it and not write to it (another user, or a disk that is mounted to be read), or who
// only looks at it. The journal is read as it is, and no file is made or changed.
import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure, StoreError } from '../../errors.ts';
import { applicationIdIn, openReadOnly, type Store } from '../../host/sqlite.ts';
import type { Host } from '../../host.ts';
import type { Processes } from '../claim.ts';
import { type Database, readingDatabase } from '../database.ts';
import { lostBookings, type Opening, throwLoss } from '../tables.ts';
import { guardOf, sqliteDb } from './database.ts';
import { checkContent, checkOneName, checkUnique, identityIn, movedTo, usableMarker } from './file.ts';
import { checkLog, holdsBytes, journalState, UNMARKED } from './marker.ts';

/** Is the file a journal that this user may read, and not write to? */
export function isUnwritable(file: string): boolean {
  if (!may(file, constants.R_OK) || !statSync(file, { throwIfNoEntry: false })?.isFile()) return false;
  return !(may(file, constants.W_OK) && may(dirname(file), constants.W_OK));
}

function may(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

/** Opens a journal that is only read. Throws `storage` as `openSqlite` does. All that would write rejects with the reason. */
export async function openUnwritable(
  file: string,
  processes: Processes,
  clock: Pick<Host, 'now'>,
  opening: Pick<Opening, 'onLost' | 'evenMoved'>,
): Promise<Database> {
  const { onLost = throwLoss, evenMoved = false } = opening;
  const guarded = guardOf(file);
  const store = await guarded('opened', () => openedStore(file, onLost, evenMoved));
  const db = sqliteDb(store, processes, clock, { isReadOnly: true });
  const names = await guarded('read', () => ({ identity: identityIn(store), movedTo: movedTo(store) }));
  return readingDatabase(
    { ...names, read: work => guarded('read', () => work(db)), close: async () => store.close() },
    isUnwritable(file)
      ? new Failure('storage', { kind: 'journal-file-unwritable', journal: file })
      : undefined,
  );
}

async function openedStore(file: string, onLess: (failure: Failure) => void, evenMoved: boolean) {
  checkOneName(file);
  if (journalState(file) === 'used') onLess(lostBookings(file, { loss: 'file' }));
  const marker = usableMarker(file, onLess) ?? UNMARKED;
  checkLog(file, applicationIdIn(file), marker);
  if (holdsBytes(`${file}-wal`) && !holdsBytes(`${file}-shm`))
    throw new Failure('storage', { kind: 'journal-writes-unmerged', journal: file });
  const { all, close } = await openReadOnly(file);
  const store: Pick<Store, 'all' | 'first' | 'run' | 'close'> = {
    all,
    first: (sql, ...values) => all<never>(sql, ...values)[0],
    run() {
      throw new Error('this user may not write to it');
    },
    close,
  };
  try {
    const version = store.first<{ user_version: number }>('PRAGMA user_version')?.user_version ?? 0;
    if (version === 0) throw new StoreError({ fault: 'no-tables' });
    checkContent(file, store, version, { held: marker.held, evenMoved, onLess });
    checkUnique(file, store, onLess);
    return store;
  } catch (error) {
    close();
    throw error;
  }
}
