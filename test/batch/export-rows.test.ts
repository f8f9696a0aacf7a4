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
    ...{ rig, ran, bodies, keys },
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

const SHOPIFY = {
  ...{ Name: '#901', 'Financial Status': 'paid', 'Fulfillment Status': 'unfulfilled', 'Cancelled at': '' },
  ...{ Currency: 'EUR', Subtotal: '', 'Discount Amount': '0.00', 'Lineitem quantity': '1' },
  ...{ 'Lineitem name': 'Shirt', 'Lineitem price': '12.00', 'Lineitem requires shipping': 'true' },
  ...{ 'Lineitem fulfillment status': 'pending', 'Shipping Name': 'Jonas Weber', 'Shipping City': 'Dresden' },
  ...{ 'Shipping Address1': 'Hauptstr. 7', 'Shipping Zip': "'01067", 'Shipping Country': 'DE' },
  ...{ 'Shipping Phone': '', 'Billing Name': '', 'Billing Country': '', 'Billing Phone': '', Phone: '' },
};
/** A further line of an order of Shopify. */
const FURTHER = {
  ...Object.fromEntries(
    Object.keys(SHOPIFY).flatMap(title => (title.startsWith('Lineitem') ? [] : [[title, '']])),
  ),
  Name: '#901',
};
const OWN_PHONE = { 'Shipping Phone': '0351 5550100' };

const WOO = {
  ...{ 'Order Number': '901', 'Order Status': 'Processing', 'Order Currency': 'EUR', 'Item #': '' },
  ...{ 'First Name (Shipping)': 'Jonas', 'Last Name (Shipping)': 'Weber', 'City (Shipping)': 'Dresden' },
  ...{ 'Address 1&2 (Shipping)': 'Hauptstr. 7', 'Postcode (Shipping)': '01067' },
  ...{ 'Country Code (Shipping)': 'DE', 'Phone (Billing)': '0351 5550100', Name: 'Shirt', Quantity: '1' },
  ...{ 'Item Cost': '10.00', 'Order Line Total': '10.00' },
};

describe('A phone number of who pays', () => {
  test.each([
    ['shopify', rowsOf(SHOPIFY, [{ 'Billing Country': 'AT', 'Billing Phone': '0664 1234567' }])],
    ['woocommerce', rowsOf(WOO, [{ 'Country Code (Billing)': 'AT', 'Phone (Billing)': '0664 1234567' }])],
  ])('is read by their country, and not by that of the parcel: %s', async (name, text) => {
    const { ran, bodies } = await shipped(name, text);
    expect([ran.exitCode, bodies[0]?.receiver]).toMatchObject([
      0,
      { phone: { code: '+43', number: '6641234567' }, address: { country: { code: 'DE' } } },
    ]);
    // A code that the map has for all is for numbers without a country.
    const map = { constants: { ...CONSTANTS, 'receiver.phone.code': '+90' } };
    expect((await shipped(name, text, map)).bodies[0]?.receiver.phone.code).toBe('+43');
  });

  test('of a country that cannot be read is a problem, and no number of the country of the parcel', async () => {
    const text = rowsOf(SHOPIFY, [{ 'Billing Country': 'Atlantis', 'Billing Phone': '0664 1234567' }]);
    const { ran, problems } = await shipped('shopify', text);
    expect([ran.exitCode, ran.requests]).toEqual([2, []]);
    expect(problems.join('\n')).toContain('Billing Phone must begin with the prefix of its country');
  });
});

describe('A line of Shopify', () => {
  const two = (status: string) =>
    rowsOf({ ...SHOPIFY, ...OWN_PHONE }, [
      { 'Lineitem quantity': '3', 'Lineitem fulfillment status': status },
      { ...FURTHER, 'Lineitem name': 'Cap', 'Lineitem price': '5.00', 'Shipping Phone': '' },
      { Name: '#902' },
    ]);

  test.each(['pending', 'unfulfilled', ''])('with the status %j is sent', async status => {
    const { keys, values } = await shipped('shopify', two(status));
    expect([keys, values]).toEqual([
      ['#901', '#902'],
      [41, 12],
    ]);
  });

  test.each(['fulfilled', 'restocked'])('that is %s is not sent', async status => {
    const { bodies, values, ran } = await shipped('shopify', two(status));
    expect([bodies[0]?.items.map(({ description }) => description), values]).toEqual([['Cap'], [5, 12]]);
    expect(ran.stderr).toContain('the map leaves out 1 item of orders that it keeps');
  });

  test.each(['partial', 'on_hold'])(
    'that is %s is no line to send whole: its order is left out, and named',
    async status => {
      const { keys, ran } = await shipped('shopify', two(status));
      expect([ran.exitCode, keys]).toEqual([0, ['#902']]);
      expect(ran.stderr).toContain(
        `Lineitem fulfillment status is \\"${status}\\", which does not tell what is left to send (1)`,
      );
      expect(ran.stderr).toContain('what was paid back or sent of \\"#901\\" the file does not tell');
      const taken = await shipped('shopify', two(status), {}, '--include 901');
      expect([taken.keys, taken.values]).toEqual([
        ['#901', '#902'],
        [41, 12],
      ]);
      expect(taken.ran.stderr).toContain('is taken whole, as --include says, although Lineitem fulfillment');
    },
  );
});

