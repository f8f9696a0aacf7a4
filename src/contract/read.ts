import Big from 'big.js';
import * as z from 'zod/mini';
import { CURRENCIES } from './currencies.ts';
import { getAt } from './paths.ts';

// How an answer is read: strict in what a decision needs, open in all the rest. The schemas of answers beside these
// readers are what the document shows (OpenAPI, samples of the emulator); a reader says what we need of it. The body
// as received is what is printed and recorded.

/** Text; a number counts as its text. */
export const readText = z.pipe(z.union([z.string(), z.number()]), z.transform(String));

/** What services write where there is no id: 0, -1, a GUID of zeros, the name of nothing. Or it was a credential. */
const NO_ID = /^([0{}-]*|-\d+|null|undefined|\u2022{4})$/i;

/** What is in the place of an id, as text: not blank, none of `NO_ID`, no number that lost digits and could be another id. */
export const readFilled = z.pipe(
  z.union([
    z.string().check(
      z.trim(),
      z.refine(text => !NO_ID.test(text)),
    ),
    z.int().check(z.positive()),
  ]),
  z.transform(String),
);

export const LONGEST_ID = 200;

/** Text in one line: no control character, no half of a character, and none that was lost in decoding (U+FFFD). */
const WHOLE = /^[^\p{Control}\p{Surrogate}\u2028\u2029\ufffd]+$/u;

/** An id, as text without blanks around it. Anything else would be looked up, typed and compared as another one. */
export const readId = z.pipe(readFilled, z.string().check(z.maxLength(LONGEST_ID), z.regex(WHOLE)));

/** Does an answer, or a part of it, say that it failed? Some services write `false` as text. */
export const saysNo = (part: unknown): boolean => {
  const success = getAt(part, ['success']);
  return success === false || (typeof success === 'string' && /^\s*false\s*$/i.test(success));
};

/**
 * Digits before and behind the point of any amount that comes from outside. A longer one is a mistake or an attack, and no sum,
 * database or JSON could hold it.
 */
const DECIMAL = '\\d{1,15}(?:\\.\\d{1,25})?';
/** No amount is as large. */
const TOO_LARGE = 1e15;

const decimal = z.string().check(z.regex(new RegExp(`^\\s*-?${DECIMAL}\\s*$`)));

/** A finite number within the bounds of an amount; a decimal as text counts as its number: `4.8`, `"4.80"`. */
export const readNumber = z.pipe(
  z.pipe(z.union([z.number(), decimal]), z.transform(Number)),
  z.number().check(z.gt(-TOO_LARGE), z.lt(TOO_LARGE)),
);

/** Is the decimal text an amount, and not longer than one can be? */
export const isAmountText = (text: string): boolean => read(decimal, text) !== undefined;

/** A weight: one of 0 or less is probably missing. */
export const readWeight = z.pipe(readNumber, z.number().check(z.positive()));

/**
 * A price as decimal text. Text with exactly three decimals may have a dot between thousands (`1.234` for 1234), and
 * is read only in a currency with three decimals; a number is always read. No exponents: a text of nine characters
 * could ask for a million digits.
 */
export function readPrice(price: unknown, currency: string | null | undefined): string | undefined {
  if (typeof price === 'number') {
    const text = String(price);
    const isAmount =
      Math.abs(price) < TOO_LARGE && isAmountText(/e/.test(text) ? new Big(price).toFixed() : text);
    return isAmount ? text : undefined;
  }
  if (read(decimal, price) === undefined) return undefined;
  const text = String(price).trim();
  const isUnclear = /\.\d{3}$/.test(text) && decimalsOf(currency) !== 3;
  return isUnclear ? undefined : text;
}

/** What a service sent in the place of a price, for outputs: `null` for a number that is too large, or too long, to be one. */
export function toldPrice(price: unknown): unknown {
  if (typeof price === 'number') return readPrice(price, undefined) === undefined ? null : price;
  const isLong = typeof price === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(price) && !isAmountText(price);
  return isLong ? null : price;
}

