import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRedactor } from '../src/mask.ts';
import { runs } from './torture/size.ts';

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
    runs(800),
  );
});

test.each([
  '{ "id": 12345678901234567890, "price": 1.10, "note": "a \\"token\\" of love", "key": "city" }',
  '<html>no json</html>',
  '[1,2',
  '',
])('%j, which has no secret, is shown unchanged', text => {
  expect(nobody.body(text)).toBe(text);
});

test('a secret is masked where it is given twice, and in a body that is not JSON', () => {
  expect(nobody.body('{"token":"PLANTED","token":null}')).not.toContain('PLANTED');
  expect(nobody.body('a 5" box: {"token": "PLANTED", "id": 1}')).toBe(
    `a 5" box: {"token": "${MASK}", "id": 1}`,
  );
});

test('any large body is masked in reasonable time, and a credential with many signs looked for', () => {
  const units = ['"', '\\', '"token', '"token"', '"token":"\\', 'secret', '[', '{"secret":', '"a":"b",'];
  const large = (unit: string) => unit.repeat(Math.ceil(300_000 / unit.length));
  for (const unit of units) expect(nobody.body(large(unit))).toBeTypeOf('string');
  const signs = `a${'\\'.repeat(30)}b${'%+'.repeat(15)}c`;
  const { answer } = createRedactor({ authorization: signs });
  for (const unit of ['\\', '%2b', '%25', '+', 'a\\', '&#43;', '\\u002b'])
    expect(answer(large(unit))).toBeTypeOf('string');
  expect(answer(`got ${signs}.`)).toBe(`got ${MASK}.`);
});

