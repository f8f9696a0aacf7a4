import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Ran, Rig } from '../rig/command.ts';
import { createRig } from '../rig/command.ts';
import { BARE, shopRig } from '../rig/profile.ts';
import { PROPOSALS, sent } from '../rig/service.ts';
import {
  answering,
  BOOKED,
  charging,
  DAY,
  files,
  inDoubt,
  LABELLED,
  live,
  offering,
  PAIRED,
  pairing,
  QUOTED,
  SHIP,
} from './begin.ts';
import { FILES } from './orders.ts';
import { each, type Promised, promises } from './promise.ts';

const OPEN = 'ship open.json --carrier EXP --key A-1';
const PLAN = `${OPEN} --plan plan.json`;
const planIn = ({ folder }: Rig, name = 'plan.json') => JSON.parse(readFileSync(join(folder, name), 'utf8'));
const noPlan = { files: { 'plan.json': null } };
const FIELDS =
  'carrier choice currency days expires hash input key maxDays maxPrice operation place plan price request sandbox service'.split(
    ' ',
  );

promises('A plan', [
  {
    says: 'It does everything but book: proposals are asked for, and a file is written',
    rig: files,
    run: PLAN,
    sent: [QUOTED],
    stderr: 'nothing was booked',
    also: async (_, rig) => {
      expect(planIn(rig)).toMatchObject({
        ...{ plan: 1, operation: 'ship', place: rig.address, sandbox: false, key: 'A-1', carrier: 'EXP' },
        ...{ price: 52.9, currency: 'EUR', days: 3, expires: '2026-03-03T09:00:00.000Z' },
        ...{ input: expect.any(String), hash: expect.any(String) },
        request: { type: 'package', carrier: { id: 'EXP' }, chargeableWeight: 5 },
      });
      expect(await rig.json('history list')).toEqual([]);
    },
  },
  {
    says: 'It says of an order that is booked under another key that it would be a second parcel',
    rig: files,
    after: [SHIP],
    run: 'ship order.json --carrier EXP --key A-2 --plan plan.json',
    stderr:
      /^warning: .* with the key "A-1" \(bk_\w+, created\)\. This would be a second parcel; to repeat the first one, use its key\./m,
  },
  {
    says: 'Its price is null for a pair',
    rig: files,
    run: 'ship-dual pair.json --key P-1 --plan plan.json --json',
    json: { operation: 'ship-dual', price: null },
    sent: [],
  },
  {
    says: '`--plan -` is stdout, and no file',
    rig: files,
    run: `${OPEN} --plan -`,
    json: { plan: 1, key: 'A-1' },
    files: { '-': null },
  },
  {
    says: 'It keeps its bounds',
    rig: files,
    run: `${PLAN} --max-price 60EUR --max-days 3 --json`,
    json: { maxPrice: '60 EUR', maxDays: 3 },
  },
  {
    says: 'It needs no yes for production',
    rig: live,
    run: PLAN,
    terminal: true,
    sent: [QUOTED],
    also: ({ asked }) => expect(asked).toEqual([]),
  },
  {
    says: 'Its JSON is that of its file, with all of its fields',
    rig: files,
    run: `${PLAN} --json`,
    also: ({ stdout }, rig) => {
      expect(JSON.parse(stdout)).toEqual(planIn(rig));
      expect(JSON.parse(stdout)).toMatchObject({ service: null, maxPrice: null, maxDays: null });
      expect(Object.keys(JSON.parse(stdout)).sort()).toEqual(FIELDS);
    },
  },
  {
    says: 'It is a page for people',
    rig: files,
    run: PLAN,
    stdout: [/^Plan +ship to .* \(Berlin, DE\)$/m, /^Price +52\.90 EUR$/m, /^Hash +\S+$/m],
    stderr: '`waybill ship -f plan.json`',
  },
  {
    says: 'Quiet, it is its hash',
    rig: files,
    run: `${PLAN} -q`,
    also: ({ stdout }, rig) => expect(stdout).toBe(`${planIn(rig).hash}\n`),
  },
]);

