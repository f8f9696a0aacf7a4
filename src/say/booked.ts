// What is said of a booking: what became of it, why it prevents another booking, and what its answer says.
import { existsAs, type Ids, type OrderName, type Reason, type State } from '../booking/booking.ts';
import { AT_WORK_MINUTES } from '../booking/standing.ts';
import { LEGS, type Leg } from '../contract/operations.ts';
import { type Money, readPrice } from '../contract/read.ts';
import { bare, operands, operandWords, quotedWords, shortened, shown, shownId, someOf } from '../text.ts';
import { forOperation, type OfOperation, type Target } from './order.ts';
import {
  type CommandWords,
  command,
  flag,
  forPerson,
  joinedTexts,
  next,
  pattern,
  type Saying,
  say,
  sentences,
  type Text,
} from './sentence.ts';
import { amountWords, timeWords } from './words.ts';

/** A booking, and the options that name its service in a command. */
interface OfBooking extends Target {
  booking: string;
}

/** A booking that may exist. */
interface Doubtful extends OfBooking {
  /** The key of the booking, if a person can name the booking by it. */
  name?: string | undefined;
  /** From when on the word of the provider counts that the booking does not exist, in ISO 8601. */
  noCountsFrom?: string | undefined;
}

/** What became of a booking. */
interface Outcome extends OfOperation, OfBooking {
  /** The ids that the service gave, by what they name. */
  ids: Readonly<Record<string, string>>;
  /** The paths of secrets in the answer, which are given only once; empty if the paths are not known. */
  secretPaths?: readonly string[] | undefined;
}

/** A booking that a person must settle. */
interface Unsettled extends Outcome, Doubtful {
  /** The ids for `history resolve --created`, that of a domestic leg second; words in capitals where an id is not known. */
  idsIfCreated: readonly string[];
}

/** A booking as a person is told of it. */
export interface BookedBefore {
  booking: string;
  key: string | null;
  state: State;
  /** When it was booked, in ISO 8601. */
  at: string;
}

// Commands.

/** The command that shows what the journal has of a booking. */
export const showCommand = (booking: string, flags: readonly string[]): CommandWords => [
  'waybill',
  'history',
  'show',
  booking,
  ...flags,
];

/** The command that makes the labels of shipments, at the same service. */
export const labelCommand = (
  shipments: Partial<Record<Leg, string>>,
  flags: readonly string[],
): CommandWords => [
  'waybill',
  'label',
  ...LEGS.flatMap(leg => (shipments[leg] === undefined ? [] : [`--${leg}`, shipments[leg]])),
  ...flags,
];

const showPart = (notice: OfBooking) => next(...showCommand(notice.booking, notice.flags));

const resolvePart = (booking: Doubtful, ...said: string[]) =>
  command('waybill', 'history', 'resolve', booking.name ?? booking.booking, ...booking.flags, ...said);

// Parts of sentences.

const idWords = (ids: Readonly<Record<string, string>>): string => Object.values(ids).join(' and ');

const asIds = (ids: Readonly<Record<string, string>>): string => {
  const words = idWords(ids);
  return words && ` as ${words}`;
};

/** "sent" for a booking that only may exist, else "booked". */
const bookedOrSent = (state: State): string => (existsAs(state) === null ? 'sent' : 'booked');

const when = (booking: Pick<BookedBefore, 'at'>): string => timeWords(Date.parse(booking.at));

/** When a booking was made, and as what: `booked at 09:38 with the key "A" (bk_1, created)`. */
export const bookedWords = (before: BookedBefore): string =>
  `${bookedOrSent(before.state)} at ${when(before)} ${before.key === null ? 'without a key' : `with the key ${quotedWords(before.key)}`} (${before.booking}, ${before.state})`;

/** Why an order is not booked again under another key: the same order was booked. */
export const sameOrderWords = (before: BookedBefore): string =>
  `the same receiver, goods and parcels were ${bookedWords(before)}`;