test('An order of Shopify that says paid, and of which a part was paid back, is left out and named', async () => {
  const header = { ...SHOPIFY, Phone: '+49 351 5550188', 'Refunded Amount': '0.00' };
  const text = rowsOf(header, [
    { 'Refunded Amount': '4.00', 'Shipping Address1': 'Ring 2' },
    { Name: '#902' },
  ]);
  const { ran, keys } = await shipped('shopify', text);
  expect([ran.exitCode, keys]).toEqual([0, ['#902']]);
  expect(ran.stderr).toContain('Refunded Amount is \\"4.00\\", and no line tells of what');
  expect(ran.stderr).toContain('what was paid back or sent of \\"#901\\" the file does not tell');
  const whole = await shipped('shopify', text, {}, '--include #901');
  expect([whole.ran.exitCode, whole.keys]).toEqual([0, ['#901', '#902']]);
});

describe('A refund of WooCommerce', () => {
  const back = (...rows: Record<string, string>[]) =>
    rowsOf(
      { ...WOO, 'Quantity (- Refund)': '', 'Order Line Total (- Refund)': '', 'Order Refund Amount': '' },
      [...rows, { 'Order Number': '999' }],
    );
  const line = (sold: string, left: string, paid: string, kept: string, refund: string, name = 'Shirt') => ({
    ...{ Quantity: sold, 'Quantity (- Refund)': left, 'Order Line Total': paid, Name: name },
    ...{ 'Order Line Total (- Refund)': kept, 'Order Refund Amount': refund },
  });

  test.each([
    ['of one piece', [line('3', '2', '37.50', '25', '12.50')], 25],
    ['of a part of the price', [line('2', '2', '20.00', '15.0', '5')], 15],
    [
      'of two lines',
      [line('3', '2', '33.75', '22.50', '21.25'), line('1', '0', '10', '0.00', '21.25', 'Cap')],
      22.5,
    ],
    ['of nothing, as numbers are written in two ways', [line('3', '3.00', '37.50', '37.5', '0.00')], 37.5],
  ])('%s that its lines tell comes off', async (_, rows, value) => {
    const { ran, values } = await shipped('woocommerce', back(...rows));
    expect([ran.exitCode, values]).toEqual([0, [value, 10]]);
  });

  test('of pieces that have no amounts of their own is told by their price after all discounts', async () => {
    const refunded = {
      ...{ Quantity: '3', 'Quantity (- Refund)': '2', 'Item Cost': '12.50', 'Order Line Total': '' },
      ...{ 'Order Refund Amount': '11.50', 'Cart Discount Amount': '3.00' },
    };
    const text = rowsOf({ ...WOO, 'Order Line Total': '', 'Cart Discount Amount': '' }, [refunded]);
    expect((await shipped('woocommerce', text)).values).toEqual([23]);
    const other = rowsOf(WOO, [{ ...refunded, 'Order Refund Amount': '12.50' }]);
    expect((await shipped('woocommerce', other)).values).toEqual([]);
  });

  test.each([
    [
      'none of it, however numbers are written',
      [line('3', '3.00', '37.50', '37.5', '12.50')],
      '"12.50", and no line tells of what',
    ],
    [
      'a part of it',
      [line('2', '1', '20.00', '10.00', '30.00'), line('1', '1', '50.00', '50.00', '30.00', 'Cap')],
      '"30.00", and its lines add up to 10',
    ],
    ['more than it', [line('2', '1', '20.00', '10.00', '4.00')], '"4.00", and its lines add up to 10'],
    [
      'a piece, but no money',
      [line('2', '1', '20.00', '20.00', '10.00')],
      '"10.00", and no line tells of what',
    ],
  ])('of which the lines tell %s is left out, and named', async (_, rows, why) => {
    const { ran, keys } = await shipped('woocommerce', back(...rows));
    expect([ran.exitCode, keys]).toEqual([0, ['999']]);
    expect(ran.stderr.replaceAll('\\"', '"')).toContain(`Order Refund Amount is ${why}`);
    expect(ran.stderr).toContain('what was paid back or sent of \\"901\\" the file does not tell');
  });
});

