import { extname } from 'node:path';
import { Failure } from '../errors.ts';
import { openCsv } from './csv-input.ts';
import { BYTE_ORDER_MARK, UTF_8 } from './encoding.ts';
import { openJson } from './json-input.ts';
import { columnsOfCells, keptRecords } from './leave-out.ts';
import { lookupOf } from './lookup.ts';
import { withConstants, withGoodsValue, withoutGoodsValue } from './map.ts';
import {
  type BatchInput,
  byteOrderMark,
  decodedText,
  INPUT_FORMATS,
  type InputFormat,
  type InputMap,
  type InputSettings,
} from './source.ts';

const FORMAT_BY_ENDING: Readonly<Record<string, InputFormat>> = {
  '.csv': 'csv',
  '.tsv': 'csv',
  '.json': 'json',
  '.jsonl': 'jsonl',
  '.ndjson': 'jsonl',
};

/** The format of `--format`, else that of the ending of the name. Throws `usage` if neither says. */
export function inputFormat(path: string, given?: InputFormat): InputFormat {
  const format = given ?? FORMAT_BY_ENDING[extname(path).toLowerCase()];
  if (format === undefined)
    throw new Failure(
      'usage',
      `the format of ${path === '-' ? 'stdin' : path} is not known; add --format ${INPUT_FORMATS.join(', ')}. Nothing was sent`,
    );
  return format;
}

/** Opens the input of a batch: CSV, a JSON array, or JSON lines. */
export function openRecords(bytes: AsyncIterable<Uint8Array>, given: InputSettings): BatchInput {
  const settings = given.onIgnored ? withoutLookup(given) : given;
  const { encoding, map } = settings;
  const beginning = { hasMark: false };
  const text = decodedText(bytes, settings.name, encoding, beginning);
  const input = settings.format === 'csv' ? openCsv(text, settings) : openJson(text, settings);
  const { failed } = input;
  const isMarked = encoding !== undefined && encoding.name !== UTF_8;
  const head = () => (isMarked ? BYTE_ORDER_MARK : byteOrderMark(beginning)) + failed.head();
  const opened = { ...input, failed: { ...failed, head } };
  return map === undefined ? opened : mapped(opened, map, settings);
}

/** Of an order of which only key and ids are read, no product is looked up. */
function withoutLookup({ map, ...settings }: InputSettings): InputSettings {
  if (map === undefined) return settings;
  const { lookup: _, ...rest } = map;
  return { ...settings, map: rest };
}

/** What the map makes of the records, after its columns were read: some are left out, and what they lack is filled in. */
function mapped(input: BatchInput, map: InputMap, settings: InputSettings): BatchInput {
  const { keyPrefix, lookup } = map;
  const { onSummed } = settings;
  const fill = lookup ? lookupOf({ ...map, lookup }, settings) : undefined;
  const addConstants = withConstants(settings);
  return {
    ...input,
    records: columnsOfCells(map).length > 0 ? keptRecords(input, map, settings) : input.records,
    parse(raw) {
      const read = input.parse(raw);
      const { key, value: filled, isPart, ...record } = fill?.(read) ?? read;
      // The file has the value of all items.
      let value = addConstants(isPart ? withoutGoodsValue(filled) : filled);
      if (onSummed) {
        const summed = withGoodsValue(value, settings);
        if (summed !== value) onSummed();
        value = summed;
      }
      return { ...record, key: key === undefined ? undefined : `${keyPrefix ?? ''}${key}`, value };
    },
  };
}
