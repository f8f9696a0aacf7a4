// What an answer makes of a booking: pure, and for any body.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { OPERATIONS, type Operation, type OperationId } from '../../src/contract/operations.ts';
import { setAt } from '../../src/contract/paths.ts';
import { bookingFailure } from '../../src/order/failure.ts';
import { messageWords } from '../../src/say/person.ts';
import { namedThings } from '../../src/service/outcome.ts';
import {
  abroad,
  abroadPdf,
  answer,
  BOOKINGS,
  bookingWith,
  decided,
  GOOD,
  inland,
  leg,
  refusedLabel,
} from '../order/answers.ts';
import { runs } from '../torture/size.ts';

const { createShipment, createDualShipment, createLabels, createSubscription } = OPERATIONS;

/** Each of the four bookings with each answer. */
const each = <T>(rows: readonly T[]) =>
  BOOKINGS.flatMap(operation => rows.map(row => [operation.id, row, operation] as const));

const good = (id: OperationId) => {
  const found = GOOD[id];
  if (found === undefined) throw new Error(`no example of ${id}`);
  return found;
};

test.each([401, 429])('the status %i that names what it may have made is unknown, and says it', status => {
  for (const operation of BOOKINGS) {
    const outcome = decided(operation, good(operation.id).request, answer(status, { awb: 'T-1' }));
    expect(outcome).toMatchObject({ state: 'unknown', code: 'outcome_unknown', httpStatus: status, ids: {} });
    expect(outcome).toMatchObject({ why: expect.stringContaining('T-1 at awb') });
    const plain = decided(operation, good(operation.id).request, answer(status, { requestId: 'R-9' }));
    expect(plain.state).toBe('rejected');
  }
});

test.each(
  each([
    ['', null],
    ['<html><title>Sign in</title></html>', '<html><title>Sign in</title></html>'],
    ['{"id":"S1', '{"id":"S1'],
    ['null', null],
    ['[]', []],
    ['"S1"', 'S1'],
    ['7', 7],
    ['true', true],
    ['{}', {}],
    ['{"success":true}', { success: true }],
    ['{"id":null,"data":{"id":null}}', { id: null, data: { id: null } }],
    ['{"id":"","data":{"id":""}}', { id: '', data: { id: '' } }],
    ['{"id":{},"data":[],"international":[],"domestic":"x"}', undefined],
  ] as const),
)('%s answered with 201 and %j is unknown, and the raw body is kept', (_, [text, body], operation) => {
  for (const status of [200, 201, 204]) {
    const outcome = decided(operation, good(operation.id).request, answer(status, text));
    expect(outcome).toMatchObject({ state: 'unknown', code: 'outcome_unknown', httpStatus: status });
    expect(outcome.body).toEqual(body === undefined ? JSON.parse(text) : body);
  }
});

const both = { label: true };
const PAIR = { international: 'I1', domestic: 'D1' };
const LEGS = ['international', 'domestic'] as const;
const pair = (international: unknown, domestic: unknown) => ({
  international: leg('I1', international),
  domestic: leg('D1', domestic),
});
const without = (...unlabelled: string[]) => ({ state: 'partial', code: 'partial', unlabelled });
const partly = (why: string) => ({ state: 'partial', why: expect.stringContaining(why) });
const openly = (why: string) => ({ state: 'unknown', ids: {}, why: expect.stringContaining(why) });
const refused = { success: 'false', trackingNumber: 'T-1', message: 'address bad' };

const ONE = 'createShipment';
const TWO = 'createDualShipment';
const LABEL = 'createLabels';
const I1 = { international: 'I1' };

