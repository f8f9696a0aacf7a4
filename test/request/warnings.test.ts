import fc from 'fast-check';
import { expect, test } from 'vitest';
import { warningsOf } from '../../src/request/warnings.ts';
import { bodyOf } from '../contract/rig.ts';

const warned = (changes: Record<string, unknown>) => warningsOf(bodyOf('createShipment', changes));

test('a correct request gives no warning', () => {
  expect(warned({})).toEqual([]);
});

test('a totalPrice that is not quantity × unit price gives a warning with both numbers', () => {
  expect(warned({ 'items[0].totalPrice': 24, 'customs.totalGoodsValue': 24 })).toEqual([
    'items[0].totalPrice is 24, but quantity × unitPrice is 25',
  ]);
});

test('a totalGoodsValue that is not the sum of the items gives a warning with both numbers', () => {
  expect(warned({ 'customs.totalGoodsValue': 30 })).toEqual([
    'customs.totalGoodsValue is 30, but the items add up to 25',
  ]);
});

test('each item gives its own warning, and the sum too', () => {
  const item = { quantity: 1, unitPrice: 1, totalPrice: 2 };
  expect(warned({ items: [item, item], 'customs.totalGoodsValue': 1 })).toEqual([
    'items[0].totalPrice is 2, but quantity × unitPrice is 1',
    'items[1].totalPrice is 2, but quantity × unitPrice is 1',
    'customs.totalGoodsValue is 1, but the items add up to 4',
  ]);
});

test('one cent too much gives a warning, a rounded unit price does not', () => {
  const total = (totalPrice: number) =>
    warned({
      'items[0]': { quantity: 3, unitPrice: 0.333, totalPrice },
      'customs.totalGoodsValue': totalPrice,
    });
  expect(total(1)).toEqual([]);
  expect(total(1.01)).toEqual(['items[0].totalPrice is 1.01, but quantity × unitPrice is 0.999']);
});

test('totals that are right in decimal never give a warning', () => {
  const item = fc.record({ quantity: fc.nat({ max: 1000 }), cents: fc.nat({ max: 1_000_000 }) });
  fc.assert(
    fc.property(fc.array(item, { minLength: 1, maxLength: 5 }), given => {
      const items = given.map(({ quantity, cents }) => ({
        quantity,
        unitPrice: cents / 100,
        totalPrice: (quantity * cents) / 100,
      }));
      const sum = given.reduce((all, { quantity, cents }) => all + quantity * cents, 0) / 100;
      expect(warned({ items, 'customs.totalGoodsValue': sum })).toEqual([]);
    }),
  );
});

test.each(['1.2E+11', '9,05E+12', '1e+9', ' 6.1E+05 '])(
  'a text that a spreadsheet changed to %j gives a warning',
  text => {
    expect(warned({ 'items[0].hsCode': text })).toEqual([
      `items[0].hsCode is ${JSON.stringify(text)}: a spreadsheet seems to have rounded a long number`,
    ]);
  },
);

test.each(['610910', 'E+11', '12E+3X', '1.2E11', 'Gate 1E+2'])('the text %j gives no warning', text => {
  expect(warned({ 'items[0].description': text })).toEqual([]);
});

test.each([
  ['receiver.email', 'anna at example.com', 'an e-mail address, such as anna@example.com'],
  ['sender.email', 'deniz@', 'an e-mail address, such as anna@example.com'],
  ['customs.currency', 'E U', 'a currency code of ISO 4217, such as EUR'],
  ['customs.currency', 'eur', 'a currency code of ISO 4217, such as EUR'],
  ['items[0].hsCode', 'Cotton shirt', 'an HS code of at least 4 digits, such as 610910'],
])('%s that is %j gives a warning, although the document allows it', (path, value, says) => {
  expect(warned({ [path]: value })).toEqual([`${path} is ${JSON.stringify(value)}, which is not ${says}`]);
});

test.each([
  ['receiver.email', 'anna.o+test@mail.example.co.uk'],
  ['customs.currency', 'TRY'],
  ['items[0].hsCode', '6109.10.00'],
  ['items[0].hsCode', '610910'],
])('%s that is %j gives no warning', (path, value) => {
  expect(warned({ [path]: value })).toEqual([]);
});

test('a package without weight gives a warning', () => {
  expect(warned({ 'packages[0].weight': 0 })).toEqual(['packages[0].weight is 0']);
});

test('a body of any shape does not crash the check', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), fc.array(fc.jsonValue()), (any, customs, items) => {
      expect(Array.isArray(warningsOf(any))).toBe(true);
      expect(Array.isArray(warningsOf({ customs, items }))).toBe(true);
    }),
  );
});

test.each(['+49', '49', '0049', '+1-242', '+1 (242)'])('the dialling code %s gives no warning', code => {
  expect(warned({ 'receiver.phone.code': code })).toEqual([]);
});

