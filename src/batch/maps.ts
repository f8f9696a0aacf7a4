// The maps that are built in: what the columns of a shop's own export mean, and which of its orders are not to be shipped. The
// headers are those of the shop. What its export does not tell has no entry: nothing is assumed for customs.
import type { InputMap } from './source.ts';

interface Shop {
  title: string;
  /** Headers that together only its exports have. */
  marks: readonly string[];
  map: InputMap;
}

/** Orders > Export, "Plain CSV file": an order has a row for each of its items, and only the first one says whose it is. */
const SHOPIFY: Shop = {
  title: 'Shopify',
  marks: ['Name', 'Lineitem name', 'Lineitem quantity'],
  map: {
    extends: 'shopify',
    constants: {},
    decimal: '.',
    columns: {
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
    },
    transform: {
      'Shipping Name': 'name',
      'Shipping Zip': 'apostrophe',
      'Shipping Country': 'country',
      'Shipping Phone': 'phone',
    },
    // Of an order that is paid back in part the export does not say which goods still go.
    only: { 'Financial Status': ['paid'] },
    skip: { 'Cancelled at': ['*'], 'Fulfillment Status': ['fulfilled', 'restocked'] },
    skipItems: { 'Lineitem requires shipping': ['false'], 'Lineitem fulfillment status': ['fulfilled'] },
    others: '_',
  },
};

/** Settings > Options > Download data: "Order items" has a row for each item. "Orders" has none of the goods. */
const ETSY: Shop = {
  title: 'Etsy',
  marks: ['Sale Date', 'Order ID', 'Ship Country'],
  map: {
    extends: 'etsy',
    constants: {},
    decimal: '.',
    columns: {
      'Order ID': 'key',
      'Ship Name': 'receiver',
      'First Name': 'receiver.firstName',
      'Last Name': 'receiver.lastName',
      'Ship Address1': 'receiver.address.line1',
      'Ship Address2': 'receiver.address.line2',
      'Street 1': 'receiver.address.line1',
      'Street 2': 'receiver.address.line2',
      'Ship City': 'receiver.address.city',
      'Ship Zipcode': 'receiver.address.zipCode',
      'Ship Country': 'receiver.address.country.code',
      Currency: 'customs.currency',
      'Order Value': 'customs.totalGoodsValue',
      'Item Name': 'items[].description',
      Quantity: 'items[].quantity',
      Price: 'items[].unitPrice',
    },
    transform: { 'Ship Name': 'name', 'Ship Zipcode': 'apostrophe', 'Ship Country': 'country' },
    only: { 'Date Paid': ['*'] },
    skip: { 'Date Shipped': ['*'], 'InPerson Location': ['*'] },
    skipItems: {},
    others: '_',
  },
};

/** By the words for --map. */
export const SHOPS: ReadonlyMap<unknown, Shop> = new Map([
  ['shopify', SHOPIFY],
  ['etsy', ETSY],
]);

export const SHOP_NAMES = ['shopify', 'etsy'];

/** The shop whose export has these headers, with its word for --map. */
export function shopOf(header: readonly string[]) {
  const found = [...SHOPS.values()].find(({ marks }) => marks.every(mark => header.includes(mark)));
  return found && { title: found.title, name: found.map.extends ?? '', map: found.map };
}
