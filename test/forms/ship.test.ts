// Answers → the body that is sent: only what is missing is asked for, and what follows from an answer is offered.
import { describe, expect, test } from 'vitest';
import { createRig } from '../rig/command.ts';
import {
  answering,
  asked,
  BACK,
  BOOK,
  changed,
  continuing,
  faultOf,
  formed,
  ids,
  lineOf,
  NO_CARRIER,
  type Script,
  SHIPMENT_ANSWERS,
  SHIPMENT_BODY,
  says,
} from '../rig/person.ts';
import { shopRig } from '../rig/profile.ts';
import { bodyOf, cannedService, PROPOSALS, posted, sent } from '../rig/service.ts';

const ALL = Object.keys(SHIPMENT_ANSWERS);
const END = ['review', 'keep'];
const IOSS = 'customs.iossNumber';
const { items: _, receiver, ...HALF } = NO_CARRIER;
const { city: __, ...address } = receiver.address;
const { email: ___, ...sender } = SHIPMENT_BODY.sender;
const without = (given: RegExp) => ALL.filter(id => !given.test(id));

test('a person with nothing but a terminal books a whole shipment, in the order in which a person thinks', async () => {
  const ran = await answering(await createRig(), 'ship', BOOK);
  expect(ran.exitCode).toBe(0);
  expect(sent(ran)).toEqual([`POST ${PROPOSALS}`, 'POST /v1/shipments']);
  expect(ids(ran)).toEqual([...ALL, ...END]);
  expect(bodyOf(ran)).toEqual(SHIPMENT_BODY);
});

test('the key is asked for first, can be changed on the last page, and books once; then the next command is said', async () => {
  const rig = await createRig({ files: { 'order.json': SHIPMENT_BODY } });
  await rig.run('ship -f order.json --key=-TAKEN');
  const answer = says({ ...BOOK, key: ['ORDER-1', 'ORDER-2'], review: ['key', 'submit'] });
  let taken: string | undefined;
  const ran = await rig.run('ship --allow-duplicate', {
    terminal: true,
    async answers(question) {
      if (question.id === 'key') taken = await faultOf(question, '-TAKEN');
      return answer(question);
    },
  });
  expect(ran.questions[0]?.id).toBe('key');
  expect(taken).toContain('`waybill history show -- -TAKEN`');
  expect(lineOf(ran, 'key')).toMatch(/^Order +ORDER-2$/);
  expect(ran.exitCode).toBe(0);
  expect(ran.stderr.replace(/\s+/g, ' ')).toMatch(/to make its label: `waybill label ORDER-2`/);
  const list = JSON.parse((await rig.run('history list --key ORDER-2 --json')).stdout);
  expect(list).toHaveLength(1);
});

const TO_AUSTIN = {
  ...{ 'receiver.address.country.code': 'US', 'receiver.phone.number': '5125550101' },
  ...{ 'receiver.address.zipCode': '78701', 'receiver.address.city': 'Austin, TX' },
};
const TO_RIYADH = {
  ...{ 'receiver.address.country.code': 'SA', 'receiver.phone.number': '512345678' },
  ...{ 'receiver.address.zipCode': '11564', 'receiver.address.nationalShortAddress': 'RRRD2929' },
};
const SECOND_ITEM = Object.fromEntries(
  ALL.filter(id => id.startsWith('items[0]')).map(id => [id.replace('[0]', '[1]'), BOOK[id] as string]),
);

test.each<[string, Script, string[]]>([
  ['to Germany', {}, []],
  ['to Germany, by the carrier that needs a number', { 'carrier.id': 'ECO', [IOSS]: 'IM0123456789' }, []],
  ['to the USA', TO_AUSTIN, ['carrier.id']],
  [
    'to Saudi Arabia, with two items',
    { ...TO_RIYADH, ...SECOND_ITEM, 'items[+]': ['yes', 'no'] },
    ['carrier.id'],
  ],
])(
  'a question says how many there are %s: at least so many while an answer may bring more',
  async (_, more, exact) => {
    const ran = await answering(await createRig(), 'ship', { ...BOOK, ...more });
    expect(ran.exitCode, ran.stderr).toBe(0);
    const numbered = ran.questions.filter(({ progress }) => progress !== undefined);
    const before = ran.questions.findIndex(({ id }) => id === 'review');
    expect(numbered).toEqual(ran.questions.slice(0, before));
    for (const [index, { id, progress }] of numbered.entries()) {
      expect([id, progress?.number]).toEqual([id, index + 1]);
      expect([id, progress?.of]).toEqual([id, progress?.isLeast ? expect.any(Number) : before]);
      expect(progress?.of).toBeLessThanOrEqual(before);
    }
    expect(numbered.at(-1)?.progress?.of).toBe(before);
    // Nothing is open that may need a customs number.
    expect(numbered.filter(({ progress }) => !progress?.isLeast).map(({ id }) => id)).toEqual(
      expect.arrayContaining(exact),
    );
  },
);

