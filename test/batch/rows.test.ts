// The rows of an order that is in a file more than once, or not where its shop put them.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { issuesOf, linesIn } from '../rig/batch.ts';
import { createRig, type Ran, type Rig } from '../rig/command.ts';
import { errorOf, SHIPMENT } from '../rig/service.ts';

const CONSTANTS = {
  ...{ 'items[].hsCode': '610910', 'items[].countryOfOrigin': 'TR', type: 'package', category: 'sales' },
  ...{ 'receiver.email': 'a@b.example', 'receiver.phone.code': '+49', 'receiver.phone.number': '3515550100' },
  'customs.currency': 'EUR',
};

/** A folder with an export, and a map that extends that of the shop. */
async function shop(name: string, text: string): Promise<Rig> {
  const rig = await createRig();
  rig.file('export.csv', text);
  rig.file('S.json', { extends: name, constants: CONSTANTS });
  rig.file('sender.json', SHIPMENT.sender);
  return rig;
}

const SHIP = (file = 'export.csv') =>
  `batch ship ${file} --map ./S.json --package 1kg@30x20x10cm --sender sender.json --carrier EXP --concurrency 1 --json`;

/** What is in each parcel that was booked, as pieces and goods, and its value. */
const booked = ({ requests }: Ran): string[] =>
  requests
    .filter(({ path }) => path === '/v1/shipments')
    .map(({ body }) => {
      const { items, customs } = JSON.parse(body);
      const goods = items.map((item: { quantity: number; description: string }) =>
        [item.quantity, item.description].join(' '),
      );
      return `${goods.join(' + ')} = ${customs.totalGoodsValue}`;
    });

const rowsIn = (rig: Rig, name: string) =>
  readFileSync(join(rig.folder, name), 'utf8').trimEnd().split(/\r?\n/);

const SHOPIFY =
  'Name,Financial Status,Fulfillment Status,Currency,Subtotal,Discount Amount,Lineitem quantity,Lineitem name,Lineitem price,Lineitem requires shipping,Lineitem fulfillment status,Shipping Name,Shipping Address1,Shipping City,Shipping Zip,Shipping Country,Shipping Phone,Email,Cancelled at\n';
const address = (house: number) =>
  `Jonas Weber,Hauptstr. ${house},Dresden,'01067,DE,0351 5550100,a@b.example`;
const row = (key: string, goods: string, worth: string, house = 7, cancelled = '') =>
  `${key},paid,unfulfilled,EUR,${worth},0.00,${goods},true,pending,${address(house)},${cancelled}\n`;
const more = (key: string, goods: string) => `${key},,,,,,${goods},true,pending,,,,,,,,\n`;

const SHIRTS = row('#951', '2,Shirt,10.00', '25.00');
const OTHER = row('#952', '1,Shirt,13.00', '13.00', 9);
const CAP = more('#951', '1,Cap,5.00');

