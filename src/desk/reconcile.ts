// Compares the provider's invoices with what was booked. Memory grows with the number of shipments, and not of rows.

import Big from 'big.js';
import { InvalidArgumentError } from 'commander';
import { encodingNamed } from '../batch/encoding.ts';
import { decidingBooking, isMade, type State } from '../booking/booking.ts';
import type { BookedOrder, OrderFilter } from '../booking/questions.ts';
import { isSameShipment } from '../booking/standing.ts';
import { isSameKey } from '../contract/key.ts';
import { isSameWord, readPrice } from '../contract/read.ts';
import { Failure } from '../errors.ts';
import { interruption } from '../host/signals.ts';
import type { Journal } from '../journal/journal.ts';
import { isShippedHere, shippedFilter } from '../order/listed.ts';
import { type Look, paragraph } from '../output/look.ts';
import { addCost, type Costs } from '../output/money.ts';
import type { ReconcileRow } from '../output/schemas.ts';
import { BLANK, table } from '../output/table.ts';
import { orderFacts } from '../output/told.ts';
import { bookingName, costWords, money, timeWords } from '../say/words.ts';
import { declare, operand } from '../session/command.ts';
import { flag, type OptionsOf } from '../session/flags.ts';
import { parseEnd, parseMoment, someText } from '../session/globals.ts';
import type { Session } from '../session/session.ts';
import { numbered, shown } from '../text.ts';
import { INVOICE_FLAGS, type Invoice, type NameKind, readInvoice } from './read-invoice.ts';
import { openFits, unknownBookingWords } from './unknown-bookings.ts';

const FLAGS = {
  ...INVOICE_FLAGS,
  since: flag(
    '--since <time>',
    'what was booked since then must be in a file: today, 7d, or a date (default: since the first that is)',
    { read: parseMoment },
  ),
  until: flag(
    '--until <time>',
    'what was booked until then; a day counts whole (default: until the last that is in a file)',
    { read: parseEnd },
  ),
  carrier: flag(
    '--carrier <carrier>',
    'only its orders must be in a file (default: of the carriers that are)',
    { read: someText },
  ),
  tolerance: flag('--tolerance <amount>', 'a smaller difference agrees: 0.05 (default: 0)', {
    read: tolerance,
  }),
  encoding: flag(
    '--encoding <encoding>',
    'of the files, if it is not UTF-8: windows-1254, windows-1252, utf-16le',
  ),
};

type ReconcileOptions = OptionsOf<typeof FLAGS>;

export const command = declare({
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
    'What is compared': `The rows of one shipment in one file are added up; the table says how many there are. An order agrees, is dearer (also without a price), cheaper, in another currency, unknown (not booked here), twice (in two files), cancelled (and invoiced), or missing: booked between the first and the last that match, or --since and --until, with one of their carriers, and in no file; how many were booked after the last is told. A row without an order is unknown, unless its amount is exactly the total of the other rows of its invoice, or of the file, in its currency, and it says so (DHL: the line type I) or says nothing else; a note names it. If it may be of a booking of which nobody knows whether it exists, because it has that key, that receiver, or that country and a day of the month after, the message names the booking and the command that asks the service for the shipment; nothing is settled by that. Bookings of the sandbox count only where it is in force. Currencies are never converted.

The columns are found by their names and told: a shipment id before a tracking number, and that before a reference. A reference is never taken for a shipment id, nor the other way round; of a column of another name any may be meant, and a cell that fits two orders is exit 2.`,
  },
  operands: [operand('<file...>', 'invoices as CSV; - is stdin')],
  flags: FLAGS,
  run: reconcile,
});

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
  const journal = await session.openJournal('look');
  const fits = await openFits(session, journal);
  const invoices: Invoice[] = [];
  for (const file of files) invoices.push(await readInvoice(session, file, options, encoding, fits));
  const matched = await matchedOrders(session, journal, invoices);
  const rows = matched.billed.flatMap(billed => comparedRows(billed, options.tolerance ?? '0'));
  const unnamed = invoices.flatMap(invoice => invoice.unnamed);
  for (const { currency, amount } of unnamed) rows.push(unknownRow(null, currency, Number(amount)));
  if (matched.billed.length > 0 && matched.ids.size === 0)
    await printer.note(
      'no row is of an order in this journal: is it of another provider, or --by another column?',
    );
  const strange = new Set(matched.billed.flatMap(({ name, order }) => (order && wasMade(order) ? [] : name)));
  const { words, next } = unknownBookingWords(session, [
    ...invoices.flatMap(({ fitting }) =>
      [...fitting].flatMap(([name, row]) => (strange.has(name) ? row : [])),
    ),
    ...unnamed.flatMap(({ row }) => row ?? []),
  ]);
  rows.push(...(await missingRows(session, journal, matched, options)));
  rows.sort((first, second) => rankOfRow(second) - rankOfRow(first));
  const differing = rows.filter(({ kind }) => kind !== 'agrees');
  await printer.result(rows.map(reconcileRow), {
    essential: () =>
      differing.flatMap(({ key, shipmentId, trackingNumber }) => key ?? shipmentId ?? trackingNumber ?? []),
    table: (_, look) => comparisonTable(rows, differing, look),
  });
  if (differing.length > 0)
    throw new Failure(
      'partial',
      [
        `history reconcile: ${differing.length} of ${numbered(rows.length, 'order')} not as invoiced`,
        ...words,
      ].join('. '),
      { retry: 'after-change', next },
    );
}

