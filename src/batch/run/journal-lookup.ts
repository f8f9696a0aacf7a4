import { keyIdentity } from '../../contract/key.ts';
import { Failure } from '../../errors.ts';
import { type Booking, hasSameInput } from '../../journal/booking.ts';
import { targetFlags } from '../../order/command-line.ts';
import type { ResultLine } from '../../schemas.ts';
import type { PreparedRecord } from './job.ts';
import type { BatchRun } from './open.ts';
import { recordedLine } from './result-line.ts';
import type { QueuedRecord } from './spool.ts';

type Context<O> = Pick<BatchRun<O>, 'session' | 'job' | 'work' | 'journal'>;
type Identity = Pick<PreparedRecord, 'key' | 'source'>;

/** Finds the bookings of records: by key if the operation requires one, else by the text of the record. */
export async function bookingsOfRecords<O>(
  { session, job: { requiresKey, operation }, journal }: Context<O>,
  records: readonly Identity[],
): Promise<(record: Identity) => Booking | undefined> {
  const identifierOf = ({ key, source }: Identity) => (requiresKey ? key && keyIdentity(key) : source);
  const identifiers = records.flatMap(record => identifierOf(record) ?? []);
  if (journal === undefined || identifiers.length === 0) return () => undefined;
  const by = requiresKey ? { keySpace: operation.keySpace ?? operation.command } : 'source';
  const found = await journal.latestBy(session.scope(), by, identifiers);
  return record => found.get(identifierOf(record) ?? '');
}

/**
 * The records that are left to this run: those that other runners of the same input have created are ended, and those
 * that they are sending at this moment are put back.
 */
export async function leftByOthers<O>(
  context: Context<O>,
  records: readonly QueuedRecord[],
  { end, putBack }: { end(line: ResultLine): void; putBack(record: QueuedRecord): void },
): Promise<QueuedRecord[]> {
  const { operation } = context.job;
  const bookingOf = await bookingsOfRecords(context, records).catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error;
    // A journal that cannot be read is reported when one of them is claimed.
    return () => undefined;
  });
  return records.filter(record => {
    const booking = bookingOf(record);
    const isSame = booking !== undefined && hasSameInput(booking, operation.command, record);
    if (booking?.state === 'created' && isSame && !context.work.hasFollowUp(record.options))
      end(recordedLine(record, booking, targetFlags(context.session)));
    else if (booking?.state === 'pending' && !record.wasPutBack) putBack(record);
    else return true;
    return false;
  });
}
