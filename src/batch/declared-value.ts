// Finds the value to declare for an order: the amounts in the file become the prices of the items.
import Big from 'big.js';
import { formatPath, getAt, isRecord, listAt, setAt, textAt } from '../contract/paths.ts';
import { fieldAt, type Issue } from '../contract/shapes.ts';
import { declaredValue, type OrderValue, type SoldLine, type SoldOrder } from '../order/value.ts';
import { commonCurrency } from './cells.ts';
import type { InputMap, InputSettings, ParsedRecord } from './input-types.ts';
import {
  type AmountMeaning,
  amountAsTold,
  LINE_SUMS,
  type LineAmounts,
  type PricedOrder,
  plainMeaning,
  type ReadingWarning,
  type Sold,
  smallestAmount,
} from './order-amounts.ts';
import { CURRENCY, GOODS_VALUE } from './parse-record.ts';

export interface ValuedRecord {
  value: ParsedRecord['value'];
  /** Why sums of the file cannot be taken off its prices (`value` is then unchanged); or which items have a price below 0. */
  issues: Issue[];
  /** Is the sum of the lines that are sent declared, and not a sum of the shop? */
  isSummed: boolean;
  warnings: ReadingWarning[];
}

/** The record with the prices and the value that are declared; `undefined` if there is nothing to declare, and no issue. */
export function withDeclaredValue(
  record: ParsedRecord,
  map: InputMap,
  settings: InputSettings,
): ValuedRecord | undefined {
  const { value, sold, isPart = false } = record;
  if (fieldAt(settings.fields, GOODS_VALUE) === undefined) return undefined;
  const unvalued = (issues: Issue[]) =>
    issues.length === 0 ? undefined : { value, issues, isSummed: false, warnings: [] };
  const items = listAt(value, 'items');
  if (items.length === 0) return unvalued(hasSums(sold, {}) ? [{ path: 'items', message: NO_ITEMS }] : []);
  const order = pricedOrder(record, map, settings);
  const meaning = map.shop?.meaning?.(order) ?? plainMeaning(order);
  const lines = meaning.lines.filter(line => line !== undefined);
  if (lines.length < meaning.lines.length) {
    const isAsked = hasSums(sold, map) || (order.isShared && isPart);
    return unvalued(unpricedIssues(value, order.lines, meaning.lines, isAsked));
  }
  const { currency, subtotal, orderDiscount = 0 } = order;
  const discount = meaning.discount ?? Math.abs(orderDiscount);
  const soldOrder = { lines, currency, subtotal, taxRate: meaning.taxRate, discount };
  const declared = declaredValue(soldOrder);
  return {
    value: withPrices(value, order.lines, declared, map, settings.fields),
    issues: order.lines.flatMap(negativePriceIssues),
    isSummed: subtotal === undefined ? Object.values(map.columns).includes(formatPath(GOODS_VALUE)) : isPart,
    warnings: valueWarnings({ order, meaning, sold: soldOrder, declared }, isPart, map),
  };
}

/** The amounts of the record. If an item has no line of its own in the file, all prices are read from the items. */
function pricedOrder(record: ParsedRecord, map: InputMap, settings: InputSettings): PricedOrder {
  const { value, sold } = record;
  const items = listAt(value, 'items');
  const soldLines = sold?.lines ?? [];
  const isAllSold = soldLines.filter(({ item }) => item !== undefined).length === items.length;
  const subtotal = finiteAt(value, GOODS_VALUE);
  return {
    ...sold,
    lines: isAllSold
      ? soldLines.map(line => ({ ...itemNumbers(items[line.item ?? -1]), ...line }))
      : items.map((entry, item) => ({ ...itemNumbers(entry), item })),
    currency: textAt(value, CURRENCY) ?? commonCurrency(settings),
    subtotal,
    taxRate: map.taxIncluded,
    isShared: subtotal !== undefined || Boolean(sold?.orderDiscount),
  };
}

const linePrice = (line: LineAmounts): number => line.totalPrice ?? line.unitPrice ?? 0;

/** Reports an item with a price below 0. A row that is not sent may have such a price, which is taken off the other rows. */
function negativePriceIssues(line: LineAmounts): Issue[] {
  if (line.item === undefined || linePrice(line) >= 0) return [];
  const name = line.totalPrice === undefined ? 'unitPrice' : 'totalPrice';
  const message = `must not be negative, not ${linePrice(line)}; if its row is a discount, and no goods, name that in "skipItems" of the map: it then comes off the others`;
  return [{ path: `items[${line.item}].${name}`, message }];
}

const NO_ITEMS =
  'are not in the file, and without them its discounts and taxes cannot be taken off: give the items in the file, or leave out these columns ("_")';

/** Does the file, or the map, give a sum that is taken off prices, such as a discount or a tax? Totals and shipping costs are not. */
const hasSums = (order: Partial<Sold> = {}, map: Partial<InputMap>): boolean =>
  map.taxIncluded !== undefined ||
  (['orderDiscount', 'orderRefund', 'orderTax'] as const).some(name => (order[name] ?? 0) !== 0) ||
  (order.lines ?? []).some(line => LINE_SUMS.some(name => name !== 'sold' && (line[name] ?? 0) !== 0));

