// What was booked, held against the bound: the service charges what its answer says, whatever the proposal said.
import { getAt, textAt } from '../contract/paths.ts';
import { comparePrices, type Price } from '../output/money.ts';
import type { Bounds } from './choose.ts';

/** A price in another currency, or that is no number, cannot be held against the bound: a person must look at it. */
export const priceBound = (maxPrice: Bounds['maxPrice']) =>
  maxPrice && {
    words: `${maxPrice.amount} ${maxPrice.currency}`,
    isAbove(content: unknown): boolean | null {
      const carrier = getAt(content, ['carrier']);
      const price = getAt(carrier, ['price']) as Price;
      if (price === undefined || price === null || price === '') return null;
      return (
        textAt(carrier, ['currency'])?.toUpperCase() !== maxPrice.currency ||
        comparePrices(price, maxPrice.amount) > 0
      );
    },
  };
