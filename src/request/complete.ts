import Big from 'big.js';
import { COUNTRIES } from '../contract/countries.ts';
import { partsOf } from '../contract/fields.ts';
import type { Schema } from '../contract/operation.ts';
import { isRecord, listAt, setAt } from '../contract/paths.ts';

type Change = (value: unknown) => unknown;

const changes = new WeakMap<Schema, Change>();

/** Fills in what the user may leave out: DAP, cm, the total of an item; countries become upper case. */
export function complete(schema: Schema, body: unknown): unknown {
  const change = changes.get(schema) ?? changeOf(schema) ?? (value => value);
  changes.set(schema, change);
  return change(body);
}

/**
 * What is done with a value of that schema; `undefined`: nothing ever is. A batch does it to every record, so only what may
 * change is looked at, and a value in which nothing changes is not copied.
 */
function changeOf(schema: Schema): Change | undefined {
  const { own, element, shape } = partsOf(schema);
  if (own.kind === 'country') return upperCode;
  const ofElement = element && changeOf(element);
  if (ofElement) return value => (Array.isArray(value) ? mapped(value, ofElement) : value);
  const inner = Object.entries(shape).flatMap(([name, child]) => {
    const change = changeOf(child);
    return change ? [[name, change] as const] : [];
  });
  const assumed = Object.entries(shape).flatMap(([name, child]) => {
    const value = partsOf(child).own.assumed;
    return value === undefined ? [] : [[name, value] as const];
  });
  const hasTotal = 'totalPrice' in shape;
  if (inner.length === 0 && assumed.length === 0 && !hasTotal) return undefined;
  return given => {
    if (!isRecord(given)) return given;
    let record = given;
    const set = (name: string, value: unknown) => {
      record = { ...record, [name]: value };
    };
    for (const [name, change] of inner) {
      const value = record[name] === undefined ? undefined : change(record[name]);
      if (value !== record[name]) set(name, value);
    }
    for (const [name, value] of assumed) if (record[name] === undefined) set(name, value);
    const total = hasTotal && record.totalPrice === undefined ? totalOf(record) : undefined;
    if (total !== undefined) set('totalPrice', total);
    return record;
  };
}

/** The list with each entry changed; the list itself if no entry is. */
function mapped(list: readonly unknown[], change: Change): readonly unknown[] {
  const changed = list.map(change);
  return changed.every((entry, index) => entry === list[index]) ? list : changed;
}

// Anything else stays as given, for the message that refuses it.
const upperCode = (value: unknown): unknown =>
  typeof value === 'string' && COUNTRIES.has(value.toUpperCase()) ? value.toUpperCase() : value;

function totalOf({ quantity, unitPrice }: Record<string, unknown>): number | undefined {
  return isAmount(quantity) && isAmount(unitPrice) ? Big(quantity).times(unitPrice).toNumber() : undefined;
}

/** Without the totals of items that `complete` would fill in again, so that they follow a changed quantity or price. */
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

// The product of an invalid amount would cause a second issue, for a value that was not given.
const isAmount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0;
