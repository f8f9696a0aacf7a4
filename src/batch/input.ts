import { extname } from 'node:path';
import { fieldAt } from '../contract/fields.ts';
import type { Issue, Schema } from '../contract/operation.ts';
import { getAt, isRecord, type Path, setAt } from '../contract/paths.ts';
import { Failure, messageOf } from '../errors.ts';
import { typed } from '../request/values.ts';
import { type Column, columnOf, columnsOf, type FieldColumn } from './columns.ts';
import { csvRow, recordsOf, type Table } from './csv.ts';
import { elementsOf, linesOf, readJson } from './json.ts';
import { type InputMap, strangersIn } from './map.ts';
import { parsePathOf, readRows } from './rows.ts';
import { type Piece, textOf } from './source.ts';

export type { Piece } from './source.ts';

export const INPUT_FORMATS = ['csv', 'json', 'jsonl'] as const;
export type InputFormat = (typeof INPUT_FORMATS)[number];

const ENDINGS: Readonly<Record<string, InputFormat>> = {
  '.csv': 'csv',
  '.tsv': 'csv',
  '.json': 'json',
  '.jsonl': 'jsonl',
  '.ndjson': 'jsonl',
};

/** As `--format` says, else by the ending of the name. Throws `usage` where neither tells. */
export function inputFormat(path: string, given?: InputFormat): InputFormat {
  const format = given ?? ENDINGS[extname(path).toLowerCase()];
  if (format === undefined)
    throw new Failure(
      'usage',
      `${path === '-' ? 'stdin' : path} may be of any format; give --format ${INPUT_FORMATS.join(', ')}. Nothing was sent`,
    );
  return format;
}

export interface InputSettings {
  format: InputFormat;
  /** For messages: the path, or `stdin`. */
  name: string;
  /** What a record may hold. */
  fields: Schema;
  /** How a package SPEC becomes an entry (throws `usage`), and where the list of them is; absent: there are none. */
  packages?: { path: string; entry(spec: string): unknown };
  keyColumn: string;
  map?: InputMap;
  /** Told what is doubtful in the header of a CSV, if anything is; may throw. */
  doubtful?(doubts: readonly string[]): void;
  /** Lets fields through that are not in the document. */
  allowUnknown: boolean;
}

/** What one record says. */
export interface InputRecord {
  key: string | undefined;
  /** Of the body, in the body's own shape. */
  value: Record<string, unknown>;
  /** What is wrong with it as it is written. */
  faults: Issue[];
}

export interface Input {
  /** The records, one after the other; memory does not grow with their number. Throws `invalid_request`. */
  pieces: AsyncIterable<Piece>;
  /** Reads one of them, after it came. */
  read(piece: Piece): InputRecord;
  /** Writes records back in the format that they came in, each with its `_error`. */
  failed: {
    head(): string;
    piece(piece: Piece, error: string, first: boolean): string;
    foot(): string;
  };
}

/** Opens the input of a batch: CSV, a JSON array, or JSON lines. */
export function openInput(bytes: AsyncIterable<Uint8Array>, settings: InputSettings): Input {
  const text = textOf(bytes, settings.name);
  return settings.format === 'csv' ? openCsv(text, settings) : openJson(text, settings);
}

const columnSettings = ({ fields, packages, keyColumn, map, allowUnknown }: InputSettings) => ({
  fields,
  packages: packages !== undefined,
  keyColumn,
  renamed: map?.columns ?? {},
  allowUnknown,
});

function openCsv(text: AsyncIterable<string>, settings: InputSettings): Input {
  const { name, map, packages } = settings;
  let table: Table & { columns: Column[] } = { header: [], delimiter: ',', columns: [] };
  const told = map?.delimiter ?? (name.toLowerCase().endsWith('.tsv') ? '\t' : undefined);
  const pieces = recordsOf(text, {
    name,
    delimiter: told,
    begin(begun) {
      const { header } = begun;
      const unknown = header.filter(title => !('kind' in columnOf(title, columnSettings(settings))));
      const doubts = strangersIn(map, { header, unknown, name });
      if (doubts.length > 0) settings.doubtful?.(doubts);
      const columns = columnsOf(header, columnSettings(settings), name);
      table = { ...begun, columns };
      const key = columns.findIndex(({ kind }) => kind === 'key');
      // Without a column that rows add to, two rows of one key are a key that is there twice.
      const adds = columns.some(
        one => (one.kind === 'field' && one.inner) || (one.kind === 'package' && one.each),
      );
      return adds && key >= 0 ? key : undefined;
    },
  });
  const constants = constantsOf(settings);
  const errorAt = () => table.header.indexOf('_error');
  const without = (cells: readonly string[]) => cells.filter((_, index) => index !== errorAt());
  return {
    pieces,
    read({ text: rows }) {
      const { header, columns } = table;
      const { key, value, faults } = readRows(JSON.parse(rows), {
        ...{ header, columns, packages },
        decimal: map?.decimal ?? '.',
      });
      return { key, value: constants(value) as Record<string, unknown>, faults };
    },
    failed: {
      // In front: behind a row that is too short it would stand under another header.
      head: () => csvRow(['_error', ...without(table.header)], table.delimiter),
      piece: ({ text: rows }, error) =>
        (JSON.parse(rows) as string[][])
          .map((cells, index) => csvRow([index === 0 ? error : '', ...without(cells)], table.delimiter))
          .join(''),
      foot: () => '',
    },
  };
}

