// What another machine booked is taken over: from its journal, or from the results of its batches.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { resultsIn } from '../../batch/run/guard.ts';
import type { Leg } from '../../contract/operations.ts';
import { Failure, unreadableBecause } from '../../errors.ts';
import { absolutePath, firstBytes } from '../../host/folder.ts';
import { interruption } from '../../host/signals.ts';
import { type ImportResult, placeText } from '../../journal/booking.ts';
import type { Journal } from '../../journal/journal.ts';
import { type BookingWithFiles, openOtherJournal } from '../../journal/sqlite/other-journal.ts';
import { indexed } from '../../journal/tables.ts';
import { targetFlags } from '../../order/options.ts';
import { pairs } from '../../output/table.ts';
import { requiredStateFolder } from '../../profile/environment.ts';
import { refuseReserved } from '../../profile/settings.ts';
import { DEMO } from '../../profile/store.ts';
import { isDemo, resolveTarget, targetScope } from '../../profile/target.ts';
import { type Act, addPage } from '../../session/command.ts';
import type { Session } from '../../session/session.ts';
import { commandText, someOf } from '../../text.ts';
import { bookingIdIn, bookingsOf, type ImportContext, mayBeBooked } from './import-results.ts';

export function define(command: Command, act: Act): void {
  command
    .argument('<file>', 'a journal.db, or the results file of a batch, of another machine')
    .action(act<object>(importFile));
  addPage(command, {
    examples: [
      '# Import the results of a batch: another machine does not book them again.',
      'waybill batch template ship > orders.csv',
      'waybill batch ship orders.csv --max-price 60EUR',
      'WAYBILL_STATE_DIR="$PWD/elsewhere" waybill history import orders.results.jsonl',
    ],
    output: {
      table: 'how many bookings were imported, were known before, and were left out',
      quiet: 'how many were imported',
      json: '{"file", "kind" (journal or results), "taken", "known", "held" (left out), "unknown" (of taken), "unclear" (lines), "leftOut" (the first 1000: booking, operation, key, state, shipmentIds, heldBy)}',
    },
    exits: {
      usage:
        'the file is neither a journal nor results in JSON lines, or is of a newer version or another place',
      partial:
        'some were left out: their key or label has another booking here, or a line does not say enough',
    },
    notes: {
      'What is imported': `From a journal everything, with label files and secrets. What is being sent there is unknown here.

From results, in JSON lines only, what was created, made in part, or is unknown; a duplicate is unknown here. Results do not say with which input they were booked, so their keys show the recorded answer for any input.

Nothing here is overwritten. If an import was stopped, run it again: it continues.`,
    },
  });
}

/** A booking that was not imported, and the one here that has its key, or the label of its shipment. */
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
  kind: ImportSource['kind'];
  /** Bookings that were imported, that this journal had before, and that another booking stands in the way of. */
  taken: number;
  known: number;
  held: number;
  /** How many of the imported ones may or may not exist. */
  unknown: number;
  /** Lines that may be about a booking but do not say enough. */
  unclear: readonly number[];
  /** The first bookings that were not imported. */
  leftOut: LeftOut[];
}

/** More are only counted: memory does not grow with their number. */
const MOST_LEFT_OUT = 1000;

async function importFile(session: Session, _options: object, path: string): Promise<void> {
  refuseReserved(session.limits(), 'resolve', 'history import');
  const source = await openSource(session, path);
  try {
    // A new journal is welcome: an import gives it a memory.
    const journal = await session.openJournal('add');
    const { kind, unclear } = source;
    const counts = { taken: 0, known: 0, held: 0, unknown: 0 };
    const summary: Summary = { file: path, kind, ...counts, unclear, leftOut: [] };
    let demo = 0;
    for await (const all of source.pages()) {
      const page = session.sharesJournal() ? all.filter(({ booking }) => !isDemo(booking.address)) : all;
      demo += all.length - page.length;
      await importPage(journal, source, page, summary);
      const done = summary.taken + summary.known + summary.held;
      void session.printer.progress(
        `${done}${source.size === undefined ? '' : ` of ${source.size}`} bookings`,
      );
      const { interrupted } = session.host;
      if (interrupted.aborted)
        throw interruption(interrupted, `${summary.taken} bookings were imported; run it again for the rest`);
    }
    await session.printer.progress('');
    await session.printer.result(summary, {
      essential: ({ taken }) => [taken],
      table: (_, look) =>
        pairs(look, [
          [kind === 'journal' ? 'Journal' : 'Results', path],
          ['Imported', summary.taken],
          ...(summary.unknown > 0 ? [['  may or may not exist', summary.unknown] as const] : []),
          ['Known before', summary.known],
          ...(summary.held > 0 ? [['Left out', summary.held] as const] : []),
          ...(unclear.length > 0 ? [['Not understood', `line ${firstFew(unclear)}`] as const] : []),
        ]),
    });
    if (demo > 0)
      await session.printer.note(
        `${demo} bookings of the demo were left out: each machine has a demo of its own, and this journal is shared`,
      );
    if (summary.unknown > 0)
      await session.printer.note(
        `${summary.unknown} of the imported bookings may or may not exist. \`waybill history list --state unknown\` lists them`,
      );
    if (summary.held > 0 || unclear.length > 0) throw leftOutFailure(summary);
  } finally {
    source.close();
  }
}

