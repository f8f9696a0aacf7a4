// Rules of the service document that concern several fields, and what is probably a mistake although the document allows it, for
// many values. That they stop an order, or are a warning, is in test/promises/{validation,customs,warnings}.test.ts.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  OPERATIONS,
  type OperationId,
  type RuleContext,
  bodyOf as schemaOf,
} from '../../src/contract/operations.ts';
import { completeBody } from '../../src/order/complete.ts';
import { doubtsOf, takenCodes } from '../../src/order/doubts.ts';
import * as phones from '../../src/order/phone.ts';
import { messageWords } from '../../src/say/person.ts';
import { changed, faults, STRICT } from '../contract/rig.ts';
import { createRig } from '../rig/command.ts';
import { bodyOf, fixture, SHIPMENT } from '../rig/service.ts';

type Changes = Record<string, unknown>;

/** Finds the faults of a fixture with these changes. */
const checker =
  (id: OperationId, name: string) =>
  (changes: Changes, context: Partial<RuleContext> = {}): string[] => {
    const body = JSON.stringify(changed(fixture(`${name}.request.json`), changes));
    return faults(OPERATIONS[id], JSON.parse(body), { ...STRICT, ...context });
  };

const COUNTRY = 'receiver.address.country.code';
const ZIP = 'receiver.address.zipCode';
const IOSS = 'customs.iossNumber';
const MARKETPLACE = 'customs.marketplaceNumber';
const BLANK = [undefined, '', '  ', ' \n'];

test('the economy carrier needs a number to the EU and one to the UK', () => {
  const toEu = checker('createShipment', 'v1/shipments/POST/eu-ioss');
  for (const code of ['DE', 'FR', 'IE', 'HR', 'GR', 'CY']) {
    expect(toEu({ [COUNTRY]: code })).toEqual([]);
    for (const blank of BLANK) expect(toEu({ [COUNTRY]: code, [IOSS]: blank })).toEqual([IOSS]);
  }
  const none = { [IOSS]: undefined };
  for (const code of ['US', 'CH', 'NO', 'TR', 'IS', 'XK'])
    expect(toEu({ ...none, [COUNTRY]: code })).toEqual([]);
  expect(toEu({ ...none, [COUNTRY]: 'GB', [MARKETPLACE]: 'MP-1' })).toEqual([]);
  // Which carrier that is, the profile says letter by letter.
  for (const name of ['EXP', 'eco', 'ECO ', 'ECONOMY'])
    expect(toEu({ ...none, 'carrier.id': name })).toEqual([]);
  expect(toEu(none, { economyCarriers: [] })).toEqual([]);
  expect(toEu({ ...none, 'carrier.id': 'id-7' }, { economyCarriers: ['ECO', 'id-7'] })).toEqual([IOSS]);
  const toUk = checker('createShipment', 'v1/shipments/POST/uk-marketplace');
  for (const blank of BLANK) expect(toUk({ [MARKETPLACE]: blank })).toEqual([MARKETPLACE]);
  for (const code of ['GG', 'JE', 'IM', 'US'])
    expect(toUk({ [COUNTRY]: code, [MARKETPLACE]: undefined })).toEqual([]);
});

test.each<[OperationId, string, Changes, string[]]>([
  // The carrier of a domestic leg needs no number.
  ['createDualShipment', 'v2/shipments/POST/minimal', { 'carriers.domestic.id': 'ECO' }, []],
  ['createShipment', 'v1/shipments/POST/minimal', { [COUNTRY]: 'AE' }, []],
  // The document limits proposals alone: a shipment of documents may weigh more.
  [
    'createShipment',
    'v1/shipments/POST/document',
    { 'packages[0].weight': 31, 'packages[0].quantity': 3 },
    [],
  ],
  [
    'proposal',
    'v1/carriers/proposal/POST/document-at-limit',
    { 'packages[1]': { quantity: 2, weight: 3, dimensions: { width: 1, length: 1, height: 1 } } },
    ['packages[1].quantity', 'packages[1].weight'],
  ],
])('%s as %s with %j has the faults %j', (id, name, changes, paths) => {
  expect(checker(id, name)(changes)).toEqual(paths);
});

