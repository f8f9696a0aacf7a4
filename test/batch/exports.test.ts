// The exports of five shops, of forty orders each: what is booked of them, and for how much.
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { issuesOf, linesIn, summaryOf } from '../rig/batch.ts';
import { createRig, type Ran, type Rig } from '../rig/command.ts';
import {
  amazon,
  amazonValue,
  declared,
  ebay,
  etsy,
  type SoldLine,
  type SoldOrder,
  shopify,
  soldOrders,
  woocommerce,
} from '../rig/exports.ts';
import { shopRig } from '../rig/profile.ts';
import { errorOf, SHIPMENT } from '../rig/service.ts';

const SKUS = {
  shopify: 'Lineitem sku',
  etsy: 'SKU',
  woocommerce: 'SKU',
  amazon: 'sku',
  ebay: 'Custom Label',
};
type Shop = keyof typeof SKUS;

const PRODUCTS =
  'Code,HS,Origin,Grams\nTS-M,610910,TR,180\nCAP,650500,TR,90\nSCARF,621410,TR,60\nMUG,691110,TR,400\nSOAP,340111,TR,110\n';

const CONSTANTS = {
  'packages[0].dimensions.length': '30',
  'packages[0].dimensions.width': '20',
  'packages[0].dimensions.height': '10',
};

const mapOf = (extended: Shop, more: object = {}) => ({
  extends: extended,
  lookup: {
    ...{ file: 'products.csv', by: SKUS[extended], key: 'Code' },
    columns: { HS: 'items[].hsCode', Origin: 'items[].countryOfOrigin', Grams: 'packages[0].weight' },
  },
  transform: { Grams: 'g' },
  constants: CONSTANTS,
  ...more,
});

/** A folder with an export, the product table, and a map that extends that of the shop. */
async function shop(name: Shop, content: string | Uint8Array, map: object = {}, rig?: Rig): Promise<Rig> {
  rig ??= await createRig();
  writeFileSync(join(rig.folder, 'export.csv'), content);
  rig.file('products.csv', PRODUCTS);
  rig.file('shop.json', mapOf(name, map));
  rig.file('sender.json', SHIPMENT.sender);
  return rig;
}

const SHIP =
  'batch ship export.csv --map ./shop.json --sender sender.json --type package --category sales --carrier EXP --concurrency 1 --json';

interface Body {
  receiver: {
    firstName: string;
    lastName: string;
    phone: Record<string, string>;
    address: Record<string, unknown>;
  } & Record<string, unknown>;
  items: { quantity: number; totalPrice: number; unitPrice: number; description: string }[];
  packages: { weight: number }[];
  customs: Record<string, unknown>;
}

const bookedBy = ({ requests }: Ran): Body[] =>
  requests.filter(({ path }) => path === '/v1/shipments').map(({ body }) => JSON.parse(body));

/** What was booked, by its key. */
function byKey(rig: Rig, ran: Ran): Map<string, Body> {
  const lines = linesIn(rig, 'export.results.jsonl').filter(({ sent }) => sent);
  const bodies = bookedBy(ran);
  expect(lines).toHaveLength(bodies.length);
  return new Map(lines.map(({ key }, index) => [key ?? '', bodies[index] as Body]));
}

const cents = (amount: unknown) => Math.round(Number(amount) * 100);
const sent = (orders: readonly SoldOrder[]) => orders.filter(({ state }) => state === 'open');
const GRAMS: Readonly<Record<string, number>> = { 'TS-M': 180, CAP: 90, SCARF: 60, MUG: 400, SOAP: 110 };

