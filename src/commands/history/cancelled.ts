// Records that the provider cancelled an order. Nothing is sent: the service has no operation that cancels.
import type { Booking } from '../../booking/booking.ts';
import { cancellationOf } from '../../booking/standing.ts';
import { Failure } from '../../errors.ts';
import { safe } from '../../output/text.ts';
import { declare } from '../../session/command.ts';
import { flag } from '../../session/flags.ts';
import { someText } from '../../session/globals.ts';
import { SETTLED, settleAlike } from './settle-bookings.ts';

export const command = declare({
  examples: [
    '# The provider cancelled a shipment, by phone or on its page. Record that, and take it back.',
    'waybill schema ship --example > order.json',
    'waybill ship -q -f order.json --key ORDER-1009',
    "waybill history cancelled ORDER-1009 --reason 'support, ticket 4712'",
    'waybill history cancelled ORDER-1009 --reopen',
  ],
  output: SETTLED.output,
  exits: { usage: 'it is no shipment that exists, or --reopen of one that is not cancelled' },
  notes: {
    Notes: `The service has no operation that cancels: the provider does it first, and nobody is told. The booking stays in the record and keeps its key; it leaves the costs, \`track --active\` and the labels.`,
  },
  operands: [SETTLED.refs],
  flags: {
    reason: flag('--reason <text>', 'who at the provider said so; it is kept in the record', {
      read: someText,
    }),
    reopen: flag('--reopen', 'it was not cancelled: take that back'),
  },
  async run(session, options, refs) {
    const command = 'cancelled';
    if (options.reopen)
      return settleAlike(session, refs, {
        command,
        kind: 'reopened',
        reason: options.reason,
        isSaid: () => false,
        check: refuseOpen,
        sentence: booking => `Booking ${booking.id} is ${booking.state} again.`,
      });
    if (options.reason === undefined)
      throw new Failure('usage', 'give --reason TEXT: who at the provider of the service said so');
    return settleAlike(session, refs, {
      command,
      kind: 'cancelled',
      reason: options.reason,
      isSaid: booking => cancellationOf(booking) !== undefined,
      note: 'this is recorded, and nobody was told of it: the provider of the service was not asked',
      sentence: (booking, before) =>
        before
          ? `Booking ${booking.id} was cancelled before, as ${safe(before.by)} said at ${before.at}.`
          : `Booking ${booking.id} is cancelled${booking.key === null ? '' : `; its key ${safe(booking.key)} stays taken`}.`,
    });
  },
});

/** Throws `usage` for a booking that is not cancelled: only `history resolve --reopen` takes back another resolution. */
function refuseOpen(booking: Booking): void {
  if (booking.state === 'cancelled') return;
  throw new Failure(
    'usage',
    `booking ${booking.id} is ${booking.state}, so there is no cancellation to take back. Nothing was changed`,
  );
}
