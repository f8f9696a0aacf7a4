// Columns that say only that an order is not to be sent, or not so: rows as shops export them, and what becomes of each order.
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import type { OrderCells } from '../../src/batch/order-facts.ts';
import { columnsOfShop } from '../../src/batch/shop.ts';
import { getAt } from '../../src/contract/paths.ts';
import { SHOPS } from '../../src/shops/shops.ts';
import { linesIn } from '../rig/batch.ts';
import { createRig, type Ran, type Rig } from '../rig/command.ts';
import { fileOf } from '../rig/exports.ts';
import { errorOf, SHIPMENT } from '../rig/service.ts';

type Row = Record<string, string>;

/** The key of an order is its place in the table, from 100. */
type Case = readonly [says: string, row: Row, becomes: unknown, path?: string];

interface Export {
  shop: string;
  key: string;
  row: Row;
  constants?: object;
}

const CONSTANTS = {
  ...{ 'items[].hsCode': '610910', 'items[].countryOfOrigin': 'TR', type: 'package', category: 'sales' },
  ...{ 'receiver.email': 'a@b.example', 'customs.currency': 'EUR', deliveryType: 'DAP' },
};
const RUN =
  'batch ship export.csv --map ./shop.json --sender sender.json --carrier EXP --package 1kg@30x20x10 --concurrency 1 --skip-invalid';

const keyOf = (at: number) => String(100 + at);

/** No two orders go to one house. */
const STREETS = ['Hauptstr. 7', 'Ring 1', '1850 Airport Exchange Blvd'];
const withHouse = (row: Row, at: number): Row =>
  Object.fromEntries(
    Object.entries(row).map(([title, cell]) => [title, STREETS.includes(cell) ? `${cell}-${at}` : cell]),
  );

async function shopWith({ shop, key, row, constants }: Export, cases: readonly Case[]): Promise<Rig> {
  const rows = cases.map(([, change], at) => ({ ...withHouse({ ...row, ...change }, at), [key]: keyOf(at) }));
  const rig = await createRig();
  rig.file('export.csv', fileOf([...new Set(rows.flatMap(cells => Object.keys(cells)))], rows));
  rig.file('shop.json', { extends: shop, constants: { ...CONSTANTS, ...constants } });
  rig.file('sender.json', SHIPMENT.sender);
  return rig;
}

const bodiesIn = ({ requests }: Ran): unknown[] =>
  requests.filter(({ path }) => path === '/v1/shipments').map(({ body }) => JSON.parse(body));

/** Each order is left out, with its reason, is a problem, or is booked; with a path, as what is there. */
async function becomes(given: Export, cases: readonly Case[]) {
  const rig = await shopWith(given, cases);
  const ran = await rig.run(RUN, { terminal: true, stdin: 'y\n' });
  const lines = linesIn(rig, 'export.results.jsonl');
  const sent = lines.filter(line => line.sent);
  const bodies = bodiesIn(ran);
  const all = stripVTControlCharacters(ran.stderr).replaceAll(/\s+/g, ' ');
  const seen = cases.map(([says, , , path], at) => {
    const line = lines.find(({ key }) => key === keyOf(at));
    const [, why] =
      new RegExp(`left out: ${keyOf(at)}: (.*?)(?= left out: | note: | warning: | \\[|$)`).exec(all) ?? [];
    if (line === undefined) return [says, `left out: ${why}`];
    if (line.error)
      return [says, `problem: ${line.error.issues.map(issue => `${issue.path} ${issue.message}`)}`];
    return [says, path ? getAt(bodies[sent.indexOf(line)], path) : 'booked'];
  });
  expect(seen).toEqual(
    cases.map(([says, , wanted]) => [
      says,
      wanted instanceof RegExp ? expect.stringMatching(wanted) : wanted,
    ]),
  );
  return { rig, ran, said: all };
}

