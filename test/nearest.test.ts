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

test('a word with some letters changed, added or removed is at most so many away', () => {
  const edit = fc.record({
    at: fc.nat(20),
    kind: fc.constantFrom('change', 'add', 'remove'),
    letter: fc.constantFrom('a', 'e', 'z'),
  });
  fc.assert(
    fc.property(fc.constantFrom(...FIELDS), fc.array(edit, { maxLength: 6 }), (word, edits) => {
      const letters = word.split('');
      for (const { at, kind, letter } of edits)
        letters.splice(at, kind === 'add' ? 0 : 1, ...(kind === 'remove' ? [] : [letter]));
      expect(nearest(letters.join(''), [word], edits.length)).toBe(word);
    }),
  );
});
