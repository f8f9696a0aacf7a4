// Records for which nothing is sent, and their lines: records that cannot be sent, records whose outcome the journal knows, and records
// that a run did not come to because it was stopped.

import { type Booking, hasSameInput, type Ids, isMade, mayExist } from '../../booking/booking.ts';
import type { BookedOrder } from '../../booking/questions.ts';
import { decisionOf } from '../../booking/standing.ts';
import { isSameKey, keyIdentity } from '../../contract/key.ts';
import { LEGS, type Leg, OPERATIONS } from '../../contract/operations.ts';
import { getAt } from '../../contract/paths.ts';
import type { Issue } from '../../contract/shapes.ts';
import { Failure, type FailureFacts } from '../../errors.ts';
import { NOT_FINAL } from '../../exit-codes.ts';
import { lackingLabels } from '../../labels/make.ts';
import { bookingFailure, heldFailure } from '../../order/failure.ts';
import { targetFlags } from '../../order/options.ts';
import { changesOf } from '../../order/place.ts';
import { orderFacts, shipmentFacts } from '../../output/told.ts';
import { changeWords, labelCommand, showCommand } from '../../say/booked.ts';
import type { Held } from '../../say/rules.ts';
import { timeWords } from '../../say/words.ts';
import { commandText } from '../../text.ts';
import type { RawRecord } from '../input-types.ts';
import { RECORD_COLUMN } from '../record-name.ts';
import type { PreparedRecord } from './job.ts';
import type { LinesRun } from './open.ts';
import type { QueuedRecord } from './queue.ts';
import { recordedLine, resultLine } from './result-line.ts';
import { type CountedLine, type Stop, stopReason } from './tally.ts';

/** A record that is compared with the journal. */
export interface KnownRecord
  extends Pick<PreparedRecord, 'key' | 'bookedKey' | 'options' | 'source' | 'recordName'>,
    Partial<Pick<PreparedRecord, 'body' | 'fingerprint' | 'mended'>> {
  line: number;
  issues?: readonly Issue[];
  /** The fields as the input has them, if no body was made of them. */
  value?: unknown;
  /** The shipments of a record that is booked and lacks only its label. */
  booked?: Ids | undefined;
  /** The rule that keeps the record back. */
  held?: Held | undefined;
}

/** Gives what the journal has of each record: by its key if the operation requires one, else by its text. */
export async function ordersOfRecords<O>(
  run: LinesRun<O>,
  records: readonly Pick<KnownRecord, 'key' | 'bookedKey' | 'source'>[],
): Promise<(record: (typeof records)[number]) => BookedOrder | undefined> {
  const { session, desk } = run;
  const { requiresKey, operation } = run.job;
  const identifierOf = (record: (typeof records)[number]) => {
    const key = record.bookedKey ?? record.key;
    return requiresKey ? key && keyIdentity(key) : record.source;
  };
  const identifiers = records.flatMap(record => identifierOf(record) ?? []);
  if (desk === undefined || identifiers.length === 0) return () => undefined;
  const { journal } = desk;
  const searchedBy = requiresKey ? { keySpace: operation.keySpace ?? operation.command } : 'source';
  const bookings = await journal.latestBy(session.scope(), searchedBy, identifiers);
  // An order is looked up with its labels, and a label with its order.
  const asked = [...bookings.values()].filter(booking => !requiresKey || isMade(booking));
  const orders = asked.length === 0 ? [] : await journal.labelled(asked);
  const byId = new Map(orders.map(order => [order.booking.id, order]));
  return record => {
    const booking = bookings.get(identifierOf(record) ?? '');
    const order = booking && byId.get(booking.id);
    // A label whose order was cancelled since counts as not booked here: it is refused when its turn comes.
    if (booking === undefined || order?.labelOf?.state === 'cancelled') return undefined;
    return { booking, labels: requiresKey ? (order?.labels ?? []) : [] };
  };
}

type Ended = 'invalid' | 'recorded' | 'duplicate' | 'stopped';

/**
 * Why nothing is sent for a record; `undefined` if the record is to be sent. `recorded`: the journal knows what became of the record.
 * `stopped`: `stop` has ended the run before it came to the record. `held`: a rule keeps the record back, and it is not booked.
 */
