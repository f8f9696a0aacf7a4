import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Filter, type Journal, STATES, type State } from '../booking/journal.ts';
import type { OperationCommand } from '../contract/operation.ts';
import { OPERATIONS } from '../contract/operations.ts';
import { Failure } from '../errors.ts';
import { interruption } from '../host.ts';
import { money, type Price } from '../output/money.ts';
import type { View } from '../output/print.ts';
import { safeJson } from '../output/safe.ts';
import { table } from '../output/table.ts';
import type { Act } from './act.ts';
import { count } from './globals.ts';
import { type HistoryRow, historyRow } from './history-row.ts';
import { type Moment, moment, timeOf } from './history-time.ts';
import type { Session } from './session.ts';

interface ListOptions {
  state?: State[];
  since?: Moment;
  until?: Moment;
  key?: string;
  operation?: OperationCommand;
  limit?: number;
  before?: string;
}

const BOOKING_COMMANDS = Object.values(OPERATIONS).flatMap(({ books, command }) => (books ? command : []));

/** So many are shown to a person who did not say how many. */
const SHOWN = 100;

export function defineList(command: Command, act: Act): void {
  command
    .addOption(
      new Option('--state <state>', `only these; repeatable (${STATES.join(', ')})`).argParser(states),
    )
    .option('--since <time>', 'booked since then: 7d, 12h, or a date', moment)
    .option('--until <time>', 'booked until then', moment)
    .option('--key <key>', 'with this key')
    .addOption(new Option('--operation <name>', 'of this operation').choices(BOOKING_COMMANDS))
    .option('--limit <n>', `at most so many (a table on a terminal: ${SHOWN})`, count)
    .option('--before <id>', 'only those before this booking: the next page')
    .action(act<ListOptions>(list));
}

function states(written: string, before: State[] = []): State[] {
  const state = STATES.find(known => known === written);
  if (state === undefined) throw new InvalidArgumentError(`It must be one of ${STATES.join(', ')}.`);
  return [...before, state];
}

async function list(session: Session, options: ListOptions): Promise<void> {
  const { state, since, until, key, operation, before, limit } = options;
  const journal = await session.journalIfThere();
  if (before !== undefined && !(await journal?.byId(before)))
    throw new Failure(
      'not_found',
      `the journal has no booking ${JSON.stringify(before)} to go on from; --before takes the id of one that \`waybill history list\` shows`,
    );
  const filter: Filter = {
    ...(state && { states: state }),
    ...(since && { since: timeOf(since, session.host) }),
    ...(until && { until: timeOf(until, session.host) }),
    ...(key !== undefined && { key }),
    ...(operation && { operation }),
    ...(before !== undefined && { before }),
  };
  await showPages(session, limit, most => pagesOf(session, journal, filter, most));
}

/** As many as are read at a time: memory does not grow with the journal. */
const PAGE = 1000;

async function* pagesOf(
  { host }: Session,
  journal: Journal | undefined,
  filter: Filter,
  most = Number.POSITIVE_INFINITY,
): AsyncGenerator<HistoryRow[]> {
  let { before } = filter;
  for (let left = most; journal !== undefined && left > 0; left -= PAGE) {
    const limit = Math.min(PAGE, left);
    const page = await journal.list({ ...filter, ...(before !== undefined && { before }), limit });
    if (page.length > 0) yield page.map(historyRow);
    if (page.length < limit) return;
    before = page.at(-1)?.id;
    if (host.interrupted.aborted)
      throw interruption(host.interrupted, 'there are more bookings than were shown');
  }
}

type Pages = (most?: number) => AsyncGenerator<HistoryRow[]>;

/** Shows each page as it is read, where the format can be written piece by piece. */
async function showPages(
  { printer, globals, host }: Session,
  limit: number | undefined,
  pages: Pages,
): Promise<void> {
  const isQuery = globals.query !== undefined;
  const isPlain = !isQuery && !globals.quiet;
  const isForPerson = isPlain && printer.format === 'table' && host.stdout.isTerminal;
  if (isPlain && printer.format === 'json') {
    for await (const text of arrayOf(pages(limit))) await printer.plain(text);
    return;
  }
  if (!isQuery && (globals.quiet || printer.format === 'jsonl')) {
    for await (const page of pages(limit)) await printer.result(page, viewOf(false));
    return;
  }
  if (isPlain && printer.format === 'table' && !isForPerson) {
    let view: View<HistoryRow[]> | undefined;
    for await (const page of pages(limit)) {
      await printer.result(page, view ?? viewOf(areSeveral(page)));
      view ??= headless(viewOf(areSeveral(page)));
    }
    if (view === undefined) await printer.result([], viewOf(false));
    return;
  }
  const rows: HistoryRow[] = [];
  for await (const page of pages(limit ?? (isForPerson ? SHOWN + 1 : undefined))) rows.push(...page);
  const isMore = limit === undefined && isForPerson && rows.length > SHOWN;
  if (isMore) rows.pop();
  await printer.result(rows, viewOf(areSeveral(rows)));
  if (isMore)
    await printer.note(
      `these are the first ${SHOWN}: \`waybill history list --before ${rows.at(-1)?.id}\` shows the next ones, and --limit N more at once`,
    );
}

/** The text of one JSON array, as it would be written whole; each piece ends a line. */
async function* arrayOf(pages: AsyncIterable<HistoryRow[]>): AsyncGenerator<string> {
  let held: string | undefined;
  for await (const page of pages) {
    yield held === undefined ? '[\n' : `${held},\n`;
    held = safeJson(page, 2).slice('[\n'.length, -'\n]'.length);
  }
  yield held === undefined ? '[]\n' : `${held}\n]\n`;
}

const bookerOf = ({ bookedBy: { user, host } }: HistoryRow): string | null =>
  user === null ? host : `${user}@${host}`;

const areSeveral = (rows: readonly HistoryRow[]): boolean => new Set(rows.map(bookerOf)).size > 1;

/** `who`: with a column that tells who booked. */
const viewOf = (who: boolean): View<HistoryRow[]> => ({
  essential: rows => rows.map(row => row.id),
  table: async (rows, look) =>
    rows.length === 0
      ? 'No bookings.'
      : table(look, {
          head: ['booking', 'when', 'operation', 'key', 'state', 'shipments', 'price'].concat(
            who ? 'booked by' : [],
          ),
          align: ['whole', 'left', 'left', 'whole', 'left', 'whole', 'right', 'left'],
          rows: rows.map(row => [
            row.id,
            row.at,
            row.operation,
            row.key,
            row.state === 'unknown' ? { text: row.state, paint: look.red } : row.state,
            row.shipmentIds.join(' '),
            money(row.price as Price, row.currency),
            ...(who ? [bookerOf(row)] : []),
          ]),
        }),
});

/** The same without the head, for the pages after the first one. */
const headless = (view: View<HistoryRow[]>): View<HistoryRow[]> => ({
  ...view,
  async table(rows, look) {
    const text = await view.table(rows, look);
    return text.slice(text.indexOf('\n') + 1);
  },
});
