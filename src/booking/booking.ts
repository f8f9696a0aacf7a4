// A booking as the journal stores it. `standing.ts`: what follows from the facts of a booking; `questions.ts`: what the journal is asked.
import Big from 'big.js';
import {
  LEGS,
  type Leg,
  type Operation,
  type OperationCommand,
  operationNamed,
} from '../contract/operations.ts';
import { partyOf } from '../contract/parties.ts';
import { getAt, textAt } from '../contract/paths.ts';
import { currencyNamed, type DayLimit, knownPrice } from '../contract/read.ts';
import type { FailureCode } from '../exit-codes.ts';
import type { Json } from '../json.ts';

/** What is known of a label, whichever operation was to make it. */
export interface Label {
  made: boolean;
  trackingNumber?: string;
  /** The link to the label file, as the service gave it; absent if the answer has the label itself, or only a tracking number. */
  link?: string;
}

/** The things that the service gives an id. */
const ID_NAMES = ['shipment', 'international', 'domestic', 'subscription'] as const;
export type Ids = Partial<Record<(typeof ID_NAMES)[number], string>>;

/** A shipment, by leg and id: the service reads the legs at two addresses, and the same id may exist at both. */
export interface LegShipment {
  leg: Leg;
  shipment: string;
}

/** The leg of the shipment that has its id under this name; `undefined` for the id of a subscription. */
export const legOfId = (name: keyof Ids): Leg | undefined =>
  name === 'subscription' ? undefined : name === 'domestic' ? name : 'international';

/** The shipments that these ids name, each with its leg. */
export const shipmentsIn = (ids: Ids): LegShipment[] =>
  (Object.entries(ids) as [keyof Ids, string][]).flatMap(([name, shipment]) => {
    const leg = legOfId(name);
    return leg === undefined ? [] : { leg, shipment };
  });

/**
 * The states of a booking. `pending`: it is being sent. `created`, `partial`: it exists, completely or in part. `rejected`, `not_sent`:
 * it does not exist. `unknown`: it may exist; a pending booking whose process is gone becomes unknown. `cancelled`: it existed, and a
 * person said that the provider of the service cancelled it.
 */
export const STATES = [
  'pending',
  'created',
  'partial',
  'rejected',
  'not_sent',
  'unknown',
  'cancelled',
] as const;
export type State = (typeof STATES)[number];

/** Does at least a part of the booking exist? */
export const isMade = (booking: { state: State }): boolean =>
  booking.state === 'created' || booking.state === 'partial';

/** The states in which a booking holds its key and its labels, so that no other booking gets them. */
export const HOLDING_STATES: readonly State[] = ['pending', 'created', 'partial', 'unknown', 'cancelled'];

/** Does a booking with this state exist? `null` if nobody knows. The state may also be that of a batch record. */
export const existsAs = (state: string): boolean | null =>
  state === 'unknown' || state === 'pending' ? null : state === 'created' || state === 'partial';

/** May the booking exist, or has it existed? Then it keeps its key. */
export const mayExist = (booking: { state: State }): boolean => HOLDING_STATES.includes(booking.state);

/** The address and the account of the service within which a key names one order. */
export interface Scope {
  address: string;
  /** Empty if the profile names no account. */
  account: string;
}

/** Does the booking belong to this address and account? */
export const isAt = (scope: Scope, booking: Scope): boolean =>
  booking.address === scope.address && booking.account === scope.account;

/** A scope as one text, for outputs. An address has no blank, so that the text names one scope only. */
export const scopeText = (scope: Scope): string =>
  scope.account === '' ? scope.address : `${scope.address}${BETWEEN}${scope.account}`;

const BETWEEN = ' account ';

/** Reasons not to take a proposal, in the order in which they are checked. */
export const WHY_NOT = [
  'not-bookable',
  'other-carrier',
  'no-price',
  'service',
  'max-days',
  'max-price',
  'limit',
  'customs',
  'dearer',
  'slower',
  'alike',
] as const;
export type WhyNot = (typeof WHY_NOT)[number];

