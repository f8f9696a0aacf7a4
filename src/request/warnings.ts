import Big from 'big.js';
import { CURRENCIES } from '../contract/currencies.ts';
import { PARTIES } from '../contract/parties.ts';
import { formatPath, getAt } from '../contract/paths.ts';

/** What is probably a mistake, although the service document allows it. */
export function warningsOf(body: unknown): string[] {
  return [...totals(body), ...tooLight(body), ...unlikely(body), ...mangled(body)];
}

/** What the document allows, but a customs office or a carrier will hardly accept. */
function unlikely(body: unknown): string[] {
  const each = (list: string, name: string): [path: string, value: unknown][] => {
    const entries = getAt(body, [list]);
    if (!Array.isArray(entries)) return [];
    return entries.map((entry, index) => [`${list}[${index}].${name}`, getAt(entry, [name])]);
  };
  const unless = (found: [string, unknown][], isLikely: (value: string) => boolean, what: string) =>
    found
      .filter(([, value]) => typeof value === 'string' && value.trim() !== '' && !isLikely(value))
      .map(([path, value]) => `${path} is ${JSON.stringify(value)}, which is no ${what}`);
  return [
    ...unless(
      PARTIES.map(role => [`${role}.email`, getAt(body, [role, 'email'])]),
      value => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value.trim()),
      'e-mail address',
    ),
    ...unless(
      PARTIES.map(role => [`${role}.phone.code`, getAt(body, [role, 'phone', 'code'])]),
      value => /^(\+|00)?[\d\s()-]{1,9}$/.test(value.trim()),
      'dialling code, such as +49',
    ),
    ...unless(
      [['customs.currency', getAt(body, 'customs.currency')]],
      value => CURRENCIES.has(value),
      'currency code of ISO 4217, such as EUR',
    ),
    ...unless(
      each('items', 'hsCode'),
      value => /^\d{4,12}$/.test(value.replace(/[.\s]/g, '')) || ROUNDED.test(value.trim()),
      'HS code: those are digits, at least 4',
    ),
    ...[...each('packages', 'weight'), ...each('packages', 'quantity')]
      .filter(([, value]) => value === 0)
      .map(([path]) => `${path} is 0`),
  ];
}

/** The chargeable weight is never below the weight of the packages: it belongs to other packages. */
function tooLight(body: unknown): string[] {
  const [packages, chargeable] = [getAt(body, ['packages']), numberAt(body, 'chargeableWeight')];
  if (!Array.isArray(packages) || chargeable === undefined) return [];
  const weights = packages.map(entry => {
    const [weight, quantity] = [numberAt(entry, 'weight'), numberAt(entry, 'quantity')];
    return weight && quantity && weight.times(quantity);
  });
  const sum = weights.reduce<Big>((all, weight) => all.plus(weight ?? 0), Big(0));
  return chargeable.lt(sum) ? [`chargeableWeight is ${chargeable}, but the packages weigh ${sum} kg`] : [];
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

// A unit price is often rounded itself: a difference below half a cent is not worth a warning.
const sameMoney = (one: Big, other: Big) => one.minus(other).abs().lt(0.005);

const ROUNDED = /^\d(?:[.,]\d+)?E\+\d+$/i;

/** Text such as 1.2E+11: a spreadsheet rounded a long number, and its digits are lost. */
const mangled = (body: unknown): string[] =>
  roundedIn(body).map(
    ({ path, text }) =>
      `${formatPath(path)} is ${JSON.stringify(text)}: a spreadsheet seems to have rounded a long number`,
  );

interface Rounded {
  path: readonly PropertyKey[];
  text: string;
}

// Such text is rare, so paths are built only when one is found.
function roundedIn(value: unknown): readonly Rounded[] {
  if (typeof value === 'string') return ROUNDED.test(value.trim()) ? [{ path: [], text: value }] : NONE;
  if (typeof value !== 'object' || value === null) return NONE;
  let found = NONE;
  for (const [name, entry] of Object.entries(value)) {
    const inner = roundedIn(entry);
    if (inner.length === 0) continue;
    const part = Array.isArray(value) ? Number(name) : name;
    found = [...found, ...inner.map(({ path, text }) => ({ path: [part, ...path], text }))];
  }
  return found;
}

const NONE: readonly Rounded[] = [];
