// `--dry-run` says what the journal knows; `--plan` writes an order that a person can look at, and `-f PLAN` books exactly that.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createRig, type Ran, type Rig, type RunOptions } from '../rig/command.ts';
import { ELSEWHERE, production } from '../rig/production.ts';
import { shopRig } from '../rig/profile.ts';
import {
  bodyOf,
  cannedService,
  DUAL,
  errorOf,
  PROPOSALS,
  refused,
  SHIPMENT,
  sent,
  switchable,
  UNDECIDED,
} from '../rig/service.ts';

const ASKED = `POST ${PROPOSALS}`;
const BOOKED = 'POST /v1/shipments';
const FILES = { 'order.json': UNDECIDED, 'other.json': SHIPMENT, 'pair.json': DUAL };
const ORDER = 'ship -f order.json --carrier EXP --key K';

const read = (rig: Rig, name = 'plan.json') => JSON.parse(readFileSync(join(rig.folder, name), 'utf8'));
const isThere = (rig: Rig, name = 'plan.json') => existsSync(join(rig.folder, name));

async function planned(rig: Rig, argv = ORDER, options?: RunOptions) {
  const ran = await rig.run(`${argv} --plan plan.json`, options);
  expect(ran.exitCode, ran.stderr).toBe(0);
  return read(rig);
}

/** A service whose price for EXP can be changed, as it proposes it and as it books. */
async function pricedService(first: number) {
  const answers: Parameters<typeof cannedService>[0] = {};
  const price = (proposed: number | null, booked = proposed, more: object = {}) => {
    const terms = { isValid: true, deliveryTime: '1-3 days', price: proposed, currency: 'EUR', ...more };
    const proposals = { chargeableWeight: 5, proposals: [{ id: 'EXP', ...terms }] };
    const shipment = { id: 'S-1', carrier: { id: 'EXP', price: booked, currency: 'EUR' } };
    answers[PROPOSALS] = { status: 201, body: proposals };
    answers['/v1/shipments'] = { status: 201, body: shipment };
  };
  const weigh = (chargeableWeight: number) => {
    const { body } = answers[PROPOSALS] ?? {};
    answers[PROPOSALS] = { status: 201, body: { ...(body as object), chargeableWeight } };
  };
  price(first);
  return { ...(await cannedService(answers)), price, weigh };
}

