// What a map makes of the amounts, the people and the rows of an order.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { amountIn, currencyIn, decimalSign } from '../../src/batch/money.ts';
import { issuesOf, linesIn, summaryOf } from '../rig/batch.ts';
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
  Sold: 'sold',
  Price: 'items[].unitPrice',
  Total: 'items[].totalPrice',
  Off: 'discount',
  'Off all': 'orderDiscount',
  Tax: 'tax',
  Paid: 'paid',
  Kept: 'kept',
  Untaxed: 'untaxed',
  'Paid back': 'orderRefund',
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
  const SUMS = { columns: { Sum: 'orderTotal', Shipping: 'orderShipping' } };

  const ROWS: readonly [why: string, text: string, value: number, map?: Record<string, unknown>][] = [
    ['is without the discount of a line, which is not of a piece', 'Order,Pieces,Price,Off\n1,3,10,4\n', 26],
    ['is so if the shop writes the discount with a minus', 'Order,Pieces,Price,Off\n1,3,10,-4.00\n', 26],
    ['is without the discount of the order', 'Order,Pieces,Price,Off all\n1,3,10,5\n1,1,7.77,\n', 32.77],
    ['is what was paid for lines', 'Order,Pieces,Total,Price\n1,3,29.95,10\n', 29.95],
    ['is without a tax that is told by line', 'Order,Pieces,Total,Tax\n1,2,24,4\n', 20],
    ['is without a tax that prices contain', 'Order,Pieces,Price\n1,2,12\n', 20, { taxIncluded: '20%' }],
    ['is without a tax once', 'Order,Pieces,Total,Tax\n1,2,24,4\n', 20, { taxIncluded: '20%' }],
    ['is of the pieces that are left', 'Order,Pieces,Sold,Total\n1,1,3,30\n', 10],
    [
      'is of the pieces that are left, of lines after all discounts',
      'Order,Pieces,Sold,Paid,Off all\n1,1,2,9,3\n',
      4.5,
    ],
    ['is what was kept of a line', 'Order,Pieces,Sold,Paid,Kept\n1,2,2,20,15\n', 15],
    [
      'is what was kept of a line, without its tax',
      'Order,Pieces,Sold,Paid,Kept,Untaxed\n1,1,2,24,12,20\n',
      10,
    ],
    [
      'has no part of a line that does not ship',
      'Order,Pieces,Price,Digital,Off all\n1,1,30,no,4\n1,1,10,yes,\n',
      27,
      { skipItems: { Digital: ['yes'] } },
    ],
    ['is that of the shop where all of it ships', 'Order,Pieces,Price,Goods\n1,2,10,18\n', 18],
    [
      'is that of the lines where some do not',
      'Order,Pieces,Price,Goods,Digital\n1,1,10,18,no\n1,1,10,,yes\n',
      10,
      { skipItems: { Digital: ['yes'] } },
    ],
    [
      'is above 0 for pieces that are sold, and a line of none is left out',
      'Order,Pieces,Price\n1,2,10\n1,0,50\n',
      20,
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
      { skipItems: { Digital: ['yes'] } },
    ],
    [
      'is that of the lines, whatever sums nothing reads',
      'Order,Pieces,Price,Shipping\n1,1,50,4.90\n1,1,50,2.00\n',
      100,
      SUMS,
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
    const sum = bodies[0]?.items.reduce((all, { totalPrice = 0 }) => all + Math.round(totalPrice * 100), 0);
    expect(sum).toBe(Math.round(value * 100));
  });

  test.each([
    [
      'Order,Pieces,Price,Off all,Digital\n1,1,30,4,no\n1,1,,,yes\n',
      'line 2 has a row that is not sent and has no price, so that nobody knows how much of the value and the discounts of the order belongs to it: write its price into the file (0 if it was free), in a column that the map calls items[].unitPrice or items[].totalPrice',
    ],
    [
      'Order,Pieces,Price,Off,Digital\n1,,30,4,no\n',
      'line 2: items[0].quantity is missing, and without it no discount, tax or row that is not sent can be taken off; write it into the file, or into "constants" of the map',
    ],
    [
      'Order,Pieces,Goods,Price,Digital\n1,,40,30,no\n1,1,40,10,yes\n',
      'line 2: items[0].quantity is missing, and without it no discount, tax or row that is not sent can be taken off; write it into the file, or into "constants" of the map',
    ],
    [
      'Order,Pieces,Price,Off,Digital\n1,1,,4,no\n',
      'line 2: items[0].unitPrice is missing, and without it no discount, tax or row that is not sent can be taken off; write it into the file',
    ],
    [
      'Order,Pieces,Goods,Price,Digital\n1,1,40,30,no\n1,1,40,,no\n',
      'line 2: items[1].unitPrice is required',
    ],
  ])('that a line leaves open is a problem, and not what it cost before sums: %j', async (text, problem) => {
    const { ran } = await booked(
      text,
      { skipItems: { Digital: ['yes'] } },
      `${EUR} --set items[0].quantity=1`,
    );
    expect([ran.exitCode, ran.requests]).toEqual([2, []]);
    expect(issuesOf(ran).filter(issue => !/(totalPrice is required|-value\))$/.test(issue))).toEqual([
      problem,
    ]);
  });

  test('is what the file says of an order without items, if nothing comes off it', async () => {
    const text = 'Order;Goods;Sum;Shipping\n1;40;44,90;4,90\n';
    const map = { decimal: ',', constants: {}, ...SUMS };
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

  test.each<[string, string, string, Record<string, unknown>?]>([
    [
      'where no row has an item of its own',
      'Order,Pieces,Price,More,Its price,Off\n1,2,50,1,10,30\n',
      'line 2: Off is "30", and the map says that it is of one item (discount), but the items of the order (2) have no rows of their own: use a CSV with a row for each, and headers such as items[].unitPrice; if it is of the whole order, map it to "orderDiscount"',
      { columns: { ...OWN.columns, More: 'items[1].quantity', 'Its price': 'items[1].unitPrice' } },
    ],
    [
      'where its row has none',
      'Order,Pieces,Price,Tax\n1,2,50,0\n1,,,7.50\n',
      'line 2: Tax is "7.50" in row 2 of the order, which has no item, and the map says that it is of one (tax): correct the row; or leave it out ("_")',
    ],
    [
      'of an order, where another row has another one',
      'Order,Pieces,Price,Off all\n1,1,50,5.00\n1,1,50,0\n1,1,50,20\n1,1,50,5\n',
      'line 2: Off all is "20" in row 3 of the order, but "5.00" in row 1, and the map says that it is of the whole order (orderDiscount); if it is of the item of its row, map it to "discount"',
    ],
    [
      'of its shipping, beside its total',
      'Order,Pieces,Price,Sum,Shipping\n1,1,50,106.90,4.90\n1,1,50,,2.00\n',
      'line 2: Shipping is "2.00" in row 2 of the order, but "4.90" in row 1, and the map says that it is of the whole order (orderShipping): correct the rows, or leave it out ("_")',
      SUMS,
    ],
    [
      'of an order without items',
      'Order,Off all\n1,5\n',
      'line 2: items are not in the file, and without them its discounts and taxes cannot be taken off: give the items in the file, or leave out these columns ("_")',
    ],
  ])('is never without a sum of the file in silence: %s', async (_, text, problem, map = {}) => {
    const { ran } = await booked(text, map, EUR);
    expect([ran.exitCode, ran.requests]).toEqual([2, []]);
    expect(issuesOf(ran).filter(issue => !issue.endsWith('(--total-goods-value)'))).toEqual([problem]);
  });

  test('has its cents once, on the largest line', async () => {
    const { bodies } = await booked('Order,Pieces,Price,Off all\n1,1,10,1\n1,1,10,\n1,1,10.01,\n', {}, EUR);
    expect(bodies[0]?.items.map(item => item.totalPrice)).toEqual([9.67, 9.67, 9.67]);
    expect(bodies[0]?.customs.totalGoodsValue).toBe(29.01);
  });

  test('that the shop and its lines tell differently is told, and what is declared', async () => {
    const { ran } = await booked('Order,Pieces,Price,Goods\n1,2,10,18\n', {}, EUR);
    expect(ran.stderr).toContain(
      'line 2, 1: the shop says that its goods cost 18 EUR, but its lines add up to 20 EUR after discounts; 18 EUR is declared',
    );
    const explained = await booked('Order,Pieces,Price,Goods,Off all\n1,2,10,18,2\n', {}, EUR);
    expect(explained.ran.stderr).toBe('');
  });

  test('of which a line and its pieces tell two things is told, and what is declared, but not of rounded pieces', async () => {
    const { ran, customs } = await booked('Order,Pieces,Price,Total\n1,2,12.50,99\n', {}, EUR);
    expect([ran.exitCode, customs]).toEqual([0, [99]]);
    expect(ran.stderr).toContain('line 2, 1 99 EUR for 2 × 12.5: the price of a line');
    for (const row of ['3,3.33,10', '3,3.34,10', '2,5,10'])
      expect((await booked(`Order,Pieces,Price,Total\n1,${row}\n`, {}, EUR)).ran.stderr).toBe('');
    const yen = await booked('Order,Pieces,Price,Total\n1,3,33,100\n', {}, EUR.replace('EUR', 'JPY'));
    expect([yen.customs, yen.ran.stderr]).toEqual([[100], '']);
    const paid = await booked('Order,Pieces,Price,Paid\n1,2,12.50,20\n', {}, EUR);
    expect([paid.customs, paid.ran.stderr]).toEqual([[20], '']);
  });

  test('is without a row below 0, which is no goods: it is a problem, until the map says so', async () => {
    const text = 'Order,Pieces,Price,Digital\n1,1,20,\n1,1,-5.00,voucher\n';
    const { ran } = await booked(text, {}, EUR);
    expect([ran.exitCode, ran.requests]).toEqual([2, []]);
    expect(issuesOf(ran)).toEqual([
      'line 2: items[1].unitPrice must not be negative, not -5; if its row is a discount, and no goods, name that in "skipItems" of the map: it then comes off the others',
    ]);
    const { bodies, customs } = await booked(text, { skipItems: { Digital: ['voucher'] } }, EUR);
    expect([customs, bodies[0]?.items.length]).toEqual([[15], 1]);
  });

  test('is nothing where discounts are above it, which is told', async () => {
    const { ran, customs } = await booked('Order,Pieces,Price,Off all\n1,1,10,12\n', {}, EUR);
    expect(customs).toEqual([0]);
    expect(ran.stderr).toContain('its discounts are 2 EUR above the price of its goods');
  });

  test('of an order of which something was paid back, and no line says of what, is not known: it is left out', async () => {
    const text = 'Order,Pieces,Sold,Price,Paid back\n1,1,1,10,0.00\n2,1,1,11,3.00\n3,1,2,12,12\n';
    const { rig, ran } = await booked(text, {}, EUR);
    expect(linesIn(rig).map(({ key }) => key)).toEqual(['1', '3']);
    expect(ran.stderr).toContain('Paid back is \\"3.00\\", and no line tells of what (1)');
    const taken = await booked(text, {}, `${EUR} --include 2`);
    expect(taken.customs).toEqual([10, 11, 12]);
  });
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

  test('that may be two is neither, unless another one of the order or the map shows its sign', async () => {
    const rows = (other: string) => `Order;Pieces;Price\n1;1;1.234\n1;1;${other}\n`;
    const open = await booked(rows('5'), {}, EUR);
    expect(issuesOf(open.ran)[0]).toContain('Price may be 1234 or 1.234; say "decimal" in the map');
    expect((await booked(rows('2,50'), {}, EUR)).customs).toEqual([1236.5]);
    expect((await booked(rows('2.50'), {}, EUR)).customs).toEqual([3.73]);
    expect((await booked(rows('5'), { decimal: ',' }, EUR)).customs).toEqual([1239]);
    expect((await booked(rows('5'), { decimal: '.' }, EUR)).customs).toEqual([6.23]);
  });

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

  test('that a spreadsheet has changed is a problem of its order, and nothing of the file is sent', async () => {
    const { ran, bodies } = await booked('Order;Pieces;Price\n1;1;12.May\n2;1;5\n', {}, EUR);
    expect([ran.exitCode, bodies]).toEqual([2, []]);
    expect(issuesOf(ran)[0]).toContain('Price must be an amount, not "12.May"');
  });

  test('gives the currency where no column does, and two of them in one order are a problem', async () => {
    const text = 'Order;Pieces;Price\n1;1;EUR 12,00\n2;1;£7.50\n';
    const { bodies } = await booked(text);
    expect(bodies.map(({ customs }) => customs.currency)).toEqual(['EUR', 'GBP']);
    const both = await booked('Order;Pieces;Price\n1;1;€1,00\n1;1;£7.50\n');
    expect(issuesOf(both.ran)[0]).toContain('customs.currency is EUR and GBP in one order');
    const other = await booked('Order;Pieces;Price;Currency\n1;1;€1,00;GBP\n');
    expect(issuesOf(other.ran)[0]).toContain('customs.currency is GBP and EUR in one order');
    for (const cell of ['$1.00', 'USD 1.00', 'kr 1.00']) {
      const euros = await booked(`Order;Pieces;Price;Currency\n1;1;${cell};EUR\n`);
      expect([euros.ran.exitCode, euros.bodies]).toEqual([2, []]);
      expect(issuesOf(euros.ran)[0]).toMatch(/customs.currency is EUR and (USD|kr) in one order/);
    }
    for (const [cell, currency] of [
      ['$1.00', 'MXN'],
      ['120 kr', 'NOK'],
      ['¥100', 'CNY'],
    ]) {
      const same = await booked(`Order;Pieces;Price;Currency\n1;1;${cell};${currency}\n`);
      expect(same.bodies[0]?.customs.currency).toBe(currency);
    }
    // A dollar may be that of another country, which the map says.
    const dollars = await booked('Order;Pieces;Price\n1;1;$1.00\n', {
      constants: { ...CONSTANTS, 'customs.currency': 'CAD' },
    });
    expect(dollars.bodies[0]?.customs.currency).toBe('CAD');
    for (const [cell, currency] of [
      ['$1.00', 'CAD'],
      ['120 kr', 'SEK'],
    ]) {
      const flagged = await booked(`Order;Pieces;Price\n1;1;${cell}\n`, {}, `--currency ${currency}`);
      expect(flagged.bodies[0]?.customs.currency).toBe(currency);
    }
    const crowns = await booked('Order;Pieces;Price\n1;1;120 kr\n', {}, '--currency USD');
    expect([crowns.ran.exitCode, crowns.bodies]).toEqual([2, []]);
    expect(issuesOf(crowns.ran)[0]).toContain('customs.currency is USD and kr in one order');
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

  test('is who pays where no column of an address has a cell, with a phone number of that country', async () => {
    expect(
      await receiverOf({ ...PAYER, Name: '', Street: '', City: '', Zip: '', Country: '' }),
    ).toMatchObject({
      ...{ firstName: 'Bernd', lastName: 'Zahler', phone: { code: '+49', number: '305550100' } },
      address: { line1: 'Ring 1', city: 'Berlin' },
    });
  });

  test('has its own address, and is named as who pays only where it has no name', async () => {
    expect(await receiverOf({ ...PAYER, ...OWN, Name: 'Anna Beispiel' })).toMatchObject({
      ...{ firstName: 'Anna', lastName: 'Beispiel', address: { line1: 'Hauptstr. 7', city: 'Dresden' } },
    });
    expect(await receiverOf({ ...PAYER, ...OWN, Name: '' })).toMatchObject({
      ...{ lastName: 'Zahler', address: { city: 'Dresden', zipCode: '01067' } },
    });
    expect(await receiverOf({ ...PAYER, Street: 'Hauptstr. 7', Name: '', Phone: '' })).toContain(
      'line 2: receiver.address.city is required',
    );
  });

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
    [
      { Street: 'Noten GmbH', More: 'c/o Weber', Third: 'Hauptstr. 7' },
      'Noten GmbH',
      'c/o Weber, Hauptstr. 7',
    ],
    [{ Street: '', More: 'Hauptstr. 7', Third: '' }, 'Hauptstr. 7', undefined],
    [{ Street: 'Hauptstr. 7', More: '', Third: 'Hof' }, 'Hauptstr. 7', 'Hof'],
  ])('has two lines of three, and none is lost: %j', async (lines, line1, line2) => {
    const receiver = await receiverOf({ ...PAYER, ...OWN, ...lines, Name: 'Anna Beispiel' });
    expect(receiver).toMatchObject({ address: { line1, city: 'Dresden' } });
    expect((receiver as { address: Record<string, unknown> }).address.line2).toBe(line2);
  });

  test('may be called behind an extension', async () => {
    const receiver = await receiverOf({
      ...PAYER,
      ...OWN,
      Name: 'Anna Beispiel',
      Phone: '+1 212-555-0142 ext. 12',
    });
    expect(receiver).toMatchObject({ phone: { code: '+1', number: '2125550142' } });
  });
});

