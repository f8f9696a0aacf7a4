import Big from 'big.js';
import { costOfAllPieces, plainMeaning, sumDifference } from '../batch/order-amounts.ts';
import { factOf, type OrderCells, type OrderFact } from '../batch/order-facts.ts';
import { columnList, isPickup, partyColumns, type Shop } from '../batch/shop.ts';

const PLACE = {
  'Address 1': 'address.line1',
  'Address 2': 'address.line2',
  City: 'address.city',
  State: 'address.state',
  Zip: 'address.zipCode',
  Country: 'address.country.code',
};

/** The export from Seller Hub, Orders, Download report: an order of several items has a row with its address above those of the items. */
export const EBAY: Shop = {
  title: 'eBay',
  marks: ['Sales Record Number', 'Order Number', 'Item Title'],
  fields: {
    'Order Number': 'key',
    'Buyer Email': 'receiver.email',
    ...partyColumns('receiver', name => `Ship To ${name}`, { Name: '', Phone: 'phone', ...PLACE }),
    ...partyColumns('billing', name => `Buyer ${name}`, { Name: '', ...PLACE }),
    'Item Title': 'items[].description',
    Quantity: 'items[].quantity',
    'Sold For': 'items[].unitPrice',
  },
  amounts: {
    'Total Price': 'orderTotal',
    'Shipping And Handling': 'orderShipping',
    'eBay Reference Value': 'customsNumber',
  },
  only: { 'Paid On Date': ['*'] },
  skipItems: { 'Item Title': [''], 'Shipped On Date': ['*'] },
  line: 'Transaction ID',
  sku: 'Custom Label',
  once: 'Ship To Country',
  footer: ['record(s) downloaded', 'seller id'],
  marketplace: true,
  decides: [
    ...['Click And Collect', 'Shipping Service', 'Global Shipping Program'],
    ...['Global Shipping Reference ID', 'eBay International Shipping', 'eBay Fulfillment Program'],
  ],
  facts: ebayFacts,
  meaning: order => ({
    ...plainMeaning(order),
    // A total of the shop that is higher is no contradiction: it may contain a tax that eBay collects.
    sumOfShop: sold =>
      order.orderTotal === undefined
        ? undefined
        : sumDifference(
            Big(order.orderTotal).minus(order.orderShipping ?? 0),
            costOfAllPieces(sold),
            sold,
            surplus => surplus.gt(0),
          ),
  }),
  // The headers of exports in the United Kingdom.
  words: {
    'Ship To Name': ['post to name'],
    'Ship To Phone': ['post to phone'],
    'Ship To Address 1': ['post to address 1'],
    'Ship To Address 2': ['post to address 2'],
    'Ship To City': ['post to city'],
    'Ship To Zip': ['post to postcode', 'post to postal code', 'post to zip'],
    'Ship To Country': ['post to country'],
    'Ship To State': ['post to county'],
    'Buyer Zip': ['buyer postcode'],
    'Buyer State': ['buyer county'],
    'Shipping And Handling': ['postage and packaging'],
    'Shipping Service': ['delivery service', 'postage service'],
    'Ship By Date': ['post by date', 'dispatch by date'],
    'Shipped On Date': ['dispatched on date', 'posted on date'],
  },
  saysNothing: columnList(`
    Sales Record Number, Buyer Username, Buyer Note, Buyer Tax Identifier Name, Buyer Tax Identifier Value,
    Item Number, Sold Via Promoted Listings, Item Location, Item Zip Code, Item Country,
    eBay Collect And Remit Tax Rate, eBay Collect And Remit Tax Type, eBay Reference Name, Tax Status,
    Seller Collected Tax, eBay Collected Tax, Electronic Waste Recycling Fee, Mattress Recycling Fee,
    Battery Recycling Fee, White Goods Disposal Tax, Tire Recycling Fee, Additional Fee, Lumber Fee,
    Prepaid Wireless Fee, Road Improvement And Food Delivery Fee, eBay Collected Charges,
    eBay Collected Tax and Fees Included in Total, eBay Collected Tax Included in Total, Payment Method,
    Commitment Date, Sale Date, Ship By Date, Minimum Estimated Delivery Date, Maximum Estimated Delivery Date,
    Feedback Left, Feedback Received, My Item Note, PayPal Transaction ID, Tracking Number, Variation Details,
    Click And Collect Reference Number, eBay Plus, Authenticity Verification Program, Authenticity Verification Status,
    Authenticity Verification Outcome Reason, PSA Vault Program, eBay Vault Program, Vault Fulfillment Type, Tax City,
    Tax State, Tax Zip, Tax Country`),
};

function ebayFacts(order: OrderCells): OrderFact[] {
  const isYes = (column: string) => /^(yes|true|1)$/i.test(order.text(column));
  const facts: OrderFact[] = [];
  if (isYes('Click And Collect')) facts.push(factOf('collected', 'Click And Collect', order));
  if (isPickup(order.text('Shipping Service'))) facts.push(factOf('collected', 'Shipping Service', order));
  if (isYes('eBay Fulfillment Program'))
    facts.push(factOf('sent-by-marketplace', 'eBay Fulfillment Program', order));
  if (['Global Shipping Program', 'eBay International Shipping'].some(isYes))
    facts.push(factOf('forwarded', 'Global Shipping Reference ID', order));
  return facts;
}