const SHOPIFY: Export = {
  ...{ shop: 'shopify', key: 'Name' },
  row: {
    ...{ Name: '', 'Financial Status': 'paid', 'Fulfillment Status': 'unfulfilled', Currency: 'EUR' },
    ...{ Subtotal: '12.00', Shipping: '0.00', Total: '12.00', 'Shipping Method': 'Standard' },
    ...{ 'Lineitem quantity': '1', 'Lineitem name': 'Shirt', 'Lineitem price': '12.00' },
    ...{ 'Lineitem requires shipping': 'true', 'Lineitem fulfillment status': 'pending' },
    ...{ 'Shipping Name': 'Jonas Weber', 'Shipping Address1': 'Hauptstr. 7', 'Shipping City': 'Dresden' },
    ...{ 'Shipping Zip': "'01067", 'Shipping Country': 'DE', 'Shipping Phone': '0351 5550100' },
    ...{
      'Billing Name': 'Eva Huber',
      'Billing Address1': 'Ring 1',
      'Billing City': 'Wien',
      'Billing Zip': '1010',
    },
    ...{
      'Billing Country': 'AT',
      'Billing Phone': '0664 1234567',
      'Outstanding Balance': '0.00',
      Duties: '',
    },
  },
};
const NOWHERE = Object.fromEntries(
  Object.keys(SHOPIFY.row).flatMap(title =>
    /^Shipping (Name|Address1|City|Zip|Country|Phone)$/.test(title) ? [[title, '']] : [],
  ),
);
const CITY = 'receiver.address.city';

test('Shopify: what is collected, virtual or not paid is left out, and duties that were paid are not asked for again', async () => {
  const { said } = await becomes(SHOPIFY, [
    ['an order goes to its shipping address', {}, 'Dresden', CITY],
    [
      'a place of the shop beside no address is where it is collected',
      { ...NOWHERE, 'Shipping Method': 'Main Street Store' },
      'left out: Shipping Method is "Main Street Store": the customer collects it',
    ],
    [
      'it is the billing address where a method of delivery stands beside it',
      { ...NOWHERE, 'Shipping Method': 'DHL Paket' },
      'Wien',
      CITY,
    ],
    [
      'a method that costs something delivers',
      { ...NOWHERE, 'Shipping Method': 'Zone 3', Shipping: '4.90' },
      'Wien',
      CITY,
    ],
    [
      'without address and method there is nothing to send',
      { ...NOWHERE, 'Shipping Method': '' },
      'left out: Shipping Method is empty, and it has no shipping address: there is nothing to send',
    ],
    ['an address without a method is one', { 'Shipping Method': '' }, 'Dresden', CITY],
    [
      'what was added to a paid order is owed',
      { 'Outstanding Balance': '7.50' },
      'left out: Outstanding Balance is "7.50"',
    ],
    ['duties that were paid are those of the sender', { Duties: '3.20' }, 'DDP', 'deliveryType'],
    [
      'beside them a tax on top of prices is no tax in them',
      { Duties: '3.20', Taxes: '2.28', Total: '17.48' },
      12,
      'customs.totalGoodsValue',
    ],
    ['without them the constant of the map holds', { Duties: '0.00' }, 'DAP', 'deliveryType'],
  ]);
  expect(said).not.toContain('contains the tax of the order');
  expect(said).toContain(
    'not paid, or not in full: "106" (Outstanding Balance is "7.50"). `--include KEY` sends',
  );
});

test('An order that is owed or collected is sent with --include, and one whose rule the map takes back', async () => {
  const cases: readonly Case[] = [
    ['owed', { 'Outstanding Balance': '7.50' }, ''],
    ['collected', { ...NOWHERE, 'Shipping Method': 'Laden' }, ''],
  ];
  const rig = await shopWith(SHOPIFY, cases);
  const taken = await rig.run(`${RUN} --include 100 --include 101 --json`);
  expect(bodiesIn(taken).map(body => getAt(body, CITY))).toEqual(['Dresden', 'Wien']);
  const own = await shopWith(SHOPIFY, cases);
  own.file('shop.json', { extends: 'shopify', constants: CONSTANTS, skip: { 'Shipping Method': [] } });
  expect(bodiesIn(await own.run(`${RUN} --json`)).map(body => getAt(body, CITY))).toEqual(['Wien']);
});