/** Why an order without a key is not booked: the same content was booked before. */
export const sameContentWords = (before: BookedBefore): string =>
  `the same content was ${bookedWords(before)}`;

const NOT_AGAIN = {
  'at-terminal': say`Only a person at a terminal may book it again (policy.allowDuplicate=terminal)`,
  strict: say`Without ${flag('--strict')} it is a warning`,
  unknown: say`Stop, and tell a person: that one may exist`,
};

/** Why an order is not booked under another key. */
export const notAgainText = (because: keyof typeof NOT_AGAIN): Text => NOT_AGAIN[because];

/** For whom an order is. An agent reads that in fields: its sentence leaves it out. */
const ofPerson = (receiver: Text): Text => forPerson(receiver, []);

/** In place of the fields that differ, if two requests with different input have all fields in common. */
const NO_FIELD = 'no field: it chooses its carrier in another way, or itself gives what the profile gave';

/** `; it differs in packages[0].weight`; empty if the paths are not known. */
export const differenceWords = (paths: readonly string[] | undefined): string =>
  paths === undefined ? '' : `; it differs in ${paths.length === 0 ? NO_FIELD : someOf(paths, 3)}`;

/** A field of an order, as it was booked and as it is given now. */
export interface FieldChange {
  path: string;
  before: unknown;
  now: unknown;
}

/** `, and differs: receiver.address.city "Bonn" -> "Berlin"`; empty if the changes are not known. */
export const changeWords = (changes: readonly FieldChange[] | undefined): string => {
  if (changes === undefined) return '';
  if (changes.length === 0) return `, and differs in ${NO_FIELD}`;
  const worded = (value: unknown) => (value === undefined ? 'nothing' : shown(value));
  const words = changes.map(({ path, before, now }) => `${path} ${worded(before)} -> ${worded(now)}`);
  return `, and differs: ${someOf(words, 3)}`;
};

/** What to ask the provider about a booking that may exist, and from when on the answer counts. */
export const askProvider = (booking: Doubtful): Text => {
  const from = booking.noCountsFrom;
  const when = from === undefined ? '' : `from ${timeWords(Date.parse(from))} on, `;
  return say`Ask the provider whether it exists (a no counts ${when}${AT_WORK_MINUTES} minutes after it was sent): ${showPart(booking)} shows what was sent`;
};

const otherAnswer = (answered: string, ordered: string): string =>
  `the answer has ${answered}, and the order was for ${ordered}`;

const ASK_FIRST = say`Ask the provider before the parcel leaves`;

/** The options of `history resolve` for a booking that exists. */
export const createdFlags = ([id = '', domestic]: readonly string[]): string[] => [
  '--created',
  id,
  ...(domestic === undefined ? [] : ['--domestic', domestic]),
];

/** The command for a booking that does not exist. It asks a person; a script is told what to type, and when. */
const denied = (booking: Doubtful): Text => say`${resolvePart(booking)} (it asks, or says what to type)`;

/** The command for a booking that exists, then the command for a booking that does not. */
const resolved = (unsettled: Unsettled): Text =>
  say`run ${resolvePart(unsettled, ...createdFlags(unsettled.idsIfCreated))}, else ${denied(unsettled)}`;

const askToSettle = (notice: OfBooking): Text => say`ask a person to settle the booking ${notice.booking}`;

const personSettles = (booking: OfBooking): Text => say`Then ${askToSettle(booking)}`;

/** What to do with this booking, once the provider has cancelled one of the two bookings of an order. */
const settledBy = (unsettled: Unsettled): Text =>
  forPerson(say`If this one exists then, ${resolved(unsettled)}`, personSettles(unsettled));

function secretsText(outcome: Outcome): Text {
  const { secretPaths, booking, flags } = outcome;
  if (secretPaths === undefined) return [];
  const has = secretPaths.length === 0 ? 'may have secret or token' : `has ${secretPaths.join(' and ')}`;
  const shown = next(...showCommand(booking, flags), '--show-secret');
  return say`Its answer ${has}: ${shown} shows it`;
}

