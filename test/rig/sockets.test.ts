// What is held against the witness.
import { expect, test } from 'vitest';
import { repeated, unseen } from './sockets.ts';

const booking = { line: 'POST /v1/shipments', body: '{}' };

test('a repeated booking is named, unless its first answer was a 429', () => {
  expect(repeated([booking, { ...booking, status: 201 }])).toEqual(['POST /v1/shipments {}']);
  expect(repeated([{ ...booking, status: 429 }, booking])).toEqual([]);
  expect(repeated([booking, { ...booking, body: '[]' }])).toEqual([]);
  const read = { line: 'POST /v1/carriers/proposal', body: '{}' };
  expect(repeated([read, read])).toEqual([]);
});

test('each request that the witness did not record is named', () => {
  const told = { method: 'POST', path: '/v1/shipments', body: '{}' };
  expect(unseen([told], [booking])).toEqual([]);
  expect(unseen([told, told], [booking])).toEqual(['POST /v1/shipments {}']);
});
