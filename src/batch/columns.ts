import { type Path, parsePath } from '../contract/paths.ts';
import { type Field, fieldAt, fieldsOf, type Issue } from '../contract/shapes.ts';
import { Failure } from '../errors.ts';
import { nearest } from '../nearest.ts';
import { shellWord, shown, someOf } from '../text.ts';
import { columnsOfCells } from './left-out.ts';
import { SHOPS, shopOf } from './maps.ts';
import type { InputMap, InputSettings, OwnOptions, ParsedOption } from './source.ts';
import { type TransformName, transformNamed } from './transform.ts';

/** What a column of a CSV, or a name of a JSON record, means. */
export type Column =
  | { kind: 'key' }
  | { kind: 'ignored' }
  /** Without a header: its cells must be empty. */
  | { kind: 'nameless' }
  | { kind: 'package'; each: boolean }
  | OptionColumn
  | FieldColumn;

interface OptionColumn {
  kind: 'option';
  /** In code. */
  name: string;
  option: ParsedOption;
}

export interface FieldColumn {
  kind: 'field';
  /** With a `[]`, the path of the list; `inner` is then the path within its element. */
  path: Path;
  inner?: Path | undefined;
  field: Field | undefined;
  transform?: TransformName | undefined;
}

/** Does the map read the column for something else than a field? */
export const isReadByMap = (header: string, map: InputMap): boolean =>
  map.lookup?.by === header || columnsOfCells(map).includes(header);

const PACKAGE = /^package(\[\d*\])?$/;

/** Parses a header as people write it; gives the issue of one that means nothing. */
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
  if (header.startsWith('_') || name.startsWith('_') || name === '') return { kind: 'ignored' };
  if (name === keyColumn || (name === 'key' && name !== header)) return { kind: 'key' };
  if (packages && PACKAGE.test(name)) return { kind: 'package', each: name.endsWith('[]') };
  const option = recordOptions && Object.hasOwn(recordOptions, name) ? recordOptions[name] : undefined;
  if (option && 'parse' in option) return { kind: 'option', name, option };
  // `items[].hsCode` → `items`, `hsCode`.
  const [before = '', after] = (option?.path ?? name).split(/\[\]\.(.*)/s);
  const path = parsePath(before);
  const inner = after === undefined ? undefined : parsePath(after);
  const whole = after === undefined ? path : path && inner && [...path, 0, ...inner];
  const field = whole && fieldAt(fields, whole);
  if (path && whole && (field !== undefined || allowUnknown)) {
    const transform = map && Object.hasOwn(map.transform, header) ? map.transform[header] : undefined;
    if (transform === undefined) return { kind: 'field', path, inner, field };
    // The path of a saved party itself cannot be written: its first name stands for it.
    const owner = transform === 'name' && path.at(-1) === 'firstName' ? path.slice(0, -1) : path;
    return { kind: 'field', path: owner, inner, field, transform };
  }
  if (map && name === header && isReadByMap(header, map)) return { kind: 'ignored' };
  const suggestion = nearest(name.replace(/\[\d+\]/g, '[]'), headersOf(settings));
  return {
    path: header,
    message: `is not a field of ${command}${name === header ? '' : ` (the map says: ${name})`}; rename it with --map, or put _ in front to leave the column out`,
    ...(suggestion !== undefined && { suggestion }),
  };
}

/** The headers that a file may have. */
const headersOf = ({ fields, packages, keyColumn, recordOptions = {} }: InputSettings): string[] => [
  keyColumn,
  ...Object.keys(recordOptions),
  ...fieldsOf(fields).map(({ pattern }) => pattern),
  ...(packages ? ['package'] : []),
];

/** Further unknown columns are not listed: the file is probably for another operation. */
const MOST_UNKNOWN = 10;

/** The path of a field; within a list, of its first element. */
export const columnPath = ({ path, inner }: FieldColumn): Path => (inner ? [...path, 0, ...inner] : path);

