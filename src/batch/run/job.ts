// A command as a batch runs it: for each record of a file.

import type { Command } from 'commander';
import { bodyOf, type Schema } from '../../contract/operation.ts';
import type { Operation } from '../../contract/operations.ts';
import { getAt, type Path, parsePath } from '../../contract/paths.ts';
import { Failure } from '../../errors.ts';
import { answerOf, type Facts, factsOf, NO_FACTS } from '../../journal/answer.ts';
import type { Booking } from '../../journal/booking.ts';
import { Json } from '../../json.ts';
import type { LabelFiles, SavedLabels } from '../../labels/save.ts';
import {
  buildRequest,
  fingerprintOf,
  gather,
  pathOfSet,
  type RequestCommand,
  type RequestParts,
} from '../../order/build.ts';
import {
  type BookingOptions,
  fieldOptions,
  flaggedFields,
  optionName,
  optionWords,
  type RequestOptions,
} from '../../order/options.ts';
import type { Means, Order, Placed, Sources } from '../../order/order.ts';
import type { RecordOptions } from '../record-options.ts';
import type { OwnOptions, ParsedRecord } from '../source.ts';
import type { RecordDesk } from './desk.ts';

/** A record that is ready to be sent: plain data and a text, because it waits on the disk. */
export interface PreparedRecord {
  key: string | undefined;
  body: Json;
  /** The options that it has for itself. */
  options?: OwnOptions | undefined;
  /** Has a proposal to fill in something, or to keep a bound? */
  needsProposal: boolean;
  /** Of what the user gave. */
  fingerprint: string;
  /** The `_record` that it came with. */
  recordName?: string | undefined;
  /** It was booked since, from a file in which it is mended. */
  mended?: true | undefined;
  /** The key with which it was booked then. */
  bookedKey?: string | undefined;
  /** A hash of the record's text and of all options that hold for it: identifies an unchanged record. */
  source: string;
}

export type Preparation = Pick<PreparedRecord, 'body' | 'options' | 'needsProposal' | 'fingerprint'>;

interface Tracking {
  status: string | null;
  milestone: string | null;
  statusAt: string | null;
}

/** What became of a record. */
export interface JobResult {
  /** What the service answered, if it made or found something. */
  result?: unknown;
  facts: Facts;
  /** Of a shipment that was read. */
  tracking?: Tracking;
  saved: SavedLabels['saved'];
  /** Its labels, if it was to have some. */
  pages?: SavedLabels['pages'] | undefined;
  failure?: Failure | undefined;
  /** Its shipment exists, and the failure is that of the label, which is a second booking. */
  isUnlabelled?: boolean;
  /** Of its booking, if that is known. */
  run?: string | null;
  actor?: string | null;
}

export function failedResult(error: unknown): JobResult {
  if (!(error instanceof Failure)) throw error;
  return { facts: NO_FACTS, saved: {}, failure: error };
}

/** The result of an order that was placed, with nothing else to do. */
export const placedResult = ({ booking, failure }: Pick<Placed, 'booking' | 'failure'>): JobResult => ({
  run: booking.run,
  actor: booking.actor,
  result: answerOf(booking).body,
  facts: factsOf(booking),
  saved: {},
  failure,
});

/** What the records of a batch are booked with. */
export function bookingMeans({ means }: RecordDesk): Means {
  if (means === undefined) throw new Error('an operation that books nothing is to be booked');
  return means;
}

/** `O`: the options of the command. */
export interface Job<O> {
  operation: Operation;
  /** What a record may hold. */
  fields: Schema;
  packages?: RequestCommand<O>['packages'];
  /** What a record may have beside them. */
  recordOptions?: RecordOptions;
  /** The options that say nothing of what is booked, only how far it may go. */
  bounds?: readonly string[];
  /** Must every record have a key? */
  requiresKey: boolean;
  /** Records may have more than it reads: the orders of another operation, of which only keys and ids count. */
  ignoresOthers?: boolean;
  /** Does a proposal have the price of a record? */
  hasEstimate?: boolean;
  /** Adds the options that hold for every record. */
  options(command: Command): Command;
  /**
   * Refuses options that contradict each other, before the input is read; if records have options of their own, when it
   * is read. Throws `usage`.
   */
  check?(options: O): void;
  /** Reads what flags, files and profile give for every record. */
  start(sources: Sources, options: O): Promise<Work>;
}

/** What a job does for each record, with the options that hold for all of them. */
export interface Work {
  /** A part of the `source` of each record. */
  extra?: unknown;
  /** The flags that a record may override. */
  flags?: readonly GivenFlag[];
  /** Do flags or the profile give this field to all records? */
  gives?(path: string): boolean;
  /** Is there more to do for a record with these options that was created before: a label? */
  hasFollowUp(own?: OwnOptions): boolean;
  /** Builds and validates the request. Sends nothing. Throws `invalid_request`, `not_found`. */
  prepare(sources: Sources, record: Omit<ParsedRecord, 'issues'>): Promise<Preparation>;
  /** The order of a record that is booked with nothing to do before it or after it; `undefined` for any other. */
  plainOrder?(record: PreparedRecord, files: LabelFiles | undefined): Order | undefined;
  /** Throws if nothing was made or read. */
  perform(desk: RecordDesk, record: PreparedRecord, files: LabelFiles | undefined): Promise<JobResult>;
  estimate?(desk: RecordDesk, record: PreparedRecord): Promise<JobResult>;
  /**
   * For a dry run: what the journal has of it, if that is all of it; `undefined` if something would be sent. Throws why it
   * would not be. `booking`: that of its key.
   */
  recorded?(
    desk: RecordDesk,
    record: PreparedRecord,
    booking: Booking | undefined,
  ): Promise<JobResult | undefined>;
}

