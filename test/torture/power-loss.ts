// Simulates a power loss for a SQLite database in WAL mode. A kill loses nothing that was written, because the system still
// writes it. A power loss loses all that was not synced. So the command records after each commit how much of its WAL is
// synced, and the simulation cuts the WAL to that. It works for any number of commits and one process at a time.
import {
  appendFileSync,
  existsSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs';

/** The length of a WAL. After a copy to the database it starts again with another salt. */
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
 * Runs in the command after each commit. In WAL mode a commit is synced only with `synchronous = FULL`. A commit that wrote
 * nothing syncs nothing, also not the earlier writes of others.
 */
export function noteCommit(file: string, synchronous: unknown): void {
  if (!existsSync(`${file}-shm`)) return;
  const line = `${JSON.stringify(readIndex(file).committed)}\n`;
  const wrote = line !== written;
  written = line;
  if (wrote && synchronous === FULL) appendFileSync(notes(file), line);
}

/** Cuts the database back to its last sync. No process may have it open. */
export function cutToLastSync(file: string): void {
  const wal = `${file}-wal`;
  if (!existsSync(wal)) return;
  const head = readFileSync(wal).subarray(0, WAL_HEAD);
  if (head.length === WAL_HEAD) {
    const salt = head.toString('hex', 16, 24);
    const pageSize = head.readUInt32BE(8);
    // Pages that were copied to the database were synced before.
    const copied = existsSync(`${file}-shm`) ? readIndex(file).copied : undefined;
    const frames = Math.max(...[lastNote(file), copied].map(one => (one?.salt === salt ? one.frames : 0)));
    truncateSync(wal, frames === 0 ? 0 : WAL_HEAD + frames * (FRAME_HEAD + pageSize));
  }
  rmSync(`${file}-shm`, { force: true });
}

function lastNote(file: string): Extent | undefined {
  if (!existsSync(notes(file))) return undefined;
  // The part after the last line end is incomplete.
  const line = readFileSync(notes(file), 'utf8').split('\n').at(-2);
  return line === undefined ? undefined : JSON.parse(line);
}

/** By inode. They stay open: to close one would end the locks that the database of this process has on the file. */
const descriptors = new Map<number, number>();

function descriptorOf(path: string): number {
  const { ino } = statSync(path);
  const descriptor = descriptors.get(ino) ?? openSync(path, 'r');
  descriptors.set(ino, descriptor);
  return descriptor;
}

/** The WAL index, as https://sqlite.org/walformat.html has it, in the byte order of the machine. */
function readIndex(file: string): { committed: Extent; copied: Extent } {
  const index = Buffer.alloc(100);
  readSync(descriptorOf(`${file}-shm`), index, 0, index.length, 0);
  const { buffer } = index;
  const number = (at: number) =>
    new Uint32Array(buffer.slice(index.byteOffset + at, index.byteOffset + at + 4))[0] ?? 0;
  const salt = index.toString('hex', 32, 40);
  return { committed: { salt, frames: number(16) }, copied: { salt, frames: number(96) } };
}
