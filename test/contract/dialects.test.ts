// The main jobs of waybill at services that answer in their own way where the service document leaves something open.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createRig, type Ran } from '../rig/command.ts';
import { BARE } from '../rig/profile.ts';
import { DUAL, posted, UNDECIDED } from '../rig/service.ts';
import { type Body, CARRIER_NUMBERS, type Dialect, type DialectService, speak } from './dialect-service.ts';

interface Spoken extends Dialect {
  expected: {
    /** The field that answers are in. */
    inside: string;
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
function journeys(name: string, dialect: Spoken): void {
  const { expected } = dialect;
  const { cheapest, fastest } = expected.carriers;
  const within = (body: Body): Body => body[expected.inside];

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

    test('an order is booked once with the cheapest carrier and answered from the journal, its label is made once, and it is tracked', async () => {
      const { lines, run, well, json, labels, service } = await stage(dialect);
      const ship = 'ship -f - --carrier cheapest --max-price 30EUR --key ORDER-1';
      const [id = ''] = await lines(ship, ORDER);
      expect(id).toMatch(/\w{6}/);
      const again = await well(`${ship} -q`, ORDER);
      expect([again.stdout, again.requests]).toEqual([`${id}\n`, []]);
      const [row] = await json('history list');
      expect(row).toMatchObject({ state: 'created', key: 'ORDER-1', shipmentIds: [id], carrier: cheapest });
      expect([Number(row.price), row.currency, row.overPrice]).toEqual([27.5, 'EUR', false]);
      expect((await json('history summary'))[0]).toMatchObject({ shipments: 1, cost: { EUR: 27.5 } });

      await well('label --key ORDER-1 --download labels');
      expect(labels()).toEqual([['ORDER-1.pdf', '%PDF-']]);
      expect(expected.files(service.asked.filter(({ line }) => line.endsWith('.pdf')))).toBe(true);
      const labelled = await well('label --key ORDER-1 --download labels -q');
      expect([labelled.requests, labels().length]).toEqual([[], 1]);

      const [{ trackingNumbers }] = await json('history list');
      expect(trackingNumbers).not.toEqual([]);
      for (const ref of [id, '--key ORDER-1', ...trackingNumbers])
        expect(await lines(`track ${ref}`)).toEqual(['pending_arrival_at_warehouse']);
      // JSON has the body as it came.
      expect(JSON.stringify(await json(`track ${id}`))).toMatch(new RegExp(`^{"[^]*"id":"?${id}\\b`));
      expect((await run('track nowhere')).exitCode).toBe(4);
    });

    test('a carrier that this order may not have is left out, and bounds of days and prices are read in any form', async () => {
      const { run, well } = await stage(dialect);
      const { forFastest, forNone } = expected.days;
      const without = await well('ship -f - --carrier cheapest --json', UNDECIDED);
      expect(without.stderr).toContain('iossNumber');
      expect(JSON.parse(without.requests.at(-1)?.body ?? '').carrier.id).toBe('EXP');
      const bounded = await well(`ship -f - --carrier cheapest --max-days ${forFastest}`, ORDER);
      expect(JSON.parse(bounded.requests.at(-1)?.body ?? '').carrier.id).toBe('EXP');
      const none = await run(`ship -f - --carrier fastest --max-days ${forNone}`, ORDER);
      const dear = await run(`ship -f - --carrier ${fastest} --max-price 52.89EUR`, ORDER);
      for (const ran of [none, dear])
        expect([ran.exitCode, posted(ran)]).toEqual([4, ['POST /v1/carriers/proposal']]);
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
      expect([table.exitCode, table.stdout]).toEqual([0, expect.stringContaining('pending arrival')]);
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
  });
}

const TOKEN = 'anadolu-token';

const TURKISH_WORDS: Readonly<Record<string, { serviceType: string; deliveryTime: string }>> = {
  ECO: { serviceType: 'EKONOMİ', deliveryTime: '1-2 weeks' },
  EXP: { serviceType: 'EKSPRES', deliveryTime: '3 business days' },
};

/** Cheaper and faster than any other, and not for these packages. */
const REFUSED = {
  id: 'UCUZ',
  name: 'Ucuz Kargo',
  serviceType: 'EKONOMİ',
  isValid: false,
  reasons: ['the parcel is too heavy for this carrier'],
  deliveryTime: '1 day',
  currency: 'EUR',
  price: '1.00',
  kg: '4.8',
};

const texts = (body: Body, ...names: string[]): Body => ({
  ...body,
  ...Object.fromEntries(names.map(name => [name, String(body[name])])),
});

const priced = (body: Body): Body => ({ ...body, carrier: texts(body.carrier, 'price') });

/** Everything inside `data`, numbers as text, Turkish words, a fetched token in a header of its own, labels behind redirects. */
const TURKISH: Spoken = {
  coding: 'gzip',
  connect: address => ({
    add: [
      ...['profile', 'add', 'shop', '--base-url', address, '--token-url', '/kimlik/belge'],
      ...['--client-header', 'X-Client-Secret=@env:CLIENT_SECRET'],
      ...['--auth-header', 'X-Belge', '--auth-scheme', ''],
    ],
    settings: ['tokenField=sonuc.belge', 'expiryField=sonuc.saniye'],
    env: { CLIENT_SECRET: 'gizli' },
  }),
  knows: headers => headers['x-belge'] === TOKEN,
  tokens: {
    path: '/kimlik/belge',
    give: headers =>
      headers['x-client-secret'] === 'gizli' ? { sonuc: { belge: TOKEN, saniye: '3600' } } : undefined,
  },
  answers: {
    proposals: body => ({
      ...texts(body, 'chargeableWeight'),
      proposals: [
        REFUSED,
        ...body.proposals.map((one: Body) => ({ ...texts(one, 'price', 'kg'), ...TURKISH_WORDS[one.id] })),
      ],
    }),
    rates: body => ({ ...body, proposals: body.proposals.map((one: Body) => texts(one, 'price')) }),
    ship: body => texts(priced(body), 'chargeableWeight'),
    shipment: priced,
    domestic: priced,
  },
  // §4.8, §4.9: a subscription is inside `data` already.
  envelope: (body, operation) =>
    operation.startsWith('subscri') ? body : { success: true, message: null, data: body },
  refusal: (status, message) => ({ success: false, message, code: `HATA_${status}`, data: null }),
  label: ({ origin, name }) => `${origin}/etiket/${name}`,
  beforeFile: path =>
    path.startsWith('/etiket/')
      ? { status: 302, location: path.replace('/etiket/', '/depo/') }
      : path.startsWith('/depo/')
        ? { status: 307, location: `..${path.replace('/depo/', '/dosya/')}` }
        : undefined,
  expected: {
    inside: 'data',
    carriers: { cheapest: 'ECO', fastest: 'EXP', domestic: 'DOM' },
    offers: { all: 3, bookable: 2 },
    refusal: 'the parcel is too heavy for this carrier',
    service: 'ekonomi',
    // Two weeks are more than 13 days, and three business days more than two.
    days: { forFastest: 13, forNone: 2 },
    files: asked => asked.every(({ isKnown }) => !isKnown),
  },
};

const TIMES: Readonly<Record<string, string>> = { ECO: '5-7', EXP: '48 hours' };

/** A leg with shipment and label in one. */
const flat = ({ shipment, label }: Body): Body => ({ ...label, ...shipment });

/** Everything inside `result`, ids as numbers, API keys, legs of a pair without their parts, labels at a path that needs the keys. */
const NUMERIC: Spoken = {
  coding: 'deflate',
  isNumeric: true,
  connect: address => ({
    add: [
      ...['profile', 'add', 'shop', '--base-url', address],
      ...['--header', 'X-Api-Key=@env:API_KEY', '--header', 'X-Customer=@env:CUSTOMER'],
    ],
    env: { API_KEY: 'key-of-the-shop', CUSTOMER: '4711' },
  }),
  knows: headers => headers['x-api-key'] === 'key-of-the-shop' && headers['x-customer'] === '4711',
  answers: {
    proposals: body => ({
      ...body,
      proposals: [
        ...body.proposals.map((one: Body) => ({ ...one, deliveryTime: TIMES[one.id] })),
        // Without `isValid` nothing says that it can be booked.
        {
          id: 'NEW',
          name: 'New Carrier',
          serviceType: 'express',
          deliveryTime: '1 hour',
          currency: 'EUR',
          price: 2,
        },
      ],
    }),
    pair: body => ({
      success: body.success,
      international: flat(body.international),
      domestic: flat(body.domestic),
    }),
    subscribe: body => body.data,
    subscription: body => body.data,
  },
  envelope: result => ({ status: 'OK', result }),
  refusal: (status, message) => ({ status: 'ERROR', error: { number: status, message } }),
  label: ({ name }) => `/files/${name}`,
  beforeFile: (_, isKnown) => (isKnown ? undefined : { status: 401 }),
  expected: {
    inside: 'result',
    carriers: {
      cheapest: String(CARRIER_NUMBERS.ECO),
      fastest: String(CARRIER_NUMBERS.EXP),
      domestic: String(CARRIER_NUMBERS.DOM),
    },
    offers: { all: 3, bookable: 2 },
    service: 'ECONOMY',
    days: { forFastest: 2, forNone: 1 },
    // Without the keys, which may go to the service alone, and once more with them.
    files: asked =>
      asked.every(
        ({ line, isKnown }, index) => isKnown === (index % 2 === 1) && line.startsWith('GET /files/'),
      ),
  },
};

journeys('numeric: all inside result, ids as numbers', NUMERIC);
journeys('Turkish: all inside data, numbers as text', TURKISH);
