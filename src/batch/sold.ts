// What is declared for an order of a shop's export: its amounts, as the map finds them, become the prices of its items.
import Big from 'big.js';
import { formatPath, getAt, isRecord, listAt, setAt, textAt } from '../contract/paths.ts';
import { decimalsOf } from '../contract/read.ts';
import { fieldAt, type Issue } from '../contract/shapes.ts';
import { declaredValue, type OrderValue, type SoldLine, type SoldOrder } from '../order/value.ts';
import { commonCurrency } from './cells.ts';
import { SHOPS } from './maps.ts';
import { CURRENCY, GOODS_VALUE } from './rows.ts';
import {
  type InputMap,
  type InputSettings,
  LINE_SUMS,
  type ParsedRecord,
  type ReadingWarning,
  type Sold,
} from './source.ts';

export interface Valued {
  value: ParsedRecord['value'];
  /** Why sums of the file cannot come off its prices: then this value is that before them; or which of its rows is no goods. */
  issues: Issue[];
  /** The file has sums of the shop, and this value is none: it is the sum of the lines that are sent. */
  isSummed: boolean;
  warnings: ReadingWarning[];
}

/** The record with what was paid for its goods; `undefined` if there is nothing to say of it. */
export function withPaid(
  { value, sold, isPart = false }: ParsedRecord,
  map: InputMap,
  settings: InputSettings,
): Valued | undefined {
  const { fields } = settings;
  const items = listAt(value, 'items');
  if (fieldAt(fields, GOODS_VALUE) === undefined) return undefined;
  const unvalued = (issues: Issue[]) =>
    issues.length === 0 ? undefined : { value, issues, isSummed: false, warnings: [] };
  if (items.length === 0) return unvalued(hasSums(sold, {}) ? [{ path: 'items', message: NO_ITEMS }] : []);
  const currency = textAt(value, CURRENCY) ?? commonCurrency(settings);
  const isTaxed = currency === undefined || !map.taxedApart?.includes(currency.trim().toUpperCase());
  const told = sold?.lines ?? [];
  const isAllTold = told.filter(({ item }) => item !== undefined).length === items.length;
  // Items that stand under their own headers, or in JSON, and prices of a product table, are in the items alone.
  const given: Line[] = isAllTold
    ? told.map(line => ({ ...numbersIn(items[line.item ?? -1]), ...line }))
    : items.map((one, item) => ({ ...numbersIn(one), item }));
  const subtotal = numberAt(value, GOODS_VALUE);
  const isShared = subtotal !== undefined || Boolean(sold?.orderDiscount);
  let unclear = Big(0);
  const lines = given.map(line =>
    soldLine(line, isShared, isTaxed ? (decimalsOf(currency) ?? 2) : undefined, more => {
      unclear = unclear.plus(more);
    }),
  );
  if (lines.some(line => line === undefined))
    return unvalued(unpricedIssues(value, given, lines, hasSums(sold, map) || (isShared && isPart)));
  const known = lines as SoldLine[];
  const isPaid = given.some(({ paid, kept, untaxed }) => (paid ?? kept ?? untaxed) !== undefined);
  const hasTax = given.some(({ tax, untaxed }) => (tax ?? untaxed) !== undefined);
  const tax = hasTax ? undefined : taxOf(sold, subtotal);
  const isUntaxed = sold?.orderTax !== undefined && sold.orderTax <= 0;
  const taxRate = hasTax || isUntaxed || tax?.isBeside ? undefined : map.taxIncluded;
  const order = { lines: known, currency, subtotal, taxRate };
  // What was paid for lines is after all discounts.
  const isAfter = isPaid ? true : isAfterDiscount(sold, order);
  const discount = isAfter ? 0 : discountOf(sold?.orderDiscount, given, order);
  const paid = declaredValue({ ...order, discount });
  const isGiven = map.constants[formatPath(GOODS_VALUE)] !== undefined;
  const isTaxIn = tax && !tax.isBeside && !isGiven;
  const isTaxUntold =
    isTaxed &&
    !isGiven &&
    taxRate === undefined &&
    Object.values(map.columns).includes('tax') &&
    given.some(line => line.item !== undefined && line.tax === undefined && priceOf(line) !== 0);
  const doubt = subtotal === undefined ? doubtOf(sold, given, { ...order, discount }, map) : undefined;
  return {
    value: filled(value, items, given, paid, map, fields),
    issues: given.flatMap(belowNothing),
    isSummed: subtotal === undefined ? Object.values(map.columns).includes(formatPath(GOODS_VALUE)) : isPart,
    warnings: [
      ...warningsOf({ ...paid, ...doubt }, subtotal ?? doubt?.said, isPart, currency),
      ...(isTaxIn && taxRate === undefined ? [taxWarning(tax.amount, paid.total, currency)] : []),
      ...(isTaxIn && taxRate !== undefined
        ? otherTax(tax.amount, { ...order, discount }, taxRate, sold?.orderShipping)
        : []),
      ...(isTaxUntold ? [untoldTax(paid.total, currency)] : []),
      ...(unclear.gt(0) && !isGiven ? [unclearTax(paid.total, unclear, currency)] : []),
      ...otherTotal(given, currency),
      ...(taxRate !== undefined && SHOPS.get(map.extends)?.isUntaxed ? [TAXED_TWICE] : []),
      ...(isAfter === undefined && subtotal === undefined && discount > 0 ? untoldDiscount(map) : []),
    ],
  };
}

