import { comparable } from './words.ts';

/** At best and at worst, in days. */
export type Days = readonly [least: number, most: number];

// The service document has no units; these are what carriers write, in English and in Turkish.
const UNITS: readonly (readonly [RegExp, inDays: (count: number) => number])[] = [
  [/^(business|working|work|calendar|i\u015f)?[ -]*(d|days?|g\u00fcn\u00fc?)$/, count => count],
  [/^(w|wks?|weeks?|hafta)$/, count => 7 * count],
  [/^(h|hrs?|hours?|saat)$/, count => Math.ceil(count / 24)],
];

const AMOUNT = String.raw`(\d+(?:\.\d+)?)(?:\s*-?(\p{L}[\p{L}\s-]*?))?`;
const BEFORE = String.raw`(?:within|up to|between|in|about|approximately|approx\.?|estimated|est\.?|ca\.?|max\.?|~)`;
const TO = String.raw`\s*(?:[-~/\u2010-\u2014]|\b(?:to|and|or)\b)\s*`;
const TIME = new RegExp(String.raw`^(?:${BEFORE}\s*)*${AMOUNT}(?:${TO}${AMOUNT})?\.?$`, 'u');

/** No carrier writes more, and the pattern takes long for a text of a megabyte. */
const LONGEST = 80;

/**
 * A delivery time in days: `2-4 days`, `1-2 weeks`, `36 hours`. Without a unit it is days; a business day counts as one, and
 * hours are rounded up. `undefined` for anything else, such as 0 days and `11/25` without a unit, which is a date: a time
 * that was guessed could keep a bound that the real one breaks.
 */
export function daysIn(deliveryTime: string): Days | undefined {
  const match = deliveryTime.length > LONGEST ? null : TIME.exec(comparable(deliveryTime));
  if (match === null) return undefined;
  const [, first = '', firstUnit, last, lastUnit] = match;
  // `1-2 weeks` has the unit of both at its end. In `1 week - 2` it is not clear what 2 is.
  if (last !== undefined && firstUnit !== undefined && lastUnit === undefined) return undefined;
  const unit = firstUnit ?? lastUnit;
  if (unit === undefined && deliveryTime.includes('/')) return undefined;
  const days = [inDays(first, unit), ...(last === undefined ? [] : [inDays(last, lastUnit)])];
  const [least, most] = [Math.min(...days), Math.max(...days)];
  return Number.isFinite(most) && most > 0 ? [least, most] : undefined;
}

/** NaN in a unit that is not known. */
function inDays(amount: string, unit: string | undefined): number {
  if (unit === undefined) return Number(amount);
  const known = UNITS.find(([pattern]) => pattern.test(unit.trim()));
  return known ? known[1](Number(amount)) : Number.NaN;
}
