import { expect, test } from 'vitest';
import { measure } from '../src/output/grid.ts';
import { shellWord, wrapped } from '../src/text.ts';

test('a paragraph is broken between words, by the width that a terminal gives them', async () => {
  expect(wrapped('one two three', 7)).toEqual(['one two', 'three']);
  expect(wrapped('重い 重い', 8, await measure())).toEqual(['重い', '重い']);
  expect(wrapped('  ', 5)).toEqual([]);
});

test('a long word is not broken, because somebody may copy it', () => {
  expect(wrapped('a 0123456789 b', 5)).toEqual(['a', '0123456789', 'b']);
});

test('a command in backticks stays whole if it fits on a line, or else breaks at spaces', () => {
  expect(wrapped('run `a b` now', 8)).toEqual(['run', '`a b`', 'now']);
  expect(wrapped('run `a bc de` now', 8)).toEqual(['run `a', 'bc de`', 'now']);
});

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
