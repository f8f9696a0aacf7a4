// What is checked before any byte is sent.
import { expect } from 'vitest';
import { changed } from '../contract/rig.ts';
import { createRig } from '../rig/command.ts';
import { bookingAt, fill } from '../rig/journal.ts';
import { shopRig } from '../rig/profile.ts';
import { DUAL, fixture, proposing, SHIPMENT, UNDECIDED } from '../rig/service.ts';
import { BOOKED, FILES, HOOK, orderWith, PARCEL } from './orders.ts';
import { each, promises } from './promise.ts';

type Changes = Record<string, unknown>;

const at = (...paths: string[]) => ({ error: { issues: paths.map(path => ({ path })) } });
const JSON_SHIP = 'ship order.json --json';
const JSON_PAIR = 'ship-dual pair.json --json';
const pairWith = (changes: Changes) => ({ files: { ...FILES, 'pair.json': changed(DUAL, changes) } });

/** The order with these changes, of which this path is refused. */
const refused = (path: string, changes: Changes = { [path]: undefined }) => ({
  run: JSON_SHIP,
  rig: orderWith(changes),
  ...at(path),
});

const PERSON = [
  ...['firstName', 'lastName', 'email', 'phone.code', 'phone.number'],
  ...['address.line1', 'address.city', 'address.zipCode', 'address.country.code'],
];
const below = (path: string, ...fields: string[]) => fields.map(field => `${path}.${field}`);

/** The order without these fields, each of which is named. */
const without = (...paths: string[]) => ({
  run: JSON_SHIP,
  rig: orderWith(Object.fromEntries(paths.map(path => [path, undefined]))),
  ...at(...paths),
});

promises('Required fields', [
  ...each({ says: 'each that is missing is named', exit: 2, sent: [] }, [
    without('type', 'category', 'customs.currency', 'carrier.id'),
    without('packages', 'items'),
    without('sender', 'receiver'),
    without(...below('sender', ...PERSON)),
    without(...below('receiver', ...PERSON)),
    without('packages[0].weight', ...below('packages[0].dimensions', 'width', 'length', 'height')),
    without(...below('items[0]', 'description', 'hsCode', 'countryOfOrigin')),
    without('items[0].unitPrice', 'items[0].totalPrice'),
    without('items[0].quantity'),
    {
      run: JSON_SHIP,
      rig: orderWith({ invoice: {} }),
      ...at(...below('invoice', ...PERSON)),
    },
  ]),
  {
    says: 'a missing number of parcels is 1',
    run: `${JSON_SHIP} --dry-run`,
    rig: orderWith({ 'packages[0].quantity': undefined }),
    json: { body: { packages: [{ quantity: 1 }] } },
  },
  {
    says: 'a quantity of 0 is told as that, where a price of pieces is missing for it',
    ...refused('items[0].quantity', { 'items[0].quantity': 0, 'items[0].unitPrice': undefined }),
    exit: 2,
    sent: [],
    stderr: 'is 0: write how many',
  },
  ...each({ says: 'a text must not be empty', exit: 2, sent: [] }, [
    refused('receiver.firstName', { 'receiver.firstName': '' }),
    refused('receiver.address.city', { 'receiver.address.city': ' ' }),
    refused('carrier.id', { 'carrier.id': '' }),
  ]),
  ...each({ says: 'a pair needs both carriers', exit: 2, sent: [] }, [
    {
      run: JSON_PAIR,
      rig: pairWith({ 'carriers.international': undefined }),
      ...at('carriers.international.id'),
    },
    { run: JSON_PAIR, rig: pairWith({ 'carriers.domestic': undefined }), ...at('carriers.domestic.id') },
    {
      run: JSON_PAIR,
      rig: pairWith({ carriers: undefined }),
      ...at('carriers.international.id', 'carriers.domestic.id'),
    },
  ]),
  ...each({ says: 'a proposal and rates need a route and packages', exit: 2, sent: [] }, [
    { run: 'quote --json', ...at('originCountry', 'destinationCountry', 'packages') },
    { run: 'rates --json', ...at('data.packages', 'data.countryFrom', 'data.countryTo') },
  ]),
  {
    says: 'a subscription needs an address and events',
    run: 'webhook create --json',
    exit: 2,
    ...at('url', 'events'),
    sent: [],
  },
  { says: 'labels need at least one id', run: 'label --json', exit: 2, ...at(''), sent: [] },
]);

