// A shop's own export becomes orders: built-in maps, a product table, what is left out, and the map that is proposed for a file.
import { copyFileSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { csvRow } from '../../src/batch/csv.ts';
import { MAP_PARTS } from '../../src/batch/map-json.ts';
import { issuesOf, jsonLines, linesIn, summaryOf } from '../rig/batch.ts';
import { createRig, type Ran, type Rig } from '../rig/command.ts';
import { errorOf, SHIPMENT } from '../rig/service.ts';
import { runs } from '../torture/size.ts';

const SIDES = {
  'packages[0].dimensions.length': '30',
  'packages[0].dimensions.width': '20',
  'packages[0].dimensions.height': '10',
};

interface Body {
  items: Record<string, unknown>[];
  packages: Record<string, unknown>[];
  customs: Record<string, unknown>;
}

/** What was booked. */
const bookedBy = ({ requests }: Ran): Body[] =>
  requests.filter(({ path }) => path === '/v1/shipments').map(({ body }) => JSON.parse(body));

test('The export of Shopify in the documents is booked with a product table, until one of its orders is cancelled', async () => {
  const rig = await createRig();
  for (const name of ['shopify.csv', 'products.csv'])
    copyFileSync(resolve('fixtures/shops', name), join(rig.folder, name));
  rig.file('sender.json', SHIPMENT.sender);
  rig.file('my.map.json', {
    extends: 'shopify',
    // The table has words that customs understand.
    columns: { 'Lineitem name': '_', 'Item Name': '_' },
    lookup: {
      ...{ file: 'products.csv', by: 'Lineitem sku', key: 'SKU' },
      columns: {
        'Customs description': 'items[].description',
        HS: 'items[].hsCode',
        Origin: 'items[].countryOfOrigin',
        Grams: 'packages[0].weight',
      },
    },
    transform: { Grams: 'g', Origin: 'country' },
    ...{ tare: '0.15kg', constants: SIDES },
  });
  const command =
    'batch ship shopify.csv --map my.map.json --sender sender.json --type package --category sales --carrier EXP --concurrency 1 --json';
  const ran = await rig.run(command);
  expect(summaryOf(ran)).toMatchObject({ records: 30, leftOut: 10, states: { created: 30 } });
  expect(ran.stderr).toContain('the map leaves out 2 items of orders that it keeps');
  expect(ran.stderr).toContain('for 2 of 30 orders the sum of the items that are sent is declared');
  // The third order has three items on three rows, and a note with a line break: towels, a shirt, two caps and the packaging.
  expect(bookedBy(ran)[2]).toMatchObject({
    items: ['Cotton towel', 'Cotton T-shirt', 'Cotton cap'].map(description => ({ description })),
    packages: [{ weight: 1.56, quantity: 1 }],
    customs: { totalGoodsValue: 133, currency: 'EUR' },
  });
  // Its items and products are no matter of a shipment that is read.
  const tracked = await rig.run('batch track shopify.csv --map my.map.json --json');
  expect(summaryOf(tracked)).toMatchObject({ records: 30, states: { done: 30 } });

  const lines = readFileSync(join(rig.folder, 'shopify.csv'), 'utf8').split('\n');
  const key = linesIn(rig, 'shopify.results.jsonl')[0]?.key ?? '';
  const at = lines[0]?.split(',').indexOf('Cancelled at') ?? -1;
  const first = lines.findIndex(line => line.startsWith(`${key},`));
  lines[first] = lines[first]?.split(',').with(at, '2026-03-01 10:00:00 +0100').join(',') ?? '';
  rig.file('shopify.csv', lines.join('\n'));
  const again = await rig.run(command);
  expect([again.exitCode, again.requests]).toEqual([0, []]);
  expect(again.stderr).toContain(`orders that the map leaves out are booked already: \\"${key}\\"`);
  await rig.run(['history', 'cancelled', key, '--reason', 'the provider says so', '--yes']);
  expect((await rig.run(command)).stderr).not.toContain('booked already');
});

const CONSTANTS = {
  ...SIDES,
  'items[].description': 'Shirt',
  'items[].countryOfOrigin': 'TR',
  'customs.currency': 'EUR',
};

const TABLE = 'SKU,HS,kg\nA,610910,0.2\nB,650500,0.1\n';

const BY_SKU = {
  ...{ file: 'table.csv', by: 'sku', key: 'SKU' },
  columns: { HS: 'items[].hsCode', kg: 'packages[0].weight' },
};

/** A shop with a product table beside its map. Its orders are a CSV, or records of JSON. */
async function shop(orders: string | object[], map: object = {}, table = TABLE): Promise<Rig> {
  const rig = await createRig();
  rig.file('sender.json', SHIPMENT.sender);
  rig.file('receiver.json', SHIPMENT.receiver);
  rig.file('table.csv', table);
  rig.file('shop.json', { lookup: BY_SKU, constants: CONSTANTS, ...map });
  rig.file(typeof orders === 'string' ? 'orders.csv' : 'orders.json', orders);
  return rig;
}

const ship = (rig: Rig, more = '', file = 'orders.csv') =>
  rig.run(
    `batch ship ${file} --map ./shop.json --sender sender.json --receiver receiver.json --type package --category sales --carrier EXP --concurrency 1 --json ${more}`.trim(),
  );

const HEADER = 'key,sku,items[].quantity,items[].unitPrice,items[].hsCode\n';
const TWO = `${HEADER}1,A,2,10,\n1,B,3,5,999999\n2,A,1,10,\n`;

describe('A product table', () => {
  test('makes an item of each row, also of a file with no other column of items', async () => {
    const parcel = { 'packages[0].weight': '1', 'packages[0].quantity': '1' };
    const same = { 'items[].quantity': '1', 'items[].unitPrice': '5', ...parcel };
    const lookup = { ...BY_SKU, columns: { HS: 'items[].hsCode' } };
    const map = { lookup, constants: { ...CONSTANTS, ...same } };
    const ran = await ship(await shop('key,sku\n1,A\n1,B\n2,A\n', map));
    expect(bookedBy(ran)).toMatchObject([
      { items: [{ hsCode: '610910' }, { hsCode: '650500' }], customs: { totalGoodsValue: 10 } },
      { items: [{ hsCode: '610910' }] },
    ]);
  });

  test('leaves the weight alone that an order has, and a value of the goods that a flag gives', async () => {
    const columns = 'key,sku,items[].quantity,items[].unitPrice,packages[0].weight,packages[0].quantity';
    const ran = await ship(await shop(`${columns}\n1,A,2,10,4,2\n`), '--total-goods-value 7');
    expect(bookedBy(ran)).toMatchObject([
      { packages: [{ weight: 4, quantity: 2 }], customs: { totalGoodsValue: 7 } },
    ]);
  });

  test('may be JSON, and so may the orders, with the SKU in a field or in each item', async () => {
    const table = [
      { SKU: 'A', HS: 610910, kg: 0.2 },
      { SKU: 'B', HS: 650500, kg: 0.1 },
    ];
    const item = (sku: string, quantity: number) => ({ sku, quantity, unitPrice: 3 });
    for (const [by, order, codes, weight] of [
      ['items[].sku', { items: [item('A', 2), item('B', 1)] }, ['610910', '650500'], 0.5],
      ['sku', { sku: 'B', items: [{ quantity: 1, unitPrice: 4 }] }, ['650500'], 0.1],
    ] as const) {
      const rig = await shop([{ key: '1', ...order }], { lookup: { ...BY_SKU, file: 'table.jsonl', by } });
      rig.file('table.jsonl', jsonLines(table));
      const items = codes.map(hsCode => ({ hsCode }));
      const ran = await ship(rig, '', 'orders.json');
      expect(bookedBy(ran)).toMatchObject([{ items, packages: [{ weight }] }]);
    }
  });

  test('without a SKU, with one that it does not have, and without a weight: each is told once, and nothing is sent', async () => {
    const rig = await shop(
      `${HEADER}1,X,1,1,\n2,X,1,1,\n3,,1,1,610910\n4,C,1,1,610910\n5,D,1,1,610910\n`,
      {},
      `${TABLE}C,610910,\nD,610910,light\n`,
    );
    const ran = await ship(rig);
    expect([ran.exitCode, ran.requests]).toEqual([2, []]);
    expect(issuesOf(ran)).toEqual(
      [
        /^line 2 and line 3: sku is "X", which is not in/,
        /^line 4: sku is empty/,
        /^line 5: kg of C .*is empty/,
        /^line 6: kg of D .*must be a weight above 0 .*"light"/,
      ].map(words => expect.stringMatching(words)),
    );
  });

  test.each([
    [TWO, 'Sku,HS,kg\nA,1,1\n', /^SKU is not a column of table\.csv; its columns are Sku, HS, kg$/],
    [TWO, 'SKU,HS,kg\n', /^SKU is empty in all rows/],
    [
      TWO,
      'SKU,kg,HS\nA,1,1\nB,1\n',
      /^line 2: sku is "B", which has a row of 2 cells in table\.csv, but its header has 3$/,
    ],
    [
      TWO,
      `${TABLE}B,610910,0.2\n`,
      /^line 2: sku is "B", which has rows in table\.csv that say two things: \w+ is "[\d.]+" and "[\d.]+"/,
    ],
    [
      TWO.replace('sku', 'Sku'),
      TABLE,
      /^sku .*"sku", which orders\.csv does not have; did you mean "Sku"\?$/,
    ],
  ])('of the orders %j, %j, is refused', async (orders, table, words) => {
    const ran = await ship(await shop(orders, {}, table));
    expect([ran.exitCode, issuesOf(ran)]).toEqual([2, [expect.stringMatching(words)]]);
  });

  test('may have equal rows of one SKU, and any rows of one that no order has', async () => {
    const rows = 'A,610910,0.2\nZ,1,1\nZ,2,2\nY,3\n';
    const ran = await ship(await shop(TWO, {}, TABLE + rows));
    expect([ran.exitCode, bookedBy(ran).length]).toEqual([0, 2]);
  });

  test('that says two things of one order is refused', async () => {
    const ran = await ship(await shop(TWO, { lookup: { ...BY_SKU, columns: { kg: 'category' } } }));
    expect(ran.requests).toEqual([]);
    expect(issuesOf(ran).join('\n')).toContain('kg in table.csv is "0.2" and "0.1" for items of one order');
  });
});

describe('A map leaves out', () => {
  const STATUS =
    'key,Status,Paid,sku,items[].quantity,items[].unitPrice\n1,Refunded,x,A,1,1\n2,open,,A,1,2\n3,open,x,A,1,3\n4,,x,A,1,4\n';
  const JSON_ORDERS = [true, false, null].map((cancelled, at) => ({
    ...{ key: `${at}`, sku: 'A', cancelled },
    items: [{ quantity: 1, unitPrice: 2 + at }],
  }));

  test('orders of JSON of which a field is what skip says', async () => {
    const ran = await ship(await shop(JSON_ORDERS, { skip: { cancelled: ['true'] } }), '', 'orders.json');
    expect([ran.exitCode, summaryOf(ran).leftOut, bookedBy(ran).length]).toEqual([0, 1, 2]);
  });

  test('all orders, which --strict refuses; and columns that it does not name, with others', async () => {
    const rig = await shop(STATUS, { only: { Status: ['paid'] }, columns: { Paid: '_' } });
    expect((await ship(rig, '--strict')).exitCode).toBe(2);
    const { exitCode, stderr } = await ship(await shop(STATUS, { others: '_' }));
    expect(exitCode).toBe(0);
    expect(stderr).toContain('the map leaves out columns that it does not name: \\"Status\\", \\"Paid\\"');
  });
});

test('What is wrong with a map is told at once, and nothing is sent', async () => {
  const rig = await shop(TWO, {
    ...{ extends: 'shopfy', others: 'all', keyPrefix: 7, tare: 'heavy', line: 7, taxIncluded: 20 },
    ...{ skipp: {}, skip: { Status: 'refunded' }, only: [] },
    lookup: { file: 'table.csv', by: 'sku', columns: {}, on: 1 },
  });
  const ran = await ship(rig);
  const paths = errorOf(ran).issues.map(({ path }) => path);
  expect(paths).toEqual(
    'skipp extends others skip.Status only line taxIncluded keyPrefix lookup.on lookup.key lookup.columns tare tare'.split(
      ' ',
    ),
  );
  const suggestions = errorOf(ran).issues.flatMap(({ suggestion }) => suggestion ?? []);
  expect(suggestions).toEqual(['skip', 'shopify']);
  const columns = { HS: 'items[].hs', kg: 'packages[0].weight' };
  rig.file('shop.json', { lookup: { ...BY_SKU, columns }, constants: { 'packages[0].quantity': '2' } });
  expect(issuesOf(await ship(rig))).toEqual([
    expect.stringMatching(/^lookup\.columns\.HS is not a field of ship/),
    expect.stringMatching(/^constants\.packages\[0\]\.quantity must be 1/),
  ]);
});

test('The documents have a row for each part of a map', () => {
  const page = readFileSync('docs/batches.md', 'utf8');
  const [, section = ''] = page.split('### Parts of a map\n');
  const [table = ''] = section.split('### What columns mean');
  expect([...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, part]) => part).sort()).toEqual(
    [...MAP_PARTS].sort(),
  );
});

