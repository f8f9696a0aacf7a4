// What the results of a batch say is taken over: the bookings of another machine, and what a journal could not record.
import { createHash, type Hash } from 'node:crypto';
import { statSync } from 'node:fs';
import type { Command } from 'commander';
import { mayBeBooked, resultsIn } from '../../batch/run/read-results.ts';
import { isSameKey } from '../../contract/key.ts';
import { Failure, unreadableBecause } from '../../errors.ts';
import { absolutePath } from '../../host/folder.ts';
import { interruption } from '../../host/signals.ts';
import { type BookingToImport, type ImportResult, isMade, scopeText } from '../../journal/booking.ts';
import type { Journal } from '../../journal/journal.ts';
import { indexed } from '../../journal/tables.ts';
import { targetFlags } from '../../order/options.ts';
import { pairs } from '../../output/table.ts';
import { refuseReserved } from '../../profile/settings.ts';
import { DEMO } from '../../profile/store.ts';
import { resolveTarget, targetScope } from '../../profile/target.ts';
import type { Act } from '../../session/command.ts';
import type { Session } from '../../session/session.ts';
import { commandText, someOf } from '../../text.ts';
import { bookingsOf, type ImportContext } from './import-results.ts';
import { typedFor, whoSettles } from './settle.ts';

export function define(command: Command, act: Act): void {
  command.argument('<file>', 'the results of a batch, in JSON lines').action(act<object>(importFile));
}

/** A booking that was not imported, and the one here that has its key, its shipment, or the label of that. */
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
   * Bookings that were imported, that were unknown here and are settled, that this journal had before, and that another booking
   * stands in the way of.
   */
  taken: number;
  settled: number;
  known: number;
  held: number;
  /** How many of the imported ones may or may not exist. */
  unknown: number;
  /** Lines that may be about a booking but do not say enough. */
  unclear: number[];
  /** The first bookings that were not imported. */
  leftOut: LeftOut[];
}

/** More are only counted: memory does not grow with their number. */
const MOST_LEFT_OUT = 1000;

async function importFile(session: Session, _options: object, path: string): Promise<void> {
  refuseReserved(session.limits(), 'resolve', 'history import');
  const summary: Summary = {
    ...{ file: path, taken: 0, settled: 0, known: 0, held: 0, unknown: 0 },
    ...{ unclear: [], leftOut: [] },
  };
  const pages = await openResults(session, path, summary.unclear);
  // A new journal is welcome: an import gives it a memory.
  const journal = await session.openJournal('add');
  const content = createHash('sha256');
  for await (const page of pages(content)) {
    const ends = await journal.importBookings(page);
    for (const [index, one] of page.entries()) {
      const end = ends[index];
      if (end) await countResult(journal, one, end, summary);
    }
    const done = summary.taken + summary.settled + summary.known + summary.held;
    void session.printer.progress(`${done} bookings`);
    const { interrupted } = session.host;
    if (interrupted.aborted)
      throw interruption(interrupted, `${done} bookings were imported; run it again for the rest`);
  }
  await session.printer.progress('');
  const isWhole = summary.held === 0 && summary.unclear.length === 0;
  // step: file imported
  // A batch may replace the file from now on.
  if (isWhole) await journal.noteImported(content.digest('hex'));
  await show(session, summary);
  if (!isWhole) throw leftOutFailure(session, summary);
}

async function show(session: Session, summary: Summary): Promise<void> {
  const { file, taken, settled, known, held, unknown, unclear } = summary;
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
      ]),
  });
  const list = typedFor(session)('list', '--state', 'unknown');
  if (unknown > 0)
    await printer.note(`${unknown} of the imported bookings may or may not exist. ${list} lists them`);
}

async function countResult(
  journal: Journal,
  one: BookingToImport,
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
  if (end.kind === 'settled') {
    summary.settled += 1;
    return;
  }
  const heldBy = 'by' in end ? end.by : id;
  if (await isSameBooking(journal, one, heldBy)) {
    summary.known += 1;
    return;
  }
  summary.held += 1;
  if (summary.leftOut.length === MOST_LEFT_OUT) return;
  const { subscription: _, ...shipments } = ids;
  const shipmentIds = [...Object.values(shipments), ...labels.map(({ shipment }) => shipment)];
  summary.leftOut.push({ booking: id, operation, key, state, shipmentIds, heldBy });
}

