import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { dualOrder, linesIn, shop, summaryOf } from '../rig/batch.ts';
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