const AMAZON = {
  ...{ 'order-id': '303-901', 'order-item-id': '1', 'payments-date': '2026-11-20', currency: 'EUR' },
  ...{ 'buyer-email': 'relay@example.com', 'ship-phone-number': '0351 5550100', sku: 'A' },
  ...{ 'product-name': 'Shirt', 'quantity-purchased': '1', 'item-price': '40.00', 'item-tax': '0' },
  ...{ 'item-promotion-discount': '0', 'recipient-name': 'Jonas Weber', 'ship-address-1': 'Hauptstr. 7' },
  ...{ 'ship-city': 'Dresden', 'ship-postal-code': '01067', 'ship-country': 'DE' },
  'is-buyer-requested-cancellation': 'false',
};
const TABS = { delimiter: '\t', quotes: false };

test('A text of Amazon that begins with a quote takes no other order with it', async () => {
  const order = (id: string, name: string, last: string) => ({
    ...{ 'order-id': id, 'product-name': name, 'recipient-name': `Jonas ${id}`, 'item-price': `${id}0` },
    'delivery-Instructions': last,
  });
  const rows = [
    order('1', '"Abbey Road" record', '"leave it with the neighbour'),
    order('2', '"Abbey Road record', ''),
    order('3', 'Vinyl single 7" black', ''),
    order('4', 'Vinyl single 12"', 'ring at "Rossi"'),
  ];
  const { bodies, keys, values } = await shipped('amazon', rowsOf(AMAZON, rows, TABS));
  expect(keys).toEqual(['1', '2', '3', '4']);
  expect(values).toEqual([10, 20, 30, 40]);
  expect(bodies.map(({ receiver, items }) => [receiver.lastName, items[0]?.description])).toEqual(
    rows.map(row => [row['order-id'], row['product-name']]),
  );
});

test('A line of Amazon without a name is a problem: it was neither in the parcel nor in its value', async () => {
  const nameless = { 'order-item-id': '2', 'product-name': '', 'item-price': '30.00' };
  const { ran, problems } = await shipped('amazon', rowsOf(AMAZON, [{}, nameless], TABS));
  expect([ran.exitCode, ran.requests]).toEqual([2, []]);
  expect(problems[0]).toContain('line 2: product-name is empty in row 2 of the order, which has an item');
});

describe('A row of Amazon for a promotion', () => {
  const promotion = (id: string, off: string, from: Record<string, string> = {}) => ({
    ...Object.fromEntries(Object.keys(AMAZON).map(title => [title, ''])),
    ...{ ...from, 'order-id': '303-901', 'order-item-id': id, 'item-promotion-discount': off },
    ...{ 'product-name': '', sku: '', 'quantity-purchased': '', 'item-price': '' },
  });
  const text = (...rows: Record<string, string>[]) => rowsOf(AMAZON, rows, TABS);
  const CAP = { 'order-item-id': '2', 'product-name': 'Cap', 'item-price': '10.00' };
  const CANCELLED = { ...CAP, 'is-buyer-requested-cancellation': 'true' };

  test.each([
    ['behind another line', [{}, CANCELLED, promotion('1', '5.00')], [35]],
    ['of a line that does not ship', [{}, CANCELLED, promotion('2', '5.00')], [40]],
    ['in front of its line', [promotion('1', '5.00', AMAZON), {}], [35]],
    [
      'of which there are two',
      [{}, CAP, promotion('1', '5'), promotion('2', '1'), promotion('1', '2')],
      [42],
    ],
    ['without an id is of the line before it', [{}, CAP, promotion('', '1')], [49]],
  ])('belongs to the line with its id: %s', async (_, rows, values) => {
    const shop = await shipped('amazon', text(...rows));
    expect([shop.ran.exitCode, shop.values]).toEqual([0, values]);
  });

  test('is a problem if there is no such line', async () => {
    const { ran, problems } = await shipped('amazon', text({}, promotion('7', '5.00')));
    expect([ran.exitCode, ran.requests]).toEqual([2, []]);
    expect(problems).toEqual(['line 2 has a discount in row 2 of the order, and no line that it belongs to']);
  });
});

