import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { linesIn } from '../rig/batch.ts';
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
import { SHIPMENT } from '../rig/service.ts';
import { each, type Promised, promises } from './promise.ts';

const CONSTANTS = {
  ...{ 'items[].hsCode': '610910', 'items[].countryOfOrigin': 'TR', type: 'package', category: 'sales' },
  ...{ 'receiver.email': 'a@b.example', 'receiver.phone.code': '+49', 'receiver.phone.number': '3515550100' },
};
const EUR = { 'customs.currency': 'EUR' };

/** A folder with an export, and a map that extends that of the shop. */
const shop =
  (name: string, content: string | Uint8Array, constants: object = {}) =>
  async (): Promise<Rig> => {
    const rig = await createRig({
      files: {
        'S.json': { extends: name, constants: { ...CONSTANTS, ...constants } },
        'sender.json': SHIPMENT.sender,
      },
    });
    writeFileSync(join(rig.folder, 'export.csv'), content);
    return rig;
  };
const RUN =
  'batch ship export.csv --map ./S.json --package 1kg@30x20x10cm --sender sender.json --carrier EXP --chargeable-weight 1 --concurrency 1 --json';

interface Body {
  items: { description: string; quantity: number }[];
  customs: { totalGoodsValue: number };
  receiver: { firstName: string; lastName: string; companyName?: string; address: Record<string, unknown> };
}

/** What was booked for each order, by its key. */
const bookedBy = ({ requests }: Ran, rig: Rig): Record<string, Body> => {
  const sent = linesIn(rig, 'export.results.jsonl').filter(({ sent }) => sent);
  return Object.fromEntries(requests.map(({ body }, at) => [sent[at]?.key, JSON.parse(body)]));
};
/** What is declared for each order, by its key. */
const valuesOf = (ran: Ran, rig: Rig) =>
  Object.fromEntries(
    Object.entries(bookedBy(ran, rig)).map(([key, { customs }]) => [key, customs.totalGoodsValue]),
  );

interface Kept {
  orders: readonly SoldOrder[];
  keyOf(order: SoldOrder): string;
  ships?(line: SoldLine): boolean;
  /** In cents. */
  worth(order: SoldOrder): number;
}
const reads = (
  says: string,
  rig: () => Promise<Rig>,
  { orders, keyOf, worth, ships = () => true }: Kept,
  flags = '',
): Promised => ({
  says,
  rig,
  run: `${RUN} ${flags}`.trim(),
  json: { records: orders.length, states: { created: orders.length } },
  lacks: /but its lines add up to|leaves out columns/,
  also: (ran, rig) => {
    expect(valuesOf(ran, rig)).toEqual(
      Object.fromEntries(orders.map(order => [keyOf(order), worth(order) / 100])),
    );
    const booked = bookedBy(ran, rig);
    for (const order of orders) {
      const { items, receiver } = booked[keyOf(order)] as Body;
      const { person, lines } = order;
      expect(items.map(({ description, quantity }) => [description, quantity])).toEqual(
        lines
          .filter(line => ships(line) && line.pieces > line.refunded)
          .map(({ name, pieces, refunded }) => [name, pieces - refunded]),
      );
      expect(receiver).toMatchObject({
        ...{ firstName: person.first, lastName: person.last },
        address: { city: person.city, zipCode: person.zip, country: { code: person.code } },
      });
      const street = [receiver.companyName, receiver.address.line1, receiver.address.line2].join(', ');
      for (const line of person.lines) expect(street).toContain(line);
    }
  },
});

const orders = soldOrders();
const refunded = soldOrders({ hasRefunds: true });
const isNot =
  (...states: SoldOrder['state'][]) =>
  ({ state }: SoldOrder) =>
    !states.includes(state);
const isOpen = ({ state }: SoldOrder) => state === 'open';
const bare = (order: SoldOrder): SoldOrder => ({ ...order, discount: 0 });
const leftToSend = (line: SoldLine) => !line.isDigital && !line.isSent;
const physical = (line: SoldLine) => !line.isDigital;

const WOO: Kept = {
  orders: refunded.filter(isOpen).filter(({ lines }) => lines.some(one => one.refunded < one.pieces)),
  keyOf: ({ at }) => String(5001 + at),
  worth: order => declared(order, () => true),
};
const LANGUAGES = ['English', 'German', 'Turkish'] as const;

