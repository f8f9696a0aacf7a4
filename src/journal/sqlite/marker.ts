// The marker: a file beside the journal of this machine that says how many bookings the journal held, and how many its file counted
// without its log of writes. Without the marker a journal that was emptied would be the same as a new one, and its keys would be
// booked again.
import {
  closeSync,
  constants,
  lstatSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { Failure } from '../../errors.ts';
import type { CountFault } from '../../say/journal.ts';

/** At least so many; 0 if that is not known. */
export interface Marker {
  held: number;
  inFile: number;
}

export const UNMARKED: Marker = { held: 0, inFile: 0 };

export const markerPath = (file: string): string => `${file}-count`;

/** Both numbers, in digits. All lines have one length, so that a write in place leaves nothing behind. */
const LINE = /^(\d{15}) (\d{10})$/;

export const unusableMarker = (file: string, fault: CountFault): Failure =>
  new Failure('storage', { kind: 'journal-count-unusable', path: markerPath(file), ...fault });

/** Throws `storage`, or the error of the file system; one that is not there is made with the first booking. */
export function readMarker(file: string): Marker {
  const path = markerPath(file);
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return UNMARKED;
  if (!stat.isFile()) throw unusableMarker(file, { fault: 'no-file' });
  const owner = statSync(file, { throwIfNoEntry: false })?.uid;
  if (owner !== undefined && owner !== stat.uid) throw unusableMarker(file, { fault: 'other-user' });
  const text = readFileSync(path, 'latin1').trim();
  // A power failure may keep the file and lose what was in it.
  if (/^\0*$/.test(text)) return { held: 1, inFile: 0 };
  const [, held, inFile] = LINE.exec(text) ?? [];
  if (held === undefined) throw unusableMarker(file, { fault: 'damaged' });
  return { held: Number(held), inFile: Number(inFile) };
}

/**
 * It is not synced, and processes may overwrite each other's: a number may be too small, and never too large, because the journal was
 * synced before.
 */
export function writeMarker(file: string, marker: Marker): void {
  const { O_WRONLY, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
  const line = `${String(marker.held).padStart(15, '0')} ${String(marker.inFile).padStart(10, '0')}\n`;
  try {
    const opened = openSync(markerPath(file), O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
    try {
      writeSync(opened, line, 0);
    } finally {
      closeSync(opened);
    }
  } catch {
    // The next booking writes it.
  }
}

export function removeMarker(file: string): void {
  try {
    rmSync(markerPath(file), { force: true });
  } catch {
    // Opening it says why it cannot be used.
  }
}

/** `used`: it is not there or is empty, but the marker says that it was used. Never throws. */
export function journalState(file: string): 'there' | 'used' | 'none' {
  try {
    const stat = lstatSync(file, { throwIfNoEntry: false });
    // Opening what is no file says so.
    if (stat && (stat.size > 0 || !stat.isFile())) return 'there';
    return lstatSync(markerPath(file), { throwIfNoEntry: false }) ? 'used' : 'none';
  } catch {
    // The folder cannot be read, so it may have bookings. Opening it says why.
    return 'there';
  }
}

// Whether journal.db is the file that the journal.db-wal beside it belongs to. After a crash the last writes are in the
// -wal alone. SQLite would add them to whatever file is there, such as an older copy, and nothing would tell that bookings
// between the two are missing. So each process that books writes a count of bookings into the file, as its application id, and the
// marker has the last one that was in the file itself.

export const holdsBytes = (path: string): boolean =>
  (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;

/** Throws `storage` if the log of writes belongs to a newer file. `count`: the one in the file now. */
export function checkLog(file: string, count: number, marker: Marker): void {
  // step: writes beside the journal compared
  if (count >= marker.inFile || !holdsBytes(`${file}-wal`)) return;
  throw new Failure('storage', { kind: 'journal-writes-of-other-file', journal: file });
}
