import { extname } from 'node:path';
import { Failure } from '../errors.ts';
import { openCsv } from './csv-input.ts';
import { openJson } from './json-input.ts';
import {
  type BatchInput,
  INPUT_FORMATS,
  type InputFormat,
  type InputSettings,
  markOf,
  textOf,
} from './source.ts';

const FORMAT_BY_ENDING: Readonly<Record<string, InputFormat>> = {
  '.csv': 'csv',
  '.tsv': 'csv',
  '.json': 'json',
  '.jsonl': 'jsonl',
  '.ndjson': 'jsonl',
};

/** From `--format`, else from the ending of the name. Throws `usage` if neither says. */
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
export function openRecords(bytes: AsyncIterable<Uint8Array>, settings: InputSettings): BatchInput {
  const { encoding } = settings;
  const beginning = { hasMark: false };
  const text = textOf(bytes, settings.name, encoding, beginning);
  const input = settings.format === 'csv' ? openCsv(text, settings) : openJson(text, settings);
  const { failed } = input;
  const head = () => markOf(beginning) + failed.head();
  return { ...input, failed: { ...failed, head, encode: encoding?.encode } };
}
