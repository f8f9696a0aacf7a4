// What is said of an order: what became of its booking, what is in its way, its limits, and its carrier.
import { AT_WORK_MINUTES, existsAs, type Ids, type State } from '../booking/booking.ts';
import { commandName, LEGS, type Leg } from '../contract/operations.ts';
import { type Money, readPrice } from '../contract/read.ts';
import { bare, numbered, operands, operandWords, quotedWords, shortened, shownId, someOf } from '../text.ts';
import {
  type CommandWords,
  command,
  flag,
  forPerson,
  joined,
  next,
  pattern,
  type Saying,
  say,
  sentences,
  stranger,
  type Text,
  unspoken,
} from './sentence.ts';
import { amountWords, money, timeWords } from './words.ts';

interface OfOperation {
  /** As the contract names it. */
  operation: string;
}

interface Target {
  /** The options that name the same service, as arguments of a command. */
  flags: readonly string[];
}

/** A booking, and how its command is typed again. */
interface OfBooking extends Target {
  booking: string;
}

/** What became of a booking. */
interface Outcome extends OfOperation, OfBooking {
  /** Of what was made, by the kind of thing. */
  ids: Readonly<Record<string, string>>;
  /** Where the answer has secrets that are given once; empty if that is not known. */
  secretPaths?: readonly string[] | undefined;
}

/** One that a person must settle. */
interface Unsettled extends Outcome {
  /** The id with which a person settles it if it exists, and that of its domestic leg: words in capitals, where they are not known. */
  idsIfCreated: readonly string[];
}

/** A booking as a person is told of it. */
export interface BookedBefore {
  booking: string;
  key: string | null;
  state: State;
  /** ISO 8601 */
  at: string;
}

const of = ({ operation }: OfOperation, what: Text): Text =>
  say`${commandName({ command: operation })}: ${what}`;

// Commands.

/** Shows what the journal has of a booking. */
export const showCommand = (booking: string, flags: readonly string[]): CommandWords => [
  'waybill',
  'history',
  'show',
  booking,
  ...flags,
];

/** Makes the labels of shipments, at the same service. */
export const labelCommand = (
  shipments: Partial<Record<Leg, string>>,
  flags: readonly string[],
): CommandWords => [
  'waybill',
  'label',
  ...LEGS.flatMap(leg => (shipments[leg] === undefined ? [] : [`--${leg}`, shipments[leg]])),
  ...flags,
];

const show = ({ booking, flags }: OfBooking) => next(...showCommand(booking, flags));

const resolve = ({ booking, flags }: OfBooking, ...said: string[]) =>
  command('waybill', 'history', 'resolve', booking, ...flags, ...said);

// Parts of sentences.

const idWords = (ids: Readonly<Record<string, string>>): string => Object.values(ids).join(' and ');

const asIds = (ids: Readonly<Record<string, string>>): string => {
  const words = idWords(ids);
  return words && ` as ${words}`;
};

/** Of what may exist, only that it was sent is known. */
const bookedOrSent = (state: State): string => (existsAs(state) === null ? 'sent' : 'booked');

const when = ({ at }: Pick<BookedBefore, 'at'>): string => timeWords(Date.parse(at));

/** When, and as what: `booked at 09:38 with the key "A" (bk_1, created)`. */
export const bookedWords = (before: BookedBefore): string =>
  `${bookedOrSent(before.state)} at ${when(before)} ${before.key === null ? 'without a key' : `with the key ${quotedWords(before.key)}`} (${before.booking}, ${before.state})`;

/** An order that is not booked again under another key. */
export const sameOrderWords = (before: BookedBefore): string =>
  `an order with the same receiver, goods and parcels was ${bookedWords(before)}`;

/** An order without a key, of which the same was booked. */
export const sameContentWords = (before: BookedBefore): string =>
  `an order with the same content was ${bookedOrSent(before.state)} at ${when(before)} (${before.booking}, ${before.state})`;

const NOT_AGAIN = {
  'at-terminal': 'The profile says policy.allowDuplicate=terminal: a person at a terminal may book it again',
  strict: 'Without --strict it is a warning',
  unknown: 'Nobody knows whether that one exists: stop, and tell a person, who finds out first',
};

/** Why an order is not booked under another key. */
export const notAgainWords = (because: keyof typeof NOT_AGAIN): string => NOT_AGAIN[because];

/** ` (it differs in packages[0].weight)`; empty if no field differs. */
export const differenceWords = (paths: readonly string[]): string =>
  paths.length === 0 ? '' : ` (it differs in ${someOf(paths, 3)})`;

/** What to ask about a booking that may exist, and when the answer counts. */
export const askProvider = (booking: OfBooking): Text =>
  say`Ask the provider of the service whether it exists: ${show(booking)} shows what was sent. Wait until ${AT_WORK_MINUTES} minutes after it was sent before you believe that it does not: a carrier may still be at work on it`;

