import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { columnOf } from '../../src/batch/columns.ts';
import { csvRow } from '../../src/batch/csv.ts';
import { guessMap, withColumn } from '../../src/batch/guess/guess.ts';
import { parseMap } from '../../src/batch/map.ts';
import { fieldAt } from '../../src/contract/fields.ts';
import { parsePath } from '../../src/contract/paths.ts';
import { schemaOf } from '../contract/rig.ts';
import { readAll } from '../rig/batch.ts';
import { runs } from '../torture/size.ts';

const fields = schemaOf('createShipment');
const SETTINGS = {
  fields,
  packages: { path: ['packages'], entry: () => ({}) },
  name: 'orders.csv',
  keyColumn: 'key',
  recordOptions: { carrier: { description: '', path: 'carrier.id' } },
  allowUnknown: false,
};
const isOurs = (header: string) =>
  header === 'key' || fieldAt(fields, parsePath(header.replace('[]', '[0]')) ?? []) !== undefined;

/** What is guessed of a file whose first row is this one: without the columns that are left out. */
function guessed(row: Record<string, string>) {
  const sample = { header: Object.keys(row), rows: [Object.values(row)] };
  const { columns, transform = {}, decimal } = guessMap(sample, isOurs);
  const used = Object.entries(columns).filter(([, path]) => !path.startsWith('_'));
  return { columns: Object.fromEntries(used), transform, decimal };
}

test('Shopify', () => {
  const { columns, transform } = guessed({
    ...{
      Name: '#1001',
      Email: 'anna@example.com',
      'Financial Status': 'paid',
      Currency: 'EUR',
      Subtotal: '25.00',
    },
    ...{ Shipping: '5.00', Total: '30.00', 'Shipping Method': 'DHL', 'Lineitem quantity': '2' },
    ...{ 'Lineitem name': 'T-shirt', 'Lineitem price': '12.50', 'Lineitem sku': 'TS-1' },
    ...{ 'Billing Name': 'Bernd Zahler', 'Billing City': 'Berlin', 'Billing Country': 'DE' },
    ...{
      'Shipping Name': 'Anna Beispiel',
      'Shipping Street': 'Hauptstr. 7, Hof',
      'Shipping Address1': 'Hauptstr. 7',
    },
    ...{
      'Shipping Address2': 'Hof',
      'Shipping Company': 'Beispiel',
      'Shipping City': 'Dresden',
      'Shipping Zip': "'01067",
    },
    ...{
      'Shipping Province': 'SN',
      'Shipping Country': 'DE',
      'Shipping Phone': '+49 351 5550100',
      Id: '12',
      Tags: '',
    },
  });
  expect(columns).toEqual({
    Name: 'key',
    Email: 'receiver.email',
    Currency: 'customs.currency',
    Subtotal: 'customs.totalGoodsValue',
    'Lineitem quantity': 'items[].quantity',
    'Lineitem name': 'items[].description',
    'Lineitem price': 'items[].unitPrice',
    'Shipping Name': 'receiver',
    'Shipping Address1': 'receiver.address.line1',
    'Shipping Address2': 'receiver.address.line2',
    'Shipping Company': 'receiver.companyName',
    'Shipping City': 'receiver.address.city',
    'Shipping Zip': 'receiver.address.zipCode',
    'Shipping Country': 'receiver.address.country.code',
    'Shipping Phone': 'receiver.phone',
  });
  expect(transform).toEqual({
    'Shipping Name': 'name',
    'Shipping Zip': 'apostrophe',
    'Shipping Phone': 'phone',
  });
});

