// What a shop is told of the orders that it books, and of what it need not be told: tax in prices, companies, columns that lack.
import { describe, expect, test } from 'vitest';
import { linesIn } from '../rig/batch.ts';
import type { Rig } from '../rig/command.ts';
import { fileOf } from '../rig/exports.ts';
import { shopRig } from '../rig/profile.ts';
import { SHIPMENT } from '../rig/service.ts';

const IOSS = 'IM0123456789';

type Row = Record<string, string>;

const ORDER: Row = {
  ...{ Name: '#901', Email: 'kaisa@example.com', 'Financial Status': 'paid', Currency: 'EUR' },
  ...{ Subtotal: '170.00', Shipping: '5.00', Taxes: '35.00', Total: '175.00' },
  ...{
    'Discount Amount': '0.00',
    'Lineitem quantity': '1',
    'Lineitem name': 'Coat',
    'Lineitem price': '170.00',
  },
  ...{ 'Shipping Name': 'Kaisa Berg', 'Shipping Address1': 'Storgatan 1', 'Shipping Company': '' },
  ...{ 'Shipping City': 'Stockholm', 'Shipping Zip': "'111 22", 'Shipping Country': 'SE' },
  ...{ 'Shipping Phone': '+46 8 555 0100' },
};

const CONSTANTS = {
  ...{ 'items[].hsCode': '620211', 'items[].countryOfOrigin': 'TR', type: 'package', category: 'sales' },
};

/** A shop with an IOSS number, and a run of it. */
async function shop(rows: Row[], map: object = {}, flags = '') {
  const rig = await shopRig({ iossNumber: IOSS });
  rig.file('sender.json', SHIPMENT.sender);
  return booked(rig, rows, map, flags);
}

async function booked(rig: Rig, rows: Row[], map: object = {}, flags = '') {
  const header = [...new Set(rows.flatMap(row => Object.keys(row)))];
  rig.file('export.csv', fileOf(header, rows));
  rig.file('shop.json', { extends: 'shopify', constants: CONSTANTS, ...map });
  const ran = await rig.run(
    `batch ship export.csv --map ./shop.json --sender sender.json --carrier EXP --concurrency 1 --package 1kg@30x20x10 ${flags}`.trim(),
  );
  const bodies = ran.requests
    .filter(({ path }) => path === '/v1/shipments')
    .map(({ body }): Record<'customs' | 'receiver', Record<string, unknown>> => JSON.parse(body));
  return {
    ...{ rig, ran, stderr: ran.stderr, exitCode: ran.exitCode },
    customs: bodies.map(({ customs }) => [customs.totalGoodsValue, customs.iossNumber]),
    companies: bodies.map(({ receiver }) => receiver.companyName),
  };
}

const other = (row: Row): Row => ({
  ...{ ...ORDER, Name: '#902', 'Shipping Name': 'Nils Ek', 'Lineitem price': '200.00' },
  ...{ Subtotal: '200.00', Total: '205.00', ...row },
});

