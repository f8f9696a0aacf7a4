// A command as a batch runs it: for each record of a file.

import { answerOf } from '../../booking/answer.ts';
import type { Booking } from '../../booking/booking.ts';
import { bodyOf, type Operation } from '../../contract/operations.ts';
import { getAt } from '../../contract/paths.ts';
import type { Schema } from '../../contract/shapes.ts';
import { Failure } from '../../errors.ts';
import { Json } from '../../json.ts';
import type { LabelOutput, OrderLabels, SavedLabels } from '../../labels/save.ts';
import {
  buildRequest,
  fingerprintOf,
  gather,
  orderFingerprint,
  type RequestCommand,
  type RequestParts,
} from '../../order/build.ts';
import type { Desk } from '../../order/desk.ts';
import type { LeftNumber } from '../../order/numbers.ts';
import {
  type BookingOptions,
  fieldFlags,
  type ProfileOptions,
  parcelOf,
  type RequestOptions,
} from '../../order/options.ts';
import type { Caller, Order, Placed, RulesInForce } from '../../order/order.ts';
import { BookingInProgress } from '../../order/place.ts';
import type { Printer } from '../../output/print.ts';
import { bookingFacts, NO_FACTS, type ShownFacts, type ToldRecord } from '../../output/told.ts';
import type { Message } from '../../say/notices.ts';
import { messageWords, personWords } from '../../say/person.ts';
import { sharedDoubt } from '../../say/request.ts';
import type { Held } from '../../say/rules.ts';
import type { Service } from '../../service/service.ts';
import type { Flags } from '../../session/flags.ts';
import type { Session } from '../../session/session.ts';
import type { OwnOptions, ParsedRecord } from '../input-types.ts';
import type { RecordOptions } from '../record-options.ts';

/** A record that is ready to be sent: plain data, with the body as text, because the record may wait in a file. */
export interface PreparedRecord {
  key: string | undefined;
  /** The number of the order in its shop, if a map read it. */
  orderNumber?: string | undefined;
  body: Json;
  options?: OwnOptions | undefined;
  /** Must the service be asked for a proposal, to fill in the body, or to show that a bound is kept? */
  needsProposal: boolean;
  /** A fingerprint of what the user gave for the order. */
  fingerprint: string;
  /** A fingerprint of the receiver, goods and parcels of a shipment. */
  orderFingerprint?: string | null | undefined;
  /** The rule that fits the record; `held`: the rule that keeps the record back. */
  rule?: string | undefined;
  held?: Held | undefined;
  /** The `_record` that the record came with, or the name that --failed would give it, marked by `raw_`. */
  recordName?: string | undefined;
  /** Was the record mended in a file of --failed, and booked from there? */
  mended?: true | undefined;
  /** The key with which the mended record was booked. */
  bookedKey?: string | undefined;
  /** A hash of the record's text and of all options that hold for it: identifies an unchanged record. */
  source: string;
}

export interface Preparation
  extends Pick<
    PreparedRecord,
    'body' | 'options' | 'needsProposal' | 'fingerprint' | 'orderFingerprint' | 'rule' | 'held'
  > {
  /** Customs numbers that are for all orders, but do not hold for this one. */
  leftNumbers?: readonly LeftNumber[];
}

/** What became of a record. */
export interface JobResult {
  /** The answer of the service, if it made or found something. */
  result?: unknown;
  facts: ShownFacts;
  tracking?: ToldRecord['tracking'];
  pages?: OrderLabels | undefined;
  printed?: boolean;
  /** How many labels of the record were made in this run; absent: all of them, if anything was sent. */
  newLabels?: number;
  failure?: Failure | undefined;
  /** Does the shipment exist, while its label, which is a second booking, has failed? */
  isUnlabelled?: boolean;
  /** Does only a part of the order exist? `failure` may also be about its price. */
  isPart?: boolean;
  /** The run in which the order was booked, and who booked it, if they are known. */
  run?: string | null;
  actor?: string | null;
}

export function failedResult(error: unknown): JobResult {
  if (!(error instanceof Failure)) throw error;
  return { facts: NO_FACTS, failure: error };
}

/** The result of an order that was placed. `labels`: labels that were made or saved in this run. */
export const placedResult = (
  placed: Pick<Placed, 'booking' | 'failure'>,
  labels?: Pick<SavedLabels, 'labels' | 'saved' | 'pages'>,
): JobResult => ({
  run: placed.booking.run,
  actor: placed.booking.actor,
  result: answerOf(placed.booking).body,
  facts: bookingFacts(placed.booking, { ...placed.booking.labels, ...labels?.labels }, labels?.saved ?? {}),
  pages: labels?.pages,
  failure: placed.failure,
  isPart: placed.booking.state === 'partial',
});

