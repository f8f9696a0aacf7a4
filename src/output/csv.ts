// CSV by RFC 4180, made safe for spreadsheets, which would run some cells as formulas.
import { columnsOf, leavesOf, type Scalar, safeLines } from './text.ts';

// Full-width variants too: spreadsheets of East Asian locales take them for the ASCII ones.
const FORMULA = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/;
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/** Text that a spreadsheet reads as text: what looks like a formula, and is not a number, gets a `'`. */
export const escapeFormula = (text: string): string =>
  FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;

/** The text without the `'` of `escapeFormula`. */
export const unescapeFormula = (text: string): string =>
  text.startsWith("'") && escapeFormula(text.slice(1)) === text ? text.slice(1) : text;

/** One record with its line end; cells are quoted only if necessary. */
export function csvLine(cells: readonly Scalar[]): string {
  const line = cells.map(cell => quoted(String(cell ?? ''))).join(',');
  // A record of one empty field would be a blank line, which readers skip.
  return `${line === '' ? '""' : line}\r\n`;
}

/** A header of field paths and a record for each item; empty if there are no fields. */
export function toCsv(items: readonly unknown[]): string {
  const rows = items.map(leavesOf);
  const columns = columnsOf(rows);
  if (columns.length === 0) return '';
  const records = [columns, ...rows.map(row => columns.map(column => row.get(column)))];
  return records.map(record => csvLine(record.map(safeCell))).join('');
}

/** A cell of a value, as text that is safe to show. */
export const safeCell = (cell: Scalar): Scalar =>
  typeof cell === 'string' ? escapeFormula(safeLines(cell)) : cell;

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
