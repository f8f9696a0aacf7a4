// A booking as the journal has it. `standing.ts`: what follows from its facts; `questions.ts`: what the journal is asked.
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

/** A label, whichever operation made it. */
export interface Label {
  made: boolean;
  trackingNumber?: string;
  /** The link to the file, as the service gave it; none if the answer has the label itself, or only a tracking number. */
  link?: string;
}

/** What the service gives an id to. */
const ID_NAMES = ['shipment', 'international', 'domestic', 'subscription'] as const;
export type Ids = Partial<Record<(typeof ID_NAMES)[number], string>>;

/** A shipment at a place: an international and a domestic one may have one number, because they are read at two addresses. */
export interface LegShipment {
  leg: Leg;
  shipment: string;
}

/** The leg of the shipment whose id has this name; `undefined`: no shipment has it. */
export const legOfId = (name: keyof Ids): Leg | undefined =>
  name === 'subscription' ? undefined : name === 'domestic' ? name : 'international';

/** The shipments among ids. */
export const shipmentsIn = (ids: Ids): LegShipment[] =>
  (Object.entries(ids) as [keyof Ids, string][]).flatMap(([name, shipment]) => {
    const leg = legOfId(name);
    return leg === undefined ? [] : { leg, shipment };
  });

/**
 * `pending`: it is being sent. `created`, `partial`: it exists, completely or in part. `rejected`, `not_sent`: it does
 * not exist. `unknown`: it may exist; a pending booking whose process is gone becomes unknown. `cancelled`: it existed, and a
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

/** Does at least a part of it exist? */
export const isMade = (booking: { state: State }): boolean =>
  booking.state === 'created' || booking.state === 'partial';

/** States in which a booking holds its key and its labels, so that they are not booked again. */
export const HOLDING_STATES: readonly State[] = ['pending', 'created', 'partial', 'unknown', 'cancelled'];

/** Does it exist? `null` if nobody knows. The state may be that of a record of a batch, too. */
export const existsAs = (state: string): boolean | null =>
  state === 'unknown' || state === 'pending' ? null : state === 'created' || state === 'partial';

/** May it exist, or has it existed? Then it keeps its key. */
export const mayExist = (booking: { state: State }): boolean => HOLDING_STATES.includes(booking.state);

/** Keys belong to an address and an account. */
export interface Scope {
  address: string;
  /** Empty if the profile names none. */
  account: string;
}

/** Is it a booking at this address and account? */
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

/** A proposal as a booking keeps it: nothing that a stranger wrote but the id of a carrier. */
export interface ProposalTold {
  carrier: string | null;
  /** As the service sent it. */
  price: unknown;
  currency: string | null;
  /** The longest that the delivery may take. */
  days: number | null;
  /** Why the proposal is not taken; `null`: it is taken. */
  why: WhyNot | null;
}

/** Why this carrier: the proposals among which it was chosen, and the price that none might pass, as `20 EUR`. */
export interface Choice {
  proposals: ProposalTold[];
  bound: string | null;
}

/** A choice, with the name of the rule that made it; `null`: no rule did. */
export interface ToldChoice extends Choice {
  rule: string | null;
}

/** Why a booking has its carrier; `null`: no rule and no proposal was asked. */
export const choiceOf = ({
  rule,
  choice,
  maxPrice,
}: Pick<Booking, 'rule' | 'choice' | 'maxPrice'>): ToldChoice | null =>
  rule === null && choice === null ? null : { rule, proposals: [], bound: maxPrice, ...choice };

