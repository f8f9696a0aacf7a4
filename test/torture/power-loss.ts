// What a loss of power leaves of a SQLite database in WAL mode. A kill loses nothing that was written, because the
// system keeps it; power takes all that was not synced. So the command notes after each commit how far its WAL is known
// to be synced, and a cut shortens the WAL to that. For any number of commits, and one process at a time.
import {
  appendFileSync,
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  truncateSync,
} from 'node:fs';

/** How far a WAL goes. It begins anew, with another salt, after everything in it was copied to the database. */
interface Extent {
  salt: string;
  frames: number;
}

const FULL = 2;
const WAL_HEAD = 32;
const FRAME_HEAD = 24;

const notes = (file: string) => `${file}-synced`;

let written: string | undefined;

/**
 * Runs in the command, after each commit. Only with `synchronous = FULL` a commit in WAL mode is synced, and one that
 * has written nothing syncs nothing: what others have written before it without a sync stays as it is.
 */
export function noteCommit(file: string, synchronous: unknown): void {
  if (!existsSync(`${file}-shm`)) return;
  const line = `${JSON.stringify(readIndex(file).committed)}\n`;
  const wrote = line !== written;
  written = line;
  if (wrote && synchronous === FULL) appendFileSync(notes(file), line);
}

/** Cuts the database back to what was synced. No process may have it open. Later runs begin from there. */
export function cutToLastSync(file: string): void {
  const wal = `${file}-wal`;
  if (!existsSync(wal)) return;
  const head = readFileSync(wal).subarray(0, WAL_HEAD);
  if (head.length === WAL_HEAD) {
    const salt = head.toString('hex', 16, 24);
    const pageSize = head.readUInt32BE(8);
    // What was copied to the database was synced before.
    const copied = existsSync(`${file}-shm`) ? readIndex(file).copied : undefined;
    const frames = Math.max(...[lastNote(file), copied].map(one => (one?.salt === salt ? one.frames : 0)));
    truncateSync(wal, frames === 0 ? 0 : WAL_HEAD + frames * (FRAME_HEAD + pageSize));
  }
  rmSync(`${file}-shm`, { force: true });
}

function lastNote(file: string): Extent | undefined {
  if (!existsSync(notes(file))) return undefined;
  // What follows the last end of a line was not written whole.
  const line = readFileSync(notes(file), 'utf8').split('\n').at(-2);
  return line === undefined ? undefined : JSON.parse(line);
}

/** The WAL index, as https://sqlite.org/walformat.html has it, in the byte order of the machine. */
function readIndex(file: string): { committed: Extent; copied: Extent } {
  const index = Buffer.alloc(100);
  const opened = openSync(`${file}-shm`, 'r');
  try {
    readSync(opened, index, 0, index.length, 0);
  } finally {
    closeSync(opened);
  }
  const { buffer } = index;
  const number = (at: number) =>
    new Uint32Array(buffer.slice(index.byteOffset + at, index.byteOffset + at + 4))[0] ?? 0;
  const salt = index.toString('hex', 32, 40);
  return { committed: { salt, frames: number(16) }, copied: { salt, frames: number(96) } };
}
