// Limits of a profile and of the environment, from the command line.
import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  created,
  dualOrder,
  ends,
  jsonLines,
  linesIn,
  order,
  orders,
  type Reply,
  scriptedService,
  shop,
  summaryOf,
} from '../rig/batch.ts';
import { createRig, type RunOptions } from '../rig/command.ts';
import { answering, asked, faultOf, LEAVE } from '../rig/person.ts';
import { describeBoth } from '../rig/postgres.ts';
import { production } from '../rig/production.ts';
import { BARE } from '../rig/profile.ts';
import { cannedService, DUAL, errorOf, PROPOSALS, refused, SHIPMENT, UNDECIDED } from '../rig/service.ts';

const ASKED = `POST ${PROPOSALS}`;
const BOOKED = 'POST /v1/shipments';
const PAIR = 'POST /v2/shipments';
const DAY = 24 * 60 * 60 * 1000;
const FILES = { 'order.json': UNDECIDED, 'whole.json': SHIPMENT, 'pair.json': DUAL };

type Offered = [id: string, price: unknown, currency?: string];

/** A service with these proposals, which books for 20 EUR unless it is changed, and a profile with these limits. */
async function shopWith(policy: Record<string, unknown>, offered: Offered[] = [['EXP', 20]]) {
  const proposals = offered.map(([id, price, currency = 'EUR']) => ({
    ...{ id, name: id, serviceType: 'express', isValid: true, deliveryTime: '1-3 days' },
    ...{ price, currency },
  }));
  const pair = { international: { shipment: { id: 'I-1' } }, domestic: { shipment: { id: 'D-1' } } };
  const answers: Parameters<typeof cannedService>[0] = {
    [PROPOSALS]: { status: 201, body: { chargeableWeight: 4.8, proposals } },
    '/v2/shipments': { status: 201, body: pair },
  };
  const books = (price: unknown, currency = 'EUR') => {
    const body = { id: 'S-1', carrier: { id: 'EXP', price, currency } };
    answers['/v1/shipments'] = { status: 201, body };
  };
  books(20);
  const service = await cannedService(answers);
  const rig = await createRig({ env: BARE, files: FILES });
  const baseUrl = service.env.WAYBILL_BASE_URL;
  const credentials = { kind: 'token', token: 'demo' };
  const profiles = { live: { baseUrl, credentials, policy } };
  chmodSync(rig.file('config/config.json', { profiles, current: 'live' }), 0o600);
  const run = async (argv: string, options?: RunOptions) => {
    const before = service.seen.length;
    const ran = await rig.run(argv, options);
    return { ...ran, seen: service.seen.slice(before) };
  };
  return { rig, run, books, answers, address: String(baseUrl) };
}

const SHIP = 'ship -f order.json --carrier cheapest';

