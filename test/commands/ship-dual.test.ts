import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { dualOrder, ends, linesIn, shop, summaryOf } from '../rig/batch.ts';
import { createRig } from '../rig/command.ts';
import { describeBoth } from '../rig/postgres.ts';
import { bodyOf, cannedService, DUAL, errorOf, posted, sent } from '../rig/service.ts';

const stdin = JSON.stringify(DUAL);
const ONCE = ['POST /v2/shipments'];

test('ship-dual books both legs with one call and shows them', async () => {
  const rig = await createRig();
  const ran = await rig.run('ship-dual -f -', { stdin });
  expect(ran).toMatchObject({ exitCode: 0, stderr: '', asked: [] });
  expect(sent(ran)).toEqual(ONCE);
  expect(bodyOf(ran)).toEqual(DUAL);
  const rows = ran.stdout
    .trimEnd()
    .split('\n')
    .map(line => line.split(/ {2,}/));
  expect(rows).toEqual([
    ['LEG', 'SHIPMENT', 'CARRIER', 'TRACKING NUMBER', 'LABEL'],
    ['international', expect.stringMatching(/^\S+$/), expect.stringMatching(/^Emulated/), '-', '-'],
    ['domestic', expect.stringMatching(/^\S+$/), 'Emulated Domestic', '-', '-'],
  ]);
});

test('its carriers come from flags, and lacking one is refused before anything is sent', async () => {
  const rig = await createRig();
  const { carriers, ...rest } = DUAL;
  const body = JSON.stringify(rest);
  const ran = await rig.run('ship-dual -f - --international EXP --domestic DOM -q', { stdin: body });
  expect(sent(ran)).toEqual(ONCE);
  expect(bodyOf(ran)).toMatchObject({ carriers: { international: { id: 'EXP' }, domestic: { id: 'DOM' } } });
  const lacking = await rig.run('ship-dual -f - --international EXP --json', { stdin: body });
  expect(errorOf(lacking)).toMatchObject({
    issues: [{ path: 'carriers.domestic.id', message: 'is required (--domestic)' }],
  });
  expect(lacking.requests).toEqual([]);
});

describeBoth('ship-dual --label', journal => {
  test('makes both labels in the same call', async () => {
    const rig = await createRig({ journal });
    const ran = await rig.run('ship-dual -f - --label --json', { stdin });
    expect(ran).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(/^\{"booking":.*\n$/) });
    expect(sent(ran)).toEqual(ONCE);
    expect(bodyOf(ran)).toMatchObject({ label: true });
    expect(JSON.parse(ran.stdout)).toMatchObject({
      international: { label: { success: true, labelPdf: expect.stringMatching(/\.pdf$/) } },
      domestic: { label: { success: true } },
    });
  });

  test('saves the one that has a link, and says of the other that there is none', async () => {
    const rig = await createRig({ journal });
    const ran = await rig.run('ship-dual -f - --label --download out/labels', { stdin });
    expect(sent(ran)).toEqual([...ONCE, expect.stringMatching(/^GET \/labels\/\S+\.pdf$/)]);
    const [, international] = ran.stdout.split('\n')[1]?.split(/ +/) ?? [];
    const file = `${rig.folder}/out/labels/${international}.pdf`;
    expect(readdirSync(`${rig.folder}/out/labels`)).toEqual([`${international}.pdf`]);
    expect(ran.stdout).toContain(file);
    expect(ran.stderr).toBe(
      `label saved: ${file}\nthe domestic label cannot be saved: the service gave no link to it\n`,
    );
  });

  test('may be asked for by the file or --set as well', async () => {
    const rig = await createRig({ journal });
    const ran = await rig.run('ship-dual -f - --set label=true --download labels -q', { stdin });
    expect([ran.exitCode, posted(ran), readdirSync(`${rig.folder}/labels`).length]).toEqual([0, ONCE, 1]);
  });

  test('without the scope creates the shipments, and the command in the message makes the labels', async () => {
    const rig = await createRig({
      journal,
      tokens: new Map<string, 'all' | ReadonlySet<string>>([
        ['writer', new Set(['shipment:write'])],
        ['labeller', 'all'],
      ]),
    });
    const ran = await rig.run('ship-dual -f - --label --json', { stdin, env: { WAYBILL_TOKEN: 'writer' } });
    const { international, domestic } = JSON.parse(ran.stdout);
    expect(international.shipment.id).toMatch(/\S/);
    expect(errorOf(ran)).toMatchObject({
      code: 'partial',
      exitCode: 9,
      operation: 'ship-dual',
      httpStatus: 201,
    });
    const { message } = errorOf(ran);
    expect(message).toContain('no label for the international and domestic leg');
    expect(message).toContain('do not book it again');
    const command = `label --international ${international.shipment.id} --domestic ${domestic.shipment.id}`;
    expect(message).toMatch(new RegExp(`waybill ${command}$`));
    expect(sent(ran)).toEqual(ONCE);

    const mended = await rig.run(`${command} --json`, { env: { WAYBILL_TOKEN: 'labeller' } });
    expect(mended.exitCode).toBe(0);
    expect(sent(mended)).toEqual(['POST /v2/carriers/create']);
    expect(JSON.parse(mended.stdout)).toMatchObject({
      international: { success: true },
      domestic: { success: true },
    });
  });
});

