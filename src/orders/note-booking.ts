import type { Booked } from '../booking/book.ts';
import type { Operation } from '../contract/operations.ts';
import { placeText } from '../session/address.ts';
import type { Session } from '../session/session.ts';

/** Notes a booking that was sent, or whose recorded answer is shown. `labelled`: shipments that it labels. */
export function noteBooking(
  { bookingLines, scope }: Session,
  { command: operation }: Operation,
  { id, key, sent, overPrice, files, run, actor, outcome }: Booked,
  labelled: readonly string[] = [],
): void {
  const { state, ids, labels } = outcome;
  if (state === 'not_sent') return;
  const { subscription: _, ...shipments } = ids;
  const made = Object.values(shipments);
  bookingLines.note({
    id,
    operation,
    place: placeText(scope()),
    key,
    state,
    sent,
    overPrice,
    shipmentIds: made.length > 0 ? made : [...labelled],
    trackingNumbers: Object.values(labels).flatMap(({ trackingNumber }) => trackingNumber ?? []),
    labelFiles: Object.values(files),
    run,
    actor,
  });
}