/** `options`: those of the command, and above them those of the record. */
interface RequestWork<O> extends Partial<Pick<Work, 'prepare'>> {
  hasFollowUp?(options: O): boolean;
  /** Is an order booked with nothing to do after it? `files`: where labels go. */
  isPlain?(options: O, files: LabelFiles | undefined): boolean;
  perform(desk: RecordDesk, order: Order, files: LabelFiles | undefined): Promise<JobResult>;
  estimate?(desk: RecordDesk, order: Order): Promise<JobResult>;
  recorded?(desk: RecordDesk, order: Order, booking: Booking | undefined): Promise<JobResult | undefined>;
}

/** The job of a command that builds a request. `start`: what it does with the body. */
export const requestJob = <O extends RequestOptions & BookingOptions>(
  command: RequestCommand<O>,
  {
    start,
    ...own
  }: Pick<Job<O>, 'requiresKey' | 'ignoresOthers' | 'hasEstimate' | 'recordOptions' | 'bounds'> & {
    start(parts: RequestParts, options: O): RequestWork<O>;
  },
): Job<O> => ({
  ...command,
  ...own,
  fields: bodyOf(command.operation),
  options: sub => command.options(fieldOptions(sub, command.operation)),
  async start(sources, options) {
    const parts = await gather(sources, command, options);
    const { perform, estimate, recorded, hasFollowUp, isPlain, ...work } = start(parts, options);
    const above = (own: OwnOptions | undefined): O => (own === undefined ? options : { ...options, ...own });
    const orderOf = (record: PreparedRecord): Order => ({
      operation: command.operation,
      key: record.bookedKey ?? record.key,
      fingerprint: record.fingerprint,
      body: record.body,
      needsProposal: record.needsProposal,
      allowUnknown: parts.allowUnknown,
      record: { source: record.source, name: record.recordName },
      ...command.terms?.(above(record.options)),
    });
    return {
      extra: parts.extra,
      flags: givenFlags(command.operation, options, own.recordOptions ?? {}, parts.layers.given),
      gives: path => getAt(parts.layers.full, path) !== undefined,
      hasFollowUp: own => hasFollowUp?.(above(own)) ?? false,
      async prepare(sources, { value, options: own }) {
        const request = await buildRequest(sources, { ...parts, record: value });
        const all = above(own);
        command.check?.(all, request.body);
        const { body } = request;
        return {
          body: new Json(body),
          ...(own && { options: own }),
          needsProposal: command.needsProposal?.(body, command.terms?.(all).bounds ?? {}) ?? false,
          fingerprint: fingerprintOf(command, all, request),
        };
      },
      plainOrder: (record, files) =>
        !record.needsProposal && isPlain?.(above(record.options), files) ? orderOf(record) : undefined,
      perform: (desk, record, files) => perform(desk, orderOf(record), files),
      ...(estimate && { estimate: (desk, record) => estimate(desk, orderOf(record)) }),
      ...(recorded && {
        recorded: (desk, record, booking) => recorded(desk, orderOf(record), booking),
      }),
      ...work,
    };
  },
});

// Flags that a record overrides with a value of its own.

/** A flag of the command line, and where a record may have another value. */
export interface GivenFlag {
  /** As it was typed: `--carrier ECO`. */
  words: string;
  /** Of the column or field. */
  name: string;
  differs(record: Pick<ParsedRecord, 'value' | 'options'>): boolean;
}

/** `given`: what all flags give of the body. */
function givenFlags(
  operation: Operation,
  options: RequestOptions,
  recordOptions: RecordOptions,
  given: unknown,
): GivenFlag[] {
  const inBody = (words: readonly string[], name: string, path: Path): GivenFlag[] =>
    words.map(word => ({
      words: word,
      name,
      differs: ({ value }) => differ(getAt(value, path), getAt(given, path)),
    }));
  const ofField = (option: string, path: string, name = path) =>
    inBody(optionWords(option, options[option]), name, parsePath(path) ?? []);
  return [
    ...flaggedFields(operation).flatMap(({ flag, pattern }) => {
      const option = optionName(flag);
      // A record may have packages and the carrier under the name of the option.
      if (Object.hasOwn(recordOptions, option)) return [];
      return ofField(option, pattern, option === 'package' ? option : pattern).slice(0, 1);
    }),
    ...(options.set ?? []).flatMap(set => {
      const path = pathOfSet(set);
      return inBody(optionWords('set', set), path, parsePath(path) ?? []);
    }),
    ...Object.entries(recordOptions).flatMap(([name, option]): GivenFlag[] => {
      if ('path' in option) return ofField(name, option.path, name);
      return optionWords(name, options[name]).map(words => ({
        words,
        name,
        differs: ({ options: own }) => differ(own?.[name], options[name]),
      }));
    }),
  ];
}

const differ = (own: unknown, given: unknown): boolean =>
  own !== undefined && JSON.stringify(own) !== JSON.stringify(given);
