// Limits of a profile and of the environment: what they refuse, what counts, and that no flag loosens one.
import { expect } from 'vitest';
import { jsonLines, linesIn, orders } from '../rig/batch.ts';
import { createRig } from '../rig/command.ts';
import { production } from '../rig/production.ts';
import { BARE } from '../rig/profile.ts';
import { errorOf, DUAL as PAIR_BODY, SHIPMENT } from '../rig/service.ts';
import { config } from './orders.ts';
import { each, type Promised, promises } from './promise.ts';
import { limitedRig, ORDER, productionRig } from './rigs.ts';

const ASKED = 'POST /v1/carriers/proposal';
const BOOKED = 'POST /v1/shipments';
const PAIR = 'POST /v2/shipments';
const HOUR = 60 * 60 * 1000;

const SHIP = 'ship -f order.json --carrier cheapest';
const DUAL = 'ship-dual -f pair.json';
/** Books A-1 at 20 EUR. */
const FIRST = `${SHIP} --key A-1`;
const SECOND = `${SHIP} --key B-1`;
const PAIR_31 = `${DUAL} --key P-1 --max-price 31EUR`;
const perDay = (maxPerDay: string, more: Parameters<typeof limitedRig>[0] = {}) =>
  limitedRig({ ...more, policy: { maxPerDay } });
const over = (message: string | RegExp) => ({
  code: 'over_budget',
  created: false,
  message: typeof message === 'string' ? expect.stringContaining(message) : expect.stringMatching(message),
});

promises('policy.requireKey', [
  ...each({ says: 'refuses a booking without a key', exit: 2, stderr: 'key', sent: [] }, [
    { run: SHIP, rig: limitedRig({ policy: { requireKey: true } }) },
    { run: `${SHIP} --dry-run`, rig: limitedRig({ policy: { requireKey: true } }) },
    { run: `${SHIP} --plan plan.json`, rig: limitedRig({ policy: { requireKey: true } }) },
    { run: `${SHIP} --allow-duplicate`, rig: limitedRig({ policy: { requireKey: true } }) },
    { run: DUAL, rig: limitedRig({ policy: { requireKey: true } }) },
    { run: SHIP, rig: limitedRig({ env: { WAYBILL_POLICY_REQUIRE_KEY: '1' } }) },
  ]),
  ...each({ rig: limitedRig({ policy: { requireKey: true } }) }, [
    { says: 'lets one with a key go ahead', run: FIRST, sent: [ASKED, BOOKED] },
    { says: 'needs no key of what only reads', run: 'quote --from TR --to DE --package 1kg@10x10x10' },
    { says: 'needs none of a label', run: 'label --international S-7' },
  ]),
  {
    says: 'takes the hash of a plan for no key',
    rig: limitedRig(),
    after: [`${SHIP} --plan plan.json`],
    run: 'ship -f plan.json',
    env: { WAYBILL_POLICY_REQUIRE_KEY: '1' },
    exit: 2,
    stderr: 'key',
    sent: [],
  },
]);

