import { type Field, fieldAt, fieldsOf } from '../contract/fields.ts';
import type { Issue, Schema } from '../contract/operation.ts';
import { type Path, parsePath } from '../contract/paths.ts';
import { Failure } from '../errors.ts';
import { nearest } from '../nearest.ts';

/** What a column of the input, or a name of a JSON record, gives. */
export type Column =
  | { kind: 'key' }
  | { kind: 'ignored' }
  /** One without a header: its cells must be empty. */
  | { kind: 'nameless' }
  | { kind: 'package'; each: boolean }
  | FieldColumn;

export interface FieldColumn {
  kind: 'field';
  /** Up to `[]` where there is one, so that the list is at `path` and the value at `inner` of its element. */
  path: Path;
  inner?: Path | undefined;
  field: Field | undefined;
}

export interface ColumnSettings {
  fields: Schema;
  /** Is there a column of package SPECs? */
  packages: boolean;
  keyColumn: string;
  /** Headers of a shop's own. */
  renamed: Readonly<Record<string, string>>;
  allowUnknown: boolean;
}

const PACKAGE = /^package(\[\d*\])?$/;

/** Reads a header as people write it. Gives the fault of one that means nothing. */
export function columnOf(header: string, settings: ColumnSettings): Column | Issue {
  const { fields, packages, keyColumn, renamed, allowUnknown } = settings;
  const name = Object.hasOwn(renamed, header) ? (renamed[header] ?? '') : header;
  if (header === '') return { kind: 'nameless' };
  if (header.startsWith('_') || name.startsWith('_') || name === '') return { kind: 'ignored' };
  if (name === keyColumn || (name === 'key' && name !== header)) return { kind: 'key' };
  if (packages && PACKAGE.test(name)) return { kind: 'package', each: name.endsWith('[]') };
  const [before = '', after] = splitEach(name);
  const path = parsePath(before);
  const inner = after === undefined ? undefined : parsePath(after);
  const whole = after === undefined ? path : path && inner && [...path, 0, ...inner];
  const field = whole && fieldAt(fields, whole);
  if (path && whole && (field !== undefined || allowUnknown)) return { kind: 'field', path, inner, field };
  const known = fieldsOf(fields)
    .map(({ pattern }) => pattern)
    .concat(packages ? ['package', keyColumn] : [keyColumn]);
  const suggestion = nearest(name.replace(/\[\d+\]/g, '[]'), known);
  return {
    path: header,
    message: `is no field of the service document${name === header ? '' : ` (by the map: ${name})`}; a column that begins with _ is left out, and --map renames`,
    ...(suggestion !== undefined && { suggestion }),
  };
}

/** `items[].hsCode` → `items`, `hsCode`. */
function splitEach(name: string): [string, string?] {
  const at = name.indexOf('[].');
  return at < 0 ? [name] : [name.slice(0, at), name.slice(at + 3)];
}

/** Every column of a header. Throws `invalid_request` with all that is wrong with it. */
export function columnsOf(header: readonly string[], settings: ColumnSettings, name: string): Column[] {
  const issues: Issue[] = [];
  const taken = new Map<string, string>();
  const columns = header.map((title): Column => {
    const found = columnOf(title, settings);
    if (!('kind' in found)) {
      issues.push(found);
      return { kind: 'ignored' };
    }
    if (found.kind === 'ignored' || found.kind === 'nameless') return found;
    const target = found.kind === 'field' ? JSON.stringify([found.path, found.inner]) : title;
    const before = taken.get(target);
    if (before === title)
      issues.push({ path: title, message: 'is there twice, and only one of the columns can be meant' });
    else if (before !== undefined)
      issues.push({ path: title, message: `gives the same field as ${before}, and only one can be meant` });
    taken.set(target, title);
    return found;
  });
  if (columns.filter(({ kind }) => kind === 'key').length > 1 && issues.length === 0)
    issues.push({ path: settings.keyColumn, message: 'is given by two columns' });
  if (issues.length > 0)
    throw new Failure(
      'invalid_request',
      `the header of ${name} has ${issues.length === 1 ? 'a fault' : `${issues.length} faults`}; nothing was sent`,
      { issues },
    );
  return columns;
}
