// Chooses a proposal within the bounds: by carrier id, price or speed. The last two leave out a carrier whose rules the body breaks.

import type { ProposalTold, WhyNot } from '../booking/booking.ts';
import { OPERATIONS, type Operation, type RuleContext } from '../contract/operations.ts';
import { setAt } from '../contract/paths.ts';
import { comparable, hasPrice } from '../contract/read.ts';
import type { Issue } from '../contract/shapes.ts';
import { Failure } from '../errors.ts';
import { nearest } from '../nearest.ts';
import { amountOf } from '../output/money.ts';
import type { BoundBroken, ProposalFacts, Unclear, WhyLeftOut } from '../say/carriers.ts';
import type { Notice } from '../say/notices.ts';
import type { Session } from '../session/session.ts';
import { aboveLimits, outOfBounds, wordedBounds } from './bounds.ts';
import { overBudget } from './limits.ts';
import { whyUndeclared, withoutFalseAdvice } from './numbers.ts';
import { targetFlags } from './options.ts';
import type { Bounds, Offer, Order } from './order.ts';
import { isBookable, type Proposal, proposalFacts, SORT_ORDERS, whyNotComparable } from './proposals.ts';

export interface CarrierChoice extends Bounds {
  /** A carrier id, or `cheapest` or `fastest` of the proposals that can be booked. */
  carrier?: string | undefined;
}

export interface Chosen {
  proposal: Proposal;
  /** What a person should know before the proposal is booked. */
  warnings: Notice[];
}

const PICKS = { cheapest: SORT_ORDERS.price, fastest: SORT_ORDERS.speed } as const;
type PickWord = keyof typeof PICKS;

export const isPick = (carrier: string | undefined): carrier is PickWord =>
  carrier !== undefined && Object.hasOwn(PICKS, carrier);

/** Warns of a word that is nearly `cheapest` or `fastest`. It is sent, because any word may be a carrier id, but is probably a mistake. */
export function misspeltPick(carrier = ''): Notice[] {
  const meant = isPick(carrier) ? undefined : nearest(carrier, Object.keys(PICKS), 2);
  return meant === undefined ? [] : [{ kind: 'carrier-misspelt', carrier, meant }];
}

/** The order for which a proposal is chosen. */
interface OrderForCarrier extends Pick<Order, 'numbers'> {
  body: unknown;
  rules: RuleContext;
}

interface ChosenFor extends OrderForCarrier {
  /** The flags that name the same service, for commands in messages. */
  flags: readonly string[];
}

/** The order for which a proposal is chosen in this session. `numbers`: which customs numbers the body may get. */
export const chosenFor = (session: Session, body: unknown, numbers: Order['numbers']): ChosenFor => ({
  body,
  numbers,
  rules: session.rules(),
  flags: targetFlags(session),
});

/**
 * The proposal that fits, among those that can be booked. `cheapest` and `fastest` leave out each carrier that causes issues of the order,
 * unless all carriers do: then the caller refuses the order. Throws `not_found` if no proposal fits, or if the best one is not clear;
 * `over_budget` if each would pass a limit.
 */
export function choose(
  operation: Operation,
  proposals: readonly Proposal[],
  choice: CarrierChoice,
  order?: ChosenFor,
): Chosen {
  const candidates = candidatesAmong(operation, proposals, choice, order);
  const [cheapest] = candidates.fitting.toSorted(SORT_ORDERS.price);
  if (cheapest === undefined)
    throw new Failure('not_found', whyNone(operation, proposals, candidates, choice, order), {
      operation: operation.command,
    });
  if (!isPick(choice.carrier))
    return { proposal: cheapest, warnings: proposalWarnings(operation, cheapest, order) };
  const { proposal, leftOut } = picked(operation, candidates, choice.carrier, choice, order);
  return {
    proposal,
    warnings: [
      ...(leftOut.length > 0 ? [{ kind: 'proposals-left-out' as const, proposals: leftOut }] : []),
      ...proposalWarnings(operation, proposal, order),
    ],
  };
}

interface Candidates {
  /** The proposals that can be booked, one for each carrier. */
  counted: readonly Proposal[];
  /** Proposals of carriers that need a customs number which may not be declared. Only for `cheapest` and `fastest`. */
  undeclared: readonly Proposal[];
  /** The proposals of `counted` that are within the bounds and the limits. */
  fitting: readonly Proposal[];
}

