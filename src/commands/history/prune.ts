// `history prune`: deletes what the journal need not keep of persons, of old orders or of one customer, and clears it from its files.

import { Failure } from '../../errors.ts';
import type { Journal } from '../../journal/journal.ts';
import { labelFolder } from '../../labels/save.ts';
import { findBookings } from '../../order/find.ts';
import { targetFlags } from '../../order/options.ts';
import { quotedBooking } from '../../order/question.ts';
import { timeWords } from '../../say/words.ts';
import { declare, operand } from '../../session/command.ts';
import { flag, type OptionsOf } from '../../session/flags.ts';
import { type Moment, parseMoment } from '../../session/globals.ts';
import type { Session } from '../../session/session.ts';
import { commandText, numbered, operandWords, someOf } from '../../text.ts';

const FLAGS = {
  olderThan: flag('--older-than <time>', 'of all orders before, such as 365d, or a date', {
    /** The time as it was typed, and the moment that it means. */
    read: text => ({ text, at: parseMoment(text) }),
  }),
};

export const command = declare({
  examples: [
    '# Delete addresses after a year. On a terminal it asks before; --yes answers yes.',
    'waybill history prune --older-than 365d',
    '# Delete those of one customer, who asked for it.',
    'waybill schema ship --example > order.json',
    'waybill ship -q -f order.json --key ORDER-1011',
    'waybill history prune ORDER-1011',
  ],
  output: {
    table: 'how many were pruned',
    quiet: 'that number',
    json: '{"pruned": number}',
  },
  exits: {
    usage: 'a REF names two orders, or an order is being sent or labelled',
    partial:
      'it was deleted, and somebody who reads the journal kept its files from being cleaned: run it again',
  },
  notes: {
    'What is deleted': `Requests, answers, labels and the links to them, receivers, the words by which they are found, and reasons; keys and ids stay, so that nothing is booked again. With a REF goes all that the journal has of that order: each attempt under its key, and its labels. An unknown order is only pruned by its name. Files are not touched: stderr says where addresses may still be. Delete those yourself.

Then the files of a local journal are written anew, so that no byte of it is left in them: meanwhile nobody else books, for some seconds for each 100 MB. \`waybill help journal\` says where else addresses may be.`,
  },
  operands: [operand('[ref...]', 'orders of one customer: keys, ids, shipments or tracking numbers')],
  flags: FLAGS,
  run: prune,
});

async function prune(
  session: Session,
  options: OptionsOf<typeof FLAGS>,
  refs: readonly string[],
): Promise<void> {
  const { olderThan } = options;
  if (refs.length > 0 === (olderThan !== undefined))
    throw new Failure(
      'usage',
      'history prune: name orders, or a time: `waybill history prune REF...` or `waybill history prune --older-than 365d`. Nothing was deleted',
    );
  const journal = await session.openJournal('change');
  const pruned = olderThan
    ? await pruneOlder(session, journal, olderThan.at)
    : await pruneOrders(session, journal, refs);
  const again = [
    ...['waybill', 'history', 'prune'],
    ...targetFlags(session),
    ...(olderThan ? ['--older-than', olderThan.text] : operandWords(refs)),
  ];
  const left = await uncleaned(journal, again);
  await session.printer.result(
    { pruned },
    {
      essential: () => [pruned],
      table: () =>
        `Requests, answers and labels of ${numbered(pruned, 'booking')} were deleted from the journal; keys and ids were kept.`,
    },
  );
  if (pruned > 0) await noteFilesLeft(session);
  if (left) throw left;
}

/** Names places where addresses may remain. The files are not searched for: most are on other machines or on paper. */
async function noteFilesLeft(session: Session): Promise<void> {
  const folder = labelFolder(session.host);
  const ours = folder === undefined ? '' : `in ${folder}, and `;
  await session.printer.note(
    `addresses may still be in saved labels and papers (${ours}where --download and --merge wrote), results files, lists and backups: delete those yourself`,
  );
}

async function pruneOlder(
  session: Session,
  journal: Journal | undefined,
  olderThan: Moment,
): Promise<number> {
  const now = session.host.now();
  const before = olderThan(now);
  // The question names the moment: so a person notices who typed 365 and meant 365d.
  await confirmPrune(session, `all bookings before ${timeWords(before, now)}`);
  return (await journal?.prune(before)) ?? 0;
}

async function pruneOrders(
  session: Session,
  journal: Journal | undefined,
  refs: readonly string[],
): Promise<number> {
  const named = await findBookings(session, journal, refs);
  const bookings = (await journal?.wholeOrders(named)) ?? [];
  const pending = bookings.find(({ state }) => state === 'pending');
  if (pending)
    throw new Failure(
      'usage',
      `history prune: booking ${pending.id} is being sent, and its answer will be recorded. Nothing was deleted; wait for it`,
      { retry: 'later' },
    );
  const more = bookings.length - named.length;
  await confirmPrune(
    session,
    `${numbered(named.length, 'booking')}${more > 0 ? `, and of ${numbered(more, 'attempt')} and labels of the same` : ''}`,
    named.map(quotedBooking),
  );
  const pruned = await journal?.pruneOrders(bookings);
  if (journal && pruned === undefined)
    throw new Failure(
      'usage',
      'history prune: an attempt or a label was added to an order in the meantime. Nothing was deleted; run it again',
      { retry: 'same' },
    );
  return pruned ?? 0;
}

async function confirmPrune(session: Session, what: string, names: readonly string[] = []): Promise<void> {
  const listed = names.length === 0 ? '' : `: ${someOf(names)}`;
  const question = `Delete requests, answers and labels of ${what}? They cannot be brought back${listed}`;
  if (session.interactive && !session.globals.yes && !(await session.confirm(question)))
    throw new Failure('interrupted', 'history prune: the answer was not yes; nothing was deleted');
}

/** Clears deleted data from the files of the journal. Gives a failure if some of that data may still be there. */
async function uncleaned(journal: Journal | undefined, again: string[]): Promise<Failure | undefined> {
  const advice = `What was deleted may still be in its files until this is run again: \`${commandText(again)}\``;
  const facts = { retry: 'same' } as const;
  try {
    if ((await journal?.clean()) !== false) return undefined;
    return new Failure('partial', `history prune: another program was reading the journal. ${advice}`, facts);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return new Failure(error.code, `${error.message}. ${advice}`, facts, { cause: error });
  }
}