/** Each order is booked with its goods, for what was paid for them. */
function expectBooked(
  booked: ReadonlyMap<string, Body>,
  orders: readonly SoldOrder[],
  keyOf: (order: SoldOrder) => string,
  { ships, worth }: { ships: (line: SoldLine) => boolean; worth: (order: SoldOrder) => number },
): void {
  expect([...booked.keys()].sort()).toEqual(orders.map(keyOf).sort());
  for (const order of orders) {
    const body = booked.get(keyOf(order)) as Body;
    const lines = order.lines.filter(line => ships(line) && line.pieces > line.refunded);
    const { customs, items, packages, receiver } = body;
    expect([order.at, cents(customs.totalGoodsValue)]).toEqual([order.at, worth(order)]);
    expect(items.reduce((sum, item) => sum + cents(item.totalPrice), 0)).toBe(worth(order));
    expect(items.map(({ description, quantity }) => [description, quantity])).toEqual(
      lines.map(({ name, pieces, refunded }) => [name, pieces - refunded]),
    );
    for (const { quantity, unitPrice, totalPrice } of items)
      expect(Math.abs(quantity * unitPrice - totalPrice)).toBeLessThan(0.005);
    const grams = lines.reduce((sum, one) => sum + (GRAMS[one.sku] ?? 0) * (one.pieces - one.refunded), 0);
    expect(cents(packages[0]?.weight)).toBe(Math.round(grams / 10));
    const { person: who } = order;
    expect([receiver.firstName, receiver.lastName, receiver.address]).toMatchObject([
      who.first,
      who.last,
      { city: who.city, zipCode: who.zip, country: { code: who.code } },
    ]);
    const address = [receiver.companyName, receiver.address.line1, receiver.address.line2].join(', ');
    for (const line of who.lines) expect(address).toContain(line);
  }
}

const PHYSICAL = (line: SoldLine) => !line.isDigital;

describe('Shopify', () => {
  const orders = soldOrders();
  const ships = (line: SoldLine) => !line.isDigital && !line.isSent;
  const open = sent(orders).filter(({ lines }) => lines.some(ships));

  test('books what is paid and left to send, for what was paid for it', async () => {
    const rig = await shop('shopify', shopify(orders));
    const ran = await rig.run(SHIP);
    expect([ran.exitCode, problemsOf(ran)]).toEqual([0, []]);
    const worth = (order: SoldOrder) => declared(order, ships);
    expectBooked(byKey(rig, ran), open, ({ at }) => `#${1001 + at}`, { ships, worth });
    expect(summaryOf(ran)).toMatchObject({ leftOut: 40 - open.length });
    expect(ran.stderr).not.toContain('but its lines add up to');
    const person = await rig.run(SHIP.replace('--json', '--dry-run'), { terminal: true });
    expect(person.stderr).toContain('left out: #1004: Cancelled at is not empty\n');
    expect(person.stderr).toContain('what was paid back or sent of "#1012", "#1032" the file does not tell');
    expect(person.stderr).toContain('left out: #1012: Financial Status is "partially_refunded"\n');
  });

  test('takes an order whole that is named, although it was refunded in part, with a warning', async () => {
    const rig = await shop('shopify', shopify(orders));
    const ran = await rig.run(`${SHIP} --include 1012 --include #9999`);
    const taken = orders[11] as SoldOrder;
    expect(taken.state).toBe('part refund');
    const body = byKey(rig, ran).get('#1012');
    expect(cents(body?.customs.totalGoodsValue)).toBe(declared(taken, ships));
    expect(ran.stderr).toContain('is taken whole, as --include says, although Financial Status is');
    expect(ran.stderr).toContain('--include \\"#9999\\": the map leaves out no such order');
    expect((await rig.run(`${SHIP} --include 1016 --strict`)).exitCode).toBe(2);
  });

  test('tells where the shop and its lines do not agree, and believes the shop if all of it is sent', async () => {
    const text = shopify([{ ...(orders[0] as SoldOrder), state: 'open' }]);
    const rig = await shop('shopify', text.replace(/EUR,12\.50/, 'EUR,11.00'));
    const ran = await rig.run(SHIP);
    expect(bookedBy(ran)[0]).toMatchObject({
      items: [{ totalPrice: 11, unitPrice: 11 }],
      customs: { totalGoodsValue: 11 },
    });
    expect(ran.stderr).toContain(
      'the shop says that its goods cost 11 EUR, but its lines add up to 12.5 EUR after discounts; 11 EUR is declared',
    );
  });
});

