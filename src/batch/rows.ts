import type { Issue } from '../contract/operation.ts';
import { formatPath, getAt, type Path, setAt } from '../contract/paths.ts';
import { Failure } from '../errors.ts';
import { typed } from '../request/values.ts';
import type { Column, FieldColumn } from './columns.ts';

export interface RowSettings {
  header: readonly string[];
  columns: readonly Column[];
  decimal: '.' | ',';
  packages: { path: string; entry(spec: string): unknown } | undefined;
}

/** What the rows of one order say. */
export interface RowsRead {
  key: string | undefined;
  value: unknown;
  faults: Issue[];
}

/** One order out of its rows: the first says what the order is, and each adds an element to the `[]` columns. */
export function readRows(rows: readonly (readonly string[])[], settings: RowSettings): RowsRead {
  const { header, columns, packages } = settings;
  const faults: Issue[] = rows.flatMap(cells =>
    cells.length === header.length
      ? []
      : [{ path: '', message: `has ${cells.length} cells where the header has ${header.length}` }],
  );
  let key: string | undefined;
  let value: unknown = {};
  const parcels: unknown[] = [];

  for (const [index, column] of columns.entries()) {
    const title = header[index] ?? '';
    const cells = rows.map(cells => (isBlank(cells[index]) ? undefined : cells[index]));
    if (column.kind === 'nameless' && cells.some(cell => cell !== undefined))
      faults.push({ path: '', message: `has a cell (column ${index + 1}) without a header` });
    if (column.kind === 'ignored' || column.kind === 'nameless') continue;
    if (column.kind === 'field' && column.inner) continue;
    const each = column.kind === 'package' && column.each;
    const given = cells.filter(cell => cell !== undefined);
    const [first] = given;
    const said = cells[0]?.trim();
    const other = each ? -1 : cells.findIndex(cell => cell !== undefined && cell.trim() !== said);
    if (other >= 0)
      faults.push({
        path: title,
        message: `says ${JSON.stringify(cells[other])} in row ${other + 1} of the order, of which the first row says ${said === undefined ? 'nothing' : JSON.stringify(said)}`,
      });
    if (first === undefined) continue;
    if (column.kind === 'key') key = first.trim();
    else if (column.kind === 'field') value = setAt(value, column.path, cellValue(column, first, settings));
    else for (const spec of each ? given : [first]) addParcel(spec, title);
  }
  value = addEach(compacted(value), rows, settings);
  if (packages && parcels.length > 0) {
    const path = parsePathOf(packages.path);
    const there = getAt(value, path);
    value = setAt(value, path, [...(Array.isArray(there) ? there : []), ...parcels]);
  }
  return { key, value, faults };

  function addParcel(spec: string, title: string): void {
    try {
      parcels.push(packages?.entry(spec));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      faults.push({ path: title, message: error.message.replace(/^--package /, '') });
    }
  }
}

export const parsePathOf = (dotted: string): Path => dotted.split('.');

const isBlank = (cell: string | undefined): boolean => cell === undefined || cell.trim() === '';

/** Each row's own element, of each list that has `[]` columns. */
function addEach(start: unknown, rows: readonly (readonly string[])[], settings: RowSettings): unknown {
  const lists = new Map<string, { path: Path; columns: { index: number; column: FieldColumn }[] }>();
  for (const [index, column] of settings.columns.entries()) {
    if (column.kind !== 'field' || column.inner === undefined) continue;
    const name = formatPath(column.path);
    const list = lists.get(name) ?? { path: column.path, columns: [] };
    list.columns.push({ index, column });
    lists.set(name, list);
  }
  let value = start;
  for (const { path, columns } of lists.values()) {
    const there = getAt(value, path);
    const elements: unknown[] = Array.isArray(there) ? [...there] : [];
    for (const cells of rows) {
      const given = columns.filter(({ index }) => !isBlank(cells[index]));
      if (given.length === 0) continue;
      elements.push(
        given.reduce(
          (element: unknown, { index, column }) =>
            setAt(element, column.inner ?? [], cellValue(column, cells[index] ?? '', settings)),
          {},
        ),
      );
    }
    if (elements.length > 0) value = setAt(value, path, elements);
  }
  return value;
}

function cellValue({ field }: FieldColumn, cell: string, { decimal }: RowSettings): unknown {
  if (field?.kind === 'number') return typed(field, decimal === ',' ? withDot(cell) : cell);
  // Spreadsheets write TRUE.
  if (field?.kind === 'boolean') return typed(field, cell.trim().toLowerCase());
  return typed(field, field === undefined || field.kind === 'text' ? cell : cell.trim());
}

/**
 * `1.234,5` → `1234.5`; what is no such number stays as it is, to be refused with what was given. `1.234` alone may
 * be a thousand or a bit more than one: a parcel is never made a thousand times heavier by a guess.
 */
const withDot = (cell: string): string =>
  /^\s*[+-]?(\d{1,3}\.\d{3},\d+|\d{1,3}(\.\d{3}){2,}(,\d+)?|\d+(,\d+)?)\s*$/.test(cell)
    ? cell.replaceAll('.', '').replace(',', '.')
    : cell.replace(/^(\s*[+-]?\d+\.\d+\s*)$/, '$1 (a decimal comma is wanted)');

/** Without the holes of elements that are not there. */
function compacted(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter(entry => entry !== undefined).map(compacted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, compacted(entry)]));
}
