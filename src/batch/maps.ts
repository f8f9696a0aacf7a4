// The maps that are built in: what the columns of a shop's own export mean, and which of its orders are not to be shipped. The
// headers are those of the shop. What its export does not tell has no entry: nothing is assumed for customs.
import type { InputMap } from './source.ts';

interface Shop {
  title: string;
  /** Headers that together only its exports have. */
  marks: readonly string[];
  map: InputMap;
  /** Columns of its exports for which the service has no field. Any other that the map does not name is warned of. */
  unused: readonly string[];
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
  unused: [
    'Financial Status',
    'Paid at',
    'Fulfillment Status',
    'Fulfilled at',
    'Accepts Marketing',
    'Shipping',
    'Taxes',
    'Total',
    'Discount Code',
    'Discount Amount',
    'Shipping Method',
    'Created at',
    'Lineitem compare at price',
    'Lineitem sku',
    'Lineitem requires shipping',
    'Lineitem taxable',
    'Lineitem fulfillment status',
    'Lineitem discount',
    'Billing Name',
    'Billing Street',
    'Billing Address1',
    'Billing Address2',
    'Billing Company',
    'Billing City',
    'Billing Zip',
    'Billing Province',
    'Billing Province Name',
    'Billing Country',
    'Billing Phone',
    'Shipping Street',
    'Shipping Province',
    'Shipping Province Name',
    'Notes',
    'Note Attributes',
    'Cancelled at',
    'Payment Method',
    'Payment Reference',
    'Payment References',
    'Payment ID',
    'Payment Terms Name',
    'Next Payment Due At',
    'Refunded Amount',
    'Vendor',
    'Outstanding Balance',
    'Employee',
    'Location',
    'Device ID',
    'Id',
    'Tags',
    'Risk Level',
    'Source',
    'Phone',
    'Receipt Number',
    'Duties',
    'Tax 1 Name',
    'Tax 1 Value',
    'Tax 2 Name',
    'Tax 2 Value',
    'Tax 3 Name',
    'Tax 3 Value',
    'Tax 4 Name',
    'Tax 4 Value',
    'Tax 5 Name',
    'Tax 5 Value',
  ],
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
  unused: [
    'Sale Date',
    'Buyer',
    'Buyer User ID',
    'Full Name',
    'Number of Items',
    'Payment Method',
    'Coupon Code',
    'Coupon Details',
    'Discount Amount',
    'Shipping Discount',
    'Shipping',
    'Sales Tax',
    'Order Shipping',
    'Order Sales Tax',
    'Order Total',
    'Order Net',
    'Adjusted Order Total',
    'Adjusted Card Processing Fees',
    'Adjusted Net Order Amount',
    'Card Processing Fees',
    'Item Total',
    'Transaction ID',
    'Listing ID',
    'Date Paid',
    'Date Shipped',
    'Ship State',
    'Variations',
    'Order Type',
    'Listings Type',
    'Payment Type',
    'InPerson Discount',
    'InPerson Location',
    'VAT Paid by Buyer',
    'SKU',
    'Status',
  ],
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
