// What a shipment leaves to the proposals: the carrier and the chargeable weight. They are asked for, one of them is chosen, and
// the order is filled in.

import type { Choice, ProposalTold, WhyNot } from '../booking/booking.ts';
import { contentOf } from '../contract/content.ts';
import { OPERATIONS, type Operation, type RuleContext } from '../contract/operations.ts';
import { getAt, isRecord, listAt, setAt, textAt } from '../contract/paths.ts';
import {
  bookable,
  type Days,
  daysIn,
  readProposal,
  readProposedWeight,
  readRate,
} from '../contract/proposals.ts';
import {
  boundIn,
  comparable,
  currencyNamed,
  hasPrice,
  isSameWord,
  knownPrice,
  read,
} from '../contract/read.ts';
import type { Issue } from '../contract/shapes.ts';
import { Failure } from '../errors.ts';
import { Json } from '../json.ts';
import { nearest } from '../nearest.ts';
import { amountOf, comparePrices, isPriceWithin } from '../output/money.ts';
import type { Limits } from '../profile/settings.ts';
import {
  type BoundBroken,
  type LimitPassed,
  type Mixture,
  type ProposalFacts,
  type Unclear,
  type WhyLeftOut,
  WITHOUT_PROPOSAL,
} from '../say/carriers.ts';
import type { Notice } from '../say/notices.ts';
import { problemWords } from '../say/request.ts';
import { reasonIn } from '../service/response.ts';
import { flag, grouped } from '../session/flags.ts';
import { count } from '../session/globals.ts';
import type { Session } from '../session/session.ts';
import { shown } from '../text.ts';
import { type CheckTerms, findIssues, refuseIssues, refuseWarnings } from './check.ts';
import { boxWarnings, severalDocuments } from './doubts.ts';
import { beyondLimits, hasPriceLimit, limited, overBudget, stricterBound } from './limits.ts';
import { whyUndeclared, withoutFalseAdvice } from './numbers.ts';
import { targetFlags } from './options.ts';
import type { Bounds, Offer, Order, PricedOrder } from './order.ts';

// Proposals and rates as decisions and tables read them: all but their list may be missing.

export interface Proposal extends Offer {
  /** As the service sent it. */
  received: unknown;
}

/** The proposals, or rates, of an answer as the service sent them. The answer may be in an envelope. */
export const offersIn = (body: unknown): unknown[] =>
  listAt(contentOf(OPERATIONS.proposal, body).value, ['proposals']);

export const proposalsIn = (body: unknown): Proposal[] =>
  offersIn(body).map(received => {
    const fields = isRecord(received) ? received : {};
    return { ...offerOf(readProposal.parse(fields)), refusal: refusalOf(fields), received };
  });

export const ratesIn = (body: unknown): Offer[] =>
  offersIn(body).map(received => {
    const { companyId, companyName, ...rest } = readRate.parse(isRecord(received) ? received : {});
    return offerOf({ ...rest, id: companyId, name: companyName });
  });

const offerOf = ({ deliveryTime, currency, ...rest }: ReturnType<typeof readProposal.parse>): Offer => ({
  ...rest,
  deliveryTime,
  days: deliveryTime === undefined ? undefined : daysIn(deliveryTime),
  currency: currencyNamed(currency) ?? '',
  refusal: undefined,
});

/** Why it cannot be booked, in the words of the service if it has any. */
function refusalOf(received: Record<string, unknown>): string | undefined {
  if (read(bookable, received) !== undefined) return undefined;
  const { isValid, id } = received;
  const isUnclear =
    typeof isValid !== 'boolean' && `isValid is ${isValid === undefined ? 'missing' : shown(isValid)}`;
  const isNameless = isValid === true && `its id is ${id === undefined ? 'missing' : shown(id)}`;
  return [isUnclear || isNameless, reasonIn(received)].filter(Boolean).join('; ');
}

export const isBookable = (offer: Offer): boolean => offer.refusal === undefined;

/** The weight that the prices are for, in kilograms; `undefined` if the answer does not say it. */
export const proposedWeight = (body: unknown): number | undefined =>
  read(readProposedWeight, contentOf(OPERATIONS.proposal, body).value)?.chargeableWeight;

