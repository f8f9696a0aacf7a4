// The provider's invoices, held against what was booked. Memory grows with the shipments, and not with the rows.
import Big from 'big.js';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { csvRecords } from '../../batch/csv.ts';
import { decodedText, type Encoding, encodingNamed } from '../../batch/encoding.ts';
import { CURRENCIES } from '../../contract/currencies.ts';
import { decimalsOf, readPrice } from '../../contract/read.ts';
import { Failure } from '../../errors.ts';
import { interruption } from '../../host/signals.ts';
import { type BookedOrder, decidingBooking, isMade, type State } from '../../journal/booking.ts';
import type { Journal } from '../../journal/journal.ts';
import { folded } from '../../journal/words.ts';
import { orderFacts, shownKey } from '../../output/columns.ts';
import { unescapeFormula } from '../../output/csv.ts';
import { type Look, paragraph } from '../../output/look.ts';
import { addPrice, costWords, money } from '../../output/money.ts';
import type { ReconcileRow } from '../../output/schemas.ts';
import { BLANK, table } from '../../output/table.ts';
import { safe } from '../../output/text.ts';
import { type Act, addPage } from '../../session/command.ts';
import { inputBytes } from '../../session/files.ts';
import { type Moment, parseMoment, someText } from '../../session/globals.ts';
import type { Session } from '../../session/session.ts';
import { shown } from '../../text.ts';
import { isIn, placeIn } from './list.ts';

interface ReconcileOptions {
  by?: string;
  price?: string;
  currency?: string;
  since?: Moment;
  until?: Moment;
  tolerance?: string;
  encoding?: string;
}

export function define(command: Command, act: Act): void {
  command
    .argument('<file...>', 'invoices as CSV; - is stdin')
    .option('--by <column>', 'the column of the shipment id, the tracking number or the key', someText)
    .option('--price <column>', 'the column of the price', someText)
    .option('--currency <column>', 'the column of the currency, or the currency of all rows: EUR', someText)
    .option(
      '--since <time>',
      'what was booked since then must be in a file: today, 7d, or a date',
      parseMoment,
    )
    .option('--until <time>', 'what was booked until then', parseMoment)
    .addOption(
      new Option('--tolerance <amount>', 'a smaller difference agrees: 0.05 (default: 0)').argParser(
        tolerance,
      ),
    )
    .option('--encoding <encoding>', 'of the files, if it is not UTF-8: windows-1254, windows-1252, utf-16le')
    .action(act<ReconcileOptions>(reconcile));
  addPage(command, {
    examples: [
      "# Book, and hold the provider's invoice against it. It is dearer, so the exit code is 9.",
      'waybill schema ship --example > order.json',
      'waybill ship -q -f order.json --carrier EXP --key ORDER-1010',
      "printf 'Reference;Amount;Currency\\nORDER-1010;1999,90;EUR\\n' > invoice.csv",
      'waybill history reconcile invoice.csv || test $? = 9',
    ],
    output: {
      table: 'the sums of each kind, then what does not agree, the dearest first',
      quiet: 'the key, or the shipment id, of each order that does not agree',
      json: 'a list, as `waybill schema history-reconcile` describes it, with what agrees',
    },
    exits: {
      usage: 'a column is missing, or two fit; a currency is not known',
      invalid_request: 'a row cannot be read',
      partial: 'something does not agree',
    },
    notes: {
      'What is compared': `The rows of one shipment in one file are added up: freight, fuel, credit notes (negative). An order agrees, is dearer, cheaper, in another currency, unknown (not booked here), twice (in two files), cancelled (and invoiced), or missing: booked between the first and the last order that match, or --since and --until, and in no file. An order that was booked without a price is dearer. Currencies are never added up or converted.

The columns are found by their names and told. A shipment id goes before a tracking number, and that before a reference. Prices may have a decimal comma.`,
    },
  });
}

