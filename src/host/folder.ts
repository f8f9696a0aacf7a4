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
 * Makes a folder, and the folders above it, if it is missing. With `recursive` Node 20 would go on for ever where the system
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
      // Another process may have made the folder by now.
      if (systemCode(error) === 'EEXIST' && isFolder(path)) continue;
      if (systemCode(error) !== 'ENOENT') throw error;
      throw Object.assign(new Error(`no folder can be made in ${dirname(path)}`), { code: 'ENOENT' });
    }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/** The user's home folder; `undefined` if there is none, or if HOME is relative: then each current folder would get a journal. */
export function homeFolder(): string | undefined {
  try {
    const home = homedir();
    return isAbsolute(home) ? home : undefined;
  } catch {
    // A container may run as a user id without an entry, and without HOME.
    return undefined;
  }
}

/** The absolute path of a path that the user gave. Throws `storage` if the current folder is needed and was deleted. */
export function absolutePath(path: string, host: { cwd?: string | undefined }): string {
  if (isAbsolute(path)) return path;
  if (host.cwd !== undefined) return resolve(host.cwd, path);
  throw new Failure('storage', { kind: 'current-folder-deleted', path });
}

/** The path, in the folder of a file, at which the new file is written before it takes the place of the old one. */
export const partBeside = (path: string, host: { random(): number }): string =>
  join(dirname(path), `.waybill-${host.random()}.part`);

/** Text that tells which file is at a path, and in which state: it changes if a process puts another file there. `undefined`: no file. */
export function fileAt(path: string): string | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false, bigint: true });
  return found && [found.dev, found.ino, found.size, found.mtimeNs].join(' ');
}

/** Puts a file in place of the file that `fileAt` gave as `expected`. False if another process has replaced that file, or is doing so. */
export function takePlace(part: string, path: string, expected: string | undefined): boolean {
  if (fileAt(path) === undefined) return gotName(part, path);
  const turn = join(dirname(path), `.waybill-${basename(path)}.turn`);
  if (!isMyTurn(turn)) return false;
  try {
    // Without the turn, two processes could both look first and then both replace the file.
    if (fileAt(path) !== expected) return false;
    renameSync(part, path);
    return true;
  } finally {
    rmSync(turn, { recursive: true, force: true });
  }
}

/** A turn ends at once: a turn that is older than this was left by a process that was killed. */
const LONGEST_TURN_MS = 60_000;

/** Takes the turn, a folder that only one process can make; false if another process has made it. */
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

/** Gives a file the name `path`, and replaces nothing: by a link, or by renaming where there are no links. False if it is taken. */
export function gotName(file: string, path: string): boolean {
  try {
    linkSync(file, path);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
  }
  try {
    // Without links, an empty file takes the name first. Then the file is renamed, not copied: `fileAt` knows it as the same file.
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

/** The path of the file in a folder that belongs to these names; they may have any letters, because the file has their hash as its name. */
export function fileNamed(folder: string, names: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(names)).digest('hex').slice(0, 32);
  return join(folder, `${hash}.json`);
}

/**
 * Keeps a small text in a file that only this user reads. The file is whole, and on the disk when this returns; but where it replaces
 * another file, a power failure may bring the old one back. False if there is a file that must not be replaced. Throws the error of the
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

/** If this process runs as root, the file gets the owner of the folder above it: else that user could not use the file. */
function ownAs(path: string, above: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(above);
  chownSync(path, uid, gid);
}

/**
 * Has the system put a file, or the list of a folder's files, on the disk, if the system can do that. Throws the error of a disk that
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

/** Tries whether a file can be written beside `path`. Throws the error of the file system if not. */
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
