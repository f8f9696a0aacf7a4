// Which rule fits an order, and what that rule makes of the order. Both are decided only here: a command, a form, a record of a batch, a
// plan and an agent build their orders with `ruleFor`. Only a command that has rules loads this file.
import Big from 'big.js';
import { isSameKey } from '../contract/key.ts';
import { OPERATIONS } from '../contract/operations.ts';
import { getAt, listAt, setAt, textAt } from '../contract/paths.ts';
import { currencyNamed, type Money } from '../contract/read.ts';
import type { Issue } from '../contract/shapes.ts';
import {
  boundsDifferWords,
  type Conditions,
  type RuleChoice,
  type Span,
  type Unanswered,
  unansweredWords,
} from '../say/rules.ts';
import type { Session } from '../session/session.ts';
import { isPick } from './carrier-choice.ts';
import type { ProfileOptions } from './options.ts';
import type { RuledOptions, RuledOrder, RulesInForce, Ruling } from './order.ts';
import { hasNoPostalCodes } from './postal-codes.ts';
import { isToPlace, type Rule, readRules } from './rules.ts';

/** Does a rule fit an order? `miss`: the first condition that does not hold, and what the order has instead. */
export type Fit =
  | { fits: true }
  | { fits: false; miss: { condition: string; has: string } }
  /** The order lacks what the rule asks for. `path`: where the order would have it. */
  | { fits: undefined; path: string; unanswered: Unanswered };

type Answer = { holds: true } | { holds: false; has: string } | { path: string; unanswered: Unanswered };

const HOLDS = { holds: true } as const;
const unanswered = (path: string, lacks: Exclude<Unanswered['lacks'], 'bound'>): Answer => ({
  path,
  unanswered: { lacks },
});

/** If one condition does not hold, the rule does not fit, even if another condition cannot be decided. */
export function fitOf(rule: Rule, order: RuledOrder): Fit {
  let open: Fit | undefined;
  for (const name of Object.keys(rule.if) as (keyof Conditions)[]) {
    const answer = ANSWERS[name](rule.if, order);
    if ('unanswered' in answer) open ??= { fits: undefined, ...answer };
    else if (!answer.holds) return { fits: false, miss: { condition: name, has: answer.has } };
  }
  return open ?? { fits: true };
}

const COUNTRY = 'receiver.address.country.code';
const POSTAL_CODE = 'receiver.address.zipCode';
const VALUE = 'customs.totalGoodsValue';
const CURRENCY = 'customs.currency';

const ANSWERS: Readonly<Record<keyof Conditions, (conditions: Conditions, order: RuledOrder) => Answer>> = {
  to({ to = [] }, { body }) {
    const country = textAt(body, COUNTRY);
    if (!country) return unanswered(COUNTRY, 'country');
    return isToPlace(country.toUpperCase(), to) ? HOLDS : { holds: false, has: country };
  },
  postalCode({ postalCode = [] }, { body }) {
    const code = textAt(body, POSTAL_CODE)?.trim() ?? '';
    if (code === '' && !hasNoPostalCodes(textAt(body, COUNTRY)))
      return unanswered(POSTAL_CODE, 'postal code');
    return postalCode.some(pattern => isLike(code, pattern)) ? HOLDS : { holds: false, has: code || 'none' };
  },
  weightKg({ weightKg = {} }, { body }) {
    const weight = weightOfParcels(body);
    if (weight === undefined) return unanswered('packages', 'weight');
    return isBetween(weight, weightKg) ? HOLDS : { holds: false, has: `${weight} kg` };
  },
  value: ({ value = {} }, { body }) => valueAnswer(value, body),
  type: ({ type = [] }, { body }) => wordAnswer('type', type, body),
  category: ({ category = [] }, { body }) => wordAnswer('category', category, body),
  sku({ sku = [] }, { skus = [] }) {
    const known = skus.filter(name => name !== undefined);
    if (known.some(name => sku.some(pattern => isLike(name, pattern)))) return HOLDS;
    // An item whose SKU is not known may have the one that is wanted.
    if (known.length === 0 || known.length < skus.length) return unanswered('sku', 'SKU');
    return { holds: false, has: known.join(', ') };
  },
  // An order that was not read by the map of a marketplace counts as not sold by one.
  marketplace: ({ marketplace }, { isOfMarketplace = false }) =>
    isOfMarketplace === marketplace ? HOLDS : { holds: false, has: isOfMarketplace ? 'yes' : 'no' },
};