test('one leg without the other is shown, exit 9, and is not to be booked again', async () => {
  const rig = await createRig();
  const answer = { success: true, international: { shipment: { id: 'I' } } };
  const { env, seen } = await cannedService({ '/v2/shipments': { status: 201, body: answer } });
  const ran = await rig.run('ship-dual -f - --json', { stdin, env });
  expect(errorOf(ran)).toMatchObject({ code: 'partial', exitCode: 9, operation: 'ship-dual', body: answer });
  expect(errorOf(ran).message).toContain('only');
  expect(errorOf(ran).message).toMatch(/do not book it again$/);
  expect(JSON.parse(ran.stdout)).toEqual(answer);
  expect(seen).toEqual(ONCE);
});

test.each(['fastest', 'Cheapest'])(
  '%s, which ship takes for a wish, is warned of, and sent as an id',
  async word => {
    const rig = await createRig();
    const argv = `ship-dual -f - --international ${word} --domestic DOM`;
    const said = `ship-dual accepts only carrier ids; "${word}" is sent as one`;
    const ran = await rig.run(argv, { stdin });
    expect(ran.stderr).toContain(`warning: ${said}\n`);
    expect(bodyOf(ran)).toMatchObject({ carriers: { international: { id: word } } });
    const strict = await rig.run(`${argv} --strict --json`, { stdin });
    expect(strict).toMatchObject({ exitCode: 2, requests: [] });
    expect(errorOf(strict).issues).toEqual([{ path: '', message: said }]);
  },
);

type Priced = Record<string, number | string>;

/** A service whose answer to a pair has these prices by their currencies; a leg without one has none. */
const charging = (...prices: Priced[]) =>
  cannedService({
    '/v2/shipments': {
      status: 201,
      body: Object.fromEntries(
        (['international', 'domestic'] as const).map((leg, at) => {
          const [[currency, price] = []] = Object.entries(prices[at] ?? {});
          return [leg, { shipment: { id: `S-${leg}`, carrier: { id: leg, price, currency } } }];
        }),
      ),
    },
  });

