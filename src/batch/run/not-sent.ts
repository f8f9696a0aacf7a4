// Which records are not sent, because they cannot be or because the journal has what became of them; and their lines.

import { Failure } from '../../errors.ts';
import { hasSameInput, isMade, settlementOf } from '../../journal/booking.ts';
import { targetFlags } from '../../order/command-line.ts';
import type { ResultLine } from '../../schemas.ts';
import type { ReadRecord } from './mended.ts';
import type { BatchRun } from './open.ts';
import { recordedLine, resultLine } from './result-line.ts';

/** The line of a record that is not to be sent; `undefined` if it is to be sent. */
export function lineIfNotSent<O>(
  {
    session,
    job,
    work,
    options,
    origin,
  }: Pick<BatchRun<O>, 'session' | 'job' | 'work' | 'options' | 'origin'>,
  line: number,
  { key, options: own, booking, unchanged, prepared: request, issues }: ReadRecord,
): ResultLine | undefined {
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
    return isFinal && !options.retryRejected ? recordedLine(place, booking, targetFlags(session)) : undefined;
  }
  if (booking.state === 'unknown') return recordedLine(place, booking, targetFlags(session));
  // An estimate is of what is not booked yet.
  if (same) {
    const isOpen = isMade(booking) && work.hasFollowUp(own) && !options.estimate;
    return isOpen ? undefined : recordedLine(place, booking, targetFlags(session));
  }
  return refused(
    'duplicate',
    new Failure(
      'duplicate',
      `the key ${JSON.stringify(key)} was booked with other input, as ${booking.id}; it was not sent again`,
      { booking: booking.id },
    ),
  );
}
