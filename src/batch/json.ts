// The records of a file of JSON, each with the line that it begins on.
import { lineFeedsIn, MAX_RECORD_LENGTH, type RawRecord, refused } from './source.ts';

/** One record on each line; blank lines are skipped. Throws `invalid_request`. */
export async function* linesOf(text: AsyncIterable<string>, name: string): AsyncGenerator<RawRecord> {
  let rest = '';
  let line = 0;
  for await (const chunk of text) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const one of lines) {
      line += 1;
      refuseLong(one, name, line);
      if (one.trim() !== '') yield { line, text: one };
    }
    refuseLong(rest, name, line + 1);
  }
  if (rest.trim() !== '') yield { line: line + 1, text: rest };
}

function refuseLong({ length }: string, name: string, line: number): void {
  if (length > MAX_RECORD_LENGTH) throw refused(name, line, 'the record is larger than 1 MiB');
}

/** In characters: an array is read whole. */
const LONGEST_ARRAY = 64 * 1024 * 1024;

const ONE_EACH = 'for one record on each line use --format jsonl';

// Brackets and commas, the quotes of strings, and what is escaped in them.
const TOKEN = /\\.|["[\]{},]/gs;

const linesBefore = (text: string): number => lineFeedsIn(/^\s*/.exec(text)?.[0] ?? '');

/** The elements of one JSON array as they are written; each is parsed by itself. Throws `invalid_request`. */
export async function* elementsOf(text: AsyncIterable<string>, name: string): AsyncGenerator<RawRecord> {
  let whole = '';
  for await (const chunk of text) {
    whole += chunk;
    if (whole.length > LONGEST_ARRAY) throw refused(name, 1, `an array has at most 64 MiB; ${ONE_EACH}`);
  }
  let line = 1 + linesBefore(whole);
  const refuse = (why: string) => refused(name, line, why);
  const array = whole.trimStart();
  if (array === '') throw refuse('the file is empty; it must be a JSON array');
  if (array[0] !== '[')
    throw refuse(`expected a JSON array here; ${ONE_EACH}, and put a single record into [ ]`);
  let from = 1;
  let depth = 0;
  let inString = false;
  for (const { 0: token, index } of array.matchAll(TOKEN)) {
    if (token === '"') inString = !inString;
    if (inString) continue;
    if (depth === 1 && (token === ',' || token === ']')) {
      const part = array.slice(from, index);
      const record = { line: line + linesBefore(part), text: part.trim() };
      line += lineFeedsIn(part);
      refuseLong(record.text, name, record.line);
      if (record.text !== '') yield record;
      else if (token === ',' || from > 1) throw refuse(`expected a record here, not "${token}"`);
      from = index + 1;
      if (token === ',') continue;
      const rest = array.slice(from);
      line += linesBefore(rest);
      if (rest.trim() === '') return;
      throw refuse(`there is more text after the end of the array; ${ONE_EACH}`);
    }
    if (token === '[' || token === '{') depth += 1;
    else if (depth > 1 && token !== ',' && token !== '"') depth -= 1;
  }
  throw refuse('it ends in the middle of the array');
}
