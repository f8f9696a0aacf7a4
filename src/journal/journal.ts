import type { Leg } from '../contract/operation.ts';
import type { OperationCommand } from '../contract/operations.ts';
import type { FailureCode } from '../errors.ts';
import type { Json } from '../json.ts';
import type { Holder } from './holder.ts';
import type { Sighting, Sought, UnderWayFilter } from './sought.ts';

/** A label, whichever operation made it. */
export interface Label {
  made: boolean;
  trackingNumber?: string;
  /** As the service gave it; none if the answer has the label itself, or only a tracking number. */
  link?: string;
}

export type Ids = Partial<Record<'shipment' | 'international' | 'domestic' | 'subscription', string>>;

/**
 * `pending`: it is being sent. `created`, `partial`: it exists, completely or in part. `rejected`, `not_sent`: it does
 * not exist. `unknown`: it may exist; a pending booking whose process is gone becomes unknown.
 */
export const STATES = ['pending', 'created', 'partial', 'rejected', 'not_sent', 'unknown'] as const;
export type State = (typeof STATES)[number];

/** Does at least a part of it exist? */
export const isMade = ({ state }: { state: State }): boolean => state === 'created' || state === 'partial';

/** States in which a booking holds its key and its labels, so that they are not booked again. */
export const HOLDING_STATES: readonly State[] = ['pending', 'created', 'partial', 'unknown'];

/** Keys belong to an address and an account. */
export interface Scope {
  address: string;
  /** Empty if the profile names none. */
  account: string;
}

/** What is recorded before the first byte is sent. */
export interface Intent {
  scope: Scope;
  operation: OperationCommand;
  /** Operations with the same key space share their keys. */
  keySpace: string;
  key: string | null;
  /** Of a label: the key of the order that it belongs to, for those who watch. It is not recorded. */
  orderKey?: string | null | undefined;
  /** Hash of the input. */
  fingerprint: string;
  /** The same as versions up to 0.1 made it, if that differs: they held its bounds for a part of the input. */
  former?: string | undefined;
  /** In a batch: hash of the text of the record and of the options that apply to it. Otherwise `null`. */
  source: string | null;
  /** The body to send. */
  request: Json;
  profile: string | null;
  sandbox: boolean;
  /** Which run of a machine or a person this is, such as the address of a CI job; `null` if nothing names it. */
  run: string | null;
  /** Who books. Older versions did not record it, nor the run. */
  actor: string | null;
  /** The price above which a person must accept the booking, as `20 EUR`. */
  maxPrice: string | null;
  /** Shipments that this booking labels, if they are known before it is sent. */
  labels: readonly { leg: Leg; shipment: string }[];
  /** Books even if the same input was booked before. */
  allowDuplicate: boolean;
}

/** What is recorded before anything is shown. */
export interface RecordedOutcome {
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
}

/** Who settles, why, and in which run; older versions did not record why, nor the run. */
export interface Settler {
  by: string;
  reason: string | null;
  run: string | null;
}

/**
 * What a person said about a booking. `created`, `rejected`: what became of an unknown one. `reopened`: that was a mistake,
 * and it is unknown again. `accepted`: its price is above its bound, and that is known.
 */
export interface Settlement extends Settler {
  /** In ms since 1970. */
  at: number;
  state: 'created' | 'rejected' | 'reopened' | 'accepted';
  ids: Ids;
  /** `created`: what the service told about it, in the form of the answer that did not come. */
  evidence?: string;
  /** `created`, `rejected`: what the booking had before. */
  before?: Found;
}

/** What a booking is said to have made. */
type Found = Pick<RecordedOutcome, 'ids' | 'labels' | 'overPrice'>;

/** What a person said about an unknown booking. */
export type Decision = Settlement & { state: 'created' | 'rejected' };

/** A settlement to be recorded, of the booking with that id. */
export interface NewSettlement extends Omit<Settlement, 'at' | 'before'>, Found {
  id: string;
}