describe('The prices in the answer to a pair', () => {
  test.each<[string, Priced[], number, unknown, boolean | null, string]>([
    ['within it together', [{ USD: 12 }, { USD: '8.00' }], 0, '20', false, ''],
    [
      'above it only together',
      [{ USD: 12 }, { USD: '8.01' }],
      11,
      '20.01',
      true,
      '20.01 USD, which is above',
    ],
    ['above it by one leg', [{ USD: 500 }], 11, 500, true, '500 USD, which is above'],
    ['of one leg, within it', [{}, { USD: 5 }], 0, 5, null, 'has the price of one leg alone, 5.00 USD'],
    ['in another currency', [{ EUR: 5 }, { EUR: 3 }], 11, 8, true, 'which cannot be compared'],
    ['in two currencies', [{ EUR: 5 }, { USD: 3 }], 11, '5 EUR + 3 USD', true, 'which cannot be compared'],
    ['missing', [], 0, null, null, ''],
  ])('are held against --max-price: %s', async (_, prices, exitCode, price, overPrice, words) => {
    const service = await charging(...prices);
    const rig = await createRig({ env: service.env });
    const command = 'ship-dual -f - --key P --max-price 20USD';
    const ran = await rig.run(command, { stdin });
    expect([ran.exitCode, service.seen.length], ran.stderr).toEqual([exitCode, 1]);
    expect(ran.stderr).toContain(words);
    // Again: the recorded answer.
    expect([(await rig.run(command, { stdin })).exitCode, service.seen.length]).toEqual([exitCode, 1]);
    const [row] = await rig.json('history list');
    expect([row.price, row.overPrice]).toEqual([price, overPrice]);
  });

  test('of one leg alone are warned of, also with -q', async () => {
    const { env } = await charging({ USD: 5 });
    const rig = await createRig({ env });
    const ran = await rig.run('ship-dual -f - --key P --max-price 20USD -q', { stdin });
    expect([ran.exitCode, ran.stdout]).toEqual([0, 'S-international\nS-domestic\n']);
    expect(ran.stderr).toContain('has the price of one leg alone, 5.00 USD, so it cannot be compared');
  });

  test('count in the summary and against the limit of a day', async () => {
    const service = await charging({ USD: 40 }, { USD: 50 });
    const limits = { WAYBILL_POLICY_MAX_PER_DAY: '100USD' };
    const rig = await createRig({ env: { ...service.env, ...limits } });
    const first = await rig.run('ship-dual -f - --key P --max-price 20USD', { stdin });
    expect(first.exitCode).toBe(11);
    const [all] = await rig.json('history summary');
    expect(all).toMatchObject({ shipments: 2, cost: { USD: 90 }, withoutPrice: 0, overPrice: 1 });
    const second = await rig.run('ship-dual -f - --key Q --max-price 20USD --allow-duplicate', { stdin });
    expect([second.exitCode, service.seen.length]).toEqual([12, 1]);
    expect((await rig.run('history accept P --reason ok')).exitCode).toBe(0);
    expect((await rig.run('ship-dual -f - --key P --max-price 20USD', { stdin })).exitCode).toBe(0);
  });

  test('stop a batch above --max-price', async () => {
    const { env } = await charging({ USD: 40 }, { USD: 50 });
    const rig = await shop([dualOrder('A'), dualOrder('B'), dualOrder('C')], { env });
    const ran = await rig.run('batch ship-dual orders.jsonl --max-price 20USD --concurrency 1 --json');
    expect([ran.exitCode, summaryOf(ran).cost]).toEqual([11, { USD: 90 }]);
    expect(linesIn(rig).map(({ state, price, overPrice }) => [state, price, overPrice])).toEqual([
      ['created', 90, true],
      ['not_sent', null, null],
      ['not_sent', null, null],
    ]);
  });
});

