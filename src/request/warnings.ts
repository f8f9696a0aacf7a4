import Big from 'big.js';
import { CURRENCIES } from '../contract/currencies.ts';
import { PARTIES } from '../contract/parties.ts';
import { formatPath, getAt } from '../contract/paths.ts';
import { textsIn } from './texts.ts';

/** What is probably a mistake, although the service document allows it. */
export function warningsOf(body: unknown): string[] {
  return [...totals(body), ...tooLight(body), ...unlikely(body), ...mangled(body)];
}

/** What the document allows, but a customs office or a carrier will hardly accept. */
function unlikely(body: unknown): string[] {
  const warnings: string[] = [];
  const check = (value: unknown, isLikely: (value: string) => boolean, path: string, what: string) => {
    if (typeof value === 'string' && value.trim() !== '' && !isLikely(value))
      warnings.push(`${path} is ${JSON.stringify(value)}, which is no ${what}`);
  };
  for (const role of PARTIES) check(getAt(body, [role, 'email']), isEmail, `${role}.email`, 'e-mail address');
  for (const role of PARTIES)
    check(
      getAt(body, [role, 'phone', 'code']),
      isDialling,
      `${role}.phone.code`,
      'dialling code, such as +49',
    );
  const currency = getAt(body, ['customs', 'currency']);
  check(
    currency,
    value => CURRENCIES.has(value),
    'customs.currency',
    'currency code of ISO 4217, such as EUR',
  );
  for (const [index, item] of listAt(body, 'items').entries())
    check(
      getAt(item, ['hsCode']),
      isTariff,
      `items[${index}].hsCode`,
      'HS code: those are digits, at least 4',
    );
  for (const name of ['weight', 'quantity'])
    for (const [index, entry] of listAt(body, 'packages').entries())
      if (getAt(entry, [name]) === 0) warnings.push(`packages[${index}].${name} is 0`);
  return warnings;
}

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
const isEmail = (value: string) => EMAIL.test(value.trim());
const DIALLING = /^(\+|00)?[\d\s()-]{1,9}$/;
const isDialling = (value: string) => DIALLING.test(value.trim());
const isTariff = (value: string) => /^\d{4,12}$/.test(value.replace(/[.\s]/g, '')) || isRounded(value);

function listAt(body: unknown, name: string): readonly unknown[] {
  const list = getAt(body, [name]);
  return Array.isArray(list) ? list : [];
}

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

const ROUNDED = /^\d(?:[.,]\d+)?E\+\d+$/i;

const isRounded = (text: string) => text.includes('+') && ROUNDED.test(text.trim());

/** Text such as 1.2E+11: a spreadsheet rounded a long number, and its digits are lost. */
const mangled = (body: unknown): string[] =>
  textsIn(body, isRounded).map(
    ({ path, text }) =>
      `${formatPath(path)} is ${JSON.stringify(text)}: a spreadsheet seems to have rounded a long number`,
  );
