// The emulator: what it serves, which rules it has, and what goes wrong in it on demand.
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { parseFault, parseToken, seededRandom } from '../../src/emulator/settings.ts';
import { loadOpenapi } from '../../src/session/session.ts';
import { createRig } from '../rig/command.ts';
import {
  type Answer,
  DAY,
  dualBody,
  emulator,
  faultyPaths,
  type Rig,
  shipmentBody,
  subscriptionBody,
} from '../rig/emulator.ts';
import { temporaryFolder } from '../rig/profile.ts';
import { fixture } from '../rig/service.ts';
import { listening } from '../rig/sockets.ts';

const PROPOSAL = fixture('v1/carriers/proposal/POST/minimal.request.json');
const RATES = fixture('api/v1/shipping/rates/POST/minimal.request.json');
const as = (token: string) => ({ authorization: `Bearer ${token}` });

type Asked = [method: string, path: string, body?: unknown];
const shipment: Asked = ['POST', '/v1/shipments', shipmentBody()];
const pair: Asked = ['POST', '/v2/shipments', dualBody()];
const hook = (url?: string): Asked => ['POST', '/webhooks/subscriptions', subscriptionBody(url)];

/** Makes a shipment, and gives its id. */
const made = async ({ call }: Rig, base = ''): Promise<string> =>
  (await call('POST', `${base}/v1/shipments`, shipmentBody())).body.id;

describe('The emulator serves', () => {
  test('these operations, in its sandbox, too', async () => {
    const { call } = await emulator();
    for (const [path, body, status] of [
      ['/v2/shipments', dualBody(), 201],
      ['/v1/shipments', shipmentBody(), 201],
      ['/v1/carriers/proposal', PROPOSAL, 201],
      ['/api/v1/shipping/rates', RATES, 200],
      ['/v2/carriers/create', {}, 400],
      ['/webhooks/subscriptions', subscriptionBody(), 201],
      ['/sandbox/v2/shipments', dualBody(), 201],
      ['/sandbox/v1/shipments', shipmentBody(), 201],
      ['/sandbox/v1/carriers/proposal', PROPOSAL, 201],
      ['/sandbox/v2/carriers/create', {}, 400],
      // The service has none of these in its sandbox.
      ['/sandbox/api/v1/shipping/rates', RATES, 404],
      ['/sandbox/webhooks/subscriptions', subscriptionBody(), 404],
    ] as const)
      expect([path, (await call('POST', path, body)).status]).toEqual([path, status]);
  });

  // Without a token they are 401. A path that is not served is 404.
  test('these reads', async () => {
    const { call } = await emulator();
    for (const [path, status] of [
      ['/v1/shipments/domestic/none', 401],
      ['/v1/shipments/none', 401],
      ['/webhooks/subscriptions/none', 401],
      ['/sandbox/v1/shipments/domestic/none', 401],
      ['/sandbox/v1/shipments/none', 401],
      ['/sandbox/webhooks/subscriptions/none', 404],
      ['/v3/shipments/none', 404],
    ] as const) {
      expect([path, (await call('GET', path, undefined, {})).status]).toEqual([path, status]);
      expect([path, (await call('GET', path)).status]).toEqual([path, 404]);
    }
  });

  test('a sandbox that is a world of its own', async () => {
    const rig = await emulator();
    const id = await made(rig, '/sandbox');
    expect((await rig.call('GET', `/sandbox/v1/shipments/${id}`)).status).toBe(200);
    expect((await rig.call('GET', `/v1/shipments/${id}`)).status).toBe(404);
  });

  test('the document that `waybill schema --openapi` prints', async () => {
    const { call } = await emulator({ loadOpenapi });
    const served = await call('GET', '/openapi.json', undefined, {});
    const { run } = await createRig();
    expect(served.body).toEqual(JSON.parse((await run('schema --openapi')).stdout));
  });

  test('each shipment under an id of its own, whatever the seed is', async () => {
    const ids = new Set<string>();
    for (const seed of [7, 7]) {
      const rig = await emulator({ random: seededRandom(seed) });
      for (let count = 0; count < 3; count += 1) ids.add(await made(rig));
    }
    expect(ids.size).toBe(6);
  });
});

