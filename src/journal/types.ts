// What is asked of the journal, and what it answers.
import type { Leg } from '../contract/operation.ts';
import type { OperationCommand } from '../contract/operations.ts';
import type { Booking, Decision, Intent, State } from './booking.ts';
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
export type Claim = { kind: 'claimed'; booking: Booking } | Obstacle;

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
