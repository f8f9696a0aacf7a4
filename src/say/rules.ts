// What is said of rules: what is wrong in a file of rules, what a rule asks of an order, and that a rule holds an order back.
import type { Money } from '../contract/read.ts';
import { shown } from '../text.ts';
import { forOperation, type OfOperation } from './order.ts';
import { flag, forPerson, pattern, type Saying, say, stranger } from './sentence.ts';
import { amountWords } from './words.ts';

/** A range: more than `above`, and at most `upTo`. */
export interface Span<Bound> {
  above?: Bound;
  upTo?: Bound;
}

/** The conditions of a rule, all of which must hold for an order. */
export interface Conditions {
  /** Codes of countries in upper case, or `EU`. */
  to?: readonly string[];
  postalCode?: readonly string[];
  weightKg?: Span<number>;
  /** Bounds as amounts, one for each currency. */
  value?: Span<readonly Money[]>;
  type?: readonly string[];
  category?: readonly string[];
  sku?: readonly string[];
  marketplace?: boolean;
}

/** What a rule chooses for the orders that it fits. */
export interface RuleChoice {
  carrier?: string;
  service?: string;
  maxPrice?: Money;
  maxDays?: number;
  deliveryType?: string;
  label?: boolean;
  /** Why the order is held back. */
  hold?: string;
}

/** What is wrong with a rule. `allowed`: the values, in words, that the missing or wrong field may have. */
export type RuleProblem =
  | { problem: 'missing' | 'other-value'; allowed: string; given?: unknown }
  | { problem: 'unknown-field'; of: 'rule' | 'condition' | 'choice' | 'bound' }
  | { problem: 'name-twice'; first: number }
  | { problem: 'never-between'; above: string; upTo: string }
  | { problem: 'currencies-differ'; lacking: string; currency: string }
  | { problem: 'never-reached'; by: string; isEmpty: boolean };

const PARTS = {
  rule: 'no part of a rule',
  condition: 'no condition that a rule may have',
  choice: 'nothing that a rule chooses',
  bound: 'no bound',
};

export function ruleProblemWords(problem: RuleProblem): string {
  switch (problem.problem) {
    case 'missing':
      return `is required: ${problem.allowed}`;
    case 'other-value':
      return `must be ${problem.allowed}, not ${shown(problem.given)}`;
    case 'unknown-field':
      return `is ${PARTS[problem.of]}`;
    case 'name-twice':
      return `is the name of rule ${problem.first}, too`;
    case 'never-between':
      return `can never fit: nothing is above ${problem.above} and at most ${problem.upTo}`;
    case 'currencies-differ':
      return `names no ${problem.currency}, and ${problem.lacking} does: both need the same currencies`;
    case 'never-reached':
      return problem.isEmpty
        ? `is never reached: ${shown(problem.by)} before it fits every order`
        : `is never reached: ${shown(problem.by)} before it fits every order that this one fits`;
  }
}

/** What a rule asks of an order, and the order does not tell. */
export type Unanswered =
  | { lacks: 'country' | 'postal code' | 'weight' | 'value' | 'currency' | 'type' | 'category' | 'SKU' }
  /** The bound of the rule is not in the currency of the order. */
  | { lacks: 'bound'; currency: string; bounds: readonly Money[] };

export function unansweredWords(rule: string, unanswered: Unanswered): string {
  if ('bounds' in unanswered) {
    const bounds = unanswered.bounds.map(amountWords).join(', ');
    return `is ${unanswered.currency}, and the rule ${shown(rule)} has its bound in another currency (${bounds}): give it in ${unanswered.currency}, too`;
  }
  const how =
    unanswered.lacks === 'SKU' ? '. A map tells it, by its column "sku" or a product table ("lookup")' : '';
  return `is needed: the rule ${shown(rule)} asks for the ${unanswered.lacks} of the order${how}`;
}