describe('An order of which a row stands elsewhere', () => {
  test('is not booked by halves: all of its rows are in the file of --failed, and what is booked from there is whole', async () => {
    const rig = await shop('shopify', SHOPIFY + SHIRTS + OTHER + CAP);
    const refused = await rig.run(SHIP());
    expect([refused.exitCode, refused.requests]).toEqual([2, []]);
    expect(issuesOf(refused)).toEqual([
      expect.stringMatching(/^line 2: Name is on lines 2 and 4: .* must stand together.* unsorted/),
    ]);
    const skipped = await rig.run(`${SHIP()} --skip-invalid --failed fix.csv`);
    expect([skipped.exitCode, booked(skipped)]).toEqual([9, ['1 Shirt = 13']]);
    const [, ...failed] = rowsIn(rig, 'fix.csv');
    expect(failed.map(line => line.slice(line.indexOf(',rec_') + 38).slice(0, 40))).toEqual([
      SHIRTS.slice(0, 40),
      CAP.slice(0, 40).trim(),
    ]);
    const mended = await rig.run(SHIP('fix.csv'));
    expect([mended.exitCode, booked(mended)]).toEqual([0, ['2 Shirt + 1 Cap = 25']]);
    const again = await rig.run(SHIP());
    expect([again.exitCode, booked(again)]).toEqual([0, []]);
    expect(linesIn(rig, 'export.results.jsonl').find(({ key }) => key === '#951')).toMatchObject({
      state: 'created',
      mended: true,
    });
  });

  test('and is cancelled there, is not booked from the file of --failed as it stands', async () => {
    const text = SHOPIFY + SHIRTS + OTHER + row('#951', '2,Shirt,10.00', '25.00', 7, '2026-11-20');
    const rig = await shop('shopify', text);
    const skipped = await rig.run(`${SHIP()} --skip-invalid --failed fix.csv`);
    expect([skipped.exitCode, booked(skipped)]).toEqual([9, ['1 Shirt = 13']]);
    expect(rowsIn(rig, 'fix.csv')).toHaveLength(3);
    const unedited = await rig.run(SHIP('fix.csv'));
    expect([unedited.exitCode, unedited.requests]).toEqual([2, []]);
    expect(issuesOf(unedited)).toEqual([
      expect.stringMatching(/^line 2: Financial Status stands on lines 2 and 3: it is in the file twice/),
    ]);
    expect((await rig.run(SHIP())).exitCode).toBe(2);
  });

  test('and is refunded there by a status, is a problem also where its rows stand together', async () => {
    const head =
      'Order Number,Order Status,Order Currency,Full Name (Shipping),Address 1 (Shipping),City (Shipping),Postcode (Shipping),Country Code (Shipping),Name,Quantity,Item Cost\n';
    const woo = (status: string, goods: string) =>
      `77,${status},EUR,Jonas Weber,Hauptstr. 7,Dresden,01067,DE,${goods}\n`;
    const rig = await shop(
      'woocommerce',
      head + woo('Processing', 'Shirt,1,5') + woo('Cancelled', 'Cap,1,5'),
    );
    const ran = await rig.run(SHIP());
    expect([ran.exitCode, ran.requests]).toEqual([2, []]);
    expect(issuesOf(ran)[0]).toContain(
      'line 2: Order Status is "Processing" in one row of the order, and "Cancelled" in another',
    );
  });

  test('is a problem, and not left out, also where all of its rows are cancelled', async () => {
    const cancelled = row('#951', '2,Shirt,10.00', '25.00', 7, '2026-11-20');
    const rig = await shop('shopify', SHOPIFY + cancelled + OTHER + CAP);
    const ran = await rig.run(SHIP());
    expect([ran.exitCode, ran.requests, issuesOf(ran)]).toEqual([
      ...[2, []],
      [expect.stringMatching(/^line 2: Name is on lines 2 and 4/)],
    ]);
  });
});

test('A large file that was sorted is refused whole, also with --skip-invalid, so that memory does not grow with it', async () => {
  const rows = Array.from({ length: 240 }, (_, at) =>
    row(`#${at}`, `2,${'Shirt '.repeat(3000)},10.00`, '20.00', at),
  ).join('');
  const rig = await shop('shopify', SHOPIFY + rows + rows);
  const ran = await rig.run(`${SHIP()} --skip-invalid --failed fix.csv`);
  expect([ran.exitCode, ran.requests, existsSync(join(rig.folder, 'fix.csv'))]).toEqual([2, [], false]);
  expect(errorOf(ran).message).toMatch(/the rows of \d+ orders do not stand together; nothing was sent/);
});

test('An order of JSON that the map keeps in one record and leaves out in another is not booked', async () => {
  const rig = await createRig();
  const record = { ...SHIPMENT, key: 'A', state: 'open' };
  const map = { columns: { state: '_' }, skip: { state: ['cancelled'] } };
  rig.file('map.json', map);
  for (const states of [
    ['open', 'cancelled'],
    ['cancelled', 'open'],
  ]) {
    rig.file(
      'orders.json',
      states.map(state => ({ ...record, state })),
    );
    const command =
      'batch ship orders.json --map ./map.json --carrier EXP --skip-invalid --failed fix.json --json';
    const ran = await rig.run(command);
    expect([ran.exitCode, ran.requests]).toEqual([2, []]);
    expect(issuesOf(ran)[0]).toMatch(/has "A", which is on line \d/);
    expect(existsSync(join(rig.folder, 'fix.json'))).toBe(false);
  }
});

