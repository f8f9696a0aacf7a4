// What `ship` books of proposals that are not as the service document says, and for orders that not every carrier takes.
import { describe, expect, test } from 'vitest';
import { setAt } from '../../src/contract/paths.ts';
import { keys, linesIn } from '../rig/batch.ts';
import { createRig } from '../rig/command.ts';
import { bodyOf, cannedService, errorOf, PROPOSALS, proposing, sent, UNDECIDED } from '../rig/service.ts';

const stdin = JSON.stringify(UNDECIDED);
const QUOTED = `POST ${PROPOSALS}`;
const BOOKED = [QUOTED, 'POST /v1/shipments'];

// Which time is how many days is in test/contract/delivery-time.test.ts.
test.each([
  ['1-2 weeks', 4],
  ['96 hours', 4],
  ['soon', 4],
  [null, 4],
  ['72 hours', 0],
  ['2-3 business days', 0],
  [3, 0],
])('for --max-days 3 the delivery time %j is exit %i', async (deliveryTime, exitCode) => {
  const rig = await createRig();
  const { env, seen } = await proposing({ id: 'A', price: 1, deliveryTime });
  const ran = await rig.run('ship -f - --carrier cheapest --max-days 3', { stdin, env });
  expect(ran.exitCode, ran.stderr).toBe(exitCode);
  expect(seen).toEqual(exitCode === 0 ? BOOKED : [QUOTED]);
});

test.each([null, undefined, '12,50', '1.234', { amount: 5 }])(
  'The only proposal is taken with a warning if its price is %j, and fails every --max-price',
  async price => {
    const rig = await createRig();
    const { env, seen } = await proposing({ id: 'A', price });
    for (const carrier of ['cheapest', 'fastest']) {
      const ran = await rig.run(`ship -f - --allow-duplicate --carrier ${carrier}`, { stdin, env });
      expect(ran.exitCode, ran.stderr).toBe(0);
      expect(ran.stderr).toMatch(
        /^warning: the price of A \(.*\) cannot be read, so its cost is not known$/m,
      );
    }
    const bound = await rig.run('ship -f - --allow-duplicate --carrier cheapest --max-price 50EUR', {
      ...{ stdin, env },
    });
    expect([bound.exitCode, seen]).toEqual([4, [...BOOKED, ...BOOKED, QUOTED]]);
  },
);

test.each([0, '0.00', -1])('a chargeable weight of %j is none', async chargeableWeight => {
  const rig = await createRig();
  const body = { chargeableWeight, proposals: [{ id: 'EXP', isValid: true, price: 1, currency: 'EUR' }] };
  const { env, seen } = await cannedService({ [PROPOSALS]: { status: 201, body } });
  const ran = await rig.run('ship -f - --carrier EXP --json', { stdin, env });
  expect(errorOf(ran)).toMatchObject({ code: 'unavailable', exitCode: 7 });
  expect(errorOf(ran).message).toContain('the proposals have no chargeable weight');
  expect(seen).toEqual([QUOTED]);
});

test.each([undefined, 0])(
  'proposals whose chargeable weight is %j have no price for one that is given',
  async chargeableWeight => {
    const rig = await createRig();
    const body = { chargeableWeight, proposals: [{ id: 'EXP', isValid: true, price: 1, currency: 'EUR' }] };
    const { env, seen } = await cannedService({
      [PROPOSALS]: { status: 201, body },
      '/v1/shipments': { status: 201, body: { id: 'S-1' } },
    });
    const heavy = 'ship -f - --carrier cheapest --chargeable-weight 40';
    const differ =
      'given as 40 kg, and the proposals for these packages are for a weight that they do not say';
    for (const [flags, exitCode, words] of [
      [
        '--max-price 60EUR',
        2,
        ', so --max-price cannot be verified; nothing was booked. Leave out --max-price',
      ],
      ['--plan plan.json', 4, ', so its price is not known, and a plan has one'],
      ['', 0, ': the price may differ'],
    ] as const) {
      const ran = await rig.run(`${heavy} ${flags}`, { stdin, env, may: ['reads'] });
      expect([ran.exitCode, ran.stderr]).toEqual([exitCode, expect.stringContaining(differ + words)]);
    }
    expect(seen).toEqual([QUOTED, QUOTED, ...BOOKED]);
  },
);