describe('A limit of one order', () => {
  test('leaves dearer proposals out, and is exit 12 if that leaves none', async () => {
    const dear: Offered[] = [
      ['EXP', 30],
      ['LOW', 20],
      ['USA', 5, 'USD'],
      ['ODD', null],
    ];
    const { run } = await shopWith({ maxPrice: '25EUR' }, dear);
    const ran = await run('ship -f order.json --carrier fastest --key A');
    expect([ran.exitCode, ran.seen]).toEqual([0, [ASKED, BOOKED]]);
    expect(ran.stderr).toContain('carrier: LOW (express, 1-3 days, 20.00 EUR)');
    for (const [carrier, why] of [
      ['EXP', 'EXP (express, 1-3 days, 30.00 EUR): above the limit of one order (25.00 EUR)'],
      ['USA', 'the limit of one order (25.00 EUR) has no USD'],
      ['ODD', 'its price is not known'],
      ['DHL', 'the carrier DHL is not among the proposals, so its price is not known'],
    ] as const) {
      const refused = await run(`ship -f order.json --carrier ${carrier} --key B --json`);
      expect([refused.exitCode, refused.seen, refused.stdout]).toEqual([12, [ASKED], '']);
      const told = { code: 'over_budget', exitCode: 12, created: false, retry: 'after-change' };
      expect(errorOf(refused)).toMatchObject({ ...told, next: [['waybill', 'profile', 'whoami']] });
      expect(errorOf(refused).message).toContain(why);
    }
    // A bound that nothing keeps is another matter.
    const bounded = await run(`${SHIP} --max-price 4EUR --key B`);
    expect(bounded.exitCode).toBe(4);
  });

  test('is held against a proposal where carrier and weight are given, too', async () => {
    const { run } = await shopWith({ maxPrice: '19.99EUR' });
    const ran = await run('ship -f whole.json --key A');
    expect([ran.exitCode, ran.seen]).toEqual([12, [ASKED]]);
    const heavy = await shopWith({ maxPrice: '50EUR' });
    const heavier = await heavy.run('ship -f whole.json --set chargeableWeight=9 --key A');
    expect([heavier.exitCode, heavier.seen]).toEqual([12, [ASKED]]);
    expect(heavier.stderr).toContain('so its price is not known');
    const silent = await shopWith({ maxPrice: '50EUR' });
    const { body } = silent.answers[PROPOSALS] ?? {};
    silent.answers[PROPOSALS] = { status: 201, body: { ...(body as object), chargeableWeight: undefined } };
    const unweighed = await silent.run('ship -f whole.json --key A');
    expect([unweighed.exitCode, unweighed.seen]).toEqual([12, [ASKED]]);
    expect(unweighed.stderr).toContain('are for a weight that they do not say, so its price is not known');
  });

  test('is a bound of the answer, too: above it is exit 11', async () => {
    const { run, books } = await shopWith({ maxPrice: '25EUR' });
    books(26);
    const ran = await run(`${SHIP} --key A --json`);
    expect([ran.exitCode, errorOf(ran).code]).toEqual([11, 'over_price']);
    // The lower one counts.
    books(22);
    expect((await run(`${SHIP} --key B --max-price 21EUR`)).exitCode).toBe(11);
    expect((await run(`${SHIP} --key C --max-price 99EUR`)).exitCode).toBe(0);
  });

  test('needs --max-price of a pair, and holds it', async () => {
    const { run } = await shopWith({ maxPrice: '40EUR' });
    const unknown = await run('ship-dual -f pair.json --key A');
    expect([unknown.exitCode, unknown.seen]).toEqual([12, []]);
    expect(unknown.stderr).toContain('No proposal has the price of a pair: give --max-price');
    expect((await run('ship-dual -f pair.json --key A --max-price 40.01EUR')).exitCode).toBe(12);
    expect((await run('ship-dual -f pair.json --key A --max-price 40USD')).exitCode).toBe(12);
    const ran = await run('ship-dual -f pair.json --key A --max-price 40EUR');
    expect([ran.exitCode, ran.seen, ran.stderr]).toEqual([0, [PAIR], '']);
  });

  test('says nothing of labels, and of reads', async () => {
    const { run, answers } = await shopWith({ maxPrice: '0EUR', maxPerDay: '0EUR', requireKey: true });
    const made = { success: true, trackingNumber: 'T-1', label: null };
    answers['/v2/carriers/create'] = { status: 200, body: { success: true, international: made } };
    expect((await run('label --international S-7')).seen).toEqual(['POST /v2/carriers/create']);
    expect((await run('quote --from TR --to DE --package 1kg@10x10x10cm --type package')).exitCode).toBe(0);
  });
});

