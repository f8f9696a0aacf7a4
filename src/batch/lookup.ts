// `lookup` of a map: what a product table says of the items of an order.
import Big from 'big.js';
import { formatPath, getAt, type Path, setAt } from '../contract/paths.ts';
import type { Issue } from '../contract/shapes.ts';
import { Failure } from '../errors.ts';
import { numberOf, shown } from '../text.ts';
import { type CellIssue, type CellSettings, cellSettings, parsedIssues, withCell } from './cells.ts';
import { columnOf, columnPath, type FieldColumn } from './columns.ts';
import type { InputMap, InputSettings, Lookup, ParsedRecord } from './input-types.ts';

/** The list that the products are in. */
const ITEMS: Path = ['items'];

const WEIGHT = /^packages\[\d+\]\.weight$/;

/** Does the table give weights, which are added up for the order? */
export const givesWeights = (lookup: Pick<Lookup, 'columns'>): boolean =>
  Object.values(lookup.columns).some(path => WEIGHT.test(path));

interface TableColumn {
  title: string;
  /** The index of the column's cell in a row of the table. */
  index: number;
  column: FieldColumn;
}

/** An item of an order, and its row in the table. */
interface Item {
  at: number;
  product: string | undefined;
  row: readonly string[] | undefined;
}

/** What each step of a lookup reads, and where the step reports what is wrong. */
interface TableReading {
  lookup: Lookup;
  tare: number | undefined;
  items: readonly Item[];
  values: CellSettings;
  issues: CellIssue[];
  warnings: string[];
  /** Paths of fields that stay empty because of an issue. */
  unread: string[];
}

/** Gives a function that fills a record from the product table. Throws `invalid_request` for columns of the table that give no field. */
export function lookupOf(
  map: InputMap & { lookup: Lookup },
  settings: InputSettings,
): (record: ParsedRecord) => ParsedRecord {
  const { lookup, tare } = map;
  const columns = tableColumns(map, settings);
  const values = cellSettings(settings);
  return record => {
    const items = (record.products ?? []).map((product, at): Item => {
      return { at, product, row: product === undefined ? undefined : lookup.products.get(product) };
    });
    if (items.length === 0) return record;
    const looking: TableReading = { lookup, tare, items, values, issues: [], warnings: [], unread: [] };
    const value = columns.reduce<unknown>(
      (target, column) =>
        column.column.inner
          ? withItemField(target, column, looking)
          : withOrderField(target, column, looking),
      record.value,
    );
    noteUnknown(columns, looking);
    const { issues, unread = [] } = parsedIssues(looking.issues);
    const warnings = [...(record.readingWarnings ?? []), ...looking.warnings];
    return {
      ...record,
      ...(warnings.length > 0 && { readingWarnings: warnings }),
      value: value as ParsedRecord['value'],
      issues: [...record.issues, ...issues],
      unread: [...(record.unread ?? []), ...unread, ...looking.unread],
    };
  };
}

/** Reports items whose product is not in the table, or has rows that contradict each other. */
function noteUnknown(columns: readonly TableColumn[], looking: TableReading): void {
  const { lookup, items, issues, unread } = looking;
  const { by, key, file, faults } = lookup;
  for (const { at, product, row } of items) {
    if (product === undefined || row !== undefined) continue;
    const why = faults.get(product) ?? `is not in the column ${key} of ${file}`;
    issues.push({ path: by, message: `is ${shown(product)}, which ${why}` });
    for (const { column } of columns) if (column.inner) unread.push(formatPath(pathIn(column, at)));
  }
}

function withItemField(value: unknown, column: TableColumn, looking: TableReading): unknown {
  const { lookup, items, values, issues } = looking;
  return items.reduce((target, item) => {
    const path = pathIn(column.column, item.at);
    const cell = cellIn(item, column);
    if (cell === '' || getAt(target, path) !== undefined) return target;
    return withCell(target, path, column.column, cell, cellName(item, column, lookup), values, issues);
  }, value);
}

/** Fills a field of the whole order: all items must give the same value, but weights are added up. */
function withOrderField(target: unknown, column: TableColumn, looking: TableReading): unknown {
  const { lookup, values, issues, unread } = looking;
  const path = columnPath(column.column);
  if (getAt(target, path) !== undefined) return target;
  if (WEIGHT.test(formatPath(path))) return withWeight(target, path, column, looking);
  const telling = looking.items.filter(item => cellIn(item, column) !== '');
  const cells = [...new Set(telling.map(item => cellIn(item, column)))];
  const [first] = telling;
  if (first === undefined) return target;
  if (cells.length === 1) {
    const name = cellName(first, column, lookup);
    return withCell(target, path, column.column, cells[0] ?? '', name, values, issues);
  }
  unread.push(formatPath(path));
  issues.push({
    path: `${column.title} in ${lookup.file}`,
    message: `is ${cells.map(shown).join(' and ')} for items of one order; give the field a column of the order`,
  });
  return target;
}

