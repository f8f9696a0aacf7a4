import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createRig, type Rig } from '../rig/command.ts';
import { shopify, soldOrders, woocommerce } from '../rig/exports.ts';
import { errorOf } from '../rig/service.ts';

const ETSY = [
  'Order ID,Ship Name,Email,Phone,Ship Address1,Ship City,Ship Zipcode,Ship Country,Item Name,HS Code,Made in,Quantity,Price,Order Value,Currency,Weight (g),L,Notes',
  'E-1,Anna Beispiel,anna@example.com,+49 351 5550100,Hauptstr. 7,Dresden,01067,Almanya,T-shirt,610910,Türkiye,2,12.5,25,EUR,800,30,fragile',
  'E-2,Mehmet Ali Yılmaz,m@example.com,+33 1 55 50 10 00,1 rue de la Paix,Paris,75002,France,Cap,650500,Türkiye,1,19,19,EUR,250,20,',
  '',
].join('\n');

const mapIn = (rig: Rig, name = 'shop.map.json') => JSON.parse(readFileSync(join(rig.folder, name), 'utf8'));

test('A map that lacks nothing ends with 0', async () => {
  const cells = ETSY.replaceAll(',L,', ',package,').replaceAll(/,(30|20),/g, ',1kg@30x20x10,');
  const rig = await createRig({ files: { 'ready.csv': cells.replace('Weight (g)', '_w') } });
  expect(await rig.run('batch map ready.csv -q')).toMatchObject({
    exitCode: 0,
    stdout: 'ready.map.json\n',
  });
});

test('It reads JSON, stdin and other encodings', async () => {
  const rig = await createRig();
  const record = { Bestellnummer: '7', Empfänger: 'Anna Beispiel', Land: 'Almanya' };
  const ran = await rig.run('batch map - --format jsonl --json', { stdin: `${JSON.stringify(record)}\n` });
  expect(ran.exitCode).toBe(9);
  expect(mapIn(rig, 'orders.map.json')).toEqual({
    columns: { Bestellnummer: 'key', Empfänger: 'receiver', Land: 'receiver.address.country.code' },
    transform: { Empfänger: 'name', Land: 'country' },
  });
  expect(JSON.parse(ran.stdout).request.receiver.address.country.code).toBe('DE');
});

test('It warns of letters of another encoding, as a batch does', async () => {
  const rig = await createRig();
  const rows = ['M\x9fnchen', 'Berlin'].map((city, row) => `${row},Anna Beispiel,${city},DE\n`).toReversed();
  const file = `Order ID,Ship Name,Ship City,Ship Country\n${rows.join('')}`;
  writeFileSync(join(rig.folder, 'mac.csv'), Buffer.from(file, 'latin1'));
  const ran = await rig.run('batch map mac.csv --encoding windows-1252');
  expect(ran.stderr).toContain('"MŸnchen" on line 3 is "München" with --encoding macintosh');
});

test('What cannot be read, and a file without records, are refused, and nothing is written', async () => {
  const rig = await createRig({ files: { 'empty.csv': 'Order ID,Email\n', 'broken.csv': 'a,"b\n' } });
  for (const name of ['empty', 'broken', 'nothing']) {
    expect(await rig.run(`batch map ${name}.csv`)).toMatchObject({ exitCode: 2, stdout: '' });
    expect(existsSync(join(rig.folder, `${name}.map.json`))).toBe(false);
  }
});

test('A price that may be two is open, as it is a problem of the batch', async () => {
  const { messages } = await openOf('Bestellnummer;Artikel;Menge;Einzelpreis\n1;Uhr;1;1.250\n');
  expect(messages).toContainEqual(
    expect.stringMatching(/^Einzelpreis .*may be 1250 or 1\.250; say "decimal"/),
  );
});

const GUESSED = 'Order ID,Ship Name,Item Name,';
const openOf = async (text: string) => {
  const rig = await createRig();
  rig.file('shop.csv', text);
  const ran = await rig.run('batch map shop.csv --json');
  const { columns, transform } = mapIn(rig);
  return {
    columns,
    transform,
    messages: errorOf(ran).issues.map(({ path, message }) => `${path} ${message}`),
  };
};

test.each([
  [
    'of a piece',
    `${GUESSED}Qty,Price,Order Value\n1,Anna Beispiel,Mug,1,5,5\n2,Anna Beispiel,Cap,3,10,30\n`,
    'items[].unitPrice',
  ],
  ['of a line', `${GUESSED}Qty,Price,Order Value\n1,Anna Beispiel,Cap,3,30,30\n`, 'items[].totalPrice'],
  [
    'of a line, by its total',
    `${GUESSED}Qty,Price,Line Total\n1,Anna Beispiel,Cap,3,10,30\n`,
    'items[].unitPrice',
  ],
  [
    'of a piece, as the header says',
    `${GUESSED}Qty,Unit Price\n1,Anna Beispiel,Cap,3,10\n`,
    'items[].unitPrice',
  ],
])('A price is %s, if the first rows show it', async (_, text, path) => {
  const { columns, messages } = await openOf(text);
  expect(columns.Price ?? columns['Unit Price']).toBe(path);
  expect(messages.join('\n')).not.toContain('may be of one piece');
});

