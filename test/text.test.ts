import { expect, test } from 'vitest';
import { shellWord } from '../src/text.ts';

test.each([
  ['plain', 'plain'],
  ['-field=token', '-field=token'],
  ['@home', '@home'],
  ['=ls', "'=ls'"],
  ['%1', "'%1'"],
  ['', "''"],
  ["it's here", "'it'\\''s here'"],
  ['$(id)', "'$(id)'"],
])('a shell gets the word %j as %s', (word, quoted) => {
  expect(shellWord(word)).toBe(quoted);
});