function wordAnswer(name: 'type' | 'category', words: readonly string[], body: unknown): Answer {
  const word = textAt(body, [name]);
  if (!word) return unanswered(name, name);
  return words.includes(word) ? HOLDS : { holds: false, has: word };
}

function valueAnswer(span: Span<readonly Money[]>, body: unknown): Answer {
  const value = getAt(body, VALUE);
  const currency = currencyNamed(textAt(body, CURRENCY));
  if (typeof value !== 'number' || !Number.isFinite(value)) return unanswered(VALUE, 'value');
  if (currency === undefined) return unanswered(CURRENCY, 'currency');
  const boundOf = (amounts: readonly Money[] | undefined) =>
    amounts?.find(amount => amount.currency === currency)?.amount;
  const bounds = [span.above, span.upTo].find(amounts => amounts && boundOf(amounts) === undefined);
  if (bounds) return { path: CURRENCY, unanswered: { lacks: 'bound', currency, bounds } };
  const isIn = isBetween(Big(value), { above: boundOf(span.above), upTo: boundOf(span.upTo) });
  return isIn ? HOLDS : { holds: false, has: `${value} ${currency}` };
}

const isBetween = (
  amount: Big,
  span: { above?: string | number | undefined; upTo?: string | number | undefined },
): boolean =>
  (span.above === undefined || amount.gt(span.above)) && (span.upTo === undefined || amount.lte(span.upTo));

/** The weight of all parcels; `undefined` if a parcel has no weight or quantity. */
function weightOfParcels(body: unknown): Big | undefined {
  const weights = listAt(body, 'packages').map(parcel => {
    const [weight, quantity] = [getAt(parcel, ['weight']), getAt(parcel, ['quantity'])];
    const isKnown = [weight, quantity].every(part => typeof part === 'number' && Number.isFinite(part));
    return isKnown ? Big(weight as number).times(quantity as number) : undefined;
  });
  const known = weights.filter(weight => weight !== undefined);
  return known.length === 0 || known.length < weights.length
    ? undefined
    : known.reduce((sum, weight) => sum.plus(weight));
}

/** Does the text match the pattern, in which * stands for any characters? Case and blanks do not count. */
function isLike(text: string, pattern: string): boolean {
  const [plain, parts] = [compactUpper(text), compactUpper(pattern).split('*')];
  const [first = '', ...others] = parts;
  if (others.length === 0) return plain === first;
  const last = others.pop() ?? '';
  if (!plain.startsWith(first) || !plain.endsWith(last) || plain.length < first.length + last.length)
    return false;
  let rest = plain.slice(first.length, plain.length - last.length);
  for (const part of others) {
    const index = rest.indexOf(part);
    if (index < 0) return false;
    rest = rest.slice(index + part.length);
  }
  return true;
}

const compactUpper = (text: string): string => text.replace(/\s/g, '').toUpperCase();

/** The first rule that fits; or the first rule that cannot be decided, and the issue of what the order lacks. */
export function firstThatFits(
  rules: readonly Rule[],
  order: RuledOrder,
): { rule: Rule | undefined; problem: Issue | undefined } {
  for (const rule of rules) {
    const fit = fitOf(rule, order);
    if (fit.fits) return { rule, problem: undefined };
    if (fit.fits === undefined)
      return { rule, problem: { path: fit.path, message: unansweredWords(rule.name, fit.unanswered) } };
  }
  return { rule: undefined, problem: undefined };
}

// What the rule that fits makes of an order.

/** The rules of a file, as `rulesInForce` gives them. Throws `invalid_request`, `usage`. */
export const openRules = async (
  session: Session,
  path: string,
  ofProfile: ProfileOptions,
  released?: readonly string[],
): Promise<RulesInForce> => rulesInForce(await readRules(session, path), ofProfile, released);

/**
 * Rules in the form in which a command follows them. `ofProfile`: the options of the profile, which are weaker than a rule; all other
 * options are stronger. `released`: keys of orders that a rule holds, but that a person has looked at.
 */
