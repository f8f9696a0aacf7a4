// Types for reading an input: the map, the settings and the records.
import type { Path } from '../contract/paths.ts';
import type { Issue, Schema } from '../contract/shapes.ts';
import type { Host } from '../host.ts';
import type { Phones } from '../order/doubts.ts';
import type { RecordNumbers } from '../order/numbers.ts';
import { flag } from '../session/flags.ts';
import type { Encoding } from './encoding.ts';
import type { ReadingWarning, Sold } from './order-amounts.ts';
import type { LeavingFact } from './order-facts.ts';
import type { RecordOptions } from './record-options.ts';
import type { Cells, Shop, Shops } from './shop.ts';
import type { TransformName } from './transform.ts';

export const INPUT_FORMATS = ['csv', 'json', 'jsonl'] as const;
export type InputFormat = (typeof INPUT_FORMATS)[number];

/** `--map`: how the records of a shop's own export become our records. */
export interface InputMap {
  /** The name of the built-in map that this map is, or begins with. */
  extends?: string | undefined;
  /** The shop of the built-in map. */
  shop?: Shop | undefined;
  /** Headers, or names of a JSON record, and the path that each of them gives; a path with a `_` in front leaves its column out. */
  columns: Readonly<Record<string, string>>;
  /** Values for paths that a record does not give; `items[].countryOfOrigin` is for each item of the record. */
  constants: Readonly<Record<string, string>>;
  /** The decimal sign, a dot or a comma. Absent: a dot, but in amounts (`money`) the sign that the amounts of the order show. */
  decimal?: string | undefined;
  /** The transform for the cells of a column, by its header. */
  transform: Readonly<Record<string, TransformName>>;
  /** If present, unknown columns are left out; else they are refused. */
  others?: string | undefined;
  /** An order is left out if one of its rows has one of these cells. */
  skip: Cells;
  /** An order is left out unless it has, in each of these columns, one of the cells. */
  only: Cells;
  /** Rows with one of these cells are no items of their order. */
  skipItems: Cells;
  /** An order is left out, and listed, if an item has any other cell in one of these columns: nobody knows which items to send. */
  onlyItems: Cells;
  /** Did a marketplace sell the orders? Then they need customs numbers of the marketplace, and get none of the profile. */
  marketplace?: boolean | undefined;
  /** An order with one of these cells in a row was bought by a company, and gets no customs number. */
  business: Cells;
  /** The column that numbers the lines of an order: a number that comes twice shows that rows are in the file twice. */
  line?: string | undefined;
  /** The column with the SKU of each item: a rule may ask for an SKU. A product table has a column of its own. */
  sku?: string | undefined;
  /** A column that only one row of each order fills. */
  once?: string | undefined;
  /** The rate of a tax that prices contain and no column gives, in percent. */
  taxIncluded?: number | undefined;
  /** Text in front of each key. */
  keyPrefix?: string | undefined;
  /** What the packaging weighs, in kilograms. */
  tare?: number | undefined;
  lookup?: Lookup | undefined;
}

/** A product table, and what it says of each item. */
export interface Lookup {
  file: string;
  /** The column of the orders that names a product, and the column of the table (`key`) that names it. */
  by: string;
  key: string;
  /** Columns of the table, and the path that each of them gives. */
  columns: Readonly<Record<string, string>>;
  /** The rows of the table by their key; each has a cell for each of `columns`. */
  products: ReadonlyMap<string, readonly string[]>;
  /** What is wrong with the rows of a product, by its key. */
  faults: ReadonlyMap<string, string>;
  /** A hash of the rows: a map with another table counts as another map. */
  digest: string;
}

/** A record as it stands in the input; `text` is all of it. */
export interface RawRecord {
  /** The line of the file on which the record begins, from 1, as an editor counts. */
  line: number;
  /** The JSON text of the record; of CSV, its rows as a JSON array of arrays of cells. */
  text: string;
  /** In a CSV, the line on which each row of the record begins. */
  lines?: readonly number[];
  /** If the rows of an order do not stand together, the first line of each part. */
  apart?: readonly number[];
  /** Is the record a row of a CSV without key and receiver, and with no order above it? An order elsewhere in the file lacks this row. */
  isStray?: boolean;
}

/** What one record says. */
export interface ParsedRecord {
  key: string | undefined;
  /** The number of the order as the shop wrote it, if a map read it; the key is this number behind the `keyPrefix`. */
  orderNumber?: string | undefined;
  /** The `_record` that the record came with: a file of `--failed` gave it. */
  recordName?: string | undefined;
  /** Gives the name that the record has, or would get, in a file of `--failed`; absent if the record cannot be read. */
  nameInFailed?: () => string;
  /** The fields of the body, in the shape of the body. */
  value: Record<string, unknown>;
  /** The options of the command that the record sets for itself, by their names in code. */
  options?: OwnOptions;
  issues: Issue[];
  /** Fields of the body that could not be read, as the issues say: nobody is told that such a field is missing, too. */
  unread?: readonly string[];
  /** The SKU of each item, from the column of the product table or of the shop; `undefined` for an item without one. */
  products?: readonly (string | undefined)[];
  /** Did a marketplace sell the order, as its map says? */
  isOfMarketplace?: boolean;
  /** Has the record rows of another order, or a line twice? Then its issues say only that. */
  isMisread?: boolean;
  /** Which of the customs numbers that are for all orders this order takes, as the map says. */
  numbers?: RecordNumbers | undefined;
  /** Has the map left out some items of the order? */
  isPart?: boolean;
  /** The amounts for which the lines of the order were sold, if the file has them. */
  sold?: Sold;
  /** Warnings that a person should read before the order is booked. */
  readingWarnings?: readonly ReadingWarning[];
}

