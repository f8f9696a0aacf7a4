// What the customer paid for the goods of a parcel: pieces that ship, after refunds and discounts, without shipping, and without
// taxes that are told apart (UCC delegated act, article 1(48)). All sums are whole cents, so that none is lost or made.
import Big from 'big.js';
import { decimalsOf } from '../contract/read.ts';

/** A number, or decimal text. Anything else throws: who reads a file refuses it before. */
type Amount = number | string;

/** One line of a sold order. Amounts are in the currency of the order. */
export interface SoldLine {
  /** Pieces that were sold. */
  quantity: number;
  /** Pieces of those that are in the parcel: without refunded ones, none of a gift card. */
  ships: number;
  /** Of one piece, or of all pieces, before the discounts below. */
  price: { each: Amount } | { all: Amount };
  /** Of the line, not of a piece. */
  discount?: Amount | undefined;
  /** Of the line, if its price contains it. */
  tax?: Amount | undefined;
}

export interface SoldOrder {
  lines: readonly SoldLine[];
  currency: string | undefined;
  /**
   * Of the order, for no line of its own. A part of it may be of lines as well, or of the shipping: `subtotal` shows how much is of the
   * goods. Left out: as much as that says.
   */
  discount?: Amount | undefined;
  /** What all lines cost after discounts, as the shop says. */
  subtotal?: Amount | undefined;
  /** In percent, if prices contain a tax that no line tells. */
  taxRate?: Amount | undefined;
}

export interface OrderValue {
  /** Of each line, in their order; `undefined`: nothing of it ships. */
  lines: ({ quantity: number; totalPrice: number; unitPrice: number } | undefined)[];
  /** The sum of the lines. */
  total: number;
  /**
   * The shop's subtotal less what lines and discounts add up to, if that is not 0. The subtotal is declared if all pieces ship,
   * and what lines and discounts add up to otherwise.
   */
  difference: number | undefined;
  /** By how much the discounts are above the price of the goods, which are then worth nothing. */
  excess: number | undefined;
}

/** What is declared for an order. The sum of its lines is exact. */
export function declaredValue(order: SoldOrder): OrderValue {
  const { lines, currency, discount, subtotal, taxRate } = order;
  const decimals = decimalsOf(currency) ?? 2;
  const cents = (amount: Amount | Big) => Big(amount).times(Big(10).pow(decimals)).round();
  const amount = (whole: Big) => whole.div(Big(10).pow(decimals)).toNumber();

  const net = lines.map(({ quantity, price, discount = 0, tax = 0 }) => {
    const total = 'all' in price ? Big(price.all) : Big(price.each).times(quantity);
    return cents(total).minus(cents(discount)).minus(cents(tax));
  });
  // A line is worth at least nothing.
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
 * A whole amount spread over lines by their values; what is left of it goes to the largest line. None gets more than its value,
 * unless all of them do; an amount below 0 (a surcharge) is spread alike.
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

/** Half a cent, or of an amount with thousandths (KWD) half of one: prices of one piece are often rounded. */
const toleratedOf = (amount: number): number => (Big(amount).round(2).eq(amount) ? 0.005 : 0.0005);

/** Is the price of some pieces that of one of them, but for rounding? */
export const isSameMoney = (product: Big, total: number): boolean =>
  product.minus(total).abs().lt(toleratedOf(total));

/** The price of one piece, with as many decimals as its product with the quantity (above 0) needs. */
export function unitPriceOf(total: number, quantity: number): number {
  const exact = Big(total).div(quantity);
  for (let decimals = 2; decimals < 20; decimals += 1) {
    const rounded = exact.round(decimals);
    if (isSameMoney(rounded.times(quantity), total)) return rounded.toNumber();
  }
  return exact.toNumber();
}