/** The options of `history resolve` for a booking that exists. */
export const createdFlags = ([id = '', domestic]: readonly string[]): string[] => [
  '--created',
  id,
  ...(domestic === undefined ? [] : ['--domestic', domestic]),
];

/** The command for a booking that exists, then that for one that does not. */
const resolved = (unsettled: Unsettled): Text =>
  say`run ${resolve(unsettled, ...createdFlags(unsettled.idsIfCreated))}, else ${resolve(unsettled)}`;

const personSettles = ({ booking }: OfBooking): Text =>
  say`Then ask a person to settle the booking ${booking}`;

function secretsText({ secretPaths, booking, flags }: Outcome): Text {
  if (secretPaths === undefined) return [];
  const has =
    secretPaths.length === 0 ? 'may have secret or token in it' : `has ${secretPaths.join(' and ')}`;
  const shown = next(...showCommand(booking, flags), '--show-secret');
  return say`The answer ${has}, and is in the journal: ${shown} shows it`;
}

/** What became of a booking that failed, or that needs a person. */
const OUTCOMES = {
  'price-above-bound': (
    booked: Outcome & {
      /** As the service sent it. */
      price: unknown;
      currency: string | null;
      maxPrice: string | null;
      /** Why a part is missing. */
      incomplete?: string | undefined;
    },
  ): Saying => {
    const { booking, ids, price, currency, maxPrice, flags, incomplete } = booked;
    // Of two legs in two currencies it is text that has both.
    const unit = currency || (readPrice(price, null) === undefined ? '' : 'without a currency');
    const cost = price === null ? '' : ` for ${[shortened(bare(price)), unit].filter(Boolean).join(' ')}`;
    const isForeign = maxPrice !== null && !maxPrice.endsWith(` ${currency}`);
    const isComparable = price === null || (!isForeign && readPrice(price, currency) !== undefined);
    const bound =
      maxPrice === null ? say`its ${flag('--max-price')}` : say`${flag('--max-price')} ${maxPrice}`;
    const accept = command('waybill', 'history', 'accept', booking, ...flags);
    return {
      what: of(
        booked,
        say`it is booked${asIds(ids)}${cost}, which ${isComparable ? 'is above' : 'cannot be compared with'} ${bound}. It exists, and is booking ${booking} in the journal: do not book it again`,
      ),
      toDo: sentences(
        say`${show(booked)} shows it`,
        // That a price is accepted is for a person to say, and not for a script that types what it is told.
        forPerson(
          say`If a person accepts the price, ${accept} records that; until then this command ends with exit code 11`,
          say`Ask a person to accept the price of the booking ${booking}; until then each call with its key gives this error`,
        ),
        incomplete === undefined ? [] : say`Only a part was created: ${incomplete}`,
      ),
    };
  },
  /** `reason`: `null` if none was given. */
  'booking-cancelled': (booked: Outcome & { by: string; reason: string | null }): Saying => ({
    what: of(
      booked,
      say`the provider of the service cancelled it, as ${booked.by} said${booked.reason === null ? '' : ` (${booked.reason})`}: it was booked${asIds(booked.ids)}, and its key stays taken`,
    ),
    toDo: sentences(say`${show(booked)} shows it. Book a replacement with another key`, secretsText(booked)),
  }),
  /** `unlabelled`: shipments that lack the label that they were to get. */
  'booked-in-part': (
    booked: Outcome & { why: string; unlabelled?: Partial<Record<Leg, string>> | undefined },
  ): Saying => {
    const { unlabelled = {}, flags } = booked;
    return {
      what: of(booked, say`only a part was created: ${booked.why}`),
      toDo: sentences(
        say`What was made exists: do not book it again`,
        Object.keys(unlabelled).length === 0
          ? []
          : say`To make what is missing: ${next(...labelCommand(unlabelled, flags))}`,
        secretsText(booked),
      ),
    };
  },
  /** `isElsewhere`: the answer has secret and token, but not where they belong. */
  'subscription-without-secret': (booked: Outcome & { why: string; isElsewhere: boolean }): Saying => ({
    what: of(booked, say`only a part was created: ${booked.why}`),
    toDo: sentences(
      say`The subscription exists: it is ${idWords(booked.ids)}, and booking ${booked.booking} in the journal`,
      booked.isElsewhere
        ? []
        : say`The service gives secret and token only in that answer: ask the provider of the service for them, or to delete this subscription`,
      secretsText(booked),
    ),
  }),
  /** `named`: what the answer names all the same. */
  'booking-rejected': (
    booked: Outcome & { of: 'booking' | 'label'; named?: string | undefined } & (
        | { why: string }
        | { deniedBy: string }
      ),
  ): Saying => {
    const why = 'why' in booked ? booked.why : `${booked.deniedBy} resolved it as not created`;
    // A label is refused for a shipment that exists.
    const nothing = booked.of === 'label' ? 'no label was made' : 'nothing was created';
    return {
      what: of(booked, say`${why}; ${nothing}`),
      toDo: sentences(unspoken(booked.named ?? ''), secretsText(booked)),
    };
  },
  'booking-not-sent': (booked: Outcome & { why: string }): Saying => ({
    what: of(booked, say`${booked.why}`),
    toDo: secretsText(booked),
  }),
  'booked-twice': (booked: Unsettled & { why: string }): Saying => ({
    what: of(
      booked,
      say`this order ${Object.keys(booked.ids).length > 0 ? 'was' : 'may have been'} booked twice: ${booked.why}`,
    ),
    toDo: sentences(
      say`Cancel one of the two with the service`,
      forPerson(say`If this one exists then, ${resolved(booked)}`, personSettles(booked)),
      secretsText(booked),
    ),
  }),
  /** `other`: the booking that had its key in the meantime. */
  'created-after-all': (booked: Unsettled & { other: string }): Saying => ({
    what: of(
      booked,
      say`its own answer says that it was created${asIds(booked.ids)}, and booking ${booked.other}, which had its key, does not exist`,
    ),
    toDo: sentences(
      forPerson(say`If this one exists then, ${resolved(booked)}`, personSettles(booked)),
      secretsText(booked),
    ),
  }),
  /** `owner`: the booking that has the shipment which the answer names. */
  'outcome-unknown': (booked: Unsettled & { why: string; owner?: string | undefined }): Saying => {
    const { booking, owner } = booked;
    return {
      what: of(
        booked,
        say`the booking was sent, but no conclusive answer came: ${booked.why}. It may exist and cost money, so it is not sent again. It is booking ${booking} in the journal`,
      ),
      toDo: sentences(
        askProvider(booked),
        owner === undefined
          ? forPerson(say`If it does, ${resolved(booked)}`, personSettles(booked))
          : forPerson(
              say`If both are one shipment, ${resolve(booked, '--same-as', owner)} says so. If it does not, run ${resolve(booked)}`,
              say`If both are one shipment, ask a person to settle the booking ${booking} as that. ${personSettles(booked)}`,
            ),
        secretsText(booked),
      ),
    };
  },
  /** Of a failure that only the journal has. */
  'booking-created': (booked: Outcome): Saying => ({
    what: of(booked, say`it was booked${asIds(booked.ids)}`),
  }),
};