test('the address of a webhook is https, or http on loopback if the service is there too', () => {
  const hook = checker('createSubscription', 'webhooks/subscriptions/POST/minimal');
  const right = 'https://a.example HTTPS://A.example/x?y=1#z https://[::1]:8443/ https://127.0.0.1/'.split(
    ' ',
  );
  const onLoopback = 'http://localhost:3000/x http://127.0.0.1 http://127.9.9.9 http://[::1]:80/x'.split(' ');
  const wrong = [
    ...'http://a.example a.example/hooks //a.example javascript:alert(1) https:// https:a.example'.split(' '),
    ...'http://127.0.0.1.example http://0.0.0.0 http://127.0.0.1@a.example'.split(' '),
    ...[' https://a.example', 'https://a.exa\nmple', 'https://a.example/x y', ''],
  ];
  for (const serviceOnLoopback of [true, false]) {
    const faultsOfEach = (urls: string[]) => urls.map(url => hook({ url }, { serviceOnLoopback }));
    expect(faultsOfEach(right)).toEqual(right.map(() => []));
    expect(faultsOfEach(wrong)).toEqual(wrong.map(() => ['url']));
    expect(faultsOfEach(onLoopback)).toEqual(onLoopback.map(() => (serviceOnLoopback ? [] : ['url'])));
  }
});

const item = (quantity: number, unitPrice: number, totalPrice: number) => ({
  ...(SHIPMENT.items as object[])[0],
  ...{ quantity, unitPrice, totalPrice },
});
const VALUE = 'customs.totalGoodsValue';
const SHORT = 'receiver.address.nationalShortAddress';
const COMPANY = 'receiver.companyName';
const LINE = 'receiver.address.line1';
const LINE2 = 'receiver.address.line2';
const CITY = 'receiver.address.city';

/** Each row is the changes of an order, and what is doubted of it: one thing, or nothing. */
type Doubt = readonly [changes: Changes, told?: string | undefined];

/** Values of one field that are doubted, and some that are not. */
const field = (path: string, what: string, odd: readonly string[], usual: readonly string[]): Doubt[] => [
  ...odd.map(text => [{ [path]: text }, `${path} is ${JSON.stringify(text)}, which is not ${what}`] as const),
  ...usual.map(text => [{ [path]: text }] as const),
];
const codes = (country: string, odd: readonly string[], usual: readonly string[]): Doubt[] => [
  ...odd.map(
    code => [{ [COUNTRY]: country, [ZIP]: code }, `${ZIP} is "${code}", which is not a postal code`] as const,
  ),
  ...usual.map(code => [{ [COUNTRY]: country, [ZIP]: code }] as const),
];
const texts = (path: string, damaged: Readonly<Record<string, string>>): Doubt[] =>
  Object.entries(damaged).map(([text, words]) => [{ [path]: text }, words]);
const notLatin = (role: string, fields: string) =>
  `${role} has letters that are not Latin, which labels may not print, in ${fields}`;

/** A street of that country, with the postal code of the order left out. */
const street = (country: string, line: string, more: Changes = {}): Changes => ({
  ...{ [COUNTRY]: country, [ZIP]: ZIPS[country] ?? '', [CITY]: CITIES[country] ?? 'Somewhere', [LINE]: line },
  ...more,
});
const ZIPS: Changes = {
  ...{ DE: '10115', US: '78701', GB: 'SW1A 1AA', IE: 'D02 X285', FR: '75001', IT: '00118', ES: '28001' },
  ...{ CH: '8001', TR: '34000', NL: '1011 AB', SA: '11564', JP: '100-0001', AU: '2000', CA: 'K1A 0B1' },
};
const CITIES: Changes = { US: 'Austin, TX', AU: 'Sydney NSW' };

