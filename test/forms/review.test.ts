// The page at the end: any line can be picked and changed; then book, save, leave or throw away.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createRig, type Rig } from '../rig/command.ts';
import {
  answering,
  asked,
  BACK,
  BOOK,
  changed,
  choiceOf,
  faultOf,
  formed,
  ids,
  LEAVE,
  NO_CARRIER,
  type Script,
  SHIPMENT_BODY,
} from '../rig/person.ts';
import { savedIn, shopRig } from '../rig/profile.ts';
import { bodyOf, errorOf, PROPOSALS, sent } from '../rig/service.ts';

const drafts = ({ folder }: Rig): string[] =>
  readdirSync(join(folder, 'state/drafts')).filter(name => name.endsWith('.json'));

/** Picks the carrier, and does this in the review. */
async function reviewed(script: Script, argv = 'ship -f order.json') {
  const rig = await createRig({ files: { 'order.json': NO_CARRIER } });
  const ran = await answering(rig, argv, { 'carrier.id': 'EXP', review: 'submit', keep: '', ...script });
  return { rig, ran };
}

test('the review shows the whole request, and the account that is charged', async () => {
  const { ran, rig } = await reviewed({});
  const page = asked(ran, 'review');

  expect(page.hint).toBe(`22.50 EUR, charged to ${rig.address}\nIstanbul, TR → Dresden, DE`);
  expect(page.kind === 'choice' && page.choices.map(({ name }) => name)).toEqual([
    'Order       none',
    'What        package: parcel or box',
    'Packages    1 × 0.6 kg, 35 × 25 × 5 cm',
    'Sender      Deniz Example, Street 5, 34710 Istanbul, TR, deniz@example.com, +90 2125550101',
    'Receiver    Anna Example, Street 5, 01067 Dresden, DE, anna@example.com, +49 3023125001',
    'Invoice to  the sender',
    'Category    sales',
    'Goods       2 × Cotton T-shirt (HS 610910, TR), 25.00 EUR',
    'Customs     worth 25.00 EUR',
    'Duties      DAP: duties and taxes paid by receiver; default',
    'Carrier     EXP (express, 1-3 days, 22.50 EUR)',
    'Chargeable  1 kg, from the proposals',
    'Book it for 22.50 EUR',
    'Save it as a file to send later',
    'Leave, and keep the draft',
    'Discard it',
  ]);
});

const field = (line: string, path: string, said: string): Script => ({
  review: [line, 'submit'],
  [line]: [path, 'done'],
  [path]: said,
});
const FOUR: Script = {
  ...field('items', 'items[0]', ''),
  ...{ 'items[0]': ['items[0].quantity', 'done'], 'items[0].quantity': '4' },
};
const SOCKS = {
  ...{ description: 'Socks', hsCode: '611595', countryOfOrigin: 'TR' },
  ...{ quantity: 2, unitPrice: 5, totalPrice: 10 },
};
const INVOICE = {
  firstName: 'Billa',
  lastName: 'Example',
  email: 'billa@example.com',
  phone: { code: '+43', number: '5550101' },
  address: { line1: 'Ring 1', city: 'Wien', zipCode: '1010', country: { code: 'AT' } },
};
/** A person types each value of this part of the body. */
const typed = (part: string, value: object): Script =>
  Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) =>
      typeof inner === 'object'
        ? Object.entries(typed(`${part}.${name}`, inner))
        : [[`${part}.${name}`, String(inner)]],
    ),
  );
const [item] = SHIPMENT_BODY.items;
const TWO_ITEMS = [
  { ...item, quantity: 2, unitPrice: 10, totalPrice: 20 },
  { ...item, quantity: 3, unitPrice: 10, totalPrice: 20 },
];

