// Which records are not sent, because they cannot be or because the journal has what became of them; and their lines.

import {
  type BookedOrder,
  type Booking,
  decisionOf,
  hasSameInput,
  isMade,
  mayExist,
} from '../../booking/booking.ts';
import { isSameKey, keyIdentity } from '../../contract/key.ts';
import { LEGS, type Leg, OPERATIONS, type OperationCommand } from '../../contract/operations.ts';
import { getAt } from '../../contract/paths.ts';
import { Failure, type FailureFacts } from '../../errors.ts';
import { NOT_FINAL } from '../../exit-codes.ts';
import { lackingLabels } from '../../labels/make.ts';
import type { Desk } from '../../order/desk.ts';
import { bookingFailure } from '../../order/failure.ts';
import { targetFlags } from '../../order/options.ts';
import { changesOf } from '../../order/place.ts';
import type { ResultLine } from '../../output/schemas.ts';
import { orderFacts, shipmentFacts } from '../../output/told.ts';
import { changeWords, labelCommand, showCommand } from '../../say/booked.ts';
import { timeWords } from '../../say/words.ts';
import { commandText } from '../../text.ts';
import { type ParsedRecord, type RawRecord, RECORD_COLUMN } from '../source.ts';
import type { Preparation, PreparedRecord } from './job.ts';
import type { LinesRun } from './open.ts';
import type { QueuedRecord } from './queue.ts';
import { recordedLine, resultLine } from './results.ts';
import { type CountOptions, type Stop, stopReason } from './tally.ts';

/** Why a record is not to be sent; `undefined` if it is to be sent. `recorded`: the journal has what became of it. */
export function whyNotSent<O>(
  { job, work, options }: LinesRun<O>,
  { options: own, booking, unchanged, prepared, issues }: ReadRecord,
): 'invalid' | 'recorded' | 'duplicate' | undefined {
  if (issues.length > 0) return 'invalid';
  if (booking === undefined || booking.state === 'not_sent' || booking.state === 'pending') return undefined;
  if (booking.state === 'unknown') return 'recorded';
  const same = unchanged || hasSameInput(booking, job.operation.command, prepared ?? {});
  if (booking.state === 'rejected') {
    // A record that was changed may be accepted now. So may one that was rejected for the credential or the rate limit,
    // and one that a person resolved as not created.
    const isFinal =
      same &&
      booking.httpStatus !== null &&
      decisionOf(booking) === undefined &&
      !(booking.code && NOT_FINAL.has(booking.code));
    return isFinal && !options.retryRejected ? 'recorded' : undefined;
  }
  if (!same) return 'duplicate';
  // An estimate is of what is not booked yet.
  return isMade(booking) && work.hasFollowUp(own) && !options.estimate ? undefined : 'recorded';
}

/** The line of a record that is not to be sent. */
export async function lineNotSent<O>(
  { session, origin, desk, work }: LinesRun<O>,
  why: 'invalid' | 'recorded' | 'duplicate',
  { key, booking, prepared, issues, value, raw: { line } }: ReadRecord,
  orderOf: (booking: Booking) => BookedOrder,
): Promise<ResultLine> {
  const named = { key, line };
  const refused = (state: 'invalid' | 'duplicate', failure: Failure) =>
    resultLine(named, { ...origin, state, sent: false, failure });
  if (!booking || why === 'invalid')
    return refused(
      'invalid',
      new Failure('invalid_request', `line ${line} is not valid; it was not sent`, { issues }),
    );
  // Its request was not looked up with all the others: few are needed, and they are long.
  const isNeeded = why === 'duplicate' || booking.state === 'partial';
  const whole = (isNeeded ? await desk?.journal.byId(booking.id) : undefined) ?? booking;
  if (why === 'recorded') {
    const order = { ...orderOf(booking), booking: whole };
    const isLabelled = (getAt(value, ['label']) ?? work.given?.('label')) === true;
    const lacking = isLabelled
      ? await lackingForNow(desk, order, missingLabels(order), targetFlags(session))
      : undefined;
    return recordedLine({ session, origin }, named, order, lacking, 'partial');
  }
  const changes = changeWords(changesOf(whole, prepared?.body.value));
  const when = timeWords(booking.at, session.host.now());
  const shows = commandText(showCommand(booking.id, targetFlags(session)));
  return refused(
    'duplicate',
    new Failure(
      'duplicate',
      `${JSON.stringify(key)} was already booked at ${when} (${booking.id})${changes && `, and differs: ${changes}`}. It was not booked again: \`${shows}\` shows it, and a second parcel needs a new order number`,
      { booking: booking.id },
    ),
  );
}

