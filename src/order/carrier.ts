// What a shipment leaves to the proposals: the carrier and the chargeable weight. They are asked for, one of them is chosen, and
// the order is filled in.

import type { Command } from 'commander';
import type { Issue, RuleContext } from '../contract/operation.ts';
import { OPERATIONS, type Operation, type OperationCommand } from '../contract/operations.ts';
import { getAt, listAt, setAt, textAt } from '../contract/paths.ts';
import { boundIn, comparable, isSameWord } from '../contract/read.ts';
import { Failure } from '../errors.ts';
import { Json } from '../json.ts';
import { nearest } from '../nearest.ts';
import { amountOf, isWithin } from '../output/money.ts';
import type { Limits } from '../profile/settings.ts';
import { count } from '../session/globals.ts';
import { type Checked, refuseIssues, refuseWarnings } from './check.ts';
import { beyondLimits, hasPriceLimit, offerPrice, overBudget, stricterBound } from './limits.ts';
import type { Bounds, Means, Order } from './order.ts';
import {
  hasPrice,
  isBookable,
  type Offer,
  type Proposal,
  proposalsIn,
  proposalWords,
  proposedWeight,
  SORT_ORDERS,
  whyNotComparable,
} from './proposals.ts';
import { severalDocuments } from './warnings.ts';

/** What is needed to ask for proposals, and to choose one. */
export type Asking = Pick<Means, 'service' | 'out' | 'rules' | 'limits' | 'targetFlags'>;

/** What the proposals must fill in before the body can be sent. `cheapest` and `fastest` are no ids. */
export function unresolvedIn(body: unknown): { draft: unknown; unresolved: string[] } {
  const toPick = isPick(textAt(body, 'carrier.id'));
  const { carrier, ...rest } = body as Record<string, unknown>;
  return {
    draft: toPick ? rest : body,
    unresolved: [
      ...(toPick ? ['carrier.id'] : []),
      ...(getAt(body, ['chargeableWeight']) === undefined ? ['chargeableWeight'] : []),
    ],
  };
}

/** Is there something that a proposal must fill in, or decide? */
export const needsProposal = (body: unknown, bounds: Bounds): boolean =>
  unresolvedIn(body).unresolved.length > 0 || hasBounds(bounds);

/** The order with what its proposal has; the proposals are asked for, unless a person has just seen them. */
export async function fillIn(order: Order, asking: Asking): Promise<Order> {
  const { operation } = order;
  const { out, rules, limits } = asking;
  const bounds = withLimits(order, limits);
  const body = order.body.value;
  const { unresolved } = unresolvedIn(body);
  const carrier = textAt(body, 'carrier.id');
  const response = order.proposals ?? (await proposalsFor(asking, order, body));
  const proposals = proposalsIn(response);
  // A named carrier is booked even if no proposal lists it; a bound needs a proposal that keeps it.
  const isListed = proposals.some(({ id }) => id === carrier);
  const isLimited = bounds.limits !== undefined;
  if (isLimited && !isPick(carrier) && !hasBounds(bounds) && !isListed)
    throw overBudget(
      operation,
      `the carrier ${carrier} is not among the proposals, so its price is not known, and there are limits to hold it against`,
      asking,
    );
  const proposal =
    isPick(carrier) || hasBounds(bounds) || isListed
      ? await pick(asking, operation, body, proposals, bounds)
      : undefined;
  const isPriced = await checkWeight(asking, operation, body, response, bounds);
  let filled = isPick(carrier) ? setAt(body, ['carrier', 'id'], proposal?.id) : body;
  if (unresolved.includes('chargeableWeight')) {
    const weight = proposedWeight(response);
    if (weight === undefined)
      throw new Failure(
        'unavailable',
        `${operation.command}: the proposals have no chargeable weight; nothing was booked. Give it with --chargeable-weight KG`,
        { operation: operation.command, body: response },
      );
    filled = setAt(filled, ['chargeableWeight'], weight);
    await out.note(`chargeable weight, taken from the proposal: ${weight} kg`);
  }
  if (proposal) await out.note(`carrier: ${proposalWords(proposal)}`);
  else
    await out.warn(
      `the carrier ${carrier} is not among the proposals: the service may refuse it, or charge another price`,
      { always: true },
    );
  refuseWarnings(out, operation, 'nothing was booked');
  refuseIssues(order, filled, rules, 'nothing was booked');
  const proposed = proposal && (isPriced ? proposal : { ...proposal, price: undefined });
  const maxPrice = stricterBound(offerPrice(proposed), bounds.maxPrice, limits);
  return { ...order, body: new Json(filled), proposed, bounds: { ...order.bounds, maxPrice } };
}

/** The bounds of an order, with the limits if they ask for its price. */
export const withLimits = (
  { operation, bounds }: Pick<Order, 'operation' | 'bounds'>,
  limits: Limits,
): Bounds => ({
  ...bounds,
  ...(hasPriceLimit(limits, operation) && { limits }),
});

