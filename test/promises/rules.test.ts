// Rules that choose the carrier: which one fits, what is stronger, what is held, and why a booking has its carrier.
import { expect } from 'vitest';
import { order as batchOrder, jsonLines, linesIn } from '../rig/batch.ts';
import type { Rig } from '../rig/command.ts';
import { bodyOf, DUAL, SHIPMENT } from '../rig/service.ts';
import { BOOKED, bookingOf, live, PAIRED, QUOTED, textOf } from './begin.ts';
import { each, type Promised, promises } from './promise.ts';
import { limitedRig } from './rigs.ts';

// biome-ignore lint/suspicious/noThenProperty: the field of the file is called so.
const rule = (name: string, conditions: object, choice: object) => ({ name, if: conditions, then: choice });

/** A service with three carriers, and a profile `live` that has these rules. */
const with3 = (rules: unknown, more: Parameters<typeof limitedRig>[0] = {}) => ({
  rig: limitedRig({
    offered: [
      ['EXP', 30],
      ['LOW', 20],
      ['MID', 25],
    ],
    ...more,
    files: { 'rules.json': rules, 'orders.jsonl': jsonLines(ORDERS), 'bare.json': BARE, ...more.files },
  }),
  after: ['profile set live rules=rules.json'] as Promised['after'] & object,
});

const open = (key: string, change: object = {}): object => {
  const { carrier: _, chargeableWeight: __, ...order } = batchOrder(key);
  return { ...order, ...change };
};
const to = (country: string) => ({
  receiver: {
    ...(SHIPMENT.receiver as object),
    address: { line1: 'Street 1', city: 'Town', zipCode: '10001', country: { code: country } },
  },
});
const heavy = { packages: (SHIPMENT.packages as object[]).map(parcel => ({ ...parcel, weight: 21 })) };
const { deliveryType: _, key: __, ...BARE } = open('A-1') as Record<string, unknown>;
const ORDERS = [open('A-1'), open('A-2', heavy), open('A-3', to('US'))];

const EU = rule('EU', { to: ['EU'] }, { carrier: 'MID' });
const HEAVY = rule('Heavy', { weightKg: { above: 20 } }, { hold: 'two people carry it' });
const SHIP = 'ship order.json --key A-1';
const BATCH = 'batch ship orders.jsonl';
const taken = (id: string) => ({ sent: [QUOTED, BOOKED], body: { carrier: { id } } });
const choiceOf = async (rig: Rig, ref = 'A-1') => (await rig.json(`history show ${ref}`)).choice;

promises('Rules: the first that fits counts', [
  { says: 'one of the profile', ...with3([EU]), run: SHIP, ...taken('MID') },
  {
    says: 'one of --rules, which takes the place of those of the profile',
    ...with3([EU], { files: { 'other.json': [rule('All', {}, { carrier: 'EXP' })] } }),
    run: `${SHIP} --rules other.json`,
    ...taken('EXP'),
  },
  {
    says: 'and no later one',
    ...with3([rule('US', { to: ['US'] }, { carrier: 'EXP' }), EU, rule('All', {}, { carrier: 'LOW' })]),
    run: SHIP,
    ...taken('MID'),
  },
  {
    says: 'where none fits the profile counts',
    ...with3([rule('US', { to: ['US'] }, { carrier: 'EXP' })], { settings: { carrier: 'LOW' } }),
    run: SHIP,
    ...taken('LOW'),
  },
  {
    says: 'a word chooses among the proposals, of a service, within days and a price',
    ...with3([rule('All', {}, { carrier: 'fastest', service: 'Express', maxPrice: '25EUR', maxDays: 3 })]),
    run: SHIP,
    ...taken('LOW'),
  },
  {
    says: 'who pays duties, and a label',
    ...with3([rule('EU', { to: ['EU'] }, { carrier: 'MID', deliveryType: 'DDP', label: true })]),
    run: SHIP.replace('order', 'bare'),
    sent: [QUOTED, BOOKED, 'POST /v2/carriers/create'],
    also: ran => expect(bodyOf(ran, 1)).toMatchObject({ deliveryType: 'DDP' }),
  },
  {
    says: 'for a pair it holds back, bounds and chooses who pays duties',
    ...with3([rule('All', {}, { carrier: 'MID', maxPrice: '90EUR', deliveryType: 'DDP' })], {
      files: { 'bare-pair.json': { ...DUAL, deliveryType: undefined } },
    }),
    run: 'ship-dual bare-pair.json --key P-1',
    sent: [PAIRED],
    body: { deliveryType: 'DDP' },
    also: async (_, rig) =>
      expect(await choiceOf(rig, 'P-1')).toEqual({ rule: 'All', proposals: [], bound: '90 EUR' }),
  },
]);