describe('A tax of Amazon', () => {
  const taxed = (tax: string, off: string, price = '23.80', currency = 'EUR') =>
    shipped(
      'amazon',
      rowsOf(
        AMAZON,
        [{ 'item-price': price, 'item-tax': tax, 'item-promotion-discount': off, currency }],
        TABS,
      ),
    );

  test.each([
    ['of the price: some of it is in the discount', '3.80', '2.38', 18],
    ['of what is left after the discount', '3.42', '-2.38', 18],
    ['without a discount', '3.80', '0', 20],
    ['of another rate than any', '3.00', '0', 20.8],
    ['that is 0', '0.00', '2.38', 21.42],
  ])('%s', async (_, tax, off, value) => {
    const { ran, values } = await taxed(tax, off);
    expect([ran.exitCode, values]).toEqual([0, [value]]);
    expect(ran.stderr).not.toContain('warning');
  });

  test('that fits neither is told with both values, of which the smaller one is declared', async () => {
    const { ran, values } = await taxed('3.00', '2.38');
    expect(values).toEqual([18.42]);
    expect(ran.stderr).toContain('18.42 EUR, or 18.72 EUR');
  });

  test('that is empty is told, but where prices have none', async () => {
    const { ran, values } = await taxed('', '2.38');
    expect(values).toEqual([21.42]);
    expect(ran.stderr).toContain('the tax of a line is empty');
    const american = await taxed('', '2.38', '23.80', 'USD');
    expect([american.values, american.ran.stderr]).toEqual([[21.42], expect.not.stringContaining('warning')]);
  });
});

describe('Of columns of a shop that mean the same', () => {
  test('the first that is not empty is read: the phone of the customer, where who pays has none', async () => {
    const none = await shipped('shopify', rowsOf(SHOPIFY, [{ Phone: '+49 351 5550188' }]));
    expect(none.bodies[0]?.receiver.phone).toEqual({ code: '+49', number: '3515550188' });
    const both = { 'Billing Phone': '+49 351 5550177', Phone: '+49 351 5550188' };
    const some = await shipped('shopify', rowsOf(SHOPIFY, [both]));
    expect(some.bodies[0]?.receiver.phone.number).toBe('3515550177');
  });

  test('each row is read for itself where they say something of a line', async () => {
    const text = rowsOf({ ...WOO, 'Item Name': '' }, [{}, { Name: '', 'Item Name': 'Cap' }]);
    const { bodies } = await shipped('woocommerce', text);
    expect(bodies[0]?.items.map(({ description }) => description)).toEqual(['Shirt', 'Cap']);
  });

  test('a whole name is read only where neither part of it is given', async () => {
    const text = (first: string, last: string) =>
      rowsOf({ ...WOO, 'Full Name (Shipping)': 'Anna Beispiel' }, [
        { 'First Name (Shipping)': first, 'Last Name (Shipping)': last },
      ]);
    const nameOf = async (first: string, last: string) =>
      (await shipped('woocommerce', text(first, last))).bodies[0]?.receiver;
    expect(await nameOf('', '')).toMatchObject({ firstName: 'Anna', lastName: 'Beispiel' });
    expect(await nameOf('Jonas', 'Weber')).toMatchObject({ firstName: 'Jonas', lastName: 'Weber' });
    expect((await shipped('woocommerce', text('', 'Weber'))).problems[0]).toContain(
      'receiver.firstName is required',
    );
  });
});

test('Lines in one cell become one line, with commas, of a street and of what an item is', async () => {
  const row = { 'Shipping Address1': 'Hauptstr. 7,\r\n c/o Maier\n', 'Lineitem name': 'Shirt\nblue' };
  const header = { ...SHOPIFY, Phone: '+49 351 5550188' };
  const { ran, bodies } = await shipped('shopify', rowsOf(header, [row]));
  expect([ran.exitCode, bodies[0]?.receiver.address.line1, bodies[0]?.items[0]?.description]).toEqual([
    0,
    'Hauptstr. 7, c/o Maier',
    'Shirt, blue',
  ]);
});

describe('A weight of a product table', () => {
  const weighed = async (grams: string, more: { unit?: string; map?: object } = {}) => {
    const { unit = 'g', map } = more;
    const rig = await createRig();
    rig.file('export.csv', rowsOf({ ...ETSY, SKU: 'A' }, [{ Quantity: '2' }]));
    rig.file('p.csv', `SKU;Weight\nA;${grams}\n`);
    rig.file('shop.json', {
      extends: 'etsy',
      lookup: { file: 'p.csv', by: 'SKU', key: 'SKU', columns: { Weight: 'packages[0].weight' } },
      transform: { Weight: unit },
      constants: {
        ...{ ...CONSTANTS, ...PHONE, 'packages[0].dimensions.length': '30' },
        ...{ 'packages[0].dimensions.width': '20', 'packages[0].dimensions.height': '10' },
      },
      ...map,
    });
    rig.file('sender.json', SHIPMENT.sender);
    const ran = await rig.run(SHIP.replace(' --package', ''));
    const [body] = ran.requests.filter(({ path }) => path === '/v1/shipments');
    return ran.exitCode === 0
      ? { kg: JSON.parse(String(body?.body)).packages[0].weight, stderr: ran.stderr }
      : issuesOf(ran);
  };

  test('in a small unit that may be two is a problem, as an amount is, and the map may say which', async () => {
    expect(await weighed('1.500')).toEqual([
      'line 2: Weight of A in p.csv may be 1500 or 1.500 g; write 1500 for a thousand, or say "decimal" in the map, not "1.500" (the map transforms it: g)',
    ]);
    expect(await weighed('1.500 mm', { unit: 'g' })).toEqual([
      expect.stringContaining('must be a number of g'),
    ]);
    expect(await weighed('1500')).toMatchObject({ kg: 3 });
    expect(await weighed('1500.5')).toMatchObject({ kg: 3.001 });
    expect(await weighed('150.500', { map: { decimal: '.' } })).toMatchObject({ kg: 0.301 });
    // Of kilograms no parcel has a thousand.
    expect(await weighed('1.500', { unit: 'kg' })).toMatchObject({ kg: 3 });
  });

  test('below that of a letter is told', async () => {
    const light = await weighed('1.8');
    expect(light).toMatchObject({
      kg: 0.0036,
      stderr: expect.stringContaining('its parcel weighs 0.0036 kg by p.csv'),
    });
    expect(await weighed('18')).toMatchObject({
      kg: 0.036,
      stderr: expect.not.stringContaining('its parcel weighs'),
    });
  });
});