/** The things that the answer to a rejected booking names nevertheless. */
export interface NamedThings {
  things: 'shipment' | 'subscription' | 'tracking-number';
  ids: readonly { id: string; isDomestic: boolean }[];
}

/** What the answer of a rejected booking names, and how to look at it before the order is booked again. */
function namedText(outcome: Outcome & { named?: NamedThings | undefined }): Text {
  if (outcome.named === undefined) return [];
  const { things, ids } = outcome.named;
  const [s, it] = ids.length > 1 ? ['s', 'them'] : ['', 'it'];
  const words = say`The answer names ${things === 'tracking-number' ? 'tracking number' : things}${s} ${ids.map(({ id }) => id).join(' and ')}`;
  if (things === 'tracking-number') return say`${words}: look for ${it} at the service before you book again`;
  const looks = ids.map(({ id, isDomestic }) => {
    const typed = [...outcome.flags, ...operandWords([id])];
    return things === 'subscription'
      ? [command('waybill', 'webhook', 'get', ...typed)]
      : [next('waybill', 'track', ...(isDomestic ? ['--domestic'] : []), ...typed)];
  });
  return say`${words}: look at ${it} with ${joinedTexts(looks, ' and ')} before you book again`;
}

// Why a booking is not what its answer says, in the words that the journal keeps.

const ownerWords = (order: OrderName): string =>
  `${order.key === null ? '' : `${JSON.stringify(order.key)}, `}booking ${order.id}`;

export function reasonWords(reason: Reason): string {
  switch (reason.reason) {
    case 'of-others': {
      const owners = reason.owners.map(
        ({ thing, id, owner }) => `${thing} ${id} in it is that of another order, ${ownerWords(owner)}`,
      );
      return `${reason.why} (${owners.join('; ')})`;
    }
    case 'of-another':
      return `the service answered with the ${reason.leg} shipment ${reason.shipment}, which is that of another order (${ownerWords(reason.owner)})`;
    case 'booked-twice': {
      const { at, hasItsKey, rival, ids, why } = reason;
      const doubt = typeof why === 'string' ? why : reasonWords(why);
      const answer =
        reason.isMade || idWords(ids) ? `it was created${asIds(ids)}` : `it may have been created (${doubt})`;
      const which = idWords(rival.ids) && `, which is ${idWords(rival.ids)}`;
      return `it was sent at ${new Date(at).toISOString()} and resolved as not created; ${hasItsKey ? 'its key' : 'the same'} was booked again as ${rival.id}${which}; then its own answer came: ${answer}`;
    }
  }
}

const LOST = {
  ended: 'the process that sent it ended before it could record an outcome',
  silent: 'the process that sent it recorded no outcome, and does not renew its claim any more',
  unrecorded: 'the journal could not record its answer',
  'claim-lost': 'the journal was lost while it was claimed',
};

/** Why nobody knows the outcome of a booking, in the words that the journal keeps. */
export const lostWords = (lost: keyof typeof LOST): string => LOST[lost];

