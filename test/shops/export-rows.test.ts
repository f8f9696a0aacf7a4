// Rows of exports that are easily misread: what is booked of them, and for how much, or why not. The orders of a table are one file.
import { expect, test } from 'vitest';
import { getAt } from '../../src/contract/paths.ts';
import { linesIn } from '../rig/batch.ts';
import { createRig, type Ran, type Rig } from '../rig/command.ts';
import { fileOf } from '../rig/exports.ts';
import { shopRig } from '../rig/profile.ts';
import { errorOf, SHIPMENT } from '../rig/service.ts';

const SHIP =
  'batch ship export.csv --map ./shop.json --sender sender.json --carrier EXP --concurrency 1 --json --skip-invalid';
const PACKED = `${SHIP} --package 1kg@30x20x10`;

const CONSTANTS = {
  ...{ 'items[].hsCode': '610910', 'items[].countryOfOrigin': 'TR', type: 'package', category: 'sales' },
  'receiver.email': 'customer@example.com',
};
const PHONE = { 'receiver.phone.code': '+90', 'receiver.phone.number': '2125550101' };

type Row = Record<string, string>;

/**
 * What it says, its rows, which change those of the shop, and what becomes of it: its value, with what is told of it; a problem; or
 * that it is left out. With paths it is what is booked there.
 */
type Case = readonly [says: string, rows: readonly Row[], expected: unknown, ...paths: string[]];

interface Shop {
  name: string;
  /** The column of the key. */
  key: string;
  /** A row that has all columns. */
  row: Row;
  map?: object;
  delimiter?: string;
  /** It has an IOSS number of its own. */
  hasNumber?: boolean;
}

/** The name of a case in the file. None begins with that of another one. */
const keyOf = (at: number) => `9${String(at).padStart(2, '0')}`;

const STREET = 'Hauptstr. 7';

/** No two orders of the file go to one house. */
function fileFrom({ key, row, delimiter = ',' }: Shop, cases: readonly Case[]): string {
  const rows = cases.flatMap(([, changes], at) =>
    changes.map(change =>
      Object.fromEntries(
        Object.entries({ ...row, ...change, [key]: keyOf(at) }).map(([title, cell]) => [
          title,
          cell === STREET ? `${STREET}-${at}` : cell,
        ]),
      ),
    ),
  );
  const header = [...new Set(rows.flatMap(row => Object.keys(row)))];
  return fileOf(header, rows, { delimiter, quotes: delimiter !== '\t' });
}

const IOSS = 'IM0123456789';

async function shipped({ name, map = {}, hasNumber }: Shop, content: string) {
  const rig = await (hasNumber ? shopRig({ iossNumber: IOSS }) : createRig());
  rig.file('export.csv', content);
  rig.file('shop.json', { extends: name, constants: CONSTANTS, ...map });
  rig.file('sender.json', SHIPMENT.sender);
  const ran = await rig.run(PACKED);
  const bodies = bodiesOf(ran);
  return { rig, ran, bodies, values: bodies.map(body => getAt(body, 'customs.totalGoodsValue')) };
}

const bodiesOf = ({ requests }: Ran) =>
  requests.filter(({ path }) => path === '/v1/shipments').map(({ body }): unknown => JSON.parse(body));

/** What a run says, one after the other, without its error. */
const saidIn = (stderr: string): string[] =>
  stderr
    .split('\n')
    .filter(Boolean)
    .flatMap(line => Object.values(JSON.parse(line)))
    .filter(text => typeof text === 'string');

/** Runs the cases as one file. */
async function outcomes(shop: Shop, cases: readonly Case[]) {
  const { rig, ran, bodies } = await shipped(shop, fileFrom(shop, cases));
  return { rig, ran, seen: seenOf(rig, { said: saidIn(ran.stderr), bodies, cases }) };
}

function seenOf(
  rig: Rig,
  { said, bodies, cases }: { said: string[]; bodies: unknown[]; cases: readonly Case[] },
) {
  const lines = linesIn(rig, 'export.results.jsonl');
  const sent = lines.filter(line => line.sent);
  return cases.map(([says, , , ...paths], at) => {
    const warnings = said.filter(text => new RegExp(`(^|[ ("])${keyOf(at)}[^0-9]`).test(text));
    const line = lines.find(({ key }) => key === keyOf(at));
    if (!line) return [says, ['left out', ...warnings].join('; ')];
    if (line.error) {
      const problems = line.error.issues.map(({ path, message }) => `${path} ${message}`);
      return [says, `problem: ${[...problems, ...warnings].join('; ')}`];
    }
    const body = bodies[sent.indexOf(line)];
    if (paths.length > 0) return [says, paths.map(path => getAt(body, path))];
    return [says, [getAt(body, 'customs.totalGoodsValue'), ...warnings].join('; ')];
  });
}

const wanted = (cases: readonly Case[]) =>
  cases.map(([says, , expected]) => [
    says,
    expected instanceof RegExp
      ? expect.stringMatching(expected)
      : typeof expected === 'number'
        ? String(expected)
        : expected,
  ]);

/** A table of orders of one export. Returns the run of it. */
async function becomes(shop: Shop, cases: readonly Case[]) {
  const { seen, ...run } = await outcomes(shop, cases);
  expect(seen).toEqual(wanted(cases));
  return run;
}

