// Only what is missing is asked: what a file, a flag, `--set` or the profile gives is kept as it is.
import { expect, test } from 'vitest';
import { createRig } from '../rig/command.ts';
import { answering, BOOK, ids, NO_CARRIER, SHIPMENT_ANSWERS, SHIPMENT_BODY } from '../rig/person.ts';
import { shopRig } from '../rig/profile.ts';
import { bodyOf } from '../rig/service.ts';

const ALL = Object.keys(SHIPMENT_ANSWERS);
const { items: ___, receiver, ...HALF } = NO_CARRIER;
const { city: ____, ...address } = receiver.address;
const END = ['review', 'keep'];

test('of an incomplete file only the missing fields are asked for', async () => {
  const rig = await createRig({ files: { 'order.json': { ...HALF, receiver: { ...receiver, address } } } });
  const ran = await answering(rig, 'ship -f order.json', BOOK);

  expect(ran.exitCode).toBe(0);
  expect(ids(ran)).toEqual([
    'receiver.address.city',
    ...ALL.filter(id => id.startsWith('items')),
    'carrier.id',
    ...END,
  ]);
  expect(bodyOf(ran)).toEqual(SHIPMENT_BODY);
});

test('a blank value is missing too', async () => {
  const rig = await createRig();
  rig.file('order.json', {
    ...SHIPMENT_BODY,
    receiver: { ...receiver, address: { ...receiver.address, city: ' ' } },
  });
  const ran = await answering(rig, 'ship -f order.json', BOOK);

  expect(ids(ran)).toEqual(['receiver.address.city', ...END]);
  expect(bodyOf(ran)).toEqual(SHIPMENT_BODY);
});

test('flags and --set are kept, also for one field of a package or a party', async () => {
  const rig = await createRig();
  const given = ['type', 'customs.currency', 'packages[0].weight', 'sender.address.city', 'carrier.id'];
  const ran = await answering(
    rig,
    [
      ...'ship --type package --currency EUR --carrier EXP --set'.split(' '),
      'packages[0].weight=0.6',
      ...'--set sender.address.city=Istanbul'.split(' '),
    ],
    BOOK,
  );

  expect(ran.exitCode).toBe(0);
  // The package was begun, so that nobody is asked for another one.
  expect(ids(ran)).toEqual([...ALL.filter(id => ![...given, 'packages[+]'].includes(id)), ...END]);
  expect(bodyOf(ran)).toEqual(SHIPMENT_BODY);
});

test('packages, items and parties that are given are not asked for', async () => {
  const rig = await createRig({ files: { 'anna.json': receiver } });
  const item = 'description=Cotton T-shirt,hsCode=610910,countryOfOrigin=TR,quantity=2,unitPrice=12.5';
  const ran = await answering(
    rig,
    [...'ship --package 0.6kg@35x25x5cm --receiver anna.json --item'.split(' '), item],
    BOOK,
  );

  expect(ran.exitCode).toBe(0);
  // Who lists the goods relies on DAP.
  const gone = /^(packages|receiver|items|deliveryType)/;
  expect(ids(ran)).toEqual([...ALL.filter(id => !gone.test(id)), ...END]);
  expect(bodyOf(ran)).toEqual(SHIPMENT_BODY);
});

test("of the profile's sender only the field that it lacks is asked, and the rest of it is sent", async () => {
  const { email: _, ...sender } = SHIPMENT_BODY.sender;
  const rig = await shopRig({ sender, currency: 'EUR', type: 'package', category: 'sales' });
  const ran = await answering(rig, 'ship', BOOK);

  expect(ran.exitCode).toBe(0);
  const gone = /^(type|sender\.(?!email)|category|customs.currency)/;
  expect(ids(ran)).toEqual([...ALL.filter(id => !gone.test(id)), ...END]);
  expect(bodyOf(ran)).toEqual(SHIPMENT_BODY);
});

test('nothing is asked if nothing is missing, and an invalid value is refused', async () => {
  const rig = await createRig({ files: { 'order.json': NO_CARRIER } });
  const whole = await rig.run('ship -f order.json --carrier cheapest --ioss-number IM0123456789', {
    terminal: true,
  });
  expect(whole).toMatchObject({ exitCode: 0, questions: [] });

  const wrong = await rig.run(['ship', '-f', 'order.json', '--set', 'items[0].quantity=many'], {
    terminal: true,
  });
  expect(wrong).toMatchObject({ exitCode: 2, questions: [], requests: [] });
  expect(wrong.stderr).toContain('items[0].quantity');
  expect(wrong.stderr).toContain('carrier.id');
});
