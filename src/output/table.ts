// Columns of text. The library cli-table3 only measures text here: when it cuts, it leaves halves of surrogate pairs.
import type { Notice } from '../say/notices.ts';
import { wrapped } from '../text.ts';
import { type Look, measure, type Paint, type Streams } from './look.ts';
import { isScalar, leavesOf, pathsOfRows, type Scalar, safe } from './text.ts';

/** `right`: for numbers. `whole`: on the left, for ids and links. Columns of both kinds are never cut. */
export type Align = 'left' | 'right' | 'whole';

/** A cell; a missing value is shown as `-`. */
export type Cell = Scalar | { text: Scalar; paint: Paint };

export const BLANK: Cell = { text: '', paint: text => text };

export const GUTTER = '  ';
/** The least width of a column that is cut: less shows nothing useful. */
const LEAST = 5;
/** The longest text of a cell, also in a pipe: every row is as wide as the longest cell of each column. No honest text is longer. */
const MOST = 5000;

/** Draws rows as columns, together at most `columns` wide; `undefined` if they cannot be that narrow. */
export async function grid(
  rows: readonly (readonly Cell[])[],
  columns: number | undefined,
  align: readonly Align[] = [],
): Promise<string | undefined> {
  if (rows.length === 0) return '';
  const strlen = await measure();
  const cells = drawnCells(rows);
  const widths = fitted(naturalWidths(cells, strlen), columns, align);
  if (widths === undefined) return undefined;
  const drawn = (cell: Drawn, at: number) => {
    const width = widths[at] ?? 1;
    const shown = cut(cell.text, width, strlen);
    const room = ' '.repeat(width - strlen(shown));
    return align[at] === 'right' ? room + cell.paint(shown) : cell.paint(shown) + room;
  };
  return cells.map(row => row.map(drawn).join(GUTTER).trimEnd()).join('\n');
}

/** The width of each column if nothing is cut. */
export const widthsOf = async (rows: readonly (readonly Cell[])[]): Promise<number[]> =>
  naturalWidths(drawnCells(rows), await measure());

interface Drawn {
  text: string;
  paint: Paint;
}

function drawnCells(rows: readonly (readonly Cell[])[]): Drawn[][] {
  const count = rows.reduce((most, row) => Math.max(most, row.length), 0);
  return rows.map(row => Array.from({ length: count }, (_, index) => cellOf(row[index])));
}

const naturalWidths = (cells: readonly (readonly Drawn[])[], strlen: (text: string) => number): number[] =>
  (cells[0] ?? []).map((_, index) =>
    cells.reduce((most, row) => Math.max(most, strlen(row[index]?.text ?? '')), 1),
  );

function cellOf(cell: Cell): Drawn {
  const { text, paint } = typeof cell === 'object' && cell !== null ? cell : { text: cell, paint: same };
  const whole = safe(String(text ?? '')).trim() || (cell === BLANK ? '' : '-');
  return { text: whole.length <= MOST ? whole : safe(`${whole.slice(0, MOST)}…`), paint };
}

const same: Paint = text => text;

/** The text if it fits, else its beginning with an ellipsis. */
function cut(text: string, width: number, strlen: (text: string) => number): string {
  if (strlen(text) <= width) return text;
  const chars = [...text].slice(0, width - 1);
  while (strlen(`${chars.join('')}…`) > width) chars.pop();
  return `${chars.join('')}…`;
}

/** Narrows the widest column that may be cut, until all columns fit. */
function fitted(
  natural: readonly number[],
  columns = Number.POSITIVE_INFINITY,
  align: readonly Align[],
): number[] | undefined {
  const widths = [...natural];
  const total = widths.reduce((sum, width) => sum + width + GUTTER.length, -GUTTER.length);
  for (let excess = total - columns; excess > 0; excess -= 1) {
    const able = widths.map((width, index) => (isWhole(align[index]) || width <= LEAST ? 0 : width));
    const widest = Math.max(...able);
    if (widest === 0) return undefined;
    widths[able.lastIndexOf(widest)] = widest - 1;
  }
  return widths;
}

