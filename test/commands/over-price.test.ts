// A booking above --max-price, of an order or a pair: it exists, a person must know of it, and nothing goes on without that person.
import { describe, expect, test } from 'vitest';
import { dualOrder, ends, linesIn, type Reply, scriptedService, shop, summaryOf } from '../rig/batch.ts';
import { createRig, type RunOptions } from '../rig/command.ts';
import { bookingAt, fill, UNKNOWN } from '../rig/journal.ts';
import { describeBoth } from '../rig/postgres.ts';
import { cannedService, DUAL, errorOf, SHIPMENT } from '../rig/service.ts';

const stdin = JSON.stringify(SHIPMENT);
const pair = { stdin: JSON.stringify(DUAL) };

const at = (price: unknown, currency: string | undefined = 'EUR', id = 'S-1'): Reply => ({
  status: 201,
  body: { id, carrier: { id: 'EXP', name: 'Express', price, currency } },
});

/** A service that proposes 10 EUR and books at this price, and a rig that runs commands at it. */
async function charging(reply: Reply) {
  const rig = await createRig();
  const service = await scriptedService(() => reply);
  const run = (argv: string, options: RunOptions = {}) =>
    rig.run(argv, { stdin, ...options, env: { ...service.env, ...options.env } });
  return { ...service, rig, run };
}

const SHIP = 'ship -f - --max-price 60EUR';
const NO_COMPARISON = 'not comparable with';

describe('The price in the answer to an order', () => {
  test.each<[unknown, string | undefined, number, boolean | null, string]>([
    ['60.00', 'EUR', 0, false, ''],
    ['60.01', 'EUR', 11, true, 'for 60.01 EUR, above --max-price 60 EUR'],
    [59, 'eur', 0, false, ''],
    [59, ' EUR ', 0, false, ''],
    [1, 'USD', 11, true, NO_COMPARISON],
    [1, '', 11, true, NO_COMPARISON],
    ['on request', 'EUR', 11, true, NO_COMPARISON],
    ['1.234', 'EUR', 11, true, NO_COMPARISON],
    [{ amount: 5 }, '', 11, true, NO_COMPARISON],
    [0, 'EUR', 0, null, '0.00 EUR at carrier.price, probably a missing one'],
    ['-1', 'EUR', 0, null, '-1.00 EUR at carrier.price, probably a missing one'],
  ])('of %j %s is exit %i beside a bound of 60 EUR', async (price, currency, exitCode, overPrice, words) => {
    const { run, rig } = await charging(at(price, currency));
    const ran = await run(`${SHIP} -q`);
    expect([ran.exitCode, ran.stdout]).toEqual([exitCode, 'S-1\n']);
    expect(ran.stderr === '').toBe(words === '');
    expect(ran.stderr).toContain(words);
    expect(await rig.json('history list')).toMatchObject([{ state: 'created', overPrice, exitCode }]);
  });

  test.each([
    { id: 'S-1' },
    { id: 'S-1', price: 500, currency: 'EUR' },
    { id: 'S-1', carrier: { totalPrice: 500, price: null, currency: 'EUR' } },
    { id: 'S-1', carrier: [{ price: 500, currency: 'EUR' }] },
    { id: 'S-1', data: { carrier: { price: 500, currency: 'EUR' } } },
  ])('is at carrier.price alone, and without it a warning: %j', async body => {
    const { run, rig } = await charging({ status: 201, body });
    const ran = await run(`${SHIP} -q`);
    expect([ran.exitCode, ran.stdout]).toEqual([0, 'S-1\n']);
    expect(ran.stderr).toContain('warning: the answer has no price at carrier.price');
    expect(await rig.json('history list')).toMatchObject([{ overPrice: null }]);
  });

  test('that a person says was created is warned of if it is missing', async () => {
    const rig = await createRig();
    const { env } = await cannedService({ '/v1/shipments/S-1': { status: 200, body: { id: 'S-1' } } });
    const address = env.WAYBILL_BASE_URL ?? '';
    await fill(rig, 'state', [bookingAt(rig, 1, { ...UNKNOWN, maxPrice: '60 EUR', address })]);
    const ran = await rig.run('history resolve K-1 --created S-1', { env });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(ran.stderr).toMatch(/^warning: booking bk_\d+: the answer has no price at carrier\.price/m);
  });
});

type Priced = Record<string, number | string>;

