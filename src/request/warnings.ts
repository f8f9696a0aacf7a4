import Big from 'big.js';
import { formatPath, getAt, isRecord } from '../contract/paths.ts';

/** What is probably a mistake, though the service document forbids none of it. */
export function warningsOf(body: unknown): string[] {
  return [...totals(body), ...mangled(body, [])];
}

function totals(body: unknown): string[] {
  const items = getAt(body, 'items');
  if (!Array.isArray(items)) return [];
  const warnings = items.flatMap((item, index) => {
    const [quantity, unitPrice, total] = ['quantity', 'unitPrice', 'totalPrice'].map(name =>
      numberAt(item, name),
    );
    if (quantity === undefined || unitPrice === undefined || total === undefined) return [];
    const product = quantity.times(unitPrice);
    return sameMoney(product, total)
      ? []
      : [`items[${index}].totalPrice is ${total}, but quantity × unitPrice is ${product}`];
  });
  const value = numberAt(getAt(body, 'customs'), 'totalGoodsValue');
  const parts = items.map(item => numberAt(item, 'totalPrice'));
  if (value === undefined || parts.some(part => part === undefined)) return warnings;
  const sum = parts.reduce<Big>((all, part) => all.plus(part ?? 0), Big(0));
  return sameMoney(sum, value)
    ? warnings
    : [...warnings, `customs.totalGoodsValue is ${value}, but the items add up to ${sum}`];
}

function numberAt(value: unknown, name: string): Big | undefined {
  const found = getAt(value, [name]);
  return Number.isFinite(found) ? Big(found as number) : undefined;
}

// A unit price is often itself rounded: half a hundredth is not worth a word.
const sameMoney = (one: Big, other: Big) => one.minus(other).abs().lt(0.005);

/** Text such as 1.2E+11: a spreadsheet took a long number for a quantity, and its digits are gone. */
function mangled(value: unknown, path: readonly PropertyKey[]): string[] {
  if (typeof value === 'string')
    return /^\d(?:[.,]\d+)?E\+\d+$/i.test(value.trim())
      ? [`${formatPath(path)} is ${JSON.stringify(value)}: a spreadsheet seems to have rounded a long number`]
      : [];
  if (Array.isArray(value)) return value.flatMap((entry, index) => mangled(entry, [...path, index]));
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, entry]) => mangled(entry, [...path, name]));
}