describe('Tokens of the emulator', () => {
  const scoped = (...written: string[]) => emulator({ tokens: new Map(written.map(parseToken)) });

  test('are demo with all scopes where none is given', async () => {
    const { call } = await emulator();
    expect((await call(...shipment, as('demo'))).status).toBe(201);
    expect((await call(...pair, as('demo'))).body.international.label.success).toBe(true);
  });

  test('are those that are given, and no other', async () => {
    const { call } = await scoped('mine');
    expect((await call(...shipment, as('mine'))).status).toBe(201);
    expect((await call(...shipment, as('demo'))).status).toBe(401);
  });

  test('have their scopes after the first colon', async () => {
    const { call } = await scoped('writer:shipment:write', 'reader:');
    expect((await call(...shipment, as('writer'))).status).toBe(201);
    for (const asked of [shipment, pair]) expect((await call(...asked, as('reader'))).status).toBe(401);
    expect((await call('GET', '/v1/shipments/none', undefined, as('reader'))).status).toBe(404);
  });

  test('without shipment:label make a pair without labels', async () => {
    const { call } = await scoped('writer:shipment:write', 'both:shipment:write,shipment:label');
    const without = await call(...pair, as('writer'));
    expect([without.status, without.body.international.label]).toEqual([201, undefined]);
    expect((await call(...pair, as('both'))).body.international.label.success).toBe(true);
  });

  test('need no further scope for the creation of labels', async () => {
    const { call } = await scoped('writer:shipment:write');
    const { body } = await call(...shipment, as('writer'));
    const labels = await call('POST', '/v2/carriers/create', { international: body.id }, as('writer'));
    expect(labels.status).toBe(200);
  });
});

describe('Rules of the emulator', () => {
  test('20 subscriptions a minute are allowed, and the next one is a 429', async () => {
    const rig = await emulator();
    const statuses: number[] = [];
    for (let count = 0; count < 21; count += 1) statuses.push((await rig.call(...hook())).status);
    expect(statuses).toEqual([...Array(20).fill(201), 429]);
    rig.clock.pass(60_000);
    expect((await rig.call(...hook())).status).toBe(201);
  });

  const wrong = (change: object): Asked => ['POST', '/v1/shipments', { ...shipmentBody(), ...change }];
  test.each<[why: string, asked: Asked, status: number]>([
    ['a missing field', wrong({ sender: undefined }), 400],
    ['an unknown field', wrong({ reciever: {} }), 400],
    ['a wrong type', wrong({ chargeableWeight: 'two' }), 400],
    ['an unknown word', wrong({ category: 'nothing' }), 422],
    ['an unknown carrier', wrong({ carrier: { id: 'DHL' } }), 422],
    ['a carrier of domestic legs', wrong({ carrier: { id: 'DOM' } }), 422],
    ['a pair without its domestic carrier', ['POST', '/v2/shipments', { ...dualBody(), carriers: {} }], 400],
    ['no shipment for a label', ['POST', '/v2/carriers/create', {}], 400],
    ['an address of a subscription that is not https', hook('http://shop.example.com/hook'), 400],
    ['an order without packages', wrong({ packages: [] }), 422],
    ['an unknown word in a pair', ['POST', '/v2/shipments', { ...dualBody(), category: 'nothing' }], 400],
  ])('%s is refused', async (_, asked, status) => {
    const { call } = await emulator();
    expect((await call(...asked)).status).toBe(status);
  });

  test('all that is wrong is told at once', async () => {
    const { call } = await emulator();
    const answer = await call(...wrong({ category: 'nothing', chargeableWeight: 'two', sender: undefined }));
    expect(faultyPaths(answer).sort()).toEqual(['category', 'chargeableWeight', 'sender']);
  });

  test('a receiver in Saudi Arabia needs a short address', async () => {
    const { call } = await emulator();
    const { receiver, ...rest } = shipmentBody();
    expect(receiver.address.country.code).toBe('SA');
    const { nationalShortAddress: _, ...address } = receiver.address;
    const answer = await call('POST', '/v1/shipments', { ...rest, receiver: { ...receiver, address } });
    expect([answer.status, faultyPaths(answer)]).toEqual([422, ['receiver.address.nationalShortAddress']]);
  });

  test.each([
    ['DE', 'customs.iossNumber'],
    ['GB', 'customs.marketplaceNumber'],
  ])('ECO needs a number for %s, and EXP does not', async (code, path) => {
    const { call } = await emulator();
    const order = shipmentBody();
    order.receiver.address.country = { code };
    order.customs = { totalGoodsValue: order.customs.totalGoodsValue, currency: 'EUR' };
    const answer = await call('POST', '/v1/shipments', { ...order, carrier: { id: 'ECO' } });
    expect([answer.status, faultyPaths(answer)]).toEqual([422, [path]]);
    expect((await call('POST', '/v1/shipments', { ...order, carrier: { id: 'EXP' } })).status).toBe(201);
  });

  test('its carriers are ECO and EXP, and DOM for domestic legs', async () => {
    const { call } = await emulator();
    const { body } = await call('POST', '/v1/carriers/proposal', PROPOSAL);
    const told = body.proposals.map((one: Record<string, unknown>) => [one.id, one.serviceType]);
    expect(told).toEqual([
      ['ECO', 'economy'],
      ['EXP', 'express'],
    ]);
    const made = await call('POST', '/v2/shipments', dualBody());
    expect(made.body.domestic.shipment.carrier.id).toBe('DOM');
  });

  test('a secret and a token of a subscription are in the first answer alone', async () => {
    const { call } = await emulator();
    const { data } = (await call(...hook())).body;
    expect(data).toMatchObject({ secret: expect.any(String), token: expect.any(String), isActive: true });
    const read = (await call('GET', `/webhooks/subscriptions/${data.id}`)).body.data;
    expect(read).toMatchObject({ id: data.id, updatedAt: expect.any(String) });
    expect([read.secret, read.token]).toEqual([undefined, undefined]);
  });
});

