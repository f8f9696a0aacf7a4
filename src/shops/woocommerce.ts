import type { OrderFact } from './facts.ts';
import {
  isNowhere,
  isPickup,
  listed,
  type OrderCells,
  partyColumns,
  paysBy,
  type Shop,
  wordsIn,
} from './shop.ts';

const PARTY = {
  'First Name': 'firstName',
  'Last Name': 'lastName',
  'Full Name': '',
  Company: 'companyName',
  'Address 1&2': 'address.line1',
  'Address 1': 'address.line1',
  'Address 2': 'address.line2',
  City: 'address.city',
  Postcode: 'address.zipCode',
  'Country Code': 'address.country.code',
  'Country Name': 'address.country.code',
  Country: 'address.country.code',
  Email: 'email',
  Phone: 'phone',
};

/** The plugin Advanced Order Export, with its columns as they are: those of an order have cells in each of its rows. */
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
    // Of one piece, before the discount of the order, or after it.
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
    'Order Status': listed('processing, wc-processing, in bearbeitung, bearbeitung, isleniyor, hazirlaniyor'),
  },
  line: 'Item #',
  isUntaxed: true,
  discounted: { price: 'Item Cost', telling: 'Order Line Total or Order Subtotal Amount' },
  decides: [
    'Shipping Method Title',
    'Shipping Method',
    'Payment Method Title',
    'Payment Method',
    'Paid Date',
  ],
  facts,
  saysNothing: listed(`
    Order Date, Completed Date, Customer Note, State Code (Billing), State Code (Shipping), SKU, Product Variation,
    Order Line Tax, Order Line Total Refunded, Image URL, Coupon Code, Discount Amount, Discount Amount Tax, Coupons Used,
    Order Tax Amount, Order Shipping Amount, Order Total Amount, Order Total Amount (- Refund), Order Total Tax Amount,
    Total items, Total products`),
  words: wordsIn(`
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

function facts(order: OrderCells): OrderFact[] {
  const filled = (columns: readonly string[]) =>
    columns.map(column => ({ column, cell: order.text(column) })).filter(({ cell }) => cell !== '');
  const methods = ['Shipping Method Title', 'Shipping Method'].filter(order.has);
  const found: OrderFact[] = [];
  const pickup = filled(methods).find(({ cell }) => isPickup(cell));
  const [method] = methods;
  if (pickup) found.push({ kind: 'collected', ...pickup });
  // An order of files or vouchers stays in processing, too.
  else if (method && filled(methods).length === 0 && isNowhere(WOOCOMMERCE, order))
    found.push({ kind: 'virtual', column: method });
  // The shop writes the day on which money came.
  if (order.text('Paid Date') !== '') return found;
  for (const payment of filled(['Payment Method Title', 'Payment Method'])) {
    const pays = paysBy(payment.cell);
    if (pays === undefined) continue;
    found.push({ kind: pays === 'later' ? 'payment-unknown' : 'paid-at-the-door', ...payment });
    break;
  }
  return found;
}
