import { expect, test } from 'vitest';
import { OPERATIONS } from '../../src/contract/operations.ts';
import { answered, rigClient, unanswered } from '../rig/client.ts';
import { http, script } from '../rig/sockets.ts';

const { createShipment, getShipment, proposal } = OPERATIONS;
const readOne = { parameters: { shipmentId: 'S1' } };

const line = (request: string | undefined) => request?.split('\r\n')[0];

test('a request names its client, its content type and the type that it accepts', async () => {
  const { client, server } = await rigClient(script(http(201, '{}')), {
    credentials: { source: 'test', headers: async () => ({ 'x-api-key': 'secret-key' }) },
  });
  await client.call(createShipment, { body: { weight: 1.5, city: 'Łódź' } });
  const [request = ''] = server.requests;
  expect(line(request)).toBe('POST /v1/shipments HTTP/1.1');
  expect(request).toMatch(/^user-agent: waybill\/test$/im);
  expect(request).toMatch(/^content-type: application\/json$/im);
  expect(request).toMatch(/^accept: application\/json$/im);
  expect(request).toMatch(/^x-api-key: secret-key$/im);
  const body = Buffer.from(request.slice(request.indexOf('\r\n\r\n') + 4), 'latin1').toString();
  expect(JSON.parse(body)).toEqual({ weight: 1.5, city: 'Łódź' });
});

test('a read without a body has no content type', async () => {
  const { client, server } = await rigClient(script(http(200, '{}')));
  await client.call(getShipment, readOne);
  expect(line(server.requests[0])).toBe('GET /v1/shipments/S1 HTTP/1.1');
  expect(server.requests[0]).not.toMatch(/^content-/im);
  expect(server.requests[0]).not.toMatch(/^authorization/im);
});

const renewable = () => {
  const tokens = ['old-token', 'new-token', 'newer-token'];
  let renewals = 0;
  return {
    renewals: () => renewals,
    credentials: {
      source: 'test',
      headers: async () => ({ authorization: `Bearer ${tokens[renewals]}` }),
      renew: async () => {
        renewals += 1;
        return true;
      },
    },
  };
};

test('the token is renewed once in a call, also with a 429 between', async () => {
  const { credentials, renewals } = renewable();
  const { client, server } = await rigClient(script(http(401), http(429), http(401)), { credentials });
  expect(answered(await client.call(createShipment, { body: {} })).status).toBe(401);
  expect(server.requests).toHaveLength(3);
  expect(renewals()).toBe(1);
});

const created = { id: 'PLANTED-token-1', note: 'for PLANTED-token' };
const leg = { shipment: { id: 'I1' }, label: { success: false, message: 'PLANTED-token has expired' } };

test.each([
  ['an error', 400, { message: 'PLANTED-token' }],
  ['a refusal', 200, { success: false, message: 'PLANTED-token has expired' }],
  ['a refusal in an envelope', 200, { data: { ...created, success: false } }],
  ['an answer without an id', 201, { message: 'made for PLANTED-token' }],
  ['one of half a pair', 201, { international: { shipment: { id: 'I1' } }, note: 'PLANTED-token' }],
  ['a label that was refused', 201, { international: leg, domestic: { shipment: { id: 'D1' } } }],
  ['a page', 200, '<title>PLANTED-token</title>'],
  ['JSON that is cut off', 201, '{"id":"S1","note":"PLANTED-token'],
  ['an answer of what was made', 201, { id: 'S1', note: 'for PLANTED-token' }],
])('the credential is masked in %s', async (_, status, body) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const { client } = await rigClient(script(http(status, text)), {
    credentials: { source: 'test', headers: async () => ({ authorization: 'Bearer PLANTED-token' }) },
  });
  const operation = text.includes('international') ? OPERATIONS.createDualShipment : createShipment;
  const exchange = answered(await client.call(operation, { body: {} }));
  // An id may contain the name of an account.
  expect(exchange.text.replaceAll(created.id, '')).not.toContain('PLANTED-token');
  expect(exchange.text).toContain('••••');
});

test.each([
  ['at its place', (data: object) => ({ data, note: 'PLANTED-token' })],
  ['in an envelope', (data: object) => ({ result: { data }, note: 'PLANTED-token' })],
])(
  'what a service gives once stays as it came, %s, although the credential is a part of it',
  async (_, body) => {
    const data = { id: 'W1', secret: 'PLANTED-token-hook', token: 'new' };
    const { client } = await rigClient(script(http(201, JSON.stringify(body(data)))), {
      credentials: { source: 'test', headers: async () => ({ authorization: 'Bearer PLANTED-token' }) },
    });
    const exchange = answered(await client.call(OPERATIONS.createSubscription, { body: {} }));
    expect(exchange.json).toEqual({ ...body(data), note: '••••' });
  },
);

test('an answer without the credential stays as it came', async () => {
  const text = `{ "id": "S1",  "price": 1.10, "note": "token" }`;
  const { client } = await rigClient(script(http(201, text)), {
    credentials: { source: 'test', headers: async () => ({ authorization: 'Bearer PLANTED-token' }) },
  });
  expect(answered(await client.call(createShipment, { body: {} })).text).toBe(text);
});

test('a booking that loses its answer after a renewal counts as sent and is not sent again', async () => {
  const { credentials } = renewable();
  const { client, server } = await rigClient(
    script(http(401), socket => socket.resetAndDestroy()),
    { credentials },
  );
  expect(unanswered(await client.call(createShipment, { body: {} })).sent).toBe(true);
  expect(server.requests).toHaveLength(2);
});

test('an interrupted client sends nothing', async () => {
  const { client, server, interrupt } = await rigClient(script(http(200)));
  interrupt('SIGTERM');
  for (const operation of [createShipment, proposal])
    await expect(client.call(operation, { body: {} })).rejects.toMatchObject({
      code: 'interrupted',
      exitCode: 143,
    });
  expect(server.connections()).toBe(0);
});

test('a booking in flight is waited for after an interruption', async () => {
  const { client, server, interrupt } = await rigClient(() => {});
  const pending = client.call(createShipment, { body: {} });
  await server.received(1);
  interrupt('SIGINT');
  server.each(socket => socket.end(http(201, '{"id":"S1"}')));
  expect(answered(await pending).bytes.toString()).toBe('{"id":"S1"}');
});