describe('Etsy', () => {
  const orders = soldOrders();
  // Its file does not tell what was cancelled, or refunded in part.
  const open = orders
    .filter(({ state }) => !['unpaid', 'sent', 'refunded'].includes(state))
    .map(order => ({ ...order, discount: 0 }));
  const more = {
    constants: {
      ...CONSTANTS,
      'receiver.email': 'shop@example.com',
      'receiver.phone.code': '+90',
      'receiver.phone.number': '2125550101',
    },
  };

  test('books what is paid and not sent, with its discounts off, and entities read', async () => {
    const rig = await shop('etsy', etsy(orders), more);
    const ran = await rig.run(SHIP);
    expect([ran.exitCode, problemsOf(ran)]).toEqual([0, []]);
    const worth = (order: SoldOrder) => declared(order, PHYSICAL);
    expectBooked(byKey(rig, ran), open, ({ at }) => String(3_100_000_000 + at), { ships: PHYSICAL, worth });
    expect(JSON.stringify(bookedBy(ran))).not.toMatch(/&(amp|quot|#39);/);
  });
});

const OPEN = ['Processing', 'In Bearbeitung', 'İşleniyor'] as const;

describe('WooCommerce', () => {
  const orders = soldOrders({ hasRefunds: true });
  const open = sent(orders).filter(({ lines }) => lines.some(one => one.refunded < one.pieces));
  const worth = (order: SoldOrder) => declared(order, () => true);

  test.each([
    ['English', 0, 'utf-8'],
    ['German', 1, 'windows-1252'],
    ['Turkish', 2, 'utf-8'],
  ] as const)('in %s books what is in process, after refunds and coupons', async (_, language, encoding) => {
    const text = woocommerce(orders, language);
    const content = encoding === 'utf-8' ? text : Buffer.from(text, 'latin1');
    const rig = await shop('woocommerce', content, {
      constants: { ...CONSTANTS, 'customs.currency': 'EUR' },
    });
    if (language > 0) {
      const by = language === 1 ? 'Artikelnummer' : 'Stok Kodu';
      const own = mapOf('woocommerce', { constants: { ...CONSTANTS, 'customs.currency': 'EUR' } });
      rig.file('shop.json', { ...own, lookup: { ...own.lookup, by } });
    }
    const ran = await rig.run(`${SHIP} --encoding ${encoding}`);
    expect([ran.exitCode, problemsOf(ran)]).toEqual([0, []]);
    expectBooked(byKey(rig, ran), open, ({ at }) => String(5001 + at), { ships: () => true, worth });
    expect(ran.stderr).not.toContain('leaves out columns');
    // In the words of the file.
    const [header, state] = [
      ['Order Status', 'Cancelled'],
      ['Bestellstatus', 'Storniert'],
      ['Sipariş Durumu', 'İptal edildi'],
    ][language] as string[];
    expect(ran.stderr).toContain(`${header} is \\"${state}\\" (2)`);
    // What is cancelled after it was booked is told.
    rig.file('export.csv', text.replace(OPEN[language], state ?? ''));
    const after = await rig.run(`${SHIP} --encoding utf-8`);
    expect(after.stderr).toContain('orders that the map leaves out are booked already: \\"5001\\"');
  });

  test('leaves out an order of which something was paid back that no line tells, and names it', async () => {
    const rig = await shop('woocommerce', woocommerce(orders, 0));
    const ran = await rig.run(`${SHIP.replace('--json', '--dry-run')} --currency EUR`, { terminal: true });
    expect(ran.stderr).toContain(
      'left out: 5012: Order Refund Amount is "5.00", and no line tells of what\n',
    );
  });
});

describe('Amazon', () => {
  const orders = soldOrders();
  const open = orders.filter(({ state }) => state !== 'unpaid').map(order => ({ ...order, discount: 0 }));
  const worth = ({ lines }: SoldOrder) => lines.reduce((sum, line) => sum + amazonValue(line), 0);

  test('books lines for their price, which is not of a piece, without their tax, with three address lines', async () => {
    const rig = await shop('amazon', amazon(orders));
    const ran = await rig.run(SHIP);
    expect([ran.exitCode, problemsOf(ran)]).toEqual([0, []]);
    const key = ({ at }: SoldOrder) => `305-${1_000_000 + at}-${7_000_000 + at}`;
    expectBooked(byKey(rig, ran), open, key, { ships: () => true, worth });
  });

  test('without prices is refused, and the report that has them is named', async () => {
    const rig = await shop('amazon', amazon(orders, { prices: false }));
    const ran = await rig.run(SHIP);
    expect([ran.exitCode, ran.requests]).toEqual([2, []]);
    expect(errorOf(ran).issues).toMatchObject([
      { path: 'item-price', message: expect.stringContaining('download the report of new orders') },
    ]);
    rig.file(
      'products.csv',
      PRODUCTS.replaceAll(/\n(?=.)/g, ',9\n')
        .replace('Grams,9', 'Grams,Price')
        .replace(/110\n$/, '110,9\n'),
    );
    const own = mapOf('amazon');
    const columns = { ...own.lookup.columns, Price: 'items[].unitPrice' };
    rig.file('shop.json', { ...own, lookup: { ...own.lookup, columns } });
    expect((await rig.run(`${SHIP} --currency EUR`)).exitCode).toBe(0);
  });

  test('in a currency of which prices are without tax keeps it on', async () => {
    const text = amazon(orders.slice(0, 1)).replaceAll('EUR', 'USD');
    const ran = await (await shop('amazon', text)).run(SHIP);
    expect(bookedBy(ran)).toMatchObject([{ customs: { totalGoodsValue: 12.5, currency: 'USD' } }]);
  });
});

describe('eBay', () => {
  const orders = soldOrders();
  const open = orders
    .filter(({ state }) => !['unpaid', 'sent'].includes(state))
    .map(order => ({ ...order, discount: 0, lines: order.lines.map(line => ({ ...line, discount: 0 })) }));

  test('books items and no parent row, in the currency of its signs, with its own number of the marketplace', async () => {
    const rig = await shop('ebay', ebay(orders));
    const ran = await rig.run(SHIP);
    expect([ran.exitCode, problemsOf(ran)]).toEqual([0, []]);
    const booked = byKey(rig, ran);
    const key = ({ at }: SoldOrder) => `${10 + at}-${12_345 + at}-${67_890 - at}`;
    const worth = (order: SoldOrder) => declared(order, () => true);
    expectBooked(booked, open, key, { ships: () => true, worth });
    for (const order of open) {
      const { code } = order.person;
      expect(booked.get(key(order))?.customs).toMatchObject({
        currency: { GB: 'GBP', US: 'USD' }[code] ?? 'EUR',
        ...(code === 'GB' && { marketplaceNumber: 'GB365608576' }),
        ...(!['GB', 'US'].includes(code) && { iossNumber: 'IM2760000742' }),
      });
    }
    expect(summaryOf(ran)).toMatchObject({ leftOut: 40 - open.length });
  });
});

/** The problems of a command that should have none. */
const problemsOf = (ran: Ran): string[] => (ran.exitCode === 0 ? [] : issuesOf(ran));

describe('An export that is in the file twice', () => {
  const orders = soldOrders().slice(0, 8);
  const FILES: Record<Shop, string> = {
    shopify: shopify(orders),
    etsy: etsy(orders),
    woocommerce: woocommerce(orders, 0),
    amazon: amazon(orders),
    ebay: ebay(orders),
  };
  const more = {
    constants: {
      ...CONSTANTS,
      ...{ 'receiver.email': 'shop@example.com', 'customs.currency': 'EUR' },
      ...{ 'receiver.phone.code': '+90', 'receiver.phone.number': '2125550101' },
    },
  };

  test.each(Object.entries(FILES))(
    'of %s, one behind the other, is a problem of each order',
    async (name, text) => {
      const rig = await shop(name as Shop, `${text}${text}`, more);
      const ran = await rig.run(SHIP);
      expect([ran.exitCode, ran.requests]).toEqual([2, []]);
      expect(issuesOf(ran).every(issue => /is on lines \d+ and \d+/.test(issue))).toBe(true);
      expect(issuesOf(ran).length).toBeGreaterThan(4);
    },
  );

  test.each(Object.entries(FILES))('of %s, sorted, is a problem of each order', async (name, text) => {
    const delimiter = name === 'amazon' ? '\t' : ',';
    const [head = '', ...rows] = text.trim().split('\r\n');
    const key = head
      .split(delimiter)
      .findIndex(title => /^(Name|Order ID|Order Number|order-id)$/.test(title));
    const keyOf = (row: string) => row.split(delimiter)[key] ?? '';
    const named = rows.filter(row => /\d/.test(keyOf(row)));
    // Each order of both files stands together, first as it was, then again.
    const keys = [...new Set(named.map(keyOf))];
    const sorted = keys.flatMap(one => [1, 2].flatMap(() => named.filter(row => keyOf(row) === one)));
    const rig = await shop(name as Shop, [head, ...sorted, ''].join('\r\n'), more);
    const ran = await rig.run(SHIP);
    expect([ran.exitCode, ran.requests]).toEqual([2, []]);
    const counted = summaryOf(await rig.run(`${SHIP} --skip-invalid --dry-run`));
    expect(counted.states).toEqual({ invalid: counted.records });
    expect(counted.records).toBeGreaterThan(4);
    expect(issuesOf(ran).every(issue => / on lines \d+ and \d+: it is in the file twice/.test(issue))).toBe(
      true,
    );
  });
});

describe("The shop's own number for customs", () => {
  const IOSS = 'IM0123456789';
  const inEurope = ['DE', 'FR', 'IT', 'NL'];
  const orders = soldOrders().filter(
    ({ person, state }) => state === 'open' && inEurope.includes(person.code),
  );
  const bySku = (order: SoldOrder) => ({
    ...order,
    lines: order.lines.slice(0, 1),
    discount: 0,
    isBusiness: false,
  });
  const numbersOf = async (name: Shop, text: string, more: object = {}) => {
    const constants = {
      ...CONSTANTS,
      ...{ 'receiver.email': 'shop@example.com', 'customs.currency': 'EUR' },
      ...{ 'receiver.phone.code': '+90', 'receiver.phone.number': '2125550101', ...more },
    };
    const rig = await shop(name, text, { constants }, await shopRig({ iossNumber: IOSS }));
    const ran = await rig.run(SHIP);
    expect([ran.exitCode, problemsOf(ran)]).toEqual([0, []]);
    return new Set(bookedBy(ran).map(({ customs }) => customs.iossNumber));
  };
  const few = orders.slice(0, 6).map(bySku);

  test('goes on what the shop sells itself', async () => {
    expect(await numbersOf('shopify', shopify(few.map(one => ({ ...one, at: one.at + 1 }))))).toEqual(
      new Set([IOSS]),
    );
    expect(await numbersOf('woocommerce', woocommerce(few, 0))).toEqual(new Set([IOSS]));
  });

  test('never goes on what a marketplace sold, which has its own from the export or the map', async () => {
    expect(await numbersOf('amazon', amazon(few))).toEqual(new Set(['IM4420001201']));
    expect(await numbersOf('ebay', ebay(few))).toEqual(new Set(['IM2760000742']));
    expect(await numbersOf('etsy', etsy(few))).toEqual(new Set([undefined]));
    const own = { 'customs.iossNumber': 'IM3720000224' };
    expect(await numbersOf('etsy', etsy(few), own)).toEqual(new Set(['IM3720000224']));
    const business = few.map(one => ({ ...one, isBusiness: true }));
    expect(await numbersOf('amazon', amazon(business), own)).toEqual(new Set([undefined]));
  });
});

test.each(['utf8', 'utf16le'] as const)('A report may be a file of text, in %s', async encoding => {
  const text = Buffer.from(`\ufeff${amazon(soldOrders().slice(0, 2))}`, encoding);
  const rig = await shop('amazon', text);
  renameSync(join(rig.folder, 'export.csv'), join(rig.folder, 'report.txt'));
  const ran = await rig.run(SHIP.replace('export.csv', 'report.txt'));
  expect([ran.exitCode, bookedBy(ran).length]).toEqual([0, 2]);
});
