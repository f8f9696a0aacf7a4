import fc from 'fast-check';
import { expect, test } from 'vitest';
import { comparable, isSameWord } from '../../src/contract/words.ts';

test.each([
  ['EKONOM\u0130', 'ekonomi'],
  ['EKONOM\u0130'.normalize('NFD'), 'Ekonomi'],
  ['Tesl\u0130m Ed\u0130ld\u0130', 'teslim edildi'],
  ['caf\u00e9', 'CAFE\u0301'],
  [' Express ', 'express'],
])('%j and %j are one word', (one, other) => {
  expect(isSameWord(one, other)).toBe(true);
});

test.each([
  ['economy', 'ekonomi'],
  ['express', 'expres'],
  ['', undefined],
  [undefined, undefined],
])('%j and %j are not', (one, other) => {
  expect(isSameWord(one, other)).toBe(false);
});

test('any text is the same word in NFC and NFD, and in its own comparable form', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), text => {
      expect(isSameWord(text.normalize('NFC'), text.normalize('NFD'))).toBe(true);
      expect(isSameWord(text, comparable(text))).toBe(true);
    }),
  );
});