/** Does a price for the proposed weight hold for the one that is sent? That of a higher weight costs no less. */
export const isPricedFor = (sent: unknown, proposed: number | undefined): boolean =>
  typeof sent !== 'number' || (proposed !== undefined && sent <= proposed);

/** A proposal as a notice has it. */
export const proposalFacts = (proposal: Offer): ProposalFacts => {
  const { id, serviceType, deliveryTime, price, currency, refusal } = proposal;
  return { id, serviceType, deliveryTime, price, currency, refusal };
};

const byPrice = (a: Offer, b: Offer) =>
  a.currency.localeCompare(b.currency) ||
  Number(hasPrice(b)) - Number(hasPrice(a)) ||
  comparePrices(a.price, b.price, a.currency);

const NEVER: Days = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];

function bySpeed(a: Offer, b: Offer): number {
  const [[aLeast, aMost], [bLeast, bMost]] = [a.days ?? NEVER, b.days ?? NEVER];
  // Infinity - Infinity is NaN, which counts as equal, too.
  return aMost - bMost || aLeast - bLeast || byPrice(a, b);
}

export const SORT_ORDERS = {
  price: byPrice,
  speed: bySpeed,
  carrier: (a: Offer, b: Offer) => (a.name ?? '').localeCompare(b.name ?? ''),
} as const;

export type SortOrder = keyof typeof SORT_ORDERS;

/** Why the prices cannot be compared with each other; `undefined` if they can. */
export function whyNotComparable(offers: readonly Offer[]): Mixture | undefined {
  const currencies = new Set(offers.map(({ currency }) => currency));
  if (currencies.size < 2) return undefined;
  return currencies.has('') ? 'partly' : 'several';
}

// Chooses one of the proposals: by carrier id, by price or by speed, within the bounds.

export interface CarrierChoice extends Bounds {
  /** A carrier id, or which of the proposals that can be booked. */
  carrier?: string | undefined;
}

/** `false`: `--no-max-price`. */
type BoundOptions = { [name in 'service' | 'maxPrice' | 'maxDays']?: Bounds[name] | false };

export const boundsIn = (options: BoundOptions): Bounds => ({
  service: options.service || undefined,
  maxPrice: options.maxPrice || undefined,
  maxDays: options.maxDays === false ? undefined : options.maxDays,
});

export const hasBounds = (bounds: Bounds): boolean =>
  [bounds.service, bounds.maxPrice, bounds.maxDays, bounds.isPriced].some(bound => bound !== undefined);

/** The bounds of an order, with the limits if they ask for its price. */
export const withLimits = (order: Pick<Order, 'operation' | 'bounds'>, limits: Limits): Bounds => ({
  ...order.bounds,
  limits: hasPriceLimit(limits, order.operation) ? limits : undefined,
});

export interface Chosen {
  proposal: Proposal;
  /** What a person should know before it is booked. */
  warnings: Notice[];
}

const PICKS = { cheapest: SORT_ORDERS.price, fastest: SORT_ORDERS.speed } as const;
type PickWord = keyof typeof PICKS;

export const isPick = (carrier: string | undefined): carrier is PickWord =>
  carrier !== undefined && Object.hasOwn(PICKS, carrier);

/** Carrier ids are opaque, so a word that is nearly `cheapest` or `fastest` is sent; it is probably a mistake. */
export function misspeltPick(carrier = ''): Notice[] {
  const meant = isPick(carrier) ? undefined : nearest(carrier, Object.keys(PICKS), 2);
  return meant === undefined ? [] : [{ kind: 'carrier-misspelt', carrier, meant }];
}

/** What a proposal is chosen for: a carrier whose rules the body breaks is none. */
interface RuledOrder extends Pick<Order, 'numbers'> {
  body: unknown;
  rules: RuleContext;
}

interface ChosenFor extends RuledOrder {
  /** The flags that name the same service, for commands in messages. */
  flags: readonly string[];
}