test('A number of a house, what was paid with a voucher or paid back, and a weight in each row are left open', async () => {
  const { columns, messages } = await openOf(
    'Bestellnummer;Straße;Haus-Nr.;Artikel;Menge;Einzelpreis;Gutschein;Refunded Amount;Coupon Code;Gewicht\nB-1;Hauptstraße;7;Hemd;2;50,00;-20,00;50,00;SAVE10;0,5\nB-1;Hauptstraße;7;Mütze;1;10,00;-20,00;50,00;SAVE10;0,5\n',
  );
  for (const title of ['Haus-Nr.', 'Gutschein', 'Refunded Amount', 'Gewicht'])
    expect(columns[title]).toBe(`_${title}`);
  expect(messages.slice(0, 4)).toEqual([
    'customs.totalGoodsValue "Gutschein" may come off the value: of a line ("discount"), or of an order ("orderDiscount")',
    'customs.totalGoodsValue "Refunded Amount" may be what was paid back of an order: name that in "skip"',
    'packages[0].weight "Gewicht" may be of the whole order (packages[0].weight), or of each row: then a product table ("lookup") adds it up',
    'receiver.address.line1 "Haus-Nr." may be missing behind the street: write it there, or map it to "receiver.address.line2" (a third line, "receiver.address.line3", is joined to that)',
  ]);
});

test.each([
  'Gutscheincode',
  'Coupon Code',
  'Coupon ID',
  'discountCode',
  'Rabatt-Nr.',
  'Refund ID',
  'Erstattungsdatum',
])('A column of codes is no amount that comes off: %s', async title => {
  const { messages } = await openOf(`${GUESSED}${title},Rabatt\n1,Anna Beispiel,Cap,2024,5\n`);
  expect(messages.filter(message => message.includes('totalGoodsValue "'))).toEqual([
    'customs.totalGoodsValue "Rabatt" may come off the value: of a line ("discount"), or of an order ("orderDiscount")',
  ]);
});

test.each<[string, string, string, string | undefined]>([
  ['Street and House Number', 'Weg 7', 'Street and House Number', undefined],
  ['Straße/Hausnummer', 'Weg 7', 'Straße/Hausnummer', undefined],
  ['Straße,Rechnung Straße und Hausnummer', 'Weg 7,Ring 1', 'Straße', undefined],
  ['Straße,Rechnung Hausnummer', 'Weg 7,1', 'Straße', undefined],
  ['Rechnung Straße,Rechnung Hausnummer', 'Weg,7', 'Rechnung Straße', 'Rechnung Hausnummer'],
  ['Straße,Straße Hausnummer', 'Weg,7', 'Straße', 'Straße Hausnummer'],
  [
    'Lieferadresse Straße,Lieferadresse Hausnummer',
    'Weg,7',
    'Lieferadresse Straße',
    'Lieferadresse Hausnummer',
  ],
  ['Lane,House Number', 'Weg,7', '', undefined],
])(
  'A number of a house is asked for only where the street may lack it: %s',
  async (titles, cells, street, house) => {
    const { columns, messages } = await openOf(`Bestellnummer,Artikel,${titles}\n1,Cap,${cells}\n`);
    const found = Object.entries(columns).find(([, path]) => path === 'receiver.address.line1');
    expect(found?.[0] ?? '').toBe(street);
    const asked = messages.filter(message => message.includes('may be missing behind the street'));
    expect(asked.map(message => message.split('"')[1])).toEqual(house === undefined ? [] : [house]);
  },
);

test('The first order is shown with what was paid for it', async () => {
  const rig = await createRig({
    files: {
      'export.csv': shopify(soldOrders().slice(4, 5)),
      'german.csv': woocommerce(soldOrders().slice(0, 1), 1),
    },
  });
  const { stdout } = await rig.run('batch map export.csv');
  expect(stdout).toContain(
    'Receiver  Emma Smith, 12 High Street, Flat 2, SW1A 1AA London, GB, customer4@example.com, +44 2079460018',
  );
  // Two lines of 28.10 and 57.00, and 3.01 off.
  expect(stdout).toMatch(/worth 82\.09 EUR/);
  const german = await rig.run('batch map german.csv');
  expect(german.stderr).toContain('--map woocommerce reads them');
  expect(german.stdout).toMatch(/^Vorname \(Versand\) +receiver\.firstName +- +Jonas$/m);
});