describe('A limit of a day', () => {
  test('needs a --max-price above 0 of a pair', async () => {
    const { run } = await shopWith({ maxPerDay: '50EUR' });
    for (const price of ['0EUR', '0.00EUR']) {
      const ran = await run(`ship-dual -f pair.json --key A --max-price ${price}`);
      expect([ran.exitCode, ran.seen]).toEqual([2, []]);
      expect(ran.stderr).toContain('is not an amount above 0');
    }
    expect((await run('ship-dual -f pair.json --key A --max-price 5EUR')).exitCode).toBe(0);
  });

  test('counts amounts with three decimals, of a proposal and of --max-price', async () => {
    const { run } = await shopWith({ maxPerDay: '50EUR' }, [['EXP', 20.125]]);
    expect((await run('ship -f order.json --carrier cheapest --key A')).exitCode).toBe(0);
    const ran = await run('ship-dual -f pair.json --key B --max-price 30.001EUR');
    expect([ran.exitCode, ran.seen]).toEqual([12, []]);
    expect((await run('ship-dual -f pair.json --key B --max-price 29.999EUR')).exitCode).toBe(0);
  });

  test('stops the order that would pass it, says when there is room, and a day later there is', async () => {
    const { run, rig } = await shopWith({ maxPerDay: '50EUR,300USD' });
    expect((await run(`${SHIP} --key A`)).exitCode).toBe(0);
    await rig.later(1000);
    expect((await run(`${SHIP} --key B`)).exitCode).toBe(0);
    const at = rig.clock.now - 1000;
    const ran = await run(`${SHIP} --key C --json`);
    expect([ran.exitCode, ran.seen]).toEqual([12, [ASKED]]);
    expect(errorOf(ran)).toMatchObject({ code: 'over_budget', retry: 'later', created: false });
    expect(Math.abs(Date.parse(errorOf(ran).retryAt ?? '') - at - DAY)).toBeLessThan(1000);
    expect(errorOf(ran).message).toContain('20.00 EUR would pass the limit of a day (50.00 EUR): 40.00 EUR');
    // What is recorded is shown all the same.
    const again = await run(`${SHIP} --key A`);
    expect([again.exitCode, again.seen]).toEqual([0, []]);
    await rig.later(DAY);
    expect((await run(`${SHIP} --key C`)).exitCode).toBe(0);
  });

  test('counts an answer above its proposal at once', async () => {
    const { run, books } = await shopWith({ maxPerDay: '50EUR' });
    books(31);
    expect((await run(`${SHIP} --key A`)).exitCode).toBe(0);
    expect((await run(`${SHIP} --key B`)).exitCode).toBe(12);
  });

  test('counts a pair with its bound, and frees what was rejected', async () => {
    const { run, answers } = await shopWith({ maxPerDay: '50EUR' });
    const fine = answers['/v2/shipments'];
    answers['/v2/shipments'] = { status: 422, body: { message: 'no' } };
    expect((await run('ship-dual -f pair.json --key A --max-price 45EUR')).exitCode).toBe(5);
    if (fine) answers['/v2/shipments'] = fine;
    expect((await run('ship-dual -f pair.json --key B --max-price 45EUR')).exitCode).toBe(0);
    expect((await run('ship-dual -f pair.json --key C --max-price 6EUR')).exitCode).toBe(12);
    expect((await run('ship-dual -f pair.json --key C --max-price 5EUR')).exitCode).toBe(0);
  });

  test('counts what is unknown until a person settles it', async () => {
    const { run, answers } = await shopWith({ maxPerDay: '30EUR' });
    const fine = answers['/v1/shipments'];
    answers['/v1/shipments'] = { status: 500, body: {} };
    expect((await run(`${SHIP} --key A`)).exitCode).toBe(8);
    if (fine) answers['/v1/shipments'] = fine;
    expect((await run(`${SHIP} --key B`)).exitCode).toBe(12);
    const settled = await run('history resolve A --not-created --force --reason x');
    expect(settled.exitCode).toBe(0);
    expect((await run(`${SHIP} --key B`)).exitCode).toBe(0);
  });

  test('is shown by whoami, and by the summary', async () => {
    const { run, rig } = await shopWith({ maxPerDay: '50EUR,300.5USD', maxPrice: '30EUR' });
    await run(`${SHIP} --key A`);
    expect((await rig.json('profile whoami')).limits).toMatchObject({
      maxPrice: { EUR: 30 },
      maxPerDay: { EUR: 50, USD: 300.5 },
      leftOfDay: { EUR: 30, USD: 300.5 },
    });
    const words = 'Left of the limit of 24 hours: 30.00 EUR, 300.50 USD';
    expect((await run('history summary')).stdout).toContain(words);
    expect((await run('history summary --json')).stderr).toContain(words);
    const without = await shopWith({});
    expect((await without.rig.json('profile whoami')).limits).toBeNull();
    expect((await without.run('history summary')).stdout).not.toContain('limit');
  });
});

