// The rules of the service document that concern several fields: a request that breaks one is refused at its field. What is
// probably a mistake, although the document allows it, is a warning before anything is sent.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
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
    // Dinars have thousandths.
    [
      { items: [item(1, 1, 1.004)], [VALUE]: 1.004, 'customs.currency': 'KWD' },
      'items[0].totalPrice is 1.004, but quantity × unitPrice is 1',
    ],
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
const TARIFF = 'an HS code of 6, 8, 10 or 12 digits, such as 090121';

test.each([
  ['receiver.email', EMAIL, ['anna at example.com', 'deniz@'], ['anna.o+test@mail.example.co.uk']],
  ['customs.currency', CURRENCY, ['E U', 'EURO', 'eur'], ['TRY']],
  ['items[0].hsCode', TARIFF, ['Cotton shirt', '9012100', '901210000'], ['6109.10.00', '610910']],
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
  ['DE', ['1011', 'Berlin'], ['10115', 'D-10115']],
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
      text => [{ 'receiver.companyName': text }] as const,
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

describe('A postal code', () => {
  const to = (country: string, code?: string) =>
    JSON.stringify(changed(SHIPMENT, { [COUNTRY]: country, [ZIP]: code }));
  const dry = async (stdin: string, flags = '') =>
    (await createRig()).run(['ship', '-f', '-', '--dry-run', ...(flags ? [flags] : [])], { stdin });

  test('is left out where there are none: the service gets an empty text', async () => {
    for (const code of [undefined, '']) {
      const ran = await dry(to('AE', code));
      expect(ran).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining('warning') });
      expect(JSON.parse(ran.stdout).body.receiver.address.zipCode).toBe('');
    }
  });

  test('that is empty is missing where it is required, also by --set and for a saved party', async () => {
    for (const ran of [await dry(to('JP', ' ')), await dry(to('JP', '100-0001'), `--set=${ZIP}=`)])
      expect([ran.exitCode, ran.requests, ran.stderr]).toEqual([
        2,
        [],
        expect.stringContaining(`${ZIP}  is required in JP, such as 100-0001`),
      ]);
    const rig = await createRig();
    const party = {
      ...(SHIPMENT.receiver as object),
      address: { line1: 'Ginza 1', city: 'Tokyo', zipCode: '', country: { code: 'JP' } },
    };
    rig.file('config/config.json', { profiles: { shop: { parties: { taro: party } } }, current: 'shop' });
    const ran = await rig.run('ship -f - --receiver @taro', {
      stdin: JSON.stringify({ ...SHIPMENT, receiver: undefined }),
    });
    expect([ran.exitCode, ran.requests]).toEqual([2, []]);
    expect(ran.stderr).toContain(`${ZIP}  is required in JP`);
  });

  test('that is empty is doubted where nobody knows whether it is required; in a file an empty cell is enough', async () => {
    const ran = await dry(to('CL', ''));
    expect([ran.exitCode, ran.stderr]).toEqual([
      0,
      expect.stringContaining(`warning: ${ZIP} is empty: find out whether CL has postal codes`),
    ]);
    const rig = await createRig();
    rig.file(
      'orders.jsonl',
      ['CL', 'AE', 'JP'].map(code => `{"key":"${code}",${to(code).slice(1)}\n`).join(''),
    );
    const batch = await rig.run('batch ship orders.jsonl --dry-run --skip-invalid');
    expect(batch.stderr).toContain(`line 1, CL: ${ZIP} is empty`);
    expect(batch.stderr).toMatch(/line 3, JP +receiver\.address\.zipCode is required/);
    expect(batch.stdout).toMatch(/Would be sent +2/);
  });
});

test('An HS code is empty only within one customs territory', async () => {
  const given = { command: 'ship', name: 'v1/shipments/POST/minimal' };
  const hs = 'items[0].hsCode';
  const from = 'sender.address.country.code';
  const within = { [hs]: ' ', [from]: 'FR', [COUNTRY]: 'DE' };
  await expectRight(given, [within, { ...within, [from]: 'DE' }]);
  await expectWrong(hs, given, [
    { [hs]: '' },
    { ...within, [from]: 'GB' },
    { ...within, [from]: 'ES', 'sender.address.zipCode': '35001' },
  ]);
});

