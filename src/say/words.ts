// The one form in which a person reads a party, an address, a booking, a state, an amount or a time. All functions are pure. All other
// rooms use these forms: a thing in two forms would read as two things.

import Big from 'big.js';
import { type Booking, labelledIds } from '../booking/booking.ts';
import type { BookedOrder } from '../booking/questions.ts';
import { decisionOf } from '../booking/standing.ts';
import { partyOf, textsAtPaths } from '../contract/parties.ts';
import { getAt } from '../contract/paths.ts';
import { decimalsOf, type Money, readPrice, toldPrice } from '../contract/read.ts';
import { bare, nameWords, quotedWords, shortened } from '../text.ts';

const joinedWords = (separator: string, texts: readonly (string | null | undefined | false)[]): string =>
  texts.filter(Boolean).join(separator);

// Parties: as a request has them, or as an answer names them.

/** The name of a party: `Jonas Weber`, or the company if no person is named; empty if neither is known. */
export function nameOfParty(party: unknown): string {
  const { person, company } = partyOf(party);
  return person || company || '';
}

/** `Dresden, DE`: the place of a party. */
export function placeWords(party: unknown, isQuoted = false): string {
  const { city, country } = partyOf(party);
  if (!isQuoted) return joinedWords(', ', [city, country]);
  return joinedWords(', ', [city && quotedWords(city), country && nameWords(country)]);
}

/** A name with its place: `Jonas Weber (Dresden, DE)`. */
export const nameAndPlace = (name: string | null, place: string | null): string =>
  name && place ? `${name} (${place})` : (name ?? '') || (place ?? '');

/**
 * `Jonas Weber, Weber GmbH (Dresden, DE)`; empty if nothing is known. `isQuoted`: in a question, in which nothing that a stranger wrote may
 * read as a part of the question.
 */
export function partyWords(party: unknown, isQuoted = false): string {
  const { person, company } = partyOf(party);
  const names = [person, company].filter(Boolean);
  return nameAndPlace(
    joinedWords(', ', isQuoted ? names.map(quotedWords) : names),
    placeWords(party, isQuoted),
  );
}

/** `to Jonas Weber (Dresden, DE)`: the receiver of a request. */
export function receiverWords(request: unknown, isQuoted = false): string {
  const words = partyWords(getAt(request, ['receiver']), isQuoted);
  return words && `to ${words}`;
}

/** `Ada Yilmaz, Yilmaz AS, Istiklal Cd. 1, 34433 Istanbul, TR`: a party of a request with its whole address. */
export function addressWords(party: unknown): string {
  return joinedWords(', ', [
    partyOf(party).person,
    ...['companyName', 'address.line1', 'address.line2'].map(path => textsAtPaths(party, path)),
    textsAtPaths(party, 'address.zipCode', 'address.city'),
    textsAtPaths(party, 'address.nationalShortAddress'),
    textsAtPaths(party, 'address.country.code'),
  ]);
}

// A booking.

/** What a person calls a booking, also in the next command: its key, else its first shipment, else its id. */
export const bookingName = (booking: Pick<Booking, 'key' | 'ids' | 'id'>): string =>
  booking.key ?? Object.values(booking.ids)[0] ?? booking.id;

/** What a person calls an order. A label has the name of the order that it belongs to. */
export const orderName = (order: Pick<BookedOrder, 'booking' | 'labelOf'>): string =>
  order.booking.key ??
  order.labelOf?.key ??
  bookingName({ ...order.booking, ids: { ...labelledIds(order.booking), ...order.booking.ids } });

/** What became of a booking, in words. If a person said that it does not exist, it was not rejected by the service. */
export const stateWords = (booking: Pick<Booking, 'state' | 'facts'>): string =>
  booking.state === 'rejected' && decisionOf(booking)?.kind === 'denied'
    ? 'not created'
    : codeWords(booking.state);

/** A code in words: `pending arrival at warehouse` for `PENDING_ARRIVAL_AT_WAREHOUSE`. Other text stays as it is. */
export const codeWords = (code: string): string =>
  /^\p{Lu}{4,}$|^[\p{L}\p{N}]+(_[\p{L}\p{N}]+)+$/u.test(code)
    ? code.toLowerCase().replaceAll('_', ' ')
    : code;

// Money. Prices are as the service sent them: numbers, decimal text, or anything else, which is shown as it is.

type Currency = string | null | undefined;

/** `12.5`, `EUR` -> `12.50 EUR`: with the decimals of the currency, or with more if the price has more. Other text stays as it is. */
export function money(price: unknown, currency?: Currency): string | undefined {
  if ((toldPrice(price) ?? '') === '') return undefined;
  const amount = readPrice(price, currency);
  const words = amount === undefined ? shortened(bare(price)) : digits(amount, currency);
  return currency ? `${words} ${currency}` : words;
}

function digits(price: string, currency: Currency): string {
  const plain = new Big(price).toFixed();
  const decimals = (/e/i.test(price) ? plain : price).split('.')[1]?.length ?? 0;
  return new Big(price).toFixed(Math.max(decimals, decimalsOf(currency) ?? 0));
}

/** An amount that waybill itself has read or summed: `20.50 EUR`. */
export const amountWords = (price: Money): string => money(price.amount, price.currency) ?? price.currency;

/** The sums of costs, one for each currency: `12.40 EUR + 3.00 USD`; empty if there is no price. */
export const costWords = (costs: Iterable<readonly [currency: string, sum: string | number]>): string =>
  [...costs].map(([currency, sum]) => money(sum, currency)).join(' + ');

// Times, in the time zone of this machine.

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

const two = (number: number): string => String(number).padStart(2, '0');

/** `22 Nov 2026 09:38`; without the year if `now` is given, as in tables, and is in the same year. */
export function timeWords(ms: number, now?: number): string {
  const at = new Date(ms);
  const year = at.getFullYear();
  const isThisYear = now !== undefined && year === new Date(now).getFullYear();
  const clock = `${two(at.getHours())}:${two(at.getMinutes())}`;
  return [at.getDate(), MONTHS[at.getMonth()], isThisYear ? '' : year, clock].filter(Boolean).join(' ');
}

/** The day of a time, for a group, the name of a file, or a paper: `2026-11-22`. */
export function dayOf(ms: number): string {
  const at = new Date(ms);
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

/** The name of a unit, its seconds, and how many of this unit make the next larger unit. */
const UNITS = [
  ['d', 86_400, Number.POSITIVE_INFINITY],
  ['h', 3600, 24],
  ['min', 60, 60],
  ['s', 1, 60],
] as const;

/** A duration in ms, in its two largest units: `5 min 10 s`, `1 h 25 min`. */
export function duration(ms: number): string {
  const whole = Math.round(ms / 1000);
  const counts = UNITS.map(([unit, seconds, most]) => ({ unit, count: Math.floor(whole / seconds) % most }));
  const first = counts.findIndex(({ count }) => count > 0);
  const shown = counts.slice(first, first + 2).filter(({ count }) => count > 0);
  return shown.map(({ unit, count }) => `${count} ${unit}`).join(' ') || '0 s';
}