test.each<[OperationId, request: unknown, body: unknown, outcome: string | object]>([
  // success: false and all that was requested: it exists.
  ...BOOKINGS.map(({ id }): [OperationId, unknown, unknown, object] => [
    id,
    good(id).request,
    { ...good(id).body, success: false },
    without(),
  ]),
  [ONE, {}, { success: false, data: { id: 'S1' } }, 'partial'],
  [ONE, {}, { success: true, data: { success: false, id: 'S1' } }, 'partial'],
  [ONE, {}, { success: false, data: { message: 'no' } }, 'rejected'],
  [ONE, {}, { success: 'false', id: 'S1' }, 'partial'],
  [ONE, {}, { success: 'false', message: 'no' }, 'rejected'],
  [ONE, {}, { success: false, id: 0, message: 'credit exhausted' }, 'rejected'],
  [ONE, {}, { success: false, id: 'null', data: { id: -1 } }, 'rejected'],
  [ONE, {}, { success: false, carrier: { id: 'EXP' }, error: { id: 'E-1' } }, 'rejected'],
  [ONE, {}, { id: 0 }, 'unknown'],
  [ONE, {}, { id: '00000000-0000-0000-0000-000000000000' }, 'unknown'],
  [ONE, {}, [{ id: 'S1' }], openly('it is not a JSON object')],
  [ONE, {}, { error: 'database down' }, openly('It says: database down')],
  // Labels of a pair that were requested, and those that were not, of which none is missing.
  [TWO, both, pair(undefined, undefined), without(...LEGS)],
  [TWO, both, pair(undefined, inland), without('international')],
  [TWO, both, pair(abroadPdf, undefined), without('domestic')],
  [TWO, both, pair(abroadPdf, refusedLabel), without('domestic')],
  [TWO, both, pair(refusedLabel, refusedLabel), without(...LEGS)],
  [TWO, both, pair(abroadPdf, null), without('domestic')],
  [TWO, {}, pair(undefined, inland), { state: 'created', unlabelled: [] }],
  [TWO, { label: false }, pair(undefined, inland), { state: 'created', unlabelled: [] }],
  // One leg of a pair, or legs without their ids.
  ...LEGS.flatMap(name =>
    [true, false].map((success): [OperationId, unknown, unknown, object] => [
      TWO,
      {},
      { success, [name]: leg('X1') },
      { ...partly(`only the ${name} shipment`), ids: { [name]: 'X1' } },
    ]),
  ),
  [TWO, both, { international: { label: abroadPdf }, domestic: { label: inland } }, 'unknown'],
  [
    TWO,
    both,
    { success: false, international: { label: abroadPdf }, domestic: { label: inland } },
    'unknown',
  ],
  [
    TWO,
    {},
    { international: { ...leg('I1'), success: false }, domestic: leg('D1') },
    partly('at international'),
  ],
  [
    TWO,
    {},
    { international: leg('I1'), domestic: { shipment: { id: 'D1', success: 'false', message: 'bad zip' } } },
    partly('at domestic.shipment: bad zip'),
  ],
  [
    TWO,
    {},
    { international: leg('I1'), domestic: { shipmentId: 'D1' } },
    partly('D1 at domestic.shipmentId)'),
  ],
  [
    TWO,
    {},
    { success: false, international: { shipment: { uuid: 'X1' } } },
    openly('X1 at international.shipment'),
  ],
  // Labels of two legs, and of one.
  [LABEL, PAIR, { international: abroad, domestic: refusedLabel }, without('domestic')],
  [LABEL, PAIR, { domestic: inland }, without('international')],
  [LABEL, PAIR, { international: refusedLabel, domestic: refusedLabel }, 'rejected'],
  [LABEL, PAIR, { international: refusedLabel }, { state: 'unknown', unlabelled: LEGS }],
  [LABEL, PAIR, { success: false, international: abroad }, without('domestic')],
  [
    LABEL,
    PAIR,
    { international: refused, domestic: inland },
    { state: 'partial', why: 'no label for the international leg: address bad' },
  ],
  [LABEL, I1, { international: abroad }, 'created'],
  [LABEL, I1, { international: abroad, domestic: inland }, 'created'],
  [LABEL, I1, { international: abroad, domestic: refusedLabel }, 'created'],
  [LABEL, I1, { international: { label: 'https://labels.test/I.pdf' } }, 'created'],
  [LABEL, I1, { international: refusedLabel }, 'rejected'],
  [LABEL, I1, { international: { ...abroad, success: false } }, 'rejected'],
  [LABEL, I1, { domestic: inland }, 'partial'],
  [LABEL, I1, { international: refused }, { state: 'rejected', why: 'the service rejected it: address bad' }],
  // A tracking number elsewhere may be of a label that was made.
  ...[true, false].map((success): [OperationId, unknown, unknown, object] => [
    LABEL,
    I1,
    { success, labels: [{ shipmentId: 'I1', trackingNumber: 'T-1' }] },
    openly('T-1 at labels[0].trackingNumber)'),
  ]),
])('%s for %j, answered with %j, is %j', (id, request, body, outcome) => {
  expect(decided(OPERATIONS[id], request, answer(good(id).status, body))).toMatchObject(
    typeof outcome === 'string' ? { state: outcome } : outcome,
  );
});

test('the label link is found under both names, and tracking numbers are read', () => {
  const dual = good('createDualShipment');
  const labels = good('createLabels');
  const expected = {
    international: { made: true, trackingNumber: 'I-TRACK', link: 'https://labels.test/I.pdf' },
    domestic: { made: true, trackingNumber: 'D-TRACK' },
  };
  expect(decided(createDualShipment, dual.request, answer(201, dual.body)).labels).toEqual(expected);
  expect(decided(createLabels, labels.request, answer(200, labels.body)).labels).toEqual(expected);
  const number = { international: { trackingNumber: 12345 } };
  expect(decided(createLabels, { international: 'I1' }, answer(200, number)).labels).toEqual({
    international: { made: true, trackingNumber: '12345' },
  });
});

