// Proposals and rates as decisions and tables read them: all but their list may be missing.
import { contentOf } from '../contract/content.ts';
import { OPERATIONS } from '../contract/operations.ts';
import { isRecord, listAt } from '../contract/paths.ts';
import {
  bookable,
  type Days,
  daysIn,
  readProposal,
  readProposedWeight,
  readRate,
} from '../contract/proposals.ts';
import { read } from '../contract/read.ts';
import { amountOf, comparePrices, money } from '../output/money.ts';
import { reasonIn } from '../service/response.ts';
import { shown } from '../text.ts';

/** A proposal of a carrier, or the rate of a company. */
export interface Offer {
  /** Of the carrier; of the company for a rate. */
  id: string | undefined;
  name: string | undefined;
  serviceType: string | undefined;
  deliveryTime: string | undefined;
  /** Of the delivery time; `undefined` if it cannot be read. */
  days: Days | undefined;
  /** As the service sent it. */
  price: number | string | undefined;
  /** In upper case; empty if there is none. */
  currency: string;
  /** Why it cannot be booked, empty if no reason is given; `undefined` if it can be. */
  refusal: string | undefined;
}

export interface Proposal extends Offer {
  /** As the service sent it. */
  received: unknown;
}

export const isBookable = ({ refusal }: Offer): boolean => refusal === undefined;

/** The answer to either operation, which may be in an envelope. */
const contentIn = (body: unknown): unknown => contentOf(OPERATIONS.proposal, body).value;

/** The proposals of an answer as the service sent them. */
export const offersIn = (body: unknown): unknown[] => listAt(contentIn(body), ['proposals']);

export const proposalsIn = (body: unknown): Proposal[] =>
  offersIn(body).map(received => {
    const { id, name, ...rest } = readProposal.parse(fieldsIn(received));
    return { ...offerOf(rest), id, name, refusal: refusalOf(received), received };
  });

export const ratesIn = (body: unknown): Offer[] =>
  offersIn(body).map(received => {
    const { companyId: id, companyName: name, ...rest } = readRate.parse(fieldsIn(received));
    return { ...offerOf(rest), id, name, refusal: undefined };
  });

const fieldsIn = (offer: unknown): Record<string, unknown> => (isRecord(offer) ? offer : {});

const offerOf = ({
  serviceType,
  deliveryTime,
  price,
  currency = '',
}: Omit<ReturnType<typeof readProposal.parse>, 'id' | 'name'>) => ({
  serviceType,
  deliveryTime,
  days: deliveryTime === undefined ? undefined : daysIn(deliveryTime),
  price,
  currency: currency.trim().toUpperCase(),
});

/** Why it cannot be booked, in the words of the service if it has any. */
function refusalOf(received: unknown): string | undefined {
  if (read(bookable, received) !== undefined) return undefined;
  const { isValid, id } = fieldsIn(received);
  const isUnclear =
    typeof isValid !== 'boolean' && `isValid is ${isValid === undefined ? 'missing' : shown(isValid)}`;
  const isNameless = isValid === true && `its id is ${id === undefined ? 'missing' : shown(id)}`;
  return [isUnclear || isNameless, reasonIn(received)].filter(Boolean).join('; ');
}

/** `not valid: too heavy` */
export const refusalWords = ({ refusal }: Offer, word: string): string =>
  refusal ? `${word}: ${refusal}` : word;

/** The weight that the prices are for, in kilograms; `undefined` if the answer does not say it. */
export const proposedWeight = (body: unknown): number | undefined =>
  read(readProposedWeight, contentIn(body))?.chargeableWeight;

/** `12.40 EUR`; `undefined` if there is no price. */
export const priceWords = ({ price, currency }: Offer): string | undefined => money(price, currency);

/** A price that can be charged. 0 is probably one that is missing. */
export const hasPrice = ({ price, currency }: { price: unknown; currency: string }): boolean =>
  (amountOf(price, currency) ?? 0) > 0;

/** Why the prices cannot be compared with each other; `undefined` if they can. */
export function whyNotComparable(offers: readonly Offer[]): string | undefined {
  const currencies = new Set(offers.map(({ currency }) => currency));
  if (currencies.size < 2) return undefined;
  return currencies.has('') ? 'partly without a currency' : 'in several currencies';
}

const byPrice = (a: Offer, b: Offer) =>
  compareText(a.currency, b.currency) ||
  Number(hasPrice(b)) - Number(hasPrice(a)) ||
  comparePrices(a.price, b.price, a.currency);

const NEVER: Days = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];

function bySpeed(a: Offer, b: Offer): number {
  const [[aLeast, aMost], [bLeast, bMost]] = [a.days ?? NEVER, b.days ?? NEVER];
  return compare(aMost, bMost) || compare(aLeast, bLeast) || byPrice(a, b);
}

// Infinity - Infinity is NaN.
const compare = (a: number, b: number) => (a === b ? 0 : a < b ? -1 : 1);

const compareText = (a: string, b: string) => a.localeCompare(b);

export const SORT_ORDERS = {
  price: byPrice,
  speed: bySpeed,
  carrier: (a: Offer, b: Offer) => compareText(a.name ?? '', b.name ?? ''),
} as const;

export type SortOrder = keyof typeof SORT_ORDERS;

/** `EXP (express, 1-3 days, 18.70 EUR)` */
export function proposalWords(proposal: Offer): string {
  const { id = 'a proposal without id', serviceType, deliveryTime } = proposal;
  const facts = [serviceType, deliveryTime, priceWords(proposal) ?? 'no price'];
  if (!isBookable(proposal)) facts.push(refusalWords(proposal, 'not valid'));
  return `${id} (${facts.filter(Boolean).join(', ')})`;
}