/** The order with this value in these places, each of which is refused. */
const refusedAll = (value: unknown, paths: string[]) => ({
  run: JSON_SHIP,
  rig: orderWith(Object.fromEntries(paths.map(path => [path, value]))),
  ...at(...paths),
});

promises('Types', [
  ...each({ says: 'a value of another type is refused, with what was given', exit: 2, sent: [] }, [
    { ...refused('receiver.email', { 'receiver.email': 7 }), stderr: '7' },
    { ...refused('packages[0].weight', { 'packages[0].weight': '3.2' }), stderr: '3.2' },
    { ...refused('items', { items: {} }), stderr: '{}' },
    { ...refused('packages', { packages: [] }) },
    { ...refused('customs', { customs: [] }) },
    { run: JSON_PAIR, rig: pairWith({ label: 'yes' }), ...at('label'), stderr: 'yes' },
  ]),
  {
    says: 'a number is not negative',
    ...refusedAll(-1, [
      ...below('packages[0]', 'quantity', 'weight'),
      ...below('packages[0].dimensions', 'width', 'length', 'height'),
      ...below('items[0]', 'quantity', 'unitPrice', 'totalPrice'),
      ...['customs.totalGoodsValue', 'chargeableWeight'],
    ]),
    exit: 2,
    sent: [],
  },
  {
    says: 'a number is finite',
    run: 'ship - --json',
    stdin: JSON.stringify(SHIPMENT).replace('"weight":3.2', '"weight":1e999'),
    exit: 2,
    ...at('packages[0].weight'),
    sent: [],
  },
  ...each({ says: 'a flag is checked like the field', exit: 2, sent: [] }, [
    'quote --from TR --to DE --weight heavy --length 1 --width 1 --height 1',
    'quote --from TR --to DE --weight -1 --length 1 --width 1 --height 1',
    { run: 'ship order.json --total-goods-value much', rig: { files: FILES } },
    { run: 'ship order.json --total-goods-value=-5', rig: { files: FILES } },
  ]),
]);

const CHOICES: Record<string, string[]> = {
  type: ['package', 'document'],
  category: ['gift', 'sample', 'micro export', 'sales', 'document'],
  deliveryType: ['DAP', 'DDP'],
};

promises('Choices', [
  ...each(
    { says: 'each of these values is sent', rig: { files: FILES } },
    Object.entries(CHOICES).flatMap(([name, values]) =>
      values.map(value => ({
        run: ['ship', 'order.json', '--set', `${name}=${value}`],
        body: { [name]: value },
      })),
    ),
  ),
  ...each(
    { says: 'any other is refused, with those that are allowed', exit: 2, sent: [] },
    Object.entries(CHOICES).map(([name, values]) => ({
      ...refused(name, { [name]: 'other' }),
      stderr: values,
    })),
  ),
  ...each({ says: 'a near one is suggested', exit: 2, sent: [], run: JSON_SHIP }, [
    {
      rig: orderWith({ category: 'micro-export' }),
      error: { issues: [{ path: 'category', suggestion: 'micro export' }] },
    },
    {
      rig: orderWith({ deliveryType: 'dap' }),
      error: { issues: [{ path: 'deliveryType', suggestion: 'DAP' }] },
    },
  ]),
]);