describe('A plan', () => {
  test('has all that is booked; -f books exactly that, once, and the order file is the same order', async () => {
    const rig = await createRig({ files: FILES });
    const ran = await rig.run(`${ORDER} --plan plan.json --json`);
    expect([ran.exitCode, sent(ran)]).toEqual([0, [ASKED]]);
    const plan = read(rig);
    expect(JSON.parse(ran.stdout)).toEqual(plan);
    expect(plan).toEqual({
      plan: 1,
      operation: 'ship',
      place: rig.address,
      sandbox: false,
      key: 'K',
      request: { ...UNDECIDED, carrier: { id: 'EXP' }, chargeableWeight: 5 },
      carrier: 'EXP',
      price: 52.9,
      currency: 'EUR',
      service: null,
      maxPrice: null,
      maxDays: null,
      days: 3,
      expires: '2026-03-03T09:00:00.000Z',
      input: expect.any(String),
      hash: expect.any(String),
    });
    const booked = await rig.run('ship -f plan.json -q');
    expect([booked.exitCode, sent(booked), bodyOf(booked)]).toEqual([0, [ASKED, BOOKED], plan.request]);
    for (const again of ['ship -f plan.json -q', 'ship plan.json --key K -q', `${ORDER} -q`])
      expect(await rig.run(again)).toMatchObject({ exitCode: 0, stdout: booked.stdout, requests: [] });
  });

  test('is a page for people, and its hash with -q', async () => {
    const rig = await createRig({ files: FILES });
    const ran = await rig.run(`${ORDER} --plan plan.json`);
    expect(ran.stderr).toContain('nothing was booked. To book it: `waybill ship -f plan.json`');
    for (const line of [/^Plan +ship to .* \(Berlin, DE\)$/m, /^Price +52\.90 EUR$/m, /^Hash +\S+$/m])
      expect(ran.stdout).toMatch(line);
    expect((await rig.run(`${ORDER} --plan plan.json -q`)).stdout).toBe(`${read(rig).hash}\n`);
    await rig.run('ship plan.json -q');
    expect((await rig.run('ship plan.json --dry-run')).stdout).toContain(
      'it is booked: the same command shows the recorded answer',
    );
  });

  test('--plan - is stdout, which -f - reads', async () => {
    const rig = await createRig({ files: FILES });
    const { stdout } = await rig.run(`${ORDER} --plan -`);
    expect(isThere(rig, '-')).toBe(false);
    const booked = await rig.run('ship -f - --label --download labels', { stdin: stdout });
    expect([booked.exitCode, bodyOf(booked, 1)]).toEqual([0, JSON.parse(stdout).request]);
    expect(isThere(rig, 'labels/K.pdf')).toBe(true);
  });

  test('of a pair has no price, and is booked in one call', async () => {
    const rig = await createRig({ files: FILES });
    const plan = await planned(rig, 'ship-dual -f pair.json --key P');
    expect(plan).toMatchObject({ operation: 'ship-dual', price: null, currency: null, days: null });
    const booked = await rig.run('ship-dual -f plan.json -q');
    expect([booked.exitCode, sent(booked), bodyOf(booked)]).toEqual([
      0,
      ['POST /v2/shipments'],
      plan.request,
    ]);
    expect(await rig.run('ship-dual -f pair.json --key P -q')).toMatchObject({
      stdout: booked.stdout,
      requests: [],
    });
  });

  test('of a pair without labels is booked without, though the profile has label=true; --label makes them in the call', async () => {
    const shop = await shopRig({ label: true });
    for (const key of ['P-1', 'P-2'])
      shop.file(`${key}.json`, { ...DUAL, receiver: { ...(DUAL.receiver as object), firstName: key } });
    const plan = (key: string) => planned(shop, `ship-dual -f ${key}.json --key ${key} --no-label`);
    const { request } = await plan('P-1');
    const booked = await shop.run('ship-dual -f plan.json');
    expect([booked.exitCode, bodyOf(booked)]).toEqual([0, request]);
    const without = await refused(shop, 'ship-dual -f plan.json --label');
    expect(without).toMatchObject({ code: 'duplicate', message: expect.stringContaining('without labels') });
    expect(without.message).toMatch(/`waybill label --international \S+ --domestic \S+` makes them/);
    await plan('P-2');
    for (const sent of [1, 0]) {
      const labelled = await shop.run('ship-dual -f plan.json --label --json');
      expect([labelled.exitCode, labelled.requests.length]).toEqual([0, sent]);
      expect(JSON.parse(labelled.stdout).international.label.success).toBe(true);
    }
    expect(await shop.run('ship-dual -f plan.json')).toMatchObject({ exitCode: 0, requests: [] });
  });

  test('of a pair without a key is one order with and without labels', async () => {
    const rig = await createRig({ files: FILES });
    for (const name of ['plan.json', 'second.json']) {
      await rig.later(1000);
      await rig.run(`ship-dual -f pair.json --plan ${name}`);
    }
    expect((await rig.run('ship-dual -f plan.json --label')).exitCode).toBe(0);
    for (const again of ['-f second.json', '-f second.json --label', '-f pair.json'])
      expect(await refused(rig, `ship-dual ${again}`)).toMatchObject({ code: 'duplicate' });
  });

  test('without a key has its hash as one; the order itself is a duplicate then, and so is another plan of it', async () => {
    const rig = await createRig({ files: FILES });
    const argv = 'ship -f order.json --carrier EXP';
    const { hash, key } = await planned(rig, argv);
    await rig.later(1000);
    await rig.run(`${argv} --plan second.json`);
    const booked = await rig.run('ship -f plan.json -q');
    expect([key, booked.exitCode]).toEqual([null, 0]);
    const [row] = await rig.json('history list');
    expect(row.key).toBe(hash);
    expect(await rig.run('ship -f plan.json -q')).toMatchObject({ stdout: booked.stdout, requests: [] });
    for (const again of [argv, `${argv} --plan third.json`, 'ship -f second.json'])
      expect(await refused(rig, again)).toMatchObject({ code: 'duplicate', booking: row.id });
    expect(isThere(rig, 'third.json')).toBe(false);
  });

  test('is not made, but the recorded answer is shown, if the key is booked with this input', async () => {
    const rig = await createRig({ files: FILES });
    const booked = await rig.run(`${ORDER} -q`);
    const ran = await rig.run(`${ORDER} --label --plan plan.json --json`);
    expect(ran).toMatchObject({ exitCode: 0, requests: [] });
    expect(JSON.parse(ran.stdout).id).toBe(booked.stdout.trim());
    expect(ran.stderr).toMatch(/\{"booking":.*"sent":false/);
    expect(isThere(rig)).toBe(false);
  });

  test.each<[string, string, number, string[]]>([
    ['key that is booked with other input', 'ship -f other.json --key K', 2, []],
    ['bound that no proposal keeps', 'ship -f order.json --carrier EXP --max-price 1EUR --key N', 4, [ASKED]],
    ['request with an issue', 'ship -f order.json --carrier EXP --set items=[] --key N', 2, []],
    ['dry run, too', 'ship -f order.json --carrier EXP --dry-run', 2, []],
  ])('of a %s is no file', async (_, argv, exitCode, requests) => {
    const rig = await createRig({ files: FILES });
    await rig.run(ORDER);
    const ran = await rig.run(`${argv} --plan plan.json`);
    expect([ran.exitCode, sent(ran), ran.stdout, isThere(rig)]).toEqual([exitCode, requests, '', false]);
  });

  test('of an order that is unknown is exit 8, and no file', async () => {
    const fault = switchable('reset-after');
    const rig = await createRig({ ...fault, files: FILES });
    fault.turn('on');
    expect((await rig.run('ship -f other.json --key K')).exitCode).toBe(8);
    fault.turn('off');
    const ran = await rig.run('ship -f other.json --key K --plan plan.json');
    expect(ran).toMatchObject({ exitCode: 8, requests: [], stdout: '' });
    expect(isThere(rig)).toBe(false);
  });

  test('needs no yes for production, and is asked for when it is booked', async () => {
    const rig = await createRig({ files: FILES });
    const { atTerminal, tries } = await production();
    const argv = 'ship-dual -f pair.json --key P --plan plan.json';
    expect(await rig.run(argv, atTerminal)).toMatchObject({ exitCode: 0, asked: [] });
    const ran = await rig.run('ship-dual -f plan.json', atTerminal);
    expect([ran.exitCode, ran.asked, tries()]).toEqual([
      130,
      [
        `Book this? the price is not known, EXP and DOM, ${ELSEWHERE}; order "P" to "Anna Beispiel" ("Berlin", DE)`,
      ],
      0,
    ]);
  });

  test('replaces an earlier plan, and no other file', async () => {
    const rig = await createRig({ files: FILES });
    const first = await planned(rig);
    await rig.later(1000);
    expect((await planned(rig)).hash).not.toBe(first.hash);
    await refused(rig, `${ORDER} --plan order.json`);
    await refused(rig, `${ORDER} --plan state/journal.db`);
    expect(read(rig, 'order.json')).toEqual(UNDECIDED);
    expect(await rig.run(`${ORDER} --plan missing/plan.json`)).toMatchObject({ exitCode: 10, requests: [] });
  });
});

describe('The price of a plan', () => {
  test.each<[string, [number, number?], number, string[]]>([
    ['the same', [20], 0, [ASKED, BOOKED]],
    ['cheaper', [19], 0, [ASKED, BOOKED]],
    ['dearer', [20.01], 4, [ASKED]],
    ['dearer in the answer alone', [20, 21], 11, [ASKED, BOOKED]],
  ])('is held when it is booked: %s', async (_, later, exitCode, requests) => {
    const service = await pricedService(20);
    const rig = await createRig({ files: FILES, env: service.env });
    const plan = await planned(rig);
    expect([plan.price, plan.currency]).toEqual([20, 'EUR']);
    service.price(...later);
    const ran = await rig.run('ship -f plan.json');
    expect([ran.exitCode, service.seen.slice(1)]).toEqual([exitCode, requests]);
  });

  test.each<[string, number | null, string, number]>([
    ['a proposal without a price', null, '', 4],
    ['a price of 0', 0, '', 4],
    ['more weight than the proposals are for', 20, ' --chargeable-weight 9', 4],
    ['a carrier that no proposal lists', 20, ' --set carrier.id=OTHER --chargeable-weight 5', 4],
  ])('is needed: of %s there is no plan', async (_, price, more, exitCode) => {
    const service = await pricedService(20);
    service.price(price);
    const rig = await createRig({ files: FILES, env: service.env });
    const argv = `ship -f order.json --key K ${more.includes('OTHER') ? '' : '--carrier EXP'}${more}`;
    const ran = await rig.run(`${argv} --plan plan.json`);
    expect([ran.exitCode, ran.stdout, isThere(rig), service.seen]).toEqual([exitCode, '', false, [ASKED]]);
    // The order itself is booked, with a warning.
    expect((await rig.run(argv)).exitCode).toBe(0);
  });

  test.each<[string, [number | null, number?, object?]]>([
    ['no price', [null]],
    ['a price of 0', [0]],
    ['another weight, so that its price is for less', [20, 20, {}]],
    ['another currency', [20, 20, { currency: 'USD' }]],
    ['more days than its bound', [20, 20, { deliveryTime: '2-5 days' }]],
    ['another service', [20, 20, { serviceType: 'economy' }]],
  ])('and its bounds are held when it is booked: %s is exit 4', async (why, later) => {
    const service = await pricedService(20);
    service.price(20, 20, { serviceType: 'express' });
    const rig = await createRig({ files: FILES, env: service.env });
    const weight = why.includes('weight') ? ' --chargeable-weight 5' : '';
    const plan = await planned(rig, `${ORDER} --max-price 60EUR --max-days 3 --service express${weight}`);
    expect(plan).toMatchObject({ maxPrice: '60 EUR', maxDays: 3, service: 'express' });
    service.price(...later);
    if (weight) service.weigh(4);
    const ran = await rig.run('ship -f plan.json');
    expect([ran.exitCode, service.seen.slice(1)], ran.stderr).toEqual([4, [ASKED]]);
  });

  test('of a pair is its --max-price, which is held against limits and the answer', async () => {
    const rig = await createRig({ files: FILES, env: { WAYBILL_POLICY_MAX_PRICE: '50EUR' } });
    const plan = await planned(rig, 'ship-dual -f pair.json --key P --max-price 40EUR');
    expect(plan).toMatchObject({ price: null, maxPrice: '40 EUR' });
    const shipment = (id: string) => ({ shipment: { id, carrier: { id, price: 21, currency: 'EUR' } } });
    const answer = { international: shipment('S-1'), domestic: shipment('S-2') };
    const { env } = await cannedService({ '/v2/shipments': { status: 201, body: answer } });
    expect((await rig.run('ship-dual -f plan.json')).exitCode).toBe(0);
    rig.file('pair-2.json', { ...DUAL, category: 'gift' });
    await planned(rig, 'ship-dual -f pair-2.json --key P-2 --max-price 40EUR', { env });
    expect((await rig.run('ship-dual -f plan.json', { env })).exitCode).toBe(11);
  });
});

describe('A plan is refused, and nothing is sent,', () => {
  test('if its content is another, in whatever field; its layout does not matter', async () => {
    const rig = await createRig({ files: FILES });
    const plan = await planned(rig);
    for (const [name, value] of Object.entries(plan)) {
      rig.file('plan.json', { ...plan, [name]: name === 'sandbox' ? true : [value] });
      expect((await refused(rig, 'ship -f plan.json')).message, name).toContain('is no plan as it was made');
    }
    rig.file('plan.json', Object.fromEntries(Object.entries(plan).reverse()));
    expect((await rig.run('ship -f plan.json')).exitCode).toBe(0);
  });

  test('after a day', async () => {
    const rig = await createRig({ files: FILES });
    await planned(rig);
    await rig.later(24 * 3_600_000 - 1);
    expect((await rig.run('ship -f plan.json --dry-run')).exitCode).toBe(0);
    await rig.later(1);
    expect((await refused(rig, 'ship -f plan.json')).message).toContain('ended at 2026-03-03T09:00:00.000Z');
  });

  test('in another place: address, account, sandbox, operation', async () => {
    const rig = await createRig({ files: FILES });
    await planned(rig);
    const other = await pricedService(20);
    for (const [argv, words, options] of [
      ['ship -f plan.json', 'is a plan for', { env: other.env }],
      ['ship -f plan.json --sandbox', 'is a plan for', {}],
      ['ship-dual -f plan.json', 'is a plan of `waybill ship`', {}],
    ] as const)
      expect((await refused(rig, argv, options)).message).toContain(words);
    const shop = await shopRig({ account: 'A' });
    for (const [name, content] of Object.entries(FILES)) shop.file(name, content);
    await planned(shop);
    await shop.run('profile set shop account=B');
    expect((await refused(shop, 'ship -f plan.json')).message).toContain('account A, and this is');
  });

  test('with options of the request beside it', async () => {
    const rig = await createRig({ files: FILES });
    await planned(rig);
    for (const [more, words] of [
      ['--set type=document', '--set'],
      ['--carrier cheapest', '--carrier'],
      ['--max-price 60EUR', '--max-price'],
      ['--package 1kg@1x1x1', '--package'],
      ['--like K', '--like'],
      ['--plan other-plan.json', '--plan'],
      ['--key L', 'with the key "K"'],
    ])
      expect((await refused(rig, `ship -f plan.json ${more}`)).message).toContain(words);
  });

  test('by a batch', async () => {
    const rig = await createRig({ files: FILES });
    const plan = await planned(rig);
    rig.file('plans.json', [plan]);
    rig.file('plans.jsonl', `${JSON.stringify(plan)}\n`);
    for (const name of ['plan.json', 'plans.json', 'plans.jsonl'])
      expect(await rig.run(`batch ship ${name}`)).toMatchObject({ exitCode: 2, requests: [] });
    expect((await rig.run('batch ship plans.json --plan x.json')).exitCode).toBe(2);
  });

  test('but what the profile says of an order by now does not count', async () => {
    const shop = await shopRig({ category: 'gift', carrier: 'cheapest' });
    shop.file('order.json', (({ category, ...rest }) => rest)(UNDECIDED));
    const plan = await planned(shop, 'ship -f order.json --key K');
    await shop.run('profile set shop category=sales carrier=fastest maxPrice=1EUR maxDays=1 label=yes');
    const ran = await shop.run('ship -f plan.json');
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(bodyOf(ran, 1)).toEqual(plan.request);
    expect(plan.request).toMatchObject({ category: 'gift', carrier: { id: 'EXP' } });
    expect(sent(ran)).toEqual([ASKED, BOOKED, 'POST /v2/carriers/create']);
  });
});

describe('--dry-run says what the journal knows of the key', () => {
  const dry = async (rig: Rig, argv: string, options?: RunOptions) => {
    const ran: Ran = await rig.run(`${argv} --dry-run --json`, options);
    expect(ran.requests).toEqual([]);
    return { exitCode: ran.exitCode, journal: JSON.parse(ran.stdout).journal, ran };
  };
  const OTHER = 'ship -f other.json';

  test('new, booked, duplicate', async () => {
    const rig = await createRig({ files: FILES });
    const fresh = { state: 'new', booking: null };
    expect(await dry(rig, `${OTHER} --key K`)).toMatchObject({ exitCode: 0, journal: fresh });
    expect(existsSync(join(rig.folder, 'state'))).toBe(false);
    await rig.run(`${OTHER} --key K`);
    const [{ id: booking }] = await rig.json('history list');
    expect(await dry(rig, `${OTHER} --key K`)).toMatchObject({
      exitCode: 0,
      journal: { state: 'booked', booking },
    });
    expect(await dry(rig, `${OTHER} --key L`)).toMatchObject({ exitCode: 0, journal: fresh });
    const duplicate = { state: 'duplicate', booking };
    for (const argv of [`${OTHER} --key K --set category=gift`, OTHER]) {
      const { exitCode, journal, ran } = await dry(rig, argv);
      expect([exitCode, journal]).toEqual([2, duplicate]);
      expect(errorOf(ran)).toMatchObject({ code: 'duplicate', booking });
    }
    expect(await dry(rig, `${OTHER} --allow-duplicate`)).toMatchObject({ exitCode: 0, journal: fresh });
    // A key that a spreadsheet has mangled would not be booked.
    expect(await dry(rig, `${OTHER} --key 1.23457E+17`)).toMatchObject({ exitCode: 2, journal: fresh });
    expect(await dry(rig, `${OTHER} --key L --strict`)).toMatchObject({ exitCode: 2, journal: duplicate });
  });

  test('pending, and then unknown', async () => {
    const rig = await createRig({ files: FILES });
    const silent = await cannedService({});
    const sending = rig.run(`${OTHER} --key K --timeout 2`, silent);
    await silent.received(1);
    expect(await dry(rig, `${OTHER} --key K`, silent)).toMatchObject({
      exitCode: 0,
      journal: { state: 'pending' },
    });
    expect((await sending).exitCode).toBe(8);
    const { exitCode, journal, ran } = await dry(rig, `${OTHER} --key K`, silent);
    expect([exitCode, journal.state]).toEqual([8, 'unknown']);
    expect(errorOf(ran)).toMatchObject({ code: 'outcome_unknown', booking: journal.booking });
  });
});