const ETSY: Shop = {
  ...{ name: 'etsy', key: 'Order ID', map: { constants: { ...CONSTANTS, ...PHONE } } },
  row: {
    ...{ 'Sale Date': '11/10/26', 'Order ID': '', 'Transaction ID': '1', 'Date Paid': '11/10/2026' },
    ...{ 'Item Name': 'Shirt', Quantity: '1', Price: '151.00', 'Discount Amount': '0.00', Currency: 'EUR' },
    ...{ 'Ship Name': 'Jonas Weber', 'Ship Address1': STREET, 'Ship City': 'Dresden' },
    ...{ 'Ship Zipcode': '01067', 'Ship Country': 'Germany', 'Listings Type': 'listing' },
  },
};
const NOWHERE = {
  ...{ 'Ship Name': '', 'Ship Address1': '', 'Ship City': '', 'Ship Zipcode': '', 'Ship Country': '' },
  'Transaction ID': '2',
};
const NO_ADDRESS: Case = [
  'a row of goods without an address is a problem',
  [{}, { ...NOWHERE, 'Item Name': 'Scarf', Price: '50' }],
  /^problem: Ship Country is empty in row 2 of the order, which has an item; /,
];

test('Rows of Etsy', async () => {
  const { ran } = await becomes(ETSY, [
    [
      'a row without an address that is digital does not ship, and keeps its own discount',
      [{}, { ...NOWHERE, 'Listings Type': 'digital', Price: '20', 'Discount Amount': '1' }],
      151,
    ],
    NO_ADDRESS,
    [
      'it is a problem as well if its order has no other row',
      [NOWHERE],
      /^problem: Ship Country is empty in row 1 /,
    ],
  ]);
  expect(ran.stderr).toContain('the map leaves out 1 item of orders that it keeps');
  // The map takes the name of goods from elsewhere.
  const constants = { ...CONSTANTS, ...PHONE, 'items[].description': 'Goods' };
  await becomes({ ...ETSY, map: { columns: { 'Item Name': '_' }, constants } }, [NO_ADDRESS]);
});

const SHOPIFY: Shop = {
  ...{ name: 'shopify', key: 'Name' },
  row: {
    ...{ Name: '', 'Financial Status': 'paid', 'Fulfillment Status': 'unfulfilled', 'Cancelled at': '' },
    ...{ Currency: 'EUR', Subtotal: '', 'Discount Amount': '0.00', 'Refunded Amount': '0.00' },
    ...{ 'Lineitem quantity': '1', 'Lineitem name': 'Shirt', 'Lineitem price': '12.00' },
    ...{ 'Lineitem requires shipping': 'true', 'Lineitem fulfillment status': 'pending' },
    ...{ 'Shipping Name': 'Jonas Weber', 'Shipping City': 'Dresden', 'Shipping Address1': STREET },
    ...{ 'Shipping Zip': "'01067", 'Shipping Country': 'DE', 'Shipping Phone': '0351 5550100' },
    ...{ 'Billing Name': '', 'Billing Country': '', 'Billing Phone': '', Phone: '' },
  },
};
/** A further line of an order of Shopify: the cells of the order are empty. */
const further = (change: Row): Row => ({
  ...Object.fromEntries(
    Object.keys(SHOPIFY.row).flatMap(title => (title.startsWith('Lineitem') ? [] : [[title, '']])),
  ),
  ...change,
});
const withCap = (status: string) => [
  { 'Lineitem quantity': '3', 'Lineitem fulfillment status': status },
  further({ 'Lineitem name': 'Cap', 'Lineitem price': '5.00' }),
];
const BOOK = further({
  ...{ 'Lineitem name': 'E-book', 'Lineitem price': '20.00', 'Lineitem requires shipping': 'false' },
});
const TWO_SHIRTS = { 'Lineitem quantity': '2', 'Lineitem price': '50.00' };
const UNTOLD_STATUS = /^left out; .*what was paid back or sent of .* the file does not tell/;
const LEFT_OUT: readonly Case[] = [
  ...['partial', 'on_hold'].map(
    (status): Case => [
      `a line that is ${status} is no line to send whole: its order is left out, and named`,
      withCap(status),
      UNTOLD_STATUS,
    ],
  ),
  [
    'an order that says paid, and of which a part was paid back, is left out and named',
    [{ 'Refunded Amount': '4.00' }],
    UNTOLD_STATUS,
  ],
];
const PHONES: readonly Case[] = [
  [
    'a phone number of who pays is read by their country, and not by that of the parcel',
    [{ 'Shipping Phone': '', 'Billing Country': 'AT', 'Billing Phone': '0664 1234567' }],
    [{ code: '+43', number: '6641234567' }, 'DE'],
    ...['receiver.phone', 'receiver.address.country.code'],
  ],
  [
    'a phone number of who pays in a country that cannot be read is a problem',
    [{ 'Shipping Phone': '', 'Billing Country': 'Atlantis', 'Billing Phone': '0664 1234567' }],
    /^problem: .*Billing Phone must begin with the prefix of its country/,
  ],
  [
    'where who pays has no phone number either, that of the customer is read',
    [{ 'Shipping Phone': '', Phone: '+49 351 5550188' }],
    [{ code: '+49', number: '3515550188' }],
    'receiver.phone',
  ],
  [
    'where who pays has one, that of the customer is not',
    [{ 'Shipping Phone': '', 'Billing Phone': '+49 351 5550177', Phone: '+49 351 5550188' }],
    ['3515550177'],
    'receiver.phone.number',
  ],
];