promises('Fields that nobody knows', [
  ...each({ says: 'are refused, and a near one is suggested', exit: 2, sent: [] }, [
    {
      run: JSON_SHIP,
      rig: orderWith({ receiver: undefined, reciever: SHIPMENT.receiver }),
      error: { issues: [{ path: 'receiver' }, { path: 'reciever', suggestion: 'receiver' }] },
    },
    {
      run: JSON_SHIP,
      rig: orderWith({ 'receiver.adress': {} }),
      error: { issues: [{ path: 'receiver.adress', suggestion: 'address' }] },
    },
    {
      run: JSON_SHIP,
      rig: orderWith({ totalGoodsValue: 99 }),
      error: { issues: [{ path: 'totalGoodsValue', suggestion: 'customs.totalGoodsValue' }] },
    },
    {
      run: JSON_SHIP,
      rig: orderWith({ 'receiver.city': 'Berlin' }),
      error: { issues: [{ path: 'receiver.city', suggestion: 'receiver.address.city' }] },
    },
    { run: JSON_SHIP, rig: orderWith({ colour: 'red' }), ...at('colour') },
    {
      run: JSON_SHIP,
      rig: orderWith({ 'sender.address.district': 'Kadikoy' }),
      ...at('sender.address.district'),
    },
    { run: `${HOOK} --set colour=red --json`, ...at('colour') },
  ]),
  {
    says: '--allow-unknown passes one through',
    rig: orderWith({ colour: 'red' }),
    run: 'ship order.json --allow-unknown',
    exit: 5,
    sent: BOOKED,
    body: { colour: 'red' },
  },
  {
    says: 'and nothing else',
    rig: orderWith({ colour: 'red', type: 'letter' }),
    run: `${JSON_SHIP} --allow-unknown`,
    exit: 2,
    ...at('type'),
    sent: [],
  },
]);

promises('All problems', [
  {
    says: 'are told at once, each with its path',
    rig: orderWith({ type: 'letter', 'receiver.email': undefined, 'items[0].quantity': -1, colour: 'red' }),
    run: JSON_SHIP,
    exit: 2,
    error: {
      code: 'invalid_request',
      issues: expect.arrayContaining(
        ['type', 'receiver.email', 'items[0].quantity', 'colour'].map(path =>
          expect.objectContaining({ path }),
        ),
      ),
    },
    sent: [],
  },
  {
    says: 'are a line each for a person',
    rig: orderWith({ type: 'letter', 'receiver.email': undefined }),
    run: 'ship order.json',
    exit: 2,
    stderr: [
      /^ {2}type +must be one of package, document, not "letter"/m,
      /^ {2}receiver\.email +is required/m,
    ],
    sent: [],
  },
]);

const CODE = 'address.country.code';

promises('Country codes', [
  ...each({ says: 'lower case is accepted, and sent as upper case' }, [
    {
      run: 'quote --from tr --to de --package 1@1x1x1',
      body: { originCountry: 'TR', destinationCountry: 'DE' },
    },
    {
      run: 'rates --from tr --to de --package 1@1x1x1',
      body: { data: { countryFrom: 'TR', countryTo: 'DE' } },
    },
    {
      run: 'ship order.json',
      rig: orderWith({ [`sender.${CODE}`]: 'tr', [`receiver.${CODE}`]: 'de' }),
      body: {
        sender: { address: { country: { code: 'TR' } } },
        receiver: { address: { country: { code: 'DE' } } },
      },
    },
  ]),
  {
    says: 'XK is one',
    run: 'quote --from TR --to XK --package 1@1x1x1',
    body: { destinationCountry: 'XK' },
  },
  ...each({ says: 'any other is refused', exit: 2, sent: [] }, [
    { run: 'quote --from ZZ --to DE --package 1@1x1x1 --json', ...at('originCountry') },
    { run: 'quote --from TR --to ZZ --package 1@1x1x1 --json', ...at('destinationCountry') },
    { run: 'rates --from TR --to DEU1 --package 1@1x1x1 --json', ...at('data.countryTo') },
    ...['sender', 'receiver'].map(role => refused(`${role}.${CODE}`, { [`${role}.${CODE}`]: 'ZZ' })),
    refused(`invoice.${CODE}`, { invoice: changed(SHIPMENT.sender, { [CODE]: 'ZZ' }) }),
  ]),
  ...each({ says: 'the right one is suggested', exit: 2, sent: [] }, [
    {
      run: 'quote --from UK --to DE --package 1@1x1x1 --json',
      error: { issues: [{ path: 'originCountry', suggestion: 'GB' }] },
    },
    {
      run: JSON_SHIP,
      rig: orderWith({ [`receiver.${CODE}`]: 'UK' }),
      error: { issues: [{ path: `receiver.${CODE}`, suggestion: 'GB' }] },
    },
    {
      run: JSON_SHIP,
      rig: orderWith({ [`receiver.${CODE}`]: 'Germany' }),
      error: { issues: [{ suggestion: 'DE' }] },
    },
  ]),
]);

