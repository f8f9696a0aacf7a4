// What the amounts of an order mean, as far as all shops have it in common. What the prices of a shop contain, its own `meaning` says.
import Big from 'big.js';
import { decimalsOf } from '../contract/read.ts';
import { declaredValue, type OrderValue, type SoldLine, type SoldOrder } from '../order/value.ts';

/** Sums that columns may give for a line, beside its item; docs/batches.md explains the sums that a user's map may name. */
export const LINE_SUMS = ['sold', 'discount', 'tax', 'paid', 'kept', 'untaxed'] as const;

/** Sums that columns may give for a whole order, beside its fields. */
export const ORDER_SUMS = [
  ...['orderDiscount', 'orderRefund', 'orderGoods', 'orderTotal', 'orderShipping', 'orderTax', 'orderDuties'],
  'customsNumber',
];

/** The sums of an order whose cells are text, and no amount. */
export const TEXT_SUMS: readonly string[] = ['customsNumber'];

/** The sums that a user's map may name: what any other sum means is known for a shop only. */
export const OWN_SUMS: readonly string[] = ['discount', 'orderDiscount', 'tax', 'customsNumber'];

/** The amounts of a line, as the file has them. `item`: the index of its item; a line without `item` does not ship. */
export type LineAmounts = Readonly<
  Partial<Record<(typeof LINE_SUMS)[number] | 'quantity' | 'unitPrice' | 'totalPrice' | 'item', number>>
>;

/** The amounts of an order, as its file has them. */
export interface Sold {
  lines: readonly LineAmounts[];
  orderDiscount?: number | undefined;
  orderRefund?: number | undefined;
  /** The shop's sum of all lines before discounts. */
  orderGoods?: number | undefined;
  orderTotal?: number | undefined;
  orderShipping?: number | undefined;
  orderTax?: number | undefined;
  orderDuties?: number | undefined;
}

/** The amounts of an order, with what the map says of them. */
export interface PricedOrder extends Sold {
  currency: string | undefined;
  /** What all goods cost after discounts, as the shop says. */
  subtotal: number | undefined;
  /** The rate of a tax that prices contain and no column gives, in percent, as the map says. */
  taxRate: number | undefined;
  /** Is a sum of the order shared with lines that do not ship? */
  isShared: boolean;
}

/** A warning about a record: `text` is printed once for all orders that have it; `detail` is what only this order has. */
export type ReadingWarning = string | { text: string; detail: string };

/** What the amounts of an order mean. */
export interface AmountMeaning {
  /** The price and the pieces of each line; `undefined` if nobody knows what the line cost. */
  lines: readonly (SoldLine | undefined)[];
  /** The discount of the order, if it is not the one in the file. */
  discount?: number;
  taxRate: number | undefined;
  /** For an order without a subtotal: another sum of the shop, if the lines do not add up to it. */
  sumOfShop?(order: SoldOrder): ShopSum | undefined;
  warnings?(order: SoldOrder, declared: OrderValue): ReadingWarning[];
  /** Do the prices of the shop contain no tax? */
  hasNoTax?: boolean;
}

export interface ShopSum {
  said: number;
  difference: number;
}

/** How many pieces of a line were sold, and how many are sent; `undefined` if the file does not tell. */
export function piecesOf(line: LineAmounts): { quantity: number; ships: number } | undefined {
  const { item, sold, quantity = sold } = line;
  const ships = item === undefined ? 0 : quantity;
  if (ships === undefined || (item !== undefined && ships <= 0)) return undefined;
  // A line that was paid back may lack the number of pieces: then it counts as one piece.
  return { quantity: Math.max(sold ?? quantity ?? 1, ships), ships };
}

/** A line with its price and its discount; `undefined` if its price, or how many pieces ship, is not known. */
export function pricedLine(line: LineAmounts, isShared: boolean): SoldLine | undefined {
  const { item, unitPrice, totalPrice, discount = 0, tax } = line;
  const pieces = piecesOf(line);
  if (pieces === undefined) return undefined;
  const isNothing = item === undefined && (pieces.quantity === 0 || !isShared);
  if (totalPrice === undefined && unitPrice === undefined && !isNothing) return undefined;
  const price = totalPrice === undefined ? { each: unitPrice ?? 0 } : { all: totalPrice };
  return { ...pieces, price, discount: Math.abs(discount), tax };
}

/** What the amounts mean by their names alone. If a line gives its tax, the rate of the map does not count. */
export const plainMeaning = (order: PricedOrder): AmountMeaning => ({
  lines: order.lines.map(line => pricedLine(line, order.isShared)),
  taxRate: order.lines.some(({ tax }) => tax !== undefined) ? undefined : order.taxRate,
});

/** What all pieces that were sold cost, with the tax in their prices. */
export const costOfAllPieces = (order: SoldOrder): Big => {
  const lines = order.lines.map(line => ({ ...line, ships: line.quantity }));
  return Big(declaredValue({ ...order, lines, taxRate: undefined }).total);
};

/** The smallest amount of a currency. */
export const smallestAmount = (currency: string | undefined): Big =>
  Big(10).pow(-(decimalsOf(currency) ?? 2));

/** The largest difference that comes from rounding the price of each piece. */
export const roundingOf = (order: SoldOrder): Big =>
  smallestAmount(order.currency).times(order.lines.reduce((pieces, { quantity }) => pieces + quantity, 0));

/** A sum of the shop, with its difference from the lines; `undefined` if rounding explains the difference, or `isFitting` accepts it. */
export function sumDifference(
  sumOfShop: Big,
  lines: Big,
  order: SoldOrder,
  isFitting: (difference: Big) => boolean,
): ShopSum | undefined {
  const sum = sumOfShop.lt(0) ? Big(0) : sumOfShop;
  const difference = sum.minus(lines);
  const isClose = difference.abs().lte(Big(order.lines.length).times(0.01));
  return isClose || isFitting(difference)
    ? undefined
    : { said: sum.toNumber(), difference: difference.toNumber() };
}

/** An amount with its currency: `12.5 EUR`. */
export const amountAsTold = (amount: number | string | Big, currency = ''): string =>
  `${amount} ${currency}`.trim();
