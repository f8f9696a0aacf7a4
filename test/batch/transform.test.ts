import Big from 'big.js';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvRow } from '../../src/batch/csv.ts';
import { parseMap } from '../../src/batch/map.ts';
import { TRANSFORM_NAMES } from '../../src/batch/transform.ts';
import { type Given, RUNS, readAll, refusal } from '../rig/batch.ts';

const PATHS: Readonly<Record<string, string>> = {
  name: 'receiver',
  phone: 'receiver.phone',
  country: 'receiver.address.country.code',
  apostrophe: 'receiver.address.zipCode',
};

/** The first record of a file with a column `Shop`, which the map transforms. */
async function one(transform: string, cell: string, more: Record<string, unknown> = {}, given: Given = {}) {
  const path = PATHS[transform] ?? 'packages[0].weight';
  const map = parseMap({ columns: { Shop: path }, transform: { Shop: transform }, ...more }, 'map.json');
  const text = [
    ['key', 'Shop'],
    ['K', cell],
  ]
    .map(cells => csvRow(cells, { delimiter: ',' }))
    .join('');
  const { records } = await readAll(text, { map, ...given });
  const [record] = records;
  if (record === undefined) throw new Error('there is no record');
  return record;
}

test.each([
  ['Anna Beispiel', 'Anna', 'Beispiel'],
  ['Mehmet Ali Yılmaz', 'Mehmet Ali', 'Yılmaz'],
  ['Li Wu', 'Li', 'Wu'],
  ['  Anna   Beispiel ', 'Anna', 'Beispiel'],
  ['Ludwig van Beethoven', 'Ludwig', 'van Beethoven'],
  ['Ursula von der Leyen', 'Ursula', 'von der Leyen'],
  ['Ana María de la Cruz', 'Ana María', 'de la Cruz'],
  ['Weber, Jonas', 'Jonas', 'Weber'],
  ['von Weber, Carl Maria', 'Carl Maria', 'von Weber'],
  ['Martin Luther King Jr.', 'Martin Luther', 'King Jr.'],
  ['Van Morrison', 'Van', 'Morrison'],
  ['de Vries', 'de', 'Vries'],
  ["Gerard 't Hooft", 'Gerard', "'t Hooft"],
  ["'t Hooft, Gerard", 'Gerard', "'t Hooft"],
])('The name %j is %j and %j', async (cell, firstName, lastName) => {
  const { value, issues } = await one('name', cell);
  expect([value, issues]).toEqual([{ receiver: { firstName, lastName } }, []]);
});

test('A name leaves the other fields of its party as they are', async () => {
  const map = parseMap(
    {
      columns: { Mail: 'receiver.email', Name: 'receiver', Town: 'receiver.address.city' },
      transform: { Name: 'name' },
    },
    'map.json',
  );
  const { records } = await readAll('key,Mail,Name,Town\nK,a@example.com,Anna Beispiel,Dresden\n', { map });
  expect(records[0]?.value).toEqual({
    receiver: {
      email: 'a@example.com',
      firstName: 'Anna',
      lastName: 'Beispiel',
      address: { city: 'Dresden' },
    },
  });
});

test.each([
  ['+49 351 5550100', '+49', '3515550100'],
  ['0049351-555 0100', '+49', '3515550100'],
  ['+49 (0)351/5550100', '+49', '3515550100'],
  ['+90 532 123 45 67', '+90', '5321234567'],
  ['+1 (212) 555-0100', '+1', '2125550100'],
  ['+1 242 555 0100', '+1', '2425550100'],
  ['+7 727 555 0100', '+7', '7275550100'],
  ['+971501234567', '+971', '501234567'],
  ["'+39 06 5550100", '+39', '065550100'],
])('The phone number %j is %s and %s', async (cell, code, number) => {
  const { value, issues } = await one('phone', cell);
  expect([value, issues]).toEqual([{ receiver: { phone: { code, number } } }, []]);
});

test('A number without a prefix needs the code as a constant of the map', async () => {
  expect((await one('phone', '0351 5550100')).issues).toEqual([
    {
      path: 'Shop',
      message: expect.stringContaining('must begin with the prefix of its country, such as +49'),
    },
  ]);
  const { value, issues } = await one('phone', '0351 5550100', {
    constants: { 'receiver.phone.code': '+49' },
  });
  expect([value, issues]).toEqual([{ receiver: { phone: { code: '+49', number: '0351 5550100' } } }, []]);
});

test.each([
  ['Almanya', 'DE'],
  ['DEUTSCHLAND', 'DE'],
  ['Allemagne', 'DE'],
  ['Oesterreich', 'AT'],
  ['İngiltere', 'GB'],
  ['ABD', 'US'],
  ['de', 'DE'],
  ['DEU', 'DE'],
  ['UK', 'GB'],
  ['مصر', 'EG'],
  ['日本', 'JP'],
])('The country %j is %s', async (cell, code) => {
  const { value, issues } = await one('country', cell);
  expect([value, issues]).toEqual([{ receiver: { address: { country: { code } } } }, []]);
});

test.each([
  ['g', '1500', 1.5],
  ['g', '350 g', 0.35],
  ['g', '1', 0.001],
  ['lb', '1', 0.45359237],
  ['lb', '2.2 lbs', 0.997903214],
  ['oz', '8', 0.226796185],
  ['kg', '1.5kg', 1.5],
])('A weight of %s: %j is %d kg', async (unit, cell, weight) => {
  const { value, issues } = await one(unit, cell);
  expect([value, issues]).toEqual([{ packages: [{ weight }] }, []]);
});

