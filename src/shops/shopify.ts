import Big from 'big.js';
import {
  type AmountMeaning,
  amountAsTold,
  costOfAllPieces,
  type PricedOrder,
  plainMeaning,
  type ReadingWarning,
  smallestAmount,
} from '../batch/order-amounts.ts';
import { factOf, type OrderCells, type OrderFact } from '../batch/order-facts.ts';
import { columnList, hasNoPlace, isPickup, partyColumns, type Shop } from '../batch/shop.ts';
import { decimalsOf } from '../contract/read.ts';
import { declaredValue, type SoldOrder } from '../order/value.ts';
import { folded } from '../text.ts';

const PARTY = {
  Name: '',
  Address1: 'address.line1',
  Address2: 'address.line2',
  Company: 'companyName',
  City: 'address.city',
  Province: 'address.state',
  Zip: 'address.zipCode',
  Country: 'address.country.code',
  Phone: 'phone',
};

/** The export from Orders, Export, "Plain CSV file": a row for each item. Only the first row of an order has the columns of the order. */
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
    // The price of one piece, before discounts.
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
    Duties: 'orderDuties',
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
  sku: 'Lineitem sku',
  once: 'Financial Status',
  decides: ['Shipping Method', 'Outstanding Balance'],
  facts: shopifyFacts,
  meaning: shopifyMeaning,
  saysNothing: columnList(`
    Paid at, Fulfilled at, Accepts Marketing, Discount Code, Created at, Lineitem compare at price,
    Lineitem taxable, Billing Street, Billing Province Name, Shipping Street, Shipping Province Name, Notes, Note Attributes, Payment Method, Payment Reference, Payment References, Payment ID,
    Payment Terms Name, Next Payment Due At, Vendor, Employee, Location, Device ID, Id, Tags, Risk Level, Source,
    Receipt Number, Tax 1 Name, Tax 1 Value, Tax 2 Name, Tax 2 Value, Tax 3 Name, Tax 3 Value, Tax 4 Name, Tax 4 Value,
    Tax 5 Name, Tax 5 Value`),
};

/** Matches the names of delivery methods; other names may be places where goods are collected. */
const DELIVERY =
  /^(standard|express|economy|priority|tracked)|shipping|deliver|courier|versand|lieferung|paket|kargo|teslimat|livraison|spedizione|envio|\b(deutsche|royal|die|la|canada|australia) (post|mail|poste)\b|\b(dhl|ups|dpd|gls|fedex|usps|hermes|evri|inpost|postnl|postnord|colissimo|chronopost|bpost)\b/;

function shopifyFacts(order: OrderCells): OrderFact[] {
  const facts: OrderFact[] = [];
  const method = order.text('Shipping Method');
  const isNowhere = order.has('Shipping Method') && hasNoPlace(SHOPIFY, order);
  // For goods that are collected, the method is the name of a place of the shop.
  const isPlace = isNowhere && !DELIVERY.test(folded(method)) && order.amount('Shipping') === 0;
  if (isNowhere && method === '') facts.push(factOf('virtual', 'Shipping Method', order));
  else if (isPlace || isPickup(method)) facts.push(factOf('collected', 'Shipping Method', order));
  // A balance is open if something was added to the order after it was paid.
  if (!(order.amount('Outstanding Balance') <= 0)) facts.push(factOf('owed', 'Outstanding Balance', order));
  if (order.amount('Refunded Amount') !== 0) facts.push(factOf('refunded-in-part', 'Refunded Amount', order));
  if (order.amount('Duties') > 0) facts.push(factOf('duties-paid', 'Duties', order));
  return facts;
}

/** What the amounts of a Shopify order mean: its total shows whether prices contain the tax, or the tax is added to them. */
function shopifyMeaning(order: PricedOrder): AmountMeaning {
  const { orderTax, orderShipping = 0, currency } = order;
  const { lines, taxRate } = plainMeaning(order);
  if (orderTax === undefined) return { lines, taxRate };
  if (orderTax <= 0 || isTaxOnTop(orderTax, order)) return { lines, taxRate: undefined };
  return {
    lines,
    taxRate,
    warnings: (sold, declared) =>
      taxRate === undefined
        ? [
            {
              text: 'the declared value contains the tax of the order, or may contain it, and the limits of customs numbers are compared with that: say in the map how much tax the prices contain, such as "taxIncluded": "20%"',
              detail: `${amountAsTold(declared.total, currency)} with ${amountAsTold(orderTax, currency)} of tax, or ${amountAsTold(Big(declared.total).minus(orderTax), currency)} without it`,
            },
          ]
        : otherTaxWarnings(orderTax, sold, taxRate, orderShipping),
  };
}

function isTaxOnTop(tax: number, order: PricedOrder): boolean {
  const { orderTotal, orderShipping = 0, orderDuties = 0, subtotal } = order;
  if (orderTotal === undefined || subtotal === undefined) return false;
  const beside = Big(orderTotal).minus(subtotal).minus(orderDuties);
  const isClose = (amount: Big) => beside.minus(amount).abs().lte(0.01);
  // The total may be without the shipping, if that is free.
  return (
    [orderShipping, 0].some(shipping => isClose(Big(shipping).plus(tax))) && !isClose(Big(orderShipping))
  );
}

/** Warns if the tax in the file is not the one that the rate gives: with or without the shipping, and for all goods or those that ship. */
function otherTaxWarnings(
  orderTax: number,
  order: SoldOrder,
  rate: number,
  shipping: number,
): ReadingWarning[] {
  const { lines, currency } = order;
  const taxIn = (amount: Big) => amount.times(rate).div(rate + 100);
  const goods = [costOfAllPieces(order), Big(declaredValue({ ...order, taxRate: undefined }).total)];
  // The shop rounds the tax of each line, and that of the shipping.
  const rounding = smallestAmount(currency).times(lines.length + Number(shipping > 0));
  const taxes = goods.flatMap(amount => [taxIn(amount), taxIn(amount.plus(shipping))]);
  if (taxes.some(tax => tax.minus(orderTax).abs().lte(rounding))) return [];
  const [byRate = Big(0)] = taxes;
  return [
    {
      text: 'the file tells another tax of the order than "taxIncluded" of the map takes off, which is one rate for all receivers: book orders with another rate by a map of their own',
      detail: `${amountAsTold(orderTax, currency)} in the file, ${amountAsTold(byRate.round(decimalsOf(currency) ?? 2), currency)} by the rate`,
    },
  ];
}
