import { createHash } from 'node:crypto';
import type { Operation } from '../contract/operations.ts';
import type { Store } from '../sqlite.ts';
import type { World } from './wire.ts';

const MINUTE_MS = 60_000;

/**
 * Counts a request against the limit of its row (§8), by token and world. Gives the seconds to wait if there were too
 * many; a refused request does not count.
 */
export function overLimit(
  store: Store,
  { id, perMinute }: Operation,
  world: World,
  token: string,
  now: number,
): number | undefined {
  if (perMinute === undefined) return undefined;
  // The file stays on the disk; it must not contain a token that may come from a real profile.
  const who = createHash('sha256').update(token).digest('hex');
  return store.transaction(() => {
    store.run('DELETE FROM requests WHERE at <= ?', now - MINUTE_MS);
    const recent = store.all<{ at: number }>(
      'SELECT at FROM requests WHERE world = ? AND operation = ? AND token = ? ORDER BY at',
      ...[world, id, who],
    );
    const oldest = recent.at(-perMinute);
    if (oldest) return Math.max(1, Math.ceil((oldest.at + MINUTE_MS - now) / 1000));
    store.run('INSERT INTO requests (world, operation, token, at) VALUES (?, ?, ?, ?)', world, id, who, now);
    return undefined;
  });
}