test('WooCommerce', () => {
  const { columns, transform } = guessed({
    ...{ 'Order Number': '1001', 'Order Status': 'Processing', 'First Name (Billing)': 'Bernd' },
    ...{
      'Email (Billing)': 'anna@example.com',
      'Phone (Billing)': '0351 5550100',
      'First Name (Shipping)': 'Anna',
    },
    ...{
      'Last Name (Shipping)': 'Beispiel',
      'Address 1&2 (Shipping)': 'Hauptstr. 7',
      'City (Shipping)': 'Dresden',
    },
    ...{
      'Postcode (Shipping)': '01067',
      'Country Code (Shipping)': 'DE',
      'Item Name': 'T-shirt',
      'Item Cost': '12.5',
    },
    ...{ 'Quantity (- Refund)': '2', shipping_company: '' },
  });
  expect(columns).toEqual({
    'Order Number': 'key',
    'Email (Billing)': 'receiver.email',
    'Phone (Billing)': 'receiver.phone.number',
    'First Name (Shipping)': 'receiver.firstName',
    'Last Name (Shipping)': 'receiver.lastName',
    'Address 1&2 (Shipping)': 'receiver.address.line1',
    'City (Shipping)': 'receiver.address.city',
    'Postcode (Shipping)': 'receiver.address.zipCode',
    'Country Code (Shipping)': 'receiver.address.country.code',
    'Item Name': 'items[].description',
    'Item Cost': 'items[].unitPrice',
    'Quantity (- Refund)': 'items[].quantity',
    shipping_company: 'receiver.companyName',
  });
  expect(transform).toEqual({});
});

test('Etsy', () => {
  const { columns, transform } = guessed({
    ...{
      'Sale Date': '03/02/26',
      'Item Name': 'Scarf',
      Buyer: 'Anna Beispiel (anna1)',
      Quantity: '1',
      Price: '20.0',
    },
    ...{
      'Order Shipping': '5.0',
      'Order Sales Tax': '0',
      'Item Total': '20.0',
      Currency: 'EUR',
      'Listing ID': '7',
    },
    ...{
      'Ship Name': 'Anna Beispiel',
      'Ship Address1': 'Hauptstr. 7',
      'Ship Address2': '',
      'Ship City': 'Dresden',
    },
    ...{ 'Ship State': '', 'Ship Zipcode': '01067', 'Ship Country': 'Germany', 'Order ID': '3001' },
  });
  expect(columns).toEqual({
    'Item Name': 'items[].description',
    Quantity: 'items[].quantity',
    Price: 'items[].unitPrice',
    'Item Total': 'items[].totalPrice',
    Currency: 'customs.currency',
    'Ship Name': 'receiver',
    'Ship Address1': 'receiver.address.line1',
    'Ship Address2': 'receiver.address.line2',
    'Ship City': 'receiver.address.city',
    'Ship Zipcode': 'receiver.address.zipCode',
    'Ship Country': 'receiver.address.country.code',
    'Order ID': 'key',
  });
  expect(transform).toEqual({ 'Ship Name': 'name', 'Ship Country': 'country' });
});

test('Turkish headers', () => {
  const { columns, transform, decimal } = guessed({
    ...{
      'Sipariş Numarası': '71',
      Alıcı: 'Anna Beispiel',
      'E-Posta': 'anna@example.com',
      'Cep Telefonu': '+49 351 5550100',
    },
    ...{
      'Teslimat Adresi': 'Hauptstr. 7',
      Şehir: 'Dresden',
      'Posta Kodu': '01067',
      Ülke: 'ALMANYA',
      'Ürün Adı': 'Tişört',
    },
    ...{
      'GTİP Kodu': '610910',
      Adet: '2',
      'Birim Fiyatı': '12,50',
      Menşei: 'Türkiye',
      'Ağırlık (gr)': '800',
      'Para Birimi': 'EUR',
    },
    ...{ 'Fatura Adresi': 'Rechnungsstr. 1' },
  });
  expect(columns).toEqual({
    'Sipariş Numarası': 'key',
    Alıcı: 'receiver',
    'E-Posta': 'receiver.email',
    'Cep Telefonu': 'receiver.phone',
    'Teslimat Adresi': 'receiver.address.line1',
    Şehir: 'receiver.address.city',
    'Posta Kodu': 'receiver.address.zipCode',
    Ülke: 'receiver.address.country.code',
    'Ürün Adı': 'items[].description',
    'GTİP Kodu': 'items[].hsCode',
    Adet: 'items[].quantity',
    'Birim Fiyatı': 'items[].unitPrice',
    Menşei: 'items[].countryOfOrigin',
    'Ağırlık (gr)': 'packages[0].weight',
    'Para Birimi': 'customs.currency',
  });
  expect(transform).toEqual({
    Alıcı: 'name',
    'Cep Telefonu': 'phone',
    Ülke: 'country',
    Menşei: 'country',
    'Ağırlık (gr)': 'g',
  });
  expect(decimal).toBe(',');
});