test('Entities are read where the map says so, and in an export of a shop', async () => {
  const columns = { Item: 'items[].description' };
  const text = 'Order,Pieces,Price,Item\n1,1,5,Cap &quot;A&quot; &amp; B\n';
  const { bodies } = await booked(text, { columns, transform: { Item: 'html' } }, EUR);
  expect(bodies[0]?.items[0]?.description).toBe('Cap "A" & B');
});

test.each([
  ['IOSS: IM2760000742', { iossNumber: 'IM2760000742' }],
  ['GB 365 6085 76', { marketplaceNumber: 'GB365608576' }],
  ['ABN 64652016681', {}],
])('The number of a marketplace is what it looks like: %s', async (cell, expected) => {
  const { bodies } = await booked(`Order;Pieces;Price;Number\n1;1;5;${cell}\n`, {}, EUR);
  const { iossNumber, marketplaceNumber } = bodies[0]?.customs ?? {};
  expect({ iossNumber, marketplaceNumber }).toEqual({
    iossNumber: undefined,
    marketplaceNumber: undefined,
    ...expected,
  });
});

describe('An order that is in the file twice', () => {
  const LINES = 'Order;Line;Pieces;Price\n1;A1;1;5\n1;A2;2;5\n2;B1;1;5\n';
  const again = (text: string) => text + text.slice(text.indexOf('\n') + 1);
  const sorted = (text: string) => {
    const [head = '', ...rows] = again(text).trimEnd().split('\n');
    return `${[head, ...rows.toSorted()].join('\n')}\n`;
  };
  const LINE = { line: 'Line', columns: { Line: '_' } };

  test('one export behind the other, is a problem of its record', async () => {
    const { ran } = await booked(again(LINES), LINE, EUR);
    expect([ran.exitCode, ran.requests]).toEqual([2, []]);
    expect(issuesOf(ran)[0]).toContain('is on lines 2 and 5');
  });

  test('sorted, is a problem by the ids of its lines, and the others are booked', async () => {
    const { ran } = await booked(sorted(LINES), LINE, EUR);
    expect(issuesOf(ran)).toEqual([
      'line 2: Line is "A1" on lines 2 and 3: it is in the file twice; remove one of them',
      'line 6: Line is "B1" on lines 6 and 7: it is in the file twice; remove one of them',
    ]);
    const other = await booked(`${sorted(LINES)}3;C1;1;5\n`, LINE, `${EUR} --skip-invalid`);
    expect([other.ran.exitCode, other.customs]).toEqual([9, [5]]);
  });

  test('is a problem by what its first row alone says', async () => {
    const text = 'Order;Currency;Pieces;Price\n1;EUR;1;5\n1;;2;5\n1;EUR;1;5\n1;;2;5\n2;EUR;1;5\n2;;1;6\n';
    const { ran } = await booked(text);
    expect(issuesOf(ran)).toEqual([
      'line 2: Currency stands in equal rows on lines 2 and 4: it is in the file twice; remove one of them',
    ]);
  });

  test('is a warning where nothing tells it from two equal lines', async () => {
    const text = 'Order;Pieces;Price\n1;1;5\n1;1;5\n2;1;5\n';
    const { ran, customs } = await booked(text, {}, EUR);
    expect([ran.exitCode, customs]).toEqual([0, [10, 5]]);
    expect(ran.stderr).toContain('line 2, 1: the order has two equal rows, and so the goods of both');
    expect((await booked(text, {}, `${EUR} --strict`)).ran.exitCode).toBe(2);
  });
});

test('What is wrong with the new parts of a map is told', async () => {
  const rig = await shop('Order,Pieces,Price\n1,1,1\n', {
    line: 7,
    taxIncluded: 20,
  });
  expect(issuesOf(await rig.run(`${SHIP} --receiver receiver.json`))).toEqual([
    'line must be the name of a column, not 7',
    'taxIncluded must be a rate, such as "20%", not 20',
  ]);
  const named = await shop('Order,Pieces,Price\n1,1,1\n', { line: 'Lin' });
  expect(issuesOf(await named.run(`${SHIP} --receiver receiver.json`))).toEqual([
    'Lin the map names the column "Lin", which orders.csv does not have',
  ]);
});

test('A row with more cells than the header is a problem of its record', async () => {
  const { ran } = await booked('Order,Pieces,Price\n1,1,1,9\n2,1,1\n', {}, EUR);
  expect(issuesOf(ran)).toEqual(['line 2 has 4 cells, but the header has 3']);
  const tab = await booked('Order\tPieces\tPrice\n1\t"1\t1"\t9\n', {}, EUR);
  expect(issuesOf(tab.ran)[0]).toBe(
    'line 2 has 4 cells, but the header has 3 (a tab ends a cell, in quotes, too)',
  );
});
