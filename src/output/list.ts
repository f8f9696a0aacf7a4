// Lists with a line for each thing. The columns depend on the width of the terminal, and never on what is in them.
import type { Look, Streams } from '../output/look.ts';
import type { Printer } from '../output/print.ts';
import { type Align, type Cell, table } from '../output/table.ts';

export interface ListColumn<Row> {
  head: string;
  /** The width of a terminal from which on it is shown; where nothing is cut, all are. */
  from: number;
  align?: Align;
  /** `now`: the times of this year have no year. */
  cell(row: Row, look: Look, now: number): Cell;
}

export function listTable<Row>(
  rows: readonly Row[],
  columns: readonly ListColumn<Row>[],
  look: Look,
  now: number,
): Promise<string> {
  const width = look.columns ?? Number.POSITIVE_INFINITY;
  const shown = columns.filter(({ from }) => from <= width);
  return table(look, {
    head: shown.map(({ head }) => head),
    align: shown.map(({ align = 'left' }) => align),
    rows: rows.map(row => shown.map(({ cell }) => cell(row, look, now))),
  });
}

/** Says on a terminal which columns a list lacks, and how to see them, so that nobody thinks that there are no more. */
export async function noteLeftOut<Row>(
  host: Streams,
  printer: Printer,
  columns: readonly ListColumn<Row>[],
): Promise<void> {
  const { columns: width = 0 } = host.stdout;
  if (printer.format !== 'table' || !host.stderr.isTerminal || width === 0) return;
  const leftOut = columns.filter(({ from }) => from > width && Number.isFinite(from));
  if (leftOut.length === 0) return;
  const heads = leftOut.map(({ head }) => head).join(', ');
  const enough = Math.max(...leftOut.map(({ from }) => from));
  await printer.note(
    `this terminal is too narrow for: ${heads}. A terminal of ${enough} columns shows all, and so does -o json`,
  );
}