test('German headers, with a name beside a first name', () => {
  const { columns, transform, decimal } = guessed({
    ...{
      Bestellnummer: 'R-7',
      Vorname: 'Jonas',
      Name: 'Weber',
      'E-Mail': 'jonas@example.com',
      Telefon: '3515550100',
    },
    ...{
      Lieferstraße: 'Hauptstrasse 7',
      Lieferplz: '01067',
      Lieferort: 'Dresden',
      Land: 'Österreich',
      Rechnungsort: 'Berlin',
    },
    ...{
      'Gewicht in kg': '1,5',
      Artikelbezeichnung: 'T-Shirt',
      Zolltarifnummer: '610910',
      Menge: '2',
      Einzelpreis: '12,50',
    },
    ...{ Warenwert: '25,00', Bemerkung: 'bitte klingeln' },
  });
  expect(columns).toEqual({
    Bestellnummer: 'key',
    Vorname: 'receiver.firstName',
    Name: 'receiver.lastName',
    'E-Mail': 'receiver.email',
    Telefon: 'receiver.phone.number',
    Lieferstraße: 'receiver.address.line1',
    Lieferplz: 'receiver.address.zipCode',
    Lieferort: 'receiver.address.city',
    Land: 'receiver.address.country.code',
    'Gewicht in kg': 'packages[0].weight',
    Artikelbezeichnung: 'items[].description',
    Zolltarifnummer: 'items[].hsCode',
    Menge: 'items[].quantity',
    Einzelpreis: 'items[].unitPrice',
    Warenwert: 'customs.totalGoodsValue',
  });
  expect([transform, decimal]).toEqual([{ Land: 'country' }, ',']);
});

test('The address of the buyer is never mixed into that of the receiver', () => {
  const { columns } = guessed({
    ...{ 'Shipping First Name': 'Anna', 'Billing Name': 'Bernd Zahler', 'Billing City': 'Berlin' },
    ...{ 'Billing Phone': '+49 30 1', 'Shipping Zip': '01067', 'Customer Email': 'b@example.com' },
  });
  expect(columns).toEqual({
    'Shipping First Name': 'receiver.firstName',
    'Shipping Zip': 'receiver.address.zipCode',
    'Billing Phone': 'receiver.phone',
    'Customer Email': 'receiver.email',
  });
  expect(guessed({ 'Müşteri Adı': 'Anna', 'Müşteri Soyadı': 'Beispiel', Adres: 'Ring 1' }).columns).toEqual({
    'Müşteri Adı': 'receiver.firstName',
    'Müşteri Soyadı': 'receiver.lastName',
    Adres: 'receiver.address.line1',
  });
});

test('Columns whose headers say nothing are known by their cells', () => {
  const { columns, transform } = guessed({
    ...{
      A: 'anna@example.com',
      B: '+49 351 5550100',
      C: 'Fransa',
      D: '6109.10',
      E: 'EUR',
      F: '1kg@30x20x10cm',
    },
    ...{ G: 'IM2760000742', H: '12345678', I: 'Anna Beispiel', J: '' },
  });
  expect(columns).toEqual({
    A: 'receiver.email',
    B: 'receiver.phone',
    C: 'receiver.address.country.code',
    D: 'items[].hsCode',
    E: 'customs.currency',
    F: 'package',
    G: 'customs.iossNumber',
  });
  expect(transform).toEqual({ B: 'phone', C: 'country' });
});

