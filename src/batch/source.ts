import { type Command, Option } from 'commander';
import type { Issue, Schema } from '../contract/operation.ts';
import type { Path } from '../contract/paths.ts';
import { Failure } from '../errors.ts';
import { fingerprint } from '../order/build.ts';
import type { Phones } from '../order/check.ts';
import { shown } from '../text.ts';
import { BYTE_ORDER_MARK, type Encoding, encodingNamed, hasUtf8Mark, UTF_8 } from './encoding.ts';
import type { ShopName } from './maps.ts';
import type { RecordOptions } from './record-options.ts';
import type { TransformName } from './transform.ts';

export const INPUT_FORMATS = ['csv', 'json', 'jsonl'] as const;
export type InputFormat = (typeof INPUT_FORMATS)[number];

/** `--map`: how the records of a shop's own export become our records. Absent parts stay absent: a record is known again by its map. */
export interface InputMap {
  /** The built-in map that it begins with. */
  extends?: ShopName;
  /** Headers, or names of a JSON record, and the path that each of them gives; one with a `_` is left out. */
  columns: Readonly<Record<string, string>>;
  /** Values for paths that a record does not give; `items[].countryOfOrigin` is for each item that is there. */
  constants: Readonly<Record<string, string>>;
  decimal: '.' | ',';
  /** Of CSV; found from the header if it is left out. */
  delimiter?: string;
  /** What the cells of a column become, by its header. */
  transform?: Readonly<Record<string, TransformName>>;
  /** Columns that mean nothing are left out, and not refused. */
  others?: '_';
  /** Orders of which a row has one of these cells are left out. */
  skip?: Cells;
  /** Of each of these columns an order has one of these cells, or it is left out. */
  only?: Cells;
  /** Rows with one of these cells are no items of their order. */
  skipItems?: Cells;
  /** In front of each key. */
  keyPrefix?: string;
  /** What the packaging weighs, in kilograms. */
  tare?: number;
  lookup?: Lookup;
}

/** Cells by their column, in lower case; `*` is any that is not blank. */
export type Cells = Readonly<Record<string, readonly string[]>>;

/** A product table, and what it says of each item. */
export interface Lookup {
  file: string;
  /** The column of the orders, and that of the table, which are the same for one product. */
  by: string;
  key: string;
  /** Columns of the table, and the path that each of them gives. */
  columns: Readonly<Record<string, string>>;
  /** The rows of the table by their key; each has a cell for each of `columns`. */
  products: ReadonlyMap<string, readonly string[]>;
  /** A hash of the rows: another table is another map. */
  digest: string;
}

/** One record as the input has it; `text` is complete in itself. */
export interface RawRecord {
  /** Of its first row, from 1, as an editor counts. */
  line: number;
  /** The JSON text of the record; of CSV, its rows as a JSON array of arrays of cells. */
  text: string;
}

/** What one record says. */
export interface ParsedRecord {
  key: string | undefined;
  /** The `_record` that a file of `--failed` gave it. */
  recordName?: string | undefined;
  /** Of the body, in the body's own shape. */
  value: Record<string, unknown>;
  /** The options of the command that it has for itself, by their names in code. */
  options?: OwnOptions;
  issues: Issue[];
  /** Fields of the body that cannot be read from what was given, as the issues say: that they are missing says no more. */
  unread?: readonly string[];
  /** What the column of a product table says of each of its items; `undefined` for one without. */
  products?: readonly (string | undefined)[];
  /** Has the map left out some of its items? */
  isPart?: boolean;
}

export type OwnOptions = Readonly<Record<string, unknown>>;

/** What a row says, by header or name. */
export type NamedRow = (title: string) => unknown;

export interface BatchInput {
  /** One after the other, so that memory does not grow with their number. Throws `invalid_request`. */
  records: AsyncIterable<RawRecord>;
  parse(record: RawRecord): ParsedRecord;
  /** Its rows, each by header or name. */
  rowsOf(record: RawRecord): readonly NamedRow[];
  /** The `_record` of a record in the file of `--failed`; `undefined` if it cannot be read. */
  nameOf(record: RawRecord): string | undefined;
  /** What a value of a record stands in, for messages. */
  part: 'column' | 'field';
  /** Writes records in the format of the input, in UTF-8, each with its `_error` and `_record`. */
  failed: {
    head(): string;
    record(record: RawRecord, error: string, first: boolean): string;
    foot(): string;
  };
}

