// Draws a commercial invoice or a packing slip, from the request with which an order was booked.
import Big from 'big.js';
import { isMade } from '../booking/booking.ts';
import type { BookedOrder } from '../booking/questions.ts';
import { countryName } from '../contract/country-names.ts';
import { LEGS } from '../contract/operations.ts';
import { PERSON_NAMES } from '../contract/parties.ts';
import { getAt, listAt } from '../contract/paths.ts';
import { read, readWeight } from '../contract/read.ts';
import { Failure, innerOf } from '../errors.ts';
import { bookingFailure } from '../order/failure.ts';
import { numberThatHolds } from '../order/numbers.ts';
import type { Paper } from '../order/options.ts';
import { orderFacts } from '../output/told.ts';
import type { PageSize } from '../paper.ts';
import type { Font } from '../pdf/font.ts';
import { type Cell, createPages, type Page } from '../pdf/page.ts';
import { showCommand } from '../say/booked.ts';
import { dayOf, money, orderName } from '../say/words.ts';

/** Why an order has no papers, because it is not booked, or is cancelled or pruned; `undefined`: it has papers. */
export function papersRefused(order: BookedOrder, targetFlags: readonly string[]): Failure | undefined {
  const { booking } = order;
  const { id, key, request, state } = booking;
  const name = key ?? id;
  const show = showCommand(id, targetFlags);
  if (booking.keySpace !== 'shipment' || booking.operation === 'label')
    return new Failure('not_found', { kind: 'papers-of-no-order', name, show });
  if (!isMade(booking)) {
    const failure = bookingFailure(booking, targetFlags);
    return failure
      ? new Failure(
          failure.code,
          { kind: 'papers-of-failed-order', name, why: innerOf(failure) },
          failure.facts,
        )
      : new Failure('not_found', { kind: 'papers-of-unbooked-order', name, state, show });
  }
  if (getAt(request, ['receiver']) === undefined)
    return new Failure('not_found', { kind: 'papers-without-request', name, show });
  return undefined;
}

/** The pages of a paper. `lost`: by the path of a field, the letters in it that the font lacks. */
export interface DrawnPaper {
  pages: Page[];
  lost: ReadonlyMap<string, string>;
}

/** In points: a page that is narrower has no room for all columns of an invoice. */
const NARROW = 450;
export function drawPaper(paper: Paper, order: BookedOrder, font: Font, size: PageSize): DrawnPaper {
  const text = orderReader(order, font);
  const isNarrow = size.width < NARROW;
  const title = paper === 'invoice' ? 'COMMERCIAL INVOICE' : 'PACKING SLIP';
  const name = font.printable(orderName(order)).text;
  const columns = columnsOf(paper, isNarrow);
  let isTable = false;
  const pages = createPages(font, size, isNarrow ? 7 : 9, page => {
    page.row([fullWidth(title, { isBold: true })], isNarrow ? 1.5 : 1.8);
    page.space(0.4);
    if (!isTable) return;
    page.row(columns.map(({ head, ...cell }) => ({ ...cell, lines: [head], isBold: true })));
    page.rule(0.8);
  });
  const blocks = (cells: readonly Cell[]) => {
    for (let at = 0; at < cells.length; at += 2) {
      pages.row(cells.slice(at, at + 2));
      pages.space(0.5);
    }
  };
  const facts = (rows: readonly (readonly [string, string])[]) => {
    for (const [label, value] of rows)
      if (value !== '')
        pages.row([
          { lines: [label], share: isNarrow ? 0.35 : 0.25, isBold: true },
          { lines: [value], share: isNarrow ? 0.65 : 0.75 },
        ]);
  };

  pages.keep(1);
  facts(headOf(paper, order, text));
  pages.space(0.5);
  pages.rule();
  blocks(partiesOf(paper, text).map(([role, lines]) => ({ lines: [role, ...lines], share: 0.5 })));
  pages.rule();
  // The head of the table is on one page with its first row.
  pages.keep(5);
  isTable = true;
  pages.row(columns.map(({ head, ...cell }) => ({ ...cell, lines: [head], isBold: true })));
  pages.rule(0.8);
  for (const index of listAt(order.booking.request, 'items').keys()) {
    const item = itemAt(index, text);
    pages.row(columns.map(({ head: _, linesOf, ...cell }) => ({ ...cell, lines: linesOf(item) })));
    pages.rule(0.2);
  }
  isTable = false;
  const ends = sumsOf(paper, order, text);
  // The lines to sign are on one page with the sums.
  pages.keep(ends.length + (paper === 'invoice' ? 7 : 1));
  pages.space(0.5);
  facts(ends);
  if (paper === 'invoice') drawDeclaration(pages, isNarrow);
  return { pages: pages.finish(name), lost: text.lost };
}

