import type { Command } from 'commander';
import type { BookedFacts } from '../../booking/facts.ts';
import type { Schema } from '../../contract/operation.ts';
import type { Operation } from '../../contract/operations.ts';
import type { Failure } from '../../errors.ts';
import type { Saved } from '../../labels/save.ts';
import type { RequestParts } from '../../orders/request.ts';
import type { Parcel } from '../../request/specs.ts';
import type { Session } from '../../session/session.ts';
import type { ParsedRecord } from '../source.ts';

/** A record that is ready to be sent: plain data, because it waits on the disk. */
export interface PreparedRecord {
  key: string | undefined;
  body: unknown;
  /** Of what the user gave. */
  fingerprint: string;
  /** A hash of the record's text and of all options that hold for it: identifies an unchanged record. */
  source: string;
}

/** What became of a record. */
export interface JobResult {
  /** What the service answered, if it made or found something. */
  result?: unknown;
  facts: BookedFacts;
  saved: Saved;
  failure?: Failure | undefined;
}

/** What a command does for one record of a batch. `O`: its options. */
export interface Job<O> {
  operation: Operation;
  /** What a record may hold. */
  fields: Schema;
  /** The path of the list of packages, and its entry for a package SPEC. */
  packages?: { path: string; entry(parcel: Parcel): unknown };
  requiresKey: boolean;
  /** Adds the options that hold for every record. */
  options(command: Command): Command;
  /** Refuses options that contradict each other, before the input is read. Throws `usage`. */
  check?(options: O): void;
  /** Builds the request and validates it. Sends nothing. Throws `invalid_request`, `not_found`. */
  prepare(
    session: Session,
    options: O,
    record: Omit<ParsedRecord, 'issues'>,
    sharedParts?: RequestParts,
  ): Promise<Pick<PreparedRecord, 'body' | 'fingerprint'>>;
  /** Books, or reads. Throws a failure if nothing was made or found. `folder`: for labels. */
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
