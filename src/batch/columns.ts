import { type Path, parsePath } from '../contract/paths.ts';
import { type Field, fieldAt, fieldsOf, type Issue } from '../contract/shapes.ts';
import { Failure } from '../errors.ts';
import { nearest } from '../nearest.ts';
import { commandText, operandWords, shown, someOf } from '../text.ts';
import type { InputMap, InputSettings, OwnOptions } from './input-types.ts';
import { columnsOfCells } from './left-out.ts';
import { OWN_SUMS } from './order-amounts.ts';
import type { ParsedOption } from './record-options.ts';
import { columnsOfShop, columnsThatGive, shopOf } from './shop.ts';
import { type TransformName, transformNamed } from './transform.ts';

/** What a column of a CSV, or a name of a JSON record, means. */
export type Column = Meaning & {
  /** The indexes of columns that mean the same and go first: this column counts where their cells are blank. */
  after?: readonly number[];
};

type Meaning =
  | { kind: 'key' }
  /** A column that is not read. `onValue` is called for each order that has a value in the column. */
  | { kind: 'ignored'; onValue?: () => void }
  /** A column without a header: its cells must be empty. */
  | { kind: 'nameless' }
  | { kind: 'package'; each: boolean }
  | OptionColumn
  | SumColumn
  | FieldColumn;

interface OptionColumn {
  kind: 'option';
  /** The name of the option in code. */
  name: string;
  option: ParsedOption;
}

/** A column with an amount that is no field of the body, such as a discount: the value of the goods is computed with it. */
export interface SumColumn {
  kind: 'sum';
  name: string;
  transform?: TransformName | undefined;
}

export interface FieldColumn {
  kind: 'field';
  /** Does the column describe the payer? The payer is the receiver where no column describes the receiver. */
  isBilling?: boolean;
  /** The path of the field. For `items[].hsCode` it is `items`, and `inner` is `hsCode`. */
  path: Path;
  inner?: Path | undefined;
  field: Field | undefined;
  transform?: TransformName | undefined;
}

/** Does the map read the column for something other than a field? */
export const isReadByMap = (header: string, map: InputMap): boolean =>
  [map.lookup?.by, map.line, map.sku, map.once, ...columnsOfCells(map)].includes(header);

/** Is the column a note, which is no part of the record? The header of a note begins with `_`, and is not in the map. */
export const isNote = (header: string, map: InputMap | undefined): boolean =>
  header.startsWith('_') && !(map && Object.hasOwn(map.columns, header));

const PACKAGE = /^package(\[\d*\])?$/;

/** What a header means; an issue if it means nothing. */
export function columnOf(header: string, settings: InputSettings): Column | Issue {
  const {
    command = 'the operation',
    fields,
    packages,
    keyColumn,
    recordOptions,
    map,
    allowUnknown,
  } = settings;
  const name = map && Object.hasOwn(map.columns, header) ? (map.columns[header] ?? '') : header;
  if (header === '') return { kind: settings.ignoresOthers ? 'ignored' : 'nameless' };
  if (name.startsWith('_') || name === '') return { kind: 'ignored' };
  if (name === keyColumn || (name === 'key' && name !== header)) return { kind: 'key' };
  if (packages && PACKAGE.test(name)) return { kind: 'package', each: name.endsWith('[]') };
  const option = recordOptions && Object.hasOwn(recordOptions, name) ? recordOptions[name] : undefined;
  if (option && 'parse' in option) return { kind: 'option', name, option };
  const isAmount = map !== undefined && name !== header && AMOUNTS.includes(name.replace(/\[\d+\]/g, '[]'));
  const named = map && Object.hasOwn(map.transform, header) ? map.transform[header] : undefined;
  const transform = named ?? (isAmount ? 'money' : undefined);
  // A column is a sum only if the map names it: a shop may have a column whose header is the name of a sum, such as `tax`.
  if (map && Object.hasOwn(map.columns, header) && isSum(name, map))
    return settings.ignoresOthers ? { kind: 'ignored' } : { kind: 'sum', name, transform };
  const isBilling = name !== header && BILLING.test(name);
  const written = isBilling ? name.replace(BILLING, 'receiver') : (option?.path ?? name);
  // `items[].hsCode` → `items`, `hsCode`.
  const [before = '', after] = written.split(/\[\]\.(.*)/s);
  const path = parsePath(before);
  const inner = after === undefined ? undefined : parsePath(after);
  const whole = after === undefined ? path : path && inner && [...path, 0, ...inner];
  const joinedTo = map && JOINED[String(whole?.at(-1))];
  const field = whole && fieldAt(fields, joinedTo ? whole.with(-1, joinedTo) : whole);
  if (path && whole && (field !== undefined || allowUnknown)) {
    const column = { kind: 'field', inner, field, ...(isBilling && { isBilling }) } as const;
    if (transform === undefined) return { ...column, path };
    // A full name fills both names of a party. In the body of a saved party, which has no path, the path of `firstName` stands for it.
    const owner = transform === 'name' && path.at(-1) === 'firstName' ? path.slice(0, -1) : path;
    return { ...column, path: owner, transform };
  }
  if (map && name === header && isReadByMap(header, map)) return { kind: 'ignored' };
  const suggestion = nearest(name.replace(/\[\d+\]/g, '[]'), headersOf(settings));
  return {
    path: header,
    message: `is not a field of ${command}${name === header ? '' : ` (the map says: ${name})`}; rename it with --map, or put _ in front to leave the column out`,
    ...(suggestion !== undefined && { suggestion }),
  };
}

