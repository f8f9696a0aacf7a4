import { expect, test } from 'vitest';
import { namedSentence } from '../../src/booking/named-ids.ts';
import { OPERATIONS } from '../../src/contract/operations.ts';

const { createShipment, createDualShipment, createLabels, createSubscription } = OPERATIONS;
const S_1 = 'The answer names shipment S-1: look at it with `waybill track S-1` before you book again';

test.each<[unknown]>([
  [{ id: 'S-1', message: 'exists' }],
  [{ message: 'exists', shipmentId: 'S-1' }],
  [{ message: 'exists', existing_id: 'S-1', requestId: 'R-9' }],
  ...['data', 'result', 'shipment', 'error'].flatMap((place): [unknown][] => [
    [{ [place]: { id: 'S-1' } }],
    [{ [place]: { shipmentId: 'S-1', requestId: 'R-9', carrierId: 'EXP' } }],
  ]),
  [{ data: { id: 'S-1' }, error: { message: 'exists' } }],
])('the refusal %j names a shipment', body => {
  expect(namedSentence(createShipment, body)).toBe(S_1);
});

test.each<[unknown]>([
  [{ message: 'S-1 exists' }],
  [{ data: { id: 'S-1' }, error: { id: 'E-1' } }],
  [{ requestId: 'R-9', error: { traceId: 'T-9' } }],
  [{ id: '' }],
  [{ id: 'x'.repeat(101) }],
  [{ id: { deep: 1 } }],
  [{ data: [{ id: 'S-1' }] }],
  ['S-1'],
  [null],
])('the refusal %j names none', body => {
  expect(namedSentence(createShipment, body)).toBe(undefined);
});

test('a pair is named with both commands, and a subscription with its own', () => {
  const pair = { international: { shipment: { id: 'I-1' } }, domestic: { shipment: { id: "D'1" } } };
  expect(namedSentence(createDualShipment, pair)).toBe(
    "The answer names shipments I-1 and D'1: look at them with `waybill track I-1` and `waybill track 'D'\\''1' --domestic` before you book again",
  );
  expect(namedSentence(createSubscription, { data: { id: 'W-1' } })).toContain('`waybill webhook get W-1`');
  expect(namedSentence(createLabels, { error: { shipmentId: 'S-1' } })).toBe(undefined);
});
