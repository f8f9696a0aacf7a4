// A narrow terminal shows fewer columns of a list; which ones is said, so that nobody thinks that there are no more.
import type { Streams } from '../output/look.ts';
import type { Printer } from '../output/print.ts';

interface SizedColumn {
  head: string;
  /** The width of a terminal from which on it is shown. */
  from: number;
}

/** Says on a terminal which columns a table lacks, and how to see them. */
export async function noteLeftOut(
  host: Streams,
  printer: Printer,
  columns: readonly SizedColumn[],
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
