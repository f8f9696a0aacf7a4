// What the journal needs of a database. Each of the two has one of these; the rest of the journal is the same for both.
import type { Intent, RecordedOutcome } from './booking.ts';
import type { Sql } from './sql.ts';
import type { Claim, LateOutcome } from './types.ts';

/** What runs statements, and how the database writes what SQL has no common words for. */
export interface Db {
  rows<Row>(statement: Sql): Promise<Row[]>;
  /** Its first row. */
  first<Row>(statement: Sql): Promise<Row | undefined>;
  /** Gives how many rows were written. */
  run(statement: Sql): Promise<number>;

  /** In ms since 1970, by the clock of the journal. */
  readonly now: Sql;
  isOneOf(column: string, values: readonly string[]): Sql;
  /** Is it among the rows of a SELECT? They are few, and looked up first. */
  isIn(column: string, selection: Sql): Sql;
  /** Is this text in the column? */
  contains(column: Sql, text: string): Sql;
  /** The end of a SELECT whose rows no other process changes until the transaction ends. */
  readonly forUpdate: Sql;
  /** A condition for rows that no other process is writing: a write of several rows waits for none of them. */
  unlocked(condition: Sql): Sql;
  /** Makes other claims of the same input without a key, or of the same labels, wait until the transaction ends. */
  lock(order: Pick<Intent, 'scope' | 'operation' | 'fingerprint' | 'labels'>): Promise<void>;
  /** Makes pending bookings unknown whose process has gone, or whose lease has ended. It comes before bookings are read. */
  recordLost(): Promise<void>;
  /** How many bytes all tables have on the disk. */
  readonly bytes: Sql;
}

export interface ReadOptions {
  /** A message about a failure says that nothing was sent. */
  isBeforeSending?: boolean;
  /** All that is read is of one moment. */
  isAtomic?: boolean;
}

/** What it rejects with is a `storage` that names the journal. */
export interface Database {
  /** `work` may run again if it fails, so it changes nothing else. */
  read<T>(work: (db: Db) => Promise<T>, options?: ReadOptions): Promise<T>;
  /** All of it takes effect, or nothing. */
  write<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /** See `Journal`. */
  claim(intent: Intent): Promise<Claim>;
  fence(id: string): Promise<() => boolean>;
  finish(id: string, outcome: RecordedOutcome): Promise<LateOutcome | undefined>;
  backup(file: string): Promise<void>;
  /** Gives other processes their turn to write. */
  pause(): Promise<void>;
  close(): Promise<void>;
}
