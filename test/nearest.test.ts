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

test.each([
  ['kitten', 'sitting', 3],
  ['saturday', 'sunday', 3],
  ['flaw', 'lawn', 2],
  ['carrier', 'carriers', 1],
  ['', 'item', 4],
])('from %j to %j it is %i letters', (given, word, letters) => {
  expect(nearest(given, [word], letters)).toBe(word);
  expect(nearest(given, [word], letters - 1)).toBeUndefined();
  expect(nearest(word, [given], letters)).toBe(given);
  expect(nearest(word, [given], letters - 1)).toBeUndefined();
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
