// Makes a record of named values: the cells of an order in a CSV, or the fields of a JSON object.

import { cityWithState } from '../contract/addresses.ts';
import { CURRENCIES } from '../contract/currencies.ts';
import { PERSON_NAMES } from '../contract/parties.ts';
import { formatPath, getAt, isRecord, listAt, type Path, setAt, textAt } from '../contract/paths.ts';
import { currencyNamed } from '../contract/read.ts';
import type { Issue } from '../contract/shapes.ts';
import { Failure } from '../errors.ts';
import { takenCode } from '../order/doubts.ts';
import { territoryOf } from '../order/numbers.ts';
import { personWords } from '../say/person.ts';
import { sharedDoubt } from '../say/request.ts';
import { folded, shown } from '../text.ts';
import {
  type CellIssue,
  type CellSettings,
  givenFields,
  isReadLast,
  parsedIssues,
  withCell,
  withUnit,
} from './cells.ts';
import { type Column, columnPath, type FieldColumn, readOption, type SumColumn } from './columns.ts';
import type { InputSettings, OwnOptions, ParsedRecord, RowKind } from './input-types.ts';
import { LINE_SUMS, ORDER_SUMS, type ReadingWarning, type Sold, TEXT_SUMS } from './order-amounts.ts';
import { currencyIn } from './written-amounts.ts';

/** What stands under a header of a CSV, or under a name of JSON. */
export interface NamedValue {
  title: string;
  /** Absent: the title is the name of a field of the body, whose value stays as it is. */
  column: Column | undefined;
  /** The cell of each row; `undefined` if the row has none. */
  cells: readonly unknown[];
}

interface NamedSettings {
  keyColumn: string;
  packages: InputSettings['packages'] | undefined;
  values: CellSettings;
  /** Are all values text, as in a CSV? Then each gets the type of its field. Values of JSON have their types. */
  isText: boolean;
}

/** An order as it stands in its input: the values of its columns, and what each of its rows is. */
export interface NamedOrder {
  values: readonly NamedValue[];
  kinds: readonly RowKind[];
  /** The product of each row, if the map has a product table. */
  products?: readonly (string | undefined)[] | undefined;
  /** For each row, the id of the order line that it belongs to; empty if the row has no id. */
  lineIds?: readonly string[] | undefined;
}

/** What each step of reading a record reads, and where the step reports what is wrong. */
interface Reading {
  order: NamedOrder;
  settings: NamedSettings;
  issues: CellIssue[];
  warnings: ReadingWarning[];
}

/**
 * One record: fields of the order have one value, and each row adds an element to the lists of the `[]` columns; a record of JSON
 * has one row. `issues`: gets what is wrong with the record.
 */
export function parseRecord(order: NamedOrder, settings: NamedSettings, issues: CellIssue[]): ParsedRecord {
  const reading: Reading = { order, settings, issues, warnings: [] };
  const columns = readColumns(reading);
  const ofReceiver = withPhones(withPayer(columns, reading), columns, reading);
  const whole = withCustoms(withTwoAddressLines(ofReceiver), columns.sums.customsNumber, reading);
  const items = withItems(whole, reading);
  const lines = soldLines(items, reading);
  return {
    key: columns.key,
    value: withParcels(
      withQuantities(items.value, lines),
      columns.parcels,
      settings,
    ) as ParsedRecord['value'],
    ...(columns.options && { options: columns.options }),
    ...(order.products && { products: items.products }),
    sold: { ...columns.sums, lines },
    readingWarnings: reading.warnings,
    ...parsedIssues(issues),
  };
}

// Columns with one value for the whole order.

/** A cell of a field; phone numbers, and cells that describe the payer, wait until all other cells are read. */
interface LateCell {
  column: FieldColumn;
  cell: unknown;
  title: string;
}

interface ColumnsRead {
  key: string | undefined;
  value: unknown;
  options: OwnOptions | undefined;
  parcels: unknown[];
  sums: Record<string, unknown>;
  billing: LateCell[];
  phones: LateCell[];
}

