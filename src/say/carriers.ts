// What is said of proposals and carriers: their bounds and limits, and why a proposal is chosen or left out.
import type { ToldChoice, WhyNot } from '../booking/booking.ts';
import type { Money } from '../contract/read.ts';
import { EXAMPLES, someOf } from '../text.ts';
import { forOperation, type OfOperation, type Target } from './order.ts';
import { flag, next, type Saying, say, sentences, stranger, type Text } from './sentence.ts';
import { amountWords, money } from './words.ts';

/** A proposal of a carrier, as a person is told of it. */
export interface ProposalFacts {
  id?: string | undefined;
  serviceType?: string | undefined;
  deliveryTime?: string | undefined;
  price?: string | number | undefined;
  currency: string;
  /** Why the proposal cannot be booked; empty if no reason is known. */
  refusal?: string | undefined;
}

/** A word for a proposal, with its refusal if there is one: `not valid: too heavy`. */
export const refusalWords = (proposal: Pick<ProposalFacts, 'refusal'>, word: string): string =>
  proposal.refusal ? `${word}: ${proposal.refusal}` : word;

/** A proposal in words: `EXP (express, 1-3 days, 18.70 EUR)`. */
export function proposalWords(proposal: ProposalFacts): string {
  const { id = 'a proposal without id', serviceType, deliveryTime } = proposal;
  const facts = [serviceType, deliveryTime, money(proposal.price, proposal.currency) ?? 'no price'];
  if (proposal.refusal !== undefined) facts.push(refusalWords(proposal, 'not valid'));
  return `${id} (${facts.filter(Boolean).join(', ')})`;
}

const proposalList = (proposals: readonly ProposalFacts[]): string => proposals.map(proposalWords).join('; ');

/** The weight that proposals are for, in kilograms. */
export const weightWords = (weight: number | undefined): string =>
  weight === undefined ? 'an unknown weight' : `${weight} kg`;

export const amountsWords = (amounts: readonly Money[]): string =>
  amounts.map(amountWords).join(', ') || 'no currency';

/** The limit that an order would pass, even if nothing else were booked. */
export type LimitPassed =
  | { passes: 'price-unknown' }
  | { passes: 'amount'; of: 'order' | 'day'; limit: readonly Money[] }
  /** The limit has no amount in the currency of the price. */
  | { passes: 'currency'; of: 'order' | 'day'; limit: readonly Money[]; currency: string };

export function limitPassedWords(passed: LimitPassed): string {
  if (passed.passes === 'price-unknown') return 'its price is not known';
  const limit = `the limit of ${passed.of === 'order' ? 'one order' : 'a day'} (${amountsWords(passed.limit)})`;
  return passed.passes === 'amount' ? `above ${limit}` : `${limit} has no ${passed.currency}`;
}

/** The bounds that a proposal must keep. */
interface Bounds {
  service?: string | undefined;
  maxPrice?: Money | undefined;
  maxDays?: number | undefined;
  /** Must the price of the proposal be known? */
  isPriced?: boolean | undefined;
}

/** The first of the bounds that a proposal does not keep. */
export type BoundBroken = { breaks: 'isPriced' } | ({ breaks: 'service' | 'maxDays' | 'maxPrice' } & Bounds);

export function boundBrokenWords(broken: BoundBroken): string {
  switch (broken.breaks) {
    case 'isPriced':
      return 'its price is not known';
    case 'service':
      return `not ${broken.service}`;
    case 'maxDays':
      return `may take more than ${broken.maxDays} days`;
    case 'maxPrice':
      return `not within ${broken.maxPrice && amountWords(broken.maxPrice)}`;
  }
}

const WHY_NOT: Readonly<Record<WhyNot, string>> = {
  'not-bookable': 'the service does not offer it for this',
  'other-carrier': 'another carrier was named',
  'no-price': 'its price is not known',
  service: 'another service',
  'max-days': 'too slow',
  'max-price': 'above the bound',
  limit: 'above a limit',
  customs: 'needs a customs number',
  dearer: 'dearer',
  slower: 'slower',
  alike: 'no better',
};

/** Why a booking did not take a proposal; `taken` for the proposal that it took. */
export const whyNotWords = (why: WhyNot | null): string => (why === null ? 'taken' : WHY_NOT[why]);

