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

/** Two counts of bookings, 0 if not known. `held`: how many the journal held at least; `inFile`: the last count in its file itself. */
export interface Marker {
  held: number;
  inFile: number;
}

export const UNMARKED: Marker = { held: 0, inFile: 0 };

export const markerPath = (file: string): string => `${file}-count`;

/** The line of a marker: both counts. All lines have one length, so that a write in place leaves nothing behind. */
const LINE = /^(\d{15}) (\d{10})$/;

export const unusableMarker = (file: string, fault: CountFault): Failure =>
  new Failure('storage', { kind: 'journal-count-unusable', path: markerPath(file), ...fault });

/** Throws `storage`, or the error of the file system. A missing marker is `UNMARKED`: it is made with the first booking. */
export function readMarker(file: string): Marker {
  const path = markerPath(file);
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return UNMARKED;
  if (!stat.isFile()) throw unusableMarker(file, { fault: 'no-file' });
  const owner = statSync(file, { throwIfNoEntry: false })?.uid;
  if (owner !== undefined && owner !== stat.uid) throw unusableMarker(file, { fault: 'other-user' });
  const text = readFileSync(path, 'latin1').trim();
  // A power failure may keep the marker and lose its content: then the journal held at least one booking.
  if (/^\0*$/.test(text)) return { held: 1, inFile: 0 };
  const [, held, inFile] = LINE.exec(text) ?? [];
  if (held === undefined) throw unusableMarker(file, { fault: 'damaged' });
  return { held: Number(held), inFile: Number(inFile) };
}

/**
 * The marker is not synced, and processes may overwrite each other's: so a number may be too small, but never too large, because the
 * journal was synced before.
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
    // The marker stays as it was: the next booking writes it.
  }
}

export function removeMarker(file: string): void {
  try {
    rmSync(markerPath(file), { force: true });
  } catch {
    // The marker stays: the next opening of the journal says why the marker cannot be used.
  }
}

/** `used`: the journal is not there or is empty, but a marker says that it was used. Never throws. */
export function journalState(file: string): 'there' | 'used' | 'none' {
  try {
    const stat = lstatSync(file, { throwIfNoEntry: false });
    // If the path is no file, the opening of the journal says so.
    if (stat && (stat.size > 0 || !stat.isFile())) return 'there';
    return lstatSync(markerPath(file), { throwIfNoEntry: false }) ? 'used' : 'none';
  } catch {
    // The folder cannot be read, so a journal may be there. The opening of the journal says why it fails.
    return 'there';
  }
}

// Whether journal.db is the file that the journal.db-wal beside it belongs to. After a crash the last writes are in the -wal alone.
// SQLite would add them to whatever file is there, such as an older copy, and nobody would notice that bookings between the copy and the
// -wal are missing. So each process that books writes a count of bookings into the file, as its application id, and the marker has the
// last count that was in the file itself.

export const holdsBytes = (path: string): boolean =>
  (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;

/** Throws `storage` if the journal is older than the log of SQLite (`-wal`) beside it. `count`: how many bookings the journal has. */
export function checkLog(file: string, count: number, marker: Marker): void {
  // step: writes beside the journal compared
  if (count >= marker.inFile || !holdsBytes(`${file}-wal`)) return;
  throw new Failure('storage', { kind: 'journal-writes-of-other-file', journal: file });
}