/** The proposal that would be booked, as the service sent it. Throws `not_found`. */
export async function proposalFor(order: Order, asking: Asking): Promise<unknown> {
  const { operation } = order;
  const bounds = withLimits(order, asking.limits);
  const body = order.body.value;
  const response = await proposalsFor(asking, order, body);
  const proposal = await pick(asking, operation, body, proposalsIn(response), bounds);
  await checkWeight(asking, operation, body, response, bounds);
  refuseWarnings(asking.out, operation, 'nothing was booked');
  return proposal.received;
}

const WITHOUT = 'To book without a proposal, give --carrier ID and --chargeable-weight KG';

/**
 * Asks the service for proposals for the packages and the route of a shipment. Throws if they cannot be requested, or the
 * service gives none.
 */
export async function proposalsFor(
  { service, out, rules }: Asking,
  { operation: booking, key, ...checked }: Checked & Pick<Order, 'key'>,
  shipment: unknown,
): Promise<unknown> {
  const operation = OPERATIONS.proposal;
  const { command } = booking;
  refuseUnits(command, shipment);
  const body = proposalRequest(shipment);
  for (const warning of severalDocuments(body)) await out.warn(warning);
  refuseWarnings(out, booking, 'nothing was sent');
  refuseIssues({ ...checked, operation, unresolved: [] }, body, rules, `nothing was sent. ${WITHOUT}`);
  try {
    return await service.read(operation, { body, key });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new Failure(error.code, `${error.message}. Nothing was booked`, {
      ...error.facts,
      operation: command,
    });
  }
}

export function proposalRequest(shipment: unknown): { packages: unknown[]; [field: string]: unknown } {
  return {
    originCountry: getAt(shipment, 'sender.address.country.code'),
    destinationCountry: getAt(shipment, 'receiver.address.country.code'),
    postalCode: getAt(shipment, 'receiver.address.zipCode'),
    packageType: getAt(shipment, ['type']),
    packages: listAt(shipment, 'packages').map(entry => ({
      quantity: getAt(entry, ['quantity']),
      weight: getAt(entry, ['weight']),
      dimensions: {
        width: getAt(entry, 'dimensions.width'),
        length: getAt(entry, 'dimensions.length'),
        height: getAt(entry, 'dimensions.height'),
      },
    })),
  };
}

function refuseUnits(command: OperationCommand, shipment: unknown): void {
  const issues = listAt(shipment, 'packages').flatMap((entry, index) => {
    const unit = textAt(entry, 'dimensions.unit');
    return unit?.trim().toLowerCase() === 'cm'
      ? []
      : { path: `packages[${index}].dimensions.unit`, message: `must be cm, not ${JSON.stringify(unit)}` };
  });
  if (issues.length === 0) return;
  throw new Failure(
    'invalid_request',
    `${command}: proposals need dimensions in centimetres; nothing was sent. ${WITHOUT}`,
    { operation: command, issues },
  );
}

/** Chooses the proposal for an order, and warns of what a person should know of it. Throws `not_found`. */
async function pick(
  asking: Asking,
  operation: Operation,
  body: unknown,
  proposals: readonly Proposal[],
  bounds: Bounds,
): Promise<Proposal> {
  const { out, rules } = asking;
  const choice = { ...bounds, carrier: textAt(body, 'carrier.id') };
  let chosen: Chosen;
  try {
    chosen = chooseFor(operation, body, proposals, choice, rules);
  } catch (error) {
    if (error instanceof AboveLimits) throw overBudget(operation, error.message, asking);
    if (!(error instanceof Failure)) throw error;
    throw new Failure(error.code, `${error.message}. Nothing was booked`, error.facts);
  }
  for (const warning of chosen.warnings) await out.warn(warning, { always: true });
  return chosen.proposal;
}

/** Chooses the proposal for an order: a carrier whose rules the order breaks is none. Throws `not_found`. */
export function chooseFor(
  operation: Operation,
  body: unknown,
  proposals: readonly Proposal[],
  choice: CarrierChoice,
  rules: RuleContext,
): Chosen {
  const issuesBy = (id: string, { economyCarriers } = rules): Issue[] => {
    const by = (carrier: string) =>
      operation.rules.flatMap(rule =>
        rule.check(setAt(body, ['carrier', 'id'], carrier), { economyCarriers, serviceOnLoopback: false }),
      );
    // What any carrier would ask is no matter of this one.
    const common = new Set(by('').map(({ path }) => path));
    return by(id).filter(({ path }) => !common.has(path));
  };
  const { proposal, warnings } = choose(proposals, choice, operation.command, issuesBy);
  const { id = '' } = proposal;
  const isUnnamed = rules.economyCarriers.length === 0 && isEconomy(proposal);
  const asEconomy = isUnnamed ? issuesBy(id, { ...rules, economyCarriers: [id] }) : [];
  return {
    proposal,
    warnings: [
      ...warnings,
      ...asEconomy.map(
        ({ path, message }) =>
          `${proposalWords(proposal)}: ${path} ${message}, and no setting says which carrier that is. If it is not ${id}, name it: \`economyCarriers\` of the profile, or WAYBILL_ECONOMY_CARRIERS`,
      ),
    ],
  };
}

