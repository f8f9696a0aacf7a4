import type { Booking } from '../journal/booking.ts';
import { parseJson } from '../json.ts';

/** What persons said about a booking, as scripts read it; oldest first. */
export const shownSettlements = ({ settlements }: Booking) =>
  settlements.map(({ at, before: _, evidence: __, ...one }) => ({ at: new Date(at).toISOString(), ...one }));

/** The same with what the service told then. */
export const settlementsWithEvidence = (booking: Booking) =>
  shownSettlements(booking).map((one, index) => ({
    ...one,
    evidence: parseJson(booking.settlements[index]?.evidence ?? '') ?? null,
  }));