promises('A flag and the order are stronger than a rule, a rule than the profile', [
  ...each(
    { ...with3([rule('All', {}, { carrier: 'MID', service: 'express' })], { settings: { carrier: 'EXP' } }) },
    [
      { says: 'the rule beats the profile', run: SHIP, ...taken('MID') },
      { says: 'a flag beats the rule', run: `${SHIP} --carrier LOW`, ...taken('LOW') },
      { says: '--set beats the rule', run: `${SHIP} --set carrier.id=LOW`, ...taken('LOW') },
      { says: 'without rules the profile counts', run: `${SHIP} --no-rules`, ...taken('EXP') },
    ],
  ),
  ...each(
    with3([rule('All', {}, { carrier: 'MID', maxPrice: '24EUR' })], { settings: { maxPrice: '50EUR' } }),
    [
      { says: 'a bound of the profile is a default', run: SHIP, exit: 4, stderr: '24.00 EUR' },
      {
        says: 'of two bounds the stricter: the rule',
        run: `${SHIP} --max-price 40EUR`,
        exit: 4,
        stderr: '24.00 EUR',
      },
      {
        says: 'of two bounds the stricter: the flag',
        run: `${SHIP} --max-price 10EUR`,
        exit: 4,
        stderr: '10.00 EUR',
      },
      {
        says: 'two bounds in two currencies are refused',
        run: `${SHIP} --max-price 40USD`,
        exit: 2,
        stderr: /maxPrice.*40\.00 USD.*"All" has 24\.00 EUR/,
        sent: [],
      },
    ],
  ),
  {
    says: 'a wider bound of a rule takes the place of that of the profile',
    ...with3([rule('All', {}, { carrier: 'MID', maxPrice: '30EUR' })], { settings: { maxPrice: '22EUR' } }),
    run: SHIP,
    ...taken('MID'),
  },
  {
    says: 'and none loosens a limit',
    ...with3([rule('All', {}, { carrier: 'MID', maxPrice: '99EUR' })], { policy: { maxPrice: '24EUR' } }),
    run: SHIP,
    exit: 12,
    sent: [QUOTED],
  },
  {
    says: 'a column of a batch beats a rule',
    ...with3([EU], { files: { 'orders.jsonl': jsonLines([open('A-1', { carrier: 'LOW' })]) } }),
    run: BATCH,
    ...taken('LOW'),
  },
  {
    says: 'also its bound and its label where the profile has both',
    ...with3([rule('All', {}, { carrier: 'MID', maxPrice: '30EUR', label: true })], {
      settings: { maxPrice: '50EUR', label: true },
      files: {
        'orders.jsonl': jsonLines([
          open('A-1', { maxPrice: '10EUR' }),
          open('A-2', { ...to('US'), label: false }),
        ]),
      },
    }),
    run: `${BATCH} --json --concurrency 1`,
    exit: 9,
    stderr: '10.00 EUR',
    json: { states: { created: 1, rejected: 1 }, labels: 0, shipments: 1 },
  },
]);

