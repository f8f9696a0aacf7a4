import { statSync } from 'node:fs';

/**
 * Gives a function that says whether the files that were opened at that path are still there: not deleted, replaced, or
 * moved with their folder. SQLite would go on writing into files that nobody finds.
 */
export function inPlace(file: string): () => boolean {
  // The log of writes stays while the database is open. There is none where SQLite cannot share memory.
  const opened = [file, `${file}-wal`].map(path => ({ path, at: placeOf(path) }));
  let isThere = true;
  return () => {
    // Once gone, it stays so: what was written meanwhile is lost.
    isThere &&= opened.every(({ path, at }) => at === undefined || placeOf(path) === at);
    return isThere;
  };
}

function placeOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev} ${found.ino}`;
}
