import { DEEPEST, type JsonText, parseStrictJson } from '../json.ts';
import { MAX_RECORD_LENGTH, type RawRecord, refused } from './source.ts';

const SPACED_NAME = /"\s+:/;

/**
 * Parses the text of one record, as `parseStrictJson` does. If the text has no more names than the value, no name is given
 * twice; the text is then not searched for them, which takes as long as validating the record.
 */
export function readJson(text: string): JsonText {
  const value: unknown = JSON.parse(text);
  const isPlain = !SPACED_NAME.test(text) && mostNamesIn(text) === namesIn(value, DEEPEST);
  return isPlain ? { value, repeated: [] } : parseStrictJson(text);
}

/** At most this many names are in the text: some strings look like names. */
function mostNamesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('":'); at >= 0; at = text.indexOf('":', at + 2)) count += 1;
  return count;
}

/** The names of all objects in it; `NaN` if it is nested deeper than `levels`. */
function namesIn(value: unknown, levels: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (levels === 0) return Number.NaN;
  let count = 0;
  if (Array.isArray(value)) for (const entry of value) count += namesIn(entry, levels - 1);
  else for (const name in value) count += 1 + namesIn((value as Record<string, unknown>)[name], levels - 1);
  return count;
}

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

type State = 'before' | 'first' | 'element' | 'next' | 'after';

/**
 * The elements of one JSON array, each cut out of the text unchanged: a parser would lose names that are given twice.
 * Throws `invalid_request`.
 */
export async function* elementsOf(text: AsyncIterable<string>, name: string): AsyncGenerator<RawRecord> {
  let state = 'before' as State;
  let depth = 0;
  let inString = false;
  let escaped = false;
  let line = 1;
  let start = 1;
  let gathered = '';
  const refuse = (why: string) => refused(name, line, why);

  for await (const chunk of text) {
    let from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const code = chunk.charCodeAt(at);
      if (code === NEWLINE) line += 1;
      if (state === 'element') {
        if (inString) {
          if (escaped) escaped = false;
          else if (code === BACKSLASH) escaped = true;
          else if (code === QUOTE) inString = false;
          continue;
        }
        if (code === QUOTE) inString = true;
        else if (code === OPEN_LIST || code === OPEN_OBJECT) depth += 1;
        else if (depth > 0) {
          if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1;
        } else if (code === COMMA || code === CLOSE_LIST) {
          yield { line: start, text: gathered + chunk.slice(from, at) };
          gathered = '';
          state = code === COMMA ? 'next' : 'after';
        }
        continue;
      }
      if (code <= BLANK && /\s/.test(chunk[at] ?? '')) continue;
      if (state === 'before') {
        if (code !== OPEN_LIST)
          throw refuse(
            'expected a JSON array here; for one record on each line use --format jsonl, and put a single record into [ ]',
          );
        state = 'first';
        continue;
      }
      if (state === 'after')
        throw refuse(
          'there is more text after the end of the array; for one record on each line use --format jsonl',
        );
      if (code === CLOSE_LIST && state === 'first') {
        state = 'after';
        continue;
      }
      if (code === COMMA || code === CLOSE_LIST || code === CLOSE_OBJECT)
        throw refuse(`expected a record here, not ${JSON.stringify(chunk[at])}`);
      state = 'element';
      start = line;
      from = at;
      // Read this character again, as the beginning of the element.
      if (code === NEWLINE) line -= 1;
      at -= 1;
    }
    if (state === 'element') gathered += chunk.slice(from);
    refuseLong(gathered, name, start);
  }
  if (state === 'before') throw refuse('the file is empty; it must be a JSON array');
  if (state !== 'after') throw refuse('it ends in the middle of the array');
}

const [NEWLINE, BLANK, QUOTE, BACKSLASH] = [10, 32, 34, 92];
const [COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [44, 91, 93, 123, 125];
