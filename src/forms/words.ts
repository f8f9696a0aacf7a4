// Parties, routes and bookings in words, for the lines of a form.

import type { Booking } from '../booking/booking.ts';
import { getAt, textAt } from '../contract/paths.ts';
import { addressWords, placeWords, receiverWords, timeWords } from '../say/words.ts';
import { folded } from '../text.ts';

/** A party with its email and phone: `…, ada@example.com, +90 5550001122`. */
export const contactWords = (party: unknown): string =>
  [
    addressWords(party),
    textAt(party, ['email']),
    [textAt(party, 'phone.code'), textAt(party, 'phone.number')].filter(Boolean).join(' '),
  ]
    .filter(Boolean)
    .join(', ');

/** `Istanbul, TR → Dresden, DE` */
export const route = (body: unknown): string =>
  ['sender', 'receiver'].map(role => placeWords(getAt(body, [role])) || '?').join(' → ');

/** `2 Mar 2026 09:00  ORDER-1  shp_1 and shp_2  to Jonas Weber (Dresden, DE)` */
export const bookingWords = ({ at, key, ids, request }: Booking): string =>
  [timeWords(at), key, Object.values(ids).join(' and '), receiverWords(request)].filter(Boolean).join('  ');

/** Is every typed word the beginning of a word of the choice, without case and accents? */
export const isMeant = (name: string, term: string): boolean => {
  const words = folded(name).split(/[^\p{Letter}\p{Number}]+/u);
  return folded(term)
    .split(/[^\p{Letter}\p{Number}]+/u)
    .every(one => words.some(word => word.startsWith(one)));
};