promises('policy.maxPrice', [
  {
    says: 'leaves a dearer proposal out',
    rig: limitedRig({
      policy: { maxPrice: '25EUR' },
      offered: [
        ['EXP', 30],
        ['LOW', 20],
      ],
    }),
    run: 'ship -f order.json --carrier fastest --key A-1',
    sent: [ASKED, BOOKED],
    body: { carrier: { id: 'LOW' } },
  },
  ...each({ says: 'is exit 12 if that leaves none, and nothing is booked', exit: 12, sent: [ASKED] }, [
    {
      run: `${FIRST} --json`,
      rig: limitedRig({ policy: { maxPrice: '19EUR' } }),
      error: { ...over('19.00 EUR'), retry: 'after-change', next: [['waybill', 'profile', 'whoami']] },
    },
    {
      run: 'ship -f order.json --carrier EXP --key A-1 --json',
      rig: limitedRig({ policy: { maxPrice: '19EUR' } }),
      error: over('19.00 EUR'),
    },
    { run: FIRST, rig: limitedRig({ env: { WAYBILL_POLICY_MAX_PRICE: '19EUR' } }) },
  ]),
  {
    says: 'takes an order of exactly its amount',
    rig: limitedRig({ policy: { maxPrice: '20EUR' } }),
    run: FIRST,
  },
  ...each({ exit: 12, sent: [ASKED] }, [
    {
      says: 'is held against a proposal where carrier and weight are given, too',
      rig: limitedRig({ policy: { maxPrice: '19EUR' } }),
      run: 'ship -f whole.json --key A-1',
    },
    {
      says: 'refuses an order whose price is not known',
      rig: limitedRig({ policy: { maxPrice: '50EUR' }, offered: [['EXP', null]] }),
      run: 'ship -f order.json --carrier EXP --key A-1 --json',
      error: over('price is not known'),
    },
    {
      says: 'refuses a carrier that is not among the proposals',
      rig: limitedRig({ policy: { maxPrice: '50EUR' } }),
      run: 'ship -f order.json --carrier DHL --key A-1 --json',
      error: over('DHL'),
    },
    {
      says: 'refuses a currency that it does not name',
      rig: limitedRig({ policy: { maxPrice: '50EUR' }, offered: [['EXP', 20, 'USD']] }),
      run: `${FIRST} --json`,
      error: over('USD'),
    },
  ]),
  {
    says: 'has an amount for each currency',
    rig: limitedRig({
      policy: { maxPrice: '5EUR,50USD' },
      offered: [['EXP', 20, 'USD']],
      charged: [20, 'USD'],
    }),
    run: FIRST,
  },
  ...each({ exit: 12, sent: [ASKED] }, [
    {
      says: 'counts the dearer of two proposals with one carrier id',
      rig: limitedRig({
        policy: { maxPrice: '25EUR' },
        offered: [
          ['EXP', 20],
          ['EXP', 30],
        ],
      }),
      run: 'ship -f order.json --carrier EXP --key A-1',
    },
    ...each({ says: 'is not loosened by a flag', rig: limitedRig({ policy: { maxPrice: '19EUR' } }) }, [
      `${FIRST} --max-price 99EUR`,
      `${FIRST} --allow-duplicate`,
      `${FIRST} --yes`,
      `${FIRST} --no-input`,
    ]),
  ]),
  {
    says: 'is a bound of the answer, too',
    rig: limitedRig({ policy: { maxPrice: '25EUR' }, charged: [26, 'EUR'] }),
    run: `${FIRST} --json`,
    exit: 11,
    error: { code: 'over_price', created: true },
  },
  {
    says: 'is held against a plan, of which no file is written',
    rig: limitedRig({ policy: { maxPrice: '19EUR' } }),
    run: `${FIRST} --plan plan.json`,
    exit: 12,
    sent: [ASKED],
    files: { 'plan.json': null },
  },
  {
    says: 'is held against a plan that was made before it',
    rig: limitedRig(),
    after: [`${FIRST} --plan plan.json`, 'profile set live policy.maxPrice=19EUR'],
    run: 'ship -f plan.json',
    exit: 12,
    sent: [ASKED],
  },
  ...each({ rig: limitedRig({ policy: { maxPrice: '40EUR' } }) }, [
    ...each({ exit: 12, sent: [] }, [
      { says: 'needs --max-price of a pair', run: `${DUAL} --key A-1`, stderr: '--max-price' },
      { says: 'holds --max-price of a pair', run: `${DUAL} --key A-1 --max-price 41EUR` },
      { says: 'needs --max-price of a pair in its own currency', run: `${DUAL} --key A-1 --max-price 40USD` },
    ]),
    { says: 'takes a pair within it', run: `${DUAL} --key A-1 --max-price 40EUR`, sent: [PAIR] },
  ]),
  {
    says: 'judges a pair by both legs together',
    rig: limitedRig({ ofPair: [25, 20] }),
    run: `${DUAL} --key A-1 --max-price 40EUR --json`,
    exit: 11,
    error: { code: 'over_price' },
  },
  {
    says: 'says nothing of labels',
    rig: limitedRig({ policy: { maxPrice: '0EUR', maxPerDay: '0EUR' } }),
    run: 'label --international S-7 --json',
    sent: ['POST /v2/carriers/create'],
  },
  {
    says: 'knows no price of a weight that the proposals are not for',
    rig: limitedRig({ policy: { maxPrice: '50EUR' } }),
    run: 'ship -f whole.json --set chargeableWeight=9 --key A-1 --json',
    exit: 12,
    sent: [ASKED],
    error: over('price is not known'),
  },
  ...each({ says: 'is held beside --max-price of one order: the lower one counts', exit: 11 }, [
    {
      run: `${FIRST} --max-price 21EUR`,
      rig: limitedRig({ policy: { maxPrice: '25EUR' }, charged: [22, 'EUR'] }),
    },
    {
      run: `${FIRST} --max-price 99EUR`,
      rig: limitedRig({ policy: { maxPrice: '25EUR' }, charged: [26, 'EUR'] }),
    },
  ]),
  {
    says: 'is another matter than --max-price, which no proposal keeps',
    rig: limitedRig({ policy: { maxPrice: '25EUR' } }),
    run: `${FIRST} --max-price 4EUR`,
    exit: 4,
    sent: [ASKED],
  },
  ...each(
    {
      says: 'is told by a dry run as far as it is known without a proposal',
      rig: limitedRig({ policy: { maxPrice: '30EUR' } }),
      exit: 12,
      sent: [],
    },
    [
      `${FIRST} --max-price 5USD --dry-run`,
      `${DUAL} --key A-1 --dry-run`,
      `${DUAL} --key A-1 --max-price 31EUR --dry-run`,
      { run: `${DUAL} --key A-1 --max-price 30EUR --dry-run`, exit: 0 },
    ],
  ),
]);

