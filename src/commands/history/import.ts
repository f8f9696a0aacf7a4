// `history import`: imports results files of batches: bookings of another machine, and answers that a journal could not record.
import { createHash, type Hash } from 'node:crypto';
import { statSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import { mayBeBooked, resultsIn } from '../../batch/run/read-results.ts';
import {
  bookingsOf,
  hasUnclearPrice,
  type ImportContext,
  type LineBooking,
} from '../../batch/run/results-bookings.ts';
import { isMade, scopeText } from '../../booking/booking.ts';
import { DONE, type Done } from '../../booking/questions.ts';
import { isSameKey } from '../../contract/key.ts';
import { Failure } from '../../errors.ts';
import { absolutePath } from '../../host/folder.ts';
import { interruption } from '../../host/signals.ts';
import type { BookingToImport, ImportResult } from '../../journal/import.ts';
import type { Journal } from '../../journal/journal.ts';
import { indexed } from '../../journal/tables.ts';
import { targetFlags } from '../../order/options.ts';
import { flagsOfPlace, typedFor } from '../../order/place-flags.ts';
import { pairs } from '../../output/table.ts';
import { refuseReserved } from '../../profile/settings.ts';
import { declare, operand } from '../../session/command.ts';
import { flag, type OptionsOf } from '../../session/flags.ts';
import type { Session } from '../../session/session.ts';
import { unreadableBecause } from '../../system-errors.ts';
import { commandText, numbered, someOf } from '../../text.ts';
import { whoSettles } from './settle-bookings.ts';

const NOTHING = 'none';

const FLAGS = {
  done: flag(
    '--done <words>',
    `what was done with all its orders, and is not to be done here: ${DONE.join(',')}, some of them, or ${NOTHING}`,
    { read: doneIn },
  ),
};

type ImportOptions = OptionsOf<typeof FLAGS>;

export const command = declare({
  examples: [
    '# Import the results of a batch: another machine does not book them again.',
    'waybill batch template ship > orders.csv',
    'waybill batch ship orders.csv --max-price 60EUR',
    'WAYBILL_STATE_DIR="$PWD/elsewhere" waybill history import orders.results.jsonl --done none',
  ],
  output: {
    table: 'how many bookings were imported, were settled, were known before, and were left out',
    quiet: 'how many were imported or settled',
    json: '{"file", "taken", "settled", "known", "held" (left out), "unknown" (of taken), "unclear" and "unpriced" (lines), "leftOut" (the first 1000: booking, operation, key, state, shipmentIds, heldBy)}',
  },
  exits: {
    usage:
      'the file has no results in JSON lines, or those of another place; or nobody says what was done with its orders',
    partial:
      'some were left out: their key or label has another booking here, or a line does not say enough or has a price that cannot be read',
  },
  notes: {
    'What is imported': `What was created or made in part, is unknown, or was cancelled; a duplicate is unknown here. Results do not say with which input they were booked, so their keys show the recorded answer for any input.

A booking that is unknown here because this journal could not be written when its answer came is settled as its line says, with its labels; so is one that was imported as unknown, if its line now says that it was made. No other booking here is changed.

What is imported has the time of its answer in the results: with its price it counts in the limits of the profile in force (policy.maxPerDay), if that was in the last 24 hours. Without such a time it counts as booked now.

If an import was stopped, run it again: it continues. Once all of a file is imported, a batch here may replace it.`,
    'What was done': `What the other machine printed, handed over or exported must not be done here again. A line may say it: "printed": true, as a batch with --print writes it, "handover": true, "export": true (to all shops). For the rest a terminal asks once; elsewhere --done says it for all orders of the file: \`--done printed,handover,export\`, some of these words, or \`--done none\`. Such an order is on no new list here; "history show" has it.`,
  },
  operands: [operand('<file>', 'the results of a batch, in JSON lines')],
  flags: FLAGS,
  run: importFile,
});

/** The words of --done. Throws an error that commander shows. */
function doneIn(written: string): readonly Done[] {
  const words = written.split(',').map(word => word.trim());
  const done = DONE.filter(word => words.includes(word));
  if (written.trim() === NOTHING) return [];
  if (words.some(word => !DONE.some(known => known === word)))
    throw new InvalidArgumentError(
      `It must be some of ${DONE.join(', ')}, with commas between them, or ${NOTHING}.`,
    );
  return done;
}

/** A booking that was not imported. `heldBy`: the booking of this journal that has its key, its shipment or its label. */
interface LeftOut {
  booking: string;
  operation: string;
  key: string | null;
  state: string;
  shipmentIds: string[];
  heldBy: string;
}

interface Summary {
  file: string;
  /**
   * How many bookings were imported, how many were unknown here and are settled now, how many this journal had before, and how many
   * could not be imported because another booking has their key or their shipment.
   */
  taken: number;
  settled: number;
  known: number;
  held: number;
  /** How many of the imported bookings may or may not exist. */
  unknown: number;
  /** Lines that may be about a booking but do not say enough. */
  unclear: number[];
  /** Lines whose booking has a price that cannot be read. */
  unpriced: number[];
  /** The first bookings that were not imported. */
  leftOut: LeftOut[];
}

/** How many bookings `leftOut` has; further ones are only counted, so that memory does not grow with their number. */
const MOST_LEFT_OUT = 1000;

async function importFile(session: Session, options: ImportOptions, path: string): Promise<void> {
  refuseReserved(session.limits(), 'resolve', 'history import');
  const summary: Summary = {
    file: path,
    taken: 0,
    settled: 0,
    known: 0,
    held: 0,
    unknown: 0,
    unclear: [],
    unpriced: [],
    leftOut: [],
  };
  const { pages, contentHash } = await openResults(session, path, options);
  const done = options.done ?? (await askDone(session, path, pages));
  // An import may make a new journal: the imported bookings are its memory.
  const journal = await session.openJournal('add');
  const at = await journal.now();
  const content = createHash('sha256');
  for await (const page of pages({ at, done }, summary, content)) {
    const ends = await journal.importBookings(page);
    for (const [index, record] of page.entries()) {
      const end = ends[index];
      if (end) await countResult(journal, record, end, summary);
    }
    const count = summary.taken + summary.settled + summary.known + summary.held;
    void session.printer.progress(`${count} bookings`);
    const { interrupted } = session.host;
    if (interrupted.aborted) throw interruption(interrupted, { kind: 'stopped-importing', bookings: count });
  }
  await session.printer.progress('');
  const isWhole = summary.held === 0 && summary.unclear.length === 0;
  // step: file imported
  // A batch may replace the results file from now on, if all of it was imported and it has not changed since its first reading.
  if (isWhole && content.digest('hex') === contentHash) await journal.noteImported(contentHash);
  await showImport(session, summary);
  if (options.done !== undefined && options.done.length > 0 && summary.known > 0)
    await session.printer.note(
      `--done says nothing of the ${numbered(summary.known, 'booking')} known before: what is recorded of them stays`,
    );
  if (!isWhole || summary.unpriced.length > 0) throw leftOutFailure(session, summary);
}

async function showImport(session: Session, summary: Summary): Promise<void> {
  const { file, taken, settled, known, held, unknown, unclear, unpriced } = summary;
  const { printer } = session;
  await printer.result(summary, {
    essential: () => [taken + settled],
    table: (_, look) =>
      pairs(look, [
        ['Results', file],
        ['Imported', taken],
        ...(unknown > 0 ? [['  may or may not exist', unknown] as const] : []),
        ...(settled > 0 ? [['Settled', settled] as const] : []),
        ['Known before', known],
        ...(held > 0 ? [['Left out', held] as const] : []),
        ...(unclear.length > 0 ? [['Not understood', `line ${firstFew(unclear)}`] as const] : []),
        ...(unpriced.length > 0 ? [['Without a price', `line ${firstFew(unpriced)}`] as const] : []),
      ]),
  });
  const list = typedFor(session)('list', '--state', 'unknown');
  if (unknown > 0)
    await printer.note(`${unknown} of the imported bookings may or may not exist. ${list} lists them`);
}

async function countResult(
  journal: Journal,
  record: BookingToImport,
  end: ImportResult,
  summary: Summary,
): Promise<void> {
  const { booking, labels } = record;
  const { id, operation, key, state, ids } = booking;
  const heldBy = 'by' in end ? end.by : id;
  if (end.kind === 'imported') {
    summary.taken += 1;
    if (state === 'unknown') summary.unknown += 1;
  } else if (end.kind === 'settled') summary.settled += 1;
  else if (await isSameBooking(journal, record, heldBy)) summary.known += 1;
  else {
    summary.held += 1;
    if (summary.leftOut.length === MOST_LEFT_OUT) return;
    const { subscription: _, ...shipments } = ids;
    const shipmentIds = [...Object.values(shipments), ...labels.map(({ shipment }) => shipment)];
    summary.leftOut.push({ booking: id, operation, key, state, shipmentIds, heldBy });
  }
}

/** Is `holder`, a booking of this journal, the booking of a line, and does the line say nothing new? */
async function isSameBooking(journal: Journal, record: BookingToImport, holder: string): Promise<boolean> {
  const { booking, labels, there } = record;
  const { id, ids, key, operation, state } = booking;
  const here = await journal.byId(holder);
  const isImported = holder === id;
  const isItself = holder === there || isImported;
  if (isItself && state === 'unknown') return true;
  const made = Object.values(ids);
  const known = Object.values(here?.ids ?? {});
  // Two machines may have booked one key, each with another shipment: so the ids of the shipments are compared.
  if (isImported && made.length > 0) return made.every(name => known.includes(name));
  if (made.length > 0) {
    const isOther = key !== null && here !== undefined && here.key !== null && !isSameKey(key, here.key);
    return !isOther && known.some(name => made.includes(name));
  }
  if (isImported) return labels.every(({ leg }) => here?.labels[leg]?.made === true);
  if (isItself) return true;
  if (here === undefined || labels.length === 0) return false;
  const claims = await journal.labelledShipments(holder);
  return (
    (isMade(here) || (here.operation === operation && state === 'unknown')) &&
    labels.every(({ leg, shipment }) =>
      claims.some(claim => claim.leg === leg && claim.shipment === indexed(shipment)),
    )
  );
}

/** The first five of these names or line numbers, and how many more there are. */
const firstFew = (words: readonly (string | number)[]): string => someOf(words.map(String), 5);

function leftOutFailure(session: Session, summary: Summary): Failure {
  const { file, held, unclear, unpriced, leftOut: list } = summary;
  const typed = typedFor(session);
  const bookings = list.map(
    ({ key, booking, shipmentIds, heldBy }) =>
      `${key === null ? '' : `${JSON.stringify(key)}, `}${shipmentIds.join(' and ') || booking} (here ${heldBy})`,
  );
  const sentences = [
    `history import: not all of ${file} could be imported; no booking here was replaced`,
    held > 0 &&
      `Left out were ${held}, because another booking here has the key, the shipment or its label: ${firstFew(bookings)}. ${typed('show', 'ID')} shows the booking here; if it is unknown, ${typed('resolve', 'ID', '--created', 'SHIPMENT_ID')} settles it. --json lists 1000 of them`,
    unclear.length > 0 &&
      `${unclear.length === 1 ? 'Line' : 'Lines'} ${firstFew(unclear)} may be about a booking, and not say enough. Check by hand`,
    unpriced.length > 0 &&
      `${unpriced.length === 1 ? 'Line' : 'Lines'} ${firstFew(unpriced)} ${unpriced.length === 1 ? 'has' : 'have'} a price that cannot be read: the booking is here, and counts in no limit`,
  ];
  return new Failure('partial', sentences.filter(Boolean).join('. '), { retry: 'after-change' });
}

// The words for what another machine did with imported orders.

const DONE_WORDS: Readonly<Record<Done, string>> = {
  printed: 'the labels were printed',
  handover: 'the orders were handed over to the courier',
  export: 'the orders were exported to the shop',
};

/**
 * Asks what another machine did with the orders of a file, if some of them are new here and the file does not say it. Throws `usage` where
 * nobody can be asked.
 */
async function askDone(session: Session, path: string, pages: Pages): Promise<readonly Done[]> {
  // A missing journal of this machine is not made yet: without an answer nothing is imported.
  const journal = session.sharesJournal()
    ? await session.openJournal('add')
    : await session.openJournal('look');
  const unsaid = new Set<Done>();
  for await (const page of pages({ at: session.host.now(), done: [] })) {
    const open = page.filter(booking => booking.unsaid.some(word => !unsaid.has(word)));
    const news = journal === undefined ? open : await journal.newsAmong(open);
    for (const word of news.flatMap(booking => booking.unsaid)) unsaid.add(word);
    if (unsaid.size === DONE.length) break;
  }
  const words = DONE.filter(word => unsaid.has(word));
  if (words.length === 0) return [];
  const what = words.map(word => DONE_WORDS[word]).join(' and ');
  if (session.interactive) {
    const answer = await session.ask({
      kind: 'several',
      id: 'done',
      message: 'What was done with these orders on the other machine?',
      hint: `${path} does not say of all of them whether ${what}. What is picked counts for all, and is not done here again.`,
      choices: words.map(word => ({ value: word, name: DONE_WORDS[word] })),
      esc: 'leave',
    });
    return words.filter(word => answer?.split(',').includes(word));
  }
  const typed = (answer: string) =>
    commandText(importCommand(path, ['--done', answer, ...targetFlags(session)]));
  throw new Failure(
    'usage',
    `${path} does not say of all its orders whether ${what}: what was done on the other machine would be done here again. Nothing was imported. If all of that was done, say \`${typed(words.join(','))}\`; if some of it, only those words; if nothing, \`${typed(NOTHING)}\``,
  );
}

const importCommand = (path: string, flags: readonly string[]) =>
  ['waybill', 'history', 'import', path, ...flags] as const;

// How the file is read.

const PAGE_SIZE = 500;

/** Reads the bookings of a file in pages; the summary gets the numbers of the lines that a person has to look at. */
type Pages = (
  reading: Pick<ImportContext, 'at' | 'done'>,
  summary?: Pick<Summary, 'unclear' | 'unpriced'>,
  content?: Hash,
) => AsyncGenerator<LineBooking[]>;

/**
 * Checks, before anything is imported, that all lines of a file are results of the address and account in force. Gives a reader of the
 * file's bookings, and a hash of the file's bytes. Throws `usage`.
 */
async function openResults(
  session: Session,
  path: string,
  options: ImportOptions,
): Promise<{ pages: Pages; contentHash: string }> {
  requireFile(session, path);
  const { from, name } = session.target();
  const context: Omit<ImportContext, 'at' | 'done'> = {
    scope: session.scope(),
    profile: from === 'environment' ? null : (name ?? null),
    path,
    settler: isUnrecorded =>
      whoSettles(
        session,
        `imported from ${path}${isUnrecorded ? ': the journal could not record the answer' : ''}`,
      ),
  };
  const here = scopeText(context.scope);
  const notOurs = () =>
    new Failure(
      'usage',
      `${path} has no results of a batch in JSON lines, each with its operation and place; nothing was imported. Journals and results in CSV are not imported: where the journal of a batch is, run the batch again with --results FILE.jsonl, and import that file`,
    );
  async function* read(content?: Hash) {
    for await (const result of resultsIn(session.host, path, 'jsonl', notOurs, content)) {
      if (result.value && result.value.place !== here)
        throw madeElsewhere(session, path, result.value.place, options.done);
      yield result;
    }
  }
  // The whole file is read once before anything is imported.
  const firstContent = createHash('sha256');
  let lines = 0;
  for await (const _ of read(firstContent)) lines += 1;
  if (lines === 0) throw notOurs();

  async function* pages(
    reading: Pick<ImportContext, 'at' | 'done'>,
    summary: Pick<Summary, 'unclear' | 'unpriced'> = { unclear: [], unpriced: [] },
    content?: Hash,
  ): AsyncGenerator<LineBooking[]> {
    let page: LineBooking[] = [];
    let rest = lines;
    for await (const { line, key, value, isComplete } of read(content)) {
      rest -= 1;
      if (rest < 0) break;
      if (value && isComplete && !mayBeBooked(value)) continue;
      const bookings = value && isComplete ? bookingsOf(key, value, { ...context, ...reading }) : [];
      if (bookings.length === 0) summary.unclear.push(line);
      else if (value && hasUnclearPrice(value)) summary.unpriced.push(line);
      page.push(...bookings);
      if (page.length < PAGE_SIZE) continue;
      yield page;
      page = [];
    }
    if (page.length > 0) yield page;
    if (rest < 0) throw grown(path);
  }
  return { pages, contentHash: firstContent.digest('hex') };
}

/** A batch added lines while the file was imported: they were not checked, and nobody was asked about them. */
const grown = (path: string): Failure =>
  new Failure(
    'partial',
    `history import: ${path} got more lines while it was read, and these were not imported: a batch may still write it. When that has ended, run this command again`,
    { retry: 'later' },
  );

/** Throws `usage`: a file that is named and not there is a mistake of the command line; exit 10 is for files that waybill keeps. */
function requireFile(session: Session, path: string): void {
  try {
    // Opening a pipe would wait until another program writes into it.
    if (!statSync(absolutePath(path, session.host)).isFile()) throw new Error('it is not a plain file');
  } catch (error) {
    throw new Failure('usage', `${path} cannot be read: ${unreadableBecause(error)}; nothing was imported`);
  }
}

/** The refusal of results from another address or account: their bookings must not count as bookings of the one in force. */
function madeElsewhere(session: Session, path: string, place: string, done: ImportOptions['done']): Failure {
  const doneFlags = done === undefined ? [] : ['--done', done.join(',') || NOTHING];
  const flags = flagsOfPlace(session, place);
  const advice =
    flags === undefined
      ? 'No profile here has that address and account: add one with `waybill profile add`, and name it with --profile'
      : `To import them there, run \`${commandText(importCommand(path, [...doneFlags, ...flags]))}\``;
  return new Failure(
    'usage',
    `${path} has the results of bookings at ${place}, which is not that of this command; nothing was imported. ${advice}`,
  );
}