/** Finds the candidates among the proposals. Throws `over_budget` if each proposal within the bounds would pass a limit. */
function candidatesAmong(
  operation: Operation,
  proposals: readonly Proposal[],
  choice: CarrierChoice,
  order: ChosenFor | undefined,
): Candidates {
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
    const facts = { operation: operation.command, flags: order?.flags ?? [] };
    const refused = matching.flatMap(offer => {
      const limit = aboveLimits(offer, choice);
      return limit ? [{ ...proposalFacts(offer), limit }] : [];
    });
    throw overBudget({ kind: 'proposals-above-limits', ...facts, proposals: refused }, operation);
  }
  return { counted, undeclared, fitting };
}

/** Why no proposal can be booked. */
function whyNone(
  operation: Operation,
  proposals: readonly Proposal[],
  candidates: Candidates,
  choice: CarrierChoice,
  order: ChosenFor | undefined,
): Notice {
  const { maxPrice } = choice;
  const { counted, undeclared } = candidates;
  const { command } = operation;
  const bounds = wordedBounds(choice);
  if (undeclared.length > 0) {
    const [cheapest] = counted.toSorted(SORT_ORDERS.price);
    return {
      kind: 'no-carrier-may-be-booked',
      operation: command,
      bounds,
      cheapest: cheapest && proposalFacts(cheapest),
      leftOut: undeclared.map(offer => ({
        ...proposalFacts(offer),
        issues: plainIssuesBy(operation, offer, order),
      })),
    };
  }
  const carrier = isPick(choice.carrier) ? undefined : choice.carrier;
  const facts = { operation: command, carrier, bounds };
  const currencies = [...new Set(proposals.map(({ currency }) => currency).filter(Boolean))];
  const isListed = carrier === undefined || proposals.some(({ id }) => id === carrier);
  if (isListed && maxPrice && currencies.length > 0 && !currencies.includes(maxPrice.currency))
    return { kind: 'proposals-in-other-currency', ...facts, currencies };
  return proposals.length === 0
    ? { kind: 'no-proposal', ...facts }
    : { kind: 'no-proposal-fits', ...facts, isListed, proposals: proposals.map(proposalFacts) };
}

/** The cheapest or fastest proposal, and the better ones that are left out. Throws `not_found` if the best one is not clear. */
function picked(
  operation: Operation,
  candidates: Candidates,
  pick: PickWord,
  choice: CarrierChoice,
  order: ChosenFor | undefined,
): { proposal: Proposal; leftOut: (ProposalFacts & WhyLeftOut)[] } {
  const { counted, undeclared, fitting } = candidates;
  const failing = new Map(fitting.map(offer => [offer, issuesBy(operation, offer.id ?? '', order)]));
  const allowed = fitting.filter(offer => failing.get(offer)?.length === 0);
  const compared = allowed.length > 0 ? allowed : fitting;
  const { best, unclear } = { unclear: undefined, ...bestIn(compared, pick) };
  if (best === undefined)
    throw new Failure(
      'not_found',
      {
        kind: 'best-proposal-unclear',
        operation: operation.command,
        pick,
        because: unclear,
        proposals: compared.map(proposalFacts),
      },
      { operation: operation.command },
    );
  const isBetter = (offer: Proposal) => PICKS[pick](offer, best) < 0;
  const forIssues = fitting.filter(
    offer => isBetter(offer) && (hasPrice(offer) || !hasPrice(best)) && !compared.includes(offer),
  );
  const forNumbers = undeclared.filter(offer => outOfBounds(offer, choice) === undefined && isBetter(offer));
  // Each carrier within the bounds needs what the order lacks: the user may want a wider bound, and sees what is beyond the bounds.
  const forBounds = allowed.length > 0 ? [] : counted;
  return {
    proposal: best,
    leftOut: [
      ...forIssues.map(offer => ({
        ...proposalFacts(offer),
        issues: (failing.get(offer) ?? []).map(plainIssue),
      })),
      ...forNumbers.map(offer => ({
        ...proposalFacts(offer),
        issues: plainIssuesBy(operation, offer, order),
      })),
      ...forBounds.flatMap(offer => {
        const beyond = whatIsPassed(offer, choice);
        return beyond ? [{ ...proposalFacts(offer), ...beyond }] : [];
      }),
    ],
  };
}

/** The bound that a proposal does not keep, else the limit that it would pass. */
function whatIsPassed(offer: Proposal, bounds: Bounds): WhyLeftOut | undefined {
  const bound = outOfBounds(offer, bounds);
  if (bound) return { bound };
  const limit = aboveLimits(offer, bounds);
  return limit && { limit };
}