type Outcomes = typeof OUTCOMES;

/** What became of a booking, as data. */
export type OutcomeNotice = {
  [K in keyof Outcomes]: { kind: K } & Parameters<Outcomes[K]>[0];
}[keyof Outcomes];

/** An order whose key, or whose content, is that of a booking. */
interface InTheWay extends OfOperation, Target, BookedBefore {}

/** A proposal of a carrier, as a person is told of it. */
export interface ProposalFacts {
  id?: string | undefined;
  serviceType?: string | undefined;
  deliveryTime?: string | undefined;
  price?: string | number | undefined;
  currency: string;
  /** Why it cannot be booked; empty without a reason. */
  refusal?: string | undefined;
}

/** `not valid: too heavy` */
export const refusalWords = ({ refusal }: Pick<ProposalFacts, 'refusal'>, word: string): string =>
  refusal ? `${word}: ${refusal}` : word;

/** `EXP (express, 1-3 days, 18.70 EUR)` */
export function proposalWords(proposal: ProposalFacts): string {
  const { id = 'a proposal without id', serviceType, deliveryTime } = proposal;
  const facts = [serviceType, deliveryTime, money(proposal.price, proposal.currency) ?? 'no price'];
  if (proposal.refusal !== undefined) facts.push(refusalWords(proposal, 'not valid'));
  return `${id} (${facts.filter(Boolean).join(', ')})`;
}

const listed = (proposals: readonly ProposalFacts[]): string => proposals.map(proposalWords).join('; ');

/** The weight that proposals are for, in kilograms. */
export const weightWords = (weight: number | undefined): string =>
  weight === undefined ? 'a weight that they do not say' : `${weight} kg`;

export const amountsWords = (amounts: readonly Money[]): string =>
  amounts.map(amountWords).join(', ') || 'no currency';

/** Which limit an order would pass by itself. */
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

/** What a proposal must keep. */
interface Bounds {
  service?: string | undefined;
  maxPrice?: Money | undefined;
  maxDays?: number | undefined;
  /** Must its price be known? */
  isPriced?: boolean | undefined;
}

/** The first bound that a proposal does not keep. */
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

/** ` for 5 EUR or less within 3 days` */
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

/** Currencies of prices that cannot be compared. */
export type Mixture = keyof typeof MIXTURES;

export const mixtureWords = (mixture: Mixture): string => MIXTURES[mixture];

/** Why no proposal is the best. */
export type Unclear = Mixture | 'no-time' | 'no-price';

function unclearWords(unclear: Unclear): string {
  switch (unclear) {
    case 'no-time':
      return 'no delivery time can be read';
    case 'no-price':
      return 'no price is given that can be read';
    default:
      return `the prices are ${mixtureWords(unclear)}`;
  }
}

