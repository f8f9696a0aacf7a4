import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readJson } from '../../src/batch/json.ts';
import { parseStrictJson } from '../../src/json.ts';
import { runs } from '../torture/size.ts';

// Few names, and strings that look like names, so that what is there twice is common.
const word = fc.constantFrom('"a"', '"b"', '"__proto__"', '":"', '"\\":"', '"a\\":1"', '""');
const colon = fc.constantFrom(':', ': ', ' :', '\n:', '\t: ');
const { json } = fc.letrec<{ json: string }>(tie => ({
  json: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom('1', 'null', 'true'),
    word,
    fc.array(tie('json'), { maxLength: 4 }).map(all => `[${all.join(',')}]`),
    fc
      .array(fc.tuple(word, colon, tie('json')), { maxLength: 4 })
      .map(all => `{${all.map(parts => parts.join('')).join(', ')}}`),
  ),
}));

test('a record is parsed like any other JSON, with the names that are given twice', () => {
  fc.assert(
    fc.property(json, text => {
      expect(readJson(text)).toEqual(parseStrictJson(text));
    }),
    runs(2000),
  );
});

test.each([
  ['objects', '{"a":', '}'],
  ['lists', '[', ']'],
])('%s that are nested a hundred levels deep are read, and deeper ones refused', (_, open, close) => {
  const nested = (levels: number) =>
    `${open.repeat(levels)}${open === '[' ? '' : '1'}${close.repeat(levels)}`;
  expect(readJson(nested(100)).repeated).toEqual([]);
  expect(() => readJson(nested(101))).toThrow('nested more than 100 levels deep');
});
