// What must not stand in words for an agent: what only a person types, and text of strangers where it could be read as ours.
import { readdirSync } from 'node:fs';

/** Text in quotation marks, as a reader of JSON ends it. */
const QUOTED = /"(?:[^"\\]|\\.)*"/g;
const NAMES = readdirSync('src/commands').map(name => name.replace('.ts', ''));
const FAULTS: readonly [what: string, pattern: RegExp][] = [
  ['an option', /(?<![\w-])--[a-z]/],
  ['a command', new RegExp(`\\bwaybill (?:${NAMES.join('|')})\\b`)],
  ['a call that would print', /(?:label|track|history) \{[^}]*\} prints/],
  ['a quotation without its end', /"/],
];

/** The faults of words that an agent reads. `stranger`: what the text of a stranger has in it. */
export function faultsForAgent(words: string, stranger: RegExp): string[] {
  const bare = words.replace(QUOTED, '');
  const faults: typeof FAULTS = [...FAULTS, ['text of a stranger', stranger]];
  const all = faults.filter(([, pattern]) => pattern.test(bare)).map(([what]) => what);
  return [...all, ...(/\p{Cc}|\p{Cf}|\p{Co}/u.test(words) ? ['letters that nobody sees'] : [])];
}
