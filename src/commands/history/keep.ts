// The journal itself: a copy of it, and what it need not keep.
import { closeSync, fsyncSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure, systemCode, unwritableBecause } from '../../errors.ts';
import { absolutePath } from '../../host/folder.ts';
import { longMoment } from '../../output/moment.ts';
import { safe } from '../../output/text.ts';
import { addPage, type CommandFile } from '../../session/command.ts';
import { type Moment, parseMoment } from '../../session/globals.ts';
import type { Session } from '../../session/session.ts';
import { bytesWords, numbered, shellWord } from '../../text.ts';

export const backup: CommandFile = {
  define(command, act) {
    command.argument('<file>', 'a new file for the copy').action(act<object>(copyJournal));
    addPage(command, {
      examples: [
        '# Book a shipment, and keep a copy of the journal of today.',
        'waybill schema ship --example > order.json',
        'waybill ship -q -f order.json --key ORDER-1007',
        'waybill history backup "$(date +%F).db"',
      ],
      output: {
        table: 'the name and the size of the copy',
        quiet: 'the path of the copy',
        json: '{"file", "bytes"}',
      },
      exits: { usage: 'the file is there already, or the journal is shared: pg_dump copies that' },
    });
  },
};

async function copyJournal(session: Session, _: object, name: string): Promise<void> {
  if (session.sharesJournal())
    throw new Failure(
      'usage',
      `the journal ${session.journalName()} is a PostgreSQL database: pg_dump --file=${shellWord(name)} and its address copies it`,
    );
  const journal = await session.openJournal('look');
  if (journal === undefined) throw new Failure('not_found', 'there is no journal yet, and nothing to copy');
  const file = absolutePath(name, session.host);
  const unwritable = (error: unknown) =>
    new Failure('storage', `${name} cannot be written: ${unwritableBecause(error)}`, {}, { cause: error });
  try {
    // The copy holds addresses of people, and secrets: only the user may read it.
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (systemCode(error) === 'EEXIST')
      throw new Failure('usage', `${name} is there already, and is not replaced; name a new file`);
    throw unwritable(error);
  }
  try {
    await journal.backup(file);
    for (const path of [file, dirname(file)]) sync(path);
  } catch (error) {
    rmSync(file, { force: true });
    throw error instanceof Failure ? error : unwritable(error);
  }
  const bytes = statSync(file).size;
  await session.printer.result(
    { file, bytes },
    {
      essential: () => [file],
      table: () => `The journal was copied to ${safe(name)}, ${bytesWords(bytes)}.`,
    },
  );
}

function sync(path: string): void {
  const opened = openSync(path, 'r');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

export const prune: CommandFile = {
  define(command, act) {
    command
      .requiredOption('--older-than <time>', 'such as 365d, or a date', parseMoment)
      .action(act<{ olderThan: Moment }>(pruneJournal));
    addPage(command, {
      examples: [
        '# Delete addresses after a year. On a terminal it asks before; --yes answers yes.',
        'waybill history prune --older-than 365d',
      ],
      output: { table: 'how many were pruned', quiet: 'that number', json: '{"pruned": number}' },
    });
  },
};

async function pruneJournal(session: Session, { olderThan }: { olderThan: Moment }): Promise<void> {
  const now = session.host.now();
  const before = olderThan(now);
  // The moment shows whether 365 was meant as 365d.
  const question = `Delete requests, answers and labels of all bookings before ${longMoment(before, now)}? They cannot be brought back`;
  if (session.interactive && !session.globals.yes && !(await session.confirm(question)))
    throw new Failure('interrupted', 'history prune: the answer was not yes; nothing was deleted');
  const pruned = (await (await session.openJournal('look'))?.prune(before)) ?? 0;
  await session.printer.result(
    { pruned },
    {
      essential: () => [pruned],
      table: () =>
        `Requests, answers and labels of ${numbered(pruned, 'booking')} were deleted; keys and ids were kept.`,
    },
  );
}
