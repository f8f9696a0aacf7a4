import type { Command } from 'commander';
import type { Act } from '../../session/command.ts';
import { groupHelp } from '../../session/command.ts';
import type { Session } from '../../session/session.ts';
import { defineImport } from './import.ts';
import { defineList } from './list.ts';
import { defineResolve } from './resolve.ts';
import { show } from './show.ts';
import { type Moment, moment, timeOf } from './time.ts';

export function define(command: Command, act: Act): void {
  const sub = (name: string, summary: string) => command.command(name).description(summary);
  defineList(sub('list', 'the bookings, the newest first'), act);
  sub('show', 'all that is known of a booking')
    .argument('<id|key>', 'its id in the journal, or its key')
    .option('--show-secret', 'secret and token of a subscription too')
    .action(act<{ showSecret?: boolean }>(show));
  defineResolve(sub('resolve', 'settle a booking whose outcome is unknown'), act);
  defineImport(sub('import', 'take over what another machine booked'), act);
  sub('prune', 'drop requests, answers and labels of old bookings; keys and ids stay')
    .requiredOption('--older-than <time>', 'such as 365d', moment)
    .action(act<{ olderThan: Moment }>(prune));
  groupHelp(command);
}

async function prune(session: Session, { olderThan }: { olderThan: Moment }): Promise<void> {
  const journal = await session.journalIfThere();
  const pruned = (await journal?.prune(timeOf(olderThan, session.host))) ?? 0;
  await session.printer.result(
    { pruned },
    {
      essential: body => [body.pruned],
      table: async body =>
        `${body.pruned} bookings pruned: requests, answers and labels dropped, keys and ids kept.`,
    },
  );
}