describe('Goods', () => {
  test.each([
    [
      { 'customs.totalGoodsValue': 0, 'items[0].unitPrice': 0, 'items[0].totalPrice': 0 },
      ['customs.totalGoodsValue is 0', 'items[0].unitPrice is 0'],
    ],
    [
      { 'items[0].description': '1' },
      ['items[0].description is "1", which says to no customs officer what it is'],
    ],
    [{ 'items[0].description': '10115 B' }, ['items[0].description is "10115 B"']],
    [{ 'items[0].description': 'Tea' }, []],
    [{ 'items[0].description': '3 x çay' }, []],
  ])('that are worth nothing, or have no word, are doubted: %j', async (change, told) => {
    const found = await warnings(await createRig(), change);
    expect(found).toEqual(told.map(words => expect.stringContaining(words)));
  });

  test.each([
    ['Postfach 12 34', 1],
    ['P.O. Box 77', 1],
    ['PO Box 7', 1],
    ['BP 412', 1],
    ['Apartado 33', 1],
    ['Boxhagener Str. 1', 0],
    ['Popostr. 9', 0],
  ])('to %j with a carrier that is not economy', async (line1, count) => {
    const rig = await createRig({ env: { WAYBILL_ECONOMY_CARRIERS: 'ECO' } });
    const change = { 'receiver.address.line1': line1, 'receiver.address.line2': undefined };
    const found = await warnings(rig, change);
    expect(found).toHaveLength(count);
    for (const one of found) expect(one).toContain('a post office box, to which EXP may not deliver');
    expect(
      await warnings(rig, { ...change, 'carrier.id': 'ECO', 'customs.iossNumber': 'IM0123456789' }),
    ).toEqual([]);
    const open = changed(SHIPMENT, { ...change, carrier: { id: 'cheapest' } });
    const picked = await rig.run('ship -f -', { stdin: JSON.stringify(open) });
    expect([picked.exitCode, picked.stderr.match(/a post office box, to which EXP/g)?.length ?? 0]).toEqual([
      0,
      count,
    ]);
  });
});

describe('The value of goods, and of a unit,', () => {
  const { customs: _, items: __, ...rest } = SHIPMENT;
  const item = { description: 'Cotton T-shirt', hsCode: '610910', countryOfOrigin: 'TR' };
  const whole = { ...rest, customs: { currency: 'EUR' } };
  const bodies = {
    totalPrice: { ...whole, items: [{ ...item, quantity: 8, totalPrice: 19.99 }] },
    unitPrice: { ...whole, items: [{ ...item, quantity: 3, unitPrice: 0.1 }] },
  };

  test.each([
    ['totalPrice', { unitPrice: 2.499, totalPrice: 19.99 }, 19.99],
    ['unitPrice', { unitPrice: 0.1, totalPrice: 0.3 }, 0.3],
  ] as const)('follow from %s in a file, a record, a cell and flags', async (given, prices, value) => {
    const rig = await createRig();
    const body = bodies[given];
    const bodyOfDry = async (line: string[], stdin?: unknown) => {
      const ran = await rig.run([...line, '--dry-run'], { stdin: JSON.stringify(stdin) });
      expect(ran, ran.stderr).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining('warning') });
      return JSON.parse(ran.stdout).body;
    };
    const { quantity, ...own } = body.items[0] as { quantity: number };
    const spec = Object.entries({ quantity, ...own })
      .map(([name, one]) => `${name}=${one}`)
      .join(',');
    const { items: ___, ...open } = body;
    for (const found of [
      await bodyOfDry(['ship', '-f', '-'], body),
      await bodyOfDry(['ship', '-f', '-', '--item', spec], open),
    ]) {
      expect(found.items[0]).toMatchObject(prices);
      expect(found.customs).toEqual({ currency: 'EUR', totalGoodsValue: value });
    }
    rig.file('orders.jsonl', `${JSON.stringify({ key: 'A', ...body })}\n`);
    expect(
      (await rig.run('batch ship orders.jsonl')).requests.map(one => JSON.parse(one.body)),
    ).toMatchObject([{ items: [prices], customs: { totalGoodsValue: value } }]);
  });
});