const WOO: Export = {
  ...{ shop: 'woocommerce', key: 'Order Number' },
  row: {
    ...{ 'Order Number': '', 'Order Status': 'Processing', 'Order Currency': 'EUR' },
    ...{ 'First Name (Billing)': 'Eva', 'Last Name (Billing)': 'Huber', 'Address 1&2 (Billing)': 'Ring 1' },
    ...{ 'City (Billing)': 'Wien', 'Postcode (Billing)': '1010', 'Country Code (Billing)': 'AT' },
    ...{ 'Phone (Billing)': '0664 1234567', 'First Name (Shipping)': '', 'Last Name (Shipping)': '' },
    ...{ 'Address 1&2 (Shipping)': '', 'City (Shipping)': '', 'Postcode (Shipping)': '' },
    ...{ 'Country Code (Shipping)': '', Name: 'Shirt', Quantity: '1', 'Item Cost': '10.00' },
    ...{
      'Order Line Total': '10.00',
      'Payment Method Title': 'PayPal',
      'Shipping Method Title': 'Flat rate',
    },
    'Paid Date': '',
  },
};
const collects = (method: string): Case => [
  method,
  { 'Shipping Method Title': method },
  `left out: Shipping Method Title is ${JSON.stringify(method)}: the customer collects it`,
];
const delivers = (method: string): Case => [method, { 'Shipping Method Title': method }, 'booked'];
const atTheDoor = (method: string): Case => [
  method,
  { 'Payment Method Title': method },
  `left out: Payment Method Title is ${JSON.stringify(method)}: it is paid at the door, and the service collects no money`,
];
const later = (method: string): Case => [method, { 'Payment Method Title': method }, 'booked'];

test('An order that is tracked is not asked whether it is paid', async () => {
  const rig = await shopWith(WOO, [['', { 'Payment Method Title': 'Vorkasse' }, '']]);
  await rig.run(`${RUN} --json`);
  const ran = await rig.run('batch track export.csv --map ./shop.json --json');
  expect([ran.exitCode, ran.stderr]).toEqual([0, expect.not.stringContaining('whether it is paid')]);
});

test('WooCommerce: what is collected is left out, whatever stands behind the word of its method', async () => {
  await becomes(WOO, [
    ...[
      'Pickup (Main store)',
      'Abholung (Lager Nord)',
      'Local pickup: Hamburg',
      'Click & Collect (Leeds)',
    ].map(collects),
    ...[
      'local_pickup',
      'Mağazadan teslim',
      'Selbstabholung in Köln',
      'Store pick-up',
      'Collection from depot',
    ].map(collects),
    ...[
      'Flat rate',
      'Pickup point (DPD)',
      'Collect+ to a shop',
      'Retrait en point relais',
      'Versand an Abholstation',
      'Free shipping',
      'Kargo',
    ].map(delivers),
    [
      'without an address and a method there is nothing to send',
      { 'Shipping Method Title': '' },
      /^left out: Shipping Method Title is empty, and it has no shipping address/,
    ],
    [
      'an address says enough',
      { 'Shipping Method Title': '', 'City (Shipping)': 'Graz', 'Address 1&2 (Shipping)': 'Weg 2' },
      /^problem: /,
    ],
  ]);
});

