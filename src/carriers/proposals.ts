import type { OperationCommand } from '../contract/operations.ts';
import { getAt, isRecord, textAt } from '../contract/paths.ts';
import { Failure } from '../errors.ts';
import { comparePrices, money, type Price } from '../output/money.ts';

/** A proposal as the service gives it; none of its fields can be relied upon. */
export type Proposal = Readonly<Record<string, unknown>>;

export const priceOf = (proposal: Proposal): Price => proposal.price as Price;
export const currencyOf = (proposal: Proposal): string => textAt(proposal, ['currency']) ?? '';
export const isValid = (proposal: Proposal): boolean => proposal.isValid !== false;

/** `12.40 EUR`; absent where the proposal tells no price. */
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

// Infinity - Infinity is no order.
const compare = (a: number, b: number) => (a === b ? 0 : a < b ? -1 : 1);

export const ORDERS = {
  price: byPrice,
  speed: bySpeed,
  carrier: (a: Proposal, b: Proposal) => String(a.name).localeCompare(String(b.name)),
} as const;

export type Order = keyof typeof ORDERS;

/** Why the best of several in an order is not told apart from them. */
type Doubt = 'mixed' | 'unpriced' | 'untimed';

function doubtOf(pick: Pick, best: Proposal, fitting: readonly Proposal[]): Doubt | undefined {
  if (pick === 'fastest') return Number.isFinite(daysOf(best)[1]) ? undefined : 'untimed';
  if (fitting.some(other => currencyOf(other) !== currencyOf(best))) return 'mixed';
  return hasPrice(best) ? undefined : 'unpriced';
}

/** The one of these proposals that `choose` would pick by its price or its time; none where there is no choice. */
export function standout(proposals: readonly Proposal[], pick: Pick): Proposal | undefined {
  const [best, next] = proposals.toSorted(PICKS[pick]);
  return best && next && doubtOf(pick, best, proposals) === undefined ? best : undefined;
}

/** What can be asked of a proposal. */
export interface Wish {
  /** A carrier id, or which of the valid proposals. */
  carrier?: string | undefined;
  service?: string | undefined;
  maxPrice?: { amount: string; currency: string } | undefined;
  maxDays?: number | undefined;
}

const PICKS = { cheapest: ORDERS.price, fastest: ORDERS.speed } as const;
export type Pick = keyof typeof PICKS;

export const isPick = (carrier: string | undefined): carrier is Pick =>
  carrier !== undefined && Object.hasOwn(PICKS, carrier);

export const ofService = (service: string | undefined) => (proposal: Proposal) =>
  service === undefined || String(proposal.serviceType).toLowerCase() === service.toLowerCase();

/** The proposal that the wish names, among the valid ones. Throws `not_found` where none fits or none can be told. */
export function choose(proposals: readonly Proposal[], wish: Wish, command: OperationCommand): Proposal {
  const refuse = (why: string) => new Failure('not_found', `${command}: ${why}`, { operation: command });
  const { carrier } = wish;
  const fitting = proposals.filter(proposal => isValid(proposal) && fits(proposal, wish));
  const order = isPick(carrier) ? PICKS[carrier] : ORDERS.price;
  const [best, next] = fitting.toSorted(order);
  if (best === undefined)
    throw refuse(
      `no valid proposal is ${wishWords(wish)}${currencyWords(proposals, wish)}. The proposals are: ${listed(proposals)}`,
    );
  if (next === undefined) return best;
  const doubt = isPick(carrier) ? doubtOf(carrier, best, fitting) : undefined;
  if (doubt)
    throw refuse(
      `the ${carrier} cannot be told${DOUBTS[doubt]}: ${listed(fitting)}. Name a carrier, or narrow them down`,
    );
  return best;
}

const DOUBTS: Readonly<Record<Doubt, string>> = {
  mixed: ' across currencies',
  unpriced: ' without prices',
  untimed: '',
};

const fits = (proposal: Proposal, wish: Wish): boolean =>
  (wish.carrier === undefined || isPick(wish.carrier) || proposal.id === wish.carrier) &&
  outOfBounds(proposal, wish) === undefined;

/** Which bound of the wish a proposal does not keep, in words. */
export function outOfBounds(proposal: Proposal, { service, maxPrice, maxDays }: Wish): string | undefined {
  if (!ofService(service)(proposal)) return `not ${service}`;
  if (maxDays !== undefined && !(daysOf(proposal)[1] <= maxDays)) return `may take more than ${maxDays} days`;
  if (maxPrice === undefined) return undefined;
  const within =
    currencyOf(proposal) === maxPrice.currency && comparePrices(priceOf(proposal), maxPrice.amount) <= 0;
  return within ? undefined : `not within ${maxPrice.amount} ${maxPrice.currency}`;
}

// Only what is no number either is ordered alike.
const hasPrice = (proposal: Proposal): boolean => comparePrices(undefined, priceOf(proposal)) !== 0;

function wishWords({ carrier, service, maxPrice, maxDays }: Wish): string {
  const words = [
    carrier !== undefined && !isPick(carrier) && `of the carrier ${carrier}`,
    service !== undefined && `of the service ${service}`,
    maxPrice && `at most ${maxPrice.amount} ${maxPrice.currency}`,
    maxDays !== undefined && `within ${maxDays} days`,
  ].filter(part => typeof part === 'string');
  return words.length === 0 ? 'there' : words.join(', ');
}

/** What a bound in another currency is told of it: no rate of exchange is known here. */
function currencyWords(proposals: readonly Proposal[], { maxPrice }: Wish): string {
  const currencies = [...new Set(proposals.map(currencyOf).filter(Boolean))];
  if (!maxPrice || currencies.length === 0 || currencies.includes(maxPrice.currency)) return '';
  return `: their prices are in ${currencies.join(' and ')}, and are not converted`;
}

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

const listed = (proposals: readonly Proposal[]): string => proposals.map(proposalWords).join('; ') || 'none';