/** Why a proposal is not chosen. */
export type LeftOut =
  | { issues: readonly { path: string; message: string }[] }
  | { bound: BoundBroken }
  | { limit: LimitPassed };

function leftOutWords({ proposal, ...because }: LeftOut & { proposal: ProposalFacts }): string {
  const why =
    'issues' in because
      ? because.issues.map(({ path, message }) => `${path} ${message}`).join('; ')
      : 'bound' in because
        ? boundBrokenWords(because.bound)
        : limitPassedWords(because.limit);
  return `${proposalWords(proposal)} is left out: ${why}`;
}

const LIMITS_HOLD = 'so its price is not known, and there are limits to hold it against';

const limitsShown = ({ flags }: Target): Text =>
  say`${next('waybill', 'profile', 'whoami', ...flags)} shows the limits`;

/** What shall be booked without a proposal. */
export const WITHOUT_PROPOSAL = say`To book without a proposal, give ${flag('--carrier', 'ID')} and ${flag('--chargeable-weight', 'KG')}`;

/** The chargeable weight that is given, and that of the proposals. */
interface Weights {
  given: number;
  proposed?: number | undefined;
}

const weightsDiffer = ({ given, proposed }: Weights): string =>
  `the chargeable weight is given as ${given} kg, and the proposals for these packages are for ${weightWords(proposed)}`;

/** What to do about it, if anything. */
const withoutWeight = ({ proposed }: Weights): Text =>
  proposed === undefined ? [] : say`Leave out the weight, which is then taken from the proposal`;

/** Another order, with the key that it may have. */
interface OtherOrder {
  otherBooking: string;
  otherKey: string | null;
}

const otherOrderWords = ({ otherBooking, otherKey }: OtherOrder): string =>
  otherKey === null ? otherBooking : `${JSON.stringify(otherKey)}, ${otherBooking}`;

/** A file that holds a plan. */
interface OfPlan extends OfOperation {
  file: string;
}

const ofPlan = (plan: OfPlan, what: Text): Text => of(plan, say`${stranger(plan.file)} ${what}`);

const NEW_PLAN = say`${flag('--plan FILE')} makes a new one of the order`;

