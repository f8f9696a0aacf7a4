// Whether journal.db is the file that the journal.db-wal beside it belongs to. After a crash the last writes are in the
// -wal alone. SQLite would add them to whatever file is there, such as an older copy, and nothing would tell that bookings
// between the two are missing. So each process that books raises a number in the file, and the marker knows the last one
// that the file itself had.
import { randomInt } from 'node:crypto';
import { closeSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { basename } from 'node:path';
import { Failure, systemCode } from '../../errors.ts';
import type { Store } from '../../sqlite.ts';

/** Where SQLite keeps the application id of a database, which is ours to choose: 4 bytes. */
const OFFSET = 68;

/** More processes than book between two checkpoints. Files that are no copies of each other differ by more. */
const CLOSE = 65_536;

/** The stamp in the file itself, without the writes beside it; 0 if it has none. Throws the system's error. */
export function stampIn(file: string): number {
  const bytes = Buffer.alloc(4);
  let opened: number;
  try {
    opened = openSync(file, 'r');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return 0;
    throw error;
  }
  try {
    readSync(opened, bytes, 0, bytes.length, OFFSET);
  } finally {
    closeSync(opened);
  }
  return bytes.readUInt32BE();
}

const newStamp = (): number => randomInt(1, 2 ** 30);

const stampOf = (store: Store): number =>
  store.first<{ application_id: number }>('PRAGMA application_id')?.application_id ?? 0;

/**
 * Stamps a database that has no stamp yet, and gives that, else 0. In a new one it is written to the file itself, because
 * there is no -wal yet.
 */
export function stamp(store: Store): number {
  if (stampOf(store) !== 0) return 0;
  return store.transaction(() => {
    // Another process may have done it by now.
    if (stampOf(store) !== 0) return 0;
    const given = newStamp();
    store.run(`PRAGMA application_id = ${given}`);
    return given;
  });
}

export const raiseStamp = (store: Store): void =>
  void store.run(`PRAGMA application_id = ${stampOf(store) + 1}`);

/** Gives a copy that SQLite has written anew a stamp of its own: it has no page in common with the journal. */
export function stampCopy(file: string): void {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(newStamp());
  const opened = openSync(file, 'r+');
  try {
    writeSync(opened, bytes, 0, bytes.length, OFFSET);
  } finally {
    closeSync(opened);
  }
}

/** Throws `storage` if there are writes beside the file that belong to another one. `known`: the stamp that it had, or 0. */
export function checkLog(file: string, present: number, known: number): void {
  // step: writes beside the journal compared
  const log = `${file}-wal`;
  const hasLog = (statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 0;
  if (!hasLog || known === 0 || (present >= known && present - known < CLOSE)) return;
  throw new Failure(
    'storage',
    `${file} is not the file that ${basename(log)} beside it belongs to: it is older, or a copy, and the newest bookings are in ${basename(log)} alone. Together they are no journal, and keys that both lack would be booked again; nothing was sent. Put the file back that was there before. To go on without those bookings, move ${log} and ${file}-shm to another folder: then \`waybill history check\` says what is missing`,
  );
}
