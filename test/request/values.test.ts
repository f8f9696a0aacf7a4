import fc from 'fast-check';
import { expect, test } from 'vitest';
import { getAt } from '../../src/contract/paths.ts';
import { applySets } from '../../src/request/values.ts';
import { bodyOf, issuesOf, schemaOf } from '../contract/rig.ts';

const set = (path: string, written: string, given: unknown = {}) =>
  applySets(schemaOf('createShipment'), given, [`${path}=${written}`]);

test.each([
  ['receiver.address.zipCode', '00123', '00123'],
  ['items[0].hsCode', '610910', '610910'],
  ['items[0].quantity', '2', 2],
  ['items[0].unitPrice', '12.50', 12.5],
  ['items[0].unitPrice', '1e2', 100],
  ['items[0].unitPrice', ' .5 ', 0.5],
  ['carrier.id', '007', '007'],
  ['carrier.id', 'true', 'true'],
  ['customs.iossNumber', '', ''],
  ['receiver.firstName', 'a=b', 'a=b'],
  ['receiver.lastName', ' kept ', ' kept '],
  ['packages', '[{"weight":1}]', [{ weight: 1 }]],
  ['sender', '{"firstName":"Ada"}', { firstName: 'Ada' }],
  ['notInTheDocument', '5', '5'],
])('--set %s=%s gives a value of the type of the field', (path, written, value) => {
  expect(getAt(set(path, written), path)).toStrictEqual(value);
});

test('true and false are booleans only for a boolean field', () => {
  const sets = ['label=true'];
  expect(applySets(schemaOf('createDualShipment'), {}, sets)).toEqual({ label: true });
  expect(applySets(schemaOf('createDualShipment'), {}, ['label=yes'])).toEqual({ label: 'yes' });
});

test.each([
  '1e999',
  '-1e999',
  '-0',
  '0x10',
  '1,5',
  '1_000',
  'Infinity',
  'NaN',
  '',
  ' ',
  '2kg',
  '1e',
  '.',
  '--1',
])('a number written as %j is refused, and the message shows the text', async written => {
  const given = set('items[0].quantity', written, bodyOf('createShipment'));
  const [fault, ...more] = await issuesOf('createShipment', given);
  expect(more).toEqual([]);
  expect(fault?.path).toBe('items[0].quantity');
  expect(fault?.message).toContain(`not ${JSON.stringify(written)}`);
});

test('a negative number is refused', async () => {
  const given = set('items[0].quantity', '-5', bodyOf('createShipment'));
  expect(await issuesOf('createShipment', given)).toEqual([
    { path: 'items[0].quantity', message: 'must not be negative, not -5' },
  ]);
});

test('every number of JSON is parsed as that number', () => {
  const number = fc.double({ noNaN: true, noDefaultInfinity: true }).filter(one => !Object.is(one, -0));
  fc.assert(
    fc.property(number, given => {
      expect(getAt(set('customs.totalGoodsValue', String(given)), 'customs.totalGoodsValue')).toBe(given);
    }),
  );
});

test('text stays unchanged, character by character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), given => {
      expect(getAt(set('receiver.address.city', given), 'receiver.address.city')).toBe(given);
    }),
  );
});

test('--set changes a field inside a party or a list and keeps the others', () => {
  const before = bodyOf('createShipment');
  const after = applySets(schemaOf('createShipment'), before, [
    'receiver.address.city=Hamburg',
    'items[1].description=Mug',
  ]);
  expect(getAt(after, 'receiver.address.city')).toBe('Hamburg');
  expect(getAt(after, 'receiver.firstName')).toBe(getAt(before, 'receiver.firstName'));
  expect(getAt(after, 'items[0]')).toEqual(getAt(before, 'items[0]'));
  expect(getAt(after, 'items[1]')).toEqual({ description: 'Mug' });
  expect(before).toEqual(bodyOf('createShipment'));
});

test('the later of two values for one path counts', () => {
  expect(applySets(schemaOf('createLabels'), {}, ['domestic=A', 'domestic=B'])).toEqual({ domestic: 'B' });
});

test.each([
  'carrier.id',
  '=5',
  '',
  'items[x].hsCode=1',
  '[0]=1',
  'a..b=1',
  'a.=1',
  '__proto__.x=1',
  'a.__proto__=1',
])('--set %j is refused', written => {
  expect(() => applySets(schemaOf('createShipment'), {}, [written])).toThrow('is not of the form PATH=VALUE');
  expect(Object.hasOwn(Object.prototype, 'x')).toBe(false);
});

test.each(['{"a":1,"a":2}', '[1', '{', `${'['.repeat(10_000)}${']'.repeat(10_000)}`])(
  'JSON that is broken or would lose a value is refused (%#)',
  async written => {
    const given = set('packages', written, bodyOf('createShipment'));
    expect(await issuesOf('createShipment', given)).toMatchObject([
      { path: 'packages', message: expect.stringMatching(/^must be a list, not "/) },
    ]);
  },
);