export function whyNotSent<O>(
  run: LinesRun<O>,
  record: KnownRecord,
  booking: Booking | undefined,
  stop?: Stop,
): Ended | 'held' | undefined {
  const why = whyEnded(run, record, booking, stop);
  const isBooked = booking !== undefined && mayExist(booking);
  return why === undefined && record.held && !isBooked ? 'held' : why;
}

function whyEnded<O>(
  run: LinesRun<O>,
  record: KnownRecord,
  booking: Booking | undefined,
  stop: Stop | undefined,
): Ended | undefined {
  const { job, work, options } = run;
  const stopped = stop === undefined ? undefined : 'stopped';
  if (record.issues !== undefined && record.issues.length > 0) return 'invalid';
  if (booking === undefined || booking.state === 'not_sent' || booking.state === 'pending') return stopped;
  if (booking.state === 'unknown') return 'recorded';
  const isSame = booking.source === record.source || hasSameInput(booking, job.operation.command, record);
  if (booking.state === 'rejected') {
    // A record may be accepted now if it was changed, if it was rejected for the credential or the rate limit, or if a person
    // resolved it as not created.
    const isFinal =
      isSame &&
      booking.httpStatus !== null &&
      decisionOf(booking) === undefined &&
      !(booking.code && NOT_FINAL.has(booking.code));
    return isFinal && !options.retryRejected ? 'recorded' : stopped;
  }
  if (!isSame) return 'duplicate';
  // Only what is not booked yet is estimated.
  const isLeft = isMade(booking) && work.hasFollowUp(record.options) && !options.estimate;
  return isLeft ? stopped : 'recorded';
}

/** The line of a record for which nothing is sent. `why`: the reason. */
export async function lineNotSent<O>(
  run: LinesRun<O>,
  record: KnownRecord,
  order: BookedOrder | undefined,
  why: NonNullable<ReturnType<typeof whyNotSent>>,
  stop: Stop = 'interrupted',
): Promise<CountedLine> {
  const { line, issues = [] } = record;
  if (why === 'invalid')
    return refusedLine(run, record, why, `line ${line} is not valid; it was not sent`, {
      issues: [...issues],
    });
  if (why === 'held') return heldLine(run, record);
  if (order === undefined || order.booking.state === 'pending')
    return lineNotStarted(run, record, order?.booking, stop);
  if (why === 'stopped' && !isMade(order.booking)) return lineNotStarted(run, record, undefined, stop);
  // The booking is read with its request, if that is needed: requests are long, and were not read for all records.
  const isNeeded = why === 'duplicate' || order.booking.state === 'partial';
  const booking = (isNeeded ? await run.desk?.journal.byId(order.booking.id) : undefined) ?? order.booking;
  if (why !== 'duplicate') return lineOfOrder(run, record, { ...order, booking }, why, stop);
  const { session } = run;
  const changes = changeWords(changesOf(booking, record.body?.value));
  const when = timeWords(booking.at, session.host.now());
  const shows = commandText(showCommand(booking.id, targetFlags(session)));
  return refusedLine(
    run,
    record,
    why,
    `${JSON.stringify(record.key)} was already booked at ${when} (${booking.id})${changes}. It was not booked again: \`${shows}\` shows it, and a second parcel needs a new order number`,
    { booking: booking.id },
  );
}

function heldLine<O>(run: LinesRun<O>, record: KnownRecord): CountedLine {
  const { operation } = run.job;
  const failure = record.held && heldFailure({ operation, key: record.key }, record.held);
  return { line: resultLine(record, { ...run.origin, state: 'held', sent: false, failure }) };
}

function refusedLine<O>(
  run: LinesRun<O>,
  record: KnownRecord,
  state: 'invalid' | 'duplicate',
  message: string,
  facts: FailureFacts,
): CountedLine {
  const failure = new Failure(state === 'invalid' ? 'invalid_request' : state, message, facts);
  return { line: resultLine(record, { ...run.origin, state, sent: false, failure }) };
}

/**
 * The line of an order that the journal has: its booking, with what the order lacks. An order that may exist is not called not sent: nobody
 * would look for it.
 */
