import fc from 'fast-check';
import { expect, test } from 'vitest';
import { OPERATIONS } from '../../src/contract/operations.ts';
import { createRedactor } from '../../src/http/redact.ts';
import { rigClient } from '../rig/client.ts';
import { http, script } from '../rig/sockets.ts';

const MASK = '••••';
const nobody = createRedactor({});

const SECRET_NAMES = ['secret', 'token', 'access_token', 'refreshToken', 'password', 'apiKey', 'X-Api-Key'];
const MORE_NAMES = ['client_secret', 'Authorization', 'webhookSecret', 'privateKey', 'sessionId', 'API_KEY'];
const secretName = fc.constantFrom(...SECRET_NAMES, ...MORE_NAMES);
const plainName = fc.constantFrom('id', 'url', 'items', 'message', 'city');
/** What is planted: never in a body by chance, with all that JSON has to escape around it. */
const planted = fc
  .tuple(fc.string({ unit: 'binary', maxLength: 9 }), fc.string({ unit: 'binary', maxLength: 9 }))
  .map(([before, after]) => `${before}PLANTED${after}`);
const noise = fc.oneof(fc.string(), fc.constantFrom('"', '\\', '\\"', '"token":"', '{"secret":', ':', ','));

/** A body with secrets under names that tell, at any depth, also in lists and inside of objects. */
const body = fc.letrec(tie => ({
  value: fc.oneof(
    { maxDepth: 5 },
    noise,
    fc.integer(),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(plainName, tie('value'), { maxKeys: 3 }),
    fc.dictionary(secretName, fc.oneof(planted, fc.array(planted), fc.dictionary(plainName, planted)), {
      minKeys: 1,
      maxKeys: 2,
    }),
  ),
})).value;

test('no secret of a body is shown, complete or cut anywhere', () => {
  fc.assert(
    fc.property(body, fc.nat(), fc.constantFrom(undefined, 2), (value, cut, indent) => {
      const text = JSON.stringify(value, null, indent);
      expect(nobody.body(text)).not.toContain('PLANTED');
      expect(nobody.body(text.slice(0, cut % (text.length + 1)))).not.toContain('PLANTED');
    }),
    { numRuns: 2000 },
  );
});

test('a body without secrets is shown unchanged', () => {
  for (const text of [
    '{ "id": 12345678901234567890, "price": 1.10, "note": "a \\"token\\" of love", "key": "city" }',
    '<html>no json</html>',
    '[1,2',
    '',
    'null',
  ])
    expect(nobody.body(text)).toBe(text);
});

test('a body with the same secret field twice shows neither', () => {
  expect(nobody.body('{"token":"PLANTED","token":null}')).not.toContain('PLANTED');
});

test('a secret is masked in a body that is not JSON', () => {
  expect(nobody.body('a 5" box: {"token": "PLANTED", "id": 1}')).toBe(
    `a 5" box: {"token": "${MASK}", "id": 1}`,
  );
});

test('any large body is masked in reasonable time', () => {
  for (const unit of ['"', '\\', '"token', '"token"', '"token":"\\', 'secret', '[', '{"secret":', '"a":"b",'])
    expect(nobody.body(unit.repeat(Math.ceil(300_000 / unit.length)))).toBeTypeOf('string');
});

test('headers that carry a secret are masked by name, or because we sent them', () => {
  const { headers } = createRedactor({ 'x-customer': 'customer-credential-1' });
  expect(
    headers({
      accept: 'application/json',
      authorization: 'Bearer PLANTED',
      'x-api-key': 'PLANTED',
      'set-cookie': 'a=PLANTED',
      'x-customer': 'customer-credential-1',
      'www-authenticate': 'Bearer error="invalid_token"',
      'x-echo': 'you are customer-credential-1',
    }),
  ).toEqual({
    accept: 'application/json',
    authorization: MASK,
    'x-api-key': MASK,
    'set-cookie': MASK,
    'x-customer': MASK,
    'www-authenticate': 'Bearer error="invalid_token"',
    'x-echo': `you are ${MASK}`,
  });
});

test('a credential is masked wherever the service repeats it, escaped or not', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 8 }), fc.boolean(), (secret, bearer) => {
      fc.pre(!/\s/.test(secret) && !'{"message":"got "}'.includes(secret));
      const { body } = createRedactor({ authorization: bearer ? `Bearer ${secret}` : secret });
      const text = JSON.stringify({ message: `got ${secret}.` });
      expect(JSON.parse(body(text))).toEqual({ message: `got ${MASK}.` });
      expect(body(`got ${secret}.`)).toBe(`got ${MASK}.`);
    }),
  );
});

test('no line of a trace has the secret and token of a new subscription or the credential', async () => {
  const answer = {
    success: true,
    data: { id: 'W1', secret: 'whsec_PLANTED"1', token: 'PLANTED-2', headers: { 'X-Api-Key': 'PLANTED-3' } },
  };
  const { client, trace } = await rigClient(
    script(http(201, JSON.stringify(answer), { 'x-echo': 'PLANTED-token', 'set-cookie': 's=PLANTED' })),
    { credentials: { source: 'test', headers: async () => ({ authorization: 'Bearer PLANTED-token' }) } },
  );
  await client.call(OPERATIONS.createSubscription, {
    body: { url: 'https://shop.test/hook', headers: { 'X-Auth': 'PLANTED-4' } },
  });
  expect(trace.join('\n')).not.toContain('PLANTED');
  expect(trace[0]).toMatch(/^> POST http:.*\/webhooks\/subscriptions\n/);
  expect(trace[0]).toContain('"url":"https://shop.test/hook"');
  expect(trace[1]).toMatch(/^< 201\n/);
  expect(trace[1]).toContain('"id":"W1"');
});

test('a trace of a request without an answer says whether it was sent', async () => {
  const { client, trace } = await rigClient(script(socket => socket.end()));
  await client.call(OPERATIONS.createShipment, { body: {} });
  expect(trace[1]).toBe('< no answer: connection closed by the other side (sent)');
});