promises("A shop's export as it comes", [
  reads(
    'Of Shopify what is cancelled, refunded, unpaid, digital or shipped is left out, and discounts are taken off',
    shop('shopify', shopify(orders)),
    {
      orders: orders.filter(isOpen).filter(({ lines }) => lines.some(leftToSend)),
      keyOf: ({ at }) => `#${1001 + at}`,
      worth: order => declared(order, leftToSend),
      ships: leftToSend,
    },
  ),
  reads(
    'Of Etsy what is unpaid, digital or shipped is left out, and discounts are taken off',
    shop('etsy', etsy(orders)),
    {
      orders: orders.filter(isNot('unpaid', 'sent', 'refunded')).map(bare),
      keyOf: ({ at }) => String(3_100_000_000 + at),
      worth: order => declared(order, physical),
      ships: physical,
    },
  ),
  ...LANGUAGES.map((language, index) =>
    reads(
      `Of WooCommerce with ${language} headers refunded pieces and coupons are taken off`,
      shop('woocommerce', woocommerce(refunded, index as 0 | 1 | 2), EUR),
      WOO,
    ),
  ),
  reads('Of Amazon prices are of lines, without their tax', shop('amazon', amazon(orders)), {
    orders: orders.filter(isNot('unpaid')).map(bare),
    keyOf: ({ at }) => `305-${1_000_000 + at}-${7_000_000 + at}`,
    worth: ({ lines }) => lines.reduce((sum, line) => sum + amazonValue(line), 0),
  }),
  reads('Of eBay items are booked, and no parent row', shop('ebay', ebay(orders)), {
    orders: orders
      .filter(isNot('unpaid', 'sent'))
      .map(order => ({ ...bare(order), lines: order.lines.map(line => ({ ...line, discount: 0 })) })),
    keyOf: ({ at }) => `${10 + at}-${12_345 + at}-${67_890 - at}`,
    worth: order => declared(order, () => true),
  }),
  reads('It is read in any encoding', shop('amazon', Buffer.from(`\ufeff${amazon(orders)}`, 'utf16le')), {
    orders: orders.filter(isNot('unpaid')).map(bare),
    keyOf: ({ at }) => `305-${1_000_000 + at}-${7_000_000 + at}`,
    worth: ({ lines }) => lines.reduce((sum, line) => sum + amazonValue(line), 0),
  }),
  {
    says: '`--map shopify` reads it without a map of its own',
    rig: shop('shopify', shopify(orders)),
    run: `${RUN.replace('./S.json', 'shopify')} --type package --category sales --dry-run`,
    exit: 2,
    sent: [],
    error: {
      issues: expect.arrayContaining([expect.objectContaining({ path: expect.stringContaining('hsCode') })]),
    },
  },
]);

const one = (change: Partial<SoldOrder> = {}) => [{ ...(orders[0] as SoldOrder), ...change }];
/** Each row of an export stands twice, but those without a number: they are no order. */
const eachTwice = (text: string) => {
  const [head = '', ...rows] = text.trimStart().split('\r\n');
  const isOrder = (row: string) => !/^[,\t]*$/.test(row) && !/downloaded|Seller ID/.test(row);
  return [head, ...rows.flatMap(row => (isOrder(row) ? [row, row] : []))].join('\r\n');
};
const DASHES = /(?:is|are) left out|leaves out/;