async function importPage(
  journal: Journal,
  source: ImportSource,
  page: readonly ImportedBooking[],
  summary: Summary,
): Promise<void> {
  // The path of a label file is written together with the label.
  const bare = page.map(({ booking, labels }) => ({ booking: { ...booking, files: {} }, labels }));
  const ends = await journal.importBookings(bare);
  for (const [index, one] of page.entries()) {
    const end = ends[index];
    if (end) await countResult(journal, one, end, summary);
    if (one.files.length > 0 && end?.kind !== 'held') await importLabels(journal, source, one);
  }
}

async function countResult(
  journal: Journal,
  one: ImportedBooking,
  end: ImportResult,
  summary: Summary,
): Promise<void> {
  const { booking, labels } = one;
  const { id, operation, key, state, ids } = booking;
  if (end.kind === 'imported') {
    summary.taken += 1;
    if (state === 'unknown') summary.unknown += 1;
    return;
  }
  if (!('by' in end) || (await isSameBooking(journal, one, end.by))) {
    summary.known += 1;
    return;
  }
  summary.held += 1;
  if (summary.leftOut.length === MOST_LEFT_OUT) return;
  const { subscription: _, ...shipments } = ids;
  const shipmentIds = [...Object.values(shipments), ...labels.map(({ shipment }) => shipment)];
  summary.leftOut.push({ booking: id, operation, key, state, shipmentIds, heldBy: end.by });
}

/** Is the booking here the same one, imported earlier from another file? */
async function isSameBooking(
  journal: Journal,
  { booking: { ids, operation }, labels, there }: ImportedBooking,
  by: string,
): Promise<boolean> {
  if (by === there) return true;
  const here = await journal.byId(by);
  const made = Object.values(ids);
  if (made.length > 0) return Object.values(here?.ids ?? {}).some(id => made.includes(id));
  if (labels.length === 0) return false;
  const claims = await journal.labelledShipments(by);
  return (
    (here?.operation === operation || here?.state === 'created') &&
    labels.every(({ leg, shipment }) =>
      claims.some(claim => claim.leg === leg && claim.shipment === indexed(shipment)),
    )
  );
}

/** The label files of a booking, each once; those that were pruned here stay pruned. */
async function importLabels(
  journal: Journal,
  source: ImportSource,
  { booking, files }: ImportedBooking,
): Promise<void> {
  const here = await journal.byId(booking.id);
  if (here === undefined || (here.request === null && here.answer === null)) return;
  for (const leg of files) {
    if (here.files[leg] !== undefined) continue;
    const pdf = source.label(booking.id, leg);
    if (pdf) await journal.saveLabel(booking.id, leg, pdf, booking.files[leg] ?? '');
  }
}

/** The first five. */
const firstFew = (words: readonly (string | number)[]): string => someOf(words.map(String), 5);

function leftOutFailure({ file, held, unclear, leftOut: list }: Summary): Failure {
  const bookings = list.map(
    ({ key, booking, heldBy }) =>
      `${key === null ? '' : `${JSON.stringify(key)}, `}${booking} (here ${heldBy})`,
  );
  const sentences = [
    `history import: not all of ${file} could be imported; no booking here was replaced`,
    held > 0 &&
      `Left out were ${held}, because another booking here has the key or the label of the shipment: ${firstFew(bookings)}. \`waybill history show ID\` shows the booking here. --json lists 1000 of them`,
    unclear.length > 0 &&
      `${unclear.length === 1 ? 'Line' : 'Lines'} ${firstFew(unclear)} may be about a booking, and not say enough. Check by hand, or import the journal.db of that machine`,
  ];
  return new Failure('partial', sentences.filter(Boolean).join('. '), { retry: 'after-change' });
}

