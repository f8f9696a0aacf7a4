import Big from 'big.js';
import * as z from 'zod/mini';
import { CURRENCIES } from './currencies.ts';
import { getAt } from './paths.ts';

// How an answer is read: strict in what a decision needs, open in all the rest. The schemas of answers beside these
// readers are what the document shows (OpenAPI, samples of the emulator); a reader says what we need of it. The body
// as received is what is printed and recorded.

/** Reads a text; a number is read as its text. */
export const readText = z.pipe(z.union([z.string(), z.number()]), z.transform(String));

/** What services write where there is no id: 0, -1, a GUID of zeros, `null`. Or the mask, if a credential stood there. */
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

/** An id, as text without blanks around it. Any other text would be looked up, typed and compared as another id. */
export const readId = z.pipe(readFilled, z.string().check(z.maxLength(LONGEST_ID), z.regex(WHOLE)));

/** Does an answer, or a part of an answer, say that the request failed? Some services write `false` as text. */
export const saysNo = (part: unknown): boolean => {
  const success = getAt(part, ['success']);
  return success === false || (typeof success === 'string' && /^\s*false\s*$/i.test(success));
};

/**
 * Digits before and behind the point of any amount that comes from outside. A longer one is a mistake or an attack, and no sum,
 * database or JSON could hold it.
 */
const DECIMAL = '\\d{1,15}(?:\\.\\d{1,25})?';
/** No amount of money is as large as this. */
const TOO_LARGE = 1e15;

const decimal = z.string().check(z.regex(new RegExp(`^\\s*-?${DECIMAL}\\s*$`)));

/** A finite number within the bounds of an amount; a decimal as text counts as its number: `4.8`, `"4.80"`. */
export const readNumber = z.pipe(
  z.pipe(z.union([z.number(), decimal]), z.transform(Number)),
  z.number().check(z.gt(-TOO_LARGE), z.lt(TOO_LARGE)),
);

/** Is the decimal text an amount, and not longer than one can be? */
export const isAmountText = (text: string): boolean => read(decimal, text) !== undefined;

/** A weight above 0: a weight of 0 or less is probably missing. */
export const readWeight = z.pipe(readNumber, z.number().check(z.positive()));

/**
 * A price as decimal text. Text with exactly three decimals may have a dot between thousands (`1.234` for 1234), and
 * is read only in a currency with three decimals; a number is always read. Exponents are not read: a text of nine
 * characters could ask for a million digits.
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

/** What a service sent in the place of a price, for outputs: `null` for a number that is too large, or too long, to be a price. */
export function toldPrice(price: unknown): unknown {
  if (typeof price === 'number') return readPrice(price, undefined) === undefined ? null : price;
  const isLong = typeof price === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(price) && !isAmountText(price);
  return isLong ? null : price;
}

/** How many decimals the prices of a currency have; `undefined` if the currency is not known. */
export const decimalsOf = (currency: string | null | undefined): number | undefined =>
  CURRENCIES.get(currencyNamed(currency) ?? '');

/** The code of a currency as it is compared, added up and shown everywhere: `EUR` for ` eur `. A text that is no code stays as it is. */
export function currencyNamed(written: string | null | undefined): string | undefined {
  const name = written?.trim();
  const code = name?.toUpperCase() ?? '';
  return CURRENCIES.has(code) ? code : name || undefined;
}

/** Is there no price? A price of 0 or less is probably missing. */
export const lacksPrice = (price: unknown): boolean => price === undefined || Number(price) <= 0;

/** Is there a price that can be read and charged? */
export const hasPrice = (priced: Priced): boolean =>
  !lacksPrice(priced.price) && readPrice(priced.price, priced.currency) !== undefined;

/** A price that can be charged, with its currency: limits are checked with such prices, and only these are added up. */
export function knownPrice(priced: Priced | undefined): Money | undefined {
  const { price, currency } = priced ?? {};
  const amount = currency && !lacksPrice(price) ? readPrice(price, currency) : undefined;
  return amount === undefined || !currency ? undefined : { amount: new Big(amount).toFixed(), currency };
}

/** A price as the service sent it; its currency as `currencyNamed` gives it. */
interface Priced {
  price?: unknown;
  currency?: string | null | undefined;
}

/** An amount of a currency: `{ amount: '20.50', currency: 'EUR' }`. */
export interface Money {
  /** The amount as decimal text. */
  amount: string;
  currency: string;
}

/** What the bookings of 24 hours at an address and account may cost together, in each currency. */
export interface DayLimit {
  amounts: readonly Money[];
  /** Do only bookings of the profile, and bookings without a profile, count? Otherwise all bookings do. */
  isOfProfile: boolean;
}

const MONEY = new RegExp(`^\\s*(${DECIMAL})\\s*([A-Za-z]{3})\\s*$`);

/** A text such as `20EUR` as an amount and a currency; `undefined` for any other text. */
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

/** A reader for a field whose fault must fail nothing: `undefined` if the field is missing or cannot be read. */
export const ifReadable = <T extends z.ZodMiniType>(reader: T) => z.catch(z.optional(reader), undefined);

/** What the reader reads from a value; `undefined` if the value cannot be read. */
export const read = <T extends z.ZodMiniType>(reader: T, value: unknown): z.output<T> | undefined =>
  // Often there is no value, for which zod would make an error with a stack, which takes time.
  value === undefined ? undefined : reader.safeParse(value).data;

/** The words that the service document shows (§3), each as status and as milestone. A service has others. */
export const SHOWN_MILESTONES = ['pending_arrival_at_warehouse', 'delivered'] as const;

/** The milestone at which a journey ends, unless another is named. */
export const DELIVERED: (typeof SHOWN_MILESTONES)[number] = 'delivered';

/** In characters; no word of a service is longer. The time to normalize grows with the square of the number of marks in a row. */
const LONGEST = 200;

/**
 * A word of the service (service type, status, milestone) as it is compared: NFC and lower case, without the dot that a
 * Turkish capital I leaves, so that `EKONOMİ` and `ekonomi` are one word.
 */
export const comparable = (word: string): string =>
  (word.length > LONGEST ? word : word.normalize('NFC')).toLowerCase().replaceAll('i\u0307', 'i').trim();

/** Are these the same word of the service? A missing word is the same as no other. */
export const isSameWord = (first: string | undefined, second: string | undefined): boolean =>
  first !== undefined && second !== undefined && comparable(first) === comparable(second);