/** Parts of an address for which the service has no field: the third line is joined to the second line, the state to the city. */
const JOINED: Readonly<Record<string, string>> = { line3: 'line2', state: 'city' };

const BILLING = /^billing(?=\.|$)/;

/** Fields with amounts of money, which a shop may write with a decimal point or a decimal comma. */
const AMOUNTS = ['items[].unitPrice', 'items[].totalPrice', 'customs.totalGoodsValue'];

const isSum = (name: string, map: InputMap): boolean =>
  OWN_SUMS.includes(name) || Object.values(map.shop?.amounts ?? {}).includes(name);

/** The headers that a file may have. */
const headersOf = (settings: InputSettings): string[] => [
  settings.keyColumn,
  ...Object.keys(settings.recordOptions ?? {}),
  ...fieldsOf(settings.fields).map(({ pattern }) => pattern),
  ...(settings.packages ? ['package'] : []),
];

/** How many unknown columns are listed by name; further ones are only counted. */
const MOST_UNKNOWN = 10;

/** The path of the field that a column fills; in a list, the path of the field in the first element. */
export const columnPath = (column: FieldColumn): Path =>
  column.inner ? [...column.path, 0, ...column.inner] : column.path;

/** Texts that say what a column gives: columns that give the same field share a text. */
function columnTargets(column: Column, title: string): string[] {
  if (column.kind === 'option' || column.kind === 'sum') return [column.name];
  if (column.kind !== 'field') return [title];
  const { inner, transform, isBilling } = column;
  const path = isBilling ? ['billing', ...column.path] : column.path;
  const parts = transform === undefined ? [] : (transformNamed(transform).inner ?? []);
  if (parts.length === 0) return [JSON.stringify([path, inner])];
  return parts.map(part => JSON.stringify(inner ? [path, [...inner, part]] : [[...path, part], inner]));
}

/** The value that a record has for an option; reports a value that is not allowed. */
export function readOption(
  column: OptionColumn,
  written: unknown,
  title: string,
  issues: Issue[],
): OwnOptions {
  const { name, option } = column;
  const text = ['string', 'number', 'boolean'].includes(typeof written) ? String(written) : undefined;
  const value = text === undefined ? undefined : option.parse(text);
  if (value !== undefined) return { [name]: value };
  issues.push({ path: title, message: `must be ${option.allowed}, not ${shown(written)}` });
  return {};
}

/** The hint about unknown columns: how to read a shop's own headers, and which command prints the known headers. */
function unknownColumnsHint(header: readonly string[], unknown: number, settings: InputSettings) {
  const { map, shops = {}, name, command, listing, sameFlags = [] } = settings;
  const columns =
    unknown > MOST_UNKNOWN
      ? `${unknown} of ${header.length} columns are unknown: ${listing ?? `\`waybill batch template ${command}\``} prints every header`
      : '';
  if (map !== undefined || listing !== undefined) return columns;
  const shop = shopOf(header, shops);
  const file = operandWords([name === 'stdin' ? 'FILE' : name]);
  const propose = `\`${commandText(['waybill', 'batch', 'map', ...sameFlags, ...file])}\``;
  return shop === undefined
    ? `${columns && `${columns}. `}If these are the headers of a shop, ${propose} writes a file for --map`
    : `This is an export of ${shop.title}: add --map ${shop.name}, or ${propose} writes a map to start from`;
}

