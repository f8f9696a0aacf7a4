import Big from 'big.js';
import {
  type AmountMeaning,
  amountAsTold,
  costOfAllPieces,
  type LineAmounts,
  type PricedOrder,
  piecesOf,
  plainMeaning,
  pricedLine,
  type ReadingWarning,
  roundingOf,
  sumDifference,
} from '../batch/order-amounts.ts';
import { factOf, type OrderCells, type OrderFact } from '../batch/order-facts.ts';
import {
  columnList,
  hasNoPlace,
  isPickup,
  partyColumns,
  paysBy,
  type Shop,
  translations,
} from '../batch/shop.ts';
import { declaredValue, type SoldLine, type SoldOrder } from '../order/value.ts';

const PARTY = {
  'First Name': 'firstName',
  'Last Name': 'lastName',
  'Full Name': '',
  Company: 'companyName',
  'Address 1&2': 'address.line1',
  'Address 1': 'address.line1',
  'Address 2': 'address.line2',
  City: 'address.city',
  'State Code': 'address.state',
  Postcode: 'address.zipCode',
  'Country Code': 'address.country.code',
  'Country Name': 'address.country.code',
  Country: 'address.country.code',
  Email: 'email',
  Phone: 'phone',
};

/** The export of the plugin Advanced Order Export, with its usual columns: each row of an order has the columns of the order. */
export const WOOCOMMERCE: Shop = {
  title: 'WooCommerce',
  marks: ['Order Number', 'First Name (Shipping)'],
  fields: {
    'Order Number': 'key',
    'Order Currency': 'customs.currency',
    Currency: 'customs.currency',
    ...partyColumns('receiver', name => `${name} (Shipping)`, PARTY),
    ...partyColumns('billing', name => `${name} (Billing)`, PARTY),
    Name: 'items[].description',
    'Item Name': 'items[].description',
    'Product Name': 'items[].description',
    'Quantity (- Refund)': 'items[].quantity',
    // The price of one piece; it may be before or after the discount of the order.
    'Item Cost': 'items[].unitPrice',
  },
  amounts: {
    Quantity: 'sold',
    'Order Line Total (- Refund)': 'kept',
    'Order Line Total': 'paid',
    'Order Line (w/o tax)': 'untaxed',
    'Cart Discount Amount': 'orderDiscount',
    'Order Refund Amount': 'orderRefund',
    'Order Subtotal Amount': 'orderGoods',
  },
  only: {
    'Order Status': columnList(
      'processing, wc-processing, in bearbeitung, bearbeitung, isleniyor, hazirlaniyor',
    ),
  },
  line: 'Item #',
  sku: 'SKU',
  decides: [
    'Shipping Method Title',
    'Shipping Method',
    'Payment Method Title',
    'Payment Method',
    'Paid Date',
  ],
  facts: wooFacts,
  meaning: wooMeaning,
  saysNothing: columnList(`
    Order Date, Completed Date, Customer Note, Product Variation,
    Order Line Tax, Order Line Total Refunded, Image URL, Coupon Code, Discount Amount, Discount Amount Tax, Coupons Used,
    Order Tax Amount, Order Shipping Amount, Order Total Amount, Order Total Amount (- Refund), Order Total Tax Amount,
    Total items, Total products`),
  words: translations(`
    Order Number: bestellnummer | bestellungsnummer | auftragsnummer | siparis numarasi | siparis no
    Order Status: bestellstatus | status der bestellung | auftragsstatus | siparis durumu
    Order Currency: bestellwahrung | wahrung | siparis para birimi | para birimi
    First Name: vorname | ad | isim | adi
    Last Name: nachname | soyad | soyadi | soyisim
    Full Name: vollstandiger name | voller name | ad soyad | tam ad | tam adi
    Company: firma | unternehmen | firmenname | sirket | firma adi | sirket adi
    Address 1&2: adresse 1&2 | adres 1&2 | adresse 1 & 2 | anschrift 1&2
    Address 1: adresse 1 | adresszeile 1 | adres 1 | adres satiri 1
    Address 2: adresse 2 | adresszeile 2 | adres 2 | adres satiri 2
    City: stadt | ort | sehir
    Postcode: postleitzahl | plz | posta kodu
    Country Code: landercode | landesvorwahl | landerkurzel | ulke kodu
    Country Name: landername | land | ulke adi | ulke
    Email: e-mail | e-mail-adresse | e-posta | e-posta adresi
    Phone: telefon | telefonnummer | telefon numarasi
    Shipping: versand | lieferung | lieferadresse | versandadresse | teslimat | gonderim | kargo | gonderi
    Billing: rechnung | rechnungsadresse | abrechnung | rechnungsstellung | fatura | faturalama
    Name: produktname | bezeichnung | artikelname | artikel | urun adi | urun
    Item #: artikel # | position # | artikel-nr. | position | artikel nr. | urun # | kalem #
    SKU: artikelnummer | art.-nr. | stok kodu
    Quantity: menge | anzahl | miktar | adet
    - Refund: - ruckerstattung | - erstattung | - ruckerstattungen | - iade | - geri odeme
    Item Cost: artikelkosten | artikelpreis | einzelpreis | kosten pro artikel | urun fiyati | urun maliyeti | birim fiyat | kalem tutari
    Order Line Total: positionssumme | summe der bestellposition | bestellposition gesamt | gesamtsumme der bestellzeile | bestellzeile gesamt | zeilensumme | siparis satiri toplami | satir toplami | siparis kalemi toplami
    Cart Discount Amount: warenkorb-rabattbetrag | warenkorbrabatt | rabattbetrag warenkorb | sepet indirim tutari | sepet indirimi
    Order Refund Amount: erstattungsbetrag | ruckerstattungsbetrag | erstattungsbetrag der bestellung | siparis iade tutari | iade tutari
    Order Date: bestelldatum | siparis tarihi
    Paid Date: zahlungsdatum | odeme tarihi
    Customer Note: kundenhinweis | kundennotiz | anmerkung des kunden | musteri notu
    Payment Method Title: zahlungsmethode | titel der zahlungsmethode | zahlungsart | odeme yontemi | odeme yontemi basligi
    Shipping Method Title: versandart | titel der versandmethode | versandmethode | gonderim yontemi | kargo yontemi
    State Code: bundesland | bundeslandcode | bundesland-code | eyalet kodu | il kodu
    Order Total Amount: gesamtbetrag | gesamtbetrag der bestellung | bestellsumme | siparis toplam tutari | siparis toplami
    Order Subtotal Amount: zwischensumme | zwischensumme der bestellung | siparis ara toplami
    Order Shipping Amount: versandkosten | versandbetrag | kargo tutari | siparis kargo tutari
    Coupon Code: gutscheincode | kupon kodu
    Discount Amount: rabattbetrag | indirim tutari`),
};