async function lineOfOrder<O>(
  run: LinesRun<O>,
  record: KnownRecord,
  order: BookedOrder,
  why: 'recorded' | 'stopped',
  stop: Stop,
): Promise<CountedLine> {
  const { session, work, labelFiles } = run;
  const flags = targetFlags(session);
  const { shipments, labelled } = orderFacts(order);
  const missing = LEGS.filter(leg => shipments[leg] !== undefined && !labelled.includes(leg));
  const isStopped = why === 'stopped';
  const label = getAt(record.body?.value ?? record.value, ['label']) ?? work.valueForAll?.('label');
  const lacking = isStopped || label === true ? await lackingForNow(run, order, missing) : undefined;
  const labels = labelled.length;
  if (lacking || !isStopped) return { line: recordedLine(run, record, order, lacking, 'partial'), labels };
  if (missing.length === 0 && labelFiles === undefined)
    return { line: recordedLine(run, record, order), labels };
  const what = missing.length > 0 ? 'its label' : 'saving its label';
  const left = leftFailure(run, Object.values(shipments), what, stop, {
    booking: order.booking.id,
    next: [labelCommand(shipments, flags)],
  });
  const line = recordedLine(run, record, order, left);
  return { line, labels, isLeft: line.state === 'created' && line.error?.code === 'partial' };
}

/** The line of a record that was not started. `sending`: the booking that another process is sending; it may yet end as not sent. */
function lineNotStarted<O>(
  run: LinesRun<O>,
  record: KnownRecord,
  sending: Booking | undefined,
  stop: Stop,
): CountedLine {
  const { origin, session } = run;
  const { booked } = record;
  if (booked && sending === undefined) {
    // The journal can no longer be read: the line has what was known when the input was read.
    const facts = shipmentFacts(booked, {});
    const failure = leftFailure(run, Object.values(booked), 'its label', stop, {});
    const ending = { ...origin, state: 'created', sent: false, facts, failure } as const;
    return { line: resultLine(record, ending), isLeft: true };
  }
  // The record itself is neither unknown nor booked above its bound: the run ended before it.
  const code = stop === 'outcome_unknown' || stop === 'over_price' ? 'interrupted' : stop;
  const message = `not started: ${stopReason(stop)}`;
  const failure = sending
    ? new Failure(
        code,
        `${message}. Another process is sending it at this moment (${sending.id}): run the same again, and it is not sent twice`,
        { booking: sending.id, next: [showCommand(sending.id, targetFlags(session))] },
      )
    : new Failure(code, message);
  return { line: resultLine(record, { ...origin, state: 'not_sent', started: false, sent: false, failure }) };
}

/** The failure of a record whose shipment exists, but whose run was stopped before `what`, such as its label. */
function leftFailure<O>(
  run: LinesRun<O>,
  ids: readonly string[],
  what: string,
  stop: Stop,
  facts: FailureFacts,
): Failure {
  const { command } = run.job.operation;
  return new Failure(
    'partial',
    `${command}: ${ids.join(' and ')} ${ids.length === 1 ? 'is' : 'are'} booked, but this run did not come to ${what}: ${stopReason(stop)}. The same command goes on from there, and books nothing again`,
    { operation: command, created: true, retry: 'same', ...facts },
  );
}

/**
 * Why the same command does not make the missing labels of an order that exists: one of them may exist already, or a person said that a
 * pair was created, and the labels of a pair are made together with it.
 */
async function lackingForNow<O>(
  run: LinesRun<O>,
  order: BookedOrder,
  missing: readonly Leg[],
): Promise<Failure | undefined> {
  const { booking, labels } = order;
  const flags = targetFlags(run.session);
  const maker = labels.find(label => missing.includes(label.leg) && label.booking.state === 'unknown');
  const label = maker && (await run.desk?.journal.byId(maker.booking.id));
  if (label) return unknownLabel(booking, label, flags);
  if (booking.state !== 'created' || booking.operation !== OPERATIONS.createDualShipment.command)
    return undefined;
  const { shipments } = orderFacts(order);
  return lackingLabels(booking, Object.fromEntries(missing.map(leg => [leg, shipments[leg]])), flags);
}

/** The failure of a shipment that exists, while nobody knows whether its label exists. */
function unknownLabel(shipment: Booking, label: Booking, flags: readonly string[]): Failure {
  const { message = '', facts } = bookingFailure(label, flags) ?? {};
  const ids = Object.values(shipment.ids);
  return new Failure(
    'outcome_unknown',
    `${ids.join(' and ')} ${ids.length === 1 ? 'is' : 'are'} booked; do not book it again. Whether it has its label is unknown: ${message}`,
    { ...facts, created: true },
  );
}