test('an id that is a number becomes text, with all of its digits', () => {
  for (const id of ['42', '9007199254740991', '9007199254740993', '12345678901234567890'])
    expect(decided(createShipment, {}, answer(201, `{"id":${id}}`))).toMatchObject({
      state: 'created',
      ids: { shipment: id },
    });
  for (const id of ['4.5', '1e30', 'true', '[7]'])
    expect(decided(createShipment, {}, answer(201, `{"id":${id}}`)).state).toBe('unknown');
});

test.each(['data', 'result', 'shipment'])('what an answer has inside %s was made', name => {
  for (const operation of BOOKINGS) {
    const { request, status, body } = good(operation.id);
    const expected = decided(operation, request, answer(status, body));
    const outcome = decided(operation, request, answer(status, { success: true, [name]: body }));
    expect(outcome).toMatchObject({ state: 'created', ids: expected.ids, labels: expected.labels });
    expect(outcome.content).toEqual(expected.content);
    expect(outcome.body).toEqual({ success: true, [name]: body });
  }
});

test.each<[unknown, string]>([
  [{ data: { id: 'A-1' }, result: { id: 'B-1' } }, 'A-1 at data.id, B-1 at result.id'],
  [{ shipmentId: 'A-1', requestId: 'R-9', carrier: { id: 'EXP' } }, 'A-1 at shipmentId'],
  [{ shipments: [{ id: 7, receiver: { id: 'R' } }] }, '7 at shipments[0].id'],
  [{ data: { shipment: { id: 'A-1' } } }, 'A-1 at data.shipment.id'],
  [{ tracking: { trackingNumber: 'T-1' } }, 'T-1 at tracking.trackingNumber'],
  [{ message: 'label failed', shipmentID: 'A-1' }, 'A-1 at shipmentID'],
  [{ data: { ID: 'A-1' } }, 'A-1 at data.ID'],
  [{ data: { uuid: 'A-1' } }, 'A-1 at data.uuid'],
  [{ data: { shipmentNumber: 'A-1', awb: 'T-1' } }, 'A-1 at data.shipmentNumber, T-1 at data.awb'],
  [{ details: { shipmentId: 'A-1' } }, 'A-1 at details.shipmentId'],
  [{ error: { shipmentId: 'A-1' } }, 'A-1 at error.shipmentId'],
  [{ message: '{"shipmentId":"A-1"}' }, 'A-1 at message.shipmentId'],
])('%j is unknown, also with success: false, and what it names is said', (body, words) => {
  for (const success of [true, false]) {
    const outcome = decided(createShipment, {}, answer(201, { success, ...(body as object) }));
    expect(outcome).toMatchObject({ state: 'unknown', ids: {}, why: expect.stringContaining(words) });
    expect(outcome).not.toMatchObject({ why: expect.stringMatching(/R-9|EXP|at .*receiver/) });
  }
});

const KEYS = ['id', 'success', 'international', 'domestic', 'shipment', 'label', 'labelPdf', 'data'];
const MORE_KEYS = ['trackingNumber', 'carrier', 'message', 'errors', '__proto__', 'toString'];

/** Bodies with the field names of the service in any combination. */
const body = fc.letrec(tie => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom(true, false, null, '', 'X1', 0, 7, 1e300),
    fc.jsonValue(),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...KEYS, ...MORE_KEYS), tie('value'), { maxKeys: 5 }),
  ),
})).value;
const text = fc.oneof(
  body.map(value => JSON.stringify(value)),
  fc.string({ unit: 'binary' }),
);
const operation = fc.constantFrom(...BOOKINGS);
const request = fc.constantFrom(
  {},
  { label: true },
  { international: 'I1' },
  { international: 'I1', domestic: 'D1' },
);
const fault = fc.constantFrom(undefined, { fault: 'reset' } as const);

const STATES = {
  success: ['created', 'partial', 'rejected', 'unknown'],
  no: ['rejected'],
  open: ['unknown'],
};

function allowed(status: number): string[] {
  if (status >= 200 && status < 300) return STATES.success;
  // Nothing was created, unless it has the record of what it may have made, or names it beside a 401 or a 429.
  return status >= 400 && status < 500 && status !== 408 ? [...STATES.no, ...STATES.open] : STATES.open;
}

const status = fc.oneof(
  fc.integer({ min: 200, max: 999 }),
  fc.constantFrom(200, 201, 204, 302, 400, 401, 408, 429, 500),
);

