import type { OrderFact } from './facts.ts';
import { isNowhere, isPickup, listed, type OrderCells, partyColumns, type Shop } from './shop.ts';

const PARTY = {
  Name: '',
  Address1: 'address.line1',
  Address2: 'address.line2',
  Company: 'companyName',
  City: 'address.city',
  Zip: 'address.zipCode',
  Country: 'address.country.code',
  Phone: 'phone',
};

/** Orders, Export, "Plain CSV file": a row for each item; the columns of an order have cells in its first row alone. */
export const SHOPIFY: Shop = {
  title: 'Shopify',
  marks: ['Name', 'Lineitem name', 'Lineitem quantity'],
  fields: {
    Name: 'key',
    Email: 'receiver.email',
    Currency: 'customs.currency',
    // What was paid for all goods, after discounts.
    Subtotal: 'customs.totalGoodsValue',
    'Lineitem quantity': 'items[].quantity',
    'Lineitem name': 'items[].description',
    // Of one piece, before discounts.
    'Lineitem price': 'items[].unitPrice',
    ...partyColumns('receiver', name => `Shipping ${name}`, PARTY),
    ...partyColumns('billing', name => `Billing ${name}`, PARTY),
    Phone: 'billing.phone',
  },
  amounts: {
    'Discount Amount': 'orderDiscount',
    Total: 'orderTotal',
    Shipping: 'orderShipping',
    Taxes: 'orderTax',
    'Refunded Amount': 'orderRefund',
    'Lineitem discount': 'discount',
  },
  only: { 'Financial Status': ['paid'] },
  skip: { 'Cancelled at': ['*'], 'Fulfillment Status': ['fulfilled', 'restocked'] },
  skipItems: {
    'Lineitem requires shipping': ['false'],
    'Lineitem fulfillment status': ['fulfilled', 'restocked'],
  },
  onlyItems: { 'Lineitem fulfillment status': ['', 'pending', 'unfulfilled'] },
  once: 'Financial Status',
  decides: ['Shipping Method', 'Outstanding Balance', 'Duties'],
  facts,
  saysNothing: listed(`
    Paid at, Fulfilled at, Accepts Marketing, Discount Code, Created at, Lineitem compare at price, Lineitem sku,
    Lineitem taxable, Billing Street, Billing Province, Billing Province Name, Shipping Street, Shipping Province,
    Shipping Province Name, Notes, Note Attributes, Payment Method, Payment Reference, Payment References, Payment ID,
    Payment Terms Name, Next Payment Due At, Vendor, Employee, Location, Device ID, Id, Tags, Risk Level, Source,
    Receipt Number, Tax 1 Name, Tax 1 Value, Tax 2 Name, Tax 2 Value, Tax 3 Name, Tax 3 Value, Tax 4 Name, Tax 4 Value,
    Tax 5 Name, Tax 5 Value`),
};

/** What a method of delivery is called, and no place in which goods are collected. */
const DELIVERY =
  /shipping|standard|express|economy|priority|international|tracked|deliver|courier|versand|liefer|paket|brief|kargo|teslimat|livraison|spedizione|env[i\u00ed]o|post|mail|\b(dhl|ups|dpd|gls|fedex|usps|hermes|evri|inpost|colissimo|chronopost|bpost)\b/i;

function facts(order: OrderCells): OrderFact[] {
  const column = 'Shipping Method';
  const cell = order.text(column);
  const found: OrderFact[] = [];
  if (isPickup(cell)) found.push({ kind: 'collected', column, cell });
  else if (order.has(column) && isNowhere(SHOPIFY, order)) {
    if (cell === '') found.push({ kind: 'virtual', column });
    // The name of one of its places stands there.
    else if (!DELIVERY.test(cell) && order.amount('Shipping') === 0)
      found.push({ kind: 'collected', column, cell });
  }
  // Something was added to an order that was paid.
  if (order.amount('Outstanding Balance') > 0)
    found.push({ kind: 'owed', column: 'Outstanding Balance', cell: order.text('Outstanding Balance') });
  if (order.amount('Duties') > 0) found.push({ kind: 'duties-paid', column: 'Duties' });
  return found;
}
