// What a map makes of the amounts, the people and the rows of an order.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { amountIn, currencyIn, decimalSign } from '../../src/batch/written-amounts.ts';
import { issuesOf, summaryOf } from '../rig/batch.ts';
import { createRig, type Rig } from '../rig/command.ts';
import { SHIPMENT } from '../rig/service.ts';
import { runs } from '../torture/size.ts';

const CONSTANTS = {
  'items[].hsCode': '610910',
  'items[].countryOfOrigin': 'TR',
  'items[].description': 'Shirt',
};

const COLUMNS = {
  Order: 'key',
  Pieces: 'items[].quantity',
  Price: 'items[].unitPrice',
  Total: 'items[].totalPrice',
  Off: 'discount',
  'Off all': 'orderDiscount',
  Tax: 'tax',
  Goods: 'customs.totalGoodsValue',
  Currency: 'customs.currency',
  Number: 'customsNumber',
  Digital: '_',
};

const SHIP =
  'batch ship orders.csv --map ./map.json --sender sender.json --type package --category sales --carrier EXP --package 1kg@30x20x10cm --concurrency 1 --json';

/** A shop with these rows, whose header names columns of `COLUMNS`. What a row does not say of the receiver is given. */
async function shop(text: string, map: Record<string, unknown> = {}, receiver = true): Promise<Rig> {
  const rig = await createRig();
  const header = text.slice(0, text.indexOf('\n')).split(/[,;\t]/);
  const { columns = {}, ...more } = map;
  const used = Object.entries({ ...COLUMNS, ...(columns as object) }).filter(([title]) =>
    header.includes(title),
  );
  rig.file('map.json', { constants: CONSTANTS, columns: Object.fromEntries(used), ...more });
  rig.file('orders.csv', text);
  rig.file('sender.json', SHIPMENT.sender);
  if (receiver) rig.file('receiver.json', SHIPMENT.receiver);
  return rig;
}

interface Body {
  receiver: Record<string, unknown>;
  items: Record<string, number>[];
  customs: Record<string, unknown>;
}

async function booked(text: string, map: Record<string, unknown> = {}, flags = '') {
  const isPerson = /receiver|billing/.test(JSON.stringify(map));
  const rig = await shop(text, map, !isPerson);
  const ran = await rig.run(`${SHIP}${isPerson ? '' : ' --receiver receiver.json'} ${flags}`.trim());
  const bodies = ran.requests
    .filter(({ path }) => path === '/v1/shipments')
    .map(({ body }): Body => JSON.parse(body));
  return { rig, ran, bodies, customs: bodies.map(({ customs }) => customs.totalGoodsValue) };
}

const EUR = ' --currency EUR';