/** A proposal as a booking records it: without the texts of the service, except the id of the carrier, the price and the currency. */
export interface ProposalTold {
  carrier: string | null;
  /** The price as the service sent it. */
  price: unknown;
  currency: string | null;
  /** The longest delivery time that the proposal allows. */
  days: number | null;
  /** Why the proposal is not taken; `null` if it is taken. */
  why: WhyNot | null;
}

/** Why a booking has its carrier: the proposals to choose from, and the highest price allowed, as `20 EUR`. */
export interface Choice {
  proposals: ProposalTold[];
  bound: string | null;
}

/** A choice, with the name of the rule that made the choice; `null` if no rule made it. */
export interface ToldChoice extends Choice {
  rule: string | null;
}

/** Why a booking has its carrier; `null` if neither a rule nor proposals were asked for the carrier. */
export const choiceOf = ({
  rule,
  choice,
  maxPrice,
}: Pick<Booking, 'rule' | 'choice' | 'maxPrice'>): ToldChoice | null =>
  rule === null && choice === null ? null : { rule, proposals: [], bound: maxPrice, ...choice };

/** What the journal records of a booking before the first byte of its request is sent. */
export interface Intent {
  scope: Scope;
  operation: OperationCommand;
  /** Operations with the same key space share their keys. */
  keySpace: string;
  key: string | null;
  /** The number of the order in its shop, as it stands in the file of a batch: without the `keyPrefix` of the map. */
  orderNumber: string | null;
  /** The key of the order that a label belongs to, for the events that the log tells. The journal does not record this key. */
  orderKey?: string | null | undefined;
  /** A hash of the input, to see whether an order is repeated, with the same key or without a key. */
  fingerprint: string;
  /** A hash of receiver, goods and parcels, to see whether the same order comes under another key. `null` if no shipment is booked. */
  orderFingerprint: string | null;
  /** In a batch: a hash of the text of the record and of the options that apply to the record. Otherwise `null`. */
  source: string | null;
  /** In a batch: the name in the `_record` field of the record, if the record came with one. */
  recordName: string | null;
  /** The body of the request. */
  request: Json;
  profile: string | null;
  sandbox: boolean;
  /** The run that books, such as the address of a CI job; `null` if nothing names the run. */
  run: string | null;
  /** The person or the machine that books. */
  actor: string | null;
  /** The price above which a person must accept the booking, as `20 EUR`. */
  maxPrice: string | null;
  /** The rule that fits the order, and why the carrier was chosen. */
  rule: string | null;
  choice: Choice | null;
  /** The expected price, which counts against the limits of a day until the answer has a price; as `countedPrice` writes it. */
  expected: string | null;
  /** The limits of what the bookings of a day may cost together. If there is one, each names an amount in the currency of `expected`. */
  perDay: readonly DayLimit[];
  /** The shipments for which this booking makes labels, if they are known before the request is sent. */
  labels: readonly LegShipment[];
  /** Is the booking made even if the same order was booked before? */
  allowDuplicate: boolean;
  /**
   * Is this booking refused if the same order was booked under another key: always, or only while nobody knows whether that booking
   * exists? Otherwise there is only a warning, because a shop may send equal parcels at one moment.
   */
  refusesSameOrder: boolean | 'while unknown';
  /** Does the claim also report the same order under another key? A batch asks for such orders once, for all its records. */
  tellsSameOrder?: boolean;
}

/** The shipments whose labels are booked, and the key of their order. */
export interface Labelled {
  shipments: readonly string[];
  key: string | null;
}

/** A refusal whose answer names things that may have been made: the outcome if all these things belong to other orders. */
export interface Refusal {
  ids: Ids;
  code: FailureCode;
  why: string;
}

/** Another order, as a reason names it. */
export type OrderName = Pick<Booking, 'key' | 'id'>;

/** Why other orders make the outcome of a booking differ from its answer. The journal stores the reason in words (`src/say/booked.ts`). */
export type Reason =
  /** Everything that a refusal names belongs to other orders. `why`: why the service refused. */
  | { reason: 'of-others'; why: string; owners: readonly { thing: string; id: string; owner: OrderName }[] }
  | { reason: 'of-another'; leg: Leg; shipment: string; owner: OrderName }
  /** The order was booked again before its late answer came. `rival`: the second booking. `why`: what the late answer leaves unclear. */
  | {
      reason: 'booked-twice';
      at: number;
      hasItsKey: boolean;
      rival: Pick<Booking, 'id' | 'ids'>;
      ids: Ids;
      isMade: boolean;
      why: string | Reason;
    };