/** How many decimals prices of a currency have; `undefined` if it is not known. */
export const decimalsOf = (currency: string | null | undefined): number | undefined =>
  CURRENCIES.get(currencyNamed(currency) ?? '');

/** `EUR` of ` eur `: a currency has one name wherever it is compared, added up or shown. What is no code stays as it is. */
export function currencyNamed(written: string | null | undefined): string | undefined {
  const name = written?.trim();
  const code = name?.toUpperCase() ?? '';
  return CURRENCIES.has(code) ? code : name || undefined;
}

/** Is there no price? One of 0 or less is probably missing. */
export const lacksPrice = (price: unknown): boolean => price === undefined || Number(price) <= 0;

/** Is there a price that can be read and charged? */
export const hasPrice = (priced: Priced): boolean =>
  !lacksPrice(priced.price) && readPrice(priced.price, priced.currency) !== undefined;

/** What limits are held against, and what is added up: a price that can be charged, in a currency. */
export function knownPrice(priced: Priced | undefined): Money | undefined {
  const { price, currency } = priced ?? {};
  const amount = currency && !lacksPrice(price) ? readPrice(price, currency) : undefined;
  return amount === undefined || !currency ? undefined : { amount: new Big(amount).toFixed(), currency };
}

/** As the service sent it; its currency as `currencyNamed` has it. */
interface Priced {
  price?: unknown;
  currency?: string | null | undefined;
}

/** An amount of a currency: `{ amount: '20.50', currency: 'EUR' }`. */
export interface Money {
  /** Decimal text. */
  amount: string;
  currency: string;
}

/** What the bookings of 24 hours at an address and account may cost together, in each currency. */
export interface DayLimit {
  amounts: readonly Money[];
  /** Do only the bookings of the profile count, and those without one? Otherwise those of anybody. */
  isOfProfile: boolean;
}

const MONEY = new RegExp(`^\\s*(${DECIMAL})\\s*([A-Za-z]{3})\\s*$`);

/** `20EUR` as an amount and a currency; `undefined` if it is not one. */
export function moneyIn(written: string): Money | undefined {
  const match = MONEY.exec(written);
  const [, amount, currency] = match?.map(part => part.toUpperCase()) ?? [];
  if (amount === undefined || currency === undefined || !CURRENCIES.has(currency)) return undefined;
  return { amount, currency };
}

/** An amount above 0 and a currency, as a bound of a price must be: an order without a price is held against no limit. */
export function boundIn(written: string): Money | undefined {
  const money = moneyIn(written);
  return money && Number(money.amount) > 0 ? money : undefined;
}

/** For a field that no decision fails on: `undefined` if it is missing or cannot be read. */
export const ifReadable = <T extends z.ZodMiniType>(reader: T) => z.catch(z.optional(reader), undefined);

/** What the reader reads; `undefined` if it cannot be read. */
export const read = <T extends z.ZodMiniType>(reader: T, value: unknown): z.output<T> | undefined =>
  // Much is missing, and zod makes an error with a stack of it.
  value === undefined ? undefined : reader.safeParse(value).data;

/** The words that the service document shows (§3), each as status and as milestone. A service has others. */
export const SHOWN_MILESTONES = ['pending_arrival_at_warehouse', 'delivered'] as const;

/** Where a journey ends, if nothing else is said. */
export const DELIVERED: (typeof SHOWN_MILESTONES)[number] = 'delivered';

/** No word is longer. Normalizing takes time with the square of the number of marks that follow one another. */
const LONGEST = 200;

/**
 * A word of the service (service type, status, milestone) as it is compared: NFC and lower case, without the dot that a
 * Turkish capital I leaves, so that `EKONOMİ` and `ekonomi` are one word.
 */
export const comparable = (word: string): string =>
  (word.length > LONGEST ? word : word.normalize('NFC')).toLowerCase().replaceAll('i\u0307', 'i').trim();

/** Are they the same word? Nothing is the same as a word that is missing. */
export const isSameWord = (first: string | undefined, second: string | undefined): boolean =>
  first !== undefined && second !== undefined && comparable(first) === comparable(second);
