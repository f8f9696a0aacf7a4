import { closeSync, fsyncSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Command } from 'commander';
import { Failure, systemCode, unwritableBecause } from '../../errors.ts';
import { absolutePath } from '../../host/folder.ts';
import { safe } from '../../output/text.ts';
import { type Act, addPage } from '../../session/command.ts';
import type { Session } from '../../session/session.ts';
import { bytesWords, shellWord } from '../../text.ts';

export function define(command: Command, act: Act): void {
  command.argument('<file>', 'a new file for the copy').action(act<object>(backup));
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
    exits: {
      usage: 'the file is there already, or the journal is shared: pg_dump copies that',
      not_found: 'there is no journal yet',
    },
  });
}

async function backup(session: Session, _: object, name: string): Promise<void> {
  if (session.sharesJournal())
    throw new Failure(
      'usage',
      `the journal ${session.journalName()} is a PostgreSQL database, which has a program for this: pg_dump --file=${shellWord(name)} and its address`,
    );
  const journal = await session.openJournal('look');
  if (journal === undefined) throw new Failure('not_found', 'there is no journal yet, and nothing to copy');
  const file = absolutePath(name, session.host);
  create(file, name);
  try {
    await journal.backup(file);
    sync(file);
    sync(dirname(file));
  } catch (error) {
    rmSync(file, { force: true });
    throw error instanceof Failure ? error : unwritable(name, error);
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

/** The copy holds addresses of people, and secrets: only the user may read it. */
function create(file: string, name: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (systemCode(error) === 'EEXIST')
      throw new Failure('usage', `${name} is there already, and is not replaced; name a new file`);
    throw unwritable(name, error);
  }
}

const unwritable = (name: string, error: unknown): Failure =>
  new Failure('storage', `${name} cannot be written: ${unwritableBecause(error)}`, {}, { cause: error });

function sync(path: string): void {
  const opened = openSync(path, 'r');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}
