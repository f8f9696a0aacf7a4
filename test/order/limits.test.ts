// Limits of a profile and of the environment, where test/promises/limits.test.ts does not show them: at another address, in a
// batch, in a form, and changed while a batch runs.
import { chmodSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  created,
  dualOrder,
  ends,
  jsonLines,
  linesIn,
  order,
  orders,
  scriptedService,
  shop,
} from '../rig/batch.ts';
import { createRig } from '../rig/command.ts';
import { answering, asked, faultOf, LEAVE, SHIPMENT_BODY } from '../rig/person.ts';
import { describeBoth } from '../rig/postgres.ts';
import { BARE } from '../rig/profile.ts';
import { cannedService, PROPOSALS, UNDECIDED } from '../rig/service.ts';

const SHIP = 'ship -f order.json --carrier cheapest';
const OFFER = { id: 'EXP', isValid: true, price: 20, currency: 'EUR', deliveryTime: '1-3 days' };

/** A service that books for 20 EUR, and a profile `live` with a limit of 30 EUR a day. */
async function shopWithDay(more: object = {}) {
  const { env } = await cannedService({
    [PROPOSALS]: { status: 201, body: { proposals: [OFFER], ...more } },
    '/v1/shipments': { status: 201, body: { id: 'S-1', carrier: { id: 'EXP', price: 20, currency: 'EUR' } } },
  });
  const rig = await createRig({ env: BARE, files: { 'order.json': UNDECIDED } });
  const address = String(env.WAYBILL_BASE_URL);
  const service = { baseUrl: address, credentials: { kind: 'token', token: 'demo' } };
  const profiles = { live: { ...service, policy: { maxPerDay: '30EUR' } } };
  chmodSync(rig.file('config/config.json', { profiles, current: 'live' }), 0o600);
  return { rig, address };
}

test('a limit of a day is not spent twice, with the address from the profile and from the environment', async () => {
  for (const isFirst of [true, false]) {
    const { rig, address } = await shopWithDay({ chargeableWeight: 4.8 });
    const env = { WAYBILL_BASE_URL: address, WAYBILL_TOKEN: 'demo', WAYBILL_PROFILE: 'live' };
    const [first, second] = isFirst ? [{ env }, {}] : [{}, { env }];
    expect((await rig.run(`${SHIP} --key A`, first)).exitCode).toBe(0);
    expect((await rig.run(`${SHIP} --key B`, second)).exitCode).toBe(12);
  }
});

test('no price is known of proposals that do not say for which weight they are', async () => {
  const { rig } = await shopWithDay();
  const ran = await rig.run(`${SHIP} --chargeable-weight 4.8 --key A`);
  expect([ran.exitCode, ran.stderr]).toEqual([12, expect.stringContaining('price is not known')]);
});

test('a batch goes on after an order that is too dear by itself, and ends with 12', async () => {
  const dear = order('ORDER-2', { maxPrice: '9EUR' });
  const rig = await shop([order('ORDER-1'), dear, order('ORDER-3')]);
  const { env, arrivals } = await scriptedService(key => created(key, 10));
  const options = { env: { ...env, WAYBILL_POLICY_MAX_PRICE: '10EUR' } };
  const bounded = await rig.run('batch ship orders.jsonl --concurrency 1', options);
  expect([bounded.exitCode, arrivals.length]).toEqual([9, 2]);
  const bounds = ['9EUR', undefined, '11EUR', '9EUR'];
  const pairs = bounds.map((maxPrice, index) => ({ ...dualOrder(`P-${index + 1}`), maxPrice }));
  rig.file('pairs.jsonl', jsonLines(pairs));
  const ran = await rig.run('batch ship-dual pairs.jsonl --concurrency 1', options);
  expect(ends(linesIn(rig, 'pairs.results.jsonl'))).toEqual([
    'P-1 unknown 8 true',
    'P-2 not_sent 12 false',
    'P-3 not_sent 12 false',
    'P-4 unknown 8 true',
  ]);
  expect(ran.exitCode).toBe(8);
});

test('a form asks until it has a key that a limit requires', async () => {
  const env = { WAYBILL_POLICY_REQUIRE_KEY: '1' };
  const key = asked(await answering(await createRig(), 'ship', { key: LEAVE }, { env }), 'key');
  const required = 'a limit requires one (requireKey): type the number of the order';
  for (const text of ['', ' ']) expect(await faultOf(key, text)).toBe(required);
  expect(await faultOf(key, 'ORDER-1')).toBeUndefined();
});

test('of a complete order a person is asked only for the key that a limit requires', async () => {
  const rig = await createRig();
  rig.file('order.json', SHIPMENT_BODY);
  const script = { key: 'ORDER-1', review: 'submit' };
  const ran = await answering(rig, 'ship -f order.json', script, {
    env: { WAYBILL_POLICY_REQUIRE_KEY: '1' },
  });
  expect([ran.exitCode, ran.questions.map(({ id }) => id)]).toEqual([0, ['key', 'review']]);
});

describeBoth('A limit that a person changes while a batch runs', journal => {
  test.each([
    ['of a day, lower', { maxPerDay: '500EUR' }, 'policy.maxPerDay=30EUR'],
    ['of a day, where there was none', {}, 'policy.maxPerDay=30EUR'],
    ['of one order', { maxPrice: '50EUR' }, 'policy.maxPrice=5EUR'],
  ])('is held in the next claim: %s', async (_, policy, change) => {
    const { env, arrivals } = await scriptedService(async key => {
      if (key === 'ORDER-2') await rig.run(`profile set live ${change}`);
      return created(key);
    });
    const rig = await shop(orders(5), { journal, env: BARE });
    const credentials = { kind: 'token', token: 'demo' };
    const profiles = { live: { baseUrl: env.WAYBILL_BASE_URL, credentials, policy } };
    chmodSync(rig.file('config/config.json', { profiles, current: 'live' }), 0o600);
    const ran = await rig.run('batch ship orders.jsonl --concurrency 1 --json');
    expect(ran.exitCode).toBe(12);
    expect(arrivals.map(({ key }) => key)).toEqual(['ORDER-1', 'ORDER-2']);
    expect(
      ends(linesIn(rig))
        .slice(2)
        .filter(line => !line.includes('not_sent')),
    ).toEqual([]);
  });

  test('that cannot be read any more stops it: nothing more is sent', async () => {
    const { env, arrivals } = await scriptedService(key => {
      if (key === 'ORDER-2') rig.file('config/config.json', '{');
      return created(key);
    });
    const rig = await shop(orders(5), { journal, env: BARE });
    const credentials = { kind: 'token', token: 'demo' };
    const profiles = { live: { baseUrl: env.WAYBILL_BASE_URL, credentials } };
    chmodSync(rig.file('config/config.json', { profiles, current: 'live' }), 0o600);
    const ran = await rig.run('batch ship orders.jsonl --concurrency 1 --json');
    expect(ran.exitCode).toBe(10);
    expect(linesIn(rig)[2]?.error?.message).toMatch(/config\.json is damaged/);
    expect(arrivals.map(({ key }) => key)).toEqual(['ORDER-1', 'ORDER-2']);
  });
});
