// One record from its named values: those of a row, or of the rows of an order in a CSV, or those of an object of JSON.

import { CURRENCIES } from '../contract/currencies.ts';
import { formatPath, getAt, isRecord, listAt, type Path, setAt, textAt } from '../contract/paths.ts';
import { currencyNamed } from '../contract/read.ts';
import { fieldAt, type Issue } from '../contract/shapes.ts';
import { Failure } from '../errors.ts';
import { valueFrom } from '../order/build.ts';
import { territoryOf } from '../order/numbers.ts';
import { folded, shown } from '../text.ts';
import { type Column, columnPath, type FieldColumn, ownOption, type SumColumn } from './columns.ts';
import { currencyIn } from './money.ts';
import {
  type InputSettings,
  LINE_SUMS,
  ORDER_SUMS,
  type OwnOptions,
  type ParsedRecord,
  type ReadingWarning,
  type RowKind,
  readYesOrNo,
  type Sold,
  TEXT_SUMS,
} from './source.ts';
import { type TransformName, transformNamed } from './transform.ts';

/** What stands under a header of a CSV, or under a name of JSON. */
export interface NamedValue {
  title: string;
  /** Absent: the name is that of a field of the body, which is given as it is. */
  column: Column | undefined;
  /** Of each row; `undefined` if the row says nothing. */
  given: readonly unknown[];
}

interface NamedSettings {
  keyColumn: string;
  packages: InputSettings['packages'] | undefined;
  values: CellSettings;
  /** All values are text, as of a CSV: each gets the type of its field. Those of JSON have their types. */
  isText: boolean;
}

/** What each row of an order is, and what the column of a product table says in it. */
interface Elements {
  kinds: readonly RowKind[];
  products?: readonly (string | undefined)[] | undefined;
  /** The id of the line that each row belongs to; empty if the file has none. */
  lineIds?: readonly string[] | undefined;
}

/**
 * One order: its first row says what it is, and each row adds an element to the `[]` columns; of JSON they are those of the
 * first element. `issues`: gets what is wrong with it.
 */
