// The journal itself: whether it can be used, a copy of it, and what it need not keep.
import { closeSync, fsyncSync, linkSync, lstatSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Option } from 'commander';
import { Failure, systemCode, unwritableBecause } from '../../errors.ts';
import { absolutePath, partBeside } from '../../host/folder.ts';
import { journalOption } from '../../order/options.ts';
import { longMoment } from '../../output/moment.ts';
import type { HistoryCheck } from '../../output/schemas.ts';
import { safe } from '../../output/text.ts';
import { refuseReserved } from '../../profile/settings.ts';
import { addPage, type CommandFile } from '../../session/command.ts';
import { someText } from '../../session/globals.ts';
import type { Session } from '../../session/session.ts';
import { bytesWords, numbered, shellWord } from '../../text.ts';

interface CheckOptions {
  newJournal?: boolean;
  restored?: boolean;
  reason?: string;
}

export const check: CommandFile = {
  define(command, act) {
    journalOption(command)
      .addOption(
        new Option(
          '--restored',
          'record that the journal was put back or moved, and that bookings may be missing: it is used again; needs --reason',
        ).conflicts('newJournal'),
      )
      .option('--reason <text>', 'how it came to that; it is kept in the record', someText)
      .action(act<CheckOptions>(checkJournal));
    addPage(command, {
      examples: [
        '# Stop a deployment whose journal cannot be used.',
        'waybill history check',
        '# Go on with a journal that was put back from a backup, or moved.',
        'waybill history check --restored --reason "the backup of Monday"',
      ],
      output: {
        table:
          'how many bookings it has, how many are unknown, its size, and since when bookings may be missing',
        quiet: 'the number of bookings',
        json: 'as `waybill schema history-check` describes it',
      },
    });
  },
};

/** Opens the journal as a booking does, which also makes or updates its tables. Throws `storage`. */
async function checkJournal(session: Session, options: CheckOptions): Promise<void> {
  const journal = await openedAsSaid(session, options);
  const restorations = (await journal.restorations()).map(({ at, missingSince, ...said }) => ({
    at: new Date(at).toISOString(),
    ...said,
    missingSince: missingSince === null ? null : new Date(missingSince).toISOString(),
  }));
  const result: HistoryCheck = {
    journal: session.journalName(),
    shared: session.sharesJournal(),
    ...(await journal.size()),
    missingSince: restorations.at(-1)?.missingSince ?? null,
    restorations,
  };
  await session.printer.result(result, {
    essential: ({ bookings }) => [bookings],
    table: shown => checkWords(shown, session.host.now()),
  });
}

async function openedAsSaid(session: Session, { newJournal, restored, reason }: CheckOptions) {
  if (restored || newJournal)
    refuseReserved(session.limits(), 'resolve', `history check ${restored ? '--restored' : '--new-journal'}`);
  if (restored && reason !== undefined)
    return session.openJournal('book', { restored: { by: session.actor, reason, run: session.run } });
  if (restored || reason !== undefined)
    throw new Failure(
      'usage',
      'history check: --restored and --reason TEXT belong together. Nothing was changed',
    );
  if (newJournal) return session.openJournal('book', { asNew: true });
  let isMade = false;
  const journal = await session.openJournal('book', {
    onMade() {
      isMade = true;
    },
  });
  if (isMade) {
    // An alarm that watches a journal of its own would always be content.
    const [place, variable] = session.sharesJournal()
      ? ['the address of the journal', 'WAYBILL_JOURNAL']
      : ['the state folder', 'WAYBILL_STATE_DIR'];
    await session.printer.warn(
      `there was no journal at ${session.journalName()}, and this check has made a new one. If bookings should be in it, ${place} (${variable}) is not that of the bookings; WAYBILL_REQUIRE_JOURNAL=1 makes an error of that`,
      { always: true },
    );
  }
  return journal;
}

function checkWords(
  { journal, engine, bookings, unknown, bytes, restorations }: HistoryCheck,
  now: number,
): string {
  const size = `The journal ${safe(journal)} can be used: ${numbered(bookings, 'booking')}, ${unknown} unknown, ${bytesWords(bytes)}, ${safe(engine)}.`;
  const last = restorations.at(-1);
  if (last === undefined) return size;
  const moment = (at: string) => longMoment(Date.parse(at), now);
  const missing =
    last.missingSince === null
      ? 'It was put back or moved without any booking'
      : `Bookings made after ${moment(last.missingSince)} may be missing`;
  return `${size}\n${missing}: ${safe(last.by)} said so at ${moment(last.at)} (${safe(last.reason)}).`;
}

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
