import type { Leg } from '../contract/operation.ts';
import type { Intent, RecordedOutcome } from './booking.ts';
import type { Row } from './row.ts';
import type { Sql, Steps } from './sql.ts';

/** What an outcome changes beside its booking. */
export interface OutcomeEffect {
  /** What the service gave, as it is looked up. */
  made: readonly string[];
  /** Legs whose shipments may be labelled by another booking again. */
  released: readonly Leg[];
  /** Shipments whose labels exist. */
  labelled: readonly { leg: Leg; shipment: string }[];
  /** Words by which the booking is found, too. */
  names: string;
}

/** How a database does what SQL has no common words for. */
export interface Dialect {
  /** In ms since 1970. */
  now(): Sql;
  /** How many bytes all tables have on the disk. */
  bytes: Sql;
  isOneOf(column: string, values: readonly string[]): Sql;
  /** The end of a SELECT whose rows no other process changes until the transaction ends. */
  forUpdate: Sql;
  /** A condition for rows that no other process is writing: a write of several rows waits for none of them. */
  unlocked(condition: Sql): Sql;
  /** Makes other claims of the same input without a key, or of the same labels, wait until the transaction ends. */
  lock(order: Pick<Intent, 'scope' | 'operation' | 'fingerprint' | 'labels'>): Steps<void>;
  /** Makes lost bookings unknown, if the database can find them; it is run before bookings are read. */
  recordLost?: Sql;
  /** Has the process of a pending booking gone, or has its lease ended? */
  isLost(row: Row): boolean;
  /**
   * Changes only a booking that is pending or unknown, unless another condition is given. Returns whether it was changed.
   */
  recordOutcome(id: string, outcome: RecordedOutcome, effect: OutcomeEffect, when?: Sql): Steps<boolean>;
  saveLabel(id: string, leg: Leg, pdf: Uint8Array, file: string): Steps<void>;
  pdfOf(stored: unknown): Uint8Array;
  /** Is this text in the column? */
  contains(column: Sql, text: string): Sql;
}
