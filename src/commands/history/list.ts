import { InvalidArgumentError } from 'commander';
import { STATES, type State } from '../../booking/booking.ts';
import type { BookedOrder, OrderFilter } from '../../booking/questions.ts';
import { COUNTRIES } from '../../contract/countries.ts';
import { countryFault } from '../../contract/country-names.ts';
import { OPERATIONS } from '../../contract/operations.ts';
import { Failure } from '../../errors.ts';
import { orderPages, shippedFilter, targetFilter } from '../../order/listed.ts';
import { columnRow, HISTORY_CSV, orderRow } from '../../output/columns.ts';
import { ORDER_COLUMNS, orderTable } from '../../output/orders.ts';
import { noteLeftOut } from '../../output/table.ts';
import { type RowText, type Scalar, safe, safeJson } from '../../output/text.ts';
import { toldOrder } from '../../output/told.ts';
import { timeWords } from '../../say/words.ts';
import { declare } from '../../session/command.ts';
import { flag, type OptionsOf } from '../../session/flags.ts';
import { atLeastOne, parseEnd, parseMoment, someText } from '../../session/globals.ts';
import type { Session } from '../../session/session.ts';
import { shown } from '../../text.ts';

/** The values that --search looks at. */
const SEARCHED = 'receiver, street, postal code, phone, e-mail, key, shipment id, tracking number';

/** How many orders a table on a terminal shows without --limit. */
const FIRST_PAGE = 100;

const BOOKING_COMMANDS = Object.values(OPERATIONS).flatMap(({ books, command }) => (books ? command : []));

const FLAGS = {
  state: flag('--state <state>', `only these; repeatable (${STATES.join(', ')})`, {
    read: parseStates,
    repeats: true,
  }),
  since: flag('--since <time>', 'booked since then: today, 7d, 12h, or a date', { read: parseMoment }),
  until: flag('--until <time>', 'booked until then; a day counts whole', { read: parseEnd }),
  key: flag('--key <key>', 'with this key', { read: someText }),
  operation: flag('--operation <name>', 'of this operation', { choices: BOOKING_COMMANDS }),
  search: flag('--search <text>', `with these beginnings of words: ${SEARCHED}`, { read: someText }),
  country: flag('--country <cc>', 'to this country'),
  carrier: flag('--carrier <carrier>', 'with this carrier', { read: someText }),
  unprinted: flag('--unprinted', 'with a label that was made and not printed'),
  unlabelled: flag('--unlabelled', 'with a shipment that has no label'),
  limit: flag('--limit <n>', `at most this many (a table on a terminal: ${FIRST_PAGE})`, {
    read: atLeastOne,
  }),
  before: flag('--before <booking>', 'only those before this booking: the next page'),
};

type ListOptions = OptionsOf<typeof FLAGS>;

export const command = declare({
  examples: [
    '# List the orders since yesterday.',
    'waybill history list --since 1d',
    '# Find an order by how names begin, in any case and without accents.',
    'waybill history list --search "mul munch"',
    '# Find the order of a customer who calls: national or not, with or without blanks.',
    'waybill history list --search "030 555 01 23"',
    '# List the bookings that may or may not exist. Resolve them.',
    'waybill history list --state unknown',
    '# List what was booked today and has no label yet.',
    'waybill history list --unlabelled --since today',
  ],
  output: {
    table: `a line for each order, on a terminal the first ${FIRST_PAGE}; times of this machine. A price above --max-price is marked with !`,
    quiet: 'the id of each booking',
    json: 'a list, as `waybill schema history` describes it; times are UTC',
  },
  notes: {
    'What is listed': `A label that was made is a part of its shipment; one that failed or is unknown has its own row. With --run NAME only what that run booked is listed. Bookings of demo are listed where it is in force, all others elsewhere. CSV always has the columns ${Object.keys(HISTORY_CSV).join(', ')}.`,
  },
  flags: FLAGS,
  run: listOrders,
});

function parseStates(written: string, before: State[] = []): State[] {
  const state = STATES.find(known => known === written);
  if (state === undefined) throw new InvalidArgumentError(`It must be one of ${STATES.join(', ')}.`);
  return [...before, state];
}

/** Throws `usage` if the text is no code of a country. */
function countryCode(written: string): string {
  const code = written.trim().toUpperCase();
  if (COUNTRIES.has(code)) return code;
  const { message, suggestion } = countryFault(written);
  const hint = suggestion === undefined ? '' : ` (did you mean ${suggestion}?)`;
  throw new Failure('usage', `history list: --country ${message}${hint}`);
}

