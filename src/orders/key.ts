// What is known of a key before its order is built.
import type { Operation } from '../contract/operations.ts';
import type { Obstacle } from '../journal/types.ts';
import { Json } from '../json.ts';
import { meet, type Order, obstacleTo, refuseMangled } from '../order/place.ts';
import { meansToBook } from '../session/means.ts';
import type { Session } from '../session/session.ts';
import type { BookingOptions } from './flags.ts';

/** The booking that has the key, if any has. */
export async function bookingOfKey(
  session: Session,
  operation: Operation,
  options: BookingOptions,
): Promise<Obstacle | undefined> {
  if (options.key === undefined) return undefined;
  return obstacleTo(bare(operation, options), await meansToBook(session, options));
}

/** Before a form is filled in for a key that is booked, or damaged. Throws `duplicate`, `usage`. */
export async function refuseBookedKey(
  session: Session,
  operation: Operation,
  options: BookingOptions,
): Promise<void> {
  const obstacle = await bookingOfKey(session, operation, options);
  if (obstacle) await meet(obstacle, bare(operation, options), await meansToBook(session, options));
  else refuseMangled({ operation, key: options.key });
}

/** An order of which only the key is known. */
const bare = (operation: Operation, { key }: BookingOptions): Order => ({
  operation,
  key,
  fingerprint: '',
  body: new Json(null),
});