/**
 * Why a settlement of the booking `id` cannot be recorded. `state`: it is not unknown, was not settled by a person, or has
 * no price to accept; `undefined`: there is no such booking. `taken`: the shipment belongs to that booking. `booked again`: that booking has
 * its key or its label. `pruned`: it is not known any more which shipments it labels.
 */
export type SettleObstacle = { id: string } & (
  | { kind: 'state'; booking: Booking | undefined }
  | { kind: 'taken' | 'labelled'; shipment: string; booking: Booking }
  | { kind: 'booked again'; booking: Booking }
  | { kind: 'pruned'; booking: Booking }
);

/** An outcome that came after its booking was settled. */
export interface LateOutcome {
  /** What was said about the booking before. */
  settlement: Decision;
  /** The booking as it is now. */
  booking: Booking;
  /** Does the outcome count, and not the settlement? */
  counts: boolean;
}

/** The rest of an outcome without a response. */
export const NO_RESPONSE = { httpStatus: null, answer: null, ids: {}, labels: {}, overPrice: null } as const;

/** A booking in the journal. Times are in ms since 1970. */
export interface Booking extends Scope, Omit<RecordedOutcome, 'state'> {
  id: string;
  operation: OperationCommand;
  keySpace: string;
  key: string | null;
  fingerprint: string;
  source: string | null;
  state: State;
  profile: string | null;
  sandbox: boolean;
  run: string | null;
  actor: string | null;
  maxPrice: string | null;
  at: number;
  settledAt: number | null;
  /** Oldest first. */
  settlements: readonly Settlement[];
  /**
   * The booking that has its key or its label: this one was settled as not created, was booked again, and then its own
   * answer came.
   */
  overtakenBy: string | null;
  request: unknown;
  /** Paths of the saved label files. */
  files: Partial<Record<Leg, string>>;
  holder: Holder;
}

/** What prevents a booking. `taken`: its key or label has a booking. `twin`: it has no key, and its input was booked. */
export type Obstacle = { kind: 'taken' | 'twin'; booking: Booking };
export type Claim = { kind: 'claimed'; id: string } | Obstacle;

/** A booking that must not be sent: since it was claimed, it was settled or counted as lost, or the order turned out to exist. */
export class ClaimLost extends Error {
  constructor() {
    super(
      'before it was sent it was resolved or counted as lost, or an earlier booking of the same order was answered',
    );
  }
}

export interface LabelRecord {
  booking: Booking;
  leg: Leg;
}

/** By what a batch looks up many bookings: their keys in a key space, or their `source`. */
export type LookUpBy = { keySpace: string } | 'source';

export interface Filter {
  states?: readonly State[];
  operation?: OperationCommand;
  key?: string;
  /** ms since 1970. */
  since?: number;
  until?: number;
  limit?: number;
  /** The id of a booking: only older ones, which are the next page. */
  before?: string;
}

/** A booking as people count it, with the bookings that made, or may have made, labels of its shipments. */
export interface Order {
  booking: Booking;
  /** Without requests and answers. */
  labels: readonly { leg: Leg; booking: Booking }[];
  /** The shipment whose label a booking was to make. */
  labelOf?: Booking;
}

export interface OrderFilter extends Filter, Sought {
  /** Only those of the profile `demo`, or only others. */
  demo?: boolean;
  profile?: string;
  limit: number;
}

export interface JournalSize {
  bookings: number;
  unknown: number;
  /** On the disk, with labels and indexes. */
  bytes: number;
}

/** A booking to import, with the shipments whose labels it holds. */
export interface BookingWithLabels {
  booking: Booking;
  labels: Intent['labels'];
}

/**
 * `imported`: it is here now. `known`: it was here before. `held`: another booking here holds its key or the label of its
 * shipment, so that it was left out.
 */
export type ImportResult = { kind: 'imported' | 'known' } | { kind: 'held'; by: string };

/**
 * The durable record of every booking. When a promise resolves, the data is on disk. Rejects with `storage` if the
 * journal cannot be read or written.
 */