describe('The value of the goods', () => {
  const DIGITAL = { skipItems: { Digital: ['yes'] } };

  const ROWS: readonly [why: string, text: string, value: number, map?: Record<string, unknown>][] = [
    ['is without the discount of a line, with a minus', 'Order,Pieces,Price,Off\n1,3,10,-4.00\n', 26],
    ['is without a tax once', 'Order,Pieces,Total,Tax\n1,2,24,4\n', 20, { taxIncluded: '20%' }],
    [
      'has no part of a line that does not ship',
      'Order,Pieces,Price,Digital,Off all\n1,1,30,no,4\n1,1,10,yes,\n',
      27,
      DIGITAL,
    ],
    [
      'is that of the lines where some do not',
      'Order,Pieces,Price,Goods,Digital\n1,1,10,18,no\n1,1,10,,yes\n',
      10,
      DIGITAL,
    ],
    [
      'is without a sum that the file calls as the map does',
      'Order,Pieces,Price,tax,discount\n1,1,129,19,10\n',
      100,
      { columns: { tax: 'tax', discount: 'discount' } },
    ],
    [
      'has nothing of a line of no pieces, which needs no price',
      'Order,Pieces,Total,Tax,Off all\n1,1,119,19,10\n1,0,,,\n',
      90,
    ],
    [
      'has nothing of a line without a price that does not ship, where no sum is of both',
      'Order,Pieces,Price,Off,Digital\n1,1,30,4,no\n1,1,,,yes\n',
      26,
      DIGITAL,
    ],
    [
      'is without discounts and taxes where pieces are a constant, too',
      'Order,Price,Off\n1,180,60\n',
      100,
      { taxIncluded: '20%', constants: { ...CONSTANTS, 'items[].quantity': '1' } },
    ],
  ];
  test.each(ROWS)('%s', async (_, text, value, map = {}) => {
    const { ran, customs, bodies } = await booked(text, map, EUR);
    expect([ran.exitCode, customs]).toEqual([0, [value]]);
    const sum = bodies[0]?.items.reduce(
      (total, { totalPrice = 0 }) => total + Math.round(totalPrice * 100),
      0,
    );
    expect(sum).toBe(Math.round(value * 100));
  });

  const NO_PIECES = /^line 2: items\[0\]\.quantity is missing, and without it no discount, tax or row/;

  test.each([
    [
      'Order,Pieces,Price,Off all,Digital\n1,1,30,4,no\n1,1,,,yes\n',
      /^line 2 has a row that is not sent and has no price, /,
    ],
    ['Order,Pieces,Price,Off,Digital\n1,,30,4,no\n', NO_PIECES],
    ['Order,Pieces,Goods,Price,Digital\n1,,40,30,no\n1,1,40,10,yes\n', NO_PIECES],
    ['Order,Pieces,Price,Off,Digital\n1,1,,4,no\n', /^line 2: items\[0\]\.unitPrice is missing, and/],
    [
      'Order,Pieces,Goods,Price,Digital\n1,1,40,30,no\n1,1,40,,no\n',
      /^line 2: items\[1\]\.unitPrice is required$/,
    ],
  ])('that a line leaves open is a problem, and not what it cost before sums: %j', async (text, problem) => {
    const { ran } = await booked(text, DIGITAL, `${EUR} --set items[0].quantity=1`);
    expect([ran.exitCode, ran.requests]).toEqual([2, []]);
    expect(issuesOf(ran).filter(issue => !/(totalPrice is required|-value\))$/.test(issue))).toEqual([
      expect.stringMatching(problem),
    ]);
  });

  test('is what the file says of an order without items, if nothing comes off it', async () => {
    const text = 'Order;Goods\n1;40,00\n';
    const map = { decimal: ',', constants: {} };
    const items =
      '--item description=Shirt,quantity=1,unitPrice=40,totalPrice=40,hsCode=610910,countryOfOrigin=TR';
    const { ran, customs } = await booked(text, map, `${EUR} ${items}`);
    expect([ran.exitCode, customs]).toEqual([0, [40]]);
    expect(issuesOf((await booked(text, map, EUR)).ran).join('\n')).toContain('items is required (--item)');
  });

  const OWN = { columns: { Pieces: 'items[0].quantity', Price: 'items[0].unitPrice' } };

  test('is without the sums of a line where its item has headers of its own, or is of JSON', async () => {
    const text = 'Order,Pieces,Price,Off,Tax\n1,2,50,30,10\n';
    const { rig, customs } = await booked(text, OWN, EUR);
    expect(customs).toEqual([60]);
    const map = JSON.parse(readFileSync(join(rig.folder, 'map.json'), 'utf8'));
    const json = JSON.stringify({ Order: 2, Pieces: 3, Price: 10.5, Off: 1.5, Tax: '2,00' });
    for (const columns of [map.columns, { ...map.columns, ...COLUMNS }]) {
      rig.file('map.json', { ...map, columns, decimal: ',' });
      rig.file('orders.jsonl', json);
      const ran = await rig.run(`${SHIP.replace('.csv', '.jsonl')} --receiver receiver.json${EUR} --dry-run`);
      expect(summaryOf(ran).goods?.value).toEqual({ EUR: 28 });
    }
  });

  test.each<[string, string, RegExp, Record<string, unknown>?]>([
    [
      'where no row has an item of its own',
      'Order,Pieces,Price,More,Its price,Off\n1,2,50,1,10,30\n',
      /^line 2: Off is "30", .*of one item \(discount\), but the items of the order \(2\) have no rows/,
      { columns: { ...OWN.columns, More: 'items[1].quantity', 'Its price': 'items[1].unitPrice' } },
    ],
    [
      'where its row has none',
      'Order,Pieces,Price,Tax\n1,2,50,0\n1,,,7.50\n',
      /^line 2: Tax is "7\.50" in row 2 of the order, which has no item, /,
    ],
    [
      'of an order, where another row has another one',
      'Order,Pieces,Price,Off all\n1,1,50,5.00\n1,1,50,0\n1,1,50,20\n1,1,50,5\n',
      /^line 2: Off all is "20" in row 3 of the order, but "5\.00" in row 1, .*map it to "discount"$/,
    ],
    [
      'of an order without items',
      'Order,Off all\n1,5\n',
      /^line 2: items are not in the file, and without them its discounts and taxes cannot be taken off/,
    ],
  ])('is never without a sum of the file in silence: %s', async (_, text, problem, map = {}) => {
    const { ran } = await booked(text, map, EUR);
    expect([ran.exitCode, ran.requests]).toEqual([2, []]);
    expect(issuesOf(ran).filter(issue => !issue.endsWith('(--total-goods-value)'))).toEqual([
      expect.stringMatching(problem),
    ]);
  });

  const UNLIKE = /goods cost 18 EUR, but its lines add up to 20 EUR after discounts; 18 EUR is declared/;

  test.each<[string, string, number, RegExp, string?]>([
    ['the shop and its lines', 'Order,Pieces,Price,Goods\n1,2,10,18\n', 18, UNLIKE],
    ['no two, with the discount', 'Order,Pieces,Price,Goods,Off all\n1,2,10,18,2\n', 18, /^$/],
    [
      'no two: some of the discount is of the shipping',
      'Order,Pieces,Price,Goods,Off all\n1,2,10,18,5\n',
      18,
      /^$/,
    ],
    ['a line and its pieces', 'Order,Pieces,Price,Total\n1,2,12.50,99\n', 99, /99 EUR for 2 × 12\.5/],
    ['no two: 3.33 is rounded', 'Order,Pieces,Price,Total\n1,3,3.33,10\n', 10, /^$/],
    ['no two: 3.34 is rounded', 'Order,Pieces,Price,Total\n1,3,3.34,10\n', 10, /^$/],
    ['no two: a yen has no cents', 'Order,Pieces,Price,Total\n1,3,33,100\n', 100, /^$/, '--currency JPY'],
    [
      'discounts above its price, of which nothing is left',
      'Order,Pieces,Price,Off all\n1,1,10,12\n',
      0,
      /its discounts are 2 EUR above the price of its goods/,
    ],
  ])(
    'that is told in two ways is told, and what is declared: %s',
    async (_, text, value, words, flags = EUR) => {
      const { ran, customs } = await booked(text, {}, flags);
      expect([ran.exitCode, customs, ran.stderr]).toEqual([0, [value], expect.stringMatching(words)]);
    },
  );

  test('is without a row below 0, which is no goods: it is a problem, until the map says so', async () => {
    const text = 'Order,Pieces,Price,Digital\n1,1,20,\n1,1,-5.00,voucher\n';
    const { ran } = await booked(text, {}, EUR);
    expect([ran.exitCode, ran.requests]).toEqual([2, []]);
    expect(issuesOf(ran)).toEqual([
      expect.stringMatching(/^line 2: items\[1\]\.unitPrice must not be negative, not -5; .*"skipItems"/),
    ]);
    const { bodies, customs } = await booked(text, { skipItems: { Digital: ['voucher'] } }, EUR);
    expect([customs, bodies[0]?.items.length]).toEqual([[15], 1]);
  });
});

