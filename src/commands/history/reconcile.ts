// The provider's invoices, held against what was booked. Memory grows with the shipments, and not with the rows.

import Big from 'big.js';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Encoding, encodingNamed } from '../../batch/encoding.ts';
import { CURRENCIES } from '../../contract/currencies.ts';
import { isSameKey } from '../../contract/key.ts';
import { decimalsOf, isSameWord, readPrice } from '../../contract/read.ts';
import { Failure } from '../../errors.ts';
import { interruption } from '../../host/signals.ts';
import {
  type BookedOrder,
  decidingBooking,
  isMade,
  isSameShipment,
  type State,
} from '../../journal/booking.ts';
import type { Journal } from '../../journal/journal.ts';
import { type Look, paragraph } from '../../output/look.ts';
import { addPrice, costWords, money } from '../../output/money.ts';
import type { ReconcileRow } from '../../output/schemas.ts';
import { BLANK, table } from '../../output/table.ts';
import { orderFacts, orderNames } from '../../output/told.ts';
import { type Act, addPage } from '../../session/command.ts';
import { type Moment, parseEnd, parseMoment, someText } from '../../session/globals.ts';
import type { Session } from '../../session/session.ts';
import { folded, numbered, shown } from '../../text.ts';
import { csvName, csvRows, mangledId } from './csv-file.ts';
import { isIn, placeIn } from './list.ts';

interface ReconcileOptions {
  by?: string;
  price?: string;
  currency?: string;
  since?: Moment;
  until?: Moment;
  tolerance?: string;
  carrier?: string;
  encoding?: string;
  header: boolean;
}

export function define(command: Command, act: Act): void {
  command
    .argument('<file...>', 'invoices as CSV; - is stdin')
    .option('--by <column>', 'the column of the shipment id, the tracking number or the key', someText)
    .option('--price <column>', 'the column of the price', someText)
    .option('--currency <column>', 'the column of the currency, or the currency of all rows: EUR', someText)
    .option('--no-header', 'the first row is no header: --by 3 --price 7 count columns from 1')
    .option(
      '--since <time>',
      'what was booked since then must be in a file: today, 7d, or a date',
      parseMoment,
    )
    .option('--until <time>', 'what was booked until then; a day counts whole', parseEnd)
    .option(
      '--carrier <carrier>',
      'only its orders must be in a file (default: of the carriers that are)',
      someText,
    )
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
      '# Of an invoice without a header: which columns they are, counted from 1.',
      "printf '2026-03-02;ORDER-1010;1999,90\\n' > rows.csv",
      'waybill history reconcile rows.csv --no-header --by 2 --price 3 --currency EUR || test $? = 9',
    ],
    output: {
      table: 'the sums of each kind, then what does not agree, the dearest first',
      quiet: 'the key, or the shipment id, of each order that does not agree',
      json: 'a list, as `waybill schema history-reconcile` describes it, with what agrees',
    },
    exits: { partial: 'something does not agree' },
    notes: {
      'What is compared': `The rows of one shipment in one file are added up. An order agrees, is dearer (also without a price), cheaper, in another currency, unknown (not booked here), twice (in two files), cancelled (and invoiced), or missing: booked between the first and the last that match, or --since and --until, with one of their carriers, and in no file. A row without an order is unknown, unless its amount is the total of the others. Currencies are never converted.

The columns are found by their names and told: a shipment id before a tracking number, and that before a reference. A reference is never taken for a shipment id, nor the other way round; of a column of another name any may be meant, and a cell that fits two orders is exit 2.`,
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
  for (const file of files) invoices.push(await readInvoice(session, file, options, encoding));
  const journal = await session.openJournal('look');
  const found = await matched(session, journal, invoices);
  const rows = found.billed.flatMap(one => rowsOf(one, options.tolerance ?? '0'));
  for (const { currency, amount } of invoices.flatMap(({ unnamed }) => unnamed))
    rows.push(unknownRow(null, currency, Number(amount)));
  if (found.billed.length > 0 && found.ids.size === 0)
    await printer.note(
      'no row is of an order in this journal: is it of another provider, or --by another column?',
    );
  rows.push(...(await missing(session, journal, found, options)));
  rows.sort((one, other) => rank(other) - rank(one));
  const differing = rows.filter(({ kind }) => kind !== 'agrees');
  await printer.result(rows, {
    essential: () =>
      differing.flatMap(({ key, shipmentId, trackingNumber }) => key ?? shipmentId ?? trackingNumber ?? []),
    table: (_, look) => comparison(rows, differing, look),
  });
  if (differing.length > 0)
    throw new Failure(
      'partial',
      `history reconcile: ${differing.length} of ${numbered(rows.length, 'order')} not as invoiced`,
      { retry: 'after-change' },
    );
}