/** What a proposal is chosen for in this session. `numbers`: which customs numbers the body may get. */
export const chosenFor = (session: Session, body: unknown, numbers: Order['numbers']): ChosenFor => ({
  body,
  numbers,
  rules: session.rules(),
  flags: targetFlags(session),
});

/**
 * The proposal that fits, among those that can be booked. `cheapest` and `fastest` leave out a carrier by which the order has
 * issues, unless it has some by every carrier: then the caller refuses it. Throws `not_found` if none fits, or the best one is not
 * clear; `over_budget` if each would pass a limit.
 */
export function choose(
  operation: Operation,
  proposals: readonly Proposal[],
  choice: CarrierChoice,
  order?: ChosenFor,
): Chosen {
  const { command } = operation;
  const refuse = (notice: Notice) => new Failure('not_found', notice, { operation: command });
  const { carrier } = choice;
  const isNamed = carrier !== undefined && !isPick(carrier);
  const undeclared = isPick(carrier)
    ? proposals.filter(offer => needsFalseNumber(operation, offer, order))
    : [];
  const counted = dearestOfEach(proposals.filter(offer => !undeclared.includes(offer)));
  const matching = counted.filter(
    offer => !(isNamed && offer.id !== carrier) && outOfBounds(offer, choice) === undefined,
  );
  const fitting = matching.filter(offer => aboveLimits(offer, choice) === undefined);
  if (matching.length > 0 && fitting.length === 0) {
    const facts = { operation: command, flags: order?.flags ?? [] };
    const refused = matching.flatMap(offer => {
      const limit = aboveLimits(offer, choice);
      return limit ? [{ ...proposalFacts(offer), limit }] : [];
    });
    throw overBudget({ kind: 'proposals-above-limits', ...facts, proposals: refused }, operation);
  }
  const [first] = fitting.toSorted(SORT_ORDERS.price);
  const issuesOf = (proposal: Proposal) => issuesBy(operation, proposal.id ?? '', order).map(plainIssue);
  const bounds = wordedBounds(choice);
  if (first === undefined && undeclared.length > 0) {
    const [cheapest] = counted.toSorted(SORT_ORDERS.price);
    throw refuse({
      kind: 'no-carrier-may-be-booked',
      operation: command,
      bounds,
      cheapest: cheapest && proposalFacts(cheapest),
      leftOut: undeclared.map(offer => ({ ...proposalFacts(offer), issues: issuesOf(offer) })),
    });
  }
  if (first === undefined) throw refuse(whyNone(operation, proposals, choice));
  let proposal = first;
  const warnings: Notice[] = [];
  if (isPick(carrier)) {
    const failing = new Map(fitting.map(offer => [offer, issuesBy(operation, offer.id ?? '', order)]));
    const allowed = fitting.filter(offer => failing.get(offer)?.length === 0);
    const candidates = allowed.length > 0 ? allowed : fitting;
    const { best, unclear } = { unclear: undefined, ...bestIn(candidates, carrier) };
    if (best === undefined)
      throw refuse({
        kind: 'best-proposal-unclear',
        operation: command,
        pick: carrier,
        because: unclear,
        proposals: candidates.map(proposalFacts),
      });
    proposal = best;
    const leftOut: (ProposalFacts & WhyLeftOut)[] = [];
    const leaveOut = (offer: Proposal, because: WhyLeftOut) =>
      leftOut.push({ ...proposalFacts(offer), ...because });
    for (const offer of fitting) {
      const isBetter = PICKS[carrier](offer, best) < 0 && (hasPrice(offer) || !hasPrice(best));
      if (isBetter && !candidates.includes(offer))
        leaveOut(offer, { issues: (failing.get(offer) ?? []).map(plainIssue) });
    }
    for (const offer of undeclared)
      if (outOfBounds(offer, choice) === undefined && PICKS[carrier](offer, best) < 0)
        leaveOut(offer, { issues: issuesOf(offer) });
    // The order is refused for what the last carrier within the bounds needs: perhaps a wider bound is what is wanted.
    if (allowed.length === 0)
      for (const offer of counted) {
        const [bound, limit] = [outOfBounds(offer, choice), aboveLimits(offer, choice)];
        if (bound) leaveOut(offer, { bound });
        else if (limit) leaveOut(offer, { limit });
      }
    if (leftOut.length > 0) warnings.push({ kind: 'proposals-left-out', proposals: leftOut });
  }
  const { id = '', price, currency, serviceType = '' } = proposal;
  if (!hasPrice(proposal))
    warnings.push({
      kind: 'proposal-without-price',
      proposal: proposalFacts(proposal),
      isReadable: amountOf(price, currency) !== undefined,
    });
  // The second word is Turkish.
  const isEconomy = /\b(economy|ekonomi)\b/.test(comparable(serviceType));
  if (order?.rules.economyCarriers.length === 0 && isEconomy)
    for (const { path, message } of issuesBy(operation, id, order, [id]))
      warnings.push({ kind: 'economy-carrier-unset', proposal: proposalFacts(proposal), path, message });
  return { proposal, warnings };
}

