import { wrapped } from '../text.ts';
import { type Align, BLANK, type Cell, GUTTER, grid } from './grid.ts';
import { columnsOf, isScalar, leavesOf } from './leaves.ts';
import { type Look, measure } from './look.ts';
import { safe } from './safe.ts';

export interface TableParts {
  head: readonly string[];
  rows: readonly (readonly Cell[])[];
  /** By column; `right` is for numbers, which are never cut. */
  align?: readonly Align[];
}

/** Rows below a header. On a terminal that is too narrow, each row becomes a block of pairs. */
export async function table(look: Look, { head, rows, align }: TableParts): Promise<string> {
  const titles = head.map(title => ({ text: title.toUpperCase(), paint: look.bold }));
  const drawn = await grid([titles, ...rows], look.columns, align);
  return drawn ?? blocks(look, head, rows);
}

/** One record: a label and a value on each line. Nothing is cut, so that ids and links can be copied. */
export async function pairs(look: Look, entries: readonly (readonly [string, Cell])[]): Promise<string> {
  const { columns } = look;
  const rows = labelled(look, entries);
  if (columns === undefined) return (await grid(rows, undefined)) ?? '';
  const widthOf = await measure();
  const room = columns - Math.max(0, ...entries.map(([label]) => widthOf(label))) - GUTTER.length;
  const fitted = rows.flatMap(([label, value]) =>
    linesOf(value, room, widthOf).map((line, index) => [index === 0 ? label : BLANK, line]),
  );
  return (await grid(fitted, undefined)) ?? '';
}

/** The value in lines that break at spaces. */
function linesOf(value: Cell, room: number, widthOf: (text: string) => number): Cell[] {
  const { text, paint } =
    typeof value === 'object' && value !== null ? value : { text: value, paint: undefined };
  const lines = wrapped(safe(String(text ?? '')), room, widthOf);
  return lines.length < 2 ? [value] : lines.map(line => (paint ? { text: line, paint } : line));
}

/** Any JSON value: a list as a table of its fields, an object as pairs. */
export async function anyTable(look: Look, value: unknown): Promise<string> {
  if (isScalar(value)) return safe(String(value ?? '-'));
  if (!Array.isArray(value)) return pairs(look, [...leavesOf(value)]);
  const items = value.map(leavesOf);
  const head = columnsOf(items);
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
    const entries = labelled(
      look,
      head.map((title, index) => [title, row[index]]),
    );
    // If even that is too wide, the terminal breaks the lines.
    return (await grid(entries, look.columns)) ?? (await grid(entries, undefined)) ?? '';
  });
  return (await Promise.all(drawn)).join('\n\n');
}

const labelled = (look: Look, entries: readonly (readonly [string, Cell])[]): Cell[][] =>
  entries.map(([label, value]) => [{ text: label, paint: look.dim }, value]);