async function listOrders(session: Session, options: ListOptions): Promise<void> {
  const { state, since, until, limit, country, ...named } = options;
  const { before } = named;
  const toCountry = country === undefined ? {} : { country: countryCode(country) };
  const journal = await session.openJournal('look');
  if (before !== undefined && !(await journal?.byId(before)))
    throw new Failure(
      'not_found',
      `the journal has no booking ${JSON.stringify(before)}; --before takes an id that \`waybill history list --json\` shows`,
    );
  const { host, globals, printer } = session;
  const filter: Omit<OrderFilter, 'limit'> = {
    ...named,
    ...toCountry,
    ...(options.unlabelled ? shippedFilter(session) : targetFilter(session)),
    ...(globals.run !== undefined && { run: globals.run }),
    ...(state && { states: state }),
    ...(since && { since: since(host.now()) }),
    ...(until && { until: until(host.now()) }),
  };
  const { format, cells } = printer;
  // A person who reads a table on a terminal sees the newest orders.
  const isFirstPage = limit === undefined && format === 'table' && !globals.quiet && host.stdout.isTerminal;
  const pages = orderPages(session, journal, filter, isFirstPage ? FIRST_PAGE + 1 : limit);
  const show = (orders: readonly BookedOrder[]) =>
    printer.result(orders.map(orderRow), {
      essential: rows => rows.map(({ id }) => id),
      table: (_, look) =>
        orders.length === 0 ? safe(emptyListWords(session, options)) : orderTable(orders, look, host.now()),
    });

  // Formats that can be written piece by piece are written while the journal is read: memory does not grow with the journal.
  if (globals.query === undefined && (globals.quiet || format === 'jsonl')) {
    for await (const page of pages) await show(page);
    return;
  }
  if (globals.query === undefined && (format === 'json' || cells !== undefined)) {
    const texts = cells === undefined ? jsonOf(pages) : rowsOfPages(pages, cells);
    for await (const text of texts) await printer.plain(text);
    return;
  }
  const orders: BookedOrder[] = [];
  for await (const page of pages) orders.push(...page);
  const shown = isFirstPage ? orders.slice(0, FIRST_PAGE) : orders;
  await show(shown);
  if (shown.length < orders.length)
    await printer.note(
      `these are the first ${FIRST_PAGE}. Add --before ${shown.at(-1)?.booking.id} to the command to see the next ones, or --limit N`,
    );
  if (orders.length > 0 && globals.query === undefined) await noteLeftOut(host, printer, ORDER_COLUMNS);
}

/** Says that a list is empty, and what was asked for: else a person who forgot a filter might think that a booking is lost. */
function emptyListWords(session: Session, options: ListOptions): string {
  const { globals, host, target } = session;
  const { state, since, until, key, operation, search, country, carrier } = options;
  const now = host.now();
  const asked = [
    target().from === 'demo' ? 'of the demo' : globals.profile && `with the profile ${globals.profile}`,
    globals.run && `of the run ${globals.run}`,
    state && `that are ${state.join(' or ')}`,
    since && `since ${timeWords(since(now), now)}`,
    until && `until ${timeWords(until(now), now)}`,
    key && `with the key ${shown(key)}`,
    operation && `by ${operation}`,
    country && `to ${country.toUpperCase()}`,
    carrier && `with the carrier ${carrier}`,
    options.unprinted && 'with a label that was not printed',
    options.unlabelled && 'without a label',
    options.before && `before ${options.before}`,
  ];
  const bookings = ['bookings', ...asked].filter(Boolean).join(' ');
  if (search === undefined) return `No ${bookings}.`;
  return `Nothing matches ${shown(search)}. Searched were ${bookings}: ${SEARCHED}.`;
}

/** The text of one JSON array, in pieces that end with a line break: the same text as if the array was written at once. */
async function* jsonOf(pages: AsyncIterable<BookedOrder[]>): AsyncGenerator<string> {
  let rows: string | undefined;
  for await (const page of pages) {
    yield rows === undefined ? '[\n' : `${rows},\n`;
    rows = safeJson(page.map(orderRow), 2).slice('[\n'.length, -'\n]'.length);
  }
  yield rows === undefined ? '[]\n' : `${rows}\n]\n`;
}

async function* rowsOfPages(pages: AsyncIterable<BookedOrder[]>, cells: RowText): AsyncGenerator<string> {
  yield cells.head(Object.keys(HISTORY_CSV));
  const rowOf = (order: BookedOrder) =>
    cells.row(Object.values(columnRow(HISTORY_CSV, toldOrder(order))) as Scalar[]);
  for await (const page of pages) yield page.map(rowOf).join('');
}
