import type { Command } from 'commander';
import { Failure } from '../../errors.ts';
import { longMoment } from '../../output/moment.ts';
import { type Act, addPage } from '../../session/command.ts';
import { type Moment, parseMoment } from '../../session/globals.ts';
import type { Session } from '../../session/session.ts';

export function define(command: Command, act: Act): void {
  command.requiredOption('--older-than <time>', 'such as 365d, or a date', parseMoment).action(
    act<{ olderThan: Moment }>(async (session, { olderThan }) => {
      const { host, openJournal, printer } = session;
      const before = olderThan(host.now());
      await confirmPrune(session, before);
      const pruned = (await (await openJournal('look'))?.prune(before)) ?? 0;
      await printer.result(
        { pruned },
        {
          essential: () => [pruned],
          table: () =>
            `Requests, answers and labels of ${pruned} ${pruned === 1 ? 'booking' : 'bookings'} were deleted; keys and ids were kept.`,
        },
      );
    }),
  );
  addPage(command, {
    examples: [
      '# Delete addresses after a year. On a terminal it asks before; --yes answers yes.',
      'waybill history prune --older-than 365d',
    ],
    output: { table: 'how many were pruned', quiet: 'that number', json: '{"pruned": number}' },
  });
}

/** The moment shows whether 365 was meant as 365d. Throws `interrupted` if the answer is not yes. */
async function confirmPrune(session: Session, before: number): Promise<void> {
  if (!session.interactive || session.globals.yes) return;
  const moment = longMoment(before, session.host.now());
  const question = `Delete requests, answers and labels of all bookings before ${moment}? They cannot be brought back`;
  if (!(await session.confirm(question)))
    throw new Failure('interrupted', 'history prune: the answer was not yes; nothing was deleted');
}
