import type { Host } from '../../host.ts';
import type { Store } from '../../sqlite.ts';

interface Write {
  work(): unknown;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/**
 * Writes of one process that share a sync: what gathers while the last group is being synced is the next group, so that
 * nobody waits for a timer. Each resolves when it is on disk, and rejects alone.
 */
export function groupCommits(store: Store, { turn }: Pick<Host, 'turn'>): <T>(work: () => T) => Promise<T> {
  let gathered: Write[] = [];

  function commit(): void {
    const group = gathered;
    gathered = [];
    let results: unknown[];
    try {
      results = store.transaction(() => group.map(({ work }) => work()));
    } catch {
      for (const write of group) commitAlone(store, write);
      return;
    }
    group.forEach(({ resolve }, index) => {
      resolve(results[index]);
    });
  }

  return <T>(work: () => T) =>
    new Promise<T>((resolve, reject) => {
      gathered.push({ work, resolve: result => resolve(result as T), reject });
      if (gathered.length === 1) void turn().then(commit);
    });
}

/** What one of them cannot write must not cost the others theirs. */
function commitAlone(store: Store, { work, resolve, reject }: Write): void {
  try {
    resolve(store.transaction(work));
  } catch (error) {
    reject(error);
  }
}
