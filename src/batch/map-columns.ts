// The columns that a map names: does the file have them, and do they tell enough of the goods?
import { hasField } from '../contract/shapes.ts';
import { Failure } from '../errors.ts';
import { nearest } from '../nearest.ts';
import { someOf } from '../text.ts';
import { mapOf } from './built-in-maps.ts';
import { type Column, isReadByMap } from './columns.ts';
import type { InputMap, InputSettings } from './input-types.ts';
import { columnsOfCells } from './left-out.ts';

/** The header of a CSV. */
interface Header {
  header: readonly string[];
  /** Titles of columns that have no meaning. */
  unknown: readonly string[];
  /** The name of the file. */
  name: string;
}

/**
 * Warnings for columns that the map names and the file lacks: if a title is misspelt, its field would be missing, or have a default. Throws
 * `invalid_request` if orders are left out, or joined with their products, by such a column. With `isForOther`, for an input of another
 * operation, of which only keys and ids count, it never throws.
 */
export function missingColumns(map: InputMap | undefined, header: Header, isForOther = false): string[] {
  if (map === undefined) return [];
  const { columns, transform, lookup } = map;
  const lacks = (column: string) => !header.header.includes(column);
  // A shop has several exports, and none has all columns of its map.
  const shop = map.shop && mapOf(map.extends, map.shop);
  const inherited = shop ? titlesIn(shop) : [];
  // Columns by which the user's map, but not the map of the shop, knows companies: without them companies would get a customs number.
  const asked = Object.keys(map.business).filter(column => !Object.hasOwn(shop?.business ?? {}, column));
  const issues = columnsRead(map)
    .filter(column => lacks(column) && (asked.includes(column) || !inherited.includes(column)))
    .map(column => ({ path: column, message: missingColumnWords(column, header) }));
  const elsewhere = [...Object.keys(map.constants), ...Object.values(lookup?.columns ?? {})];
  for (const [column, message] of Object.entries(map.shop?.needs ?? {})) {
    const path = shop?.columns[column] ?? '';
    const paths = path.endsWith('Price') ? [path, UNIT_PRICE] : [path];
    if (lacks(column) && !paths.some(item => elsewhere.includes(item)))
      issues.push({ path: column, message });
  }
  if (issues.length > 0 && !isForOther)
    throw new Failure('invalid_request', `the map does not fit ${header.name}`, { issues });
  const named = [...Object.keys(columns), ...Object.keys(transform)].filter(
    column => !inherited.includes(column) && !Object.hasOwn(lookup?.columns ?? {}, column),
  );
  // Without these columns, orders would be sent that are not to be sent.
  const states = [...Object.keys(map.skip), ...Object.keys(map.only)].filter(
    column => !inherited.includes(column),
  );
  return [...new Set([...named, ...states])].filter(lacks).map(column => missingColumnWords(column, header));
}

const UNIT_PRICE = 'items[].unitPrice';

/** What customs ask of each item: the word for messages, the field, and other columns that may give the same. */
const GOODS = [
  ['description', 'description'],
  ['quantity', 'quantity', 'sold'],
  ['price', 'unitPrice', 'totalPrice', 'paid', 'kept', 'untaxed'],
] as const;

/** The columns of a CSV: as the file calls them, as the map calls them, and what they mean. */
interface CsvColumns {
  header: readonly string[];
  titles: readonly string[];
  columns: readonly Column[];
}

/**
 * Refuses a file whose columns do not tell what its items are, how many, or what they cost: every order would lack the same, so that it is
 * reported once, for the header. Throws `invalid_request`.
 */
export function refuseWithoutGoods(table: CsvColumns, settings: InputSettings): void {
  const { header, titles, columns } = table;
  const { name, map, fields, valueForAll, ignoresOthers } = settings;
  const hasItems = columns.some(itemField) || titles.includes(map?.lookup?.by ?? '');
  if (!map || !hasItems || ignoresOthers || valueForAll === undefined || valueForAll('items') !== undefined)
    return;
  if (!hasField(fields, UNIT_PRICE)) return;
  const paths = [...Object.keys(map.constants), ...Object.values(map.lookup?.columns ?? {})];
  const names = new Set([
    ...columns.map(column => (column.kind === 'sum' ? column.name : itemField(column))),
    ...paths.map(path => path.replace(/^items\[\d*\]\./, '')),
  ]);
  const issues = GOODS.flatMap(([what, ...fields]) =>
    fields.some(field => names.has(field))
      ? []
      : {
          path: `items[].${fields[0]}`,
          message: `no column gives the ${what} of an item: add to the map "columns": {"HEADER": "items[].${fields[0]}"}`,
        },
  );
  if (issues.length === 0) return;
  const unread = header.filter(
    (_, index) => columns[index]?.kind === 'ignored' && !isReadByMap(titles[index] ?? '', map),
  );
  throw new Failure('invalid_request', `the map does not fit ${name}`, {
    issues,
    hint: `Columns that it does not read: ${someOf(unread, 40) || 'none'}`,
  });
}

/** The field of an item that a column gives; empty if it gives none. */
const itemField = (column: Column): string =>
  column.kind === 'field' && column.path[0] === 'items'
    ? String((column.inner ?? column.path.slice(2))[0] ?? '')
    : '';

/** The headers that a map names. */
export const titlesIn = (map: InputMap): string[] => [
  ...Object.keys(map.columns),
  ...Object.keys(map.transform),
  ...columnsRead(map),
];

/** The columns that a map reads for something other than a field. */
const columnsRead = (map: InputMap): string[] =>
  [...columnsOfCells(map), map.lookup?.by, map.line, map.once].filter(column => column !== undefined);

function missingColumnWords(column: string, file: Header): string {
  const { unknown, name } = file;
  // The suggested column may differ in half of the letters, because there are few unknown columns to choose from.
  const meant = nearest(column, unknown, Math.ceil(column.length / 2));
  const hint = meant === undefined ? '' : `; did you mean ${JSON.stringify(meant)}?`;
  return `the map names the column ${JSON.stringify(column)}, which ${name} does not have${hint}`;
}