/** What is recorded before the first byte is sent. */
export interface Intent {
  scope: Scope;
  operation: OperationCommand;
  /** Operations with the same key space share their keys. */
  keySpace: string;
  key: string | null;
  /** The number of the order in its shop, as the file of a batch had it before the map's `keyPrefix`. */
  orderNumber: string | null;
  /** The key of the order that a label belongs to, for those who watch. It is not recorded. */
  orderKey?: string | null | undefined;
  /** Hash of the input: it tells whether a key, or an order without a key, is repeated. */
  fingerprint: string;
  /** Hash of receiver, goods and parcels: it tells whether the same order comes under another key. `null`: no shipment is booked. */
  orderFingerprint: string | null;
  /** In a batch: hash of the text of the record and of the options that apply to it. Otherwise `null`. */
  source: string | null;
  /** In a batch: the `_record` that its record came with. */
  recordName: string | null;
  /** The body to send. */
  request: Json;
  profile: string | null;
  sandbox: boolean;
  /** Which run of a machine or a person this is, such as the address of a CI job; `null` if nothing names it. */
  run: string | null;
  /** Who books. */
  actor: string | null;
  /** The price above which a person must accept the booking, as `20 EUR`. */
  maxPrice: string | null;
  /** The rule that fits the order, and why the carrier was chosen. */
  rule: string | null;
  choice: Choice | null;
  /** The amount that counts against a limit until the answer says a price, as `countedPrice` writes it. */
  expected: string | null;
  /** What the bookings of a day may cost together: if that is limited, `expected` is of a currency that each limit names. */
  perDay: readonly DayLimit[];
  /** Shipments that this booking labels, if they are known before it is sent. */
  labels: readonly LegShipment[];
  /** Books even if the same was booked before. */
  allowDuplicate: boolean;
  /**
   * Does the same order under another key prevent it, always or while nobody knows whether that exists? Else it is a warning,
   * because equal parcels may be sent at one moment.
   */
  refusesSameOrder: boolean | 'while unknown';
  /** Does the claim tell the same order under another key? A batch asks for those of all its records together. */
  tellsSameOrder?: boolean;
}

/** The shipments whose labels are booked, and the key of their order. */
export interface Labelled {
  shipments: readonly string[];
  key: string | null;
}

/** A refusal whose answer names what may have been made: what it means if all of that belongs to other orders. */
export interface Refusal {
  ids: Ids;
  code: FailureCode;
  why: string;
}

/** Another order, as a reason names it. */
export type OrderName = Pick<Booking, 'key' | 'id'>;

/** Why a booking is not what its answer says, because of other orders. The journal keeps the words of it (`src/say/booked.ts`). */
export type Reason =
  /** All that a refusal names belongs to others. `why`: why the service refused. */
  | { reason: 'of-others'; why: string; owners: readonly { thing: string; id: string; owner: OrderName }[] }
  | { reason: 'of-another'; leg: Leg; shipment: string; owner: OrderName }
  /** `rival`: the booking that was made since. `why`: what the late answer leaves unclear. */
  | {
      reason: 'booked-twice';
      at: number;
      hasItsKey: boolean;
      rival: Pick<Booking, 'id' | 'ids'>;
      ids: Ids;
      isMade: boolean;
      why: string | Reason;
    };

/** What came of a booking: it is recorded before anything is shown. */
export interface Outcome {
  state: Exclude<State, 'pending'>;
  code: FailureCode | null;
  why: string;
  httpStatus: number | null;
  /** The body of the response as text, even if it cannot be parsed. */
  answer: string | null;
  ids: Ids;
  labels: Partial<Record<Leg, Label>>;
  /** Is its price above the bound, or not comparable with it? `null` without a bound or a price. */
  overPrice: boolean | null;
  /** The price of the answer, as `countedPrice` writes it. */
  charged: string | null;
  /** Only of an unknown outcome. It is not recorded. */
  refusal?: Refusal | undefined;
  /** Each later change of the row empties it: then request and answer say it. */
  excerpt?: Excerpt | null;
}