type Line = Sold['lines'][number];

const priceOf = ({ unitPrice, totalPrice }: Line): number => totalPrice ?? unitPrice ?? 0;

/** Of a row that would be goods worth nothing. One that is not sent comes off the others. */
function belowNothing(line: Line): Issue[] {
  if (line.item === undefined || priceOf(line) >= 0) return [];
  const name = line.totalPrice === undefined ? 'unitPrice' : 'totalPrice';
  const message = `must not be negative, not ${priceOf(line)}; if its row is a discount, and no goods, name that in "skipItems" of the map: it then comes off the others`;
  return [{ path: `items[${line.item}].${name}`, message }];
}

const NO_ITEMS =
  'are not in the file, and without them its discounts and taxes cannot be taken off: give the items in the file, or leave out these columns ("_")';

/** Does the file, or the map, say what comes off prices? What the shop says of a total or of shipping changes none. */
const hasSums = ({ lines = [], ...order }: Partial<Sold> = {}, { taxIncluded }: Partial<InputMap>): boolean =>
  taxIncluded !== undefined ||
  (['orderDiscount', 'orderRefund', 'orderTax'] as const).some(name => (order[name] ?? 0) !== 0) ||
  lines.some(line => LINE_SUMS.some(name => name !== 'sold' && (line[name] ?? 0) !== 0));

/** Lines of which nobody knows what they cost before sums come off. `isAsked`: something comes off those that are sent. */
function unpricedIssues(
  value: ParsedRecord['value'],
  given: readonly Line[],
  lines: readonly (SoldLine | undefined)[],
  isAsked: boolean,
): Issue[] {
  return given.flatMap(({ item, sold, quantity = sold }, index) => {
    if (lines[index] !== undefined) return [];
    if (item === undefined)
      return {
        path: '',
        message:
          'has a row that is not sent and has no price, so that nobody knows how much of the value and the discounts of the order belongs to it: write its price into the file (0 if it was free), in a column that the map calls items[].unitPrice or items[].totalPrice',
      };
    if (!isAsked) return [];
    const path = ['items', item, quantity === undefined ? 'quantity' : 'unitPrice'];
    // A price in "constants" would be that of all items.
    const constants = quantity === undefined ? ', or into "constants" of the map' : '';
    const message = `is missing, and without it no discount, tax or row that is not sent can be taken off; write it into the file${constants}`;
    // What is there and cannot be read, or is too small, is a problem of its own.
    return getAt(value, path) === undefined && (quantity ?? 1) > 0 ? { path: formatPath(path), message } : [];
  });
}

/**
 * `isShared`: there is a sum of all lines, of which each has its share. `decimals`: of a currency whose prices contain the tax.
 * `onUnclear` is told how much less of the tax may have to come off.
 */
