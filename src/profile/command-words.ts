import { Failure } from '../errors.ts';
import { shellWord } from '../text.ts';

// A quoted part, an escaped character, or a run of plain ones.
const PART = /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\]+)/sy;

/**
 * A program and its arguments, split at blanks. Single quotes keep their content, double quotes too except `\"` and
 * `\\`, and a backslash elsewhere keeps the next character. Nothing else has a meaning, because no shell runs it.
 * Throws `usage`; `name` is the option.
 */
export function commandWords(given: string, name = '--token-command'): string[] {
  const refused = (why: string) =>
    new Failure(
      'usage',
      `${name} takes a program and its arguments, such as 'pass show waybill': ${why}. No shell runs it: quotes and backslashes group words, and $, *, ; and | are plain characters`,
    );
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < given.length; ) {
    PART.lastIndex = at;
    const match = PART.exec(given);
    if (match === null && !/\s/.test(given.charAt(at)))
      throw refused(`the part that begins with ${given.charAt(at)} does not end`);
    if (match === null) {
      if (word !== undefined) words.push(word);
      word = undefined;
      at += 1;
      continue;
    }
    const [whole, single, double, escaped, plain] = match;
    word = `${word ?? ''}${single ?? double?.replace(/\\(["\\])/g, '$1') ?? escaped ?? plain}`;
    at += whole.length;
  }
  if (word !== undefined) words.push(word);
  if (given.includes('\0') || !words[0]) throw refused('it names no program');
  return words;
}

/** The words as `commandWords` and any shell parse them. */
export const commandLine = (words: readonly string[]): string => words.map(shellWord).join(' ');