// What invoices ask for a name, and the order that the name means.

interface Billed {
  /** The order's name in the invoice. */
  name: string;
  order: Known | undefined;
  sums: Costs;
  /** How many files ask for money for the order. */
  files: number;
  /** The most rows that one file has for the order: several rows are added up. */
  rows: number;
}

/** A row of the result. `bookedIn` and `rows` are only for people: the booking's currency, and the most rows that a file has for it. */
interface Compared extends ReconcileRow {
  bookedIn: string | null;
  rows: number;
}

interface Matched {
  billed: Billed[];
  /** The ids of the bookings that are in a file, with the times of the bookings, in ms since 1970. */
  ids: ReadonlyMap<string, number>;
  /** The carriers of these bookings. */
  carriers: ReadonlySet<string | null>;
}

const READ_AT_ONCE = 500;

async function matchedOrders(
  session: Session,
  journal: Journal | undefined,
  invoices: readonly Invoice[],
): Promise<Matched> {
  const isHere = isShippedHere(session);
  const { interrupted } = session.host;
  const byOrder = new Map<string, Billed>();
  const ids = new Map<string, number>();
  const carriers = new Set<string | null>();
  for (const invoice of invoices) {
    const inFile = new Set<Billed>();
    const names = [...invoice.sums.keys()];
    for (let from = 0; from < names.length; from += READ_AT_ONCE) {
      const some = names.slice(from, from + READ_AT_ONCE);
      const known = (await journal?.ordersNamed(some)) ?? new Map<string, BookedOrder[]>();
      if (interrupted.aborted) throw interruption(interrupted, { kind: 'stopped-comparing' });
      for (const name of some) {
        const order = orderNamed(name, (known.get(name) ?? []).filter(isHere), invoice);
        const place = order === undefined ? `name ${name}` : `booking ${order.booking.id}`;
        const billed = byOrder.get(place) ?? billedOf(name, order);
        byOrder.set(place, billed);
        const isToPay = addBilled(billed, invoice.sums.get(name));
        if (isToPay && !inFile.has(billed)) billed.files += 1;
        inFile.add(billed);
        if (order === undefined) continue;
        ids.set(order.booking.id, order.booking.at);
        carriers.add(orderFacts(order).carrier);
      }
    }
  }
  return { billed: [...byOrder.values()], ids, carriers };
}

const billedOf = (name: string, order: BookedOrder | undefined): Billed => ({
  name,
  order: order && knownOrder(order),
  sums: new Map<string, string>(),
  files: 0,
  rows: 0,
});

/** Adds the sum of a file. Does the file ask for money? A credit note in a file of its own is no second invoice. */
function addBilled(billed: Billed, sum: { costs: Costs; rows: number } | undefined): boolean {
  const { costs = new Map<string, string>(), rows = 0 } = sum ?? {};
  billed.rows = Math.max(billed.rows, rows);
  for (const [currency, amount] of costs) addCost(billed.sums, { currency, amount });
  return [...costs.values()].some(amount => new Big(amount).gt(0));
}

const withoutBlanks = (name: string): string => name.replace(/\s/g, '').toLowerCase();

