import { describe, expect, test } from 'vitest';
import { csvRow } from '../../src/batch/csv.ts';
import { issuesOf, jsonLines, reading } from '../rig/batch.ts';

const FIRST = 'receiver.firstName';
const LAST = 'receiver.lastName';
const COUNTRY = 'receiver.address.country.code';
const WEIGHT = 'packages[0].weight';

/** Reads these cells, each of an order of its own, in a column that is transformed into that field. */
function cells(transform: string, path: string, given: readonly string[], more: object = {}) {
  const rows = given.map((cell, index) => [`K${index}`, `Line ${index}`, cell]);
  const text = [['key', 'receiver.address.line1', 'Shop'], ...rows].map(row =>
    csvRow(row, { delimiter: ',' }),
  );
  const map = { columns: { Shop: path }, transform: { Shop: transform }, ...more };
  return reading(text.join(''), { map });
}

test('A full name is split into first and last names', async () => {
  const names = [
    ['Mehmet Ali Yılmaz', 'Mehmet Ali', 'Yılmaz'],
    ['  Anna   Beispiel ', 'Anna', 'Beispiel'],
    ['Ana María de la Cruz', 'Ana María', 'de la Cruz'],
    ['von Weber, Carl Maria', 'Carl Maria', 'von Weber'],
    ['Martin Luther King Jr.', 'Martin Luther', 'King Jr.'],
    ['Van Morrison', 'Van', 'Morrison'],
    ['de Vries', 'de', 'Vries'],
    ["Gerard 't Hooft", 'Gerard', "'t Hooft"],
  ] as const;
  const given = names.map(([name]) => name);
  const { at } = await cells('name', 'receiver', given);
  expect(at(FIRST, LAST).map((said, index) => [given[index], ...said])).toEqual(names);
  // The other fields of the party stay.
  expect(at('receiver.address.line1')[3]).toEqual(['Line 3']);
});

test('A phone number is split into code and number', async () => {
  const numbers = [
    ['+49 351 5550100', '+49', '3515550100'],
    ['0049351-555 0100', '+49', '3515550100'],
    ['+1 (212) 555-0100', '+1', '2125550100'],
    ["'+39 06 5550100", '+39', '065550100'],
  ] as const;
  const given = numbers.map(([number]) => number);
  const { at } = await cells('phone', 'receiver.phone', given);
  expect(
    at('receiver.phone.code', 'receiver.phone.number').map((said, index) => [given[index], ...said]),
  ).toEqual(numbers);
  const constants = { 'receiver.phone.code': '+49' };
  const national = await cells('phone', 'receiver.phone', ['0351 5550100'], { constants });
  expect(national.at('receiver.phone')).toEqual([[{ code: '+49', number: '3515550100' }]]);
});

test('A national phone number is read by the country of its address, whichever column is first', async () => {
  const map = {
    columns: { Tel: 'receiver.phone', Land: COUNTRY },
    transform: { Tel: 'phone', Land: 'country' },
  };
  const rows = [
    ['030 / 555 01 23', 'Deutschland', '+49', '305550123'],
    ['06 5550100', 'Italien', '+39', '065550100'],
    ['+33 1 99 00 01 08', 'DE', '+33', '199000108'],
  ];
  const csv = rows.map(([tel, land], index) => `K${index},${tel},${land}\n`).join('');
  const json = rows.map(([Tel, Land], index) => ({ key: `K${index}`, Tel, Land }));
  for (const [name, text] of Object.entries({
    'orders.csv': `key,Tel,Land\n${csv}`,
    'orders.jsonl': jsonLines(json),
  })) {
    const { at } = await reading(text, { name, map });
    expect(at('receiver.phone.code', 'receiver.phone.number')).toEqual(rows.map(row => row.slice(2)));
  }
});

test('A name of a country is its code, and an apostrophe in front of digits is taken off', async () => {
  // All that a country may be called is in test/orders/countries.test.ts.
  const { at } = await cells('country', COUNTRY, ['Almanya', 'İngiltere', 'UK', '日本', '']);
  expect(at(COUNTRY).flat()).toEqual(['DE', 'GB', 'GB', 'JP', 'DE']);
  const zip = await cells('apostrophe', 'receiver.address.zipCode', ["'01067"]);
  expect(zip.at('receiver.address.zipCode')).toEqual([['01067']]);
});