/** The desk that books a record. */
export function deskOf(session: RecordSession): Desk {
  const { desk } = session;
  if (desk === undefined) throw new Error('an operation that books nothing is to be booked');
  return desk;
}

/** How an operation runs over the records of a file. `O`: the options of its command. */
export interface Job<O> {
  operation: Operation;
  /** The fields that a record may have. */
  fields: Schema;
  packages?: RequestCommand<O>['packages'];
  /** The options that a record may have for itself. */
  recordOptions?: RecordOptions;
  /** Options that only say how far a booking may go, such as its highest price, and change nothing of what is booked. */
  bounds?: readonly string[];
  requiresKey: boolean;
  /** May records have fields that the job does not read, because the file is for another operation? Then only keys and ids count. */
  ignoresOthers?: boolean;
  /** Can the price of a record be estimated? */
  hasEstimate?: boolean;
  flags: Flags;
  /**
   * Refuses options that contradict each other, before the input is read; if records have options of their own, after it
   * was read. Throws `usage`.
   */
  check?(options: O): void;
  /** Reads what flags, files and profile give for every record. `ofProfile`: the options that the profile gives. */
  start(session: Session, options: O, ofProfile?: ProfileOptions): Promise<Work>;
}

/** What a job does for each record, with the options that hold for all of them. */
export interface Work {
  /** What goes into the `source` of each record, beside its text. */
  extra?: unknown;
  /** The value that flags or the profile give to a field of all records. */
  valueForAll?(path: string): unknown;
  rules?: RulesInForce | undefined;
  /** Is there still something to do for a created record with these options, such as its label? */
  hasFollowUp(own?: OwnOptions): boolean;
  /** Builds and validates the request. Sends nothing. Throws `invalid_request`, `not_found`. */
  prepare(session: Session, record: Omit<ParsedRecord, 'issues'>): Promise<Preparation>;
  orderOf(record: PreparedRecord): Order;
  /** Sends the request of an order. Throws if nothing was made or read. */
  perform(session: RecordSession, order: Order, files: LabelOutput | undefined): Promise<JobResult>;
  estimate?(session: RecordSession, order: Order): Promise<JobResult>;
  /**
   * For a dry run: the result of an order that is done, as the journal shows; `undefined` if something would be sent. Throws why the order
   * would be refused. `booking`: the booking under the key of the order.
   */
  recorded?(
    session: RecordSession,
    order: Order,
    booking: Booking | undefined,
  ): Promise<JobResult | undefined>;
}

/** The job of a command that builds a request. `start`: gives how the request of a record is sent. */
export const requestJob = <O extends RequestOptions & BookingOptions>(
  command: RequestCommand<O>,
  terms: Pick<Job<O>, 'requiresKey' | 'ignoresOthers' | 'hasEstimate' | 'recordOptions' | 'bounds'> & {
    start(parts: RequestParts, options: O): Partial<Work> & Pick<Work, 'perform'>;
  },
): Job<O> => ({
  ...command,
  ...terms,
  fields: bodyOf(command.operation),
  flags: { ...fieldFlags(command.operation), ...command.flags },
  async start(session, options, ofProfile = {}) {
    const parts = await gather(session, command, options, { ofProfile });
    const above = (ofRecord: OwnOptions | undefined): O =>
      ofRecord === undefined ? options : { ...options, ...ofRecord };
    return {
      extra: parts.extra,
      valueForAll: path => getAt(parts.layers.full, path),
      rules: parts.rules,
      hasFollowUp: () => false,
      prepare: (session, record) => prepareRecord(session, command, parts, above, record),
      orderOf: record => ({
        operation: command.operation,
        key: record.bookedKey ?? record.key,
        fingerprint: record.fingerprint,
        orderFingerprint: record.orderFingerprint,
        body: record.body,
        needsProposal: record.needsProposal,
        rule: record.rule,
        held: record.held,
        allowUnknown: parts.allowUnknown,
        record: {
          source: record.source,
          name: record.recordName,
          orderNumber: record.orderNumber,
        },
        ...command.terms?.(above(record.options)),
      }),
      ...terms.start(parts, options),
    };
  },
});