test('Rows of Shopify', async () => {
  const { ran, rig } = await becomes(SHOPIFY, [
    ...LEFT_OUT,
    ...['pending', 'unfulfilled', ''].map(
      (status): Case => [`a line with the status ${status} is sent`, withCap(status), 41],
    ),
    ...['fulfilled', 'restocked'].map(
      (status): Case => [
        `a line that is ${status} is not sent`,
        withCap(status),
        [5, 'Cap', 1],
        ...['customs.totalGoodsValue', 'items[0].description', 'items.length'],
      ],
    ),
    ...PHONES,
    [
      'lines in one cell become one line, with commas, of a street and of what an item is',
      [{ 'Shipping Address1': 'Hauptstr. 7,\r\n c/o Maier\n', 'Lineitem name': 'Shirt\nblue' }],
      ['Hauptstr. 7, c/o Maier', 'Shirt, blue'],
      ...['receiver.address.line1', 'items[0].description'],
    ],
    [
      'the discount of an order has what came off the shipping in it, as the subtotal shows',
      [{ ...TWO_SHIRTS, Subtotal: '110.00', 'Discount Amount': '15.00' }, BOOK],
      91.66,
    ],
    [
      'it is not more than the shop says: where a line was taken out of the subtotal, that is told',
      [{ ...TWO_SHIRTS, Subtotal: '100.00' }, BOOK],
      /^100; .*goods cost 100 EUR, but its lines add up to 120 EUR/,
    ],
    [
      'pieces of a line may be none, and then take no part of the discount',
      [
        { Subtotal: '18.00', 'Discount Amount': '2.00', 'Lineitem quantity': '0', 'Lineitem price': '30' },
        further({ 'Lineitem quantity': '2', 'Lineitem price': '10' }),
      ],
      [18, 1],
      ...['customs.totalGoodsValue', 'items.length'],
    ],
    [
      'pieces of a line are whole',
      [{ 'Lineitem quantity': '1.5' }],
      'problem: items[0].quantity must be a whole number of pieces, not 1.5',
    ],
  ]);
  expect(ran.stderr).toContain('the map leaves out 5 items of orders that it keeps');
  for (const why of ['"partial"', '"on_hold"', 'Refunded Amount is "4.00"'])
    expect(ran.stderr.replaceAll('\\"', '"')).toContain(why);
  const taken = await rig.run(`${PACKED} --include 900 --include 901 --include 902`);
  expect(bodiesOf(taken).map(body => getAt(body, 'customs.totalGoodsValue'))).toEqual([41, 41, 12]);
  expect(taken.stderr).toContain('is taken whole, as --include says');
  // A code that the map has for all is for numbers without a country.
  const constants = { ...CONSTANTS, 'receiver.phone.code': '+90' };
  await becomes({ ...SHOPIFY, map: { constants } }, PHONES.slice(0, 1));
});

const BILLING = {
  ...{ 'First Name (Billing)': 'Eva', 'Last Name (Billing)': 'Huber', 'City (Billing)': 'Wien' },
  ...{ 'Address 1&2 (Billing)': 'Ring 1', 'Postcode (Billing)': '1010', 'Country Code (Billing)': 'AT' },
};
const WOO: Shop = {
  ...{ name: 'woocommerce', key: 'Order Number' },
  row: {
    ...{ 'Order Number': '', 'Order Status': 'Processing', 'Order Currency': 'EUR', 'Item #': '' },
    ...{ 'First Name (Shipping)': 'Jonas', 'Last Name (Shipping)': 'Weber', 'Full Name (Shipping)': '' },
    ...{ 'Address 1&2 (Shipping)': STREET, 'Postcode (Shipping)': '01067' },
    ...{ 'City (Shipping)': 'Dresden', 'Country Code (Shipping)': 'DE', 'Phone (Billing)': '0351 5550100' },
    ...Object.fromEntries(Object.keys(BILLING).map(title => [title, ''])),
    ...{ Name: 'Shirt', 'Item Name': '', Quantity: '1', 'Quantity (- Refund)': '', 'Item Cost': '10.00' },
    ...{ 'Order Line Total': '10.00', 'Order Line Total (- Refund)': '', 'Order Refund Amount': '' },
    ...{ 'Order Subtotal Amount': '', 'Cart Discount Amount': '', 'Shipping Method Title': 'Flat rate' },
  },
};
const NOT_SHIPPED = Object.fromEntries(
  Object.keys(WOO.row).flatMap(title => (title.endsWith('(Shipping)') ? [[title, '']] : [])),
);
/** A line of which something was paid back. */
const back = (sold: string, left: string, paid: string, kept: string, refund: string, name = 'Shirt') => ({
  ...{ Quantity: sold, 'Quantity (- Refund)': left, 'Order Line Total': paid, Name: name },
  ...{ 'Order Line Total (- Refund)': kept, 'Order Refund Amount': refund },
});
const PIECES = {
  ...{ Quantity: '3', 'Quantity (- Refund)': '2', 'Item Cost': '12.50', 'Order Line Total': '' },
  ...{ 'Order Refund Amount': '11.50', 'Cart Discount Amount': '3.00' },
};
/** Two pieces whose price may be before or after a discount. */
const REDUCED = {
  ...{ 'Order Line Total': '', 'Cart Discount Amount': '30.00', 'Item Cost': '85.00', Quantity: '2' },
};
const RUG = { 'Item Cost': '', 'Order Line Total': '50.00' };

