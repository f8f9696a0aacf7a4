import { type JsonText, parseStrictJson } from '../json.ts';
import { LARGEST, type Piece, refused } from './source.ts';

const SPACED_NAME = /"\s+:/;
const DEEPEST = 100;

/**
 * Reads the text of one record, as `parseStrictJson` does. Where the text has no more names than the value, none is there
 * twice, and the text is not looked through for them, which takes as long as validating the record.
 */
export function readJson(text: string): JsonText {
  const value: unknown = JSON.parse(text);
  const isPlain = !SPACED_NAME.test(text) && mostNamesIn(text) === namesIn(value, DEEPEST);
  return isPlain ? { value, repeated: [] } : parseStrictJson(text);
}

/** So many, or fewer where strings look like names. */
function mostNamesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('":'); at >= 0; at = text.indexOf('":', at + 2)) count += 1;
  return count;
}

/** Of all objects in it together; `NaN` where it is nested deeper than that. */
function namesIn(value: unknown, levels: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (levels === 0) return Number.NaN;
  let count = 0;
  if (Array.isArray(value)) for (const entry of value) count += namesIn(entry, levels - 1);
  else for (const inner of Object.values(value)) count += 1 + namesIn(inner, levels - 1);
  return count;
}

/** A record a line; blank lines are nothing. Throws `invalid_request`. */
export async function* linesOf(text: AsyncIterable<string>, name: string): AsyncGenerator<Piece> {
  let rest = '';
  let line = 0;
  for await (const chunk of text) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const one of lines) {
      line += 1;
      if (one.length > LARGEST) throw refused(name, line, 'the record is larger than 1 MiB');
      if (one.trim() !== '') yield { line, text: one };
    }
    if (rest.length > LARGEST) throw refused(name, line + 1, 'the record is larger than 1 MiB');
  }
  if (rest.trim() !== '') yield { line: line + 1, text: rest };
}

type State = 'before' | 'first' | 'element' | 'next' | 'after';

/**
 * The elements of one JSON array, each cut out of the text as it stands there: a parser would lose names that are given
 * twice. Throws `invalid_request`.
 */
export async function* elementsOf(text: AsyncIterable<string>, name: string): AsyncGenerator<Piece> {
  let state = 'before' as State;
  let depth = 0;
  let inString = false;
  let escaped = false;
  let line = 1;
  let start = 1;
  let gathered = '';

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
          throw refused(
            name,
            line,
            'a JSON array is wanted here; one record a line is --format jsonl, and one alone goes into [ ]',
          );
        state = 'first';
        continue;
      }
      if (state === 'after')
        throw refused(
          name,
          line,
          'there is more after the end of the array; one record a line is --format jsonl',
        );
      if (code === CLOSE_LIST && state === 'first') {
        state = 'after';
        continue;
      }
      if (code === COMMA || code === CLOSE_LIST || code === CLOSE_OBJECT)
        throw refused(name, line, `a record is wanted here, not ${JSON.stringify(chunk[at])}`);
      state = 'element';
      start = line;
      from = at;
      // Looked at once more, as the beginning of the element.
      if (code === NEWLINE) line -= 1;
      at -= 1;
    }
    if (state === 'element') gathered += chunk.slice(from);
    if (gathered.length > LARGEST) throw refused(name, start, 'the record is larger than 1 MiB');
  }
  if (state === 'before') throw refused(name, line, 'it is empty where a JSON array is wanted');
  if (state !== 'after') throw refused(name, line, 'it ends in the middle of the array');
}

const [NEWLINE, BLANK, QUOTE, BACKSLASH] = [10, 32, 34, 92];
const [COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [44, 91, 93, 123, 125];