export type OwnOptions = Readonly<Record<string, unknown>>;

/** Gives the cell of a row by its header, or the value of a JSON record by its name. */
export type NamedRow = (title: string) => unknown;

/** What a row of an order is: an item, an item that does not ship, or no item. */
export type RowKind = 'item' | 'unshipped' | 'none';

export interface BatchInput {
  /** The records, one after the other, so that memory does not grow with their number. Throws `invalid_request`. */
  records: AsyncIterable<RawRecord>;
  parse(record: RawRecord): ParsedRecord;
  /** Has a cell of the record rows of another order in it, after a quote that was not closed, or is a line of the order there twice? */
  isMisread(record: RawRecord): boolean;
  /** The header as text, once a record was read; empty for JSON, whose records name their values. */
  header(): string;
  /** The header of the file that means this header of the map. */
  headerOf(title: string): string;
  /** The rows of a record: each gives a cell by a header of the map, or a value of JSON by its name. */
  rowsOf(record: RawRecord): readonly NamedRow[];
  /** For messages: the word for what holds a value of a record. */
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
  /** The longest record, in characters: a longer one is refused before it fills the memory. By default 1 MiB. */
  longest?: number | undefined;
  /** For messages: the operation that has these `fields`. */
  command?: string;
  /** For messages: the command that prints every header; by default the template of the operation. */
  listing?: string;
  /** For messages: the flags with which another command asks the same service, and reads the same file. */
  sameFlags?: readonly string[];
  /** The fields that a record may have. */
  fields: Schema;
  /** Makes a package of a SPEC (throws `usage`), and the path of the list of packages. Absent: the operation has no packages. */
  packages?: { path: Path; entry(spec: string): unknown };
  /** What a record may have beside the fields of the body. */
  recordOptions?: RecordOptions;
  keyColumn: string;
  map?: InputMap;
  /** The shops whose exports are known: if such a file comes without a map, a message names the shop. */
  shops?: Shops;
  /** The reader of phone numbers, if the map transforms them. */
  phones?: Phones | undefined;
  /** The decoder of entities of HTML, if the map needs it. */
  decode?: ((text: string) => string) | undefined;
  /** Orders that are taken although the map leaves them out, by the identity of their keys. */
  include?: ReadonlySet<string> | undefined;
  /** The encoding of the input; by default UTF-8. */
  encoding?: Encoding | undefined;
  /** Where rows of a CSV wait until all rows of their order are read; absent: the rows of an order must stand together. */
  host?: Pick<Host, 'temporary' | 'platform' | 'interrupted'> | undefined;
  /** Are orders that the map leaves out records, too? */
  keepsLeftOut?: boolean;
  /** Is called with each order that the map leaves out, and why. `named`: `include` names the order, but no item of it is left. */
  onLeftOut?(order: {
    key: string | undefined;
    named: string | undefined;
    line: number;
    fact: LeavingFact;
    text: string;
  }): void;
  /** Is called with each order that is taken because of `include`, and why the map leaves it out. */
  onIncluded?(order: { key: string; named: string; fact: LeavingFact }): void;
  /** Is called with the number of items of an order that the map leaves out. */
  onLeftOutItems?(count: number): void;
  /** Is called for each order whose declared value is the sum of its items; absent: no value is computed. */
  onSummed?: (() => void) | undefined;
  /** Is called for each order that has a value in a column that the map of a shop does not know. */
  onUnknownColumn?(title: string): void;
  /** Is called with the warnings about the header of a CSV; may throw. */
  onWarnings?(warnings: readonly string[]): void;
  /** Are unknown columns and fields ignored? Then only keys and ids are read. */
  ignoresOthers?: boolean | undefined;
  /** The value that flags, files or the profile give to a field of all records; absent if nobody checks what the file lacks. */
  valueForAll?: ((path: string) => unknown) | undefined;
  /** Accepts fields that are not in the service document. */
  allowUnknown: boolean;
}

/** The format and the encoding of an input. */
export interface FormatOptions {
  format?: InputFormat;
  encoding?: string;
}

/** The flags with which another command reads the same file. */
export const formatFlags = (options: FormatOptions): string[] => [
  ...(options.format === undefined ? [] : ['--format', options.format]),
  ...(options.encoding === undefined ? [] : ['--encoding', options.encoding]),
];

export const FORMAT_FLAGS = {
  format: flag('--format <format>', 'of the input, if its name does not say', { choices: INPUT_FORMATS }),
  encoding: flag(
    '--encoding <encoding>',
    'of the input, if it is not UTF-8: windows-1254, windows-1252, utf-16le',
  ),
};