interface Edit {
  script: Script;
  /** What is then different in the body. */
  changes: Record<string, unknown>;
  /** What the person gave beside the file, and instead of what is in it. */
  argv?: string;
  order?: Record<string, unknown>;
}
const EDITS: Record<string, Edit> = {
  'the packages: one more, and the first one removed': {
    script: {
      review: ['packages', 'packages', 'submit'],
      packages: ['add', 'packages[0]', 'done'],
      'packages[0]': 'remove',
      ...typed('packages[1]', { quantity: 1, weight: 0.7, dimensions: { length: 35, width: 25, height: 5 } }),
      'packages[+]': 'no',
    },
    changes: { 'packages[0].weight': 0.7 },
  },
  'the country, which its own dialling code follows': {
    script: field('receiver', 'receiver.address.country.code', 'FR'),
    changes: { 'receiver.address.country.code': 'FR', 'receiver.phone.code': '+33' },
  },
  'the country, which another dialling code does not follow': {
    script: field('receiver', 'receiver.address.country.code', 'FR'),
    argv: '--set receiver.phone.code=+41',
    changes: { 'receiver.address.country.code': 'FR', 'receiver.phone.code': '+41' },
  },
  'a quantity, which totals follow': {
    script: FOUR,
    changes: { 'items[0].quantity': 4, 'items[0].totalPrice': 50, 'customs.totalGoodsValue': 50 },
  },
  'a quantity, which typed totals do not follow': {
    script: FOUR,
    argv: '--set items[0].totalPrice=20 --total-goods-value 21',
    changes: { 'items[0].quantity': 4, 'items[0].totalPrice': 20, 'customs.totalGoodsValue': 21 },
  },
  'an item that is added': {
    script: { ...typed('items[1]', SOCKS), review: ['items', 'submit'], items: 'add', 'items[+]': 'no' },
    changes: { 'items[1]': SOCKS, 'customs.totalGoodsValue': 35 },
  },
  'an item that moves up and keeps its typed total': {
    script: { review: ['items', 'submit'], items: ['items[0]', 'done'], 'items[0]': 'remove' },
    order: { items: TWO_ITEMS },
    changes: { items: [TWO_ITEMS[1]] },
  },
  'an invoice party, which is asked for completely once it is begun': {
    script: {
      ...typed('invoice', INVOICE),
      ...{ review: ['invoice', 'submit'], invoice: ['invoice.firstName', 'done'] },
    },
    changes: { invoice: INVOICE },
  },
};

test.each(Object.entries(EDITS))('in the review a person changes %s', async (_, edit) => {
  const { script, changes, argv = '', order = {} } = edit;
  const given = { 'carrier.id': 'EXP', keep: '', ...script };
  const ran = await formed(given, argv, {}, { ...NO_CARRIER, ...order });
  expect(ran.exitCode).toBe(0);
  expect(bodyOf(ran)).toEqual(changed(changes));
});

test('in the review the invoice party of the profile is replaced and not removed, and the profile is named', async () => {
  const { sender, receiver } = SHIPMENT_BODY;
  const other = { ...receiver, firstName: 'Otto' };
  const rig = await shopRig({ invoice: sender, parties: { other } });
  rig.file('order.json', NO_CARRIER);
  const ran = await answering(rig, 'ship -f order.json', {
    'carrier.id': 'EXP',
    review: ['invoice', 'receiver', 'submit'],
    invoice: 'done',
    receiver: ['replace', 'other'],
    keep: '',
  });
  expect(asked(ran, 'review').hint).toContain(`charged to profile shop, ${rig.address}`);
  expect(choiceOf(asked(ran, 'invoice'), 'remove')).toBeUndefined();
  expect(choiceOf(asked(ran, 'invoice'), 'replace')).toBeDefined();
  expect(bodyOf(ran)).toEqual(changed({ invoice: sender, receiver: other }));
});

test('no text of a question has control characters, and its answer is what was meant', async () => {
  const evil = 'Ot\x1b[2Jto\u202e';
  const other = { ...SHIPMENT_BODY.receiver, companyName: evil };
  const rig = await shopRig({ parties: { other } });
  const ran = await answering(rig, 'ship', { ...BOOK, sender: '', receiver: 'other' });
  expect(choiceOf(asked(ran, 'receiver'), 'other')?.name).toContain('Ot[2Jto');
  expect(JSON.stringify(ran.questions)).not.toMatch(/\\u001b|\u202e/);
  expect(ran.requests.length).toBeGreaterThan(0);
});