describe('A measure is converted in decimals, exactly:', () => {
  test.each([
    ['g', WEIGHT, { '1500': 1.5, '350 g': 0.35, '1': 0.001, '1100.1': 1.1001 }],
    ['lb', WEIGHT, { '1': 0.45359237, '2.2 lbs': 0.997903214 }],
    ['oz', WEIGHT, { '8': 0.226796185 }],
    ['kg', WEIGHT, { '1.5kg': 1.5 }],
    ['mm', 'packages[0].dimensions.length', { '305': 30.5, '1.1': 0.11 }],
    ['in', 'packages[0].dimensions.length', { '12': 30.48, '0.1': 0.254 }],
    ['cm', 'packages[0].dimensions.length', { '30': 30 }],
    ['m', 'packages[0].dimensions.length', { '1.2': 120 }],
  ])('%s', async (unit, path, measures) => {
    const { at } = await cells(unit, path, Object.keys(measures));
    expect(at(path).flat()).toEqual(Object.values(measures));
  });

  test('a decimal comma is read before the unit, and a number of JSON has a dot all the same', async () => {
    const comma = { decimal: ',' };
    expect((await cells('g', WEIGHT, ['1.500,5 g'], comma)).at(WEIGHT)).toEqual([[1.5005]]);
    expect((await cells('g', WEIGHT, ['1.500'], comma)).ran.exitCode).toBe(2);
    const map = { columns: { W: WEIGHT }, transform: { W: 'g' }, ...comma };
    const json = await reading('{"key":"K","W":1500.5,"type":"document"}\n{"key":"L","W":"1500,5"}\n', {
      name: 'orders.jsonl',
      map,
    });
    expect(json.at(WEIGHT)).toEqual([[1.5005], [1.5005]]);
  });
});

test.each<[string, string, Record<string, string>]>([
  [
    'name',
    'receiver',
    { Cher: 'must be a first and a last name, not "Cher"', 'Weber, Jonas, Berlin': 'has several commas' },
  ],
  [
    'country',
    COUNTRY,
    { Kongo: 'may be CD or CG; write the code, not "Kongo"', Almanyaa: 'must be a country, by its code' },
  ],
  [
    'phone',
    'receiver.phone',
    {
      '+999 123': 'does not begin with the prefix of a country',
      'call me': 'must be a phone number, not "call me"',
      '0351 5550100': 'must begin with the prefix of its country, such as +49',
    },
  ],
  [
    'g',
    WEIGHT,
    {
      heavy: 'must be a number of g, not "heavy"',
      '2 kg': 'not "2 kg"',
      '1,5': 'not "1,5"',
      '-1': 'not "-1"',
    },
  ],
])('%s of a cell that it cannot transform is a problem of that record', async (transform, path, wrong) => {
  const { ran } = await cells(transform, path, Object.keys(wrong));
  expect(ran).toMatchObject({ exitCode: 2, requests: [] });
  const words = Object.values(wrong).map(one => expect.stringContaining(one));
  expect(issuesOf(ran)).toEqual(expect.arrayContaining(words));
  expect(issuesOf(ran)).toHaveLength(words.length);
});

test('Cells of items and fields of JSON records are transformed, too', async () => {
  const map = {
    columns: { Origin: 'items[].countryOfOrigin', Full: 'receiver' },
    transform: { Origin: 'country', Full: 'name' },
  };
  const items = 'items[].description,items[].hsCode,items[].quantity,items[].unitPrice';
  const csv = await reading(`key,Origin,${items}\nK,Türkiye,x,61,1,1\nK,Almanya,x,62,1,1\n`, { map });
  expect(csv.at('items[0].countryOfOrigin', 'items[1].countryOfOrigin')).toEqual([['TR', 'DE']]);
  const json = await reading('{"key":"K","Full":"Anna Weber"}\n', { name: 'orders.jsonl', map });
  expect(json.at(FIRST, LAST)).toEqual([['Anna', 'Weber']]);
});