function soldLine(
  line: Line,
  isShared: boolean,
  decimals: number | undefined,
  onUnclear: (more: Big) => void,
): SoldLine | undefined {
  const { item, sold, quantity = sold, unitPrice, totalPrice, discount = 0, tax, paid, kept, untaxed } = line;
  const ships = item === undefined ? 0 : quantity;
  if (ships === undefined || (item !== undefined && ships <= 0)) return undefined;
  // Of pieces that were paid back the file may say nothing else.
  const pieces = Math.max(sold ?? quantity ?? 1, ships);
  if (kept !== undefined && item !== undefined) {
    const share = untaxed !== undefined && paid ? Big(untaxed).div(paid) : Big(1);
    return { quantity: ships, ships, price: { all: share.times(kept).toFixed(6) } };
  }
  const all = untaxed ?? paid;
  if (all !== undefined) return { quantity: pieces, ships, price: { all } };
  const isNothing = item === undefined && (pieces === 0 || !isShared);
  if (totalPrice === undefined && unitPrice === undefined && !isNothing) return undefined;
  const price = totalPrice === undefined ? { each: priceOf(line) } : { all: totalPrice };
  const of = { quantity: pieces, ships, price, discount: Math.abs(discount) };
  if (decimals === undefined || tax === undefined) return of;
  const whole = Big(priceOf(line)).times(totalPrice === undefined ? pieces : 1);
  const [ofPaid, isClear] = taxOfPaid(Big(tax), whole, of.discount, Big(10).pow(-decimals).times(pieces));
  if (!isClear && ships > 0) onUnclear(Big(tax).times(of.discount).div(whole).times(ships).div(pieces));
  return { ...of, tax: ofPaid.toNumber() };
}

/**
 * The tax in what was paid for a line. Amazon says that its tax is that of the price, and then some of it is in the discount, too;
 * or it is that of what was paid. The one with a rate of whole percent is meant. `cents`: of the pieces, each of which is rounded.
 */
function taxOfPaid(tax: Big, price: Big, discount: number, cents: Big): [tax: Big, isClear: boolean] {
  if (tax.lte(0) || discount === 0) return [tax, true];
  const isRate = (gross: Big) => {
    const net = gross.minus(tax);
    if (net.lte(0)) return false;
    const rate = tax.times(100).div(net).round();
    return gross.times(rate).div(rate.plus(100)).minus(tax).abs().lte(cents.div(2));
  };
  const paid = price.minus(discount);
  const [isOfPrice, isOfPaid] = [isRate(price), isRate(paid)];
  return [isOfPrice && !isOfPaid ? tax.times(paid).div(price) : tax, isOfPrice !== isOfPaid];
}

/**
 * What comes off the order beside the discounts of its lines. Some shops count those in that of the order as well, or in none, and
 * some count what came off the shipping in it: the subtotal shows it.
 */
function discountOf(
  given: number | undefined,
  lines: readonly Line[],
  order: Omit<Parameters<typeof declaredValue>[0], 'discount'>,
): number {
  const ofOrder = Big(Math.abs(given ?? 0));
  if (order.subtotal === undefined) return ofOrder.toNumber();
  const ofLines = lines.reduce((sum, { discount = 0 }) => sum.plus(Math.abs(discount)), Big(0));
  const { difference = 0 } = declaredValue({ ...order, discount: 0 });
  const decimals = decimalsOf(order.currency) ?? 2;
  const ways = [ofOrder, ofOrder.minus(ofLines), Big(0)].filter(one => one.gte(0));
  const found = ways.find(one => one.round(decimals).eq(-difference));
  const isOfGoods = difference < 0 && ofOrder.gte(-difference);
  return found?.toNumber() ?? (isOfGoods ? -difference : ofOrder.toNumber());
}

/** All pieces that were sold, at the prices of the lines. */
const wholeOf = ({ lines, ...order }: SoldOrder): Big => {
  const all = lines.map(line => ({ ...line, ships: line.quantity }));
  return Big(declaredValue({ ...order, lines: all, taxRate: undefined }).total);
};

/** The smallest amount of a currency. */
const centOf = (currency: string | undefined): Big => Big(10).pow(-(decimalsOf(currency) ?? 2));

/** What may be lost because the price of each piece is rounded. */
const roundingOf = ({ lines, currency }: SoldOrder): Big =>
  centOf(currency).times(lines.reduce((pieces, { quantity }) => pieces + quantity, 0));

/** Are the prices of lines after the discount of the order already? The shop's sum before it shows that; `undefined`: there is none. */
function isAfterDiscount(
  { orderGoods, orderDiscount = 0 }: Partial<Sold> = {},
  order: SoldOrder,
): boolean | undefined {
  if (orderGoods === undefined) return undefined;
  const whole = wholeOf({ ...order, discount: 0 });
  const fromBefore = whole.minus(orderGoods).abs();
  const fromAfter = whole.minus(orderGoods).plus(Math.abs(orderDiscount)).abs();
  return fromAfter.lt(fromBefore) && fromAfter.lte(roundingOf(order));
}