const PAPERS = 'quote --from TR --to DE --type document';

promises('Documents in a proposal', [
  { says: 'weigh at most 2.5 kg', run: `${PAPERS} --package 2.5kg@30x20x1cm` },
  ...each({ says: 'not more', exit: 2, ...at('packages[0].weight'), sent: [] }, [
    `${PAPERS} --package 2.6kg@30x20x1cm --json`,
    `${PAPERS} --package 2.501kg@30x20x1cm --json`,
  ]),
  ...each({ says: 'their quantity is 1', exit: 2, ...at('packages[0].quantity'), sent: [] }, [
    `${PAPERS} --package 2x1kg@30x20x1cm --json`,
    `${PAPERS} --package 0x1kg@30x20x1cm --json`,
  ]),
  {
    says: 'several of them are a warning',
    run: `${PAPERS} --package 1kg@30x20x1cm --package 1kg@30x20x1cm`,
    stderr: /^warning: packages has 2 documents/m,
  },
  { says: 'packages may weigh more', run: `quote ${PARCEL} --set packages[0].weight=31` },
]);

promises('Text and keys', [
  ...each({ says: 'text that was no UTF-8 is refused', rig: { files: FILES }, exit: 2, sent: [] }, [
    { run: ['ship', 'order.json', '--set', 'receiver.firstName=M\ufffdller'] },
    { run: ['track', 'A\ufffd1'] },
  ]),
  ...each({ rig: { files: FILES }, exit: 2, sent: [] }, [
    { says: 'so is half of a character in a key', run: ['ship', 'order.json', '--key', 'A\ud8001'] },
    ...each({ says: 'so is a new key that a spreadsheet has mangled', stderr: 'spreadsheet' }, [
      'ship order.json --key 1.23457E+17',
      'ship order.json --key 1,23457E+17',
      'ship order.json --key 1E+20',
      'ship order.json --key 12345678901234000',
      'ship order.json --key 123456789012345678000',
    ]),
    ...each({ says: 'so is a key of which nothing is seen', stderr: 'key' }, [
      { run: ['ship', 'order.json', '--key', '\u200b'] },
      { run: ['ship', 'order.json', '--key', '\u2060\ufeff'] },
      { run: ['ship', 'order.json', '--key', '\u2800'] },
    ]),
  ]),
  ...each({ says: 'other numbers are keys', rig: { files: FILES }, sent: BOOKED }, [
    'ship order.json --key 1234567890123000',
    'ship order.json --key 12345678901234567',
    'ship order.json --key 1E17-A',
    'ship order.json --key E+17',
  ]),
  {
    says: 'one that is booked is shown',
    rig: async () => {
      const rig = await createRig();
      await fill(rig, 'state', [bookingAt(rig, 1, { key: '1.23457E+17' })]);
      return rig;
    },
    run: 'history show 1.23457E+17 --json',
    json: { key: '1.23457E+17' },
  },
]);

