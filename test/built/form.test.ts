// A whole shipment at a real terminal, from an empty sheet.
import { expect, test } from 'vitest';
import { builtCommand, createWorld } from '../rig/process.ts';
import {
  answer,
  answerAll,
  BODY,
  booked,
  find,
  formIn,
  isAsked,
  KEEP,
  pick,
  REVIEW,
  SHIPMENT,
  text,
} from './form-rig.ts';

const command = builtCommand();
// Ctrl-U empties the line.
const ERASE = '\x15';

test('a person types a shipment, reviews it and books it', async () => {
  const world = await createWorld();
  const at = formIn(world, command());
  await answerAll(at, [...SHIPMENT, REVIEW, KEEP]);
  expect(await at.ended).toMatchObject({ exitCode: 0 });
  expect(booked(world)).toEqual([BODY]);
  expect(at.screen()).toMatch(/^Shipment +shp_\w+$/m);
});

test('Esc goes back question by question, each with its previous answer', async () => {
  const world = await createWorld();
  const at = formIn(world, command());
  const [streetAt, countryAt] = ['Sender: Street and number', 'Sender: Country'].map(message =>
    SHIPMENT.findIndex(step => step.message === message),
  ) as [number, number];
  await answerAll(at, SHIPMENT.slice(0, streetAt));
  for (let back = streetAt; back > countryAt; back -= 1) {
    await isAsked(at, SHIPMENT[back] ?? KEEP);
    at.key('esc');
  }
  await answer(at, find('Sender: Country', 'bulga', 'Bulgaria (BG)'));
  await isAsked(at, text('Sender: Phone country code (esc back) (+359)'));
  await answer(at, text('Sender: Phone country code'));
  await isAsked(at, text('Sender: Phone number without the country code (esc back) (2125550101)'));
  await answer(at, text('Sender: Phone number without the country code'));
  await answerAll(at, [...SHIPMENT.slice(streetAt), REVIEW, KEEP]);
  expect(await at.ended).toMatchObject({ exitCode: 0 });
  const { sender } = BODY;
  expect(booked(world)).toEqual([
    {
      ...BODY,
      sender: {
        ...sender,
        phone: { ...sender.phone, code: '+359' },
        address: { ...sender.address, country: { code: 'BG' } },
      },
    },
  ]);
});

test('a person picks lines of the review page and changes them', async () => {
  const world = await createWorld();
  const at = formIn(world, command());
  await answerAll(at, SHIPMENT);

  await answer(at, { ...REVIEW, picked: 'Receiver' }, { key: 'up' });
  await answer(at, pick('Receiver', 'City'), { key: 'up' });
  await answer(at, text('Receiver: City', `${ERASE}Radebeul`));
  await answer(at, pick('Receiver', 'Done'));

  await answer(at, { ...REVIEW, picked: 'Packages' }, { key: 'up' });
  await answer(at, pick('Packages', 'Package 2'), { key: 'up' });
  await answer(at, pick('Package 2', 'Weight'), { key: 'up' });
  await answer(at, text('Package 2: Weight of a piece in kilograms', `${ERASE}2`));
  await answer(at, pick('Package 2', 'Done'));
  await answer(at, pick('Packages', 'Done'));

  await answer(at, { ...REVIEW, picked: 'Contents' });
  await answer(at, pick('Contents', 'Item 2'), { key: 'up' });
  await answer(at, pick('Item 2', 'Price of all units'), { key: 'up' });
  await answer(at, text('Item 2: Price of all units in EUR', `${ERASE}11.502`));
  await answer(at, pick('Item 2', 'Done'));
  await answer(at, pick('Contents', 'Done'));

  await answer(at, { ...REVIEW, picked: 'Sender' }, { key: 'up' });
  await isAsked(at, pick('Sender', 'Done'));
  at.key('esc');

  await answerAll(at, [{ ...REVIEW, picked: 'Book it for 52.90 EUR' }, KEEP]);
  expect(await at.ended).toMatchObject({ exitCode: 0 });
  const [one, two] = BODY.packages;
  const [shirt, mug] = BODY.items;
  expect(booked(world)).toEqual([
    {
      ...BODY,
      packages: [one, { ...two, weight: 2 }],
      receiver: { ...BODY.receiver, address: { ...BODY.receiver.address, city: 'Radebeul' } },
      items: [shirt, { ...mug, totalPrice: 11.502 }],
      // It follows the items, as it was only agreed to.
      customs: { ...BODY.customs, totalGoodsValue: 36.502 },
      chargeableWeight: 5,
    },
  ]);
});

test('a doubtful answer is asked about with an example, and Enter alone keeps it', async () => {
  const world = await createWorld();
  const at = formIn(world, command());
  const email = SHIPMENT.findIndex(({ message }) => message === 'Sender: E-mail address');
  await answerAll(at, SHIPMENT.slice(0, email));
  await isAsked(at, text('Sender: E-mail address'));
  at.type('ada@@example.com');
  at.key('enter');
  await at.waitFor('> This is not an e-mail address. A right one looks like this: anna@example.com. Enter');
  at.key('enter');
  await at.waitFor('✔ Sender: E-mail address ada@@example.com');
  expect(at.screen()).not.toContain('Enter again');
  await isAsked(at, { ...find('Sender: Country', '', ''), picked: '' });
});
