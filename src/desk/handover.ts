// `history handover`: the list for the courier, of orders that are labelled and were on no such list before.

import { isMade } from '../booking/booking.ts';
import {
  type BookedOrder,
  HANDED_OVER,
  type OrderFilter,
  receiverOf,
  wasElsewhere,
} from '../booking/questions.ts';
import { getAt, listAt } from '../contract/paths.ts';
import { isSameWord, read, readWeight } from '../contract/read.ts';
import { Failure } from '../errors.ts';
import { firstBytes } from '../host/folder.ts';
import type { Journal } from '../journal/journal.ts';
import { findBookings } from '../order/find.ts';
import { isShippedHere } from '../order/listed.ts';
import type { Look } from '../output/look.ts';
import type { HandoverRow } from '../output/schemas.ts';
import { type Align, table } from '../output/table.ts';
import { type Scalar, safe } from '../output/text.ts';
import { orderFacts } from '../output/told.ts';
import type { Font } from '../pdf/font.ts';
import { A4, type Cell, createPages, type Page } from '../pdf/page.ts';
import { addressWords, bookingName, orderName, timeWords } from '../say/words.ts';
import { declare } from '../session/command.ts';
import { flag, type OptionsOf } from '../session/flags.ts';
import { atLeastOne, someText } from '../session/globals.ts';
import type { Session } from '../session/session.ts';
import { commandText, numbered, someOf } from '../text.ts';
import {
  commandOn,
  listFile,
  type NewOrders,
  openLists,
  recordedList,
  recordedListWords,
  runList,
  unlistedOrders,
} from './order-lists.ts';

const refs = (ref: string, before: string[] = []): string[] => [...before, someText(ref)];

const FLAGS = {
  carrier: flag('--carrier <carrier>', 'only those of this carrier', { read: someText }),
  pdf: flag('--pdf <file>', 'write the list as a PDF to sign, and record that it was handed over', {
    read: someText,
  }),
  leave: flag('--leave <ref>', 'keep this order back from the list; repeatable', {
    read: refs,
    repeats: true,
  }),
  again: flag('--again [number]', 'show a list, or your last one, once more; nothing is recorded', {
    read: atLeastOne,
    conflicts: ['leave'],
  }),
  undo: flag('--undo [number]', 'take a list, or your last one, back, before the courier has it', {
    read: atLeastOne,
    conflicts: ['carrier', 'pdf', 'leave', 'again'],
  }),
};

type HandoverOptions = OptionsOf<typeof FLAGS>;

export const command = declare({
  examples: [
    '# Look at what the courier gets. Nothing is recorded.',
    'waybill history handover --carrier EXP',
    '# Write the list to sign. The next list has none of these orders.',
    'waybill history handover --carrier EXP --pdf express.pdf',
    '# Show your last list once more.',
    'waybill history handover --again',
    '# It was too early: take list 1 back, if there is one. The next list has its orders.',
    'waybill history handover --undo 1 || test $? = 4',
  ],
  output: {
    table: 'a row for each order, sums by carrier, and a line to sign',
    quiet: 'the key of each order, or its shipment id',
    json: 'a list, as `waybill schema history-handover` describes it',
  },
  exits: {
    usage:
      '--pdf names a file that is no such list, --leave an order that a list has, or it is not clear which list is meant',
    not_found: '--leave names no order, or there is no list with that number, or none for --undo',
  },
  notes: {
    'What is listed': `Orders whose labels are all made, and that no handover had yet; those of the sandbox only where it is in force. --pdf or --yes records it; without them it is only shown. stderr names what was left out because it is cancelled, has no label, or was kept back (--leave): that is on the next list again.

Each list has a number, which stderr, its paper and "history show" of its orders have. Without a number, --again shows the newest list and --undo takes it back, unless another desk or run recorded it; --undo also not if there was one in the ten minutes before it. --undo takes back the whole list, and asks first on a terminal.

A list that was recorded and not written to its end, as by a command that was killed, is written by the same command, under its number; newer orders are on the next one. --again NUMBER with --pdf or --yes writes it, too.`,
  },
  flags: FLAGS,
  run: handover,
});

/** An order on the list: the id of its booking, its row in the table, and for the list on paper its sender. */
interface Listed {
  id: string;
  row: HandoverRow;
  /** The sender with the whole address; empty if the address is not known any more. */
  sender: string;
}

