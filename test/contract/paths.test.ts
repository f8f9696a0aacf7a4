import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  formatPath,
  getAt,
  isRecord,
  listAt,
  type Path,
  parsePath,
  setAt,
  textAt,
} from '../../src/contract/paths.ts';

const name = fc
  .oneof(
    fc.string({ minLength: 1, maxLength: 12, unit: 'binary' }),
    fc.constantFrom('constructor', 'prototype', 'toString', 'X-Shop', 'a b', '0', 'length'),
  )
  .filter(written => !/[.[\]]/.test(written) && written !== '__proto__');
const index = fc.integer({ min: 0, max: 999 });
const path: fc.Arbitrary<Path> = fc
  .tuple(name, fc.array(fc.oneof(name, fc.integer({ min: 0, max: 5 })), { maxLength: 6 }))
  .map(([first, rest]) => [first, ...rest]);

describe('a written path', () => {
  test.each<[string, Path]>([
    ['url', ['url']],
    ['receiver.address.city', ['receiver', 'address', 'city']],
    ['items[0].hsCode', ['items', 0, 'hsCode']],
    ['items[12]', ['items', 12]],
    ['a[0][1].b', ['a', 0, 1, 'b']],
    ['headers.X-Shop', ['headers', 'X-Shop']],
    ['items.0', ['items', '0']],
    ['constructor.prototype.x', ['constructor', 'prototype', 'x']],
  ])('%s is read', (written, read) => {
    expect(parsePath(written)).toEqual(read);
  });

  test.each([
    '',
    '.',
    'a.',
    '.a',
    'a..b',
    'a.[0]',
    '[0]',
    '[0].a',
    'a[]',
    'a[x]',
    'a[-1]',
    'a[1.5]',
    'a[1e3]',
    'a[ 1]',
    'a[0]b',
    'a[0',
    'a]',
    'a[[0]]',
    '__proto__',
    '__proto__.polluted',
    'a.__proto__.polluted',
    'a[0].__proto__',
  ])('%j is no path', written => {
    expect(parsePath(written)).toBeUndefined();
  });

  test.each(['1000', '99999', '4000000000', '4294967295', '99999999999999999999', '9'.repeat(400)])(
    'has no index %s, because the list would have holes or JSON would drop the value',
    digits => {
      expect(parsePath(`items[${digits}].hsCode`)).toBeUndefined();
    },
  );

  test('is parsed to the path that was formatted', () => {
    const any = fc.oneof(
      path,
      index.map(at => ['a', at]),
    );
    fc.assert(
      fc.property(any, given => {
        expect(parsePath(formatPath(given))).toEqual(given);
      }),
    );
  });

  test('of any text is no path, or formats to a path that parses to the same', () => {
    const written = fc.string({ unit: fc.constantFrom('a', 'b', '.', '[', ']', '0', '7', '-', '_') });
    fc.assert(
      fc.property(fc.oneof(written, fc.string()), text => {
        const read = parsePath(text);
        if (read !== undefined) expect(parsePath(formatPath(read))).toEqual(read);
      }),
    );
  });
});

describe('setting a value', () => {
  test('makes it readable at its path, also if another value was there', () => {
    fc.assert(
      fc.property(fc.jsonValue(), path, fc.jsonValue(), (body, at, value) => {
        expect(getAt(setAt(body, at, value), at)).toEqual(value);
      }),
    );
  });

  test('survives JSON, so that the service gets the value of the user', () => {
    fc.assert(
      fc.property(path, fc.integer(), (at, value) => {
        expect(getAt(JSON.parse(JSON.stringify(setAt({}, at, value))), at)).toBe(value);
      }),
    );
  });

  test('does not change the given body or a prototype', () => {
    const prototypes = () =>
      [Object.prototype, Array.prototype, Function.prototype].map(one => Object.getOwnPropertyNames(one));
    const before = prototypes();
    const evil = fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'polluted');
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.array(fc.oneof(evil, fc.integer({ min: 0, max: 3 })), { minLength: 1 }),
        (body, at) => {
          const copy = structuredClone(body);
          setAt(body, at, 'x');
          expect(body).toEqual(copy);
          expect(Object.getPrototypeOf(setAt({}, ['__proto__', 'polluted'], 'x'))).toBe(Object.prototype);
        },
      ),
    );
    expect(prototypes()).toEqual(before);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test('keeps the other fields', () => {
    const body = { sender: { firstName: 'Ada', address: { city: 'Izmir' } }, items: [{ hsCode: '1' }] };
    expect(setAt(body, ['sender', 'address', 'city'], 'Bursa')).toEqual({
      sender: { firstName: 'Ada', address: { city: 'Bursa' } },
      items: [{ hsCode: '1' }],
    });
    expect(setAt(body, ['items', 1, 'hsCode'], '2')).toEqual({
      ...body,
      items: [{ hsCode: '1' }, { hsCode: '2' }],
    });
  });
});

describe('reading a value', () => {
  test('finds own properties only', () => {
    for (const at of ['toString', 'constructor', 'a.constructor', 'list.map', 'a.text.length'])
      expect(getAt({ a: { text: 'x' }, list: [] }, at)).toBeUndefined();
    expect(getAt(JSON.parse('{"__proto__":{"polluted":1}}'), 'polluted')).toBeUndefined();
  });

  test('gives the whole body for an empty path, and nothing for a text that is no path', () => {
    const body = { a: 1 };
    expect(getAt(body, [])).toBe(body);
    for (const written of ['', 'a..', 'a[', '__proto__', '[0]']) expect(getAt(body, written)).toBeUndefined();
  });

  test('gives nothing inside a value without fields', () => {
    expect(getAt(undefined, 'a')).toBeUndefined();
    expect(getAt(null, ['a', 0])).toBeUndefined();
    expect(getAt('text', [0])).toBeUndefined();
  });

  test('as text gives only text', () => {
    expect(textAt({ id: 'x' }, 'id')).toBe('x');
    for (const id of [1, null, true, [], {}, undefined]) expect(textAt({ id }, 'id')).toBeUndefined();
  });

  test('as a list gives only lists', () => {
    expect(listAt({ items: [1] }, 'items')).toEqual([1]);
    for (const items of [1, null, 'text', {}, undefined]) expect(listAt({ items }, 'items')).toEqual([]);
  });
});

test('a record is an object and no list', () => {
  expect([{}, { a: 1 }, Object.create(null)].map(isRecord)).toEqual([true, true, true]);
  expect([[], null, undefined, 'x', 1, true].some(isRecord)).toBe(false);
});