/** The outcome of a booking, which is recorded before anything is shown. */
export interface Outcome {
  state: Exclude<State, 'pending'>;
  code: FailureCode | null;
  why: string;
  httpStatus: number | null;
  /** The body of the response as text, even if it cannot be parsed. */
  answer: string | null;
  ids: Ids;
  labels: Partial<Record<Leg, Label>>;
  /** Is the price of the booking above its bound, or not comparable with the bound? `null` without a bound or a price. */
  overPrice: boolean | null;
  /** The price of the answer, as `countedPrice` writes it. */
  charged: string | null;
  /** Present only if the state is `unknown`. The journal does not record the refusal. */
  refusal?: Refusal | undefined;
  /** The excerpt for lists. Each later change of the row removes the excerpt: lists then read request and answer. */
  excerpt?: Excerpt | null;
}

/** What lists show of a request and its answer. Both are long, and a list does not read them if the row has an excerpt. */
export interface Excerpt {
  receiver: Receiver;
  carrier: string | null;
  /** The price as the service sent it. */
  price: unknown;
  currency: string | null;
  /** The address of a web page that tracks the parcel. */
  trackingLink: string | null;
}

/** Who says something about a booking, why, and in which run. */
export interface Speaker {
  by: string;
  reason: string | null;
  run: string | null;
}

/** What a booking made, or is said to have made. */
type Made = Pick<Outcome, 'ids' | 'labels' | 'overPrice' | 'charged'>;

/** What a person says about a booking. `ids`: the ids that the booking has after that. */
interface Said extends Speaker {
  /** In ms since 1970. */
  at: number;
  ids: Ids;
}

/** What became of an unknown booking, as a person found out. `before`: what the booking had made until then. */
export type Decision = Said & { before: Made } & (
    | {
        kind: 'confirmed';
        /** What the service told about the shipment, in the form of the answer that never came. */
        evidence?: string;
        /** The other booking of the same shipment, which has the costs. */
        sameAs?: string;
      }
    | { kind: 'denied' }
  );

/** `reopened`: the last statement of a person was a mistake. `accepted`: a person accepts that the price is above the bound. */
export type Settlement =
  | Decision
  | (Said & { kind: 'reopened' | 'accepted' })
  /** The provider of the service cancelled the booking. `existedAs`: the state of the booking until then. */
  | (Said & { kind: 'cancelled'; existedAs: 'created' | 'partial' });

/**
 * What happened to a booking besides its claim and its first answer, which are in its row. Facts are only added; nothing but `prune`
 * deletes a part of them.
 * Times are in ms since 1970.
 */
export type Fact =
  | Settlement
  /**
   * The answer of the booking came after a person had settled the booking. `state`: as the answer says. `counts`: the answer counts, and no
   * longer what the person said. `existedAs`: the booking stays cancelled, and this was its state before, as the answer says.
   */
  | { kind: 'answered'; at: number; counts: boolean; state: State; existedAs?: 'created' | 'partial' }
  /** The booking `from` may exist, too, and is disputed. This booking has the key of `from`, and is not sent if it was not sent yet. */
  | { kind: 'disputed'; at: number; from: string }
  /** The answer of the booking names a shipment that belongs to the order `owner`. */
  | ({ kind: 'shipment of another'; at: number; owner: string } & LegShipment)
  /** The booking `from`, which had the key and the labels of this booking, does not exist. */
  | { kind: 'key returned'; at: number; from: string };

const isSettlement = (fact: Fact): fact is Settlement =>
  fact.kind !== 'answered' &&
  fact.kind !== 'disputed' &&
  fact.kind !== 'shipment of another' &&
  fact.kind !== 'key returned';

/** What persons said about a booking, the oldest first. */
export const settlementsOf = (booking: Pick<Booking, 'facts'>): Settlement[] =>
  booking.facts.filter(isSettlement);