describe('What the emulator makes', () => {
  test('a factor makes that faster', async () => {
    const rig = await emulator({ speed: 86_400 });
    const id = await made(rig);
    rig.clock.pass(10_000);
    expect((await rig.call('GET', `/v1/shipments/${id}`)).body.status[1].status).toBe('delivered');
  });

  test('a domestic label has no link', async () => {
    const rig = await emulator();
    const { body } = await rig.call('POST', '/v2/shipments', { ...dualBody(), label: false });
    const labels = await rig.call('POST', '/v2/carriers/create', { domestic: body.domestic.shipment.id });
    expect(labels.body.domestic).toMatchObject({ success: true, trackingNumber: expect.any(String) });
    expect(labels.body.domestic).not.toHaveProperty('label');
  });

  test('a file keeps all of it for the next emulator', async () => {
    const data = join(temporaryFolder(), 'world.db');
    const first = await emulator({ data });
    const id = await made(first);
    await first.close();
    const second = await emulator({ data });
    expect((await second.call('GET', `/v1/shipments/${id}`)).status).toBe(200);
  });

  test('without a file nothing is kept', async () => {
    const first = await emulator();
    const id = await made(first);
    await first.close();
    expect((await (await emulator()).call('GET', `/v1/shipments/${id}`)).status).toBe(404);
  });
});

describe('A change of status', () => {
  interface Delivered {
    headers: Record<string, unknown>;
    body: { type: string; data: { shipmentId: string; status: string } };
  }

  /** Answers deliveries with these statuses; the last one repeats. */
  async function receiver(...statuses: number[]) {
    const got: Delivered[] = [];
    const server = createServer(async (request, response) => {
      const text = Buffer.concat(await request.toArray()).toString();
      got.push({ headers: request.headers, body: JSON.parse(text) });
      response.writeHead(statuses[Math.min(got.length, statuses.length) - 1] ?? 204).end();
    });
    const { port, close } = await listening(server);
    onTestFinished(close);
    return {
      got,
      url: `http://127.0.0.1:${port}/hook`,
      received: (count: number) =>
        vi.waitFor(() => expect(got).toHaveLength(count), { timeout: 10 * 60_000 }),
    };
  }
  const subscribed = (rig: Rig, url: string, more: object = {}): Promise<Answer> =>
    rig.call('POST', '/webhooks/subscriptions', {
      ...subscriptionBody(url),
      events: ['shipment.status.updated'],
      ...more,
    });

  test('is delivered to the subscriptions with their headers', async () => {
    const rig = await emulator();
    const { got, url, received } = await receiver();
    await subscribed(rig, url, { headers: { 'X-Shop': 'north' } });
    const id = await made(rig);
    await received(1);
    expect(got[0]).toMatchObject({
      headers: { 'x-shop': 'north' },
      body: { type: 'shipment.status.updated', data: { shipmentId: id } },
    });
    await rig.later(10 * DAY);
    await received(2);
    expect(got[1]?.body.data).toMatchObject({ shipmentId: id, status: 'delivered' });
  });

  test('is delivered for the events that were subscribed to', async () => {
    const rig = await emulator();
    const { got, url, received } = await receiver();
    await subscribed(rig, url, { events: ['shipment.milestone.updated'] });
    await made(rig);
    await received(1);
    expect(got.map(({ body }) => body.type)).toEqual(['shipment.milestone.updated']);
  });

  test('is not delivered again once it was accepted', async () => {
    const rig = await emulator();
    const { url, received, got } = await receiver(500, 204);
    await subscribed(rig, url, { retryPolicy: { initialDelayMs: 1000 } });
    await made(rig);
    await received(1);
    await rig.later(1000);
    await received(2);
    await rig.later(60_000);
    await rig.later(60_000);
    expect(got).toHaveLength(2);
  });
});

describe('A fault', () => {
  test('happens to the same requests with the same seed', async () => {
    const statuses = async (seed: number) => {
      const { call } = await emulator({ faults: [parseFault('500:0.5')], random: seededRandom(seed) });
      const all: number[] = [];
      for (let count = 0; count < 20; count += 1)
        all.push((await call('POST', '/v1/carriers/proposal', PROPOSAL)).status);
      return all.join();
    };
    expect(await statuses(7)).toBe(await statuses(7));
    expect(await statuses(7)).not.toBe(await statuses(8));
  });

  test('does not happen with the probability 0', async () => {
    const { call } = await emulator({ faults: [parseFault('500:0')] });
    for (let count = 0; count < 20; count += 1) expect((await call(...shipment)).status).toBe(201);
  });
});