test.each([
  ['mm', '305', 30.5],
  ['in', '12', 30.48],
  ['in', '0.1', 0.254],
  ['cm', '30', 30],
  ['m', '1.2', 120],
])('A length in %s: %j is %d cm', async (unit, cell, length) => {
  const map = { columns: { Shop: 'packages[0].dimensions.length' } };
  expect((await one(unit, cell, map)).value).toEqual({ packages: [{ dimensions: { length } }] });
});

test('A decimal comma is read before the unit', async () => {
  expect((await one('g', '1.500,5 g', { decimal: ',' })).value).toEqual({ packages: [{ weight: 1.5005 }] });
  expect((await one('g', '1.500', { decimal: ',' })).issues).toHaveLength(1);
});

test('Units are converted in decimals, exactly', async () => {
  const factors = { g: '0.001', lb: '0.45359237', oz: '0.028349523125', mm: '0.1', in: '2.54' };
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...(Object.keys(factors) as (keyof typeof factors)[])),
      fc.integer({ min: 0, max: 99_999 }),
      fc.integer({ min: 0, max: 3 }),
      async (unit, digits, decimals) => {
        const written = Big(digits)
          .div(10 ** decimals)
          .toFixed();
        const { value } = await one(unit, written);
        const weight = (value as { packages: [{ weight: number }] }).packages[0].weight;
        expect(Big(weight).eq(Number(Big(written).times(factors[unit])))).toBe(true);
        expect(String(weight)).toBe(String(Number(Big(written).times(factors[unit]).toFixed())));
      },
    ),
    RUNS,
  );
});

test('The apostrophe in front of digits is taken off', async () => {
  expect((await one('apostrophe', "'01067")).value).toEqual({ receiver: { address: { zipCode: '01067' } } });
});

test.each([
  ['name', 'Cher', 'must be a first and a last name, not "Cher"'],
  ['name', 'Weber, Jonas, Berlin', 'has several commas'],
  ['country', 'Kongo', 'may be CD or CG; write the code, not "Kongo"'],
  ['country', 'Almanyaa', 'must be a country, by its code or its name in any language, not "Almanyaa"'],
  ['phone', '+49', 'has nothing after the prefix of its country, not "+49"'],
  ['phone', '+999 123', 'does not begin with the prefix of a country'],
  ['phone', 'call me', 'must be a phone number, not "call me"'],
  ['phone', '+1 212 555 0100 ext. 5', 'must be a phone number'],
  ['g', 'heavy', 'must be a number of g, not "heavy"'],
  ['g', '2 kg', 'must be a number of g, not "2 kg"'],
  ['g', '1,5', 'must be a number of g, not "1,5"'],
  ['g', '-1', 'must be a number of g, not "-1"'],
])('%s cannot transform %j: it is a problem of that record', async (transform, cell, message) => {
  const { line, value, issues } = await one(transform, cell);
  expect([line, value]).toEqual([2, {}]);
  expect(issues).toEqual([{ path: 'Shop', message: expect.stringContaining(message) }]);
});

test('An empty cell is transformed into nothing', async () => {
  for (const transform of TRANSFORM_NAMES)
    if (PATHS[transform]) expect(await one(transform, '')).toMatchObject({ value: {}, issues: [] });
});

test('Cells of items and fields of JSON records are transformed, too', async () => {
  const map = parseMap(
    {
      columns: { Origin: 'items[].countryOfOrigin', Full: 'receiver' },
      transform: { Origin: 'country', Full: 'name' },
    },
    'map.json',
  );
  const csv = await readAll('key,Origin\nK,Türkiye\nK,Almanya\n', { map });
  expect(csv.records[0]?.value).toEqual({ items: [{ countryOfOrigin: 'TR' }, { countryOfOrigin: 'DE' }] });
  const settings = { map, format: 'jsonl', name: 'orders.jsonl' } as const;
  const json = await readAll('{"key":"K","Full":"Anna Beispiel"}\n{"key":"L","Full":"Anna"}\n', settings);
  expect(json.records).toMatchObject([
    { value: { receiver: { firstName: 'Anna', lastName: 'Beispiel' } }, issues: [] },
    { value: {}, issues: [{ path: 'Full' }] },
  ]);
});

test('A number of JSON has a dot, also with a map of decimal commas', async () => {
  const map = parseMap(
    { columns: { W: 'packages[0].weight' }, transform: { W: 'g' }, decimal: ',' },
    'map.json',
  );
  const text = '{"key":"K","W":1500.5}\n{"key":"L","W":"1500,5"}\n';
  const { records } = await readAll(text, { map, format: 'jsonl', name: 'orders.jsonl' });
  for (const { value, issues } of records)
    expect([value, issues]).toEqual([{ packages: [{ weight: 1.5005 }] }, []]);
});

test('A transform that does not fit its column, and a word that is none, are refused with the header', async () => {
  const map = (columns: object, transform: object) => parseMap({ columns, transform }, 'map.json');
  expect(() => map({}, { Land: 'contry' })).toThrow('the map map.json is not valid');
  const wrong = await refusal('key,Land\n', {
    map: map({ Land: 'receiver.address.city' }, { Land: 'phone' }),
  });
  expect(wrong.facts.issues).toEqual([
    { path: 'Land', message: expect.stringContaining('phone in "transform" of the map needs a phone') },
  ]);
  const twice = await refusal('key,Full,Vorname\n', {
    map: map({ Full: 'receiver', Vorname: 'receiver.firstName' }, { Full: 'name' }),
  });
  expect(twice.facts.issues).toEqual([
    { path: 'Vorname', message: expect.stringContaining('means the same field as Full') },
  ]);
});