export function parseNamed(
  named: readonly NamedValue[],
  { kinds, products, lineIds = [] }: Elements,
  settings: NamedSettings,
  issues: CellIssue[],
): ParsedRecord {
  const { packages, values, isText } = settings;
  let key: string | undefined;
  let value: unknown = {};
  let options: OwnOptions | undefined;
  const parcels: unknown[] = [];
  const last: { column: FieldColumn; given: unknown; title: string }[] = [];
  const billing: typeof last = [];
  const sums: Record<string, unknown> = {};
  const warnings: ReadingWarning[] = [];
  /** Columns that are empty in the first row of the order, and not in another. */
  const late: Issue[] = [];
  const rows = kinds.flatMap((kind, row) => (kind === 'item' ? row : []));

  for (const [index, { title, column, given }] of named.entries()) {
    if (column === undefined) {
      value = withField(value as Record<string, unknown>, title, given[0]);
      continue;
    }
    if (column.kind === 'nameless' && given.some(one => one !== undefined))
      issues.push({ path: '', message: `has a cell without a header (column ${index + 1})` });
    if (column.kind === 'ignored' || column.kind === 'nameless') continue;
    if (column.kind === 'field' && column.inner && isText) continue;
    if (column.kind === 'sum') {
      const isOfOrder = (ORDER_SUMS as readonly string[]).includes(column.name);
      if (isOfOrder) sums[column.name] = orderSum(column, given, title);
      continue;
    }
    const each = column.kind === 'package' && column.each;
    if (!each && given.length > 1) noteOther(given, title);
    const first = given.find(one => one !== undefined);
    if (first === undefined) continue;
    if (column.kind === 'key') key = keyIn(first);
    else if (column.kind === 'field' && isReadLast(column)) last.push({ column, given: first, title });
    else if (column.kind === 'field' && column.isBilling) billing.push({ column, given: first, title });
    else if (column.kind === 'field') value = withValue(value, column, first, title);
    else if (column.kind === 'package') addParcels(each ? given : first, title);
    else if (first !== null) {
      const written = isText ? withUnit(String(first), values) : first;
      options = { ...options, ...ownOption(column, written, title, issues) };
    }
  }
  const [misplaced] = late;
  if (misplaced) {
    const more = late.length === 1 ? '' : `, and so are ${late.length - 1} more columns`;
    const message = `${misplaced.message}${more}: ${UNSORTED}`;
    issues.push({ path: misplaced.path, message });
  }
  // Nobody reads an address of who pays where the parcel has one of its own: it may be as wrong as it likes.
  const own =
    isNowhere(value) && billing.some(({ column }) => isPlace(column.path)) ? withoutAddress(value) : value;
  value = own;
  for (const { column, given, title } of billing)
    if (isLacking(own, column) || (column.path[1] === COMPANY && isPayerReceiver()))
      value = withValue(value, column, given, title);
  for (const { column, given, title } of last.sort((one, other) => isOfBilling(one) - isOfBilling(other)))
    if (!column.isBilling) value = withValue(value, column, given, title);
    else if (getAt(value, column.path) === undefined) {
      const read = getAt(withValue(payerBeside(value), column, given, title), column.path);
      if (read !== undefined) value = setAt(value, column.path, read);
    }
  value = withCustoms(withLines(value));
  const productsOfItems: (string | undefined)[] = [];
  /** The items by their rows. */
  const itemOf = new Map<number, number>();
  if (isText) value = withElements(compacted(value));
  const count = listAt(value, ITEMS).length;
  const isInRows = itemOf.size > 0 || count === 0;
  // A single item of JSON, or under headers of its own, is what its record says; a product table may add it.
  const [ofItem] = rows;
  if (itemOf.size === 0 && ofItem !== undefined && (count === 1 || (!isText && count === 0)))
    itemOf.set(ofItem, 0);
  const lines = linesOf();
  for (const { item, sold } of lines) {
    const path = [ITEMS, item ?? 0, 'quantity'];
    if (item !== undefined && sold !== undefined && getAt(value, path) === undefined)
      value = setAt(value, path, sold);
  }
  if (packages && parcels.length > 0)
    value = setAt(value, packages.path, isText ? [...listAt(value, packages.path), ...parcels] : parcels);
  return {
    key,
    value: value as ParsedRecord['value'],
    ...(options && { options }),
    ...(products && { products: productsOfItems }),
    sold: { ...sums, lines },
    readingWarnings: warnings,
    ...parsedIssues(issues),
  };

  /** Have both the same name and address, and is there no column for a company of the receiver? */
  function isPayerReceiver(): boolean {
    const columnsOf = (isPayer: boolean) =>
      named.flatMap(({ column, given }) =>
        column?.kind === 'field' && column.path[0] === 'receiver' && isPayer === Boolean(column.isBilling)
          ? { path: column.path, cell: given.find(one => one !== undefined) }
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

  /** The record with the country of who pays, by which a national number of theirs is read. */
  function payerBeside(target: unknown): unknown {
    const payer = billing.find(({ column }) => formatPath(column.path) === COUNTRY);
    if (payer === undefined) return target;
    const { column, given, title } = payer;
    return withCell(
      setAt(target, column.path, undefined),
      column.path,
      column,
      String(given),
      title,
      values,
      [],
    );
  }

  /** For each list with `[]` columns, adds one element for each row. */
  function withElements(start: unknown): unknown {
    const lists = new Map<string, { path: Path; columns: (NamedValue & { column: FieldColumn })[] }>();
    if (products) lists.set(ITEMS, { path: [ITEMS], columns: [] });
    for (const one of named) {
      const { column } = one;
      if (column?.kind !== 'field' || column.inner === undefined) continue;
      const name = formatPath(column.path);
      const list = lists.get(name) ?? { path: column.path, columns: [] };
      list.columns.push({ ...one, column });
      lists.set(name, list);
    }
    let target = start;
    for (const [name, { path, columns }] of lists) {
      const elements = [...listAt(target, path)];
      for (const row of rows) {
        const given = columns.filter(one => one.given[row] !== undefined);
        const product = name === ITEMS ? products?.[row] : undefined;
        if (given.length === 0 && product === undefined) continue;
        if (name === ITEMS) {
          productsOfItems[elements.length] = product;
          itemOf.set(row, elements.length);
        }
        elements.push(
          given.reduce((element: unknown, { title, column, given }) => {
            const inner = column.inner ?? [];
            const at = [...path, elements.length, ...inner];
            return withCell(element, inner, column, String(given[row]), title, values, issues, at);
          }, {}),
        );
      }
      if (elements.length > 0) target = setAt(target, path, elements);
    }
    return target;
  }

  /** What each line of the order was sold for, those included that do not ship. */
  function linesOf(): Sold['lines'] {
    const lines: Record<string, number>[] = [];
    /** By its row. */
    const lineOf: (Record<string, number> | undefined)[] = [];
    const further: { row: number; discount: number; before: Record<string, number> | undefined }[] = [];
    for (const [row, kind] of kinds.entries()) {
      const line: Record<string, number> = {};
      const item = itemOf.get(row);
      let stray: CellIssue | undefined;
      for (const { title, column, given } of named) {
        const isSum = column?.kind === 'sum';
        // The items of JSON have their numbers.
        const name = isSum ? column.name : isText ? itemSum(column) : undefined;
        const cell = given[row] ?? undefined;
        if (name === undefined || cell === undefined || (kind === 'none' && name !== 'discount')) continue;
        const amount = sumIn(column as SumColumn, cell, title, isSum ? issues : []);
        if (typeof amount === 'number') line[name] = amount;
        const isOfLine = isSum && name !== 'sold' && (LINE_SUMS as readonly string[]).includes(name);
        if (isOfLine && amount !== 0) stray ??= strayIssue(title, cell, name, row);
      }
      if (kind === 'none')
        further.push({ row, discount: Math.abs(line.discount ?? 0), before: lines.at(-1) });
      else if (item !== undefined || (kind === 'unshipped' && Object.keys(line).length > 0)) {
        if (item !== undefined) line.item = item;
        lineOf[row] = line;
        lines.push(line);
      } else if (stray && values.has(GOODS_VALUE)) issues.push(stray);
    }
    // A row of its own for a further discount of a line.
    for (const { row, discount, before } of further) {
      const id = lineIds[row] ?? '';
      const line = id === '' ? before : lineOf.find((found, at) => found && lineIds[at] === id);
      if (line) line.discount = Math.abs(line.discount ?? 0) + discount;
      else if (discount > 0)
        issues.push({
          path: '',
          message: `has a discount in row ${row + 1} of the order, and no line that it belongs to`,
        });
    }
    return lines;
  }

  function sumIn({ name, transform = 'money' }: SumColumn, given: unknown, title: string, to: CellIssue[]) {
    if (TEXT_SUMS.includes(name)) return String(given);
    const column: FieldColumn = { kind: 'field', path: ['sum'], field: undefined, transform };
    return getAt(withCell({}, ['sum'], column, String(given), title, valuesFor(given), to), ['sum']);
  }

  /** What the rows of an order say of all of it: each of them, or a row above its items. */
  function orderSum(column: SumColumn, given: readonly unknown[], title: string): unknown {
    const words = given.map(one => (one === undefined || one === null ? undefined : String(one)));
    const amounts = given.map((one, row) =>
      words[row] === undefined
        ? undefined
        : sumIn(column, one, title, words.indexOf(words[row]) === row ? issues : []),
    );
    const found = amounts.findIndex(amount => amount !== undefined && amount !== 0);
    if (found < 0 || TEXT_SUMS.includes(column.name)) return amounts.find(amount => amount !== undefined);
    const other = amounts.findIndex(
      (amount, row) =>
        Boolean(amount) && amount !== amounts[found] && (kinds[found] !== 'none' || kinds[row] === 'none'),
    );
    const isRead = (READ_WITH[column.name] ?? [column.name]).some(name =>
      named.some(one => one.column?.kind === 'sum' && one.column.name === name),
    );
    const ofLine = column.name.replace('order', '').toLowerCase();
    // Without a sum that was paid back, too much would be declared.
    const leave = column.name === 'orderRefund' ? '' : ', or leave it out ("_")';
    const cure = (LINE_SUMS as readonly string[]).includes(ofLine)
      ? `; if it is of the item of its row, map it to ${JSON.stringify(ofLine)}`
      : `: correct the rows${leave}`;
    if (other >= 0 && isRead && values.has(GOODS_VALUE))
      issues.push({
        path: title,
        message: `is ${shown(words[other])} in row ${other + 1} of the order, but ${shown(words[found])} in row ${found + 1}, and the map says that it is of the whole order (${column.name})${cure}`,
      });
    return amounts[found];
  }

  /** Of a sum of a line that no item belongs to. */
  function strayIssue(title: string, given: unknown, name: string, row: number): CellIssue {
    const cure =
      name === 'discount'
        ? '; if it is of the whole order, map it to "orderDiscount"'
        : '; or leave it out ("_")';
    const message = isInRows
      ? `is ${shown(given)} in row ${row + 1} of the order, which has no item, and the map says that it is of one (${name}): correct the row`
      : `is ${shown(given)}, and the map says that it is of one item (${name}), but the items of the order (${count}) have no rows of their own: use a CSV with a row for each, and headers such as items[].unitPrice`;
    return { path: title, message: message + cure };
  }

  /** A number of JSON has a dot, whatever its texts have. */
  function valuesFor(given: unknown): CellSettings {
    return typeof given === 'number' ? { ...values, hasComma: false, sign: '.' } : values;
  }

  /** The currency of its amounts, if no column has it, and the number of a marketplace. */
  function withCustoms(start: unknown): unknown {
    const given = named.flatMap(one => ('transform' in (one.column ?? {}) && isMoney(one) ? one.given : []));
    const own = currencyNamed(textAt(start, CURRENCY));
    const known = own ?? currencyNamed(values.currency);
    const codes = new Set(given.flatMap(one => currencyIn(String(one ?? ''), known) ?? []));
    const [code] = codes;
    let target = start;
    // A currency of the amounts goes before that of the map and of all orders; a sign that may be of several, such as `kr`, is none.
    const isOther = code !== undefined && code !== known && (own !== undefined || !CURRENCIES.has(code));
    if (codes.size > 1 || isOther)
      issues.push({
        path: 'customs.currency',
        message: `is ${[...new Set([...(known && isOther ? [known] : []), ...codes])].join(' and ')} in one order`,
      });
    else if (code && !own && values.has(CURRENCY)) target = setAt(target, CURRENCY, code);
    const number = String(sums.customsNumber ?? '').replace(/\s/g, '');
    const [ioss, vat] = [/IM\d{10}(?!\d)/i.exec(number)?.[0], /^GB(?:\d{9}|\d{12})(?!\d)/i.exec(number)?.[0]];
    if (number !== '' && !ioss && !vat && values.has(IOSS) && territoryOf(target) !== undefined)
      warnings.push({
        text: 'the customs number of the file is neither an IOSS number (IM and 10 digits) nor a British VAT number (GB and 9 or 12 digits), and is not sent',
        detail: String(sums.customsNumber),
      });
    if (ioss && values.has(IOSS)) target = setAt(target, IOSS, ioss.toUpperCase());
    if (vat && values.has(MARKETPLACE)) target = setAt(target, MARKETPLACE, vat.toUpperCase());
    return target;
  }

  function noteOther(given: readonly unknown[], title: string): void {
    const words = given.map(one => (one === undefined ? undefined : String(one)));
    const expected = words[0]?.trim();
    const other = words.findIndex(word => word !== undefined && word.trim() !== expected);
    if (other < 0) return;
    const is = `is ${JSON.stringify(words[other])} in row ${other + 1} of the order, but`;
    if (expected === undefined) late.push({ path: title, message: `${is} nothing in its first row` });
    else issues.push({ path: title, message: `${is} ${JSON.stringify(expected)} in its first row` });
  }

  function keyIn(given: unknown): string | undefined {
    // Of another number not all digits may have come: two orders would have one key.
    if (typeof given === 'string' || Number.isSafeInteger(given)) return String(given).trim() || undefined;
    if (given !== null)
      issues.push({ path: settings.keyColumn, message: 'must be text, in quotes, or a whole number' });
    return undefined;
  }

  /** A value of JSON that is not transformed stays as it was given. */
  function withValue(target: unknown, column: FieldColumn, given: unknown, title: string): unknown {
    const path = columnPath(column);
    const isWord = typeof given === 'string' || typeof given === 'number';
    if (!isText && (column.transform === undefined || !isWord)) return setAt(target, path, given);
    return withCell(target, path, column, String(given), title, valuesFor(given), issues);
  }

  /** A SPEC, or a list of them. */
  function addParcels(given: unknown, title: string): void {
    const specs = (Array.isArray(given) ? given : [given]).filter(one => one !== undefined);
    for (const spec of specs)
      try {
        parcels.push(packages?.entry(String(spec)));
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        // Why a SPEC is wrong, without the flag, which the user has not given.
        const message = error.message.replace(/^--package /, '');
        issues.push({ path: title, message, unread: [formatPath(packages?.path ?? [])] });
      }
  }
}

const COMPANY = 'companyName';
const BESIDE_ADDRESS = [COMPANY, 'phone', 'email'];
const COUNTRY = 'receiver.address.country.code';
/** What to do with rows that are not where a shop puts them. */
export const UNSORTED =
  'the rows of an order must stand together, in the order in which the shop exported them; export the file again, unsorted';

/** Sums of an order that say something only beside one of others. */
const READ_WITH: Readonly<Record<string, readonly string[]>> = {
  orderShipping: ['orderTotal', 'orderTax'],
  orderGoods: ['orderDiscount'],
};

export const GOODS_VALUE = ['customs', 'totalGoodsValue'];
export const CURRENCY = ['customs', 'currency'];
const IOSS = ['customs', 'iossNumber'];
const MARKETPLACE = ['customs', 'marketplaceNumber'];

const isMoney = ({ column }: NamedValue): boolean =>
  (column?.kind === 'field' || column?.kind === 'sum') && column.transform === 'money';

/** Of a column that says what an item costs, or how many pieces it has. */
const itemSum = (column: Column | undefined): string | undefined =>
  column?.kind === 'field' && column.path[0] === ITEMS && column.inner?.length === 1
    ? ['quantity', 'unitPrice', 'totalPrice'].find(name => name === column.inner?.[0])
    : undefined;

const isOfBilling = ({ column }: { column: FieldColumn }): number => (column.isBilling ? 1 : 0);

/** Does a receiver lack what a column says of who pays? A name and an address are taken whole or not at all. */
function isLacking(value: unknown, { path }: FieldColumn): boolean {
  const [, part = 'firstName'] = path;
  if (part === 'firstName' || part === 'lastName')
    return ['firstName', 'lastName'].every(name => getAt(value, ['receiver', name]) === undefined);
  const isOfAddress = part === 'address' || part === 'companyName';
  return getAt(value, isOfAddress ? ['receiver', 'address'] : path) === undefined;
}

/** Neither a street nor a city: some shops fill in the country of each order. */
const isNowhere = (value: unknown): boolean =>
  PLACES.every(part => getAt(value, ['receiver', 'address', part]) === undefined);

const PLACES = ['line1', 'line2', 'line3', 'city'];

const isPlace = (path: Path): boolean => path[1] === 'address' && PLACES.includes(String(path[2]));

const withoutAddress = (value: unknown): unknown => setAt(value, ['receiver', 'address'], undefined);

/** An address with three lines, or without a first one, in two: none is lost. */
function withLines(value: unknown): unknown {
  const address = getAt(value, ['receiver', 'address']);
  if (!isRecord(address)) return value;
  const { line1, line2, line3, ...rest } = address;
  const [first, ...more] = [line1, line2, line3].filter(line => line !== undefined);
  if (first === line1 && line3 === undefined) return value;
  const lines = { line1: first, ...(more.length > 0 && { line2: more.join(', ') }) };
  return setAt(value, ['receiver', 'address'], { ...lines, ...rest });
}

/** Adds it in place; a record may hold `__proto__`. */
function withField(value: Record<string, unknown>, name: string, given: unknown): unknown {
  if (name === '__proto__') return { ...value, [name]: given };
  value[name] = given;
  return value;
}

/** The value without the holes of missing elements. */
function compacted(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter(entry => entry !== undefined).map(compacted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, compacted(entry)]));
}