describe('The tax of an order', () => {
  test('that its prices contain is told, once with the orders and amounts, unless the map tells its rate', async () => {
    const rows = [{ ...ORDER, Taxes: '27.94' }, other({ Taxes: '32.10' })];
    const told =
      'line 2 and line 3 (#901 170 EUR with 27.94 EUR of tax, #902 200 EUR with 32.1 EUR of tax): the declared value contains the tax of the order, or may contain it';
    const { customs, stderr } = await shop(rows);
    expect(customs.map(([value]) => value)).toEqual([170, 200]);
    expect(stderr).toContain(told);
    expect(stderr).toContain('such as "taxIncluded": "20%"');
    expect((await shop(rows, {}, '--strict')).exitCode).toBe(2);
    const rated = await shop(rows, { taxIncluded: '25%' });
    expect(rated.customs.map(([value]) => value)).toEqual([136, 160]);
    expect(rated.stderr).not.toContain('of tax');
  });

  test('of which the file tells 0 takes nothing off, whatever rate the map tells', async () => {
    const none = { Subtotal: '120.00', 'Lineitem price': '120.00', Taxes: '0.00', Total: '125.00' };
    const rows = [
      { ...ORDER, ...none },
      other({ ...none, Taxes: '20.83' }),
      other({ ...none, Name: '#903', 'Shipping Name': 'Ida Ek', Taxes: '' }),
    ];
    const { customs, stderr } = await shop(rows, { taxIncluded: '20%' });
    expect(customs.map(([value]) => value)).toEqual([120, 100, 100]);
    expect(stderr).not.toContain('taxIncluded');
  });

  test('that the file tells, and the rate of the map does not give, is told with both amounts and the order', async () => {
    const sum = (value: string) => ({
      Subtotal: value,
      'Lineitem price': value,
      Shipping: '0.00',
      Total: value,
    });
    const rows = [
      { ...ORDER, ...sum('119.00'), Taxes: '19.00' },
      other({ ...sum('127.00'), Taxes: '27.00' }),
      // A cent less, and one cent of rounding.
      other({ ...sum('120.00'), Name: '#903', Taxes: '19.98' }),
      other({ ...sum('120.00'), Name: '#904', 'Shipping Name': 'Ida Ek', Taxes: '19.99' }),
    ];
    const { customs, stderr } = await shop(rows, { taxIncluded: '20%' });
    expect(customs.map(([value]) => value)).toEqual([99.17, 105.83, 100, 100]);
    expect(stderr).toContain(
      '(#901 19 EUR in the file, 19.83 EUR by the rate, #902 27 EUR in the file, 21.17 EUR by the rate, #903 19.98 EUR in the file, 20 EUR by the rate): the file tells another tax of the order than "taxIncluded" of the map takes off',
    );
    expect(stderr).not.toContain('#904 19');
    expect((await shop(rows, { taxIncluded: '20%' }, '--strict')).exitCode).toBe(2);
  });

  test('may be without that of a gift card, and with that of the shipping', async () => {
    const card = {
      ...{ Name: '#901', Email: 'kaisa@example.com', 'Lineitem quantity': '1' },
      ...{ 'Lineitem name': 'Gift card', 'Lineitem price': '50.00', 'Lineitem requires shipping': 'false' },
    };
    const order = { Subtotal: '170.00', 'Lineitem price': '120.00', Shipping: '6.00', Total: '176.00' };
    const { customs, stderr } = await shop([{ ...ORDER, ...order, Taxes: '21.00' }, card], {
      taxIncluded: '20%',
    });
    expect(customs.map(([value]) => value)).toEqual([100]);
    expect(stderr).not.toContain('taxIncluded');
  });

  test('that comes on top of its prices stays, also where the map tells of one in them', async () => {
    for (const map of [{}, { taxIncluded: '25%' }]) {
      const free = other({ Taxes: '50.00', Total: '250.00' });
      const { customs, stderr } = await shop([{ ...ORDER, Total: '210.00' }, free], map);
      expect(customs.map(([value]) => value)).toEqual([170, 200]);
      expect(stderr).not.toContain('of tax');
    }
  });
});

test("The shop's own number on a parcel to a company is told with the orders, and the map can leave it out", async () => {
  const rows = [
    { ...ORDER, Subtotal: '130.00', 'Lineitem price': '130', 'Shipping Company': 'Berg AB' },
    other({
      Subtotal: '100.00',
      Taxes: '0.00',
      Total: '105.00',
      'Lineitem price': '100',
      'Shipping Company': 'Ek AB',
    }),
  ];
  const { customs, stderr } = await shop(rows);
  expect(customs.map(([, number]) => number)).toEqual([IOSS, IOSS]);
  expect(stderr).toContain(
    'line 2 and line 3: customs.iossNumber says that a private buyer paid the VAT, and the order has a company name',
  );
  expect(stderr).toContain('"business": {"Shipping Company": ["*"]}');
  const without = await shop(rows, { business: { 'Shipping Company': ['*'] } });
  expect(without.customs.map(([, number]) => number)).toEqual([undefined, undefined]);
  expect(without.stderr).not.toContain('private buyer');
});