describe('The discount of an order of Shopify', () => {
  const order = { ...SHOPIFY, ...OWN_PHONE, 'Lineitem quantity': '2', 'Lineitem price': '50.00' };
  const book = {
    ...{ ...FURTHER, 'Shipping Phone': '', 'Lineitem name': 'E-book', 'Lineitem price': '20.00' },
    ...{ 'Lineitem requires shipping': 'false', 'Lineitem quantity': '1' },
  };

  test('has what came off the shipping in it, as the subtotal shows', async () => {
    const off = { Subtotal: '110.00', 'Discount Amount': '15.00' };
    const { ran, values } = await shipped('shopify', rowsOf(order, [off, book]));
    expect([ran.exitCode, values]).toEqual([0, [91.66]]);
    expect(ran.stderr).not.toContain('add up to');
  });

  test('is not more than the shop says: where a line was taken out of the subtotal, that is told', async () => {
    const off = { Subtotal: '100.00', 'Discount Amount': '0.00' };
    const { ran, values } = await shipped('shopify', rowsOf(order, [off, book]));
    expect(values).toEqual([100]);
    expect(ran.stderr).toContain(
      'the shop says that its goods cost 100 EUR, but its lines add up to 120 EUR',
    );
  });
});

describe('The pieces of a line', () => {
  test.each([
    [
      'shopify',
      rowsOf({ ...SHOPIFY, ...OWN_PHONE }, [
        { Subtotal: '18.00', 'Discount Amount': '2.00', 'Lineitem quantity': '0', 'Lineitem price': '30' },
        { ...FURTHER, 'Shipping Phone': '', 'Lineitem quantity': '2', 'Lineitem price': '10' },
      ]),
      18,
    ],
    [
      'woocommerce',
      rowsOf({ ...WOO, 'Order Line Total': '', 'Cart Discount Amount': '4.00', 'Quantity (- Refund)': '' }, [
        { Quantity: '3', 'Quantity (- Refund)': '3', 'Item Cost': '12.50' },
        { Quantity: '0', 'Quantity (- Refund)': '0', 'Item Cost': '2.50', Name: 'Cap' },
      ]),
      33.5,
    ],
  ])('may be none, and then take no part of the discount: %s', async (name, text, value) => {
    const { ran, bodies, values } = await shipped(name, text);
    expect([ran.exitCode, values, bodies[0]?.items.length]).toEqual([0, [value], 1]);
  });

  test('are whole', async () => {
    const text = rowsOf({ ...SHOPIFY, ...OWN_PHONE }, [{ 'Lineitem quantity': '1.5' }]);
    const { ran, problems } = await shipped('shopify', text);
    expect([ran.exitCode, ran.requests]).toEqual([2, []]);
    expect(problems).toEqual(['line 2: items[0].quantity must be a whole number of pieces, not 1.5']);
  });
});

test('An order of a company gets no number of the marketplace, also where the export has one, and that is told', async () => {
  const { ran, bodies } = await shipped(
    'amazon',
    rowsOf(AMAZON, [{ 'ioss-number': 'IM4420001201', 'is-business-order': 'true' }], TABS),
  );
  expect([ran.exitCode, bodies[0]?.customs.iossNumber]).toEqual([0, undefined]);
  expect(ran.stderr).toContain('customs.iossNumber: bought by a company (1)');
});