/** The words of outputs for what a person said. */
export const SETTLED_AS = {
  confirmed: 'created',
  denied: 'rejected',
  reopened: 'reopened',
  accepted: 'accepted',
  cancelled: 'cancelled',
} as const satisfies Record<Settlement['kind'], string>;

/** A settlement to be recorded, for the booking `id`. The kinds `confirmed` and `denied` name everything that the booking made. */
export interface NewSettlement extends Speaker, Made {
  id: string;
  kind: Settlement['kind'];
  evidence?: string;
  sameAs?: string;
  /** Frees a key or a label even while a carrier may still work on the booking, or although its own answer says that the booking exists. */
  mayBeEarly?: boolean;
  /** For `confirmed`: only a part of the booking was created, such as one leg of a pair. */
  isPart?: boolean;
}

/** What a booking made if it does not exist, or if nobody knows anything of what it made. */
export const NOTHING_MADE = { ids: {}, labels: {}, overPrice: null, charged: null } as const;

/** The fields of an outcome for which no response came. */
export const NO_RESPONSE = { httpStatus: null, answer: null, ...NOTHING_MADE } as const;

/** A booking in the journal. Times are in ms since 1970. */
export interface Booking extends Scope, Omit<Outcome, 'state' | 'refusal'> {
  id: string;
  operation: OperationCommand;
  keySpace: string;
  /** The key as it was first given. */
  key: string | null;
  /** The number of the order in its shop, as in `Intent`; `null` if no map of a batch gave it. */
  orderNumber: string | null;
  fingerprint: string;
  orderFingerprint: string | null;
  source: string | null;
  /** The name of the batch record that was booked, as the file of `--failed` shows the name. */
  recordName: string | null;
  state: State;
  profile: string | null;
  sandbox: boolean;
  run: string | null;
  actor: string | null;
  maxPrice: string | null;
  /** The rule as in `Intent`. Pruning deletes the name of the rule, because a person wrote the name. */
  rule: string | null;
  choice: Choice | null;
  expected: string | null;
  at: number;
  settledAt: number | null;
  /** How often a fact changed the row. Whoever writes the next fact names the version on which the decision is based. */
  version: number;
  /** The facts, the oldest first. */
  facts: readonly Fact[];
  /**
   * The other booking that has the key and the labels: this booking was denied, its order was booked again, and then the answer of this
   * booking came. While this booking is unknown, it is disputed.
   */
  keyHolder: string | null;
  request: unknown;
  /** Where each label was saved last. */
  files: Partial<Record<Leg, string>>;
  /** For each shipment (`international S-1`), the milestones that it reached and that end a journey. */
  milestones: Readonly<Record<string, readonly string[]>>;
  holder: Holder;
}

/**
 * Which of the bookings with one key counts: the booking that holds the key, or else the newest. `bookings`: the newest first; an
 * imported booking is listed as the newest, though it may be older.
 */
export const decidingBooking = (bookings: readonly Booking[]): Booking | undefined =>
  bookings.find(booking => booking.keyHolder === null && mayExist(booking)) ?? bookings[0];

/** The shipments that a request for labels names. */
export const shipmentsToLabel = (request: unknown): Intent['labels'] =>
  LEGS.flatMap(leg => {
    const shipment = textAt(request, [leg]);
    return shipment === undefined ? [] : { leg, shipment };
  });

/** The shipments for which a booking makes labels; none if the booking is not of the operation `label`. */
export const labelledBy = (booking: Pick<Booking, 'operation' | 'request'>): Intent['labels'] =>
  booking.operation === 'label' ? shipmentsToLabel(booking.request) : [];

/** The legs whose label the request asked for, and whose label was not made. */
export const unlabelledLegs = (
  operation: Operation,
  request: unknown,
  labels: Partial<Record<Leg, Pick<Label, 'made'>>>,
): Leg[] =>
  LEGS.filter(leg => {
    const asked = operation.made.labels[leg]?.asked;
    return asked !== undefined && getAt(request, asked) && labels[leg]?.made !== true;
  });

