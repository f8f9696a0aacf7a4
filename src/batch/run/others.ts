import { Failure } from '../../errors.ts';
import { knownBookings } from './known.ts';
import type { BatchRun } from './open.ts';
import { type ResultLine, recordedLine } from './result-line.ts';
import type { QueuedRecord } from './spool.ts';

/**
 * Of records that wait, those that are left to this run: what other runners have made of the same input has ended, and
 * what they are sending at this moment is put back.
 */
export async function leftByOthers<O extends object>(
  { session, job, options, journal }: Pick<BatchRun<O>, 'session' | 'job' | 'options' | 'journal'>,
  records: readonly QueuedRecord[],
  told: { ended(line: ResultLine): void; putBack(record: QueuedRecord): void },
): Promise<QueuedRecord[]> {
  const { operation } = job;
  const bookingOf = await knownBookings({ session, job, journal }, records).catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error;
    // Whoever claims one of them tells it.
    return undefined;
  });
  const goesOn = job.hasFollowUp?.(options) ?? false;
  return records.filter(record => {
    const booking = bookingOf?.(record);
    const isSame = booking?.fingerprint === record.fingerprint && booking.operation === operation.command;
    if (booking?.state === 'created' && isSame && !goesOn)
      told.ended(recordedLine(record, operation, booking));
    else if (booking?.state === 'pending' && !record.wasPutBack) told.putBack(record);
    else return true;
    return false;
  });
}