/**
 * The proposals that can be booked. A booking sends the id of a carrier, and not which of its proposals is meant: of several with
 * one id the dearest counts, with the time of the slowest. If that is not clear, the price is not known.
 */
function dearestOfEach(proposals: readonly Proposal[]): Proposal[] {
  const byId = new Map<string | undefined, Proposal>();
  for (const one of proposals.filter(isBookable)) {
    const other = byId.get(one.id);
    byId.set(one.id, other ? worseOf(one, other) : one);
  }
  return [...byId.values()];
}

function worseOf(left: Proposal, right: Proposal): Proposal {
  const { days, deliveryTime } = bySpeed(left, right) > 0 ? left : right;
  const areComparable = left.currency === right.currency && hasPrice(left) && hasPrice(right);
  const dearer = byPrice(left, right) > 0 ? left : right;
  return { ...dearer, days, deliveryTime, ...(!areComparable && { price: undefined }) };
}

/** What an order has wrong by this carrier, and not by any. */
function issuesBy(
  operation: Operation,
  id: string,
  order: RuledOrder | undefined,
  economyCarriers = order?.rules.economyCarriers ?? [],
): Issue[] {
  if (order === undefined) return [];
  const by = (carrier: string) =>
    operation.rules.flatMap(rule =>
      rule.check(setAt(order.body, ['carrier', 'id'], carrier), {
        economyCarriers,
        serviceOnLoopback: false,
      }),
    );
  const common = new Set(by('').map(({ path }) => path));
  return by(id)
    .filter(({ path }) => !common.has(path))
    .map(issue => withoutFalseAdvice(issue, order.body, order.rules.numberLimits, order.numbers?.takes));
}

/** Does the carrier need a customs number that may not be declared for the order? */
export const needsFalseNumber = (
  operation: Operation,
  offer: Pick<Offer, 'id'>,
  order: RuledOrder | undefined,
): boolean =>
  issuesBy(operation, offer.id ?? '', order).some(
    ({ path }) =>
      whyUndeclared(path, order?.body, order?.rules.numberLimits, order?.numbers?.takes) !== undefined,
  );

/** What an order has to say, by a carrier and not by any, before it is booked to a country. `customs`: what each order has. */
export function neededBy(
  offer: Pick<Offer, 'id'>,
  country: string,
  order: { customs: unknown; rules: RuleContext },
): { path: string; message: string }[] {
  const body = { customs: order.customs, receiver: { address: { country: { code: country } } } };
  const ruled = { body, rules: order.rules, numbers: undefined };
  return issuesBy(OPERATIONS.createShipment, offer.id ?? '', ruled).map(plainIssue);
}

/** May the economy carrier be booked for the order without a customs number that may not be declared? */
export const mayBeEconomy = (operation: Operation, order: RuledOrder): boolean =>
  !needsFalseNumber(operation, ECONOMY, {
    ...order,
    rules: { ...order.rules, economyCarriers: [ECONOMY.id] },
  });

/** Stands for the economy carrier, which a profile may not name. */
const ECONOMY = { id: 'economy' };

const plainIssue = (issue: Issue) => ({ path: issue.path, message: issue.message });

