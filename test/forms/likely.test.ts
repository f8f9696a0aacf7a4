// The question for a country begins with the likely one.
import { expect, test } from 'vitest';
import { createRig } from '../rig/command.ts';
import { answering, asked, BOOK, LEAVE, SHIPMENT_BODY } from '../rig/person.ts';
import { shopRig } from '../rig/profile.ts';

const PARCEL = 'quote --package 1kg@10x10x10';

test('of the receiver it is the country of the last order, of a quote too; without one it is none', async () => {
  const rig = await createRig();
  const first = await answering(rig, 'ship', BOOK);
  expect(first.exitCode).toBe(0);
  expect(asked(first, 'receiver.address.country.code')).not.toHaveProperty('defaultAnswer', 'DE');
  const next = await answering(rig, 'ship', { ...BOOK, keep: '', confirm: 'no' });
  expect(asked(next, 'receiver.address.country.code')).toMatchObject({ defaultAnswer: 'DE' });
  const quote = await answering(rig, `${PARCEL} --from TR`, { destinationCountry: 'DE', postalCode: '' });
  expect(asked(quote, 'destinationCountry')).toMatchObject({ defaultAnswer: 'DE' });
});

test('of the sender it is that of the profile', async () => {
  const rig = await shopRig({ sender: SHIPMENT_BODY.sender });
  const quote = await answering(rig, `${PARCEL} --to DE`, { originCountry: LEAVE });
  expect(asked(quote, 'originCountry')).toMatchObject({ defaultAnswer: 'TR' });
});