promises('--query', [
  ...each({ rig: { files: FILES }, exit: 2, sent: [] }, [
    ...each({ says: 'is parsed before anything is sent', stderr: 'JMESPath' }, [
      'ship order.json --query proposals[',
      "quote --from TR --to DE --package 1@1x1x1 --query 'proposals[?id = `x`]'",
      'track S-1 --query nothing(id)',
    ]),
    {
      says: 'has at most 4 kB',
      run: ['ship', 'order.json', '--query', `id${' '.repeat(4096)}`],
      stderr: '4096',
    },
  ]),
  ...each(
    { says: 'names the part that is wrong, in our words', rig: { files: FILES }, exit: 2, sent: [] },
    [
      ['proposals[?price > ].id', '"]" cannot stand there (character 20)'],
      ['proposals[', 'it ends too early'],
      ['id x', '"x" cannot stand there (character 4)'],
      ['`x', '"`" cannot stand there (character 1)'],
      ['sum(a, b)', 'sum() takes 1 argument, not 2'],
      ['split(a)', 'split() takes 2 to 3 arguments, not 1'],
      ['not_null()', 'not_null() takes 1 or more arguments, not 0'],
      ['sort_bye(@, &id)', 'there is no function sort_bye() (did you mean sort_by?)'],
      ['sort_by(@, id)', 'argument 2 of sort_by() needs & in front'],
      ['sort(&id)', 'argument 1 of sort() must not have & in front'],
      ['&id', '& stands only in arguments'],
      ['[::0]', 'the step of a slice cannot be 0'],
      ['$id', 'there is no variable $id'],
    ].map(([query = '', words = '']) => ({
      run: ['track', 'S-1', '--query', query],
      stderr: JSON.stringify(words).slice(1, -1),
    })),
  ),
  {
    says: 'that does not fit its result says so in our words, after the command did its work',
    rig: { files: FILES },
    run: ['quote', '--from', 'TR', '--to', 'DE', '--package', '1@1x1x1', '--query', 'sum(proposals)'],
    exit: 9,
    stderr: 'sum() takes an array of numbers as argument 1, and the result has array',
  },
  {
    says: 'of 4 kB is taken',
    rig: { files: FILES },
    run: ['ship', 'order.json', '--query', `id${' '.repeat(4094)}`],
    sent: BOOKED,
  },
]);

const TO_SA = { [`receiver.${CODE}`]: 'SA', 'receiver.address.zipCode': '11564' };
const SHORT = 'receiver.address.nationalShortAddress';
const byEconomy = (country: string, zipCode: string) => ({
  ...{ 'carrier.id': 'ECO', [`receiver.${CODE}`]: country, 'receiver.address.zipCode': zipCode },
});

promises('Numbers that a country needs', [
  ...each({ says: 'a receiver in Saudi Arabia needs the short address', exit: 2, sent: [] }, [
    refused(SHORT, TO_SA),
    refused(SHORT, { ...TO_SA, [SHORT]: ' ' }),
    {
      run: JSON_PAIR,
      rig: pairWith(TO_SA),
      ...at(SHORT),
    },
  ]),
  {
    says: 'and has it',
    rig: orderWith({ ...TO_SA, [SHORT]: 'RRRD2929' }),
    run: 'ship order.json',
    sent: BOOKED,
  },
  {
    says: 'nobody else does',
    rig: orderWith({ [`sender.${CODE}`]: 'SA' }),
    run: 'ship order.json --dry-run',
  },
  ...each({ says: 'the economy carrier needs an IOSS number to the EU', exit: 2, sent: [] }, [
    refused('customs.iossNumber', byEconomy('DE', '10115')),
    refused('customs.iossNumber', { ...byEconomy('FR', '75001'), 'customs.iossNumber': '' }),
    {
      run: JSON_PAIR,
      rig: pairWith({ 'carriers.international.id': 'ECO' }),
      ...at('customs.iossNumber'),
    },
  ]),
  {
    says: 'and a marketplace number to the UK',
    ...refused('customs.marketplaceNumber', byEconomy('GB', 'SW1A 1AA')),
    exit: 2,
    sent: [],
  },
  ...each({ says: 'and nothing elsewhere', sent: BOOKED }, [
    { run: 'ship order.json', rig: orderWith(byEconomy('US', '10001')) },
    { run: 'ship order.json', rig: orderWith(byEconomy('CH', '8001')) },
  ]),
  { says: 'another carrier needs none', rig: orderWith({}), run: 'ship order.json', sent: BOOKED },
  ...each({ says: 'which one that is, variable or profile say', exit: 2, sent: [] }, [
    { ...refused('customs.iossNumber', {}), env: { WAYBILL_ECONOMY_CARRIERS: 'X,EXP' } },
    {
      run: 'ship - --json',
      stdin: JSON.stringify(SHIPMENT),
      rig: () => shopRig({ economyCarriers: ['EXP'] }),
      env: { WAYBILL_ECONOMY_CARRIERS: '' },
      ...at('customs.iossNumber'),
    },
  ]),
]);