describe('Text that was converted in the wrong way', () => {
  test.each([
    ['O&#39;Brien', 'has HTML entities'],
    ['M&uuml;ller', 'has HTML entities'],
    ['AT&amp;T', 'has HTML entities'],
    ['MÃ¼nchen', 'was read in the wrong encoding, and probably means "München"'],
    ['StraÃŸe', 'was read in the wrong encoding, and probably means "Straße"'],
    ['Ä°stanbul, KadÄ±kÃ¶y', 'probably means "İstanbul, Kadıköy"'],
    ['CafÃ© â€“ Bar', 'probably means "Café – Bar"'],
    ['M\ufffdnchen', 'has lost letters'],
    ['Y?ld?z', 'has lost letters'],
    ['Ay?e ?ahin', 'has lost letters'],
  ])('%j is told with its field and a cure, in a file, a flag and a record', async (text, words) => {
    const rig = await createRig();
    const path = 'receiver.companyName';
    const stdin = JSON.stringify(changed(SHIPMENT, { [path]: text }));
    const told = `warning: ${path} is ${JSON.stringify(text)}, which `;
    const runs = [await rig.run('ship -f - --dry-run', { stdin })];
    if (!text.includes('\ufffd'))
      runs.push(
        await rig.run(['ship', '-f', '-', '--dry-run', '--set', `${path}=${text}`], {
          stdin: JSON.stringify(SHIPMENT),
        }),
      );
    for (const ran of runs) {
      expect(ran.stderr).toContain(told);
      expect(ran.stderr).toContain(words);
    }
    rig.file('orders.jsonl', `${JSON.stringify({ key: '#1001', ...JSON.parse(stdin) })}\n`);
    const batch = await rig.run('batch ship orders.jsonl --dry-run');
    expect(batch.stderr).toContain(`warning: line 1, #1001: ${path} is ${JSON.stringify(text)}, which `);
  });

  test('is none of these', async () => {
    await expectWarnings(
      [
        'AT&T',
        'www.example.com/shirts?size=M',
        'Tom & Jerry; Sons',
        'Ä Ö Ü',
        'CAFÉ–BAR',
        'Ångström',
        'SÃO PAULO',
        '“Château”',
        'Œuvre',
        'İSTANBUL',
        'Pełczyńska',
        'Wer? Wir! (Really?) 2?',
        'https://shop.example/cap?colour=red',
      ].map(text => [{ 'receiver.companyName': text }] as const),
    );
  });
});

test('UTF-16 with its mark is read as it is, whatever --encoding says, and --failed writes UTF-8', async () => {
  const record = (key: string, type: string) =>
    `${JSON.stringify({ key, ...(changed(SHIPMENT, { type, 'receiver.address.city': 'Köln' }) as object) })}\n`;
  const text = record('A', 'package') + record('B', 'pack');
  const little = Buffer.from(`\ufeff${text}`, 'utf16le');
  for (const bytes of [little, Buffer.from(little).swap16()])
    for (const flags of ['', '--encoding windows-1254']) {
      const rig = await createRig();
      writeFileSync(join(rig.folder, 'orders.jsonl'), bytes);
      const ran = await rig.run(`batch ship orders.jsonl --skip-invalid --failed fix.jsonl ${flags}`);
      expect(ran.exitCode, ran.stderr).toBe(9);
      expect(JSON.parse(ran.requests[0]?.body ?? '').receiver.address.city).toBe('Köln');
      const failed = readFileSync(join(rig.folder, 'fix.jsonl'), 'utf8');
      expect([failed.startsWith('\ufeff'), failed.includes('Köln')]).toEqual([true, true]);
    }
});

test.each(['\ufeff', ''])('A request in UTF-16 that begins with %j is read', async mark => {
  const text = JSON.stringify(changed(SHIPMENT, { 'receiver.address.city': 'Köln' }));
  const little = Buffer.from(`${mark}${text}`, 'utf16le');
  const rig = await createRig();
  for (const bytes of [little, Buffer.from(little).swap16()]) {
    writeFileSync(join(rig.folder, 'order.json'), bytes);
    const ran = await rig.run('ship -f order.json --allow-duplicate');
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(JSON.parse(ran.requests[0]?.body ?? '').receiver.address.city).toBe('Köln');
  }
});
