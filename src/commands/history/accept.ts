import type { Command } from 'commander';
import type { NewSettlement } from '../../journal/journal.ts';
import type { Act } from '../../session/command.ts';
import type { Session } from '../../session/session.ts';
import { recordSettlements, settlerOf } from '../../settling/record.ts';
import { historyRow } from '../../views/booking-row.ts';
import { findBookings } from './find.ts';

interface AcceptOptions {
  reason?: string;
}

export function defineAccept(command: Command, act: Act): void {
  command
    .argument(
      '<ref...>',
      'bookings, each by its id in the journal, its key, a shipment id or a tracking number',
    )
    .option('--reason <text>', 'why; it is kept in the record')
    .action(act<AcceptOptions>(accept));
}

async function accept(session: Session, { reason }: AcceptOptions, refs: readonly string[]): Promise<void> {
  const journal = await session.journalToAmend();
  const bookings = await findBookings(journal, refs);
  const settlements = bookings.map(
    ({ id, ids, labels, overPrice }): NewSettlement => ({
      ...{ id, state: 'accepted', ids, labels, overPrice },
      ...settlerOf(session, reason),
    }),
  );
  const rows = (await recordSettlements(journal, settlements)).map(historyRow);
  const [row] = rows;
  const sentence = ({ id }: { id: string }) => `The price of booking ${id} is accepted.`;
  if (row && rows.length === 1)
    return session.printer.result(row, { essential: ({ id }) => [id], table: sentence });
  await session.printer.result(rows, {
    essential: all => all.map(({ id }) => id),
    table: all => all.map(sentence).join('\n'),
  });
}
