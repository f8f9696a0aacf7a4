// The list for the courier: what is labelled, and was on no such list before.
import { lstatSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { LEGS } from '../../contract/operations.ts';
import { getAt, listAt } from '../../contract/paths.ts';
import { isSameWord, read, readWeight } from '../../contract/read.ts';
import { Failure, messageOf } from '../../errors.ts';
import { absolutePath, firstBytes, partBeside, probeBeside } from '../../host/folder.ts';
import type { Host } from '../../host.ts';
import { type BookedOrder, isMade, receiverOf } from '../../journal/booking.ts';
import type { Journal } from '../../journal/journal.ts';
import { orderFacts, shownKey } from '../../output/columns.ts';
import type { Look } from '../../output/look.ts';
import { minuteOf } from '../../output/moment.ts';
import type { HandoverRow } from '../../output/schemas.ts';
import { table } from '../../output/table.ts';
import { safe } from '../../output/text.ts';
import { drawText, inCodePage, LETTER_WIDTH, pdfOf, rounded, wrappedAt } from '../../pdf.ts';
import { type Act, addPage } from '../../session/command.ts';
import { someText } from '../../session/globals.ts';
import type { Session } from '../../session/session.ts';
import { shellWord, someOf } from '../../text.ts';
import { isIn, orderPages, placeIn } from './list.ts';

interface HandoverOptions {
  carrier?: string;
  pdf?: string;
  again?: boolean;
}

export function define(command: Command, act: Act): void {
  command
    .option('--carrier <carrier>', 'only those of this carrier', someText)
    .addOption(
      new Option(
        '--pdf <file>',
        'write the list as a PDF to sign, and record that it was handed over',
      ).argParser(someText),
    )
    .option('--again', 'show the last list once more; nothing is recorded')
    .action(act<HandoverOptions>(handover));
  addPage(command, {
    examples: [
      '# Look at what the courier gets. Nothing is recorded.',
      'waybill history handover --carrier EXP',
      '# Write the list to sign. The next list has none of these orders.',
      'waybill history handover --carrier EXP --pdf express.pdf',
      '# Show the last list once more.',
      'waybill history handover --again',
    ],
    output: {
      table: 'a row for each order, sums by carrier, and a line to sign',
      quiet: 'the key of each order, or its shipment id',
      json: 'a list, as `waybill schema history-handover` describes it; the weight is that of all pieces',
    },
    exits: { usage: '--pdf names a file that is no such list', storage: 'the PDF cannot be written' },
    notes: {
      'What is listed': `Orders whose labels are all made, and that no handover had yet. --pdf or --yes records the handover in the journal; without them it is only shown. stderr names what was left out because it is cancelled or has no label. A pair is one order, with its international shipment.`,
    },
  });
}

/** An order on the list. */
interface Listed {
  /** Of its booking. */
  id: string;
  row: HandoverRow;
}

async function handover(session: Session, { carrier, pdf, again = false }: HandoverOptions): Promise<void> {
  const { host, globals, printer } = session;
  const records = !again && (pdf !== undefined || globals.yes === true);
  const file = pdf === undefined ? undefined : absolutePath(pdf, host, '; nothing was recorded');
  if (file !== undefined) checkPdf(file, host);
  const journal = records ? await session.openJournal('add') : await session.openJournal('look');
  let listed: Listed[] = [];
  let isRecorded = false;
  do {
    const found = again
      ? await lastList(session, journal, carrier)
      : await newList(session, journal, carrier);
    listed = inOrder(found.listed);
    if (!again) await noteLeftOut(session, found);
    if (listed.length === 0 && found.others.size > 0)
      await printer.note(
        `no labelled order is of the carrier ${carrier}; they are of ${safe(someOf([...found.others]))}`,
      );
    if (!records || listed.length === 0) break;
    // If another list had one of them in the meantime, there is a new one.
    isRecorded =
      (await journal?.handOver(
        { by: session.actor, run: session.run },
        listed.map(({ id }) => id),
      )) ?? false;
  } while (!isRecorded);
  const rows = listed.map(({ row }) => row);
  if (file !== undefined && rows.length > 0) writePdf(file, rows, session, isRecorded);
  await printer.result(rows, {
    essential: all => all.map(({ key, shipmentId }) => key ?? shipmentId ?? undefined),
    table: (_, look) => (rows.length === 0 ? 'Nothing to hand over.' : handoverTable(rows, look)),
  });
  if (!records && !again && rows.length > 0)
    await printer.note(
      'nothing was recorded: --pdf FILE writes the list to sign, and records it, and so does --yes without a file',
    );
  if (file !== undefined && rows.length > 0) await printer.note(`the list is in ${pdf}`);
}

interface Found {
  listed: Listed[];
  /** What is not handed over, by what a person names it. */
  cancelled: string[];
  unlabelled: string[];
  /** The carriers of labelled orders that were not asked for. */
  others: Set<string>;
}

async function newList(
  session: Session,
  journal: Journal | undefined,
  carrier: string | undefined,
): Promise<Found> {
  const found: Found = { listed: [], cancelled: [], unlabelled: [], others: new Set() };
  const states = ['created', 'partial', 'cancelled'] as const;
  const filter = { ...placeIn(session), states, notHandedOver: true };
  for await (const page of orderPages(session, journal, filter))
    for (const order of page) {
      const { booking } = order;
      const { shipments, labelled } = orderFacts(order);
      const name = shownKey(order) ?? shipments.international ?? booking.id;
      const isLabelled = LEGS.every(leg => shipments[leg] === undefined || labelled.includes(leg));
      if (!isOf(order, carrier)) {
        if (isMade(booking) && isLabelled) found.others.add(carrierOf(rowOf(order)));
      } else if (!isMade(booking)) found.cancelled.push(name);
      else if (!isLabelled) found.unlabelled.push(name);
      else found.listed.push({ id: booking.id, row: rowOf(order) });
    }
  found.listed.reverse();
  return found;
}

/** The list of the newest handover that has an order here. */
async function lastList(
  session: Session,
  journal: Journal | undefined,
  carrier: string | undefined,
): Promise<Found> {
  const isHere = isIn(session);
  for (let nth = 0; ; nth += 1) {
    const orders = await journal?.handedOver(nth);
    const listed = (orders ?? [])
      .filter(order => isHere(order) && isOf(order, carrier))
      .map(order => ({ id: order.booking.id, row: rowOf(order) }));
    if (orders === undefined || listed.length > 0)
      return { listed, cancelled: [], unlabelled: [], others: new Set() };
  }
}

const isOf = (order: BookedOrder, carrier: string | undefined): boolean =>
  carrier === undefined || isSameWord(orderFacts(order).carrier ?? undefined, carrier);

function rowOf(order: BookedOrder): HandoverRow {
  const { shipments, tracking, carrier } = orderFacts(order);
  const packages = listAt(order.booking.request, 'packages').map(one => ({
    pieces: read(readWeight, getAt(one, ['quantity'])) ?? 1,
    weight: read(readWeight, getAt(one, ['weight'])),
  }));
  const isKnown = packages.length > 0;
  const weights = packages.flatMap(({ pieces, weight }) => (weight === undefined ? [] : pieces * weight));
  return {
    key: shownKey(order),
    receiver: receiverOf(order).name,
    city: receiverOf(order).city,
    country: receiverOf(order).country,
    carrier,
    pieces: isKnown ? packages.reduce((sum, { pieces }) => sum + pieces, 0) : null,
    weightKg: isKnown && weights.length === packages.length ? total(weights) : null,
    trackingNumber: tracking.international ?? tracking.domestic ?? null,
    shipmentId: shipments.international ?? shipments.domestic ?? null,
  };
}

/** To a gram, without what floating point adds. */
const total = (kilograms: readonly number[]): number =>
  Number(kilograms.reduce((sum, one) => sum + one, 0).toFixed(3));

const carrierOf = ({ carrier }: HandoverRow): string => carrier ?? 'unknown carrier';

/** Sorted by carrier, and of one carrier in the order in which they were booked. */
const inOrder = (listed: readonly Listed[]): Listed[] =>
  listed.toSorted(({ row: one }, { row: other }) =>
    carrierOf(one) < carrierOf(other) ? -1 : Number(carrierOf(one) > carrierOf(other)),
  );

async function noteLeftOut({ printer }: Session, { cancelled, unlabelled }: Found): Promise<void> {
  const groups = [
    ['cancelled', cancelled],
    ['without a label', unlabelled],
  ] as const;
  for (const [why, names] of groups) {
    if (names.length === 0) continue;
    await printer.note(`left out, ${why}: ${safe(someOf(names))}`);
  }
}

// As a table, and on paper.

/** A line for each carrier: `EXP: 3 orders, 4 pieces, 6.5 kg`. */
function sums(rows: readonly HandoverRow[]): string[] {
  const byCarrier = new Map<string, HandoverRow[]>();
  for (const row of rows) {
    const own = byCarrier.get(carrierOf(row));
    if (own) own.push(row);
    else byCarrier.set(carrierOf(row), [row]);
  }
  return [...byCarrier].map(([carrier, own]) => {
    const pieces = own.reduce((sum, row) => sum + (row.pieces ?? 1), 0);
    const unweighed = own.filter(({ weightKg }) => weightKg === null).length;
    const weight = total(own.map(({ weightKg }) => weightKg ?? 0));
    return `${carrier}: ${own.length} ${own.length === 1 ? 'order' : 'orders'}, ${pieces} ${pieces === 1 ? 'piece' : 'pieces'}, ${weight} kg${unweighed === 0 ? '' : ` (and ${unweighed} without a weight)`}`;
  });
}

const SIGN = ['Received by', 'Date', 'Signature'];

async function handoverTable(rows: readonly HandoverRow[], look: Look): Promise<string> {
  const isNarrow = (look.columns ?? Number.POSITIVE_INFINITY) < 100;
  const drawn = await table(look, {
    head: ['key', 'receiver', ...(isNarrow ? ['to'] : ['city', 'to', 'carrier']), 'pcs', 'kg', 'tracking'],
    align: [
      'left',
      'left',
      ...(isNarrow ? [] : ['left' as const]),
      'whole',
      ...(isNarrow ? [] : ['left' as const]),
      'right',
      'right',
      'whole',
    ],
    rows: rows.map(row => [
      row.key ?? row.shipmentId,
      row.receiver,
      ...(isNarrow ? [row.country] : [row.city, row.country, row.carrier]),
      row.pieces,
      row.weightKg,
      row.trackingNumber,
    ]),
  });
  const lines = SIGN.map(word => `${word} ____________________`).join('  ');
  return [drawn, sums(rows).map(safe).join('\n'), lines].join('\n\n');
}

const COMMENT = 'Handover list by waybill; it replaces this file';

/** Throws `usage` if there is a file that is not such a list, `storage` if none can be written. */
function checkPdf(path: string, host: Host): void {
  const present = lstatSync(path, { throwIfNoEntry: false });
  if (present !== undefined && !(present.isFile() && isList(path)))
    throw new Failure(
      'usage',
      `--pdf ${path}: there is something of that name that is no handover list of waybill, and it is not replaced; nothing was recorded. Choose another name, or move it away`,
    );
  try {
    probeBeside(path, host);
  } catch (error) {
    throw new Failure('storage', `${path} cannot be written: ${messageOf(error)}; nothing was recorded`);
  }
}

const isList = (path: string): boolean => firstBytes(path, 100).includes(COMMENT);

/** A handover is recorded before it is on paper: two lists with one parcel would be worse than none. */
function writePdf(path: string, rows: readonly HandoverRow[], { host }: Session, isRecorded: boolean): void {
  const part = partBeside(path, host);
  try {
    writeFileSync(part, handoverPdf(rows, host.now()), { flag: 'wx', flush: true });
    renameSync(part, path);
  } catch (error) {
    rmSync(part, { force: true });
    const cure = isRecorded
      ? `. The handover is recorded: \`waybill history handover --again --pdf ${shellWord(path)}\` writes its list`
      : '';
    throw new Failure('storage', `${path} cannot be written: ${messageOf(error)}${cure}`);
  }
}

// A4 in points.
const WIDTH = 595.28;
const HEIGHT = 841.89;
const MARGIN = 36;
const SIZE = 8;
const LEADING = 10.5;
const LETTER = SIZE * LETTER_WIDTH;
const [PLAIN, BOLD, TITLE] = ['F1', 'F2', 'F3'];

interface PaperColumn {
  head: string;
  /** In letters. */
  width: number;
  isRight?: boolean;
  of(row: HandoverRow, index: number): string;
}

const COLUMNS: readonly PaperColumn[] = [
  { head: '', width: 4, isRight: true, of: (_, index) => `${index + 1}` },
  { head: 'Key', width: 18, of: ({ key, shipmentId }) => key ?? shipmentId ?? '' },
  { head: 'Receiver', width: 25, of: ({ receiver }) => receiver ?? '' },
  { head: 'City', width: 21, of: ({ city, country }) => [city, country].filter(Boolean).join(', ') },
  { head: 'Pcs', width: 3, isRight: true, of: ({ pieces }) => `${pieces ?? ''}` },
  { head: 'kg', width: 7, isRight: true, of: ({ weightKg }) => `${weightKg ?? ''}` },
  { head: 'Tracking number', width: 24, of: ({ trackingNumber }) => trackingNumber ?? '' },
];

const rule = (y: number, thickness: number): string =>
  `${MARGIN} ${rounded(y)} ${rounded(WIDTH - 2 * MARGIN)} ${thickness} re f`;

/** The list on A4 as bytes of a PDF. Nothing is cut: a long cell has several lines. `now`: in ms since 1970. */
function handoverPdf(rows: readonly HandoverRow[], now: number): Uint8Array {
  const pages: string[][] = [];
  let page: string[] = [];
  let y = 0;
  const begin = () => {
    page = [
      drawText(TITLE, 15, MARGIN, HEIGHT - 52, 'Handover list'),
      drawText(PLAIN, SIZE, MARGIN, HEIGHT - 66, minuteOf(now)),
    ];
    pages.push(page);
    y = HEIGHT - 92;
    page.push(
      ...cells(
        BOLD,
        y,
        linesOf(column => column.head),
      ),
      rule(y - 4, 0.8),
    );
    y -= LEADING + 5;
  };
  const linesOf = (of: (column: PaperColumn) => string): string[][] =>
    COLUMNS.map(column => wrappedAt(inCodePage(of(column)), column.width));
  const cells = (font: string, top: number, lines: readonly string[][]): string[] => {
    let x = MARGIN;
    return COLUMNS.flatMap((column, at) => {
      const left = x;
      x += (column.width + 1) * LETTER;
      return (lines[at] ?? []).map((line, index) => {
        const shift = column.isRight ? (column.width - line.length) * LETTER : 0;
        return drawText(font, SIZE, left + shift, top - index * LEADING, line);
      });
    });
  };
  const room = (height: number) => {
    if (y - height < MARGIN + 24) begin();
  };
  begin();
  let carrier: string | undefined;
  for (const [index, row] of rows.entries()) {
    const lines = linesOf(column => column.of(row, index));
    const height = LEADING * Math.max(1, ...lines.map(({ length }) => length));
    const isNew = carrierOf(row) !== carrier;
    room(height + (isNew ? 2 * LEADING : 0));
    if (isNew) {
      carrier = carrierOf(row);
      page.push(drawText(BOLD, SIZE + 1, MARGIN, y - 2, inCodePage(carrier)));
      y -= LEADING + 5;
    }
    page.push(...cells(PLAIN, y, lines));
    y -= height;
    page.push(rule(y + LEADING - 3, 0.2));
    y -= 2;
  }
  const totals = sums(rows).flatMap(line => wrappedAt(inCodePage(line), 100));
  room(totals.length * LEADING + 70);
  y -= 8;
  for (const line of totals) {
    page.push(drawText(BOLD, SIZE + 1, MARGIN, y, line));
    y -= LEADING + 2;
  }
  const third = (WIDTH - 2 * MARGIN) / SIGN.length;
  for (const [index, word] of SIGN.entries()) {
    const x = MARGIN + index * third;
    page.push(`${rounded(x)} ${rounded(y - 36)} ${rounded(third - 14)} 0.6 re f`);
    page.push(drawText(PLAIN, SIZE, x, y - 46, word));
  }
  for (const [index, drawn] of pages.entries()) {
    const words = `Page ${index + 1} of ${pages.length}`;
    drawn.push(drawText(PLAIN, SIZE, WIDTH - MARGIN - words.length * LETTER, MARGIN - 8, words));
  }
  return pdfOf(
    { width: WIDTH, height: HEIGHT, fonts: ['Courier', 'Courier-Bold', 'Helvetica-Bold'], comment: COMMENT },
    pages,
  );
}