/** Reports lines without a price. `isAsked`: some sum is taken off the prices of the lines that are sent. */
function unpricedIssues(
  value: ParsedRecord['value'],
  amounts: readonly LineAmounts[],
  lines: readonly (SoldLine | undefined)[],
  isAsked: boolean,
): Issue[] {
  return amounts.flatMap(({ item, sold, quantity = sold }, index) => {
    if (lines[index] !== undefined) return [];
    if (item === undefined)
      return {
        path: '',
        message:
          'has a row that is not sent and has no price, so that nobody knows how much of the value and the discounts of the order belongs to it: write its price into the file (0 if it was free), in a column that the map calls items[].unitPrice or items[].totalPrice',
      };
    if (!isAsked) return [];
    const path = ['items', item, quantity === undefined ? 'quantity' : 'unitPrice'];
    // A price is not proposed for "constants": there it would be the price of all items.
    const constants = quantity === undefined ? ', or into "constants" of the map' : '';
    const message = `is missing, and without it no discount, tax or row that is not sent can be taken off; write it into the file${constants}`;
    // A cell that cannot be read, and a quantity of 0 or less, are reported elsewhere.
    return getAt(value, path) === undefined && (quantity ?? 1) > 0 ? { path: formatPath(path), message } : [];
  });
}

interface DeclaredOrder {
  order: PricedOrder;
  meaning: AmountMeaning;
  sold: SoldOrder;
  declared: OrderValue;
}

/** The warnings about the declared value. A value that the map gives all orders is not explained. */
function valueWarnings(valued: DeclaredOrder, isPart: boolean, map: InputMap): ReadingWarning[] {
  const { order, meaning, sold, declared } = valued;
  const { currency, subtotal, lines } = order;
  const words = (amount: number) => amountAsTold(amount, currency);
  const { total, excess } = declared;
  const sum =
    subtotal === undefined
      ? meaning.sumOfShop?.(sold)
      : declared.difference !== undefined && { said: subtotal, difference: declared.difference };
  const isConstant = map.constants[formatPath(GOODS_VALUE)] !== undefined;
  return [
    ...(sum
      ? [
          `the shop says that its goods cost ${words(sum.said)}, but its lines add up to ${words(Big(sum.said).minus(sum.difference).toNumber())} after discounts; ${words(total)} is declared${isPart ? ' for what is sent' : ''}`,
        ]
      : []),
    ...(excess === undefined ? [] : [`its discounts are ${words(excess)} above the price of its goods`]),
    ...(isConstant ? [] : (meaning.warnings?.(sold, declared) ?? [])),
    ...(isConstant || !isTaxUntold(order, meaning, map) ? [] : [{ text: UNTOLD_TAX, detail: words(total) }]),
    ...lineTotalWarnings(lines, currency),
  ];
}

const UNTOLD_TAX =
  'the tax of a line is empty, and the declared value may contain it: write it into the file (0 if there is none), or say in the map how much tax all prices contain, such as "taxIncluded": "20%"';

/** Has the file a column for tax that is empty in a line that is sent, though the price of this line may contain tax? */
const isTaxUntold = (order: PricedOrder, meaning: AmountMeaning, map: InputMap): boolean =>
  meaning.taxRate === undefined &&
  !meaning.hasNoTax &&
  Object.values(map.columns).includes('tax') &&
  order.lines.some(line => line.item !== undefined && line.tax === undefined && linePrice(line) !== 0);

/** Warns of a line whose total is not its unit price times its pieces, but for rounding: the total is declared. */
function lineTotalWarnings(lines: readonly LineAmounts[], currency: string | undefined): ReadingWarning[] {
  const details = lines.flatMap(({ item, quantity = 1, sold = quantity, unitPrice, totalPrice, ...line }) => {
    const isDeclared = item !== undefined && (line.paid ?? line.kept ?? line.untaxed) === undefined;
    if (!isDeclared || unitPrice === undefined || totalPrice === undefined) return [];
    const difference = Big(unitPrice).times(sold).minus(totalPrice).abs();
    if (difference.lte(smallestAmount(currency).times(sold))) return [];
    return `${amountAsTold(totalPrice, currency)} for ${sold} × ${unitPrice}`;
  });
  return details.slice(0, 1).map(detail => ({
    text: 'the price of a line (items[].totalPrice) is not that of its pieces, and is declared: leave out the column that is of something else ("_")',
    detail,
  }));
}

/** The record with the declared prices in its items, and their sum. */
function withPrices(
  value: ParsedRecord['value'],
  amounts: readonly LineAmounts[],
  declared: OrderValue,
  map: InputMap,
  fields: InputSettings['fields'],
): ParsedRecord['value'] {
  const { lines, total } = declared;
  const hasTotal = fieldAt(fields, ['items', 0, 'totalPrice']) !== undefined;
  const items = [...listAt(value, 'items')];
  for (const [index, line] of lines.entries()) {
    const item = amounts[index]?.item;
    if (line === undefined || item === undefined) continue;
    const { totalPrice, ...rest } = line;
    items[item] = { ...(items[item] as object), ...rest, ...(hasTotal && { totalPrice }) };
  }
  const target = setAt(value, ['items'], items);
  const isConstant = map.constants[formatPath(GOODS_VALUE)] !== undefined;
  return (isConstant ? target : setAt(target, GOODS_VALUE, total)) as ParsedRecord['value'];
}

export const brokenPieceIssues = (value: unknown): Issue[] =>
  listAt(value, 'items').flatMap((item, at) => {
    const { quantity } = itemNumbers(item);
    const message = `must be a whole number of pieces, not ${quantity}`;
    return quantity === undefined || Number.isInteger(quantity)
      ? []
      : [{ path: `items[${at}].quantity`, message }];
  });

const itemNumbers = (item: unknown): LineAmounts =>
  Object.fromEntries(
    (isRecord(item) ? Object.entries(item) : []).filter(([, amount]) => typeof amount === 'number'),
  );

function finiteAt(value: unknown, path: readonly string[]): number | undefined {
  const amount = getAt(value, path);
  return typeof amount === 'number' && Number.isFinite(amount) ? amount : undefined;
}
