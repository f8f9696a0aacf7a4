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
