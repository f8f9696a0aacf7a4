// `history move`: moves the bookings of this machine into a shared journal.
import type { Issue } from '../../contract/shapes.ts';
import { Failure } from '../../errors.ts';
import { interruption } from '../../host/signals.ts';
import type { Database } from '../../journal/database.ts';
import { lookAtMove, type MoveLook, moveBookings, moveRefused } from '../../journal/move.ts';
import { NoTables, type Opening } from '../../journal/tables.ts';
import { JOURNAL_FLAGS } from '../../order/options.ts';
import type { HistoryMove } from '../../output/schemas.ts';
import { safe } from '../../output/text.ts';
import { refuseReserved } from '../../profile/settings.ts';
import { journalAt, type SharedJournal } from '../../profile/target.ts';
import { declare, operand } from '../../session/command.ts';
import { flag, type OptionsOf } from '../../session/flags.ts';
import { doubtOptions, reasonToExist } from '../../session/journal.ts';
import { type JournalHome, journalHome } from '../../session/journal-home.ts';
import { followMove } from '../../session/places.ts';
import type { Session } from '../../session/session.ts';
import { numbered, shellWord } from '../../text.ts';

const FLAGS = {
  dryRun: flag('--dry-run', 'show what would move and what prevents it; change nothing'),
  ...JOURNAL_FLAGS,
};

type MoveOptions = OptionsOf<typeof FLAGS>;

export const command = declare({
  examples: [
    '# Of a machine that booked with its own journal, and shares one from now on: look first.',
    'waybill schema ship --example > order.json',
    'waybill ship -q -f order.json --key ORDER-1013',
    'waybill history move postgres://waybill@db.example.com/waybill --dry-run || test $? = 10',
  ],
  output: {
    table: 'how many bookings moved, and where they are',
    quiet: 'how many were copied',
    json: 'as `waybill schema history-move` describes it',
  },
  exits: {
    usage: 'something prevents it, and all of that is listed; or ADDRESS has a password',
    not_found: 'this machine has no journal',
    partial: 'others booked the same there while the move ran; the rest is there',
    storage: 'one of the journals cannot be used',
  },
  notes: {
    'What moves': `All bookings of the journal of this machine, with labels, prints, lists and secrets, whatever journal is named for bookings; those of demo stay. It is prevented, and nothing is moved, while something is booked or printed here, where a list was not written to its end, and where a key, a shipment or a label has another booking there.

From the first copied booking on nothing is booked or settled in the journal of this machine, which can still be read. If the move was stopped, run it again: it ends it, each booking once. Another ADDRESS is refused. Then each place that this machine booked here is booked there.

A password comes from PGPASSWORD, PGPASSFILE, or what WAYBILL_JOURNAL or the profile have for the same address.`,
  },
  operands: [operand('<address>', 'the shared journal: postgres://USER@HOST/DATABASE')],
  flags: FLAGS,
  run: moveJournal,
});

async function moveJournal(session: Session, options: MoveOptions, address: string): Promise<void> {
  refuseReserved(session.limits(), 'resolve', 'history move');
  const { host, target, printer } = session;
  const shared = journalAt(address, host.env, target().profile);
  const home = journalHome(host, target, printer, () => undefined);
  const state = await home.state();
  if (state === 'none')
    throw new Failure(
      'not_found',
      `history move: there is no journal at ${home.name()}, and nothing to move`,
    );
  const lost: Issue[] = [];
  const onLost = (failure: Failure) => void lost.push({ path: '', message: failure.message });
  const source = await home.open({
    evenMoved: true,
    toRead: options.dryRun === true,
    // Only a journal that is there can be asked what it has lost.
    ...(state === 'there' && { onLost }),
  });
  try {
    await moveFrom(session, options, { source, file: home.name(), lost }, shared);
  } finally {
    await source.close();
  }
}

/** The journal of this machine, and what it has lost. */
interface Source {
  source: Database;
  file: string;
  lost: readonly Issue[];
}

async function moveFrom(
  session: Session,
  options: MoveOptions,
  from: Source,
  shared: SharedJournal,
): Promise<void> {
  const { source, file, lost } = from;
  const { host, printer, globals, interactive } = session;
  const home = journalHome(host, session.target, printer, () => shared);
  const inTarget = targetUser(session, home, options);
  // A look makes no tables: a shared journal without tables is looked at as an empty one.
  const look = await inTarget({ toRead: true }, target => lookAtMove(source, target)).catch(
    (error: unknown) => {
      if (error instanceof NoTables) return lookAtMove(source, undefined);
      throw error;
    },
  );
  const issues = [...lost, ...look.issues];
  const ends = { from: file, to: home.shown() };
  if (options.dryRun) await showMove(session, { ...ends, ...look, moved: 0, issues }, 'would move');
  if (issues.length > 0) throw moveRefused(issues, lost.length > 0 ? 'storage' : 'usage');
  if (options.dryRun) return;
  const count = numbered(look.bookings, 'booking');
  const question = `Move ${count} into ${ends.to}? From then on nothing is booked in ${file}`;
  if (interactive && !globals.yes && !(await session.confirm(question)))
    throw new Failure('interrupted', 'history move: the answer was not yes; nothing was moved');
  const address = shared.url.href.replace(`:${shared.url.password}@`, '@');
  const { copied, leftOut } = await inTarget({}, async target => {
    const moved = await moveBookings(source, target, address, done => {
      void printer.progress(`${done} of ${count}`);
      if (host.interrupted.aborted)
        throw interruption(host.interrupted, {
          kind: 'stopped-moving',
          moved: done,
          bookings: look.bookings,
        });
    });
    followMove(host, source.identity, { identity: target.identity, name: home.name() });
    return moved;
  });
  await printer.progress('');
  const there = look.there + copied;
  await showMove(session, { ...ends, ...look, moved: copied, there, issues: leftOut }, 'moved');
  if (leftOut.length > 0) throw bookedTwice(leftOut);
  if (session.journalName() !== ends.to)
    await printer.note(
      `to book with it: \`waybill profile set NAME journal=${shellWord(address)}\`, or that address in WAYBILL_JOURNAL`,
    );
}

/** Makes a function that opens the shared journal, does one piece of work with it, and closes it. */
const targetUser =
  (session: Session, home: JournalHome, options: MoveOptions) =>
  async <T>(opening: Opening, work: (target: Database) => Promise<T>): Promise<T> => {
    const { host, printer } = session;
    const { newJournal = false } = options;
    const mustExist = newJournal ? undefined : reasonToExist(host, session.target());
    const asked = { asNew: newJournal, mustExist, ...doubtOptions(host, printer), ...opening };
    const database = await home.open(asked);
    return work(database).finally(() => database.close());
  };

const bookedTwice = (issues: readonly Issue[]): Failure =>
  new Failure(
    'partial',
    'history move: others booked the same there while the move ran: it may exist twice',
    {
      issues,
      hint: 'Have one of each cancelled. What was left out can be read here',
    },
  );

async function showMove(session: Session, move: HistoryMove & MoveLook, verb: string): Promise<void> {
  await session.printer.result<HistoryMove>(move, {
    essential: shown => [shown.moved],
    table: shown =>
      [
        `${numbered(shown.bookings, 'booking')} of ${shown.from} ${verb} into ${shown.to}, which has ${shown.there === shown.bookings ? 'all' : shown.there} of them.`,
        ...shown.places.map(
          place => `  ${place.address}${place.account && ` (account ${place.account})`}: ${place.bookings}`,
        ),
      ]
        .map(safe)
        .join('\n'),
  });
}