promises('What an export does not tell', [
  ...each({ rig: shop('shopify', shopify(orders)) }, [
    {
      says: 'An order that was refunded in part is left out and named',
      run: RUN,
      stderr: ['what was paid back or sent of', '#1012'],
      also: (ran, rig) => expect(Object.keys(valuesOf(ran, rig))).not.toContain('#1012'),
    },
    {
      says: '--include takes it whole, as if nothing was refunded, with a warning',
      run: `${RUN} --include 1012`,
      stderr: ['"warning":', 'is taken whole, as --include says'],
      also: (ran, rig) =>
        expect(valuesOf(ran, rig)['#1012']).toBe(declared(orders[11] as SoldOrder, leftToSend) / 100),
    },
    { says: 'The warning is exit 2 with --strict', run: `${RUN} --include 1012 --strict`, exit: 2, sent: [] },
  ]),
  {
    says: 'A refund of WooCommerce that no line tells is left out and named',
    rig: shop('woocommerce', woocommerce(refunded, 0), EUR),
    run: RUN,
    stderr: ['Order Refund Amount', '5012'],
    also: (ran, rig) => expect(Object.keys(valuesOf(ran, rig))).not.toContain('5012'),
  },
  ...each({ run: RUN, exit: 2, sent: [] }, [
    {
      says: 'A report without prices is exit 2, and names the one that has them',
      rig: shop('amazon', amazon(orders, { prices: false })),
      stderr: 'report of new orders',
    },
    {
      says: 'A currency that it does not have is asked for',
      rig: shop('woocommerce', woocommerce(one(), 0)),
      stderr: 'customs.currency',
    },
  ]),
  {
    says: 'But a product table may have the prices',
    rig: async () => {
      const rig = await shop('amazon', amazon(one(), { prices: false }), EUR)();
      rig.file('products.csv', `Code,Price\n${one()[0]?.lines[0]?.sku},9\n`);
      const lookup = {
        file: 'products.csv',
        by: 'sku',
        key: 'Code',
        columns: { Price: 'items[].unitPrice' },
      };
      rig.file('S.json', { extends: 'amazon', constants: { ...CONSTANTS, ...EUR }, lookup });
      return rig;
    },
    run: RUN,
    body: { items: [{ unitPrice: 9 }] },
  },
  {
    says: 'A currency that it does not have comes from its signs',
    rig: shop(
      'ebay',
      ebay(
        orders
          .filter(({ person }) => person.code === 'GB')
          .slice(0, 1)
          .map(order => ({ ...order, state: 'open' as const })),
      ),
    ),
    run: RUN,
    body: { customs: { currency: 'GBP' } },
  },
  {
    says: 'The value is without shipping',
    rig: shop('shopify', shopify(one({ shipping: 9999 }))),
    run: RUN,
    body: { customs: { totalGoodsValue: declared(orders[0] as SoldOrder, leftToSend) / 100 } },
  },
  ...each({ says: 'What is not to be sent is left out', sent: [], stderr: DASHES }, [
    { rig: shop('shopify', shopify(one({ state: 'sent' }))), run: RUN },
    { rig: shop('etsy', etsy(one({ state: 'sent' }))), run: RUN },
    { rig: shop('woocommerce', woocommerce(one({ state: 'cancelled' }), 0), EUR), run: RUN },
    { rig: shop('amazon', amazon(one({ state: 'unpaid' }))), run: RUN },
    { rig: shop('ebay', ebay(one({ state: 'sent' }))), run: RUN },
  ]),
  ...Object.entries({
    shopify: shopify(one()),
    etsy: etsy(one()),
    woocommerce: woocommerce(one(), 0),
    amazon: amazon(one()),
    ebay: ebay(one()),
    'ebay, by its address where lines have no ids': ebay(one()).replaceAll('1900000000', ''),
    'ebay, also by that of its parent row': ebay([orders[1] as SoldOrder]).replaceAll(/19000000\d\d/g, ''),
    'woocommerce, whatever was paid back of it': woocommerce([refunded[1] as SoldOrder], 0),
    'woocommerce, and what was paid back no line tells': woocommerce([refunded[11] as SoldOrder], 0),
  }).map(([name, text]) => ({
    says: `An order of which a line stands twice is a problem, which names both lines: ${name}`,
    rig: shop(name.replace(/,.*/, ''), eachTwice(text), name.startsWith('woo') ? EUR : {}),
    run: RUN,
    exit: 2,
    sent: [],
    stderr: / on lines \d+ and \d+: it is in the file twice; remove one of them/,
    lacks: DASHES,
  })),
  {
    says: 'The others are sent with --skip-invalid',
    rig: shop(
      'ebay',
      eachTwice(ebay(one())) + ebay([orders[1] as SoldOrder]).replaceAll(/\r\n\r\n/g, '\r\n'),
    ),
    run: `${RUN} --skip-invalid`,
    exit: 9,
    json: { states: { invalid: 1, created: 1 } },
  },
  ...Object.entries({ shopify: shopify(orders.slice(0, 3)), ebay: ebay(orders.slice(0, 3)) }).map(
    ([name, text]) => ({
      says: `A file of ${name} that was joined twice is a problem of its orders`,
      rig: shop(name, text + text),
      run: RUN,
      exit: 2,
      sent: [],
      stderr: /is on lines \d+ and \d+/,
    }),
  ),
]);