describe('A carrier that is named', () => {
  test('is not booked if its proposal is not valid, and the reason is told', async () => {
    const rig = await createRig();
    const { env, seen } = await proposing(
      { id: 'A', price: 1, isValid: false, reason: 'too heavy' },
      { id: 'B', price: 2 },
    );
    const ran = await rig.run('ship -f - --carrier A --json', { stdin, env });
    expect(errorOf(ran)).toMatchObject({ code: 'not_found', exitCode: 4 });
    expect(errorOf(ran).message).toBe(
      'ship: the carrier A does not offer this; nothing was booked. The proposals are: A (express, 1-3 days, 1.00 EUR, not valid: too heavy); B (express, 1-3 days, 2.00 EUR). To book it without a proposal, give --chargeable-weight KG',
    );
    expect(seen).toEqual([QUOTED]);
    const weighed = await rig.run('ship -f - --carrier A --chargeable-weight 5', { stdin, env });
    expect([weighed.exitCode, seen]).toEqual([0, [QUOTED, 'POST /v1/shipments']]);
  });

  test('is not called too dear where the service proposes no carrier at all', async () => {
    const rig = await createRig();
    const { env } = await proposing();
    for (const carrier of ['A', 'cheapest']) {
      const ran = await rig.run(`ship -f - --carrier ${carrier} --max-price 50EUR --json`, { stdin, env });
      expect([ran.exitCode, errorOf(ran).message]).toEqual([
        4,
        'ship: the service has no proposal for this shipment, at any price; nothing was booked',
      ]);
    }
  });

  test('is booked with a warning if no proposal is its own', async () => {
    const rig = await createRig();
    const { env, seen } = await proposing({ id: 'B', price: 2 });
    const ran = await rig.run('ship -f - --carrier A', { stdin, env });
    expect(ran.stderr).toContain('the carrier A is not among the proposals');
    expect([ran.exitCode, seen]).toEqual([0, BOOKED]);
  });
});

describe('cheapest and fastest take only what can be booked for this order', () => {
  test('a carrier whose rules the order fails is left out, and said', async () => {
    const rig = await createRig();
    const ran = await rig.run('ship -f - --carrier cheapest', { stdin });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(bodyOf(ran)).toMatchObject({ carrier: { id: 'EXP' } });
    expect(ran.stderr).toContain(
      'warning: ECO (economy, 5-7 days, 27.50 EUR) is left out: customs.iossNumber is required for the economy carrier to an EU country\n',
    );
    const strict = await rig.run('ship -f - --carrier cheapest --allow-duplicate --strict', { stdin });
    expect([strict.exitCode, sent(strict)]).toEqual([2, [QUOTED]]);
  });

  test('if the order fails the rules of all, it is refused with what is missing', async () => {
    const rig = await createRig();
    const ran = await rig.run('ship -f - --carrier cheapest --service economy --json', {
      stdin,
      may: ['reads'],
    });
    expect(errorOf(ran)).toMatchObject({ code: 'invalid_request', issues: [{ path: 'customs.iossNumber' }] });
    expect(sent(ran)).toEqual([QUOTED]);
  });

  test('and with the proposals that only a bound leaves out: a higher one may be what is wanted', async () => {
    const rig = await createRig();
    const ran = await rig.run('ship -f - --carrier fastest --max-price 30EUR', { stdin, may: ['reads'] });
    expect([ran.exitCode, sent(ran)]).toEqual([2, [QUOTED]]);
    expect(ran.stderr).toMatch(
      /^warning: EXP \(express, 1-3 days, [\d.]+ EUR\) is left out: not within 30 EUR$/m,
    );
    expect(ran.stderr).toContain('customs.iossNumber');
  });

  test('in a batch each record is booked by its carrier, and the warning is told once, with the lines', async () => {
    const rig = await createRig();
    rig.file(
      'orders.json',
      keys(5).map(key => ({ key, ...(setAt(UNDECIDED, ['items', 0, 'description'], key) as object) })),
    );
    const ran = await rig.run('batch ship orders.json --carrier cheapest');
    expect(linesIn(rig).map(({ carrier }) => carrier)).toEqual(Array(5).fill('EXP'));
    expect(ran.stderr.match(/is left out/g)).toHaveLength(1);
    expect(ran.stderr).toMatch(
      /^warning: all 5 records: ECO .* is left out: customs\.iossNumber is required/m,
    );
  });
});

