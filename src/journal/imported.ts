// Bookings that were taken over from the results of a batch, which say what was made and not what was given.
import type { OperationCommand } from '../contract/operations.ts';
import type { Booking } from './journal.ts';

/** In the place of a fingerprint where nobody here knows what was given. */
export const INPUT_UNKNOWN = 'imported';

export const isInputKnown = ({ fingerprint }: Pick<Booking, 'fingerprint'>): boolean =>
  fingerprint !== INPUT_UNKNOWN;

/**
 * Was it booked as this operation with this input? What cannot be compared counts as the same: it is shown as it was
 * recorded, and whatever it is taken for, it is not sent again. `fingerprint`: empty where nothing was given yet.
 */
export const hasSameInput = (
  booking: Pick<Booking, 'operation' | 'fingerprint'>,
  operation: OperationCommand,
  fingerprint: string | undefined,
): boolean =>
  booking.operation === operation &&
  (booking.fingerprint === fingerprint || (Boolean(fingerprint) && !isInputKnown(booking)));
