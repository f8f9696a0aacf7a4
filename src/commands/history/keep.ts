// The journal itself: a copy of it, and what it need not keep.
import { closeSync, fsyncSync, linkSync, lstatSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure, systemCode, unwritableBecause } from '../../errors.ts';
import { absolutePath, partBeside } from '../../host/folder.ts';
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
      notes: {
        'The copy': `It is marked as a copy, because it lacks what is booked after it was made: in place of a journal nothing is booked or settled with it until \`waybill history check --restored --reason TEXT\`.`,
      },
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
  const part = partBeside(file, session.host);
  const taken = () => new Failure('usage', `${name} is there already, and is not replaced; name a new file`);
  if (lstatSync(file, { throwIfNoEntry: false })) throw taken();
  try {
    // The copy holds addresses of people, and secrets: only the user may read it.
    closeSync(openSync(part, 'wx', 0o600));
    await journal.backup(part);
    sync(part);
    // step: copy not named yet
    giveName(part, file);
    sync(dirname(file));
  } catch (error) {
    if (error instanceof Failure) throw error;
    if (systemCode(error) === 'EEXIST') throw taken();
    throw new Failure(
      'storage',
      `${name} cannot be written: ${unwritableBecause(error)}`,
      {},
      { cause: error },
    );
  } finally {
    rmSync(part, { force: true });
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

/** Nothing else is ever seen under that name. Throws EEXIST if the name is taken. */
function giveName(part: string, file: string): void {
  try {
    linkSync(part, file);
  } catch (error) {
    if (systemCode(error) === 'EEXIST') throw error;
    // The file system has no links. For a moment the file is empty.
    closeSync(openSync(file, 'wx', 0o600));
    renameSync(part, file);
  }
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
  const pruned = (await (await session.openJournal('change'))?.prune(before)) ?? 0;
  await session.printer.result(
    { pruned },
    {
      essential: () => [pruned],
      table: () =>
        `Requests, answers and labels of ${numbered(pruned, 'booking')} were deleted; keys and ids were kept.`,
    },
  );
}