test('Our own headers need no map, and no other column takes their place', () => {
  const { columns } = guessed({
    key: 'A',
    'receiver.email': 'a@example.com',
    Email: 'b@example.com',
    _note: 'x',
  });
  expect(columns).toEqual({});
});

test('A column that a person picks is transformed as its cells need it', () => {
  const sample = { header: ['X', 'Y', 'Z'], rows: [['+49 351 5550100', 'Anna Beispiel', 'Almanya']] };
  const map = { columns: { X: '_X', Y: '_Y', Z: '_Z' }, constants: {}, decimal: '.' } as const;
  const picked = (title: string, path: string) => {
    const { columns, transform = {} } = withColumn(map, sample, title, path);
    return [columns[title as 'X'], transform[title]];
  };
  expect(picked('X', 'receiver.phone.number')).toEqual(['receiver.phone', 'phone']);
  expect(picked('Y', 'receiver.lastName')).toEqual(['receiver', 'name']);
  expect(picked('Z', 'receiver.address.country.code')).toEqual(['receiver.address.country.code', 'country']);
  expect(picked('Y', 'receiver.address.city')).toEqual(['receiver.address.city', undefined]);
});

test('A batch accepts the header of every file with the map that is proposed for it', async () => {
  const header = fc.constantFrom(
    ...[
      'Name',
      'Vorname',
      'Nachname',
      'Alıcı',
      'Ship Name',
      'Shipping Name',
      'Buyer',
      'Full Name',
      'key',
      'Order ID',
    ],
    ...[
      'Phone',
      'Phone Code',
      'Telefon',
      'Shipping Phone',
      'package',
      'Paket',
      'Gewicht in g',
      'Weight',
      'Length (mm)',
    ],
    ...[
      'Street',
      'Address 1',
      'Shipping Street',
      'Lieferort',
      'City',
      'Ülke',
      'Country',
      'Made in',
      'Price',
      'Menge',
    ],
    ...[
      'Item Name',
      'Title',
      'Artikel',
      'Subtotal',
      'Currency',
      'carrier',
      'receiver.firstName',
      'receiver.email',
      '_x',
    ],
    ...[
      'Email',
      'items[].hsCode',
      'HS',
      'Lineitem name',
      'Tags',
      'Total',
      'packages[0].weight',
      'constructor',
      '__proto__',
    ],
  );
  const cell = fc.constantFrom(
    ...[
      '',
      'Anna Beispiel',
      'Anna',
      '#1001',
      '+49 351 5550100',
      '0351 1',
      'Almanya',
      'DE',
      '1,5',
      '12',
      '6109.10',
    ],
    ...["'01067", 'a@example.com', '1kg@30x20x10cm', 'EUR', 'IM2760000742'],
  );
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(header, { minLength: 1, maxLength: 14 }).chain(titles =>
        fc.record({
          titles: fc.constant(titles),
          rows: fc.array(fc.array(cell, { minLength: titles.length, maxLength: titles.length }), {
            minLength: 1,
            maxLength: 3,
          }),
        }),
      ),
      async ({ titles, rows }) => {
        const settings = { ...SETTINGS };
        const known = (title: string) => {
          const column = columnOf(title, settings);
          return 'kind' in column && column.kind !== 'ignored';
        };
        const proposed = guessMap({ header: titles, rows }, known);
        const map = parseMap(JSON.parse(JSON.stringify(proposed)), 'map.json');
        const text = [titles, ...rows].map(cells => csvRow(cells, { delimiter: ',' })).join('');
        // Refused cells are problems of their records.
        await expect(readAll(text, { ...settings, map })).resolves.toBeDefined();
      },
    ),
    runs(300),
  );
});
