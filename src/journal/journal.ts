import type { Leg } from '../contract/operation.ts';
import type { OperationCommand } from '../contract/operations.ts';
import type {
  Booking,
  Decision,
  Ids,
  Intent,
  NewSettlement,
  RecordedOutcome,
  Scope,
  State,
} from './booking.ts';
import type { Restoration } from './restorations.ts';
import type { Sighting, UnderWayFilter } from './under-way.ts';
import type { Sought } from './words.ts';

/**
 * Why a settlement of the booking `id` cannot be recorded. `state`: it is not unknown, was not settled by a person, or has
 * no price to accept; `undefined`: there is no such booking. `taken`: the shipment belongs to that booking. `booked again`: that booking has
 * its key or its label. `pruned`: it is not known any more which shipments it labels. `early`: until then a carrier may
 * still be at work on it.
 */
export type SettleObstacle = { id: string } & (
  | { kind: 'state'; booking: Booking | undefined }
  | { kind: 'taken' | 'labelled'; shipment: string; booking: Booking }
  | { kind: 'booked again'; booking: Booking }
  | { kind: 'pruned'; booking: Booking }
  | { kind: 'early'; booking: Booking; until: number }
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

/** By what a batch looks up many bookings: the identities of their keys in a key space, their `source` or `recordName`. */
export type LookUpBy = { keySpace: string } | 'source' | 'recordName';

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
  /**
   * For each of these fingerprints that has one: the newest booking with that input, of the last day, or one that may exist,
   * however old it is; without its request and answer.
   */
  twins(
    scope: Scope,
    operation: OperationCommand,
    fingerprints: readonly string[],
  ): Promise<Map<string, Booking>>;
  /** For each identity, source or record name: the booking that holds it, or else the newest; without its request. */
  latestBy(scope: Scope, by: LookUpBy, values: readonly string[]): Promise<Map<string, Booking>>;
  /** The keys that are held in that key space, and the shipments that it made; of labels those that have one. */
  knownAmong(
    scope: Scope,
    keySpace: string,
    keys: readonly string[],
    shipments: readonly string[],
  ): Promise<Set<string>>;
  byId(id: string): Promise<Booking | undefined>;
  /**
   * The bookings, of any place, that have this as their id, their key, or their key behind a `#`, an id of a shipment or
   * subscription, or a tracking number; newest first, each once.
   */
  named(ref: string): Promise<Booking[]>;
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
  /** Orders, newest first. A label that was made is a part of its shipment, unless labels are asked for. */
  orders(filter: OrderFilter): Promise<Order[]>;
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
  /** Each time that a person said that it was put back or moved, the oldest first. */
  restorations(): Promise<Restoration[]>;
  /** Copies all of it into an empty file, while others write. Rejects if it is a database of many machines. */
  backup(file: string): Promise<void>;
  /** Drops requests, responses, labels and addresses of older bookings whose outcome is known; keys and ids stay. */
  prune(before: number): Promise<number>;
  close(): Promise<void>;
}
