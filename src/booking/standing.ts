// What follows from the facts of a booking: what a person said of it that still holds, and so its code.

import { FAILURES, type FailureCode } from '../exit-codes.ts';
import { type Booking, type Decision, type Fact, isMade, type Settlement } from './booking.ts';
import type { ListedBooking } from './questions.ts';

/** How long after a request was sent a carrier may still be at work on it: until then nobody knows that it made nothing. */
export const AT_WORK_MINUTES = 15;

/** From when on a no of the provider counts, to the full minute. `sentAt`: when the booking was sent last. */
export const noCountsFrom = (sentAt: number): number => Math.ceil(sentAt / 60_000 + AT_WORK_MINUTES) * 60_000;

/** What holds of what persons said: a later word, or an answer that counts, ends an earlier one. */
interface Standing {
  /** By which it exists or does not; `undefined` if its answer says that, or nothing does. */
  decision?: Decision | undefined;
  /** By which it is cancelled, and what it was before. */
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

/** An answer that names the shipment which was cancelled says only what that was. */
function answeredAs(answered: Extract<Fact, { kind: 'answered' }>, standing: Standing): Standing {
  return answered.existedAs && standing.cancellation
    ? { cancellation: { ...standing.cancellation, existedAs: answered.existedAs } }
    : {};
}

/** What a person said of which its state follows; `undefined` if its answer says it, or nothing does. */
export const decisionOf = (booking: Pick<Booking, 'facts'>): Decision | undefined =>
  standingOf(booking).decision;

/** The word by which it is cancelled, with what it was before; `undefined` if it is not. */
export const cancellationOf = (booking: Pick<Booking, 'facts'>): Standing['cancellation'] =>
  standingOf(booking).cancellation;

/** The last word of a person about whether it exists, even if it was taken back or its answer counts since. */
export const lastDecision = (booking: Pick<Booking, 'facts'>): Decision | undefined =>
  booking.facts.findLast((fact): fact is Decision => fact.kind === 'confirmed' || fact.kind === 'denied');

/** Is its shipment that of another order, which has its costs? A person said so. */
export function isSameShipment(booking: Pick<Booking, 'facts'>): boolean {
  const decision = decisionOf(booking);
  return decision?.kind === 'confirmed' && decision.sameAs !== undefined;
}

/** Did a person accept its price? That holds for what it was created as then. */
export const isAccepted = (booking: Pick<Booking, 'facts' | 'ids'>): boolean =>
  booking.facts.some(
    fact => fact.kind === 'accepted' && JSON.stringify(fact.ids) === JSON.stringify(booking.ids),
  );

/** Was it made above its bound, in whole or in part, and nobody has accepted that yet? */
export const needsAcceptance = (booking: Pick<Booking, 'state' | 'overPrice' | 'facts' | 'ids'>): boolean =>
  isMade(booking) && booking.overPrice === true && !isAccepted(booking);

/** May it exist beside another booking that has its key? */
export const isDisputed = (booking: Pick<Booking, 'state' | 'keyHolder'>): boolean =>
  booking.state === 'unknown' && booking.keyHolder !== null;

/** The earlier booking that it replaced, and whose own answer said afterwards that it was created. */
export const disputedBy = (booking: Pick<Booking, 'facts'>): string | undefined =>
  booking.facts.findLast(fact => fact.kind === 'disputed')?.from;

/** Did its own answer say, after a person had spoken, that it was created, and has nobody decided since? */
export function isAnsweredLate(booking: Pick<Booking, 'facts' | 'ids'>): boolean {
  const last = booking.facts.findLast(({ kind }) => ['answered', 'confirmed', 'denied'].includes(kind));
  return last?.kind === 'answered' && last.counts && Object.keys(booking.ids).length > 0;
}

/** The order whose shipment its last answer named, as long as nobody knows what was made. */
export function ownerOfShipment(booking: Pick<Booking, 'state' | 'facts'>): string | undefined {
  const named = booking.facts.findLast(
    fact => fact.kind === 'shipment of another' || fact.kind === 'answered',
  );
  return booking.state === 'unknown' && named?.kind === 'shipment of another' ? named.owner : undefined;
}

/** The code of the failure that a booking is; `null` if all of it was created. */
export function bookingCode(booking: Pick<Booking, 'state' | 'code' | 'facts'>): FailureCode | null {
  if (booking.state === 'created') return null;
  // To book the order again would be one too many.
  if (booking.state === 'cancelled') return 'duplicate';
  return decisionOf(booking)?.kind === 'denied' ? 'rejected' : booking.code;
}

/** The exit code of a booking, also if the same is requested again; `null` while it is being sent. */
export const bookingExitCode = (booking: ListedBooking): number | null => {
  if (booking.state === 'pending') return null;
  const code = needsAcceptance(booking) ? 'over_price' : bookingCode(booking);
  if (code !== null) return FAILURES[code].exit;
  return booking.state === 'created' ? 0 : FAILURES.internal.exit;
};
