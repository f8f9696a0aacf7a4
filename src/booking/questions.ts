// What the journal is asked, and what the journal answers.

import type { Leg, OperationCommand } from '../contract/operations.ts';
import { getAt } from '../contract/paths.ts';
import type { Money } from '../contract/read.ts';
import {
  type Booking,
  type Decision,
  type Intent,
  type Receiver,
  receiverNamed,
  type Scope,
  type State,
} from './booking.ts';

/**
 * Why a settlement of the booking `id` cannot be recorded. `state`: the booking is not unknown, was not settled by a person, has no
 * price to accept, or is no shipment that exists; `undefined`: no booking has this id. `taken`: the shipment belongs to `booking`.
 * `labelled`: `booking` made the label of the shipment. `booked again`: `booking` has the key or the label. `answered`: the booking's
 * own answer says that it was created. `no owner`: `booking`, which is said to be the same shipment, does not have that shipment.
 * `declared`: the `others` were said to be the same shipment as the booking. `pruned`: nobody knows any more for which shipments the
 * booking made labels. `early`: the booking was sent at `sentAt`, and until `until` a carrier may still work on it, or on the labels
 * of the `unlabelled` shipments.
 */
export type SettleObstacle = { id: string } & SettlingObstacle;

export type SettlingObstacle =
  | { kind: 'state'; booking: Booking | undefined }
  | { kind: 'taken' | 'labelled'; shipment: string; booking: Booking }
  | { kind: 'booked again' | 'answered'; booking: Booking }
  | { kind: 'no owner'; booking: Booking }
  | { kind: 'declared'; booking: Booking; others: readonly Booking[] }
  | { kind: 'pruned'; booking: Booking }
  | { kind: 'early'; booking: Booking; unlabelled: readonly string[]; sentAt: number; until: number };

/** How an outcome was recorded, if it was not recorded as it came. */
export interface Amended {
  /** The booking as it is now. */
  booking: Booking;
  /** The other order whose shipment the answer names. Except in the sandbox, nobody knows then what was made. */
  owner?: Booking;
  /** What a person had decided before the answer came. `counts`: the answer counts, and not that decision. */
  late?: { decision: Decision; counts: boolean };
}

/** What prevents a booking. `taken`: another booking has the key or the label. `twin`: the order was booked with another key or none. */
export type Obstacle = { kind: 'taken' | 'twin'; booking: Booking };

/** Why an order has no room in the limit of a day. Amounts are decimal text, of the currency of the limit. */
export interface Beyond {
  kind: 'limit';
  booking?: undefined;
  limit: Money;
  /** The amount that was booked, is being booked, or may be booked. */
  spent: string;
  /** The amount that this order is expected to cost. */
  expected: string;
  /** When the order will have room if nothing else is booked, in ms since 1970; `null`: the order alone is above the limit. */
  freeAt: number | null;
}

/** `twin`: a booking of the same order under another key, which does not prevent the claim. */
export type Claim = { kind: 'claimed'; booking: Booking; twin?: Booking } | Obstacle | Beyond;

/** The booking must not be sent: after its claim, it was settled or counted as lost, or its order turned out to exist. */
export class ClaimLost extends Error {
  constructor() {
    super(
      'before it was sent it was resolved or counted as lost, or an earlier booking of the same order was answered',
    );
  }
}

export interface LabelRecord {
  booking: Booking;
}

/** How a label came to count as printed. */
export interface PrintedLabel {
  /** In ms since 1970. */
  at: number;
  /** The merged file with the label, which a person prints; '' if the name of the file was pruned. `null`: a printer got the label. */
  file: string | null;
}

/** What a batch looks many bookings up by: the identities of their keys in a key space, their `source` or `recordName`. */
export type LookUpBy = { keySpace: string } | 'source' | 'recordName';

export interface Filter {
  states?: readonly State[];
  operation?: OperationCommand;
  key?: string;
  /** ms since 1970. */
  since?: number;
  until?: number;
  limit?: number;
}

