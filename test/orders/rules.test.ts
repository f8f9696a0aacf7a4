// The rules of the service document that concern several fields: a request that breaks one is refused at its field. What is
// probably a mistake, although the document allows it, is a warning before anything is sent.
import { expect, test } from 'vitest';
import { changed } from '../contract/rig.ts';
import { createRig, type Rig } from '../rig/command.ts';
import { errorOf, fixture, SHIPMENT } from '../rig/service.ts';

/** A fixture as the input of a command. */
interface Given {
  command: string;
  name: string;
  env?: Record<string, string>;
}
type Changes = Record<string, unknown>;

/** The paths that are refused, of the fixture with each of these changes of its fields. */
async function faultsOf({ command, name, env = {} }: Given, all: readonly Changes[]): Promise<string[][]> {
  const { run } = await createRig();
  const found: string[][] = [];
  for (const changes of all) {
    const stdin = JSON.stringify(changed(fixture(`${name}.request.json`), changes));
    const ran = await run(`${command} -f - --dry-run --json`, { stdin, env });
    expect(ran.requests).toEqual([]);
    found.push(ran.exitCode === 0 ? [] : errorOf(ran).issues.map(({ path }) => path));
  }
  return found;
}

const expectRight = async (given: Given, all: readonly Changes[]) =>
  expect(await faultsOf(given, all)).toEqual(all.map(() => []));

const expectWrong = async (path: string, given: Given, all: readonly Changes[]) =>
  expect(await faultsOf(given, all)).toEqual(all.map(() => [path]));

const COUNTRY = 'receiver.address.country.code';
const SHORT = 'receiver.address.nationalShortAddress';

test.each([
  ['ship', 'v1/shipments/POST'],
  ['ship-dual', 'v2/shipments/POST'],
])('%s to Saudi Arabia needs the short address of the receiver', async (command, folder) => {
  const there = { command, name: `${folder}/saudi` };
  const elsewhere = { command, name: `${folder}/minimal` };
  await expectRight(there, [{}]);
  await expectWrong(SHORT, there, [{ [SHORT]: undefined }, { [SHORT]: '' }, { [SHORT]: '  \n' }]);
  await expectWrong(SHORT, elsewhere, [{ [COUNTRY]: 'SA' }]);
  await expectRight(elsewhere, [{ [COUNTRY]: 'AE' }, { 'sender.address.country.code': 'SA' }]);
});

const IOSS = 'customs.iossNumber';
const MARKETPLACE = 'customs.marketplaceNumber';
const BLANK = [undefined, '', '  '];

test.each([
  ['ship', 'v1/shipments/POST/eu-ioss', 'v1/shipments/POST/uk-marketplace', 'carrier.id'],
  [
    'ship-dual',
    'v2/shipments/POST/eu-ioss-label',
    'v2/shipments/POST/uk-marketplace-label-false',
    'carriers.international.id',
  ],
])(
  '%s by the economy carrier needs a number to the EU and one to the UK',
  async (command, eu, uk, carrier) => {
    const toEu = { command, name: eu };
    for (const code of ['DE', 'FR', 'IE', 'HR', 'GR', 'CY']) {
      const blanks = BLANK.map(blank => ({ [COUNTRY]: code, [IOSS]: blank }));
      await expectRight(toEu, [{ [COUNTRY]: code }]);
      await expectWrong(IOSS, toEu, blanks);
    }
    const none = { [IOSS]: undefined };
    await expectRight(
      toEu,
      ['US', 'CH', 'NO', 'TR', 'IS', 'XK'].map(code => ({ ...none, [COUNTRY]: code })),
    );
    await expectRight(toEu, [{ ...none, [COUNTRY]: 'GB', [MARKETPLACE]: 'MP-1' }]);
    await expectWrong(IOSS, toEu, [{ [IOSS]: 5 }]);
    // Which carrier that is, the profile says letter by letter.
    await expectRight(
      toEu,
      ['EXP', 'eco', 'ECO ', 'ECONOMY'].map(id => ({ ...none, [carrier]: id })),
    );
    await expectRight({ ...toEu, env: { WAYBILL_ECONOMY_CARRIERS: '' } }, [none]);
    const named = { ...toEu, env: { WAYBILL_ECONOMY_CARRIERS: 'ECO,id-7' } };
    await expectWrong(IOSS, named, [{ ...none, [carrier]: 'id-7' }]);

    const toUk = { command, name: uk };
    await expectWrong(
      MARKETPLACE,
      toUk,
      BLANK.map(blank => ({ [MARKETPLACE]: blank })),
    );
    await expectRight(
      toUk,
      ['GG', 'JE', 'IM', 'US'].map(code => ({ [COUNTRY]: code, [MARKETPLACE]: undefined })),
    );
    await expectRight(toUk, [
      { [COUNTRY]: 'IE', [MARKETPLACE]: undefined, [IOSS]: 'IM0123456789' },
      { 'sender.address.country.code': 'DE' },
    ]);
  },
);