/** What lists show of request and answer, which are long, and are not read where a row has its excerpt. */
export interface Excerpt {
  receiver: Receiver;
  carrier: string | null;
  /** As the service sent it. */
  price: unknown;
  currency: string | null;
  /** The address of a page that follows the parcel. */
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

/** What a person says about a booking. The ids are those that the booking has then. */
interface Said extends Speaker {
  /** In ms since 1970. */
  at: number;
  ids: Ids;
}

/** What became of an unknown booking, as a person found out. `before`: what the booking had made until then. */
export type Decision = Said & { before: Made } & (
    | {
        kind: 'confirmed';
        /** What the service told about the shipment, in the form of the answer that did not come. */
        evidence?: string;
        /** The other booking of the same shipment, which has the costs. */
        sameAs?: string;
      }
    | { kind: 'denied' }
  );

/** `reopened`: what was said last was a mistake. `accepted`: the price is above the bound, and that is known. */
export type Settlement =
  | Decision
  | (Said & { kind: 'reopened' | 'accepted' })
  /** The provider of the service cancelled it. `existedAs`: its state until then. */
  | (Said & { kind: 'cancelled'; existedAs: 'created' | 'partial' });

/**
 * What happened to a booking beside its claim and its first answer, which are in its row: facts are added, and never changed but for
 * what prune deletes of them.
 * Times are in ms since 1970.
 */
export type Fact =
  | Settlement
  /**
   * Its own answer came after a person had settled it, and said this state. `counts`: the answer counts, and no longer what the
   * person said. `existedAs`: it is the answer of what is cancelled, and stays so.
   */
  | { kind: 'answered'; at: number; counts: boolean; state: State; existedAs?: 'created' | 'partial' }
  /** The booking `from` may exist, too, and is disputed: this one has its key, and is not sent if it was not sent yet. */
  | { kind: 'disputed'; at: number; from: string }
  /** Its answer names the shipment of the order `owner`. */
  | ({ kind: 'shipment of another'; at: number; owner: string } & LegShipment)
  /** The booking `from`, which had its key and labels, does not exist. */
  | { kind: 'key returned'; at: number; from: string };

const isSettlement = (fact: Fact): fact is Settlement =>
  fact.kind !== 'answered' &&
  fact.kind !== 'disputed' &&
  fact.kind !== 'shipment of another' &&
  fact.kind !== 'key returned';

/** What a person said, the oldest first. */
export const settlementsOf = (booking: Pick<Booking, 'facts'>): Settlement[] =>
  booking.facts.filter(isSettlement);

/** As outputs call what a person said. */
export const SETTLED_AS = {
  confirmed: 'created',
  denied: 'rejected',
  reopened: 'reopened',
  accepted: 'accepted',
  cancelled: 'cancelled',
} as const satisfies Record<Settlement['kind'], string>;

/** A settlement to be recorded, of the booking with that id. Of `confirmed` and `denied` it says all that the booking made. */
export interface NewSettlement extends Speaker, Made {
  id: string;
  kind: Settlement['kind'];
  evidence?: string;
  sameAs?: string;
  /** A key or a label is freed, even while a carrier may still be at work on it, or although its own answer says that it exists. */
  mayBeEarly?: boolean;
  /** `confirmed`: only a part of it was created, as one leg of a pair. */
  isPart?: boolean;
}

/** What a booking made that does not exist, or that nobody knows anything of. */
export const NOTHING_MADE = { ids: {}, labels: {}, overPrice: null, charged: null } as const;

/** The rest of an outcome without a response. */
export const NO_RESPONSE = { httpStatus: null, answer: null, ...NOTHING_MADE } as const;

/** A booking in the journal. Times are in ms since 1970. */
export interface Booking extends Scope, Omit<Outcome, 'state' | 'refusal'> {
  id: string;
  operation: OperationCommand;
  keySpace: string;
  /** As it was first given. */
  key: string | null;
  /** As in `Intent`; `null` where no map read it. */
  orderNumber: string | null;
  fingerprint: string;
  orderFingerprint: string | null;
  source: string | null;
  /** The name of the record that was booked, as the file of `--failed` has it. */
  recordName: string | null;
  state: State;
  profile: string | null;
  sandbox: boolean;
  run: string | null;
  actor: string | null;
  maxPrice: string | null;
  /** As in `Intent`; a pruned booking has no name of a rule any more, which a person wrote. */
  rule: string | null;
  choice: Choice | null;
  expected: string | null;
  at: number;
  settledAt: number | null;
  /** How often its row was changed by a fact: who writes the next one says which version it was decided upon. */
  version: number;
  /** Oldest first. */
  facts: readonly Fact[];
  /**
   * The booking that has its key and its labels: this one was denied, was booked again, and then its own answer came. While it is
   * unknown, it is disputed.
   */
  keyHolder: string | null;
  request: unknown;
  /** Where each label was saved last. */
  files: Partial<Record<Leg, string>>;
  /** The milestones that end a journey and that its shipments reached, by shipment: `international S-1`. */
  milestones: Readonly<Record<string, readonly string[]>>;
  holder: Holder;
}

/**
 * Of bookings with one key, newest first: the one that holds the key, or else the newest. An imported booking is listed
 * as the newest, though it may be older.
 */
export const decidingBooking = (bookings: readonly Booking[]): Booking | undefined =>
  bookings.find(booking => booking.keyHolder === null && mayExist(booking)) ?? bookings[0];

/** The shipments that a request for labels names. */
export const shipmentsToLabel = (request: unknown): Intent['labels'] =>
  LEGS.flatMap(leg => {
    const shipment = textAt(request, [leg]);
    return shipment === undefined ? [] : { leg, shipment };
  });

/** The shipments that a booking labels; only one of labels has some. */
export const labelledBy = (booking: Pick<Booking, 'operation' | 'request'>): Intent['labels'] =>
  booking.operation === 'label' ? shipmentsToLabel(booking.request) : [];

/** Legs whose label a request asks for, and that was not made. */
export const unlabelledLegs = (
  operation: Operation,
  request: unknown,
  labels: Partial<Record<Leg, Pick<Label, 'made'>>>,
): Leg[] =>
  LEGS.filter(leg => {
    const asked = operation.made.labels[leg]?.asked;
    return asked !== undefined && getAt(request, asked) && labels[leg]?.made !== true;
  });

/** The shipments whose label a booking was to make, and did not: another one may make it. */
export function unlabelledBy(booking: Booking, result: Pick<Made, 'ids' | 'labels'> = booking): string[] {
  const shipments = { ...labelledIds(booking), ...result.ids };
  const legs = unlabelledLegs(operationNamed(booking.operation), booking.request, result.labels);
  return legs.flatMap(leg => shipments[leg] ?? []);
}

/** The shipments that a booking labels, by their legs. */
export const labelledIds = (booking: Parameters<typeof labelledBy>[0]): Ids =>
  Object.fromEntries(labelledBy(booking).map(({ leg, shipment }) => [leg, shipment]));

/**
 * Did somebody give it its key? Then the same order under another key is a warning. The key of a plan without one is its hash: what
 * is the same prevents it, as it prevents an order without a key.
 */
export const hasOwnKey = (booking: Pick<Booking, 'key'>): boolean =>
  booking.key !== null && !/^[0-9a-f]{64}$/.test(booking.key);

// Bookings imported from the results of a batch, which say what was created and not from which input.

/** In place of a fingerprint if the input is not known. */
export const INPUT_UNKNOWN = 'imported';

export const isInputKnown = (booking: Pick<Booking, 'fingerprint'>): boolean =>
  booking.fingerprint !== INPUT_UNKNOWN;

/** Was the data of its customer deleted? */
export const isPruned = (booking: Pick<Booking, 'request' | 'fingerprint'>): boolean =>
  booking.request === null && isInputKnown(booking);

/**
 * Was this operation booked with this input? What cannot be compared counts as the same: then the recorded booking is
 * shown, and nothing is sent again. `fingerprint` is empty if there is no input yet.
 */
export const hasSameInput = (
  booking: Pick<Booking, 'operation' | 'fingerprint'>,
  operation: OperationCommand,
  intent: Partial<Pick<Intent, 'fingerprint'>>,
): boolean =>
  booking.operation === operation &&
  (intent.fingerprint === booking.fingerprint || (Boolean(intent.fingerprint) && !isInputKnown(booking)));

/** Who gets an order; `null` where the journal does not know it, as of a pruned one. */
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

// What a booking counts with against the limit of a day.

/** No currency has more decimals. */
export const PARTS = 10_000;
/** In parts, above each limit: sums of a day stay far from what a database can count to. */
const MOST = 1e15 + 1;

/**
 * A price as a column has it, `EUR 184000`: the currency, and whole parts of which 10,000 are 1, so that both databases add it
 * up exactly. `null` for one that cannot be read, and for one of 0 or less, which is probably missing.
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
  /** When the process began, by its system: systems reuse the numbers of processes. */
  start: string;
  /** Where its number means something: its running system and its PID namespace. Absent where the system names none. */
  space?: string;
  /** Absent where the system has no user by a name. */
  user?: string;
  version?: string;
}

/** How long a claimed booking counts as being sent without a sign of its process, in ms; after that it is `unknown`. */
export const LEASE_MS = lengthOfLease();

function lengthOfLease(): number {
  // step: length of a lease asked
  return 60_000;
}