function wooFacts(order: OrderCells): OrderFact[] {
  const facts: OrderFact[] = [];
  const isFilled = (column: string) => order.text(column) !== '';
  const methods = ['Shipping Method Title', 'Shipping Method'].filter(order.has);
  const pickup = methods.find(column => isPickup(order.text(column)));
  // An order of files or vouchers has the status `processing`, too.
  const [virtual] = methods.some(isFilled) || !hasNoPlace(WOOCOMMERCE, order) ? [] : methods;
  if (pickup) facts.push(factOf('collected', pickup, order));
  if (virtual) facts.push(factOf('virtual', virtual, order));
  const refund = refundOf(order);
  if (refund) facts.push(refund);
  // An order with a date of payment is paid.
  const payment = ['Payment Method Title', 'Payment Method'].find(column => paysBy(order.text(column)));
  if (payment === undefined || isFilled('Paid Date')) return facts;
  const isLater = paysBy(order.text(payment)) === 'later';
  return [...facts, factOf(isLater ? 'payment-unknown' : 'paid-at-the-door', payment, order)];
}

/** The fact that an order was refunded in part; `undefined` if its lines show the whole refund. */
function refundOf(order: OrderCells): OrderFact | undefined {
  const column = 'Order Refund Amount';
  const refund = order.amount(column);
  if (refund === 0) return undefined;
  const lines = order.rows.map(refundedLine);
  const sumOf = (part: 'price' | 'back') => lines.reduce((sum, line) => sum.plus(line[part]), Big(0));
  const [price, back] = [sumOf('price'), sumOf('back')];
  // The totals of lines are after all discounts; other prices are before the discount of the order.
  const discount = order.text('Order Line Total') === '' ? order.amount('Cart Discount Amount') || 0 : 0;
  const backInLines =
    discount !== 0 && price.gt(0) ? back.times(price.minus(Math.abs(discount))).div(price) : back;
  // Shops round each line, so that the refund of each may differ by a cent.
  const isAllInLines = Math.abs(Math.abs(refund) - backInLines.toNumber()) <= lines.length * 0.01 + 1e-9;
  if (backInLines.gt(0) && isAllInLines) return undefined;
  const sum = backInLines.eq(0) ? undefined : String(backInLines.round(2));
  return { ...factOf('refunded-in-part', column, order), lines: sum };
}