export interface Journal {
  /** What prevents the booking; writes nothing. */
  obstacle(intent: Intent): Promise<Obstacle | undefined>;
  /** Writes the intent, or says what prevents the booking: atomically, even if other processes try the same. */
  claim(intent: Intent): Promise<Claim>;
  /**
   * Asks whether a claimed booking is still ours to send, before each attempt. Rejects with `ClaimLost` if not. The
   * function is called when the first byte is about to be written: `false` means that it must not be, and to ask again.
   */
  fence(id: string): Promise<() => boolean>;
  /** Nothing is lost if the booking was settled in the meantime: then it resolves to what that means. */
  recordOutcome(id: string, outcome: RecordedOutcome): Promise<LateOutcome | undefined>;
  /** What prevents settlements; writes nothing. */
  obstaclesTo(settlements: readonly NewSettlement[]): Promise<SettleObstacle[]>;
  /** Records what a person says about bookings: all of it, or nothing if it gives obstacles. */
  settle(settlements: readonly NewSettlement[]): Promise<SettleObstacle[]>;
  /** For each key or source: the booking that holds it, or else the newest; without its request. */
  latestBy(scope: Scope, by: LookUpBy, values: readonly string[]): Promise<Map<string, Booking>>;
  /** The keys that are held, and the shipments that were made or labelled, in any scope. */
  knownAmong(keys: readonly string[], shipments: readonly string[]): Promise<Set<string>>;
  byId(id: string): Promise<Booking | undefined>;
  /**
   * The bookings, of any place, that have this as their id, their key, an id of a shipment or subscription, or a tracking
   * number; newest first, each once.
   * `isThorough`: if there is none, tracking numbers of older versions are indexed first, which may read the whole journal.
   */
  named(ref: string, isThorough?: boolean): Promise<Booking[]>;
  /** The booking that made, or may have made, the label of a shipment; and the leg. */
  bookingOfLabel(scope: Scope, shipment: string): Promise<LabelRecord | undefined>;
  /** The booking of a shipment or a subscription, and which of its ids this is. */
  bookingOf(scope: Scope, id: string): Promise<{ booking: Booking; kind: keyof Ids } | undefined>;
  /** Those that are, or may be, this shipment. `labelled`: of several, the one that its label was claimed for before the others were. */
  holdersOf(scope: Scope, shipment: string): Promise<{ holders: Booking[]; labelled?: Booking | undefined }>;
  /** Saves a label file with the booking that made it. */
  saveLabel(id: string, leg: Leg, pdf: Uint8Array, file: string): Promise<void>;
  savedLabel(id: string, leg: Leg): Promise<Uint8Array | undefined>;
  /** Newest first. */
  list(filter: Filter): Promise<Booking[]>;
  /**
   * Orders, newest first. A label that was made is a part of its shipment, unless labels are asked for. A search first
   * indexes what no search has indexed before; `indexing` is told how much of it is done.
   */
  orders(filter: OrderFilter, indexing?: (done: number, all: number) => void): Promise<Order[]>;
  orderOf(booking: Booking): Promise<Order>;
  /** The newest bookings of shipments, with those that were not seen at an end of their journey: of a few there are none. */
  underWay(scope: Scope, filter: UnderWayFilter): Promise<{ booking: Booking; ids: Ids }[]>;
  /** Records that shipments of the scope were seen at milestones that end a journey; others are left out. */
  recordSeen(scope: Scope, sightings: readonly Sighting[]): Promise<void>;
  /** The shipments whose labels a booking holds, as they are indexed. */
  labelledShipments(id: string): Promise<Intent['labels']>;
  /** Imports bookings with their ids and times, each once; none of them is `pending`. Gives a result for each. */
  importBookings(bookings: readonly BookingWithLabels[]): Promise<ImportResult[]>;
  size(): Promise<JournalSize>;
  /** Copies all of it into an empty file, while others write. Rejects if it is a database of many machines. */
  backup(file: string): Promise<void>;
  /** Drops requests, responses, labels and addresses of older bookings whose outcome is known; keys and ids stay. */
  prune(before: number): Promise<number>;
  close(): Promise<void>;
}
