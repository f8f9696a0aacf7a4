// Chooses one of the proposals: by carrier id, by price or by speed, within the bounds.
import type { Command } from 'commander';
import { CURRENCIES } from '../contract/currencies.ts';
import type { OperationCommand } from '../contract/operations.ts';
import { Failure } from '../errors.ts';
import { nearest } from '../nearest.ts';
import { comparePrices } from '../output/money.ts';
import { count } from '../session/globals.ts';
import {
  currencyOf,
  daysOf,
  isValid,
  type Proposal,
  priceOf,
  proposalWords,
  SORT_ORDERS,
} from './proposals.ts';

/** The limits that a proposal must keep. */
export interface Bounds {
  service?: string | undefined;
  maxPrice?: { amount: string; currency: string } | undefined;
  maxDays?: number | undefined;
}

export interface CarrierChoice extends Bounds {
  /** A carrier id, or which of the valid proposals. */
  carrier?: string | undefined;
}

const PICKS = { cheapest: SORT_ORDERS.price, fastest: SORT_ORDERS.speed } as const;
type Pick = keyof typeof PICKS;

export const isPick = (carrier: string | undefined): carrier is Pick =>
  carrier !== undefined && Object.hasOwn(PICKS, carrier);

/** Carrier ids are opaque, so a word that is nearly `cheapest` or `fastest` is sent; it is probably a mistake. */
export function misspeltPick(carrier = ''): string[] {
  const meant = isPick(carrier) ? undefined : nearest(carrier, Object.keys(PICKS), 2);
  return meant === undefined
    ? []
    : [`${JSON.stringify(carrier)} is sent as a carrier id; did you mean ${meant}?`];
}

/** The proposal that fits, among the valid ones. Throws `not_found` if none fits, or the best one is not clear. */
export function choose(
  proposals: readonly Proposal[],
  choice: CarrierChoice,
  command: OperationCommand,
): Proposal {
  const refuse = (why: string) => new Failure('not_found', `${command}: ${why}`, { operation: command });
  const { carrier } = choice;
  const fitting = proposals.filter(proposal => isValid(proposal) && fits(proposal, choice));
  const order = isPick(carrier) ? PICKS[carrier] : SORT_ORDERS.price;
  const [best, next] = fitting.toSorted(order);
  const otherCurrency = best === undefined ? currencyWords(proposals, choice) : '';
  // Without the proposals: in a batch all records have the same words, which are told once.
  if (otherCurrency !== '') throw refuse(`${offerWords(choice)}${otherCurrency}`);
  if (best === undefined) throw refuse(`${offerWords(choice)}. The proposals are: ${listed(proposals)}`);
  if (next === undefined) return best;
  const unclear = isPick(carrier) ? whyUnclear(carrier, best, fitting) : undefined;
  if (unclear !== undefined)
    throw refuse(
      `the ${carrier} proposal is not clear, because ${unclear}: ${listed(fitting)}. Name a carrier, or narrow the proposals down`,
    );
  return best;
}

/** The proposal that `choose` would pick from several; `undefined` if it is the only one, or not clearly the best. */
export function bestOf(proposals: readonly Proposal[], pick: Pick): Proposal | undefined {
  const [best, next] = proposals.toSorted(PICKS[pick]);
  return best && next && whyUnclear(pick, best, proposals) === undefined ? best : undefined;
}

function whyUnclear(pick: Pick, best: Proposal, fitting: readonly Proposal[]): string | undefined {
  if (pick === 'fastest') return Number.isFinite(daysOf(best)[1]) ? undefined : 'no delivery time is given';
  if (fitting.some(other => currencyOf(other) !== currencyOf(best)))
    return 'the prices are in several currencies';
  return hasPrice(best) ? undefined : 'no price is given';
}

// Only a price that is no number compares as equal to a missing one.
const hasPrice = (proposal: Proposal): boolean => comparePrices(undefined, priceOf(proposal)) !== 0;

export const ofService = (service: string | undefined) => (proposal: Proposal) =>
  service === undefined || String(proposal.serviceType).toLowerCase() === service.toLowerCase();

const fits = (proposal: Proposal, choice: CarrierChoice): boolean =>
  (choice.carrier === undefined || isPick(choice.carrier) || proposal.id === choice.carrier) &&
  outOfBounds(proposal, choice) === undefined;

/** Which bound a proposal does not keep, in words. */
export function outOfBounds(proposal: Proposal, { service, maxPrice, maxDays }: Bounds): string | undefined {
  if (!ofService(service)(proposal)) return `not ${service}`;
  if (maxDays !== undefined && !(daysOf(proposal)[1] <= maxDays)) return `may take more than ${maxDays} days`;
  if (maxPrice === undefined) return undefined;
  const isWithin =
    currencyOf(proposal) === maxPrice.currency && comparePrices(priceOf(proposal), maxPrice.amount) <= 0;
  return isWithin ? undefined : `not within ${maxPrice.amount} ${maxPrice.currency}`;
}

export const hasBounds = ({ service, maxPrice, maxDays }: Bounds): boolean =>
  [service, maxPrice, maxDays].some(bound => bound !== undefined);

/** `no carrier offers this for 5 EUR or less` */
function offerWords({ carrier, service, maxPrice, maxDays }: CarrierChoice): string {
  const isNamed = carrier !== undefined && !isPick(carrier);
  const words = [
    isNamed ? `the carrier ${carrier} does not offer this` : 'no carrier offers this',
    service !== undefined && `with the service ${service}`,
    maxPrice && `for ${maxPrice.amount} ${maxPrice.currency} or less`,
    maxDays !== undefined && `within ${maxDays} days`,
  ];
  return words.filter(Boolean).join(' ');
}

/** A bound in another currency cannot be compared: no exchange rate is known here. */
function currencyWords(proposals: readonly Proposal[], { maxPrice }: Bounds): string {
  const currencies = [...new Set(proposals.map(currencyOf).filter(Boolean))];
  if (!maxPrice || currencies.length === 0 || currencies.includes(maxPrice.currency)) return '';
  return `: the prices are in ${currencies.join(' and ')}, and are not converted`;
}

const listed = (proposals: readonly Proposal[]): string => proposals.map(proposalWords).join('; ') || 'none';

export const carrierOptions = (command: Command): Command =>
  command
    .optionsGroup('Carrier:')
    .option('--carrier <id>', 'carrier id, or cheapest or fastest of the valid proposals')
    .option('--service <type>', 'only a proposal of this service type (any word; case does not matter)')
    .option('--max-price <price>', 'no proposal above this, such as 20EUR', parsePrice)
    .option('--max-days <n>', 'no proposal that may take more days', count);

/** `20EUR` as an amount and a currency; `undefined` if it is not one. */
export function boundOf(written: string): Bounds['maxPrice'] {
  const match = /^\s*(\d+(?:\.\d+)?)\s*([A-Za-z]{3})\s*$/.exec(written);
  const [, amount, currency] = match?.map(part => part.toUpperCase()) ?? [];
  if (amount === undefined || currency === undefined || !CURRENCIES.has(currency)) return undefined;
  return { amount, currency };
}

function parsePrice(written: string): Bounds['maxPrice'] {
  const bound = boundOf(written);
  if (bound) return bound;
  throw new Failure(
    'usage',
    `--max-price ${JSON.stringify(written)} is not an amount with a currency, such as 20EUR; nothing was sent`,
  );
}
