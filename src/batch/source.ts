import type { Issue, Schema } from '../contract/operation.ts';
import type { Path } from '../contract/paths.ts';
import { Failure, messageOf } from '../errors.ts';
import type { RecordOptions } from './record-options.ts';

export const INPUT_FORMATS = ['csv', 'json', 'jsonl'] as const;
export type InputFormat = (typeof INPUT_FORMATS)[number];

/** `--map`: how the records of a shop's own export become our records. */
export interface InputMap {
  /** Headers, or names of a JSON record, and the path that each of them gives; one with a `_` is left out. */
  columns: Readonly<Record<string, string>>;
  /** Values for paths that a record does not give; `items[].countryOfOrigin` is for each item that is there. */
  constants: Readonly<Record<string, string>>;
  decimal: '.' | ',';
  /** Of CSV; found from the header if it is left out. */
  delimiter?: string;
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
  /** Of the body, in the body's own shape. */
  value: Record<string, unknown>;
  /** The options of the command that it has for itself, by their names in code. */
  options?: OwnOptions;
  issues: Issue[];
}

export type OwnOptions = Readonly<Record<string, unknown>>;

export interface Input {
  /** One after the other, so that memory does not grow with their number. Throws `invalid_request`. */
  records: AsyncIterable<RawRecord>;
  parse(record: RawRecord): ParsedRecord;
  /** What a value of a record stands in, for messages. */
  part: 'column' | 'field';
  /** Writes records in the format of the input, each with its `_error`. */
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
  /** What a record may hold. */
  fields: Schema;
  /** How a package SPEC becomes an entry (throws `usage`), and the path of their list; absent: there are none. */
  packages?: { path: Path; entry(spec: string): unknown };
  /** What a record may have beside the fields of the body. */
  recordOptions?: RecordOptions;
  keyColumn: string;
  map?: InputMap;
  /** Gets the warnings about the header of a CSV; may throw. */
  onWarnings?(warnings: readonly string[]): void;
  /** Accepts fields that are not in the service document. */
  allowUnknown: boolean;
}

/** A larger record is refused before it fills the memory. */
export const MAX_RECORD_LENGTH = 1024 * 1024;

export const refused = (name: string, line: number, why: string): Failure =>
  new Failure('invalid_request', `${name}, line ${line}: ${why}; nothing was sent`);

/** Bytes as text, UTF-8 with or without a byte order mark, as they come. Throws `invalid_request`. */
export async function* textOf(bytes: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let line = 1;
  const decoded = (chunk?: Uint8Array): string => {
    try {
      return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
    } catch (error) {
      throw refused(
        name,
        line,
        `here or after it are bytes that are not UTF-8 text (${messageOf(error)}); save it as UTF-8 (in a spreadsheet: "CSV UTF-8")`,
      );
    }
  };
  for await (const chunk of bytes) {
    const text = decoded(chunk);
    if (text !== '') yield text;
    line += lineFeedsIn(text);
  }
  const rest = decoded();
  if (rest !== '') yield rest;
}

export function lineFeedsIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
