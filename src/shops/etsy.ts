import { columnList, partyColumns, type Shop } from '../batch/shop.ts';

const ORDER_ITEMS =
  'is missing: this report has the orders without their items. Download "Order items" (Shop Manager, Settings, Options, Download data)';

/** The export from Settings, Options, Download data, "Order items": a row for each item. */
export const ETSY: Shop = {
  title: 'Etsy',
  marks: ['Sale Date', 'Order ID', 'Ship Country'],
  fields: {
    'Order ID': 'key',
    ...partyColumns('receiver', name => `Ship ${name}`, {
      Name: '',
      Address1: 'address.line1',
      Address2: 'address.line2',
      City: 'address.city',
      State: 'address.state',
      Zipcode: 'address.zipCode',
      Country: 'address.country.code',
    }),
    Currency: 'customs.currency',
    'Item Name': 'items[].description',
    Quantity: 'items[].quantity',
    Price: 'items[].unitPrice',
  },
  amounts: { 'Discount Amount': 'discount' },
  only: { 'Date Paid': ['*'] },
  skip: { 'InPerson Location': ['*'] },
  skipItems: {
    'Date Shipped': ['*'],
    'Listings Type': ['digital', 'download'],
    'Order Type': ['digital'],
    'Ship Country': [''],
  },
  needs: { Quantity: ORDER_ITEMS },
  line: 'Transaction ID',
  sku: 'SKU',
  marketplace: true,
  // The headers of exports in the United Kingdom.
  words: {
    'Ship Name': ['delivery name'],
    'Ship Address1': ['delivery address1'],
    'Ship Address2': ['delivery address2'],
    'Ship City': ['delivery city'],
    'Ship State': ['delivery state'],
    'Ship Zipcode': ['delivery zipcode'],
    'Ship Country': ['delivery country'],
    'Date Shipped': ['date posted', 'date dispatched'],
    'Order Shipping': ['order delivery'],
    'Shipping Discount': ['delivery discount'],
  },
  saysNothing: columnList(`
    Sale Date, Buyer, Coupon Code, Coupon Details, Shipping Discount, Order Shipping, Order Sales Tax, Item Total,
    Listing ID, Variations, Payment Type, InPerson Discount, VAT Paid by Buyer`),
};