/** `rule "EU light", at most 20 EUR`; empty if the choice has neither rule nor bound. */
export const chosenByWords = (choice: Pick<ToldChoice, 'rule' | 'bound'>): string =>
  [
    choice.rule !== null && `rule ${stranger(choice.rule)}`,
    choice.bound !== null && `at most ${choice.bound}`,
  ]
    .filter(Boolean)
    .join(', ');

/** The bounds behind a sentence: ` for 5 EUR or less within 3 days`. */
const boundsWords = ({ service, maxPrice, maxDays, isPriced }: Bounds): string =>
  [
    service !== undefined && ` with the service ${service}`,
    maxPrice && ` for ${amountWords(maxPrice)} or less`,
    maxDays !== undefined && ` within ${maxDays} days`,
    isPriced && ' at a price that can be read',
  ]
    .filter(Boolean)
    .join('');

const MIXTURES = { several: 'in several currencies', partly: 'partly without a currency' };

/** Why prices cannot be compared: their currencies. */
export type Mixture = keyof typeof MIXTURES;

export const mixtureWords = (mixture: Mixture): string => MIXTURES[mixture];

/** Why it is not clear which proposal is the cheapest or the fastest. */
export type Unclear = Mixture | 'no-time' | 'no-price';

function unclearWords(unclear: Unclear): string {
  switch (unclear) {
    case 'no-time':
      return 'no delivery time can be read';
    case 'no-price':
      return 'no price can be read';
    default:
      return `the prices are ${mixtureWords(unclear)}`;
  }
}

/** Why a proposal is not chosen. */
export type WhyLeftOut =
  | { issues: readonly { path: string; message: string }[] }
  | { bound: BoundBroken }
  | { limit: LimitPassed };

function whyLeftOutWords(because: WhyLeftOut): string {
  if ('issues' in because) return because.issues.map(({ path, message }) => `${path} ${message}`).join('; ');
  return 'bound' in because ? boundBrokenWords(because.bound) : limitPassedWords(because.limit);
}

const NEEDED: Readonly<Record<string, string>> = {
  'customs.iossNumber': 'needs an IOSS number',
  'customs.marketplaceNumber': 'needs a marketplace number',
};

/** What a carrier needs, in its row of a table: `needs an IOSS number`; empty if nothing. */
export const carrierNeedsWords = (issues: readonly { path: string }[]): string =>
  issues.map(({ path }) => NEEDED[path] ?? `needs ${path}`).join(', ');

/** What an order must have before a named carrier is booked for it: `ECO: customs.iossNumber is required …`. */
export const neededWords = (id: string, issues: Extract<WhyLeftOut, { issues: unknown }>['issues']): string =>
  `${id}: ${whyLeftOutWords({ issues })}; an order without it gets another carrier by \`--carrier cheapest\``;

/** Proposals by the reason why they are left out: `ECO (economy, 9.90 EUR) is left out: above the limit of one order (5.00 EUR)`. */
function leftOutText(proposals: readonly (ProposalFacts & WhyLeftOut)[], isLeftOut = 'left out: '): Text {
  const named = new Map<string, string[]>();
  for (const proposal of proposals) {
    const why = whyLeftOutWords(proposal);
    named.set(why, [...(named.get(why) ?? []), proposalWords(proposal)]);
  }
  const words = [...named].map(
    ([why, names]) => `${someOf(names, EXAMPLES)} ${names.length === 1 ? 'is' : 'are'} ${isLeftOut}${why}`,
  );
  return say`${words.join('; ')}`;
}

const unpriced = (asking: string): string => `so its price is not known, and ${asking} one`;

const limitsShown = (target: Target): Text =>
  say`${next('waybill', 'profile', 'whoami', ...target.flags)} shows the limits`;

/** What to give to book an order without a proposal. */
export const WITHOUT_PROPOSAL = say`To book without proposals, give ${flag('--carrier', 'ID')} and ${flag('--chargeable-weight', 'KG')}`;

/** The chargeable weight that is given, and that of the proposals. */
interface Weights {
  given: number;
  proposed?: number | undefined;
}

const weightsDiffer = (weights: Weights): string =>
  `the chargeable weight is ${weights.given} kg, and the proposals are for ${weightWords(weights.proposed)}`;