/** The list that a product table says more of. */
const ITEMS = 'items';

// What a cell of a CSV, or a value of a JSON record, gives for the field of its column.

/** How the values of an input are written. */
export interface CellSettings {
  hasComma: boolean;
  /** In front of decimals of amounts. */
  sign?: string | undefined;
  /** Of all orders, if something says it. */
  currency: string | undefined;
  /** Has a record that field? */
  has(path: Path): boolean;
  /** `target`: the record so far. */
  transformed(
    transform: TransformName,
    column: FieldColumn,
    cell: string,
    target: unknown,
    sign: string | undefined,
  ): ReturnType<Apply>;
}

/** In front of digits some shops put it, so that a spreadsheet leaves them as they are; names may begin with it. */
const MARK = /^\s*'(?=[\d+])/;

type Apply = ReturnType<typeof transformNamed>['apply'];

/** `unread`: the fields of the body that it leaves out. */
export interface CellIssue extends Issue {
  unread?: readonly string[];
}

export function parsedIssues(found: readonly CellIssue[]): Pick<ParsedRecord, 'issues' | 'unread'> {
  const unread = found.flatMap(({ unread: missing = [] }) => missing);
  return {
    issues: found.map(({ unread: _, ...issue }) => issue),
    ...(unread.length > 0 && { unread }),
  };
}

