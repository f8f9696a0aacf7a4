import { hasField } from '../contract/fields.ts';
import type { Issue } from '../contract/operation.ts';
import { formatPath, isRecord, listAt, setAt } from '../contract/paths.ts';
import { Failure, messageOf } from '../errors.ts';
import { parseJson, readJson } from '../json.ts';
import {
  type CellIssue,
  type CellSettings,
  cellSettings,
  isReadLast,
  parsedIssues,
  withCell,
} from './cells.ts';
import { type Column, columnOf, columnPath, type FieldColumn, isReadByMap, ownOption } from './columns.ts';
import { elementsOf, linesOf } from './json.ts';
import { ERROR_COLUMN, givenRecordName, newRecordName, RECORD_COLUMN } from './record-name.ts';
import { packageMessage } from './rows.ts';
import type { BatchInput, InputMap, InputSettings, OwnOptions, ParsedRecord, RawRecord } from './source.ts';

export function openJson(text: AsyncIterable<string>, settings: InputSettings): BatchInput {
  const { format, name, keyColumn, fields, onIgnored } = settings;
  const values = cellSettings(settings);
  let hasIgnored = false;
  const ignored = (field: string) => {
    if (!hasIgnored) onIgnored?.([field]);
    hasIgnored = true;
  };
  const lines = format === 'jsonl';
  const invalid = (message: string): ParsedRecord => ({
    key: undefined,
    value: {},
    issues: [{ path: '', message }],
  });
  return {
    records: lines ? linesOf(text, name) : elementsOf(text, name),
    part: 'field',
    parse({ text: json }) {
      let read: unknown;
      try {
        read = readJson(json);
      } catch (error) {
        return invalid(`is not JSON: ${messageOf(error)}`);
      }
      if (!isRecord(read)) return invalid('is not a JSON object');
      const issues: CellIssue[] = [];
      let key: unknown;
      let value: unknown = {};
      let options: OwnOptions | undefined;
      const last: [FieldColumn, given: unknown, field: string][] = [];
      for (const [field, given] of Object.entries(read)) {
        const column = columnFor(field, given, settings);
        if (column === undefined && onIgnored && !hasField(fields, field)) ignored(field);
        else if (column === undefined) value = withField(value as Record<string, unknown>, field, given);
        else if (!('kind' in column) && onIgnored) ignored(field);
        else if (!('kind' in column)) issues.push(column);
        else if (column.kind === 'key') key = given;
        else if (column.kind === 'package') value = withPackages(value, given, settings, issues);
        else if (column.kind === 'field' && isReadLast(column)) last.push([column, given, field]);
        else if (column.kind === 'field') value = withValue(value, column, given, field, values, issues);
        else if (column.kind === 'option' && given !== null)
          options = { ...options, ...ownOption(column, given, field, issues) };
      }
      for (const [column, given, field] of last)
        value = withValue(value, column, given, field, values, issues);
      const word = typeof key === 'number' ? String(key) : (key ?? '');
      if (typeof word !== 'string') issues.push({ path: keyColumn, message: 'must be text' });
      const recordName = givenRecordName([read[RECORD_COLUMN]], issues);
      return {
        key: typeof word === 'string' && word.trim() !== '' ? word.trim() : undefined,
        recordName,
        ...withProducts(value, read, settings.map),
        ...(options && { options }),
        ...parsedIssues(issues),
      };
    },
    rowsOf({ text: json }) {
      const read = parseJson(json);
      return isRecord(read) ? [name => (Object.hasOwn(read, name) ? read[name] : undefined)] : [];
    },
    nameOf,
    failed: {
      head: () => (lines ? '' : '[\n'),
      record: (record, error, first) =>
        lines ? `${withOwnFields(record, error)}\n` : `${first ? '' : ',\n'}${withOwnFields(record, error)}`,
      foot: () => (lines ? '' : '\n]\n'),
    },
  };
}