describeBoth('A pair above --max-price that lacks its labels', journal => {
  const PAIR = 'ship-dual -f - --key P --label --max-price 20USD';
  const ABOVE = 'booked as S-1 and D-1 for 90 USD, which is above --max-price 20 USD';

  /** At a service that makes pairs for 90 USD and no labels with them, as for a token without that scope. */
  async function dear() {
    const legs = [
      ['international', 'S-1', 40],
      ['domestic', 'D-1', 50],
    ] as const;
    const pair = legs.map(([leg, id, price]) => [
      leg,
      { shipment: { id, carrier: { price, currency: 'USD' } } },
    ]);
    const label = { success: true, trackingNumber: null, label: null };
    const service = await cannedService({
      '/v2/shipments': { status: 201, body: Object.fromEntries(pair) },
      '/v2/carriers/create': {
        status: 201,
        body: { success: true, international: label, domestic: label },
      },
    });
    const orders = [dualOrder('A'), dualOrder('B'), dualOrder('C')];
    return { service, rig: await shop(orders, { env: service.env, journal }) };
  }

  test('is exit 11 until a person accepts the price, and names no command for its labels', async () => {
    const { service, rig } = await dear();
    for (const again of [false, true]) {
      const ran = await rig.run(`${PAIR} --json`, { stdin });
      const { message, next, ...error } = errorOf(ran);
      expect(error).toMatchObject({ code: 'over_price', exitCode: 11, created: true });
      expect(message).toContain(ABOVE);
      expect(message).toContain('Only a part was created: no label for the international and domestic leg');
      expect([ran.exitCode, JSON.parse(ran.stdout).domestic.shipment.id]).toEqual([11, 'D-1']);
      expect(ran.stderr).not.toContain('waybill label');
      expect(
        next.map(words => words.slice(0, 3)),
        `${again}`,
      ).toEqual([['waybill', 'history', 'show']]);
    }
    expect(await rig.run(`${PAIR} -q`, { stdin })).toMatchObject({ exitCode: 11, stdout: 'S-1\nD-1\n' });
    expect(service.seen).toEqual(ONCE);
    expect(await rig.json('history list')).toMatchObject([
      { state: 'partial', exitCode: 11, overPrice: true },
    ]);
    expect((await rig.run('history show P')).stdout).toMatch(/^P: partial, above --max-price\n/);
    const check = await rig.run('history check --strict --json');
    expect([check.exitCode, JSON.parse(check.stdout).waiting]).toMatchObject([
      9,
      [{ why: 'over_price', key: 'P', state: 'partial', price: 90 }],
    ]);
  });

  test('gets its labels when a person has accepted the price, and not before', async () => {
    const { service, rig } = await dear();
    await rig.run(PAIR, { stdin });
    for (const label of ['label P', 'label --international S-1 --domestic D-1', 'label D-1']) {
      const refusal = errorOf(await rig.run(`${label} --json`));
      expect(refusal).toMatchObject({ code: 'over_price', operation: 'label', created: false });
      expect(refusal.message).toContain(ABOVE);
    }
    expect(service.seen).toEqual(ONCE);
    for (const word of ['is', 'was'])
      expect(await rig.run('history accept P --reason ok')).toMatchObject({
        exitCode: 0,
        stdout: expect.stringMatching(new RegExp(`^The price of booking bk_\\w+ ${word} accepted`)),
      });
    expect((await rig.run('history check --strict')).exitCode).toBe(0);
    const ran = await rig.run(`${PAIR} --json`, { stdin });
    expect(errorOf(ran)).toMatchObject({ code: 'partial', exitCode: 9 });
    const make = 'label --international S-1 --domestic D-1';
    expect(errorOf(ran).message).toMatch(new RegExp(`waybill ${make}$`));
    expect((await rig.run(make)).exitCode).toBe(0);
    expect(service.seen).toEqual([...ONCE, 'POST /v2/carriers/create']);
  });

  test('stops a batch, and is told by each run until its price is accepted', async () => {
    const { service, rig } = await dear();
    const batch = 'batch ship-dual orders.jsonl --label --max-price 20USD --concurrency 1 --json';
    const ran = await rig.run(batch);
    expect(summaryOf(ran)).toMatchObject({ stopped: 'over_price', exitCode: 11, sent: 1, cost: { USD: 90 } });
    expect(errorOf(ran).message).toContain('1 booked above --max-price. If a person accepts that');
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
