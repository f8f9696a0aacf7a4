// What follows from what was answered before, and what is done about it when that is changed.
import { describe, expect, test } from 'vitest';
import { createRig } from '../rig/command.ts';
import { answering, type asked, BACK, BOOK, ids, SHIPMENT_BODY, type says } from '../rig/person.ts';
import { bodyOf } from '../rig/service.ts';

const offers = (ran: Parameters<typeof asked>[0], id: string): unknown[] =>
  ran.questions
    .filter(question => question.id === id)
    .map(question => ('defaultAnswer' in question ? question.defaultAnswer : undefined));

async function booked(script: Parameters<typeof says>[0], argv = 'ship') {
  const rig = await createRig({ files: { 'order.json': SHIPMENT_BODY } });
  const ran = await answering(rig, argv, { review: 'submit', keep: '', ...script });
  expect(ran.exitCode).toBe(0);
  return { ran, body: bodyOf(ran) as typeof SHIPMENT_BODY };
}

// A whole request but for the last name: the form begins with one question and comes to its review.
const REVIEWED = ['ship', '-f', 'order.json', '--set', 'sender.lastName='].join(' ');
const SURNAME = { 'sender.lastName': 'Example' };

describe('the dialling code', () => {
  test('is suggested for the country', async () => {
    const { ran } = await booked(BOOK);
    expect(offers(ran, 'sender.phone.code')).toEqual(['+90']);
    expect(offers(ran, 'receiver.phone.code')).toEqual(['+49']);
  });

  test('follows when the person goes back and changes the country', async () => {
    const { ran, body } = await booked({
      ...BOOK,
      'receiver.address.country.code': ['DE', 'FR'],
      'receiver.phone.code': ['+49', BACK, '+33'],
      'receiver.phone.number': [BACK, '5550101'],
    });
    expect(offers(ran, 'receiver.phone.code')).toEqual(['+49', '+49', '+33']);
    expect(body.receiver.phone.code).toBe('+33');
  });

  test('that was typed is the default again after going back, for any country', async () => {
    const { ran } = await booked({
      ...BOOK,
      'receiver.address.country.code': ['DE', 'FR'],
      'receiver.phone.code': ['+41', BACK, '+41'],
      'receiver.phone.number': [BACK, '5550101'],
    });
    expect(offers(ran, 'receiver.phone.code')).toEqual(['+49', '+41', '+41']);
  });

  const CHANGED = {
    ...SURNAME,
    review: ['receiver', 'submit'],
    receiver: ['receiver.address.country.code', 'done'],
    'receiver.address.country.code': 'FR',
  };

  test('follows the country when it is changed in the review', async () => {
    const { body } = await booked(CHANGED, REVIEWED);
    expect(body.receiver).toMatchObject({ phone: { code: '+33' }, address: { country: { code: 'FR' } } });
  });

  test("stays if it was not the country's own", async () => {
    const { body } = await booked(CHANGED, `${REVIEWED} --set receiver.phone.code=+41`);
    expect(body.receiver).toMatchObject({ phone: { code: '+41' }, address: { country: { code: 'FR' } } });
  });
});