/** The order that a cell names; the column says what kind of name it is. Throws `invalid_request` if the name fits two orders. */
function orderNamed(name: string, orders: readonly BookedOrder[], invoice: Invoice): BookedOrder | undefined {
  const isNamed = (order: BookedOrder, kind: NameKind): boolean => {
    if (kind === 'key') return isSameKey(order.booking.key, name) || isSameKey(order.booking.key, `#${name}`);
    const { shipments, tracking } = orderFacts(order);
    const words = Object.values(kind === 'shipment id' ? shipments : tracking);
    return words.some(word => withoutBlanks(word) === withoutBlanks(name));
  };
  const named = orders.filter(order => invoice.nameKinds.some(kind => isNamed(order, kind)));
  const keyed = named.filter(order => invoice.nameKinds.includes('key') && isNamed(order, 'key'));
  const deciding = decidingBooking(keyed.map(({ booking }) => booking));
  const [first, second] = named.filter(
    order =>
      (!keyed.includes(order) || order.booking === deciding) &&
      // An order that is one shipment with another order is left out: the other one is paid for.
      !(named.length > 1 && isSameShipment(order.booking)),
  );
  if (second === undefined) return first;
  const words = [first, second].map(order => (order ? shown(bookingName(order.booking)) : ''));
  throw new Failure(
    'invalid_request',
    `${invoice.name}: ${shown(name)} fits two orders, ${words.join(' and ')}, as ${invoice.nameKinds.join(' or ')}. Name another column with --by. Nothing was compared`,
  );
}

/** The parts of an order that are compared; to keep whole orders would fill the memory. */
interface Known {
  state: State;
  currency: string | null;
  named: Pick<ReconcileRow, 'key' | 'shipmentId' | 'trackingNumber' | 'booked'>;
}

function knownOrder(order: BookedOrder): Known {
  const { key, shipmentId, trackingNumber, price, currency } = orderFacts(order);
  const booked = readPrice(price, currency);
  return {
    state: order.booking.state,
    currency,
    named: { key, shipmentId, trackingNumber, booked: booked === undefined ? null : Number(booked) },
  };
}

const reconcileRow = ({ bookedIn: _, rows: __, ...row }: Compared): ReconcileRow => row;

/** The row of what is invoiced, but not booked here. */
const unknownRow = (name: string | null, currency: string, invoiced: number, rows = 1): Compared => ({
  kind: 'unknown',
  key: null,
  shipmentId: name,
  trackingNumber: null,
  booked: null,
  invoiced,
  currency,
  difference: invoiced,
  bookedIn: null,
  rows,
});

const wasMade = (order: Known): boolean => isMade(order) || order.state === 'cancelled';