const csv = (...rows: string[][]) => rows.map(cells => csvRow(cells, { delimiter: ',' })).join('');
const mapIn = (rig: Rig) => JSON.parse(readFileSync(join(rig.folder, 'shop.map.json'), 'utf8'));

/** Each row is a header, a cell, and after => what is proposed for it: its field and its transform. Without => it is left out. */
const SHOPS = {
  'a shop whose orders have a name, too': `
    Name                    | #1001
    Shipping Name           | Max Muster   => receiver name
    Shipping City           | Bonn         => receiver.address.city`,
  'a shop with German headers, and a name beside a first name': `
    Bestellnummer      | R-7               => key
    Vorname            | Jonas             => receiver.firstName
    Name               | Weber             => receiver.lastName
    E-Mail             | jonas@example.com => receiver.email
    Telefon            | 3515550100        => receiver.phone phone
    Lieferstraße       | Hauptstrasse 7    => receiver.address.line1
    Lieferplz          | 01067             => receiver.address.zipCode
    Lieferort          | Dresden           => receiver.address.city
    Land               | Österreich        => receiver.address.country.code country
    Rechnungsort       | Berlin
    Gewicht in kg      | 1,5               => packages[0].weight
    Artikelbezeichnung | T-Shirt           => items[].description
    Zolltarifnummer    | 610910            => items[].hsCode
    Menge              | 2                 => items[].quantity
    Einzelpreis        | 12,50             => items[].unitPrice
    Warenwert          | 25,00             => customs.totalGoodsValue
    Bemerkung          | bitte klingeln`,
  'a shop that translates its headers word by word': `
    Bestell ID         | R-8               => key
    Versand Name       | Anna Beispiel     => receiver name
    Versand Adresse 1  | Hauptstr. 7       => receiver.address.line1
    Versand Adresse 2  | Hinterhaus        => receiver.address.line2
    Versand PLZ        | 01067             => receiver.address.zipCode
    Versand Ort        | Dresden           => receiver.address.city
    Versand Land       | Deutschland       => receiver.address.country.code country
    E-Mail Adresse     | anna@example.com  => receiver.email`,
  'a shop with Spanish headers': `
    Número de pedido   | 1001             => key
    Nombre             | Ana              => receiver.firstName
    Apellidos          | García López     => receiver.lastName
    Empresa            | Casa Ana         => receiver.companyName
    Dirección          | Calle Mayor 5    => receiver.address.line1
    Dirección 2        | 3º B             => receiver.address.line2
    Código postal      | 28013            => receiver.address.zipCode
    Ciudad             | Madrid           => receiver.address.city
    Provincia          | Madrid
    País               | España           => receiver.address.country.code country
    Teléfono           | 612345678        => receiver.phone phone
    Correo electrónico | ana@example.com  => receiver.email
    Nombre del producto | Camiseta        => items[].description
    Cantidad           | 2                => items[].quantity
    Precio unitario    | 12,50            => items[].unitPrice
    Peso en g          | 350              => packages[0].weight g
    Moneda             | EUR              => customs.currency
    Notas              | regalo`,
  'a shop with Spanish headers that name the receiver': `
    Nº pedido           | 1002             => key
    Destinatario        | Ana García       => receiver name
    Dirección de envío  | Calle Mayor 5    => receiver.address.line1
    Población           | Madrid           => receiver.address.city
    CP                  | 28013            => receiver.address.zipCode
    País de envío       | ES               => receiver.address.country.code country
    Móvil               | 612345678        => receiver.phone phone
    Correo del cliente  | ana@example.com  => receiver.email
    Ciudad de facturación | Sevilla
    Artículo            | Taza             => items[].description
    Unidades            | 1                => items[].quantity
    Importe             | 8.00`,
  'a shop with German headers, and a column for the number of the house': `
    Bestellnummer | 1001              => key
    Vorname       | Jonas             => receiver.firstName
    Nachname      | Weber             => receiver.lastName
    Straße        | Ringweg           => receiver.address.line1
    Hausnummer    | 5
    PLZ           | 80331             => receiver.address.zipCode
    Ort           | München           => receiver.address.city
    Land          | Deutschland       => receiver.address.country.code country
    Telefon       | 0151 23456789     => receiver.phone phone
    E-Mail        | jonas@example.com => receiver.email`,
  'a buyer who is not the receiver: their addresses are never mixed': `
    Shipping First Name | Anna          => receiver.firstName
    Billing Name        | Bernd Zahler
    Billing City        | Berlin
    Billing Phone       | +49 30 1      => receiver.phone phone
    Shipping Zip        | 01067         => receiver.address.zipCode
    Customer Email      | b@example.com => receiver.email`,
  'our own headers, whose place no other column takes': `
    key            | A
    receiver.email | a@example.com
    Email          | b@example.com
    _note          | x`,
};

