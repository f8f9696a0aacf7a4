// The main jobs of waybill, at a service that speaks a dialect.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createRig, type Ran } from '../rig/command.ts';
import { BARE } from '../rig/profile.ts';
import { DUAL, posted, UNDECIDED } from '../rig/service.ts';
import { type Body, type Dialect, type DialectService, speak } from './dialect-service.ts';

export interface Spoken extends Dialect {
  expected: {
    /** The field that answers are in. */
    inside: string | undefined;
    /** Ids of the carriers that can be booked. */
    carriers: { cheapest: string; fastest: string; domestic: string };
    /** How many proposals an answer has, and how many of them can be booked. */
    offers: { all: number; bookable: number };
    /** Why one of them cannot be booked, in words of the service. */
    refusal?: string;
    /** The service type of the cheapest carrier, in other letters. */
    service: string;
    /** A bound that only the fastest carrier keeps, and one that none keeps. */
    days: { forFastest: number; forNone: number };
    /** Is this how the files of labels were asked for? */
    files(asked: DialectService['asked']): boolean;
  };
}

const QUOTE = 'quote --from TR --to DE --package 3.2kg@40x30x20cm';
const withIoss = (order: Body): Body => ({
  ...order,
  customs: { ...order.customs, iossNumber: 'IM2760000742' },
});
/** 3.2 kg from Turkey to Germany, to be booked with any carrier: 27.50 EUR with the cheapest one, 52.90 with the fastest. */
const ORDER = withIoss(UNDECIDED);
const orderOf = (firstName: string): Body => ({ ...ORDER, receiver: { ...ORDER.receiver, firstName } });

async function stage(dialect: Spoken) {
  const rig = await createRig({ env: BARE });
  const service = await speak(dialect, rig.address);
  const { add, settings = [], env } = dialect.connect(service.address);
  const { cheapest, domestic } = dialect.expected.carriers;
  const run = (argv: string | string[], body?: unknown): Promise<Ran> =>
    rig.run(argv, {
      env: { ...env, WAYBILL_ECONOMY_CARRIERS: cheapest },
      ...(body !== undefined && { stdin: JSON.stringify(body) }),
    });
  /** Runs a command that does well. */
  const well = async (argv: string | string[], body?: unknown): Promise<Ran> => {
    const ran = await run(argv, body);
    expect([argv, ran.exitCode, ran.stderr]).toEqual([argv, 0, ran.stderr]);
    return ran;
  };
  /** What it prints with `-q`, line by line. */
  const lines = async (argv: string, body?: unknown): Promise<string[]> =>
    (await well(`${argv} -q`, body)).stdout.trimEnd().split('\n');
  const json = async (argv: string, body?: unknown): Promise<Body> =>
    JSON.parse((await well(`${argv} --json`, body)).stdout);
  if (add) await well(add);
  if (settings.length > 0) await well(['profile', 'set', 'shop', ...settings]);
  const pair = {
    ...withIoss(DUAL),
    carriers: { international: { id: cheapest }, domestic: { id: domestic } },
  };
  const labels = () =>
    readdirSync(join(rig.folder, 'labels')).map(name => [
      name,
      readFileSync(join(rig.folder, 'labels', name))
        .subarray(0, 5)
        .toString(),
    ]);
  return { rig, service, run, well, lines, json, labels, pair };
}