/** What the sender declares, with lines to sign. */
function drawDeclaration(pages: ReturnType<typeof createPages>, isNarrow: boolean): void {
  pages.space(1);
  pages.row([fullWidth('I declare that the information on this invoice is true and complete.')]);
  pages.space(isNarrow ? 1.5 : 2.5);
  const line = '_'.repeat(isNarrow ? 18 : 26);
  pages.row(['Place and date', 'Name', 'Signature'].map(what => ({ lines: [line, what], share: 1 / 3 })));
}

const fullWidth = (line: string, style: Partial<Cell> = {}): Cell => ({ lines: [line], share: 1, ...style });

// What a paper says of an order.

type Reader = ReturnType<typeof orderReader>;

function orderReader(order: BookedOrder, font: Font) {
  const { request } = order.booking;
  const lost = new Map<string, string>();
  const printable = (written: string, path: string): string => {
    const { text, lost: letters } = font.printable(written);
    if (letters !== '') lost.set(path, letters);
    return text;
  };
  const text = (path: string): string => {
    const value = getAt(request, path);
    return typeof value === 'string' || typeof value === 'number' ? printable(String(value), path) : '';
  };
  return {
    lost,
    request,
    printable,
    text,
    amount: (path: string) => {
      const value = money(getAt(request, path), text('customs.currency'));
      return value === undefined ? '' : printable(value, path);
    },
  };
}

const partWords = (separator: string, ...parts: readonly string[]): string =>
  parts.filter(part => part !== '').join(separator);

const labelled = (label: string, value: string): string => (value === '' ? '' : `${label} ${value}`);

const PAYERS: ReadonlyMap<string, string> = new Map([
  ['DAP', 'the receiver'],
  ['DDP', 'the sender'],
]);

/** Who pays duties and taxes. VAT that an IOSS or marketplace number says was paid with the sale is not to be paid again. */
function deliveryTerms(reader: Reader): string {
  const terms = reader.text('deliveryType') || 'DAP';
  const payer = PAYERS.get(terms);
  if (payer === undefined) return terms;
  const number = numberThatHolds(reader.request);
  if (number === undefined) return `${terms}: duties and taxes are paid by ${payer}`;
  const name = number === 'iossNumber' ? 'IOSS' : 'marketplace';
  return `${terms}: VAT was paid with the sale (${name} number), duties are paid by ${payer}`;
}

function headOf(paper: Paper, order: BookedOrder, reader: Reader): [string, string][] {
  const { text, printable } = reader;
  const { key, tracking, shipments, carrier } = orderFacts(order);
  const ofLegs = (named: typeof tracking) => partWords(', ', ...LEGS.map(leg => named[leg] ?? ''));
  return [
    [paper === 'invoice' ? 'Invoice number' : 'Order', printable(key ?? ofLegs(shipments), 'key')],
    ['Date', dayOf(order.booking.at)],
    ['Tracking number', printable(ofLegs(tracking), 'trackingNumber')],
    ...(paper === 'invoice'
      ? ([
          ['Shipment', printable(ofLegs(shipments), 'shipment')],
          ['Carrier', printable(carrier ?? '', 'carrier.id')],
          ['Reason for export', text('category')],
          ['Terms of delivery', deliveryTerms(reader)],
        ] satisfies [string, string][])
      : []),
  ];
}

const PARTIES: Readonly<Record<Paper, readonly (readonly [role: string, title: string])[]>> = {
  invoice: [
    ['sender', 'Sender and exporter'],
    ['receiver', 'Receiver and importer'],
    ['invoice', 'Billing address'],
  ],
  slip: [
    ['receiver', 'Receiver'],
    ['sender', 'Sender'],
  ],
};

/** The parties that the request names: of each a title, and the lines of the address. */
const partiesOf = (paper: Paper, reader: Reader): [title: string, lines: string[]][] =>
  PARTIES[paper].flatMap(([role, title]) =>
    getAt(reader.request, [role]) === undefined
      ? []
      : [[title.toUpperCase(), partyLines(paper, role, reader)]],
  );

function partyLines(paper: Paper, role: string, reader: Reader): string[] {
  const fieldText = (field: string) => reader.text(`${role}.${field}`);
  const address = (field: string) => fieldText(`address.${field}`);
  const code = address('country.code').toUpperCase();
  const lines = [
    fieldText('companyName'),
    partWords(' ', ...PERSON_NAMES.map(fieldText)),
    address('line1'),
    address('line2'),
    address('district'),
    address('nationalShortAddress'),
    partWords(' ', address('zipCode'), address('city')),
    code && `${countryName(code)} (${code})`,
  ];
  const forCustoms = [
    labelled('Phone', partWords(' ', fieldText('phone.code'), fieldText('phone.number'))),
    fieldText('email'),
    labelled('Tax number', partWords(', ', fieldText('taxNumber'), fieldText('taxOffice'))),
    labelled('Identity number', fieldText('identityNumber')),
  ];
  return [...lines, ...(paper === 'invoice' ? forCustoms : [])].filter(line => line !== '');
}

