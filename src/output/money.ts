import Big from 'big.js';
import { CURRENCIES } from '../contract/currencies.ts';

/** A price of the service: a number, a decimal string, or nothing. */
export type Price = number | string | null | undefined;

const DECIMAL = /^-?\d+(\.\d+)?$/;

/** `12.5`, `EUR` -> `12.50 EUR`: the currency's decimals, or more if more are given. Other text stays as it is. */
export function money(price: Price, currency?: string | null): string | undefined {
  if (price === undefined || price === null || price === '') return undefined;
  const amount = decimal(price);
  const given = amount === undefined ? String(price) : digits(price, amount, currency);
  return currency ? `${given} ${currency}` : given;
}

/** By currency: `12.40 EUR + 3.00 USD`; empty if there is no price. */
export const costWords = (cost: Readonly<Record<string, Price>>): string =>
  Object.entries(cost)
    .map(([currency, sum]) => money(sum, currency))
    .join(' + ');

/** Sorts prices of one currency, the lowest first; text that is not a number comes last. */
export function comparePrices(left: Price, right: Price): number {
  const [a, b] = [decimal(left), decimal(right)];
  if (a && b) return a.cmp(b);
  return Number(a === undefined) - Number(b === undefined);
}

function digits(price: Price, amount: Big, currency: string | null | undefined): string {
  const written = typeof price === 'string' ? price.trim() : amount.toFixed();
  const given = written.split('.')[1]?.length ?? 0;
  const least = CURRENCIES.get(currency?.toUpperCase() ?? '') ?? 0;
  return amount.toFixed(Math.max(given, least));
}

function decimal(price: Price): Big | undefined {
  if (typeof price === 'number') return Number.isFinite(price) ? new Big(price) : undefined;
  // No exponents: a string of nine characters could ask for a million digits.
  return typeof price === 'string' && DECIMAL.test(price.trim()) ? new Big(price.trim()) : undefined;
}

/** A price as a number, only for pictures; undefined if it is not a number. */
export const amountOf = (price: Price): number | undefined => decimal(price)?.toNumber();

/** Adds a price to a sum of decimal text; text that is not a number adds nothing. */
export function addPrice(sum: string | undefined, price: Price): string | undefined {
  const amount = decimal(price);
  return amount === undefined ? sum : amount.plus(sum ?? 0).toFixed();
}
