// What a rule or an enumeration of the service document makes of a question.
import { describe, expect, test } from 'vitest';
import { createRig } from '../rig/command.ts';
import { answering, asked, BACK, BOOK, faultOf, ids, NO_CARRIER, SHIPMENT_BODY } from '../rig/person.ts';
import { bodyOf } from '../rig/service.ts';

const { receiver, ...NOBODY } = SHIPMENT_BODY;
const to = (code: string) => ({
  ...receiver,
  address: { ...receiver.address, country: { code } },
});

describe('the numbers that the economy carrier needs', () => {
  const CASES = [
    ['DE', 'ECO', ['customs.iossNumber']],
    ['DE', 'EXP', []],
    ['GB', 'ECO', ['customs.marketplaceNumber']],
    ['GB', 'EXP', []],
    ['US', 'ECO', []],
  ] as const;

  test.each(CASES)('to %s by %s: %j', async (country, carrier, numbers) => {
    const rig = await createRig({ files: { 'order.json': { ...NO_CARRIER, receiver: to(country) } } });
    const ran = await answering(rig, 'ship -f order.json', {
      'carrier.id': carrier,
      'customs.iossNumber': 'IM2760000742',
      'customs.marketplaceNumber': 'GB123',
      review: 'submit',
      keep: '',
    });

    expect(ran.exitCode).toBe(0);
    expect(ids(ran)).toEqual([
      ...['carrier.id', ...numbers, 'review'],
      // What was only picked needs no saving.
      ...(numbers.length > 0 ? ['keep'] : []),
    ]);
  });

  test('are asked for if nothing else is missing and no other carrier is within the bounds', async () => {
    const rig = await createRig({ files: { 'order.json': NO_CARRIER } });
    const ran = await answering(rig, 'ship -f order.json --carrier cheapest --service economy', {
      'customs.iossNumber': 'IM2760000742',
      review: 'submit',
      keep: '',
    });

    expect(ran.exitCode).toBe(0);
    expect(ids(ran)).toEqual(['customs.iossNumber', 'review', 'keep']);
    expect(ran.requests.filter(({ path }) => path === '/v1/shipments')).toHaveLength(1);

    const nobody = await rig.run('ship -f order.json --carrier cheapest --service economy', {
      may: ['reads'],
    });
    expect(nobody.exitCode).toBe(2);
    expect(nobody.stderr).toContain('customs.iossNumber');
  });

  test('an empty answer is refused with the reason', async () => {
    const rig = await createRig({ files: { 'order.json': NO_CARRIER } });
    const ran = await answering(rig, 'ship -f order.json', {
      'carrier.id': 'ECO',
      'customs.iossNumber': 'IM0123456789',
      review: 'submit',
      keep: '',
    });

    const question = asked(ran, 'customs.iossNumber');
    expect(await faultOf(question, ' ')).toContain('is required for the economy carrier to an EU country');
    expect(await faultOf(question, 'IM0123456789')).toBeUndefined();
  });

  test('back from the number leads to the carrier, and another carrier needs no number', async () => {
    const rig = await createRig({ files: { 'order.json': NO_CARRIER } });
    const ran = await answering(rig, 'ship -f order.json', {
      'carrier.id': ['ECO', 'EXP'],
      'customs.iossNumber': BACK,
      review: 'submit',
      keep: '',
    });

    expect(ids(ran)).toEqual(['carrier.id', 'customs.iossNumber', 'carrier.id', 'review']);
    expect(bodyOf(ran)).toEqual(SHIPMENT_BODY);
  });
});

test('the national short address of a receiver in Saudi Arabia is asked for and required', async () => {
  const rig = await createRig({ files: { 'order.json': NOBODY } });
  const answers = {
    ...BOOK,
    'receiver.address.country.code': 'SA',
    'receiver.phone.code': '+966',
    'receiver.address.nationalShortAddress': 'RRRD2929',
  };
  const ran = await answering(rig, 'ship -f order.json', answers);

  expect(ran.exitCode).toBe(0);
  const parts = ids(ran).filter(id => id.startsWith('receiver.'));
  expect(parts.at(-1)).toBe('receiver.address.nationalShortAddress');
  expect(ids(ran).slice(parts.length)).toEqual(['review', 'keep']);
  const question = asked(ran, 'receiver.address.nationalShortAddress');
  expect(await faultOf(question, '')).toContain('Saudi Arabia');
});

test('an enumeration is a list with the explanations of the service document', async () => {
  const rig = await createRig();
  const ran = await answering(rig, 'ship', BOOK);

  expect(asked(ran, 'type')).toMatchObject({
    kind: 'choice',
    choices: [
      { value: 'package', name: 'package (parcel or box)' },
      { value: 'document', name: 'document (documents or papers)' },
    ],
  });
  expect(asked(ran, 'deliveryType')).toMatchObject({
    defaultAnswer: 'DAP',
    choices: [
      { value: 'DAP', name: expect.stringContaining('duties and taxes paid by receiver') },
      { value: 'DDP', name: expect.stringContaining('additional carrier DDP processing fees may apply') },
    ],
  });
  const categories = asked(ran, 'category');
  expect(categories.kind === 'choice' && categories.choices.map(({ value }) => value)).toEqual([
    'gift',
    'sample',
    'micro export',
    'sales',
    'document',
  ]);
});

test('countries are searched by name and by code', async () => {
  const rig = await createRig();
  const ran = await answering(rig, 'ship', BOOK);

  for (const id of [
    'sender.address.country.code',
    'receiver.address.country.code',
    'items[0].countryOfOrigin',
  ]) {
    const question = asked(ran, id);
    if (question.kind !== 'search') throw new Error(`${id} is no search`);
    expect((await question.find('de'))[0]).toEqual({ value: 'DE', name: 'Germany (DE)' });
    expect((await question.find('switz'))[0]?.value).toBe('CH');
  }
});

test('a typed value is validated at once, with the messages of the command line', async () => {
  const rig = await createRig();
  const ran = await answering(rig, 'ship', BOOK);
  const weight = asked(ran, 'packages[0].weight');

  expect(await faultOf(weight, '1.234,5')).toContain('a dot for its decimals');
  expect(await faultOf(weight, '-1')).toContain('must not be negative');
  expect(await faultOf(weight, 'heavy')).toContain('must be a number');
  expect(await faultOf(weight, '')).toBeDefined();
  expect(await faultOf(asked(ran, 'sender.firstName'), '  ')).toBeDefined();
});