function tolerance(written: string): string {
  const amount = written.trim().replace(',', '.');
  if (!/^\d+(\.\d+)?$/.test(amount)) throw new InvalidArgumentError('It must be an amount such as 0.05.');
  return amount;
}

async function reconcile(
  session: Session,
  options: ReconcileOptions,
  files: readonly string[],
): Promise<void> {
  const { printer } = session;
  const encoding = options.encoding === undefined ? undefined : encodingNamed(options.encoding);
  const invoices: Invoice[] = [];
  for (const file of files) {
    const invoice = await readInvoice(session, file, options, encoding);
    const { name, columns, unnamed } = invoice;
    await printer.note(
      `${name}: by ${shown(columns.by)}, price ${shown(columns.price)}, currency ${shown(columns.currency)}`,
    );
    if (unnamed.rows > 0)
      await printer.warn(
        `${name}: ${unnamed.rows} ${unnamed.rows === 1 ? 'row names' : 'rows name'} no shipment and ${unnamed.rows === 1 ? 'is' : 'are'} not compared${unnamed.sums.size === 0 ? '' : `: ${safe(costWords(Object.fromEntries(unnamed.sums)))}`}`,
      );
    invoices.push(invoice);
  }
  const journal = await session.openJournal('look');
  const found = await matched(session, journal, invoices);
  const rows = found.billed.flatMap(one => rowsOf(one, options.tolerance ?? '0'));
  if (found.billed.length > 0 && found.span === undefined)
    await printer.note(
      'no row is of an order in this journal: is it the invoice of another provider, or --by another column?',
    );
  rows.push(...(await missing(session, journal, found, options)));
  rows.sort((one, other) => rank(other) - rank(one));
  const differing = rows.filter(({ kind }) => kind !== 'agrees');
  await printer.result(rows, {
    essential: () =>
      differing.map(({ key, shipmentId, trackingNumber }) => key ?? shipmentId ?? trackingNumber ?? ''),
    table: (_, look) => comparison(rows, differing, look),
  });
  if (differing.length > 0)
    throw new Failure(
      'partial',
      `history reconcile: ${differing.length} of ${rows.length} ${rows.length === 1 ? 'order does' : 'orders do'} not agree with the invoice`,
      { retry: 'after-change' },
    );
}

// The file: columns by their names, rows added up by shipment.

type Sums = Map<string, string>;

interface Invoice {
  name: string;
  columns: Record<'by' | 'price' | 'currency', string>;
  /** By what the rows name: a sum for each currency. */
  billed: Map<string, Sums>;
  /** Rows such as totals. */
  unnamed: { rows: number; sums: Sums };
}

/** The names of columns, without case, marks, blanks and signs. Each list of `by` goes before the next one. */
const BY = [
  'shipment shipmentid shipmentno shipmentnumber waybill waybillno waybillnumber awb awbno awbnumber consignment consignmentid consignmentnumber sendung sendungsid sendungsnummer',
  'tracking trackingid trackingno trackingnumber trackingcode parcelnumber parcelno paketnummer trackingnummer takipno takipnumarasi',
  'key reference ref referenceno referencenumber customerreference yourreference order orderid orderno ordernumber referenz referenznummer kundenreferenz auftragsnummer bestellnummer siparisno',
];
const PRICE = [
  'price amount cost total charge charges sum net gross netprice grossprice netamount grossamount totalprice totalamount totalcost totalcharge totalcharges invoiceamount invoicedamount amountdue betrag preis kosten summe netto brutto nettobetrag bruttobetrag gesamtbetrag rechnungsbetrag tutar fiyat ucret toplam',
];
const CURRENCY = ['currency currencycode curr ccy cur wahrung waehrung devise parabirimi doviz'];

const plain = (header: string): string => folded(header).replace(/[^\p{Letter}\p{Number}]/gu, '');

/** A header without its currency: `Amount` of `Amount (EUR)`. */
function bare(header: string): string {
  const name = plain(header);
  const isNamed =
    CURRENCIES.has(name.slice(-3).toUpperCase()) && /[^\p{Letter}]\p{Letter}{3}\W*$/u.test(header);
  return isNamed ? name.slice(0, -3) : name;
}

