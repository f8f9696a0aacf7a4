// What follows from what a person said about a booking.
import { FAILURES, type FailureCode } from '../errors.ts';
import type { Booking, Settlement } from './booking.ts';

/** Did a person accept its price? That holds for what it was created as then. */
export const isAccepted = ({ settlements, ids }: Pick<Booking, 'settlements' | 'ids'>): boolean =>
  settlements.some(one => one.state === 'accepted' && JSON.stringify(one.ids) === JSON.stringify(ids));

/** Was it created above its bound, and nobody has accepted that yet? */
export const needsAcceptance = (
  booking: Pick<Booking, 'state' | 'overPrice' | 'settlements' | 'ids'>,
): boolean => booking.state === 'created' && booking.overPrice === true && !isAccepted(booking);

/** The settlement that the state of a booking follows from; `undefined` if its answer says it, or nothing does. */
export function settlementOf({ state, code, settlements }: Booking): Settlement | undefined {
  // The code stays what it was before the settlement.
  const isSettled = code === 'outcome_unknown' && state !== 'unknown';
  return isSettled ? settlements.findLast(one => one.state === state) : undefined;
}

/** The code of the failure that a booking is; `null` if all of it was created. */
export const codeOf = (booking: Booking): FailureCode | null =>
  booking.state === 'created' ? null : settlementOf(booking) ? 'rejected' : booking.code;

/** The exit code of a booking, also if the same is requested again; `null` while it is being sent. */
export const exitCodeOf = (booking: Booking): number | null => {
  if (booking.state === 'pending') return null;
  if (booking.state !== 'created') return FAILURES[codeOf(booking) ?? 'internal'].exit;
  return needsAcceptance(booking) ? FAILURES.over_price.exit : 0;
};
