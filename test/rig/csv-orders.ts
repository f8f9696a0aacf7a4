// Orders as the rows of a CSV, for `batch ship` with the flags that give what all of them share.
import { createRig } from './command.ts';
import { UNDECIDED } from './service.ts';

const FIELDS = {
  'receiver.firstName': 'Jonas',
  'receiver.lastName': 'Weber',
  'receiver.email': 'jonas@example.com',
  'receiver.phone.code': '+49',
  'receiver.phone.number': '3515550100',
  'receiver.address.line1': 'Hauptstrasse 7',
  'receiver.address.city': 'Dresden',
  'receiver.address.zipCode': '01067',
  package: '1kg@30x20x10cm',
  'items[].hsCode': '610910',
  'items[].countryOfOrigin': 'TR',
  'items[].quantity': '2',
  'items[].unitPrice': '12.5',
  'customs.totalGoodsValue': '25',
};

export const COLUMNS = `key,receiver.address.country.code,items[].description,${Object.keys(FIELDS)}`;

/** The row of one item of an order. */
export const row = (key: string, country = 'DE', item = key) =>
  `${key},${country},${item},${Object.values(FIELDS)}`;

export const FLAGS = '--sender sender.json --type package --category sales --currency EUR';

export const csv = (...rows: string[]) => `${rows.join('\n')}\n`;

/** A rig with a file `orders.csv` of these rows. */
export const csvShop = (...rows: string[]) =>
  createRig({ files: { 'orders.csv': csv(...rows), 'sender.json': UNDECIDED.sender } });