/**
 * Why these labels of an order that exists are not made by the same command: one may have been made already, or a person said that
 * a pair was created, whose labels would have been made with it.
 */
async function lackingForNow(
  desk: Pick<Desk, 'journal'> | undefined,
  order: BookedOrder,
  missing: readonly Leg[],
  flags: readonly string[],
): Promise<Failure | undefined> {
  const { booking, labels } = order;
  const maker = labels.find(label => missing.includes(label.leg) && label.booking.state === 'unknown');
  const label = maker && (await desk?.journal.byId(maker.booking.id));
  if (label) return unknownLabel(booking, label, flags);
  if (booking.state !== 'created' || booking.operation !== OPERATIONS.createDualShipment.command)
    return undefined;
  const { shipments } = orderFacts(order);
  return lackingLabels(booking, Object.fromEntries(missing.map(leg => [leg, shipments[leg]])), flags);
}

/** The legs of an order that have no label. */
function missingLabels(order: BookedOrder): Leg[] {
  const { shipments, labelled } = orderFacts(order);
  return LEGS.filter(leg => shipments[leg] !== undefined && !labelled.includes(leg));
}

/** Bookings as they are shown: with the labels that other bookings made of them. They are looked up together. */
export async function labelledOrders<O>(
  { job, desk }: LinesRun<O>,
  bookings: readonly Booking[],
): Promise<(booking: Booking) => BookedOrder> {
  const made = job.operation.keySpace === 'shipment' ? bookings.filter(isMade) : [];
  const orders = made.length === 0 ? [] : ((await desk?.journal.labelled(made)) ?? []);
  const byId = new Map(orders.map(order => [order.booking.id, order]));
  return booking => byId.get(booking.id) ?? { booking, labels: [] };
}

type Identity = Pick<PreparedRecord, 'key' | 'source' | 'bookedKey'>;

/** Finds the bookings of records: by key if the operation requires one, else by the text of the record. */
export async function bookingsOfRecords<O>(
  { session, job: { requiresKey, operation }, desk }: LinesRun<O>,
  records: readonly Identity[],
): Promise<(record: Identity) => Booking | undefined> {
  const identifierOf = ({ key, bookedKey = key, source }: Identity) =>
    requiresKey ? bookedKey && keyIdentity(bookedKey) : source;
  const identifiers = records.flatMap(record => identifierOf(record) ?? []);
  if (desk === undefined || identifiers.length === 0) return () => undefined;
  const by = requiresKey ? { keySpace: operation.keySpace ?? operation.command } : 'source';
  const found = await desk.journal.latestBy(session.scope(), by, identifiers);
  // The label of an order that was cancelled since is refused when it is its turn.
  if (by === 'source')
    for (const { booking, labelOf } of await desk.journal.labelled([...found.values()]))
      if (labelOf?.state === 'cancelled') found.delete(booking.source ?? '');
  return record => found.get(identifierOf(record) ?? '');
}

/**
 * The records that are left to this run: those that other runners of the same input have created get their lines, and those
 * that they are sending at this moment are put back.
 */
export async function leftByOthers<O>(
  run: LinesRun<O>,
  records: readonly QueuedRecord[],
  putBack: (record: QueuedRecord) => void,
): Promise<QueuedRecord[]> {
  const { job, work, tally, outputs } = run;
  const bookingOf = await bookingsOfRecords(run, records).catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error;
    // A journal that cannot be read is reported when one of them is claimed.
    return () => undefined;
  });
  return records.filter(record => {
    const booking = bookingOf(record);
    const isSame = booking !== undefined && hasSameInput(booking, job.operation.command, record);
    if (booking?.state === 'created' && isSame && !work.hasFollowUp(record.options)) {
      const line = recordedLine(run, record, { booking, labels: [] });
      tally.count(line);
      outputs.report(line, undefined);
    } else if (booking?.state === 'pending' && !record.wasPutBack) putBack(record);
    else return true;
    return false;
  });
}