/** Proposals of a carrier that says that it is economy. */
const economy = (serviceType: string) => async () =>
  createRig({
    env: { ...(await proposing({ id: 'X', price: 5, serviceType })).env, WAYBILL_ECONOMY_CARRIERS: '' },
    files: { 'open.json': UNDECIDED },
  });

promises('An economy proposal where no setting names that carrier', [
  ...each(
    { says: 'is a warning', stderr: /^warning: .*customs\.iossNumber.*economyCarriers/m },
    ['economy', 'ECONOMY', 'EKONOM\u0130', 'International Economy'].map(type => ({
      run: 'ship open.json --carrier cheapest',
      rig: economy(type),
    })),
  ),
  {
    says: 'is an error with --strict, and nothing is booked',
    rig: economy('economy'),
    run: 'ship open.json --carrier X --strict',
    exit: 2,
    stderr: 'customs.iossNumber',
    also: async (_, rig) => expect(await rig.json('history list')).toEqual([]),
  },
  {
    says: 'is none for another service',
    rig: economy('express'),
    run: 'ship open.json --carrier cheapest',
    lacks: 'economyCarriers',
  },
]);

promises('What has no sandbox', [
  ...each({ says: 'is refused with --sandbox, and never goes to production', exit: 2, sent: [] }, [
    { run: `rates ${PARCEL} --sandbox --json`, error: { code: 'sandbox_unavailable' } },
    { run: `${HOOK} --sandbox --json`, error: { code: 'sandbox_unavailable' } },
    { run: 'webhook get sub_1 --sandbox --json', error: { code: 'sandbox_unavailable' } },
    { run: `rates ${PARCEL}`, env: { WAYBILL_SANDBOX: '1' } },
    { run: HOOK, env: { WAYBILL_SANDBOX: '1' } },
    { run: 'webhook get sub_1', env: { WAYBILL_SANDBOX: '1' } },
    { run: `quote ${PARCEL} --sandbox`, env: { WAYBILL_SANDBOX_BASE_URL: '' } },
  ]),
]);

promises('What the service does not state', [
  {
    says: 'is left to the service',
    rig: { files: FILES },
    run: 'ship order.json --carrier NONE --chargeable-weight 1',
    exit: 5,
    sent: BOOKED,
  },
  ...each({ says: 'its own example is sent as it is' }, [
    { run: 'ship - --dry-run', stdin: JSON.stringify(fixture('v1/shipments/POST/full.request.json')) },
    { run: 'ship-dual - --dry-run', stdin: JSON.stringify(fixture('v2/shipments/POST/full.request.json')) },
    {
      run: 'quote - --dry-run',
      stdin: JSON.stringify(fixture('v1/carriers/proposal/POST/full.request.json')),
    },
    {
      run: 'rates - --dry-run',
      stdin: JSON.stringify(fixture('api/v1/shipping/rates/POST/full.request.json')),
    },
  ]),
]);