describe('A company in the columns of who pays', () => {
  const WOO: Row = {
    ...{ 'Order Number': '4202', 'Order Status': 'processing', 'First Name (Billing)': 'Jonas' },
    ...{ 'Last Name (Billing)': 'Weber', 'Company (Billing)': 'Weber GmbH', 'City (Billing)': 'Dresden' },
    ...{ 'Address 1&2 (Billing)': 'Hauptstraße 7', 'Postcode (Billing)': '01067' },
    ...{ 'Country Code (Billing)': 'DE', 'Phone (Billing)': '+49 351 5550100' },
    'Email (Billing)': 'jonas@example.com',
    ...{ Name: 'Rug', Quantity: '1', 'Order Line Total': '50.00' },
  };
  const woo = (map: object = {}, row: Row = {}) =>
    shop([{ ...WOO, ...row }], {
      extends: 'woocommerce',
      constants: { ...CONSTANTS, 'customs.currency': 'EUR' },
      ...map,
    });

  test('is named by its own column, and the map that the warning asks for leaves the number out', async () => {
    const { customs, stderr } = await woo();
    expect(customs).toEqual([[50, IOSS]]);
    expect(stderr).toContain('"business": {"Company (Billing)": ["*"]}');
    const without = await woo({ business: { 'Company (Billing)': ['*'] } });
    expect(without.customs).toEqual([[50, undefined]]);
  });

  const SHIPPED_TO: Row = {
    ...{ 'First Name (Shipping)': 'Jonas', 'Last Name (Shipping)': 'Weber', 'City (Shipping)': 'Dresden' },
    ...{ 'Address 1&2 (Shipping)': 'Hauptstraße 7', 'Postcode (Shipping)': '01067' },
    'Country Code (Shipping)': 'DE',
  };

  test('is on the parcel, too, where both addresses are the same and only one has a column for it', async () => {
    const { companies, stderr } = await woo({}, SHIPPED_TO);
    expect(companies).toEqual(['Weber GmbH']);
    expect(stderr).toContain('"business": {"Company (Billing)": ["*"]}');
    const elsewhere = await woo({}, { ...SHIPPED_TO, 'City (Shipping)': 'Pirna' });
    expect(elsewhere.companies).toEqual([undefined]);
    expect(elsewhere.stderr).toContain('"business": {"Company (Billing)": ["*"]}');
  });

  test('is not told of a parcel to somebody else', async () => {
    const { customs, companies, stderr } = await woo({}, { ...SHIPPED_TO, 'First Name (Shipping)': 'Mia' });
    expect([customs, companies]).toEqual([[[50, IOSS]], [undefined]]);
    expect(stderr).not.toContain('private buyer');
  });

  test('is told of Shopify, where the parcel has an empty column for it, but not put on the parcel', async () => {
    const billed = { 'Billing Name': 'Kaisa Berg', 'Billing Company': 'Berg AB' };
    const { companies, stderr } = await shop([
      { ...ORDER, Subtotal: '130', 'Lineitem price': '130', ...billed },
    ]);
    expect(companies).toEqual([undefined]);
    expect(stderr).toContain('"business": {"Billing Company": ["*"]}');
  });

  test('is not looked for in a column of the shop that the file does not have: such a map is refused', async () => {
    const { exitCode, customs, stderr } = await woo({ business: { 'Company (Shipping)': ['*'] } });
    expect([exitCode, customs]).toEqual([2, []]);
    expect(stderr).toContain('the map names the column "Company (Shipping)", which export.csv does not have');
  });
});

test('An order that was taken with --include is not told as cancelled the next day', async () => {
  const rows = [{ ...ORDER, 'Financial Status': 'partially_refunded' }];
  const { rig, exitCode } = await shop(rows, {}, '--include 901');
  expect(exitCode).toBe(0);
  expect((await booked(rig, rows)).stderr).not.toContain('booked already');
  // Something was paid back since.
  const refunded = [{ ...ORDER, 'Financial Status': 'refunded' }];
  expect((await booked(rig, refunded)).stderr).toContain(
    'are booked already: "#901" (Financial Status is "refunded"). Keep their parcels back, but for those that you took with --include',
  );
});

test('Nothing is said to be declared of an order that is a problem', async () => {
  const wrong = { ...ORDER, 'Lineitem price': '180.00' };
  expect((await shop([wrong])).stderr).toContain('170 EUR is declared');
  const { exitCode, stderr } = await shop([wrong, wrong]);
  expect([exitCode, stderr]).toEqual([2, expect.not.stringContaining('declared')]);
  expect(stderr).toContain('it is in the file twice');
});

test('A file of which no column is known to give prices is refused once, with its headers', async () => {
  const { 'Lineitem price': price = '', 'Lineitem name': name = '', ...rest } = ORDER;
  const row = { ...rest, 'Birim satış fiyatı': price, Ürün: name };
  const { exitCode, stderr } = await shop([row, { ...row, Name: '#902' }]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(
    `error: the map does not fit export.csv; nothing was sent. Columns that it does not read: Birim satış fiyatı, Ürün
  items[].description  no column gives the description of an item: add to the map "columns": {"HEADER": "items[].description"}
  items[].unitPrice  no column gives the price of an item: add to the map "columns": {"HEADER": "items[].unitPrice"}
`,
  );
});

test('The short address that Saudi Arabia needs is a column of its name, and a problem tells so', async () => {
  const there = {
    ...ORDER,
    'Shipping Country': 'SA',
    'Shipping Zip': '11564',
    'Shipping Phone': '+966 11 555 0100',
  };
  expect((await shop([there])).stderr).toContain('a file has it in a column of this name');
  const given = await shop([{ ...there, 'receiver.address.nationalShortAddress': 'RRRD2929' }]);
  expect(given.exitCode).toBe(0);
});

test('A run without --label shows the labels of the run before in its results', async () => {
  const { rig } = await shop([ORDER], {}, '--label --download labels');
  const before = linesIn(rig, 'export.results.jsonl').map(({ trackingNumber, labelFile }) => [
    trackingNumber,
    labelFile,
  ]);
  expect(before).toEqual([[expect.stringMatching(/\w/), expect.stringContaining('901')]]);
  const { ran } = await booked(rig, [ORDER]);
  expect(ran.requests).toEqual([]);
  const after = linesIn(rig, 'export.results.jsonl');
  expect(after.map(({ trackingNumber, labelFile }) => [trackingNumber, labelFile])).toEqual(before);
});