type Item = ReturnType<typeof itemAt>;

const itemAt = (index: number, reader: Reader) => {
  const at = `items[${index}]`;
  return {
    number: String(index + 1),
    description: reader.text(`${at}.description`),
    hsCode: reader.text(`${at}.hsCode`),
    origin: reader.text(`${at}.countryOfOrigin`),
    quantity: reader.text(`${at}.quantity`),
    unitPrice: reader.amount(`${at}.unitPrice`),
    total: reader.amount(`${at}.totalPrice`),
  };
};

interface Column extends Omit<Cell, 'lines'> {
  head: string;
  linesOf(item: Item): string[];
}

const column = (
  head: string,
  share: number,
  textOf: (item: Item) => string | string[],
  isRight = false,
): Column => ({
  head,
  share,
  linesOf: item => [textOf(item)].flat(),
  isRight,
});

const columnsOf = (paper: Paper, isNarrow: boolean): readonly Column[] => {
  if (paper === 'slip')
    return [
      column('No.', 0.1, ({ number }) => number),
      column('Description of goods', 0.72, ({ description }) => description),
      column('Quantity', 0.18, ({ quantity }) => quantity, true),
    ];
  if (isNarrow)
    return [
      column('Goods, HS code, origin, unit price', 0.62, ({ description, hsCode, origin, unitPrice }) => [
        description,
        partWords(', ', labelled('HS', hsCode), labelled('from', origin), labelled('each', unitPrice)),
      ]),
      column('Qty', 0.12, ({ quantity }) => quantity, true),
      column('Total', 0.26, ({ total }) => total, true),
    ];
  return [
    column('No.', 0.06, ({ number }) => number),
    column('Description of goods', 0.32, ({ description }) => description),
    column('HS code', 0.14, ({ hsCode }) => hsCode),
    column('Origin', 0.08, ({ origin }) => origin),
    column('Quantity', 0.1, ({ quantity }) => quantity, true),
    column('Unit price', 0.15, ({ unitPrice }) => unitPrice, true),
    column('Total', 0.15, ({ total }) => total, true),
  ];
};

function sumsOf(paper: Paper, order: BookedOrder, reader: Reader): [string, string][] {
  const { request } = order.booking;
  const { text, amount } = reader;
  const items = listAt(request, 'items');
  const units = sumOf(items, 'quantity');
  const groups = listAt(request, 'packages').map(parcel => ({
    pieces: read(readWeight, getAt(parcel, ['quantity'])) ?? 1,
    weight: read(readWeight, getAt(parcel, ['weight'])),
    sides: ['length', 'width', 'height']
      .map(side => String(getAt(parcel, ['dimensions', side]) ?? '?'))
      .join(' × '),
    unit: String(getAt(parcel, ['dimensions', 'unit']) ?? 'cm'),
  }));
  const pieces = groups.reduce((sum, group) => sum + group.pieces, 0);
  const weight = groups.reduce((sum, group) => sum.plus(Big(group.weight ?? 0).times(group.pieces)), Big(0));
  const packed = groups.map(
    group => `${group.pieces} of ${group.weight ?? '?'} kg, ${group.sides} ${group.unit}`,
  );
  const rows: [string, string][] = [
    ['Units of goods', units === undefined ? '' : units.toFixed()],
    ['Packages', groups.length === 0 ? '' : `${pieces} (${packed.join('; ')})`],
    ['Gross weight', groups.every(group => group.weight !== undefined) ? `${weight.toFixed()} kg` : ''],
  ];
  if (paper === 'slip') return rows;
  const sum = sumOf(items, 'totalPrice');
  const declared = getAt(request, 'customs.totalGoodsValue');
  const listed = sum && (money(sum.toFixed(), text('customs.currency')) ?? '');
  const isSame = sum !== undefined && (declared === undefined || sum.eq(Big(Number(declared))));
  return [
    ...rows,
    ['IOSS number', text('customs.iossNumber')],
    ['Marketplace number', text('customs.marketplaceNumber')],
    ['Sum of the items', isSame ? '' : (listed ?? '')],
    ['Total value', declared === undefined ? (listed ?? '') : amount('customs.totalGoodsValue')],
  ];
}

/** The exact sum of a field; `undefined` if an item has no number there. */
function sumOf(items: readonly unknown[], field: string): Big | undefined {
  const numbers = items.map(item => getAt(item, [field]));
  const isKnown = numbers.every(number => typeof number === 'number' && Number.isFinite(number));
  return isKnown ? numbers.reduce((sum: Big, number) => sum.plus(number as number), Big(0)) : undefined;
}
