import { expect, test } from 'vitest';
import { fitParty } from '../../src/request/party.ts';
import { schemaOf } from '../contract/rig.ts';

const single = schemaOf('createShipment');
const dual = schemaOf('createDualShipment');
const party = {
  firstName: 'Ada',
  taxOffice: 'Beyoglu',
  address: { city: 'Istanbul', cityCode: '34', district: 'Beyoglu', country: { code: 'TR', name: 'Turkey' } },
};

test('fields that only the dual body has are left out for ship and named', () => {
  expect(fitParty(single, dual, 'invoice', party)).toEqual({
    party: { firstName: 'Ada', address: { city: 'Istanbul', country: { code: 'TR', name: 'Turkey' } } },
    dropped: ['invoice.taxOffice', 'invoice.address.cityCode', 'invoice.address.district'],
  });
});

test('nothing is left out for ship-dual', () => {
  expect(fitParty(dual, dual, 'invoice', party)).toEqual({ party, dropped: [] });
});

test('a field that no body has stays, so that validation refuses it', () => {
  const odd = JSON.parse('{"shoeSize":41,"__proto__":{"a":1},"address":{"planet":"Mars"}}');
  const fitted = fitParty(single, dual, 'sender', odd);
  expect(JSON.stringify(fitted.party)).toBe(JSON.stringify(odd));
  expect(fitted.dropped).toEqual([]);
});

test('taxOffice belongs only to an invoice party', () => {
  expect(fitParty(single, dual, 'sender', party).dropped).toEqual([
    'sender.address.cityCode',
    'sender.address.district',
  ]);
});

test.each([null, 'Ada', 5, ['Ada']])('a party of %j stays unchanged', given => {
  expect(fitParty(single, dual, 'sender', given)).toEqual({ party: given, dropped: [] });
});
