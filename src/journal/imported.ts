// Bookings imported from the results of a batch, which say what was created and not from which input.
import type { OperationCommand } from '../contract/operations.ts';
import type { Booking, Intent } from './booking.ts';

/** In place of a fingerprint if the input is not known. */
export const INPUT_UNKNOWN = 'imported';

export const isInputKnown = ({ fingerprint }: Pick<Booking, 'fingerprint'>): boolean =>
  fingerprint !== INPUT_UNKNOWN;

/**
 * Was this operation booked with this input? What cannot be compared counts as the same: then the recorded booking is
 * shown, and nothing is sent again. `fingerprint` is empty if there is no input yet.
 */
export const hasSameInput = (
  booking: Pick<Booking, 'operation' | 'fingerprint'>,
  operation: OperationCommand,
  { fingerprint }: Partial<Pick<Intent, 'fingerprint'>>,
): boolean =>
  booking.operation === operation &&
  (fingerprint === booking.fingerprint || (Boolean(fingerprint) && !isInputKnown(booking)));