test('Rows of WooCommerce', async () => {
  const { ran } = await becomes(WOO, [
    ['a refund of a part of the price', [back('2', '2', '20.00', '15.0', '5')], 15],
    [
      'a refund of two lines',
      [back('3', '2', '33.75', '22.50', '21.25'), back('1', '0', '10', '0.00', '21.25', 'Cap')],
      22.5,
    ],
    ['a refund of nothing, in two ways to write numbers', [back('3', '3.00', '37.50', '37.5', '0.00')], 37.5],
    [
      'a refund of pieces without amounts is told by their price after all discounts',
      [PIECES],
      /^23; .*is taken off Item Cost, which may be after it already/,
    ],
    [
      'with another amount nobody knows of what it is',
      [{ ...PIECES, 'Order Refund Amount': '12.50' }],
      UNTOLD_STATUS,
    ],
    [
      'a refund of which the lines tell nothing is left out, however numbers are written',
      [back('3', '3.00', '37.50', '37.5', '12.51')],
      UNTOLD_STATUS,
    ],
    [
      'a refund of which the lines tell a part',
      [back('2', '1', '20.00', '10.00', '30.00'), back('1', '1', '50.00', '50.00', '30.00', 'Cap')],
      UNTOLD_STATUS,
    ],
    ['a refund of which the lines tell more', [back('2', '1', '20.00', '10.00', '4.00')], UNTOLD_STATUS],
    [
      'a refund of which the lines tell a piece, but no money',
      [back('2', '1', '20.00', '20.00', '10.00')],
      UNTOLD_STATUS,
    ],
    [
      'pieces of a line may be none, and then take no part of the discount',
      [
        { ...PIECES, 'Quantity (- Refund)': '3' },
        { ...PIECES, Quantity: '0', 'Quantity (- Refund)': '0', 'Item Cost': '2.50', Name: 'Cap' },
      ].map(row => ({ ...row, 'Order Refund Amount': '', 'Cart Discount Amount': '4.00' })),
      [33.5, 1],
      ...['customs.totalGoodsValue', 'items.length'],
    ],
    [
      'each row is read for itself where two columns say something of a line',
      [{}, { Name: '', 'Item Name': 'Cap' }],
      ['Shirt', 'Cap'],
      ...['items[0].description', 'items[1].description'],
    ],
    [
      'a whole name is read where neither part of it is given',
      [
        {
          ...{ 'Full Name (Shipping)': 'Anna Beispiel' },
          ...{ 'First Name (Shipping)': '', 'Last Name (Shipping)': '' },
        },
      ],
      ['Anna', 'Beispiel'],
      ...['receiver.firstName', 'receiver.lastName'],
    ],
    [
      'it is not read where both are given',
      [{ 'Full Name (Shipping)': 'Anna Beispiel' }],
      ['Jonas', 'Weber'],
      ...['receiver.firstName', 'receiver.lastName'],
    ],
    [
      'it is not read where one of them is given',
      [{ 'Full Name (Shipping)': 'Anna Beispiel', 'First Name (Shipping)': '' }],
      /^problem: receiver.firstName is required/,
    ],
    [
      'a phone number of who pays is read by their country',
      [{ 'Country Code (Billing)': 'AT', 'Phone (Billing)': '0664 1234567' }],
      [{ code: '+43', number: '6641234567' }, 'DE'],
      ...['receiver.phone', 'receiver.address.country.code'],
    ],
    ...['Local pickup', 'Abholung vor Ort', 'Mağazadan teslim'].map(
      (method): Case => [
        `an order that is collected (${method}) is left out`,
        [{ 'Shipping Method Title': method }],
        'left out',
      ],
    ),
    [
      'a shipping address of a country alone is none: the parcel goes to who pays, whole',
      [
        {
          ...{ ...BILLING, ...NOT_SHIPPED, 'Country Code (Shipping)': 'DE' },
          ...{ 'Postcode (Shipping)': '01067', 'Phone (Billing)': '0664 1234567' },
        },
      ],
      ['Eva', '+43', { line1: 'Ring 1', city: 'Wien', zipCode: '1010', country: { code: 'AT' } }],
      ...['receiver.firstName', 'receiver.phone.code', 'receiver.address'],
    ],
    [
      'a shipping address with a street is one: what it lacks is not taken from another address',
      [
        {
          ...{ ...BILLING, ...NOT_SHIPPED },
          ...{ 'Country Code (Shipping)': 'DE', 'Address 1&2 (Shipping)': STREET },
        },
      ],
      /^problem: .*receiver.address.city is required/,
    ],
    [
      'the price of a piece is after the discount if the sum before it shows that',
      [{ ...REDUCED, 'Order Subtotal Amount': '200.00' }],
      170,
    ],
    [
      'it is before the discount if that sum shows that',
      [{ ...REDUCED, 'Order Subtotal Amount': '170.00' }],
      140,
    ],
    [
      'it may be rounded',
      [{ ...REDUCED, 'Order Subtotal Amount': '100.00', 'Item Cost': '23.33', Quantity: '3' }],
      69.99,
    ],
    [
      'it is told to be unclear if no sum shows it',
      [REDUCED],
      /^140; .*the discount of the order is taken off Item Cost, which may be after it already/,
    ],
    [
      'it is told not to fit if the sum shows neither',
      [{ ...REDUCED, 'Order Subtotal Amount': '300.00' }],
      /^140; .*goods cost 270 EUR, but its lines add up to 140 EUR/,
    ],
    [
      'it says nothing beside a total that was paid',
      [{ ...REDUCED, 'Order Line Total': '170.00', 'Order Subtotal Amount': '200.00' }],
      170,
    ],
    [
      'a sum of the shop that is no sum of what is declared is told',
      [{ ...RUG, 'Order Subtotal Amount': '80.00', 'Cart Discount Amount': '0.00' }],
      /^50; .*goods cost 80 EUR, but its lines add up to 50 EUR after discounts; 50 EUR is declared/,
    ],
    [
      'a sum before a discount is one',
      [{ ...RUG, 'Order Subtotal Amount': '55.00', 'Cart Discount Amount': '5.00' }],
      50,
    ],
    ['a sum without a discount is one', [{ ...RUG, 'Order Subtotal Amount': '50.00' }], 50],
    [
      'a sum without the tax that the line has is one',
      [{ ...RUG, 'Order Subtotal Amount': '42.02', 'Cart Discount Amount': '0.00' }],
      50,
    ],
  ]);
  for (const why of [
    'Order Refund Amount is "12.51", and no line tells of what',
    'Order Refund Amount is "30.00", and its lines add up to 10',
    'Order Refund Amount is "4.00", and its lines add up to 10',
    'Order Refund Amount is "10.00", and no line tells of what',
  ])
    expect(ran.stderr.replaceAll('\\"', '"')).toContain(why);
  const taxed = await shipped(
    { ...WOO, map: { taxIncluded: '20%' } },
    fileFrom(WOO, [['a rate that the map takes off prices without tax is told', [{}], 8.33]]),
  );
  expect(taxed.values).toEqual([8.33]);
  expect(taxed.ran.stderr).toContain('prices that the export of this shop has without tax');
});

