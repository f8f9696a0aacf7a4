// The journal of this machine for somebody who may read it and not write to it: another user, or a disk that is mounted to be read.
// It is read as it is, and no file is made or changed.
import { accessSync, closeSync, constants, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure, messageOf, systemCode } from '../../errors.ts';
import { openReadOnly, type Store } from '../../host/sqlite.ts';
import type { Host } from '../../host.ts';
import type { Processes } from '../claim.ts';
import type { Database } from '../database.ts';
import type { Opening } from '../tables.ts';
import { dbOf, guardOf } from './database.ts';
import {
  checkContent,
  checkLog,
  checkOnePath,
  checkUnique,
  identityIn,
  markedIn,
  markerPath,
  movedTo,
  stampIn,
} from './file.ts';

/** Is there a journal that this user may read, and not write to? */
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

/** Opens it. Throws `storage` as `openSqlite` does; whatever would write rejects with that. */
export async function openUnwritable(
  file: string,
  processes: Processes,
  clock: Pick<Host, 'now'>,
  opening: Pick<Opening, 'onLost' | 'evenMoved'>,
): Promise<Database> {
  const guarded = guardOf(file);
  const store = await guarded('opened', () => openedStore(file, opening));
  const db = dbOf(store, processes, clock, true);
  const refuse = (): Promise<never> => {
    throw new Failure('storage', `the journal ${file} cannot be written by this user`, {
      hint: 'Let the user of this command write to that file and its folder',
    });
  };
  const names = await guarded('read', () => ({ identity: identityIn(store), movedTo: movedTo(store) }));
  return {
    ...names,
    isReadOnly: true,
    read: work => guarded('read', () => work(db)),
    write: async () => refuse(),
    claim: async () => refuse(),
    fence: async () => refuse(),
    finish: async () => refuse(),
    // Nothing is claimed.
    leases: { hold() {}, release() {} },
    backup: async () => refuse(),
    clean: async () => refuse(),
    async pause() {},
    async close() {
      store.close();
    },
  };
}

async function openedStore(
  file: string,
  { onLost, evenMoved = false }: Pick<Opening, 'onLost' | 'evenMoved'>,
) {
  const onLess = (failure: Failure) => {
    if (!onLost) throw failure;
    onLost(failure);
  };
  checkOnePath(file);
  const { held, stamp } = marked(file);
  checkLog(file, stampIn(file), stamp);
  if (hasBytes(`${file}-wal`) && !hasBytes(`${file}-shm`))
    throw new Failure(
      'storage',
      `the newest bookings of the journal ${file} are in ${file}-wal alone, and only a user who may write to them can merge them`,
      { hint: 'Run `waybill history check` as that user' },
    );
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
    if (version === 0) throw new Error('it has no tables of waybill');
    checkContent(file, store, version, { held, evenMoved, onLess });
    checkUnique(file, store, onLess);
    return store;
  } catch (error) {
    close();
    throw error;
  }
}

const hasBytes = (path: string): boolean => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;

/** What the file beside it says that it held. Throws an error that says why that cannot be read. */
function marked(file: string): { held: number; stamp: number } {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  try {
    const opened = openSync(markerPath(file), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      return markedIn(opened, file);
    } finally {
      closeSync(opened);
    }
  } catch (error) {
    // It is made with the first booking.
    if (systemCode(error) === 'ENOENT') return { held: 0, stamp: 0 };
    throw new Error(`${markerPath(file)}: ${messageOf(error)}`, { cause: error });
  }
}
