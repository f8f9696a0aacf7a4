import Big from 'big.js';
import {
  type AmountMeaning,
  amountAsTold,
  type LineAmounts,
  type PricedOrder,
  plainMeaning,
  pricedLine,
  smallestAmount,
} from '../batch/order-amounts.ts';
import { factOf, type OrderCells, type OrderFact } from '../batch/order-facts.ts';
import { columnList, partyColumns, paysBy, type Shop } from '../batch/shop.ts';
import type { SoldLine } from '../order/value.ts';

const NEW_ORDERS =
  'this report has no prices, as that of unshipped orders has none; download the report of new orders (Order Reports, New Orders)';

/** The export from Order Reports, "New Orders": text with tabs, with a row for each item, and one more for each further promotion. */
export const AMAZON: Shop = {
  title: 'Amazon',
  marks: ['order-id', 'order-item-id', 'ship-country'],
  fields: {
    'order-id': 'key',
    'buyer-email': 'receiver.email',
    'ship-phone-number': 'receiver.phone',
    'buyer-phone-number': 'billing.phone',
    'recipient-name': 'receiver',
    'buyer-company-name': 'billing.companyName',
    ...partyColumns('receiver', name => `ship-${name}`, {
      'address-1': 'address.line1',
      'address-2': 'address.line2',
      'address-3': 'address.line3',
      city: 'address.city',
      state: 'address.state',
      'postal-code': 'address.zipCode',
      country: 'address.country.code',
    }),
    currency: 'customs.currency',
    'product-name': 'items[].description',
    'quantity-to-ship': 'items[].quantity',
    // The price of the whole line; it contains the tax where prices do.
    'item-price': 'items[].totalPrice',
  },
  amounts: {
    'quantity-purchased': 'sold',
    'item-tax': 'tax',
    'item-promotion-discount': 'discount',
    'ioss-number': 'customsNumber',
  },
  only: { 'payments-date': ['*'] },
  skipItems: { 'product-name': [''], 'is-buyer-requested-cancellation': ['true'] },
  business: { 'is-business-order': ['true'] },
  needs: { 'item-price': NEW_ORDERS },
  line: 'order-item-id',
  sku: 'sku',
  marketplace: true,
  decides: ['is-ispu-order', 'payment-method', 'cod-collectible-amount', 'fulfilled-by'],
  facts: amazonFacts,
  meaning: amazonMeaning,
  saysNothing: columnList(`
    purchase-date, reporting-date, promise-date, days-past-promise, buyer-name, number-of-items, quantity-shipped,
    shipping-price, shipping-tax, gift-wrap-price, gift-wrap-tax, gift-wrap-type, gift-message-text, ship-service-level,
    ship-service-name, ship-county, address-type, ship-promotion-discount, item-promotion-id, ship-promotion-id,
    delivery-start-date, delivery-end-date, delivery-time-zone, delivery-Instructions, delivery-preferred-time,
    scheduled-delivery-start-date, scheduled-delivery-end-date, drop-off-location, pallet-delivery, sales-channel,
    earliest-ship-date, latest-ship-date, earliest-delivery-date, latest-delivery-date, purchase-order-number,
    price-designation, is-prime, is-premium-order, is-global-express, amazon-programs, buyer-requested-cancel-reason,
    buyer-tax-registration-id, buyer-tax-registration-country, buyer-tax-registration-type, cpf, licensee-name,
    license-number, license-state, license-expiration-date, is-iba, is-transparency, is-replacement-order,
    is-exchange-order, original-order-id, order-invoice-type, verge-of-cancellation, verge-of-lateShipment,
    signature-confirmation-recommended, tax-collection-model, tax-collection-responsible-party, payment-method-details,
    payment-method-fee, already-paid, points-granted, customized-url, customized-page, store-chain-store-id,
    default-ship-from-address-name, default-ship-from-address-field-1, default-ship-from-address-field-2,
    default-ship-from-address-field-3, default-ship-from-city, default-ship-from-state, default-ship-from-country,
    default-ship-from-postal-code, is-shipping-settings-automation-enabled, ssa-carrier, ssa-ship-method`),
};