test.each(Object.entries(SHOPS))('The columns of %s', async (_, table) => {
  const rows = table
    .trim()
    .split('\n')
    .map(row => row.split(/\||=>/).map(cell => cell.trim()));
  const rig = await createRig();
  rig.file(
    'shop.csv',
    csv(
      rows.map(([header = '']) => header),
      rows.map(([, cell = '']) => cell),
    ),
  );
  await rig.run('batch map shop.csv -q');
  const { columns, transform = {}, decimal = '.' } = mapIn(rig);
  const proposed = Object.entries<string>(columns)
    .filter(([, path]) => !path.startsWith('_'))
    .map(([header, path]) => [header, [path, transform[header]].filter(Boolean).join(' ')]);
  expect(proposed).toEqual(rows.flatMap(([header, , field]) => (field ? [[header, field]] : [])));
  expect(decimal).toBe(/\d,\d/.test(table) ? ',' : '.');
});

test('A proposed map shows what becomes of each column: a field, a question, or nothing', async () => {
  const rig = await createRig();
  rig.file('shop.csv', 'Pedido,Ciudad,Precio,Notas\n1,Madrid,5,x\n');
  const { stdout, stderr } = await rig.run('batch map shop.csv');
  expect(stdout).toMatch(/^Pedido +key /m);
  expect(stdout).toMatch(/^Ciudad +receiver\.address\.city /m);
  expect(stdout).toMatch(/^Precio +asked, see below /m);
  expect(stdout).toMatch(/^Left out: Notas$/m);
  expect(stderr).toContain('"Precio" may be of one piece');
});

