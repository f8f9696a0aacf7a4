// Chooses one of the proposals: by carrier id, by price or by speed, within the bounds.
import type { Command } from 'commander';
import { CURRENCIES } from '../contract/currencies.ts';
import type { Issue } from '../contract/operation.ts';
import type { OperationCommand } from '../contract/operations.ts';
import { isSameWord } from '../contract/words.ts';
import { Failure } from '../errors.ts';
import { nearest } from '../nearest.ts';
import { amountOf, isWithin, type MaxPrice } from '../output/money.ts';
import { count } from '../session/globals.ts';
import {
  hasPrice,
  isBookable,
  mixtureOf,
  type Offer,
  type Proposal,
  proposalWords,
  SORT_ORDERS,
} from './proposals.ts';

/** The limits that a proposal must keep. */
export interface Bounds {
  service?: string | undefined;
  maxPrice?: MaxPrice | undefined;
  maxDays?: number | undefined;
}

export interface CarrierChoice extends Bounds {
  /** A carrier id, or which of the proposals that can be booked. */
  carrier?: string | undefined;
}

export const boundsIn = ({ service, maxPrice, maxDays }: Bounds): Bounds => ({ service, maxPrice, maxDays });

export interface Chosen {
  proposal: Proposal;
  /** What a person should know before it is booked. */
  warnings: string[];
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

/**
 * The proposal that fits, among those that can be booked. `cheapest` and `fastest` leave out a carrier by which the order has
 * issues, unless it has some by every carrier: then the caller refuses it. Throws `not_found` if none fits, or the best one is not
 * clear.
 */
export function choose(
  proposals: readonly Proposal[],
  choice: CarrierChoice,
  command: OperationCommand,
  issuesBy: (carrierId: string) => readonly Issue[] = () => [],
): Chosen {
  const refuse = (why: string) => new Failure('not_found', `${command}: ${why}`, { operation: command });
  const { carrier } = choice;
  const fitting = proposals.filter(proposal => isBookable(proposal) && fits(proposal, choice));
  const [first] = fitting.toSorted(SORT_ORDERS.price);
  if (first === undefined) {
    // Without the proposals: in a batch all records have the same words, which are told once.
    const otherCurrency = currencyWords(proposals, choice);
    const why = otherCurrency === '' ? `. The proposals are: ${listed(proposals)}` : otherCurrency;
    const cure =
      carrier === undefined || isPick(carrier) || hasBounds(choice)
        ? ''
        : '. To book it without a proposal, give --chargeable-weight KG';
    throw refuse(`${offerWords(choice)}${why}${cure}`);
  }
  if (!isPick(carrier)) return { proposal: first, warnings: priceWarnings(first) };
  const failing = new Map(fitting.map(proposal => [proposal, issuesBy(proposal.id ?? '')]));
  const allowed = fitting.filter(proposal => failing.get(proposal)?.length === 0);
  const candidates = allowed.length > 0 ? allowed : fitting;
  const { best, unclear } = bestIn(candidates, carrier);
  if (best === undefined)
    throw refuse(
      `the ${carrier} proposal is not clear, because ${unclear}: ${listed(candidates)}. Name a carrier, or narrow the proposals down`,
    );
  const isBetter = (other: Proposal) =>
    PICKS[carrier](other, best) < 0 && (hasPrice(other) || !hasPrice(best));
  const leftOut = fitting.filter(other => !candidates.includes(other) && isBetter(other));
  // The order is refused for what the last carrier within the bounds needs: perhaps a wider bound is what is wanted.
  const outside =
    allowed.length > 0 ? [] : proposals.filter(one => isBookable(one) && !fitting.includes(one));
  return {
    proposal: best,
    warnings: [
      ...leftOut.map(other => `${proposalWords(other)} is left out: ${issueWords(failing.get(other))}`),
      ...outside.map(other => `${proposalWords(other)} is left out: ${outOfBounds(other, choice)}`),
      ...priceWarnings(best),
    ],
  };
}

const issueWords = (issues: readonly Issue[] = []): string =>
  issues.map(({ path, message }) => `${path} ${message}`).join('; ');

function priceWarnings(proposal: Proposal): string[] {
  if (hasPrice(proposal)) return [];
  const what =
    amountOf(proposal.price, proposal.currency) === undefined ? 'cannot be read' : 'is probably missing';
  return [`the price of ${proposalWords(proposal)} ${what}, so its cost is not known`];
}

/** The proposal that `choose` would pick from several; `undefined` if it is the only one, or not clearly the best. */
export const bestOf = <T extends Offer>(offers: readonly T[], pick: Pick): T | undefined =>
  offers.length > 1 ? bestIn(offers, pick).best : undefined;

/** The best of those that have a price, or of all if none has one; or why it is not clear. The only one is the best. */
function bestIn<T extends Offer>(offers: readonly T[], pick: Pick): { best?: T; unclear?: string } {
  const priced = offers.filter(hasPrice);
  const compared = priced.length > 0 ? priced : offers;
  const [best] = compared.toSorted(PICKS[pick]);
  if (best === undefined || offers.length === 1) return best === undefined ? {} : { best };
  if (pick === 'fastest') return best.days ? { best } : { unclear: 'no delivery time can be read' };
  const mixture = mixtureOf(compared);
  if (mixture !== undefined) return { unclear: `the prices are ${mixture}` };
  return amountOf(best.price, best.currency) === undefined
    ? { unclear: 'no price is given that can be read' }
    : { best };
}

export const ofService =
  (service: string | undefined) =>
  ({ serviceType }: Offer): boolean =>
    service === undefined || isSameWord(serviceType, service);

const fits = (proposal: Proposal, choice: CarrierChoice): boolean =>
  (choice.carrier === undefined || isPick(choice.carrier) || proposal.id === choice.carrier) &&
  outOfBounds(proposal, choice) === undefined;

/** Which bound a proposal does not keep, in words. */
export function outOfBounds(offer: Offer, { service, maxPrice, maxDays }: Bounds): string | undefined {
  if (!ofService(service)(offer)) return `not ${service}`;
  if (maxDays !== undefined && !(offer.days && offer.days[1] <= maxDays))
    return `may take more than ${maxDays} days`;
  return maxPrice === undefined || isWithin(offer.price, offer.currency, maxPrice)
    ? undefined
    : `not within ${maxPrice.amount} ${maxPrice.currency}`;
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
  const currencies = [...new Set(proposals.map(({ currency }) => currency).filter(Boolean))];
  if (!maxPrice || currencies.length === 0 || currencies.includes(maxPrice.currency)) return '';
  return `: the prices are in ${currencies.join(' and ')}, and are not converted`;
}

const listed = (proposals: readonly Proposal[]): string => proposals.map(proposalWords).join('; ') || 'none';

export const carrierOptions = (command: Command): Command =>
  command
    .optionsGroup('Carrier:')
    .option('--carrier <id>', 'carrier id, or cheapest or fastest of the proposals that can be booked')
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
