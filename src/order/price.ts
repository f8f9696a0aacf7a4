// Prices of what was booked, and the bound above which a person must accept them.

import { getAt, textAt } from '../contract/paths.ts';
import { isWithin, type MaxPrice, money } from '../output/money.ts';
import { hasPrice } from './proposals.ts';

const PRICE = 'carrier.price';

/** The bound for people and for the journal: `20.50 EUR`. */
export const boundWords = ({ amount, currency }: MaxPrice): string => `${amount} ${currency}`;

/**
 * Is the price in the content of an answer above the bound, or not comparable with it? Then a person must look at it. A price
 * of 0 or less is within every bound, and proves nothing: `null`, as without a price.
 */
export function isAbove(content: unknown, maxPrice: MaxPrice): boolean | null {
  const { price, currency } = pricedAt(content);
  if (price === undefined || price === null || price === '') return null;
  if (!isWithin(price, currency, maxPrice)) return true;
  return hasPrice({ price, currency }) ? false : null;
}

/** Why that cannot be told. */
export function priceDoubt(content: unknown, maxPrice: MaxPrice): string {
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

const pricedAt = (content: unknown) => ({
  price: getAt(content, PRICE),
  currency: textAt(content, 'carrier.currency') ?? '',
});