const TAXED_TWICE =
  '"taxIncluded" of the map takes a tax off prices that the export of this shop has without tax: remove it, or less is declared than was paid';

/** Of a shop whose prices may be after the discount of the order, where no sum shows it. */
function untoldDiscount(map: InputMap): string[] {
  const { discounted } = SHOPS.get(map.extends) ?? {};
  if (discounted === undefined) return [];
  const { price, telling } = discounted;
  return [
    `the discount of the order is taken off ${price}, which may be after it already: export ${telling}, too, which shows it`,
  ];
}

/**
 * What the goods cost by another sum of the shop, if the lines do not fit that. One before discounts may be without the tax that
 * lines have, so that lines may be more; a total may have a tax in it, so that they may be less.
 */
function doubtOf(
  { orderGoods, orderDiscount, orderTotal, orderShipping = 0 }: Partial<Sold> = {},
  given: readonly Line[],
  order: Parameters<typeof declaredValue>[0],
  { columns }: InputMap,
): { said: number; difference: number } | undefined {
  const isClose = (difference: Big) => difference.abs().lte(Big(given.length).times(0.01));
  const doubt = (sum: Big, lines: Big, isFitting: (difference: Big) => boolean) => {
    const said = sum.lt(0) ? Big(0) : sum;
    const difference = said.minus(lines);
    return isClose(difference) || isFitting(difference)
      ? undefined
      : { said: said.toNumber(), difference: difference.toNumber() };
  };
  const paid = given.flatMap(line => line.paid ?? []);
  if (orderGoods !== undefined && orderDiscount !== undefined && paid.length === given.length) {
    const lines = paid.reduce((sum, one) => sum.plus(one), Big(0));
    return doubt(Big(orderGoods).minus(Math.abs(orderDiscount)), lines, difference => difference.lt(0));
  }
  if (orderGoods !== undefined && orderDiscount)
    return doubt(Big(orderGoods).minus(Math.abs(orderDiscount)), wholeOf(order), difference =>
      difference.lte(roundingOf(order)),
    );
  if (orderTotal === undefined || Object.values(columns).includes(formatPath(GOODS_VALUE))) return undefined;
  return doubt(Big(orderTotal).minus(orderShipping), wholeOf(order), difference => difference.gt(0));
}

/** The tax of an order, if it has some. `isBeside`: it comes on top of the prices, as the total shows. */
function taxOf(
  { orderTotal, orderShipping = 0, orderTax = 0 }: Partial<Sold> = {},
  subtotal: number | undefined,
): { amount: number; isBeside: boolean } | undefined {
  if (orderTax <= 0) return undefined;
  if (orderTotal === undefined || subtotal === undefined) return { amount: orderTax, isBeside: false };
  const beside = Big(orderTotal).minus(subtotal);
  const isBeside = (amount: Big) => beside.minus(amount).abs().lte(0.01);
  // The shipping may be free.
  const isOnTop = [orderShipping, 0].some(shipping => isBeside(Big(shipping).plus(orderTax)));
  return { amount: orderTax, isBeside: isOnTop && !isBeside(Big(orderShipping)) };
}

const taxWarning = (tax: number, declared: number, currency = ''): ReadingWarning => ({
  text: 'the declared value contains the tax of the order, or may contain it, and the limits of customs numbers are compared with that: say in the map how much tax the prices contain, such as "taxIncluded": "20%"',
  detail: `${`${declared} ${currency}`.trim()} with ${`${tax} ${currency}`.trim()} of tax`,
});

const untoldTax = (declared: number, currency = ''): ReadingWarning => ({
  text: 'the tax of a line is empty, and the declared value may contain it: write it into the file (0 if there is none), or say in the map how much tax all prices contain, such as "taxIncluded": "20%"',
  detail: `${declared} ${currency}`.trim(),
});

const unclearTax = (declared: number, more: Big, currency = ''): ReadingWarning => ({
  text: 'the file does not say whether the tax of a line is that of its price or of what is left after its discount, and neither or both have a rate of whole percent: the smaller value is declared. Ignore the column of the tax ("_") and say in the map how much tax prices contain, such as "taxIncluded": "20%"',
  detail: `${declared} ${currency}, or ${more.plus(declared).round(2)} ${currency}`,
});