/** Columns that mean the same share one of these. */
function targetsOf(column: Column, title: string): string[] {
  if (column.kind === 'option') return [column.name];
  if (column.kind !== 'field') return [title];
  const { path, inner, transform } = column;
  const parts = transform === undefined ? [] : (transformNamed(transform).inner ?? []);
  if (parts.length === 0) return [JSON.stringify([path, inner])];
  return parts.map(part => JSON.stringify(inner ? [path, [...inner, part]] : [[...path, part], inner]));
}

/** The option of a record as it is written; reports what is not allowed. */
export function ownOption(
  { name, option }: OptionColumn,
  written: unknown,
  title: string,
  issues: Issue[],
): OwnOptions {
  const text = ['string', 'number', 'boolean'].includes(typeof written) ? String(written) : undefined;
  const value = text === undefined ? undefined : option.parse(text);
  if (value !== undefined) return { [name]: value };
  issues.push({ path: title, message: `must be ${option.allowed}, not ${shown(written)}` });
  return {};
}

/** What reads a shop's own headers, and what prints ours. */
function hintFor(header: readonly string[], unknown: number, { map, name, command, listing }: InputSettings) {
  const columns =
    unknown > MOST_UNKNOWN
      ? `. ${unknown} of ${header.length} columns are unknown: ${listing ?? `\`waybill batch template ${command}\``} prints every header`
      : '';
  if (map !== undefined || listing !== undefined) return columns;
  const shop = shopOf(header);
  const propose = `\`waybill batch map ${name === 'stdin' ? 'FILE' : shellWord(name)}\``;
  return shop === undefined
    ? `${columns}. If these are the headers of a shop, ${propose} writes a file for --map`
    : `. This is an export of ${shop.title}: add --map ${shop.name}, or ${propose} writes a map to start from`;
}

/** Every column of a header. Throws `invalid_request` with all issues. */
export function recordColumns(header: readonly string[], settings: InputSettings): Column[] {
  const issues: Issue[] = [];
  const unknown: Issue[] = [];
  const taken = new Map<string, string>();
  const columns = header.map((title): Column => {
    const found = columnOf(title, settings);
    if (!('kind' in found)) {
      unknown.push(found);
      return { kind: 'ignored' };
    }
    if (found.kind === 'ignored' || found.kind === 'nameless') return found;
    for (const target of targetsOf(found, title)) {
      const before = taken.get(target);
      if (before === title)
        issues.push({ path: title, message: 'is in the header twice; remove or rename one of the columns' });
      else if (before !== undefined)
        issues.push({
          path: title,
          message: `means the same field as ${before}; remove or rename one of them`,
        });
      taken.set(target, title);
    }
    return found;
  });
  if (settings.ignoresOthers) unknown.length = 0;
  else if (settings.map?.others !== undefined) {
    const { unused = [] } = SHOPS.get(settings.map.extends) ?? {};
    const left = unknown.flatMap(({ path }) => (unused.includes(path) ? [] : JSON.stringify(path)));
    if (left.length > 0)
      settings.onWarnings?.([
        `the map leaves out columns that it does not name: ${someOf(left, MOST_UNKNOWN)}`,
      ]);
  } else if (unknown.length > MOST_UNKNOWN) {
    const rest = unknown.slice(MOST_UNKNOWN).map(({ path }) => JSON.stringify(path));
    issues.unshift(...unknown.slice(0, MOST_UNKNOWN), {
      path: '',
      message: `${rest.length} more ${rest.length === 1 ? 'column is' : 'columns are'} unknown: ${someOf(rest, MOST_UNKNOWN)}`,
    });
  } else issues.unshift(...unknown);
  if (columns.filter(({ kind }) => kind === 'key').length > 1 && issues.length === 0)
    issues.push({
      path: settings.keyColumn,
      message: 'is given by two columns; remove or rename one of them',
    });
  if (issues.length > 0)
    throw new Failure(
      'invalid_request',
      `the header of ${settings.name} has ${issues.length === 1 ? 'a problem' : `${issues.length} problems`}; nothing was sent${unknown.length > 0 ? hintFor(header, unknown.length, settings) : ''}`,
      { issues },
    );
  return columns;
}