test('headers that carry a secret are masked by name, or because we sent them', () => {
  const { headers } = createRedactor({ 'x-customer': 'customer-credential-1' });
  const secret = { authorization: 'Bearer PLANTED', 'x-api-key': 'PLANTED', 'set-cookie': 'a=PLANTED' };
  const plain = { accept: 'application/json', 'www-authenticate': 'Bearer error="invalid_token"' };
  const sent = { 'x-customer': 'customer-credential-1', 'x-echo': 'you are customer-credential-1' };
  expect(headers({ ...secret, ...plain, ...sent })).toEqual({
    ...{ authorization: MASK, 'x-api-key': MASK, 'set-cookie': MASK },
    ...plain,
    ...{ 'x-customer': MASK, 'x-echo': `you are ${MASK}` },
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
    runs(100),
  );
});

const ODD = 'tok/en+"secret"=123';

test.each([
  ['as it is', `{"message":"got ${'PLANTED-token'}."}`, 'PLANTED-token'],
  ['as PHP writes it', String.raw`{"message":"got tok\/en+\"secret\"=123."}`, ODD],
  ['with code points', String.raw`{"message":"got \u0050LANTED-token."}`, 'PLANTED-token'],
  ['in JSON in JSON', JSON.stringify({ message: JSON.stringify(`got ${ODD}.`) }), ODD],
  ['in a URL', JSON.stringify({ message: `/?t=${encodeURIComponent(ODD)}` }), ODD],
  ['in a URL in lower case', JSON.stringify({ m: encodeURIComponent(ODD).toLowerCase() }), ODD.toLowerCase()],
  ['in a page', '<title>got tok/en+&quot;secret&quot;=123</title>', ODD],
  ['as .NET writes it, cut off', String.raw`{"message":"got tok/en\u002B\u0022secret\u0022=123.`, ODD],
  ...['', 'a', 'ab', 'abc'].map(before => [
    `in base64 after ${before.length} bytes`,
    JSON.stringify({ message: Buffer.from(`${before}${ODD}, all`).toString('base64') }),
    ODD,
  ]),
  ['in Basic', `{"got":"Basic ${Buffer.from(`me:${ODD}`).toString('base64')}"}`, ODD],
  ['as an id in base64', JSON.stringify({ clientId: Buffer.from(ODD).toString('base64') }), ODD],
  ['in a page with code points', '<p>got tok&#x2f;en&#043;&#34;secret&#34;=123</p>', ODD],
  [
    'with backslashes',
    JSON.stringify({ message: String.raw`got PLANTED\\\token.` }),
    String.raw`PLANTED\\\token`,
  ],
  ['in base64', JSON.stringify({ message: Buffer.from(ODD).toString('base64') }), ODD],
  ['in base64url', JSON.stringify({ message: Buffer.from(ODD).toString('base64url') }), ODD],
  ['in hex', `{"message":"${Buffer.from(ODD).toString('hex')}"}`, ODD],
  ['in a URL, each letter', `{"m":"${Buffer.from(ODD).toString('hex').replace(/../g, '%$&')}"}`, ODD],
  [
    'with code points only, in JSON in JSON',
    String.raw`{"m":"\\u0050\\u004cANTED"} `.replace(
      'ANTED',
      [...'ANTED-token'].map(c => `\\\\u00${c.charCodeAt(0).toString(16)}`).join(''),
    ),
    'PLANTED-token',
  ],
  ['in a page, each letter', [...ODD].map(c => `&#${c.charCodeAt(0)};`).join(''), ODD],
  ['as the name of a field', JSON.stringify({ errors: { [ODD]: ['bad'] } }), ODD],
  ['as a number', '{"message":"no","given":1234567890}', '1234567890'],
  ['as an id', '{"clientId":"PLANTED-token"}', 'PLANTED-token'],
])('a credential that is repeated %s is masked in an answer and in a trace', (_, given, secret) => {
  const { answer, body } = createRedactor({ authorization: `Bearer ${secret}` });
  for (const shown of [answer(given), body(given)]) {
    expect(shown).toContain(MASK);
    for (const part of [secret, 'secret', 'PLANTED-token.', '"PLANTED-token"', '1234567890', 'c2VjcmV0'])
      expect(shown).not.toContain(part);
  }
});

test.each(['\u001b', '\b', '\u009b', '\u00ad', '\u200b', '\u202e', '\ufeff', '\ufe0f'])(
  'a credential with %j in it is masked, because that is removed before it is shown',
  sign => {
    const { answer, body, texts } = createRedactor({
      authorization: 'Bearer PLANTED-token',
      'x-key': 'demo',
    });
    const odd = `PLANT${sign}ED-${sign}token`;
    const json = JSON.stringify({ error: { message: `bad ${odd}.` }, id: odd, got: `de${sign}mo` });
    for (const given of [
      json,
      json.replaceAll(/[^ -~]/g, sign => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`),
    ])
      for (const shown of [answer(given), body(given)])
        expect(JSON.parse(shown)).toEqual({ error: { message: `bad ${MASK}.` }, id: MASK, got: MASK });
    expect(answer(`bad ${odd}.`)).toBe(`bad ${MASK}.`);
    expect(texts({ a: odd })).toEqual({ a: MASK });
    const plain = `{"message":"no ${sign === '\b' ? '' : 'ca'}re"}`;
    expect(answer(plain)).toBe(plain);
  },
);

test('the password of Basic credentials is masked, alone and with its user', () => {
  const pair = Buffer.from('anna:PLANTED-password').toString('base64');
  const { answer } = createRedactor({ authorization: `Basic ${pair}` });
  expect(answer(`["PLANTED-password","anna:PLANTED-password","Basic ${pair}","anna"]`)).toBe(
    JSON.stringify([MASK, MASK, MASK, 'anna']),
  );
});

test('a short credential is masked only where it is a whole text, and a code of three letters never', () => {
  const { answer } = createRedactor({ 'x-key': 'demo', 'x-country': 'DE' });
  expect(answer('{"id":"demo","got":"demo","message":"a demo","country":"DE"}')).toBe(
    `{"id":"demo","got":"${MASK}","message":"a demo","country":"DE"}`,
  );
});

test('a label that shows the name of an account is not damaged', () => {
  const { answer } = createRedactor({ 'x-account': 'acme-corp-1' });
  const label = Buffer.from('^XA^FO50,50^ADN,36,20^FDacme-corp-1^FS^FDTo: Anna Example, Berlin^FS^XZ');
  const labels = [label.toString('base64'), label.toString(), `data:,${encodeURIComponent(String(label))}`];
  const text = JSON.stringify({ international: labels, note: 'acme-corp-1' });
  expect(answer(text)).toBe(JSON.stringify({ international: labels, note: MASK }));
});

test('a credential is masked in a field that an object has twice', () => {
  const { answer } = createRedactor({ authorization: 'PLANTED-token' });
  expect(answer('{"m":"PLANTED-token","m":"no","id":"PLANTED-token-1"}')).toBe(
    '{"m":"no","id":"PLANTED-token-1"}',
  );
});

test('an answer keeps its ids, although the name of an account is a credential and a part of them', () => {
  const { answer } = createRedactor({ 'x-account': 'acme-corp-1' });
  expect(
    answer(
      '{"success":false,"id":"acme-corp-1-77","data":{"trackingNumber":"acme-corp-1T"},"m":"acme-corp-1"}',
    ),
  ).toBe(`{"success":false,"id":"acme-corp-1-77","data":{"trackingNumber":"acme-corp-1T"},"m":"${MASK}"}`);
  const plain = '{ "id": 12345678901234567890, "price": 1.10 }';
  expect(answer(plain)).toBe(plain);
});
