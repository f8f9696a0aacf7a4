import type { Command } from 'commander';
import type { Act } from '../../session/command.ts';
import type { Session } from '../../session/session.ts';
import { type Moment, parseMoment, timeOf } from './time.ts';

interface PruneOptions {
  olderThan: Moment;
}

export function definePrune(command: Command, act: Act): void {
  command.requiredOption('--older-than <time>', 'such as 365d', parseMoment).action(act<PruneOptions>(prune));
}

async function prune(session: Session, { olderThan }: PruneOptions): Promise<void> {
  const journal = await session.journalIfThere();
  const pruned = (await journal?.prune(timeOf(olderThan, session.host))) ?? 0;
  await session.printer.result(
    { pruned },
    {
      essential: body => [body.pruned],
      table: body =>
        `${body.pruned} bookings pruned: requests, answers and labels dropped, keys and ids kept.`,
    },
  );
}