test.each([
  'sold',
  'paid',
  'kept',
  'untaxed',
  'orderGoods',
  'orderTotal',
  'orderShipping',
  'orderTax',
  'orderRefund',
])("What the sum %s means is known of a shop alone: in a map of one's own it is refused", async sum => {
  const { ran } = await booked('Order,Pieces,Price,Sum\n1,1,5,5\n', { columns: { Sum: sum } }, EUR);
  expect([ran.exitCode, ran.requests]).toEqual([2, []]);
  expect(issuesOf(ran)).toEqual([
    expect.stringContaining(`Sum is not a field of ship (the map says: ${sum})`),
  ]);
});

describe('An amount', () => {
  test.each([
    ['$1,234.50', '1234.50', 'USD'],
    ['1.234,50 €', '1234.50', 'EUR'],
    ['EUR 12,00', '12.00', 'EUR'],
    ['£7.50', '7.50', 'GBP'],
    ['AU $29.00', '29.00', 'AUD'],
    ['1 234,5 zł', '1234.5', 'PLN'],
    ["CHF 1'234.50", '1234.50', 'CHF'],
    ['-3.00', '-3.00', undefined],
    ['1.234.567', '1234567', undefined],
    ['1,23,456.70', '123456.70', undefined],
    ['₺1.234,00', '1234.00', 'TRY'],
    ['0.807', '0.807', undefined],
    ['.5', '0.5', undefined],
    ['16.806723', '16.806723', undefined],
    ['US $12.50', '12.50', 'USD'],
    ['USD $12.50', '12.50', 'USD'],
    ['$1,234.50 USD', '1234.50', 'USD'],
    ['$12.50 CAD', '12.50', 'CAD'],
    ['1.234,50 TL', '1234.50', 'TRY'],
    ["1'234.50 Fr.", '1234.50', 'CHF'],
    ['kr 120', '120', undefined],
    ['120 kr.', '120', undefined],
    ['R$ 10,00', '10.00', 'BRL'],
    ['₹1,20,000.00', '120000.00', 'INR'],
    ['Rs.500', '500', undefined],
    ['\u200f12.50\u00a0₪', '12.50', 'ILS'],
    ["'12.50", '12.50', undefined],
    ['($5.00)', '-5.00', 'USD'],
    ['5.00- €', '-5.00', 'EUR'],
    ['12 500', '12500', undefined],
  ])('%s is %s of %s', (cell, amount, currency) => {
    expect([amountIn(cell, undefined), currencyIn(cell)]).toEqual([{ amount }, currency]);
  });

  test.each([
    ['2,50', {}, 1236.5],
    ['2.50', {}, 3.73],
    ['5', { decimal: ',' }, 1239],
    ['5', { decimal: '.' }, 6.23],
  ])(
    'that may be two is read by another one of the order, or by the map: %s %j',
    async (second, map, value) => {
      const { customs } = await booked(`Order;Pieces;Price\n1;1;1.234\n1;1;${second}\n`, map, EUR);
      expect(customs).toEqual([value]);
    },
  );

  test.each([
    ...['12.5.3', '01.02.26', '23.11.2026', '1.2345,6', '1e3', '1,234.567,8'],
    // What a spreadsheet makes of 12.50.
    ...['Ara.50', '12.May', '01.Eki', 'Dec-50', '12-May'],
    ...[
      '12abc',
      '12 50',
      "12'50",
      '1 2345',
      '~12',
      '12%',
      '12/50',
      '(5',
      '-(5)',
      '--5',
      '12,-',
      '€12 USD',
      'eur',
    ],
  ])('is not %s', cell => {
    expect(amountIn(cell, undefined)).toBe('must be an amount');
  });

  const MAPPED = { constants: { ...CONSTANTS, 'customs.currency': 'CAD' } };

  test.each<[string, string | undefined, string | undefined, string?, object?]>([
    ['EUR 12,00', undefined, 'EUR'],
    ['£7.50', undefined, 'GBP'],
    // A sign that several countries have is that of the column, the map or the flag.
    ['$1.00', 'MXN', 'MXN'],
    ['120 kr', 'NOK', 'NOK'],
    ['¥100', 'CNY', 'CNY'],
    ['$1.00', undefined, 'CAD', '', MAPPED],
    ['$1.00', undefined, 'CAD', '--currency CAD'],
    ['120 kr', undefined, 'SEK', '--currency SEK'],
    // Two currencies in one order.
    ['€1,00', 'GBP', undefined],
    ['$1.00', 'EUR', undefined],
    ['USD 1.00', 'EUR', undefined],
    ['kr 1.00', 'EUR', undefined],
    ['120 kr', undefined, undefined, '--currency USD'],
  ])('%s beside %s gives the currency %s %s', async (cell, column, currency, flags = '', map = {}) => {
    const text = column
      ? `Order;Pieces;Price;Currency\n1;1;${cell};${column}\n`
      : `Order;Pieces;Price\n1;1;${cell}\n`;
    const { ran, bodies } = await booked(text, map as Record<string, unknown>, flags);
    expect(bodies.map(({ customs }) => customs.currency)).toEqual(currency ? [currency] : []);
    if (!currency) expect(issuesOf(ran)[0]).toMatch(/customs\.currency is \w+ and \w+ in one order/);
  });

  test('of two currencies in two rows of one order is a problem', async () => {
    const { ran } = await booked('Order;Pieces;Price\n1;1;€1,00\n1;1;£7.50\n');
    expect(issuesOf(ran)[0]).toContain('customs.currency is EUR and GBP in one order');
  });

  test('is read as it was written, in every style', () => {
    const STYLES: readonly [group: string, sign: string, before: string, after: string][] = [
      [',', '.', '$', ''],
      ['.', ',', '', ' €'],
      [' ', ',', '', ' zł'],
      ['', '.', 'EUR ', ''],
      ["'", '.', 'CHF ', ''],
      ['\u202f', ',', '', '\u00a0€'],
    ];
    fc.assert(
      fc.property(fc.nat(99_999_999), fc.constantFrom(...STYLES), (cents, [group, sign, before, after]) => {
        const whole = String(Math.floor(cents / 100)).replace(/\B(?=(\d{3})+$)/g, group);
        const decimals = String(cents % 100).padStart(2, '0');
        const cell = `${before}${whole}${sign}${decimals}${after}`;
        expect(amountIn(cell, undefined)).toEqual({ amount: (cents / 100).toFixed(2) });
        expect(decimalSign(cell)).toBe(sign);
      }),
      runs(200),
    );
  });
});