promises('policy.maxPerDay', [
  {
    says: 'is exit 12 for the order that would pass it, and says when there is room',
    rig: perDay('30EUR'),
    after: [FIRST],
    run: `${SECOND} --allow-duplicate --json`,
    exit: 12,
    sent: [ASKED],
    error: { ...over('30.00 EUR'), retry: 'later', retryAt: expect.stringMatching(/^2026-03-03T09:00/) },
  },
  ...each({ run: SECOND }, [
    { says: 'has room up to its amount', rig: perDay('40EUR'), after: [FIRST], sent: [ASKED, BOOKED] },
    { says: 'has room again a day later', rig: perDay('30EUR'), after: [FIRST, { later: 24 * HOUR + 1000 }] },
    { says: 'counts no labels', rig: perDay('40EUR'), after: [FIRST, 'label A-1'] },
    {
      says: 'counts what was booked with its profile alone',
      rig: perDay('30EUR'),
      after: [`${FIRST} --profile other`],
    },
    {
      says: 'counts what the service refused for nothing',
      rig: perDay('30EUR', { statuses: [422, 201] }),
      after: [{ line: FIRST, exit: 5 }],
    },
    {
      says: 'counts no more what a person says was not created',
      rig: perDay('30EUR', { statuses: [500, 201] }),
      after: [{ line: FIRST, exit: 8 }, 'history resolve A-1 --not-created --force --reason asked'],
    },
  ]),
  ...each({ run: SECOND, exit: 12 }, [
    { says: 'has no room after 23 hours', rig: perDay('30EUR'), after: [FIRST, { later: 23 * HOUR }] },
    {
      says: 'counts by the order of the journal where the clock runs backwards',
      rig: perDay('30EUR'),
      after: [FIRST, { later: -48 * HOUR }],
    },
    {
      says: 'counts an answer above its proposal at once',
      rig: perDay('50EUR', { charged: [31, 'EUR'] }),
      after: [FIRST],
    },
    {
      says: 'counts what was cancelled',
      rig: perDay('30EUR'),
      after: [FIRST, 'history cancelled A-1 --reason asked'],
    },
    {
      says: 'counts what is unknown',
      rig: perDay('30EUR', { statuses: [500, 201] }),
      after: [{ line: FIRST, exit: 8 }],
      run: `${SECOND} --set items[0].quantity=3`,
    },
    {
      says: 'of the environment counts what anybody booked',
      rig: limitedRig({ env: { WAYBILL_POLICY_MAX_PER_DAY: '30EUR' } }),
      after: [`${FIRST} --profile other`],
      sent: [ASKED],
    },
  ]),
  ...each({ after: [FIRST] }, [
    { says: 'counts at its own account alone', rig: perDay('30EUR'), run: `${SECOND} --profile branch` },
    ...each({ rig: perDay('20EUR'), sent: [] }, [
      { says: 'shows a recorded answer all the same', run: `${FIRST} --json`, json: { id: 'S-1' } },
      {
        says: 'is told by a dry run, which sends nothing',
        run: `${SECOND} --dry-run --json`,
        exit: 12,
        json: { journal: { state: 'new' } },
      },
    ]),
    ...each({ says: 'counts all decimals', rig: perDay('50EUR', { charged: [20.125, 'EUR'] }) }, [
      { run: `${DUAL} --key P-1 --max-price 29.876EUR`, exit: 12, sent: [] },
      { run: `${DUAL} --key P-1 --max-price 29.875EUR`, sent: [PAIR] },
    ]),
  ]),
  ...each({ rig: perDay('50EUR') }, [
    { says: 'counts orders and pairs together', after: [FIRST], run: PAIR_31, exit: 12, sent: [] },
    { says: 'counts a pair with its bound', after: [PAIR_31], run: FIRST, exit: 12, sent: [ASKED] },
    ...each({ says: 'needs a --max-price above 0 of a pair', exit: 2, sent: [] }, [
      `${DUAL} --key P-1 --max-price 0EUR`,
      `${DUAL} --key P-1 --max-price 0.00EUR`,
    ]),
    ...each({ says: 'is shown by the summary', after: [FIRST] }, [
      { run: 'history summary', stdout: '30.00 EUR' },
      { run: 'history summary --json', stderr: '30.00 EUR' },
    ]),
  ]),
  ...each({ run: FIRST }, [
    {
      says: 'counts a pair with the prices of its answer, both legs together',
      rig: perDay('50EUR', { ofPair: [20, 9] }),
      after: [PAIR_31],
    },
    { says: 'refuses a currency that it does not name', rig: perDay('50USD'), exit: 12, sent: [ASKED] },
    {
      says: 'counts each currency by itself',
      rig: perDay('50EUR,30USD'),
      after: [`${DUAL} --key P-1 --max-price 30USD`],
    },
  ]),
  ...each({ run: 'profile whoami --json' }, [
    {
      says: 'is shown by whoami, with what is left of it',
      rig: limitedRig({ policy: { maxPrice: '25EUR', maxPerDay: '50EUR' } }),
      after: [FIRST],
      json: { limits: { maxPrice: { EUR: 25 }, maxPerDay: { EUR: 50 }, leftOfDay: { EUR: 30 } } },
    },
    { says: 'is null where there is none', rig: limitedRig(), json: { limits: null } },
  ]),
  ...each(
    {
      says: 'is held against a plan that was made before it was spent',
      rig: perDay('30EUR'),
      after: [`${FIRST} --plan plan.json`, `${SHIP} --key B-1`],
      exit: 12,
    },
    [
      { run: 'ship -f plan.json', sent: [ASKED] },
      { run: 'ship -f plan.json --dry-run', sent: [] },
    ],
  ),
]);