/** The price of a line, and how much of it was paid back: by the amounts of the line, or else by its pieces. */
function refundedLine(row: OrderCells['rows'][number]): { price: Big; back: Big } {
  const amount = (column: string) => {
    const read = row.text(column) === '' ? Number.NaN : row.amount(column);
    return Number.isNaN(read) ? undefined : Big(read);
  };
  const remaining = amount('Quantity (- Refund)');
  const sold = amount('Quantity') ?? remaining ?? Big(1);
  const price = amount('Order Line Total') ?? amount('Item Cost')?.times(sold) ?? Big(0);
  const kept = amount('Order Line Total (- Refund)');
  if (kept !== undefined) return { price, back: price.minus(kept) };
  const isWhole = remaining === undefined || remaining.gte(sold);
  return { price, back: isWhole ? Big(0) : price.times(sold.minus(remaining)).div(sold) };
}

/**
 * What the amounts of a WooCommerce order mean: a line has its total after all discounts, or only the price of one piece, which may be
 * before or after the discount of the order.
 */
function wooMeaning(order: PricedOrder): AmountMeaning {
  const { isShared, orderGoods, orderDiscount = 0, currency } = order;
  const lines = order.lines.map(line => totalLine(line) ?? pricedLine(line, isShared));
  const isTotal = order.lines.some(({ paid, kept, untaxed }) => (paid ?? kept ?? untaxed) !== undefined);
  const taxRate = order.lines.some(({ untaxed }) => untaxed !== undefined)
    ? undefined
    : plainMeaning(order).taxRate;
  const known = { lines: lines.filter(line => line !== undefined), currency };
  const isAfter = isTotal || (orderGoods !== undefined && isAfterDiscount(known, orderGoods, orderDiscount));
  return {
    lines,
    taxRate,
    discount: isAfter ? 0 : Math.abs(orderDiscount),
    sumOfShop: sold => sumOfGoods(order, sold),
    warnings: (sold, declared) => [
      ...(taxRate === undefined ? [] : [TAXED_TWICE]),
      ...(!isTotal && orderGoods === undefined && orderDiscount !== 0
        ? [untoldDiscount(sold, declared.total)]
        : []),
    ],
  };
}

/** A line with its total: what was paid for the line, or what is left of that after a refund. */
function totalLine(line: LineAmounts): SoldLine | undefined {
  const { item, paid, kept, untaxed } = line;
  const pieces = piecesOf(line);
  const total = untaxed ?? paid;
  if (pieces === undefined) return undefined;
  if (kept === undefined || item === undefined)
    return total === undefined ? undefined : { ...pieces, price: { all: total } };
  const share = untaxed !== undefined && paid ? Big(untaxed).div(paid) : Big(1);
  return { quantity: pieces.ships, ships: pieces.ships, price: { all: share.times(kept).toFixed(6) } };
}

/** Are the prices of pieces after the discount of the order? The shop's sum of goods shows it, because that is before the discount. */
function isAfterDiscount(order: SoldOrder, goods: number, discount: number): boolean {
  const whole = costOfAllPieces({ ...order, discount: 0 });
  const fromBefore = whole.minus(goods).abs();
  const fromAfter = whole.minus(goods).plus(Math.abs(discount)).abs();
  return fromAfter.lt(fromBefore) && fromAfter.lte(roundingOf(order));
}

/**
 * The shop's sum of goods, compared with the lines: it may lack the tax that these contain, so that lines may add up to more than it, but
 * not to less.
 */
function sumOfGoods(order: PricedOrder, sold: SoldOrder) {
  const { orderGoods, orderDiscount, lines } = order;
  if (orderGoods === undefined) return undefined;
  const sumOfShop = Big(orderGoods).minus(Math.abs(orderDiscount ?? 0));
  const paid = lines.flatMap(line => line.paid ?? []);
  if (orderDiscount !== undefined && paid.length === lines.length)
    return sumDifference(
      sumOfShop,
      paid.reduce((sum, amount) => sum.plus(amount), Big(0)),
      sold,
      surplus => surplus.lt(0),
    );
  if (!orderDiscount) return undefined;
  return sumDifference(sumOfShop, costOfAllPieces(sold), sold, surplus => surplus.lte(roundingOf(sold)));
}

const TAXED_TWICE =
  '"taxIncluded" of the map takes a tax off prices that the export of this shop has without tax: remove it, or less is declared than was paid';

const untoldDiscount = (order: SoldOrder, total: number): ReadingWarning => ({
  text: 'the discount of the order is taken off Item Cost, which may be after it already: export Order Line Total or Order Subtotal Amount, too, which shows it',
  detail: `${amountAsTold(total, order.currency)}, or ${amountAsTold(declaredValue({ ...order, discount: 0 }).total, order.currency)}`,
});
