import Big from 'big.js';
import { type Money, readPrice } from '../contract/read.ts';

// Prices are as the service sent them: numbers, decimal text, or anything else, which is shown as it is.

type Currency = string | null | undefined;

/** Sums by currency, as decimal text. It is a Map, because a service may call a currency by any word, even `constructor`. */
export type Costs = Map<string, string>;

export function addCost(costs: Costs, price: Money): void {
  costs.set(price.currency, addPrice(costs.get(price.currency), price.amount));
}

/** The sums as numbers, for JSON. They are added exactly before they become numbers. */
export const costNumbers = (costs: Costs): Record<string, number> =>
  Object.fromEntries([...costs].map(([currency, sum]) => [currency, Number(sum)]));

/** Sorts prices of one currency, the lowest first. A price that cannot be read comes last. */
export function comparePrices(left: unknown, right: unknown, currency: Currency): number {
  const [a, b] = [readPrice(left, currency), readPrice(right, currency)];
  if (a !== undefined && b !== undefined) return new Big(a).cmp(b);
  return Number(a === undefined) - Number(b === undefined);
}

/** Is a price within a bound? Not if it is in another currency, or cannot be read. */
export function isPriceWithin(price: unknown, currency: Currency, bound: Money): boolean {
  const amount = currency === bound.currency ? readPrice(price, currency) : undefined;
  return amount !== undefined && new Big(amount).lte(bound.amount);
}

/** A price as a number, only for its sign and for pictures; `undefined` if the price cannot be read. */
export function amountOf(price: unknown, currency: Currency): number | undefined {
  const amount = readPrice(price, currency);
  return amount === undefined ? undefined : Number(amount);
}

/** Adds an amount as decimal text, such as `readPrice` gives, to a sum. */
export const addPrice = (sum: string | undefined, amount: string): string =>
  new Big(amount).plus(sum ?? 0).toFixed();