/** What became of a booking that failed, or that needs a person. */
const OUTCOMES = {
  'price-above-bound': (
    booked: Outcome & {
      /** The price, as the service sent it. */
      price: unknown;
      currency: string | null;
      maxPrice: string | null;
      /** Why only a part was created. */
      incomplete?: string | undefined;
    },
  ): Saying => {
    const { booking, ids, price, currency, maxPrice, flags, incomplete } = booked;
    // The price of two legs in two currencies is text that has both.
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
        say`booked${asIds(ids)}${cost}, ${isComparable ? 'above' : 'not comparable with'} ${bound}: do not book it again`,
      ),
      toDo: sentences(
        say`${showPart(booked)} shows it`,
        // Only a person says that a price is accepted, and not a script that types what it is told.
        forPerson(
          say`If a person accepts the price: ${accept}`,
          say`Ask a person to accept the price of ${booking}; until then its key gives this error`,
        ),
        incomplete === undefined ? [] : say`Only a part was created: ${incomplete}`,
      ),
    };
  },
  /** `reason`: `null` if no reason was given. */
  /** `rival`: the other booking of the order, which disputes this one. */
  'booking-cancelled': (
    booked: Outcome & { by: string; reason: string | null; rival?: string | undefined },
  ): Saying => ({
    what: forOperation(
      booked,
      say`booked${asIds(booked.ids)}, then cancelled by the provider, as ${booked.by} said${booked.reason === null ? '' : ` (${booked.reason})`}`,
    ),
    toDo: sentences(
      booked.rival === undefined
        ? say`Book a replacement with another key. ${showPart(booked)} shows it`
        : say`Book no replacement before you know whether booking ${booked.rival} exists: ${showPart({ ...booked, booking: booked.rival })}`,
      secretsText(booked),
    ),
  }),
  /** `unlabelled`: shipments that were to get a label, and have none. */
  'booked-in-part': (
    booked: Outcome & { why: string; unlabelled?: Partial<Record<Leg, string>> | undefined },
  ): Saying => {
    const { unlabelled = {}, flags } = booked;
    return {
      what: forOperation(booked, say`only a part was created: ${booked.why}`),
      toDo: sentences(
        say`Do not book it again`,
        Object.keys(unlabelled).length === 0
          ? []
          : say`Make the rest: ${next(...labelCommand(unlabelled, flags))}`,
        secretsText(booked),
      ),
    };
  },
  /** `isElsewhere`: the answer has a secret and a token, but in other places than the service document says. */
  'subscription-without-secret': (booked: Outcome & { why: string; isElsewhere: boolean }): Saying => ({
    what: forOperation(booked, say`only a part was created: ${booked.why}`),
    toDo: sentences(
      say`The subscription ${idWords(booked.ids)} exists (${booked.booking})`,
      booked.isElsewhere
        ? []
        : say`Only that answer had secret and token: ask the provider for them, or to delete it`,
      secretsText(booked),
    ),
  }),
  /** `named`: what the answer names, although the booking was rejected. */
  'booking-rejected': (
    booked: Outcome & { of: 'booking' | 'label'; named?: NamedThings | undefined } & (
        | { why: string }
        | { deniedBy: string }
      ),
  ): Saying => {
    // A label is refused for a shipment that exists: then it is not true that nothing was created.
    const nothing = booked.of === 'label' ? 'no label was made' : 'nothing was created';
    const what =
      'why' in booked
        ? say`${forPerson([], say`it was refused: `)}${booked.why}; ${nothing}`
        : say`${nothing}, as ${booked.deniedBy} said`;
    return {
      what: forOperation(booked, what),
      toDo: sentences(namedText(booked), secretsText(booked)),
    };
  },
  'booking-not-sent': (booked: Outcome & { why: string }): Saying => ({
    what: forOperation(booked, say`${forPerson([], say`it was not sent: `)}${booked.why}`),
    toDo: secretsText(booked),
  }),
  'booked-twice': (booked: Unsettled & { why: string }): Saying => ({
    what: forOperation(
      booked,
      say`this order ${Object.keys(booked.ids).length > 0 ? 'was' : 'may have been'} booked twice: ${booked.why}`,
    ),
    toDo: sentences(say`Have the provider cancel one of the two`, settledBy(booked), secretsText(booked)),
  }),
  /** `other`: the booking that had the same key in the meantime. */
  'created-after-all': (booked: Unsettled & { other: string }): Saying => ({
    what: forOperation(
      booked,
      say`created${asIds(booked.ids)}, by its own answer; ${booked.other}, which had its key, does not exist`,
    ),
    toDo: sentences(settledBy(booked), secretsText(booked)),
  }),
  /** `owner`: another booking, which has the shipment that the answer names. */
  'outcome-unknown': (booked: Unsettled & { why: string; owner?: string | undefined }): Saying => {
    const { booking, owner } = booked;
    return {
      what: forOperation(
        booked,
        say`sent, but no conclusive answer came: ${booked.why}. It may exist and cost money: booking ${booking} is not sent again`,
      ),
      toDo: sentences(
        askProvider(booked),
        owner === undefined
          ? forPerson(say`If it does, ${resolved(booked)}`, personSettles(booked))
          : forPerson(
              say`If both are one shipment: ${resolvePart(booked, '--same-as', owner)}. If it does not exist: ${denied(booked)}`,
              say`${personSettles(booked)}, perhaps as the same shipment`,
            ),
        secretsText(booked),
      ),
    };
  },
  /** The booking exists, but the journal could not record that. */
  'booking-created': (booked: Outcome): Saying => ({
    what: forOperation(booked, say`booked${asIds(booked.ids)}`),
  }),
};

