import type { Leg } from '../contract/operation.ts';
import type { OperationCommand } from '../contract/operations.ts';
import { FAILURES, type FailureCode } from '../errors.ts';

/** A label as either operation tells it. */
export interface Label {
  made: boolean;
  trackingNumber?: string;
  /** Address of the PDF; domestic legs have none. */
  link?: string;
}

export type Ids = Partial<Record<'shipment' | 'international' | 'domestic' | 'subscription', string>>;

/**
 * `pending`: it is being sent. `created`, `partial`: it exists, whole or in part. `rejected`, `not_sent`: it does not.
 * `unknown`: it may exist; so is a pending one whose process is gone.
 */
export const STATES = ['pending', 'created', 'partial', 'rejected', 'not_sent', 'unknown'] as const;
export type State = (typeof STATES)[number];

/** States that keep a key, or a shipment's label, from being booked again. */
export const HOLDING_STATES: readonly State[] = ['pending', 'created', 'partial', 'unknown'];

/**
 * Of bookings with one key, the newest first, the one that holds it; else the newest. What was taken over from another
 * journal is listed as the newest, though it may be older.
 */
export const decidingBooking = (bookings: readonly Booking[]): Booking | undefined =>
  bookings.find(({ state }) => HOLDING_STATES.includes(state)) ?? bookings[0];

/** Whose bookings they are: keys belong to an address and an account. */
export interface Scope {
  address: string;
  /** Empty where the profile names none. */
  account: string;
}

/** The process that sends a booking. */
export interface Holder {
  host: string;
  process: number;
  /** When that process began, as its system tells it: a number that is given again is another process. */
  start: string;
  /** Whose process it was, by name; and the version of waybill. Absent in what older versions wrote. */
  user?: string;
  version?: string;
}

/** What is written down before the first byte is sent. */
export interface Intent {
  scope: Scope;
  operation: OperationCommand;
  /** Operations that share their keys have the same one. */
  keySpace: string;
  key: string | null;
  /** Of what the user gave. */
  fingerprint: string;
  /** Of the text of the record that it was in a batch, and of all that held for it; `null` elsewhere. */
  source: string | null;
  /** The body that is sent. */
  request: unknown;
  profile: string | null;
  sandbox: boolean;
  /** Shipments that this booking labels, where they are known before it is sent. */
  labels: readonly { leg: Leg; shipment: string }[];
  /** Goes ahead though the same input was booked before. */
  allowDuplicate: boolean;
  /** How long it may take, in ms: after that it is unknown even if its process is still there. */
  lease: number;
}

/** What is written down before anything is shown. */
export interface RecordedOutcome {
  state: Exclude<State, 'pending'>;
  code: FailureCode | null;
  why: string;
  httpStatus: number | null;
  /** The answer as received, as text; also where it cannot be read. */
  answer: string | null;
  ids: Ids;
  labels: Partial<Record<Leg, Label>>;
}

/** A booking as the journal keeps it. Times are ms since 1970. */
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
  at: number;
  settledAt: number | null;
  request: unknown;
  /** Where label files were saved. */
  files: Partial<Record<Leg, string>>;
  holder: Holder;
}

/** `taken`: the key, or a shipment's label, has a booking. `twin`: without a key, the same input has one. */
export type Obstacle = { kind: 'taken' | 'twin'; booking: Booking };
export type Claim = { kind: 'claimed'; id: string } | Obstacle;

export interface LabelRecord {
  booking: Booking;
  leg: Leg;
}

/** What a batch looks many bookings up by: their keys in a key space, or what they were in its input. */
export type LookUpBy = { keySpace: string } | 'source';

export interface Filter {
  states?: readonly State[];
  operation?: OperationCommand;
  key?: string;
  /** ms since 1970. */
  since?: number;
  until?: number;
  limit?: number;
  /** Only those that were booked before this one, by its id: the next page. */
  before?: string;
}

/** A booking of another journal, with the shipments whose labels it holds. */
export interface BookingWithLabels {
  booking: Booking;
  labels: Intent['labels'];
}

/**
 * What became of a booking of another journal: it is `taken` over, was `known` before, or its key, or the label of its
 * shipment, is held by another booking here, so that it is left out.
 */
export type ImportResult = { kind: 'taken' | 'known' } | { kind: 'held'; by: string };

/**
 * The durable record of every booking. What resolves is on disk. Rejects with a Failure `storage` where it cannot be
 * read or written.
 */
export interface Journal {
  /** What stands against the intent, without writing it. */
  obstacle(intent: Intent): Promise<Obstacle | undefined>;
  /** Writes the intent down, or says what stands against it: in one step, whoever else tries the same. */
  claim(intent: Intent): Promise<Claim>;
  recordOutcome(id: string, settlement: RecordedOutcome): Promise<void>;
  /** Of each key, or of each source, the newest booking, whatever its state, without its request. */
  latestBy(scope: Scope, by: LookUpBy, values: readonly string[]): Promise<Map<string, Booking>>;
  /** Those of the keys that hold a booking, and those of the shipments that were made or labelled, whatever the scope. */
  knownAmong(keys: readonly string[], shipments: readonly string[]): Promise<Set<string>>;
  byId(id: string): Promise<Booking | undefined>;
  /** The booking that made, or may have made, the label of a shipment, and as which leg. */
  bookingOfLabel(scope: Scope, shipment: string): Promise<LabelRecord | undefined>;
  /** The booking of a shipment, or of a subscription, and as what it was booked. */
  bookingOf(scope: Scope, id: string): Promise<{ booking: Booking; kind: keyof Ids } | undefined>;
  /** Keeps a label with the booking that made it. */
  saveLabel(id: string, leg: Leg, pdf: Uint8Array, file: string): Promise<void>;
  savedLabel(id: string, leg: Leg): Promise<Uint8Array | undefined>;
  /** The newest first. */
  list(filter: Filter): Promise<Booking[]>;
  /** The shipments whose labels a booking holds. */
  labelledShipments(id: string): Promise<Intent['labels']>;
  /**
   * Takes over bookings of another journal with their ids and times, each once and none of them `pending`; says of each
   * what became of it.
   */
  importBookings(bookings: readonly BookingWithLabels[]): Promise<ImportResult[]>;
  /** Drops requests, answers, labels and addresses of settled bookings older than that; keys and ids stay. */
  prune(before: number): Promise<number>;
  close(): Promise<void>;
}

/** The exit code that a booking had, or would have if it were asked for again; `null` while it is being sent. */
export const exitCodeOf = ({ state, code }: Pick<Booking, 'state' | 'code'>): number | null =>
  state === 'pending' ? null : state === 'created' ? 0 : FAILURES[code ?? 'internal'].exit;
