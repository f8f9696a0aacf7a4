import { expect, test } from 'vitest';
import { contentOf } from '../../src/contract/content.ts';
import { OPERATIONS, type Operation } from '../../src/contract/operations.ts';
import { getAt } from '../../src/contract/paths.ts';

const { createShipment, createDualShipment, createLabels, createSubscription } = OPERATIONS;
const { getShipment, getSubscription } = OPERATIONS;

const idsIn = (operation: Operation, body: unknown): unknown[] => {
  const { value, isFound } = contentOf(operation, body);
  return isFound ? Object.values(operation.made.ids).map(path => getAt(value, path)) : [];
};

test('an answer as the document shows it is its own content, and not a copy', () => {
  for (const [operation, body] of [
    [createShipment, { id: 'S1', data: { id: 'S2' } }],
    [createDualShipment, { international: { shipment: { id: 'I1' } }, data: { id: 'X' } }],
    [createDualShipment, { international: { id: 'LEG-1', shipment: { id: 'I1' } } }],
    [createLabels, { success: true, domestic: { trackingNumber: 'T' } }],
    [createSubscription, { data: { id: 'W1' } }],
    [getShipment, { id: 7 }],
  ] as const) {
    const content = contentOf(operation, body);
    expect(content).toEqual({ value: body, within: [], isFound: true, moved: [] });
    expect(content.value).toBe(body);
  }
});

// That each of the three envelopes is read, for every operation, is in dialects.test.ts.
test('what is inside an envelope is found, and where it was is said', () => {
  expect(contentOf(createShipment, { success: true, data: { id: 'S1' } })).toEqual({
    ...{ value: { id: 'S1' }, within: ['data'], isFound: true, moved: [{ path: 'id', found: 'data.id' }] },
  });
});

test('a leg without its "shipment" is read as if it had one', () => {
  const leg = { id: 'I1', carrier: { id: 'EXP' }, label: { success: true } };
  const { value, moved } = contentOf(createDualShipment, { international: leg });
  expect(value).toEqual({ international: { ...leg, shipment: leg } });
  expect(moved).toEqual([{ path: 'international.shipment.id', found: 'international.id' }]);
  const apart = { international: { id: 'I1', shipment: { carrier: { id: 'EXP' } } } };
  expect(contentOf(createDualShipment, apart).value).toEqual({
    international: { id: 'I1', shipment: { id: 'I1', carrier: { id: 'EXP' } } },
  });
  // One leg as the document shows it, and one without.
  const both = { result: { international: { shipment: { id: 'I1' } }, domestic: { id: 'D1' } } };
  expect(idsIn(createDualShipment, both)).toEqual(['I1', 'D1']);
});

test('a leg has its label beside its shipment, or in one with it', () => {
  const label = { trackingNumber: 'T1', labelPdf: '/T1.pdf', success: true };
  const beside = { shipment: { id: 'I1' }, ...label };
  const legOf = (leg: object) =>
    getAt(contentOf(createDualShipment, { international: leg }).value, ['international']);
  expect(legOf(beside)).toMatchObject({ shipment: { id: 'I1' }, label });
  expect(legOf({ id: 'I1', ...label })).toMatchObject({ shipment: { id: 'I1' }, label });
  expect(legOf({ id: 'I1', label: '/T1.pdf' })).toMatchObject({ label: { label: '/T1.pdf' } });
  expect(legOf({ ...beside, label: { trackingNumber: 'T1' } })).toMatchObject({
    label: { trackingNumber: 'T1', labelPdf: '/T1.pdf' },
  });
  // A number alone is no label: the shipment may have it before.
  expect(legOf({ id: 'I1', trackingNumber: 'T1', success: true })).not.toHaveProperty('label');
});

test('a subscription may lack its "data" inside an envelope, and not at the top', () => {
  const subscription = { id: 'W1', secret: 's', token: 't' };
  for (const operation of [createSubscription, getSubscription]) {
    expect(contentOf(operation, { result: subscription })).toMatchObject({
      isFound: true,
      value: { data: subscription },
    });
    expect(contentOf(operation, subscription).isFound).toBe(false);
  }
});
