// What a person should compare of an answer that has just come: it may be about something else, or dearer than thought.

import { otherIds } from '../contract/content.ts';
import { operationNamed, typedName } from '../contract/operations.ts';
import { getAt } from '../contract/paths.ts';
import { answerOf, type Booking, isMade, type LateOutcome } from '../journal/booking.ts';
import { minuteOf } from '../output/moment.ts';
import type { Diagnostics } from '../output/print.ts';
import { operands, shownId } from '../text.ts';
import type { Order, Placed } from './order.ts';
import { priceWords } from './proposals.ts';
import { isSameReceiver, priceDoubt, priceTold, receiverIn, receiverWords } from './words.ts';

/** Each of them guards money or a parcel: `--quiet` does not hide it. */
const ALWAYS = { always: true };

export async function warnOfAnswer(
  { booking, late, sent }: Placed,
  { bounds, proposed }: Order,
  { warn }: Pick<Diagnostics, 'warn'>,
): Promise<void> {
  // The failure of an overtaken booking says all of it.
  if (late && booking.overtakenBy === null) await warn(settledBefore(late), ALWAYS);
  const { content } = answerOf(booking);
  if (sent) {
    for (const warning of [...movedIds(booking), ...otherReceiver(booking)]) await warn(warning, ALWAYS);
    const maxPrice = bounds?.maxPrice;
    // The answer for a pair has no price.
    const isPriced = booking.operation !== 'ship-dual';
    if (maxPrice && isPriced && isMade(booking) && booking.overPrice === null)
      await warn(priceDoubt(content, maxPrice), ALWAYS);
  }
  // The service charges what its response says. A person may have seen the proposal while another process booked the order.
  const expected = proposed && priceWords(proposed);
  const price = isMade(booking) ? priceTold(content) : undefined;
  if (expected !== undefined && price !== undefined && price !== expected)
    await warn(`the proposal said ${expected}, but the shipment was booked for ${price}`, {
      // Within its bound it costs what the user agreed to.
      always: bounds?.maxPrice === undefined,
    });
}

/** An answer that came after its booking was settled is not shown as if it were any other. */
function settledBefore({ settlement, booking, counts }: LateOutcome): string {
  const { by, at, state, ids } = settlement;
  const found = Object.values(ids).join(' and ');
  const settled = state === 'created' ? `created${found && ` (${found})`}` : 'not created';
  return `booking ${booking.id} was resolved by ${by} at ${minuteOf(at)} as ${settled}, and then its answer came. ${counts ? `The answer counts: the booking is ${booking.state}` : 'It names nothing that was created, so what was recorded counts'}`;
}

/** What was read in another place may be something else. */
function movedIds(booking: Booking): string[] {
  const operation = operationNamed(booking.operation);
  const name = typedName(operation);
  const { body, content, moved } = answerOf(booking);
  const read = moved.map(
    ({ path, found }) =>
      `${name}: the service document shows the id at ${path}, and the answer has it at ${found}: it was read there`,
  );
  if (!isMade(booking)) return read;
  const foundAt = (path: string) => moved.find(one => one.path === path)?.found ?? path;
  const others = otherIds(operation, body, Object.values(booking.ids)).map(
    ({ id, path, found }) =>
      `${name}: the answer has two ids, ${shownId(String(getAt(content, path)))} at ${foundAt(path)} and ${shownId(id)} at ${found}: the first counts. Compare both with what the service shows`,
  );
  return [...read, ...others];
}

/** Where an answer may name the receiver of the order. The domestic leg of a pair may end at a warehouse. */
const TO_RECEIVER = [[], ['international', 'shipment']];

/** A receiver that cannot be compared is no other one: nobody reads a warning that comes with each order. */
function otherReceiver(booking: Booking): string[] {
  if (!isMade(booking)) return [];
  const ours = receiverIn(booking.request);
  const { content } = answerOf(booking);
  const theirs = TO_RECEIVER.map(path => receiverIn(getAt(content, path))).find(
    receiver => isSameReceiver(ours, receiver) === false,
  );
  if (theirs === undefined) return [];
  return [
    `${typedName({ command: booking.operation })}: the answer names another receiver, ${receiverWords(theirs)}, and the order was for ${receiverWords(ours)}. Compare both before the parcel leaves: \`waybill track ${operands(Object.values(booking.ids))}\` shows what the service has`,
  ];
}