/** With what the column gives. A value that is not transformed stays as it was given. */
function withValue(
  value: unknown,
  column: FieldColumn,
  given: unknown,
  field: string,
  values: CellSettings,
  issues: CellIssue[],
): unknown {
  const path = columnPath(column);
  const isWord = typeof given === 'string' || typeof given === 'number';
  if (column.transform === undefined || !isWord) return setAt(value, path, given);
  // A number of JSON has a dot, whatever its texts have.
  const settings = typeof given === 'number' ? { ...values, hasComma: false } : values;
  return withCell(value, path, column, String(given), field, settings, issues);
}

/** The value, and what `by` of a product table says of each item: a field of the record, or `items[].sku` of its items. */
function withProducts(
  value: unknown,
  read: Record<string, unknown>,
  map: InputMap | undefined,
): Pick<ParsedRecord, 'value' | 'products'> {
  const by = map?.lookup?.by;
  const [, inner] = /^items\[\]\.(\w+)$/.exec(by ?? '') ?? [];
  const textOf = (word: unknown) =>
    (word === undefined || word === null ? '' : String(word).trim()) || undefined;
  if (by === undefined) return { value: value as ParsedRecord['value'] };
  if (inner === undefined) {
    const product = textOf(Object.hasOwn(read, by) ? read[by] : undefined);
    return { value: value as ParsedRecord['value'], products: product === undefined ? [] : [product] };
  }
  const items = listAt(value, 'items');
  return {
    value: setAt(
      value,
      ['items'],
      items.map(item =>
        isRecord(item) ? Object.fromEntries(Object.entries(item).filter(([name]) => name !== inner)) : item,
      ),
    ) as ParsedRecord['value'],
    products: items.map(item => (isRecord(item) ? textOf(item[inner]) : undefined)),
  };
}

/** Adds it in place; a record may hold `__proto__`. */
function withField(value: Record<string, unknown>, name: string, given: unknown): unknown {
  if (name === '__proto__') return { ...value, [name]: given };
  value[name] = given;
  return value;
}

/** What a name of a record means; `undefined`: it is that field of the body. */
function columnFor(name: string, given: unknown, settings: InputSettings): Column | Issue | undefined {
  const { recordOptions = {} } = settings;
  if (name.startsWith('_')) return { kind: 'ignored' };
  const { map, fields } = settings;
  if (map && Object.hasOwn(map.columns, name)) return columnOf(name, settings);
  if (map && isReadByMap(name, map) && !hasField(fields, name)) return columnOf(name, settings);
  if (name === settings.keyColumn) return { kind: 'key' };
  const option = Object.hasOwn(recordOptions, name) ? recordOptions[name] : undefined;
  // `carrier` may be the object of the body, too.
  if (option && ('parse' in option || !isRecord(given))) return columnOf(name, settings);
  return name === 'package' && settings.packages ? { kind: 'package', each: false } : undefined;
}

function nameOf({ text }: RawRecord): string | undefined {
  const value = parseJson(text);
  if (!isRecord(value)) return undefined;
  const named = Object.entries(value).filter(([field]) => !field.startsWith('_'));
  return givenRecordName([value[RECORD_COLUMN]], []) ?? newRecordName(Object.fromEntries(named));
}

/** The record with its error and its name in front. One that cannot be read stays as it is. */
function withOwnFields(record: RawRecord, error: string): string {
  const value = parseJson(record.text);
  if (!isRecord(value)) return record.text.trim();
  const { [ERROR_COLUMN]: _, [RECORD_COLUMN]: name, ...rest } = value;
  return JSON.stringify({ [ERROR_COLUMN]: error, [RECORD_COLUMN]: name || nameOf(record), ...rest });
}

/** `package` of a JSON record: a SPEC, or a list of them. */
function withPackages(
  value: unknown,
  given: unknown,
  { packages }: InputSettings,
  issues: CellIssue[],
): unknown {
  if (packages === undefined) return value;
  try {
    const specs = (Array.isArray(given) ? given : [given]).map(String);
    const entries = specs.map(spec => packages.entry(spec));
    return setAt(value, packages.path, entries);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    issues.push({ path: 'package', message: packageMessage(error), unread: [formatPath(packages.path)] });
    return value;
  }
}