test('the economy carrier needs no number for a domestic leg', async () => {
  const pair = { command: 'ship-dual', name: 'v2/shipments/POST/minimal' };
  await expectRight(pair, [{ 'carriers.domestic.id': 'ECO' }]);
});

test('a document in a proposal is one piece of at most 2.5 kg, in each package', async () => {
  const [quantity, weight] = ['packages[0].quantity', 'packages[0].weight'];
  const quote = { command: 'quote', name: 'v1/carriers/proposal/POST/document-at-limit' };
  const heavy = { [weight]: 31, [quantity]: 3 };
  await expectRight(quote, [
    { [weight]: 2.5 },
    { ...heavy, packageType: 'package' },
    { ...heavy, packageType: undefined },
  ]);
  await expectWrong(weight, quote, [{ [weight]: 2.500001 }, { [weight]: 2.6 }, { [weight]: 31 }]);
  await expectWrong(quantity, quote, [{ [quantity]: 0 }, { [quantity]: 0.5 }, { [quantity]: 2 }]);
  const second = { quantity: 2, weight: 3, dimensions: { width: 1, length: 1, height: 1 } };
  expect(await faultsOf(quote, [{ 'packages[1]': second }])).toEqual([
    ['packages[1].quantity', 'packages[1].weight'],
  ]);
  // The document limits proposals alone: a shipment of documents may weigh more.
  await expectRight({ command: 'ship', name: 'v1/shipments/POST/document' }, [heavy]);
});

const HOOK = { command: 'webhook create', name: 'webhooks/subscriptions/POST/minimal' };
const WRONG_URLS = [
  'http://a.example',
  'a.example/hooks',
  '//a.example',
  'javascript:alert(1)',
  'https://',
  'https:a.example',
  ' https://a.example',
  'https://a.exa\nmple',
  'https://a.example/x y',
  '',
  'http://127.0.0.1.example',
  'http://0.0.0.0',
  'http://127.0.0.1@a.example',
];

test('the address of a webhook is https, or http on loopback if the service is there too', async () => {
  const right = [
    'https://a.example',
    'HTTPS://A.example/x?y=1#z',
    'https://[::1]:8443/',
    'https://127.0.0.1/',
  ];
  const onLoopback = ['http://localhost:3000/x', 'http://127.0.0.1', 'http://127.9.9.9', 'http://[::1]:80/x'];
  const urls = (all: readonly string[]) => all.map(url => ({ url }));
  const live = { ...HOOK, env: { WAYBILL_BASE_URL: 'https://api.example.test' } };
  for (const service of [HOOK, live]) {
    await expectRight(service, urls(right));
    await expectWrong('url', service, urls(WRONG_URLS));
  }
  await expectRight(HOOK, urls(onLoopback));
  await expectWrong('url', live, urls(onLoopback));
});

/** The warnings of the shipment with some fields changed. */
async function warnings({ run }: Rig, changes: Changes): Promise<string[]> {
  const stdin = JSON.stringify(changed(SHIPMENT, changes));
  const { exitCode, stderr, requests } = await run('ship -f - --dry-run --json', { stdin });
  expect([exitCode, requests], stderr).toEqual([0, []]);
  return stderr
    .split('\n')
    .filter(line => line.startsWith('{"warning":'))
    .map(line => JSON.parse(line).warning);
}

