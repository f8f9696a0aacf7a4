// Text of the service is made safe for a terminal, which would act on control characters.
import { formatPath, isRecord } from '../contract/paths.ts';
import { SEPARATORS } from '../text.ts';

const BREAK = /\r\n|[\t\n\v\f\r\u0085\u2028\u2029]/g;
// Controls (ESC among them), formats (bidi, zero-width, BOM, tags), separators and lone surrogates.
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
const UNSAFE_IN_JSON = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** Text in which nothing is to be replaced, as in most texts. */
const PLAIN = /^[ -~]*$/;

/** One line of text without control characters; a line break or tab becomes a space. */
export function safe(text: string): string {
  return PLAIN.test(text) ? text : text.replace(BREAK, ' ').replace(UNSAFE, '');
}

/** Text of several lines without control characters; its line feeds stay. */
export function safeLines(text: string): string {
  if (!text.includes('\n')) return safe(text);
  return text
    .split(/\r?\n/)
    .map(line => safe(line))
    .join('\n');
}

/** JSON that parses to the same value, with control and bidi characters escaped. */
export function safeJson(value: unknown, indent?: number): string {
  // Lone surrogates and C0 are escaped by JSON.stringify itself.
  const json: string | undefined = JSON.stringify(value, undefined, indent);
  return (json ?? 'null').replace(
    UNSAFE_IN_JSON,
    char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

// What acts on a terminal: controls (except tabs and line ends), separators, and characters that turn the direction of text.
const ACTING =
  /\u001b(?!\[(?:[12]|22|3[1-3]|39)m)|\r(?!\n)|[\u0000-\u0008\u000b\u000c\u000e-\u001a\u001c-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Text for a stream: nothing in it acts on a terminal, except colours of waybill itself if `isColored`. */
export const harmless = (text: string, isColored: boolean): string => {
  const shown = text.replace(ACTING, '');
  return isColored ? shown : shown.replaceAll('\u001b', '');
};

// The text format of the AWS CLI, for `read` and `cut` in a shell: fields are separated by tabs.
//
//   scalar            itself; null is `None`
//   list of scalars   one line
//   object            one line with its scalars, in the order of their names; then each nested value on lines
//                     of its own that begin with its name in capitals
//   list of objects   the same for each, with the same columns for all

/** The lines of a value in the text format. */
export function textLines(value: unknown, name?: string): string[] {
  if (Array.isArray(value)) return listLines(value, name);
  if (isRecord(value)) return recordLines(value, scalarNames([value]), name);
  return [textLine(name, [isScalar(value) ? value : null])];
}

function listLines(list: readonly unknown[], name: string | undefined): string[] {
  const scalars = list.filter(isScalar);
  const names = scalarNames(list.filter(isRecord));
  const nested = list
    .filter(element => !isScalar(element))
    .flatMap(element => (isRecord(element) ? recordLines(element, names, name) : textLines(element, name)));
  if (scalars.length === 0) return nested;
  // A named list has a line for each element, so that `grep NAME` finds all of them.
  const ownLines =
    name === undefined ? [textLine(name, scalars)] : scalars.map(scalar => textLine(name, [scalar]));
  return [...ownLines, ...nested];
}

function recordLines(record: Record<string, unknown>, names: readonly string[], name?: string): string[] {
  const cells = names.map(key => {
    const cell = Object.hasOwn(record, key) ? record[key] : '';
    return isScalar(cell) ? cell : '';
  });
  const nested = Object.keys(record)
    .filter(key => !isScalar(record[key]))
    .sort()
    .flatMap(key => textLines(record[key], key));
  return [...(cells.length > 0 ? [textLine(name, cells)] : []), ...nested];
}

/** Every name under which a record has a scalar. */
function scalarNames(records: readonly Record<string, unknown>[]): string[] {
  const names = records.flatMap(record => Object.keys(record).filter(key => isScalar(record[key])));
  return [...new Set(names)].sort();
}

function textLine(name: string | undefined, cells: readonly Scalar[]): string {
  const texts = cells.map(cell => safe(String(cell ?? 'None')));
  return (name === undefined ? texts : [safe(name.toUpperCase()), ...texts]).join('\t');
}

export type Scalar = string | number | boolean | null | undefined;

/** The name of the column for a value that has no fields. */
const BARE = 'value';

/** The scalars of a JSON value, by their written paths (`packages[0].weight`), in order. */
export function leavesOf(value: unknown): Map<string, Scalar> {
  const leaves = new Map<string, Scalar>();
  collect(value, [], leaves);
  return leaves;
}

/** The paths of all rows, in the order of their first occurrence. */
export function pathsOfRows(rows: readonly ReadonlyMap<string, Scalar>[]): string[] {
  return [...new Set(rows.flatMap(row => [...row.keys()]))];
}

/** The items of a result: the elements of an array, else the value itself; none for null. */
export function itemsOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return value === null || value === undefined ? [] : [value];
}

/** Has the value neither fields nor elements? */
export const isScalar = (value: unknown): value is Scalar => !Array.isArray(value) && !isRecord(value);

function collect(value: unknown, path: readonly (string | number)[], cells: Map<string, Scalar>): void {
  if (Array.isArray(value))
    for (const [index, element] of value.entries()) collect(element, [...path, index], cells);
  else if (isRecord(value))
    for (const [name, inner] of Object.entries(value)) collect(inner, [...path, name], cells);
  else if (isScalar(value)) cells.set(path.length === 0 ? BARE : formatPath(path), value);
}

// CSV by RFC 4180, made safe for spreadsheets, which would run some cells as formulas.

// Full-width signs, too: spreadsheets of East Asian locales read them as the ASCII signs.
const FORMULA = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/;
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/** Text for a spreadsheet: a text that looks like a formula, and is not a number, gets a `'` in front. */
export const escapeFormula = (text: string): string =>
  FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;

/** The text without the `'` of `escapeFormula`. */
export const unescapeFormula = (text: string): string =>
  text.startsWith("'") && escapeFormula(text.slice(1)) === text ? text.slice(1) : text;

/** How rows of cells and their header are written, with cells that a spreadsheet reads as text. */
export interface RowText {
  head(columns: readonly string[]): string;
  row(cells: readonly Scalar[]): string;
}

/** Rows in a format whose cells are separated by `separator`. */
export const rowText = (separator: string = SEPARATORS.csv): RowText => ({
  head: columns => csvLine(columns, separator),
  row: cells => csvLine(cells.map(safeCell), separator),
});

/** A record with its line end. Cells are quoted only if necessary. */
function csvLine(cells: readonly Scalar[], separator: string): string {
  const line = cells.map(cell => csvCell(String(cell ?? ''), separator)).join(separator);
  // A record of one empty cell would be a blank line, which readers skip.
  return `${line === '' ? '""' : line}\r\n`;
}

/** CSV of items: a header with the paths of fields, and a record for each item; empty if there are no fields. */
export function toCsv(items: readonly unknown[], separator: string = SEPARATORS.csv): string {
  const rows = items.map(leavesOf);
  const columns = pathsOfRows(rows);
  if (columns.length === 0) return '';
  const records = [columns, ...rows.map(row => columns.map(column => row.get(column)))];
  return records.map(rowText(separator).row).join('');
}

/** A cell whose text is safe to show. */
const safeCell = (cell: Scalar): Scalar => (typeof cell === 'string' ? escapeFormula(safeLines(cell)) : cell);

const csvCell = (text: string, separator: string): string =>
  /["\r\n]/.test(text) || text.includes(separator) ? `"${text.replaceAll('"', '""')}"` : text;