/** What the columns of the order say, in the order in which they stand. */
function readColumns(reading: Reading): ColumnsRead {
  const { order, settings, issues } = reading;
  const { isText, values } = settings;
  const read: ColumnsRead = {
    key: undefined,
    value: {},
    options: undefined,
    sums: {},
    parcels: [],
    billing: [],
    phones: [],
  };
  /** Columns that are empty in the first row of the order, and filled in another one. */
  const late: Issue[] = [];
  for (const [index, { title, column, cells }] of order.values.entries()) {
    if (column === undefined) {
      read.value = withField(read.value as Record<string, unknown>, title, cells[0]);
      continue;
    }
    if (column.kind === 'nameless' && cells.some(cell => cell !== undefined))
      issues.push({ path: '', message: `has a cell without a header (column ${index + 1})` });
    if (column.kind === 'ignored' && cells.some(cell => cell !== undefined)) column.onValue?.();
    if (column.kind === 'ignored' || column.kind === 'nameless') continue;
    if (column.kind === 'field' && column.inner && isText) continue;
    if (column.kind === 'sum') {
      if ((ORDER_SUMS as readonly string[]).includes(column.name))
        read.sums[column.name] = orderSum(column, cells, title, reading);
      continue;
    }
    const isEach = column.kind === 'package' && column.each;
    if (!isEach && cells.length > 1) noteDifferentCell(cells, title, late, issues);
    const cell = cells.find(value => value !== undefined);
    if (cell === undefined) continue;
    if (column.kind === 'key') read.key = readKey(cell, reading);
    else if (column.kind === 'package')
      read.parcels.push(...parcelsFromSpecs(isEach ? cells : cell, title, reading));
    else if (column.kind === 'option') {
      if (cell === null) continue;
      const written = isText ? withUnit(String(cell), values) : cell;
      read.options = { ...read.options, ...readOption(column, written, title, issues) };
    } else if (isReadLast(column)) read.phones.push({ column, cell, title });
    else if (column.isBilling) read.billing.push({ column, cell, title });
    else read.value = withColumnValue(read.value, { column, cell, title }, reading);
  }
  const [misplaced] = late;
  if (misplaced) {
    const others = late.length === 1 ? '' : `, and so are ${late.length - 1} more columns`;
    const message = `${misplaced.message}${others}: ${UNSORTED}`;
    issues.push({ path: misplaced.path, message });
  }
  return read;
}

/** Reports a cell that differs from the cell in the first row of the order; to `late`, if the first row has no cell. */
function noteDifferentCell(
  cells: readonly unknown[],
  title: string,
  late: Issue[],
  issues: CellIssue[],
): void {
  const words = cells.map(cell => (cell === undefined ? undefined : String(cell)));
  const expected = words[0]?.trim();
  const row = words.findIndex(word => word !== undefined && word.trim() !== expected);
  if (row < 0) return;
  const differs = `is ${JSON.stringify(words[row])} in row ${row + 1} of the order, but`;
  if (expected === undefined) late.push({ path: title, message: `${differs} nothing in its first row` });
  else issues.push({ path: title, message: `${differs} ${JSON.stringify(expected)} in its first row` });
}

function readKey(cell: unknown, reading: Reading): string | undefined {
  const { settings, issues } = reading;
  // A number above the safe integers may have lost digits, so that two orders would have one key.
  if (typeof cell === 'string' || Number.isSafeInteger(cell)) return String(cell).trim() || undefined;
  if (cell !== null)
    issues.push({ path: settings.keyColumn, message: 'must be text, in quotes, or a whole number' });
  return undefined;
}

