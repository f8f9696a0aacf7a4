// The page at the end: any line can be picked and changed; then book, save, leave or throw away.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createRig, type Rig } from '../rig/command.ts';
import {
  answering,
  asked,
  BACK,
  BOOK,
  choiceOf,
  ids,
  lineOf,
  NO_CARRIER,
  type Script,
  SHIPMENT_BODY,
  says,
} from '../rig/person.ts';
import { shopRig } from '../rig/profile.ts';
import { bodyOf, errorOf, PROPOSALS, sent } from '../rig/service.ts';

const drafts = ({ folder }: Rig): string[] => readdirSync(join(folder, 'state/drafts'));

/** Picks the carrier, and does this in the review. */
async function reviewed(script: Script, argv = 'ship -f order.json') {
  const rig = await createRig({ files: { 'order.json': NO_CARRIER } });
  const ran = await answering(rig, argv, { 'carrier.id': 'EXP', review: 'submit', keep: '', ...script });
  return { rig, ran };
}

test('the review shows the whole request, and the account that is charged', async () => {
  const { ran, rig } = await reviewed({});
  const page = asked(ran, 'review');

  expect(page.hint).toBe(`Istanbul, TR → Dresden, DE\n22.50 EUR, charged to ${rig.address}`);
  expect(page.kind === 'choice' && page.choices.map(({ name }) => name)).toEqual([
    'What        package: parcel or box',
    'Packages    1 × 0.6 kg, 35 × 25 × 5 cm',
    'Sender      Deniz Example, Street 5, 34710 Istanbul, TR, deniz@example.com, +90 2125550101',
    'Receiver    Anna Example, Street 5, 01067 Dresden, DE, anna@example.com, +49 3023125001',
    'Invoice to  the sender',
    'Category    sales',
    'Contents    2 × Cotton T-shirt (HS 610910, TR), 25.00 EUR',
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

test('the profile that is charged is named', async () => {
  const rig = await shopRig();
  const ran = await answering(rig, 'ship', { ...BOOK, review: 'discard' });
  expect(asked(ran, 'review').hint).toContain(`charged to profile shop, ${rig.address}`);
});

describe('every line can be changed:', () => {
  const field = (line: string, path: string, said: string): Script => ({
    review: [line, 'submit'],
    [line]: [path, 'done'],
    [path]: said,
  });
  const element = (list: string, name: string, said: string): Script => ({
    ...field(list, `${list}[0]`, ''),
    [`${list}[0]`]: [`${list}[0].${name}`, 'done'],
    [`${list}[0].${name}`]: said,
  });
  const EDITS: [string, Script, unknown][] = [
    ['type', { review: ['type', 'submit'], type: 'document' }, { type: 'document' }],
    [
      'packages',
      element('packages', 'dimensions.height', '7'),
      { packages: [{ dimensions: { height: 7 } }] },
    ],
    ['sender', field('sender', 'sender.email', 'a@example.com'), { sender: { email: 'a@example.com' } }],
    [
      'receiver',
      field('receiver', 'receiver.address.line1', 'Ring 1'),
      { receiver: { address: { line1: 'Ring 1' } } },
    ],
    ['category', { review: ['category', 'submit'], category: 'micro export' }, { category: 'micro export' }],
    ['items', element('items', 'countryOfOrigin', 'PT'), { items: [{ countryOfOrigin: 'PT' }] }],
    ['customs', field('customs', 'customs.currency', 'USD'), { customs: { currency: 'USD' } }],
    ['deliveryType', { review: ['deliveryType', 'submit'], deliveryType: 'DDP' }, { deliveryType: 'DDP' }],
    [
      'carrier',
      {
        review: ['carrier.id', 'submit'],
        'carrier.id': ['EXP', 'ECO'],
        'customs.iossNumber': 'IM0123456789',
      },
      { carrier: { id: 'ECO' }, customs: { iossNumber: 'IM0123456789' } },
    ],
    [
      'chargeableWeight',
      { review: ['chargeableWeight', 'submit'], chargeableWeight: '3' },
      { chargeableWeight: 3 },
    ],
  ];

  test.each(EDITS)('%s', async (_, script, changed) => {
    const { ran } = await reviewed(script);
    expect(ran.exitCode).toBe(0);
    expect(bodyOf(ran)).toMatchObject(changed as object);
    expect(ids(ran).filter(id => id === 'review')).toHaveLength(2);
  });

  test('a typed chargeable weight can be removed again', async () => {
    const { ran } = await reviewed({
      review: ['chargeableWeight', 'chargeableWeight', 'submit'],
      chargeableWeight: ['3', ''],
    });
    expect(ran.exitCode).toBe(0);
    expect(bodyOf(ran)).toMatchObject({ chargeableWeight: 1 });
  });
});

describe('optional parts', () => {
  test.each([
    ['receiver', 'receiver.companyName'],
    ['receiver', 'receiver.address.line2'],
    ['customs', 'customs.marketplaceNumber'],
  ])('of %s, %s, can be added, and taken out again', async (line, path) => {
    const added = await reviewed({ review: [line, 'submit'], [line]: [path, 'done'], [path]: 'Something' });
    expect(added.ran.exitCode).toBe(0);
    expect(JSON.stringify(bodyOf(added.ran))).toContain('"Something"');

    const gone = await reviewed({
      review: [line, line, 'submit'],
      [line]: [path, 'done', path, 'done'],
      [path]: ['Something', ''],
    });
    expect(bodyOf(gone.ran)).toEqual(SHIPMENT_BODY);
  });

  const INVOICE: Script = {
    'invoice.firstName': 'Billa',
    'invoice.lastName': 'Example',
    'invoice.email': 'billa@example.com',
    'invoice.address.country.code': 'AT',
    'invoice.phone.code': '+43',
    'invoice.phone.number': '5550101',
    'invoice.address.line1': 'Ring 1',
    'invoice.address.zipCode': '1010',
    'invoice.address.city': 'Wien',
  };

  test('an invoice party that is started is asked for completely', async () => {
    const { ran } = await reviewed({
      ...INVOICE,
      review: ['invoice', 'submit'],
      invoice: ['invoice.firstName', 'done'],
    });
    expect(ran.exitCode).toBe(0);
    expect(bodyOf(ran)).toEqual({
      ...SHIPMENT_BODY,
      invoice: {
        firstName: 'Billa',
        lastName: 'Example',
        email: 'billa@example.com',
        phone: { code: '+43', number: '5550101' },
        address: { line1: 'Ring 1', city: 'Wien', zipCode: '1010', country: { code: 'AT' } },
      },
    });
    expect(lineOf(ran, 'invoice')).toContain('Billa Example, Ring 1, 1010 Wien, AT');
  });

  test('they can be removed again', async () => {
    const { ran } = await reviewed({
      ...INVOICE,
      review: ['invoice', 'invoice', 'submit'],
      invoice: ['invoice.firstName', 'done', 'remove'],
    });
    expect(bodyOf(ran)).toEqual(SHIPMENT_BODY);
  });

  test("the profile's invoice party cannot be removed, only replaced", async () => {
    const { sender } = SHIPMENT_BODY;
    const rig = await shopRig({ invoice: sender });
    rig.file('order.json', NO_CARRIER);
    const ran = await answering(rig, 'ship -f order.json', {
      'carrier.id': 'EXP',
      review: ['invoice', 'submit'],
      invoice: 'done',
      keep: '',
    });
    expect(choiceOf(asked(ran, 'invoice'), 'remove')).toBeUndefined();
    expect(choiceOf(asked(ran, 'invoice'), 'replace')).toBeDefined();
    expect(bodyOf(ran)).toMatchObject({ invoice: sender });
  });
});

test('a party can be replaced by another one of the profile', async () => {
  const { receiver } = SHIPMENT_BODY;
  const rig = await shopRig({ parties: { other: { ...receiver, firstName: 'Otto' } } });
  rig.file('order.json', NO_CARRIER);
  const ran = await answering(rig, 'ship -f order.json', {
    'carrier.id': 'EXP',
    review: ['receiver', 'submit'],
    receiver: ['replace', 'other'],
    keep: '',
  });
  expect(bodyOf(ran)).toEqual({ ...SHIPMENT_BODY, receiver: { ...receiver, firstName: 'Otto' } });
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

  test('after the booking the file is known as booked', async () => {
    const rig = await createRig();
    const ran = await answering(rig, 'ship', { ...BOOK, keep: ['file', ''], file: 'order.json' });
    expect(ran.exitCode).toBe(0);
    const again = await rig.run('ship -f order.json --json');
    expect(errorOf(again)).toMatchObject({ code: 'duplicate' });
    expect(again.requests).toEqual([]);
  });

  test('also if the profile gave a part, and flags gave limits', async () => {
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
    const { rig, ran } = await reviewed({ review: ['save', 'leave'], file: BACK });
    const check = asked(ran, 'file');
    if (check.kind !== 'text') throw new Error('no text');
    expect(check.defaultAnswer).toBe('ship.json');
    expect(await check.check('order.json')).toBe('This name is taken. Give another one');
    expect(await check.check(' ')).toBe('A name is required');
    expect(JSON.parse(readFileSync(join(rig.folder, 'order.json'), 'utf8'))).toEqual(NO_CARRIER);
    expect(ran.exitCode).toBe(130);
  });

  test('a file that appears in the meantime is not overwritten, and the draft is kept', async () => {
    const rig = await createRig({ files: { 'order.json': NO_CARRIER } });
    const answer = says({ 'carrier.id': 'EXP', review: 'save', file: 'later.json' });
    const ran = await rig.run('ship -f order.json', {
      terminal: true,
      answers: async question => {
        const said = await answer(question);
        if (question.id === 'file') writeFileSync(join(rig.folder, 'later.json'), 'mine');
        return said;
      },
    });
    expect(ran.exitCode).toBe(10);
    expect(ran.stderr).toContain('`waybill ship --draft` continues it');
    expect(readFileSync(join(rig.folder, 'later.json'), 'utf8')).toBe('mine');
  });

  test('the key is the name of the file, and is part of the command', async () => {
    const { ran } = await reviewed(
      { review: 'save', file: 'ORDER-7.json' },
      'ship -f order.json --key ORDER-7',
    );
    expect(asked(ran, 'file')).toMatchObject({ defaultAnswer: 'ORDER-7.json' });
    expect(ran.stderr).toContain('waybill ship -f ORDER-7.json --key ORDER-7');
  });
});

test('leaving keeps the draft, discarding removes it', async () => {
  const left = await reviewed({ review: 'leave' });
  expect(left.ran).toMatchObject({ exitCode: 130, stdout: '' });
  expect(drafts(left.rig)).toHaveLength(1);

  const gone = await reviewed({ review: 'discard' });
  expect(gone.ran).toMatchObject({ exitCode: 130, stdout: '' });
  expect(gone.ran.stderr).not.toContain('--draft');
  expect(drafts(gone.rig)).toEqual([]);
});