/** Everything of a dialect is read, and no booking is sent twice. */
export function journeys(name: string, dialect: Spoken): void {
  const { expected } = dialect;
  const { cheapest, fastest } = expected.carriers;
  const within = (body: Body): Body => (expected.inside === undefined ? body : body[expected.inside]);

  describe(`at a service that is ${name}`, () => {
    test('the cheapest and the fastest proposal that can be booked are found, and rates are listed', async () => {
      const { lines, json, run } = await stage(dialect);
      expect(await lines(QUOTE)).toHaveLength(expected.offers.bookable);
      expect(await lines(`${QUOTE} --cheapest`)).toEqual([cheapest]);
      expect(await lines(`${QUOTE} --fastest`)).toEqual([fastest]);
      expect(await lines(`${QUOTE} --cheapest --service ${expected.service}`)).toEqual([cheapest]);
      expect(within(await json(QUOTE)).proposals).toHaveLength(expected.offers.all);
      const narrowed = within(await json(`${QUOTE} --cheapest`)).proposals;
      expect(narrowed.map(({ id }: Body) => String(id))).toEqual([cheapest]);
      const { stdout } = await run(QUOTE);
      for (const words of ['27.50 EUR', '52.90 EUR', ...(expected.refusal ? [expected.refusal] : [])])
        expect(stdout).toContain(words);
      const rates = QUOTE.replace('quote', 'rates');
      expect(await lines(rates)).toEqual(['company-101', 'company-102']);
      expect((await run(rates)).stdout).toMatch(/27\.50 EUR[\s\S]*52\.90 EUR/);
    });

    test('an order is booked once with the cheapest carrier, and answered from the journal after that', async () => {
      const { lines, well, json } = await stage(dialect);
      const ship = 'ship -f - --carrier cheapest --max-price 30EUR --key ORDER-1';
      const [id = ''] = await lines(ship, ORDER);
      expect(id).toMatch(/\w{6}/);
      const again = await well(`${ship} -q`, ORDER);
      expect([again.stdout, again.requests]).toEqual([`${id}\n`, []]);
      const [row] = await json('history list');
      expect(row).toMatchObject({ state: 'created', key: 'ORDER-1', shipmentIds: [id], carrier: cheapest });
      expect([Number(row.price), row.currency, row.overPrice]).toEqual([27.5, 'EUR', false]);
      expect((await json('history summary'))[0]).toMatchObject({ shipments: 1, cost: { EUR: 27.5 } });
    });

    test('a carrier that this order may not have is left out, and a bound of days is read in any unit', async () => {
      const { run, well } = await stage(dialect);
      const { forFastest, forNone } = expected.days;
      const without = await well('ship -f - --carrier cheapest --json', UNDECIDED);
      expect(without.stderr).toContain('iossNumber');
      expect(JSON.parse(without.requests.at(-1)?.body ?? '').carrier.id).toBe('EXP');
      const bounded = await well(`ship -f - --carrier cheapest --max-days ${forFastest}`, ORDER);
      expect(JSON.parse(bounded.requests.at(-1)?.body ?? '').carrier.id).toBe('EXP');
      const none = await run(`ship -f - --carrier fastest --max-days ${forNone}`, ORDER);
      expect([none.exitCode, posted(none)]).toEqual([4, ['POST /v1/carriers/proposal']]);
    });

    test('a price above the bound is seen in any form', async () => {
      const { run } = await stage(dialect);
      const dear = await run(`ship -f - --carrier ${fastest} --max-price 52.89EUR`, ORDER);
      expect([dear.exitCode, posted(dear)]).toEqual([4, ['POST /v1/carriers/proposal']]);
    });

    test('a label is made once and saved', async () => {
      const { lines, well, labels, service } = await stage(dialect);
      await lines('ship -f - --carrier cheapest --key ORDER-1', ORDER);
      await well('label --key ORDER-1 --download labels');
      expect(labels()).toEqual([['ORDER-1.pdf', '%PDF-']]);
      expect(expected.files(service.asked.filter(({ line }) => line.endsWith('.pdf')))).toBe(true);
      const again = await well('label --key ORDER-1 --download labels -q');
      expect([again.requests, labels().length]).toEqual([[], 1]);
    });

    test('a pair is booked with its label, and each leg is tracked', async () => {
      const { run, lines, labels, well, pair } = await stage(dialect);
      const ids = await lines('ship-dual -f - --key PAIR-1 --label --download labels', pair);
      expect(ids).toHaveLength(2);
      expect(labels()).toEqual([['PAIR-1.pdf', '%PDF-']]);
      const again = await well('ship-dual -f - --key PAIR-1 --label --download labels -q', pair);
      expect([again.stdout.trimEnd().split('\n'), again.requests]).toEqual([ids, []]);
      expect(await lines(`track ${ids.join(' ')}`)).toHaveLength(2);
      const table = await run('track --key PAIR-1');
      expect(table.stdout).toContain('pending_arrival_at_warehouse');
      expect((await run('track --key PAIR-1')).exitCode).toBe(0);
    });

    test('a shipment is tracked by its id, its key and its tracking number', async () => {
      const { lines, json, run } = await stage(dialect);
      const [id = ''] = await lines('ship -f - --carrier cheapest --key ORDER-1 --label', ORDER);
      const [{ trackingNumbers = [] }] = await json('history list');
      for (const ref of [id, '--key ORDER-1', ...trackingNumbers])
        expect(await lines(`track ${ref}`)).toEqual(['pending_arrival_at_warehouse']);
      // JSON has the body as it came.
      expect(JSON.stringify(await json(`track ${id}`))).toMatch(new RegExp(`^{"[^]*"id":"?${id}\\b`));
      expect((await run('track nowhere')).exitCode).toBe(4);
    });

    test('a subscription is created with its secret, and read again', async () => {
      const { rig, lines, run } = await stage(dialect);
      const [id = ''] = await lines(
        'webhook create --url https://shop.example.test/hook --event shipment.status.updated --key hook --secret-file secret',
      );
      const secret = readFileSync(join(rig.folder, 'secret'), 'utf8').trim();
      expect(secret).toMatch(/\S{8}/);
      expect((await run('history show hook --show-secret --json')).stdout).toContain(
        JSON.parse(secret).secret,
      );
      expect((await run(`webhook get ${id}`)).stdout).toContain('https://shop.example.test/hook');
      expect((await run('webhook get nowhere')).exitCode).toBe(4);
    });

    test('a batch books each order once, with its label', async () => {
      const { rig, well, labels, json } = await stage(dialect);
      const keys = ['ORDER-1', 'ORDER-2', 'ORDER-3'];
      rig.file('orders.jsonl', keys.map(key => JSON.stringify({ ...orderOf(key), key })).join('\n'));
      const batch = 'batch ship orders.jsonl --carrier cheapest --label --download labels --json';
      await well(batch);
      expect(labels()).toEqual(keys.map(key => [`${key}.pdf`, '%PDF-']));
      expect(posted(await well(batch))).toEqual([]);
      expect(await json('history list')).toHaveLength(keys.length);
    });

    test('a refusal is told in the words of the service, and a wrong credential is exit 3', async () => {
      const { run, rig, service } = await stage(dialect);
      const order = { ...ORDER, carrier: { id: 'NONE' }, chargeableWeight: 5 };
      const refused = await run('ship -f - --allow-duplicate', order);
      expect(refused.exitCode).toBe(5);
      expect(refused.stderr).toMatch(/NONE/);
      const env = { WAYBILL_BASE_URL: service.address, WAYBILL_TOKEN: 'wrong' };
      const wrong = await rig.run('track nowhere', { env });
      expect([wrong.exitCode, wrong.requests]).toEqual([3, []]);
    });

    test('`profile test` can work with it, and says how many proposals can be booked', async () => {
      const { stdout } = await stage(dialect).then(({ well }) => well('profile test --json'));
      const { all, bookable } = expected.offers;
      const [proposals] = JSON.parse(stdout).operations;
      expect(proposals.message).toBe(`${bookable} of ${all} proposals can be booked`);
    });
  });
}