/** Counts and writes the line of a record. `raw`: the record as the input has it, for the file of --failed. */
export function endRecord<O>(run: LinesRun<O>, counted: CountedLine, raw?: RawRecord): void {
  const { line, ...counts } = counted;
  run.tally.count(line, counts);
  run.outputs.report(line, raw);
}

/**
 * The records that are left to this run. Records that other runners of the same input have created get their lines; records that
 * others are sending at this moment are put back.
 */
export async function leftByOthers<O>(
  run: LinesRun<O>,
  records: readonly QueuedRecord[],
  putBack: (record: QueuedRecord) => void,
): Promise<QueuedRecord[]> {
  const { work } = run;
  const orderOf = await ordersOrNone(run, records);
  return records.filter(record => {
    const order = orderOf(record);
    const why = whyNotSent(run, record, order?.booking);
    if (order?.booking.state === 'created' && why === 'recorded' && !work.hasFollowUp(record.options)) {
      const labels = orderFacts(order).labelled.length;
      endRecord(run, { line: recordedLine(run, record, order), labels });
    } else if (order?.booking.state === 'pending' && !record.wasPutBack) putBack(record);
    else return true;
    return false;
  });
}

/** As `ordersOfRecords`, but without any order if the journal cannot be read: that is reported when a record is claimed. */
export const ordersOrNone = <O>(run: LinesRun<O>, records: readonly QueuedRecord[]) =>
  ordersOfRecords(run, records).catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error;
    return () => undefined;
  });

// Mended records cannot be booked as they are: a person has mended them in a file of --failed, and booked them from there.

/** A record with the name that a file of --failed would give it; `nameInFailed` is absent if the record cannot be read. */
interface NamedRecord extends KnownRecord {
  nameInFailed?: () => string;
  order: BookedOrder | undefined;
}

/**
 * For each mended record, the order that was booked, or may have been. The order is found by the name of the record alone, because the key
 * may be what was mended. `counted`: names that a record has already; no two records have one name.
 */
export async function ordersOfMended<O, Record extends NamedRecord>(
  run: LinesRun<O>,
  records: readonly Record[],
  counted: Set<string>,
): Promise<Map<Record, BookedOrder>> {
  const { session, desk } = run;
  const { command } = run.job.operation;
  const mended = new Map<Record, BookedOrder>();
  // step: mended records asked
  const named = records.flatMap(record => {
    const name = mayBeMended(run, record) ? record.nameInFailed?.() : undefined;
    return name === undefined ? [] : [{ record, name }];
  });
  if (desk === undefined || named.length === 0) return mended;
  const { journal } = desk;
  const names = named.map(({ name }) => name);
  const bookings = await journal.latestBy(session.scope(), 'recordName', names);
  const ids = new Map<Record, string>();
  for (const { record, name } of named) {
    const booking = bookings.get(name);
    if (booking?.operation !== command || !mayExist(booking) || counted.has(name)) continue;
    // A person may have made another order, with another key, of a record that came from a file of --failed.
    if (record.recordName !== undefined && !isSameKey(record.key, booking.key)) continue;
    counted.add(name);
    ids.set(record, booking.id);
  }
  // The journal reads the orders of these bookings with their requests and labels.
  const orders = ids.size === 0 ? [] : await journal.ordersOf([...ids.values()]);
  for (const [record, id] of ids) {
    const order = orders.find(({ booking }) => booking.id === id);
    if (order) mended.set(record, { ...order, booking: shownBooking(order.booking) });
  }
  return mended;
}

/** The booking as this run shows it: a booking that is being sent is unknown. */
const shownBooking = (booking: Booking): Booking =>
  booking.state === 'pending' ? { ...booking, ...BEING_SENT } : booking;

const BEING_SENT = {
  state: 'unknown',
  code: 'outcome_unknown',
  why: 'another process is sending it at this moment',
} as const;

/** Is the record invalid, or does it differ from the booking under its key? Then a person may have mended it in a file of --failed. */
function mayBeMended<O>(run: LinesRun<O>, record: NamedRecord): boolean {
  const { issues = [] } = record;
  if (issues.length > 0) return !issues.some(({ path }) => path === RECORD_COLUMN);
  const { booking } = record.order ?? {};
  if (booking === undefined || ['pending', 'unknown'].includes(booking.state)) return false;
  const isSame = booking.source === record.source && booking.state === 'created';
  return !isSame && (!isMade(booking) || !hasSameInput(booking, run.job.operation.command, record));
}
