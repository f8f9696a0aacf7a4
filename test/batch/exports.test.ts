// The exports of five shops, of twenty or forty orders each: what is booked of them, and for how much.
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { linesIn, summaryOf } from '../rig/batch.ts';
import type { Ran, Rig } from '../rig/command.ts';
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
import { SHIPMENT } from '../rig/service.ts';

type Shop = 'shopify' | 'etsy' | 'woocommerce' | 'amazon' | 'ebay';

const PRODUCTS =
  'Code,HS,Origin,Grams\nTS-M,610910,TR,180\nCAP,650500,TR,90\nSCARF,621410,TR,60\nMUG,691110,TR,400\nSOAP,340111,TR,110\n';
const GRAMS: Readonly<Record<string, number>> = { 'TS-M': 180, CAP: 90, SCARF: 60, MUG: 400, SOAP: 110 };

const CONSTANTS = {
  'packages[0].dimensions.length': '30',
  'packages[0].dimensions.width': '20',
  'packages[0].dimensions.height': '10',
  // An export has its own, where it tells any.
  'receiver.email': 'shop@example.com',
  'receiver.phone.code': '+90',
  'receiver.phone.number': '2125550101',
};
const EUR = { 'customs.currency': 'EUR' };

/** A folder with an export, the product table, and a map that extends that of the shop. */
async function shop(name: Shop, content: string | Uint8Array, constants = {}, sku = 'SKU'): Promise<Rig> {
  const rig = await shopRig({ iossNumber: 'IM0123456789' });
  writeFileSync(join(rig.folder, 'export.csv'), content);
  rig.file('products.csv', PRODUCTS);
  rig.file('shop.json', {
    extends: name,
    lookup: {
      ...{ file: 'products.csv', by: sku, key: 'Code' },
      columns: { HS: 'items[].hsCode', Origin: 'items[].countryOfOrigin', Grams: 'packages[0].weight' },
    },
    transform: { Grams: 'g' },
    constants: { ...CONSTANTS, ...constants },
  });
  rig.file('sender.json', SHIPMENT.sender);
  return rig;
}

const SHIP =
  'batch ship export.csv --map ./shop.json --sender sender.json --type package --category sales --carrier EXP --concurrency 1 --json';