describe('The prices in the answer to a pair', () => {
  test.each<[string, Priced[], number, unknown, boolean | null, string]>([
    ['within it together', [{ USD: 12 }, { USD: '8.00' }], 0, '20', false, ''],
    ['above it only together', [{ USD: 12 }, { USD: '8.01' }], 11, '20.01', true, '20.01 USD, above'],
    ['above it by one leg', [{ USD: 500 }], 11, 500, true, '500 USD, above'],
    ['of one leg, within it', [{}, { USD: 5 }], 0, 5, null, 'has only the price of one leg, 5.00 USD'],
    ['in another currency', [{ EUR: 5 }, { EUR: 3 }], 11, 8, true, NO_COMPARISON],
    ['in two currencies', [{ EUR: 5 }, { USD: 3 }], 11, '5 EUR + 3 USD', true, NO_COMPARISON],
    ['missing', [], 0, null, null, ''],
  ])('are held against --max-price: %s', async (_, prices, exitCode, price, overPrice, words) => {
    const legs = (['international', 'domestic'] as const).map((leg, index) => {
      const [[currency, amount] = []] = Object.entries(prices[index] ?? {});
      return [leg, { shipment: { id: `S-${leg}`, carrier: { id: leg, price: amount, currency } } }];
    });
    const body = Object.fromEntries(legs);
    const service = await cannedService({ '/v2/shipments': { status: 201, body } });
    const rig = await createRig({ env: service.env });
    // The second time it is the recorded answer.
    for (const seen of [words, exitCode === 0 ? '' : words]) {
      const ran = await rig.run('ship-dual -f - --key P --max-price 20USD -q', pair);
      expect([ran.exitCode, service.seen.length], ran.stderr).toEqual([exitCode, 1]);
      expect(ran.stdout).toBe('S-international\nS-domestic\n');
      expect(ran.stderr).toContain(seen);
    }
    expect(await rig.json('history list')).toMatchObject([{ price, overPrice }]);
  });
});

describe('A booking above --max-price', () => {
  test('gets no label by any command before a person accepts it, and a program is not told to accept it', async () => {
    const { run, paths } = await charging(at(499));
    const { next, created } = errorOf(await run(`${SHIP} --key K --label --json`));
    expect([created, next.map(words => words.slice(0, 3))]).toEqual([true, [['waybill', 'history', 'show']]]);
    for (const label of ['label K', 'label S-1', 'label --international S-1', 'label K --allow-duplicate']) {
      const refusal = errorOf(await run(`${label} --json`));
      expect(refusal).toMatchObject({ code: 'over_price', operation: 'label', created: false });
      expect(refusal.message).toContain('for 499 EUR, above --max-price 60 EUR');
      expect(refusal.next.flat()).not.toContain('accept');
    }
    expect((await run('label K S-1 --json')).exitCode).toBe(9);
    expect((await run(`ship -f - --key K --label --max-price 500EUR`)).exitCode).toBe(11);
    expect(paths).toEqual(['/v1/carriers/proposal']);
    await run('history accept K --reason ok');
    expect((await run(`${SHIP} --key K --label`)).exitCode).toBe(0);
    expect(paths).toEqual(['/v1/carriers/proposal', '/v2/carriers/create']);
  });

  test('of which the answer says success: false too is told as a part, and no command promises its label', async () => {
    const { run, paths } = await charging({
      status: 201,
      body: { success: false, message: 'printer', id: 'S-1', carrier: { price: 499, currency: 'EUR' } },
    });
    const ran = await run(`${SHIP} --key K --label`);
    expect([ran.exitCode, ran.stderr.includes('waybill label')]).toEqual([11, false]);
    expect(ran.stderr).toMatch(/for 499 EUR, above .* Only a part was created: .*printer/);
    expect(ran.stderr).not.toContain('the same command makes it');
    expect((await run('history accept K')).exitCode).toBe(0);
    expect((await run(`${SHIP} --key K --label`)).exitCode).toBe(9);
    expect(paths).toEqual(['/v1/carriers/proposal']);
  });

  test('is one too when its answer comes after it was settled', async () => {
    let settle = async () => {};
    const rig = await createRig();
    const { env } = await scriptedService(async () => {
      await settle();
      return at(499);
    });
    settle = async () => {
      rig.clock.now += 2 * 60 * 60 * 1000;
      await rig.run('history resolve K --not-created --force --reason gone', { env });
    };
    const ran = await rig.run(`${SHIP} --key K -q`, { stdin, env });
    expect([ran.exitCode, ran.stdout]).toEqual([11, 'S-1\n']);
    expect(ran.stderr).toContain('above --max-price 60 EUR');
  });
});