test('A row of eBay that counts other pieces than its items have is a problem, with both counts', async () => {
  const order = { 'Order Number': '14-1', 'Paid On Date': 'Nov-26-26', 'Sale Date': 'Nov-26-26' };
  const parent = {
    ...{ 'Ship To Name': 'Urs Keller', 'Ship To Phone': '+41 44 555 01 00', 'Ship To City': 'Bern' },
    ...{ 'Ship To Address 1': 'Marktgasse 1', 'Ship To Zip': '3011', 'Ship To Country': 'Switzerland' },
  };
  const item = { 'Item Title': 'Cap', Quantity: '1', 'Sold For': 'EUR 20,00', 'Transaction ID': '1' };
  const items = [item, { ...item, 'Item Title': 'Rug', Quantity: '2', 'Transaction ID': '2' }];
  const booked = (Quantity: string) => shipped('ebay', rowsOf(order, [{ ...parent, Quantity }, ...items]));
  expect((await booked('5')).problems).toEqual([
    'line 2: Quantity is 5 in row 1 of the order, but its items have 3; export the file again, or correct what is wrong',
  ]);
  expect((await booked('3')).values).toEqual([60]);
});

test.each([
  ['London', 'SW1A 1AA', 'United Kingdom', 'GB 365 6085 76 Code:Paid', 'GB365608576', false],
  ['London', 'SW1A 1AA', 'United Kingdom', 'GB 365 6085 761', undefined, true],
  ['London', 'SW1A 1AA', 'United Kingdom', '365 6085 76', undefined, true],
  ['Bern', '3011', 'Switzerland', 'VOEC 2022147', undefined, false],
])('A customs number of eBay that cannot be read is told where one would hold: %s', async (...given) => {
  const [city, zip, country, number, expected, isTold] = given;
  const row = {
    ...{ 'Order Number': '14-1', 'Paid On Date': 'Nov-26-26', 'Item Title': 'Cap', Quantity: '1' },
    ...{ 'Ship To Name': 'Emma Smith', 'Ship To Phone': '+44 20 7946 0018', 'Ship To City': city },
    ...{ 'Ship To Address 1': 'Marktgasse 1', 'Ship To Zip': zip, 'Ship To Country': country },
    ...{ 'Sold For': '£10.00', 'Total Price': '£10.00', 'Shipping And Handling': '£0.00' },
    'eBay Reference Value': number,
  };
  const { ran, bodies } = await shipped('ebay', rowsOf(row, [{}]));
  expect([ran.exitCode, bodies[0]?.customs.marketplaceNumber]).toEqual([0, expected]);
  const told = `line 2, 14-1 ${number}: the customs number of the file is neither`;
  expect(ran.stderr.includes(told)).toBe(isTold);
});

describe('A sum of the shop that is no sum of what is declared', () => {
  const DOUBT = 'the shop says that its goods cost';

  test.each([
    ['60', '5,00', '65,00', '60 EUR, but its lines add up to 120 EUR'],
    ['60', '5,00', '0,00', '0 EUR, but its lines add up to 120 EUR'],
    ['60', '5,00', '125,00', undefined],
    ['60', '', '125,00', undefined],
    // With a tax that eBay collects.
    ['60', '5,00', '149,99', undefined],
  ])('of eBay: pieces of %s, with %s for the shipping of %s', async (each, shipping, total, told) => {
    const row = {
      ...{ 'Order Number': '14-1', 'Paid On Date': 'Nov-26-26', 'Item Title': 'Cap', Quantity: '2' },
      ...{ 'Ship To Name': 'Urs Keller', 'Ship To Phone': '+41 44 555 01 00', 'Ship To City': 'Bern' },
      ...{ 'Ship To Address 1': 'Marktgasse 1', 'Ship To Zip': '3011', 'Ship To Country': 'Switzerland' },
      ...{ 'Sold For': `EUR ${each},00`, 'Total Price': `EUR ${total}` },
      'Shipping And Handling': shipping && `EUR ${shipping}`,
    };
    const { ran, values } = await shipped('ebay', rowsOf(row, [{}]));
    expect(values).toEqual([120]);
    if (told === undefined) expect(ran.stderr).not.toContain(DOUBT);
    else expect(ran.stderr).toContain(`${DOUBT} ${told} after discounts; 120 EUR is declared`);
  });

  test('of eBay in the United Kingdom, whose headers are all known', async () => {
    const row = {
      ...{ 'Sales record number': '7', 'Order number': '14-2', 'Paid on date': '26-Nov-26', Quantity: '1' },
      ...{
        'Buyer county': 'Kent',
        'Post to county': 'Kent',
        'Post by date': '28-Nov-26',
        'Item title': 'Cap',
      },
      ...{ 'Post to name': 'Emma Smith', 'Post to phone': '020 7946 0018', 'Post to city': 'London' },
      ...{ 'Post to address 1': '12 High St', 'Post to postcode': 'SW1A 1AA', 'Post to country': 'GB' },
      ...{ 'Sold for': '£10.00', 'Postage and packaging': '£5.00', 'Total price': '£12.00' },
      'Delivery service': 'Other Courier',
    };
    const { ran } = await shipped('ebay', rowsOf(row, [{}]));
    expect(ran.stderr).toContain(`${DOUBT} 7 GBP, but its lines add up to 10 GBP after discounts`);
    expect(ran.stderr).not.toContain('leaves out columns');
  });

  test.each([
    ['80.00', '0.00', '80 EUR, but its lines add up to 50 EUR'],
    ['55.00', '5.00', undefined],
    ['50.00', '', undefined],
    // Without the tax that the line has.
    ['42.02', '0.00', undefined],
  ])('of WooCommerce: goods of %s with a discount of %s', async (goods, discount, told) => {
    const row = {
      ...{ 'Order Number': '4501', 'Order Status': 'processing', 'Order Currency': 'EUR', Name: 'Rug' },
      ...{ 'First Name (Billing)': 'Marie', 'Last Name (Billing)': 'Dubois', 'City (Billing)': 'Paris' },
      ...{ 'Address 1&2 (Billing)': '1 rue de la Paix', 'Postcode (Billing)': '75002', Quantity: '1' },
      ...{ 'Country Code (Billing)': 'FR', 'Phone (Billing)': '01 55 50 10 00', 'Order Line Total': '50.00' },
      ...{ 'Order Subtotal Amount': goods, 'Cart Discount Amount': discount },
    };
    const { ran, values } = await shipped('woocommerce', rowsOf(row, [{}]));
    expect(values).toEqual([50]);
    if (told === undefined) expect(ran.stderr).not.toContain(DOUBT);
    else expect(ran.stderr).toContain(`${DOUBT} ${told} after discounts; 50 EUR is declared`);
  });
});

