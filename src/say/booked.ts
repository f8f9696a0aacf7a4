// What is said of a booking: what became of it, what it stands in the way of, and what its answer says.
import { AT_WORK_MINUTES, existsAs, type Ids, type State } from '../booking/booking.ts';
import { LEGS, type Leg } from '../contract/operations.ts';
import { type Money, readPrice } from '../contract/read.ts';
import { bare, operands, operandWords, quotedWords, shortened, shownId, someOf } from '../text.ts';
import { forOperation, type OfOperation, type Target } from './order.ts';
import {
  type CommandWords,
  command,
  flag,
  forPerson,
  next,
  pattern,
  type Saying,
  say,
  sentences,
  type Text,
  unspoken,
} from './sentence.ts';
import { amountWords, timeWords } from './words.ts';

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
  'at-terminal': say`The profile says policy.allowDuplicate=terminal: a person at a terminal may book it again`,
  strict: say`Without ${flag('--strict')} it is a warning`,
  unknown: say`Nobody knows whether that one exists: stop, and tell a person, who finds out first`,
};

/** Why an order is not booked under another key. */
export const notAgainText = (because: keyof typeof NOT_AGAIN): Text => NOT_AGAIN[because];

/** Who an order is for: an agent has that in fields, and not in a message. */
const ofPerson = (receiver: Text): Text => forPerson(receiver, []);

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
      what: forOperation(
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
    what: forOperation(
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
      what: forOperation(booked, say`only a part was created: ${booked.why}`),
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
    what: forOperation(booked, say`only a part was created: ${booked.why}`),
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
      what: forOperation(booked, say`${why}; ${nothing}`),
      toDo: sentences(unspoken(booked.named ?? ''), secretsText(booked)),
    };
  },
  'booking-not-sent': (booked: Outcome & { why: string }): Saying => ({
    what: forOperation(booked, say`${booked.why}`),
    toDo: secretsText(booked),
  }),
  'booked-twice': (booked: Unsettled & { why: string }): Saying => ({
    what: forOperation(
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
    what: forOperation(
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
      what: forOperation(
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
    what: forOperation(booked, say`it was booked${asIds(booked.ids)}`),
  }),
};

type Outcomes = typeof OUTCOMES;

/** What became of a booking, as data. */
export type OutcomeNotice = {
  [K in keyof Outcomes]: { kind: K } & Parameters<Outcomes[K]>[0];
}[keyof Outcomes];

/** An order whose key, or whose content, is that of a booking. */
interface InTheWay extends OfOperation, Target, BookedBefore {}

/** Another order, with the key that it may have. */
interface OtherOrder {
  otherBooking: string;
  otherKey: string | null;
}

const otherOrderWords = ({ otherBooking, otherKey }: OtherOrder): string =>
  otherKey === null ? otherBooking : `${JSON.stringify(otherKey)}, ${otherBooking}`;

export const BOOKED = {
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
    what: forOperation(before, say`${sameOrderWords(before)}`),
    toDo: say`${show(before)} shows it${before.because && say`. ${notAgainText(before.because)}`}`,
  }),
  /** `isDeclined`: a person did not want another one. */
  'same-content-booked': (before: InTheWay & { isDeclined: boolean }): Saying => ({
    what: forOperation(before, say`${sameContentWords(before)}`),
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
      what: forOperation(
        before,
        say`the key ${JSON.stringify(typed)} was ${bookedOrSent(state)} with other input at ${when(before)}${receiver && ofPerson(say` for ${receiver}`)} (${booking}, ${state})${differenceWords(differences)}${spelled}`,
      ),
      toDo: say`${show(before)} shows it. A key names one order`,
    };
  },
  'booked-without-labels': (before: InTheWay & { ids: Ids }): Saying => ({
    what: forOperation(before, say`it was booked at ${when(before)} without labels (${before.booking})`),
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
  'settled-while-waiting': (lost: OfOperation & OfBooking): Saying => ({
    what: forOperation(
      lost,
      say`while this process waited, booking ${lost.booking} was resolved or counted as lost, and it is not sent`,
    ),
    toDo: say`${show(lost)} shows it`,
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
    what: say`${sameRecordText(before)}${otherKey(before)}`,
    toDo: otherOrder(before),
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
    what: forOperation(
      answer,
      say`the sandbox answered with ${operands(Object.values(answer.ids))}, and that is the shipment of another order (${otherOrderWords(answer)})`,
    ),
    toDo: say`In production this is exit 8`,
  }),
  'same-tracking-number': (
    answer: OfOperation & OtherOrder & Target & { shipment: string; trackingNumber: string },
  ): Saying => ({
    what: forOperation(
      answer,
      say`the label of ${shownId(answer.shipment)} has the tracking number ${shownId(answer.trackingNumber)}, and so has that of another order (${otherOrderWords(answer)})`,
    ),
    toDo: say`Compare both labels before a parcel leaves: ${show({ booking: answer.otherBooking, flags: answer.flags })} shows that order`,
  }),
  /** `path`: where the service document shows it. */
  'id-elsewhere': (answer: OfOperation & { path: string; found: string }): Saying => ({
    what: forOperation(
      answer,
      say`the service document shows the id at ${answer.path}, and the answer has it at ${answer.found}: it was read there`,
    ),
  }),
  'two-ids': (answer: OfOperation & Record<'first' | 'second', { id: string; path: string }>): Saying => {
    const [first, second] = [answer.first, answer.second].map(({ id, path }) => `${shownId(id)} at ${path}`);
    return {
      what: forOperation(answer, say`the answer has two ids, ${first} and ${second}: the first counts`),
      toDo: say`Compare both with what the service shows`,
    };
  },
  'other-receiver': (
    answer: OfOperation & Target & { receiver: string; ordered: string; ids: Ids },
  ): Saying => ({
    what: forOperation(
      answer,
      say`the answer names another receiver${ofPerson(say`, ${answer.receiver}, and the order was for ${answer.ordered}`)}`,
    ),
    toDo: say`Compare both before the parcel leaves: ${next('waybill', 'track', ...answer.flags, ...operandWords(Object.values(answer.ids)))} shows what the service has`,
  }),
  /** `path`: where the answer has it. */
  'other-carrier': (answer: OfOperation & Record<'carrier' | 'ordered' | 'path', string>): Saying => ({
    what: forOperation(
      answer,
      say`the answer has the carrier ${shownId(answer.carrier)} at ${answer.path}, and the order was for ${shownId(answer.ordered)}`,
    ),
    toDo: say`Ask the provider of the service before the parcel leaves`,
  }),
  'other-weight-answered': (answer: OfOperation & { weight: number; ordered: number }): Saying => ({
    what: forOperation(
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
};

/** A record of a file of --failed that was booked before. */
export const sameRecordText = (before: BookedBefore & { column: string }): Text =>
  say`the same record (${before.column} in a file of ${flag('--failed')}; leave it empty for another order) was ${bookedWords(before)}`;

const otherKey = ({ isBooked }: { isBooked: boolean }): string =>
  `: this key is another one, so it ${isBooked ? 'is' : 'would be'} booked once more`;

const otherOrder = (before: OfBooking): Text => say`${show(before)} shows that order`;
