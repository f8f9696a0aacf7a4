import { isRecord, listAt } from '../contract/paths.ts';
import { hasField, type Issue } from '../contract/shapes.ts';
import { parseJson, readJson } from '../json.ts';
import { messageOf } from '../system-errors.ts';
import { type CellIssue, cellSettings } from './cells.ts';
import { type Column, columnOf, isNote, isReadByMap } from './columns.ts';
import { lineFailure, lineFeedsIn, MAX_RECORD_LENGTH, tooLongWords } from './encoding.ts';
import type { BatchInput, InputMap, InputSettings, ParsedRecord, RawRecord } from './input-types.ts';
import { type NamedValue, parseRecord } from './parse-record.ts';
import { ERROR_COLUMN, givenRecordName, newRecordName, RECORD_COLUMN } from './record-name.ts';

export function openJson(text: AsyncIterable<string>, settings: InputSettings): BatchInput {
  const { format, name, keyColumn, fields, packages, ignoresOthers } = settings;
  const reading = { keyColumn, packages, values: cellSettings(settings), isText: false };
  const lines = format === 'jsonl';
  const invalid = (message: string): ParsedRecord => ({
    key: undefined,
    value: {},
    issues: [{ path: '', message }],
  });
  return {
    records: lines ? jsonLines(text, name, settings.longest) : jsonElements(text, name, settings.longest),
    part: 'field',
    header: () => '',
    headerOf: title => title,
    // A record of JSON has no rows that could be misread. The run reports two records with one key.
    isMisread: () => false,
    parse(raw) {
      let read: unknown;
      try {
        read = readJson(raw.text);
      } catch (error) {
        return invalid(`is not JSON: ${messageOf(error)}`);
      }
      if (!isRecord(read)) return invalid('is not a JSON object');
      const issues: CellIssue[] = [];
      const named: NamedValue[] = [];
      for (const [title, entry] of Object.entries(read)) {
        const column = columnFor(title, entry, settings);
        const isField = column === undefined || 'kind' in column;
        if (ignoresOthers && !(column === undefined ? hasField(fields, title) : isField)) continue;
        if (isField) named.push({ title, column, cells: [entry] });
        else issues.push(column);
      }
      const record = parseRecord({ values: named, kinds: ['item'] }, reading, issues);
      const recordName = givenRecordName([read[RECORD_COLUMN]], record.issues);
      const nameInFailed = () => recordName ?? nameByFields(read, settings.map);
      return { ...record, recordName, nameInFailed, ...withProducts(record.value, read, settings.map) };
    },
    rowsOf(raw) {
      const read = parseJson(raw.text);
      return isRecord(read) ? [name => (Object.hasOwn(read, name) ? read[name] : undefined)] : [];
    },
    failed: {
      head: () => (lines ? '' : '[\n'),
      record: (record, error, first) =>
        lines
          ? `${withErrorAndName(record, error, settings.map)}\n`
          : `${first ? '' : ',\n'}${withErrorAndName(record, error, settings.map)}`,
      foot: () => (lines ? '' : '\n]\n'),
    },
  };
}

/** The product of each item, from the field that `lookup.by` of the map names; and the value without this field. */
function withProducts(
  value: ParsedRecord['value'],
  read: Record<string, unknown>,
  map: InputMap | undefined,
): Pick<ParsedRecord, 'value' | 'products'> {
  const productColumn = map?.lookup?.by;
  if (productColumn === undefined) return { value };
  const textIn = (record: unknown, name: string): string | undefined => {
    const word = isRecord(record) && Object.hasOwn(record, name) ? (record[name] ?? '') : '';
    return String(word).trim() || undefined;
  };
  const [, name] = /^items\[\]\.(\w+)$/.exec(productColumn) ?? [];
  const items = listAt(value, 'items');
  if (name === undefined) {
    const product = textIn(read, productColumn);
    return { value, products: product === undefined ? [] : [product] };
  }
  const without = (item: unknown) =>
    isRecord(item) ? Object.fromEntries(Object.entries(item).filter(([field]) => field !== name)) : item;
  return {
    value: items.length === 0 ? value : { ...value, items: items.map(without) },
    products: items.map(item => textIn(item, name)),
  };
}

/** What a field name in a record means; `undefined`: the field of the body with this name. */
function columnFor(name: string, entry: unknown, settings: InputSettings): Column | Issue | undefined {
  const { recordOptions = {} } = settings;
  const { map, fields } = settings;
  if (isNote(name, map)) return { kind: 'ignored' };
  if (map && Object.hasOwn(map.columns, name)) return columnOf(name, settings);
  if (map && isReadByMap(name, map) && !hasField(fields, name)) return columnOf(name, settings);
  if (name === settings.keyColumn) return { kind: 'key' };
  const option = Object.hasOwn(recordOptions, name) ? recordOptions[name] : undefined;
  // An option such as `carrier` may also be an object of the body.
  if (option && ('parse' in option || !isRecord(entry))) return columnOf(name, settings);
  return name === 'package' && settings.packages ? { kind: 'package', each: false } : undefined;
}

