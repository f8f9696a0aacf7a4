// What a rule or an enumeration of the service document makes of a question.
import { expect, test } from 'vitest';
import { createRig } from '../rig/command.ts';
import {
  asked,
  BACK,
  BOOK,
  changed,
  faultOf,
  formed,
  ids,
  NO_CARRIER,
  type Script,
  SHIPMENT_BODY,
} from '../rig/person.ts';
import { bodyOf } from '../rig/service.ts';

const { receiver, ...NOBODY } = SHIPMENT_BODY;
const to = (code: string) => ({
  ...NO_CARRIER,
  receiver: { ...receiver, address: { ...receiver.address, country: { code } } },
});

// What was only picked needs no saving.
const NUMBERS: [string, Script, string[]][] = [
  ['DE', { 'carrier.id': 'ECO' }, ['carrier.id', 'customs.iossNumber', 'review', 'keep']],
  ['DE', { 'carrier.id': 'EXP' }, ['carrier.id', 'review']],
  ['GB', { 'carrier.id': 'ECO' }, ['carrier.id', 'customs.marketplaceNumber', 'review', 'keep']],
  ['GB', { 'carrier.id': 'EXP' }, ['carrier.id', 'review']],
  ['US', { 'carrier.id': 'ECO' }, ['carrier.id', 'review']],
  [
    'DE',
    { 'carrier.id': ['ECO', 'EXP'], 'customs.iossNumber': BACK },
    ['carrier.id', 'customs.iossNumber', 'carrier.id', 'review'],
  ],
];

test.each(NUMBERS)(
  'to %s with %j the numbers that the carrier needs are asked for',
  async (country, script, asks) => {
    const numbers = { 'customs.iossNumber': 'IM2760000742', 'customs.marketplaceNumber': 'GB123' };
    const ran = await formed({ ...numbers, ...script, review: 'submit', keep: '' }, '', {}, to(country));
    expect(ran.exitCode).toBe(0);
    expect(ids(ran)).toEqual(asks);
    if (!asks.includes('customs.iossNumber')) return;
    const refused = await faultOf(asked(ran, 'customs.iossNumber'), ' ');
    expect(refused).toContain('is required for the economy carrier to an EU country');
  },
);

test('the number of the only carrier within the bounds is asked for, or named where nobody can be asked', async () => {
  const argv = '--carrier cheapest --service economy';
  const ran = await formed({ 'customs.iossNumber': 'IM2760000742', review: 'submit', keep: '' }, argv);
  expect(ran.exitCode).toBe(0);
  expect(ids(ran)).toEqual(['customs.iossNumber', 'review', 'keep']);
  expect(ran.requests.filter(({ path }) => path === '/v1/shipments')).toHaveLength(1);

  const rig = await createRig({ files: { 'order.json': NO_CARRIER } });
  const nobody = await rig.run(`ship -f order.json ${argv}`, { may: ['reads'] });
  expect(nobody).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('customs.iossNumber') });
});

test('the national short address of a receiver in Saudi Arabia is asked for and required', async () => {
  const saudi = {
    'receiver.address.country.code': 'SA',
    'receiver.phone.code': '+966',
    'receiver.address.nationalShortAddress': 'RRRD2929',
  };
  const ran = await formed({ ...BOOK, ...saudi }, '', {}, NOBODY);
  expect(ran.exitCode).toBe(0);
  expect(ids(ran).slice(-3)).toEqual(['receiver.address.nationalShortAddress', 'review', 'keep']);
  expect(bodyOf(ran)).toEqual(changed(saudi));
  expect(await faultOf(asked(ran, 'receiver.address.nationalShortAddress'), '')).toContain('Saudi Arabia');
});
