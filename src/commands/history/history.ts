import type { Command } from 'commander';
import { Failure } from '../../errors.ts';
import { longMoment } from '../../output/moment.ts';
import { type Act, addPage, groupHelp } from '../../session/command.ts';
import { type Moment, parseMoment } from '../../session/globals.ts';
import type { Session } from '../../session/session.ts';
import { defineAccept } from './accept.ts';
import { defineBackup } from './backup.ts';
import { defineCancelled } from './cancelled.ts';
import { defineCheck } from './check.ts';
import { defineHandover } from './handover.ts';
import { defineImport } from './import.ts';
import { defineList } from './list.ts';
import { defineReconcile } from './reconcile.ts';
import { defineResolve } from './resolve.ts';
import { defineShow } from './show.ts';
import { defineSummary } from './summary.ts';

export function define(command: Command, act: Act): void {
  const sub = (name: string, summary: string) => command.command(name).description(summary);
  defineList(sub('list', 'list the orders, the newest first'), act);
  defineShow(sub('show', 'show everything that is known about a booking'), act);
  defineResolve(sub('resolve', 'record the outcome of a booking whose outcome is unknown'), act);
  defineAccept(sub('accept', 'record that a person accepts a price above --max-price'), act);
  defineCancelled(sub('cancelled', 'record that the provider of the service cancelled an order'), act);
  defineSummary(sub('summary', 'show what was booked, in numbers, and what of it needs a person'), act);
  defineHandover(sub('handover', 'list the labelled orders that no courier has got yet'), act);
  defineReconcile(sub('reconcile', "hold the provider's invoices against what was booked"), act);
  defineImport(sub('import', 'import what another machine booked'), act);
  defineCheck(sub('check', 'open the journal as a booking does, and say whether it can be used'), act);
  defineBackup(sub('backup', 'copy the journal while others write to it'), act);
  definePrune(sub('prune', 'delete requests, answers and labels of old bookings; keys and ids stay'), act);
  groupHelp(command);
  addPage(command, {
    examples: ['# List the bookings, the newest first.', 'waybill history list'],
  });
}

function definePrune(command: Command, act: Act): void {
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