promises('--no-label beats a rule that makes labels, and one that makes none the profile', [
  {
    says: 'of a pair',
    ...with3([rule('All', {}, { label: false })], {
      settings: { label: true },
      files: { 'pair.json': { ...DUAL, label: undefined } },
    }),
    run: 'ship-dual pair.json --key P-1',
    sent: [PAIRED],
    body: { label: false },
  },
  ...each(
    with3([rule('All', {}, { carrier: 'MID', label: true })], {
      files: { 'pair.json': { ...DUAL, label: undefined } },
    }),
    [
      { says: 'of a shipment', run: `${SHIP} --no-label`, ...taken('MID') },
      {
        says: 'of a pair, whose label is a field of its request',
        run: 'ship-dual pair.json --key P-1 --no-label',
        sent: [PAIRED],
        also: ran => expect(bodyOf(ran, 0)).not.toHaveProperty('label'),
      },
    ],
  ),
]);

promises('What an order does not tell is its problem, and never "does not fit"', [
  ...each({ run: SHIP, exit: 2, sent: [] }, [
    {
      says: 'a value in a currency that the bound does not name',
      ...with3([rule('Dear', { value: { above: '150USD' } }, { carrier: 'EXP' })]),
      stderr:
        /customs\.currency +is EUR, and the rule "Dear" has its bound in another currency \(150\.00 USD\)/,
    },
    {
      says: 'a SKU',
      ...with3([rule('Glass', { sku: ['G-1'] }, { carrier: 'EXP' })]),
      stderr: /sku +is needed: the rule "Glass" asks for the SKU/,
    },
  ]),
  {
    says: 'but not where another condition does not hold',
    ...with3([rule('Dear', { to: ['US'], value: { above: '150USD' } }, { carrier: 'EXP' }), EU]),
    run: SHIP,
    ...taken('MID'),
  },
  {
    says: 'a bound may name several currencies',
    ...with3([rule('Dear', { value: { above: '150USD,120EUR' } }, { carrier: 'EXP' })]),
    run: SHIP,
    ...taken('EXP'),
  },
  {
    says: 'a map tells what a SKU is, and that a marketplace sold it',
    ...with3([rule('Glass', { sku: ['G-*'], marketplace: true }, { carrier: 'EXP' }), EU], {
      files: {
        'map.json': { columns: { Article: '_' }, sku: 'Article', marketplace: true },
        'orders.jsonl': jsonLines([open('A-1', { Article: 'g-7' }), open('A-2', { Article: 'X' })]),
      },
    }),
    run: `${BATCH} --map map.json --concurrency 1`,
    also: ({ requests }) =>
      expect(
        requests
          .filter(({ path }) => path === '/v1/shipments')
          .map(({ body }) => JSON.parse(body).carrier.id),
      ).toEqual(['EXP', 'MID']),
  },
]);

promises('A rule that holds keeps an order back', [
  ...each({ ...with3([rule('Look', { to: ['DE'] }, { carrier: 'MID', hold: 'new customer' })]) }, [
    {
      says: 'ship is exit 2, nothing sent',
      run: `${SHIP} --json`,
      exit: 2,
      sent: [],
      error: {
        code: 'held',
        exitCode: 2,
        created: false,
        message: expect.stringMatching(/"Look".*new customer/),
      },
    },
    { says: 'a dry run shows it all the same', run: `${SHIP} --dry-run`, exit: 2, stdout: '"rule": "Look"' },
    {
      says: 'no plan is written',
      run: `${SHIP} --plan p.json`,
      exit: 2,
      files: { 'p.json': null },
      sent: [],
    },
    { says: '--release with its key books it', run: `${SHIP} --release A-1`, ...taken('MID') },
    { says: '--release with another key is exit 2', run: `${SHIP} --release A-2`, exit: 2, sent: [] },
    { says: 'a pair, too', run: 'ship-dual pair.json --key P-1', exit: 2, stderr: 'held', sent: [] },
  ]),
  {
    says: '--release without rules is exit 2',
    rig: limitedRig(),
    run: `${SHIP} --release A-1`,
    exit: 2,
    stderr: '--rules',
    sent: [],
  },
  {
    says: 'what is booked is shown, whatever a rule says by then',
    ...with3([EU]),
    after: [
      'profile set live rules=rules.json',
      SHIP,
      { write: { 'rules.json': [rule('Look', {}, { hold: 'look' })] } },
    ],
    run: SHIP,
    sent: [],
  },
  ...each(with3([HEAVY, EU, rule('Rest', {}, { carrier: 'LOW' })]), [
    {
      says: 'in a batch it is held and named, and alone does not change the exit code',
      run: `${BATCH} --json`,
      stderr: /A-2.*is held by the rule \\"Heavy\\": two people carry it/,
      json: { sent: 2, states: { created: 2, held: 1 }, exitCode: 0 },
      also: (_, rig) =>
        expect(linesIn(rig).find(({ key }) => key === 'A-2')).toMatchObject({
          ...{ state: 'held', exitCode: 2, sent: false },
          error: { code: 'held', message: expect.stringContaining('two people carry it') },
        }),
    },
    {
      says: '--release books it',
      run: `${BATCH} --release A-2 --json`,
      json: { sent: 3, states: { created: 3 } },
    },
    {
      says: '--release of what no rule holds is told',
      run: `${BATCH} --release A-9`,
      stderr: '--release "A-9": no rule holds such an order of this file',
    },
    {
      says: 'a dry run counts orders by rule',
      run: `${BATCH} --dry-run --json`,
      json: { toSend: 2, states: { held: 1 }, goods: { rules: { EU: 1, Rest: 1 } } },
    },
    {
      says: 'run again it is held again, and nothing else is sent',
      after: ['profile set live rules=rules.json', BATCH],
      run: `${BATCH} --json`,
      json: { sent: 0, already: 2, states: { created: 2, held: 1 } },
    },
  ]),
]);