describe('Of several limits', () => {
  test.each([
    [{ maxPrice: '25EUR' }, { WAYBILL_POLICY_MAX_PRICE: '19EUR' }, 12],
    [{ maxPrice: '19EUR' }, { WAYBILL_POLICY_MAX_PRICE: '25EUR' }, 12],
    [{ maxPrice: '19EUR' }, {}, 12],
    [{}, { WAYBILL_POLICY_MAX_PRICE: '19EUR' }, 12],
    [{ maxPrice: '25EUR' }, { WAYBILL_POLICY_MAX_PRICE: '25USD' }, 12],
    [{}, { WAYBILL_POLICY_MAX_PRICE: '0' }, 2],
    [{}, { WAYBILL_POLICY_MAX_PER_DAY: 'false' }, 2],
    [{ maxPrice: '25EUR' }, { WAYBILL_POLICY_MAX_PER_DAY: '19EUR' }, 12],
    [{ maxPerDay: '100USD' }, {}, 12],
    [{ maxPerDay: '100EUR' }, { WAYBILL_POLICY_MAX_PER_DAY: '19EUR,5USD' }, 12],
    [{ maxPrice: '25EUR', maxPerDay: '20EUR' }, { WAYBILL_POLICY_MAX_PRICE: '20EUR' }, 0],
  ])('the strictest counts: %j with %j is exit %i', async (policy, env, exitCode) => {
    const { run } = await shopWith(policy);
    const ran = await run(`${SHIP} --key A`, { env });
    expect(ran.exitCode, ran.stderr).toBe(exitCode);
  });

  test('that of a day is not spent twice, with the address from the profile and from the environment', async () => {
    const { run, rig, address } = await shopWith({ maxPerDay: '30EUR' });
    const direct = { env: { WAYBILL_BASE_URL: address, WAYBILL_TOKEN: 'demo', WAYBILL_PROFILE: 'live' } };
    expect((await run(`${SHIP} --key A`, direct)).exitCode).toBe(0);
    expect((await rig.json('profile whoami')).limits).toMatchObject({ leftOfDay: { EUR: 10 } });
    expect((await run(`${SHIP} --key B`)).exitCode).toBe(12);
    const other = await shopWith({ maxPerDay: '30EUR' });
    const from = { env: { ...direct.env, WAYBILL_BASE_URL: other.address } };
    expect((await other.run(`${SHIP} --key A`)).exitCode).toBe(0);
    expect((await other.run(`${SHIP} --key B`, from)).exitCode).toBe(12);
  });

  test('one that cannot be read stops everything, and a variable that is nearly one, too', async () => {
    const { run } = await shopWith({});
    for (const env of [
      { WAYBILL_POLICY_MAX_PRICE: '20' },
      { WAYBILL_POLICY_MAX_PER_DAY: '20EUR,30EUR' },
      { WAYBILL_POLICY_MAX_PERDAY: '20EUR' },
    ]) {
      const ran = await run(`${SHIP} --key A`, { env });
      expect([ran.exitCode, ran.seen], ran.stderr).toEqual([2, []]);
      expect(ran.stderr).toContain('WAYBILL_POLICY_MAX_P');
    }
    for (const policy of [{ maxPrice: 'x' }, { maxPrize: '20EUR' }]) {
      const odd = await shopWith(policy);
      const ran = await odd.run(`${SHIP} --key A`);
      expect([ran.exitCode, ran.seen], ran.stderr).toEqual([2, []]);
    }
  });
});

describe('A required key', () => {
  test.each([
    [{ requireKey: true }, {}],
    [{}, { WAYBILL_POLICY_REQUIRE_KEY: '1' }],
  ])('is missing: exit 2, with %j and %j', async (policy, env) => {
    const { run } = await shopWith(policy);
    const refusedBy = async (argv: string) => {
      const ran = await run(argv, { env });
      expect([ran.exitCode, ran.seen]).toEqual([2, []]);
      expect(ran.stderr).toContain('a key is required');
    };
    for (const flags of ['', '--plan plan.json', '--allow-duplicate', '--dry-run'])
      await refusedBy(`${SHIP} ${flags}`);
    await refusedBy('ship-dual -f pair.json');
    expect((await run(`${SHIP} --key A`, { env })).exitCode).toBe(0);
    if ('requireKey' in policy) return;
    // The hash of a plan is no name.
    expect((await run(`${SHIP} --set items[0].quantity=3 --plan plan.json`)).exitCode).toBe(0);
    await refusedBy('ship -f plan.json');
  });
});

