// `batch map` knows the columns of a shop by their headers.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvRow } from '../../src/batch/csv.ts';
import { createRig, type Rig } from '../rig/command.ts';
import { runs } from '../torture/size.ts';

const csv = (...rows: string[][]) => rows.map(cells => csvRow(cells, { delimiter: ',' })).join('');
const mapIn = (rig: Rig) => JSON.parse(readFileSync(join(rig.folder, 'shop.map.json'), 'utf8'));

/** Each row is a header, a cell, and after => what is proposed for it: its field and its transform. Without => it is left out. */
const SHOPS = {
  WooCommerce: `
    Order Number            | 1001             => key
    Order Status            | Processing
    First Name (Billing)    | Bernd
    Email (Billing)         | anna@example.com => receiver.email
    Phone (Billing)         | 0351 5550100     => receiver.phone phone
    First Name (Shipping)   | Anna             => receiver.firstName
    Last Name (Shipping)    | Beispiel         => receiver.lastName
    Address 1&2 (Shipping)  | Hauptstr. 7      => receiver.address.line1
    City (Shipping)         | Dresden          => receiver.address.city
    Postcode (Shipping)     | 01067            => receiver.address.zipCode
    Country Code (Shipping) | DE               => receiver.address.country.code
    Item Name               | T-shirt          => items[].description
    Item Cost               | 12.5             => items[].unitPrice
    Quantity (- Refund)     | 2                => items[].quantity
    shipping_company        |                  => receiver.companyName`,
  'a shop with Turkish headers': `
    Sipariş Numarası | 71               => key
    Alıcı            | Anna Beispiel    => receiver name
    E-Posta          | anna@example.com => receiver.email
    Cep Telefonu     | +49 351 5550100  => receiver.phone phone
    Teslimat Adresi  | Hauptstr. 7      => receiver.address.line1
    Şehir            | Dresden          => receiver.address.city
    Posta Kodu       | 01067            => receiver.address.zipCode
    Ülke             | ALMANYA          => receiver.address.country.code country
    Ürün Adı         | Tişört           => items[].description
    GTİP Kodu        | 610910           => items[].hsCode
    Adet             | 2                => items[].quantity
    Birim Fiyatı     | 12,50            => items[].unitPrice
    Menşei           | Türkiye          => items[].countryOfOrigin country
    Ağırlık (gr)     | 800              => packages[0].weight g
    Para Birimi      | EUR              => customs.currency
    Fatura Adresi    | Rechnungsstr. 1`,
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
  'a buyer who is not the receiver: their addresses are never mixed': `
    Shipping First Name | Anna          => receiver.firstName
    Billing Name        | Bernd Zahler
    Billing City        | Berlin
    Billing Phone       | +49 30 1      => receiver.phone phone
    Shipping Zip        | 01067         => receiver.address.zipCode
    Customer Email      | b@example.com => receiver.email`,
  'a customer who is the receiver': `
    Müşteri Adı    | Anna     => receiver.firstName
    Müşteri Soyadı | Beispiel => receiver.lastName
    Adres          | Ring 1   => receiver.address.line1`,
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
      const cells = rows.map(all => all.slice(0, header.length));
      // A row of blank cells is none, and a file without a record shows no order.
      fc.pre(cells.flat().some(cell => cell !== ''));
      files += 1;
      rig.file('shop.csv', csv(header, ...cells));
      expect([0, 9]).toContain((await rig.run(`batch map shop.csv --out ${files}.json -q`)).exitCode);
      const ran = await rig.run(`batch ship shop.csv --map ${files}.json --dry-run`);
      // Refused cells are problems of their records.
      expect(ran.stderr).not.toMatch(/the header of|the map .* is not valid/);
    }),
    runs(100),
  );
});