/** The index of the column. `given`: as the option names it. Throws `usage` if two fit, or none. */
function columnIn(
  file: string,
  header: readonly string[],
  option: string,
  lists: readonly string[],
  given: string | undefined,
): number {
  const all = header.map((title, index) => ({ title, index }));
  const list = `The columns are ${header.map(title => shown(title)).join(', ')}`;
  if (given !== undefined) {
    const exact = all.filter(({ title }) => title === given.trim());
    const fit = exact.length > 0 ? exact : all.filter(({ title }) => plain(title) === plain(given));
    return onlyOne(fit, () => `has no column ${shown(given)} for --${option}. ${list}`);
  }
  for (const names of lists.map(one => one.split(' '))) {
    const fit = all.filter(({ title }) => names.includes(bare(title)));
    if (fit.length > 0) return onlyOne(fit, () => '');
  }
  throw new Failure('usage', `${file} has no column that is known as that of --${option}: name it. ${list}`);

  function onlyOne(fit: typeof all, none: () => string): number {
    const [first, second] = fit;
    if (first === undefined) throw new Failure('usage', `${file} ${none()}`);
    if (second !== undefined)
      throw new Failure(
        'usage',
        `${file}: ${fit.map(({ title }) => shown(title)).join(' and ')} both fit --${option}; name one of them`,
      );
    return first.index;
  }
}

interface Places {
  by: number;
  price: number;
  /** A column, or one currency for all rows. */
  currency: number | string;
}

function placesIn(
  file: string,
  header: readonly string[],
  { by, price, currency }: ReconcileOptions,
): Places {
  const code = currency?.trim().toUpperCase() ?? '';
  const isColumn = currency !== undefined && header.some(title => plain(title) === plain(currency));
  return {
    by: columnIn(file, header, 'by', BY, by),
    price: columnIn(file, header, 'price', PRICE, price),
    currency:
      !isColumn && CURRENCIES.has(code) ? code : columnIn(file, header, 'currency', CURRENCY, currency),
  };
}

/** A long number as spreadsheets write it. */
const MANGLED = /^\d([.,]\d+)?E\+\d+$/i;

async function readInvoice(
  { host }: Session,
  path: string,
  options: ReconcileOptions,
  encoding: Encoding | undefined,
): Promise<Invoice> {
  const name = path === '-' ? 'stdin' : path;
  let header: readonly string[] = [];
  let places: Places = { by: 0, price: 0, currency: 0 };
  const records = csvRecords(decodedText(inputBytes(path, host), name, encoding), {
    name,
    delimiter: undefined,
    onHeader(found) {
      header = found;
      places = placesIn(name, header, options);
      return undefined;
    },
  });
  const refuse = (line: number, why: string) =>
    new Failure('invalid_request', `${name}, line ${line}: ${why}. Nothing was compared`);
  const billed = new Map<string, Sums>();
  const unnamed: Invoice['unnamed'] = { rows: 0, sums: new Map() };
  const add = (by: string, currency: string, amount: string) => {
    if (by === '') unnamed.rows += 1;
    const sums = by === '' ? unnamed.sums : (billed.get(by) ?? new Map<string, string>());
    if (by !== '') billed.set(by, sums);
    sums.set(currency, addPrice(sums.get(currency), amount));
  };
  // Whether 1,234 is more than a thousand is told by the other prices of the file.
  const unclear: { line: number; by: string; currency: string; digits: string }[] = [];
  const marks = new Set<string>();
  for await (const { line, text } of records) {
    const [cells = []] = JSON.parse(text) as string[][];
    const cell = (index: number) => unescapeFormula(cells[index] ?? '').trim();
    const by = cell(places.by);
    if (MANGLED.test(by))
      throw refuse(line, `a spreadsheet has changed ${shown(by)}; format its column as text`);
    const written = cell(places.price);
    if (by === '' && !/\d/.test(written)) continue;
    const currency =
      typeof places.currency === 'string' ? places.currency : cell(places.currency).toUpperCase();
    const digits = digitsOf(written, currency);
    if (digits === undefined) {
      if (by !== '')
        throw refuse(
          line,
          `the price of ${shown(by)} is ${shown(written)}, which is no price in ${shown(currency)}`,
        );
      unnamed.rows += 1;
      continue;
    }
    if (!CURRENCIES.has(currency)) {
      if (by !== '') throw refuse(line, `the currency of ${shown(by)} is ${shown(currency)}, which is none`);
      unnamed.rows += 1;
      continue;
    }
    const mark = decimalMark(digits, currency);
    if (mark === 'unclear') unclear.push({ line, by, currency, digits });
    else {
      if (mark !== '') marks.add(mark);
      add(by, currency, amountOf(digits, mark));
    }
  }
  const [mark = '', other] = marks;
  for (const { line, by, currency, digits } of unclear) {
    if (mark === '' || other !== undefined)
      throw refuse(
        line,
        `${shown(digits)} is one price with a decimal comma and another one without; write it with two decimals`,
      );
    add(by, currency, amountOf(digits, mark));
  }
  if (host.interrupted.aborted) throw interruption(host.interrupted, 'nothing was compared');
  const title = (place: number | string) => (typeof place === 'string' ? place : (header[place] ?? ''));
  const columns = { by: title(places.by), price: title(places.price), currency: title(places.currency) };
  return { name, columns, billed, unnamed };
}

