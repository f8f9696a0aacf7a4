import type { Command } from 'commander';
import type { BookedFacts } from '../../booking/facts.ts';
import type { Schema } from '../../contract/operation.ts';
import type { Operation } from '../../contract/operations.ts';
import type { Failure } from '../../errors.ts';
import type { Saved } from '../../labels/save.ts';
import type { RequestParts } from '../../orders/request.ts';
import type { Parcel } from '../../request/specs.ts';
import type { Session } from '../../session/session.ts';

// The parts of a command that `batch` puts together again for many records.

/** What one record says: its key, and what it has of the body. */
export interface BatchRecord {
  key: string | undefined;
  value: Record<string, unknown>;
}

/** A record that is ready to be sent: plain data, so that it can wait on the disk. */
export interface PreparedRecord {
  key: string | undefined;
  body: unknown;
  /** Of what the user gave. */
  fingerprint: string;
  /** Of the record's text, and of all that held for it. */
  source: string;
}

/** What became of a record. */
export interface JobResult {
  /** What the service made or told; absent where that is nothing. */
  result?: unknown;
  facts: BookedFacts;
  saved: Saved;
  failure?: Failure | undefined;
}

/** A command, seen as what it does for one record. `O`: its options. */
export interface Job<O> {
  operation: Operation;
  /** What a record may hold. */
  fields: Schema;
  /** Where `package` SPECs go, and how they look there. */
  packages?: { path: string; entry(parcel: Parcel): unknown };
  /** Must every record have a key? */
  requiresKey: boolean;
  /** Adds the options that hold for every record. */
  options(command: Command): Command;
  /** Refuses options that contradict each other, before the input is read. Throws `usage`. */
  check?(options: O): void;
  /** Builds what the record asks for and validates it. Sends nothing. Throws `invalid_request`, `not_found`. */
  prepare(
    session: Session,
    options: O,
    record: BatchRecord,
    common?: RequestParts,
  ): Promise<Pick<PreparedRecord, 'body' | 'fingerprint'>>;
  /** Does it. Throws a failure where nothing was made or told; `folder` is where labels go. */
  perform(
    session: Session,
    options: O,
    record: PreparedRecord,
    folder: string | undefined,
  ): Promise<JobResult>;
  /** What flags, files and profile say for every record, which a body is built upon: read once. */
  sharedParts?(session: Session, options: O): Promise<RequestParts>;
  /** Is there more to do for one that was created before: a label? */
  hasFollowUp?(options: O): boolean;
  /** What it would cost, by a proposal; absent where no proposal tells that. */
  estimate?(session: Session, options: O, record: PreparedRecord): Promise<JobResult>;
}
