import { createHash, randomUUID } from 'node:crypto';
import {
  chownSync,
  closeSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { Failure } from '../errors.ts';
import { systemCode } from '../system-errors.ts';

/**
 * Makes a folder, and those above it, if it is missing. With `recursive` Node 20 would go on for ever where the system
 * answers that the folder above is missing although it is there, as in /proc. Throws the error of the file system.
 */
export function makeFolder(folder: string, mode?: number): void {
  const missing: string[] = [];
  for (let at = folder; statSync(at, { throwIfNoEntry: false }) === undefined; at = dirname(at)) {
    missing.push(at);
    if (at === dirname(at)) break;
  }
  for (const path of missing.reverse())
    try {
      mkdirSync(path, mode);
    } catch (error) {
      // Another process may have made it by now.
      if (systemCode(error) === 'EEXIST' && isFolder(path)) continue;
      if (systemCode(error) !== 'ENOENT') throw error;
      throw Object.assign(new Error(`no folder can be made in ${dirname(path)}`), { code: 'ENOENT' });
    }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/** The folder of this user; none if the system has none, or if HOME is relative: a journal for each folder forgets. */
export function homeFolder(): string | undefined {
  try {
    const home = homedir();
    return isAbsolute(home) ? home : undefined;
  } catch {
    // A container may run as a user id without an entry, and without HOME.
    return undefined;
  }
}

/** A path as the user gave it, from the current folder. Throws `storage` if that was deleted. */
export function absolutePath(path: string, host: { cwd?: string | undefined }): string {
  if (isAbsolute(path)) return path;
  if (host.cwd !== undefined) return resolve(host.cwd, path);
  throw new Failure('storage', { kind: 'current-folder-deleted', path });
}

/** A name in the folder of a file, under which that file is written before it takes its place. */
export const partBeside = (path: string, host: { random(): number }): string =>
  join(dirname(path), `.waybill-${host.random()}.part`);

/** What has that name at this moment: another text if a process has put a file there since. `undefined`: nothing. */
export function fileAt(path: string): string | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false, bigint: true });
  return found && [found.dev, found.ino, found.size, found.mtimeNs].join(' ');
}

/** Puts a file in place of the `expected` one, as `fileAt` has it. False if another process has put one there since, or does. */
export function takePlace(part: string, path: string, expected: string | undefined): boolean {
  if (fileAt(path) === undefined) return gotName(part, path);
  const turn = join(dirname(path), `.waybill-${basename(path)}.turn`);
  if (!isMyTurn(turn)) return false;
  try {
    // Two that look before one of them writes would both replace what they saw.
    if (fileAt(path) !== expected) return false;
    renameSync(part, path);
    return true;
  } finally {
    rmSync(turn, { recursive: true, force: true });
  }
}

/** A turn takes no time: one that is older was left by a process that was killed. */
const LONGEST_TURN_MS = 60_000;

/** Makes a folder that only one process can make; false if another one has made it. */
function isMyTurn(turn: string): boolean {
  const begun = statSync(turn, { throwIfNoEntry: false })?.mtimeMs;
  if (begun !== undefined && Date.now() - begun > LONGEST_TURN_MS)
    rmSync(turn, { recursive: true, force: true });
  try {
    mkdirSync(turn);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Gives a file one more name, or this one alone where the file system has no links. False if the name is taken. */
export function gotName(file: string, path: string): boolean {
  try {
    linkSync(file, path);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
  }
  try {
    // Without links, an empty file takes the name; the file itself, and no copy, stands there then, as `fileAt` knows it.
    closeSync(openSync(path, 'wx'));
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  }
  try {
    renameSync(file, path);
    return true;
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  }
}

/** The file in a folder that belongs to these names, whatever is in them. */
export function fileNamed(folder: string, names: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(names)).digest('hex').slice(0, 32);
  return join(folder, `${hash}.json`);
}

/**
 * Keeps a small text in a file that only this user reads. It is there whole, and on the disk when this returns; where it replaces
 * another text, a power failure may bring that back. False if there is a file that must not be replaced. Throws the error of the
 * file system.
 */
export function keepFile(path: string, text: string, mayReplace = true): boolean {
  const folder = dirname(path);
  makeFolder(folder, 0o700);
  ownAs(folder, dirname(folder));
  const part = `${path}.${randomUUID()}`;
  const isNew = fileAt(path) === undefined;
  try {
    writeFileSync(part, text, { mode: 0o600, flag: 'wx', flush: true });
    ownAs(part, folder);
    if (mayReplace) renameSync(part, path);
    else if (gotName(part, path)) syncPath(path);
    else return false;
    if (isNew) syncPath(folder);
    return true;
  } finally {
    rmSync(part, { force: true });
  }
}

/** Root leaves no file that the user of a folder cannot use. */
function ownAs(path: string, above: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(above);
  chownSync(path, uid, gid);
}

/**
 * Puts a file, or the names of a folder's files, on the disk, where the system can be asked to. Throws the error of a disk that
 * fails.
 */
export function syncPath(path: string): void {
  let opened: number | undefined;
  try {
    opened = openSync(path, 'r');
    fsyncSync(opened);
  } catch (error) {
    if (systemCode(error) === 'EIO') throw error;
  } finally {
    if (opened !== undefined) closeSync(opened);
  }
}

/** Can a file be written there? Throws the error of the file system. */
export function probeBeside(path: string, host: { random(): number }): void {
  const probe = partBeside(path, host);
  closeSync(openSync(probe, 'wx'));
  rmSync(probe);
}

/** The first bytes of a file; zeros behind its end. */
export function firstBytes(path: string, length: number): Buffer {
  const head = Buffer.alloc(length);
  const file = openSync(path, 'r');
  try {
    readSync(file, head);
  } finally {
    closeSync(file);
  }
  return head;
}
