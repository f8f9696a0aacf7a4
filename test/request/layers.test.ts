import fc from 'fast-check';
import { expect, test } from 'vitest';
import { layer } from '../../src/request/layers.ts';

const ada = { firstName: 'Ada', taxNumber: '1', address: { city: 'Istanbul', zipCode: '34433' } };
const jonas = { firstName: 'Jonas', address: { city: 'Berlin' } };

test.each(['sender', 'receiver', 'invoice'])('a stronger %s replaces the weaker one completely', role => {
  expect(layer({ [role]: ada }, { [role]: jonas })).toEqual({ [role]: jonas });
});

test('a list is replaced completely', () => {
  expect(layer({ packages: [{ weight: 1 }, { weight: 2 }] }, { packages: [{ quantity: 3 }] })).toEqual({
    packages: [{ quantity: 3 }],
  });
});

test('other objects are merged field by field', () => {
  expect(
    layer(
      { customs: { currency: 'EUR', iossNumber: 'IM0123456789' }, type: 'package' },
      { customs: { currency: 'USD' }, category: 'sales' },
    ),
  ).toEqual({ customs: { currency: 'USD', iossNumber: 'IM0123456789' }, type: 'package', category: 'sales' });
});

test('undefined does not replace a weaker value; null, false, 0 and empty text do', () => {
  const under = { a: 1, b: 1, c: 1, d: 1, e: 1 };
  const over = { a: undefined, b: null, c: false, d: 0, e: '' };
  expect(layer(under, over)).toStrictEqual({ a: 1, b: null, c: false, d: 0, e: '' });
  expect(layer(under, undefined)).toBe(under);
  expect(layer({ sender: ada }, { sender: undefined })).toStrictEqual({ sender: ada });
});

const tree = fc.letrec(tie => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(1, 'a', null),
    fc.array(tie('value'), { maxLength: 2 }),
    tie('record'),
  ),
  record: fc.dictionary(
    fc.constantFrom('a', 'b', 'customs', 'sender', 'receiver', '__proto__'),
    tie('value'),
    {
      maxKeys: 4,
    },
  ),
})).record;

test('merging changes no input, and merging a layer with itself, with nothing or twice gives that layer', () => {
  fc.assert(
    fc.property(tree, tree, (one, two) => {
      const before = JSON.stringify([one, two]);
      expect(layer(layer(one, two), two)).toEqual(layer(one, two));
      expect(layer(one, one)).toEqual(one);
      expect(layer({}, one)).toEqual(one);
      expect(JSON.stringify([one, two])).toBe(before);
    }),
  );
});

test('a party in the result is one of the given parties, never a mixture of two', () => {
  const person = fc.record(
    { firstName: fc.string(), phone: fc.string(), address: fc.object() },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(person, person, (under, over) => {
      expect(layer({ receiver: under }, { receiver: over })).toStrictEqual({ receiver: over });
      expect(layer({ receiver: under }, { sender: over })).toStrictEqual({ receiver: under, sender: over });
    }),
  );
});

test('a field named __proto__ stays a field', () => {
  const merged = layer({ a: 1 }, JSON.parse('{"__proto__":{"polluted":1},"b":{"__proto__":{"polluted":1}}}'));
  expect(JSON.stringify(merged)).toBe('{"a":1,"__proto__":{"polluted":1},"b":{"__proto__":{"polluted":1}}}');
  expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
});