promises('A batch says which rules it follows', [
  {
    says: 'before it asks, with the orders of each',
    rig: live,
    after: [{ write: { 'rules.json': [HEAVY, EU], 'orders.jsonl': jsonLines(ORDERS) } }],
    run: `${BATCH} --rules rules.json --carrier EXP`,
    terminal: true,
    answers: () => 'n',
    exit: 130,
    stderr: [
      /A-2.*is held by the rule "Heavy": two people carry it/,
      /^ {2}By rule +EU \(1\), no rule \(1\)$/m,
    ],
    sent: [],
  },
]);

const changedRules = (rules: unknown): Promised['after'] & object => [
  'profile set live rules=rules.json',
  BATCH,
  { write: { 'rules.json': rules } },
];

promises('Rules that changed make no duplicate', [
  {
    says: 'of an order',
    ...with3([EU]),
    after: [
      'profile set live rules=rules.json',
      SHIP,
      {
        write: {
          'rules.json': [rule('All', {}, { carrier: 'EXP', deliveryType: 'DDP', service: 'express' })],
        },
      },
    ],
    run: SHIP,
    sent: [],
  },
  {
    says: 'of a batch',
    ...with3([EU, rule('Rest', {}, { carrier: 'LOW' })]),
    after: changedRules([rule('All', {}, { carrier: 'EXP', deliveryType: 'DDP' })]),
    run: `${BATCH} --json`,
    json: { sent: 0, already: 3, states: { created: 3 } },
  },
  {
    says: 'and labels that a rule of now wants are made',
    ...with3([rule('All', {}, { carrier: 'LOW' })]),
    after: changedRules([rule('All', {}, { carrier: 'LOW', label: true })]),
    run: `${BATCH} --json`,
    json: { labels: 3, shipments: 0, states: { created: 3 } },
  },
  {
    says: 'what is booked stays so where a rule of now cannot be decided',
    ...with3([rule('All', {}, { carrier: 'LOW' })]),
    after: changedRules([rule('Dear', { value: { above: '1USD' } }, { label: true })]),
    run: `${BATCH} --json`,
    json: { sent: 0, states: { created: 3 } },
  },
  {
    says: 'the command for a file of --failed has the rules',
    ...with3([EU], { files: { 'orders.jsonl': jsonLines([open('A-1'), { key: 'A-2' }]) } }),
    run: `${BATCH} --rules rules.json --failed fix.jsonl --skip-invalid`,
    exit: 9,
    stderr: /waybill batch ship .*--rules rules\.json.* fix\.jsonl/,
  },
]);