async function handover(session: Session, options: HandoverOptions): Promise<void> {
  if (options.undo) return takeBack(session, options.undo);
  const { host, printer } = session;
  const { pdf, again, carrier, leave = [] } = options;
  const file = listFile(pdf, host, {
    flag: '--pdf ',
    kind: 'handover list of waybill',
    isOne: path => firstBytes(path, 100).includes(COMMENT),
  });
  const opened = await openLists(session, file, again);
  const { journal } = opened;
  const kept = await findBookings(session, journal, leave);
  const keptBack = kept.map(({ id }) => id);
  const isHere = isShippedHere(session);
  const where = pdf === undefined ? '' : ` The list is in ${pdf}`;
  await runList<Listed>({
    ...opened,
    session,
    name: HANDED_OVER,
    words: ['handover', '--again'],
    file,
    fileFlags: ['--pdf'],
    again,
    keptBack,
    listedOf(order) {
      const isKept = keptBack.includes(order.booking.id);
      return isHere(order) && !isKept && isOfCarrier(handoverRowOf(order), carrier)
        ? listedOf(order)
        : undefined;
    },
    async newOrders() {
      for (const order of (await journal?.labelled(kept)) ?? []) refuseListed(session, order);
      return newHandover(session, journal, carrier, keptBack);
    },
    draw: (listed, number) => handoverPdf(byCarrier(listed), number, host.now()),
    show: (listed, onceMore) =>
      printer.result(handoverRows(listed), {
        again: onceMore,
        essential: rowNames,
        table: (rows, look) => (rows.length === 0 ? 'Nothing to hand over.' : handoverTable(rows, look)),
      }),
    recordedWords: number => `\`${undoCommand(session, number)}\` takes it back.${where}`,
    toRecord: '--pdf FILE writes the list to sign and records it, --yes records it without a file',
    ending: `.${where}`,
  });
}

const UNDO_WORDS = ['handover', '--undo'];

const undoCommand = (session: Session, number: number): string =>
  commandText(commandOn({ session, words: UNDO_WORDS }, number));

const rowNames = (rows: readonly HandoverRow[]) =>
  rows.map(({ key, shipmentId }) => key ?? shipmentId ?? undefined);

/** Sorts orders by carrier; orders of one carrier stay in the sequence in which they were booked. */
const byCarrier = (listed: readonly Listed[]): Listed[] =>
  listed.toSorted((first, second) => {
    const [carrier, next] = [carrierGroup(first.row), carrierGroup(second.row)];
    return carrier < next ? -1 : Number(carrier > next);
  });

const handoverRows = (listed: readonly Listed[]): HandoverRow[] => byCarrier(listed).map(({ row }) => row);

/** Throws `usage` if an order that a person wants to keep back is on a list already. */
function refuseListed(session: Session, order: BookedOrder): void {
  const { booking, lists = [] } = order;
  const handover = lists.find(({ name }) => name === HANDED_OVER);
  if (handover === undefined) return;
  const { number, by, at } = handover;
  if (wasElsewhere(handover))
    throw new Failure(
      'usage',
      `--leave: ${bookingName(booking)} was handed over on another machine, as ${safe(by)} said on ${timeWords(at)}: no list here has it; nothing was recorded`,
    );
  throw new Failure(
    'usage',
    `--leave: ${bookingName(booking)} is on the list ${number} that ${safe(by)} recorded on ${timeWords(at)}; nothing was recorded. If the courier has it not, \`${undoCommand(session, number)}\` takes it back`,
  );
}

/** Takes a list back: the next list has the orders of that list. */
async function takeBack(session: Session, which: number | true): Promise<void> {
  const { globals, interactive, printer } = session;
  const journal = await session.openJournal('change');
  const isWanted = isShippedHere(session);
  const lists = { session, journal, name: HANDED_OVER, words: UNDO_WORDS };
  const list = await recordedList(lists, which, isWanted, true);
  if (journal === undefined || list === undefined)
    throw new Failure('not_found', 'history handover: no list was recorded; there is nothing to take back');
  const what = recordedListWords(list);
  if (interactive && !globals.yes && !(await session.confirm(`Take back ${what}?`)))
    throw new Failure('interrupted', 'nothing was taken back');
  if (!(await journal.lists.takeBack(list.listing)))
    throw new Failure('usage', `history handover: ${what}, was taken back meanwhile; nothing was changed`);
  await printer.result(handoverRows(list.orders.map(listedOf)), {
    essential: rowNames,
    table: (rows, look) => handoverTable(rows, look),
  });
  await printer.note(`taken back: ${what}. Tear up its paper: the next list has these orders again`);
}

