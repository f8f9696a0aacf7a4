import { isMade } from '../../booking/booking.ts';
import { isAccepted } from '../../booking/standing.ts';
import { safe } from '../../output/text.ts';
import { declare } from '../../session/command.ts';
import { flag } from '../../session/flags.ts';
import { SETTLED, settleAlike } from './settle-bookings.ts';

export const command = declare({
  examples: [
    '# Book with --max-price. If the price is above it (exit 11), accept it.',
    'waybill schema ship --example > order.json',
    'waybill ship -q -f order.json --carrier fastest --max-price 60EUR --key ORDER-1008 || test $? = 11',
    "waybill history accept ORDER-1008 --reason 'agreed by phone' || test $? = 2",
  ],
  output: SETTLED.output,
  exits: { usage: 'its price is not above --max-price, or it was booked without --max-price' },
  operands: [SETTLED.refs],
  flags: { reason: flag('--reason <text>', 'why; it is kept in the record') },
  run: (session, options, refs) =>
    settleAlike(session, refs, {
      command: 'accept',
      kind: 'accepted',
      reason: options.reason,
      isSaid: booking => isMade(booking) && isAccepted(booking),
      sentence: (booking, before) =>
        before
          ? `The price of booking ${booking.id} was accepted before, by ${safe(before.by)} at ${before.at}.`
          : `The price of booking ${booking.id} is accepted.`,
    }),
});
