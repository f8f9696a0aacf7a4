import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nearest } from '../src/nearest.ts';

const FIELDS = ['sender', 'receiver', 'invoice', 'packages', 'items', 'customs'];

test.each([
  ['reciever', 'receiver'],
  ['Receiver', 'receiver'],
  ['recever', 'receiver'],
  ['package', 'packages'],
  ['item', 'items'],
  ['custms', 'customs'],
])('for %j, %j was meant', (given, meant) => {
  expect(nearest(given, FIELDS)).toBe(meant);
});

test.each(['weight', 'x', '', 'zzzzzzzz', 'constructor'])('for %j nothing is guessed', given => {
  expect(nearest(given, FIELDS)).toBeUndefined();
});

test('a word is nearest to itself, in whatever case', () => {
  fc.assert(
    fc.property(fc.constantFrom(...FIELDS), fc.func(fc.boolean()), (word, upper) => {
      const given = [...word].map((letter, at) => (upper(at) ? letter.toUpperCase() : letter)).join('');
      expect(nearest(given, FIELDS)).toBe(word);
    }),
  );
});