const AMAZON: Shop = {
  ...{ name: 'amazon', key: 'order-id', delimiter: '\t' },
  row: {
    ...{ 'order-id': '', 'order-item-id': '1', 'payments-date': '2026-11-20', currency: 'EUR' },
    ...{ 'buyer-email': 'relay@example.com', 'ship-phone-number': '0351 5550100', sku: 'A' },
    ...{ 'product-name': 'Shirt', 'quantity-purchased': '1', 'item-price': '40.00', 'item-tax': '0' },
    ...{ 'item-promotion-discount': '0', 'recipient-name': 'Jonas Weber', 'ship-address-1': STREET },
    ...{ 'ship-city': 'Dresden', 'ship-postal-code': '01067', 'ship-country': 'DE' },
    ...{ 'is-buyer-requested-cancellation': 'false', 'ioss-number': '', 'is-business-order': '' },
    ...{ 'buyer-company-name': '', 'delivery-Instructions': '' },
  },
};
/** A row for a promotion of the line with this id. */
const promotion = (id: string, off: string, from: Row = {}) => ({
  ...Object.fromEntries(Object.keys(AMAZON.row).map(title => [title, ''])),
  ...{ ...from, 'order-item-id': id, 'item-promotion-discount': off },
  ...{ 'product-name': '', sku: '', 'quantity-purchased': '', 'item-price': '' },
});
const CAP = { 'order-item-id': '2', 'product-name': 'Cap', 'item-price': '10.00' };
const CANCELLED = { ...CAP, 'is-buyer-requested-cancellation': 'true' };
const taxed = (tax: string, off: string, currency = 'EUR') => [
  { 'item-price': '23.80', 'item-tax': tax, 'item-promotion-discount': off, currency },
];
/** Texts that a CSV would take for quoted cells, of an order each. */
const QUOTED = [
  ['"Abbey Road" record', '"leave it with the neighbour'],
  ['"Abbey Road record', ''],
  ['Vinyl single 7" black', ''],
  ['Vinyl single 12"', 'ring at "Rossi"'],
] as const;

test('Rows of Amazon', async () => {
  const { ran } = await becomes(AMAZON, [
    ...QUOTED.map(
      ([title, instructions], at): Case => [
        `a text with a quote takes no other order with it: ${title}`,
        [{ 'product-name': title, 'delivery-Instructions': instructions, 'item-price': `${at + 1}0` }],
        [title, (at + 1) * 10],
        ...['items[0].description', 'customs.totalGoodsValue'],
      ],
    ),
    [
      'a line without a name is a problem: it was neither in the parcel nor in its value',
      [{}, { 'order-item-id': '2', 'product-name': '', 'item-price': '30.00' }],
      /^problem: product-name is empty in row 2 of the order, which has an item/,
    ],
    ['a promotion belongs to the line with its id', [{}, CANCELLED, promotion('1', '5.00')], 35],
    ['a promotion of a line that does not ship', [{}, CANCELLED, promotion('2', '5.00')], 40],
    ['a promotion in front of its line', [promotion('1', '5.00', AMAZON.row), {}], 35],
    ['two promotions', [{}, CAP, promotion('1', '5'), promotion('2', '1'), promotion('1', '2')], 42],
    ['a promotion without an id is of the line before it', [{}, CAP, promotion('', '1')], 49],
    [
      'a promotion of no such line is a problem',
      [{}, promotion('7', '5.00')],
      /^problem: .*has a discount in row 2 of the order, and no line that it belongs to/,
    ],
    ['a tax of the price: some of it is in the discount', taxed('3.80', '2.38'), 18],
    ['a tax of what is left after the discount', taxed('3.42', '-2.38'), 18],
    ['a tax of another rate than any', taxed('3.00', '0'), 20.8],
    ['a tax that is 0', taxed('0.00', '2.38'), 21.42],
    ['a tax beside a price that has none, in a currency of such prices', taxed('3.80', '0', 'USD'), 23.8],
    [
      'a tax that fits neither is told with both values, of which the smaller one is declared',
      taxed('3.00', '2.38'),
      /^18.42; .*18\.42 EUR, or 18\.72 EUR/,
    ],
    ['a tax that is empty is told', taxed('', '2.38'), /^21.42; .*the tax of a line is empty/],
    ['a tax that is empty is not told where prices have none', taxed('', '2.38', 'USD'), 21.42],
    [
      'an order of a company gets no number of the marketplace, also where the export has one',
      [{ 'ioss-number': 'IM4420001201', 'is-business-order': 'true' }],
      [undefined],
      'customs.iossNumber',
    ],
    [
      'a company of the buyer is told where Amazon says that no company bought',
      [{ 'ioss-number': 'IM4420001201', 'is-business-order': 'false', 'buyer-company-name': 'Ek AB' }],
      ['IM4420001201', undefined],
      ...['customs.iossNumber', 'receiver.companyName'],
    ],
  ]);
  expect(ran.stderr).toContain('customs.iossNumber: bought by a company (1)');
  expect(ran.stderr).toContain('the order has a company name');
  const constants = { ...CONSTANTS, 'customs.iossNumber': 'IM3720000224' };
  const company = { 'is-business-order': 'false', 'buyer-company-name': 'Ek AB' };
  await becomes({ ...AMAZON, map: { business: { 'buyer-company-name': ['*'] }, constants } }, [
    [
      'the map can leave the number out of an order of a company, its own one, too',
      [{ 'ioss-number': 'IM4420001201', ...company }],
      [undefined],
      'customs.iossNumber',
    ],
    ['a number of the map', [{}], ['IM3720000224'], 'customs.iossNumber'],
  ]);
});

