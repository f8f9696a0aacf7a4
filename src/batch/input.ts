import { extname } from 'node:path';
import { getAt, isRecord } from '../contract/paths.ts';
import { Failure } from '../errors.ts';
import { NUMBER_NAMES, numberPath, type RecordNumbers } from '../order/numbers.ts';
import { misreadWords } from './code-pages.ts';
import { type CsvStyle, csvHead, csvRow, shownRows } from './csv.ts';
import { openCsv } from './csv-orders.ts';
import { brokenPieceIssues, withDeclaredValue } from './declared-value.ts';
import {
  type Beginning,
  BYTE_ORDER_MARK,
  byteOrderMark,
  decodedText,
  type Encoding,
  UTF_8,
} from './encoding.ts';
import type { Sample } from './guess-map.ts';
import {
  type BatchInput,
  INPUT_FORMATS,
  type InputFormat,
  type InputMap,
  type InputSettings,
  type NamedRow,
} from './input-types.ts';
import { jsonElements, jsonLines, openJson } from './json.ts';
import { companyColumn, isOfBusiness, keptRecords, leavesOut, rowKind } from './left-out.ts';
import { lookupOf } from './lookup.ts';
import { withConstants, withoutGoodsValue } from './map-constants.ts';
import { recordFacts, textOfCell, withShopFacts } from './read-order-facts.ts';

const FORMAT_BY_ENDING: Readonly<Record<string, InputFormat>> = {
  '.csv': 'csv',
  '.tsv': 'csv',
  '.txt': 'csv',
  '.json': 'json',
  '.jsonl': 'jsonl',
  '.ndjson': 'jsonl',
};

/** The format that `--format` names, or else the ending of the file name. Throws `usage` if neither tells it. */
export function inputFormat(path: string, typed?: InputFormat): InputFormat {
  const format = typed ?? FORMAT_BY_ENDING[extname(path).toLowerCase()];
  if (format === undefined)
    throw new Failure(
      'usage',
      `the format of ${path === '-' ? 'stdin' : path} is not known; add --format ${INPUT_FORMATS.join(', ')}`,
    );
  return format;
}

/** Opens the input of a batch: CSV, a JSON array, or JSON lines. */
export function openRecords(bytes: AsyncIterable<Uint8Array>, written: InputSettings): BatchInput {
  const settings = written.ignoresOthers ? withoutLookup(written) : written;
  const { encoding, map } = settings;
  const beginning: Beginning = { hasMark: false };
  const text = decodedText(bytes, settings.name, encoding, beginning);
  const input = settings.format === 'csv' ? openCsv(text, settings) : openJson(text, settings);
  const { failed } = input;
  const isMarked = encoding !== undefined && encoding.name !== UTF_8;
  const head = () => (isMarked ? BYTE_ORDER_MARK : byteOrderMark(beginning)) + failed.head();
  const parse = tellingMisread(input, settings, beginning);
  const opened = { ...input, parse, failed: { ...failed, head } };
  return map === undefined ? opened : withMap(opened, map, settings);
}

/** Parses records; warns of the first record whose letters show that the file has another encoding than `beginning` says. */
function tellingMisread(
  input: BatchInput,
  settings: InputSettings,
  beginning: Beginning,
): BatchInput['parse'] {
  const { name, onWarnings } = settings;
  const { parse } = input;
  const warnings: string[] = [];
  return raw => {
    const record = parse(raw);
    if (onWarnings === undefined || warnings.length > 0) return record;
    const file = { name, encoding: beginning.encoding ?? UTF_8 };
    const words = misreadWords(record.value, raw.line, file);
    if (words !== undefined) warnings.push(words);
    onWarnings(warnings);
    return record;
  };
}

/** The settings, without the product table of the map: where only keys and ids are read, no product is looked up. */
function withoutLookup(settings: InputSettings): InputSettings {
  const { map } = settings;
  if (map === undefined) return settings;
  const { lookup, ...rest } = map;
  const transform = Object.entries(map.transform).filter(
    ([title]) => !Object.hasOwn(lookup?.columns ?? {}, title),
  );
  return { ...settings, map: { ...rest, transform: Object.fromEntries(transform) } };
}

