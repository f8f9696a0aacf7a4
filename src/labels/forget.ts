// Files with addresses of what `history prune` deletes: what waybill saved in its own folder is deleted, and others are named.
import { lstatSync, opendirSync, rmSync, type Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure, messageOf } from '../errors.ts';
import type { ForgetFile, Journal } from '../journal/journal.ts';
import type { FolderHost } from '../profile/environment.ts';
import { bookingOfPaper } from './behind.ts';
import { hasBytes, labelFolder } from './save.ts';

/** At most so many of those that are left are counted. */
export const COUNTED = 10_000;
/** So many papers are asked for at a time. */
const AT_ONCE = 500;

/** `isShared`: a file that is not here may be on another machine. */
export function openForget(host: FolderHost, isShared: boolean) {
  const folder = labelFolder(host);
  // Through a link anything could be deleted.
  const isOurs = folder !== undefined && presentAt(folder)?.isDirectory() === true;
  let deleted = 0;
  const left = new Set<string>();
  const remove = (path: string) => {
    try {
      rmSync(path, { force: true });
      deleted += 1;
    } catch (error) {
      throw new Failure(
        'storage',
        `${path} cannot be deleted: ${messageOf(error)}. What the journal has of its order was kept: run this again when it can be deleted`,
      );
    }
  };

  /** Deletes a file that is as it was saved; one that somebody changed, or replaced by a link, is theirs. */
  const file: ForgetFile = async (path, labels) => {
    const present = presentAt(path);
    if (present === undefined && !isShared) return;
    const isPlain = isOurs && dirname(path) === folder && present?.isFile() === true;
    // That is for the end.
    if (isPlain && bookingOfPaper(path) !== undefined) return;
    if (isPlain && (await labels()).some(bytes => hasBytes(path, bytes))) remove(path);
    else if (left.size < COUNTED) left.add(path);
  };

  /** Deletes the papers in the folder of all that was pruned, now or before: each says itself whose it is. */
  async function papers(journal: Journal): Promise<void> {
    if (!isOurs) return;
    let some: { path: string; booking: string }[] = [];
    const removeSome = async () => {
      const pruned = await journal.prunedAmong(some.map(({ booking }) => booking));
      for (const { path, booking } of some) if (pruned.has(booking)) remove(path);
      some = [];
    };
    for await (const entry of opendirSync(folder)) {
      const path = join(folder, entry.name);
      const booking = entry.isFile() ? bookingOfPaper(path) : undefined;
      if (booking !== undefined) some.push({ path, booking });
      if (some.length >= AT_ONCE) await removeSome();
    }
    if (some.length > 0) await removeSome();
  }

  return {
    file,
    papers,
    /** What was done so far. `left`: at most `COUNTED` paths. */
    get done(): { deleted: number; left: string[] } {
      return { deleted, left: [...left] };
    },
  };
}

/** What is there; a link is a link. Of what may not be looked at nothing is known but that it may be there. */
function presentAt(path: string): Pick<Stats, 'isFile' | 'isDirectory'> | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return { isFile: () => false, isDirectory: () => false };
  }
}
