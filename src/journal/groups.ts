import type { Host } from '../../host.ts';
import type { Store } from '../../sqlite.ts';

interface Write {
  work(): unknown;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/**
 * Writes of one process share a sync: those that arrive during a sync, and as long as each turn of the event loop brings
 * more, are the next group, so that none waits for a timer. Each promise resolves when its write is on disk; one that
 * fails rejects alone.
 */
export function groupCommits(store: Store, { turn }: Pick<Host, 'turn'>): <T>(work: () => T) => Promise<T> {
  let waiting: Write[] = [];

  function commit(): void {
    const group = waiting;
    waiting = [];
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

  async function collect(): Promise<void> {
    for (let count = 0; waiting.length > count; await turn()) count = waiting.length;
    commit();
  }

  return <T>(work: () => T) =>
    new Promise<T>((resolve, reject) => {
      waiting.push({ work, resolve: result => resolve(result as T), reject });
      if (waiting.length === 1) void collect();
    });
}

/** One write that fails must not undo the others of its group. */
function commitAlone(store: Store, { work, resolve, reject }: Write): void {
  try {
    resolve(store.transaction(work));
  } catch (error) {
    reject(error);
  }
}
