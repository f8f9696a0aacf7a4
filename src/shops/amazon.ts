import type { OrderFact } from './facts.ts';
import { listed, type OrderCells, partyColumns, paysBy, type Shop } from './shop.ts';

const NEW_ORDERS =
  'this report has no prices, as that of unshipped orders has none; download the report of new orders (Order Reports, New Orders)';

/** Order Reports, "New Orders": text with tabs, a row for each item, and for each further promotion. */
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
      'postal-code': 'address.zipCode',
      country: 'address.country.code',
    }),
    currency: 'customs.currency',
    'product-name': 'items[].description',
    'quantity-to-ship': 'items[].quantity',
    // Of the line, with its tax where prices have one.
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
  marketplace: true,
  taxedApart: ['USD', 'CAD'],
  decides: ['is-ispu-order', 'payment-method', 'cod-collectible-amount', 'fulfilled-by'],
  facts,
  saysNothing: listed(`
    purchase-date, reporting-date, promise-date, days-past-promise, buyer-name, sku, number-of-items, quantity-shipped,
    shipping-price, shipping-tax, gift-wrap-price, gift-wrap-tax, gift-wrap-type, gift-message-text, ship-service-level,
    ship-service-name, ship-state, ship-county, address-type, ship-promotion-discount, item-promotion-id, ship-promotion-id,
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

function facts(order: OrderCells): OrderFact[] {
  const given = (column: string) => ({ column, cell: order.text(column) });
  return [
    ...(order.text('is-ispu-order').toLowerCase() === 'true'
      ? [{ kind: 'collected', ...given('is-ispu-order') } as const]
      : []),
    ...(/amazon|easy ship/i.test(order.text('fulfilled-by'))
      ? [{ kind: 'sent-by-marketplace', ...given('fulfilled-by') } as const]
      : []),
    ...(order.amount('cod-collectible-amount') > 0
      ? [{ kind: 'paid-at-the-door', ...given('cod-collectible-amount') } as const]
      : paysBy(order.text('payment-method')) === 'at-the-door'
        ? [{ kind: 'paid-at-the-door', ...given('payment-method') } as const]
        : []),
  ];
}
