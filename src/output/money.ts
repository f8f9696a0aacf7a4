import Big from 'big.js';
import { decimalsOf, type Money, readPrice, toldPrice } from '../contract/read.ts';
import { bare, shortened } from '../text.ts';

// Prices are as the service sent them: numbers, decimal text, or anything else, which is shown as it is.

type Currency = string | null | undefined;

/** `12.5`, `EUR` -> `12.50 EUR`: the currency's decimals, or more if more are given. What is no price stays as it is. */
export function money(price: unknown, currency?: Currency): string | undefined {
  if ((toldPrice(price) ?? '') === '') return undefined;
  const given = readPrice(price, currency);
  const words = given === undefined ? shortened(bare(price)) : digits(given, currency);
  return currency ? `${words} ${currency}` : words;
}

function digits(price: string, currency: Currency): string {
  const plain = new Big(price).toFixed();
  const given = (/e/i.test(price) ? plain : price).split('.')[1]?.length ?? 0;
  return new Big(price).toFixed(Math.max(given, decimalsOf(currency) ?? 0));
}

/** Sums by currency, as decimal text. A service may name a currency by any word, also by one that every object has. */
export type Costs = Map<string, string>;

export function addCost(costs: Costs, { amount, currency }: Money): void {
  costs.set(currency, addPrice(costs.get(currency), amount));
}

/** The sums as JSON has them. They are exact before they become numbers. */
export const costNumbers = (costs: Costs): Record<string, number> =>
  Object.fromEntries([...costs].map(([currency, sum]) => [currency, Number(sum)]));

/** A sum for each currency: `12.40 EUR + 3.00 USD`; empty if there is no price. */
export const costWords = (costs: Iterable<readonly [currency: string, sum: string | number]>): string =>
  [...costs].map(([currency, sum]) => money(sum, currency)).join(' + ');

/** Sorts prices of one currency, the lowest first; what cannot be read comes last. */
export function comparePrices(left: unknown, right: unknown, currency: Currency): number {
  const [a, b] = [readPrice(left, currency), readPrice(right, currency)];
  if (a !== undefined && b !== undefined) return new Big(a).cmp(b);
  return Number(a === undefined) - Number(b === undefined);
}

/** Is the price within the bound? Not in another currency, nor if it cannot be read. */
export function isWithin(price: unknown, currency: Currency, { amount, currency: wanted }: Money): boolean {
  const given = currency === wanted ? readPrice(price, currency) : undefined;
  return given !== undefined && new Big(given).lte(amount);
}

/** A price as a number, only for its sign and for pictures; undefined if it cannot be read. */
export function amountOf(price: unknown, currency: Currency): number | undefined {
  const given = readPrice(price, currency);
  return given === undefined ? undefined : Number(given);
}

/** Adds decimal text, such as `readPrice` gives, to such a sum. */
export const addPrice = (sum: string | undefined, amount: string): string =>
  new Big(amount).plus(sum ?? 0).toFixed();
