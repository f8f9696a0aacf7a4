import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type Parcel,
  parseHeader,
  parseItem,
  parsePackage,
  parsePreset,
  proposalPackage,
  ratePackage,
  shipmentPackage,
} from '../../src/request/specs.ts';

const amount = fc.oneof(
  fc.nat({ max: 10_000 }),
  fc.integer({ min: 1, max: 9_999 }).map(hundredths => hundredths / 100),
);
const parcel = fc.record({
  quantity: fc.nat({ max: 999 }),
  weight: amount,
  length: amount,
  width: amount,
  height: amount,
});
const blank = fc.constantFrom('', ' ');

test.each([
  ['2x1.5kg@30x20x10cm', { quantity: 2, weight: 1.5, length: 30, width: 20, height: 10 }],
  ['1.5@30x20x10', { quantity: 1, weight: 1.5, length: 30, width: 20, height: 10 }],
  [' 3 X .5 KG @ 30 x 20.5 x 10 CM ', { quantity: 3, weight: 0.5, length: 30, width: 20.5, height: 10 }],
])('--package %j means pieces x weight of each @ length x width x height', (spec, read) => {
  expect(parsePackage(spec)).toEqual(read);
});

test('a package is parsed from any of the allowed forms', () => {
  fc.assert(
    fc.property(parcel, fc.boolean(), fc.boolean(), blank, (given, kg, cm, gap) => {
      const { quantity, weight, length, width, height } = given;
      const pieces = `${quantity}${gap}x${gap}`;
      const spec = `${pieces}${weight}${kg ? 'kg' : ''}${gap}@${gap}${length}x${width}x${height}${cm ? 'cm' : ''}`;
      expect(parsePackage(spec)).toEqual(given);
      if (quantity === 1) expect(parsePackage(spec.slice(pieces.length))).toEqual(given);
    }),
  );
});

test('any other text is refused, or means the same as its full form', () => {
  const near = fc.string({ unit: fc.constantFrom(...'0123456789.x@kgcm -,'), maxLength: 22 });
  const damaged = fc.tuple(fc.nat({ max: 18 }), fc.string({ maxLength: 2 })).map(([at, put]) => {
    const spec = '2x1.5kg@30x20x10cm';
    return spec.slice(0, at) + put + spec.slice(at + 1);
  });
  fc.assert(
    fc.property(fc.oneof(near, damaged), spec => {
      let read: Parcel;
      try {
        read = parsePackage(spec);
      } catch (error) {
        expect(String(error)).toContain('is not of the form');
        return;
      }
      const { quantity, weight, length, width, height } = read;
      expect(parsePackage(`${quantity}x${weight}kg@${length}x${width}x${height}cm`)).toEqual(read);
      expect(Object.values(read).every(Number.isFinite)).toBe(true);
    }),
  );
});

test.each([
  '',
  '1kg',
  '@',
  'x1kg@1x1x1',
  '-1kg@1x1x1',
  '1kg@1x1',
  '1kg@1x1x1x1',
  '1e3kg@1x1x1',
  '0x10@1x1',
  'NaNkg@1x1x1',
  '1.5x1kg@1x1x1',
  '1lb@1x1x1',
  '1kg@1x1x1in',
  '1.kg@1x1x1',
  '1..5kg@1x1x1',
  '1kg@1x1x1cm,1kg@1x1x1cm',
  '٣kg@1x1x1',
])('--package %j is refused', spec => {
  expect(() => parsePackage(spec)).toThrow(`--package ${JSON.stringify(spec)} is not of the form`);
});

test.each(['1,5kg@30x20x10', '1.5kg@30,5x20x10cm'])(
  '--package %j is refused, and the message asks for a dot',
  spec => {
    expect(() => parsePackage(spec)).toThrow('decimals have a dot, not a comma');
  },
);

test('a long text of spaces or digits is refused at once', () => {
  expect(() => parsePackage(' '.repeat(20_000))).toThrow('is not of the form');
  expect(() => parsePackage('1'.repeat(20_000))).toThrow('is not of the form');
});