test('with any body, a 5xx, a 3xx and a 408 are unknown, and any other 4xx is rejected, or unknown because of what it names', () => {
  fc.assert(
    fc.property(operation, request, status, text, fault, (booking, asked, code, given, cut) => {
      const outcome = decided(booking, asked, answer(code, given, cut));
      expect(allowed(code)).toContain(outcome.state);
      expect(outcome.httpStatus).toBe(code);
      if (cut !== undefined && code < 300) expect(outcome.state).toBe('unknown');
      const failure = bookingFailure(bookingWith(booking, asked, outcome));
      expect(failure === undefined).toBe(outcome.state === 'created');
      if (outcome.state === 'unknown') expect(failure?.exitCode).toBe(8);
      if (outcome.state === 'rejected') expect(outcome.ids).toEqual({});
      if (outcome.state === 'unknown' && code >= 400 && code < 500 && code !== 408)
        expect(outcome.why).toMatch(/\(ids in it: \S/);
    }),
    runs(1000),
  );
});

test('a 2xx that names what was created is never rejected', () => {
  fc.assert(
    fc.property(
      operation,
      request,
      fc.integer({ min: 200, max: 299 }),
      body,
      fault,
      (booking, asked, code, given, cut) => {
        const paths = Object.values(booking.made.ids);
        fc.pre(paths.length > 0);
        const named = paths.reduce<unknown>(
          (made, path, at) => setAt(made, path.split('.'), `MADE-${at}`),
          given,
        );
        const outcome = decided(booking, asked, answer(code, named, cut));
        expect(['created', 'partial', 'unknown']).toContain(outcome.state);
        expect(Object.values(outcome.ids)).toEqual(paths.map((_, at) => `MADE-${at}`));
      },
    ),
    runs(1000),
  );
});

test('an id of the service is one word of the command that settles its booking', () => {
  const id = "A1`; touch pwned '";
  for (const booking of BOOKINGS) {
    const named = Object.values(booking.made.ids).reduce<unknown>(
      (made, path, at) => setAt(made, path.split('.'), `${id}${at}`),
      { success: true },
    );
    const outcome = decided(booking, {}, answer(201, named, { fault: 'reset' }));
    const words = bookingFailure(bookingWith(booking, {}, outcome))?.message ?? '';
    expect(words.match(/(?<='A1`; touch pwned )'\\'''?\d'/g) ?? []).toHaveLength(
      Object.keys(outcome.ids).length,
    );
    expect(words).not.toContain('--created A1');
  }
});

test('labels that were made are never rejected, and legs without a label are listed', () => {
  fc.assert(
    fc.property(operation, request, body, (booking, asked, given) => {
      const { state, labels, unlabelled } = decided(booking, asked, answer(200, given));
      if (Object.values(labels).some(label => label.made)) expect(state).not.toBe('rejected');
      if (state === 'created') expect(unlabelled).toEqual([]);
      for (const leg of unlabelled) expect(labels[leg]?.made ?? false).toBe(false);
    }),
    runs(1000),
  );
});

const S_1 = 'The answer names shipment S-1: look at it with `waybill track S-1` before you book again';

/** What a person reads of what the answer to a rejected booking names. */
function namedSentence(operation: Operation, body: unknown): string | undefined {
  const facts = { operation: operation.command, booking: 'bk_1', ids: {}, flags: [] };
  const named = namedThings(operation, body);
  const message = messageWords({ kind: 'booking-rejected', ...facts, of: 'booking', why: 'no', named });
  const [, words] = message.split('no; nothing was created. ');
  return words;
}

test.each<[unknown]>([
  [{ id: 'S-1', message: 'exists' }],
  [{ message: 'exists', existing_id: 'S-1', requestId: 'R-9' }],
  ...['data', 'result', 'shipment'].map((place): [unknown] => [{ [place]: { id: 'S-1' } }]),
  ...['data', 'result', 'shipment', 'error', 'details', 'meta'].map((place): [unknown] => [
    { [place]: { shipmentId: 'S-1', requestId: 'R-9', carrierId: 'EXP' } },
  ]),
  [{ data: { id: 'S-1' }, error: { message: 'exists' } }],
  [{ data: { ID: 'S-1', REQUEST_ID: 'R-9', Paid: 3 } }],
  [{ shipmentUUID: 'S-1' }],
  [{ SHIPMENT_ID: ' S-1 ' }],
  [{ shipmentIds: ['S-1'] }],
  [{ message: '{"shipmentId":"S-1"}' }],
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
  [{ id: 'x'.repeat(201) }],
  [{ id: { deep: 1 } }],
  ['S-1'],
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
    "The answer names shipments I-1 and D'1: look at them with `waybill track I-1` and `waybill track --domestic 'D'\\''1'` before you book again",
  );
  expect(namedSentence(createSubscription, { data: { id: 'W-1' } })).toContain('`waybill webhook get W-1`');
  expect(namedSentence(createShipment, { id: '-S1' })).toContain('`waybill track -- -S1`');
  expect(namedSentence(createLabels, { error: { shipmentId: 'S-1' } })).toBe(undefined);
});