describe('Plans and dry runs', () => {
  test('a plan is held against all limits, and is not written if one is in the way', async () => {
    const { run, rig } = await shopWith({ maxPrice: '30EUR', maxPerDay: '30EUR' });
    const plan = `${SHIP} --key A --plan plan.json`;
    const lower = { env: { WAYBILL_POLICY_MAX_PRICE: '19EUR' } };
    const tight = await run(plan, lower);
    expect([tight.exitCode, tight.seen]).toEqual([12, [ASKED]]);
    expect((await run('ship-dual -f pair.json --key P --plan plan.json')).exitCode).toBe(12);
    expect(existsSync(join(rig.folder, 'plan.json'))).toBe(false);
    expect((await run(plan)).exitCode).toBe(0);
    // Its limits hold when it is booked.
    expect((await run('ship -f plan.json', lower)).exitCode).toBe(12);
    expect((await run(`${SHIP} --key B`)).exitCode).toBe(0);
    expect((await run('ship -f plan.json')).exitCode).toBe(12);
    const dry = await run('ship -f plan.json --dry-run');
    expect([dry.exitCode, dry.seen]).toEqual([12, []]);
  });

  test('a dry run says what is known without a proposal', async () => {
    const { run, books } = await shopWith({ maxPerDay: '30EUR' });
    const dry = async (argv: string) => {
      const ran = await run(`${argv} --dry-run --json`);
      expect(ran.seen).toEqual([]);
      expect(JSON.parse(ran.stdout)).toHaveProperty('journal.state', 'new');
      return ran.exitCode;
    };
    expect(await dry(`${SHIP} --key A`)).toBe(0);
    expect(await dry(`${SHIP} --key A --max-price 5USD`)).toBe(12);
    expect(await dry('ship-dual -f pair.json --key A')).toBe(12);
    expect(await dry('ship-dual -f pair.json --key A --max-price 30EUR')).toBe(0);
    expect(await dry('ship-dual -f pair.json --key A --max-price 31EUR')).toBe(12);
    books(30);
    expect((await run(`${SHIP} --key A`)).exitCode).toBe(0);
    expect(await dry(`${SHIP} --key B`)).toBe(12);
    expect(await dry('ship-dual -f pair.json --key B --max-price 1EUR')).toBe(12);
  });
});