// The file: columns by their names, rows added up by shipment.

/** By what the rows name: a sum for each currency, as decimal text. */
type Sums = Map<string, Record<string, string>>;

interface Invoice {
  /** The file. */
  name: string;
  sums: Sums;
  /** What the column of the names has. */
  holds: readonly Held[];
  /** What is named, and may be the total of the others, because there is no digit in its name. */
  totals: ReadonlySet<string>;
  /** The amounts of rows without a name that are no total. */
  unnamed: readonly { currency: string; amount: string }[];
}

/** By what an order may be named. */
const HELD = ['shipment id', 'tracking number', 'key'] as const;
type Held = (typeof HELD)[number];

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

/** What the columns of the names above have: a consignment number may be either. */
const HOLDS: readonly (readonly Held[])[] = [
  ['shipment id'],
  ['shipment id', 'tracking number'],
  ['tracking number'],
  ['key'],
];

const holdsOf = (header: string): readonly Held[] =>
  HOLDS[COLUMNS.by.findIndex(pattern => pattern.test(bare(header)))] ?? HELD;

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
  option: keyof typeof COLUMNS,
  given: string | undefined,
): number {
  const named = (isNamed: (title: string) => boolean) =>
    header.flatMap((title, index) => (isNamed(title) ? [{ title, index }] : []));
  const tries =
    given === undefined
      ? COLUMNS[option].map(pattern => named(title => pattern.test(bare(title))))
      : [named(title => title === given.trim()), named(title => plain(title) === plain(given))];
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
async function readInvoice(
  { host, printer }: Session,
  path: string,
  options: ReconcileOptions,
  encoding: Encoding | undefined,
): Promise<Invoice> {
  const name = csvName(path);
  let header: readonly string[] = [];
  let [byAt, priceAt] = [0, 0];
  /** A column, or one currency for all rows. */
  let currencyAt: number | string = 0;
  const csv = csvRows(
    host,
    path,
    found => {
      header = found;
      const { by, price, currency } = options;
      byAt = columnIn(name, header, 'by', by);
      priceAt = columnIn(name, header, 'price', price);
      const code = currency?.trim().toUpperCase() ?? '';
      const isColumn = currency !== undefined && header.some(title => plain(title) === plain(currency));
      currencyAt = !isColumn && CURRENCIES.has(code) ? code : columnIn(name, header, 'currency', currency);
    },
    { encoding, hasNoHeader: !options.header },
  );
  const refuse = (line: number, why: string) =>
    new Failure('invalid_request', `${name}, line ${line}: ${why}. Nothing was compared`);
  const billed: Sums = new Map();
  /** What may be a total. */
  const doubtful: { by: string; currency: string; amount: string }[] = [];
  const all: Record<string, string> = {};
  const add = ({ by, currency, digits }: Priced, mark: string) => {
    const amount = mark === ',' ? digits.replaceAll('.', '').replace(',', '.') : digits.replaceAll(',', '');
    if (/\d/.test(by)) all[currency] = addPrice(all[currency], amount);
    else doubtful.push({ by, currency, amount });
    if (by === '') return;
    const sums = billed.get(by) ?? {};
    billed.set(by, sums);
    sums[currency] = addPrice(sums[currency], amount);
  };
  // Whether 1,234 is more than a thousand is told by the other prices of the file.
  const unclear: Priced[] = [];
  const marks = new Set<string>();
  for await (const { line, cell } of csv) {
    const by = cell(byAt);
    const written = cell(priceAt);
    // A row such as the total names no shipment.
    if (by === '' && !/\d/.test(written)) continue;
    const mangled = mangledId(by);
    if (mangled) throw refuse(line, mangled);
    const currency = typeof currencyAt === 'string' ? currencyAt : cell(currencyAt).toUpperCase();
    const digits = CURRENCIES.has(currency) ? digitsOf(written, currency) : undefined;
    if (digits === undefined) {
      if (by === '') continue;
      throw refuse(
        line,
        `the price of ${shown(by)} is ${shown(written)}, which is no price in ${shown(currency)}`,
      );
    }
    const row = { line, by, currency, digits };
    const mark = decimalMark(digits, currency);
    if (mark === undefined) unclear.push(row);
    else {
      if (mark !== '') marks.add(mark);
      add(row, mark);
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
  if (host.interrupted.aborted) throw interruption(host.interrupted, 'nothing was compared');
  const title = (at: number | string) => shown(typeof at === 'string' ? at : header[at]);
  await printer.note(`${name}: by ${title(byAt)}, price ${title(priceAt)}, currency ${title(currencyAt)}`);
  const totals = new Set<string>();
  const unnamed: { currency: string; amount: string }[] = [];
  for (const { by, currency, amount } of doubtful) {
    const isTotal = all[currency] !== undefined && new Big(amount).eq(all[currency]);
    if (!isTotal) all[currency] = addPrice(all[currency], amount);
    if (isTotal && by !== '') totals.add(by);
    if (!isTotal && by === '' && !new Big(amount).eq(0)) unnamed.push({ currency, amount });
  }
  return { name, sums: billed, holds: holdsOf(header[byAt] ?? ''), totals, unnamed };
}

/** A row of a file. */
interface Priced {
  line: number;
  by: string;
  currency: string;
  digits: string;
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

// What is invoiced, and the order that it is of.

interface Billed {
  /** As the invoice names it. */
  name: string;
  order: Known | undefined;
  sums: Record<string, string>;
  /** In how many files it has to be paid. */
  files: number;
}

interface Matched {
  billed: Billed[];
  /** The bookings that are in a file, with their times, in ms since 1970. */
  ids: ReadonlyMap<string, number>;
  /** Of these bookings. */
  carriers: ReadonlySet<string | null>;
}

const AT_ONCE = 500;

async function matched(
  session: Session,
  journal: Journal | undefined,
  invoices: readonly Invoice[],
): Promise<Matched> {
  const isHere = isIn(session);
  const { interrupted } = session.host;
  const byOrder = new Map<string, Billed>();
  const ids = new Map<string, number>();
  const carriers = new Set<string | null>();
  for (const invoice of invoices) {
    const inFile = new Set<Billed>();
    const names = [...invoice.sums.keys()];
    for (let from = 0; from < names.length; from += AT_ONCE) {
      const some = names.slice(from, from + AT_ONCE);
      const known = (await journal?.ordersNamed(some)) ?? new Map<string, BookedOrder[]>();
      if (interrupted.aborted) throw interruption(interrupted, 'nothing was compared');
      for (const name of some) {
        const order = orderNamed(name, (known.get(name) ?? []).filter(isHere), invoice);
        if (order === undefined && invoice.totals.has(name)) continue;
        const booking = order?.booking;
        const place = booking === undefined ? `name ${name}` : `booking ${booking.id}`;
        const one = byOrder.get(place) ?? { name, order: order && knownOf(order), sums: {}, files: 0 };
        byOrder.set(place, one);
        const sums = Object.entries(invoice.sums.get(name) ?? {});
        for (const [currency, sum] of sums) one.sums[currency] = addPrice(one.sums[currency], sum);
        // A credit note in a file of its own is no second invoice.
        const isToPay = sums.some(([, sum]) => new Big(sum).gt(0));
        if (isToPay && !inFile.has(one)) one.files += 1;
        inFile.add(one);
        if (order === undefined || booking === undefined) continue;
        ids.set(booking.id, booking.at);
        carriers.add(orderFacts(order).carrier);
      }
    }
  }
  return { billed: [...byOrder.values()], ids, carriers };
}

const compact = (name: string): string => name.replace(/\s/g, '').toLowerCase();

/** The order that a cell names, by what its column has. Throws `invalid_request` if these are two. */
function orderNamed(
  name: string,
  orders: readonly BookedOrder[],
  { name: file, holds }: Invoice,
): BookedOrder | undefined {
  const isNamed = (order: BookedOrder, kind: Held): boolean => {
    if (kind === 'key') return isSameKey(order.booking.key, name) || isSameKey(order.booking.key, `#${name}`);
    const { shipments, tracking } = orderFacts(order);
    const words = Object.values(kind === 'shipment id' ? shipments : tracking);
    return words.some(word => compact(word) === compact(name));
  };
  const named = orders.filter(order => holds.some(kind => isNamed(order, kind)));
  const keyed = named.filter(order => holds.includes('key') && isNamed(order, 'key'));
  const deciding = decidingBooking(keyed.map(({ booking }) => booking));
  const [first, second] = named.filter(
    order =>
      (!keyed.includes(order) || order.booking === deciding) &&
      // The other order of one shipment is the one that is paid for.
      !(named.length > 1 && isSameShipment(order.booking)),
  );
  if (second === undefined) return first;
  const words = [first, second].map(one => one?.booking.key ?? one?.booking.id ?? '').map(shown);
  throw new Failure(
    'invalid_request',
    `${file}: ${shown(name)} fits two orders, ${words.join(' and ')}, as ${holds.join(' or ')}. Name another column with --by. Nothing was compared`,
  );
}

/** What is compared of an order; the order itself would fill the memory. */
interface Known {
  state: State;
  currency: string | null;
  named: Pick<ReconcileRow, 'key' | 'shipmentId' | 'trackingNumber' | 'booked'>;
}

function knownOf(order: BookedOrder): Known {
  const { price, currency } = orderFacts(order);
  const booked = readPrice(price, currency);
  return {
    state: order.booking.state,
    currency,
    named: { ...orderNames(order), booked: booked === undefined ? null : Number(booked) },
  };
}

/** What is invoiced, and not booked here. */
const unknownRow = (name: string | null, currency: string, invoiced: number): ReconcileRow => ({
  kind: 'unknown',
  key: null,
  shipmentId: name,
  trackingNumber: null,
  booked: null,
  invoiced,
  currency,
  difference: invoiced,
});

/** A row; one for each currency, if there are several. */
function rowsOf({ name, order, sums, files }: Billed, tolerated: string): ReconcileRow[] {
  return Object.entries(sums).map(([currency, sum], _, { length }) => {
    const invoiced = Number(sum);
    if (order === undefined || (!isMade(order) && order.state !== 'cancelled'))
      return { ...unknownRow(name, currency, invoiced), key: order?.named.key ?? null };
    const { booked } = order.named;
    const isSame = order.currency?.trim().toUpperCase() === currency && length === 1;
    const difference = booked === null || !isSame ? undefined : new Big(sum).minus(booked);
    const isCancelled = order.state === 'cancelled';
    return {
      kind: kindOf(),
      ...order.named,
      invoiced,
      currency,
      difference: isCancelled ? invoiced : (difference?.toNumber() ?? null),
    };

    function kindOf(): ReconcileRow['kind'] {
      if (isCancelled) return new Big(sum).gt(tolerated) ? 'cancelled' : 'agrees';
      if (files > 1) return 'twice';
      if (booked !== null && difference === undefined) return 'currency';
      if (difference === undefined || difference.gt(tolerated)) return 'dearer';
      return difference.lt(new Big(tolerated).times(-1)) ? 'cheaper' : 'agrees';
    }
  });
}

/** What was booked in the span, and is in no file. */
async function missing(
  session: Session,
  journal: Journal | undefined,
  { ids, carriers }: Matched,
  { since, until, carrier }: ReconcileOptions,
): Promise<ReconcileRow[]> {
  const now = session.host.now();
  const times = [...ids.values()].sort((one, other) => one - other);
  const first = since?.(now) ?? times[0];
  const last = until?.(now) ?? times.at(-1) ?? now;
  if (first === undefined) return [];
  const filter = { ...placeIn(session), states: ['created', 'partial'] as const, since: first, until: last };
  const rows: ReconcileRow[] = [];
  const left = ((await journal?.shipmentsWhere(filter)) ?? []).filter(id => !ids.has(id));
  for (let from = 0; from < left.length; from += AT_ONCE)
    for (const order of (await journal?.ordersOf(left.slice(from, from + AT_ONCE))) ?? []) {
      // The other order of one shipment is invoiced.
      if (isSameShipment(order.booking)) continue;
      // The invoice of one carrier says nothing of the orders of another one.
      const own = orderFacts(order).carrier;
      if (
        carrier === undefined
          ? carriers.size > 0 && !carriers.has(own)
          : !isSameWord(own ?? undefined, carrier)
      )
        continue;
      const { named, currency } = knownOf(order);
      rows.push({ kind: 'missing', ...named, invoiced: null, currency, difference: null });
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
      row.key ?? row.shipmentId ?? BLANK,
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
