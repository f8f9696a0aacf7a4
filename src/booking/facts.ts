import { contentOf } from '../contract/content.ts';
import { operationNamed } from '../contract/operations.ts';
import { getAt, textAt } from '../contract/paths.ts';
import { read, readId } from '../contract/read.ts';
import { type Booking, settlementOf } from '../journal/booking.ts';
import { parseJson } from '../json.ts';
import type { Asked, Outcome } from './outcome.ts';

/** What scripts read about a booking; the names are a promise. */
export interface BookedFacts {
  ids: Outcome['ids'];
  labels: Outcome['labels'];
  carrier: string | null;
  /** As the service sent it. */
  price: unknown;
  currency: string | null;
  overPrice: boolean | null;
}

export const NO_FACTS: BookedFacts = {
  ...{ ids: {}, labels: {}, carrier: null, price: null, currency: null, overPrice: null },
};

/** The price is in the response; the carrier is in the response or the request. `content`: what `contentOf` read. */
function bookedFacts(
  { ids, labels, overPrice }: Pick<BookedFacts, 'ids' | 'labels' | 'overPrice'>,
  content: unknown,
  request: Asked,
): BookedFacts {
  const carrier = getAt(content, ['carrier']) ?? getAt(content, 'international.shipment.carrier');
  return {
    ids,
    labels,
    carrier:
      read(readId, getAt(carrier, ['id'])) ??
      textAt(request.value, 'carrier.id') ??
      textAt(request.value, 'carriers.international.id') ??
      null,
    price: getAt(carrier, ['price']) ?? null,
    currency: textAt(carrier, ['currency']) ?? null,
    overPrice,
  };
}

export const factsOfBooked = (
  { outcome, overPrice }: { outcome: Outcome; overPrice: boolean | null },
  request: Asked,
): BookedFacts => bookedFacts({ ...outcome, overPrice }, outcome.content, request);

export function factsOf(booking: Booking): BookedFacts {
  const { value } = contentOf(operationNamed(booking.operation), parseJson(toldAbout(booking) ?? ''));
  return bookedFacts(booking, value, { value: booking.request });
}

/** The text that tells what was made: the answer, or what the service told when a person settled the booking. */
export function toldAbout(booking: Booking): string | null {
  const settlement = settlementOf(booking);
  return settlement ? (settlement.evidence ?? null) : booking.answer;
}

/** What a proposal would cost. */
export const proposedFacts = (proposal: unknown): BookedFacts => ({
  ...NO_FACTS,
  carrier: read(readId, getAt(proposal, ['id'])) ?? null,
  price: getAt(proposal, ['price']) ?? null,
  currency: textAt(proposal, ['currency']) ?? null,
});
