// The maps that are built in: what the columns of a shop's own export mean, and which of its orders are not to be shipped. The
// headers are those of the shop. What its export does not tell has no entry: nothing is assumed for customs.

interface Shop {
  title: string;
  /** Headers that together only its exports have; each list is of one kind of export. */
  marks: readonly (readonly string[])[];
  /** As a person would write it. */
  map: Readonly<Record<string, unknown>>;
}

/** Left out, because the service has no field for it. */
const leftOut = (titles: string): Record<string, string> =>
  Object.fromEntries(titles.split('|').map(title => [title, '_']));

/** Orders > Export, "Plain CSV file": an order has a row for each of its items, and only the first one says whose it is. */
const SHOPIFY: Shop = {
  title: 'Shopify',
  marks: [['Name', 'Lineitem name', 'Lineitem quantity']],
  map: {
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
      ...leftOut(
        'Financial Status|Paid at|Fulfillment Status|Fulfilled at|Accepts Marketing|Shipping|Taxes|Total|Discount Code|Discount Amount|Shipping Method|Created at|Lineitem compare at price|Lineitem sku|Lineitem requires shipping|Lineitem taxable|Lineitem fulfillment status|Lineitem discount|Billing Name|Billing Street|Billing Address1|Billing Address2|Billing Company|Billing City|Billing Zip|Billing Province|Billing Province Name|Billing Country|Billing Phone|Shipping Street|Shipping Province|Shipping Province Name|Notes|Note Attributes|Cancelled at|Payment Method|Payment Reference|Payment References|Payment ID|Payment Terms Name|Next Payment Due At|Refunded Amount|Vendor|Outstanding Balance|Employee|Location|Device ID|Id|Tags|Risk Level|Source|Phone|Receipt Number|Duties|Tax 1 Name|Tax 1 Value|Tax 2 Name|Tax 2 Value|Tax 3 Name|Tax 3 Value|Tax 4 Name|Tax 4 Value|Tax 5 Name|Tax 5 Value',
      ),
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
  marks: [['Sale Date', 'Order ID', 'Ship Country']],
  map: {
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
      ...leftOut(
        'Sale Date|Buyer|Buyer User ID|Full Name|Number of Items|Payment Method|Coupon Code|Coupon Details|Discount Amount|Shipping Discount|Shipping|Sales Tax|Order Shipping|Order Sales Tax|Order Total|Order Net|Adjusted Order Total|Adjusted Card Processing Fees|Adjusted Net Order Amount|Card Processing Fees|Item Total|Transaction ID|Listing ID|Date Paid|Date Shipped|Ship State|Variations|Order Type|Listings Type|Payment Type|InPerson Discount|InPerson Location|VAT Paid by Buyer|SKU|Status',
      ),
    },
    transform: { 'Ship Name': 'name', 'Ship Zipcode': 'apostrophe', 'Ship Country': 'country' },
    only: { 'Date Paid': ['*'] },
    skip: { 'Date Shipped': ['*'], 'InPerson Location': ['*'] },
    others: '_',
  },
};

const SHOPS = { shopify: SHOPIFY, etsy: ETSY } as const satisfies Record<string, Shop>;

export type ShopName = keyof typeof SHOPS;

export const SHOP_NAMES = Object.keys(SHOPS) as ShopName[];

export const isShop = (name: unknown): name is ShopName =>
  typeof name === 'string' && Object.hasOwn(SHOPS, name);

export const shopNamed = (name: ShopName): Shop => SHOPS[name];

/** The shop whose export has these headers. */
export const shopOf = (header: readonly string[]): ShopName | undefined =>
  SHOP_NAMES.find(name => SHOPS[name].marks.some(marks => marks.every(mark => header.includes(mark))));