/** The parcels that a package SPEC, or a list of them, describes. */
function parcelsFromSpecs(cell: unknown, title: string, reading: Reading): unknown[] {
  const { issues } = reading;
  const { packages } = reading.settings;
  const specs = (Array.isArray(cell) ? cell : [cell]).filter(spec => spec !== undefined);
  return specs.flatMap(spec => {
    try {
      return [packages?.entry(String(spec))];
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      // The message without the flag: the user wrote the SPEC in a cell, and no flag.
      const message = error.message.replace(/^--package /, '');
      issues.push({ path: title, message, unread: [formatPath(packages?.path ?? [])] });
      return [];
    }
  });
}

function withParcels(value: unknown, parcels: readonly unknown[], settings: NamedSettings): unknown {
  const { packages, isText } = settings;
  if (packages === undefined || parcels.length === 0) return value;
  return setAt(value, packages.path, isText ? [...listAt(value, packages.path), ...parcels] : parcels);
}

/** The target with the value of a column. A value of JSON that is not transformed stays as it is. */
function withColumnValue(target: unknown, late: LateCell, reading: Reading): unknown {
  const { column, cell, title } = late;
  const { isText } = reading.settings;
  const path = columnPath(column);
  const isWord = typeof cell === 'string' || typeof cell === 'number';
  if (!isText && (column.transform === undefined || !isWord)) return setAt(target, path, cell);
  return withCell(target, path, column, String(cell), title, settingsOfCell(cell, reading), reading.issues);
}

/** The settings for reading a cell: a number of JSON always has a decimal point. */
function settingsOfCell(cell: unknown, reading: Reading): CellSettings {
  const { values } = reading.settings;
  return typeof cell === 'number' ? { ...values, hasComma: false, sign: '.' } : values;
}

// The payer is the receiver where no column describes the receiver.

/** The record, in which columns of the payer fill what the receiver lacks. */
function withPayer(read: ColumnsRead, reading: Reading): unknown {
  const { value, billing } = read;
  // The address of the payer is read only if the receiver has neither street nor city: else a mistake in it does not matter.
  const ofReceiver =
    isNowhere(value) && billing.some(({ column }) => isPlace(column.path)) ? withoutAddress(value) : value;
  let whole = ofReceiver;
  // A field of the receiver whose cell cannot be read is not missing: the payer does not fill it.
  const unread = new Set(reading.issues.flatMap(issue => issue.unread ?? []));
  for (const late of billing)
    if (givenFields(late.column.path, late.column).some(path => unread.has(path))) continue;
    else if (
      isLacking(ofReceiver, late.column) ||
      (late.column.path[1] === COMPANY && isPayerReceiver(ofReceiver, reading))
    )
      whole = withColumnValue(whole, late, reading);
  return whole;
}

/** Have payer and receiver the same name and address, and is there no column for a company of the receiver? */
function isPayerReceiver(value: unknown, reading: Reading): boolean {
  const { order } = reading;
  const columnsOf = (isPayer: boolean) =>
    order.values.flatMap(({ column, cells }) =>
      column?.kind === 'field' && column.path[0] === 'receiver' && isPayer === Boolean(column.isBilling)
        ? { path: column.path, cell: cells.find(cell => cell !== undefined) }
        : [],
    );
  const placeOf = (isPayer: boolean) =>
    columnsOf(isPayer)
      .filter(({ path, cell }) => cell !== undefined && !BESIDE_ADDRESS.includes(String(path[1])))
      .map(({ path, cell }) => `${formatPath(path)} ${folded(String(cell).trim())}`)
      .sort()
      .join('\n');
  const hasCompany = columnsOf(false).some(({ path }) => path[1] === COMPANY);
  return !hasCompany && !isNowhere(value) && placeOf(true) === placeOf(false);
}

/** The record with its phone numbers: each is read by the country of its address, and those of the receiver come first. */
function withPhones(start: unknown, read: ColumnsRead, reading: Reading): unknown {
  const { phones, billing } = read;
  let value = start;
  for (const late of phones.toSorted((a, b) => isOfBilling(a) - isOfBilling(b)))
    if (!late.column.isBilling) {
      value = withColumnValue(value, late, reading);
      warnOfCode(value, late, reading);
    } else if (getAt(value, late.column.path) === undefined) {
      const number = getAt(
        withColumnValue(payerBeside(value, billing, reading), late, reading),
        late.column.path,
      );
      if (number !== undefined) value = setAt(value, late.column.path, number);
    }
  return value;
}

