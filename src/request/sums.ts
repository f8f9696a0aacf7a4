// Sums of a request that do not agree.
import Big from 'big.js';
import { getAt, listAt } from '../contract/paths.ts';

/** Warns of totals that are not the sum of their parts, and of a chargeable weight below that of the packages. */
export const sumWarnings = (body: unknown): string[] => [...totals(body), ...tooLight(body)];

/** The chargeable weight is never below the weight of the packages: it belongs to other packages. */
function tooLight(body: unknown): string[] {
  const chargeable = numberAt(body, 'chargeableWeight');
  if (chargeable === undefined) return [];
  const weights = listAt(body, 'packages').map(entry => {
    const [weight, quantity] = [numberAt(entry, 'weight'), numberAt(entry, 'quantity')];
    return weight === undefined || quantity === undefined ? NOTHING : ([weight, quantity] as const);
  });
  const rough = weights.reduce((all, [weight, quantity]) => all + weight * quantity, 0);
  if (chargeable > rough && !isNear(chargeable, rough)) return [];
  const sum = weights.reduce((all, [weight, quantity]) => all.plus(Big(weight).times(quantity)), Big(0));
  return sum.gt(chargeable) ? [`chargeableWeight is ${chargeable}, but the packages weigh ${sum} kg`] : [];
}

const NOTHING = [0, 0] as const;

function totals(body: unknown): string[] {
  const items = listAt(body, 'items');
  const warnings = items.flatMap((item, index) => {
    const [quantity, unitPrice] = [numberAt(item, 'quantity'), numberAt(item, 'unitPrice')];
    const total = numberAt(item, 'totalPrice');
    if (quantity === undefined || unitPrice === undefined || total === undefined) return [];
    if (isNear(quantity * unitPrice, total)) return [];
    const product = Big(quantity).times(unitPrice);
    return sameMoney(product, total)
      ? []
      : [`items[${index}].totalPrice is ${total}, but quantity × unitPrice is ${product}`];
  });
  const value = numberAt(getAt(body, ['customs']), 'totalGoodsValue');
  const parts = items.map(item => numberAt(item, 'totalPrice'));
  if (value === undefined || parts.some(part => part === undefined)) return warnings;
  if (
    isNear(
      parts.reduce<number>((all, part = 0) => all + part, 0),
      value,
    )
  )
    return warnings;
  const sum = parts.reduce<Big>((all, part) => all.plus(part ?? 0), Big(0));
  return sameMoney(sum, value)
    ? warnings
    : [...warnings, `customs.totalGoodsValue is ${value}, but the items add up to ${sum}`];
}

function numberAt(value: unknown, name: string): number | undefined {
  const found = getAt(value, [name]);
  return Number.isFinite(found) ? (found as number) : undefined;
}

// A unit price is often rounded itself: a difference below half a cent is not worth a warning.
const sameMoney = (one: Big, other: number) => one.minus(other).abs().lt(0.005);

/** So near that the errors of plain numbers do not matter; decimal arithmetic takes a hundred times as long. */
const isNear = (one: number, other: number) => Math.abs(one) < 1e9 && Math.abs(one - other) < 0.004;