test('A report of Amazon may have commas', async () => {
  await becomes({ ...AMAZON, delimiter: ',' }, [
    ['two lines', [{}, { ...CAP, 'product-name': 'Cap, "red"' }], 50],
  ]);
});

test('A label or a tracking asks only for keys: neither goods nor columns of a product table stop it, with --strict too', async () => {
  const { rig } = await becomes(AMAZON, [['with a promotion', [{}, promotion('', '5.00')], 35]]);
  const table = { file: 'products.csv', by: 'sku', key: 'SKU', columns: { Grams: 'packages[0].weight' } };
  rig.file('products.csv', 'SKU,Grams\nA,200\n');
  rig.file('shop.json', { extends: 'amazon', lookup: table, transform: { Grams: 'g' } });
  for (const command of ['label', 'track']) {
    const asked = await rig.run(`batch ${command} export.csv --map ./shop.json --strict`);
    expect([asked.exitCode, asked.stderr]).toEqual([0, expect.not.stringContaining('does not have')]);
  }
});

const EBAY: Shop = {
  ...{ name: 'ebay', key: 'Order Number' },
  row: {
    ...{ 'Order Number': '', 'Paid On Date': 'Nov-26-26', 'Sale Date': 'Nov-26-26', 'Item Title': 'Cap' },
    ...{ 'Ship To Name': 'Urs Keller', 'Ship To Phone': '+41 44 555 01 00', 'Ship To City': 'Bern' },
    ...{ 'Ship To Address 1': STREET, 'Ship To Zip': '3011', 'Ship To Country': 'Switzerland' },
    ...{ Quantity: '1', 'Sold For': 'EUR 20,00', 'Total Price': '', 'Shipping And Handling': '' },
    ...{ 'Transaction ID': '1', 'eBay Reference Value': '' },
  },
};
const NO_RECEIVER = Object.fromEntries(
  Object.keys(EBAY.row).flatMap(title => (title.startsWith('Ship To') ? [[title, '']] : [])),
);
/** The row of an order above those of its items. */
const parent = (pieces: string) => [
  { 'Item Title': '', Quantity: pieces, 'Sold For': '', 'Transaction ID': '' },
  NO_RECEIVER,
  { ...NO_RECEIVER, 'Item Title': 'Rug', Quantity: '2', 'Transaction ID': '2' },
];
const LONDON = {
  ...{ 'Ship To City': 'London', 'Ship To Zip': 'SW1A 1AA', 'Ship To Country': 'United Kingdom' },
  ...{ 'Sold For': '£10.00', 'Total Price': '£10.00', 'Shipping And Handling': '£0.00' },
};
const totalled = (shipping: string, total: string) => [
  {
    ...{ Quantity: '2', 'Sold For': 'EUR 60,00', 'Total Price': `EUR ${total}` },
    'Shipping And Handling': shipping && `EUR ${shipping}`,
  },
];
const UNREAD = /^10; .*the customs number of the file is neither/;

test('Rows of eBay', async () => {
  await becomes(EBAY, [
    [
      'a row that counts other pieces than its items have is a problem, with both counts',
      parent('5'),
      /^problem: Quantity is 5 in row 1 of the order, but its items have 3/,
    ],
    [
      'a customs number is read',
      [{ ...LONDON, 'eBay Reference Value': 'GB 365 6085 76 Code:Paid' }],
      ['GB365608576'],
      'customs.marketplaceNumber',
    ],
    ['one of too many digits is told', [{ ...LONDON, 'eBay Reference Value': 'GB 365 6085 761' }], UNREAD],
    ['one without its country is told', [{ ...LONDON, 'eBay Reference Value': '365 6085 76' }], UNREAD],
    ['it is not told where none would hold', [{ 'eBay Reference Value': 'VOEC 2022147' }], 20],
    [
      'a total that is no sum of what is declared is told',
      totalled('5,00', '65,00'),
      /^120; .*goods cost 60 EUR, but its lines add up to 120 EUR after discounts; 120 EUR is declared/,
    ],
    ['so is a total of 0', totalled('5,00', '0,00'), /^120; .*goods cost 0 EUR, but its lines/],
    ['a total with the shipping is one', totalled('5,00', '125,00'), 120],
    ['a total without a shipping is one', totalled('', '125,00'), 120],
    ['a total with a tax that eBay collects is one', totalled('5,00', '149,99'), 120],
  ]);
});

test('A sum of eBay in the United Kingdom, whose headers are all known', async () => {
  const row = {
    ...{ 'Sales record number': '7', 'Order number': '', 'Paid on date': '26-Nov-26', Quantity: '1' },
    ...{ 'Buyer county': 'Kent', 'Post to county': 'Kent', 'Post by date': '28-Nov-26', 'Item title': 'Cap' },
    ...{ 'Post to name': 'Emma Smith', 'Post to phone': '020 7946 0018', 'Post to city': 'London' },
    ...{ 'Post to address 1': '12 High St', 'Post to postcode': 'SW1A 1AA', 'Post to country': 'GB' },
    ...{ 'Sold for': '£10.00', 'Postage and packaging': '£5.00', 'Total price': '£12.00' },
    'Delivery service': 'Other Courier',
  };
  const { ran } = await becomes({ ...EBAY, key: 'Order number', row }, [
    ['it is told', [{}], /^10; .*goods cost 7 GBP, but its lines add up to 10 GBP after discounts/],
  ]);
  expect(ran.stderr).not.toContain('leaves out columns');
});

