// `lookup` of a map: what a product table says of the items of an order.
import Big from 'big.js';
import { formatPath, getAt, type Path, setAt } from '../contract/paths.ts';
import type { Issue } from '../contract/shapes.ts';
import { Failure } from '../errors.ts';
import { numberOf, shown } from '../text.ts';
import { type CellIssue, cellSettings, parsedIssues, withCell } from './cells.ts';
import { columnOf, columnPath, type FieldColumn } from './columns.ts';
import type { InputMap, InputSettings, Lookup, ParsedRecord } from './source.ts';

/** The list that the products are in. */
const ITEMS: Path = ['items'];

const WEIGHT = /^packages\[\d+\]\.weight$/;

/** Does it add up weights? */
export const weighs = ({ columns }: Pick<Lookup, 'columns'>): boolean =>
  Object.values(columns).some(path => WEIGHT.test(path));

/** A column of the table. */
interface TableColumn {
  title: string;
  /** Of its cell in a row. */
  index: number;
  column: FieldColumn;
}

/** An item of an order, and its row in the table. */
interface Item {
  at: number;
  product: string | undefined;
  row: readonly string[] | undefined;
}

/** What fills in what a record leaves out. Throws `invalid_request` for columns that give no field. */
export function lookupOf(
  map: InputMap & { lookup: Lookup },
  settings: InputSettings,
): (record: ParsedRecord) => ParsedRecord {
  const { file, by, key, products, faults } = map.lookup;
  const columns = tableColumns(map, settings);
  const values = cellSettings(settings);

  return record => {
    const items = (record.products ?? []).map((product, at): Item => {
      return { at, product, row: product === undefined ? undefined : products.get(product) };
    });
    if (items.length === 0) return record;
    const issues: CellIssue[] = [];
    const warnings: string[] = [];
    /** Paths of which an issue says why they are empty. */
    const unread: string[] = [];
    let value: unknown = record.value;
    for (const one of columns) value = one.column.inner ? ofItems(value, one) : ofOrder(value, one);
    for (const { at, product, row } of items)
      if (product !== undefined && row === undefined) {
        issues.push({
          path: by,
          message: `is ${shown(product)}, which ${faults.get(product) ?? `is not in the column ${key} of ${file}`}`,
        });
        for (const { column } of columns) if (column.inner) unread.push(formatPath(pathIn(column, at)));
      }
    const found = parsedIssues(issues);
    return {
      ...record,
      ...(warnings.length > 0 && { readingWarnings: [...(record.readingWarnings ?? []), ...warnings] }),
      value: value as ParsedRecord['value'],
      issues: [...record.issues, ...found.issues],
      unread: [...(record.unread ?? []), ...(found.unread ?? []), ...unread],
    };

    /** A field of each item. */
    function ofItems(start: unknown, one: TableColumn): unknown {
      return items.reduce((target, item) => {
        const path = pathIn(one.column, item.at);
        const cell = cellIn(item, one);
        if (cell === '' || getAt(target, path) !== undefined) return target;
        return withCell(target, path, one.column, cell, cellName(item, one), values, issues);
      }, start);
    }

    /** A field of the order, of which all of its items say the same; the weight is that of all of them. */
    function ofOrder(target: unknown, one: TableColumn): unknown {
      const path = columnPath(one.column);
      if (getAt(target, path) !== undefined) return target;
      if (WEIGHT.test(formatPath(path))) return withWeight(target, path, one);
      const given = items.filter(item => cellIn(item, one) !== '');
      const cells = [...new Set(given.map(item => cellIn(item, one)))];
      const [first] = given;
      if (first === undefined) return target;
      if (cells.length === 1)
        return withCell(target, path, one.column, cells[0] ?? '', cellName(first, one), values, issues);
      unread.push(formatPath(path));
      issues.push({
        path: `${one.title} in ${file}`,
        message: `is ${cells.map(shown).join(' and ')} for items of one order; give the field a column of the order`,
      });
      return target;
    }

    /** The weight of one package with all items, each times its quantity, and with the packaging. */
    function withWeight(target: unknown, path: Path, one: TableColumn): unknown {
      const refuse = (where: string, message: string) => void issues.push({ path: where, message });
      const pieces = [...path.slice(0, -1), 'quantity'];
      const count = getAt(target, pieces);
      if (count !== undefined && count !== 1)
        refuse(formatPath(pieces), `must be 1, because the weights in ${file} are added up for one package`);
      const weights = items.map(item => {
        const cell = cellIn(item, one);
        const quantity = numberOf(String(getAt(target, [...ITEMS, item.at, 'quantity'])));
        if (item.product === undefined)
          refuse(by, `is empty for an item, so ${file} cannot tell the weight of the order`);
        else if (item.row && cell === '') refuse(cellName(item, one), 'is empty, so the order has no weight');
        if (cell === '') return undefined;
        const found: CellIssue[] = [];
        const weight = getAt(withCell({}, path, one.column, cell, cellName(item, one), values, found), path);
        for (const issue of found) refuse(issue.path, issue.message);
        if (typeof weight === 'number' && weight > 0)
          return quantity === undefined ? undefined : Big(weight).times(quantity);
        if (found.length === 0)
          refuse(cellName(item, one), `must be a weight above 0 in kilograms, not ${shown(cell)}`);
        return undefined;
      });
      const known = weights.filter(weight => weight !== undefined);
      if (known.length < weights.length) {
        unread.push(formatPath(path), formatPath(pieces));
        return target;
      }
      const sum = known.reduce((all, weight) => all.plus(weight), Big(map.tare ?? 0));
      if (sum.lt(LIGHT))
        warnings.push(
          `its parcel weighs ${sum} kg by ${file}, less than a letter: look whether ${one.title} has the unit that the map says`,
        );
      return setAt(setAt(target, path, sum.toNumber()), pieces, count ?? 1);
    }
  };

  function cellIn({ row }: Item, { index }: TableColumn): string {
    return row?.[index]?.trim() ?? '';
  }

  function cellName({ product }: Item, { title }: TableColumn): string {
    return `${title} of ${product} in ${file}`;
  }
}

/** In kilograms; a lighter order is told. */
const LIGHT = 0.01;

const pathIn = ({ path, inner = [] }: FieldColumn, at: number): Path => [...path, at, ...inner];

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
    if (/^packages\[\d+\]\.quantity$/.test(path) && count.trim() !== '1' && weighs(lookup))
      issues.push({
        path: `constants.${path}`,
        message: `must be 1, because the weights in ${lookup.file} are added up for one package, not ${shown(count)}`,
      });
  if (issues.length === 0) return columns;
  throw new Failure('invalid_request', 'the lookup of the map is not valid', { issues });
}