const HEADERS =
  'Name,Vorname,Nachname,Alıcı,Ship Name,Shipping Name,Buyer,Full Name,key,Order ID,Phone,Phone Code,Telefon,Shipping Phone,package,Paket,Gewicht in g,Weight,Length (mm),Street,Address 1,Shipping Street,Lieferort,City,Ülke,Country,Made in,Price,Menge,Item Name,Title,Artikel,Subtotal,Currency,carrier,receiver.firstName,receiver.email,_x,Email,items[].hsCode,HS,Lineitem name,Tags,Total,packages[0].weight,constructor,__proto__';
const CELLS =
  "|Anna Beispiel|Anna|#1001|+49 351 5550100|0351 1|Almanya|DE|1,5|12|6109.10|'01067|a@example.com|1kg@30x20x10cm|EUR|IM2760000742";

test('A batch accepts the header of every file with the map that is proposed for it', async () => {
  const rig = await createRig();
  const titles = fc.uniqueArray(fc.constantFrom(...HEADERS.split(',')), { minLength: 1, maxLength: 14 });
  const row = fc.array(fc.constantFrom(...CELLS.split('|')), { minLength: 14, maxLength: 14 });
  let files = 0;
  await fc.assert(
    fc.asyncProperty(titles, fc.array(row, { minLength: 1, maxLength: 3 }), async (header, rows) => {
      const cells = rows.map(row => row.slice(0, header.length));
      // A row of blank cells is none, and a file without a record shows no order.
      fc.pre(cells.flat().some(cell => cell !== ''));
      files += 1;
      rig.file('shop.csv', csv(header, ...cells));
      expect([0, 9]).toContain((await rig.run(`batch map shop.csv --out ${files}.json -q`)).exitCode);
      const ran = await rig.run(`batch ship shop.csv --map ${files}.json --dry-run`);
      // Refused cells are problems of their records.
      expect(ran.stderr).not.toMatch(/the header of|the map .* is not valid/);
    }),
    runs(40),
  );
});