/** The shipments whose label a booking should have made and did not make: another booking may make the label. */
export function unlabelledBy(booking: Booking, result: Pick<Made, 'ids' | 'labels'> = booking): string[] {
  const shipments = { ...labelledIds(booking), ...result.ids };
  const legs = unlabelledLegs(operationNamed(booking.operation), booking.request, result.labels);
  return legs.flatMap(leg => shipments[leg] ?? []);
}

/** The shipments for which a booking makes labels, by their legs. */
export const labelledIds = (booking: Parameters<typeof labelledBy>[0]): Ids =>
  Object.fromEntries(labelledBy(booking).map(({ leg, shipment }) => [leg, shipment]));

/**
 * Did somebody give the booking its key? Then the same order under another key is only a warning. A plan without a key has its hash as
 * its key: the same order then prevents the booking, as for an order without a key.
 */
export const hasOwnKey = (booking: Pick<Booking, 'key'>): boolean =>
  booking.key !== null && !/^[0-9a-f]{64}$/.test(booking.key);

// Bookings imported from the results of a batch, which say what was created and not from which input.

/** The fingerprint of a booking whose input is not known. */
export const INPUT_UNKNOWN = 'imported';

export const isInputKnown = (booking: Pick<Booking, 'fingerprint'>): boolean =>
  booking.fingerprint !== INPUT_UNKNOWN;

/** Was the customer's data deleted from the booking? */
export const isPruned = (booking: Pick<Booking, 'request' | 'fingerprint'>): boolean =>
  booking.request === null && isInputKnown(booking);

/**
 * Was this booking made by this operation with this input? Inputs that cannot be compared count as the same: then the recorded
 * booking is shown, and nothing is sent again. `fingerprint` is empty if there is no input yet.
 */
export const hasSameInput = (
  booking: Pick<Booking, 'operation' | 'fingerprint'>,
  operation: OperationCommand,
  intent: Partial<Pick<Intent, 'fingerprint'>>,
): boolean =>
  booking.operation === operation &&
  (intent.fingerprint === booking.fingerprint || (Boolean(intent.fingerprint) && !isInputKnown(booking)));

/** Who receives an order. A field is `null` if the journal does not know its value, as in a pruned booking. */
export interface Receiver {
  name: string | null;
  city: string | null;
  country: string | null;
}

/** The receiver that a request or an answer names: in an answer, city and country stand beside the name. */
export function receiverNamed(body: unknown): Receiver {
  const { person, company, city, country } = partyOf(getAt(body, ['receiver']));
  return { name: person || company || null, city: city || null, country: country || null };
}

// The amount with which a booking counts against the limit of a day.

/** The parts of one unit of a currency: no currency has more than four decimals. */
export const PARTS = 10_000;
/** The largest counted amount, in parts. It is above each limit, and keeps the sum of a day far below the largest integer of a database. */
const MOST = 1e15 + 1;

/**
 * A price as a column stores it, such as `EUR 184000`: the currency, and the amount in `PARTS`, so that both databases add amounts
 * up exactly. `null` for a price that cannot be read, and for a price of 0 or less, which is probably missing.
 */
export function countedPrice(price: unknown, currency: string | null | undefined): string | null {
  const known = knownPrice({ price, currency: currencyNamed(currency) });
  if (known === undefined || !/^[A-Z]{3}$/.test(known.currency)) return null;
  const parts = new Big(known.amount).times(PARTS).round(0, Big.roundUp);
  return `${known.currency} ${parts.gt(MOST) ? MOST : parts.toFixed()}`;
}

/** The process that sends a booking. */
export interface Holder {
  host: string;
  process: number;
  /** When the process began, as its system tells: systems reuse the numbers of processes. */
  start: string;
  /** Within what the number of the process is unique: this start of the system, and the PID namespace. Absent if the system names none. */
  space?: string;
  /** The name of the user; absent if the system has no name for the user. */
  user?: string;
  version?: string;
}

/** In ms: how long a claimed booking counts as being sent without a sign of its process. After that the booking is `unknown`. */
export const LEASE_MS = lengthOfLease();

function lengthOfLease(): number {
  // step: length of a lease asked
  return 60_000;
}
