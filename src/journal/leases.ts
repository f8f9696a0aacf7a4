import type { Host } from '../host.ts';

/** How long a claimed booking counts as being sent without a sign of its process, in ms; after that it is `unknown`. */
export const LEASE_MS = lengthOfLease();

function lengthOfLease(): number {
  // step: length of a lease asked
  return 60_000;
}

/** The leases of the bookings that this process is sending. */
export interface Leases {
  /** Renews the lease of a booking until it is released. */
  hold(id: string): void;
  release(id: string): void;
  /** Ends all renewals. */
  close(): void;
}

/** `renew` may reject: the next renewal, after a third of the lease, is early enough. */
export function createLeases(
  renew: (ids: readonly string[]) => Promise<unknown>,
  { deadline }: Pick<Host, 'deadline'>,
): Leases {
  const held = new Set<string>();
  let stop = () => {};
  function renewLater(): void {
    stop();
    stop = deadline(LEASE_MS / 3, async () => {
      if (held.size > 0) await renew([...held]).catch(() => {});
      if (held.size > 0) renewLater();
    });
  }
  return {
    hold(id) {
      held.add(id);
      if (held.size === 1) renewLater();
    },
    release(id) {
      held.delete(id);
      if (held.size === 0) stop();
    },
    close() {
      held.clear();
      stop();
    },
  };
}

/**
 * Measures the ms since now, by the clock that says more: one may be set, the other stands still while the machine
 * sleeps.
 */
export function stopwatch({ now, monotonic }: Pick<Host, 'now' | 'monotonic'>): () => number {
  const [wall, steady] = [now(), monotonic()];
  return () => Math.max(Math.abs(now() - wall), monotonic() - steady);
}

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * What is written at about the same time is written together, and in the order in which it comes: what arrives during a
 * write, and as long as each turn of the event loop brings more, is the next group, so that nothing waits for a timer.
 * `write` writes all or nothing, and gives a result for each. After an error that one of them may have caused, each is
 * written alone.
 */
export function inGroups<Item, Result>(
  write: (items: readonly Item[]) => readonly Result[] | Promise<readonly Result[]>,
  { turn }: Pick<Host, 'turn'>,
  isOfOne: (error: unknown) => boolean = () => true,
): (item: Item) => Promise<Result> {
  let waiting: Waiting<Item, Result>[] = [];
  let isWriting = false;

  async function writeGroup(group: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await write(group.map(({ item }) => item));
      group.forEach(({ resolve }, index) => void resolve(results[index] as Result));
    } catch (error) {
      if (group.length > 1 && isOfOne(error)) for (const one of group) await writeGroup([one]);
      else for (const { reject } of group) reject(error);
    }
  }

  async function writeWaiting(): Promise<void> {
    isWriting = true;
    while (waiting.length > 0) {
      for (let count = 0; waiting.length > count; await turn()) count = waiting.length;
      const group = waiting;
      waiting = [];
      await writeGroup(group);
    }
    isWriting = false;
  }

  return item =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!isWriting) void writeWaiting();
    });
}
