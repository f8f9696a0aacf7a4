// Records that cannot be booked as they are, and are done all the same: they were booked from a file in which they are
// mended, or as they stand.
import { isSameKey } from '../../contract/key.ts';
import type { OperationCommand } from '../../contract/operations.ts';
import { Failure } from '../../errors.ts';
import { type Booking, hasSameInput, isMade, mayExist } from '../../journal/booking.ts';
import { type ParsedRecord, type RawRecord, RECORD_COLUMN } from '../source.ts';
import { type RecordWarnings, recordDesk } from './desk.ts';
import type { Preparation } from './job.ts';
import type { BatchRun } from './open.ts';

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
  { desk, job, input, means }: BatchRun<O>,
  records: readonly ReadRecord[],
  counted: Set<string>,
): Promise<Map<ReadRecord, Booking>> {
  const { command } = job.operation;
  const mended = new Map<ReadRecord, Booking>();
  // step: mended records asked
  const named = records.flatMap(record => {
    const name = mayBeMended(record, command) ? input.nameOf(record.raw) : undefined;
    return name === undefined ? [] : [{ record, name }];
  });
  if (means === undefined || named.length === 0) return mended;
  const { journal } = means;
  const names = named.map(({ name }) => name);
  const bookings = await journal.latestBy(desk.scope(), 'recordName', names);
  for (const { record, name } of named) {
    const booking = bookings.get(name);
    if (booking?.operation !== command || !mayExist(booking) || counted.has(name)) continue;
    // Somebody may have made another order out of a record that came from such a file.
    if (record.recordName !== undefined && !isSameKey(record.key, booking.key)) continue;
    counted.add(name);
    // With its request.
    const whole = (await journal.byId(booking.id)) ?? booking;
    mended.set(record, whole.state === 'pending' ? { ...whole, ...BEING_SENT } : whole);
  }
  return mended;
}

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

/** The request of a record that `--strict` refuses, if it was or may have been booked as it stands: `--strict` is for what is sent. */
export async function asBooked<O>(
  run: BatchRun<O>,
  lenient: RecordWarnings,
  record: ParsedRecord,
  booking: Booking | undefined,
): Promise<Preparation | undefined> {
  if (!booking || (!isMade(booking) && booking.state !== 'unknown')) return undefined;
  try {
    const request = await run.work.prepare(recordDesk(run, lenient), record);
    // What may exist is told and never sent, whatever the record says now.
    return booking.state === 'unknown' || hasSameInput(booking, run.job.operation.command, request)
      ? request
      : undefined;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return undefined;
  }
}
