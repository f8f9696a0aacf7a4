// `history check`: whether the journal can be used to book, and which of its bookings wait for a person.
import { Failure } from '../../errors.ts';
import type { Journal } from '../../journal/journal.ts';
import { targetFilter } from '../../order/listed.ts';
import { JOURNAL_FLAGS, targetFlags } from '../../order/options.ts';
import { bookingRow, WAITING } from '../../output/columns.ts';
import type { HistoryCheck } from '../../output/schemas.ts';
import { safe } from '../../output/text.ts';
import { refuseReserved } from '../../profile/settings.ts';
import { showCommand } from '../../say/booked.ts';
import { timeWords } from '../../say/words.ts';
import { declare } from '../../session/command.ts';
import { flag, grouped, type OptionsOf } from '../../session/flags.ts';
import { someText } from '../../session/globals.ts';
import type { Session } from '../../session/session.ts';
import { bytesWords, commandText, numbered } from '../../text.ts';

const FLAGS = {
  ...grouped('Booking:', {
    ...JOURNAL_FLAGS,
    restored: flag(
      '--restored',
      'record that the journal was put back, moved, or counts in place of one that is gone, and that bookings may be missing: it is used again; needs --reason',
      { conflicts: ['newJournal'] },
    ),
    reason: flag('--reason <text>', 'how it came to that; it is kept in the record', { read: someText }),
  }),
};

type CheckOptions = OptionsOf<typeof FLAGS>;

export const command = declare({
  examples: [
    '# Stop a deployment whose journal cannot be used.',
    'waybill schema ship --example > order.json',
    'waybill ship -q -f order.json --key ORDER-1012',
    'waybill history check',
    '# An alarm: exit 9 if something waits for a person, 10 if the journal cannot be used.',
    'waybill history check --strict --json || echo "look at the journal: exit $?"',
    '# Go on with a journal that was put back from a backup, or moved.',
    'waybill history check --restored --reason "the backup of Monday"',
  ],
  output: {
    table:
      'whether it can be used, its size, since when bookings may be missing, and each booking that waits for a person',
    quiet: 'the number of bookings',
    json: 'as `waybill schema history-check` describes it',
  },
  exits: {
    partial: 'with --strict: something waits for a person',
    storage: 'a booking would refuse the journal; with --strict also if there is none',
  },
  notes: {
    'What waits for a person': `Unknown bookings, prices above --max-price that nobody has accepted, and bookings whose process is gone. That bookings may be missing is exit 10 until --restored is said, and then shown and not counted.

In production a place (address and account) is booked in one journal. Where this machine booked it in another one last, that is exit 10; --restored, with the journal that counts, says that the other one is gone.

It only reads, and needs no more rights than that; it never makes a journal, unless with --new-journal.`,
  },
  flags: FLAGS,
  run: checkJournal,
});

/** How many bookings a table names; JSON names all. */
const MOST_NAMED = 20;

/** Throws `storage` if a booking could not use the journal, and with --strict `partial` if something waits for a person. */
async function checkJournal(session: Session, options: CheckOptions): Promise<void> {
  const { printer, host, globals } = session;
  const journal = await openedAsSaid(session, options);
  const result = journal ? await resultOf(session, journal) : await nothingThere(session);
  await printer.result(result, {
    essential: check => [check.bookings],
    table: shown => checkWords(shown, host.now()),
  });
  if (globals.strict && result.waiting.length > 0) throw waitingFailure(session, result);
}

async function openedAsSaid(session: Session, options: CheckOptions): Promise<Journal | undefined> {
  const { newJournal, restored, reason } = options;
  if (restored || newJournal)
    refuseReserved(session.limits(), 'resolve', `history check ${restored ? '--restored' : '--new-journal'}`);
  if (restored && reason !== undefined)
    return session.openJournal('book', { restored: { by: session.actor, reason, run: session.run } });
  if (restored || reason !== undefined)
    throw new Failure(
      'usage',
      'history check: --restored and --reason TEXT belong together. Nothing was changed',
    );
  return newJournal ? session.openJournal('book', { asNew: true }) : session.openJournal('check');
}