const DOUBTS: Doubt[] = [
  ...(
    [
      ...[street('DE', 'Hauptstraße'), street('DE', 'Unter den Linden'), street('FR', 'rue de la Paix')],
      ...[street('IT', 'Via Roma'), street('TR', 'Bağdat Caddesi'), street('US', 'Main Street')],
      ...[street('CH', 'Bahnhofstr.'), street('AU', 'George St'), street('US', 'Lamar Blvd N')],
      street('DE', 'Example GmbH', { [LINE2]: 'Ringweg' }),
    ] as const
  ).map((changes): Doubt => [changes, 'which has no house number: add it']),
  ...[
    ...[street('DE', '7 Hauptstraße'), street('DE', 'Hauptstr. 7a'), street('DE', 'Straße des 17. Juni')],
    ...[street('DE', 'Example GmbH', { [LINE2]: 'Ringweg 4' }), street('DE', 'Packstation')],
    ...[street('DE', 'Postfach'), street('GB', 'Rose Cottage, Church Lane'), street('IE', 'Main Street')],
    ...[street('AE', 'Al Wasl Road'), street('FR', 'Lieu-dit Le Bourg'), street('IT', 'Via Roma s.n.c.')],
    ...[street('ES', 'Calle Sol, s/n'), street('CH', 'Chalet Edelweiss'), street('US', 'General Delivery')],
    ...[street('SA', 'King Fahd Road', { [SHORT]: 'RRRD2929' }), street('JP', 'Chiyoda')],
    ...[street('US', 'Empire State Building'), street('NL', 'Keizersgracht 12-II')],
  ].map((changes): Doubt => [changes]),
  ...[LINE, LINE2].flatMap((path): Doubt[] => [
    [{ [path]: `${'x'.repeat(32)} 123` }, `${path} is "xxx`],
    [{ [path]: `${'\u00fc'.repeat(31)} 123` }],
  ]),
  ...[
    { ...street('US', '5 Main St'), [CITY]: 'Austin' },
    { ...street('US', '5 Main St, Apt 4'), [CITY]: 'Kansas City' },
    { ...street('US', '5 Texas Ave'), [CITY]: 'Austin' },
    { ...street('CA', '5 Main St'), [CITY]: 'Ottawa' },
    { ...street('AU', '5 George St'), [CITY]: 'Sydney' },
  ].map((changes): Doubt => [changes, `${CITY} is "${changes[CITY]}", which has no state`]),
  ...[...['Austin TX', 'Austin, Texas', 'austin, tx', 'Austin, TX 78701', 'Austin, TX, USA', 'New York']].map(
    (city): Doubt => [{ ...street('US', '5 Main St'), [CITY]: city }],
  ),
  [{ ...street('US', '5 Main St', { [LINE2]: 'TX' }), [CITY]: 'Austin' }],
  [{ ...street('US', '5 Main St, TX'), [CITY]: 'Austin' }],
  [{ ...street('CA', '5 rue Cook'), [CITY]: 'Laval, Québec' }],
  [{ ...street('AU', '5 George St'), [CITY]: 'Perth WA 6000' }],
  [{ 'packages[0].weight': 30, chargeableWeight: 90 }],
  [
    { 'packages[0].weight': 85, chargeableWeight: 90 },
    'packages[0].weight is 85, and most carriers take up to 30 kg a piece',
  ],
  [{ 'packages[0].dimensions.length': 150 }],
  [
    { 'packages[0].dimensions.length': 300 },
    'packages[0].dimensions.length is 300, and most carriers take up',
  ],
  [{ 'packages[0].dimensions': { length: 400, width: 300, height: 100, unit: 'mm' } }],
  [
    { 'packages[0].dimensions': { length: 40, width: 70, height: 10, unit: 'in' } },
    'packages[0].dimensions.width is 70',
  ],
  [{}],
  // Sums: what is right in decimal is right, and a rounded unit price is, but not one cent too much.
  [{ items: [item(3, 0.333, 1)], [VALUE]: 1 }],
  [{ items: [item(3, 0.333, 1.01)], [VALUE]: 1.01 }, 'is 1.01, but quantity × unitPrice is 0.999'],
  [{ items: [item(3, 0.1, 0.3), item(7, 19.99, 139.93)], [VALUE]: 140.23 }],
  // Dinars have thousandths.
  [
    { items: [item(1, 1, 1.004)], [VALUE]: 1.004, 'customs.currency': 'KWD' },
    'is 1.004, but quantity × unitPrice is 1',
  ],
  [{ 'packages[0].weight': 0 }, 'packages[0].weight is 0'],
  [{ 'packages[0].quantity': 0.5 }, 'packages[0].quantity is 0.5, which is no whole number of pieces'],
  ...field(
    'receiver.email',
    'an e-mail address',
    ['anna at example.com', 'deniz@'],
    ['anna.o+test@mail.example.co.uk'],
  ),
  ...field('customs.currency', 'a currency code of ISO 4217', ['E U', 'EURO', 'eur'], ['TRY']),
  ...field(
    'items[0].hsCode',
    'an HS code of 6, 8, 10 or 12 digits',
    ['Cotton shirt', '9012100', '901210000'],
    ['6109.10.00', '610910'],
  ),
  ...field(
    'receiver.phone.code',
    'a dialling code',
    ['anna@example.com', 'DE', '+49 30 5550101'],
    ['+49', '49', '0049', '+1-242', '+1 (242)'],
  ),
  ...field(
    'receiver.phone.number',
    'a phone number',
    ['+43 1 5550101', '1'.repeat(24)],
    ['(0)30 / 123-456', '+49 30 123456'],
  ),
  [
    { 'receiver.phone.number': '4915123456789' },
    'which begins with 49, the code of its country, and is sent',
  ],
  [{ 'receiver.phone.number': '4921123456' }, 'which begins with 49, as the code of its country does'],
  [{ 'receiver.phone.number': '+49 151 23456789' }],
  ...field('sender.phone.number', 'a phone number', ['12', '0212 55'], ['5550001', '0212 555 01 01']),
  ...field(IOSS, 'an IOSS number', ['IM1', '0123456789'], ['im2760000742']),
  ...codes('DE', ['1011', 'Berlin'], ['10115', 'D-10115']),
  ...codes('US', ['1000'], ['10001-1234']).map(
    ([changes, told]): Doubt => [{ ...changes, [CITY]: 'Austin TX' }, told],
  ),
  ...codes('GB', ['10115'], ['sw1a1aa', 'M1 1AE']),
  ...codes('NL', ['1012'], ['1011ab']),
  ...codes('AE', ['N/A'], ['00000']),
  ...codes('TR', ['34-71'], ['34710']),
  ...codes('QA', ['!'], [' ']),
  [{ [SHORT]: 'Riyadh 1' }],
  ...texts('items[0].hsCode', {
    '1e+9': '"1e+9", which has lost digits',
    ' 6.1E+05 ': '" 6.1E+05 ", which has lost digits',
  }),
  // One warning for a party; a Latin word with one letter of another alphabet looks the same.
  [
    { 'receiver.firstName': '\u6771\u4eac', 'receiver.address.city': '\u0410\u0444\u0438\u043d\u0430' },
    notLatin('receiver', 'firstName, address.city'),
  ],
  [{ 'sender.lastName': '\u0410nna' }, notLatin('sender', 'lastName')],
  ...[
    '\u0130zmir \u011e\u015e\u00d8\u1e9e',
    'Vi\u1ec7t',
    'O\u2019Neil \u2013 \u2116 7 \u20ac',
    'e\u0301',
  ].map((text): Doubt => [{ 'receiver.lastName': text }]),
  [{ 'items[0].countryOfOrigin': 'cn' }],
  ...['Boxhagener Str. 1', 'Popostr. 9'].map((text): Doubt => [{ [LINE]: text }]),
  ...texts(COMPANY, {
    'AT&amp;T': 'has HTML entities',
    StraÃŸe: 'was read in the wrong encoding, and probably means "Straße"',
    'Ä°stanbul, KadÄ±kÃ¶y': 'probably means "İstanbul, Kadıköy"',
    'CafÃ© â€“ Bar': 'probably means "Café – Bar"',
    'M\ufffdnchen': '"M\ufffdnchen", which has lost letters',
    'Y?ld?z': '"Y?ld?z", which has lost letters',
    'Ay?e ?ahin': '"Ay?e ?ahin", which has lost letters',
  }),
  ...[
    ...['610910', 'E+11', '12E+3X', '1.2E11', 'Gate 1E+2', 'www.example.com/shirts?size=M', 'SÃO PAULO'],
    ...['AT&T', 'Tom & Jerry; Sons', 'Ä Ö Ü', 'CAFÉ–BAR', 'Ångström', '“Château”', 'Œuvre', 'İSTANBUL'],
    ...['Pełczyńska', 'Wer? Wir! (Really?) 2?', 'https://shop.example/cap?colour=red'],
  ].map((text): Doubt => [{ [COMPANY]: text }]),
];

test.each<[Changes, string | undefined]>(DOUBTS.map(([changes, told]) => [changes, told]))(
  'of an order with %j what is probably a mistake is: %s',
  (changes, told) => {
    const schema = schemaOf(OPERATIONS.createShipment);
    const body = phones.withReadPhones(completeBody(schema, changedOrder(changes)));
    const doubts = [...takenCodes(changedOrder(changes), body), ...doubtsOf(schema, body, phones)];
    expect(doubts.map(messageWords)).toEqual(told === undefined ? [] : [expect.stringContaining(told)]);
  },
);

const changedOrder = (changes: Changes) => changed(SHIPMENT, changes) as object;

test.each(['\ufeff', ''])('UTF-16 that begins with %j is read', async mark => {
  const rig = await createRig();
  const text = JSON.stringify(changedOrder({ 'receiver.address.city': 'Köln' }));
  const little = Buffer.from(`${mark}${text}`, 'utf16le');
  for (const bytes of [little, Buffer.from(little).swap16()]) {
    writeFileSync(join(rig.folder, 'order.json'), bytes);
    expect(bodyOf(await rig.run('ship -f order.json --allow-duplicate'))).toMatchObject({
      receiver: { address: { city: 'Köln' } },
    });
  }
});
