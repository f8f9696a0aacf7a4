// Parties, routes and bookings in words, for the lines of a form.

import type { Booking } from '../booking/booking.ts';
import { textAt } from '../contract/paths.ts';
import { timeWords } from '../say/words.ts';
import { folded } from '../text.ts';

/** The texts at these paths, with what is missing left out. */
const joined = (body: unknown, paths: readonly string[], separator = ' '): string =>
  paths
    .map(path => textAt(body, path))
    .filter(Boolean)
    .join(separator);

/** `Ada Yilmaz, Istiklal Cd. 1, 34433 Istanbul, TR` */
export const partyWords = (party: unknown): string =>
  [
    joined(party, ['firstName', 'lastName']),
    joined(party, ['companyName', 'address.line1', 'address.line2'], ', '),
    joined(party, ['address.zipCode', 'address.city']),
    joined(party, ['address.nationalShortAddress', 'address.country.code'], ', '),
  ]
    .filter(Boolean)
    .join(', ');

/** A party with its email and phone: `…, ada@example.com, +90 5550001122`. */
export const contactWords = (party: unknown): string =>
  [partyWords(party), joined(party, ['email']), joined(party, ['phone.code', 'phone.number'])]
    .filter(Boolean)
    .join(', ');

/** `Jonas Weber, Dresden` */
const receiverLine = (body: unknown): string =>
  [joined(body, ['receiver.firstName', 'receiver.lastName']), joined(body, ['receiver.address.city'])]
    .filter(Boolean)
    .join(', ');

/** `Istanbul, TR → Dresden, DE` */
export const route = (body: unknown): string =>
  ['sender', 'receiver']
    .map(role => joined(body, [`${role}.address.city`, `${role}.address.country.code`], ', ') || '?')
    .join(' → ');

/** `2026-03-02 09:00  ORDER-1  shp_1 and shp_2  to Jonas Weber, Dresden` */
export function bookingWords({ at, key, ids, request }: Booking): string {
  const receiver = receiverLine(request);
  return [timeWords(at), key, Object.values(ids).join(' and '), receiver && `to ${receiver}`]
    .filter(Boolean)
    .join('  ');
}

/** Is every typed word the beginning of a word of the choice, without case and accents? */
export const isMeant = (name: string, term: string): boolean => {
  const words = folded(name).split(/[^\p{Letter}\p{Number}]+/u);
  return folded(term)
    .split(/[^\p{Letter}\p{Number}]+/u)
    .every(one => words.some(word => word.startsWith(one)));
};
