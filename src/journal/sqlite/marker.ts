// A file beside the journal that says how many bookings the journal held, and which stamp its file had. Without it a
// journal that was emptied would be the same as a new one, and its keys would be booked again.

import { randomInt } from 'node:crypto';
import {
  closeSync,
  constants,
  fchownSync,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename } from 'node:path';
import { Failure, systemCode } from '../../errors.ts';
import type { Store } from '../../host/sqlite.ts';

/**
 * The number of the newest booking and the stamp, in digits. All lines have one length, so that a write in place leaves
 * nothing behind.
 */
const DIGITS = 15;
const STAMP_DIGITS = 10;
const LINE = /^(\d{15}) (\d{10})$/;

export const markerPath = (file: string): string => `${file}-count`;

/** `used`: it is not there or is empty, but a file beside it says that it was used. Never throws. */
export function markerState(file: string): 'there' | 'used' | 'none' {
  const isThere = (path: string) => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  try {
    const found = lstatSync(file, { throwIfNoEntry: false });
    // Opening what is no file says so.
    if (found && (found.size > 0 || !found.isFile())) return 'there';
    return isThere(markerPath(file)) ? 'used' : 'none';
  } catch {
    // The folder cannot be read, so it may have bookings. Opening it says why.
    return 'there';
  }
}

export type Marker = ReturnType<typeof openMarker>;

interface Marked {
  /** At least so many bookings were in the journal. */
  held: number;
  /** The stamp that the file had when it was opened; 0 if that is not known. */
  stamp: number;
}

/** Throws an error that says why the file cannot be read; one that is not there is made with the first booking. */
export function openMarker(file: string) {
  const path = markerPath(file);
  let opened = opens(path);
  let written: Marked;
  try {
    written = opened === undefined ? { held: 0, stamp: 0 } : readFrom(opened, file);
  } catch (error) {
    if (opened !== undefined) closeSync(opened);
    throw error;
  }
  let { stamp } = written;
  return {
    ...written,
    /** The stamp that the file has now; it is noted with the next booking at the latest. */
    noteStamp(present: number): void {
      stamp = present;
    },
    /**
     * Notes that the journal holds so many. It is not synced, and processes may overwrite each other's: the number may be
     * too small, and never too large, because the journal was synced before.
     */
    raise(count: number): void {
      if (count <= written.held && stamp === written.stamp) return;
      // It is made with the first booking.
      if (count === 0 && opened === undefined) return;
      const held = Math.max(count, written.held);
      try {
        opened ??= create(path, file);
        writeSync(
          opened,
          `${String(held).padStart(DIGITS, '0')} ${String(stamp).padStart(STAMP_DIGITS, '0')}\n`,
          0,
        );
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

/** Forgets what the journal held. */
export function removeMarker(file: string): void {
  try {
    rmSync(markerPath(file), { force: true });
  } catch {
    // Opening it says why it cannot be used.
  }
}

function opens(path: string): number | undefined {
  const { O_RDWR, O_NOFOLLOW, O_NONBLOCK } = constants;
  try {
    return openSync(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    // If a file is in place of the folder, opening the journal says so.
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) return undefined;
    throw error;
  }
}

function readFrom(opened: number, file: string): Marked {
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
function create(path: string, file: string): number {
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