/** The best of those that have a price, or of all if none has one; or why it is not clear. The only one is the best. */
export function bestIn<T extends Offer>(
  offers: readonly T[],
  pick: PickWord,
): { best: T } | { best?: undefined; unclear: Unclear } {
  const priced = offers.filter(hasPrice);
  const compared = priced.length > 0 ? priced : offers;
  const [best] = compared.toSorted(PICKS[pick]);
  if (best === undefined || offers.length === 1)
    return best === undefined ? { unclear: 'no-price' } : { best };
  if (pick === 'fastest') return best.days ? { best } : { unclear: 'no-time' };
  const mixture = whyNotComparable(compared);
  if (mixture !== undefined) return { unclear: mixture };
  return amountOf(best.price, best.currency) === undefined ? { unclear: 'no-price' } : { best };
}

/** Which limit a proposal would pass. */
export const aboveLimits = (offer: Offer, bounds: Bounds): LimitPassed | undefined =>
  bounds.limits && beyondLimits(knownPrice(offer), bounds.limits);

/** Which bound a proposal does not keep. */
export function outOfBounds(offer: Offer, bounds: Bounds): BoundBroken | undefined {
  const { service, maxPrice, maxDays, isPriced } = bounds;
  if (isPriced && knownPrice(offer) === undefined) return { breaks: 'isPriced' };
  if (service !== undefined && !isSameWord(offer.serviceType, service)) return { breaks: 'service', service };
  if (maxDays !== undefined && !(offer.days && offer.days[1] <= maxDays))
    return { breaks: 'maxDays', maxDays };
  return maxPrice === undefined || isPriceWithin(offer.price, offer.currency, maxPrice)
    ? undefined
    : { breaks: 'maxPrice', maxPrice };
}

/** The bounds that a notice words: not the limits, which have their own. */
const wordedBounds = ({ service, maxPrice, maxDays, isPriced }: Bounds) => ({
  service,
  maxPrice,
  maxDays,
  isPriced,
});

/** Why no proposal can be booked. */
function whyNone(operation: Operation, proposals: readonly Proposal[], choice: CarrierChoice): Notice {
  const { maxPrice } = choice;
  const carrier = isPick(choice.carrier) ? undefined : choice.carrier;
  const facts = { operation: operation.command, carrier, bounds: wordedBounds(choice) };
  const currencies = [...new Set(proposals.map(({ currency }) => currency).filter(Boolean))];
  const isListed = carrier === undefined || proposals.some(({ id }) => id === carrier);
  if (isListed && maxPrice && currencies.length > 0 && !currencies.includes(maxPrice.currency))
    return { kind: 'proposals-in-other-currency', ...facts, currencies };
  return proposals.length === 0
    ? { kind: 'no-proposal', ...facts }
    : { kind: 'no-proposal-fits', ...facts, isListed, proposals: proposals.map(proposalFacts) };
}

// Fills in an order.

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
export async function fillIn(order: Order, session: Session): Promise<Omit<PricedOrder, 'toldTwin'>> {
  const { operation, bounds } = order;
  const { printer } = session;
  const rules = session.rules();
  const body = order.body.value;
  const carrier = textAt(body, 'carrier.id');
  const { response, proposal, isPriced, proposals } = await proposedFor(order, session, true);
  let filled = isPick(carrier) ? setAt(body, ['carrier', 'id'], proposal?.id) : body;
  if (getAt(body, ['chargeableWeight']) === undefined) {
    const weight = proposedWeight(response);
    if (weight === undefined)
      throw new Failure(
        'unavailable',
        { kind: 'proposals-without-weight', operation: operation.command },
        { operation: operation.command, body: response },
      );
    filled = setAt(filled, ['chargeableWeight'], weight);
    await printer.note({ kind: 'weight-of-proposal', weight });
  }
  if (proposal?.id !== undefined && isPick(carrier))
    for (const warning of boxWarnings(body, rules, [proposal.id], () =>
      mayBeEconomy(operation, { rules, body, numbers: order.numbers }),
    ))
      await printer.warn(warning);
  if (proposal) await printer.note({ kind: 'carrier-chosen', proposal: proposalFacts(proposal) });
  else await printer.warn({ kind: 'carrier-unlisted', carrier: carrier ?? '' }, { always: true });
  refuseWarnings(printer, operation);
  refuseIssues(operation, findIssues(order, filled, rules), filled);
  const proposed = proposal && (isPriced ? proposal : { ...proposal, price: undefined });
  const maxPrice = stricterBound(knownPrice(proposed), bounds?.maxPrice, session.limits());
  const choice: Choice = { proposals, bound: maxPrice ? `${maxPrice.amount} ${maxPrice.currency}` : null };
  return { ...order, body: new Json(filled), proposed, bounds: { ...bounds, maxPrice }, choice };
}