test.each(['anna@example.com', 'DE', '+49 30 5550101'])('%s gives a warning as a dialling code', code => {
  expect(warned({ 'receiver.phone.code': code })).toEqual([
    `receiver.phone.code is ${JSON.stringify(code)}, which is not a dialling code, such as +49`,
  ]);
});

const TO = 'receiver.address.country.code';
const ZIP = 'receiver.address.zipCode';

test.each([
  ...[
    ['DE', '1011'],
    ['DE', 'Berlin'],
    ['US', '1000'],
    ['GB', '10115'],
    ['NL', '1011'],
    ['CA', '90210'],
  ],
  ...[
    ['AE', 'N/A'],
    ['TR', '34-71'],
  ],
])('a postal code of %s that is %j gives a warning with one that is', (country, code) => {
  expect(warned({ [TO]: country, [ZIP]: code })).toEqual([
    expect.stringMatching(`^${ZIP} is "${code}", which is not a postal code, such as \\w`),
  ]);
});

test.each([
  ...[
    ['DE', '10115'],
    ['DE', 'D-10115'],
    ['GB', 'sw1a1aa'],
    ['GB', 'M1 1AE'],
    ['US', '10001-1234'],
    ['LV', 'LV-1010'],
  ],
  ...[
    ['NL', '1011ab'],
    ['CA', 'k1a 0b1'],
    ['PT', '1000-001'],
    ['MT', 'VLT 1117'],
    ['AE', '00000'],
    ['DE', ''],
    ['QA', ' '],
  ],
])('a postal code of %s that is %j gives no warning', (country, code) => {
  expect(warned({ [TO]: country, [ZIP]: code })).toEqual([]);
});

test('the postal codes of quote and rates are compared with the country of destination', () => {
  expect(warningsOf({ destinationCountry: 'DE', postalCode: '1' })).toEqual([
    'postalCode is "1", which is not a postal code, such as 10115',
  ]);
  expect(warningsOf({ data: { countryTo: 'FR', postalCode: 'Paris' } })).toEqual([
    'data.postalCode is "Paris", which is not a postal code, such as 75001',
  ]);
});

test.each([
  ['receiver.phone.number', '+49 30 123456', 'a phone number without its dialling code, such as 30 1234567'],
  [
    'receiver.phone.number',
    '301234567890123456789012',
    'a phone number without its dialling code, such as 30 1234567',
  ],
  ['sender.phone.number', '12', 'a phone number without its dialling code, such as 30 1234567'],
  ['customs.iossNumber', 'IM1', 'an IOSS number, such as IM0123456789'],
  ['customs.iossNumber', '0123456789', 'an IOSS number, such as IM0123456789'],
])('%s that is %j gives a warning', (path, value, says) => {
  expect(warned({ [path]: value })).toEqual([`${path} is ${JSON.stringify(value)}, which is not ${says}`]);
});

test.each([
  ['receiver.phone.number', '(0)30 / 123-456'],
  ['customs.iossNumber', 'im2760000742'],
])('%s that is %j gives no warning', (path, value) => {
  expect(warned({ [path]: value })).toEqual([]);
});

test('a short address is compared for Saudi Arabia only', () => {
  const address = (country: string, short: string) =>
    warned({ [TO]: country, [ZIP]: '11564', 'receiver.address.nationalShortAddress': short });
  expect(address('SA', 'Riyadh 1')).toEqual([
    'receiver.address.nationalShortAddress is "Riyadh 1", which is not a short address of Saudi Arabia, such as RRRD2929',
  ]);
  expect(address('SA', 'RRRD2929')).toEqual([]);
  expect(address('DE', 'Riyadh 1')).toEqual([]);
});

test('a party with letters that are not Latin gives one warning, which names its fields', () => {
  expect(
    warned({
      'receiver.firstName': '\u6771\u4eac',
      'receiver.address.city': '\u0410\u0444\u0438\u043d\u0430',
    }),
  ).toEqual([
    'receiver has letters that are not Latin, which labels may not print, in firstName, address.city',
  ]);
  // A Latin word with one letter of another alphabet looks the same.
  expect(warned({ 'sender.lastName': '\u0410nna' })).toHaveLength(1);
});

test.each([
  '\u0130zmir \u011e\u015e\u00d8\u1e9e',
  'Vi\u1ec7t',
  'O\u2019Neil \u2013 \u2116 7 \u20ac',
  'e\u0301',
])('the Latin text %j gives no warning', text => {
  expect(warned({ 'receiver.lastName': text })).toEqual([]);
});

test('several documents in one proposal give a warning', () => {
  const packages = [{}, {}];
  expect(warningsOf({ packageType: 'document', packages })).toEqual([
    'packages has 2 documents, and a proposal may be for one only: ask for each on its own',
  ]);
  expect(warningsOf({ packageType: 'package', packages })).toEqual([]);
});
