import { Failure } from '../errors.ts';
import { shellWord } from '../text.ts';

// A quoted part, an escaped character, a run of plain ones, blanks, or the beginning of a part that does not end.
const PART = /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\]+)|(\s+)|(.)/gs;

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
  let isNew = true;
  for (const [, single, double, escaped, plain = '', blanks, unended] of given.matchAll(PART)) {
    if (unended !== undefined) throw refused(`the part that begins with ${unended} does not end`);
    if (blanks === undefined) {
      const before = isNew ? '' : words.pop();
      words.push(`${before}${single ?? double?.replace(/\\(["\\])/g, '$1') ?? escaped ?? plain}`);
    }
    isNew = blanks !== undefined;
  }
  if (given.includes('\0') || !words[0]) throw refused('it names no program');
  return words;
}

/** The words as `commandWords` and any shell parse them. */
export const commandLine = (words: readonly string[]): string => words.map(shellWord).join(' ');
