// The shipments of the journal that are under way.
import { stopIfInterrupted } from '../../http/client.ts';
import { endMilestonesOf } from '../../profile/settings.ts';
import type { Session } from '../../session/session.ts';
import type { Moment } from '../../session/time.ts';
import { sinceOf } from '../../views/shipment-list.ts';
import { type Shipment, type Tracked, trackedIds } from './read.ts';
import { endsOf } from './remember.ts';

/** How many bookings are read at a time. */
const PAGE = 500;

/** The newest first; of `most` bookings. */
export async function activeShipments(
  session: Session,
  since: Moment,
  most = Number.POSITIVE_INFINITY,
): Promise<Tracked[]> {
  const { host } = session;
  const journal = await session.journalIfThere();
  const ends = endMilestonesOf(session.target().profile);
  const tracked: Tracked[] = [];
  let before: string | undefined;
  for (let left = most; journal !== undefined && left > 0; left -= PAGE) {
    const limit = Math.min(PAGE, left);
    const page = await journal.underWay(session.scope(), { since: since(host.now()), ends, before, limit });
    for (const { booking, ids } of page) tracked.push(...trackedIds(ids, booking));
    if (page.length < limit) break;
    before = page.at(-1)?.booking.id;
    stopIfInterrupted(host);
  }
  return tracked;
}

/** Of these, what is under way and has had the same milestone for so many seconds, and what could not be read. */
export function staleOf(session: Session, shipments: readonly Shipment[], seconds: number): Shipment[] {
  const bound = session.host.now() - seconds * 1000;
  return shipments.filter(
    one =>
      one.failure !== undefined ||
      (endsOf(session, one).length === 0 && (sinceOf(one) ?? one.booking?.at ?? bound) <= bound),
  );
}
