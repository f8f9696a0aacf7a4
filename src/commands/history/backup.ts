// `history backup`: writes a copy of the journal.
import { closeSync, lstatSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure } from '../../errors.ts';
import { absolutePath, gotName, partBeside, syncPath } from '../../host/folder.ts';
import { safe } from '../../output/text.ts';
import { declare, operand } from '../../session/command.ts';
import type { Session } from '../../session/session.ts';
import { systemCode, unwritableBecause } from '../../system-errors.ts';
import { bytesWords, shellWord } from '../../text.ts';

export const command = declare({
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
  operands: [operand('<file>', 'a new file for the copy')],
  run: copyJournal,
});

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
    syncPath(part);
    // step: copy not named yet
    if (!gotName(part, file)) throw taken();
    syncPath(dirname(file));
  } catch (error) {
    if (error instanceof Failure) throw error;
    // Another process is writing a copy of that name at this moment.
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