describe('A batch', () => {
  const BATCH = 'batch ship orders.jsonl --concurrency 1';

  /** Proposals are 10 EUR each; the answers too. */
  async function batchOf(records: unknown[], answer: (key: string) => Reply = key => created(key, 10)) {
    const rig = await shop(records);
    const { env, arrivals } = await scriptedService(answer);
    const run = (argv: string, more = {}) => rig.run(argv, { env: { ...env, ...more } });
    return { rig, run, arrivals };
  }

  test('is stopped by the limit of a day: exit 12, and the rest says so', async () => {
    const { rig, run, arrivals } = await batchOf(orders(5));
    const limited = { WAYBILL_POLICY_MAX_PER_DAY: '25EUR' };
    const ran = await run(`${BATCH} --json`, limited);
    expect(ends(linesIn(rig))).toEqual([
      'ORDER-1 created 0 true',
      'ORDER-2 created 0 true',
      'ORDER-3 not_sent 12 false',
      'ORDER-4 not_sent null false',
      'ORDER-5 not_sent null false',
    ]);
    expect(arrivals).toHaveLength(2);
    expect(summaryOf(ran)).toMatchObject({ stopped: 'over_budget', exitCode: 12, sent: 2 });
    const error = errorOf(ran);
    expect(error).toMatchObject({ code: 'over_budget', exitCode: 12, retry: 'later', created: true });
    expect(error.retryAt).toBe(linesIn(rig)[2]?.error?.retryAt);
    expect(error.message).toContain('the limit of the day has no room for a further one');
    expect(linesIn(rig)[4]?.error?.message).toContain('not started: the limit of the day has no room');
    // The rest when there is room.
    await rig.later(DAY);
    expect((await run(`${BATCH} --json`, { WAYBILL_POLICY_MAX_PER_DAY: '30EUR' })).exitCode).toBe(0);
    expect(arrivals).toHaveLength(5);
  });

  test('shows what is booked, and makes its label, although the limit is lower by now', async () => {
    const { rig, run, arrivals } = await batchOf(orders(2));
    expect((await run(BATCH)).exitCode).toBe(0);
    const low = { WAYBILL_POLICY_MAX_PRICE: '1EUR', WAYBILL_POLICY_MAX_PER_DAY: '1EUR' };
    const ran = await run(`${BATCH} --label`, low);
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(ends(linesIn(rig))).toEqual(['ORDER-1 created 0 false', 'ORDER-2 created 0 false']);
    expect(arrivals).toHaveLength(2);
  });

  test('goes on after an order that is too dear by itself, and ends with 12', async () => {
    const dear = order('ORDER-2', { maxPrice: '9EUR' });
    const { rig, run, arrivals } = await batchOf([order('ORDER-1'), dear, order('ORDER-3')]);
    const bound = { WAYBILL_POLICY_MAX_PRICE: '10EUR' };
    const bounded = await run(BATCH, bound);
    expect([bounded.exitCode, arrivals.length]).toEqual([9, 2]);
    const bounds = ['9EUR', undefined, '11EUR', '9EUR'];
    const pairs = bounds.map((maxPrice, index) => ({ ...dualOrder(`P-${index + 1}`), maxPrice }));
    rig.file('pairs.jsonl', jsonLines(pairs));
    const ran = await run('batch ship-dual pairs.jsonl --concurrency 1', bound);
    expect(ends(linesIn(rig, 'pairs.results.jsonl'))).toEqual([
      'P-1 unknown 8 true',
      'P-2 not_sent 12 false',
      'P-3 not_sent 12 false',
      'P-4 unknown 8 true',
    ]);
    expect(ran.exitCode).toBe(8);
  });

  test('never books more than a day allows, however many it sends at once', async () => {
    const { rig, run, arrivals } = await batchOf(orders(40));
    const limit = { WAYBILL_POLICY_MAX_PER_DAY: '70EUR' };
    const ran = await run('batch ship orders.jsonl --concurrency 10', limit);
    expect([ran.exitCode, arrivals.length]).toEqual([12, 7]);
    expect(linesIn(rig)).toHaveLength(40);
  });

  test('that only estimates counts, and says what would be refused', async () => {
    const { rig, run, arrivals } = await batchOf(orders(5));
    const limited = { WAYBILL_POLICY_MAX_PER_DAY: '35EUR' };
    const estimate = `${BATCH} --dry-run --estimate`;
    const ran = await run(estimate, limited);
    expect([ran.exitCode, arrivals]).toEqual([12, []]);
    expect(ends(linesIn(rig)).map(line => line.split(' ')[1])).toEqual([
      ...['estimated', 'estimated', 'estimated', 'not_sent', 'not_sent'],
    ]);
    expect(ran.stderr).toContain('10.00 EUR would pass the limit of a day (35.00 EUR): 30.00 EUR');
    // What is booked counts first.
    await run('batch ship orders.jsonl', { WAYBILL_POLICY_MAX_PER_DAY: '20EUR' });
    expect((await run(estimate, limited)).exitCode).toBe(12);
    expect((await run(estimate, { WAYBILL_POLICY_MAX_PER_DAY: '50EUR' })).exitCode).toBe(0);
    expect((await run(estimate, { WAYBILL_POLICY_MAX_PRICE: '9EUR' })).exitCode).toBe(12);
  });
});