/** What two pieces weigh by a product table, or what is wrong with it. */
async function weighed(cells: readonly string[], more: { unit?: string; decimal?: string } = {}) {
  const { unit = 'g', ...map } = more;
  const cases = cells.map((cell, at): Case => [cell, [{ Quantity: '2', SKU: `P${at}` }], undefined, WEIGHT]);
  const rig = await createRig();
  rig.file('export.csv', fileFrom({ ...ETSY, row: { ...ETSY.row, SKU: '' } }, cases));
  rig.file('p.csv', `SKU;Weight\n${cells.map((cell, at) => `P${at};${cell}\n`).join('')}`);
  rig.file('shop.json', {
    extends: 'etsy',
    lookup: { file: 'p.csv', by: 'SKU', key: 'SKU', columns: { Weight: WEIGHT } },
    transform: { Weight: unit },
    constants: {
      ...{ ...CONSTANTS, ...PHONE, 'packages[0].dimensions.length': '30' },
      ...{ 'packages[0].dimensions.width': '20', 'packages[0].dimensions.height': '10' },
    },
    ...map,
  });
  rig.file('sender.json', SHIPMENT.sender);
  const ran = await rig.run(SHIP);
  const seen = seenOf(rig, { said: [], bodies: bodiesOf(ran), cases }).map(([, outcome]) => outcome);
  return { seen, stderr: ran.stderr };
}
const WEIGHT = 'packages[0].weight';

test('A weight of a product table in a small unit that may be two is a problem, as an amount is, and the map may say which', async () => {
  const { seen, stderr } = await weighed(['1.500', '1.500 mm', '1500', '1500.5', '1.8', '18']);
  expect(seen).toEqual([
    expect.stringMatching(/^problem: Weight of P0 in p.csv may be 1500 or 1.500 g; .*"decimal"/),
    expect.stringMatching(/^problem: .*must be a number of g/),
    ...[[3], [3.001], [0.0036], [0.036]],
  ]);
  // Below the weight of a letter.
  expect(stderr).toContain('its parcel weighs 0.0036 kg by p.csv');
  expect(stderr).not.toContain('its parcel weighs 0.036 kg');
  expect((await weighed(['150.500'], { decimal: '.' })).seen).toEqual([[0.301]]);
  // Of kilograms no parcel has a thousand.
  expect((await weighed(['1.500'], { unit: 'kg' })).seen).toEqual([[3]]);
});

/** A coat for 170 EUR, and 5 EUR for its shipping. */
const COAT: Shop = {
  ...{ name: 'shopify', key: 'Name', hasNumber: true },
  row: {
    ...{ Name: '', Email: 'kaisa@example.com', 'Financial Status': 'paid', Currency: 'EUR' },
    ...{ Subtotal: '170.00', Shipping: '5.00', Taxes: '35.00', Total: '210.00', 'Discount Amount': '0.00' },
    ...{ 'Lineitem quantity': '1', 'Lineitem name': 'Coat', 'Lineitem price': '170.00' },
    ...{ 'Lineitem requires shipping': 'true', 'Billing Name': '', 'Billing Company': '' },
    ...{ 'Shipping Name': 'Kaisa Berg', 'Shipping Address1': STREET, 'Shipping Company': '' },
    ...{ 'Shipping City': 'Stockholm', 'Shipping Zip': "'111 22", 'Shipping Country': 'SE' },
    ...{ 'Shipping Phone': '+46 8 555 0100', 'receiver.address.nationalShortAddress': '' },
  },
};
/** An order for this amount, whose prices contain this tax. */
const containing = (Taxes: string, price = '170.00', more: Row = {}) => ({
  ...{ Taxes, Subtotal: price, 'Lineitem price': price, Shipping: '0.00', Total: price },
  ...more,
});
const ON_TOP: Case = ['a tax that comes on top of prices stays', [{}], 170];
const SAUDI = {
  ...{ 'Shipping Country': 'SA', 'Shipping Zip': '11564', 'Shipping Phone': '+966 11 555 0100' },
};
/** Within the limit of an IOSS number. */
const CHEAP = { Subtotal: '130.00', 'Lineitem price': '130.00', Taxes: '0.00', Total: '135.00' };
const NAMED = { ...CHEAP, 'Billing Name': 'Kaisa Berg', 'Billing Company': 'Berg AB' };
const WRONG = { 'Lineitem price': '180.00' };

test('What a shop is told of the orders that it books', async () => {
  const { ran } = await becomes(COAT, [
    ON_TOP,
    [
      'a tax that its prices contain is told, with the amount',
      [containing('27.94')],
      /^170; .*170 EUR with 27\.94 EUR of tax.*such as "taxIncluded": "20%"/,
    ],
    [
      'a parcel to a company gets the number of the shop',
      [{ ...CHEAP, 'Shipping Company': 'Ek AB' }],
      [IOSS],
      'customs.iossNumber',
    ],
    [
      'that is told',
      [{ ...CHEAP, 'Shipping Company': 'Berg AB' }],
      /^130; .*customs\.iossNumber says that a private buyer/,
    ],
    ['a company that pays is not put on the parcel', [NAMED], [undefined], 'receiver.companyName'],
    ['it is told, too', [NAMED], /^130; .*customs\.iossNumber says that a private buyer/],
    [
      'of a sum that does not fit it is told what is declared',
      [WRONG],
      /^170; .*goods cost 170 EUR, but its lines add up to 180 EUR/,
    ],
    [
      'nothing is said to be declared of an order that is a problem',
      [WRONG, WRONG],
      /^problem: (?!.*declared).* twice/,
    ],
    [
      'the short address that Saudi Arabia needs is a column of its name',
      [SAUDI],
      /^problem: .*in a column of this name/,
    ],
    ['with it, it is booked', [{ ...SAUDI, 'receiver.address.nationalShortAddress': 'RRRD2929' }], 170],
  ]);
  for (const column of ['Shipping Company', 'Billing Company'])
    expect(ran.stderr.replaceAll('\\"', '"')).toContain(`"${column}": ["*"]`);
});