// The file: a journal, or results of a batch.

interface ImportedBooking extends BookingWithFiles {
  /** Its id on the other machine, if it differs from the id here. */
  there?: string | undefined;
}

interface ImportSource {
  kind: 'journal' | 'results';
  /** How many bookings there are, if that is known. */
  size?: number;
  pages(): AsyncIterable<ImportedBooking[]> | Iterable<ImportedBooking[]>;
  label(id: string, leg: Leg): Uint8Array | undefined;
  /** Numbers of the lines that may be about a booking but do not say enough. */
  unclear: readonly number[];
  close(): void;
}

/** Checks that it is a journal or a results file of waybill before anything is imported. Throws `usage`, `storage`. */
async function openSource(session: Session, path: string): Promise<ImportSource> {
  const { host } = session;
  const place = absolutePath(path, host);
  if (!isDatabase(place, path)) return openResults(session, path);
  const copy = join(requiredStateFolder(host), `import-${host.process.id}-${host.random()}.db`);
  const other = await openOtherJournal(place, copy, Math.floor(host.now()));
  return { ...other, kind: 'journal', unclear: [] };
}

/** Throws `usage`. */
function isDatabase(place: string, path: string): boolean {
  try {
    // To open a pipe would wait for its writer.
    if (!statSync(place).isFile()) throw new Error('it is not a plain file');
    return firstBytes(place, MAGIC.length).equals(MAGIC);
  } catch (error) {
    // What is named and is not there is a mistake of the command line; exit 10 is for what is ours to keep.
    throw new Failure('usage', `${path} cannot be read: ${unreadableBecause(error)}; nothing was imported`);
  }
}

const MAGIC = Buffer.from('SQLite format 3\0');

const PAGE = 500;

async function openResults(session: Session, path: string): Promise<ImportSource> {
  const { from, name } = session.target();
  const context: ImportContext = {
    scope: session.scope(),
    profile: from === 'environment' ? null : (name ?? null),
    at: Math.floor(session.host.now()),
    path,
  };
  const here = placeText(context.scope);
  const notOurs = () =>
    new Failure(
      'usage',
      `${path} is neither the journal.db of a state folder nor results of a batch in JSON lines, each with its operation and place; nothing was imported. Results in CSV are not imported: import the journal of that machine`,
    );
  async function* read() {
    for await (const one of resultsIn(session.host, path, 'jsonl', notOurs)) {
      if (one.value && one.value.place !== here) throw madeElsewhere(session, path, one.value.place);
      yield one;
    }
  }

  // The whole file is read once before anything is imported.
  let isEmpty = true;
  for await (const _ of read()) isEmpty = false;
  if (isEmpty) throw notOurs();
  const unclear: number[] = [];

  async function* pages(): AsyncGenerator<ImportedBooking[]> {
    let page: ImportedBooking[] = [];
    for await (const { line, key, value, isComplete } of read()) {
      if (value && isComplete && !mayBeBooked(value)) continue;
      const found = value && isComplete ? bookingsOf(key, value, context) : [];
      if (found.length === 0) unclear.push(line);
      for (const one of found) page.push({ ...one, files: [], there: value && bookingIdIn(value) });
      if (page.length < PAGE) continue;
      yield page;
      page = [];
    }
    if (page.length > 0) yield page;
  }

  return { kind: 'results', pages, label: () => undefined, unclear, close() {} };
}

/** What was booked in one place must not count as booked in another one. */
function madeElsewhere(session: Session, path: string, place: string): Failure {
  const flags = flagsFor(session, place);
  const advice =
    flags === undefined
      ? 'No profile here has that address and account: add one with `waybill profile add`, and name it with --profile'
      : `To import them there, run \`${commandText(['waybill', 'history', 'import', path, ...flags])}\``;
  return new Failure(
    'usage',
    `${path} has the results of bookings at ${place}, which is not that of this command; nothing was imported. ${advice}`,
  );
}

/** The flags that choose a place; `undefined` if neither the environment nor a profile has it. */
function flagsFor({ host, config }: Session, place: string): string[] | undefined {
  for (const profile of [undefined, DEMO, ...Object.keys(config.profiles)])
    for (const sandbox of [undefined, false, true]) {
      const globals = {
        ...(profile !== undefined && { profile }),
        ...(sandbox !== undefined && { sandbox }),
      };
      try {
        if (placeText(targetScope(resolveTarget(host, config, globals))) === place)
          return targetFlags({ globals });
      } catch {
        // A profile that cannot be used is not the one.
      }
    }
  return undefined;
}