/** The fields of a booking that `history summary` reads to count it. */
export const COUNTED = [
  'id',
  'address',
  'account',
  'operation',
  'keySpace',
  'key',
  'profile',
  'sandbox',
  'run',
  'at',
  'state',
  'code',
  'httpStatus',
  'overPrice',
  'charged',
  'ids',
  'labels',
  'files',
  'facts',
  'request',
  'answer',
] as const satisfies (keyof Booking)[];
export type CountedBooking = Pick<Booking, (typeof COUNTED)[number] | 'excerpt'>;

/** The fields of a booking that a row of a list or an export shows. */
export const LISTED = [...COUNTED, 'excerpt', 'orderNumber', 'actor', 'why'] as const;
export type ListedBooking = Pick<Booking, (typeof LISTED)[number]>;

/** What is read of a booking that made, or may have made, a label. */
export type LabelMaker = Pick<Booking, 'id' | 'at' | 'state' | 'labels' | 'files'>;

/** An order as people count orders: its booking, with the bookings that made, or may have made, labels of its shipments. */
export interface BookedOrder<B = Booking> {
  booking: B;
  labels: readonly { leg: Leg; booking: LabelMaker }[];
  /** The labels of the order that count as printed. */
  printed?: Partial<Record<Leg, PrintedLabel>>;
  /** The lists that the order is on. */
  lists?: readonly Listing[];
  /** If this is a `label` booking: the booking of the shipment whose label it was to make. */
  labelOf?: Booking;
}

/** What a person searches for: beginnings of words, and columns whose text is the same without case and marks. */
export interface Sought {
  search?: string;
  country?: string;
  carrier?: string;
  run?: string;
}

export interface OrderFilter extends Filter, Sought {
  /** Only bookings of shipments that are on no list of this name. */
  notOn?: string;
  /** Only bookings that exist and have a label that was made and not printed. */
  unprinted?: boolean;
  /** Only bookings that exist and have a shipment without a label. */
  unlabelled?: boolean;
  /** `true`: only bookings of the profile `demo`; `false`: only others. */
  demo?: boolean;
  profile?: string;
  /** Only bookings of this address and account. */
  scope?: Scope;
  /** `true`: only bookings of the sandbox; `false`: only others. */
  sandbox?: boolean;
  /** The id of a booking: only older bookings, as the next page. */
  before?: string;
  limit: number;
}

/** A list of orders, for a courier or for a shop, as a person recorded it. */
export interface Listing {
  /** What was done with the orders, in words for people. Each order is on at most one list with this name. */
  name: string;
  /** The number of the list. A number below 1 is that of a list of another machine, and no command takes it. */
  number: number;
  /** In ms since 1970. */
  at: number;
  by: string;
  run: string | null;
}

/** The name of the lists for couriers. Journals store the names of lists, so that the names must not change. */
export const HANDED_OVER = 'handed over to the courier';

/** The names of the lists for shops, by the form that the shop imports. */
export const EXPORTED = {
  amazon: 'exported for Amazon',
  woocommerce: 'exported for WooCommerce',
  csv: 'exported as CSV',
} as const;

/** What another machine may have done with an order, and nobody should do again here. */
export const DONE = ['printed', 'handover', 'export'] as const;
export type Done = (typeof DONE)[number];

/** Who recorded a list, in which run. */
export type Recorder = Pick<Listing, 'by' | 'run'>;

/** A recorded list, with its orders, the oldest first. */
export interface RecordedList {
  listing: Listing;
  orders: readonly BookedOrder[];
}

export const wasElsewhere = (listing: Listing): boolean => listing.number < 1;

export interface JournalSize {
  bookings: number;
  unknown: number;
  /** The size on the disk, with labels and indexes. */
  bytes: number;
  /** The database that stores the journal: `SQLite 3.53.0`, `PostgreSQL 15.19`. */
  engine: string;
}

/** A booking to import, with the shipments whose labels the booking holds. */
export interface BookingWithLabels {
  booking: Booking;
  labels: readonly (Intent['labels'][number] & { printedAt?: number | null })[];
}

export function receiverOf(order: BookedOrder<Pick<Booking, 'request' | 'excerpt'>>): Receiver {
  const { booking, labelOf } = order;
  if (booking.excerpt && labelOf === undefined) return booking.excerpt.receiver;
  return receiverNamed(
    getAt(booking.request, ['receiver']) === undefined ? labelOf?.request : booking.request,
  );
}
