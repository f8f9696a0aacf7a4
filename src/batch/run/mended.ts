// Records that cannot be booked as they are, and whose key was booked: from a file where they are mended, or from this one.
import type { Issue } from '../../contract/operation.ts';
import { Failure } from '../../errors.ts';
import { type Booking, isAt, isMade } from '../../journal/booking.ts';
import { hasSameInput } from '../../journal/imported.ts';
import { isReceiverKnown, isSameReceiver, receiverIn } from '../../orders/receiver.ts';
import type { ParsedRecord } from '../source.ts';
import type { Preparation } from './job.ts';
import type { BatchOptions, BatchRun } from './open.ts';
import type { RecordSession } from './record-session.ts';

/** A record that was looked up in the journal. */
export interface ReadRecord extends ParsedRecord {
  booking: Booking | undefined;
  /** Did this very text create that booking, under the same terms? */
  unchanged: boolean;
  prepared?: Preparation;
}

interface Mended {
  /** With its request. */
  booking: Booking;
  /** Why it cannot be taken for what the record wants; `undefined` if it was booked for the receiver of the record. */
  difference: string | undefined;
}

/**
 * The booking that the key of a record has since. `undefined`: the record is none that was mended: it is valid and was
 * never rejected, or its key is what is wrong with it.
 */
export async function mendedBy<O>(
  run: Pick<BatchRun<O>, 'session' | 'job' | 'journal' | 'options'>,
  record: ReadRecord,
): Promise<Mended | undefined> {
  const { key, value, booking, unchanged, issues, prepared } = record;
  const { operation } = run.job;
  if (key === undefined || unchanged || !booking) return undefined;
  if (!isMade(booking) || booking.operation !== operation.command) return undefined;
  const isValid = issues.length === 0;
  if (isValid ? !(await wasRejected(run, record, booking)) : issues.some(isOfKey(run.options)))
    return undefined;
  const whole = (await run.journal?.byId(booking.id)) ?? booking;
  return { booking: whole, difference: await differenceOf(receiverIn(prepared?.body.value ?? value), whole) };
}

/** The request of a record that `--strict` refuses, if it was or may have been booked as it stands: `--strict` is for what is sent. */
export async function asBooked<O>(
  { job: { operation }, work }: Pick<BatchRun<O>, 'job' | 'work'>,
  own: RecordSession,
  record: ParsedRecord,
  booking: Booking | undefined,
): Promise<Preparation | undefined> {
  const { session } = own;
  if (session.printer.warnings.length === 0 || !booking) return undefined;
  if (!isMade(booking) && booking.state !== 'unknown') return undefined;
  own.begin();
  const lenient = { ...session, printer: { ...session.printer, warnings: [] } };
  try {
    const request = await work.prepare(lenient, record);
    // What may exist is told and never sent, whatever the record says now.
    return booking.state === 'unknown' || hasSameInput(booking, operation.command, request)
      ? request
      : undefined;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return undefined;
  }
}

async function differenceOf(
  wanted: ReturnType<typeof receiverIn>,
  { id, request }: Booking,
): Promise<string | undefined> {
  const booked = receiverIn(request);
  const isSame = await isSameReceiver(wanted, booked);
  if (isSame) return undefined;
  if (isSame === false) return `was booked since for another receiver, as ${id}`;
  const reason = !isReceiverKnown(booked)
    ? 'the journal does not know it (the booking is imported or pruned)'
    : isReceiverKnown(wanted)
      ? 'the record does not say enough about it'
      : 'the record has none';
  return `was booked since, as ${id}, and its receiver cannot be compared: ${reason}. \`waybill history show ${id}\` shows what it knows; if that is this order, take the record out of the file`;
}

const isOfKey =
  ({ keyColumn }: BatchOptions) =>
  ({ path }: Issue) =>
    path === keyColumn;

/** Was this very content rejected, and other content booked with its key? */
async function wasRejected<O>(
  { session, job: { operation }, journal }: Pick<BatchRun<O>, 'session' | 'job' | 'journal'>,
  { key = '', prepared }: ReadRecord,
  booked: Booking,
): Promise<boolean> {
  const isThis = (one: Booking) => hasSameInput(one, operation.command, prepared ?? {});
  if (journal === undefined || isThis(booked)) return false;
  const rejected = await journal.list({ key, states: ['rejected'], operation: operation.command });
  return rejected.some(one => isAt(session.scope(), one) && isThis(one));
}
