// An order in words: who gets it, what it costs; and whether two receivers are the same, by name and country, without case and
// marks.
import { countryFor } from '../contract/country-names.ts';
import { LEGS, OPERATIONS } from '../contract/operations.ts';
import { getAt, textAt } from '../contract/paths.ts';
import type { Money } from '../contract/read.ts';
import { type Booking, counted } from '../journal/booking.ts';
import { minuteOf } from '../output/moment.ts';
import { isWithin, money } from '../output/money.ts';
import { folded } from '../text.ts';
import type { Order } from './order.ts';
import { hasPrice, priceWords } from './proposals.ts';

interface Receiver {
  firstName: string | undefined;
  lastName: string | undefined;
  /** A code, or a name. */
  country: string | undefined;
}

/** The receiver of a request, or the one that an answer names: that has no address around the country. */
export const receiverIn = (body: unknown): Receiver => ({
  firstName: textAt(body, 'receiver.firstName'),
  lastName: textAt(body, 'receiver.lastName'),
  country: textAt(body, 'receiver.address.country.code') ?? textAt(body, 'receiver.country'),
});

/** `Ann Example, DE` */
export const receiverWords = ({ firstName, lastName, country }: Receiver): string =>
  [[firstName, lastName].filter(Boolean).join(' '), country].filter(Boolean).join(', ');

/**
 * What only one of them has is not compared; nor is a country that is none. `undefined`: there was nothing to compare.
 */
export function isSameReceiver(one: Receiver, other: Receiver): boolean | undefined {
  const hasNames = [one, other].every(each => wordsOf(each).length > 0);
  if (hasNames && !haveSameName(one, other)) return false;
  const [code, otherCode] = [codeOf(one), codeOf(other)];
  if (code !== undefined && otherCode !== undefined) return code === otherCode;
  return hasNames || undefined;
}

const codeOf = ({ country }: Receiver) => (country ? countryFor(country) : undefined);

function haveSameName(one: Receiver, other: Receiver): boolean {
  const [some, others] = [wordsOf(one), wordsOf(other)].toSorted((a, b) => a.length - b.length);
  if (isWhole(one) && isWhole(other)) return some?.join(' ') === others?.join(' ');
  return some?.every(word => others?.includes(word)) ?? true;
}

const isWhole = ({ firstName, lastName }: Receiver): boolean => Boolean(firstName && lastName);

const wordsOf = ({ firstName = '', lastName = '' }: Receiver): string[] =>
  folded(`${firstName} ${lastName}`).split(/\s+/).filter(Boolean);

/** `to Jonas Weber (Dresden, DE)` */
export function toReceiver(body: unknown): string {
  const texts = (...paths: string[]) =>
    paths.map(path => textAt(body, `receiver.${path}`)?.trim()).filter(Boolean);
  const place = texts('address.city', 'address.country.code').join(', ');
  const person = texts('firstName', 'lastName').join(' ') || texts('companyName').join('');
  return `to ${person} (${place})`;
}

/** `at 2026-03-02 09:00 (bk_…)`, in the time of this machine. */
export const madeWords = ({ at, id }: Booking): string => `at ${minuteOf(at)} (${id})`;

/** An order as a person agrees to it. */
export function orderWords({
  operation,
  body: { value: body },
  labels = [],
  proposed,
  thenLabel,
}: Order): string {
  if (operation === OPERATIONS.createSubscription) return `subscription of ${textAt(body, ['url'])}`;
  if (operation === OPERATIONS.createLabels)
    return `label for ${labels.map(({ leg, shipment }) => `${leg} ${shipment}`).join(' and ')}`;
  const isPair = operation === OPERATIONS.createDualShipment;
  const carriers = isPair
    ? LEGS.map(leg => textAt(body, ['carriers', leg, 'id'])).join(' and ')
    : textAt(body, 'carrier.id');
  const words = [
    `${carriers} ${toReceiver(body)}`,
    proposed && priceWords(proposed),
    !isPair && `${getAt(body, ['chargeableWeight'])} kg chargeable`,
    isPair && getAt(body, ['label']) === true && 'with labels',
    thenLabel && 'with a label',
  ];
  return words.filter(Boolean).join(', ');
}

// Prices of what was booked, and the bound above which a person must accept them.

const PRICE = 'carrier.price';

/** The bound for people and for the journal: `20.50 EUR`. */
export const boundWords = ({ amount, currency }: Money): string => `${amount} ${currency}`;

/**
 * Is the price in the content of an answer above the bound, or not comparable with it? Then a person must look at it. A price
 * of 0 or less is within every bound, and proves nothing: `null`, as without a price.
 */
export function isAbove(content: unknown, maxPrice: Money): boolean | null {
  const { price, currency } = pricedAt(content);
  if (price === undefined || price === null || price === '') return null;
  if (!isWithin(price, currency, maxPrice)) return true;
  return hasPrice({ price, currency }) ? false : null;
}

/** Why that cannot be told. */
export function priceDoubt(content: unknown, maxPrice: Money): string {
  const told = priceTold(content);
  const found =
    told === undefined
      ? `no price at ${PRICE}`
      : `a price of ${told} at ${PRICE}, probably because it is missing`;
  return `the answer has ${found}, so it cannot be compared with --max-price ${boundWords(maxPrice)}`;
}

/** `12.40 EUR`, if the answer says it. */
export function priceTold(content: unknown): string | undefined {
  const { price, currency } = pricedAt(content);
  return money(price, currency);
}

/** The price as the journal counts it. */
export function chargedIn(content: unknown): string | null {
  const { price, currency } = pricedAt(content);
  return counted(price, currency);
}

const pricedAt = (content: unknown) => ({
  price: getAt(content, PRICE),
  currency: textAt(content, 'carrier.currency') ?? '',
});
