// A copy of the journal.
import { closeSync, fsyncSync, linkSync, lstatSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Command } from 'commander';
import { Failure } from '../../errors.ts';
import { absolutePath, partBeside } from '../../host/folder.ts';
import { safe } from '../../output/text.ts';
import type { Act } from '../../session/command.ts';
import type { Session } from '../../session/session.ts';
import { systemCode, unwritableBecause } from '../../system-errors.ts';
import { bytesWords, shellWord } from '../../text.ts';

export function define(command: Command, act: Act): void {
  command.argument('<file>', 'a new file for the copy').action(act<object>(copyJournal));
}

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
