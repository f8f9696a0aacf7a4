import type { Store } from '../sqlite.ts';
import { CARRIERS, type Carrier } from './carriers.ts';
import { DELIVERED } from './shipments.ts';
import { announce } from './subscriptions.ts';
import type { World } from './wire.ts';

// Only time moves a shipment: it is delivered after the transit time of its carrier, divided by the speed. The date is
// computed each time, so that stored data may be opened again at another speed.

const DAY_MS = 86_400_000;

const transitMs = ({ transitDays }: Carrier, speed: number): number =>
  Math.ceil((transitDays * DAY_MS) / speed);

/** Delivers what is due by `now` (ms since 1970), dated at its due time, and announces it to the subscriptions. */
export function arrive(store: Store, speed: number, now: number): void {
  const next = nextArrival(store, speed);
  if (next === undefined || next > now) return;
  store.transaction(() => {
    for (const carrier of CARRIERS) {
      const transit = transitMs(carrier, speed);
      const due = store.all<{ id: string; world: World; created_at: number }>(
        `SELECT id, world, created_at FROM shipments
         WHERE delivered_at IS NULL AND carrier = ? AND created_at <= ? ORDER BY created_at, id`,
        ...[carrier.id, now - transit],
      );
      for (const { id, world, created_at } of due) {
        const at = created_at + transit;
        store.run('UPDATE shipments SET delivered_at = ? WHERE id = ?', at, id);
        announce(store, { world, shipmentId: id, status: DELIVERED, at });
      }
    }
  });
}

/** When the next shipment arrives, in ms since 1970. */
export function nextArrival(store: Store, speed: number): number | undefined {
  // One query for each carrier, which an index answers: this runs before every request.
  const arrivals = CARRIERS.flatMap(carrier => {
    const oldest = store.first<{ at: number | null }>(
      'SELECT min(created_at) AS at FROM shipments WHERE delivered_at IS NULL AND carrier = ?',
      carrier.id,
    );
    return typeof oldest?.at === 'number' ? [oldest.at + transitMs(carrier, speed)] : [];
  });
  return arrivals.length > 0 ? Math.min(...arrivals) : undefined;
}