/** One mistake is told once: a cell that cannot be read is not missing, too. */
export const withoutUnread = (issues: readonly Issue[], { unread = [], isMisread }: ParsedRecord): Issue[] =>
  isMisread ? [] : issues.filter(({ path }) => !unread.includes(path));

/** The currency of orders whose columns have none. */
export function commonCurrency({ map, given }: InputSettings): string | undefined {
  const all = map?.constants['customs.currency'] ?? given?.('customs.currency');
  return typeof all === 'string' ? all : undefined;
}

export const cellSettings = (settings: InputSettings): CellSettings => {
  const { map, phones, decode, fields } = settings;
  return {
    hasComma: map?.decimal === ',',
    sign: map?.decimal,
    currency: commonCurrency(settings),
    has: path => fieldAt(fields, path) !== undefined,
    transformed(name, { path }, cell, target, sign) {
      const own = (...inner: string[]) => textAt(target, [...path.slice(0, -1), ...inner]);
      const constant = (inner: string) => map?.constants[formatPath([...path.slice(0, -1), inner])];
      const country = own('address', 'country', 'code') ?? constant('address.country.code');
      // A code of the map is for those of whom no country is known.
      const code = own('phone', 'code') ?? (country === undefined ? constant('phone.code') : undefined);
      const beside = { code, country };
      return transformNamed(name).apply(cell.replace(MARK, ''), { phones, beside, sign, decode });
    },
  };
};