const isWhole = (align: Align | undefined): boolean => align === 'right' || align === 'whole';

interface TableParts {
  head: readonly string[];
  rows: readonly (readonly Cell[])[];
  /** The alignment of each column; `right` is for numbers, which are never cut. */
  align?: readonly Align[];
}

/** Rows below a header. On a terminal that is too narrow, each row becomes a block of pairs. */
export async function table(look: Look, parts: TableParts): Promise<string> {
  const { head, rows, align } = parts;
  const titles = head.map(title => ({ text: title.toUpperCase(), paint: look.bold }));
  const drawn = await grid([titles, ...rows], look.columns, align);
  return drawn ?? blocks(look, head, rows);
}

/** One record: a label and a value on each line. Nothing is cut, so that ids and links can be copied. */
export async function pairs(look: Look, entries: readonly (readonly [string, Cell])[]): Promise<string> {
  const { columns } = look;
  const rows = labelledRows(look, entries);
  if (columns === undefined) return (await grid(rows, undefined)) ?? '';
  const widthOf = await measure();
  const room = columns - Math.max(0, ...entries.map(([label]) => widthOf(label))) - GUTTER.length;
  const fitted = rows.flatMap(([label, value]) =>
    wrappedCell(value, room, widthOf).map((line, index) => [index === 0 ? label : BLANK, line]),
  );
  return (await grid(fitted, undefined)) ?? '';
}

/** A cell as lines that break at spaces. */
function wrappedCell(value: Cell, room: number, widthOf: (text: string) => number): Cell[] {
  const { text, paint } = cellOf(value);
  const lines = wrapped(text, room, widthOf);
  return lines.length < 2 ? [value] : lines.map(line => ({ text: line, paint }));
}

/** Any JSON value: a list as a table of its fields, an object as pairs. */
export async function anyTable(look: Look, value: unknown): Promise<string> {
  if (isScalar(value)) return safe(String(value ?? '-'));
  if (!Array.isArray(value)) return pairs(look, [...leavesOf(value)]);
  const items = value.map(leavesOf);
  const head = pathsOfRows(items);
  return head.length === 0
    ? ''
    : table(look, { head, rows: items.map(item => head.map(name => item.get(name))) });
}

async function blocks(
  look: Look,
  head: readonly string[],
  rows: readonly (readonly Cell[])[],
): Promise<string> {
  const drawn = rows.map(async row => {
    const entries = labelledRows(
      look,
      head.map((title, index) => [title, row[index]]),
    );
    // If even the columns without a limit are too wide, the terminal breaks the lines.
    return (await grid(entries, look.columns)) ?? (await grid(entries, undefined)) ?? '';
  });
  return (await Promise.all(drawn)).join('\n\n');
}

const labelledRows = (look: Look, entries: readonly (readonly [string, Cell])[]): Cell[][] =>
  entries.map(([label, value]) => [{ text: label, paint: look.dim }, value]);

// Lists with a row for each thing. The columns depend only on the width of the terminal, and never on the rows.

export interface ListColumn<Row> {
  head: string;
  /** The least width of a terminal that shows the column; where nothing is cut, all columns are shown. */
  from: number;
  align?: Align;
  /** `now`: times of the same year are shown without the year. */
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

/** Says on a terminal which columns a list lacks, and how to see them, so that nobody thinks that these are all columns. */
export async function noteLeftOut<Row>(
  host: Streams,
  printer: { readonly format: string; note(notice: Notice): Promise<void> },
  columns: readonly ListColumn<Row>[],
): Promise<void> {
  const { columns: width = 0 } = host.stdout;
  if (printer.format !== 'table' || !host.stderr.isTerminal || width === 0) return;
  const leftOut = columns.filter(({ from }) => from > width && Number.isFinite(from));
  if (leftOut.length === 0) return;
  const heads = leftOut.map(({ head }) => head);
  const enough = Math.max(...leftOut.map(({ from }) => from));
  await printer.note({ kind: 'columns-left-out', heads, columns: enough });
}
