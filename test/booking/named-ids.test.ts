import { expect, test } from 'vitest';
import { OPERATIONS } from '../../src/contract/operations.ts';
import { namedSentence } from '../../src/service/outcome.ts';

const { createShipment, createDualShipment, createLabels, createSubscription } = OPERATIONS;
const S_1 = 'The answer names shipment S-1: look at it with `waybill track S-1` before you book again';

test.each<[unknown]>([
  [{ id: 'S-1', message: 'exists' }],
  [{ message: 'exists', shipmentId: 'S-1' }],
  [{ message: 'exists', existing_id: 'S-1', requestId: 'R-9' }],
  ...['data', 'result', 'shipment'].map((place): [unknown] => [{ [place]: { id: 'S-1' } }]),
  ...['data', 'result', 'shipment', 'error', 'details', 'meta'].map((place): [unknown] => [
    { [place]: { shipmentId: 'S-1', requestId: 'R-9', carrierId: 'EXP' } },
  ]),
  [{ data: { id: 'S-1' }, error: { message: 'exists' } }],
  [{ data: { id: 'S-1' }, error: { id: 'E-1' } }],
  [{ data: [{ id: 'S-1' }] }],
  [{ shipmentID: 'S-1' }],
  [{ data: { ID: 'S-1', REQUEST_ID: 'R-9', Paid: 3 } }],
  [{ data: { uuid: 'S-1' } }],
  [{ shipmentUUID: 'S-1' }],
  [{ SHIPMENT_ID: ' S-1 ' }],
  [{ shipmentNumber: 'S-1', awb: 'T-1' }],
  [{ shipmentIds: ['S-1'] }],
  [{ shipmentId: 'S-1', data: { id: 'S-1' } }],
  [{ message: '{"shipmentId":"S-1"}' }],
  [[{ id: 'S-1' }]],
  ['{"data":{"id":"S-1"}}'],
  [{ errors: [{}, {}, {}, {}, {}, {}, { a: { b: { c: { d: { e: { shipment_id: 'S-1' } } } } } }] }],
])('the refusal %j names a shipment', body => {
  expect(namedSentence(createShipment, body)).toBe(S_1);
});

test.each<[unknown]>([
  [{ message: 'S-1 exists' }],
  [{ error: { id: 'E-1', uuid: 'E-2' } }],
  [{ customer: { id: 'C-1' }, carrierID: 'EXP', 'trace-id': 'T-9', event: { uuid: 'E-1' } }],
  [{ errors: { shipmentId: ['must be one of yours'] } }],
  [{ shipmentId: 0, data: { id: 'null', uuid: '00000000-0000-0000-0000-000000000000' } }],
  [{ isValid: 1, paid: 12, grid: 'A', valid: 'yes' }],
  [{ requestId: 'R-9', error: { traceId: 'T-9' } }],
  [{ id: '' }],
  [{ id: 'x'.repeat(201) }],
  [{ id: { deep: 1 } }],
  ['S-1'],
  [null],
])('the refusal %j names none', body => {
  expect(namedSentence(createShipment, body)).toBe(undefined);
});

test('a tracking number is named where no id is', () => {
  expect(namedSentence(createShipment, { message: 'exists', awb: 'T-1' })).toBe(
    'The answer names tracking number T-1: look for it at the service before you book again',
  );
});

test('a pair is named with both commands, and a subscription with its own', () => {
  const pair = { international: { shipment: { id: 'I-1' } }, domestic: { shipment: { id: "D'1" } } };
  expect(namedSentence(createDualShipment, pair)).toBe(
    "The answer names shipments I-1 and D'1: look at them with `waybill track I-1` and `waybill track 'D'\\''1' --domestic` before you book again",
  );
  expect(namedSentence(createSubscription, { data: { id: 'W-1' } })).toContain('`waybill webhook get W-1`');
  expect(namedSentence(createLabels, { error: { shipmentId: 'S-1' } })).toBe(undefined);
});