test('A company of the buyer is told where Amazon says that no company bought, and the map can leave the number out', async () => {
  const row = { 'ioss-number': 'IM4420001201', 'is-business-order': 'false', 'buyer-company-name': 'Ek AB' };
  const { ran, bodies } = await shipped('amazon', rowsOf(AMAZON, [row], TABS));
  expect(bodies[0]?.customs.iossNumber).toBe('IM4420001201');
  expect(bodies[0]?.receiver.companyName).toBeUndefined();
  expect(ran.stderr).toContain('the order has a company name');
  const map = { business: { 'buyer-company-name': ['*'] } };
  const without = await shipped('amazon', rowsOf(AMAZON, [row], TABS), map);
  expect(without.bodies[0]?.customs.iossNumber).toBeUndefined();
});

test('A label or a tracking asks only for keys: neither goods nor columns of a product table stop it, with --strict too', async () => {
  const promotion = Object.fromEntries(Object.keys(AMAZON).map(title => [title, '']));
  const rows = [{}, { ...promotion, ...{ 'order-id': '303-901', 'item-promotion-discount': '5.00' } }];
  const table = { file: 'products.csv', by: 'sku', key: 'SKU', columns: { Grams: 'packages[0].weight' } };
  const { rig, ran } = await shipped('amazon', rowsOf(AMAZON, rows, TABS));
  expect(ran.exitCode).toBe(0);
  rig.file('products.csv', 'SKU,Grams\nA,200\n');
  rig.file('shop.json', { extends: 'amazon', lookup: table, transform: { Grams: 'g' } });
  for (const command of ['label', 'track']) {
    const asked = await rig.run(`batch ${command} export.csv --map ./shop.json --strict`);
    expect([asked.exitCode, asked.stderr]).toEqual([0, expect.not.stringContaining('does not have')]);
  }
});

describe('A report of Amazon', () => {
  const rows = [{}, { 'order-item-id': '2', 'product-name': 'Cap, "red"', 'item-price': '10.00' }];

  test('may have commas', async () => {
    const { ran, bodies, values } = await shipped('amazon', rowsOf(AMAZON, rows));
    expect([ran.exitCode, values, bodies[0]?.items[1]?.description]).toEqual([0, [50], 'Cap, "red"']);
  });

  test.each(['utf16le', 'utf16be'])('may be in %s without a mark', async encoding => {
    const bytes = Buffer.from(rowsOf(AMAZON, rows, TABS), 'utf16le');
    const { ran, values } = await shipped('amazon', encoding === 'utf16be' ? bytes.swap16() : bytes);
    expect([ran.exitCode, values]).toEqual([0, [50]]);
  });
});

