import { formatPath, listAt, type Path, setAt } from '../contract/paths.ts';
import { Failure } from '../errors.ts';
import { type CellIssue, type CellSettings, isReadLast, parsedIssues, withCell, withUnit } from './cells.ts';
import { type Column, type FieldColumn, ownOption } from './columns.ts';
import type { InputSettings, OwnOptions, ParsedRecord } from './source.ts';

export interface RowSettings {
  header: readonly string[];
  columns: readonly Column[];
  values: CellSettings;
  packages: InputSettings['packages'];
  /** Has the row an item that is shipped? */
  isItem(cells: readonly string[]): boolean;
  /** The column of a product table. */
  by: string | undefined;
}

/** One order from its rows: the first says what the order is, and each row adds an element to the `[]` columns. */
export function parseRows(rows: readonly (readonly string[])[], settings: RowSettings): ParsedRecord {
  const { header, columns, packages, values } = settings;
  const issues = rows.flatMap((cells): CellIssue[] =>
    cells.length === header.length
      ? []
      : [{ path: '', message: `has ${cells.length} cells, but the header has ${header.length}` }],
  );
  let key: string | undefined;
  let value: unknown = {};
  let options: OwnOptions | undefined;
  const parcels: unknown[] = [];
  const last: { column: FieldColumn; cell: string; title: string }[] = [];

  for (const [index, column] of columns.entries()) {
    const title = header[index] ?? '';
    const cells = rows.map(cells => (isBlank(cells[index]) ? undefined : cells[index]));
    if (column.kind === 'nameless' && cells.some(cell => cell !== undefined))
      issues.push({ path: '', message: `has a cell without a header (column ${index + 1})` });
    if (column.kind === 'ignored' || column.kind === 'nameless') continue;
    if (column.kind === 'field' && column.inner) continue;
    const each = column.kind === 'package' && column.each;
    const given = cells.filter(cell => cell !== undefined);
    const [first] = given;
    const expected = cells[0]?.trim();
    const other = each ? -1 : cells.findIndex(cell => cell !== undefined && cell.trim() !== expected);
    if (other >= 0)
      issues.push({
        path: title,
        message: `is ${JSON.stringify(cells[other])} in row ${other + 1} of the order, but ${expected === undefined ? 'nothing' : JSON.stringify(expected)} in its first row`,
      });
    if (first === undefined) continue;
    if (column.kind === 'key') key = first.trim();
    else if (column.kind === 'field' && isReadLast(column)) last.push({ column, cell: first, title });
    else if (column.kind === 'field')
      value = withCell(value, column.path, column, first, title, values, issues);
    else if (column.kind === 'option')
      options = { ...options, ...ownOption(column, withUnit(first, values), title, issues) };
    else for (const spec of each ? given : [first]) addParcel(spec, title);
  }
  for (const { column, cell, title } of last)
    value = withCell(value, column.path, column, cell, title, values, issues);
  const products: (string | undefined)[] = [];
  value = addEach(compacted(value), rows.filter(settings.isItem), settings, issues, products);
  if (packages && parcels.length > 0)
    value = setAt(value, packages.path, [...listAt(value, packages.path), ...parcels]);
  return {
    key,
    value: value as ParsedRecord['value'],
    ...(options && { options }),
    ...(settings.by !== undefined && { products }),
    ...parsedIssues(issues),
  };

  function addParcel(spec: string, title: string): void {
    try {
      parcels.push(packages?.entry(spec));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      issues.push({
        path: title,
        message: packageMessage(error),
        unread: [formatPath(packages?.path ?? [])],
      });
    }
  }
}

/** Why a SPEC is wrong, without the flag, which the user has not given. */
export const packageMessage = ({ message }: Failure): string => message.replace(/^--package /, '');

const isBlank = (cell: string | undefined): boolean => cell === undefined || cell.trim() === '';

/** The list that a product table says more of. */
const ITEMS = 'items';

/** For each list with `[]` columns, adds one element for each row. `products`: gets that of each item. */
function addEach(
  start: unknown,
  rows: readonly (readonly string[])[],
  settings: RowSettings,
  issues: CellIssue[],
  products: (string | undefined)[],
): unknown {
  const { header, values, by } = settings;
  const lists = new Map<string, { path: Path; columns: { index: number; column: FieldColumn }[] }>();
  const productAt = by === undefined ? -1 : header.indexOf(by);
  if (by !== undefined) lists.set(ITEMS, { path: [ITEMS], columns: [] });
  for (const [index, column] of settings.columns.entries()) {
    if (column.kind !== 'field' || column.inner === undefined) continue;
    const name = formatPath(column.path);
    const list = lists.get(name) ?? { path: column.path, columns: [] };
    list.columns.push({ index, column });
    lists.set(name, list);
  }
  let value = start;
  for (const { path, columns } of lists.values()) {
    const elements = [...listAt(value, path)];
    for (const cells of rows) {
      const given = columns.filter(({ index }) => !isBlank(cells[index]));
      const product = path[0] === ITEMS ? cells[productAt]?.trim() || undefined : undefined;
      if (given.length === 0 && product === undefined) continue;
      if (path[0] === ITEMS) products[elements.length] = product;
      elements.push(
        given.reduce((element: unknown, { index, column }) => {
          const [cell = '', title = ''] = [cells[index], header[index]];
          const inner = column.inner ?? [];
          const at = [...path, elements.length, ...inner];
          return withCell(element, inner, column, cell, title, values, issues, at);
        }, {}),
      );
    }
    if (elements.length > 0) value = setAt(value, path, elements);
  }
  return value;
}

/** Without the holes of missing elements. */
function compacted(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter(entry => entry !== undefined).map(compacted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, compacted(entry)]));
}
