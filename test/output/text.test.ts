import fc from 'fast-check';
import { expect, test } from 'vitest';
import { textLines } from '../../src/output/text.ts';

test.each([
  ['a scalar is shown as it is', 'EXP', ['EXP']],
  ['a number is shown as it is', 12.5, ['12.5']],
  ['null is None', null, ['None']],
  ['a list of scalars is one line', ['a', 1, null], ['a\t1\tNone']],
  ['an empty list has no lines', [], []],
  [
    'each list in a list is one line',
    [
      ['a', 1],
      ['b', 2],
    ],
    ['a\t1', 'b\t2'],
  ],
  ['the values of an object are in the order of their names', { b: 2, a: 1 }, ['1\t2']],
  ['objects share their columns', [{ a: 1, b: 2 }, { b: 3 }], ['1\t2', '\t3']],
  [
    'a nested value follows on lines that begin with its name',
    { id: 'x', tags: ['p', 'q'], to: { city: 'Bonn' } },
    ['x', 'TAGS\tp', 'TAGS\tq', 'TO\tBonn'],
  ],
  ['values cannot add columns or lines', ['a\tb\nc\x1b'], ['a b c']],
])('%s', (_, value, expected) => {
  expect(textLines(value)).toEqual(expected);
});

test('no value adds a line or a control character', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), value => {
      for (const line of textLines(value))
        expect(line).not.toMatch(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/);
    }),
  );
});