/** What a person should know of a proposal before it is booked. */
function proposalWarnings(operation: Operation, proposal: Proposal, order: ChosenFor | undefined): Notice[] {
  const { id = '', price, currency, serviceType = '' } = proposal;
  const warnings: Notice[] = [];
  if (!hasPrice(proposal))
    warnings.push({
      kind: 'proposal-without-price',
      proposal: proposalFacts(proposal),
      isReadable: amountOf(price, currency) !== undefined,
    });
  // `ekonomi` is Turkish.
  const isEconomy = /\b(economy|ekonomi)\b/.test(comparable(serviceType));
  if (order?.rules.economyCarriers.length === 0 && isEconomy)
    for (const { path, message } of issuesBy(operation, id, order, [id]))
      warnings.push({ kind: 'economy-carrier-unset', proposal: proposalFacts(proposal), path, message });
  return warnings;
}

/**
 * The proposals that can be booked. A booking sends only the id of a carrier: of several proposals with one id the dearest counts, with the
 * time of the slowest. If their prices cannot be compared, the price is not known.
 */
function dearestOfEach(proposals: readonly Proposal[]): Proposal[] {
  const byId = new Map<string | undefined, Proposal>();
  for (const proposal of proposals.filter(isBookable)) {
    const alike = byId.get(proposal.id);
    byId.set(proposal.id, alike ? worseOf(proposal, alike) : proposal);
  }
  return [...byId.values()];
}

function worseOf(left: Proposal, right: Proposal): Proposal {
  const { days, deliveryTime } = SORT_ORDERS.speed(left, right) > 0 ? left : right;
  const areComparable = left.currency === right.currency && hasPrice(left) && hasPrice(right);
  const dearer = SORT_ORDERS.price(left, right) > 0 ? left : right;
  return { ...dearer, days, deliveryTime, ...(!areComparable && { price: undefined }) };
}

/** The issues that an order has with this carrier, and would not have with every carrier. */
function issuesBy(
  operation: Operation,
  id: string,
  order: OrderForCarrier | undefined,
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
  order: OrderForCarrier | undefined,
): boolean =>
  issuesBy(operation, offer.id ?? '', order).some(
    ({ path }) =>
      whyUndeclared(path, order?.body, order?.rules.numberLimits, order?.numbers?.takes) !== undefined,
  );

/** What this carrier needs for an order to a country, beyond what every carrier needs. `customs`: the customs fields of each order. */
export function neededBy(
  offer: Pick<Offer, 'id'>,
  country: string,
  order: { customs: unknown; rules: RuleContext },
): { path: string; message: string }[] {
  const body = { customs: order.customs, receiver: { address: { country: { code: country } } } };
  const ruled = { body, rules: order.rules, numbers: undefined };
  return plainIssuesBy(OPERATIONS.createShipment, offer, ruled);
}

/** May the economy carrier be booked for the order without a customs number that may not be declared? */
export const mayBeEconomy = (operation: Operation, order: OrderForCarrier): boolean =>
  !needsFalseNumber(operation, ECONOMY, {
    ...order,
    rules: { ...order.rules, economyCarriers: [ECONOMY.id] },
  });

/** Stands for the economy carrier if the profile does not name one. */
const ECONOMY = { id: 'economy' };

const plainIssue = (issue: Issue) => ({ path: issue.path, message: issue.message });

const plainIssuesBy = (operation: Operation, offer: Pick<Offer, 'id'>, order: OrderForCarrier | undefined) =>
  issuesBy(operation, offer.id ?? '', order).map(plainIssue);

/** The best of the offers that have a price, or of all if none has one; or why the best is not clear. A single offer is the best. */
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

// Why each proposal is not taken, as it is kept with the booking.

/** At most so many proposals are kept with a booking. */
const MOST_KEPT = 50;

/** Each proposal with why it is not taken. `taken`: the proposal that is; missing if no proposal has the carrier that is named. */
export function toldProposals(
  operation: Operation,
  proposals: readonly Proposal[],
  choice: CarrierChoice & { taken: Proposal | undefined },
  order: OrderForCarrier,
): ProposalTold[] {
  const refused = proposals.filter(offer => !isBookable(offer));
  const choices = [...dearestOfEach(proposals), ...refused].map((offer): ProposalTold => {
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
  if (choice.taken === undefined) choices.unshift({ carrier: choice.carrier ?? null, ...named });
  const first = choices.filter(({ why }) => why === null);
  return [...first, ...choices.filter(({ why }) => why !== null)].slice(0, MOST_KEPT);
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
  order: OrderForCarrier,
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