function amazonFacts(order: OrderCells): OrderFact[] {
  const facts: OrderFact[] = [];
  if (/^true$/i.test(order.text('is-ispu-order'))) facts.push(factOf('collected', 'is-ispu-order', order));
  if (/amazon|easy ship/i.test(order.text('fulfilled-by')))
    facts.push(factOf('sent-by-marketplace', 'fulfilled-by', order));
  if (order.amount('cod-collectible-amount') > 0)
    facts.push(factOf('paid-at-the-door', 'cod-collectible-amount', order));
  else if (paysBy(order.text('payment-method')) === 'at-the-door')
    facts.push(factOf('paid-at-the-door', 'payment-method', order));
  return facts;
}

/** Prices in these currencies contain no tax, whatever the tax column says. */
const UNTAXED = ['USD', 'CAD'];

/** What the amounts of an Amazon order mean: the tax of each line is subtracted from what was paid for the line. */
function amazonMeaning(order: PricedOrder): AmountMeaning {
  const { currency, isShared } = order;
  const { taxRate } = plainMeaning(order);
  if (UNTAXED.includes(currency?.trim().toUpperCase() ?? ''))
    return {
      lines: order.lines.map(({ tax: _, ...line }) => pricedLine(line, isShared)),
      taxRate,
      hasNoTax: true,
    };
  const lines = order.lines.map(line => taxedLine(line, order));
  const unclear = lines.reduce((sum, line) => sum.plus(line.unclear), Big(0));
  return {
    lines: lines.map(({ sold }) => sold),
    taxRate,
    warnings: (_, declared) =>
      unclear.lte(0)
        ? []
        : [
            {
              text: 'the file does not say whether the tax of a line is that of its price or of what is left after its discount, and neither or both have a rate of whole percent: the smaller value is declared. Ignore the column of the tax ("_") and say in the map how much tax prices contain, such as "taxIncluded": "20%"',
              detail: `${amountAsTold(declared.total, currency)}, or ${amountAsTold(unclear.plus(declared.total).round(2), currency)}`,
            },
          ],
  };
}

/** A line with the tax that its price contains. `unclear`: by how much less that tax may be. */
function taxedLine(line: LineAmounts, order: PricedOrder): { sold: SoldLine | undefined; unclear: Big } {
  const sold = pricedLine(line, order.isShared);
  const { tax, discount = 0, unitPrice = 0 } = line;
  if (sold === undefined || tax === undefined) return { sold, unclear: Big(0) };
  const whole = line.totalPrice === undefined ? Big(unitPrice).times(sold.quantity) : Big(line.totalPrice);
  const rounding = smallestAmount(order.currency).times(sold.quantity).div(2);
  const paid = taxOfPaid(Big(tax), whole, Math.abs(discount), rounding);
  const isUnclear = !paid.isClear && sold.ships > 0;
  return {
    sold: { ...sold, tax: paid.tax.toNumber() },
    unclear: isUnclear
      ? Big(tax).times(Math.abs(discount)).div(whole).times(sold.ships).div(sold.quantity)
      : Big(0),
  };
}

/**
 * The tax in what was paid for a line. Files differ: the tax column is for the full price, so that a discount lowers the tax, too, or for
 * the discounted price. The reading that gives a rate of whole percent counts. `isClear`: only one of the two readings does.
 */
function taxOfPaid(tax: Big, price: Big, discount: number, rounding: Big): { tax: Big; isClear: boolean } {
  if (tax.lte(0) || discount === 0) return { tax, isClear: true };
  const isRate = (gross: Big) => {
    const net = gross.minus(tax);
    if (net.lte(0)) return false;
    const rate = tax.times(100).div(net).round();
    return gross.times(rate).div(rate.plus(100)).minus(tax).abs().lte(rounding);
  };
  const paid = price.minus(discount);
  const [isOfPrice, isOfPaid] = [isRate(price), isRate(paid)];
  return { tax: isOfPrice && !isOfPaid ? tax.times(paid).div(price) : tax, isClear: isOfPrice !== isOfPaid };
}
