// Fills in what follows from the rest of a body: codes of countries in upper case, usual values, prices, empty postal codes.
import Big from 'big.js';
import { COUNTRIES } from '../contract/countries.ts';
import { formatPath, getAt, isRecord, listAt, setAt, setMissing, textAt } from '../contract/paths.ts';
import { hasField, partsOf, type Schema } from '../contract/shapes.ts';
import { PARTIES } from '../contract/shipments.ts';
import { hasNoPostalCodes, needsPostalCode } from './postal-codes.ts';
import { unitPriceOf } from './value.ts';

type Change = (value: unknown) => unknown;

const changes = new WeakMap<Schema, Change>();

/**
 * Fills in what the user may leave out: DAP, cm, one piece of a package, total or unit price of an item, the value of all items, the
 * postal code of a country that has none; countries become upper case.
 */
export function completeBody(schema: Schema, body: unknown): unknown {
  const change = changes.get(schema) ?? wholeChangeOf(schema);
  changes.set(schema, change);
  return change(body);
}

function wholeChangeOf(schema: Schema): Change {
  const change = changeOf(schema) ?? (value => value);
  return hasField(schema, formatPath(GOODS_VALUE)) ? body => withGoodsSum(change(body)) : change;
}

/**
 * The change of a value with that schema; `undefined` if such a value never changes. A batch changes every record, so only what may change
 * is looked at, and a value in which nothing changes is not copied.
 */
function changeOf(schema: Schema): Change | undefined {
  const { own, element, shape } = partsOf(schema);
  // Any other text stays as given, for the message that refuses it.
  if (own.kind === 'country')
    return value =>
      typeof value === 'string' && COUNTRIES.has(value.toUpperCase()) ? value.toUpperCase() : value;
  const ofElement = element && changeOf(element);
  if (ofElement)
    return value => {
      if (!Array.isArray(value)) return value;
      const changed = value.map(ofElement);
      return changed.every((entry, index) => entry === value[index]) ? value : changed;
    };
  const inner = Object.entries(shape).flatMap(([name, child]) => {
    const change = changeOf(child);
    return change ? [[name, change] as const] : [];
  });
  const assumed = Object.entries(shape).flatMap(([name, child]) => {
    const value = partsOf(child).own.assumed;
    return value === undefined ? [] : [[name, value] as const];
  });
  const hasTotal = 'totalPrice' in shape;
  const hasCode = 'zipCode' in shape;
  if (inner.length === 0 && assumed.length === 0 && !hasTotal && !hasCode) return undefined;
  return value => {
    if (!isRecord(value)) return value;
    const changed = inner.filter(([name]) => value[name] !== undefined);
    const record = withFields(value, [
      ...changed.map(([name, change]) => [name, change(value[name])] as const),
      ...assumed.filter(([name]) => value[name] === undefined),
    ]);
    const isWithoutCode =
      hasCode && record.zipCode === undefined && hasNoPostalCodes(getAt(record, 'country.code'));
    const whole = isWithoutCode ? withFields(record, [['zipCode', '']]) : record;
    return hasTotal ? withItemPrices(whole) : whole;
  };
}

/** The record with these values; the same object if it has them already. */
function withFields(
  record: Record<string, unknown>,
  fields: readonly (readonly [name: string, value: unknown])[],
): Record<string, unknown> {
  const differing = fields.filter(([name, value]) => value !== record[name]);
  return differing.length === 0 ? record : { ...record, ...Object.fromEntries(differing) };
}

/** An item with its total price or unit price, if one of them is missing and the other gives it. */
function withItemPrices(item: Record<string, unknown>): Record<string, unknown> {
  const { quantity, unitPrice, totalPrice } = item;
  if (totalPrice === undefined) return withFields(item, [['totalPrice', totalOf(item)]]);
  const isKnown = unitPrice === undefined && isAmount(totalPrice) && isAmount(quantity) && quantity > 0;
  return isKnown ? withFields(item, [['unitPrice', unitPriceOf(totalPrice, quantity)]]) : item;
}

function totalOf(item: Record<string, unknown>): number | undefined {
  return isAmount(item.quantity) && isAmount(item.unitPrice)
    ? Big(item.quantity).times(item.unitPrice).toNumber()
    : undefined;
}

const GOODS_VALUE = ['customs', 'totalGoodsValue'];

/** The sum of the prices of all items; `undefined` if the price of an item is not known. */
function sumOfItems(items: readonly unknown[]): number | undefined {
  const totals = items.map(item => (isRecord(item) ? (item.totalPrice ?? totalOf(item)) : undefined));
  const known = totals.filter(isAmount);
  if (known.length === 0 || known.length < totals.length) return undefined;
  return known.reduce((sum, total) => sum.plus(total), Big(0)).toNumber();
}

/** The body with the value of its goods: if it is missing, the sum of the prices of all items. */
function withGoodsSum(body: unknown): unknown {
  const sum = getAt(body, GOODS_VALUE) === undefined ? sumOfItems(listAt(body, 'items')) : undefined;
  return sum === undefined ? body : setMissing(body, GOODS_VALUE, sum);
}

/** The body without the value of its goods, if that is the sum of the prices of all items. */
export const withoutGoodsSum = (body: unknown): unknown =>
  getAt(body, GOODS_VALUE) !== undefined && getAt(body, GOODS_VALUE) === sumOfItems(listAt(body, 'items'))
    ? setAt(body, GOODS_VALUE, undefined)
    : body;

/** The body without the totals of items that `completeBody` would fill in again, so that they follow a changed quantity or price. */
export function withoutTotals(body: unknown): unknown {
  const items = listAt(body, 'items');
  if (items.length === 0) return body;
  const changed = items.map(item => {
    if (!isRecord(item)) return item;
    const { totalPrice, ...entry } = item;
    return totalPrice === totalOf(entry) ? entry : item;
  });
  return setAt(body, ['items'], changed);
}

// An invalid amount is not multiplied: the product would cause a second issue, for a value that the user did not give.
const isAmount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0;
/** The body with an empty postal code in each address without one, if the country needs none. */
export function withEmptyCodes(body: unknown): unknown {
  return PARTIES.reduce((whole: unknown, role) => {
    const address = getAt(whole, [role, 'address']);
    if (!isRecord(address) || address.zipCode !== undefined) return whole;
    const country = textAt(address, 'country.code')?.toUpperCase();
    return country === undefined || !COUNTRIES.has(country) || needsPostalCode(country)
      ? whole
      : setAt(whole, [role, 'address', 'zipCode'], '');
  }, body);
}