test('A row without a key is a problem of the order above it, which may lack it', async () => {
  const rig = await shop('shopify', SHOPIFY + SHIRTS + more('', '1,Cap,5.00') + OTHER);
  const ran = await rig.run(`${SHIP()} --skip-invalid --failed fix.csv`);
  expect([ran.exitCode, booked(ran)]).toEqual([9, ['1 Shirt = 13']]);
  expect(linesIn(rig, 'export.results.jsonl').find(({ state }) => state === 'invalid')).toMatchObject({
    key: '#951',
    error: { issues: [{ path: 'Name', message: expect.stringContaining('is empty in row 2') }] },
  });
  expect(rowsIn(rig, 'fix.csv')).toHaveLength(3);
});

test('A row without a key above all orders is a problem, and is not left out as an order of no status', async () => {
  const rig = await shop('shopify', SHOPIFY + more('', '1,Cap,5.00') + OTHER);
  const ran = await rig.run(SHIP());
  expect([ran.exitCode, ran.requests]).toEqual([2, []]);
  expect(issuesOf(ran)[0]).toContain('line 2: key is required: your own name for the order');
  expect(ran.stderr).not.toContain('the map leaves out');
});

describe('An order of which an item was sent already', () => {
  const EBAY =
    'Sales Record Number,Order Number,Ship To Name,Ship To Phone,Ship To Address 1,Ship To City,Ship To Zip,Ship To Country,Buyer Email,Item Title,Quantity,Sold For,Total Price,Paid On Date,Shipped On Date,Transaction ID\n';
  const parent = (sent = '') =>
    `1,33-1,Jonas Weber,+49 351 5550100,Hauptstr. 7,Dresden,01067,Germany,a@b.example,,2,,€29.00,Nov-23-26,${sent},\n`;
  const item = (goods: string, id: number, sent = '') => `1,33-1,,,,,,,,${goods},,Nov-23-26,${sent},${id}\n`;
  const SENT = 'Nov-24-26';
  const ETSY =
    'Order ID,Item Name,Quantity,Price,Currency,Transaction ID,Date Paid,Date Shipped,Ship Name,Ship Address1,Ship City,Ship Zipcode,Ship Country\n';
  const sold = (goods: string, id: number, sent = '') =>
    `9200000001,${goods},EUR,${id},11/10/2026,${sent},Jonas Weber,Hauptstr. 7,Dresden,01067,Germany\n`;

  const HALF_SENT = EBAY + parent() + item('Shirt,1,€20.00', 101, SENT) + item('Cap,1,€5.00', 102);

  test.each([
    ['ebay', HALF_SENT, ''],
    ['ebay', HALF_SENT, '--include 33-1'],
    ['ebay', HALF_SENT.replace(parent(), parent(SENT)), ''],
    ['etsy', ETSY + sold('Shirt,1,20.00', 101, '11/24/2026') + sold('Cap,1,5.00', 102), ''],
  ])('of %s, is booked with the others, also with --include', async (name, text, flags) => {
    const ran = await (await shop(name, text)).run(`${SHIP()} ${flags}`.trim());
    expect([ran.exitCode, booked(ran)]).toEqual([0, ['1 Cap = 5']]);
    expect(ran.stderr).toContain('the map leaves out 1 item of orders that it keeps');
  });

  test.each([
    ['each item', EBAY + parent() + item('Shirt,1,€20.00', 101, SENT) + item('Cap,1,€5.00', 102, SENT)],
    ['its order', EBAY + parent(SENT) + item('Shirt,1,€20.00', 101) + item('Cap,1,€5.00', 102)],
  ])('and all others too, as %s says, is left out', async (_, text) => {
    const ran = await (await shop('ebay', text)).run(SHIP());
    expect([ran.exitCode, ran.requests]).toEqual([0, []]);
    expect(ran.stderr).toContain('the map leaves out 1 of 1 orders: Shipped On Date is not empty (1)');
  });

  test('is not sent again by --include where nothing else is in its order', async () => {
    const rig = await shop('etsy', ETSY + sold('Shirt,1,20.00', 101, '11/24/2026'));
    const ran = await rig.run(`${SHIP()} --include 9200000001`);
    expect([ran.exitCode, ran.requests]).toEqual([0, []]);
    expect(ran.stderr).toContain('no item of it is left to send, because Date Shipped is not empty');
    expect((await rig.run(`${SHIP()} --include 9200000001 --strict`)).exitCode).toBe(2);
  });
});