/** Is the booking here that of the line, and does the line say nothing more? */
async function isSameBooking(
  journal: Journal,
  { booking: { id, ids, key, operation, state }, labels, there }: BookingToImport,
  by: string,
): Promise<boolean> {
  const here = await journal.byId(by);
  const isImported = by === id;
  const isItself = by === there || isImported;
  if (isItself && state === 'unknown') return true;
  const made = Object.values(ids);
  const known = Object.values(here?.ids ?? {});
  // Two machines may have booked one key.
  if (isImported && made.length > 0) return made.every(one => known.includes(one));
  if (made.length > 0) {
    const isOther = key !== null && here !== undefined && here.key !== null && !isSameKey(key, here.key);
    return !isOther && known.some(one => made.includes(one));
  }
  if (isImported) return labels.every(({ leg }) => here?.labels[leg]?.made === true);
  if (isItself) return true;
  if (here === undefined || labels.length === 0) return false;
  const claims = await journal.labelledShipments(by);
  return (
    (isMade(here) || (here.operation === operation && state === 'unknown')) &&
    labels.every(({ leg, shipment }) =>
      claims.some(claim => claim.leg === leg && claim.shipment === indexed(shipment)),
    )
  );
}

/** The first five. */
const firstFew = (words: readonly (string | number)[]): string => someOf(words.map(String), 5);

function leftOutFailure(session: Session, { file, held, unclear, leftOut: list }: Summary): Failure {
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
  ];
  return new Failure('partial', sentences.filter(Boolean).join('. '), { retry: 'after-change' });
}

// The file.

const PAGE = 500;

/**
 * Checks that all of it is results of the place in force before anything is imported. Gives its bookings in pages; `unclear` gets
 * the numbers of the lines that may be about a booking but do not say enough, and `content` the bytes. Throws `usage`.
 */
async function openResults(
  session: Session,
  path: string,
  unclear: number[],
): Promise<(content: Hash) => AsyncGenerator<BookingToImport[]>> {
  requireFile(session, path);
  const { from, name } = session.target();
  const context: ImportContext = {
    scope: session.scope(),
    profile: from === 'environment' ? null : (name ?? null),
    at: Math.floor(session.host.now()),
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
    for await (const one of resultsIn(session.host, path, 'jsonl', notOurs, content)) {
      if (one.value && one.value.place !== here) throw madeElsewhere(session, path, one.value.place);
      yield one;
    }
  }
  // The whole file is read once before anything is imported.
  let isEmpty = true;
  for await (const _ of read()) isEmpty = false;
  if (isEmpty) throw notOurs();

  return async function* pages(content) {
    let page: BookingToImport[] = [];
    for await (const { line, key, value, isComplete } of read(content)) {
      if (value && isComplete && !mayBeBooked(value)) continue;
      const found = value && isComplete ? bookingsOf(key, value, context) : [];
      if (found.length === 0) unclear.push(line);
      page.push(...found);
      if (page.length < PAGE) continue;
      yield page;
      page = [];
    }
    if (page.length > 0) yield page;
  };
}

/** Throws `usage`: what is named and is not there is a mistake of the command line; exit 10 is for what is ours to keep. */
function requireFile({ host }: Session, path: string): void {
  try {
    // To open a pipe would wait for its writer.
    if (!statSync(absolutePath(path, host)).isFile()) throw new Error('it is not a plain file');
  } catch (error) {
    throw new Failure('usage', `${path} cannot be read: ${unreadableBecause(error)}; nothing was imported`);
  }
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
        if (scopeText(targetScope(resolveTarget(host, config, globals))) === place)
          return targetFlags({ globals });
      } catch {
        // A profile that cannot be used is not the one.
      }
    }
  return undefined;
}