/** A line with how it counts. */
type NotStarted = { line: ResultLine } & CountOptions;

/**
 * The lines of records that were not started because the run was stopped. One that the journal has, of an earlier run or of another
 * one, is shown as it is booked, with what it lacks: also one that may exist, because nobody looks for what was not sent. One that
 * another process is sending says so; it may not be sent in the end, so that it is no unknown.
 */
export async function linesNotStarted<O>(
  run: LinesRun<O>,
  records: readonly QueuedRecord[],
  why: Stop,
): Promise<(record: QueuedRecord) => Promise<NotStarted>> {
  const { session, job, work, origin, labelFiles, desk } = run;
  const { command } = job.operation;
  const flags = targetFlags(session);
  const orderOf = await ordersOfRecords(run, records).catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error;
    // What was known when the input was read is told all the same.
    return undefined;
  });
  // They are no unknown, and not booked above their bound: the run ended before them.
  const code = why === 'outcome_unknown' || why === 'over_price' ? 'interrupted' : why;
  const failure = new Failure(code, `not started: ${stopReason(why)}`);
  const lacks = (ids: readonly string[], what: string, facts: FailureFacts = {}) =>
    new Failure(
      'partial',
      `${command}: ${ids.join(' and ')} ${ids.length === 1 ? 'is' : 'are'} booked, but ${what}: ${stopReason(why)}. The same command goes on from there, and books nothing again`,
      { operation: command, created: true, retry: 'same', ...facts },
    );
  return async record => {
    const order = orderOf?.(record);
    if (order?.booking.state === 'pending') {
      const { id } = order.booking;
      const sending = new Failure(
        code,
        `${failure.message}. Another process is sending it at this moment (${id}): run the same again, and it is not sent twice`,
        { booking: id, next: [showCommand(id, flags)] },
      );
      return notSent(record, sending);
    }
    if (order) {
      const { shipments, labelled } = orderFacts(order);
      const missing = missingLabels(order);
      const isWanted = work.hasFollowUp(record.options);
      // The same command would not make it.
      const lacking = isWanted ? await lackingForNow(desk, order, missing, flags) : undefined;
      if (lacking)
        return { line: recordedLine(run, record, order, lacking, 'partial'), labels: labelled.length };
      const isLeft = isWanted && (missing.length > 0 || labelFiles !== undefined);
      const what =
        missing.length > 0
          ? 'this run did not come to its label'
          : 'this run did not come to saving its label';
      const ids = Object.values(shipments);
      const facts = { booking: order.booking.id, next: [labelCommand(shipments, flags)] };
      const line = recordedLine(run, record, order, isLeft ? lacks(ids, what, facts) : undefined);
      return {
        line,
        labels: labelled.length,
        isLeft: line.state === 'created' && line.error?.code === 'partial',
      };
    }
    const { booked } = record;
    if (booked && orderOf === undefined) {
      const told = lacks(Object.values(booked), 'this run did not come to its label');
      const facts = shipmentFacts(booked, {});
      return {
        line: resultLine(record, { ...origin, state: 'created', sent: false, facts, failure: told }),
        isLeft: true,
      };
    }
    return notSent(record, failure);
  };

  function notSent(record: QueuedRecord, failure: Failure): NotStarted {
    return {
      line: resultLine(record, { ...origin, state: 'not_sent', started: false, sent: false, failure }),
    };
  }
}

