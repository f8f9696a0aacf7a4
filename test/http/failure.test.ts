import fc from 'fast-check';
import { expect, test } from 'vitest';
import { OPERATIONS } from '../../src/contract/operations.ts';
import { Failure } from '../../src/errors.ts';
import { codeOfStatus, explain, readBody } from '../../src/http/failure.ts';
import { ServiceResponse } from '../../src/http/response.ts';
import type { Exchange } from '../../src/http/transport.ts';

const { proposal, rates, getShipment, getSubscription } = OPERATIONS;
const reads = Object.values(OPERATIONS).filter(operation => !operation.books);

const answer = (status: number, body: unknown, more: Partial<ServiceResponse> = {}): ServiceResponse =>
  new ServiceResponse({
    status,
    headers: {},
    bytes: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
    ...more,
  });

function failureOf(operation: (typeof reads)[number], exchange: Exchange): Failure {
  try {
    readBody(operation, exchange, 'https://service.test');
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error('it went well');
}

test('a successful read gives its body as received, with unknown fields', () => {
  const body = { proposals: [{ id: 'ECO', price: 0 }], chargeableWeight: 1, later: { more: true } };
  expect(readBody(proposal, answer(201, body), 'x')).toEqual(body);
  expect(readBody(proposal, answer(200, body), 'x')).toEqual(body);
  expect(readBody(proposal, answer(200, `\ufeff${JSON.stringify(body)}`), 'x')).toEqual(body);
});

test.each([
  [400, 'rejected', 5],
  [401, 'unauthorized', 3],
  [403, 'unauthorized', 3],
  [404, 'not_found', 4],
  [402, 'rejected', 5],
  [409, 'rejected', 5],
  [422, 'rejected', 5],
  [451, 'rejected', 5],
  [429, 'rate_limited', 6],
  [301, 'unavailable', 7],
  [304, 'unavailable', 7],
  [408, 'unavailable', 7],
  [500, 'unavailable', 7],
  [503, 'unavailable', 7],
  [599, 'unavailable', 7],
  [999, 'unavailable', 7],
] as const)('the status %i of a read is %s, exit code %i', (status, code, exitCode) => {
  const failure = failureOf(getShipment, answer(status, { message: 'because' }));
  expect(failure).toMatchObject({
    code,
    exitCode,
    facts: { httpStatus: status, body: { message: 'because' } },
  });
  expect(failure.message).toMatch(
    new RegExp(`^track: https://service\\.test answered ${status}.*: because$`),
  );
  expect(codeOfStatus(status)).toBe(code);
});

test('an error that is packed and does not unpack is said to be, and its bytes are no words', () => {
  const bytes = Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3]);
  const { message } = failureOf(
    getShipment,
    answer(400, '', { bytes, headers: { 'content-encoding': 'gzip' } }),
  );
  expect(message).toMatch(/answered 400.*: it is packed as gzip, and does not unpack$/);
});

test.each([
  ['nothing', ''],
  ['a web page', '<html><title>Login</title></html>'],
  ['half of it', '{"proposals":[{"id":'],
  ['a list', []],
  ['null', 'null'],
  ['a number', 7],
  ['an object without what was asked for', {}],
  ['null in place of what was asked for', { proposals: null, id: null, data: null }],
])('a 2xx answer of a read that is %s is a failure', (_, body) => {
  for (const operation of reads)
    expect(failureOf(operation, answer(200, body))).toMatchObject({ code: 'unavailable', exitCode: 7 });
});

test('an incomplete answer is a failure, even if the received part can be parsed', () => {
  const failure = failureOf(proposal, answer(201, { proposals: [] }, { fault: 'connection reset' }));
  expect(failure).toMatchObject({ code: 'unavailable' });
  expect(failure.message).toContain('connection reset');
});

test('success: false is a refusal, also if the answer has nothing else', () => {
  for (const body of [
    { success: false, message: 'no contract' },
    { success: false, message: 'no contract', proposals: [] },
  ])
    for (const operation of [rates, getSubscription]) {
      const failure = failureOf(operation, answer(200, body));
      expect(failure).toMatchObject({ code: 'rejected', exitCode: 5 });
      expect(failure.message).toContain('no contract');
    }
});

test('no answer is `unavailable`, and the message says what happened', () => {
  const failure = failureOf(rates, { kind: 'none', sent: true, fault: 'connection reset' });
  expect(failure).toMatchObject({ code: 'unavailable', exitCode: 7 });
  expect(failure.message).toBe('rates: no answer from https://service.test: connection reset');
});

test("an error status is explained by the document's sentence, then by the service's own words", () => {
  expect(explain(rates, answer(404, { message: 'none to Mars' }))).toBe(
    '404 (no shipping carriers found): none to Mars',
  );
  expect(explain(rates, answer(418, ''))).toBe('418');
  expect(explain(rates, answer(302, ''))).toBe('302 (a redirect, which is never followed)');
});

test('the failure lists the problems of single fields', () => {
  const failure = failureOf(
    proposal,
    answer(422, { errors: [{ path: 'originCountry', message: 'is odd' }] }),
  );
  expect(failure.facts.issues).toEqual([{ path: 'originCountry', message: 'is odd' }]);
});

test('a body that is not JSON is given as text, and a missing body as null', () => {
  expect(answer(200, '{"a":').body).toBe('{"a":');
  expect(answer(200, '').body).toBeNull();
  expect(answer(200, 'null').body).toBeNull();
  expect(answer(200, '0').body).toBe(0);
});

test('any answer to a read gives a body or a Failure', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...reads),
      fc.integer({ min: 200, max: 999 }),
      fc.oneof(fc.json(), fc.string({ unit: 'binary' })),
      (operation, status, body) => {
        try {
          expect(readBody(operation, answer(status, body), 'x')).toBeTypeOf('object');
          expect(status).toBeLessThan(300);
        } catch (error) {
          expect(error).toBeInstanceOf(Failure);
        }
      },
    ),
  );
});
