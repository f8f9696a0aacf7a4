// `track` alone, on a terminal: which of the shipments that are under way.
import { Failure } from '../../errors.ts';
import { isMeant } from '../../forms/saved-questions.ts';
import { bookingWords } from '../../forms/words.ts';
import type { Session } from '../../session/session.ts';
import type { Moment } from '../../session/time.ts';
import { activeShipments } from './active.ts';
import type { Tracked } from './read.ts';

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
    esc: 'leave',
  });
  return tracked.filter(({ booking }) => booking?.id === picked);
}