test.each([
  ['@small', { times: 1, name: 'small' }],
  [' 3 X @small ', { times: 3, name: 'small' }],
  ['12x@a.b-c_d@e', { times: 12, name: 'a.b-c_d@e' }],
])('--package %j refers to a saved parcel', (spec, read) => {
  expect(parsePreset(spec)).toEqual(read);
});

test.each(['', '@', '3x', 'small', '-1x@small', '1.5x@small', '3@small', '@two words', '@ small'])(
  '%j refers to no parcel, and is no SPEC',
  spec => {
    expect(parsePreset(spec)).toBeUndefined();
    expect(() => parsePackage(spec)).toThrow('is not of the form');
  },
);

test('no SPEC is read as the name of a parcel', () => {
  fc.assert(
    fc.property(parcel, fc.boolean(), ({ quantity, weight, length, width, height }, pieces) => {
      const spec = `${pieces ? `${quantity}x` : ''}${weight}@${length}x${width}x${height}`;
      expect(parsePreset(spec)).toBeUndefined();
    }),
  );
});

test('a parcel gets the shape that each operation needs', () => {
  const given = { quantity: 2, weight: 1.5, length: 30, width: 20, height: 10 };
  const dimensions = { length: 30, width: 20, height: 10 };
  expect(shipmentPackage(given)).toEqual({
    quantity: 2,
    weight: 1.5,
    dimensions: { ...dimensions, unit: 'cm' },
  });
  expect(proposalPackage(given)).toEqual({ quantity: 2, weight: 1.5, dimensions });
  expect(ratePackage(given)).toEqual({ piece: 2, pieceWeight: 1.5, lengthCm: 30, width: 20, height: 10 });
});

test('an item is parsed field by field, and each value stays as written', () => {
  expect(
    parseItem('description=T-shirt,hsCode=0610910,countryOfOrigin=TR, quantity=2,unitPrice=12.5'),
  ).toEqual([
    ['description', 'T-shirt'],
    ['hsCode', '0610910'],
    ['countryOfOrigin', 'TR'],
    ['quantity', '2'],
    ['unitPrice', '12.5'],
  ]);
});

test('commas and equals signs inside a description are part of it', () => {
  expect(parseItem('description=Shirt, blue, 100% cotton,quantity=2')).toEqual([
    ['description', 'Shirt, blue, 100% cotton'],
    ['quantity', '2'],
  ]);
  expect(parseItem('description=a = b,quantity=2')[0]).toEqual(['description', 'a = b']);
});

test('a price with a decimal comma stays one value, which validation refuses', () => {
  expect(parseItem('unitPrice=12,5,quantity=2')).toEqual([
    ['unitPrice', '12,5'],
    ['quantity', '2'],
  ]);
});

test('any item without a comma before name= inside a value is parsed unchanged', () => {
  const name = fc.stringMatching(/^[A-Za-z_]\w{0,8}$/);
  const value = fc
    .string()
    .filter(text => text === text.trim() && !/(^|,)\s*\w+=/.test(text) && !/,\s*$/.test(text));
  const pairs = fc.uniqueArray(fc.tuple(name, value), {
    minLength: 1,
    maxLength: 6,
    selector: ([key]) => key,
  });
  fc.assert(
    fc.property(pairs, given => {
      expect(parseItem(given.map(([key, text]) => `${key}=${text}`).join(','))).toEqual(given);
    }),
  );
});

test.each(['', 'T-shirt', '=T-shirt', ',quantity=2'])('--item %j is refused', spec => {
  expect(() => parseItem(spec)).toThrow('is not of the form NAME=VALUE');
});

test('a repeated name in an item is refused, because one value would be lost', () => {
  expect(() => parseItem('quantity=2,description=a,quantity=3')).toThrow('gives quantity twice');
});

test('a header is split at its first colon', () => {
  expect(parseHeader('X-Link: https://example.com')).toEqual(['X-Link', 'https://example.com']);
  expect(parseHeader('X-Empty:')).toEqual(['X-Empty', '']);
  expect(() => parseHeader('X-Nothing')).toThrow("is not of the form 'X-Name: value'");
  expect(() => parseHeader(': value')).toThrow("is not of the form 'X-Name: value'");
});