/** Of the profile these limits, and of the environment those. */
const strict = (says: string, policy: object, limits: Record<string, string>, exit = 12): Promised => ({
  says,
  rig: limitedRig({
    policy: { ...policy },
    env: Object.fromEntries(Object.entries(limits).map(([name, value]) => [`WAYBILL_POLICY_${name}`, value])),
  }),
  run: FIRST,
  exit,
  ...(exit !== 0 && { sent: exit === 2 ? [] : [ASKED] }),
});

promises('Of several limits', [
  strict('that of the environment counts if it is stricter', { maxPrice: '25EUR' }, { MAX_PRICE: '19EUR' }),
  strict('that of the profile counts if it is stricter', { maxPrice: '19EUR' }, { MAX_PRICE: '25EUR' }),
  strict('the day of the environment counts', { maxPerDay: '99EUR' }, { MAX_PER_DAY: '19EUR' }),
  strict('the day of the profile counts', { maxPerDay: '19EUR' }, { MAX_PER_DAY: '99EUR' }),
  strict('a currency that one does not name is refused', { maxPrice: '25EUR' }, { MAX_PRICE: '25USD' }),
  strict('what all allow is booked', { maxPrice: '25EUR', maxPerDay: '20EUR' }, { MAX_PRICE: '20EUR' }, 0),
  strict('one of the environment holds without a profile that has any', {}, { MAX_PRICE: '19EUR' }),
  strict('one that cannot be read stops everything', {}, { MAX_PRICE: '20' }, 2),
  strict('one that cannot be read stops everything, of a day, too', {}, { MAX_PER_DAY: 'much' }, 2),
  strict('one of the profile that cannot be read stops everything', { maxPrice: 'much' }, {}, 2),
  strict('one that is 0 cannot be read', {}, { MAX_PRICE: '0' }, 2),
  strict('one that is false cannot be read', {}, { MAX_PER_DAY: 'false' }, 2),
  strict('one with a currency twice stops everything', {}, { MAX_PER_DAY: '20EUR,30EUR' }, 2),
  strict('a variable that is nearly one stops everything', {}, { MAX_PERDAY: '20EUR' }, 2),
  strict('a setting that nobody knows stops everything', { maxPrize: '20EUR' }, {}, 2),
]);