describe('The price of a piece of WooCommerce', () => {
  const order = {
    ...{ ...WOO, 'Order Line Total': '', 'Order Subtotal Amount': '', 'Cart Discount Amount': '30.00' },
    ...{ 'Item Cost': '85.00', Quantity: '2' },
  };
  const UNTOLD = 'the discount of the order is taken off Item Cost, which may be after it already';
  const DOUBT = 'the shop says that its goods cost';

  test.each([
    ['is after the discount if the sum before it shows that', { 'Order Subtotal Amount': '200.00' }, 170],
    ['is before it if that sum shows that', { 'Order Subtotal Amount': '170.00' }, 140],
    [
      'may be rounded',
      { 'Order Subtotal Amount': '100.00', 'Item Cost': '23.33', Quantity: '3' },
      69.99,
      { without: [UNTOLD, DOUBT] },
    ],
    ['is told to be unclear if no sum shows it', {}, 140, { with: [UNTOLD] }],
    [
      'is told not to fit if the sum shows neither',
      { 'Order Subtotal Amount': '300.00' },
      140,
      { with: [`${DOUBT} 270 EUR, but its lines add up to 140 EUR`] },
    ],
    [
      'says nothing beside a total that was paid',
      { 'Order Line Total': '170.00', 'Order Subtotal Amount': '200.00' },
      170,
    ],
  ])('%s', async (_, row, value, told: { with?: string[]; without?: string[] } = {}) => {
    const { ran, values } = await shipped('woocommerce', rowsOf(order, [row]));
    expect([ran.exitCode, values]).toEqual([0, [value]]);
    for (const text of told.with ?? []) expect(ran.stderr).toContain(text);
    for (const text of told.without ?? (told.with ? [] : [UNTOLD, DOUBT]))
      expect(ran.stderr).not.toContain(text);
  });
});

test('The prices of WooCommerce are without tax: a rate that the map takes off them is told', async () => {
  const map = { constants: CONSTANTS, taxIncluded: '20%' };
  const { ran, values } = await shipped('woocommerce', rowsOf(WOO, [{}]), map);
  expect([ran.exitCode, values]).toEqual([0, [8.33]]);
  expect(ran.stderr).toContain('prices that the export of this shop has without tax');
});

test.each(['Local pickup', 'Abholung vor Ort', 'Mağazadan teslim'])(
  'An order of WooCommerce that is collected (%s) is left out, and named',
  async method => {
    const header = { ...WOO, 'Shipping Method Title': 'Flat rate' };
    const text = rowsOf(header, [{}, { 'Order Number': '902', 'Shipping Method Title': method }]);
    const { ran, keys } = await shipped('woocommerce', text);
    expect([ran.exitCode, keys]).toEqual([0, ['901']]);
    expect(ran.stderr).toContain('leaves out 1');
  },
);

describe('A shipping address of a country alone', () => {
  const BILLING = {
    ...{ 'First Name (Billing)': 'Eva', 'Last Name (Billing)': 'Huber', 'City (Billing)': 'Wien' },
    ...{ 'Address 1&2 (Billing)': 'Ring 1', 'Postcode (Billing)': '1010', 'Country Code (Billing)': 'AT' },
  };
  const none = Object.fromEntries(
    Object.keys(WOO).flatMap(title => (title.endsWith('(Shipping)') ? [[title, '']] : [])),
  );

  test('is none: the parcel goes to who pays, whole', async () => {
    const text = rowsOf({ ...WOO, ...BILLING, ...none }, [
      { 'Country Code (Shipping)': 'DE', 'Postcode (Shipping)': '01067', 'Phone (Billing)': '0664 1234567' },
    ]);
    const { ran, bodies } = await shipped('woocommerce', text);
    expect([ran.exitCode, bodies[0]?.receiver]).toMatchObject([
      0,
      {
        ...{ firstName: 'Eva', phone: { code: '+43' } },
        address: { line1: 'Ring 1', city: 'Wien', zipCode: '1010', country: { code: 'AT' } },
      },
    ]);
  });

  test('is one with a street: what it lacks is not taken from another address', async () => {
    const text = rowsOf({ ...WOO, ...BILLING, ...none }, [
      { 'Country Code (Shipping)': 'DE', 'Address 1&2 (Shipping)': 'Hauptstr. 7' },
    ]);
    expect((await shipped('woocommerce', text)).problems).toContain(
      'line 2: receiver.address.city is required',
    );
  });
});

test.each([
  ['Korea, South', 'KR'],
  ['Ireland, Republic of', 'IE'],
  ['Republic of Ireland', 'IE'],
  ['Croatia, Republic of', 'HR'],
  // As WooCommerce writes it.
  ['United Kingdom (UK)', 'GB'],
])('The country may be written as %s', async (country, code) => {
  const text = rowsOf(ETSY, [{ 'Ship Country': country }]);
  const { ran, bodies } = await shipped('etsy', text, { constants: { ...CONSTANTS, ...PHONE } });
  expect([ran.exitCode, bodies[0]?.receiver.address.country]).toEqual([0, { code }]);
});