/** Warns of a phone number that may begin with the code of its country: nobody knows whether it does. */
function warnOfCode(value: unknown, late: LateCell, reading: Reading): void {
  const { column, cell } = late;
  const [code, number] = ['code', 'number'].map(name => textAt(value, [...column.path, name]));
  const doubt = takenCode(String(cell), code, number);
  const shared = doubt && sharedDoubt(doubt);
  if (shared)
    reading.warnings.push({
      text: `${formatPath(column.path)}.number ${personWords(shared.words)}`,
      detail: shared.text,
    });
}

/** The record with the country of the payer in place of the receiver's: the national number of the payer is read by it. */
function payerBeside(value: unknown, billing: readonly LateCell[], reading: Reading): unknown {
  const { settings } = reading;
  const payer = billing.find(({ column }) => formatPath(column.path) === COUNTRY);
  if (payer === undefined) return value;
  const { column, cell, title } = payer;
  const nowhere = setAt(value, column.path, undefined);
  return withCell(nowhere, column.path, column, String(cell), title, settings.values, []);
}

// How rows become items.

interface ItemsRead {
  value: unknown;
  /** The product of each item, if the map has a product table. */
  products: (string | undefined)[];
  /** The index of the item that each row gave, by the index of the row. */
  itemOf: ReadonlyMap<number, number>;
  count: number;
  /** Do rows of the order give its items? */
  isInRows: boolean;
}

function withItems(start: unknown, reading: Reading): ItemsRead {
  const { kinds } = reading.order;
  const { isText } = reading.settings;
  const products: (string | undefined)[] = [];
  const itemOf = new Map<number, number>();
  const value = isText ? withElements(withoutHoles(start), products, itemOf, reading) : start;
  const count = listAt(value, ITEMS).length;
  const isInRows = itemOf.size > 0 || count === 0;
  // A single item that no row gave (of JSON, a product table, or headers such as `items[0].quantity`) belongs to the first row of an item.
  const row = kinds.indexOf('item');
  if (itemOf.size === 0 && row >= 0 && (count === 1 || (!isText && count === 0))) itemOf.set(row, 0);
  return { value, products, itemOf, count, isInRows };
}

/** Adds an element for each row to each list with `[]` columns. Fills `products` and `itemOf`. */
function withElements(
  start: unknown,
  products: (string | undefined)[],
  itemOf: Map<number, number>,
  reading: Reading,
): unknown {
  const { order, settings, issues } = reading;
  const lists = new Map<string, { path: Path; columns: (NamedValue & { column: FieldColumn })[] }>();
  if (order.products) lists.set(ITEMS, { path: [ITEMS], columns: [] });
  for (const value of order.values) {
    const { column } = value;
    if (column?.kind !== 'field' || column.inner === undefined) continue;
    const name = formatPath(column.path);
    const list = lists.get(name) ?? { path: column.path, columns: [] };
    list.columns.push({ ...value, column });
    lists.set(name, list);
  }
  let target = start;
  for (const [name, { path, columns }] of lists) {
    const elements = [...listAt(target, path)];
    for (const [row, kind] of order.kinds.entries()) {
      if (kind !== 'item') continue;
      const filled = columns.filter(({ cells }) => cells[row] !== undefined);
      const product = name === ITEMS ? order.products?.[row] : undefined;
      if (filled.length === 0 && product === undefined) continue;
      if (name === ITEMS) {
        products[elements.length] = product;
        itemOf.set(row, elements.length);
      }
      elements.push(
        filled.reduce((element: unknown, { title, column, cells }) => {
          const inner = column.inner ?? [];
          const bodyPath = [...path, elements.length, ...inner];
          return withCell(
            element,
            inner,
            column,
            String(cells[row]),
            title,
            settings.values,
            issues,
            bodyPath,
          );
        }, {}),
      );
    }
    if (elements.length > 0) target = setAt(target, path, elements);
  }
  return target;
}

