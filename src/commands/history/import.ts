import type { Command } from 'commander';
import { Failure } from '../../errors.ts';
import { interruption } from '../../host/signals.ts';
import type { ImportResult } from '../../journal/booking.ts';
import type { Journal } from '../../journal/journal.ts';
import { indexed } from '../../journal/words.ts';
import type { View } from '../../output/print.ts';
import { pairs, table } from '../../output/table.ts';
import { refuseReserved } from '../../profile/settings.ts';
import { isDemo } from '../../profile/target.ts';
import { type Act, addPage } from '../../session/command.ts';
import type { Session } from '../../session/session.ts';
import { type ImportedBooking, type ImportSource, openSource } from './import-source.ts';

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
      json: '{"file", "kind" (journal or results), "taken", "known", "held", "unknown", "unclear" (lines), "leftOut" (the first 1000: booking, operation, key, state, shipmentIds, heldBy)}',
    },
    exits: {
      usage:
        'the file is neither a journal nor results in JSON lines, is of a newer version, or has results of another place than that of this command',
      partial:
        'some bookings were left out: their key or label has another booking here, or a line does not say enough',
    },
    notes: {
      'What is imported': `From a journal everything: bookings with their ids, keys and answers, label files and secrets. The file is only read. A booking that is being sent there is unknown here.

From results, in JSON lines only, every booking that was created, made in part, or is unknown; a duplicate is unknown here. Results do not say with which input they were booked, so their keys show the recorded answer for any input.

Nothing in the journal here is overwritten. If an import was stopped, run it again: it continues.`,
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
    await session.printer.result(summary, view);
    if (demo > 0)
      await session.printer.note(
        `${demo} bookings of the demo were left out: each machine has a demo of its own, and this journal is shared`,
      );
    if (summary.unknown > 0)
      await session.printer.note(
        `${summary.unknown} of the imported bookings may or may not exist. \`waybill history list --state unknown\` lists them, and \`waybill history resolve\` resolves each`,
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
    labels.every(({ shipment }) => claims.some(claim => claim.shipment === indexed(shipment)))
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

const firstFew = (words: readonly (string | number)[]): string =>
  `${words.slice(0, 5).join(', ')}${words.length > 5 ? ', …' : ''}`;

function leftOutFailure({ file, held, unclear, leftOut: list }: Summary): Failure {
  const bookings = list.map(
    ({ key, booking, heldBy }) =>
      `${key === null ? '' : `${JSON.stringify(key)}, `}${booking} (here ${heldBy})`,
  );
  const [lines, verb] = unclear.length === 1 ? ['Line', 'does'] : ['Lines', 'do'];
  const sentences = [
    `history import: not all of ${file} could be imported; no booking here was replaced`,
    held > 0 &&
      `${held} ${held === 1 ? 'booking was' : 'bookings were'} left out, because another booking here has the key or the label of the shipment: ${firstFew(bookings)}. \`waybill history show ID\` shows the booking here; the other one is in the journal of the machine that made it`,
    unclear.length > 0 &&
      `${lines} ${firstFew(unclear)} may be about a booking but ${verb} not say enough. Check by hand, or import the journal.db of that machine`,
  ];
  return new Failure('partial', sentences.filter(Boolean).join('. '), { retry: 'after-change' });
}

const view: View<Summary> = {
  essential: ({ taken }) => [taken],
  async table({ file, kind, taken, known, held, unknown, unclear, leftOut: list }, look) {
    const counts = await pairs(look, [
      [kind === 'journal' ? 'Journal' : 'Results', file],
      ['Imported', taken],
      ...(unknown > 0 ? [['  may or may not exist', unknown] as const] : []),
      ['Known before', known],
      ...(held > 0 ? [['Left out', held] as const] : []),
      ...(unclear.length > 0 ? [['Not understood', `line ${firstFew(unclear)}`] as const] : []),
    ]);
    if (list.length === 0) return counts;
    const rows = list.map(one => [one.booking, one.key, one.shipmentIds.join(' '), one.heldBy]);
    const head = ['left out', 'key', 'shipments', 'booked here as'];
    return `${counts}\n\n${await table(look, { head, align: head.map(() => 'whole' as const), rows })}`;
  },
};