/** A total of a line that its pieces do not make, each of which may be rounded: the price of a piece is then found from it. */
function otherTotal(lines: readonly Line[], currency = ''): ReadingWarning[] {
  const rounding = centOf(currency);
  const details = lines.flatMap(({ item, quantity = 1, sold = quantity, unitPrice, totalPrice, ...line }) => {
    const isDeclared = item !== undefined && (line.paid ?? line.kept ?? line.untaxed) === undefined;
    if (!isDeclared || unitPrice === undefined || totalPrice === undefined) return [];
    const difference = Big(unitPrice).times(sold).minus(totalPrice).abs();
    if (difference.lte(rounding.times(sold))) return [];
    return `${`${totalPrice} ${currency}`.trim()} for ${sold} × ${unitPrice}`;
  });
  return details.slice(0, 1).map(detail => ({
    text: 'the price of a line (items[].totalPrice) is not that of its pieces, and is declared: if it is after discounts, map it to "paid", and if it is of the whole order, to "orderTotal"',
    detail,
  }));
}

/** Does the file tell another tax of the order than the rate gives? That of its shipping may be in it, and what is not sent may have none. */
function otherTax(told: number, order: SoldOrder, rate: number, shipping = 0): ReadingWarning[] {
  const { lines, currency = '' } = order;
  const decimals = decimalsOf(currency) ?? 2;
  const taxIn = (amount: Big) => amount.times(rate).div(rate + 100);
  const goods = [wholeOf(order), Big(declaredValue({ ...order, taxRate: undefined }).total)];
  // Shops round each line, and the shipping.
  const rounding = centOf(order.currency).times(lines.length + Number(shipping > 0));
  const taxes = goods.flatMap(amount => [taxIn(amount), taxIn(amount.plus(shipping))]);
  if (taxes.some(tax => tax.minus(told).abs().lte(rounding))) return [];
  const [byRate = Big(0)] = taxes;
  return [
    {
      text: 'the file tells another tax of the order than "taxIncluded" of the map takes off, which is one rate for all receivers: book orders with another rate by a map of their own',
      detail: `${told} ${currency} in the file, ${byRate.round(decimals)} ${currency} by the rate`,
    },
  ];
}

function filled(
  value: ParsedRecord['value'],
  items: readonly unknown[],
  given: readonly Line[],
  { lines, total }: OrderValue,
  map: InputMap,
  fields: InputSettings['fields'],
): ParsedRecord['value'] {
  const priced = [...items];
  for (const [index, line] of lines.entries()) {
    const item = given[index]?.item;
    if (line === undefined || item === undefined) continue;
    const { totalPrice, ...rest } = line;
    const hasTotal = fieldAt(fields, ['items', 0, 'totalPrice']) !== undefined;
    priced[item] = { ...(priced[item] as object), ...rest, ...(hasTotal && { totalPrice }) };
  }
  const target = setAt(value, ['items'], priced);
  const isConstant = map.constants[formatPath(GOODS_VALUE)] !== undefined;
  return (isConstant ? target : setAt(target, GOODS_VALUE, total)) as ParsedRecord['value'];
}

function warningsOf(
  { difference, excess, total }: OrderValue,
  subtotal: number | undefined,
  isPart: boolean,
  currency = '',
): string[] {
  const money = (amount: number) => `${amount} ${currency}`.trim();
  const lines = subtotal !== undefined && difference !== undefined ? Big(subtotal).minus(difference) : Big(0);
  return [
    ...(difference === undefined
      ? []
      : [
          `the shop says that its goods cost ${money(subtotal ?? 0)}, but its lines add up to ${money(lines.toNumber())} after discounts; ${money(total)} is declared${isPart ? ' for what is sent' : ''}`,
        ]),
    ...(excess === undefined ? [] : [`its discounts are ${money(excess)} above the price of its goods`]),
  ];
}

/** Items of which there is no whole number of pieces. */
export const brokenPieces = (value: unknown): Issue[] =>
  listAt(value, 'items').flatMap((item, at) => {
    const { quantity } = numbersIn(item);
    const message = `must be a whole number of pieces, not ${quantity}`;
    return quantity === undefined || Number.isInteger(quantity)
      ? []
      : [{ path: `items[${at}].quantity`, message }];
  });

const numbersIn = (item: unknown): Line =>
  Object.fromEntries(
    (isRecord(item) ? Object.entries(item) : []).filter(([, one]) => typeof one === 'number'),
  );

function numberAt(value: unknown, path: readonly string[]): number | undefined {
  const found = getAt(value, path);
  return typeof found === 'number' && Number.isFinite(found) ? found : undefined;
}
