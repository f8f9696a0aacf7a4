import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseToken } from '../../src/emulator/tokens.ts';
import { faultyPaths, RIGS, type Rig, subscriptionBody } from '../rig/emulator.ts';

const PATH = '/webhooks/subscriptions';
const tokens = new Map(['demo', 'other'].map(parseToken));

describe.each(RIGS)('subscriptions %s', (_name, open) => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await open({ tokens });
  });
  afterEach(() => rig.close());

  test('secret and token are in the answer to the creation and in no other', async () => {
    const { status, body } = await rig.call('POST', PATH, {
      ...subscriptionBody(),
      headers: { 'X-Shop': 'one' },
    });
    expect(status).toBe(201);
    const { secret, token, ...rest } = body.data;
    expect([secret.length > 20, token.length > 20, secret === token]).toEqual([true, true, false]);
    const read = await rig.call('GET', `${PATH}/${rest.id}`);
    expect(read.body).toEqual({ success: true, data: { ...rest, updatedAt: rest.createdAt } });
    expect(rest).toMatchObject({ isActive: true, headers: { 'X-Shop': 'one' } });
  });

  test('missing values of a retry policy have the defaults of the document', async () => {
    const { body } = await rig.call('POST', PATH, { ...subscriptionBody(), retryPolicy: { maxRetries: 0 } });
    expect(body.data.retryPolicy).toEqual({
      maxRetries: 0,
      initialDelayMs: 10_000,
      backoffMultiplier: 2,
      maxDelayMs: 3_600_000,
    });
  });

  test.each([
    ['url', { url: 'http://shop.example.test/hook' }],
    ['url', { url: 'nonsense' }],
    ['events[0]', { events: ['shipment.lost'] }],
    ['events', { events: [] }],
    ['headers.Authorization', { headers: { Authorization: 'x' } }],
    ['retryPolicy.retries', { retryPolicy: { retries: 1 } }],
  ])('a wrong %s is a 400', async (path, wrong) => {
    const answer = await rig.call('POST', PATH, { ...subscriptionBody(), ...wrong });
    expect([answer.status, faultyPaths(answer)]).toEqual([400, [path]]);
  });

  test('plain http is accepted only for loopback', async () => {
    expect((await rig.call('POST', PATH, subscriptionBody('http://127.0.0.1:9/hook'))).status).toBe(201);
  });

  test('an unknown subscription is a 404', async () => {
    expect((await rig.call('GET', `${PATH}/sub_none`)).status).toBe(404);
  });

  test('the 21st creation within a minute is a 429 that says how long to wait', async () => {
    const create = async (token = 'demo') =>
      rig.call('POST', PATH, subscriptionBody(), { authorization: token });
    for (let made = 0; made < 20; made += 1) {
      expect((await create()).status).toBe(201);
      rig.clock.pass(1000);
    }
    const refused = await create();
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '40']);
    expect((await create('other')).status).toBe(201);
    rig.clock.pass(39_999);
    expect((await create()).status).toBe(429);
    rig.clock.pass(1);
    expect((await create()).status).toBe(201);
    expect((await create()).status).toBe(429);
  });

  test('refused bodies count against the limit, requests without a credential do not', async () => {
    for (let sent = 0; sent < 20; sent += 1) {
      expect((await rig.call('POST', PATH, '{}', {})).status).toBe(401);
      expect((await rig.call('POST', PATH, '{}')).status).toBe(400);
    }
    expect((await rig.call('POST', PATH, subscriptionBody())).status).toBe(429);
  });
});
