// What the customer paid for the goods in a parcel: for pieces that ship, after refunds and discounts, without shipping, and without taxes
// that are told apart (UCC delegated act, article 1(48)). All sums are in whole cents, so that no cent is lost or added.
import Big from 'big.js';
import { decimalsOf } from '../contract/read.ts';

/** A number, or decimal text. Any other text throws: whoever reads a file refuses it before. */
type Amount = number | string;

/** One line of a sold order. All amounts are in the currency of the order. */
export interface SoldLine {
  /** How many pieces were sold. */
  quantity: number;
  /** How many of the sold pieces are in the parcel: no refunded pieces, and none of a gift card. */
  ships: number;
  /** The price of one piece, or of all pieces, before the discounts below. */
  price: { each: Amount } | { all: Amount };
  /** The discount of the whole line, not of one piece. */
  discount?: Amount | undefined;
  /** The tax of the whole line, if its price contains the tax. */
  tax?: Amount | undefined;
}

export interface SoldOrder {
  lines: readonly SoldLine[];
  currency: string | undefined;
  /**
   * The discount of the order that belongs to no single line. A part of it may be in the discounts of lines already, or be for the
   * shipping: `subtotal` shows how much is for the goods. If it is missing, `subtotal` alone tells the discount.
   */
  discount?: Amount | undefined;
  /** What all lines cost after discounts, according to the shop. */
  subtotal?: Amount | undefined;
  /** A tax in percent, if prices contain a tax that no line tells. */
  taxRate?: Amount | undefined;
}

export interface OrderValue {
  /** The value of each line, in their order; `undefined` if no piece of the line ships. */
  lines: ({ quantity: number; totalPrice: number; unitPrice: number } | undefined)[];
  /** The sum of the lines. */
  total: number;
  /**
   * The shop's subtotal minus the sum of lines and discounts, if this is not 0. If all pieces ship, the subtotal is declared, and otherwise
   * the sum of lines and discounts.
   */
  difference: number | undefined;
  /** How much higher the discounts are than the price of the goods, whose value is 0 then. */
  excess: number | undefined;
}

/** The value that is declared for an order. The sum of its lines is exact. */
export function declaredValue(order: SoldOrder): OrderValue {
  const { lines, currency, discount, subtotal, taxRate } = order;
  const decimals = decimalsOf(currency) ?? 2;
  const cents = (amount: Amount | Big) => Big(amount).times(Big(10).pow(decimals)).round();
  const amount = (whole: Big) => whole.div(Big(10).pow(decimals)).toNumber();

  const net = lines.map(({ quantity, price, discount = 0, tax = 0 }) => {
    const total = 'all' in price ? Big(price.all) : Big(price.each).times(quantity);
    return cents(total).minus(cents(discount)).minus(cents(tax));
  });
  // The value of a line is never below 0.
  const values = net.map(price => (price.lt(0) ? Big(0) : price));
  const sold = sumOfAmounts(values);
  const shopSum = subtotal === undefined ? undefined : cents(subtotal);
  const off = shopSum && sumOfAmounts(net).minus(shopSum);
  const isToldByOwn = off && (discount === undefined || (off.gte(0) && off.lte(cents(discount))));
  const computed = shopSum && isToldByOwn ? shopSum : sumOfAmounts(net).minus(cents(discount ?? 0));
  const isWhole = lines.every(({ quantity, ships }) => ships === quantity);
  const wanted = shopSum && isWhole ? shopSum : computed;
  const paid = wanted.lt(0) ? Big(0) : wanted;
  const taxed = taxRate === undefined ? paid : paid.times(100).div(Big(taxRate).plus(100)).round();
  const shares = spread(sold.minus(taxed), values);

  const declared = lines.map(({ quantity, ships }, index) => {
    const whole = (values[index] as Big).minus(shares[index] as Big);
    if (ships <= 0) return undefined;
    return { quantity: ships, total: ships === quantity ? whole : whole.times(ships).div(quantity).round() };
  });
  return {
    lines: declared.map(line => {
      if (line === undefined) return undefined;
      const totalPrice = amount(line.total);
      return { quantity: line.quantity, totalPrice, unitPrice: unitPriceOf(totalPrice, line.quantity) };
    }),
    total: amount(sumOfAmounts(declared.map(line => line?.total ?? Big(0)))),
    difference: shopSum && !shopSum.eq(computed) ? amount(shopSum.minus(computed)) : undefined,
    excess: wanted.lt(0) ? amount(wanted.abs()) : undefined,
  };
}

/**
 * Spreads a whole amount over lines in proportion to their values; the remainder goes to the largest lines. No line gets more than its
 * value, unless the amount exceeds all values. An amount below 0 (a surcharge) is spread in the same way.
 */
function spread(whole: Big, values: readonly Big[]): Big[] {
  const sum = sumOfAmounts(values);
  const largest = values.map((_, index) => index).sort((a, b) => (values[b] as Big).cmp(values[a] as Big));
  const shares = values.map(value =>
    sum.eq(0) ? Big(0) : whole.times(value).div(sum).round(0, Big.roundDown),
  );
  let remaining = whole.minus(sumOfAmounts(shares));
  for (const index of largest) {
    const room = (values[index] as Big).minus(shares[index] as Big);
    const added = remaining.gt(room) ? room : remaining;
    shares[index] = (shares[index] as Big).plus(added);
    remaining = remaining.minus(added);
  }
  return shares;
}

const sumOfAmounts = (amounts: readonly Big[]): Big =>
  amounts.reduce((total, amount) => total.plus(amount), Big(0));

/** The tolerance for rounded prices of one piece: half a cent, or half a thousandth for an amount with thousandths (KWD). */
const toleratedOf = (amount: number): number => (Big(amount).round(2).eq(amount) ? 0.005 : 0.0005);

/** Do the price of one piece times the quantity and the total agree, but for rounding? */
export const isSameMoney = (product: Big, total: number): boolean =>
  product.minus(total).abs().lt(toleratedOf(total));

/** The price of one piece, with as many decimals as are needed to get the total again. `quantity` is above 0. */
export function unitPriceOf(total: number, quantity: number): number {
  const exact = Big(total).div(quantity);
  for (let decimals = 2; decimals < 20; decimals += 1) {
    const rounded = exact.round(decimals);
    if (isSameMoney(rounded.times(quantity), total)) return rounded.toNumber();
  }
  return exact.toNumber();
}