/** More are not kept with a booking. */
const MOST_KEPT = 50;

/** Each proposal with why it is not taken. `taken`: the one that is; missing if the carrier that is named has none. */
function toldProposals(
  operation: Operation,
  proposals: readonly Proposal[],
  choice: CarrierChoice & { taken: Proposal | undefined },
  order: RuledOrder,
): ProposalTold[] {
  const refused = proposals.filter(offer => !isBookable(offer));
  const told = [...dearestOfEach(proposals), ...refused].map((offer): ProposalTold => {
    const { id = null, price = null, currency, days } = offer;
    const isTaken = choice.taken !== undefined && id === choice.taken.id && isBookable(offer);
    return {
      carrier: id,
      price,
      currency: currency || null,
      days: days?.[1] ?? null,
      why: isTaken ? null : whyNot(operation, offer, choice, order),
    };
  });
  const named = { price: null, currency: null, days: null, why: null };
  if (choice.taken === undefined) told.unshift({ carrier: choice.carrier ?? null, ...named });
  const first = told.filter(({ why }) => why === null);
  return [...first, ...told.filter(({ why }) => why !== null)].slice(0, MOST_KEPT);
}

const BROKEN = {
  isPriced: 'no-price',
  service: 'service',
  maxDays: 'max-days',
  maxPrice: 'max-price',
} as const satisfies Record<BoundBroken['breaks'], WhyNot>;

function whyNot(
  operation: Operation,
  offer: Proposal,
  choice: CarrierChoice & { taken: Proposal | undefined },
  order: RuledOrder,
): WhyNot {
  const { carrier, taken } = choice;
  if (!isBookable(offer)) return 'not-bookable';
  if (!isPick(carrier)) return 'other-carrier';
  const broken = outOfBounds(offer, choice);
  if (broken) return BROKEN[broken.breaks];
  if (aboveLimits(offer, choice)) return 'limit';
  if (issuesBy(operation, offer.id ?? '', order).length > 0) return 'customs';
  if (taken === undefined || !hasPrice(offer)) return 'no-price';
  if (PICKS[carrier](offer, taken) === 0) return 'alike';
  const isSlower =
    carrier === 'fastest' && (offer.days?.[1] ?? Number.POSITIVE_INFINITY) > (taken.days?.[1] ?? 0);
  return isSlower ? 'slower' : 'dearer';
}

/** The proposal that would be booked, as the service sent it, and whether its price is that of the order. Throws `not_found`. */
export async function proposalFor(
  order: Order,
  session: Session,
): Promise<{ received: unknown; isPriced: boolean }> {
  const { proposal, isPriced } = await proposedFor(order, session, false);
  refuseWarnings(session.printer, order.operation);
  return { received: proposal?.received, isPriced };
}

/**
 * The proposals for an order, and the one of them that is chosen, with its warnings told. `mayBeUnlisted`: a carrier that is
 * named is booked even if no proposal lists it; a bound needs a proposal that keeps it. `isPriced`: the service charges for the
 * weight that is sent, and the price holds for it.
 */
