// Who may write a file in a folder that machines share: processes of one owner at a time. The claim is a folder beside the file,
// with an entry for each process: every file system lets one process make a folder, and removes it only while it is empty.
import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../system-errors.ts';
import { hasEnded, machineMark, ownMark, type Process } from './replace-file.ts';

/** The folder of the claim of a file. */
export const claimFolder = (path: string): string => `${path}.claim`;

/** The claim that a process has. */
export interface FileClaim {
  /** The process goes. `isDone`: all that its owner began is done, so that its killed processes on this machine hold nothing. */
  release(isDone: boolean): void;
}

/**
 * Claims a file for an owner; `undefined`: another owner has it. `about`: what others are told of this process. A process that was
 * killed keeps its claim, and the next one of its owner shares it. Throws the error of the file system.
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
    // An empty one is of a process that was killed in between, or is about to make its entry and will not find the folder.
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
      // The claim stays, as that of a process that was killed.
    }
  };
  // Another owner may have made its entry at the same moment: at least one of the two sees the other.
  if (entryOfOther(folder, owner) === undefined) return { release };
  release(false);
  return undefined;
}

/** What a process of another owner, which has claimed the file, says of itself; `undefined`: there is none. */
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

/** Other programs put files of their own into every folder. */
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

/** False if it failed with that code. */
function didUnless(code: string, work: () => void): boolean {
  try {
    work();
    return true;
  } catch (error) {
    if (systemCode(error) === code) return false;
    throw error;
  }
}