/** A national phone number is read by the country of its address, which a later column may give. */
export const isReadLast = ({ transform }: FieldColumn): boolean => transform === 'phone';

/** The target with what a cell gives at `path`; reports what cannot be transformed. `at`: its path in the body. */
export function withCell(
  target: unknown,
  path: Path,
  column: FieldColumn,
  cell: string,
  title: string,
  settings: CellSettings,
  issues: CellIssue[],
  at = path,
): unknown {
  const { field, transform } = column;
  if (transform === undefined) return setAt(target, path, plainValue(field, cell, settings));
  const isUnit = field?.kind === 'number' && transform !== 'money';
  const written = isUnit ? withUnit(cell, settings) : cell;
  const parts = settings.transformed(transform, column, written, target, settings.sign);
  if (typeof parts !== 'string')
    return parts.reduce((value: unknown, [inner, part]) => setAt(value, [...path, ...inner], part), target);
  const inner = transformNamed(transform).inner?.map(part => [part]) ?? [[]];
  issues.push({
    path: title,
    message: `${parts}, not ${shown(cell)} (the map transforms it: ${transform})`,
    unread: inner.map(part => formatPath([...at, ...part])),
  });
  return target;
}

function plainValue(field: FieldColumn['field'], cell: string, settings: CellSettings): unknown {
  if (field?.kind === 'number') return valueFrom(field, decimal(cell, settings.hasComma));
  if (field?.kind === 'boolean') return readYesOrNo(cell) ?? cell;
  return valueFrom(field, field === undefined || field.kind === 'text' ? oneLine(cell) : cell.trim());
}

