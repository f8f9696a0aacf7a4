// What a cell of a CSV, or a value of a JSON record, gives for the field of its column.

import { formatPath, type Path, setAt, textAt } from '../contract/paths.ts';
import { fieldAt, type Issue } from '../contract/shapes.ts';
import { valueFrom } from '../order/build.ts';
import { shown } from '../text.ts';
import type { FieldColumn } from './columns.ts';
import { shownCell } from './csv.ts';
import type { InputSettings, ParsedRecord } from './input-types.ts';
import { readYesOrNo } from './record-options.ts';
import { type TransformName, transformNamed } from './transform.ts';

/** How the cells of an input are read. */
export interface CellSettings {
  hasComma: boolean;
  /** The decimal sign of amounts, a dot or a comma, if it is known. */
  sign?: string | undefined;
  /** The currency of all orders, if a constant or an option says it. */
  currency: string | undefined;
  /** May a record have this field? */
  has(path: Path): boolean;
  /** Transforms a cell of the column. `target`: the record as far as it is read. */
  transformed(
    transform: TransformName,
    column: FieldColumn,
    cell: string,
    target: unknown,
    sign: string | undefined,
  ): ReturnType<Apply>;
}

type Apply = ReturnType<typeof transformNamed>['apply'];

/** A problem of a cell. `unread`: the fields of the body that stay empty because of the problem. */
export interface CellIssue extends Issue {
  unread?: readonly string[];
}

export function parsedIssues(cellIssues: readonly CellIssue[]): Pick<ParsedRecord, 'issues' | 'unread'> {
  const unread = cellIssues.flatMap(({ unread: missing = [] }) => missing);
  return {
    issues: cellIssues.map(({ unread: _, ...issue }) => issue),
    ...(unread.length > 0 && { unread }),
  };
}

/** Leaves out issues about fields whose cells could not be read: such a cell has an issue of its own. */
export const withoutUnread = (issues: readonly Issue[], record: ParsedRecord): Issue[] =>
  record.isMisread ? [] : issues.filter(({ path }) => !record.unread?.includes(path));

/** The currency of orders without a currency of their own, from the map, a flag or the profile. */
export function commonCurrency(settings: InputSettings): string | undefined {
  const { map, valueForAll } = settings;
  const currency = map?.constants['customs.currency'] ?? valueForAll?.('customs.currency');
  return typeof currency === 'string' ? currency : undefined;
}

export const cellSettings = (settings: InputSettings): CellSettings => {
  const { map, phones, decode, fields } = settings;
  return {
    hasComma: map?.decimal === ',',
    sign: map?.decimal,
    currency: commonCurrency(settings),
    has: path => fieldAt(fields, path) !== undefined,
    transformed(name, column, cell, target, sign) {
      const party = column.path.slice(0, -1);
      const textOf = (...inner: string[]) => textAt(target, [...party, ...inner]);
      const constant = (inner: string) => map?.constants[formatPath([...party, inner])];
      const country = textOf('address', 'country', 'code') ?? constant('address.country.code');
      // The phone code among the constants of the map counts only where no country is known.
      const code = textOf('phone', 'code') ?? (country === undefined ? constant('phone.code') : undefined);
      const beside = { code, country };
      return transformNamed(name).apply(shownCell(cell), { phones, beside, sign, decode });
    },
  };
};

/** Is the column read after all others? A phone number is read by the country of its address, which a later column may give. */
export const isReadLast = (column: FieldColumn): boolean => column.transform === 'phone';

/** Fills the field at `path` of the target from a cell; reports a cell that cannot be transformed. `bodyPath`: its path in the body. */
export function withCell(
  target: unknown,
  path: Path,
  column: FieldColumn,
  cell: string,
  title: string,
  settings: CellSettings,
  issues: CellIssue[],
  bodyPath = path,
): unknown {
  const { field, transform } = column;
  if (transform === undefined) return setAt(target, path, plainValue(field, cell, settings));
  const isUnit = field?.kind === 'number' && transform !== 'money';
  const written = isUnit ? withUnit(cell, settings) : cell;
  const parts = settings.transformed(transform, column, written, target, settings.sign);
  if (typeof parts !== 'string')
    return parts.reduce((value: unknown, [inner, part]) => setAt(value, [...path, ...inner], part), target);
  issues.push({
    path: title,
    message: `${parts}, not ${shown(cell)} (the map transforms it: ${transform})`,
    unread: givenFields(bodyPath, column),
  });
  return target;
}

/** The fields that a cell of the column fills: a full name fills two, the first and the last name. */
export function givenFields(path: Path, column: FieldColumn): string[] {
  const parts = column.transform === undefined ? [] : (transformNamed(column.transform).inner ?? []);
  return parts.length === 0 ? [formatPath(path)] : parts.map(part => formatPath([...path, part]));
}

function plainValue(field: FieldColumn['field'], cell: string, settings: CellSettings): unknown {
  if (field?.kind === 'number') return valueFrom(field, withDecimalPoint(cell, settings.hasComma));
  if (field?.kind === 'boolean') return readYesOrNo(cell) ?? cell;
  return valueFrom(field, field === undefined || field.kind === 'text' ? oneLine(cell) : cell.trim());
}

/** Joins the lines of a cell: a text field of the service is a single line. */
const oneLine = (cell: string): string =>
  LINE_BREAK.test(cell) ? cell.trim().replaceAll(new RegExp(LINE_BREAK, 'g'), ', ') : cell;

const LINE_BREAK = /[\s,]*[\n\r\v\f\u2028\u2029][\s,]*/;

/** Writes the number in front of a unit with a decimal point, if the file has decimal commas: `19,90 EUR`, `1,5 kg`. */
export const withUnit = (cell: string, settings: CellSettings): string =>
  cell.replace(/^[^A-Za-z"]+/, amount => withDecimalPoint(amount, settings.hasComma));

/**
 * `1.234,5` → `1234.5` in a file with decimal commas; any other text stays, so that validation refuses it as it was given.
 * `1.234` alone may mean a thousand or a bit more than one: a guess could make a parcel a thousand times heavier.
 */
export function withDecimalPoint(cell: string, hasComma: boolean): string {
  if (!hasComma) return cell;
  return /^\s*[+-]?(\d{1,3}\.\d{3},\d+|\d{1,3}(\.\d{3}){2,}(,\d+)?|\d+(,\d+)?)\s*$/.test(cell)
    ? cell.replaceAll('.', '').replace(',', '.')
    : cell.replace(/^(\s*[+-]?\d+\.\d+\s*)$/, '$1 (use a decimal comma)');
}