/** Applies a map to the records: some are left out, and what the others lack is filled in. */
function withMap(input: BatchInput, map: InputMap, settings: InputSettings): BatchInput {
  const { keyPrefix, lookup } = map;
  const { onSummed } = settings;
  const fill = lookup ? lookupOf({ ...map, lookup }, settings) : undefined;
  const addConstants = withConstants(settings);
  return {
    ...input,
    records: leavesOut(map) && !settings.keepsLeftOut ? keptRecords(input, map, settings) : input.records,
    parse(raw) {
      const read = input.parse(raw);
      const facts = recordFacts(raw, () => input.rowsOf(raw), map);
      const ofShop = withShopFacts(read.value, facts, settings, input.headerOf);
      const withFacts = { ...read, value: ofShop.value };
      const looked = fill?.(withFacts) ?? withFacts;
      // Constants of items are filled in before the value is computed: one of the constants may be a price.
      const whole = { ...looked, value: addConstants(looked.value, 'items') };
      const { key, value: filled, isPart, sold: _, ...record } = whole;
      const isBusiness = isOfBusiness(() => input.rowsOf(raw), map);
      const numbers: RecordNumbers = {
        // The export of a marketplace gives its customs number for orders of companies, too: such a number is not their own.
        constant: NUMBER_NAMES.filter(name => isBusiness || getAt(filled, numberPath(name)) === undefined),
        takes: isBusiness ? 'none' : map.marketplace ? 'map' : 'all',
        company: () => companyColumn(input.rowsOf(raw), map),
      };
      const paid = onSummed && withDeclaredValue(whole, map, settings);
      if (paid?.isSummed) onSummed?.();
      // The goods value in the file includes items that the map leaves out: for a part of an order it does not count.
      const value = addConstants(paid?.value ?? (isPart ? withoutGoodsValue(filled) : filled));
      const readingWarnings = [
        ...(record.readingWarnings ?? []),
        ...ofShop.warnings,
        ...(paid?.warnings ?? []),
      ];
      return {
        ...record,
        issues: record.isMisread
          ? read.issues
          : [...record.issues, ...ofShop.issues, ...brokenPieceIssues(filled), ...(paid?.issues ?? [])],
        key: key === undefined ? undefined : `${keyPrefix ?? ''}${key}`,
        orderNumber: key,
        value,
        numbers,
        ...(map.marketplace && { isOfMarketplace: true }),
        ...(lookup === undefined && map.sku !== undefined && { products: skusIn(input.rowsOf(raw), map) }),
        ...(readingWarnings.length > 0 && { readingWarnings }),
      };
    },
  };
}

/** The SKU of each item that ships. */
const skusIn = (rows: readonly NamedRow[], map: InputMap): (string | undefined)[] =>
  rows.filter(row => rowKind(row, map) === 'item').map(row => textOfCell(row(map.sku ?? '')) || undefined);

// The beginning of an input: to look at its columns, and to read it again with one map after the other.

export interface SampledInput extends Sample {
  /** The name of the encoding in which the input was read. */
  encoding: string;
  /** The rows as a file, in UTF-8. */
  bytes(): AsyncIterable<Uint8Array>;
}

interface InputFile {
  format: InputFormat;
  name: string;
  encoding: Encoding | undefined;
}

/** How many records a guess of the columns reads: more records would hardly tell more. */
const MOST_RECORDS = 100;

/** Reads at most `most` records. Throws `invalid_request`. */
export async function readBeginning(
  bytes: AsyncIterable<Uint8Array>,
  from: InputFile,
  most = MOST_RECORDS,
): Promise<SampledInput> {
  const { format, name, encoding } = from;
  const beginning: Beginning = { hasMark: false };
  const text = decodedText(bytes, name, encoding, beginning);
  const rows = await (format === 'csv'
    ? csvBeginning(text, name, most)
    : jsonBeginning(text, format, name, most));
  return { ...rows, encoding: beginning.encoding ?? UTF_8 };
}

type SampledRows = Omit<SampledInput, 'encoding'>;

async function csvBeginning(text: AsyncIterable<string>, name: string, most: number): Promise<SampledRows> {
  let header: readonly string[] = [];
  let style: CsvStyle = { delimiter: ',' };
  const rows: (readonly string[])[] = [];
  const ofFile = shownRows(text, { name }, (titles, written) => {
    header = titles;
    style = written;
  });
  for await (const { cells } of ofFile) {
    rows.push(cells);
    if (rows.length >= most) break;
  }
  const file = [csvHead(header, style), ...rows.map(cells => csvRow(cells, style))];
  return { header, rows, bytes: () => utf8Bytes(file.join('')) };
}

/** Each record is a row; a nested value is a cell with its JSON. */
async function jsonBeginning(
  text: AsyncIterable<string>,
  format: 'json' | 'jsonl',
  name: string,
  most: number,
): Promise<SampledRows> {
  const texts: string[] = [];
  for await (const record of format === 'jsonl' ? jsonLines(text, name) : jsonElements(text, name)) {
    texts.push(record.text.trim());
    if (texts.length >= most) break;
  }
  const records = texts.map(recordInText);
  const header = [...new Set(records.flatMap(record => Object.keys(record)))];
  const rows = records.map(record => header.map(title => cellText(record[title])));
  const whole = format === 'jsonl' ? texts.join('\n') : `[${texts.join(',')}]`;
  return { header, rows, bytes: () => utf8Bytes(whole) };
}

/** The record in a text; empty if the text is no JSON object, which is reported when the record is read. */
function recordInText(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

const cellText = (value: unknown): string =>
  value === undefined || value === null
    ? ''
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value);

async function* utf8Bytes(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
