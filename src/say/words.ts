// The one form that a person reads of a party, an address, a booking, a state, an amount and a time. Everything is pure, and every
// other room takes these forms from here: two forms of one thing read as two things.

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

// A party, as a request has it, or as an answer names it.

/** `Jonas Weber`, or the company of a party without a person; empty if neither is known. */
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

/** `Jonas Weber (Dresden, DE)`, for a name and a place. */
export const nameAndPlace = (name: string | null, place: string | null): string =>
  name && place ? `${name} (${place})` : (name ?? '') || (place ?? '');

/**
 * `Jonas Weber, Weber GmbH (Dresden, DE)`; empty if nothing of it is known. `isQuoted`: in a question, where nothing that a
 * stranger wrote may read as a part of it.
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

/** What a person calls a booking, here and in the next command: by its key, else its first shipment, else its id. */
export const bookingName = (booking: Pick<Booking, 'key' | 'ids' | 'id'>): string =>
  booking.key ?? Object.values(booking.ids)[0] ?? booking.id;

/** The same of an order. A label is called as the order that it is of. */
export const orderName = (order: Pick<BookedOrder, 'booking' | 'labelOf'>): string =>
  order.booking.key ??
  order.labelOf?.key ??
  bookingName({ ...order.booking, ids: { ...labelledIds(order.booking), ...order.booking.ids } });

/** What became of a booking. The service did not reject what a person called not created. */
export const stateWords = (booking: Pick<Booking, 'state' | 'facts'>): string =>
  booking.state === 'rejected' && decisionOf(booking)?.kind === 'denied'
    ? 'not created'
    : codeWords(booking.state);

/** `pending arrival at warehouse` for `PENDING_ARRIVAL_AT_WAREHOUSE`: a code in words. What is no code stays as it is. */
export const codeWords = (code: string): string =>
  /^\p{Lu}{4,}$|^[\p{L}\p{N}]+(_[\p{L}\p{N}]+)+$/u.test(code)
    ? code.toLowerCase().replaceAll('_', ' ')
    : code;

// Money. Prices are as the service sent them: numbers, decimal text, or anything else, which is shown as it is.

type Currency = string | null | undefined;

/** `12.5`, `EUR` -> `12.50 EUR`: the currency's decimals, or more if more are given. What is no price stays as it is. */
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

/** An amount of ours: `20.50 EUR`. */
export const amountWords = (price: Money): string => money(price.amount, price.currency) ?? price.currency;

/** A sum for each currency: `12.40 EUR + 3.00 USD`; empty if there is no price. */
export const costWords = (costs: Iterable<readonly [currency: string, sum: string | number]>): string =>
  [...costs].map(([currency, sum]) => money(sum, currency)).join(' + ');

// Times, in the time zone of this machine.

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

const two = (number: number): string => String(number).padStart(2, '0');

/** `22 Nov 2026 09:38`; without the year if it is that of `now`, which a table gives. */
export function timeWords(ms: number, now?: number): string {
  const at = new Date(ms);
  const year = at.getFullYear();
  const isThisYear = now !== undefined && year === new Date(now).getFullYear();
  const clock = `${two(at.getHours())}:${two(at.getMinutes())}`;
  return [at.getDate(), MONTHS[at.getMonth()], isThisYear ? '' : year, clock].filter(Boolean).join(' ');
}

/** `2026-11-22`: the day, for a group, a file or a paper. */
export function dayOf(ms: number): string {
  const at = new Date(ms);
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

/** The name of a unit, its seconds, and how many of it make the next unit. */
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
