import Big from 'big.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { getAt } from '../../src/contract/paths.ts';
import { complete } from '../../src/request/complete.ts';
import { bodyOf, issuesOf, schemaOf, WITH_BODY } from '../contract/rig.ts';

const completed = (changes: Record<string, unknown>) =>
  complete(schemaOf('createShipment'), bodyOf('createShipment', changes));

test('deliveryType is DAP by default, and a given value stays', () => {
  expect(getAt(completed({ deliveryType: undefined }), 'deliveryType')).toBe('DAP');
  expect(getAt(completed({ deliveryType: 'DDP' }), 'deliveryType')).toBe('DDP');
  expect(getAt(completed({ deliveryType: null }), 'deliveryType')).toBeNull();
});

test('the unit of dimensions is cm by default, and a given value stays', () => {
  expect(getAt(completed({ 'packages[0].dimensions.unit': undefined }), 'packages[0].dimensions.unit')).toBe(
    'cm',
  );
  expect(getAt(completed({ 'packages[0].dimensions.unit': 'in' }), 'packages[0].dimensions.unit')).toBe('in');
});

test.each(['proposal', 'rates', 'createLabels', 'createSubscription'] as const)(
  '%s has neither field and gets neither',
  id => {
    expect(complete(schemaOf(id), bodyOf(id))).toEqual(bodyOf(id));
  },
);

test('countries in lower case become upper case, in every operation', () => {
  const sent = completed({ 'receiver.address.country.code': 'de', 'sender.address.country.code': 'tR' });
  expect(getAt(sent, 'receiver.address.country.code')).toBe('DE');
  expect(getAt(sent, 'sender.address.country.code')).toBe('TR');
  const rates = bodyOf('rates', { 'data.countryFrom': 'xk', 'data.countryTo': 'gb' });
  expect(complete(schemaOf('rates'), rates)).toMatchObject({ data: { countryFrom: 'XK', countryTo: 'GB' } });
});

test('a text that is no country code stays unchanged', async () => {
  const given = completed({ 'receiver.address.country.code': 'Germany' });
  expect(await issuesOf('createShipment', given)).toEqual([
    {
      path: 'receiver.address.country.code',
      message: 'must be an ISO country code such as DE, not "Germany"; the code of Germany is DE',
      suggestion: 'DE',
    },
  ]);
});

test('names that look like countries are not treated as codes', () => {
  const sent = completed({ 'receiver.lastName': 'de', 'items[0].countryOfOrigin': 'tr' });
  expect(getAt(sent, 'receiver.lastName')).toBe('de');
  expect(getAt(sent, 'items[0].countryOfOrigin')).toBe('tr');
});

test.each([
  [3, 0.1, 0.3],
  [3, 1.1, 3.3],
  [7, 19.99, 139.93],
  [0, 12.5, 0],
  [1_000_000, 0.000001, 1],
])('totalPrice of %d units at %d is %d', (quantity, unitPrice, total) => {
  const sent = completed({
    'items[0].quantity': quantity,
    'items[0].unitPrice': unitPrice,
    'items[0].totalPrice': undefined,
  });
  expect(getAt(sent, 'items[0].totalPrice')).toBe(total);
});

test('totalPrice is exact in cents, without errors of floating point', () => {
  fc.assert(
    fc.property(fc.nat({ max: 10_000 }), fc.nat({ max: 10_000_000 }), (quantity, cents) => {
      const sent = completed({
        'items[0].quantity': quantity,
        'items[0].unitPrice': cents / 100,
        'items[0].totalPrice': undefined,
      });
      expect(
        Big(getAt(sent, 'items[0].totalPrice') as number)
          .times(100)
          .eq(Big(quantity).times(cents)),
      ).toBe(true);
    }),
  );
});

test('a given totalPrice stays, even a wrong one', () => {
  expect(getAt(completed({ 'items[0].totalPrice': 99 }), 'items[0].totalPrice')).toBe(99);
  expect(getAt(completed({ 'items[0].totalPrice': null }), 'items[0].totalPrice')).toBeNull();
});

test.each([undefined, -1, '2', null])('a quantity of %j gives no total', quantity => {
  const sent = completed({ 'items[0].quantity': quantity, 'items[0].totalPrice': undefined });
  expect(getAt(sent, 'items[0].totalPrice')).toBeUndefined();
});

test('completing a body of any shape does not crash, and doing it again changes nothing', () => {
  const shape = fc.oneof(
    fc.object({
      key: fc.constantFrom('packages', 'items', 'dimensions', 'receiver', 'unitPrice', '__proto__'),
    }),
    fc.record({ packages: fc.jsonValue(), items: fc.array(fc.jsonValue()), receiver: fc.jsonValue() }),
  );
  fc.assert(
    fc.property(fc.constantFrom(...WITH_BODY), shape, ({ id }, given) => {
      const once = complete(schemaOf(id), given);
      expect(complete(schemaOf(id), once)).toEqual(once);
    }),
  );
});