interface Body {
  receiver: {
    firstName: string;
    lastName: string;
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

interface Export {
  name: Shop;
  text: string | Uint8Array;
  /** The column of the SKU. */
  sku?: string;
  constants?: object;
  flags?: string;
  /** How many orders the file has. */
  inFile?: number;
  /** What is to be booked, of these lines, for that value. */
  orders: readonly SoldOrder[];
  keyOf: (order: SoldOrder) => string;
  ships?: (line: SoldLine) => boolean;
  worth?: (order: SoldOrder) => number;
  /** What is told of what is left out, in the words of the file. */
  says?: string;
}

const orders = soldOrders();
const refunded = soldOrders({ hasRefunds: true });
/** Every state, and all discounts that a shop without those of an order has. */
const half = orders.slice(0, 20);
const without = (...states: SoldOrder['state'][]) =>
  half.filter(({ state }) => !states.includes(state)).map(order => ({ ...order, discount: 0 }));
const leftToSend = (line: SoldLine) => !line.isDigital && !line.isSent;

const woo = (language: 0 | 1 | 2, sku: string, says: string, sold = refunded.slice(0, 20)): Export => ({
  ...{ name: 'woocommerce', text: woocommerce(sold, language), sku, constants: EUR, says },
  ...{ inFile: sold.length },
  orders: sold.filter(
    ({ lines, state }) => state === 'open' && lines.some(line => line.refunded < line.pieces),
  ),
  keyOf: ({ at }) => String(5001 + at),
});

const EXPORTS: Readonly<Record<string, Export>> = {
  'Shopify: what is paid and left to send': {
    ...{ name: 'shopify', text: shopify(orders), inFile: 40, sku: 'Lineitem sku', ships: leftToSend },
    orders: orders.filter(({ lines, state }) => state === 'open' && lines.some(leftToSend)),
    keyOf: ({ at }) => `#${1001 + at}`,
    says: 'what was paid back or sent of "#1012", "#1032" the file does not tell',
  },
  // Its file does not tell what was cancelled, or refunded in part.
  'Etsy: what is paid and not sent, with entities read': {
    ...{ name: 'etsy', text: etsy(half), ships: ({ isDigital }) => !isDigital },
    orders: without('unpaid', 'sent', 'refunded'),
    keyOf: ({ at }) => String(3_100_000_000 + at),
  },
  'WooCommerce in English': woo(0, 'SKU', 'Order Status is "Cancelled" (2)', refunded),
  'WooCommerce in German, in another encoding': {
    ...woo(1, 'Artikelnummer', 'Bestellstatus is "Storniert" (1)'),
    ...{
      text: Buffer.from(woocommerce(refunded.slice(0, 20), 1), 'latin1'),
      flags: '--encoding windows-1252',
    },
  },
  'WooCommerce in Turkish': woo(2, 'Stok Kodu', 'Sipariş Durumu is "İptal edildi" (1)'),
  'Amazon: lines for their price, which is not of a piece, without their tax': {
    ...{ name: 'amazon', text: amazon(half), sku: 'sku', orders: without('unpaid') },
    keyOf: ({ at }) => `305-${1_000_000 + at}-${7_000_000 + at}`,
    worth: ({ lines }) => lines.reduce((sum, line) => sum + amazonValue(line), 0),
  },
  'eBay: items, and no parent row': {
    ...{ name: 'ebay', text: ebay(half), sku: 'Custom Label' },
    orders: without('unpaid', 'sent').map(order => ({
      ...order,
      lines: order.lines.map(line => ({ ...line, discount: 0 })),
    })),
    keyOf: ({ at }) => `${10 + at}-${12_345 + at}-${67_890 - at}`,
  },
};

test.each(Object.entries(EXPORTS))(
  '%s is booked, each order with its goods, for what was paid for them',
  async (_, { name, text, sku, constants, flags = '', keyOf, says = '', inFile = 20, ...sold }) => {
    const { ships = () => true, worth = (order: SoldOrder) => declared(order, ships) } = sold;
    const rig = await shop(name, text, constants, sku);
    const ran = await rig.run(`${SHIP} ${flags}`.trim());
    expect([ran.exitCode, ran.exitCode === 0 || ran.stderr]).toEqual([0, true]);
    const booked = byKey(rig, ran);
    expect([...booked.keys()].sort()).toEqual(sold.orders.map(keyOf).sort());
    expect(ran.stderr).not.toMatch(/but its lines add up to|leaves out columns/);
    expect(ran.stderr.replaceAll('\\"', '"')).toContain(says);
    // Etsy has no sum of an order.
    if (name === 'etsy') expect(ran.stderr).not.toContain('the sum of the items');
    for (const order of sold.orders) {
      const { customs, items, packages, receiver } = booked.get(keyOf(order)) as Body;
      const lines = order.lines.filter(line => ships(line) && line.pieces > line.refunded);
      expect([order.at, cents(customs.totalGoodsValue)]).toEqual([order.at, worth(order)]);
      expect(items.reduce((sum, item) => sum + cents(item.totalPrice), 0)).toBe(worth(order));
      expect(items.map(({ description, quantity }) => [description, quantity])).toEqual(
        lines.map(({ name, pieces, refunded }) => [name, pieces - refunded]),
      );
      for (const { quantity, unitPrice, totalPrice } of items)
        expect(Math.abs(quantity * unitPrice - totalPrice)).toBeLessThan(0.005);
      const grams = lines.map(line => (GRAMS[line.sku] ?? 0) * (line.pieces - line.refunded));
      expect(cents(packages[0]?.weight)).toBe(Math.round(grams.reduce((sum, of) => sum + of, 0) / 10));
      const { person: who } = order;
      expect([receiver.firstName, receiver.lastName, receiver.address]).toMatchObject([
        who.first,
        who.last,
        { city: who.city, zipCode: who.zip, country: { code: who.code } },
      ]);
      const address = [receiver.companyName, receiver.address.line1, receiver.address.line2].join(', ');
      for (const line of who.lines) expect(address).toContain(line);
      if (name === 'ebay')
        expect(customs).toMatchObject({
          currency: { GB: 'GBP', US: 'USD' }[who.code] ?? 'EUR',
          ...(who.code === 'GB' && { marketplaceNumber: 'GB365608576' }),
        });
    }
    expect(summaryOf(ran).leftOut).toBe(inFile - sold.orders.length);
  },
);

test('Where the shop and its lines do not agree, that is told, and the shop is believed if all of it is sent', async () => {
  const text = shopify(orders.slice(0, 1));
  const rig = await shop('shopify', text.replace(/EUR,12\.50/, 'EUR,11.00'), {}, 'Lineitem sku');
  const ran = await rig.run(SHIP);
  expect(bookedBy(ran)).toMatchObject([
    { items: [{ totalPrice: 11, unitPrice: 11 }], customs: { totalGoodsValue: 11 } },
  ]);
  expect(ran.stderr).toContain('goods cost 11 EUR, but its lines add up to 12.5 EUR after discounts; 11 EUR');
});

test('Of Amazon, prices that the report lacks may be in the product table', async () => {
  const rig = await shop('amazon', amazon(orders.slice(0, 5), { prices: false }), {}, 'sku');
  const [head = '', ...rows] = PRODUCTS.trimEnd().split('\n');
  rig.file('products.csv', [`${head},Price`, ...rows.map(row => `${row},9`), ''].join('\n'));
  rig.file('shop.json', {
    extends: 'amazon',
    lookup: {
      ...{ file: 'products.csv', by: 'sku', key: 'Code' },
      columns: {
        ...{ HS: 'items[].hsCode', Origin: 'items[].countryOfOrigin', Grams: 'packages[0].weight' },
        Price: 'items[].unitPrice',
      },
    },
    ...{ transform: { Grams: 'g' }, constants: CONSTANTS },
  });
  expect((await rig.run(`${SHIP} --currency EUR`)).exitCode).toBe(0);
});

test('Of Amazon, an order in a currency of which prices are without tax keeps it on', async () => {
  const text = amazon(orders.slice(0, 1)).replaceAll('EUR', 'USD');
  const ran = await (await shop('amazon', text, {}, 'sku')).run(SHIP);
  expect(bookedBy(ran)).toMatchObject([{ customs: { totalGoodsValue: 12.5, currency: 'USD' } }]);
});

const inEurope = orders
  .filter(({ person, state }) => state === 'open' && ['DE', 'FR', 'IT', 'NL'].includes(person.code))
  .slice(0, 4)
  .map(order => ({ ...order, lines: order.lines.slice(0, 1), discount: 0, isBusiness: false }));
const companies = inEurope.map(order => ({ ...order, isBusiness: true }));
const OWN = { 'customs.iossNumber': 'IM3720000224' };

test.each<[string, Shop, string, string, object, string | undefined]>([
  ['the shop sells', 'shopify', shopify(inEurope), 'Lineitem sku', {}, 'IM0123456789'],
  ['the shop sells', 'woocommerce', woocommerce(inEurope, 0), 'SKU', EUR, 'IM0123456789'],
  ['a marketplace sold, with its own', 'amazon', amazon(inEurope), 'sku', {}, 'IM4420001201'],
  ['a marketplace sold, with its own', 'ebay', ebay(inEurope), 'Custom Label', {}, 'IM2760000742'],
  ['a marketplace sold', 'etsy', etsy(inEurope), 'SKU', {}, undefined],
  ['a marketplace sold, with that of the map', 'etsy', etsy(inEurope), 'SKU', OWN, 'IM3720000224'],
  ['a company bought', 'amazon', amazon(companies), 'sku', OWN, undefined],
])(
  "The shop's own number for customs goes on what it sells itself: what %s (%s)",
  async (_, name, text, sku, constants, number) => {
    const ran = await (await shop(name, text, constants, sku)).run(SHIP);
    expect(ran.exitCode).toBe(0);
    expect(new Set(bookedBy(ran).map(({ customs }) => customs.iossNumber))).toEqual(new Set([number]));
  },
);

test.each(['utf8', 'utf16le'] as const)('A report may be a file of text, in %s', async encoding => {
  const rig = await shop('amazon', Buffer.from(`\ufeff${amazon(orders.slice(0, 2))}`, encoding), {}, 'sku');
  renameSync(join(rig.folder, 'export.csv'), join(rig.folder, 'report.txt'));
  const ran = await rig.run(SHIP.replace('export.csv', 'report.txt'));
  expect([ran.exitCode, bookedBy(ran).length]).toEqual([0, 2]);
});