/** The orders that no handover list had yet, and the orders that this list leaves out. */
async function newHandover(
  session: Session,
  journal: Journal | undefined,
  carrier: string | undefined,
  keptBack: readonly string[],
): Promise<NewOrders<Listed>> {
  const listed: Listed[] = [];
  const leftOut = new Map<string, string[]>([
    ['cancelled', []],
    ['without a label', []],
    ['kept back', []],
  ]);
  const otherCarriers = new Set<string>();
  const ordersOf = async (page: OrderFilter) => journal?.orders(page) ?? [];
  for await (const order of unlistedOrders(session, HANDED_OVER, ordersOf)) {
    const { booking } = order;
    const { isLabelled } = orderFacts(order);
    const row = handoverRowOf(order);
    const name = orderName(order);
    if (!isOfCarrier(row, carrier)) {
      if (isMade(booking) && isLabelled) otherCarriers.add(carrierGroup(row));
    } else if (!isMade(booking)) leftOut.get('cancelled')?.push(name);
    else if (!isLabelled) leftOut.get('without a label')?.push(name);
    else if (keptBack.includes(booking.id)) leftOut.get('kept back')?.push(name);
    else listed.push(listedOf(order));
  }
  if (listed.length === 0 && otherCarriers.size > 0)
    await session.printer.note(
      `no labelled order is of the carrier ${carrier}; they are of ${safe(someOf([...otherCarriers]))}`,
    );
  return { listed: listed.reverse(), leftOut };
}

const listedOf = (order: BookedOrder): Listed => ({
  id: order.booking.id,
  row: handoverRowOf(order),
  sender: addressWords(getAt(order.booking.request, ['sender'])),
});

const isOfCarrier = (row: HandoverRow, carrier: string | undefined): boolean =>
  carrier === undefined || isSameWord(row.carrier ?? undefined, carrier);

function handoverRowOf(order: BookedOrder): HandoverRow {
  const packages = listAt(order.booking.request, 'packages').map(parcel => ({
    pieces: read(readWeight, getAt(parcel, ['quantity'])) ?? 1,
    weight: read(readWeight, getAt(parcel, ['weight'])),
  }));
  const isKnown = packages.length > 0;
  const weights = packages.flatMap(({ pieces, weight }) => (weight === undefined ? [] : pieces * weight));
  const { key, carrier, trackingNumber, shipmentId } = orderFacts(order);
  const { name, city, country } = receiverOf(order);
  return {
    key,
    receiver: name,
    city,
    country,
    carrier,
    pieces: isKnown ? packages.reduce((sum, { pieces }) => sum + pieces, 0) : null,
    weightKg: isKnown && weights.length === packages.length ? kilogramSum(weights) : null,
    trackingNumber,
    shipmentId,
  };
}

function carrierGroup(row: HandoverRow): string {
  return row.carrier ?? 'no carrier named';
}

/** A sum of kilograms, rounded to the gram: floating point leaves more digits. */
const kilogramSum = (kilograms: readonly number[]): number =>
  Number(kilograms.reduce((sum, weight) => sum + weight, 0).toFixed(3));

// The list as a table, and on paper.

interface Column {
  head: string;
  align: Align;
  /** The part of the width that the column has on paper. */
  share: number;
  text(row: HandoverRow): Scalar;
}

const COLUMNS: readonly Column[] = [
  { head: 'key', align: 'left', share: 0.16, text: row => row.key ?? row.shipmentId },
  { head: 'receiver', align: 'left', share: 0.22, text: row => row.receiver },
  {
    head: 'city',
    align: 'left',
    share: 0.19,
    text: row => [row.city, row.country].filter(Boolean).join(', '),
  },
  { head: 'carrier', align: 'left', share: 0.1, text: carrierGroup },
  { head: 'pcs', align: 'right', share: 0.05, text: row => row.pieces },
  { head: 'kg', align: 'right', share: 0.08, text: row => row.weightKg },
  { head: 'tracking', align: 'whole', share: 0.2, text: row => row.trackingNumber },
];