test('The tax that prices contain is taken off at the rate of the map', async () => {
  await becomes({ ...COAT, map: { taxIncluded: '25%' } }, [
    ON_TOP,
    ['the rate of the map takes it off', [containing('34.00')], 136],
  ]);
  const OTHER = 'the file tells another tax of the order than "taxIncluded" of the map takes off';
  await becomes({ ...COAT, map: { taxIncluded: '20%' } }, [
    ['an order of which the file tells 0 keeps its price', [containing('0.00', '120.00')], 120],
    ['so does none of another tax', [containing('20.00', '120.00')], 100],
    ['nor one of which it tells nothing', [containing('', '120.00')], 100],
    [
      'a tax that the rate does not give is told with both amounts',
      [containing('19.00', '119.00')],
      new RegExp(`^99\\.17; .*19 EUR in the file, 19\\.83 EUR by the rate.*${OTHER}`),
    ],
    [
      'so is one that is more',
      [containing('27.00', '127.00')],
      /^105\.83; .*27 EUR in the file, 21\.17 EUR by/,
    ],
    [
      'two cents less is told',
      [containing('19.98', '120.00')],
      /^100; .*19\.98 EUR in the file, 20 EUR by the rate/,
    ],
    ['one cent of rounding is not', [containing('19.99', '120.00')], 100],
    [
      'it may be without that of a gift card, and with that of the shipping',
      [
        {
          ...containing('21.00', '170.00', { 'Lineitem price': '120.00' }),
          ...{ Shipping: '6.00', Total: '176.00' },
        },
        {
          ...Object.fromEntries(Object.keys(COAT.row).map(title => [title, ''])),
          ...{ 'Lineitem quantity': '1', 'Lineitem name': 'Gift card', 'Lineitem price': '50.00' },
          'Lineitem requires shipping': 'false',
        },
      ],
      100,
    ],
  ]);
});

test('A company in the columns of who pays', async () => {
  const row = { ...WOO.row, ...BILLING, ...NOT_SHIPPED, 'Company (Billing)': 'Huber GmbH' };
  const billed: Shop = { ...WOO, hasNumber: true, row };
  const there = {
    ...{ 'First Name (Shipping)': 'Eva', 'Last Name (Shipping)': 'Huber', 'City (Shipping)': 'Wien' },
    ...{ 'Address 1&2 (Shipping)': 'Ring 1', 'Postcode (Shipping)': '1010', 'Country Code (Shipping)': 'AT' },
  };
  const COMPANY = 'receiver.companyName';
  const cases: readonly Case[] = [
    ['has the number of the shop', [{}], [IOSS], 'customs.iossNumber'],
    ['is on a parcel to the same address', [{ ...there, Name: 'Cap' }], ['Huber GmbH'], COMPANY],
    ['is not on a parcel to another one', [{ ...there, 'City (Shipping)': 'Graz' }], [undefined], COMPANY],
    ['is told of that', [{ ...there, 'City (Shipping)': 'Linz' }], /^10; .*a private buyer/],
    ['is not told of a parcel to somebody else', [{ ...there, 'First Name (Shipping)': 'Mia' }], 10],
  ];
  const { ran, rig } = await becomes(billed, cases);
  expect(ran.stderr).toContain('\\"business\\": {\\"Company (Billing)\\": [\\"*\\"]}');
  // The map that the warning asks for.
  await becomes({ ...billed, map: { business: { 'Company (Billing)': ['*'] } } }, [
    ['has no number then', [{}], [undefined], 'customs.iossNumber'],
  ]);
  const business = { 'Company (Shipping)': ['*'] };
  rig.file('shop.json', { extends: 'woocommerce', constants: CONSTANTS, business });
  const refused = await rig.run(PACKED);
  expect([refused.exitCode, refused.requests]).toEqual([2, []]);
  expect(refused.stderr).toContain('\\"Company (Shipping)\\", which export.csv does not have');
});

test('An order that was taken with --include is not told as cancelled the next day', async () => {
  const orders = (status: string) =>
    fileFrom(COAT, [['with a status', [{ 'Financial Status': status }], undefined]]);
  const { rig } = await shipped(COAT, orders('partially_refunded'));
  expect((await rig.run(`${PACKED} --include 900`)).exitCode).toBe(0);
  expect((await rig.run(PACKED)).stderr).not.toContain('booked already');
  // Something was paid back since.
  rig.file('export.csv', orders('refunded'));
  expect((await rig.run(PACKED)).stderr).toMatch(/are booked already: .*900.* you took with --include/);
});

test('A file of which no column is known to give prices is refused once, with its headers', async () => {
  const text = fileFrom(COAT, [
    ['', [{}], undefined],
    ['', [{}], undefined],
  ]).replace('Lineitem price', 'Birim satış fiyatı');
  const { ran } = await shipped(COAT, text.replace('Lineitem name', 'Ürün'));
  expect(ran.exitCode).toBe(2);
  expect(errorOf(ran).message).toMatch(/does not read: Ürün, Birim satış fiyatı/);
  expect(
    errorOf(ran)
      .issues.map(({ path }) => path)
      .sort(),
  ).toEqual(['items[].description', 'items[].unitPrice']);
});

test('A run without --label shows the labels of the run before in its results', async () => {
  const { rig } = await shipped(COAT, fileFrom(COAT, [ON_TOP]));
  await rig.run(`${PACKED} --label --download labels`);
  const labels = () =>
    linesIn(rig, 'export.results.jsonl').map(({ trackingNumber, labelFile }) => [trackingNumber, labelFile]);
  const before = labels();
  expect(before).toEqual([[expect.stringMatching(/\w/), expect.stringContaining('900')]]);
  expect((await rig.run(PACKED)).requests).toEqual([]);
  expect(labels()).toEqual(before);
});