interface Given {
  argv?: string[];
  files?: Record<string, unknown>;
  profile?: Record<string, unknown>;
}
const ITEM = 'description=Cotton T-shirt,hsCode=610910,countryOfOrigin=TR,quantity=2,unitPrice=12.5';
const PARTS: [string, Given, string[]][] = [
  [
    'an incomplete file',
    { argv: ['-f', 'order.json'], files: { 'order.json': { ...HALF, receiver: { ...receiver, address } } } },
    ['receiver.address.city', ...ALL.filter(id => id.startsWith('items')), 'carrier.id'],
  ],
  [
    'a file with a blank value',
    { argv: ['-f', 'order.json'], files: { 'order.json': changed({ 'receiver.address.city': ' ' }) } },
    ['receiver.address.city'],
  ],
  [
    // The package was begun, so that nobody is asked for another one.
    'flags, and --set of one field of a package or a party',
    {
      argv: [
        ...['--type', 'package', '--currency', 'EUR', '--carrier', 'EXP'],
        ...['--set', 'packages[0].weight=0.6', '--set', 'sender.address.city=Istanbul'],
      ],
    },
    without(/^(type|customs.currency|packages.*(weight|quantity|\+\])|sender.address.city|carrier.id)$/),
  ],
  [
    // Who lists the goods relies on DAP.
    'flags for packages, items and a party',
    {
      argv: ['--package', '0.6kg@35x25x5cm', '--receiver', 'anna.json', '--item', ITEM],
      files: { 'anna.json': receiver },
    },
    without(/^(packages|receiver|items|deliveryType)/),
  ],
  [
    'a profile whose sender lacks one field',
    { profile: { sender, currency: 'EUR', type: 'package', category: 'sales' } },
    without(/^(type|sender\.(?!email)|category|customs.currency)/),
  ],
];

test.each(PARTS)(
  'of what %s leaves open each field is asked for, and nothing else',
  async (_, given, asks) => {
    const rig = await (given.profile ? shopRig(given.profile) : createRig());
    for (const [name, content] of Object.entries(given.files ?? {})) rig.file(name, content);
    const ran = await answering(rig, ['ship', ...(given.argv ?? [])], BOOK);
    expect(ran.exitCode).toBe(0);
    expect(ids(ran)).toEqual([...asks, ...END]);
    expect(bodyOf(ran)).toEqual(SHIPMENT_BODY);
  },
);

test('the value of the goods is computed exactly, and not asked for; a comma before decimals is a dot', async () => {
  const ran = await answering(await createRig(), 'ship', {
    ...{ ...BOOK, 'packages[0].weight': ' 0,75 kg', 'packages[0].dimensions.height': '0,250cm' },
    ...{ 'items[0].quantity': '3', 'items[0].unitPrice': '0.1' },
  });
  expect(ids(ran)).not.toContain('customs.totalGoodsValue');
  expect(bodyOf(ran)).toEqual(
    changed({
      ...{ 'packages[0].weight': 0.75, 'packages[0].dimensions.height': 0.25 },
      ...{ 'items[0].quantity': 3, 'items[0].unitPrice': 0.1, 'items[0].totalPrice': 0.3 },
      'customs.totalGoodsValue': 0.3,
    }),
  );
});

test('an order that was booked under another number is asked about before it is booked once more', async () => {
  const { carrier: _, ...rest } = SHIPMENT_BODY;
  const rig = await createRig({ files: { 'order.json': SHIPMENT_BODY, 'same.json': rest } });
  expect((await rig.run('ship -f order.json --key ORDER-1')).exitCode).toBe(0);
  const said = { key: 'ORDER-2', 'carrier.id': 'EXP' };
  const no = await answering(rig, 'ship -f same.json', { ...BOOK, ...said, confirm: 'no' });
  expect(asked(no, 'confirm').message).toMatch(
    /same receiver, goods and parcels were booked .* with the key "ORDER-1"/,
  );
  expect(no).toMatchObject({ exitCode: 2 });
  expect(posted(no)).not.toContain('POST /v1/shipments');
  const yes = await answering(rig, 'ship -f same.json', { ...BOOK, ...said, confirm: 'yes' });
  expect(yes.exitCode).toBe(0);
  expect(yes.stderr).not.toContain('a second parcel');
});

