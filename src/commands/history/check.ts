import { type Command, Option } from 'commander';
import { Failure } from '../../errors.ts';
import { journalOption } from '../../order/options.ts';
import { longMoment } from '../../output/moment.ts';
import type { HistoryCheck } from '../../output/schemas.ts';
import { safe } from '../../output/text.ts';
import { refuseReserved } from '../../profile/settings.ts';
import { type Act, addPage } from '../../session/command.ts';
import { someText } from '../../session/globals.ts';
import type { Session } from '../../session/session.ts';
import { bytesWords } from '../../text.ts';

interface CheckOptions {
  newJournal?: boolean;
  restored?: boolean;
  reason?: string;
}

export function define(command: Command, act: Act): void {
  journalOption(command)
    .addOption(
      new Option(
        '--restored',
        'record that the journal was put back or moved, and that bookings may be missing: it is used again; needs --reason',
      ).conflicts('newJournal'),
    )
    .option('--reason <text>', 'how it came to that; it is kept in the record', someText)
    .action(act<CheckOptions>(check));
  addPage(command, {
    examples: [
      '# Stop a deployment whose journal cannot be used.',
      'waybill history check',
      '# Go on with a journal that was put back from a backup, or moved.',
      'waybill history check --restored --reason "the backup of Monday"',
    ],
    output: {
      table:
        'how many bookings it has, how many are unknown, and its size; if it was put back, after which time bookings may be missing',
      quiet: 'the number of bookings',
      json: 'as `waybill schema history-check` describes it',
    },
  });
}

/** Opens the journal as a booking does, which also makes or updates its tables. Throws `storage`. */
async function check(session: Session, options: CheckOptions): Promise<void> {
  const journal = await opened(session, options);
  const restorations = (await journal.restorations()).map(({ at, missingSince, ...said }) => ({
    at: timeOf(at),
    ...said,
    missingSince: missingSince === null ? null : timeOf(missingSince),
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
    table: shown => [sizeWords(shown), ...restorationWords(shown, session.host.now())].join('\n'),
  });
}

async function opened(session: Session, { newJournal, restored, reason }: CheckOptions) {
  if (restored || newJournal)
    refuseReserved(session.limits(), 'resolve', `history check ${restored ? '--restored' : '--new-journal'}`);
  if (restored && reason !== undefined)
    return session.openJournal('book', { restored: { by: session.actor, reason, run: session.run } });
  if (restored || reason !== undefined)
    throw new Failure(
      'usage',
      'history check: --restored and --reason TEXT belong together: who reads the record later wants to know why bookings are missing. Nothing was changed',
    );
  if (newJournal) return session.openJournal('book', { asNew: true });
  let isMade = false;
  const journal = await session.openJournal('book', {
    onMade() {
      isMade = true;
    },
  });
  if (isMade) await session.printer.warn(madeWords(session), { always: true });
  return journal;
}

/** An alarm that watches a journal of its own would always be content. */
function madeWords(session: Session): string {
  const [place, variable] = session.sharesJournal()
    ? ['the address of the journal', 'WAYBILL_JOURNAL']
    : ['the state folder', 'WAYBILL_STATE_DIR'];
  return `there was no journal at ${session.journalName()}, and this check has made a new one. If bookings should be in it, ${place} (${variable}) is another one here than where they are made; WAYBILL_REQUIRE_JOURNAL=1 makes an error of that`;
}

const timeOf = (at: number): string => new Date(at).toISOString();

const sizeWords = ({ journal, bookings, unknown, bytes }: HistoryCheck): string =>
  `The journal ${safe(journal)} can be used: ${bookings} ${bookings === 1 ? 'booking' : 'bookings'}, ${unknown} unknown, ${bytesWords(bytes)}.`;

function restorationWords({ restorations }: HistoryCheck, now: number): string[] {
  const last = restorations.at(-1);
  if (last === undefined) return [];
  const moment = (at: string) => longMoment(Date.parse(at), now);
  const missing =
    last.missingSince === null
      ? 'It was put back or moved without any booking'
      : `Bookings made after ${moment(last.missingSince)} may be missing`;
  return [`${missing}: ${safe(last.by)} said so at ${moment(last.at)} (${safe(last.reason)}).`];
}
