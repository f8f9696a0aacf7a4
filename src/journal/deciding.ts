import { type Booking, HOLDING_STATES } from './journal.ts';

/**
 * Of bookings with one key, newest first: the one that holds the key, or else the newest. An imported booking is listed
 * as the newest, though it may be older.
 */
export const decidingBooking = (bookings: readonly Booking[]): Booking | undefined =>
  bookings.find(({ state, overtakenBy }) => overtakenBy === null && HOLDING_STATES.includes(state)) ??
  bookings[0];
