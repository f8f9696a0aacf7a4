// The list of the history as it is written, page by page: memory does not grow with the journal.
import { csvLine, escapeFormula } from '../../output/csv.ts';
import { leavesOf, type Scalar } from '../../output/leaves.ts';
import { money, type Price } from '../../output/money.ts';
import type { Printer, View } from '../../output/print.ts';
import { safeJson, safeLines } from '../../output/safe.ts';
import { table } from '../../output/table.ts';
import type { Session } from '../../session/session.ts';
import type { HistoryRow } from '../../views/booking-row.ts';

/** The bookings in pages: `most` of them, and those before the one with the id `after`. */
export type Pages = (most?: number, after?: string) => AsyncGenerator<HistoryRow[]>;

/** So many are shown to a person who did not say how many. */
export const SHOWN = 100;

/** Shows each page as it is read, where the format can be written piece by piece. */
export async function showPages(session: Session, limit: number | undefined, pages: Pages): Promise<void> {
  const { printer, globals, host } = session;
  if (globals.query !== undefined) return showWhole(printer, pages(limit));
  if (globals.quiet || printer.format === 'jsonl') {
    for await (const page of pages(limit)) await printer.result(page, viewOf(false));
    return;
  }
  switch (printer.format) {
    case 'json':
      for await (const text of arrayOf(pages(limit))) await printer.plain(text);
      return;
    case 'csv':
      for await (const text of csvOf(pages, limit)) await printer.plain(text);
      return;
    case 'table':
      if (!host.stdout.isTerminal) return showTables(printer, pages(limit));
      return limit === undefined ? showNewest(printer, pages) : showWhole(printer, pages(limit));
    default:
      return showWhole(printer, pages(limit));
  }
}

async function showWhole(printer: Printer, pages: AsyncIterable<HistoryRow[]>): Promise<void> {
  const rows: HistoryRow[] = [];
  for await (const page of pages) rows.push(...page);
  await printer.result(rows, viewOf(areSeveral(rows)));
}

/** One table below the other: nobody knows how wide the columns of all of them are. */
async function showTables(printer: Printer, pages: AsyncIterable<HistoryRow[]>): Promise<void> {
  let next: View<HistoryRow[]> | undefined;
  for await (const page of pages) {
    const view = next ?? viewOf(areSeveral(page));
    await printer.result(page, view);
    next ??= headless(view);
  }
  if (next === undefined) await printer.result([], viewOf(false));
}

/** The first page, for a person. */
async function showNewest(printer: Printer, pages: Pages): Promise<void> {
  const { value: rows = [] } = await pages(SHOWN + 1).next();
  const shown = rows.slice(0, SHOWN);
  await printer.result(shown, viewOf(areSeveral(shown)));
  if (rows.length > SHOWN)
    await printer.note(
      `these are the first ${SHOWN}: \`waybill history list --before ${shown.at(-1)?.id}\` shows the next ones, and --limit N more at once`,
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

/** CSV, read twice: which columns there are is known at the end, and they stand first. */
async function* csvOf(pages: Pages, limit = Number.POSITIVE_INFINITY): AsyncGenerator<string> {
  const columns = new Set<string>();
  let newest: HistoryRow | undefined;
  for await (const page of pages(limit)) {
    newest ??= page[0];
    for (const row of page) for (const column of leavesOf(row).keys()) columns.add(column);
  }
  if (newest === undefined) return;
  const line = (row: HistoryRow) => {
    const leaves = leavesOf(row);
    return csvLine([...columns].map(column => cellOf(leaves.get(column))));
  };
  yield csvLine([...columns]) + line(newest);
  // What was booked in the meantime is not among them.
  for await (const page of pages(limit - 1, newest.id)) yield page.map(line).join('');
}

const cellOf = (cell: Scalar): Scalar => (typeof cell === 'string' ? escapeFormula(safeLines(cell)) : cell);

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
