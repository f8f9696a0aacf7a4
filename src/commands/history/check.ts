import type { Command } from 'commander';
import { journalOption } from '../../orders/flags.ts';
import { bytesWords } from '../../output/bytes.ts';
import { safe } from '../../output/safe.ts';
import type { HistoryCheck } from '../../schemas/history-check.ts';
import type { Act } from '../../session/command.ts';
import type { Session } from '../../session/session.ts';

export function defineCheck(command: Command, act: Act): void {
  journalOption(command).action(act<{ newJournal?: boolean }>(check));
}

/** Opens the journal as a booking does, which also makes or updates its tables. Throws `storage`. */
async function check(session: Session, { newJournal }: { newJournal?: boolean }): Promise<void> {
  const journal = await session.journal(newJournal);
  const result: HistoryCheck = {
    journal: session.journalName(),
    shared: session.sharesJournal(),
    ...(await journal.size()),
  };
  await session.printer.result(result, {
    essential: ({ bookings }) => [bookings],
    table: ({ journal: name, bookings, unknown, bytes }) =>
      `The journal ${safe(name)} can be used: ${bookings} ${bookings === 1 ? 'booking' : 'bookings'}, ${unknown} unknown, ${bytesWords(bytes)}.`,
  });
}