const FIVE = { 'orders.jsonl': jsonLines(orders(5)) };
const BATCH = 'batch ship orders.jsonl';
const bookedIn =
  (count: number): Promised['also'] & {} =>
  ({ requests }) =>
    expect(requests.filter(({ path }) => path === '/v1/shipments')).toHaveLength(count);

promises('A limit of a day in a batch', [
  {
    says: 'stops it before the other records, and error and line say when there is room',
    rig: perDay('50EUR', { files: FIVE }),
    run: `${BATCH} --concurrency 1 --json`,
    exit: 12,
    error: {
      ...{ code: 'over_budget', created: true, retry: 'later' },
      retryAt: expect.stringMatching(/^2026-03-03T09:00/),
    },
    json: { stopped: 'over_budget', sent: 2 },
    also: (ran, rig) => {
      bookedIn(2)(ran, rig);
      const lines = linesIn(rig);
      expect(lines.map(({ state }) => state)).toEqual(['created', 'created', ...Array(3).fill('not_sent')]);
      expect(lines[2]?.error?.retryAt).toBe(errorOf(ran).retryAt);
    },
  },
  {
    says: 'is not passed by what is sent at one time',
    rig: limitedRig({ policy: { maxPerDay: '50EUR' }, files: { 'orders.jsonl': jsonLines(orders(30)) } }),
    run: `${BATCH} --concurrency 10`,
    exit: 12,
    also: bookedIn(2),
  },
  {
    says: 'lets the rest go on when there is room',
    rig: perDay('60EUR', { files: FIVE }),
    after: [{ line: BATCH, exit: 12 }, { later: 24 * HOUR + 1000 }],
    run: BATCH,
    also: bookedIn(2),
  },
  {
    says: 'needs a key of each record',
    rig: limitedRig({ policy: { requireKey: true }, files: FIVE }),
    run: BATCH,
    also: bookedIn(5),
  },
  {
    says: 'is told by an estimate for each record, after what is booked',
    rig: perDay('60EUR', { files: FIVE }),
    after: [FIRST],
    run: `${BATCH} --dry-run --estimate --concurrency 1`,
    exit: 12,
    also: (ran, rig) => {
      bookedIn(0)(ran, rig);
      expect(linesIn(rig).map(({ state }) => state)).toEqual([
        'estimated',
        'estimated',
        ...Array(3).fill('not_sent'),
      ]);
    },
  },
  {
    says: 'is in the way of no answer that is recorded, and of no label',
    rig: limitedRig({ files: FIVE }),
    after: [BATCH],
    run: `${BATCH} --label`,
    env: { WAYBILL_POLICY_MAX_PRICE: '1EUR', WAYBILL_POLICY_MAX_PER_DAY: '1EUR' },
    also: bookedIn(0),
  },
]);