/** The name, for `_record`, of a record that came without one. */
const nameByFields = (record: Record<string, unknown>, map: InputMap | undefined): string =>
  newRecordName(Object.fromEntries(Object.entries(record).filter(([field]) => !isNote(field, map))));

/** The record with its error, and the name by which later runs know it, in front. A record that cannot be read stays as it is. */
function withErrorAndName(record: RawRecord, error: string, map: InputMap | undefined): string {
  const value = parseJson(record.text);
  if (!isRecord(value)) return record.text.trim();
  const { [ERROR_COLUMN]: _, [RECORD_COLUMN]: name, ...rest } = value;
  return JSON.stringify({
    [ERROR_COLUMN]: error,
    [RECORD_COLUMN]: name || nameByFields(value, map),
    ...rest,
  });
}

// The records of a file of JSON, each with the line that it begins on.

/** One record on each line; blank lines are skipped. Throws `invalid_request`. */
export async function* jsonLines(
  text: AsyncIterable<string>,
  name: string,
  longest = MAX_RECORD_LENGTH,
): AsyncGenerator<RawRecord> {
  let unended = '';
  let line = 0;
  for await (const chunk of text) {
    // Only the new text is searched: a long line comes in many chunks.
    const [end = '', ...others] = chunk.split('\n');
    const lines = [unended + end, ...others];
    unended = lines.pop() ?? '';
    for (const record of lines) {
      line += 1;
      refuseLong(record, name, line, longest);
      if (record.trim() !== '') yield { line, text: record };
    }
    refuseLong(unended, name, line + 1, longest);
  }
  if (unended.trim() !== '') yield { line: line + 1, text: unended };
}

function refuseLong(text: string, name: string, line: number, longest: number): void {
  if (text.length > longest) throw lineFailure(name, line, tooLongWords(longest));
}

// Brackets and commas, the quotes of strings, and escapes in strings.
const TOKEN = /\\.|["[\]{},]/gs;

const linesBefore = (text: string): number => lineFeedsIn(/^\s*/.exec(text)?.[0] ?? '');

const ONE_EACH = 'for one record on each line use --format jsonl';

/** The elements of one JSON array as they are written; each is parsed by itself. Throws `invalid_request`. */
export async function* jsonElements(
  text: AsyncIterable<string>,
  name: string,
  longest = MAX_RECORD_LENGTH,
): AsyncGenerator<RawRecord> {
  /** The text behind the last whole element. */
  let unended = '';
  /** The line on which `unended` begins. */
  let line = 1;
  /** How many characters of `unended` were searched. */
  let searched = 0;
  let state: 'before' | 'first' | 'others' | 'after' = 'before';
  let depth = 0;
  let inString = false;
  const refuse = (why: string) => lineFailure(name, line, why);

  for await (const chunk of text) {
    unended += chunk;
    if (state === 'before') {
      if (unended.trim() === '') continue;
      line += linesBefore(unended);
      unended = unended.trimStart();
      if (!unended.startsWith('['))
        throw refuse(`expected a JSON array here; ${ONE_EACH}, and put a single record into [ ]`);
      unended = unended.slice(1);
      state = 'first';
    }
    let from = 0;
    TOKEN.lastIndex = searched;
    for (const { 0: token, index } of unended.matchAll(TOKEN)) {
      if (state === 'after') break;
      searched = index + token.length;
      if (token === '"') inString = !inString;
      if (inString) continue;
      if (depth === 0 && (token === ',' || token === ']')) {
        const part = unended.slice(from, index);
        const record = { line: line + linesBefore(part), text: part.trim() };
        line += lineFeedsIn(part);
        from = index + 1;
        refuseLong(record.text, name, record.line, longest);
        if (record.text !== '') yield record;
        else if (token === ',' || state === 'others') throw refuse(`expected a record here, not "${token}"`);
        state = token === ',' ? 'others' : 'after';
      } else if (token === '[' || token === '{') depth += 1;
      else if (depth > 0 && (token === ']' || token === '}')) depth -= 1;
    }
    unended = unended.slice(from);
    searched -= from;
    if (state === 'after' && unended.trim() !== '') {
      line += linesBefore(unended);
      throw refuse(`there is more text after the end of the array; ${ONE_EACH}`);
    }
    refuseLong(unended, name, line, longest);
  }
  line += lineFeedsIn(unended);
  if (state === 'before') throw refuse('the file is empty; it must be a JSON array');
  if (state !== 'after') throw refuse('it ends in the middle of the array');
}
