import { expect } from 'vitest';
import { SHIPMENT } from '../rig/service.ts';
import { BOOKED, QUOTED } from './begin.ts';
import { each, promises } from './promise.ts';

const PARCEL = ['quantity=1', 'dimensions.length=30', 'dimensions.width=20', 'dimensions.height=10']
  .map(one => `--set packages[0].${one}`)
  .join(' ');
const EXPORT = [
  'Order ID,Ship Name,Email,Phone,Ship Address1,Ship City,Ship Zipcode,Ship Country,Item Name,HS Code,Made in,Qty,Unit Price,Currency,Weight (g)',
  'E-1,Anna Beispiel,anna@example.com,+49 351 5550100,Hauptstr. 7,Dresden,01067,Almanya,T-shirt,610910,Türkiye,2,12.5,EUR,800',
  '',
].join('\n');
const exported = { files: { 'shop.csv': EXPORT } };

promises('batch map', [
  {
    says: 'It proposes a map by the headers and first rows, and never sends anything',
    rig: exported,
    run: 'batch map shop.csv --json',
    exit: 9,
    sent: [],
    json: {
      file: 'shop.map.json',
      map: {
        columns: {
          'Order ID': 'key',
          'Ship Name': 'receiver',
          'Ship Country': 'receiver.address.country.code',
          'HS Code': 'items[].hsCode',
        },
        transform: { 'Ship Name': 'name', Phone: 'phone', 'Ship Country': 'country', 'Weight (g)': 'g' },
      },
    },
    files: { 'shop.map.json': '"receiver"' },
  },
  {
    says: 'It shows the first order as it would be booked: receiver, goods, value, weight',
    rig: exported,
    run: 'batch map shop.csv',
    exit: 9,
    stdout: ['Anna Beispiel', 'T-shirt', '25.00 EUR', '0.8'],
  },
  ...each({ run: 'batch map shop.csv --json', exit: 9 }, [
    {
      says: 'It names the built-in map that a file fits',
      rig: { files: { 'shop.csv': 'Name,Lineitem quantity,Lineitem name,Lineitem price\n#1,1,Mug,9.90\n' } },
      json: { builtIn: 'shopify', map: { extends: 'shopify' } },
      stderr: '--map shopify',
    },
    {
      says: "It leaves open a price that may be a line's total",
      rig: { files: { 'shop.csv': 'Order ID,Ship Name,Item Name,Qty,Price\n1,Anna Beispiel,Cap,1,10\n' } },
      error: {
        issues: expect.arrayContaining([
          { path: 'items[].unitPrice', message: expect.stringContaining('may be of one piece') },
        ]),
      },
    },
    {
      says: 'It leaves open two quantities',
      rig: {
        files: {
          'shop.csv':
            'Order ID,Ship Name,Item Name,Quantity,Quantity sent,Unit Price\n1,Anna Beispiel,Cap,1,1,10\n',
        },
      },
      error: {
        issues: expect.arrayContaining([
          { path: 'items[].quantity', message: expect.stringContaining('"Quantity" and "Quantity sent"') },
        ]),
      },
    },
  ]),
  {
    says: 'It never writes over a file',
    rig: { files: { 'shop.csv': EXPORT, 'shop.map.json': 'mine' } },
    run: 'batch map shop.csv',
    exit: 2,
    files: { 'shop.map.json': /^mine$/ },
  },
  {
    says: 'A map that it wrote reads the file',
    rig: { files: { 'shop.csv': EXPORT, 'sender.json': SHIPMENT.sender } },
    after: [{ line: 'batch map shop.csv', exit: 9 }],
    run: `batch ship shop.csv --map ./shop.map.json --sender sender.json --type package --category sales --carrier EXP ${PARCEL}`,
    sent: [QUOTED, BOOKED],
  },
]);
