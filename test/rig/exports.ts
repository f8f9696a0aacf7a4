// Exports of shops as they come, of forty orders each: written by what was really sold, so that a test can say what of it is to be
// declared without asking the code.

/** Amounts are in cents. */
export interface SoldLine {
  sku: string;
  name: string;
  pieces: number;
  each: number;
  /** Of the line. */
  discount: number;
  refunded: number;
  isDigital: boolean;
  /** Is it sent already? */
  isSent: boolean;
}

export interface SoldOrder {
  /** From 0. */
  at: number;
  state: 'open' | 'cancelled' | 'refunded' | 'part refund' | 'unpaid' | 'sent';
  lines: SoldLine[];
  /** Of no line of its own. */
  discount: number;
  shipping: number;
  person: Person;
  isBusiness: boolean;
}

interface Person {
  first: string;
  last: string;
  company: string;
  lines: string[];
  city: string;
  zip: string;
  code: string;
  country: string;
  phone: string;
}

const person = (
  [first = '', last = '', company = '']: string[],
  lines: string[],
  [zip = '', city = '', code = '', country = '']: string[],
  phone: string,
): Person => ({ first, last, company, lines, zip, city, code, country, phone });

const PEOPLE = [
  person(['Jonas', 'Weber'], ['Hauptstraße 7'], ['01067', 'Dresden', 'DE', 'Germany'], '0351 5550100'),
  person(
    ['Marie', "O'Brien"],
    ['1 rue de la Paix', 'Apt 4'],
    ['75002', 'Paris', 'FR', 'France'],
    '+33 1 55 50 10 00',
  ),
  person(
    ['Ludwig', 'van Beethoven', 'Noten & Klang'],
    ['Bonngasse 20'],
    ['53111', 'Bonn', 'DE', 'Germany'],
    '+49 228 5550123',
  ),
  person(
    ['Sofia', 'Rossi'],
    ['Via Roma 5', 'Scala B', 'c/o Bianchi'],
    ['20121', 'Milano', 'IT', 'Italy'],
    '02 5550 1234',
  ),
  person(
    ['Emma', 'Smith'],
    ['12 High Street', 'Flat 2'],
    ['SW1A 1AA', 'London', 'GB', 'United Kingdom'],
    '020 7946 0018',
  ),
  person(
    ['Mia', 'Johnson'],
    ['350 5th Ave'],
    ['10118', 'New York', 'US', 'United States'],
    '+1 212-555-0142 ext. 12',
  ),
  person(
    ['Jan', 'de Vries'],
    ['Damrak 3'],
    ['1012 LG', 'Amsterdam', 'NL', 'The Netherlands'],
    '+31 20 555 0110',
  ),
];

const GOODS: readonly [sku: string, name: string, each: number][] = [
  ['TS-M', 'Organic T-shirt - M / White', 1250],
  ['CAP', 'Baseball cap "Kings" & co', 1900],
  ['SCARF', 'Silk scarf', 3490],
  ['MUG', 'Mug, 35" print', 985],
  ['SOAP', "Olive soap's box of 4", 1405],
];

const STATES: readonly SoldOrder['state'][] = ['cancelled', 'refunded', 'part refund', 'unpaid', 'sent'];

/** Each fourth order is not to be sent, for one reason after the other; the others have every kind of discount in turn. */
export const soldOrders = ({ hasRefunds = false } = {}): SoldOrder[] =>
  Array.from({ length: 40 }, (_, at): SoldOrder => {
    const lines = Array.from({ length: 1 + (at % 3) }, (_, line): SoldLine => {
      const [sku, name, each] = GOODS[(at + line * 2) % GOODS.length] ?? ['', '', 0];
      return {
        ...{ sku, name, each, pieces: 1 + ((at + line) % 3) },
        discount: at % 5 === 2 && line === 0 ? 199 : 0,
        refunded: hasRefunds && at % 8 === 1 && line === 0 ? 1 : 0,
        isDigital: at % 6 === 5 && line === 1,
        isSent: at % 10 === 8 && line === 0,
      };
    });
    return {
      ...{ at, lines },
      state: at % 4 === 3 ? (STATES[((at - 3) / 4) % STATES.length] ?? 'open') : 'open',
      discount: at % 7 === 4 ? 301 : 0,
      shipping: 490,
      person: PEOPLE[at % PEOPLE.length] as Person,
      isBusiness: at % 9 === 6,
    };
  });

