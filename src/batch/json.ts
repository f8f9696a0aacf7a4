// The records of a file of JSON, each with the line that it begins on.
import { lineFeedsIn, MAX_RECORD_LENGTH, type RawRecord, refused } from './source.ts';

/** One record on each line; blank lines are skipped. Throws `invalid_request`. */
export async function* jsonLines(text: AsyncIterable<string>, name: string): AsyncGenerator<RawRecord> {
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

// Brackets and commas, the quotes of strings, and what is escaped in them.
const TOKEN = /\\.|["[\]{},]/gs;

const linesBefore = (text: string): number => lineFeedsIn(/^\s*/.exec(text)?.[0] ?? '');

const ONE_EACH = 'for one record on each line use --format jsonl';

/** The elements of one JSON array as they are written; each is parsed by itself. Throws `invalid_request`. */
export async function* jsonElements(text: AsyncIterable<string>, name: string): AsyncGenerator<RawRecord> {
  // What follows the last element that has ended, the line that it begins on, and how much of it was searched.
  let rest = '';
  let line = 1;
  let searched = 0;
  let state: 'before' | 'first' | 'others' | 'after' = 'before';
  let depth = 0;
  let inString = false;
  const refuse = (why: string) => refused(name, line, why);

  for await (const chunk of text) {
    rest += chunk;
    if (state === 'before') {
      if (rest.trim() === '') continue;
      line += linesBefore(rest);
      rest = rest.trimStart();
      if (!rest.startsWith('['))
        throw refuse(`expected a JSON array here; ${ONE_EACH}, and put a single record into [ ]`);
      rest = rest.slice(1);
      state = 'first';
    }
    let from = 0;
    TOKEN.lastIndex = searched;
    for (const { 0: token, index } of rest.matchAll(TOKEN)) {
      if (state === 'after') break;
      searched = index + token.length;
      if (token === '"') inString = !inString;
      if (inString) continue;
      if (depth === 0 && (token === ',' || token === ']')) {
        const part = rest.slice(from, index);
        const record = { line: line + linesBefore(part), text: part.trim() };
        line += lineFeedsIn(part);
        from = index + 1;
        refuseLong(record.text, name, record.line);
        if (record.text !== '') yield record;
        else if (token === ',' || state === 'others') throw refuse(`expected a record here, not "${token}"`);
        state = token === ',' ? 'others' : 'after';
      } else if (token === '[' || token === '{') depth += 1;
      else if (depth > 0 && (token === ']' || token === '}')) depth -= 1;
    }
    rest = rest.slice(from);
    searched -= from;
    if (state === 'after' && rest.trim() !== '') {
      line += linesBefore(rest);
      throw refuse(`there is more text after the end of the array; ${ONE_EACH}`);
    }
    refuseLong(rest, name, line);
  }
  line += lineFeedsIn(rest);
  if (state === 'before') throw refuse('the file is empty; it must be a JSON array');
  if (state !== 'after') throw refuse('it ends in the middle of the array');
}
