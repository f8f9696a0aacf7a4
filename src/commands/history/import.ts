import type { Command } from 'commander';
import { Failure } from '../../errors.ts';
import { interruption } from '../../host/signals.ts';
import type { ImportResult, Journal } from '../../journal/journal.ts';
import type { View } from '../../output/print.ts';
import { pairs, table } from '../../output/table.ts';
import type { Act } from '../../session/command.ts';
import type { Session } from '../../session/session.ts';
import { type Brought, openSource, type Source } from './sources.ts';

export function defineImport(command: Command, act: Act): void {
  command
    .argument('<file>', 'a journal.db, or the results file of a batch, of another machine')
    .action(act<object>(importFile));
}

/** A booking that was left out, and the one here that has its key, or the label of its shipment. */
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
  kind: Source['kind'];
  /** Bookings that this journal has now, and had before. */
  taken: number;
  known: number;
  held: number;
  /** Of those that were taken, how many may or may not exist. */
  unknown: number;
  /** Lines that may tell of a booking, but do not say enough. */
  unclear: readonly number[];
  /** The first of those that are held. */
  leftOut: LeftOut[];
}

/** So many are told one by one: memory does not grow with their number. */
const TOLD = 1000;

async function importFile(session: Session, _options: object, path: string): Promise<void> {
  const source = await openSource(session, path);
  try {
    // A journal that is new gets its memory here.
    const journal = await session.journal(true);
    const { kind, unclear } = source;
    const summary: Summary = {
      ...{ file: path, kind, taken: 0, known: 0, held: 0, unknown: 0, unclear, leftOut: [] },
    };
    let demo = 0;
    for await (const all of source.pages()) {
      const page = session.sharesJournal() ? all.filter(({ booking }) => !isDemo(booking)) : all;
      demo += all.length - page.length;
      await takePage(journal, source, page, summary);
      const done = summary.taken + summary.known + summary.held;
      void session.printer.progress(
        `${done}${source.size === undefined ? '' : ` of ${source.size}`} bookings`,
      );
      const { interrupted } = session.host;
      if (interrupted.aborted)
        throw interruption(
          interrupted,
          `${summary.taken} bookings were taken over; run it again for the rest`,
        );
    }
    await session.printer.progress('');
    await session.printer.result(summary, view);
    if (demo > 0)
      await session.printer.note(
        `${demo} bookings of the demo were left out: its worlds are each machine's own, and this journal is shared`,
      );
    if (summary.unknown > 0)
      await session.printer.note(
        `of what was taken over, ${summary.unknown} may or may not exist: \`waybill history list --state unknown\` lists them, and \`waybill history resolve\` settles each`,
      );
    if (summary.held > 0 || unclear.length > 0) throw leftOut(summary);
  } finally {
    source.close();
  }
}

const isDemo = ({ address }: Brought['booking']): boolean => /^demo(\/|$)/.test(address);

async function takePage(
  journal: Journal,
  source: Source,
  page: readonly Brought[],
  summary: Summary,
): Promise<void> {
  // Where a label was saved is kept together with the label.
  const bare = page.map(({ booking, labels }) => ({ booking: { ...booking, files: {} }, labels }));
  const ends = await journal.importBookings(bare);
  for (const [index, one] of page.entries()) {
    const end = ends[index];
    if (end) await note(journal, one, end, summary);
    if (one.files.length > 0 && end?.kind !== 'held') await takeLabels(journal, source, one);
  }
}

async function note(journal: Journal, one: Brought, end: ImportResult, summary: Summary): Promise<void> {
  const { booking, labels } = one;
  const { id, operation, key, state, ids } = booking;
  if (end.kind === 'taken') {
    summary.taken += 1;
    if (state === 'unknown') summary.unknown += 1;
    return;
  }
  if (!('by' in end) || (await isTheSame(journal, one, end.by))) {
    summary.known += 1;
    return;
  }
  summary.held += 1;
  if (summary.leftOut.length === TOLD) return;
  const { subscription: _, ...shipments } = ids;
  const shipmentIds = [...Object.values(shipments), ...labels.map(({ shipment }) => shipment)];
  summary.leftOut.push({ booking: id, operation, key, state, shipmentIds, heldBy: end.by });
}

/** Is what was booked here what was booked there, seen by way of another file? */
async function isTheSame(
  journal: Journal,
  { booking: { ids, operation }, labels, there }: Brought,
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
    labels.every(({ shipment }) => claims.some(claim => claim.shipment === shipment))
  );
}

/** The label files of a booking, each once; those that were pruned here stay so. */
async function takeLabels(journal: Journal, source: Source, { booking, files }: Brought): Promise<void> {
  const here = await journal.byId(booking.id);
  if (here === undefined || (here.request === null && here.answer === null)) return;
  for (const leg of files) {
    if (here.files[leg] !== undefined) continue;
    const pdf = source.label(booking.id, leg);
    if (pdf) await journal.saveLabel(booking.id, leg, pdf, booking.files[leg] ?? '');
  }
}

const some = (words: readonly (string | number)[]): string =>
  `${words.slice(0, 5).join(', ')}${words.length > 5 ? ', …' : ''}`;

function leftOut({ file, held, unclear, leftOut: list }: Summary): Failure {
  const told = [
    `history import: not all of ${file} could be taken over; what is here was not written over`,
    ...(held > 0
      ? [
          `${held} ${held === 1 ? 'booking was' : 'bookings were'} left out, as the key, or the label of the shipment, has another booking here: ${some(list.map(({ key, booking, heldBy }) => `${key === null ? '' : `${JSON.stringify(key)}, `}${booking} (here ${heldBy})`))}. \`waybill history show ID\` shows what is here; the others are where they were booked`,
        ]
      : []),
    ...(unclear.length > 0
      ? [
          `Line${unclear.length === 1 ? '' : 's'} ${some(unclear)} may tell of a booking, but ${unclear.length === 1 ? 'does' : 'do'} not say enough; look there by hand, or import the journal.db of that machine`,
        ]
      : []),
  ];
  return new Failure('partial', told.join('. '));
}

const view: View<Summary> = {
  essential: ({ taken }) => [taken],
  async table({ file, kind, taken, known, held, unknown, unclear, leftOut: list }, look) {
    const counts = await pairs(look, [
      [kind === 'journal' ? 'Journal' : 'Results', file],
      ['Taken over', taken],
      ...(unknown > 0 ? [['  may or may not exist', unknown] as const] : []),
      ['Known before', known],
      ...(held > 0 ? [['Left out', held] as const] : []),
      ...(unclear.length > 0 ? [['Not understood', `line ${some(unclear)}`] as const] : []),
    ]);
    if (list.length === 0) return counts;
    const rows = list.map(one => [one.booking, one.key, one.shipmentIds.join(' '), one.heldBy]);
    const head = ['left out', 'key', 'shipments', 'booked here as'];
    return `${counts}\n\n${await table(look, { head, align: head.map(() => 'whole' as const), rows })}`;
  },
};