// The second word is Turkish.
const ECONOMY = /\b(economy|ekonomi)\b/;

const isEconomy = ({ serviceType = '' }: Proposal): boolean => ECONOMY.test(comparable(serviceType));

/**
 * A proposal has the price of the weight that the proposals name, and the service charges for the weight that is sent.
 * Is it the same, or a lower one, which costs no more? Throws `invalid_request` if `--max-price` cannot be verified because of that.
 */
async function checkWeight(
  asking: Asking,
  operation: Operation,
  body: unknown,
  response: unknown,
  { maxPrice, limits }: Bounds,
): Promise<boolean> {
  const { out } = asking;
  const { command } = operation;
  const [given, proposed] = [getAt(body, ['chargeableWeight']), proposedWeight(response)];
  if (typeof given !== 'number' || proposed === undefined || given === proposed) return true;
  const differ = `the chargeable weight is given as ${given} kg, and the proposals for these packages are for ${proposed} kg`;
  if (maxPrice && given > proposed)
    throw new Failure(
      'invalid_request',
      `${command}: ${differ}, so --max-price cannot be verified; nothing was booked. Leave out the weight, which is then taken from the proposal, or --max-price`,
      {
        operation: command,
        issues: [{ path: 'chargeableWeight', message: `is ${given}; the proposals say ${proposed}` }],
      },
    );
  const isPriced = given < proposed;
  if (limits && !isPriced)
    throw overBudget(
      operation,
      `${differ}, so its price is not known, and there are limits to hold it against. Leave out the weight, which is then taken from the proposal`,
      asking,
    );
  const words = `${differ}: the price will differ`;
  await (isPriced ? out.note(words) : out.warn(words, { always: true }));
  return isPriced;
}

// Chooses one of the proposals: by carrier id, by price or by speed, within the bounds.

export interface CarrierChoice extends Bounds {
  /** A carrier id, or which of the proposals that can be booked. */
  carrier?: string | undefined;
}

/** `false`: `--no-max-price`. */
type BoundOptions = { [name in keyof Bounds]: Bounds[name] | false };

export const boundsIn = ({ service, maxPrice, maxDays }: BoundOptions): Bounds => ({
  service: service || undefined,
  maxPrice: maxPrice || undefined,
  maxDays: maxDays === false ? undefined : maxDays,
});

export interface Chosen {
  proposal: Proposal;
  /** What a person should know before it is booked. */
  warnings: string[];
}

const PICKS = { cheapest: SORT_ORDERS.price, fastest: SORT_ORDERS.speed } as const;
type PickWord = keyof typeof PICKS;

export const isPick = (carrier: string | undefined): carrier is PickWord =>
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
  const matching = proposals.filter(proposal => isBookable(proposal) && fits(proposal, choice));
  const fitting = matching.filter(proposal => aboveLimits(proposal, choice) === undefined);
  if (matching.length > 0 && fitting.length === 0) {
    const reasons = matching.map(one => `${proposalWords(one)}: ${aboveLimits(one, choice)}`);
    throw new AboveLimits(`no proposal is within the limits. ${reasons.join('; ')}`);
  }
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
      ...outside.map(
        other =>
          `${proposalWords(other)} is left out: ${outOfBounds(other, choice) ?? aboveLimits(other, choice)}`,
      ),
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
export const bestOf = <T extends Offer>(offers: readonly T[], pick: PickWord): T | undefined =>
  offers.length > 1 ? bestIn(offers, pick).best : undefined;

/** The best of those that have a price, or of all if none has one; or why it is not clear. The only one is the best. */
function bestIn<T extends Offer>(offers: readonly T[], pick: PickWord): { best?: T; unclear?: string } {
  const priced = offers.filter(hasPrice);
  const compared = priced.length > 0 ? priced : offers;
  const [best] = compared.toSorted(PICKS[pick]);
  if (best === undefined || offers.length === 1) return best === undefined ? {} : { best };
  if (pick === 'fastest') return best.days ? { best } : { unclear: 'no delivery time can be read' };
  const mixture = whyNotComparable(compared);
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

/** There are proposals for an order, and each one would pass a limit. */
class AboveLimits extends Failure {
  constructor(why: string) {
    super('over_budget', why);
  }
}

/** Which limit a proposal would pass, in words. */
export const aboveLimits = (offer: Offer, { limits }: Bounds): string | undefined =>
  limits && beyondLimits(offerPrice(offer), limits);

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
    .option('--carrier <carrier>', 'carrier id, or cheapest or fastest of the proposals that can be booked')
    .option('--service <service>', 'only a proposal of this service type (any word; case does not matter)')
    .option('--max-price <price>', 'no proposal above this, such as 20EUR', parsePrice)
    .option('--max-days <n>', 'no proposal that may take more days', count);

export function parsePrice(written: string): Bounds['maxPrice'] {
  const bound = boundIn(written);
  if (bound) return bound;
  throw new Failure(
    'usage',
    `--max-price ${JSON.stringify(written)} is not an amount above 0 with a currency, such as 20EUR; nothing was sent`,
  );
}