describe('A proposal of the service economy, if no setting names the economy carrier,', () => {
  const unset = { WAYBILL_ECONOMY_CARRIERS: '' };
  const to = (code: string) =>
    JSON.stringify(setAt(UNDECIDED, ['receiver', 'address', 'country', 'code'], code));

  test.each(['economy', 'Economy', 'EKONOM\u0130', 'International Economy'])(
    'such as %j, is warned of without an IOSS number; --strict books nothing',
    async serviceType => {
      const rig = await createRig({ env: unset });
      const { env, seen } = await proposing({ id: 'A', price: 1, serviceType });
      const ran = await rig.run('ship -f - --carrier cheapest', { stdin, env });
      expect(ran.exitCode, ran.stderr).toBe(0);
      expect(ran.stderr).toContain('customs.iossNumber is required for the economy carrier to an EU country');
      expect(ran.stderr).toContain('WAYBILL_ECONOMY_CARRIERS');
      const strict = await rig.run('ship -f - --carrier A --allow-duplicate --strict', { stdin, env });
      expect([strict.exitCode, seen]).toEqual([2, [...BOOKED, QUOTED]]);
    },
  );

  test('is warned of without a marketplace number to the UK', async () => {
    const rig = await createRig({ env: unset });
    const ran = await rig.run('ship -f - --carrier ECO', { stdin: to('GB') });
    expect(ran.stderr).toContain('customs.marketplaceNumber is required for the economy carrier to the UK');
  });
});

describe('Of several proposals with one carrier id, which is all that is booked,', () => {
  const CHEAP = { id: 'X', price: 10, deliveryTime: '5-7 days' };
  const DEAR = { id: 'X', price: 30, deliveryTime: '1-2 days' };

  test.each<[string, object[], string, Record<string, string>, number, string]>([
    ['the dearer is held against --max-price', [CHEAP, DEAR], '--max-price 20EUR', {}, 4, ''],
    ['in any order', [DEAR, CHEAP], '--max-price 20EUR', {}, 4, ''],
    ['and against a limit', [CHEAP, DEAR], '', { WAYBILL_POLICY_MAX_PRICE: '20EUR' }, 12, ''],
    ['the slower is held against --max-days', [CHEAP, DEAR], '--max-days 3', {}, 4, ''],
    ['the dearer is shown', [CHEAP, DEAR], '--max-price 30EUR', {}, 0, 'X (express, 5-7 days, 30.00 EUR)'],
    ['one without a price makes it unknown', [CHEAP, { id: 'X' }], '--max-price 20EUR', {}, 4, ''],
    ['so does another currency', [CHEAP, { ...DEAR, currency: 'USD' }], '--max-price 20EUR', {}, 4, ''],
    [
      'one that is not valid does not count',
      [CHEAP, { ...DEAR, isValid: false }],
      '--max-price 20EUR',
      {},
      0,
      '',
    ],
    [
      'another carrier may be cheaper',
      [CHEAP, DEAR, { id: 'Y', price: 20 }],
      '--max-price 20EUR',
      {},
      0,
      'Y (',
    ],
  ])('%s', async (_, proposals, flags, limits, exitCode, words) => {
    const service = await proposing(...(proposals as Record<string, unknown>[]));
    const rig = await createRig({ env: { ...service.env, ...limits } });
    const ran = await rig.run(`ship -f - --carrier cheapest ${flags}`, { stdin });
    expect([ran.exitCode, service.seen], ran.stderr).toEqual([exitCode, exitCode === 0 ? BOOKED : [QUOTED]]);
    expect(ran.stderr).toContain(words);
  });
});