promises('What is wrong with rules is told at once, with their names', [
  {
    says: 'all of it',
    ...with3([
      { ...rule('A', {}, {}), iff: {} },
      rule('B', { too: ['DE'], to: ['UK'], value: { above: '150' } }, { carier: 'EXP', maxPrice: '20' }),
      rule('C', { weightKg: { above: 3, over: 2 }, type: 'parcel' }, { deliveryType: 'DDU', hold: '' }),
      { if: {} },
      'EXP',
    ]),
    run: SHIP,
    exit: 2,
    sent: [],
    stderr: [
      /rule "A": iff +is no part of a rule \(did you mean if\?\)/,
      /rule "B": if\.too +is no condition that a rule may have \(did you mean to\?\)/,
      /rule "B": if\.to +must be codes of countries such as US, or EU, not \["UK"\] \(did you mean GB\?\)/,
      /rule "B": if\.value\.above +must be an amount with its currency/,
      /rule "B": then\.carier +is nothing that a rule chooses \(did you mean carrier\?\)/,
      /rule "B": then\.maxPrice +must be an amount above 0 with its currency, such as 20EUR, not "20"/,
      /rule "C": if\.weightKg\.over +is no bound/,
      /rule "C": if\.type +must be one or more of package, document, not "parcel"/,
      /rule "C": then\.deliveryType +must be one of DAP, DDP, not "DDU" \(did you mean DDP\?\)/,
      /rule "C": then\.hold +must be the reason, as text, not ""/,
      /rule 4: name +is required/,
      /rule 4: then +is required/,
      /rule 5 +must be an object, not "EXP"/,
    ],
  },
  {
    says: 'one that can never fit',
    ...with3([
      rule('Weight', { weightKg: { above: 5, upTo: 5 } }, { carrier: 'EXP' }),
      rule('Value', { value: { above: '9EUR', upTo: '5EUR,4USD' } }, { carrier: 'EXP' }),
      rule('Value', { to: ['US'] }, { carrier: 'EXP' }),
      EU,
      rule('DE', { to: ['DE'], weightKg: { upTo: 2 } }, { carrier: 'LOW' }),
      rule('All', {}, { carrier: 'MID' }),
      rule('Last', { to: ['CH'] }, { carrier: 'EXP' }),
    ]),
    run: SHIP,
    exit: 2,
    sent: [],
    stderr: [
      /rule "Weight": if\.weightKg +can never fit: nothing is above 5 kg and at most 5 kg/,
      /rule "Value": if\.value +can never fit: nothing is above 9\.00 EUR and at most 5\.00 EUR/,
      /rule "Value": if\.value\.above +names no USD, and upTo does/,
      /rule "Value": name +is the name of rule 2, too/,
      /rule "DE" +is never reached: "EU" before it fits every order that this one fits/,
      /rule "Last" +is never reached: "All" before it fits every order/,
    ],
  },
  { says: 'no list', ...with3({ name: 'A' }), run: SHIP, exit: 2, stderr: 'a list of rules', sent: [] },
  {
    says: 'no file',
    ...with3([]),
    run: `${SHIP} --rules none.json`,
    exit: 2,
    stderr: 'none.json',
    sent: [],
  },
]);

const WHY = {
  rule: 'EU',
  bound: '26 EUR',
  proposals: [
    { carrier: 'LOW', price: 20, currency: 'EUR', days: 3, why: null },
    { carrier: 'EXP', price: 30, currency: 'EUR', days: 3, why: 'max-price' },
    { carrier: 'MID', price: 25, currency: 'EUR', days: 3, why: 'dearer' },
  ],
};
const CHEAP = rule('EU', { to: ['EU'] }, { carrier: 'cheapest', maxPrice: '26EUR' });