export function rulesInForce(
  rules: readonly Rule[],
  ofProfile: ProfileOptions,
  released: readonly string[] = [],
): RulesInForce {
  const met = new Set<string>();
  return {
    mayLabel: rules.some(rule => rule.then.label),
    unmet: () => released.filter(key => !met.has(key)),
    ruleFor(body, parts) {
      const key = textAt(parts.otherOptions, ['key']);
      const release = released.find(name => isSameKey(name, key));
      const order = { body, ...parts.sold };
      const first = firstThatFits(rules, order);
      if (release !== undefined && first.rule?.then.hold !== undefined) met.add(release);
      // For a released order, a rule that does nothing but hold is skipped.
      const { rule, problem } = release === undefined ? first : firstThatFits(rules.filter(chooses), order);
      const isDecided = rule !== undefined && problem === undefined;
      const unruled = {
        rule: isDecided ? rule.name : undefined,
        body,
        options: {},
        held: undefined,
        problem,
      };
      if (!isDecided) return unruled;
      const { otherOptions, ofRecord = {} } = parts;
      // An option of a record is stronger than a rule, even if the profile gives the same option.
      const isOfProfile = (name: string) => name in ofProfile && ofRecord[name] === undefined;
      const stronger = Object.fromEntries(
        Object.entries(otherOptions).filter(([name, value]) => !isOfProfile(name) && value !== undefined),
      );
      const { hold } = rule.then;
      const isHeld = hold !== undefined && release === undefined;
      return {
        ...unruled,
        ...chosenBy(rule, body, parts, stronger),
        held: isHeld ? { rule: rule.name, reason: hold } : undefined,
      };
    },
  };
}

const chooses = (rule: Rule): boolean => Object.keys(rule.then).some(name => name !== 'hold');

/** What a rule chooses if neither the user nor the record does; of two bounds, the stricter one. `stronger`: options that beat a rule. */
function chosenBy(
  rule: Rule,
  start: unknown,
  parts: Parameters<RulesInForce['ruleFor']>[1],
  stronger: RuledOptions,
): Pick<Ruling, 'body' | 'options' | 'problem'> {
  const { name, then: choice } = rule;
  const { operation, layers, record, mayLabel = true } = parts;
  const isPair = operation === OPERATIONS.createDualShipment;
  const isGiven = (path: string) =>
    getAt(record, path) !== undefined || getAt(layers.given, path) !== undefined;
  const withField = (body: unknown, path: string, value: unknown) =>
    value === undefined || isGiven(path) ? body : setAt(body, path.split('.'), value);
  const fields: Readonly<Record<string, unknown>> = isPair
    ? { label: mayLabel ? choice.label : undefined }
    : { 'carrier.id': choice.carrier };
  const body = Object.entries({ ...fields, deliveryType: choice.deliveryType }).reduce(
    (target, [path, value]) => withField(target, path, value),
    start,
  );
  const { maxPrice, problem } = stricterPrice(name, choice, stronger);
  if (isPair) return { body, options: defined({ maxPrice }), problem };
  const carrier = textAt(body, 'carrier.id');
  const days = [choice.maxDays, stronger.maxDays].filter(most => typeof most === 'number');
  const options = {
    // A named carrier beats the service of a rule, which would choose another one; `cheapest` and `fastest` name none.
    service: stronger.service ?? (isGiven('carrier.id') && !isPick(carrier) ? undefined : choice.service),
    maxPrice,
    maxDays: days.length > 0 ? Math.min(...days) : undefined,
    label: stronger.label ?? choice.label,
  };
  return { body, options: defined(options), problem };
}

function stricterPrice(
  rule: string,
  choice: RuleChoice,
  stronger: RuledOptions,
): { maxPrice?: Money | undefined; problem: Issue | undefined } {
  const { maxPrice } = choice;
  const bound = stronger.maxPrice || undefined;
  if (maxPrice === undefined || bound === undefined)
    return { maxPrice: bound ?? maxPrice, problem: undefined };
  if (bound.currency !== maxPrice.currency)
    return { problem: { path: 'maxPrice', message: boundsDifferWords(rule, maxPrice, bound) } };
  return { maxPrice: Big(bound.amount).lt(maxPrice.amount) ? bound : maxPrice, problem: undefined };
}

const defined = (options: RuledOptions): RuledOptions =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
