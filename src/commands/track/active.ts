// The shipments of the journal that are under way: all of them, or the one that a person picks.
import { Failure } from '../../errors.ts';
import { isMeant } from '../../forms/saved-questions.ts';
import { bookingWords } from '../../forms/words.ts';
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

/** More are not offered: a person names an older one. */
const MOST_OFFERED = 200;

/** The shipments of the booking that a person picks. Throws `usage` if none is under way, `interrupted` if none is picked. */
export async function pickActive(session: Session, since: Moment): Promise<Tracked[]> {
  const tracked = await activeShipments(session, since, MOST_OFFERED);
  const bookings = new Map(
    tracked.flatMap(({ booking }) => (booking ? [[booking.id, booking] as const] : [])),
  );
  if (bookings.size === 0)
    throw new Failure(
      'usage',
      'no shipment of this account is under way in the journal. Name one: `waybill track REF`, by its id, its tracking number, or the key of its booking',
    );
  const choices = [...bookings].map(([value, booking]) => ({ value, name: bookingWords(booking) }));
  const picked = await session.ask({
    kind: 'search',
    id: 'shipment',
    message: 'Which shipment?',
    find: async term => choices.filter(({ name }) => isMeant(name, term)),
  });
  if (picked === undefined)
    throw new Failure('interrupted', 'track: no shipment was picked; nothing was sent');
  return tracked.filter(({ booking }) => booking?.id === picked);
}