/** What to do about a weight that differs, if it can simply be left out. */
const withoutWeight = (weights: Weights): Text =>
  weights.proposed === undefined ? [] : say`Leave the weight out: the proposal has it`;

export const CARRIERS = {
  /** `price`: missing if even the lowest price would be too much. `isPair`: the order is a pair, for which no proposal has a price. */
  'limit-passed': (
    order: OfOperation & Target & { price?: Money | undefined; passed: LimitPassed; isPair: boolean },
  ): Saying => {
    const { price, passed, isPair } = order;
    const is = passed.passes === 'amount' ? ' is ' : ': ';
    return {
      what: forOperation(order, say`${price && amountWords(price) + is}${limitPassedWords(passed)}`),
      toDo: sentences(
        passed.passes === 'price-unknown' && isPair
          ? say`No proposal has the price of a pair: give ${flag('--max-price')}`
          : [],
        limitsShown(order),
      ),
    };
  },
  /** `freeAt`: from when on the limit has room for the order, in ISO 8601; missing if never. */
  'day-is-over': (
    order: OfOperation &
      Target & { limit: Money; spent: string; expected: string; freeAt?: string | undefined },
  ): Saying => {
    const { limit, spent, expected, freeAt } = order;
    const words = (amount: string) => money(amount, limit.currency);
    return {
      what: forOperation(
        order,
        say`${words(expected)} would pass the limit of a day (${amountWords(limit)}): ${words(spent)} are spent, with what is under way or unknown`,
      ),
      toDo: sentences(
        freeAt === undefined ? [] : say`There is room at ${freeAt} at the earliest`,
        limitsShown(order),
      ),
    };
  },
  'day-is-spent': (order: OfOperation & Target & { limit: readonly Money[] }): Saying => ({
    what: forOperation(order, say`nothing is left of the limit of a day (${amountsWords(order.limit)})`),
    toDo: limitsShown(order),
  }),
  'proposals-above-limits': (
    order: OfOperation & Target & { proposals: readonly (ProposalFacts & { limit: LimitPassed })[] },
  ): Saying => ({
    what: forOperation(order, say`no proposal is within the limits. ${leftOutText(order.proposals, '')}`),
    toDo: limitsShown(order),
  }),
  'unlisted-carrier-and-limits': (order: OfOperation & Target & { carrier: string }): Saying => ({
    what: forOperation(order, say`${order.carrier} is not among the proposals, ${unpriced('limits need')}`),
    toDo: limitsShown(order),
  }),
  'other-weight-and-limits': (order: OfOperation & Target & Weights): Saying => ({
    what: forOperation(order, say`${weightsDiffer(order)}, ${unpriced('limits need')}`),
    toDo: sentences(withoutWeight(order), limitsShown(order)),
  }),
  'other-weight-and-plan': (order: OfOperation & Weights): Saying => ({
    what: forOperation(order, say`${weightsDiffer(order)}, ${unpriced('a plan needs')}`),
    toDo: withoutWeight(order),
  }),
  'other-weight-and-bound': (order: OfOperation & Weights): Saying => ({
    what: forOperation(order, say`${weightsDiffer(order)}: ${flag('--max-price')} cannot be verified`),
    toDo:
      order.proposed === undefined
        ? say`Leave out ${flag('--max-price')}`
        : say`${withoutWeight(order)}, or ${flag('--max-price')}`,
  }),
  'other-weight': (weights: Weights): Saying => ({
    what: say`${weightsDiffer(weights)}: the price ${weights.proposed === undefined ? 'may' : 'will'} differ`,
  }),

  'no-carrier-may-be-booked': (
    order: OfOperation & {
      bounds: Bounds;
      cheapest?: ProposalFacts | undefined;
      leftOut: readonly (ProposalFacts & Extract<WhyLeftOut, { issues: unknown }>)[];
    },
  ): Saying => ({
    what: forOperation(order, say`no carrier that may be booked offers this${boundsWords(order.bounds)}`),
    toDo: sentences(
      order.cheapest ? say`The cheapest that may be booked is ${proposalWords(order.cheapest)}` : [],
      leftOutText(order.leftOut),
    ),
  }),
  'no-proposal': (order: OfOperation & { carrier?: string | undefined; bounds: Bounds }): Saying => ({
    what: forOperation(order, say`the service has no proposal for this, at any price`),
    toDo: withoutProposal(order),
  }),
  /** The proposals are not named here: so, in a batch, all such records have the same words, which are said once. */
  'proposals-in-other-currency': (
    order: OfOperation & { carrier?: string | undefined; bounds: Bounds; currencies: readonly string[] },
  ): Saying => ({
    what: forOperation(
      order,
      say`${notOffered(order)}: the prices are in ${order.currencies.join(' and ')}, not converted`,
    ),
  }),
  /** `carrier`: missing if any carrier would do. `isListed`: the proposals have the carrier. */
  'no-proposal-fits': (
    order: OfOperation & {
      carrier?: string | undefined;
      isListed: boolean;
      bounds: Bounds;
      proposals: readonly ProposalFacts[];
    },
  ): Saying => ({
    what: forOperation(
      order,
      say`${order.isListed ? notOffered(order) : `there is no carrier ${order.carrier} among the proposals`}`,
    ),
    toDo: sentences(say`Proposals: ${proposalList(order.proposals)}`, withoutProposal(order)),
  }),
  'best-proposal-unclear': (
    order: OfOperation & {
      pick: 'cheapest' | 'fastest';
      because: Unclear;
      proposals: readonly ProposalFacts[];
    },
  ): Saying => ({
    what: forOperation(
      order,
      say`the ${order.pick} proposal is not clear, because ${unclearWords(order.because)}: ${proposalList(order.proposals)}`,
    ),
    toDo: say`Name a carrier, or narrow them down`,
  }),
  'proposals-left-out': (order: { proposals: readonly (ProposalFacts & WhyLeftOut)[] }): Saying => ({
    what: leftOutText(order.proposals),
  }),
  'proposal-without-price': (doubt: { proposal: ProposalFacts; isReadable: boolean }): Saying => ({
    what: say`the price of ${proposalWords(doubt.proposal)} ${doubt.isReadable ? 'is probably missing' : 'cannot be read'}: its cost is not known`,
  }),
  'economy-carrier-unset': (doubt: { proposal: ProposalFacts; path: string; message: string }): Saying => ({
    what: say`${proposalWords(doubt.proposal)}: ${doubt.path} ${doubt.message}, and no setting names it`,
    toDo: say`If that is not ${doubt.proposal.id}, name it: \`economyCarriers\` of the profile, or WAYBILL_ECONOMY_CARRIERS`,
  }),
  'proposals-without-weight': (order: OfOperation): Saying => ({
    what: forOperation(order, say`the proposals have no chargeable weight`),
    toDo: say`Give it with ${flag('--chargeable-weight', 'KG')}`,
  }),
  'weight-of-proposal': (notice: { weight: number }): Saying => ({
    what: say`chargeable weight of the proposal: ${notice.weight} kg`,
  }),
  'carrier-chosen': (notice: { proposal: ProposalFacts }): Saying => ({
    what: say`carrier: ${proposalWords(notice.proposal)}`,
  }),
  'carrier-unlisted': (notice: { carrier: string }): Saying => ({
    what: say`${notice.carrier} is not among the proposals: the service may refuse it, or charge another price`,
  }),
  'proposals-need-centimetres': (order: OfOperation): Saying => ({
    what: forOperation(order, say`proposals need dimensions in centimetres`),
    toDo: WITHOUT_PROPOSAL,
  }),
  'max-price-malformed': (notice: { typed: string }): Saying => ({
    what: say`${flag('--max-price')} ${JSON.stringify(notice.typed)} is not an amount above 0 with a currency, such as 20EUR`,
  }),
};

const notOffered = (choice: { carrier?: string | undefined; bounds: Bounds }): string =>
  `${choice.carrier === undefined ? 'no carrier offers this' : `${choice.carrier} does not offer this`}${boundsWords(choice.bounds)}`;

/** How to book without a proposal: only with a named carrier, and without bounds. */
const withoutProposal = (choice: { carrier?: string | undefined; bounds: Bounds }): Text =>
  choice.carrier === undefined || boundsWords(choice.bounds) !== ''
    ? []
    : say`To book it without, give ${flag('--chargeable-weight', 'KG')}`;