/** Gives the place of a column in the built-in map, from 1; 0 if that map lacks the column, or the user's map changes its meaning. */
function builtInRank(map: InputMap | undefined): (title: string) => number {
  const ofShop = map?.shop ? columnsThatGive(map.shop) : {};
  const titles = Object.keys(ofShop);
  return title => (map?.columns[title] === ofShop[title] ? titles.indexOf(title) + 1 : 0);
}

/** What every column of a header means. Throws `invalid_request` with all issues. */
export function recordColumns(header: readonly string[], settings: InputSettings): Column[] {
  const { columns, unknown, issues } = columnMeanings(header, settings);
  const { map, name, keyColumn } = settings;
  if (settings.ignoresOthers) unknown.length = 0;
  else if (map?.others === undefined) issues.unshift(...unknownColumnIssues(unknown));
  else {
    ignoreUnknownColumns(header, columns, unknown, settings);
    unknown.length = 0;
  }
  if (columns.filter(({ kind }) => kind === 'key').length > 1 && issues.length === 0)
    issues.push({ path: keyColumn, message: 'is given by two columns; remove or rename one of them' });
  if (issues.length > 0)
    throw new Failure(
      'invalid_request',
      `the header of ${name} has ${issues.length === 1 ? 'a problem' : `${issues.length} problems`}`,
      { issues, hint: unknown.length > 0 ? unknownColumnsHint(header, unknown.length, settings) : '' },
    );
  return columns;
}

/** What each column means. `unknown`: issues of columns that mean nothing; `issues`: of columns that mean the same as another one. */
function columnMeanings(
  header: readonly string[],
  settings: InputSettings,
): { columns: Column[]; unknown: Issue[]; issues: Issue[] } {
  const issues: Issue[] = [];
  const unknown: Issue[] = [];
  const taken = new Map<string, number[]>();
  const columns: Column[] = [];
  const ranks = header.map(builtInRank(settings.map));
  // A built-in map may have several columns for one field: the first of them that has a cell counts. A column that is not in the built-in
  // map goes before all of them.
  for (const index of [...header.keys()].sort((a, b) => (ranks[a] ?? 0) - (ranks[b] ?? 0))) {
    const title = header[index] ?? '';
    const column = columnOf(title, settings);
    columns[index] = 'kind' in column ? column : { kind: 'ignored' };
    if (!('kind' in column)) unknown.push(column);
    else if (column.kind !== 'ignored' && column.kind !== 'nameless')
      for (const target of columnTargets(column, title)) {
        const before = taken.get(target) ?? [];
        const [first] = before;
        if (first !== undefined && header[first] !== title && (ranks[index] ?? 0) > 0)
          columns[index] = { ...column, after: [...(columns[index].after ?? []), ...before] };
        else if (first !== undefined) issues.push(sameMeaningIssue(title, header[first] ?? ''));
        taken.set(target, [...before, index]);
      }
  }
  return { columns, unknown, issues };
}

const sameMeaningIssue = (path: string, earlier: string): Issue => ({
  path,
  message:
    path === earlier
      ? 'is in the header twice; remove or rename one of the columns'
      : `means the same field as ${earlier}; remove or rename one of them`,
});

/** The first unknown columns as issues, and how many more there are: a file for another operation has many. */
function unknownColumnIssues(unknown: readonly Issue[]): Issue[] {
  if (unknown.length <= MOST_UNKNOWN) return [...unknown];
  const unlisted = unknown.slice(MOST_UNKNOWN).map(({ path }) => JSON.stringify(path));
  const message = `${unlisted.length} more ${unlisted.length === 1 ? 'column is' : 'columns are'} unknown: ${someOf(unlisted, MOST_UNKNOWN)}`;
  return [...unknown.slice(0, MOST_UNKNOWN), { path: '', message }];
}

/** Warns of unknown columns that the map leaves out; with the map of a shop, whose export may change, only of columns with a value. */
function ignoreUnknownColumns(
  header: readonly string[],
  columns: Column[],
  unknown: readonly Issue[],
  settings: InputSettings,
): void {
  const { map, onWarnings, onUnknownColumn } = settings;
  const shop = map?.shop;
  const known = shop ? columnsOfShop(shop) : [];
  const titles = unknown.map(({ path }) => path).filter(title => !known.includes(title));
  if (titles.length === 0) return;
  if (shop === undefined) {
    const names = titles.map(title => JSON.stringify(title));
    onWarnings?.([`the map leaves out columns that it does not name: ${someOf(names, MOST_UNKNOWN)}`]);
  } else
    for (const title of titles)
      columns[header.indexOf(title)] = { kind: 'ignored', onValue: () => onUnknownColumn?.(title) };
}
