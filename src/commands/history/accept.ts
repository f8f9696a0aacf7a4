import type { Command } from 'commander';
import { type Booking, isAccepted, type NewSettlement } from '../../journal/booking.ts';
import { findBookings } from '../../order/find.ts';
import { type HistoryRow, historyRow } from '../../output/columns.ts';
import { safe } from '../../output/text.ts';
import { refuseReserved } from '../../profile/settings.ts';
import { type Act, addPage } from '../../session/command.ts';
import type { Session } from '../../session/session.ts';
import { recordSettlements, whoSettles } from './settle.ts';

interface AcceptOptions {
  reason?: string;
}

export function define(command: Command, act: Act): void {
  command
    .argument(
      '<ref...>',
      'bookings, each by its id in the journal, its key, a shipment id or a tracking number',
    )
    .option('--reason <text>', 'why; it is kept in the record')
    .action(act<AcceptOptions>(accept));
  addPage(command, {
    examples: [
      '# Book with --max-price. If the price is above it (exit 11), accept it.',
      'waybill schema ship --example > order.json',
      'waybill ship -q -f order.json --carrier fastest --max-price 60EUR --key ORDER-1008 || test $? = 11',
      "waybill history accept ORDER-1008 --reason 'agreed by phone' || test $? = 2",
    ],
    output: {
      table: 'the bookings whose price is accepted, also those that were accepted before',
      quiet: 'the id of each booking',
      json: 'a row of `waybill schema history`; a list if several are accepted',
    },
    exits: {
      usage: 'its price is not above --max-price, or it was booked without --max-price',
      not_found: 'the journal has no such booking',
    },
  });
}

async function accept(session: Session, { reason }: AcceptOptions, refs: readonly string[]): Promise<void> {
  refuseReserved(session.limits(), 'resolve', 'history accept');
  const journal = await session.openJournal('add');
  const bookings = await findBookings(session, journal, refs);
  const accepted = new Set(bookings.filter(isAcceptedAlready).map(({ id }) => id));
  const open = bookings.filter(({ id }) => !accepted.has(id));
  const settlements = open.map(
    ({ id, ids, labels, overPrice, charged }): NewSettlement => ({
      id,
      state: 'accepted',
      ids,
      labels,
      overPrice,
      charged,
      ...whoSettles(session, reason),
    }),
  );
  const recorded = open.length === 0 ? [] : await recordSettlements(journal, settlements);
  const rows = bookings.map(one => historyRow(recorded.find(({ id }) => id === one.id) ?? one));
  const [row] = rows;
  const sentence = ({ id, settlements: said }: HistoryRow) => {
    const before = accepted.has(id) && said.findLast(({ state }) => state === 'accepted');
    return before
      ? `The price of booking ${id} was accepted before, by ${safe(before.by)} at ${before.at}.`
      : `The price of booking ${id} is accepted.`;
  };
  if (row && rows.length === 1)
    return session.printer.result(row, { essential: ({ id }) => [id], table: sentence });
  await session.printer.result(rows, {
    essential: all => all.map(({ id }) => id),
    table: all => all.map(sentence).join('\n'),
  });
}

/** A booking that was accepted before is no error: a script can run again. */
const isAcceptedAlready = (booking: Booking): boolean => booking.state === 'created' && isAccepted(booking);
