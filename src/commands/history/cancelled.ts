// The provider of the service cancelled an order: a person records that. The service has no operation for it, so nobody is told.
import { type Command, Option } from 'commander';
import { Failure } from '../../errors.ts';
import { type Booking, cancellationOf, type NewSettlement } from '../../journal/booking.ts';
import { findBookings } from '../../order/find.ts';
import { type HistoryRow, historyRow } from '../../output/columns.ts';
import { safe } from '../../output/text.ts';
import { refuseReserved } from '../../profile/settings.ts';
import { type Act, addPage } from '../../session/command.ts';
import { someText } from '../../session/globals.ts';
import type { Session } from '../../session/session.ts';
import { recordSettlements, whoSettles } from './settle.ts';

interface CancelledOptions {
  reason?: string;
  reopen?: boolean;
}

export function define(command: Command, act: Act): void {
  command
    .argument(
      '<ref...>',
      'bookings, each by its id in the journal, its key, a shipment id or a tracking number',
    )
    .addOption(
      new Option('--reason <text>', 'who at the provider said so; it is kept in the record').argParser(
        someText,
      ),
    )
    .option('--reopen', 'it was not cancelled: take that back')
    .action(act<CancelledOptions>(cancelled));
  addPage(command, {
    examples: [
      '# The provider cancelled a shipment, by phone or on its page. Record that, and take it back.',
      'waybill schema ship --example > order.json',
      'waybill ship -q -f order.json --key ORDER-1009',
      "waybill history cancelled ORDER-1009 --reason 'support, ticket 4712'",
      'waybill history cancelled ORDER-1009 --reopen',
    ],
    output: {
      table: 'the bookings that are cancelled, also those that were before',
      quiet: 'the id of each booking',
      json: 'a row of `waybill schema history`; a list if several are cancelled',
    },
    exits: {
      usage: 'it is no shipment that exists, or --reopen of one that is not cancelled',
      not_found: 'the journal has no such booking',
    },
    notes: {
      Notes: `Nobody is told: the service has no operation that cancels, so the provider cancels first. The booking stays in the record with the state cancelled. It is no part of the cost any more (\`waybill history summary\` tells it with and without), nor of \`track --active\`, and no label is made of it. Its key stays taken: the same order again is a duplicate that says so.`,
    },
  });
}

async function cancelled(
  session: Session,
  { reason, reopen = false }: CancelledOptions,
  refs: readonly string[],
): Promise<void> {
  refuseReserved(session.limits(), 'resolve', 'history cancelled');
  if (!reopen && reason === undefined)
    throw new Failure('usage', 'give --reason TEXT: who at the provider of the service said so');
  const { printer } = session;
  const journal = await session.openJournal('add');
  const bookings = await findBookings(session, journal, refs);
  // A script can run again.
  const before = new Set(reopen ? [] : bookings.filter(cancellationOf).map(({ id }) => id));
  if (reopen) refuseOthers(bookings);
  const settlements = bookings
    .filter(({ id }) => !before.has(id))
    .map(
      ({ id, ids, labels, overPrice, charged }): NewSettlement => ({
        id,
        state: reopen ? 'reopened' : 'cancelled',
        ids,
        labels,
        overPrice,
        charged,
        ...whoSettles(session, reason),
      }),
    );
  const recorded = settlements.length === 0 ? [] : await recordSettlements(journal, settlements);
  if (!reopen && recorded.length > 0)
    await printer.note(
      'this is recorded in the journal, and nobody was told of it: the provider of the service was not asked',
    );
  const rows = bookings.map(one => historyRow(recorded.find(({ id }) => id === one.id) ?? one));
  const sentence = ({ id, key, state, settlements: said }: HistoryRow) => {
    if (reopen) return `Booking ${id} is ${state} again.`;
    const first = before.has(id) && said.findLast(one => one.state === 'cancelled');
    if (first) return `Booking ${id} was cancelled before, as ${safe(first.by)} said at ${first.at}.`;
    return `Booking ${id} is cancelled${key === null ? '' : `; its key ${safe(key)} stays taken`}.`;
  };
  const [row] = rows;
  if (row && rows.length === 1) return printer.result(row, { essential: ({ id }) => [id], table: sentence });
  await printer.result(rows, {
    essential: all => all.map(({ id }) => id),
    table: all => all.map(sentence).join('\n'),
  });
}

/** The journal takes back how an unknown one was resolved as well, which is another command. Throws `usage`. */
function refuseOthers(bookings: readonly Booking[]): void {
  const other = bookings.find(({ state }) => state !== 'cancelled');
  if (other)
    throw new Failure(
      'usage',
      `booking ${other.id} is ${other.state}, so there is no cancellation to take back. Nothing was changed`,
    );
}