export const ORDER = {
  ...OUTCOMES,
  /** This message is the only record. `why`: why there is no other. */
  'outcome-unrecorded': ({ outcome, why }: { outcome: OutcomeNotice; why: string }): Saying => {
    const { what, toDo = [] } = (OUTCOMES[outcome.kind] as (data: OutcomeNotice) => Saying)(outcome);
    const { booking } = outcome;
    return {
      what: sentences(what, toDo, say`The journal could not record this: ${why}`),
      toDo: sentences(
        say`Keep this message: the journal shows booking ${booking} as unknown, and ${forPerson(say`${resolve(outcome)} corrects that`, say`ask a person to settle the booking ${booking}`)}`,
        say`If the journal has lost that booking, it would book it again: ${pattern('waybill history import FILE')} adds what the results of a batch have`,
      ),
    };
  },

  /** `because`: missing if a person did not want another one. */
  'same-order-booked': (before: InTheWay & { because?: keyof typeof NOT_AGAIN }): Saying => ({
    what: of(before, say`${sameOrderWords(before)}`),
    toDo: say`${show(before)} shows it${before.because && `. ${notAgainWords(before.because)}`}`,
  }),
  /** `isDeclined`: a person did not want another one. */
  'same-content-booked': (before: InTheWay & { isDeclined: boolean }): Saying => ({
    what: of(before, say`${sameContentWords(before)}`),
    toDo: say`${show(before)} shows it${before.isDeclined ? '' : '. Without a key, the same content counts as the same order for 24 hours, and while it is unknown'}`,
  }),
  /** `key`: as it was booked. `typed`: the same key, which may be written in another way. */
  'key-has-other-order': (
    before: InTheWay & { typed: string; receiver: string; differences: readonly string[] },
  ): Saying => {
    const { typed, key, receiver, booking, state, differences } = before;
    const spelled =
      key === null || key === typed
        ? ''
        : `. It was booked as ${JSON.stringify(key)}, and keys that look the same are one key`;
    return {
      what: of(
        before,
        say`the key ${JSON.stringify(typed)} was ${bookedOrSent(state)} with other input at ${when(before)}${receiver && ` for ${receiver}`} (${booking}, ${state})${differenceWords(differences)}${spelled}`,
      ),
      toDo: say`${show(before)} shows it. A key names one order`,
    };
  },
  'booked-without-labels': (before: InTheWay & { ids: Ids }): Saying => ({
    what: of(before, say`it was booked at ${when(before)} without labels (${before.booking})`),
    toDo: say`${show(before)} shows it, and ${command(...labelCommand(before.ids, before.flags))} makes them`,
  }),
  /** `isImported`: it was booked elsewhere. `unlabelled`: shipments that were to get a label, and have none. */
  'recorded-answer': (
    before: BookedBefore & Target & { isImported: boolean; unlabelled: Partial<Record<Leg, string>> },
  ): Saying => {
    const { booking, state, isImported, unlabelled, flags } = before;
    const place = isImported ? `on another machine, as ${booking} here` : `at ${when(before)}, as ${booking}`;
    const legs = Object.keys(unlabelled);
    return {
      what:
        state === 'unknown'
          ? say`sent before, ${place}: its outcome is unknown since then, and nothing was sent now`
          : say`booked before, ${place}: this is the recorded answer; nothing was sent`,
      toDo: isImported
        ? say`It was imported from a results file, so its input cannot be compared`
        : legs.length === 0
          ? []
          : say`It has no label of the ${legs.join(' and ')} leg: ${command(...labelCommand(unlabelled, flags))} makes it, or shows what was made since`,
    };
  },
  'booking-of-key-unknown': (unknown: OfBooking & { key: string }): Saying => ({
    what: say`the booking ${unknown.booking} with the key ${JSON.stringify(unknown.key)} may or may not exist`,
    toDo: say`${askProvider(unknown)}. ${forPerson(say`${resolve(unknown)} records the answer`, say`Then a person records the answer`)}`,
  }),
  'request-invalid': (request: OfOperation & { problems: number }): Saying => ({
    what: of(request, say`the request has ${numbered(request.problems, 'problem')}`),
  }),
  'warnings-refused': (request: OfOperation): Saying => ({
    what: of(request, say`there were warnings, and ${flag('--strict')} makes them errors`),
  }),
  'key-empty': (): Saying => ({
    what: say`${flag('--key')} is empty; give it a name of your own, such as an order number`,
  }),
  'key-unusable': ({ key, fault }: { key: string; fault: string }): Saying => ({
    what: say`${flag('--key')} ${stranger(key)} ${fault}`,
  }),
  'papers-without-files': (): Saying => ({
    what: say`${flag('--papers')} needs ${flag('--merge')}, ${flag('--print')} or ${flag('--download')}`,
  }),
  /** `option`: without its hyphens, as in the two that follow. */
  'option-needs-label': ({ option }: { option: string }): Saying => ({
    what: say`${flag(`--${option}`)} needs ${flag('--label')}, which makes the label`,
  }),
  'packages-given-twice': ({ option }: { option: string }): Saying => ({
    what: say`${flag('--package')} and ${flag(`--${option}`)} both describe packages; give one or the other`,
  }),
  'package-incomplete': ({ option, missing }: { option: string; missing: readonly string[] }): Saying => ({
    what: say`${flag(`--${option}`)} describes a package, but ${joined(
      missing.map(name => [flag(`--${name}`)]),
      ', ',
    )} ${missing.length === 1 ? 'is' : 'are'} missing`,
    toDo: say`Or give everything at once: ${flag('--package', '1.5kg@30x20x10cm')}`,
  }),
  'item-malformed': ({ typed }: { typed: string }): Saying => ({
    what: say`${flag('--item')} ${stranger(typed)} is not of the form NAME=VALUE,NAME=VALUE; try description=T-shirt,hsCode=610910,countryOfOrigin=TR,quantity=2,unitPrice=12.5`,
  }),
  'item-names-twice': ({ typed, name }: { typed: string; name: string }): Saying => ({
    what: say`${flag('--item')} ${stranger(typed)} gives ${name} twice`,
  }),
  'header-malformed': ({ typed }: { typed: string }): Saying => ({
    what: say`${flag('--header')} ${stranger(typed)} is not of the form 'X-Name: value'`,
  }),
  'set-malformed': ({ typed, isIndexTooLarge }: { typed: string; isIndexTooLarge: boolean }): Saying => ({
    what: say`${flag('--set')} ${stranger(typed)} is not of the form PATH=VALUE; ${isIndexTooLarge ? say`an index is at most 999` : say`try ${flag('--set', 'receiver.address.city=Berlin')} or ${flag('--set', "'items[0].hsCode=610910'")}`}`,
  }),
  'saved-fields-left-out': ({ fields }: { fields: readonly string[] }): Saying => ({
    what: say`left out of the saved party, because only dual shipments have it: ${fields.join(', ')}`,
  }),
  'key-required': (order: OfOperation): Saying => ({
    what: of(order, say`a key is required (requireKey), so that nothing is booked twice`),
    toDo: say`Give ${flag('--key', 'NAME')}, such as the number of the order`,
  }),
  /** `price`: missing if any would be too much. `isPair`: no proposal has its price. */
  'limit-passed': (
    order: OfOperation & Target & { price?: Money | undefined; passed: LimitPassed; isPair: boolean },
  ): Saying => {
    const { price, passed, isPair } = order;
    const is = passed.passes === 'amount' ? ' is ' : ': ';
    return {
      what: of(order, say`${price && amountWords(price) + is}${limitPassedWords(passed)}`),
      toDo: sentences(
        passed.passes === 'price-unknown' && isPair
          ? say`No proposal has the price of a pair: give ${flag('--max-price')}, as much as it may cost`
          : [],
        limitsShown(order),
      ),
    };
  },
  /** `freeAt`: when there is room, as ISO 8601; missing if never. */
  'day-is-over': (
    order: OfOperation &
      Target & { limit: Money; spent: string; expected: string; freeAt?: string | undefined },
  ): Saying => {
    const { limit, spent, expected, freeAt } = order;
    const words = (amount: string) => money(amount, limit.currency);
    return {
      what: of(
        order,
        say`${words(expected)} would pass the limit of a day (${amountWords(limit)}): ${words(spent)} of the last 24 hours count already, with what is under way or unknown`,
      ),
      toDo: sentences(
        freeAt === undefined ? [] : say`If nothing else is booked, there is room at ${freeAt}`,
        limitsShown(order),
      ),
    };
  },
  'day-is-spent': (order: OfOperation & Target & { limit: readonly Money[] }): Saying => ({
    what: of(order, say`nothing is left of the limit of a day (${amountsWords(order.limit)})`),
    toDo: limitsShown(order),
  }),
  'proposals-above-limits': (
    order: OfOperation & Target & { proposals: readonly (ProposalFacts & { passed: LimitPassed })[] },
  ): Saying => ({
    what: of(
      order,
      say`no proposal is within the limits. ${order.proposals.map(one => `${proposalWords(one)}: ${limitPassedWords(one.passed)}`).join('; ')}`,
    ),
    toDo: limitsShown(order),
  }),
  'unlisted-carrier-and-limits': (order: OfOperation & Target & { carrier: string }): Saying => ({
    what: of(order, say`the carrier ${order.carrier} is not among the proposals, ${LIMITS_HOLD}`),
    toDo: limitsShown(order),
  }),
  'other-weight-and-limits': (order: OfOperation & Target & Weights): Saying => ({
    what: of(order, say`${weightsDiffer(order)}, ${LIMITS_HOLD}`),
    toDo: sentences(withoutWeight(order), limitsShown(order)),
  }),
  'other-weight-and-plan': (order: OfOperation & Weights): Saying => ({
    what: of(order, say`${weightsDiffer(order)}, so its price is not known, and a plan has one`),
    toDo: withoutWeight(order),
  }),
  'other-weight-and-bound': (order: OfOperation & Weights): Saying => ({
    what: of(order, say`${weightsDiffer(order)}, so ${flag('--max-price')} cannot be verified`),
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
      leftOut: readonly (ProposalFacts & Extract<LeftOut, { issues: unknown }>)[];
    },
  ): Saying => ({
    what: of(order, say`no carrier that may be booked offers this${boundsWords(order.bounds)}`),
    toDo: sentences(
      order.cheapest ? say`The cheapest that may be booked is ${proposalWords(order.cheapest)}` : [],
      ...order.leftOut.map(({ issues, ...proposal }) => say`${leftOutWords({ proposal, issues })}`),
    ),
  }),
  'no-proposal': (order: OfOperation & { carrier?: string | undefined; bounds: Bounds }): Saying => ({
    what: of(order, say`the service has no proposal for this shipment, at any price`),
    toDo: withoutProposal(order),
  }),
  /** No exchange rate is known. Without the proposals: in a batch all records have the same words, which are told once. */
  'proposals-in-other-currency': (
    order: OfOperation & { carrier?: string | undefined; bounds: Bounds; currencies: readonly string[] },
  ): Saying => ({
    what: of(
      order,
      say`${notOffered(order)}: the prices are in ${order.currencies.join(' and ')}, and are not converted`,
    ),
  }),
  /** `carrier`: missing if any would do. */
  'no-proposal-fits': (
    order: OfOperation & {
      carrier?: string | undefined;
      bounds: Bounds;
      proposals: readonly ProposalFacts[];
    },
  ): Saying => ({
    what: of(order, say`${notOffered(order)}`),
    toDo: sentences(say`The proposals are: ${listed(order.proposals)}`, withoutProposal(order)),
  }),
  'best-proposal-unclear': (
    order: OfOperation & {
      pick: 'cheapest' | 'fastest';
      because: Unclear;
      proposals: readonly ProposalFacts[];
    },
  ): Saying => ({
    what: of(
      order,
      say`the ${order.pick} proposal is not clear, because ${unclearWords(order.because)}: ${listed(order.proposals)}`,
    ),
    toDo: say`Name a carrier, or narrow the proposals down`,
  }),
  'proposal-left-out': (leftOut: LeftOut & { proposal: ProposalFacts }): Saying => ({
    what: say`${leftOutWords(leftOut)}`,
  }),
  'proposal-without-price': (doubt: { proposal: ProposalFacts; isReadable: boolean }): Saying => ({
    what: say`the price of ${proposalWords(doubt.proposal)} ${doubt.isReadable ? 'is probably missing' : 'cannot be read'}, so its cost is not known`,
  }),
  'economy-carrier-unset': (doubt: { proposal: ProposalFacts; path: string; message: string }): Saying => ({
    what: say`${proposalWords(doubt.proposal)}: ${doubt.path} ${doubt.message}, and no setting says which carrier that is`,
    toDo: say`If it is not ${doubt.proposal.id}, name it: \`economyCarriers\` of the profile, or WAYBILL_ECONOMY_CARRIERS`,
  }),
  'proposals-without-weight': (order: OfOperation): Saying => ({
    what: of(order, say`the proposals have no chargeable weight`),
    toDo: say`Give it with ${flag('--chargeable-weight', 'KG')}`,
  }),
  'weight-of-proposal': ({ weight }: { weight: number }): Saying => ({
    what: say`chargeable weight, taken from the proposal: ${weight} kg`,
  }),
  'carrier-chosen': ({ proposal }: { proposal: ProposalFacts }): Saying => ({
    what: say`carrier: ${proposalWords(proposal)}`,
  }),
  'carrier-unlisted': ({ carrier }: { carrier: string }): Saying => ({
    what: say`the carrier ${carrier} is not among the proposals: the service may refuse it, or charge another price`,
  }),
  'proposals-need-centimetres': (order: OfOperation): Saying => ({
    what: of(order, say`proposals need dimensions in centimetres`),
    toDo: WITHOUT_PROPOSAL,
  }),
  'max-price-malformed': ({ typed }: { typed: string }): Saying => ({
    what: say`${flag('--max-price')} ${JSON.stringify(typed)} is not an amount above 0 with a currency, such as 20EUR`,
  }),

  /** `counts`: what the answer says counts, and not what was said before. */
  'answered-after-settlement': (late: {
    booking: string;
    state: State;
    by: string;
    /** ISO 8601 */
    at: string;
    isCreated: boolean;
    ids: Ids;
    counts: boolean;
  }): Saying => {
    const names = idWords(late.ids);
    const settled = late.isCreated ? `created${names && ` (${names})`}` : 'not created';
    return {
      what: say`booking ${late.booking} was resolved by ${late.by} at ${when(late)} as ${settled}, and then its answer came`,
      toDo: late.counts
        ? say`The answer counts: the booking is ${late.state}`
        : say`It names no other shipment, so what was recorded counts`,
    };
  },
  'sandbox-names-other-shipment': (answer: OfOperation & OtherOrder & { ids: Ids }): Saying => ({
    what: of(
      answer,
      say`the sandbox answered with ${operands(Object.values(answer.ids))}, and that is the shipment of another order (${otherOrderWords(answer)})`,
    ),
    toDo: say`In production this is exit 8`,
  }),
  'same-tracking-number': (
    answer: OfOperation & OtherOrder & Target & { shipment: string; trackingNumber: string },
  ): Saying => ({
    what: of(
      answer,
      say`the label of ${shownId(answer.shipment)} has the tracking number ${shownId(answer.trackingNumber)}, and so has that of another order (${otherOrderWords(answer)})`,
    ),
    toDo: say`Compare both labels before a parcel leaves: ${show({ booking: answer.otherBooking, flags: answer.flags })} shows that order`,
  }),
  /** `path`: where the service document shows it. */
  'id-elsewhere': (answer: OfOperation & { path: string; found: string }): Saying => ({
    what: of(
      answer,
      say`the service document shows the id at ${answer.path}, and the answer has it at ${answer.found}: it was read there`,
    ),
  }),
  'two-ids': (answer: OfOperation & Record<'first' | 'second', { id: string; path: string }>): Saying => {
    const [first, second] = [answer.first, answer.second].map(({ id, path }) => `${shownId(id)} at ${path}`);
    return {
      what: of(answer, say`the answer has two ids, ${first} and ${second}: the first counts`),
      toDo: say`Compare both with what the service shows`,
    };
  },
  'other-receiver': (
    answer: OfOperation & Target & { receiver: string; ordered: string; ids: Ids },
  ): Saying => ({
    what: of(
      answer,
      say`the answer names another receiver, ${answer.receiver}, and the order was for ${answer.ordered}`,
    ),
    toDo: say`Compare both before the parcel leaves: ${next('waybill', 'track', ...answer.flags, ...operandWords(Object.values(answer.ids)))} shows what the service has`,
  }),
  /** `path`: where the answer has it. */
  'other-carrier': (answer: OfOperation & Record<'carrier' | 'ordered' | 'path', string>): Saying => ({
    what: of(
      answer,
      say`the answer has the carrier ${shownId(answer.carrier)} at ${answer.path}, and the order was for ${shownId(answer.ordered)}`,
    ),
    toDo: say`Ask the provider of the service before the parcel leaves`,
  }),
  'other-weight-answered': (answer: OfOperation & { weight: number; ordered: number }): Saying => ({
    what: of(
      answer,
      say`the answer is for ${answer.weight} kg, and the order was for ${answer.ordered} kg: the service may charge for that`,
    ),
    toDo: say`Ask its provider before the parcel leaves`,
  }),
  /** Prices with their currencies. */
  'price-unlike-proposal': ({ proposed, price }: Record<'proposed' | 'price', string>): Saying => ({
    what: say`the proposal said ${proposed}, but the shipment was booked for ${price}`,
  }),
  /** `price`: with its currency. `isPart`: of one leg. `booking`: one of an earlier command. */
  'price-not-comparable': (answer: {
    price?: string | undefined;
    isPart: boolean;
    maxPrice: Money;
    booking?: string | undefined;
  }): Saying => {
    const { price, isPart, maxPrice, booking } = answer;
    const has =
      price === undefined
        ? 'no price at carrier.price'
        : isPart
          ? `the price of one leg alone, ${price}`
          : `a price of ${price}, probably because it is missing, at carrier.price`;
    return {
      what: say`${booking && `booking ${booking}: `}the answer has ${has}, so it cannot be compared with ${flag('--max-price')} ${amountWords(maxPrice)}`,
    };
  },

  /** `file`: as it was typed. */
  'plan-changed': (plan: OfPlan): Saying => ({
    what: ofPlan(plan, say`is no plan as it was made: its content is not that of its hash`),
    toDo: NEW_PLAN,
  }),
  'plan-of-other-command': (plan: OfPlan & { planned: string }): Saying => ({
    what: ofPlan(plan, say`is a plan of \`waybill ${commandName({ command: plan.planned })}\``),
  }),
  'plan-for-other-place': (plan: OfPlan & { planned: string; place: string }): Saying => ({
    what: ofPlan(plan, say`is a plan for ${plan.planned}, and this is ${plan.place}`),
  }),
  'plan-for-other-mode': (plan: OfPlan & { planned: 'sandbox' | 'production' }): Saying => ({
    what: ofPlan(
      plan,
      say`is a plan for ${plan.planned === 'sandbox' ? 'the sandbox' : 'production'}, and this is not`,
    ),
  }),
  'plan-ended': (plan: OfPlan & { at: string }): Saying => ({
    what: ofPlan(plan, say`is a plan that ended at ${plan.at}`),
    toDo: NEW_PLAN,
  }),
  'plan-with-option': (plan: OfPlan & { option: string }): Saying => ({
    what: ofPlan(plan, say`is a plan, which is booked as it is, without ${flag(plan.option)}`),
    toDo: NEW_PLAN,
  }),
  /** `planned`: the key of the plan. */
  'plan-with-other-key': (plan: OfPlan & { planned: string | null }): Saying => ({
    what: ofPlan(
      plan,
      say`is a plan ${plan.planned === null ? 'without a key' : `with the key ${stranger(plan.planned)}`}`,
    ),
  }),
  'plan-without-price': (plan: OfPlan): Saying => ({
    what: ofPlan(plan, say`is a plan without a price`),
    toDo: NEW_PLAN,
  }),

  'settled-while-waiting': (lost: OfOperation & OfBooking): Saying => ({
    what: of(
      lost,
      say`while this process waited, booking ${lost.booking} was resolved or counted as lost, and it is not sent`,
    ),
    toDo: say`${show(lost)} shows it`,
  }),
  'key-mangled': (typed: OfOperation & { key: string; fault: string }): Saying => ({
    what: of(typed, say`${flag('--key')} ${stranger(typed.key)} ${typed.fault}`),
  }),
  /** `isBooked`: false if it would be booked once more, as in a dry run. */
  'same-order-other-key': (before: BookedBefore & Target & { isBooked: boolean }): Saying => ({
    what: say`${sameOrderWords(before)}${otherKey(before)}`,
    toDo: otherOrder(before),
  }),
  /** `column`: names a record in a file of --failed. */
  'same-record-other-key': (
    before: BookedBefore & Target & { isBooked: boolean; column: string },
  ): Saying => ({
    what: say`${sameRecordWords(before)}${otherKey(before)}`,
    toDo: otherOrder(before),
  }),
};

const notOffered = ({ carrier, bounds }: { carrier?: string | undefined; bounds: Bounds }): string =>
  `${carrier === undefined ? 'no carrier offers this' : `the carrier ${carrier} does not offer this`}${boundsWords(bounds)}`;

/** A carrier that is named, without bounds, may be booked without a proposal. */
const withoutProposal = ({ carrier, bounds }: { carrier?: string | undefined; bounds: Bounds }): Text =>
  carrier === undefined || boundsWords(bounds) !== ''
    ? []
    : say`To book it without a proposal, give ${flag('--chargeable-weight', 'KG')}`;

/** A record of a file of --failed that was booked before. */
export const sameRecordWords = (before: BookedBefore & { column: string }): string =>
  `the same record (${before.column} in a file of --failed; leave it empty for another order) was ${bookedWords(before)}`;

const otherKey = ({ isBooked }: { isBooked: boolean }): string =>
  `: this key is another one, so it ${isBooked ? 'is' : 'would be'} booked once more`;

const otherOrder = (before: OfBooking): Text => say`${show(before)} shows that order`;