/** Fills the weight of the one package: the weight of each item times its quantity, and the weight of the packaging. */
function withWeight(target: unknown, path: Path, column: TableColumn, looking: TableReading): unknown {
  const { lookup, tare = 0, items, issues, warnings, unread } = looking;
  const pieces = [...path.slice(0, -1), 'quantity'];
  const count = getAt(target, pieces);
  if (count !== undefined && count !== 1)
    issues.push({
      path: formatPath(pieces),
      message: `must be 1, because the weights in ${lookup.file} are added up for one package`,
    });
  const weights = items.map(item => {
    const weight = weightOf(item, path, column, looking);
    const quantity = numberOf(String(getAt(target, [...ITEMS, item.at, 'quantity'])));
    return weight === undefined || quantity === undefined ? undefined : Big(weight).times(quantity);
  });
  const known = weights.filter(weight => weight !== undefined);
  if (known.length < weights.length) {
    unread.push(formatPath(path), formatPath(pieces));
    return target;
  }
  const sum = known.reduce((total, weight) => total.plus(weight), Big(tare));
  if (sum.gt(0) && sum.lt(LIGHT))
    warnings.push(
      `its parcel weighs ${sum} kg by ${lookup.file}, less than a letter: look whether ${column.title} has the unit that the map says`,
    );
  return setAt(setAt(target, path, sum.toNumber()), pieces, count ?? 1);
}

/** What a piece of an item weighs; reports why it is not known. */
function weightOf(item: Item, path: Path, column: TableColumn, looking: TableReading): number | undefined {
  const { lookup, values, issues } = looking;
  const cell = cellIn(item, column);
  const name = cellName(item, column, lookup);
  const refuse = (where: string, message: string) => void issues.push({ path: where, message });
  if (item.product === undefined)
    refuse(lookup.by, `is empty for an item, so ${lookup.file} cannot tell the weight of the order`);
  else if (item.row && cell === '') refuse(name, 'is empty, so the order has no weight');
  if (cell === '') return undefined;
  const ofCell: CellIssue[] = [];
  const weight = getAt(withCell({}, path, column.column, cell, name, values, ofCell), path);
  for (const { path: where, message } of ofCell) refuse(where, message);
  if (typeof weight === 'number' && weight > 0) return weight;
  if (ofCell.length === 0) refuse(name, `must be a weight above 0 in kilograms, not ${shown(cell)}`);
  return undefined;
}

const cellIn = (item: Item, column: TableColumn): string => item.row?.[column.index]?.trim() ?? '';

const cellName = (item: Item, column: TableColumn, lookup: Lookup): string =>
  `${column.title} of ${item.product} in ${lookup.file}`;

/** In kilograms: a lighter order gets a warning. */
const LIGHT = 0.01;

const pathIn = (column: FieldColumn, at: number): Path => [...column.path, at, ...(column.inner ?? [])];

function tableColumns(map: InputMap & { lookup: Lookup }, settings: InputSettings): TableColumn[] {
  const { lookup, constants } = map;
  const issues: Issue[] = [];
  const columns = Object.keys(lookup.columns).flatMap((title, index): TableColumn[] => {
    const column = columnOf(title, { ...settings, map: { ...map, columns: lookup.columns } });
    const refuse = (message: string) => void issues.push({ path: `lookup.columns.${title}`, message });
    if (!('kind' in column)) issues.push({ ...column, path: `lookup.columns.${title}` });
    else if (column.kind !== 'field') refuse('must name a field of the request, such as items[].hsCode');
    else if (column.inner && formatPath(column.path) !== 'items') refuse('must name a field of items[]');
    else return [{ title, index, column }];
    return [];
  });
  for (const [path, count] of Object.entries(constants))
    if (/^packages\[\d+\]\.quantity$/.test(path) && count.trim() !== '1' && givesWeights(lookup))
      issues.push({
        path: `constants.${path}`,
        message: `must be 1, because the weights in ${lookup.file} are added up for one package, not ${shown(count)}`,
      });
  if (issues.length === 0) return columns;
  throw new Failure('invalid_request', 'the lookup of the map is not valid', { issues });
}