/** An item without a quantity has as many pieces as its line was sold with. */
function withQuantities(start: unknown, lines: Sold['lines']): unknown {
  let value = start;
  for (const { item, sold } of lines) {
    const path = [ITEMS, item ?? 0, 'quantity'];
    if (item !== undefined && sold !== undefined && getAt(value, path) === undefined)
      value = setAt(value, path, sold);
  }
  return value;
}

// What the order was sold for.

/** What each line of the order was sold for, also lines that do not ship. */
function soldLines(items: ItemsRead, reading: Reading): Sold['lines'] {
  const { kinds, lineIds = [] } = reading.order;
  const { issues, settings } = reading;
  const lines: Record<string, number>[] = [];
  const lineOf: (Record<string, number> | undefined)[] = [];
  const further: { row: number; discount: number; before: Record<string, number> | undefined }[] = [];
  for (const [row, kind] of kinds.entries()) {
    const item = items.itemOf.get(row);
    const { line, stray } = soldLine(row, kind, items, reading);
    if (kind === 'none') further.push({ row, discount: Math.abs(line.discount ?? 0), before: lines.at(-1) });
    else if (item !== undefined || (kind === 'unshipped' && Object.keys(line).length > 0)) {
      if (item !== undefined) line.item = item;
      lineOf[row] = line;
      lines.push(line);
    } else if (stray && settings.values.has(GOODS_VALUE)) issues.push(stray);
  }
  // A further discount of a line may have a row of its own.
  for (const { row, discount, before } of further) {
    const id = lineIds[row] ?? '';
    const line = id === '' ? before : lineOf.find((candidate, at) => candidate && lineIds[at] === id);
    if (line) line.discount = Math.abs(line.discount ?? 0) + discount;
    else if (discount > 0)
      issues.push({
        path: '',
        message: `has a discount in row ${row + 1} of the order, and no line that it belongs to`,
      });
  }
  return lines;
}

/** The sums of a row. `stray`: the problem of the first sum that must belong to an item, if the row has no item. */
function soldLine(
  row: number,
  kind: RowKind,
  items: ItemsRead,
  reading: Reading,
): { line: Record<string, number>; stray: CellIssue | undefined } {
  const line: Record<string, number> = {};
  let stray: CellIssue | undefined;
  for (const { title, column, cells } of reading.order.values) {
    const isSum = column?.kind === 'sum';
    // In a CSV, the columns of an item's quantity and price count as sums of the line, too. An item of JSON has them itself.
    const name = isSum ? column.name : reading.settings.isText ? itemSum(column) : undefined;
    const cell = cells[row] ?? undefined;
    if (name === undefined || cell === undefined || (kind === 'none' && name !== 'discount')) continue;
    const amount = sumIn(column as SumColumn, cell, title, isSum ? reading.issues : [], reading);
    if (typeof amount === 'number') line[name] = amount;
    const isOfLine = isSum && name !== 'sold' && (LINE_SUMS as readonly string[]).includes(name);
    if (isOfLine && amount !== 0) stray ??= strayIssue(title, cell, name, row, items);
  }
  return { line, stray };
}

/** The problem of a sum of a line that belongs to no item. */
function strayIssue(title: string, cell: unknown, name: string, row: number, items: ItemsRead): CellIssue {
  const { isInRows, count } = items;
  const cure =
    name === 'discount'
      ? '; if it is of the whole order, map it to "orderDiscount"'
      : '; or leave it out ("_")';
  const message = isInRows
    ? `is ${shown(cell)} in row ${row + 1} of the order, which has no item, and the map says that it is of one (${name}): correct the row`
    : `is ${shown(cell)}, and the map says that it is of one item (${name}), but the items of the order (${count}) have no rows of their own: use a CSV with a row for each, and headers such as items[].unitPrice`;
  return { path: title, message: message + cure };
}

