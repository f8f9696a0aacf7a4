// The list of bookings is written page by page, so that memory does not grow with the journal.
import { csvLine, safeCell } from '../../output/csv.ts';
import { leavesOf } from '../../output/leaves.ts';
import { money, type Price } from '../../output/money.ts';
import type { Printer, View } from '../../output/print.ts';
import { safeJson } from '../../output/safe.ts';
import { table } from '../../output/table.ts';
import type { Session } from '../../session/session.ts';
import type { HistoryRow } from '../../views/booking-row.ts';

/** The bookings in pages: at most `most`, and only those before the one with the id `after`. */
export type Pages = (most?: number, after?: string) => AsyncGenerator<HistoryRow[]>;

/** A person who gives no limit sees this many. */
export const FIRST_PAGE = 100;

/** Shows each page as it is read, if the format can be written piece by piece. */
export async function showPages(session: Session, limit: number | undefined, pages: Pages): Promise<void> {
  const { printer, globals, host } = session;
  const { format } = printer;
  if (globals.query !== undefined) return showAll(printer, pages(limit));
  if (globals.quiet || format === 'jsonl') {
    for await (const page of pages(limit)) await printer.result(page, viewOf(false));
    return;
  }
  if (format === 'json' || format === 'csv') {
    const texts = format === 'json' ? arrayOf(pages(limit)) : csvOf(pages, limit);
    for await (const text of texts) await printer.plain(text);
    return;
  }
  if (format === 'table' && !host.stdout.isTerminal) return showTables(printer, pages(limit));
  if (format === 'table' && limit === undefined) return showNewest(printer, pages);
  return showAll(printer, pages(limit));
}

async function showAll(printer: Printer, pages: AsyncIterable<HistoryRow[]>): Promise<void> {
  const rows: HistoryRow[] = [];
  for await (const page of pages) rows.push(...page);
  await printer.result(rows, viewOf(hasSeveralBookers(rows)));
}

/** One table below the other: the width of all columns is not known before the last page. */
async function showTables(printer: Printer, pages: AsyncIterable<HistoryRow[]>): Promise<void> {
  let next: View<HistoryRow[]> | undefined;
  for await (const page of pages) {
    const view = next ?? viewOf(hasSeveralBookers(page));
    await printer.result(page, view);
    next ??= withoutHead(view);
  }
  if (next === undefined) await printer.result([], viewOf(false));
}

/** The first page, for a person. */
async function showNewest(printer: Printer, pages: Pages): Promise<void> {
  const { value: rows = [] } = await pages(FIRST_PAGE + 1).next();
  const shown = rows.slice(0, FIRST_PAGE);
  await printer.result(shown, viewOf(hasSeveralBookers(shown)));
  if (rows.length > FIRST_PAGE)
    await printer.note(
      `these are the first ${FIRST_PAGE}. \`waybill history list --before ${shown.at(-1)?.id}\` shows the next ones, and --limit N shows more at once`,
    );
}

/** The text of one JSON array, the same as if it was written at once; each piece ends with a line. */
async function* arrayOf(pages: AsyncIterable<HistoryRow[]>): AsyncGenerator<string> {
  let held: string | undefined;
  for await (const page of pages) {
    yield held === undefined ? '[\n' : `${held},\n`;
    held = safeJson(page, 2).slice('[\n'.length, -'\n]'.length);
  }
  yield held === undefined ? '[]\n' : `${held}\n]\n`;
}

/** CSV. The pages are read twice, because the header needs the columns of all of them. */
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
    return csvLine([...columns].map(column => safeCell(leaves.get(column))));
  };
  yield csvLine([...columns]) + line(newest);
  // Bookings made in the meantime are left out.
  for await (const page of pages(limit - 1, newest.id)) yield page.map(line).join('');
}

const bookerOf = ({ bookedBy: { user, host } }: HistoryRow): string | null =>
  user === null ? host : `${user}@${host}`;

const hasSeveralBookers = (rows: readonly HistoryRow[]): boolean => new Set(rows.map(bookerOf)).size > 1;

/** `who` adds a column with the person who booked. */
const viewOf = (who: boolean): View<HistoryRow[]> => ({
  essential: rows => rows.map(row => row.id),
  table: async (rows, look) =>
    rows.length === 0
      ? 'No bookings.'
      : table(look, {
          head: ['booking', 'when', 'operation', 'key', 'state', 'shipments', 'price'].concat(
            who ? 'booked by' : [],
          ),
          align: ['whole', 'whole', 'whole', 'whole', 'whole', 'whole', 'right', 'left'],
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

/** The same without the header, for the pages after the first one. */
const withoutHead = (view: View<HistoryRow[]>): View<HistoryRow[]> => ({
  ...view,
  async table(rows, look) {
    const text = await view.table(rows, look);
    return text.slice(text.indexOf('\n') + 1);
  },
});
