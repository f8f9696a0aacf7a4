// What was booked, held against the bound: the service charges what its answer says, whatever the proposal said.
import { getAt, textAt } from '../contract/paths.ts';
import { isWithin, type MaxPrice, money } from '../output/money.ts';
import { hasPrice } from './proposals.ts';

const PRICE = 'carrier.price';

/** A price in another currency, or that is no number, cannot be held against the bound: a person must look at it. */
export const priceBound = (maxPrice: MaxPrice | undefined) => {
  if (maxPrice === undefined) return undefined;
  const words = `${maxPrice.amount} ${maxPrice.currency}`;
  return {
    words,
    /** A price of 0 or less is within every bound, and proves nothing. */
    isAbove(content: unknown): boolean | null {
      const { price, currency } = pricedAt(content);
      if (price === undefined || price === null || price === '') return null;
      if (!isWithin(price, currency, maxPrice)) return true;
      return hasPrice({ price, currency }) ? false : null;
    },
    /** Why `isAbove` cannot tell. */
    doubt(content: unknown): string {
      const { price, currency } = pricedAt(content);
      const told = money(price, currency);
      const found =
        told === undefined
          ? `no price at ${PRICE}`
          : `a price of ${told} at ${PRICE}, probably because it is missing`;
      return `the answer has ${found}, so it cannot be compared with --max-price ${words}`;
    },
  };
};

const pricedAt = (content: unknown) => ({
  price: getAt(content, PRICE),
  currency: textAt(content, 'carrier.currency') ?? '',
});