describe('The receiver', () => {
  const ADDRESS = {
    'Bill name': 'billing',
    'Bill street': 'billing.address.line1',
    'Bill city': 'billing.address.city',
    'Bill zip': 'billing.address.zipCode',
    'Bill country': 'billing.address.country.code',
    'Bill phone': 'billing.phone',
    Name: 'receiver',
    Street: 'receiver.address.line1',
    More: 'receiver.address.line2',
    Third: 'receiver.address.line3',
    City: 'receiver.address.city',
    Zip: 'receiver.address.zipCode',
    Country: 'receiver.address.country.code',
    Mail: 'receiver.email',
    Phone: 'receiver.phone',
  };
  const MAP = {
    columns: ADDRESS,
    transform: { 'Bill name': 'name', Name: 'name', 'Bill phone': 'phone', Phone: 'phone' },
  };
  const receiverOf = async (cells: Record<string, string>) => {
    const all: Record<string, string> = {
      Order: '1',
      Pieces: '1',
      Price: '5',
      Mail: 'a@example.com',
      ...cells,
    };
    const text = `${Object.keys(all).join(';')}\n${Object.values(all).join(';')}\n`;
    const { ran, bodies } = await booked(text, MAP, EUR);
    return ran.exitCode === 0 ? bodies[0]?.receiver : issuesOf(ran);
  };
  const PAYER = {
    'Bill name': 'Bernd Zahler',
    'Bill street': 'Ring 1',
    'Bill city': 'Berlin',
    'Bill zip': '10115',
    'Bill country': 'DE',
    'Bill phone': '030 5550100',
  };
  const OWN = { Street: 'Hauptstr. 7', City: 'Dresden', Zip: '01067', Country: 'DE' };

  test('with a name and an address of its own does not wait for those of who pays to be right', async () => {
    const wrong = {
      'Bill name': 'Cher',
      'Bill country': 'Atlantis',
      'Bill phone': 'none',
      Phone: '030 5550101',
    };
    expect(await receiverOf({ ...PAYER, ...OWN, ...wrong, Name: 'Anna Beispiel' })).toMatchObject({
      ...{ firstName: 'Anna', phone: { number: '305550101' }, address: { city: 'Dresden' } },
    });
  });

  test.each([
    [{ Street: '', More: 'Hauptstr. 7', Third: '' }, 'Hauptstr. 7', undefined],
    [{ Street: 'Hauptstr. 7', More: '', Third: 'Hof' }, 'Hauptstr. 7', 'Hof'],
  ])('has two lines of three, and none is lost: %j', async (lines, line1, line2) => {
    const receiver = await receiverOf({ ...PAYER, ...OWN, ...lines, Name: 'Anna Beispiel' });
    expect(receiver).toMatchObject({ address: { line1, city: 'Dresden' } });
    expect((receiver as { address: Record<string, unknown> }).address.line2).toBe(line2);
  });
});

test('The number of a marketplace is what it looks like', async () => {
  const cells = ['IOSS: IM2760000742', 'GB 365 6085 76', 'ABN 64652016681'];
  const rows = cells.map((cell, at) => `${at};1;${at + 5};${cell}\n`);
  const { bodies } = await booked(`Order;Pieces;Price;Number\n${rows.join('')}`, {}, EUR);
  expect(bodies.map(({ customs }) => [customs.iossNumber, customs.marketplaceNumber])).toEqual([
    ['IM2760000742', undefined],
    [undefined, 'GB365608576'],
    [undefined, undefined],
  ]);
});
