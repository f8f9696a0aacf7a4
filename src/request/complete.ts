import Big from 'big.js';
import { COUNTRIES } from '../contract/countries.ts';
import { hasField, mapFields, mapped } from '../contract/fields.ts';
import type { Schema } from '../contract/operation.ts';
import { getAt, isRecord, setAt } from '../contract/paths.ts';

/** Fills in what the user may leave out: DAP, cm, the total of an item; countries become upper case. */
export function complete(schema: Schema, body: unknown): unknown {
  const has = (pattern: string) => hasField(schema, pattern);
  let full = mapFields(schema, body, 'country', upperCode);
  if (has('deliveryType') && getAt(full, 'deliveryType') === undefined)
    full = setAt(full, ['deliveryType'], 'DAP');
  if (has('packages[].dimensions.unit')) full = eachOf(full, 'packages', withUnit);
  if (has('items[].totalPrice')) full = eachOf(full, 'items', withTotal);
  return full;
}

// Anything else stays as given, for the message that refuses it.
const upperCode = (value: unknown): unknown =>
  typeof value === 'string' && COUNTRIES.has(value.toUpperCase()) ? value.toUpperCase() : value;

function eachOf(body: unknown, list: string, change: (entry: Record<string, unknown>) => unknown): unknown {
  const entries = getAt(body, list);
  if (!Array.isArray(entries)) return body;
  const changed = mapped(entries, entry => (isRecord(entry) ? change(entry) : entry));
  return changed === entries ? body : setAt(body, [list], changed);
}

function withUnit(entry: Record<string, unknown>): unknown {
  const { dimensions } = entry;
  if (!isRecord(dimensions) || dimensions.unit !== undefined) return entry;
  return { ...entry, dimensions: { ...dimensions, unit: 'cm' } };
}

function withTotal(entry: Record<string, unknown>): unknown {
  return entry.totalPrice === undefined ? { ...entry, ...totalOf(entry) } : entry;
}

function totalOf({ quantity, unitPrice }: Record<string, unknown>): { totalPrice?: number } {
  if (!isAmount(quantity) || !isAmount(unitPrice)) return {};
  return { totalPrice: Big(quantity).times(unitPrice).toNumber() };
}

/** Without the totals of items that `complete` would fill in again, so that they follow a changed quantity or price. */
export const withoutTotals = (body: unknown): unknown =>
  eachOf(body, 'items', ({ totalPrice, ...entry }) =>
    totalPrice === totalOf(entry).totalPrice ? entry : { ...entry, totalPrice },
  );

// The product of an invalid amount would cause a second issue, for a value that was not given.
const isAmount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0;
