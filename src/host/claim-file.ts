// Claims a file in a folder that machines share: only processes of one owner may write it at a time. The claim is a folder beside the file,
// with an entry for each process: every file system lets one process make a folder, and removes it only while it is empty.
import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../system-errors.ts';
import { hasEnded, machineMark, ownMark, type Process } from './replace-file.ts';

/** The folder that is the claim on a file. */
export const claimFolder = (path: string): string => `${path}.claim`;

export interface FileClaim {
  /** Gives the claim back. `isDone`: all that the owner began is done, so its killed processes on this machine lose their claim, too. */
  release(isDone: boolean): void;
}

/**
 * Claims a file for an owner; `undefined`: another owner has it. `about`: what other owners read about this process. A process that was
 * killed keeps its claim, and the next process of its owner shares it. Throws the error of the file system.
 */
export function claimFile(
  path: string,
  owner: string,
  about: string,
  process: Process,
): FileClaim | undefined {
  const folder = claimFolder(path);
  const prefix = `${owner}.${machineMark(process)}-`;
  const entry = join(folder, prefix + ownMark(process));
  for (;;) {
    const isNew = didUnless('EEXIST', () => mkdirSync(folder));
    // An empty folder is of a process that was killed, or is about to make its entry: without the folder it begins again.
    if (!isNew && entriesIn(folder).length === 0 && isRemoved(folder)) continue;
    if (entryOfOther(folder, owner) !== undefined) return undefined;
    // step: folder of a claim made
    if (didUnless('ENOENT', () => writeFileSync(entry, about, { flag: 'wx', mode: 0o600 }))) break;
  }
  const release = (isDone: boolean) => {
    const isGone = (name: string) => name.startsWith(prefix) && hasEnded(name.slice(prefix.length), process);
    try {
      const others = isDone
        ? entriesIn(folder)
            .filter(isGone)
            .map(name => join(folder, name))
        : [];
      for (const path of [...others, entry]) rmSync(path, { force: true });
      isRemoved(folder);
    } catch {
      // The claim stays, like the claim of a process that was killed.
    }
  };
  // Another owner may have made its entry at the same moment: at least one of the two owners sees the entry of the other.
  if (entryOfOther(folder, owner) === undefined) return { release };
  release(false);
  return undefined;
}

/** What a process of another owner that has claimed the file says of itself; `undefined`: no other owner has claimed it. */
export function otherClaimant(path: string, owner: string | undefined): string | undefined {
  const folder = claimFolder(path);
  const entry = entryOfOther(folder, owner);
  if (entry === undefined) return undefined;
  try {
    return readFileSync(join(folder, entry), 'utf8');
  } catch {
    // The entry belongs to another user, or has just gone.
    return '';
  }
}

/** The name of an entry; other files are ignored, because other programs put files of their own into every folder. */
const ENTRY = /^(\w+)\.[0-9a-f]{8}-\d+-[0-9a-f]{8}$/;

const entryOfOther = (folder: string, owner: string | undefined): string | undefined =>
  entriesIn(folder).find(name => ENTRY.exec(name)?.[1] !== owner);

function entriesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter(name => ENTRY.test(name));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Is an empty folder gone? */
function isRemoved(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch (error) {
    // A link that leads nowhere is no folder, and would never become one.
    if (systemCode(error) === 'ENOTDIR') throw error;
    return systemCode(error) === 'ENOENT';
  }
}

/** Does a piece of work; false if it failed with that code. */
function didUnless(code: string, work: () => void): boolean {
  try {
    work();
    return true;
  } catch (error) {
    if (systemCode(error) === code) return false;
    throw error;
  }
}
