import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseMap } from '../../src/batch/map.ts';
import { readAll } from '../rig/batch.ts';

const sample = (name: string) =>
  readFileSync(new URL(`../../fixtures/orders/${name}`, import.meta.url), 'utf8');

const MAP = {
  columns: {
    Bestellnummer: 'key',
    Vorname: 'receiver.firstName',
    Nachname: 'receiver.lastName',
    Gewicht: 'packages[0].weight',
    Artikel: 'items[].description',
    Zolltarif: 'items[].hsCode',
    Menge: 'items[].quantity',
    Preis: 'items[].unitPrice',
    Summe: 'customs.totalGoodsValue',
    Bemerkung: '_',
  },
  constants: { type: 'package', 'customs.currency': 'EUR', 'items[].countryOfOrigin': 'TR' },
  decimal: ',',
};

test('the sample file has two orders, the first with two items', async () => {
  const { records } = await readAll(sample('several-items.csv'));
  expect(records).toMatchObject([
    { line: 2, key: 'ORDER-1001', issues: [] },
    { line: 4, key: 'ORDER-1002', issues: [] },
  ]);
  const [first, second] = records.map(({ value }) => value);
  expect(first).toMatchObject({
    packages: [{ quantity: 2, weight: 1.5, dimensions: { length: 30, width: 20, height: 10, unit: 'cm' } }],
    items: [
      { description: 'T-shirt', quantity: 2 },
      { description: 'Cap, red', quantity: 1 },
    ],
  });
  expect(second).toMatchObject({ items: [{ hsCode: '00621410' }], receiver: { phone: { code: '+90' } } });
  expect(first).not.toHaveProperty('_note');
});

test('the export of a shop is read with its map', async () => {
  const map = parseMap(MAP, 'map.json');
  const { records } = await readAll(sample('shop.csv'), { name: 'shop.csv', map });
  expect(records.map(({ key, issues }) => [key, issues])).toEqual([
    ['R-7', []],
    ['R-8', []],
  ]);
  expect(records.map(({ value }) => value)).toMatchObject([
    {
      type: 'package',
      packages: [{ weight: 1.5 }],
      items: [
        { description: 'T-Shirt', countryOfOrigin: 'TR', unitPrice: 12.5 },
        { description: 'Mütze', countryOfOrigin: 'TR', unitPrice: 12.5 },
      ],
      customs: { totalGoodsValue: 37.5, currency: 'EUR' },
    },
    { items: [{ hsCode: '00621410', unitPrice: 1020 }], customs: { totalGoodsValue: 1020 } },
  ]);
});