test('WooCommerce: what is paid at the door is left out and named; of a transfer without its day a person is told', async () => {
  const { said } = await becomes(WOO, [
    ...['Cash on delivery', 'Nachnahme', 'Per Nachnahme (DHL)', 'Kapıda ödeme', 'cod'].map(atTheDoor),
    ...['Direct bank transfer', 'Überweisung', 'Vorkasse', 'Havale / EFT', 'Check payments', 'Cheque'].map(
      later,
    ),
    [
      'its day says that it was paid',
      { 'Payment Method Title': 'Vorkasse', 'Paid Date': '2026-11-20' },
      'booked',
    ],
    ['an instant transfer is paid', { 'Payment Method Title': 'Sofortüberweisung' }, 'booked'],
  ]);
  expect(said).toContain(
    'not paid, or not in full: "100" (Payment Method Title is "Cash on delivery": it is paid',
  );
  expect(said).toMatch(
    /lines 7, 8, 9, 10, 11 and 12 \(105, Payment Method Title is "Direct bank transfer"; 106, .*the file does not tell whether it is paid/,
  );
  expect(said.match(/does not tell whether it is paid/g)).toHaveLength(1);
});

const EBAY: Export = {
  ...{ shop: 'ebay', key: 'Order Number' },
  row: {
    ...{ 'Sales Record Number': '7', 'Order Number': '', 'Paid On Date': 'Nov-26-26', 'Item Title': 'Cap' },
    ...{ 'Ship To Name': 'Emma Smith', 'Ship To Phone': '+1 212 555 0142', 'Ship To City': 'Erlanger' },
    ...{ 'Ship To Address 1': '1850 Airport Exchange Blvd', 'Ship To Address 2': '', 'Ship To Zip': '41025' },
    ...{ 'Ship To Country': 'United States', Quantity: '1', 'Sold For': '$20.00', 'Transaction ID': '1' },
    ...{
      'Shipping Service': 'USPS Ground Advantage',
      'Click And Collect': 'No',
      'Global Shipping Program': 'No',
    },
    ...{
      'Global Shipping Reference ID': '',
      'eBay International Shipping': 'No',
      'eBay Fulfillment Program': 'No',
    },
  },
  constants: { 'customs.currency': undefined },
};
const LINE = 'receiver.address.line2';

test('eBay: what is collected, or sent by eBay, is left out; to a centre a parcel goes with its reference alone', async () => {
  await becomes(EBAY, [
    ['an order', {}, undefined, LINE],
    [
      'click and collect',
      { 'Click And Collect': 'Yes' },
      /^left out: Click And Collect is "Yes": the customer collects it/,
    ],
    ...['Local Pickup', 'Collection in person'].map(
      (service): Case => [
        service,
        { 'Shipping Service': service },
        /^left out: Shipping Service is .* collects it/,
      ],
    ),
    ['eBay sends it', { 'eBay Fulfillment Program': 'Yes' }, /^left out: .*: the marketplace sends it/],
    ...['Global Shipping Program', 'eBay International Shipping'].flatMap((program): Case[] => [
      [
        `${program} has a reference`,
        { [program]: 'Yes', 'Global Shipping Reference ID': '5012' },
        'Reference 5012',
        LINE,
      ],
      [
        'that the address has already',
        { [program]: 'Yes', 'Global Shipping Reference ID': '5012', 'Ship To Address 2': 'Ref #5012' },
        'Ref #5012',
        LINE,
      ],
      [
        `${program} without one is refused`,
        { [program]: 'Yes' },
        /^problem: Global Shipping Reference ID is empty, and the centre that forwards the parcel refuses it without/,
      ],
    ]),
  ]);
});

const AMAZON: Export = {
  ...{ shop: 'amazon', key: 'order-id' },
  row: {
    ...{ 'order-id': '', 'order-item-id': '1', 'payments-date': '2026-11-20', currency: 'EUR', sku: 'A' },
    ...{ 'product-name': 'Shirt', 'quantity-purchased': '1', 'item-price': '40.00', 'item-tax': '0' },
    ...{ 'recipient-name': 'Jonas Weber', 'ship-address-1': 'Hauptstr. 7', 'ship-city': 'Dresden' },
    ...{ 'ship-postal-code': '01067', 'ship-country': 'DE', 'ship-phone-number': '0351 5550100' },
    ...{ 'is-ispu-order': 'false', 'fulfilled-by': '', 'payment-method': '', 'cod-collectible-amount': '' },
  },
};

test('Amazon: what is collected in a store, paid at the door or sent by Amazon is left out', async () => {
  const { said } = await becomes(AMAZON, [
    ['an order', { 'cod-collectible-amount': '0.00' }, 'booked'],
    [
      'in a store',
      { 'is-ispu-order': 'true' },
      /^left out: is-ispu-order is "true": the customer collects it/,
    ],
    [
      'at the door',
      { 'payment-method': 'COD' },
      /^left out: payment-method is "COD": it is paid at the door/,
    ],
    [
      'with an amount',
      { 'cod-collectible-amount': '40.00' },
      /^left out: cod-collectible-amount is "40.00": it is paid/,
    ],
    [
      'by Easy Ship',
      { 'fulfilled-by': 'Easy Ship' },
      /^left out: fulfilled-by is "Easy Ship": the marketplace sends it/,
    ],
  ]);
  expect(said).toContain('"103" (cod-collectible-amount is "40.00"');
});

test('Etsy: the report of orders without their items is refused, and the one with them is named', async () => {
  const header =
    'Sale Date,Order ID,Buyer User ID,Full Name,First Name,Last Name,Number of Items,Payment Method,Date Shipped,Street 1,Street 2,Ship City,Ship State,Ship Zipcode,Ship Country,Currency,Order Value,Order Total,Status,SKU';
  const row =
    '11/10/26,3100000001,1,Jonas Weber,Jonas,Weber,2,online_cc,,Hauptstr. 7,,Dresden,,01067,Germany,EUR,40.00,44.90,Paid,A';
  const own = { extends: 'etsy', constants: { 'items[].description': 'Shirt', 'items[].unitPrice': '5' } };
  const british = header.replaceAll('Ship ', 'Delivery ').replace('Date Shipped', 'Date Posted');
  for (const [text, map] of [
    [header, 'etsy'],
    [british, 'etsy'],
    [header, './own.json'],
  ]) {
    const rig = await createRig();
    rig.file('EtsySoldOrders.csv', `${text}\n${row}\n`);
    rig.file('own.json', own);
    const ran = await rig.run(
      `batch ship EtsySoldOrders.csv --map ${map} --carrier EXP --package 1kg@30x20x10 --type package --category sales --json`,
    );
    expect([ran.exitCode, ran.requests]).toEqual([2, []]);
    expect(errorOf(ran).issues).toEqual([
      { path: 'Quantity', message: expect.stringContaining('Download "Order items"') },
    ]);
  }
});

test('Etsy: the words of the United Kingdom are read, and what was posted is left out', async () => {
  const row = {
    ...{ 'Sale Date': '10/11/26', 'Order ID': '', 'Transaction ID': '1', 'Date Paid': '10/11/2026' },
    ...{ 'Item Name': 'Shirt', Quantity: '1', Price: '15.00', Currency: 'GBP', 'Date Posted': '' },
    ...{ 'Delivery Name': 'Jonas Weber', 'Delivery Address1': 'Hauptstr. 7', 'Delivery City': 'Dresden' },
    ...{ 'Delivery Zipcode': '01067', 'Delivery Country': 'Germany', 'Order Delivery': '4.90' },
  };
  const phone = { 'receiver.phone.code': '+49', 'receiver.phone.number': '3515550100' };
  await becomes({ shop: 'etsy', key: 'Order ID', row, constants: phone }, [
    ['an order', {}, 'Dresden', CITY],
    ['one that was posted', { 'Date Posted': '12/11/2026' }, /^left out: Date Posted is not empty/],
  ]);
});

test('A column that no list of the shop has is told once, by its name, where it has a value', async () => {
  const row = { ...SHOPIFY.row, 'Gift Message': '', 'New Column': '' };
  const rig = await shopWith({ ...SHOPIFY, row }, [
    ['', { 'Gift Message': 'Happy birthday' }, ''],
    ['', { 'Gift Message': 'Enjoy', 'Shipping Address1': 'Hauptstr. 8' }, ''],
  ]);
  const ran = await rig.run(`${RUN} --json`);
  expect(ran.stderr.match(/Gift Message/g)).toHaveLength(1);
  expect(ran.stderr).toContain(
    'does not know these columns, which have values, and leaves them out: \\"Gift Message\\"',
  );
  expect(ran.stderr).not.toContain('New Column');
  expect((await rig.run(`${RUN} --strict --json`)).exitCode).toBe(2);
});

test.each(Object.keys(SHOPS))('The code of %s reads no column that its lists do not have', name => {
  const shop = SHOPS[name];
  if (shop === undefined) throw new Error(name);
  const known = new Set(columnsOfShop(shop));
  const asked = new Set<string>();
  const cellsWith = (cell: string, rows: OrderCells['rows'] = []): OrderCells => ({
    rows,
    has: column => Boolean(asked.add(column)),
    text: column => (asked.add(column) ? cell : ''),
    amount: column => (asked.add(column) ? 1 : 0),
  });
  for (const cell of ['', 'Yes', 'Local pickup', 'COD']) shop.facts?.(cellsWith(cell, [cellsWith(cell)]));
  expect([...asked].filter(column => !known.has(column))).toEqual([]);
  // A column has one meaning.
  const titles = [shop.fields, shop.amounts].flatMap(columns => Object.keys(columns));
  const silent = new Set(shop.saysNothing);
  expect([...titles, ...(shop.decides ?? [])].filter(column => silent.has(column))).toEqual([]);
});