promises('The exit code of a plan is that of the booking so far, and no file is written unless it is 0', [
  ...each({ rig: files, ...noPlan }, [
    { says: '2: a request that is not valid', run: `${PLAN} --set items=[]`, exit: 2, sent: [] },
    {
      says: '2: a key that is booked with other input',
      after: [SHIP],
      run: 'ship gift.json --key A-1 --plan plan.json',
      exit: 2,
      sent: [],
    },
    { says: '4: no proposal within its bound', run: `${PLAN} --max-price 1EUR`, exit: 4, sent: [QUOTED] },
  ]),
  {
    says: '8: an order that is unknown',
    rig: inDoubt('A-1'),
    run: `${SHIP} --plan plan.json`,
    exit: 8,
    sent: [],
    ...noPlan,
  },
  ...each(
    {
      says: 'A key that is booked with this input shows the recorded answer',
      rig: files,
      sent: [],
      ...noPlan,
    },
    [
      { after: [OPEN], run: PLAN },
      { after: [SHIP], run: `${SHIP} --plan plan.json` },
    ],
  ),
  ...each({ says: 'No plan of `ship` is written without a price', exit: 4, ...noPlan }, [
    { rig: charging(null), run: `${SHIP} --set carrier.id=OTHER --plan plan.json` },
    {
      rig: answering({
        [PROPOSALS]: {
          status: 201,
          body: { chargeableWeight: 5, proposals: [{ id: 'EXP', isValid: true }] },
        },
      }),
      run: PLAN,
    },
  ]),
  {
    says: 'A file that is no plan is not replaced',
    rig: { files: { ...FILES, 'plan.json': { mine: true } } },
    run: PLAN,
    exit: 2,
    stderr: '--plan "plan.json" exists and is no plan: name another file',
    sent: [],
    files: { 'plan.json': '{"mine":true}' },
  },
  {
    says: 'An earlier plan is replaced',
    rig: files,
    after: [PLAN],
    run: 'ship eva.json --key A-2 --plan plan.json',
    files: { 'plan.json': 'A-2' },
  },
  ...each(
    { says: 'Nor where its price is 0, or for less weight than that of the order', exit: 4, ...noPlan },
    [
      { rig: offering({ id: 'EXP', isValid: true, price: 0, currency: 'EUR' }), run: PLAN },
      { rig: charging(10), run: `${PLAN} --chargeable-weight 9` },
    ],
  ),
  {
    says: 'A dry run writes none',
    rig: files,
    run: `${PLAN} --dry-run`,
    exit: 2,
    sent: [],
    ...noPlan,
  },
  {
    says: 'Without a key none is written of an order that is booked',
    rig: files,
    after: ['ship open.json --carrier EXP'],
    run: 'ship open.json --carrier EXP --plan plan.json',
    exit: 2,
    sent: [],
    ...noPlan,
  },
  ...each({ says: 'A file that cannot be one is told before anything is sent', rig: files, sent: [] }, [
    { run: `${OPEN} --plan missing/plan.json`, exit: 10 },
    { after: ['history check --new-journal'], run: `${OPEN} --plan state/journal.db`, exit: 2 },
  ]),
]);

const same: Partial<Promised> = { rig: files, after: [PLAN, 'ship -f plan.json'], exit: 0, sent: [] };