/** Fields of the service are one line, and none that a cell has is lost. */
const oneLine = (cell: string): string =>
  LINE_BREAK.test(cell) ? cell.trim().replaceAll(new RegExp(LINE_BREAK, 'g'), ', ') : cell;

const LINE_BREAK = /[\s,]*[\n\r\v\f\u2028\u2029][\s,]*/;

/** An amount before its unit may have a decimal comma, too: `19,90 EUR`, `1,5 kg`. */
export const withUnit = (cell: string, settings: CellSettings): string =>
  cell.replace(/^[^A-Za-z"]+/, amount => decimal(amount, settings.hasComma));

/**
 * `1.234,5` → `1234.5` in a file with decimal commas; any other text stays, so that validation refuses it as it was given.
 * `1.234` alone may mean a thousand or a bit more than one: a guess could make a parcel a thousand times heavier.
 */
export function decimal(cell: string, hasComma: boolean): string {
  if (!hasComma) return cell;
  return /^\s*[+-]?(\d{1,3}\.\d{3},\d+|\d{1,3}(\.\d{3}){2,}(,\d+)?|\d+(,\d+)?)\s*$/.test(cell)
    ? cell.replaceAll('.', '').replace(',', '.')
    : cell.replace(/^(\s*[+-]?\d+\.\d+\s*)$/, '$1 (use a decimal comma)');
}