function sumIn(
  sumColumn: SumColumn,
  cell: unknown,
  title: string,
  issues: CellIssue[],
  reading: Reading,
): unknown {
  const { name, transform = 'money' } = sumColumn;
  if (TEXT_SUMS.includes(name)) return String(cell);
  const column: FieldColumn = { kind: 'field', path: ['sum'], field: undefined, transform };
  const sum = withCell({}, ['sum'], column, String(cell), title, settingsOfCell(cell, reading), issues);
  return getAt(sum, ['sum']);
}

/** A sum of the whole order, which each of its rows has, or a row above its items. */
function orderSum(column: SumColumn, cells: readonly unknown[], title: string, reading: Reading): unknown {
  const { issues, order, settings } = reading;
  const { kinds } = order;
  const words = cells.map(cell => (cell === undefined || cell === null ? undefined : String(cell)));
  const amounts = cells.map((cell, row) =>
    words[row] === undefined
      ? undefined
      : sumIn(column, cell, title, words.indexOf(words[row]) === row ? issues : [], reading),
  );
  const first = amounts.findIndex(amount => amount !== undefined && amount !== 0);
  if (first < 0 || TEXT_SUMS.includes(column.name)) return amounts.find(amount => amount !== undefined);
  const second = amounts.findIndex(
    (amount, row) =>
      Boolean(amount) && amount !== amounts[first] && (kinds[first] !== 'none' || kinds[row] === 'none'),
  );
  const cure =
    column.name === 'orderDiscount'
      ? '; if it is of the item of its row, map it to "discount"'
      : ': correct the rows';
  if (second >= 0 && settings.values.has(GOODS_VALUE))
    issues.push({
      path: title,
      message: `is ${shown(words[second])} in row ${second + 1} of the order, but ${shown(words[first])} in row ${first + 1}, and the map says that it is of the whole order (${column.name})${cure}`,
    });
  return amounts[first];
}

/** The record with the currency of its amounts, if no column has it, and with the number of a marketplace. */
function withCustoms(start: unknown, customsNumber: unknown, reading: Reading): unknown {
  const { order, settings, issues, warnings } = reading;
  const { values } = settings;
  const amounts = order.values.flatMap(value =>
    'transform' in (value.column ?? {}) && isMoney(value) ? value.cells : [],
  );
  const ofColumn = currencyNamed(textAt(start, CURRENCY));
  const known = ofColumn ?? currencyNamed(values.currency);
  const codes = new Set(amounts.flatMap(cell => currencyIn(String(cell ?? ''), known) ?? []));
  const [code] = codes;
  let target = start;
  // A currency in the amounts counts more than the currency of the map or an option. A sign of several currencies, such as `kr`, is none.
  const isOther = code !== undefined && code !== known && (ofColumn !== undefined || !CURRENCIES.has(code));
  if (codes.size > 1 || isOther)
    issues.push({
      path: 'customs.currency',
      message: `is ${[...new Set([...(known && isOther ? [known] : []), ...codes])].join(' and ')} in one order`,
    });
  else if (code && !ofColumn && values.has(CURRENCY)) target = setAt(target, CURRENCY, code);
  const number = String(customsNumber ?? '').replace(/\s/g, '');
  const [ioss, vat] = [/IM\d{10}(?!\d)/i.exec(number)?.[0], /^GB(?:\d{9}|\d{12})(?!\d)/i.exec(number)?.[0]];
  if (number !== '' && !ioss && !vat && values.has(IOSS) && territoryOf(target) !== undefined)
    warnings.push({
      text: 'the customs number of the file is neither an IOSS number (IM and 10 digits) nor a British VAT number (GB and 9 or 12 digits), and is not sent',
      detail: String(customsNumber),
    });
  if (ioss && values.has(IOSS)) target = setAt(target, IOSS, ioss.toUpperCase());
  if (vat && values.has(MARKETPLACE)) target = setAt(target, MARKETPLACE, vat.toUpperCase());
  return target;
}