describe('What a profile keeps for a terminal', () => {
  test('is refused elsewhere: what settles bookings, and what goes on without a journal', async () => {
    const rig = await createRig({ env: BARE, files: { ...FILES, 'old.jsonl': '{}\n' } });
    await rig.run('ship -f whole.json --key A --profile demo');
    await rig.run('profile set demo policy.resolve=terminal');
    for (const argv of [
      'history resolve A --not-created --reason x --force',
      'history resolve A --reopen',
      'history resolve --file old.jsonl',
      'history accept A',
      'history cancelled A --reason x',
      'history import old.jsonl',
      'history check --restored --reason x',
      'history check --new-journal',
      'ship -f whole.json --key B --new-journal',
    ]) {
      const { message } = await refused(rig, `${argv} --profile demo`);
      expect(message).toContain('policy.resolve=terminal');
    }
    const cancelled = 'history cancelled A --reason x --profile demo';
    expect((await rig.run(cancelled, { terminal: true, answer: true })).exitCode).toBe(0);
    expect((await rig.run('history check --profile demo')).exitCode).toBe(0);
  });

  test('is refused elsewhere: the same order twice, under another key, too', async () => {
    const rig = await createRig({ env: BARE, files: FILES });
    rig.file('orders.jsonl', jsonLines([{ ...SHIPMENT, key: 'D' }]));
    await rig.run('profile set demo policy.allowDuplicate=terminal');
    expect((await rig.run('ship -f whole.json --key A --profile demo')).exitCode).toBe(0);
    for (const argv of ['ship -f whole.json --allow-duplicate', 'ship -f whole.json --key B']) {
      const { message } = await refused(rig, `${argv} --profile demo`);
      expect(message).toContain('policy.allowDuplicate=terminal');
    }
    const batch = await rig.run('batch ship orders.jsonl --profile demo');
    expect([batch.exitCode, batch.stderr.includes('policy.allowDuplicate=terminal')]).toEqual([2, true]);
    // Two of one file are claimed at the same moment.
    const pair = ['PAIR-1', 'PAIR-2'].map(key => ({ ...SHIPMENT, key, chargeableWeight: 7 }));
    rig.file('pair.jsonl', jsonLines(pair));
    const both = await rig.run('batch ship pair.jsonl --profile demo');
    expect([both.exitCode, both.stderr]).toEqual([
      2,
      expect.stringContaining('has receiver, goods and parcels of line 1'),
    ]);
    const again = 'ship -f whole.json --key B --profile demo';
    expect((await rig.run(again, { terminal: true, answer: true })).exitCode).toBe(0);
  });

  test('is refused elsewhere: a booking in production, and no read', async () => {
    const { env, tries } = await production();
    const rig = await createRig({ env, files: FILES });
    rig.file('config/config.json', { profiles: { p: { policy: { production: 'terminal' } } }, current: 'p' });
    rig.file('orders.jsonl', jsonLines(orders(1)));
    for (const argv of [
      'ship -f whole.json --key A --yes',
      'ship-dual -f pair.json',
      'label --international S-1',
      'batch ship orders.jsonl',
    ]) {
      const { message } = await refused(rig, argv);
      expect(message).toContain('policy.production=terminal');
    }
    expect(tries()).toBe(0);
    expect((await rig.run('track S-1 --retries 0')).exitCode).toBe(7);
    const ran = await rig.run('ship -f whole.json --key A --yes --retries 0', { terminal: true });
    expect([ran.exitCode, tries()]).toEqual([7, 2]);
  });
});

test('a form asks until it has a key that a limit requires', async () => {
  const env = { WAYBILL_POLICY_REQUIRE_KEY: '1' };
  const key = asked(await answering(await createRig(), 'ship', { key: LEAVE }, { env }), 'key');
  const required = 'a limit requires one (requireKey): type the number of the order';
  for (const text of ['', ' ']) expect(await faultOf(key, text)).toBe(required);
  expect(await faultOf(key, 'ORDER-1')).toBeUndefined();
});

test('limits are settings of a profile: checked, shown, exported and read again', async () => {
  const rig = await createRig({ env: BARE });
  const set = (setting: string) => rig.run(['profile', 'set', 'demo', setting]);
  for (const [setting, why] of [
    ['policy.maxPrice=20', 'must be amounts with their currencies, such as 20EUR or 500EUR,300USD'],
    ['policy.maxPerDay=20EUR,5EUR', 'has EUR twice'],
    ['policy.maxPerDay=999999999999EUR', 'no amount may be above 100000000000'],
    ['policy.requireKey=yes', 'must be one of true, false'],
    ['policy.resolve=never', 'must be one of terminal'],
    ['policy.maxPerDya=5EUR', 'did you mean policy.maxPerDay?'],
  ] as const) {
    const ran = await set(setting);
    expect([ran.exitCode, ran.stderr.includes(why)], ran.stderr).toEqual([2, true]);
  }
  await set('policy.maxPerDay=500 EUR, 300usd');
  await set('policy.requireKey=true');
  await set('policy.production=terminal');
  const policy = { maxPerDay: '500EUR,300USD', requireKey: true, production: 'terminal' };
  expect(await rig.json('profile show demo')).toEqual({ name: 'demo', policy });
  rig.file('profile.json', await rig.json('profile export demo'));
  await rig.run('profile add copy -f profile.json --base-url https://api.example.com --no-input');
  expect(await rig.json('profile show copy')).toMatchObject({ policy });
  for (const name of ['maxPerDay', 'requireKey', 'production']) await set(`policy.${name}=`);
  expect(await rig.json('profile show demo')).toEqual({ name: 'demo' });
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