describe('saved as a file', () => {
  test('the file is accepted by -f and is the same request', async () => {
    const { rig, ran } = await reviewed({ review: 'save', file: 'later.json' });
    expect(ran).toMatchObject({ exitCode: 0, stdout: '' });
    expect(sent(ran)).toEqual([`POST ${PROPOSALS}`]);
    expect(ran.stderr).toContain('saved; to run this without questions: `waybill ship -f later.json');
    expect(drafts(rig)).toEqual([]);

    const later = await rig.run('ship -f later.json');
    expect(later.exitCode).toBe(0);
    expect(bodyOf(later)).toEqual(SHIPMENT_BODY);
  });

  test('after the booking it is known as booked, also if the profile gave a part and flags gave limits', async () => {
    const { sender } = SHIPMENT_BODY;
    const rig = await shopRig({ sender, currency: 'EUR' });
    const ran = await answering(rig, 'ship --max-price 90EUR --label --set sender.companyName=Shop', {
      ...BOOK,
      keep: ['file', ''],
      file: 'order.json',
    });
    expect(ran.exitCode).toBe(0);
    const [, command = ''] = /without questions: `waybill (.*)`/.exec(ran.stderr) ?? [];
    expect(command).toBe('ship -f order.json --max-price 90EUR --label');
    const again = await rig.run(`${command} --json`);
    expect(errorOf(again)).toMatchObject({ code: 'duplicate' });
    expect(again.requests).toEqual([]);
  });

  test('an existing file is not overwritten, and back leads to the review', async () => {
    const { ran } = await reviewed({ review: ['save', 'leave'], file: BACK });
    const file = asked(ran, 'file');
    expect(file).toMatchObject({ defaultAnswer: 'ship.json' });
    expect(await faultOf(file, 'order.json')).toBe('This name is taken. Give another one');
    expect(await faultOf(file, ' ')).toBe('A name is required');
    expect(ran.exitCode).toBe(130);
  });
});

const SPEC = '1x0.6kg@35x25x5cm';
const values = (ran: Parameters<typeof asked>[0]): unknown => {
  const question = asked(ran, 'keep');
  return question.kind === 'choice' && question.choices.map(({ value }) => value);
};

test('a party and a package are saved, and used as @name and picked by the next form', async () => {
  const rig = await shopRig();
  const ran = await answering(rig, 'ship', {
    ...BOOK,
    keep: ['receiver', SPEC, 'sender', ''],
    name: ['anna', 'small', 'deniz'],
  });
  expect(ran.exitCode).toBe(0);
  expect(savedIn(rig).profiles.shop).toMatchObject({
    parties: { anna: SHIPMENT_BODY.receiver, deniz: SHIPMENT_BODY.sender },
    parcels: { small: SPEC },
  });
  // What was kept is not offered again.
  expect(values(ran)).toEqual(['', 'file']);

  rig.file('order.json', { ...NO_CARRIER, packages: undefined, sender: undefined, receiver: undefined });
  const again = await rig.run(
    'ship -f order.json --sender @deniz --receiver @anna --package @small --carrier EXP --allow-duplicate',
  );
  expect(again.exitCode).toBe(0);
  expect(bodyOf(again)).toEqual(SHIPMENT_BODY);

  const next = await answering(rig, 'ship', {
    ...BOOK,
    'packages[0]': 'small',
    sender: 'deniz',
    receiver: 'anna',
    confirm: 'yes',
  });
  expect(next.exitCode).toBe(0);
  expect(bodyOf(next)).toEqual(SHIPMENT_BODY);
  expect(ids(next).filter(id => /^(sender|receiver|packages)/.test(id))).toEqual([
    'packages[0]',
    'packages[+]',
    'sender',
    'receiver',
  ]);
  expect(choiceOf(asked(next, 'receiver'), 'anna')).toBeDefined();
  // Who sends the parcel is not offered as its receiver, nor to be kept once more.
  expect(choiceOf(asked(next, 'receiver'), 'deniz')).toBeUndefined();
  expect(values(next)).toEqual(['', 'file']);
});

describe('after the booking', () => {
  test.each(['keep', 'name', 'file'])('leaving at %s is no failure', async at => {
    const rig = await shopRig();
    const ran = await answering(rig, 'ship -q', {
      ...BOOK,
      keep: at === 'file' ? 'file' : 'receiver',
      [at]: LEAVE,
    });
    expect(ran.exitCode).toBe(0);
    expect(ran.stdout).toMatch(/^shp_\w+\n$/);
    expect(ran.stderr).toBe('');
  });
});