/** A line for each carrier: `EXP: 3 orders, 4 pieces, 6.5 kg`. The rows are sorted by carrier. */
function carrierSums(rows: readonly HandoverRow[]): string[] {
  const carriers = [...new Set(rows.map(carrierGroup))];
  return carriers.map(carrier => {
    const ofCarrier = rows.filter(row => carrierGroup(row) === carrier);
    const pieces = ofCarrier.reduce((sum, row) => sum + (row.pieces ?? 1), 0);
    const unweighed = ofCarrier.filter(({ weightKg }) => weightKg === null).length;
    const weight = kilogramSum(ofCarrier.map(({ weightKg }) => weightKg ?? 0));
    return `${carrier}: ${numbered(ofCarrier.length, 'order')}, ${numbered(pieces, 'piece')}, ${weight} kg${unweighed === 0 ? '' : ` (and ${unweighed} without a weight)`}`;
  });
}

const SIGN_LINE = ['Received by', 'Date', 'Signature'].map(word => `${word} ____________________`).join('  ');

async function handoverTable(rows: readonly HandoverRow[], look: Look): Promise<string> {
  const drawn = await table(look, {
    head: COLUMNS.map(({ head }) => head),
    align: COLUMNS.map(({ align }) => align),
    rows: rows.map(row => COLUMNS.map(({ text }) => text(row))),
  });
  return [drawn, carrierSums(rows).map(safe).join('\n'), SIGN_LINE].join('\n\n');
}

const COMMENT = 'Handover list by waybill; it replaces this file';
const HEAD = Buffer.from(`%PDF-1.7\n%\x81\x81\x81\x81\n%${COMMENT}\n`, 'latin1');

/** The size of the letters, in points. */
const LETTER_SIZE = 8;

/**
 * The list on A4: each carrier has pages of its own, with a line to sign. No text is cut: a long cell has several lines. `now`: in ms
 * since 1970. `warnings`: a sentence for each text with letters that the font lacks.
 */
async function handoverPdf(listed: readonly Listed[], number: number, now: number) {
  const { createPdf } = await import('../pdf/pdf.ts');
  const pdf = createPdf(HEAD, 'Handover list');
  const font = await pdf.font();
  const warnings: string[] = [];
  const printable = (text: string, owner: string): string => {
    const { text: shown, lost } = font.printable(text);
    if (lost !== '')
      warnings.push(`${owner} has letters that the list cannot show (${lost}): each is printed as ?`);
    return shown;
  };
  for (const carrier of new Set(listed.map(({ row }) => carrierGroup(row)))) {
    const ofCarrier = listed.filter(({ row }) => carrierGroup(row) === carrier);
    await pdf.draw(carrierPages(ofCarrier, `Handover list ${number}: ${carrier}`, now, font, printable));
  }
  return { content: await pdf.bytes(), warnings };
}

const wholeLine = (text: string, isBold = true): Cell[] => [{ lines: [text], share: 1, isBold }];

function carrierPages(
  listed: readonly Listed[],
  title: string,
  now: number,
  font: Font,
  printable: (text: string, of: string) => string,
): Page[] {
  const cells = (text: (column: Column) => string, isBold = false): Cell[] =>
    COLUMNS.map(column => ({
      lines: [text(column)],
      share: column.share,
      isBold,
      isRight: column.align === 'right',
    }));
  const heading = printable(title, title);
  const senders = [...new Set(listed.map(({ sender }) => sender))].filter(Boolean);
  const from = senders.map(sender => printable(`From ${sender}`, 'the sender'));
  const pages = createPages(font, A4, LETTER_SIZE, page => {
    page.row(wholeLine(heading), 1.9);
    page.row(wholeLine(timeWords(now), false));
    for (const line of from) page.row(wholeLine(line, false));
    page.space(1);
    page.row(cells(({ head }) => head, true));
    page.rule(0.8);
  });
  for (const { row } of listed) {
    const name = row.key ?? row.shipmentId ?? 'an order';
    pages.row(cells(({ head, text }) => printable(String(text(row) ?? ''), `${name}: ${head}`)));
    pages.rule(0.2);
  }
  const end = carrierSums(listed.map(({ row }) => row)).map(sum => font.printable(sum).text);
  // The line to sign is on one page with the sums.
  pages.keep(end.length + 5);
  pages.space(1);
  for (const sum of end) pages.row(wholeLine(sum));
  pages.space(2);
  pages.row(wholeLine(SIGN_LINE, false));
  return pages.finish('');
}
