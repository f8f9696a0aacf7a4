// Reads an invoice: finds its columns by their titles, and adds up its rows by shipment.

import Big from 'big.js';
import { bareTitle, type CsvRow, csvName, csvRows, mangledId, plainTitle } from '../batch/csv-rows.ts';
import type { Encoding } from '../batch/encoding.ts';
import { decimalText, writtenAmount } from '../batch/written-amounts.ts';
import { CURRENCIES } from '../contract/currencies.ts';
import { currencyNamed, decimalsOf } from '../contract/read.ts';
import { Failure } from '../errors.ts';
import { interruption } from '../host/signals.ts';
import { addCost, type Costs } from '../output/money.ts';
import { money } from '../say/words.ts';
import { flag, type OptionsOf } from '../session/flags.ts';
import { someText } from '../session/globals.ts';
import type { Session } from '../session/session.ts';
import { shown } from '../text.ts';
import { InvoiceTotals, type OpenRow } from './invoice-totals.ts';
import type { Fits, FittingRow } from './unknown-bookings.ts';

export const INVOICE_FLAGS = {
  by: flag('--by <column>', 'the column of the shipment id, the tracking number or the key', {
    read: someText,
  }),
  price: flag('--price <column>', 'the column of the price', { read: someText }),
  currency: flag('--currency <column>', 'the column of the currency, or the currency of all rows: EUR', {
    read: someText,
  }),
  header: flag('--no-header', 'the first row is no header: --by 3 --price 7 count columns from 1'),
};

/** For each name in the column --by: the sum of its rows, and how many of these rows have an amount that is not 0. */
type Sums = Map<string, { costs: Costs; rows: number }>;

export interface Invoice {
  /** The name of the file. */
  name: string;
  sums: Sums;
  /** The kinds of names that the column --by may have. */
  nameKinds: readonly NameKind[];
  /** The amounts of rows that have no name and are no total. */
  unnamed: readonly { currency: string; amount: string; row: FittingRow | undefined }[];
  /** For each name, the first of its rows that fits an unknown booking. */
  fitting: ReadonlyMap<string, FittingRow>;
}

/** The kinds of names that an order has. */
const NAME_KINDS = ['shipment id', 'tracking number', 'key'] as const;
export type NameKind = (typeof NAME_KINDS)[number];

/** The titles of columns, without case, marks, blanks and signs. An earlier pattern of `by` wins over a later one. */
const COLUMNS = {
  by: [
    /^shipment(id)?$|^sendungsid$/,
    /^(shipment|waybill|awb|consignment)(id|no|number)?$|^sendung(snummer)?$/,
    /^(tracking|parcel)(id|no|number|code)?$|^(paket|tracking)nummer$|^takip(no|numarasi)$/,
    /^key$|^(customer|your)?ref(erence)?(no|number)?$|^order(id|no|number)?$|^(kunden)?referenz(nummer)?$|^(auftrags|bestell)nummer$|^siparisno$/,
  ],
  price: [
    /^(total|net|gross|invoiced?)?(price|amount|cost|charges?)$|^(amountdue|total|sum|net|gross)$|^(gesamt|netto|brutto|rechnungs)?betrag$|^(preis|kosten|summe|netto|brutto|tutar|fiyat|ucret|toplam)$/,
  ],
  currency: [/^(currency|currencycode|curr?|ccy|waehrung|wahrung|devise|parabirimi|doviz)$/],
};

const RECEIVERS =
  /^(receiver|recipient|consignee|shipto|deliveryto)(name)?$|^(empfanger|empfaenger)(name)?$|^(alici|alan)(adi)?$/;

/** For each pattern of `by`, the kinds of names in such a column: a consignment number may be a shipment id or a tracking number. */
const KINDS_OF_COLUMNS: readonly (readonly NameKind[])[] = [
  ['shipment id'],
  ['shipment id', 'tracking number'],
  ['tracking number'],
  ['key'],
];

const nameKindsOf = (header: string): readonly NameKind[] =>
  KINDS_OF_COLUMNS[COLUMNS.by.findIndex(pattern => pattern.test(bareTitle(header)))] ?? NAME_KINDS;

/** The currency at the end of a column's title: `EUR` in `Amount (EUR)`, `$` in `Amount $`. */
const AT_END = /(?<!\p{Letter})(?:\p{Letter}{3}|\p{Letter}{0,2}\p{Sc})(?=[^\p{Letter}\p{Number}\p{Sc}]*$)/u;

/** The currencies that the title of a column may mean; `undefined` if the title names none. */
const currenciesIn = (header: string): readonly string[] | undefined =>
  writtenAmount(`${AT_END.exec(header)?.[0].toUpperCase() ?? ''} 0`)?.currencies;