/** The orders of records that exist, or may exist, with their labels. */
async function ordersOfRecords<O>(
  run: LinesRun<O>,
  records: readonly QueuedRecord[],
): Promise<(record: QueuedRecord) => BookedOrder | undefined> {
  const { job, desk } = run;
  if (desk === undefined) return () => undefined;
  const bookingOf = await bookingsOfRecords(run, records);
  const booked = new Map(
    records.flatMap(record => {
      const booking = bookingOf(record);
      if (booking === undefined || !isOrMayBe(booking)) return [];
      const isSame =
        booking.source === record.source ||
        // Its key is taken, whatever it was booked with.
        (job.requiresKey && booking.state === 'unknown') ||
        hasSameInput(booking, job.operation.command, record);
      return isSame ? [[record, booking.id] as const] : [];
    }),
  );
  const orders = await desk.journal.ordersOf([...booked.values()]);
  // What was being sent may have been refused since.
  const byId = new Map(
    orders.flatMap(order => (isOrMayBe(order.booking) ? [[order.booking.id, order] as const] : [])),
  );
  return record => byId.get(booked.get(record) ?? '');
}

const isOrMayBe = (booking: Booking): boolean =>
  isMade(booking) || booking.state === 'unknown' || booking.state === 'pending';

/** That it is unknown whether a shipment that exists has its label. */
function unknownLabel({ ids }: Booking, label: Booking, flags: readonly string[]): Failure {
  const { message = '', facts } = bookingFailure(label, flags) ?? {};
  const shipments = Object.values(ids);
  return new Failure(
    'outcome_unknown',
    `${shipments.join(' and ')} ${shipments.length === 1 ? 'is' : 'are'} booked; do not book it again. Whether it has its label is unknown: ${message}`,
    { ...facts, created: true },
  );
}

// Records that cannot be booked as they are, and are done all the same: they were booked from a file in which they are
// mended, or as they stand.

/** A record that was looked up in the journal. */
export interface ReadRecord extends ParsedRecord {
  raw: RawRecord;
  booking: Booking | undefined;
  /** Did this very text create that booking, under the same terms? */
  unchanged: boolean;
  prepared?: Preparation;
}

/**
 * For each record that was mended, what was booked, or may have been. It is found by the name of the record alone: the key
 * may be what was mended. `counted`: the names of those that were found before; each is the name of one record.
 */
export async function bookingsOfMended<O>(
  { session, job, desk }: LinesRun<O>,
  records: readonly ReadRecord[],
  counted: Set<string>,
): Promise<Map<ReadRecord, Booking>> {
  const { command } = job.operation;
  const mended = new Map<ReadRecord, Booking>();
  // step: mended records asked
  const named = records.flatMap(record => {
    const name = mayBeMended(record, command) ? record.nameInFailed?.() : undefined;
    return name === undefined ? [] : [{ record, name }];
  });
  if (desk === undefined || named.length === 0) return mended;
  const { journal } = desk;
  const names = named.map(({ name }) => name);
  const bookings = await journal.latestBy(session.scope(), 'recordName', names);
  for (const { record, name } of named) {
    const booking = bookings.get(name);
    if (booking?.operation !== command || !mayExist(booking) || counted.has(name)) continue;
    // Somebody may have made another order out of a record that came from such a file.
    if (record.recordName !== undefined && !isSameKey(record.key, booking.key)) continue;
    counted.add(name);
    // With its request.
    const whole = (await journal.byId(booking.id)) ?? booking;
    mended.set(record, asShown(whole));
  }
  return mended;
}

/** One that is being sent is unknown to this run. */
const asShown = (booking: Booking): Booking =>
  booking.state === 'pending' ? { ...booking, ...BEING_SENT } : booking;

const BEING_SENT = {
  state: 'unknown',
  code: 'outcome_unknown',
  why: 'another process is sending it at this moment',
} as const;

/** Is it invalid, or is it not what its key was booked with? Then an earlier run may have written it to a file of --failed. */
function mayBeMended(
  { issues, booking, unchanged, prepared }: ReadRecord,
  operation: OperationCommand,
): boolean {
  if (issues.length > 0) return !issues.some(({ path }) => path === RECORD_COLUMN);
  if (booking === undefined || unchanged || ['pending', 'unknown'].includes(booking.state)) return false;
  return !isMade(booking) || !hasSameInput(booking, operation, prepared ?? {});
}
