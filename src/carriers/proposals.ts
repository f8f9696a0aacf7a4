// A proposal as the service gives it; any of its fields may be missing.
import { getAt, isRecord, textAt } from '../contract/paths.ts';
import { comparePrices, money, type Price } from '../output/money.ts';

export type Proposal = Readonly<Record<string, unknown>>;

export const priceOf = (proposal: Proposal): Price => proposal.price as Price;
export const currencyOf = (proposal: Proposal): string => textAt(proposal, ['currency']) ?? '';
export const isValid = (proposal: Proposal): boolean => proposal.isValid !== false;

/** `12.40 EUR`; `undefined` if the proposal has no price. */
export const priceWords = (proposal: Proposal): string | undefined =>
  money(priceOf(proposal), currencyOf(proposal));

export function proposalsIn(body: unknown): Proposal[] {
  const list = getAt(body, ['proposals']);
  return Array.isArray(list) ? list.filter(isRecord) : [];
}

/** `"2-4 days"` -> [2, 4]; text without a number sorts last. */
export function daysOf(proposal: Proposal): readonly [least: number, most: number] {
  const numbers =
    textAt(proposal, ['deliveryTime'])
      ?.match(/\d+(\.\d+)?/g)
      ?.map(Number) ?? [];
  const [least = Number.POSITIVE_INFINITY, most = least] = numbers;
  return [least, most];
}

const byPrice = (a: Proposal, b: Proposal) =>
  currencyOf(a).localeCompare(currencyOf(b)) || comparePrices(priceOf(a), priceOf(b));

function bySpeed(a: Proposal, b: Proposal): number {
  const [aLeast, aMost] = daysOf(a);
  const [bLeast, bMost] = daysOf(b);
  return compare(aMost, bMost) || compare(aLeast, bLeast) || byPrice(a, b);
}

// Infinity - Infinity is NaN.
const compare = (a: number, b: number) => (a === b ? 0 : a < b ? -1 : 1);

export const SORT_ORDERS = {
  price: byPrice,
  speed: bySpeed,
  carrier: (a: Proposal, b: Proposal) => String(a.name).localeCompare(String(b.name)),
} as const;

export type SortOrder = keyof typeof SORT_ORDERS;

/** `EXP (express, 1-3 days, 18.70 EUR)` */
export function proposalWords(proposal: Proposal): string {
  const { id, serviceType, deliveryTime } = proposal;
  const facts = [
    serviceType,
    deliveryTime,
    priceWords(proposal) ?? 'no price',
    !isValid(proposal) && 'not valid',
  ];
  return `${id} (${facts.filter(Boolean).join(', ')})`;
}
