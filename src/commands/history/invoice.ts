// An invoice: its columns by their names, its rows added up by shipment.

import Big from 'big.js';
import { bareTitle, csvName, csvRows, mangledId, plainTitle } from '../../batch/csv-rows.ts';
import type { Encoding } from '../../batch/encoding.ts';
import { decimalText, writtenAmount } from '../../batch/money.ts';
import { CURRENCIES } from '../../contract/currencies.ts';
import { currencyNamed, decimalsOf } from '../../contract/read.ts';
import { Failure } from '../../errors.ts';
import { interruption } from '../../host/signals.ts';
import { addCost, type Costs } from '../../output/money.ts';
import { money } from '../../say/words.ts';
import { flag, type OptionsOf } from '../../session/flags.ts';
import { someText } from '../../session/globals.ts';
import type { Session } from '../../session/session.ts';
import { shown } from '../../text.ts';
import type { Fits, FittingRow } from './fits.ts';
import { InvoiceTotals, type OpenRow } from './invoice-totals.ts';

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

/** By what the rows name: what they add up to, and how many of them are not 0. */
type Sums = Map<string, { costs: Costs; rows: number }>;

export interface Invoice {
  /** The file. */
  name: string;
  sums: Sums;
  /** What the column of the names has. */
  holds: readonly Held[];
  /** The amounts of rows without a name that are no total. */
  unnamed: readonly { currency: string; amount: string; row: FittingRow | undefined }[];
  /** By what is named: the first row of it that fits an unknown booking. */
  fitting: ReadonlyMap<string, FittingRow>;
}

/** By what an order may be named. */
const HELD = ['shipment id', 'tracking number', 'key'] as const;
export type Held = (typeof HELD)[number];

/** The names of columns, without case, marks, blanks and signs. Each of `by` goes before the next one. */
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

/** What the columns of the names above have: a consignment number may be either. */
const HOLDS: readonly (readonly Held[])[] = [
  ['shipment id'],
  ['shipment id', 'tracking number'],
  ['tracking number'],
  ['key'],
];

const holdsOf = (header: string): readonly Held[] =>
  HOLDS[COLUMNS.by.findIndex(pattern => pattern.test(bareTitle(header)))] ?? HELD;

/** What a header may name its currency by, at its end: `EUR` of `Amount (EUR)`, `$` of `Amount $`. */
const AT_END = /(?<!\p{Letter})(?:\p{Letter}{3}|\p{Letter}{0,2}\p{Sc})(?=[^\p{Letter}\p{Number}\p{Sc}]*$)/u;

/** The currencies that a header may be of; `undefined` if it names none. */
const currenciesIn = (header: string): readonly string[] | undefined =>
  writtenAmount(`${AT_END.exec(header)?.[0].toUpperCase() ?? ''} 0`)?.currencies;

/** The index of the column. `given`: as the option names it. Throws `usage` if two fit, or none. */
function columnIn(
  file: string,
  header: readonly string[],
  option: keyof typeof COLUMNS,
  given: string | undefined,
): number {
  const named = (isNamed: (title: string) => boolean) =>
    header.flatMap((title, index) => (isNamed(title) ? [{ title, index }] : []));
  const tries =
    given === undefined
      ? COLUMNS[option].map(pattern => named(title => pattern.test(bareTitle(title))))
      : [named(title => title === given.trim()), named(title => plainTitle(title) === plainTitle(given))];
  const [first, second] = tries.find(({ length }) => length > 0) ?? [];
  if (first === undefined)
    throw new Failure(
      'usage',
      `${file} has no column ${given === undefined ? 'that is known as that of' : `${shown(given)} for`} --${option}: name it. The columns are ${header.map(title => shown(title)).join(', ')}`,
    );
  if (second !== undefined)
    throw new Failure(
      'usage',
      `${file}: ${shown(first.title)} and ${shown(second.title)} both fit --${option}; name one of them`,
    );
  return first.index;
}

