// What follows from the facts of a booking: which statements of persons still hold, and from these the code of the booking.

import { FAILURES, type FailureCode } from '../exit-codes.ts';
import { type Booking, type Decision, type Fact, isMade, type Settlement } from './booking.ts';
import type { ListedBooking } from './questions.ts';

/** How long after a request was sent a carrier may still work on it: before that, nobody can know that the request made nothing. */
export const AT_WORK_MINUTES = 15;

/** The time, to the full minute, from which the provider's statement that nothing was booked counts. `sentAt`: of the last attempt. */
export const noCountsFrom = (sentAt: number): number => Math.ceil(sentAt / 60_000 + AT_WORK_MINUTES) * 60_000;

/** Which statements of persons still hold: a later statement, or an answer that counts, ends an earlier statement. */
interface Standing {
  /** The statement that the booking exists, or does not exist; `undefined` if the answer says so, or nothing does. */
  decision?: Decision | undefined;
  /** The statement that the booking was cancelled, with its state before. */
  cancellation?: Extract<Settlement, { kind: 'cancelled' }> | undefined;
}

function standingOf(booking: Pick<Booking, 'facts'>): Standing {
  let standing: Standing = {};
  for (const fact of booking.facts)
    switch (fact.kind) {
      case 'confirmed':
      case 'denied':
        standing = { decision: fact };
        break;
      case 'cancelled':
        standing = { ...standing, cancellation: fact };
        break;
      case 'reopened':
        standing = standing.cancellation ? { decision: standing.decision } : {};
        break;
      case 'answered':
        if (fact.counts) standing = answeredAs(fact, standing);
    }
  return standing;
}

/** A late answer that counts ends all statements of persons; only a cancellation stays, if the answer names the cancelled shipment. */
function answeredAs(answered: Extract<Fact, { kind: 'answered' }>, standing: Standing): Standing {
  return answered.existedAs && standing.cancellation
    ? { cancellation: { ...standing.cancellation, existedAs: answered.existedAs } }
    : {};
}

/** The decision of a person from which the state of the booking follows; `undefined` if the state follows from the answer, or nothing. */
export const decisionOf = (booking: Pick<Booking, 'facts'>): Decision | undefined =>
  standingOf(booking).decision;

/** The statement that the booking was cancelled, with its state before; `undefined` if it is not cancelled. */
export const cancellationOf = (booking: Pick<Booking, 'facts'>): Standing['cancellation'] =>
  standingOf(booking).cancellation;

/** The last decision of a person whether the booking exists, even if the decision was taken back, or the answer counts since then. */
export const lastDecision = (booking: Pick<Booking, 'facts'>): Decision | undefined =>
  booking.facts.findLast((fact): fact is Decision => fact.kind === 'confirmed' || fact.kind === 'denied');

/** Did a person say that the booking is the same shipment as another order, which has the costs? */
export function isSameShipment(booking: Pick<Booking, 'facts'>): boolean {
  const decision = decisionOf(booking);
  return decision?.kind === 'confirmed' && decision.sameAs !== undefined;
}

/** Did a person accept the price of the booking? The acceptance holds for the ids that the booking had then. */
export const isAccepted = (booking: Pick<Booking, 'facts' | 'ids'>): boolean =>
  booking.facts.some(
    fact => fact.kind === 'accepted' && JSON.stringify(fact.ids) === JSON.stringify(booking.ids),
  );

/** Was the booking made above its price bound, in whole or in part, and has nobody accepted the price yet? */
export const needsAcceptance = (booking: Pick<Booking, 'state' | 'overPrice' | 'facts' | 'ids'>): boolean =>
  isMade(booking) && booking.overPrice === true && !isAccepted(booking);

/** May the booking exist beside another booking that has its key? */
export const isDisputed = (booking: Pick<Booking, 'state' | 'keyHolder'>): boolean =>
  booking.state === 'unknown' && booking.keyHolder !== null;

/** The earlier booking that this booking replaced, and that may exist after all, as its late answer says. */
export const disputedBy = (booking: Pick<Booking, 'facts'>): string | undefined =>
  booking.facts.findLast(fact => fact.kind === 'disputed')?.from;

/** Did the booking's own answer say, after a person had decided, that it was created, and has nobody decided since? */
export function isAnsweredLate(booking: Pick<Booking, 'facts' | 'ids'>): boolean {
  const last = booking.facts.findLast(({ kind }) => ['answered', 'confirmed', 'denied'].includes(kind));
  return last?.kind === 'answered' && last.counts && Object.keys(booking.ids).length > 0;
}

/** The order whose shipment the last answer of the booking named, as long as nobody knows what was made. */
export function ownerOfShipment(booking: Pick<Booking, 'state' | 'facts'>): string | undefined {
  const named = booking.facts.findLast(
    fact => fact.kind === 'shipment of another' || fact.kind === 'answered',
  );
  return booking.state === 'unknown' && named?.kind === 'shipment of another' ? named.owner : undefined;
}

/** The failure code of a booking; `null` if the whole booking was created. */
export function bookingCode(booking: Pick<Booking, 'state' | 'code' | 'facts'>): FailureCode | null {
  if (booking.state === 'created') return null;
  // A cancelled booking keeps its key: the same order again is a duplicate.
  if (booking.state === 'cancelled') return 'duplicate';
  return decisionOf(booking)?.kind === 'denied' ? 'rejected' : booking.code;
}

/** The exit code of a booking, also if the same booking is requested again; `null` while the booking is being sent. */
export const bookingExitCode = (booking: ListedBooking): number | null => {
  if (booking.state === 'pending') return null;
  const code = needsAcceptance(booking) ? 'over_price' : bookingCode(booking);
  if (code !== null) return FAILURES[code].exit;
  return booking.state === 'created' ? 0 : FAILURES.internal.exit;
};