describeBoth('A pair above --max-price that lacks its labels', journal => {
  const PAIR = 'ship-dual -f - --key P --label --max-price 20USD';
  const ABOVE = 'booked as S-1 and D-1 for 90 USD, above --max-price 20 USD';
  const ONCE = ['POST /v2/shipments'];
  const LABELS = 'label --international S-1 --domestic D-1';

  /** At a service that makes pairs for 90 USD and no labels with them, as for a token without that scope. */
  async function dear() {
    const leg = (id: string, price: number) => ({ shipment: { id, carrier: { price, currency: 'USD' } } });
    const label = { success: true, trackingNumber: null, label: null };
    const service = await cannedService({
      '/v2/shipments': { status: 201, body: { international: leg('S-1', 40), domestic: leg('D-1', 50) } },
      '/v2/carriers/create': {
        status: 201,
        body: { success: true, international: label, domestic: label },
      },
    });
    const orders = [dualOrder('A'), dualOrder('B'), dualOrder('C')];
    return { service, rig: await shop(orders, { env: service.env, journal }) };
  }

  test('is exit 11 and has no labels until a person accepts the price', async () => {
    const { service, rig } = await dear();
    for (let times = 0; times < 2; times += 1) {
      const ran = await rig.run(`${PAIR} --json`, pair);
      const { message, next, ...error } = errorOf(ran);
      expect(error).toMatchObject({ code: 'over_price', exitCode: 11, created: true });
      expect(message).toContain(ABOVE);
      expect(message).toContain('no label for the international and domestic leg');
      expect(JSON.parse(ran.stdout).domestic.shipment.id).toBe('D-1');
      expect(ran.stderr).not.toContain('waybill label');
      expect(next.map(words => words.slice(0, 3))).toEqual([['waybill', 'history', 'show']]);
    }
    const kept = { state: 'partial', exitCode: 11, overPrice: true };
    expect(await rig.json('history list')).toMatchObject([kept]);
    const check = await rig.run('history check --strict --json');
    expect([check.exitCode, JSON.parse(check.stdout).waiting]).toMatchObject([
      9,
      [{ why: 'over_price', key: 'P', state: 'partial', price: 90 }],
    ]);
    for (const label of ['label P', LABELS, 'label D-1']) {
      const refusal = errorOf(await rig.run(`${label} --json`));
      expect(refusal).toMatchObject({ code: 'over_price', operation: 'label', created: false });
      expect(refusal.message).toContain(ABOVE);
    }
    expect(service.seen).toEqual(ONCE);
    expect((await rig.run('history accept P --reason ok')).exitCode).toBe(0);
    expect((await rig.run('history check --strict')).exitCode).toBe(0);
    const { code, exitCode, message } = errorOf(await rig.run(`${PAIR} --json`, pair));
    expect([code, exitCode]).toEqual(['partial', 9]);
    expect(message).toMatch(new RegExp(`\`waybill ${LABELS}\`$`));
    expect((await rig.run(LABELS)).exitCode).toBe(0);
    expect(service.seen).toEqual([...ONCE, 'POST /v2/carriers/create']);
  });

  test('stops a batch, and is told by each run until its price is accepted', async () => {
    const { service, rig } = await dear();
    const batch = 'batch ship-dual orders.jsonl --label --max-price 20USD --concurrency 1 --json';
    const ran = await rig.run(batch);
    expect(summaryOf(ran)).toMatchObject({ stopped: 'over_price', exitCode: 11, sent: 1, cost: { USD: 90 } });
    expect(errorOf(ran).message).toContain('`waybill history accept A` records it');
    expect(JSON.stringify(errorOf(ran).issues)).toContain('booked for 90.00 USD');
    expect([ends(linesIn(rig)), service.seen]).toEqual([
      ['A partial 11 true', 'B not_sent null false', 'C not_sent null false'],
      ONCE,
    ]);
    // Those of an earlier run stop nothing.
    expect((await rig.run(batch)).exitCode).toBe(11);
    expect(ends(linesIn(rig))).toEqual(['A partial 11 false', 'B partial 11 true', 'C not_sent null false']);
    expect((await rig.run('history accept A B')).exitCode).toBe(0);
    await rig.run(`${batch} --max-overpriced 2`);
    expect(ends(linesIn(rig))).toEqual(['A partial 9 false', 'B partial 9 false', 'C partial 11 true']);
  });
});