promises('Why this carrier', [
  {
    says: 'is a fact of the booking: in its line on stderr, and in history show',
    ...with3([CHEAP]),
    run: `${SHIP} --json`,
    also: async (ran, rig) => {
      expect(bookingOf(ran).choice).toEqual(WHY);
      expect(await choiceOf(rig)).toEqual(WHY);
    },
  },
  { says: 'in -o record', ...with3([CHEAP]), run: `${SHIP} -o record`, json: { choice: WHY } },
  {
    says: 'as a table of history show',
    ...with3([CHEAP]),
    after: ['profile set live rules=rules.json', SHIP],
    run: 'history show A-1',
    stdout: [
      /^Why this carrier: rule "EU", at most 26 EUR$/m,
      /^LOW +20\.00 EUR +3 +taken$/m,
      /^EXP +30\.00 EUR +3 +above the bound$/m,
      /^MID +25\.00 EUR +3 +dearer$/m,
    ],
  },
  {
    says: 'in a plan, and on its page',
    ...with3([CHEAP]),
    run: `${SHIP} --plan plan.json`,
    stdout: /^Why this carrier: rule "EU", at most 26 EUR$/m,
    also: (_, rig) => expect(JSON.parse(textOf(rig, 'plan.json')).choice).toEqual(WHY),
  },
  {
    says: 'a dry run, which asks for no proposals, shows rule and bound',
    ...with3([CHEAP]),
    run: `${SHIP} --dry-run`,
    json: { choice: { rule: 'EU', proposals: [], bound: '26 EUR' } },
  },
  {
    says: 'is kept where no rule is in force',
    ...with3([]),
    run: `${SHIP} --carrier EXP --no-rules --json`,
    also: ran =>
      expect(bookingOf(ran).choice).toMatchObject({
        ...{ rule: null, bound: null },
        proposals: [{ carrier: 'EXP', why: null }, { why: 'other-carrier' }, { why: 'other-carrier' }],
      }),
  },
  {
    says: 'after prune it has carriers and prices, and no name that a person wrote',
    ...with3([CHEAP]),
    after: ['profile set live rules=rules.json', SHIP, 'history prune A-1'],
    run: 'history show A-1 --json',
    json: { choice: { ...WHY, rule: null } },
  },
  {
    says: 'a plan books what its rule chose, whatever the rules are by then',
    ...with3([CHEAP]),
    after: [
      'profile set live rules=rules.json',
      `${SHIP} --plan plan.json`,
      { write: { 'rules.json': [rule('Stop', {}, { carrier: 'EXP', hold: 'no' })] } },
    ],
    run: 'ship -f plan.json --json',
    ...taken('LOW'),
    also: ran => expect(bookingOf(ran).choice).toMatchObject({ rule: 'EU' }),
  },
]);

promises('profile rules', [
  {
    says: 'shows the rules of a profile as a table',
    ...with3([HEAVY, CHEAP]),
    run: 'profile rules live',
    stdout: [
      /^1 +Heavy +above 20 kg +held: two people carry it$/m,
      /^2 +EU +to EU +cheapest, at most 26\.00 EUR$/m,
    ],
  },
  { says: 'as the file has them', ...with3([CHEAP]), run: 'profile rules live --json', json: [CHEAP] },
  {
    says: '--try says which fits a request file',
    ...with3([HEAVY, EU, rule('Rest', {}, { carrier: 'LOW' })]),
    run: 'profile rules live --try order.json --json',
    json: [
      { rule: 'Heavy', fits: false, why: 'weightKg is 3.2 kg' },
      { rule: 'EU', fits: true, why: null },
      { rule: 'Rest', fits: true, why: '"EU" comes first' },
    ],
  },
  {
    says: '--try says which fits an order of the journal',
    ...with3([EU]),
    after: ['profile set live rules=rules.json', SHIP],
    run: 'profile rules live --try A-1 -q',
    stdout: 'EU\n',
  },
  {
    says: '--try of an order that does not tell what a rule asks for is exit 2, behind its table',
    ...with3([rule('Glass', { sku: 'G' }, { carrier: 'EXP' }), EU]),
    run: 'profile rules live --try order.json',
    exit: 2,
    stdout: /^Glass +\? +sku is needed/m,
  },
  {
    says: 'without rules is exit 2',
    rig: limitedRig(),
    run: 'profile rules live',
    exit: 2,
    stderr: 'rules=FILE',
  },
  { says: '`schema rules` describes them', run: 'schema rules', json: { title: 'rules', type: 'array' } },
]);