/** `€ -1.234,50` → `-1.234,50`, `(5.00)` and `5.00-` → `-5.00`; `undefined` if it is no price, or names another currency. */
function digitsOf(written: string, currency: string): string | undefined {
  const named = written.match(/[A-Za-z]+/)?.[0];
  if (named !== undefined && named.toUpperCase() !== currency) return undefined;
  const bareText = written
    .replace(/[A-Za-z\s\u00a0\u202f'\u2019\p{Currency_Symbol}]/gu, '')
    .replaceAll('\u2212', '-');
  const [, open = '', minus = '', digits = '', after = '', close = ''] =
    bareText.match(/^(\(?)([+-]?)(\d[\d.,]*)(-?)(\)?)$/) ?? [];
  if (digits === '' || (open === '(') !== (close === ')')) return undefined;
  const isNegative = open === '(' || minus === '-' || after === '-';
  return `${isNegative ? '-' : ''}${digits}`;
}

/** What separates the decimals: empty if there are none. */
function decimalMark(digits: string, currency: string): '.' | ',' | '' | 'unclear' {
  const marks = digits.match(/[.,]/g) ?? [];
  const last = marks.at(-1) as '.' | ',' | undefined;
  if (last === undefined) return '';
  if (new Set(marks).size > 1) return last;
  // Several of one kind stand between thousands.
  if (marks.length > 1) return last === '.' ? ',' : '.';
  const isThousand = digits.length - digits.lastIndexOf(last) === 4 && decimalsOf(currency) !== 3;
  return isThousand ? 'unclear' : last;
}

const amountOf = (digits: string, mark: string): string =>
  mark === ',' ? digits.replaceAll('.', '').replace(',', '.') : digits.replaceAll(',', '');

// What is invoiced, and the order that it is of.

interface Billed {
  /** As the invoice names it. */
  name: string;
  order: Known | undefined;
  sums: Sums;
  /** In how many files it has to be paid. */
  files: number;
}

interface Matched {
  billed: Billed[];
  /** The bookings that are in a file. */
  ids: ReadonlySet<string>;
  /** The first and the last of their times, in ms since 1970. */
  span: readonly [number, number] | undefined;
}

const AT_ONCE = 500;

async function matched(
  session: Session,
  journal: Journal | undefined,
  invoices: readonly Invoice[],
): Promise<Matched> {
  const isHere = isIn(session);
  const byOrder = new Map<string, Billed>();
  const ids = new Set<string>();
  let span: Matched['span'];
  for (const { billed } of invoices) {
    const inFile = new Set<string>();
    const names = [...billed.keys()];
    for (let from = 0; from < names.length; from += AT_ONCE) {
      const some = names.slice(from, from + AT_ONCE);
      const known = (await journal?.ordersNamed(some)) ?? new Map<string, BookedOrder[]>();
      if (session.host.interrupted.aborted)
        throw interruption(session.host.interrupted, 'nothing was compared');
      for (const name of some) {
        const orders = (known.get(name) ?? []).filter(isHere);
        const booking = decidingBooking(orders.map(one => one.booking));
        const order = orders.find(one => one.booking === booking);
        const place = booking === undefined ? `name ${name}` : `booking ${booking.id}`;
        const one = byOrder.get(place) ?? { name, order: order && knownOf(order), sums: new Map(), files: 0 };
        byOrder.set(place, one);
        const sums = billed.get(name) ?? new Map<string, string>();
        for (const [currency, sum] of sums) one.sums.set(currency, addPrice(one.sums.get(currency), sum));
        // A credit note in a file of its own is no second invoice.
        const isToPay = [...sums.values()].some(sum => new Big(sum).gt(0));
        if (isToPay && !inFile.has(place)) one.files += 1;
        inFile.add(place);
        if (booking === undefined) continue;
        ids.add(booking.id);
        span = [Math.min(span?.[0] ?? booking.at, booking.at), Math.max(span?.[1] ?? booking.at, booking.at)];
      }
    }
  }
  return { billed: [...byOrder.values()], ids, span };
}

/** What is compared of an order; the order itself would fill the memory. */
interface Known extends Pick<ReconcileRow, 'key' | 'shipmentId' | 'trackingNumber' | 'currency'> {
  state: State;
  /** Decimal text; `undefined` if it is not known. */
  booked: string | undefined;
}

function knownOf(order: BookedOrder): Known {
  const { shipments, tracking, price, currency } = orderFacts(order);
  return {
    key: shownKey(order),
    shipmentId: shipments.international ?? shipments.domestic ?? null,
    trackingNumber: tracking.international ?? tracking.domestic ?? null,
    currency,
    state: order.booking.state,
    booked: readPrice(price, currency),
  };
}

/** A row; one for each currency, if there are several. */
function rowsOf({ name, order, sums, files }: Billed, tolerated: string): ReconcileRow[] {
  return [...sums].map(([currency, sum]) => {
    const invoiced = Number(sum);
    if (order === undefined || (!isMade(order) && order.state !== 'cancelled'))
      return {
        kind: 'unknown',
        key: order?.key ?? null,
        shipmentId: name,
        trackingNumber: null,
        booked: null,
        invoiced,
        currency,
        difference: invoiced,
      };
    const { key, shipmentId, trackingNumber, booked, currency: own } = order;
    const isSame = own?.trim().toUpperCase() === currency && sums.size === 1;
    const difference = booked === undefined || !isSame ? undefined : new Big(sum).minus(booked);
    const isCancelled = order.state === 'cancelled';
    return {
      kind: kindOf(),
      key,
      shipmentId,
      trackingNumber,
      booked: booked === undefined ? null : Number(booked),
      invoiced,
      currency,
      difference: isCancelled ? invoiced : (difference?.toNumber() ?? null),
    };

    function kindOf(): ReconcileRow['kind'] {
      if (isCancelled) return new Big(sum).gt(tolerated) ? 'cancelled' : 'agrees';
      if (files > 1) return 'twice';
      if (booked !== undefined && difference === undefined) return 'currency';
      if (difference === undefined || difference.gt(tolerated)) return 'dearer';
      return difference.lt(new Big(tolerated).times(-1)) ? 'cheaper' : 'agrees';
    }
  });
}

/** What was booked in the span, and is in no file. */
async function missing(
  session: Session,
  journal: Journal | undefined,
  { ids, span }: Matched,
  { since, until }: ReconcileOptions,
): Promise<ReconcileRow[]> {
  const now = session.host.now();
  const first = since?.(now) ?? span?.[0];
  const last = until?.(now) ?? span?.[1] ?? now;
  if (first === undefined || last === undefined) return [];
  const filter = { ...placeIn(session), states: ['created', 'partial'] as const, since: first, until: last };
  const rows: ReconcileRow[] = [];
  const left = ((await journal?.shipmentsWhere(filter)) ?? []).filter(id => !ids.has(id));
  for (let from = 0; from < left.length; from += AT_ONCE)
    for (const order of (await journal?.ordersOf(left.slice(from, from + AT_ONCE))) ?? []) {
      const { key, shipmentId, trackingNumber, booked, currency } = knownOf(order);
      rows.push({
        kind: 'missing',
        key,
        shipmentId,
        trackingNumber,
        booked: booked === undefined ? null : Number(booked),
        invoiced: null,
        currency,
        difference: null,
      });
    }
  return rows;
}

/** The dearest first; what is missing comes behind it, and last what agrees. */
function rank({ kind, difference, invoiced }: ReconcileRow): number {
  if (kind === 'agrees') return Number.NEGATIVE_INFINITY;
  return kind === 'missing' ? -Number.MAX_VALUE : (difference ?? invoiced ?? 0);
}

// For a person: the sums of each kind, then what does not agree.

const WORDS: Readonly<Record<ReconcileRow['kind'], string>> = {
  dearer: 'dearer than booked',
  twice: 'in two files',
  cancelled: 'cancelled, and invoiced',
  unknown: 'not booked here',
  currency: 'in another currency',
  cheaper: 'cheaper than booked',
  missing: 'booked, and in no file',
  agrees: 'as booked',
};

/** Lines that a table shows; with more a person uses the CSV. */
const SHOWN = 200;

async function comparison(
  rows: readonly ReconcileRow[],
  differing: readonly ReconcileRow[],
  look: Look,
): Promise<string> {
  if (rows.length === 0) return 'The files have no rows.';
  const kinds = (Object.keys(WORDS) as ReconcileRow['kind'][]).flatMap(kind => {
    const own = rows.filter(row => row.kind === kind);
    if (own.length === 0) return [];
    const sums = costWords(added(own, 'missing' === kind ? 'booked' : 'invoiced'));
    const above = kind === 'dearer' || kind === 'cheaper' ? costWords(added(own, 'difference')) : '';
    return [
      [own.length, WORDS[kind], sums, above === '' ? BLANK : `${kind} by ${above.replaceAll('-', '')}`],
    ];
  });
  const summary = await table(look, {
    head: ['orders', 'what', 'sum', 'difference'],
    align: ['right', 'left', 'left', 'left'],
    rows: kinds,
  });
  if (differing.length === 0) return summary;
  const list = await table(look, {
    head: ['key or id', 'kind', 'booked', 'invoiced', 'difference'],
    align: ['left', 'whole', 'right', 'right', 'right'],
    rows: differing.slice(0, SHOWN).map(row => [
      row.key ?? row.shipmentId,
      row.kind,
      // The currency of the booking, where it is another one, is in `history show`.
      money(row.booked, row.kind === 'currency' ? '' : row.currency),
      money(row.invoiced, row.currency),
      money(row.difference, row.currency),
    ]),
  });
  const rest =
    differing.length > SHOWN
      ? await paragraph(look, `These are the first ${SHOWN} of ${differing.length}: -o csv has all.`)
      : '';
  return [summary, list, rest].filter(Boolean).join('\n\n');
}

/** Decimal text by currency. */
function added(
  rows: readonly ReconcileRow[],
  field: 'booked' | 'invoiced' | 'difference',
): Record<string, string> {
  const sums: Record<string, string> = {};
  for (const row of rows) {
    const amount = row[field];
    if (amount === null) continue;
    const currency = row.currency ?? '';
    sums[currency] = addPrice(sums[currency], String(amount));
  }
  return sums;
}