describe('totals', () => {
  test('of an item and of all goods are computed exactly and suggested', async () => {
    const { ran } = await booked({
      ...BOOK,
      'items[0].quantity': '3',
      'items[0].unitPrice': '0.1',
      'items[0].totalPrice': '0.3',
      'customs.totalGoodsValue': '0.3',
    });
    expect(offers(ran, 'items[0].totalPrice')).toEqual(['0.3']);
    expect(offers(ran, 'customs.totalGoodsValue')).toEqual(['0.3']);
  });

  const QUANTITY = {
    ...SURNAME,
    review: ['items', 'submit'],
    items: ['items[0]', 'done'],
    'items[0]': ['items[0].quantity', 'done'],
    'items[0].quantity': '4',
  };

  test('follow when a quantity is changed in the review', async () => {
    const { body } = await booked(QUANTITY, REVIEWED);
    expect(body.items[0]).toMatchObject({ quantity: 4, totalPrice: 50 });
    expect(body.customs.totalGoodsValue).toBe(50);
  });

  test('that were typed stay', async () => {
    const { body } = await booked(
      QUANTITY,
      `${REVIEWED} --set items[0].totalPrice=20 --total-goods-value 21`,
    );
    expect(body.items[0]).toMatchObject({ quantity: 4, totalPrice: 20 });
    expect(body.customs.totalGoodsValue).toBe(21);
  });

  test('the value of all goods follows a total that is typed', async () => {
    const { body } = await booked(
      {
        ...QUANTITY,
        'items[0]': ['items[0].totalPrice', 'done'],
        'items[0].totalPrice': '24',
      },
      REVIEWED,
    );
    expect(body.items[0]).toMatchObject({ quantity: 2, totalPrice: 24 });
    expect(body.customs.totalGoodsValue).toBe(24);
  });

  test('the value of all goods follows an added and a removed item', async () => {
    const added = {
      ...SURNAME,
      'items[1].description': 'Socks',
      'items[1].hsCode': '611595',
      'items[1].countryOfOrigin': 'TR',
      'items[1].quantity': '2',
      'items[1].unitPrice': '5',
      'items[1].totalPrice': '10',
      'items[+]': 'no',
    };
    const more = await booked({ ...added, review: ['items', 'submit'], items: 'add' }, REVIEWED);
    expect(more.body.items).toHaveLength(2);
    expect(more.body.customs.totalGoodsValue).toBe(35);

    const less = await booked(
      {
        ...added,
        review: ['items', 'items', 'submit'],
        items: ['add', 'items[0]', 'done'],
        'items[0]': 'remove',
      },
      REVIEWED,
    );
    expect(less.body.items).toMatchObject([{ description: 'Socks', totalPrice: 10 }]);
    expect(less.body.customs.totalGoodsValue).toBe(10);
  });

  test('an item that moves up keeps its typed total', async () => {
    const items = [
      { ...SHIPMENT_BODY.items[0], quantity: 2, unitPrice: 10, totalPrice: 20 },
      { ...SHIPMENT_BODY.items[0], quantity: 3, unitPrice: 10, totalPrice: 20 },
    ];
    const rig = await createRig({ files: { 'order.json': { ...SHIPMENT_BODY, items } } });
    const ran = await answering(rig, REVIEWED, {
      ...SURNAME,
      review: ['items', 'submit'],
      items: ['items[0]', 'done'],
      'items[0]': 'remove',
      keep: '',
    });
    expect(bodyOf(ran)).toMatchObject({ items: [{ quantity: 3, totalPrice: 20 }] });
  });
});

test('a second package and a second item are asked like the first, and all of it is sent', async () => {
  const second = Object.fromEntries(
    Object.entries(BOOK)
      .filter(([id]) => /^(packages|items)\[0\]/.test(id))
      .map(([id, said]) => [id.replace('[0]', '[1]'), said]),
  );
  const { ran, body } = await booked({
    ...BOOK,
    ...second,
    'packages[+]': ['yes', 'no'],
    'items[+]': ['yes', 'no'],
    'customs.totalGoodsValue': '50',
  });
  expect(body).toMatchObject({
    packages: [SHIPMENT_BODY.packages[0], SHIPMENT_BODY.packages[0]],
    items: [SHIPMENT_BODY.items[0], SHIPMENT_BODY.items[0]],
  });
  expect(offers(ran, 'customs.totalGoodsValue')).toEqual(['50']);
  const asks = ids(ran);
  expect(asks.indexOf('packages[1].quantity')).toBe(asks.indexOf('packages[+]') + 1);
  expect(asks.indexOf('items[1].description')).toBe(asks.indexOf('items[+]') + 1);
});