describe('a chargeable weight that is given', () => {
  const weighing: Script = {
    ...{ 'carrier.id': 'EXP', review: ['chargeableWeight', 'submit'], keep: '' },
    chargeableWeight: '40',
  };

  test('above that of the proposals has no price in the review, and is warned of', async () => {
    for (const [script, weight] of [
      [weighing, ''],
      [{ 'carrier.id': 'EXP', review: 'submit', keep: '' }, '--chargeable-weight 40'],
    ] as const) {
      const ran = await formed(script, weight);
      expect(lineOf(ran, 'submit')).toBe('Book it');
      expect(asked(ran, 'review').hint).toContain('price not known for 40 kg, charged to http');
      expect(lineOf(ran, 'chargeableWeight')).toMatch(/ 40 kg, and the proposals are for 1 kg$/);
      expect(ran.exitCode).toBe(0);
      expect(ran.stderr).toContain('the proposals are for 1 kg: the price will differ');
      expect(sent(ran)).toEqual([`POST ${PROPOSALS}`, 'POST /v1/shipments']);
      expect(bodyOf(ran)).toMatchObject({ chargeableWeight: 40 });
    }
  });

  test('is booked for another price than the review said with a warning', async () => {
    const terms = { id: 'EXP', price: 22.5, currency: 'EUR' };
    const { env } = await cannedService({
      [PROPOSALS]: { status: 201, body: { chargeableWeight: 1, proposals: [{ ...terms, isValid: true }] } },
      '/v1/shipments': { status: 201, body: { id: 'S-1', carrier: { ...terms, price: 318.9 } } },
    });
    const ran = await formed({ ...weighing, chargeableWeight: '1' }, '', env);
    expect(lineOf(ran, 'submit')).toBe('Book it for 22.50 EUR');
    expect(ran.exitCode).toBe(0);
    expect(ran.stderr).toContain('the proposal said 22.50 EUR, but it was booked for 318.90 EUR');
  });
});

test('a person goes back from the last question to the first, and is offered at each what was said', async () => {
  const there = ALL.slice(0, -1);
  const twice = Object.fromEntries(there.map(id => [id, [BOOK[id], BACK, BOOK[id]] as string[]]));
  const ran = await answering(await createRig(), 'ship', {
    ...BOOK,
    ...twice,
    type: ['package', 'package'],
    'carrier.id': [BACK, 'EXP'],
  });
  expect(ran.exitCode).toBe(0);
  expect(ids(ran)).toEqual([...ALL, ...there.toReversed(), ...ALL.slice(1), ...END]);
  // Whether there is another one is asked anew.
  for (const question of ran.questions.slice(ALL.length + 1, 2 * ALL.length))
    if (!question.id.endsWith('[+]'))
      expect(question).toMatchObject(
        question.kind === 'text' && question.value !== undefined
          ? { value: BOOK[question.id] }
          : { defaultAnswer: BOOK[question.id] },
      );
  expect(bodyOf(ran)).toEqual(SHIPMENT_BODY);
  expect(sent(ran)).toEqual([`POST ${PROPOSALS}`, 'POST /v1/shipments']);
});

test('back at the first question leaves the form, and each question says what it does', async () => {
  const rig = await createRig();
  const left = await answering(rig, 'ship', { key: BACK });
  expect(left).toMatchObject({ exitCode: 130, requests: [] });
  expect(left.stderr).toMatch(/left at the question.*nothing was sent/s);
  expect(left.stderr).not.toContain('continues it');
  const ran = await answering(rig, 'ship', { ...BOOK, review: 'leave' });
  expect(ran.questions.map(({ esc }) => esc)).toEqual(['leave', ...ALL.map(() => 'back'), 'back']);
  // At a review that comes first there is nothing before it.
  const again = await answering(rig, `${continuing(ran)} --key ORDER-1`, { review: BACK });
  expect([again.exitCode, ids(again)]).toEqual([130, ['review']]);
  expect(continuing(again)).toBe(`${continuing(ran)} --key ORDER-1`);
});

test('back from the fields of a second package asks whether there is one, and No removes it', async () => {
  const ran = await answering(await createRig(), 'ship', {
    ...BOOK,
    ...{ 'packages[+]': ['yes', 'no'], 'packages[1].quantity': ['2', BACK], 'packages[1].weight': BACK },
  });
  const [more, quantity] = ['packages[+]', 'packages[1].quantity'];
  const asks = [more, quantity, 'packages[1].weight', quantity, more];
  expect(ids(ran).filter(id => /^packages\[([+]|1)/.test(id))).toEqual(asks);
  expect(bodyOf(ran)).toEqual(SHIPMENT_BODY);
});

test('back from the review is the last question, and after a change the line that was changed', async () => {
  const ran = await answering(await createRig(), 'ship', {
    ...{ ...BOOK, 'carrier.id': ['EXP', 'EXP'], category: ['sales', 'gift', 'sales', BACK] },
    review: [BACK, 'category', BACK, BACK, 'submit'],
  });
  expect(ids(ran).filter(id => /^(carrier|review|category)/.test(id))).toEqual([
    ...['category', 'carrier.id', 'review', 'carrier.id', 'review'],
    ...['category', 'review', 'category', 'review', 'category', 'review'],
  ]);
  // What was changed is kept until another answer is given.
  const [, , changedLine] = ran.questions.filter(({ id }) => id === 'category');
  expect(changedLine).toMatchObject({ defaultAnswer: 'gift' });
  expect(bodyOf(ran)).toEqual(SHIPMENT_BODY);
});