function openJson(text: AsyncIterable<string>, settings: InputSettings): Input {
  const { format, name, map, keyColumn } = settings;
  const constants = constantsOf(settings);
  const lines = format === 'jsonl';
  const refuse = (message: string): InputRecord => ({
    key: undefined,
    value: {},
    faults: [{ path: '', message }],
  });
  return {
    pieces: lines ? linesOf(text, name) : elementsOf(text, name),
    read({ text: json }) {
      let read: ReturnType<typeof readJson>;
      try {
        read = readJson(json);
      } catch (error) {
        return refuse(`is not JSON: ${messageOf(error)}`);
      }
      if (!isRecord(read.value)) return refuse('is no JSON object');
      const faults = read.repeated.map(path => ({ path, message: 'is given twice in one object' }));
      let key: unknown;
      let value: unknown = {};
      for (const [field, given] of Object.entries(read.value)) {
        const renamed = map !== undefined && Object.hasOwn(map.columns, field);
        if (field.startsWith('_')) continue;
        if (field === keyColumn && !renamed) key = given;
        else if (field === 'package' && settings.packages && !renamed)
          value = withParcels(value, given, settings, faults);
        else if (!renamed) value = { ...(value as object), [field]: given };
        else {
          const column = columnOf(field, columnSettings(settings));
          if (!('kind' in column)) faults.push(column);
          else if (column.kind === 'key') key = given;
          else if (column.kind === 'package') value = withParcels(value, given, settings, faults);
          else if (column.kind === 'field') value = setAt(value, pathOf(column), given);
        }
      }
      // A long number has lost digits in JSON: two orders would share what is left of it.
      const word = typeof key === 'number' && !isLong(key) ? String(key) : key;
      if (typeof word === 'number')
        faults.push({ path: keyColumn, message: 'must be in quotes: a number that long loses digits' });
      else if (word !== undefined && word !== null && typeof word !== 'string')
        faults.push({ path: keyColumn, message: 'must be text' });
      return {
        key: typeof word === 'string' && word.trim() !== '' ? word.trim() : undefined,
        value: constants(value) as Record<string, unknown>,
        faults,
      };
    },
    failed: {
      head: () => (lines ? '' : '[\n'),
      piece: (piece, error, first) =>
        lines ? `${withError(piece, error)}\n` : `${first ? '' : ',\n'}${withError(piece, error)}`,
      foot: () => (lines ? '' : '\n]\n'),
    },
  };
}

const isLong = (key: number) => Number.isInteger(key) && !Number.isSafeInteger(key);

const pathOf = ({ path, inner }: FieldColumn): Path => (inner ? [...path, 0, ...inner] : path);

const OWN_ERROR = /^\{\s*"_error"\s*:\s*"(?:[^"\\]|\\.)*"\s*(?:,|(?=\}))/;

/**
 * The record as it stands, with what is wrong with it in front: written anew it would lose names that are given
 * twice, and digits of long numbers. One that cannot be read stays as it is.
 */
function withError({ text }: Piece, error: string): string {
  const whole = text.trim().replace(OWN_ERROR, '{');
  try {
    const value: unknown = JSON.parse(whole);
    if (!isRecord(value)) return whole;
    if (Object.hasOwn(value, '_error')) return JSON.stringify({ ...value, _error: error });
    const comma = Object.keys(value).length > 0 ? ',' : '';
    return `{"_error":${JSON.stringify(error)}${comma}${whole.slice(1)}`;
  } catch {
    return whole;
  }
}

/** `package` of a JSON record: a SPEC, or a list of them. */
function withParcels(value: unknown, given: unknown, { packages }: InputSettings, faults: Issue[]): unknown {
  if (packages === undefined) return value;
  try {
    const specs = (Array.isArray(given) ? given : [given]).map(String);
    return setAt(
      value,
      parsePathOf(packages.path),
      specs.map(spec => packages.entry(spec)),
    );
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    faults.push({ path: 'package', message: error.message.replace(/^--package /, '') });
    return value;
  }
}

/** Puts the constants of the map under what a record says. Throws `invalid_request` for one that means nothing. */
function constantsOf(settings: InputSettings): (value: unknown) => unknown {
  const issues: Issue[] = [];
  const constants = Object.entries(settings.map?.constants ?? {}).flatMap(([name, written]) => {
    const column = columnOf(name, { ...columnSettings(settings), renamed: {}, packages: false });
    if ('kind' in column && column.kind === 'field') {
      const { path, inner } = column;
      return [{ path, inner, value: typed(fieldAt(settings.fields, pathOf(column)), written) }];
    }
    issues.push({
      ...('kind' in column ? { path: name, message: 'is no field' } : column),
      path: `constants.${name}`,
    });
    return [];
  });
  if (issues.length > 0)
    throw new Failure('invalid_request', 'the map has constants that mean nothing; nothing was sent', {
      issues,
    });
  return start =>
    constants.reduce((value: unknown, { path, inner, value: constant }) => {
      if (inner === undefined) return below(value, path, constant);
      const list = getAt(value, path);
      if (!Array.isArray(list)) return value;
      return setAt(
        value,
        path,
        list.map(entry => below(entry, inner, constant)),
      );
    }, start);
}

/** With the constant, unless something is said there, or on the way there is what cannot hold it. */
function below(value: unknown, path: Path, constant: unknown): unknown {
  const holds = path.every((part, index) => {
    const there = getAt(value, path.slice(0, index));
    return there === undefined || (typeof part === 'number' ? Array.isArray(there) : isRecord(there));
  });
  return holds && getAt(value, path) === undefined ? setAt(value, path, constant) : value;
}
