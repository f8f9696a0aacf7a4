// The list of orders is written page by page, so that memory does not grow with the journal.
import type { Order } from '../../journal/types.ts';
import type { Printer, View } from '../../output/print.ts';
import { safeJson } from '../../output/safe.ts';
import type { HistoryRow } from '../../schemas.ts';
import type { Session } from '../../session/session.ts';
import { orderRow } from '../../views/booking-row.ts';
import { noteLeftOut } from '../../views/list.ts';
import { CSV_HEAD, csvRow, ORDER_COLUMNS, viewOf, withoutHead } from '../../views/order-list.ts';

/** The orders in pages: at most `most`. */
export type Pages = (most?: number) => AsyncGenerator<Order[]>;

/** A person who gives no limit sees this many. */
export const FIRST_PAGE = 100;

/** Shows each page as it is read, if the format can be written piece by piece. */
export async function showPages(session: Session, limit: number | undefined, pages: Pages): Promise<void> {
  const { printer, globals, host } = session;
  const { format } = printer;
  const view = viewOf(host.now());
  if (globals.query !== undefined) return showRows(printer, pages(limit));
  if (globals.quiet || format === 'jsonl') {
    for await (const page of pages(limit)) await printer.result(page, view);
    return;
  }
  if (format === 'json' || format === 'csv') {
    const texts = format === 'json' ? arrayOf(pages(limit)) : csvOf(pages(limit));
    for await (const text of texts) await printer.plain(text);
    return;
  }
  if (format === 'table' && !host.stdout.isTerminal) return showTables(printer, pages(limit), view);
  if (format !== 'table') return showRows(printer, pages(limit));
  const isEmpty =
    limit === undefined
      ? await showNewest(printer, pages, view)
      : await showTable(printer, pages(limit), view);
  if (!isEmpty) await noteLeftOut(host, printer, ORDER_COLUMNS);
}

/** At once: a query sees all of them. */
async function showRows(printer: Printer, pages: AsyncIterable<Order[]>): Promise<void> {
  await printer.result((await all(pages)).map(orderRow), ROWS);
}

const ROWS: View<HistoryRow[]> = { essential: rows => rows.map(({ id }) => id), table: () => '' };

/** True if there is none. */
async function showTable(
  printer: Printer,
  pages: AsyncIterable<Order[]>,
  view: View<Order[]>,
): Promise<boolean> {
  const orders = await all(pages);
  await printer.result(orders, view);
  return orders.length === 0;
}

async function all(pages: AsyncIterable<Order[]>): Promise<Order[]> {
  const orders: Order[] = [];
  for await (const page of pages) orders.push(...page);
  return orders;
}

/** One table below the other: the width of all columns is not known before the last page. */
async function showTables(
  printer: Printer,
  pages: AsyncIterable<Order[]>,
  view: View<Order[]>,
): Promise<void> {
  let next = view;
  for await (const page of pages) {
    await printer.result(page, next);
    next = withoutHead(view);
  }
  if (next === view) await printer.result([], view);
}

/** The first page, for a person. True if there is none. */
async function showNewest(printer: Printer, pages: Pages, view: View<Order[]>): Promise<boolean> {
  const { value: orders = [] } = await pages(FIRST_PAGE + 1).next();
  const shown = orders.slice(0, FIRST_PAGE);
  await printer.result(shown, view);
  if (orders.length > FIRST_PAGE)
    await printer.note(
      `these are the first ${FIRST_PAGE}. Add --before ${shown.at(-1)?.booking.id} to the command to see the next ones, or --limit N to see more at once`,
    );
  return orders.length === 0;
}

/** The text of one JSON array, the same as if it was written at once; each piece ends with a line. */
async function* arrayOf(pages: AsyncIterable<Order[]>): AsyncGenerator<string> {
  let held: string | undefined;
  for await (const page of pages) {
    yield held === undefined ? '[\n' : `${held},\n`;
    held = safeJson(page.map(orderRow), 2).slice('[\n'.length, -'\n]'.length);
  }
  yield held === undefined ? '[]\n' : `${held}\n]\n`;
}

async function* csvOf(pages: AsyncIterable<Order[]>): AsyncGenerator<string> {
  yield CSV_HEAD;
  for await (const page of pages) yield page.map(csvRow).join('');
}