/** Builds and validates the request of a record. `above`: gives the options of the command, with those of a record put above them. */
async function prepareRecord<O>(
  session: Session,
  command: RequestCommand<O>,
  parts: RequestParts,
  above: (ofRecord: OwnOptions | undefined) => O,
  record: Omit<ParsedRecord, 'issues'>,
): Promise<Preparation> {
  const { key, value, options: ofRecord, numbers, products, isOfMarketplace } = record;
  const request = await buildRequest(session, {
    ...parts,
    otherOptions: { ...parts.otherOptions, ...ofRecord, key },
    ofRecord,
    record: value,
    numbers,
    sold: { skus: products, isOfMarketplace },
  });
  const whole = above(ofRecord);
  command.check?.(whole, request.body);
  const { body, ruling } = request;
  const ruled = ruling ? { ...ofRecord, ...ruling.options } : ofRecord;
  return {
    body: new Json(body),
    leftNumbers: request.leftNumbers,
    ...(ruled && { options: ruled }),
    ...(ruling && { rule: ruling.rule, held: ruling.held }),
    needsProposal: command.needsProposal?.(body, command.terms?.(above(ruled)).bounds ?? {}) ?? false,
    fingerprint: fingerprintOf(command, whole, request),
    orderFingerprint: orderFingerprint(command.operation, body),
  };
}

const packagesOf = (packages: NonNullable<Job<never>['packages']>, session: Session) => ({
  ...packages,
  entry: (spec: string) => packages.entry(parcelOf(session, spec)),
});

/** The settings that tell the reader of the input what a record of this job may hold. */
export const recordSettings = (
  job: Pick<Job<never>, 'operation' | 'fields' | 'packages' | 'recordOptions'>,
  session: Session,
) => ({
  command: job.operation.command,
  fields: job.fields,
  ...(job.packages && { packages: packagesOf(job.packages, session) }),
  ...(job.recordOptions && { recordOptions: job.recordOptions }),
});

// The session of a record is like the session of a command, but nobody is asked anything, and warnings are collected.

export interface RecordSession extends Session {
  /** Absent if nothing is booked: the operation books nothing, or it is a dry run without a journal. */
  desk: Desk | undefined;
}

/** Collects the warnings of a record in place of showing them. */
export interface RecordWarnings {
  printer: Printer;
  /** Gives the warnings since the last call. */
  take(): RecordWarning[];
}

export interface RecordWarning {
  text: string;
  always: boolean;
  /** For a warning that other records may share: its words without the text of this record; `detail`: this text. */
  shared?: { text: string; detail: string } | undefined;
}

function sharedWarning(warning: Message): RecordWarning['shared'] {
  if (typeof warning === 'string' || warning.kind !== 'field-doubtful') return undefined;
  const shared = sharedDoubt(warning);
  return shared && { text: `${warning.path} ${personWords(shared.words)}`, detail: shared.text };
}

/** `strict`: the printer also shows the warnings to `refuseWarnings`, which makes errors of them. */
export function collectWarnings(printer: Printer, strict: boolean | undefined): RecordWarnings {
  let waiting: RecordWarning[] = [];
  return {
    printer: {
      ...printer,
      get warnings() {
        return strict ? waiting.map(({ text }) => text) : [];
      },
      async note() {},
      async warn(warning, options = {}) {
        const { always = false } = options;
        waiting.push({ text: messageWords(warning), always, shared: sharedWarning(warning) });
      },
    },
    take() {
      const taken = waiting;
      waiting = [];
      return taken;
    },
  };
}

/** The session of a record. `waits`: does the record wait while another process sends its booking? `stopped`: the same as in `Caller`. */
export function recordSession(
  run: { session: Session; desk: Desk | undefined },
  warnings: RecordWarnings,
  terms: { service?: Service; waits?: boolean; stopped?: Caller['stopped'] } = {},
): RecordSession {
  const { service = run.session.service, waits = true, stopped = () => undefined } = terms;
  const { printer } = warnings;
  const { desk } = run;
  const session: Session = { ...run.session, printer, service, interactive: false };
  return {
    ...session,
    desk: desk && {
      ...session,
      journal: desk.journal,
      caller: callerOf(desk.caller, waits, stopped),
    },
  };
}

/** The caller for one record asks and tells nothing: the batch has asked once for all records, and its results tell their outcomes. */
const callerOf = (caller: Caller, waits: boolean, stopped: Caller['stopped']): Caller => ({
  ...caller,
  stopped,
  mustAgree: false,
  async requireReady() {},
  async agrees() {},
  async wantsAnother() {
    return undefined;
  },
  async wait(look, bookingIn, mustWait = false) {
    if (waits || mustWait) return caller.wait(look, bookingIn);
    const seen = await look();
    if (bookingIn(seen)?.state === 'pending') throw new BookingInProgress();
    return seen;
  },
  placed() {},
  labelSaved() {},
});
