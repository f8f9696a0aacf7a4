// Which records are not sent, because they cannot be or because the journal has what became of them; and their lines.

import { keyIdentity } from '../../contract/key.ts';
import { Failure } from '../../errors.ts';
import { type Booking, hasSameInput, isMade, settlementOf } from '../../journal/booking.ts';
import { targetFlags } from '../../order/options.ts';
import { differenceWords } from '../../order/place.ts';
import type { ResultLine } from '../../output/schemas.ts';
import type { PreparedRecord } from './job.ts';
import type { ReadRecord } from './mended.ts';
import type { BatchRun } from './open.ts';
import { recordedLine, resultLine } from './result-line.ts';
import type { QueuedRecord } from './spool.ts';

/** The line of a record that is not to be sent; `undefined` if it is to be sent. */
export async function lineIfNotSent<O>(
  { desk, job, work, options, origin, means }: BatchRun<O>,
  line: number,
  { key, options: own, booking, unchanged, prepared: request, issues }: ReadRecord,
): Promise<ResultLine | undefined> {
  const { operation } = job;
  const place = { key, line };
  const refused = (state: 'invalid' | 'duplicate', failure: Failure) =>
    resultLine(place, { ...origin, state, sent: false, failure });
  if (issues.length > 0)
    return refused(
      'invalid',
      new Failure('invalid_request', `line ${line} is not valid; it was not sent`, { issues }),
    );
  if (booking === undefined || booking.state === 'not_sent' || booking.state === 'pending') return undefined;
  const same = unchanged || hasSameInput(booking, operation.command, request ?? {});
  if (booking.state === 'rejected') {
    // A record that was changed may be accepted now. So may one that was rejected for the credential or the rate limit,
    // and one that a person resolved as not created.
    const isFinal =
      same &&
      booking.httpStatus !== null &&
      settlementOf(booking) === undefined &&
      !['unauthorized', 'rate_limited'].includes(booking.code ?? '');
    return isFinal && !options.retryRejected ? recordedLine(place, booking, targetFlags(desk)) : undefined;
  }
  if (booking.state === 'unknown') return recordedLine(place, booking, targetFlags(desk));
  // An estimate is of what is not booked yet.
  if (same) {
    const isOpen = isMade(booking) && work.hasFollowUp(own) && !options.estimate;
    return isOpen ? undefined : recordedLine(place, booking, targetFlags(desk));
  }
  // Its request was not looked up with all the others: few are needed, and they are long.
  const whole = (await means?.journal.byId(booking.id)) ?? booking;
  const difference = differenceWords(whole, request?.body.value);
  return refused(
    'duplicate',
    new Failure(
      'duplicate',
      `the key ${JSON.stringify(key)} was booked with other input, as ${booking.id}${difference}; it was not sent again`,
      { booking: booking.id },
    ),
  );
}

type Identity = Pick<PreparedRecord, 'key' | 'source'>;

/** Finds the bookings of records: by key if the operation requires one, else by the text of the record. */
export async function bookingsOfRecords<O>(
  { desk, job: { requiresKey, operation }, means }: BatchRun<O>,
  records: readonly Identity[],
): Promise<(record: Identity) => Booking | undefined> {
  const identifierOf = ({ key, source }: Identity) => (requiresKey ? key && keyIdentity(key) : source);
  const identifiers = records.flatMap(record => identifierOf(record) ?? []);
  if (means === undefined || identifiers.length === 0) return () => undefined;
  const by = requiresKey ? { keySpace: operation.keySpace ?? operation.command } : 'source';
  const found = await means.journal.latestBy(desk.scope(), by, identifiers);
  return record => found.get(identifierOf(record) ?? '');
}

/**
 * The records that are left to this run: those that other runners of the same input have created get their lines, and those
 * that they are sending at this moment are put back.
 */
export async function leftByOthers<O>(
  run: BatchRun<O>,
  records: readonly QueuedRecord[],
  putBack: (record: QueuedRecord) => void,
): Promise<QueuedRecord[]> {
  const { desk, job, work, tally, outputs } = run;
  const bookingOf = await bookingsOfRecords(run, records).catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error;
    // A journal that cannot be read is reported when one of them is claimed.
    return () => undefined;
  });
  return records.filter(record => {
    const booking = bookingOf(record);
    const isSame = booking !== undefined && hasSameInput(booking, job.operation.command, record);
    if (booking?.state === 'created' && isSame && !work.hasFollowUp(record.options)) {
      const line = recordedLine(record, booking, targetFlags(desk));
      tally.count(line);
      outputs.report(line, undefined);
    } else if (booking?.state === 'pending' && !record.wasPutBack) putBack(record);
    else return true;
    return false;
  });
}