promises('`ship -f PLAN` books exactly that, once', [
  {
    says: 'It asks for proposals again, and books the request of the plan',
    rig: files,
    after: [PLAN],
    run: 'ship -f plan.json',
    sent: [QUOTED, BOOKED],
    also: (ran, rig) => expect(JSON.parse(ran.requests[1]?.body ?? '')).toEqual(planIn(rig).request),
  },
  ...each({ says: 'Again it shows the recorded answer; so does the order of which it was made', ...same }, [
    'ship -f plan.json',
    'ship plan.json',
    'ship -f plan.json --key A-1',
    OPEN,
  ]),
  {
    says: 'Without a key its hash is one',
    rig: files,
    after: ['ship open.json --carrier EXP --plan plan.json'],
    run: 'ship -f plan.json',
    also: async (_, rig) => expect(await rig.json('history list')).toMatchObject([{ key: planIn(rig).hash }]),
  },
  ...each({ rig: files, exit: 2, sent: [] }, [
    {
      says: 'Without a key the order itself is a duplicate then',
      after: ['ship open.json --carrier EXP --plan plan.json', 'ship -f plan.json'],
      run: 'ship open.json --carrier EXP',
    },
    {
      says: 'Two plans of one order without a key book once',
      after: [
        'ship open.json --carrier EXP --plan plan.json',
        { later: 1000 },
        'ship open.json --carrier EXP --plan other.json',
        'ship -f plan.json',
      ],
      run: 'ship -f other.json',
    },
  ]),
  {
    says: 'A plan that is booked twice at one moment is booked once',
    rig: files,
    after: [PLAN],
    run: 'history list',
    also: async (_, rig) => {
      const both = await Promise.all([1, 2].map(() => rig.run('ship -f plan.json -q')));
      expect(both.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
      expect(both[0]?.stdout).toBe(both[1]?.stdout);
      expect(await rig.json('history list')).toHaveLength(1);
    },
  },
  {
    says: 'A plan and its order without a key at one moment book once',
    rig: files,
    after: ['ship open.json --carrier EXP --plan plan.json'],
    run: 'history list',
    also: async (_, rig) => {
      const lines = ['ship -f plan.json', 'ship open.json --carrier EXP'];
      const both = await Promise.all(lines.map(line => rig.run(line, { may: ['reads'] })));
      expect(both.map(({ exitCode }) => exitCode).sort()).toEqual([0, 2]);
      expect(await rig.json('history list')).toHaveLength(1);
    },
  },
  {
    says: '--label may stand beside it',
    rig: files,
    after: [PLAN],
    run: 'ship -f plan.json --label',
    sent: [QUOTED, BOOKED, LABELLED],
  },
  {
    says: 'A plan on stdin is booked as well',
    rig: async () => {
      const rig = await createRig(files);
      const { stdout } = await rig.run(`${OPEN} --plan -`);
      return { ...rig, run: (argv, options) => rig.run(argv, { stdin: stdout, ...options }) };
    },
    run: 'ship -f -',
    sent: [QUOTED, BOOKED],
  },
  {
    says: 'A plan of a pair is booked in one call',
    rig: files,
    after: ['ship-dual pair.json --key P-1 --plan plan.json'],
    run: 'ship-dual -f plan.json',
    sent: [PAIRED],
  },
  {
    says: "It is so whatever the profile's defaults are by then",
    rig: async () => {
      const rig = await shopRig();
      for (const [name, content] of Object.entries(FILES)) rig.file(name, content);
      return rig;
    },
    after: [PLAN, 'profile set shop category=gift carrier=cheapest maxPrice=1EUR maxDays=1'],
    run: 'ship -f plan.json',
    body: { category: 'sales', carrier: { id: 'EXP' } },
  },
  {
    says: 'It asks before it books in production',
    rig: live,
    after: [PLAN],
    run: 'ship -f plan.json',
    terminal: true,
    exit: 130,
    sent: [QUOTED],
    also: ({ asked }) => expect(asked).toEqual([expect.stringContaining('52.90 EUR')]),
  },
]);

/** The order is planned for 20 EUR within 3 days; then the service proposes this, and books for that. */
const later =
  (offer: Record<string, unknown>, price: unknown = 20) =>
  async (): Promise<Rig> => {
    const terms = { id: 'EXP', isValid: true, deliveryTime: '1-3 days', price: 20, currency: 'EUR' };
    const answers: Parameters<typeof answering>[0] = {
      [PROPOSALS]: { status: 201, body: { chargeableWeight: 5, proposals: [terms] } },
      '/v1/shipments': { status: 201, body: { id: 'S-1', carrier: { id: 'EXP', price, currency: 'EUR' } } },
    };
    const rig = await answering(answers)();
    await rig.run(`${PLAN} --max-days 3`);
    answers[PROPOSALS] = { status: 201, body: { chargeableWeight: 5, proposals: [{ ...terms, ...offer }] } };
    return rig;
  };
const stays = (ran: Ran) => expect(sent(ran)).toEqual([QUOTED]);

promises('The price of a plan', [
  ...each({ run: 'ship -f plan.json' }, [
    { says: 'The same price is booked', rig: later({}), sent: [QUOTED, BOOKED] },
    { says: 'A cheaper one is booked', rig: later({ price: 19 }), sent: [QUOTED, BOOKED] },
    { says: 'A dearer proposal is exit 4', rig: later({ price: 20.01 }), exit: 4, also: stays },
    { says: 'A slower one is exit 4', rig: later({ deliveryTime: '1-4 days' }), exit: 4, also: stays },
    { says: 'One without a price is exit 4', rig: later({ price: null }), exit: 4, also: stays },
    { says: 'One of 0 is exit 4', rig: later({ price: 0 }), exit: 4, also: stays },
    { says: 'Booked dearer all the same is exit 11', rig: later({}, 21), exit: 11, sent: [QUOTED, BOOKED] },
    { says: 'One in another currency is exit 4', rig: later({ currency: 'USD' }), exit: 4, also: stays },
  ]),
  {
    says: 'That of a pair is its bound, which its answer is held against',
    rig: pairing(
      Object.fromEntries(
        ['international', 'domestic'].map(name => [
          name,
          { shipment: { id: name, carrier: { id: 'X', price: 21, currency: 'EUR' } } },
        ]),
      ),
    ),
    after: ['ship-dual pair.json --key P-1 --max-price 40EUR --plan plan.json'],
    run: 'ship-dual -f plan.json',
    exit: 11,
    sent: [PAIRED],
  },
]);

const planned = { rig: files, after: [PLAN], exit: 2, sent: [] };

/** A plan that was changed. */
const edited = (edit: (plan: Record<string, unknown>) => unknown) => async (): Promise<Rig> => {
  const rig = await createRig(files);
  await rig.run(PLAN);
  rig.file('plan.json', edit(planIn(rig)));
  return rig;
};

promises('A plan is exit 2, and nothing is sent', [
  ...each({ run: 'ship -f plan.json' }, [
    ...FIELDS.map(field => ({
      says: `With another content: ${field}`,
      rig: edited(plan => ({ ...plan, [field]: [plan[field]] })),
      exit: 2,
      sent: [],
      stderr: 'was changed after it was made',
    })),
    {
      says: 'Its layout does not matter',
      rig: edited(plan => JSON.stringify(Object.fromEntries(Object.entries(plan).reverse()), undefined, 7)),
      sent: [QUOTED, BOOKED],
    },
    { says: 'After a day', ...planned, after: [PLAN, { later: DAY }], stderr: '2026-03-03T09:00:00.000Z' },
    {
      says: 'Within a day it is booked',
      rig: files,
      after: [PLAN, { later: DAY - 1000 }],
      sent: [QUOTED, BOOKED],
    },
    { says: 'At another address', ...planned, env: { WAYBILL_BASE_URL: 'http://127.0.0.1:1' } },
  ]),
  { says: 'In the sandbox', ...planned, run: 'ship -f plan.json --sandbox' },
  { says: 'As another operation', ...planned, run: 'ship-dual -f plan.json' },
  {
    says: 'For another account',
    rig: async () => {
      const rig = await createRig({ ...files, env: BARE });
      const of = (account: string) => ({
        ...{ baseUrl: rig.address, account, credentials: { kind: 'token', token: 'demo' } },
      });
      rig.file('config/config.json', { profiles: { one: of('A'), other: of('B') } });
      return rig;
    },
    after: [`${PLAN} --profile one`],
    run: 'ship -f plan.json --profile other',
    exit: 2,
    sent: [],
  },
  ...each({ says: 'With options of the request beside it', ...planned }, [
    'ship -f plan.json --set type=document',
    'ship -f plan.json --carrier cheapest',
    {
      run: 'ship -f plan.json --max-price 60EUR',
      stderr: '"plan.json" is a plan, which takes no --max-price',
    },
    'ship -f plan.json --package 1kg@1x1x1',
    'ship -f plan.json --key A-2',
    'ship -f plan.json --like A-1',
    'ship -f plan.json --plan other.json',
  ]),
  ...each({ says: 'In a batch', ...planned }, ['batch ship plan.json']),
]);