const COMPANY = 'companyName';
const BESIDE_ADDRESS = [COMPANY, 'phone', 'email'];
const COUNTRY = 'receiver.address.country.code';
const COUNTRY_CODE = COUNTRY.split('.');
/** What to do with rows that do not stand where the shop has put them. */
export const UNSORTED =
  'the rows of an order must stand together, in the order in which the shop exported them; export the file again, unsorted';

export const GOODS_VALUE = ['customs', 'totalGoodsValue'];
export const CURRENCY = ['customs', 'currency'];
const IOSS = ['customs', 'iossNumber'];
const MARKETPLACE = ['customs', 'marketplaceNumber'];

const isMoney = (value: NamedValue): boolean =>
  (value.column?.kind === 'field' || value.column?.kind === 'sum') && value.column.transform === 'money';

/** The name of a column that says what an item costs, or how many pieces it has. */
const itemSum = (column: Column | undefined): string | undefined =>
  column?.kind === 'field' && column.path[0] === ITEMS && column.inner?.length === 1
    ? ['quantity', 'unitPrice', 'totalPrice'].find(name => name === column.inner?.[0])
    : undefined;

const isOfBilling = (late: { column: FieldColumn }): number => (late.column.isBilling ? 1 : 0);

/** Does the receiver lack what a column of the payer gives? A name or an address is taken whole or not at all. */
function isLacking(value: unknown, column: FieldColumn): boolean {
  const { path } = column;
  const [, part = PERSON_NAMES[0]] = path;
  if (PERSON_NAMES.some(name => name === part))
    return PERSON_NAMES.every(name => getAt(value, ['receiver', name]) === undefined);
  const isOfAddress = part === 'address' || part === 'companyName';
  return getAt(value, isOfAddress ? ['receiver', 'address'] : path) === undefined;
}

/** Has the receiver neither a street nor a city? A country is no address: some shops fill it in for each order. */
const isNowhere = (value: unknown): boolean =>
  PLACES.every(part => getAt(value, ['receiver', 'address', part]) === undefined);

const PLACES = ['line1', 'line2', 'line3', 'city'];

const isPlace = (path: Path): boolean => path[1] === 'address' && PLACES.includes(String(path[2]));

const withoutAddress = (value: unknown): unknown => setAt(value, ['receiver', 'address'], undefined);

/** The record with the three lines of its address in two, and the state behind the city. */
function withTwoAddressLines(value: unknown): unknown {
  const address = getAt(value, ['receiver', 'address']);
  if (!isRecord(address)) return value;
  const { line1, line2, line3, state, ...rest } = address;
  const [first, ...more] = [line1, line2, line3].filter(line => line !== undefined);
  if (first === line1 && line3 === undefined && state === undefined) return value;
  const lines = {
    ...(first !== undefined && { line1: first }),
    ...(more.length > 0 && { line2: more.join(', ') }),
  };
  const { city } = rest;
  const country = getAt(value, COUNTRY_CODE);
  const withState = typeof city === 'string' && typeof state === 'string' && typeof country === 'string';
  const place = { ...lines, ...rest, ...(withState && { city: cityWithState(city, state, country) }) };
  return setAt(value, ['receiver', 'address'], place);
}

/** Sets a field in place, except `__proto__`, which a record may hold. */
function withField(value: Record<string, unknown>, name: string, entry: unknown): unknown {
  if (name === '__proto__') return { ...value, [name]: entry };
  value[name] = entry;
  return value;
}

/** The value without elements of lists that are `undefined`. */
function withoutHoles(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter(entry => entry !== undefined).map(withoutHoles);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, withoutHoles(entry)]));
}

/** The list that a product table fills. */
const ITEMS = 'items';