/** The index of the column for an option. `typed`: the title that the option names. Throws `usage` if two columns fit, or none. */
function columnIn(
  file: string,
  header: readonly string[],
  option: keyof typeof COLUMNS,
  typed: string | undefined,
): number {
  const named = (isNamed: (title: string) => boolean) =>
    header.flatMap((title, index) => (isNamed(title) ? [{ title, index }] : []));
  const tries =
    typed === undefined
      ? COLUMNS[option].map(pattern => named(title => pattern.test(bareTitle(title))))
      : [named(title => title === typed.trim()), named(title => plainTitle(title) === plainTitle(typed))];
  const [first, second] = tries.find(({ length }) => length > 0) ?? [];
  if (first === undefined)
    throw new Failure(
      'usage',
      `${file} has no column ${typed === undefined ? 'that is known as that of' : `${shown(typed)} for`} --${option}: name it. The columns are ${header.map(title => shown(title)).join(', ')}`,
    );
  if (second !== undefined)
    throw new Failure(
      'usage',
      `${file}: ${shown(first.title)} and ${shown(second.title)} both fit --${option}; name one of them`,
    );
  return first.index;
}

type InvoiceOptions = OptionsOf<typeof INVOICE_FLAGS>;

/** Which columns of a file are read. */
function columnsOfInvoice(file: string, header: readonly string[], options: InvoiceOptions) {
  const by = columnIn(file, header, 'by', options.by);
  const price = columnIn(file, header, 'price', options.price);
  const isOfShipments = (title: string) => nameKindsOf(title).includes('shipment id');
  const known = header.findIndex(title => nameKindsOf(title) !== NAME_KINDS && isOfShipments(title));
  // The currencies that the title of the price column may mean, if it names one.
  const ofPrices = currenciesIn(header[price] ?? '');
  return {
    by,
    price,
    ofPrices,
    currency: currencyOfInvoice(file, header, options.currency, ofPrices),
    // The column that may have the ids of shipments.
    shipment: isOfShipments(header[by] ?? '') ? by : known,
    hasReceivers: header.some(title => RECEIVERS.test(plainTitle(title))),
  };
}

/** The column of the currency, or one currency for all rows. `named`: what --currency says. */
function currencyOfInvoice(
  file: string,
  header: readonly string[],
  named: string | undefined,
  ofPrices: readonly string[] | undefined,
): number | string {
  const isColumn =
    named === undefined
      ? header.some(title => COLUMNS.currency.some(pattern => pattern.test(bareTitle(title))))
      : header.some(title => plainTitle(title) === plainTitle(named));
  const [only, more] = named === undefined ? (ofPrices ?? []) : [currencyNamed(named)];
  const isOne = only !== undefined && more === undefined && CURRENCIES.has(only);
  return !isColumn && isOne ? only : columnIn(file, header, 'currency', named);
}

/** Reads the file of an invoice. Throws `usage`, `invalid_request`. */
export async function readInvoice(
  session: Session,
  path: string,
  options: InvoiceOptions,
  encoding: Encoding | undefined,
  fits: Fits | undefined,
): Promise<Invoice> {
  const name = csvName(path);
  let reader: InvoiceReader | undefined;
  const onHeader = (header: readonly string[]) => {
    reader = new InvoiceReader(name, header, columnsOfInvoice(name, header, options), fits);
  };
  const { host, printer } = session;
  for await (const row of csvRows(host, path, onHeader, { encoding, hasNoHeader: options.header === false }))
    reader?.read(row);
  if (reader === undefined) throw new Error('rows come behind their header');
  reader.readUnclear();
  if (host.interrupted.aborted) throw interruption(host.interrupted, { kind: 'stopped-comparing' });
  return reader.invoice(printer);
}

/** A row of an invoice, with its price. */
interface Priced extends Omit<OpenRow, 'amount'> {
  by: string;
  minus: string;
  digits: string;
  row: FittingRow | undefined;
  /** May the row be the total of other rows? */
  isOpen: boolean;
}

/** Adds up the rows of a file. */
class InvoiceReader {
  private readonly sums: Sums = new Map();
  private readonly fitting = new Map<string, FittingRow>();
  private readonly totals: InvoiceTotals;
  private readonly open: (Priced & OpenRow)[] = [];
  // Rows with a price such as 1,234: only other prices of the file tell whether its comma is a decimal mark.
  private readonly unclear: Priced[] = [];
  private readonly marks = new Set<string>();

  constructor(
    private readonly name: string,
    private readonly header: readonly string[],
    private readonly columns: ReturnType<typeof columnsOfInvoice>,
    private readonly fits: Fits | undefined,
  ) {
    this.totals = new InvoiceTotals(header, columns.by, [columns.price, columns.currency]);
  }

