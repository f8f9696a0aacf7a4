// Rows of exports that are easily misread: what is booked of them, and for how much, or why not.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { issuesOf, linesIn } from '../rig/batch.ts';
import { createRig } from '../rig/command.ts';
import { fileOf } from '../rig/exports.ts';
import { SHIPMENT } from '../rig/service.ts';

const SHIP =
  'batch ship export.csv --map ./shop.json --sender sender.json --carrier EXP --concurrency 1 --json --package';

const CONSTANTS = {
  ...{ 'items[].hsCode': '610910', 'items[].countryOfOrigin': 'TR', type: 'package', category: 'sales' },
  'receiver.email': 'customer@example.com',
};

const PHONE = { 'receiver.phone.code': '+90', 'receiver.phone.number': '2125550101' };

interface Body {
  receiver: { phone: Record<string, string>; address: Record<string, unknown> } & Record<string, unknown>;
  items: { quantity: number; totalPrice: number; description: string }[];
  customs: Record<string, unknown>;
}

/** What is booked of an export, or what is wrong with it. */
async function shipped(name: string, content: string | Uint8Array, map: object = {}, flags = '') {
  const rig = await createRig();
  writeFileSync(join(rig.folder, 'export.csv'), content);
  rig.file('shop.json', { extends: name, constants: CONSTANTS, ...map });
  rig.file('sender.json', SHIPMENT.sender);
  const ran = await rig.run(`${SHIP} 1kg@30x20x10 ${flags}`.trim());
  const bodies = ran.requests
    .filter(({ path }) => path === '/v1/shipments')
    .map(({ body }): Body => JSON.parse(body));
  const keys = ran.exitCode === 2 ? [] : linesIn(rig, 'export.results.jsonl').map(({ key }) => key);
  return {
    ...{ ran, bodies, keys },
    values: bodies.map(({ customs }) => customs.totalGoodsValue),
    problems: ran.exitCode === 0 ? [] : issuesOf(ran),
  };
}

/** Rows of a file: each adds to what is said before, or takes it away with an empty text. */
const rowsOf = (base: Record<string, string>, rows: Record<string, string>[], options = {}) =>
  fileOf(
    [...new Set([base, ...rows].flatMap(row => Object.keys(row)))],
    rows.map(row => ({ ...base, ...row })),
    options,
  );

const ETSY = {
  ...{ 'Sale Date': '11/10/26', 'Order ID': '9100000001', 'Transaction ID': '1', 'Date Paid': '11/10/2026' },
  ...{ 'Item Name': 'Shirt', Quantity: '1', Price: '151.00', 'Discount Amount': '0.00', Currency: 'EUR' },
  ...{ 'Ship Name': 'Jonas Weber', 'Ship Address1': 'Hauptstr. 7', 'Ship City': 'Dresden' },
  ...{ 'Ship Zipcode': '01067', 'Ship Country': 'Germany', 'Listings Type': 'listing' },
};
const NOWHERE = {
  ...{ 'Ship Name': '', 'Ship Address1': '', 'Ship City': '', 'Ship Zipcode': '', 'Ship Country': '' },
};

describe('A row of Etsy without an address', () => {
  const map = { constants: { ...CONSTANTS, ...PHONE } };

  test('is digital: it does not ship, keeps its own discount, and is said to be left out', async () => {
    const digital = {
      'Listings Type': 'digital',
      'Transaction ID': '2',
      Price: '20',
      'Discount Amount': '1',
    };
    const { ran, values } = await shipped('etsy', rowsOf(ETSY, [{}, { ...NOWHERE, ...digital }]), map);
    expect([ran.exitCode, values]).toEqual([0, [151]]);
    expect(ran.stderr).toContain('the map leaves out 1 item of orders that it keeps');
  });

  test('is a problem if it has goods, also where the map takes their name from elsewhere', async () => {
    const text = rowsOf(ETSY, [{}, { ...NOWHERE, 'Transaction ID': '2', 'Item Name': 'Scarf', Price: '50' }]);
    for (const more of [{}, { columns: { 'Item Name': '_' } }]) {
      const constants = { ...CONSTANTS, ...PHONE, 'items[].description': 'Goods' };
      const { ran, problems } = await shipped('etsy', text, { ...more, constants });
      expect([ran.exitCode, ran.requests]).toEqual([2, []]);
      expect(problems).toEqual([
        'line 2: Ship Country is empty in row 2 of the order, which has an item; fill it in, or remove the row if nothing of it is to be sent',
      ]);
    }
  });

  test('is a problem as well if its order has no other one', async () => {
    const { ran, problems } = await shipped('etsy', rowsOf(ETSY, [NOWHERE]), map);
    expect([ran.exitCode, ran.requests]).toEqual([2, []]);
    expect(problems[0]).toContain('line 2: Ship Country is empty in row 1 of the order, which has an item');
  });
});
