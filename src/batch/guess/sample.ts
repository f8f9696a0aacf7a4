// The beginning of an input: to look at its columns, and to read it again with one map after the other.
import { isRecord } from '../../contract/paths.ts';
import { type CsvStyle, csvRecords, csvRow } from '../csv.ts';
import type { Encoding } from '../encoding.ts';
import { jsonElements, jsonLines } from '../json.ts';
import { decodedText, type InputFormat } from '../source.ts';
import type { Sample } from './guess.ts';

export interface SampledInput extends Sample {
  /** Its rows as a file, in UTF-8. */
  bytes(): AsyncIterable<Uint8Array>;
}

interface From {
  format: InputFormat;
  name: string;
  encoding: Encoding | undefined;
}

/** More rows hardly say more of their columns. */
const MOST_RECORDS = 100;

/** At most so many records. Throws `invalid_request`. */
export async function readBeginning(
  bytes: AsyncIterable<Uint8Array>,
  from: From,
  most = MOST_RECORDS,
): Promise<SampledInput> {
  const { format, name, encoding } = from;
  const text = decodedText(bytes, name, encoding);
  return format === 'csv' ? csvBeginning(text, name, most) : jsonBeginning(text, format, name, most);
}

async function csvBeginning(text: AsyncIterable<string>, name: string, most: number): Promise<SampledInput> {
  let header: readonly string[] = [];
  let style: CsvStyle = { delimiter: ',' };
  const records = csvRecords(text, {
    name,
    delimiter: name.toLowerCase().endsWith('.tsv') ? '\t' : undefined,
    onHeader(found, foundStyle) {
      header = found;
      style = foundStyle;
      return undefined;
    },
  });
  const rows: string[][] = [];
  for await (const record of records) {
    rows.push(...(JSON.parse(record.text) as string[][]));
    if (rows.length >= most) break;
  }
  return {
    header,
    rows,
    bytes: () => bytesOf([header, ...rows].map(cells => csvRow(cells, style)).join('')),
  };
}

/** A nested value is a cell with its JSON. */
async function jsonBeginning(
  text: AsyncIterable<string>,
  format: 'json' | 'jsonl',
  name: string,
  most: number,
): Promise<SampledInput> {
  const texts: string[] = [];
  for await (const record of format === 'jsonl' ? jsonLines(text, name) : jsonElements(text, name)) {
    texts.push(record.text.trim());
    if (texts.length >= most) break;
  }
  const records = texts.map(parsed);
  const header = [...new Set(records.flatMap(record => Object.keys(record)))];
  const rows = records.map(record => header.map(title => wordOf(record[title])));
  const whole = format === 'jsonl' ? texts.join('\n') : `[${texts.join(',')}]`;
  return { header, rows, bytes: () => bytesOf(whole) };
}

/** What is no record has no columns; the record that is read says what is wrong. */
function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

const wordOf = (value: unknown): string =>
  value === undefined || value === null
    ? ''
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value);

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