const reserved =
  (setting: string, files: Record<string, unknown> = {}) =>
  async () => {
    const rig = await createRig({
      env: BARE,
      files: { 'order.json': SHIPMENT, 'old.jsonl': '{}\n', ...files },
    });
    await rig.run('ship -f order.json --key A-1 --profile demo');
    await rig.run(`profile set demo policy.${setting}=terminal`);
    return rig;
  };

async function inProduction() {
  const { env } = await production();
  const files = { 'order.json': SHIPMENT, 'pair.json': PAIR_BODY, 'orders.jsonl': jsonLines(orders(1)) };
  const rig = await createRig({ env, files });
  const live = { policy: { production: 'terminal' } };
  rig.file('config/config.json', { profiles: { live }, current: 'live' });
  return rig;
}

promises('What is kept for a terminal', [
  ...each({ rig: reserved('resolve') }, [
    ...each({ says: 'is no script: settling a booking', exit: 2, stderr: 'policy.resolve=terminal' }, [
      'history resolve A-1 --not-created --force --reason asked --profile demo',
      'history resolve A-1 --reopen --profile demo',
      'history accept A-1 --profile demo',
      'history cancelled A-1 --reason asked --profile demo',
      'history import old.jsonl --profile demo',
      'history check --restored --reason moved --profile demo',
      'history check --new-journal --profile demo',
      'ship -f order.json --key B-1 --new-journal --profile demo',
    ]),
    {
      says: 'is a person: settling a booking',
      run: 'history cancelled A-1 --reason asked --profile demo',
      terminal: true,
      answer: true,
    },
  ]),
  ...each({ rig: reserved('allowDuplicate') }, [
    ...each(
      { says: 'is no script: the same order twice', exit: 2, stderr: 'policy.allowDuplicate=terminal' },
      ['ship -f order.json --allow-duplicate --profile demo', 'ship -f order.json --key B-1 --profile demo'],
    ),
    {
      says: 'is a person: the same order twice',
      run: 'ship -f order.json --key B-1 --profile demo',
      terminal: true,
      answer: true,
    },
  ]),
  ...each({ rig: inProduction, exit: 2 }, [
    ...each({ says: 'is no script: a booking in production', stderr: 'policy.production=terminal' }, [
      'ship -f order.json --key A-1',
      'ship -f order.json --key A-1 --yes',
      'label --international S-1',
    ]),
    ...each({ says: 'is no script: any booking in production', sent: [] }, [
      'ship-dual -f pair.json',
      'batch ship orders.jsonl',
    ]),
  ]),
  {
    says: 'is a person: a booking in production, of a plan that a script made',
    rig: productionRig({
      files: { ...ORDER.files, ...config({ live: { policy: { production: 'terminal' } } }) },
    }),
    after: ['ship -f order.json --key A-1 --plan plan.json', { line: 'ship -f plan.json', exit: 2 }],
    run: 'ship -f plan.json',
    terminal: true,
    answer: true,
    sent: [ASKED, 'POST /v1/shipments'],
  },
  ...each({ says: 'is no batch either', exit: 2 }, [
    {
      run: 'history resolve --file old.jsonl --profile demo',
      rig: reserved('resolve'),
      stderr: 'policy.resolve=terminal',
    },
    {
      run: 'batch ship same.jsonl --profile demo',
      rig: reserved('allowDuplicate', { 'same.jsonl': jsonLines([{ ...SHIPMENT, key: 'D-1' }]) }),
      stderr: 'policy.allowDuplicate=terminal',
    },
    {
      // Two of one file are claimed at the same moment.
      run: 'batch ship twins.jsonl --profile demo',
      rig: reserved('allowDuplicate', {
        'twins.jsonl': jsonLines(['T-1', 'T-2'].map(key => ({ ...SHIPMENT, key, chargeableWeight: 7 }))),
      }),
      stderr: 'of line 1',
    },
  ]),
  { says: 'is no read', rig: inProduction, run: 'track S-1 --retries 0', exit: 7 },
]);