async function proposedFor(
  order: Order,
  session: Session,
  mayBeUnlisted: boolean,
): Promise<{
  response: unknown;
  proposal: Proposal | undefined;
  isPriced: boolean;
  /** All of them, with why they are not taken. */
  proposals: ProposalTold[];
}> {
  const { operation } = order;
  const { printer } = session;
  const body = order.body.value;
  const carrier = textAt(body, 'carrier.id');
  const bounds = withLimits(order, session.limits());
  const response = order.proposals ?? (await proposalsFor(session, order, body));
  const proposals = proposalsIn(response);
  const isUnlisted =
    mayBeUnlisted && !isPick(carrier) && !hasBounds(bounds) && !proposals.some(({ id }) => id === carrier);
  if (isUnlisted && bounds.limits)
    throw overBudget(
      { kind: 'unlisted-carrier-and-limits', ...limited(operation, session), carrier: carrier ?? '' },
      operation,
    );
  const ruled = chosenFor(session, body, order.numbers);
  const chosen = isUnlisted ? undefined : choose(operation, proposals, { ...bounds, carrier }, ruled);
  for (const warning of chosen?.warnings ?? []) await printer.warn(warning, { always: true });
  const proposal = chosen?.proposal;
  const choice = { ...bounds, carrier, taken: proposal };
  const proposed = { response, proposal, proposals: toldProposals(operation, proposals, choice, ruled) };
  const [given, weight] = [getAt(body, ['chargeableWeight']), proposedWeight(response)];
  if (typeof given !== 'number' || given === weight) return { ...proposed, isPriced: true };
  const isPriced = isPricedFor(given, weight);
  const { command } = operation;
  const weights = { given, proposed: weight };
  const facts = { operation: command, ...weights };
  if (bounds.isPriced && !isPriced)
    throw new Failure('not_found', { kind: 'other-weight-and-plan', ...facts }, { operation: command });
  if (bounds.maxPrice && !isPriced)
    throw new Failure(
      'invalid_request',
      { kind: 'other-weight-and-bound', ...facts },
      {
        operation: command,
        issues: [
          { path: 'chargeableWeight', message: problemWords({ problem: 'other-weight', weight, given }) },
        ],
      },
    );
  if (bounds.limits && !isPriced)
    throw overBudget(
      { kind: 'other-weight-and-limits', ...limited(operation, session), ...weights },
      operation,
    );
  const notice = { kind: 'other-weight' as const, ...weights };
  await (isPriced ? printer.note(notice) : printer.warn(notice, { always: true }));
  return { ...proposed, isPriced };
}

/**
 * Asks the service for proposals for the packages and the route of a shipment. Throws if they cannot be requested, or the
 * service gives none.
 */
export async function proposalsFor(
  session: Session,
  terms: Pick<CheckTerms, 'operation' | 'record'> & Pick<Order, 'key'>,
  shipment: unknown,
): Promise<unknown> {
  const { service, printer, rules } = session;
  const { operation: booking, key, record } = terms;
  const operation = OPERATIONS.proposal;
  const { command } = booking;
  const issues = listAt(shipment, 'packages').flatMap((entry, index) => {
    const unit = textAt(entry, 'dimensions.unit');
    return unit?.trim().toLowerCase() === 'cm'
      ? []
      : {
          path: `packages[${index}].dimensions.unit`,
          message: problemWords({ problem: 'not-centimetres', given: unit }),
        };
  });
  if (issues.length > 0)
    throw new Failure(
      'invalid_request',
      { kind: 'proposals-need-centimetres', operation: command },
      { operation: command, issues },
    );
  const body = proposalRequest(shipment);
  for (const warning of severalDocuments(body)) await printer.warn(warning);
  refuseWarnings(printer, booking);
  refuseIssues(operation, findIssues({ operation, record }, body, rules()), body, WITHOUT_PROPOSAL);
  try {
    return await service.read(operation, { body, key });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw error.with({ operation: command });
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

export function parsePrice(written: string): Bounds['maxPrice'] {
  const bound = boundIn(written);
  if (bound) return bound;
  throw new Failure('usage', { kind: 'max-price-malformed', typed: written });
}

export const CARRIER_FLAGS = grouped('Carrier:', {
  carrier: flag(
    '--carrier <carrier>',
    'carrier id, or cheapest or fastest of the proposals that can be booked',
  ),
  service: flag(
    '--service <service>',
    'only a proposal of this service type (any word; case does not matter)',
  ),
  maxPrice: flag('--max-price <price>', 'no proposal above this, such as 20EUR', { read: parsePrice }),
  maxDays: flag('--max-days <n>', 'no proposal that may take more days', { read: count }),
});