/** Each row is the changes, and what is warned of. */
async function expectWarnings(rows: readonly (readonly [Changes, ...string[]])[]) {
  const rig = await createRig();
  for (const [changes, ...told] of rows)
    expect([changes, await warnings(rig, changes)]).toEqual([changes, told]);
}

const item = (quantity: number, unitPrice: number, totalPrice: number) => ({
  ...(SHIPMENT.items as object[])[0],
  quantity,
  unitPrice,
  totalPrice,
});
const VALUE = 'customs.totalGoodsValue';

test('sums that do not agree are told with both numbers, and those that are right in decimal are not', async () => {
  await expectWarnings([
    [{}],
    [
      { items: [item(2, 12.5, 24)], [VALUE]: 24 },
      'items[0].totalPrice is 24, but quantity × unitPrice is 25',
    ],
    [{ items: [item(2, 12.5, 25)], [VALUE]: 30 }, `${VALUE} is 30, but the items add up to 25`],
    // A rounded unit price is right, one cent too much is not.
    [{ items: [item(3, 0.333, 1)], [VALUE]: 1 }],
    [
      { items: [item(3, 0.333, 1.01)], [VALUE]: 1.01 },
      'items[0].totalPrice is 1.01, but quantity × unitPrice is 0.999',
    ],
    [{ items: [item(3, 0.1, 0.3), item(7, 19.99, 139.93)], [VALUE]: 140.23 }],
    [{ 'packages[0].weight': 0 }, 'packages[0].weight is 0'],
    [{ 'packages[0].quantity': 0.5 }, 'packages[0].quantity is 0.5, which is no whole number of pieces'],
  ]);
});

const ZIP = 'receiver.address.zipCode';
const EMAIL = 'an e-mail address, such as anna@example.com';
const CURRENCY = 'a currency code of ISO 4217, such as EUR';
const DIALLING = 'a dialling code, such as +49';
const PHONE = 'a phone number without its dialling code, such as 15123456789';
const TURKISH = PHONE.replace('15123456789', '5012345678');
const NUMBER = 'an IOSS number, such as IM0123456789';
const TARIFF = 'an HS code of at least 6 digits, such as 610910';

test.each([
  ['receiver.email', EMAIL, ['anna at example.com', 'deniz@'], ['anna.o+test@mail.example.co.uk']],
  ['customs.currency', CURRENCY, ['E U', 'EURO', 'eur'], ['TRY']],
  ['items[0].hsCode', TARIFF, ['Cotton shirt'], ['6109.10.00', '610910']],
  [
    'receiver.phone.code',
    DIALLING,
    ['anna@example.com', 'DE', '+49 30 5550101'],
    ['+49', '49', '0049', '+1-242', '+1 (242)'],
  ],
  ['receiver.phone.number', PHONE, ['+43 1 5550101', '1'.repeat(24)], ['(0)30 / 123-456', '+49 30 123456']],
  ['sender.phone.number', TURKISH, ['12', '0212 55'], ['5550001', '0212 555 01 01']],
  [IOSS, NUMBER, ['IM1', '0123456789'], ['im2760000742']],
])('%s that is not %s is told', async (path, what, odd, usual) => {
  await expectWarnings([
    ...odd.map(
      text => [{ [path]: text }, `${path} is ${JSON.stringify(text)}, which is not ${what}`] as const,
    ),
    ...usual.map(text => [{ [path]: text }] as const),
  ]);
});

