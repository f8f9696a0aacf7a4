import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { OPERATIONS, type OperationId } from '../../src/contract/operations.ts';
import { getAt, isRecord } from '../../src/contract/paths.ts';
import { FIXTURES, faults, readFixture } from './rig.ts';

// The input files that README and tests use.

const ORDERS: Readonly<Record<string, OperationId>> = {
  'document.json': 'createShipment',
  'dual.json': 'createDualShipment',
  'saudi.json': 'createShipment',
  'shirt.json': 'createShipment',
  'uk.json': 'createShipment',
  'webhook.json': 'createSubscription',
};
const order = (name: string) => readFixture(`orders/${name}`);
const shirt = order('shirt.json');

test('every JSON file of the orders has a test', () => {
  const files = readdirSync(new URL('orders', FIXTURES)).filter(name => name.endsWith('.json'));
  const others = ['receiver.json', 'sender.json', 'shirt-no-carrier.json', 'unfinished.json'];
  expect(files.sort()).toEqual([...Object.keys(ORDERS), ...others].sort());
});

test.each(Object.entries(ORDERS))('%s is a complete valid body of %s', (name, id) => {
  expect(faults(OPERATIONS[id], order(name))).toEqual([]);
});

test('shirt.json goes from Turkey to Germany by express', () => {
  expect(
    ['sender.address.country.code', 'receiver.address.country.code', 'carrier.id'].map(path =>
      getAt(shirt, path),
    ),
  ).toEqual(['TR', 'DE', 'EXP']);
});

test('unfinished.json lacks some fields, so that a form asks for them', () => {
  expect(faults(OPERATIONS.createShipment, order('unfinished.json'))).toEqual([
    'receiver.email',
    'receiver.phone',
    'receiver.address.city',
    'chargeableWeight',
    'carrier',
  ]);
});

test('shirt-no-carrier.json is the same without carrier and chargeableWeight', () => {
  const { carrier, chargeableWeight, ...rest } = isRecord(shirt) ? shirt : {};
  expect(carrier).toBeDefined();
  expect(chargeableWeight).toBeDefined();
  expect(order('shirt-no-carrier.json')).toEqual(rest);
  expect(faults(OPERATIONS.createShipment, rest)).toEqual(['chargeableWeight', 'carrier']);
});

describe.each(['sender', 'receiver'])('%s.json', role => {
  test('is a valid party in both kinds of shipment', () => {
    for (const [name, id] of [
      ['shirt.json', 'createShipment'],
      ['dual.json', 'createDualShipment'],
    ] as const) {
      const body = order(name);
      if (!isRecord(body)) throw new Error(`${name} holds no object`);
      expect(faults(OPERATIONS[id], { ...body, [role]: order(`${role}.json`) })).toEqual([]);
    }
  });
});

test('each order is an example of what its name says', () => {
  expect(getAt(order('document.json'), 'type')).toBe('document');
  expect(getAt(order('saudi.json'), 'receiver.address.nationalShortAddress')).toEqual(expect.any(String));
  expect(getAt(order('uk.json'), 'carrier.id')).toBe('ECO');
  expect(getAt(order('uk.json'), 'customs.marketplaceNumber')).toEqual(expect.any(String));
  expect(getAt(order('dual.json'), 'carriers.domestic.id')).toBe('DOM');
});