export interface InputSettings {
  format: InputFormat;
  /** For messages: the path, or `stdin`. */
  name: string;
  /** For messages: the operation whose fields they are. */
  command?: string;
  /** For messages: the command that prints every header; by default the template of the operation. */
  listing?: string;
  /** What a record may hold. */
  fields: Schema;
  /** How a package SPEC becomes an entry (throws `usage`), and the path of their list; absent: there are none. */
  packages?: { path: Path; entry(spec: string): unknown };
  /** What a record may have beside the fields of the body. */
  recordOptions?: RecordOptions;
  keyColumn: string;
  map?: InputMap;
  /** What reads phone numbers, if the map transforms them. */
  phones?: Phones | undefined;
  /** By default UTF-8. */
  encoding?: Encoding | undefined;
  /** Gets each order that the map leaves out, and why. */
  onLeftOut?(order: { key: string | undefined; line: number; why: string }): void;
  /** Gets how many items of an order the map leaves out. */
  onLeftOutItems?(count: number): void;
  /** Gets each order whose value is the sum of its items; if it is absent, nothing is summed. */
  onSummed?: (() => void) | undefined;
  /** Gets the warnings about the header of a CSV; may throw. */
  onWarnings?(warnings: readonly string[]): void;
  /** If given, columns and fields that are none of ours are ignored, and it gets their names, once. */
  onIgnored?: ((names: readonly string[]) => void) | undefined;
  /** Accepts fields that are not in the service document. */
  allowUnknown: boolean;
}

/** A larger record is refused before it fills the memory. */
export const MAX_RECORD_LENGTH = 1024 * 1024;

export const refused = (name: string, line: number, why: string): Failure =>
  new Failure('invalid_request', `${name}, line ${line}: ${why}; nothing was sent`);

/** What the first bytes of an input told. */
export interface Beginning {
  hasMark: boolean;
}

/**
 * The text as it comes, without its byte order mark, which `beginning` notes. What has the mark of UTF-8 is UTF-8, whatever
 * `given` says: so the file of `--failed` is read with the options of its input. `name`: of the file, for messages. Throws
 * `invalid_request`.
 */
export async function* decodedText(
  bytes: AsyncIterable<Uint8Array>,
  name: string,
  given: Encoding = encodingNamed(UTF_8),
  beginning: Beginning = { hasMark: false },
): AsyncGenerator<string> {
  let encoding = given;
  let line = 1;
  let isFirst = true;
  const decoded = (chunk?: Uint8Array): string => {
    try {
      return encoding.decode(chunk);
    } catch {
      throw refused(
        name,
        line,
        encoding.name === UTF_8
          ? 'this line or a later one has bytes that are not UTF-8 text; save it as UTF-8 (in a spreadsheet: "CSV UTF-8"), or name its encoding, such as --encoding windows-1254'
          : `this line or a later one has bytes that are not ${encoding.name} text; leave out --encoding if it is UTF-8`,
      );
    }
  };
  const withoutMark = (text: string): string => {
    if (!isFirst || text === '') return text;
    isFirst = false;
    beginning.hasMark = text.startsWith(BYTE_ORDER_MARK);
    return beginning.hasMark ? text.slice(1) : text;
  };
  for await (const chunk of bytes) {
    if (isFirst && hasUtf8Mark(chunk)) encoding = encodingNamed(UTF_8);
    const text = withoutMark(decoded(chunk));
    if (text !== '') yield text;
    line += lineFeedsIn(text);
  }
  const rest = withoutMark(decoded());
  if (rest !== '') yield rest;
}

export const byteOrderMark = ({ hasMark }: Beginning): string => (hasMark ? BYTE_ORDER_MARK : '');

export function lineFeedsIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** How an input is written. */
export interface FormatOptions {
  format?: InputFormat;
  encoding?: string;
}

export const formatOptions = (command: Command): Command =>
  command
    .addOption(
      new Option('--format <format>', 'of the input, if its name does not say').choices(INPUT_FORMATS),
    )
    .option(
      '--encoding <encoding>',
      'of the input, if it is not UTF-8: windows-1254, windows-1252, utf-16le',
    );

// The name of a record, by which its booking is found again after it was mended in a file that --failed wrote.

/** What a file of --failed has beside the columns, or fields, of its input. */
export const ERROR_COLUMN = '_error';
export const RECORD_COLUMN = '_record';

// The letters keep a spreadsheet from reading a number.
const RECORD_NAME = /^rec_[0-9a-f]{32}$/;

/** The name of a record that has none: a hash of all that it says as it stands in the input. */
export const newRecordName = (said: unknown): string => `rec_${fingerprint(said).slice(0, 32)}`;

/** The name that a record came with: of CSV, in its rows. Reports what --failed did not write. */
export function givenRecordName(cells: readonly unknown[], issues: Issue[]): string | undefined {
  const given = new Set(cells.map(cell => (typeof cell === 'string' ? cell.trim() : cell)).filter(Boolean));
  const [name] = given;
  if (name === undefined) return undefined;
  if (given.size === 1 && typeof name === 'string' && RECORD_NAME.test(name)) return name;
  const message =
    given.size === 1
      ? `is ${shown(name)}, but must be as --failed wrote it, such as rec_0123456789abcdef0123456789abcdef; leave it empty for an order that was in no such file`
      : `is ${shown(name)} in one row of the order, and ${shown([...given][1])} in another; a record has one name: give records that were two their own keys again`;
  issues.push({ path: RECORD_COLUMN, message });
  return undefined;
}