test.each([
  ['DE', ['1011', 'Berlin'], ['10115', 'D-10115', '']],
  ['US', ['1000'], ['10001-1234']],
  ['GB', ['10115'], ['sw1a1aa', 'M1 1AE']],
  ['NL', ['1011'], ['1011ab']],
  ['AE', ['N/A'], ['00000']],
  ['TR', ['34-71'], ['34710']],
  ['QA', ['!'], [' ']],
])('a postal code of %s has its form', async (country, odd, usual) => {
  const rig = await createRig();
  for (const code of odd)
    expect(await warnings(rig, { [COUNTRY]: country, [ZIP]: code })).toEqual([
      expect.stringMatching(
        `^${ZIP} is "${code}", which is not a postal code(, such as \\w|: where there is none, 00000 is usual)`,
      ),
    ]);
  await expectWarnings(usual.map(code => [{ [COUNTRY]: country, [ZIP]: code }] as const));
});

test.each([
  ['quote', '--to DE --postal-code 1', 'postalCode is "1", which is not a postal code, such as 10115'],
  ['rates', '--to FR --postal-code A', 'data.postalCode is "A", which is not a postal code, such as 75001'],
])('the postal code of a %s (%s) is compared with the country of destination', async (command, to, told) => {
  const { run } = await createRig();
  expect((await run(`${command} --from TR ${to} --package 1@1x1x1 --dry-run`)).stderr).toContain(told);
});

test('a short address is compared for Saudi Arabia only', async () => {
  const short = 'receiver.address.nationalShortAddress';
  const to = (country: string, code: string) => ({ [COUNTRY]: country, [ZIP]: '11564', [short]: code });
  const told = `${short} is "Riyadh 1", which is not a short address of Saudi Arabia, such as RRRD2929`;
  await expectWarnings([[to('SA', 'Riyadh 1'), told], [to('SA', 'RRRD2929')], [to('DE', 'Riyadh 1')]]);
});

test('a text that a spreadsheet rounded is told', async () => {
  await expectWarnings([
    ...['1.2E+11', '9,05E+12', '1e+9', ' 6.1E+05 '].map(
      text =>
        [
          { 'items[0].hsCode': text },
          `items[0].hsCode is ${JSON.stringify(text)}: a spreadsheet seems to have rounded a long number`,
        ] as const,
    ),
    ...['610910', 'E+11', '12E+3X', '1.2E11', 'Gate 1E+2'].map(
      text => [{ 'items[0].description': text }] as const,
    ),
  ]);
});

test('letters that are not Latin are told once for a party', async () => {
  const told = (role: string, fields: string) =>
    `${role} has letters that are not Latin, which labels may not print, in ${fields}`;
  await expectWarnings([
    [
      { 'receiver.firstName': '\u6771\u4eac', 'receiver.address.city': '\u0410\u0444\u0438\u043d\u0430' },
      told('receiver', 'firstName, address.city'),
    ],
    // A Latin word with one letter of another alphabet looks the same.
    [{ 'sender.lastName': '\u0410nna' }, told('sender', 'lastName')],
    [{ 'receiver.lastName': '\u0130zmir \u011e\u015e\u00d8\u1e9e' }],
    [{ 'receiver.lastName': 'Vi\u1ec7t' }],
    [{ 'receiver.lastName': 'O\u2019Neil \u2013 \u2116 7 \u20ac' }],
    [{ 'receiver.lastName': 'e\u0301' }],
  ]);
});

test('an origin that is no country is warned of', async () => {
  const origin = 'items[0].countryOfOrigin';
  const told = (given: string) =>
    `${origin} is "${given}", which is not a country's code of two letters, such as TR`;
  await expectWarnings([
    [{ [origin]: 'Turkiye' }, `${told('Turkiye')} (did you mean TR?)`],
    [{ [origin]: 'XX' }, told('XX')],
    [{ [origin]: 'cn' }],
  ]);
});

test('a receiver where there are no postal codes is told what the service takes', async () => {
  const rig = await createRig();
  const stdin = JSON.stringify(changed(SHIPMENT, { [COUNTRY]: 'AE', [ZIP]: undefined }));
  const ran = await rig.run('ship -f - --dry-run', { stdin });
  expect(ran.exitCode).toBe(2);
  expect(ran.stderr).toContain(
    'is required: the service takes any text, and 00000 where there are no postal codes, as in AE',
  );
});