/** The conditions of a rule in words: `to US, above 2 kg`. */
export function conditionWords(conditions: Conditions): string {
  const { to, postalCode, weightKg, value, type, category, sku, marketplace } = conditions;
  const spanWords = <Bound>(span: Span<Bound>, wordsOf: (bound: Bound) => string): string[] => [
    ...(span.above === undefined ? [] : [`above ${wordsOf(span.above)}`]),
    ...(span.upTo === undefined ? [] : [`at most ${wordsOf(span.upTo)}`]),
  ];
  const listed = (name: string, texts: readonly string[] | undefined) =>
    texts ? [`${name} ${texts.join(' or ')}`] : [];
  const words = [
    ...listed('to', to),
    ...listed('postal code', postalCode),
    ...spanWords(weightKg ?? {}, kilograms => `${kilograms} kg`),
    ...spanWords(value ?? {}, amounts => amounts.map(amountWords).join(' or ')),
    ...listed('type', type),
    ...listed('category', category),
    ...listed('SKU', sku),
    ...(marketplace === undefined ? [] : [`${marketplace ? '' : 'not '}sold by a marketplace`]),
  ];
  return words.join(', ') || 'every order';
}

/** The choice of a rule in words: `EXP, at most 20 EUR`. */
export function ruleChoiceWords(choice: RuleChoice): string {
  const { carrier, service, maxPrice, maxDays, deliveryType, label, hold } = choice;
  const words = [
    carrier,
    service,
    maxPrice && `at most ${amountWords(maxPrice)}`,
    maxDays !== undefined && `at most ${maxDays} days`,
    deliveryType,
    label !== undefined && (label ? 'label' : 'no label'),
    hold !== undefined && `held: ${hold}`,
  ];
  return words.filter(Boolean).join(', ') || 'as the profile says';
}

/** Why a rule does not fit an order: `to is DE`. */
export const missWords = (miss: { condition: string; has: string }): string =>
  `${miss.condition} is ${miss.has}`;

export const afterWords = (first: string): string => `${shown(first)} comes first`;

/** The bound of the rule and that of the order are in two currencies, and cannot be compared. */
export const boundsDifferWords = (rule: string, ofRule: Money, ofOrder: Money): string =>
  `is ${amountWords(ofOrder)}, and the rule ${shown(rule)} has ${amountWords(ofRule)}: give both in one currency`;

/** A rule that holds an order back, and why. */
export interface Held {
  rule: string;
  reason: string;
}

/** Stands in place of the name of a rule, if no rule fits. */
export const NO_RULE = 'no rule';

/** Why a record of a batch is held back by a rule. */
export const heldWords = (order: Held): string =>
  `is held by the rule ${shown(order.rule)}: ${order.reason}. When you have looked at it, --release KEY books it`;

export const unmetReleaseWords = (key: string): string =>
  `--release ${shown(key)}: no rule holds such an order of this file`;

export const RULES = {
  'no-rules': (notice: { profile: string }): Saying => ({
    what: say`the profile ${notice.profile} has no rules`,
    toDo: say`${pattern(`waybill profile set ${notice.profile} rules=FILE`)} gives it some`,
  }),
  'rules-undecided': (notice: { rule: string }): Saying => ({
    what: say`the rule ${stranger(notice.rule)} cannot be decided for this order, which is not booked so`,
  }),
  'rules-refused': (notice: { file: string; problems: number }): Saying => ({
    what: say`the rules of ${stranger(notice.file)} have ${notice.problems === 1 ? 'a problem' : `${notice.problems} problems`}`,
  }),
  'rule-fits': (notice: { rule: string }): Saying => ({
    what: say`the rule ${stranger(notice.rule)} fits`,
  }),
  'order-held': (order: OfOperation & Held & { key?: string | undefined }): Saying => ({
    what: forOperation(
      order,
      say`${order.key === undefined ? 'the order' : stranger(order.key)} is held by the rule ${stranger(order.rule)}: ${stranger(order.reason)}`,
    ),
    toDo: forPerson(
      order.key === undefined
        ? say`When you have looked at it, give it a ${flag('--key')}, and the same with ${flag('--release')}`
        : say`When you have looked at it, ${flag('--release', order.key)} books it`,
      say`Tell a person, who may release it`,
    ),
  }),
  'release-without-rules': (): Saying => ({
    what: say`${flag('--release')} books what a rule holds, and no rules are in force`,
    toDo: say`Give ${flag('--rules', 'FILE')}, or leave it out`,
  }),
  'release-of-other-key': (order: OfOperation & { released: string }): Saying => ({
    what: forOperation(
      order,
      say`${flag('--release')} ${stranger(order.released)} is not the ${flag('--key')} of this order`,
    ),
  }),
};