  read(row: CsvRow): void {
    const { by: byAt, price: priceAt, currency: currencyAt } = this.columns;
    const { line, cell } = row;
    const by = cell(byAt);
    const written = cell(priceAt);
    if (by === '' && !/\d/.test(written)) return;
    const mangled = mangledId(by);
    if (mangled) throw this.refuse(line, mangled);
    const currency = typeof currencyAt === 'string' ? currencyAt : (currencyNamed(cell(currencyAt)) ?? '');
    const { minus, digits } = this.amountIn(row, by, written, currency);
    const sayings = this.totals.read(row.cells(), by);
    const priced: Priced = { line, by, currency, minus, digits, ...sayings, row: this.fitOf(row) };
    const mark = decimalMark(digits, currency);
    if (mark === undefined) {
      this.unclear.push(priced);
      return;
    }
    if (mark !== '') this.marks.add(mark);
    this.add(priced, mark);
  }

  /** The amount of a price. Throws `invalid_request` if the text is no price in the currency. */
  private amountIn(row: CsvRow, orderName: string, written: string, currency: string) {
    const { price: priceAt, ofPrices } = this.columns;
    const amount = CURRENCIES.has(currency) ? writtenAmount(written) : undefined;
    const isOtherTitle = ofPrices?.includes(currency) === false;
    if (amount && amount.currencies?.includes(currency) !== false && !isOtherTitle) return amount;
    const what = orderName === '' ? 'a row without a name' : shown(orderName);
    const under = isOtherTitle ? ` under ${shown(this.header[priceAt])}` : '';
    const why =
      currency === ''
        ? 'has no currency. --currency EUR names that of all rows'
        : `is no price in ${shown(currency)}`;
    throw this.refuse(row.line, `the price of ${what} is ${shown(written)}${under}, which ${why}`);
  }

  private fitOf(row: CsvRow): FittingRow | undefined {
    const { line, cell, cells } = row;
    const { shipment: shipmentAt, hasReceivers } = this.columns;
    const fit = this.fits?.(cells(), hasReceivers);
    return fit && { name: this.name, line, shipment: cell(shipmentAt), fit };
  }

  /** Reads the prices whose decimal mark only other prices explain. Throws `invalid_request` if the other prices do not explain it. */
  readUnclear(): void {
    const [mark, second] = this.marks;
    for (const row of this.unclear) {
      if (mark === undefined || second !== undefined)
        throw this.refuse(
          row.line,
          `${shown(row.digits)} is one price with a decimal comma, and another without; write two decimals`,
        );
      this.add(row, mark);
    }
  }

  private add(priced: Priced, mark: string): void {
    const { line, by, currency, minus, digits, row, isOpen } = priced;
    const text = decimalText(digits, mark || undefined);
    if (text === undefined) throw this.refuse(line, `${shown(digits)} is no price`);
    const amount = `${minus}${text}`;
    if (isOpen && new Big(amount).eq(0)) return;
    const charge = { ...priced, amount };
    this.totals.count(charge);
    if (isOpen) this.open.push(charge);
    else this.addTo(by, currency, amount);
    if (row !== undefined && !this.fitting.has(by)) this.fitting.set(by, row);
  }

  private addTo(orderName: string, currency: string, amount: string): void {
    const sum = this.sums.get(orderName) ?? { costs: new Map<string, string>(), rows: 0 };
    this.sums.set(orderName, sum);
    addCost(sum.costs, { currency, amount });
    if (!new Big(amount).eq(0)) sum.rows += 1;
  }

  /** The invoice without the totals in its file. Notes name these totals, and the columns that were read. */
  async invoice(printer: Session['printer']): Promise<Invoice> {
    const { name, header, sums, fitting, open } = this;
    const { by: byAt, price, currency: currencyAt } = this.columns;
    const title = (at: number | string) => shown(typeof at === 'string' ? at : header[at]);
    await printer.note(`${name}: by ${title(byAt)}, price ${title(price)}, currency ${title(currencyAt)}`);
    const totals = this.totals.among(open);
    for (const { line, amount, currency } of totals)
      await printer.note(
        `${name}, line ${line}: ${money(amount, currency)} is not compared: it is the total of the other rows`,
      );
    const charges = open.filter(row => !totals.has(row));
    for (const { by, currency, amount } of charges) if (by !== '') this.addTo(by, currency, amount);
    const unnamed = charges.filter(({ by }) => by === '');
    return { name, sums, nameKinds: nameKindsOf(header[byAt] ?? ''), unnamed, fitting };
  }

  private refuse(line: number, why: string): Failure {
    return new Failure('invalid_request', `${this.name}, line ${line}: ${why}. Nothing was compared`);
  }
}

/** The mark before the decimals: empty if there are no decimals, `undefined` if it is not clear which mark it is. */
function decimalMark(digits: string, currency: string): string | undefined {
  const marks = digits.match(/[.,]/g) ?? [];
  const last = marks.at(-1);
  if (last === undefined) return '';
  if (new Set(marks).size > 1) return last;
  // A mark that occurs several times separates thousands.
  if (marks.length > 1) return last === '.' ? ',' : '.';
  const isThousand = digits.length - digits.lastIndexOf(last) === 4 && decimalsOf(currency) !== 3;
  return isThousand ? undefined : last;
}