type Outcomes = typeof OUTCOMES;

/** What became of a booking, as data. */
export type OutcomeNotice = {
  [K in keyof Outcomes]: { kind: K } & Parameters<Outcomes[K]>[0];
}[keyof Outcomes];

/** An order that is not booked, because a booking has the same key or the same content. */
interface InTheWay extends OfOperation, Target, BookedBefore {}

/** Another order, by its booking, and its key if it has one. */
interface OtherOrder {
  otherBooking: string;
  otherKey: string | null;
}

const otherOrderWords = (order: OtherOrder): string =>
  order.otherKey === null ? order.otherBooking : `${JSON.stringify(order.otherKey)}, ${order.otherBooking}`;

export const BOOKED = {
  ...OUTCOMES,
  /** The journal could not record an outcome (`why` says the reason): this message is the only record. */
  'outcome-unrecorded': (notice: { outcome: OutcomeNotice; why: string }): Saying => {
    const { what, toDo = [] } = (OUTCOMES[notice.outcome.kind] as (data: OutcomeNotice) => Saying)(
      notice.outcome,
    );
    const { booking } = notice.outcome;
    return {
      what: sentences(what, toDo, say`The journal could not record this: ${notice.why}`),
      toDo: sentences(
        say`Keep this message: the journal shows ${booking} as unknown, and ${forPerson(say`${resolvePart(notice.outcome)} corrects that`, askToSettle(notice.outcome))}`,
        say`A journal without it books it again: ${pattern('waybill history import FILE')} adds the results of a batch`,
      ),
    };
  },

  /** `rival`: an earlier booking of the order, which this booking replaced. */
  'rival-created': (order: OfOperation & Target & { rival: string }): Saying => ({
    what: forOperation(
      order,
      say`booking ${order.rival}, which this one replaced, was created, too: its answer came late`,
    ),
    toDo: say`Have the provider cancel one of the two: ${showPart({ ...order, booking: order.rival })}`,
  }),
  /** `because`: why the order is not booked again; missing if a person did not want that. */
  'same-order-booked': (before: InTheWay & { because?: keyof typeof NOT_AGAIN }): Saying => ({
    what: forOperation(before, say`${sameOrderWords(before)}`),
    toDo: say`${showPart(before)} shows it${before.because && say`. ${notAgainText(before.because)}`}`,
  }),
  /** `isDeclined`: a person did not want a second booking. `takesKey`: with a key, the same content is booked again. */
  'same-content-booked': (before: InTheWay & { isDeclined: boolean; takesKey: boolean }): Saying => ({
    what: forOperation(before, say`${sameContentWords(before)}`),
    toDo:
      existsAs(before.state) === null
        ? say`It may exist: ${showPart(before)} shows how to resolve it`
        : say`${showPart(before)} shows it${before.isDeclined ? '' : anotherText(before)}`,
  }),
  /** `key`: the key of the booking. `typed`: the same key, but perhaps in another spelling. */
  'key-has-other-order': (
    before: InTheWay & { typed: string; receiver: string; differences: readonly string[] | undefined },
  ): Saying => {
    const { typed, key, receiver, booking, state, differences } = before;
    const spelled = key === null || key === typed ? '' : ` is the same key as ${JSON.stringify(key)}, which`;
    return {
      what: forOperation(
        before,
        say`${JSON.stringify(typed)}${spelled} was already ${bookedOrSent(state)} with other input at ${when(before)}${receiver && ofPerson(say` for ${receiver}`)} (${booking}, ${state})${differenceWords(differences)}`,
      ),
      toDo: say`${showPart(before)} shows it. A second parcel needs another key`,
    };
  },
  'booked-without-labels': (before: InTheWay & { ids: Ids }): Saying => ({
    what: forOperation(before, say`booked at ${when(before)} without labels (${before.booking})`),
    toDo: say`${showPart(before)} shows it, and ${command(...labelCommand(before.ids, before.flags))} makes them`,
  }),
  /** `isImported`: the order was booked elsewhere. `unlabelled`: shipments that were to get a label, and have none. */
  'recorded-answer': (
    before: BookedBefore & Target & { isImported: boolean; unlabelled: Partial<Record<Leg, string>> },
  ): Saying => {
    const { booking, state, isImported, unlabelled, flags } = before;
    const place = isImported ? `on another machine, here ${booking}` : `${when(before)}, ${booking}`;
    const legs = Object.keys(unlabelled);
    return {
      what:
        state === 'unknown'
          ? say`it was sent before (${place}), and is still unknown; nothing was sent now`
          : say`it was booked before (${place}): this is its recorded answer; nothing was sent`,
      toDo: isImported
        ? say`Imported from results: its input cannot be compared`
        : legs.length === 0
          ? []
          : say`It has no ${legs.join(' and ')} label: ${command(...labelCommand(unlabelled, flags))} makes it, or shows a later one`,
    };
  },
  'booking-of-key-unknown': (unknown: Doubtful & { key: string }): Saying => ({
    what: say`${JSON.stringify(unknown.key)} (${unknown.booking}) may or may not exist`,
    toDo: say`${askProvider(unknown)}. ${forPerson(say`Record the answer: ${denied(unknown)}`, say`Then a person records the answer`)}`,
  }),
  'settled-while-waiting': (lost: OfOperation & OfBooking): Saying => ({
    what: forOperation(lost, say`booking ${lost.booking} was resolved or lost meanwhile: it is not sent`),
    toDo: say`${showPart(lost)} shows it`,
  }),
  /** `isBooked`: is the order booked now? False in a dry run: it only would be. */
  'same-order-other-key': (before: BookedBefore & Target & { isBooked: boolean }): Saying => ({
    what: say`${sameOrderWords(before)}${secondWords(before)}`,
    toDo: earlierOrderText(before),
  }),
  /** `column`: the title of the column that names a record, in a file that --failed wrote. */
  'same-record-other-key': (
    before: BookedBefore & Target & { isBooked: boolean; column: string },
  ): Saying => ({
    what: say`${sameRecordText(before)}${secondWords(before)}`,
    toDo: earlierOrderText(before),
  }),

  /** `counts`: the late answer counts, and not what a person said before. */
  'answered-after-settlement': (late: {
    booking: string;
    state: State;
    by: string;
    /** When a person said what became of the booking, in ISO 8601. */
    at: string;
    isCreated: boolean;
    ids: Ids;
    counts: boolean;
  }): Saying => {
    const names = idWords(late.ids);
    const settled = late.isCreated ? `created${names && ` (${names})`}` : 'not created';
    return {
      what: say`${late.by} resolved ${late.booking} at ${when(late)} as ${settled}, and then its answer came`,
      toDo: late.counts
        ? say`The answer counts: it is ${late.state}`
        : say`It names no other shipment: what was recorded counts`,
    };
  },
  'sandbox-names-other-shipment': (answer: OfOperation & OtherOrder & { ids: Ids }): Saying => ({
    what: forOperation(
      answer,
      say`the sandbox answered with ${operands(Object.values(answer.ids))}, the shipment of another order (${otherOrderWords(answer)})`,
    ),
    toDo: say`In production this is exit 8`,
  }),
  'same-tracking-number': (
    answer: OfOperation & OtherOrder & Target & { shipment: string; trackingNumber: string },
  ): Saying => ({
    what: forOperation(
      answer,
      say`${shownId(answer.shipment)} and another order (${otherOrderWords(answer)}) have one tracking number, ${shownId(answer.trackingNumber)}`,
    ),
    toDo: say`Compare both labels before a parcel leaves: ${showPart({ booking: answer.otherBooking, flags: answer.flags })}`,
  }),
  /** `path`: the place of the id in the service document. `found`: its place in the answer. */
  'id-elsewhere': (answer: OfOperation & { path: string; found: string }): Saying => ({
    what: forOperation(answer, say`the id was read at ${answer.found}, not at ${answer.path}`),
  }),
  'two-ids': (answer: OfOperation & Record<'first' | 'second', { id: string; path: string }>): Saying => {
    const [first, second] = [answer.first, answer.second].map(({ id, path }) => `${shownId(id)} at ${path}`);
    return {
      what: forOperation(answer, say`the answer has two ids, ${first} and ${second}: the first counts`),
      toDo: say`Compare both with the service`,
    };
  },
  'other-receiver': (
    answer: OfOperation & Target & { receiver: string; ordered: string; ids: Ids },
  ): Saying => ({
    what: forOperation(
      answer,
      say`the answer has another receiver${ofPerson(say`, ${answer.receiver}, and the order was for ${answer.ordered}`)}`,
    ),
    toDo: say`Compare before the parcel leaves: ${next('waybill', 'track', ...answer.flags, ...operandWords(Object.values(answer.ids)))}`,
  }),
  /** `path`: the place of the carrier in the answer. */
  'other-carrier': (answer: OfOperation & Record<'carrier' | 'ordered' | 'path', string>): Saying => ({
    what: forOperation(
      answer,
      say`${otherAnswer(`the carrier ${shownId(answer.carrier)} at ${answer.path}`, shownId(answer.ordered))}`,
    ),
    toDo: ASK_FIRST,
  }),
  'other-weight-answered': (answer: OfOperation & { weight: number; ordered: number }): Saying => ({
    what: forOperation(
      answer,
      say`${otherAnswer(`${answer.weight} kg`, `${answer.ordered} kg`)}, which may cost more`,
    ),
    toDo: ASK_FIRST,
  }),
  /** `proposed`, `price`: amounts with their currencies. */
  'price-unlike-proposal': (notice: Record<'proposed' | 'price', string>): Saying => ({
    what: say`the proposal said ${notice.proposed}, but it was booked for ${notice.price}`,
  }),
  /** `price`: with its currency. `isPart`: the price of one leg. `booking`: the booking, if an earlier command made it. */
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
          ? `only the price of one leg, ${price}`
          : `${price} at carrier.price, probably a missing one`;
    return {
      what: say`${booking && `booking ${booking}: `}the answer has ${has}: it cannot be compared with ${flag('--max-price')} ${amountWords(maxPrice)}`,
    };
  },
};

/** What to do to book the same content a second time. */
const anotherText = (booking: { takesKey: boolean }): Text =>
  booking.takesKey
    ? say`. For the same one there is nothing to do; another one needs ${flag('--key', 'NAME')}`
    : say`. Without a key, the same content is one order for 24 hours`;

/** The words for a record of a --failed file that was booked before. */
export const sameRecordText = (before: BookedBefore & { column: string }): Text =>
  say`the same record (${before.column} in a ${flag('--failed')} file; empty for another order) was ${bookedWords(before)}`;

const secondWords = (booking: BookedBefore & { isBooked: boolean }): string =>
  `${existsAs(booking.state) === null ? ': that parcel may exist' : ''}. This ${booking.isBooked ? 'is' : 'would be'} a second parcel${booking.key === null ? '' : '; to repeat the first one, use its key'}`;

const earlierOrderText = (before: OfBooking): Text => say`${showPart(before)} shows the earlier one`;