const sum = (amounts: readonly number[]) => amounts.reduce((all, one) => all + one, 0);
const paidFor = ({ pieces, each, discount }: SoldLine) => pieces * each - discount;

/** What the customer paid for the lines that ship, in cents: a discount of the order goes over all lines, cents to the largest. */
export function declared(order: SoldOrder, ships: (line: SoldLine) => boolean): number {
  const values = order.lines.map(paidFor);
  const shares = values.map(value => Math.floor((order.discount * value) / sum(values)));
  const largest = values.indexOf(Math.max(...values));
  shares[largest] = (shares[largest] ?? 0) + order.discount - sum(shares);
  return sum(
    order.lines.map((line, index) => {
      if (!ships(line)) return 0;
      const whole = (values[index] ?? 0) - (shares[index] ?? 0);
      return Math.round((whole * (line.pieces - line.refunded)) / line.pieces);
    }),
  );
}

const money = (cents: number, sign = '.') => (cents / 100).toFixed(2).replace('.', sign);

type Cells = Readonly<Record<string, string | number>>;

/** Rows as a file, in this order of the columns. */
export function fileOf(
  header: readonly string[],
  rows: readonly Cells[],
  { delimiter = ',', quotes = true } = {},
): string {
  const cell = (value: string) =>
    quotes && /["\r\n,;\t]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
  const known = new Set(header);
  for (const row of rows)
    for (const title of Object.keys(row)) if (!known.has(title)) throw new Error(`no column ${title}`);
  return [header, ...rows.map(row => header.map(title => String(row[title] ?? '')))]
    .map(cells => `${cells.map(cell).join(delimiter)}\r\n`)
    .join('');
}

const entities = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll("'", '&#39;');

// Shopify: the columns of an order on its first row alone; blank rows at the end.

const SHOPIFY_HEADER =
  'Name,Email,Financial Status,Paid at,Fulfillment Status,Currency,Subtotal,Shipping,Taxes,Total,Discount Code,Discount Amount,Lineitem quantity,Lineitem name,Lineitem price,Lineitem sku,Lineitem requires shipping,Lineitem fulfillment status,Billing Name,Billing Address1,Billing Address2,Billing City,Billing Zip,Billing Country,Shipping Name,Shipping Address1,Shipping Address2,Shipping Company,Shipping City,Shipping Zip,Shipping Country,Shipping Phone,Cancelled at,Refunded Amount,Lineitem discount,Tags'.split(
    ',',
  );

const SHOPIFY_STATES = {
  open: 'paid',
  cancelled: 'paid',
  refunded: 'refunded',
  'part refund': 'partially_refunded',
  unpaid: 'pending',
  sent: 'paid',
};

export function shopify(orders: readonly SoldOrder[]): string {
  const rows = orders.flatMap((order): Cells[] => {
    const { at, person: who, lines, state } = order;
    const subtotal = sum(lines.map(paidFor)) - order.discount;
    const [street = '', more = '', third = ''] = who.lines;
    const name = `${who.first} ${who.last}`;
    const first: Cells = {
      'Financial Status': SHOPIFY_STATES[state],
      'Fulfillment Status': state === 'sent' ? 'fulfilled' : 'unfulfilled',
      Currency: 'EUR',
      Subtotal: money(subtotal),
      Shipping: money(order.shipping),
      Total: money(subtotal + order.shipping),
      // In the second half, a code made the discounts of the lines, and they are in that of the order.
      'Discount Amount': money(order.discount + (at >= 20 ? sum(lines.map(line => line.discount)) : 0)),
      'Billing Name': name,
      'Billing Address1': street,
      'Billing Address2': [more, third].filter(Boolean).join(', '),
      'Billing City': who.city,
      'Billing Zip': `'${who.zip}`,
      'Billing Country': who.code,
      // Each eleventh has its address with who pays alone.
      ...(at % 11 !== 0 && {
        'Shipping Name': name,
        'Shipping Address1': street,
        'Shipping Address2': [more, third].filter(Boolean).join(', '),
        'Shipping Company': who.company,
        'Shipping City': who.city,
        'Shipping Zip': `'${who.zip}`,
        'Shipping Country': who.code,
      }),
      'Shipping Phone': who.phone,
      'Cancelled at': state === 'cancelled' ? '2026-11-20 10:00:00 +0100' : '',
      'Refunded Amount': money(state === 'part refund' ? 500 : 0),
    };
    return lines.map((line, index) => ({
      ...{ Name: `#${1001 + at}`, Email: `customer${at}@example.com`, ...(index === 0 && first) },
      'Lineitem quantity': line.pieces,
      'Lineitem name': line.name,
      'Lineitem price': money(line.each),
      'Lineitem sku': line.sku,
      'Lineitem requires shipping': String(!line.isDigital),
      'Lineitem fulfillment status': line.isSent ? 'fulfilled' : 'pending',
      'Lineitem discount': money(line.discount),
    }));
  });
  return fileOf(SHOPIFY_HEADER, [...rows, {}, {}]);
}

// Etsy: entities in names and addresses, no phone, no e-mail, discounts by line.

const ETSY_HEADER =
  'Sale Date,Item Name,Buyer,Quantity,Price,Coupon Code,Coupon Details,Discount Amount,Shipping Discount,Order Shipping,Order Sales Tax,Item Total,Currency,Transaction ID,Listing ID,Date Paid,Date Shipped,Ship Name,Ship Address1,Ship Address2,Ship City,Ship State,Ship Zipcode,Ship Country,Order ID,Variations,Order Type,Listings Type,Payment Type,InPerson Discount,InPerson Location,VAT Paid by Buyer,SKU'.split(
    ',',
  );

export function etsy(orders: readonly SoldOrder[]): string {
  return fileOf(
    ETSY_HEADER,
    orders.flatMap(({ at, lines, person: who, state, shipping }) =>
      lines.map((line, index) => ({
        ...{ 'Sale Date': '11/10/26', Buyer: who.first, 'Order Type': 'online', 'Payment Type': 'online_cc' },
        'Item Name': entities(line.name),
        Quantity: line.pieces,
        Price: money(line.each),
        'Discount Amount': money(line.discount),
        'Order Shipping': money(shipping),
        'Item Total': money(line.pieces * line.each),
        Currency: 'EUR',
        'Transaction ID': 4_100_000_000 + at * 10 + index,
        'Date Paid': state === 'unpaid' ? '' : '11/10/2026',
        'Date Shipped': state === 'sent' || state === 'refunded' ? '11/12/2026' : '',
        'Ship Name': entities(`${who.first} ${who.last}`),
        'Ship Address1': entities(who.lines[0] ?? ''),
        'Ship Address2': entities(who.lines.slice(1).join(', ')),
        'Ship City': entities(who.city),
        'Ship Zipcode': who.zip,
        'Ship Country': who.country,
        'Order ID': 3_100_000_000 + at,
        'Listings Type': line.isDigital ? 'digital' : 'listing',
        SKU: line.sku,
      })),
    ),
  );
}

// WooCommerce: all columns on every row, in three languages.

const WOO: readonly (readonly [english: string, german: string, turkish: string])[] = [
  ['Order Number', 'Bestellnummer', 'Sipariş Numarası'],
  ['Order Status', 'Bestellstatus', 'Sipariş Durumu'],
  ['Order Date', 'Bestelldatum', 'Sipariş Tarihi'],
  ['First Name (Billing)', 'Vorname (Rechnung)', 'Ad (Fatura)'],
  ['Last Name (Billing)', 'Nachname (Rechnung)', 'Soyad (Fatura)'],
  ['Company (Billing)', 'Firma (Rechnung)', 'Şirket (Fatura)'],
  ['Address 1&2 (Billing)', 'Adresse 1&2 (Rechnung)', 'Adres 1&2 (Fatura)'],
  ['City (Billing)', 'Stadt (Rechnung)', 'Şehir (Fatura)'],
  ['Postcode (Billing)', 'Postleitzahl (Rechnung)', 'Posta Kodu (Fatura)'],
  ['Country Code (Billing)', 'Ländercode (Rechnung)', 'Ülke Kodu (Fatura)'],
  ['Email (Billing)', 'E-Mail (Rechnung)', 'E-posta (Fatura)'],
  ['Phone (Billing)', 'Telefon (Rechnung)', 'Telefon (Fatura)'],
  ['First Name (Shipping)', 'Vorname (Versand)', 'Ad (Teslimat)'],
  ['Last Name (Shipping)', 'Nachname (Versand)', 'Soyad (Teslimat)'],
  ['Address 1&2 (Shipping)', 'Adresse 1&2 (Versand)', 'Adres 1&2 (Teslimat)'],
  ['City (Shipping)', 'Stadt (Versand)', 'Şehir (Teslimat)'],
  ['Postcode (Shipping)', 'Postleitzahl (Versand)', 'Posta Kodu (Teslimat)'],
  ['Country Code (Shipping)', 'Ländercode (Versand)', 'Ülke Kodu (Teslimat)'],
  ['Item #', 'Artikel #', 'Ürün #'],
  ['SKU', 'Artikelnummer', 'Stok Kodu'],
  ['Name', 'Produktname', 'Ürün Adı'],
  ['Quantity', 'Menge', 'Miktar'],
  ['Quantity (- Refund)', 'Menge (- Erstattung)', 'Miktar (- İade)'],
  ['Item Cost', 'Artikelpreis', 'Ürün Fiyatı'],
  ['Order Line Total', 'Positionssumme', 'Satır Toplamı'],
  ['Order Line Total (- Refund)', 'Positionssumme (- Erstattung)', 'Satır Toplamı (- İade)'],
  ['Cart Discount Amount', 'Warenkorb-Rabattbetrag', 'Sepet İndirim Tutarı'],
  ['Order Refund Amount', 'Erstattungsbetrag', 'Sipariş İade Tutarı'],
];

const WOO_STATES = {
  open: ['Processing', 'In Bearbeitung', 'İşleniyor'],
  cancelled: ['Cancelled', 'Storniert', 'İptal edildi'],
  refunded: ['Refunded', 'Erstattet', 'İade edildi'],
  'part refund': ['Processing', 'In Bearbeitung', 'İşleniyor'],
  unpaid: ['Pending payment', 'Zahlung ausstehend', 'Ödeme bekleniyor'],
  sent: ['Completed', 'Abgeschlossen', 'Tamamlandı'],
} as const;

/** `language`: 0 is English, 1 German, 2 Turkish. */
export function woocommerce(orders: readonly SoldOrder[], language: 0 | 1 | 2): string {
  const sign = language === 0 ? '.' : ',';
  const amount = (cents: number) => money(cents, sign);
  const rows = orders.flatMap((order): Cells[] => {
    const { at, lines, person: who, state } = order;
    const values = lines.map(paidFor);
    const largest = values.indexOf(Math.max(...values));
    const shares = values.map(value => Math.floor((order.discount * value) / sum(values)));
    shares[largest] = (shares[largest] ?? 0) + order.discount - sum(shares);
    const totals = values.map((value, index) => value - (shares[index] ?? 0));
    const kept = lines.map(({ pieces, refunded }, index) =>
      Math.round(((totals[index] ?? 0) * (pieces - refunded)) / pieces),
    );
    return lines.map((line, index): Cells => {
      const [total = 0, left = 0] = [totals[index], kept[index]];
      return {
        'Order Number': 5001 + at,
        'Order Status': WOO_STATES[state][language],
        'First Name (Billing)': who.first,
        'Last Name (Billing)': who.last,
        'Company (Billing)': who.company,
        'Address 1&2 (Billing)': who.lines.join(', '),
        'City (Billing)': who.city,
        'Postcode (Billing)': who.zip,
        'Country Code (Billing)': who.code,
        'Email (Billing)': `customer${at}@example.com`,
        'Phone (Billing)': who.phone,
        ...(at % 2 === 0 && {
          'First Name (Shipping)': who.first,
          'Last Name (Shipping)': who.last,
          'Address 1&2 (Shipping)': who.lines.join(', '),
          'City (Shipping)': who.city,
          'Postcode (Shipping)': who.zip,
          'Country Code (Shipping)': who.code,
        }),
        'Item #': index + 1,
        SKU: line.sku,
        Name: line.name,
        Quantity: line.pieces,
        'Quantity (- Refund)': line.pieces - line.refunded,
        'Item Cost': amount(line.each),
        'Order Line Total': amount(total),
        'Order Line Total (- Refund)': amount(left),
        'Cart Discount Amount': amount(order.discount + sum(lines.map(({ discount }) => discount))),
        'Order Refund Amount': amount(state === 'part refund' ? 500 : sum(totals) - sum(kept)),
      };
    });
  });
  const header = WOO.map(titles => titles[language]);
  const english = WOO.map(([title]) => title);
  const own = rows.map(row =>
    Object.fromEntries(Object.entries(row).map(([title, cell]) => [header[english.indexOf(title)], cell])),
  );
  return fileOf(header, own, { delimiter: language === 0 ? ',' : ';' });
}

// Amazon: tabs and no quotes; prices of lines, with tax; three address lines; further rows for further promotions.

const AMAZON_HEADER =
  'order-id,order-item-id,purchase-date,payments-date,buyer-email,buyer-name,buyer-phone-number,sku,product-name,quantity-purchased,currency,item-price,item-tax,shipping-price,shipping-tax,ship-service-level,recipient-name,ship-address-1,ship-address-2,ship-address-3,ship-city,ship-state,ship-postal-code,ship-country,ship-phone-number,item-promotion-discount,item-promotion-id,ship-promotion-discount,is-business-order,ioss-number'.split(
    ',',
  );

const taxOf = (cents: number) => Math.round((cents * 20) / 120);

/** What is declared for a line of Amazon: without its tax. */
export const amazonValue = (line: SoldLine) => paidFor(line) - taxOf(paidFor(line));

export function amazon(orders: readonly SoldOrder[], { prices = true } = {}): string {
  const header = prices
    ? AMAZON_HEADER
    : [...AMAZON_HEADER.filter(title => !/^item-|promotion/.test(title)), 'quantity-to-ship'];
  const rows = orders.flatMap((order): Cells[] => {
    const { at, lines, person: who, state } = order;
    const key = `305-${String(1_000_000 + at)}-${String(7_000_000 + at)}`;
    return lines.flatMap((line, index): Cells[] => {
      const id = String(20_000_000_000_000 + at * 10 + index);
      const ofGoods = {
        currency: 'EUR',
        'item-price': money(line.pieces * line.each),
        'item-tax': money(taxOf(paidFor(line))),
        // Of two promotions, the second one is on a row of its own.
        'item-promotion-discount': money(Math.floor(line.discount / 2)),
      };
      const row: Cells = {
        ...{ 'order-id': key, 'order-item-id': id, 'purchase-date': '2026-11-20T08:15:00+00:00' },
        'payments-date': state === 'unpaid' ? '' : '2026-11-20T08:20:00+00:00',
        'buyer-email': `relay${at}@marketplace.example.com`,
        'buyer-name': who.first,
        sku: line.sku,
        'product-name': line.name,
        'quantity-purchased': line.pieces,
        ...(prices
          ? { ...ofGoods, 'shipping-price': money(order.shipping) }
          : { 'quantity-to-ship': line.pieces }),
        'recipient-name': `${who.first} ${who.last}`,
        'ship-address-1': who.company || (who.lines[0] ?? ''),
        'ship-address-2': who.company ? (who.lines[0] ?? '') : (who.lines[1] ?? ''),
        'ship-address-3': who.company ? (who.lines[1] ?? '') : (who.lines[2] ?? ''),
        'ship-city': who.city,
        'ship-postal-code': who.zip,
        'ship-country': who.code,
        'ship-phone-number': who.phone,
        'is-business-order': String(order.isBusiness),
        'ioss-number': ['US', 'GB'].includes(who.code) || order.isBusiness ? '' : 'IM4420001201',
      };
      const promotion = { 'order-id': key, 'order-item-id': id };
      const rest = Math.ceil(line.discount / 2);
      return line.discount > 0 && prices
        ? [row, { ...promotion, 'item-promotion-discount': money(rest), 'item-promotion-id': 'P-2' }]
        : [row];
    });
  });
  return fileOf(header, rows, { delimiter: '\t', quotes: false });
}

// eBay: a blank first line, an empty row, a parent row of an order of several items, a footer.

const EBAY_HEADER =
  'Sales Record Number,Order Number,Buyer Username,Buyer Name,Buyer Email,Buyer Note,Buyer Address 1,Buyer City,Buyer Zip,Buyer Country,Ship To Name,Ship To Phone,Ship To Address 1,Ship To Address 2,Ship To City,Ship To State,Ship To Zip,Ship To Country,Item Number,Item Title,Custom Label,Quantity,Sold For,Shipping And Handling,eBay Reference Name,eBay Reference Value,Total Price,Sale Date,Paid On Date,Shipped On Date,Transaction ID,Variation Details'.split(
    ',',
  );

export function ebay(orders: readonly SoldOrder[]): string {
  const rows = orders.flatMap((order): Cells[] => {
    const { at, lines, person: who, state } = order;
    const sign = { GB: '£', US: '$' }[who.code];
    const amount = (cents: number) => (sign ? sign + money(cents) : `EUR ${money(cents, ',')}`);
    const total = sum(lines.map(line => line.pieces * line.each)) + order.shipping;
    const shared = {
      'Sales Record Number': 100 + at,
      'Order Number': `${10 + at}-${12_345 + at}-${67_890 - at}`,
      'Buyer Username': `buyer_${at}`,
      'Sale Date': 'Nov-23-26',
      'Paid On Date': state === 'unpaid' ? '' : 'Nov-23-26',
      'Shipped On Date': state === 'sent' ? 'Nov-24-26' : '',
    };
    const address: Cells = {
      'Buyer Name': `${who.first} ${who.last}`,
      'Buyer Email': `buyer${at}@members.example.com`,
      'Ship To Name': `${who.first} ${who.last}`,
      'Ship To Phone': who.phone,
      'Ship To Address 1': who.lines[0] ?? '',
      'Ship To Address 2': who.lines.slice(1).join(' '),
      'Ship To City': who.city,
      'Ship To Zip': who.zip,
      'Ship To Country': who.country,
      ...(!['US', 'GB'].includes(who.code) && {
        'eBay Reference Name': 'IOSS',
        'eBay Reference Value': 'IM2760000742',
      }),
      ...(who.code === 'GB' && { 'eBay Reference Name': 'VAT', 'eBay Reference Value': 'GB 365 6085 76' }),
      'Total Price': amount(total),
    };
    const items = lines.map((line, index) => ({
      ...shared,
      'Item Number': 250_000_000_000 + (at % 4),
      'Item Title': line.name,
      'Custom Label': line.sku,
      Quantity: line.pieces,
      'Sold For': amount(line.each),
      'Transaction ID': 1_900_000_000 + at * 10 + index,
    }));
    if (items.length === 1) return [{ ...address, ...items[0] }];
    return [{ ...shared, ...address, Quantity: sum(lines.map(({ pieces }) => pieces)) }, ...items];
  });
  const file = fileOf(EBAY_HEADER, [{}, ...rows]);
  return `\r\n${file}\r\n${orders.length},record(s) downloaded,from Nov-01-26 to Nov-24-26\r\nSeller ID : shop_example\r\n`;
}