/** A row for each currency in which an order is invoiced. */
function comparedRows(billed: Billed, tolerated: string): Compared[] {
  const { name, order, sums, files, rows } = billed;
  return [...sums].map(([currency, sum], _, { length }) => {
    const invoiced = Number(sum);
    if (order === undefined || !wasMade(order))
      return { ...unknownRow(name, currency, invoiced, rows), key: order?.named.key ?? null };
    const { booked } = order.named;
    const isSame = order.currency === currency && length === 1;
    const difference = booked === null || !isSame ? undefined : new Big(sum).minus(booked);
    const isCancelled = order.state === 'cancelled';
    return {
      kind: kindOf(),
      ...order.named,
      invoiced,
      currency,
      difference: isCancelled ? invoiced : (difference?.toNumber() ?? null),
      bookedIn: order.currency,
      rows,
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

/** The orders of a span that are in no file. If nobody gave an end of the span, a note counts the orders beyond that end. */
async function missingRows(
  session: Session,
  journal: Journal | undefined,
  matched: Matched,
  options: ReconcileOptions,
): Promise<Compared[]> {
  const { since, until, carrier } = options;
  const now = session.host.now();
  const times = [...matched.ids.values()].sort((first, second) => first - second);
  const first = since?.(now) ?? times[0];
  const last = until?.(now) ?? times.at(-1) ?? now;
  if (first === undefined) return [];
  const rows: Compared[] = [];
  for await (const order of uninvoiced(session, journal, matched, { since: first, until: last }, carrier)) {
    const { named, currency } = knownOrder(order);
    const nothing = { invoiced: null, difference: null, rows: 0 };
    rows.push({ kind: 'missing', ...named, ...nothing, currency, bookedIn: currency });
  }
  const tellLeftOut = async (which: string, span: Pick<OrderFilter, 'since' | 'until'>, flag: string) => {
    let count = 0;
    for await (const _ of uninvoiced(session, journal, matched, span, carrier)) count += 1;
    if (count > 0)
      await session.printer.note(
        `not compared: ${numbered(count, 'order')} booked ${which} that is in a file. ${flag} compares them, too`,
      );
  };
  if (until === undefined && times.length > 0)
    await tellLeftOut(`after ${timeWords(last, now)}, the last`, { since: last + 1 }, '--until today');
  // If neither end is given, older orders belong to an older invoice, and are not counted.
  if (since === undefined && until !== undefined)
    await tellLeftOut(`before ${timeWords(first, now)}, the first`, { until: first - 1 }, '--since DATE');
  return rows;
}

/** The orders of a span that exist and are in no file: only of --carrier, or of the carriers that are in a file. */
async function* uninvoiced(
  session: Session,
  journal: Journal | undefined,
  matched: Matched,
  span: Pick<OrderFilter, 'since' | 'until'>,
  carrier: string | undefined,
): AsyncGenerator<BookedOrder> {
  const filter = { ...shippedFilter(session), states: ['created', 'partial'] as const, ...span };
  const left = ((await journal?.shipmentsWhere(filter)) ?? []).filter(id => !matched.ids.has(id));
  for (let from = 0; from < left.length; from += READ_AT_ONCE)
    for (const order of (await journal?.ordersOf(left.slice(from, from + READ_AT_ONCE))) ?? []) {
      // An order that is one shipment with another order is left out: the other one is invoiced.
      if (isSameShipment(order.booking)) continue;
      // The invoice of one carrier says nothing of the orders of another carrier.
      const booked = orderFacts(order).carrier;
      if (
        carrier === undefined
          ? matched.carriers.size === 0 || matched.carriers.has(booked)
          : isSameWord(booked ?? undefined, carrier)
      )
        yield order;
    }
}

/** The rank of a row: the dearest rows come first, then rows that are missing in the invoice, last the rows that agree. */
function rankOfRow(row: ReconcileRow): number {
  const { kind, difference, invoiced } = row;
  if (kind === 'agrees') return Number.NEGATIVE_INFINITY;
  return kind === 'missing' ? -Number.MAX_VALUE : (difference ?? invoiced ?? 0);
}

// The table for a person: the sums of each kind, then the rows that do not agree.

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

/** The words behind an amount whose currency is not known. */
const NO_CURRENCY = '(no currency)';

/** The most lines that a table shows; for more lines a person uses the CSV. */
const MOST_SHOWN = 200;

async function comparisonTable(
  rows: readonly Compared[],
  differing: readonly Compared[],
  look: Look,
): Promise<string> {
  if (rows.length === 0) return 'The files have no rows.';
  const kinds = (Object.keys(WORDS) as ReconcileRow['kind'][]).flatMap(kind => {
    const ofKind = rows.filter(row => row.kind === kind);
    if (ofKind.length === 0) return [];
    const sums = costWords(addedCosts(ofKind, 'missing' === kind ? 'booked' : 'invoiced'));
    const above = kind === 'dearer' || kind === 'cheaper' ? costWords(addedCosts(ofKind, 'difference')) : '';
    return [
      [ofKind.length, WORDS[kind], sums, above === '' ? BLANK : `${kind} by ${above.replaceAll('-', '')}`],
    ];
  });
  const summary = await table(look, {
    head: ['orders', 'what', 'sum', 'difference'],
    align: ['right', 'left', 'left', 'left'],
    rows: kinds,
  });
  if (differing.length === 0) return summary;
  const list = await table(look, {
    head: ['key or id', 'what', 'booked', 'invoiced', 'difference'],
    align: ['left', 'whole', 'right', 'right', 'right'],
    rows: differing
      .slice(0, MOST_SHOWN)
      .map(row => [
        row.key ?? row.shipmentId ?? BLANK,
        row.rows > 1 ? `${WORDS[row.kind]}, stands ${row.rows} times` : WORDS[row.kind],
        money(row.booked, row.bookedIn ?? NO_CURRENCY),
        money(row.invoiced, row.currency ?? NO_CURRENCY),
        money(row.difference, row.currency ?? NO_CURRENCY),
      ]),
  });
  const rest =
    differing.length > MOST_SHOWN
      ? await paragraph(look, `These are the first ${MOST_SHOWN} of ${differing.length}: -o csv has all.`)
      : '';
  return [summary, list, rest].filter(Boolean).join('\n\n');
}

function addedCosts(rows: readonly ReconcileRow[], field: 'booked' | 'invoiced' | 'difference'): Costs {
  const sums: Costs = new Map();
  for (const row of rows) {
    const amount = row[field];
    if (amount === null) continue;
    addCost(sums, { currency: row.currency ?? NO_CURRENCY, amount: String(amount) });
  }
  return sums;
}