async function resultOf(session: Session, journal: Journal): Promise<HistoryCheck> {
  const waiting = await journal.waiting(targetFilter(session).demo === true);
  const restorations = (await journal.restorations()).map(({ at, missingSince, ...said }) => ({
    at: new Date(at).toISOString(),
    ...said,
    missingSince: missingSince === null ? null : new Date(missingSince).toISOString(),
  }));
  return {
    journal: session.journalName(),
    exists: true,
    canBook: !journal.isReadOnly,
    shared: session.sharesJournal(),
    ...(await journal.size()),
    missingSince: restorations.at(-1)?.missingSince ?? null,
    restorations,
    waiting: waiting.map(({ why, booking }) => ({ why, ...bookingRow(WAITING, booking) })),
  };
}

/** The result without a journal. Warns, because an alarm that watches the wrong place would never sound. Throws `storage` with --strict. */
async function nothingThere(session: Session): Promise<HistoryCheck> {
  const [journal, shared] = [session.journalName(), session.sharesJournal()];
  const [place, variable] = shared
    ? ['the address of the journal', 'WAYBILL_JOURNAL']
    : ['the state folder', 'WAYBILL_STATE_DIR'];
  const words = `there is no journal at ${journal} yet, and the first booking makes it. If bookings should be in it, ${place} (${variable}) is not that of the bookings`;
  if (session.globals.strict) throw new Failure('storage', `history check: ${words}`);
  await session.printer.warn(`${words}; WAYBILL_REQUIRE_JOURNAL=1 and --strict make an error of that`, {
    always: true,
  });
  return {
    journal,
    exists: false,
    canBook: true,
    shared,
    bookings: 0,
    unknown: 0,
    bytes: 0,
    engine: null,
    missingSince: null,
    restorations: [],
    waiting: [],
  };
}

const WAITING_WORDS: Readonly<Record<HistoryCheck['waiting'][number]['why'], string>> = {
  unknown: 'unknown',
  over_price: 'above its bound',
  pending: 'pending of nobody',
};

function checkWords(check: HistoryCheck, now: number): string {
  const { journal, exists, canBook, engine, bookings, unknown, bytes, restorations, waiting } = check;
  if (!exists) return `There is no journal at ${safe(journal)} yet.`;
  const moment = (at: string) => timeWords(Date.parse(at), now);
  const size = `${numbered(bookings, 'booking')}, ${unknown} unknown, ${bytesWords(bytes)}, ${safe(engine ?? '')}`;
  const lines = [
    canBook
      ? `The journal ${safe(journal)} can be used: ${size}.`
      : `The journal ${safe(journal)} can be read, and this user cannot book with it: ${size}.`,
  ];
  const last = restorations.at(-1);
  if (last) {
    const missing =
      last.missingSince === null
        ? 'It was put back or moved without any booking'
        : `Bookings made after ${moment(last.missingSince)} may be missing`;
    lines.push(`${missing}: ${safe(last.by)} said so at ${moment(last.at)} (${safe(last.reason)}).`);
  }
  if (waiting.length > 0) lines.push(`Waiting for a person: ${waitingWords(waiting)}.`);
  for (const { why, id, key, at } of waiting.slice(0, MOST_NAMED))
    lines.push(`  ${WAITING_WORDS[why]}: ${key === null ? '' : `${safe(key)}, `}${id}, of ${moment(at)}`);
  if (waiting.length > MOST_NAMED)
    lines.push(`  and ${waiting.length - MOST_NAMED} more: --json names all of them`);
  return lines.join('\n');
}

/** Counts what waits for a person: `2 unknown, 1 above its bound`. */
function waitingWords(waiting: HistoryCheck['waiting']): string {
  const kinds = Object.keys(WAITING_WORDS) as (keyof typeof WAITING_WORDS)[];
  const counts = kinds.map(kind => [kind, waiting.filter(({ why }) => why === kind).length] as const);
  return counts.flatMap(([kind, count]) => (count > 0 ? `${count} ${WAITING_WORDS[kind]}` : [])).join(', ');
}

function waitingFailure(session: Session, check: HistoryCheck): Failure {
  const show = showCommand(check.waiting[0]?.id ?? '', targetFlags(session));
  return new Failure(
    'partial',
    `history check: the journal can be used, and bookings wait for a person: ${waitingWords(check.waiting)}. \`${commandText(show)}\` says what to do with the first one`,
    { retry: 'after-change', next: [show] },
  );
}