/** Throws `usage`, `invalid_request`. */
export async function readInvoice(
  { host, printer }: Session,
  path: string,
  options: OptionsOf<typeof INVOICE_FLAGS>,
  { encoding, fits }: { encoding: Encoding | undefined; fits: Fits | undefined },
): Promise<Invoice> {
  const name = csvName(path);
  let header: readonly string[] = [];
  let [byAt, priceAt] = [0, 0];
  /** A column, or one currency for all rows. */
  let currencyAt: number | string = 0;
  /** Those that the column of the prices may be of, if its header names one. */
  let ofPrices: readonly string[] | undefined;
  /** The column that may have the id of a shipment. */
  let shipmentAt: number | undefined;
  let hasReceivers = false;
  let totals = new InvoiceTotals([], 0, []);
  const csv = csvRows(
    host,
    path,
    found => {
      header = found;
      const { by, price, currency } = options;
      byAt = columnIn(name, header, 'by', by);
      priceAt = columnIn(name, header, 'price', price);
      const isOfShipments = (title: string) => holdsOf(title).includes('shipment id');
      const others = header.findIndex(title => holdsOf(title) !== HELD && isOfShipments(title));
      shipmentAt = isOfShipments(header[byAt] ?? '') ? byAt : others < 0 ? undefined : others;
      hasReceivers = header.some(title => RECEIVERS.test(plainTitle(title)));
      ofPrices = currenciesIn(header[priceAt] ?? '');
      const isNowhere =
        currency === undefined &&
        !header.some(title => COLUMNS.currency.some(one => one.test(bareTitle(title))));
      const code = (isNowhere && ofPrices?.length === 1 ? ofPrices[0] : currencyNamed(currency)) ?? '';
      const isColumn =
        currency !== undefined && header.some(title => plainTitle(title) === plainTitle(currency));
      currencyAt = !isColumn && CURRENCIES.has(code) ? code : columnIn(name, header, 'currency', currency);
      totals = new InvoiceTotals(header, byAt, [priceAt, currencyAt]);
    },
    { encoding, hasNoHeader: options.header === false },
  );
  const refuse = (line: number, why: string) =>
    new Failure('invalid_request', `${name}, line ${line}: ${why}. Nothing was compared`);
  const billed: Sums = new Map();
  const open: Amount[] = [];
  const fitting = new Map<string, FittingRow>();
  const addTo = (by: string, currency: string, amount: string) => {
    const sum = billed.get(by) ?? { costs: new Map<string, string>(), rows: 0 };
    billed.set(by, sum);
    addCost(sum.costs, { currency, amount });
    if (!new Big(amount).eq(0)) sum.rows += 1;
  };
  const add = (priced: Priced, mark: string) => {
    const { line, by, currency, minus, digits, row, isOpen } = priced;
    const text = decimalText(digits, mark || undefined);
    if (text === undefined) throw refuse(line, `${shown(digits)} is no price`);
    const amount = `${minus}${text}`;
    if (isOpen && new Big(amount).eq(0)) return;
    const charge = { ...priced, amount };
    totals.count(charge);
    if (isOpen) open.push(charge);
    else addTo(by, currency, amount);
    if (row !== undefined && !fitting.has(by)) fitting.set(by, row);
  };
  // Whether 1,234 is more than a thousand is told by the other prices of the file.
  const unclear: Priced[] = [];
  const marks = new Set<string>();
  for await (const { line, cell, cells } of csv) {
    const by = cell(byAt);
    const written = cell(priceAt);
    if (by === '' && !/\d/.test(written)) continue;
    const mangled = mangledId(by);
    if (mangled) throw refuse(line, mangled);
    const currency = typeof currencyAt === 'string' ? currencyAt : (currencyNamed(cell(currencyAt)) ?? '');
    const price = CURRENCIES.has(currency) ? writtenAmount(written) : undefined;
    const isOfOther = ofPrices?.includes(currency) === false;
    if (price === undefined || price.currencies?.includes(currency) === false || isOfOther)
      throw refuse(
        line,
        `the price of ${by === '' ? 'a row without a name' : shown(by)} is ${shown(written)}${isOfOther ? ` under ${shown(header[priceAt])}` : ''}, which ${currency === '' ? 'has no currency. --currency EUR names that of all rows' : `is no price in ${shown(currency)}`}`,
      );
    const texts = cells();
    const fit = fits?.(texts, hasReceivers);
    const shipment = shipmentAt === undefined ? '' : cell(shipmentAt);
    const { minus, digits } = price;
    const priced: Priced = {
      line,
      by,
      currency,
      minus,
      digits,
      ...totals.read(texts, by),
      row: fit && { name, line, shipment, fit },
    };
    const mark = decimalMark(digits, currency);
    if (mark === undefined) unclear.push(priced);
    else {
      if (mark !== '') marks.add(mark);
      add(priced, mark);
    }
  }
  const [mark, other] = marks;
  for (const row of unclear) {
    if (mark === undefined || other !== undefined)
      throw refuse(
        row.line,
        `${shown(row.digits)} is one price with a decimal comma, and another without; write two decimals`,
      );
    add(row, mark);
  }
  if (host.interrupted.aborted) throw interruption(host.interrupted, { kind: 'stopped-comparing' });
  const title = (at: number | string) => shown(typeof at === 'string' ? at : header[at]);
  await printer.note(`${name}: by ${title(byAt)}, price ${title(priceAt)}, currency ${title(currencyAt)}`);
  const isTotal = totals.among(open);
  for (const { line, amount, currency } of isTotal)
    await printer.note(
      `${name}, line ${line}: ${money(amount, currency)} is not compared: it is the total of the other rows`,
    );
  const others = open.filter(row => !isTotal.has(row));
  for (const { by, currency, amount } of others) if (by !== '') addTo(by, currency, amount);
  const unnamed = others.filter(({ by }) => by === '');
  return { name, sums: billed, holds: holdsOf(header[byAt] ?? ''), unnamed, fitting };
}

/** A row of a file. */
interface Priced extends Omit<OpenRow, 'amount'> {
  by: string;
  minus: string;
  digits: string;
  row: FittingRow | undefined;
  /** May the row be a total? */
  isOpen: boolean;
}

type Amount = Priced & OpenRow;

/** What separates the decimals: empty if there are none, `undefined` if it is not clear. */
function decimalMark(digits: string, currency: string): string | undefined {
  const marks = digits.match(/[.,]/g) ?? [];
  const last = marks.at(-1);
  if (last === undefined) return '';
  if (new Set(marks).size > 1) return last;
  // Several of one kind stand between thousands.
  if (marks.length > 1) return last === '.' ? ',' : '.';
  const isThousand = digits.length - digits.lastIndexOf(last) === 4 && decimalsOf(currency) !== 3;
  return isThousand ? undefined : last;
}
