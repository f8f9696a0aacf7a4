// Rules choose for an order what a person would choose. This file reads the rules of a file, and tells all that is wrong with them at once.
// Only a command that has rules loads it.
import Big from 'big.js';
import { COUNTRIES, EU_MEMBERS } from '../contract/countries.ts';
import { countryFault } from '../contract/country-names.ts';
import { bodyOf, OPERATIONS } from '../contract/operations.ts';
import { isRecord } from '../contract/paths.ts';
import { boundIn, type Money, moneyIn } from '../contract/read.ts';
import { fieldAt, type Issue } from '../contract/shapes.ts';
import { Failure } from '../errors.ts';
import { nearest } from '../nearest.ts';
import {
  type Conditions,
  type RuleChoice,
  type RuleProblem,
  ruleProblemWords,
  type Span,
} from '../say/rules.ts';
import { amountWords } from '../say/words.ts';
import { readValue } from '../session/files.ts';
import type { Session } from '../session/session.ts';
import { shown } from '../text.ts';

export interface Rule {
  name: string;
  if: Conditions;
  then: RuleChoice;
}

/** The rules of a file. Throws `invalid_request` with everything that is wrong with the rules, `usage` if there is no such file. */
export async function readRules(session: Pick<Session, 'host'>, path: string): Promise<readonly Rule[]> {
  const { rules, issues } = rulesIn(await readValue(path, session.host));
  if (issues.length === 0) return rules;
  throw new Failure(
    'invalid_request',
    { kind: 'rules-refused', file: path, problems: issues.length },
    { issues },
  );
}

/** The rules in a value that was parsed, and what is wrong with the value. */
export function rulesIn(value: unknown): { rules: readonly Rule[]; issues: readonly Issue[] } {
  const issues: Issue[] = [];
  if (!Array.isArray(value)) {
    const message = ruleProblemWords({ problem: 'other-value', allowed: 'a list of rules', given: value });
    return { rules: [], issues: [{ path: '', message }] };
  }
  const rules = value.map((entry: unknown, index) => {
    const name = isRecord(entry) && typeof entry.name === 'string' ? shown(entry.name.trim()) : index + 1;
    return readPart(RULE, 'rule', entry, `rule ${name}`, issues) as unknown as Rule;
  });
  if (issues.length === 0)
    issues.push(...sameNames(rules), ...rules.flatMap(impossible), ...unreached(rules));
  return { rules, issues };
}

// The fields of a rule: one row for each field says how it is read, refused and described.

type Refuse = (problem: RuleProblem, suggestion?: string) => void;

export interface RuleField {
  help: string;
  /** The schema of the value, as JSON Schema; the parts of an object are in `fields`. */
  schema?: Readonly<Record<string, unknown>>;
  fields?: RuleFields;
  isRequired?: true;
  /** What the value must be, in words. */
  allowed: string;
  /** Reads a value; `undefined` if the value is not allowed. */
  read?(value: unknown): unknown;
  /** The allowed value that was probably meant. */
  meant?(value: unknown): string | undefined;
}

export type RuleFields = Readonly<Record<string, RuleField>>;

const TEXT = { type: 'string', minLength: 1 } as const;
const TEXTS = { anyOf: [TEXT, { type: 'array', items: TEXT, minItems: 1 }] } as const;

/** The texts of a value that is one text or a list of texts; `undefined` if it is neither. */
function filledTexts(value: unknown): string[] | undefined {
  const texts: unknown[] = Array.isArray(value) ? value : [value];
  const read = texts.map(filledText);
  return read.length > 0 && read.every(text => text !== undefined) ? read : undefined;
}

const filledText = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;

const ifYesOrNo = (value: unknown): boolean | undefined => (typeof value === 'boolean' ? value : undefined);

/** The values that a field of a shipment may have. */
const valuesOf = (name: string): string[] =>
  Object.keys(fieldAt(bodyOf(OPERATIONS.createShipment), [name])?.values ?? {});

function choiceField(name: string, help: string, isList: boolean): RuleField {
  const values = valuesOf(name);
  const one = { enum: values };
  const isOne = (text: string | undefined) => text !== undefined && values.includes(text);
  return {
    help,
    schema: isList ? { anyOf: [one, { type: 'array', items: one, minItems: 1 }] } : one,
    allowed: `${isList ? 'one or more' : 'one'} of ${values.join(', ')}`,
    read: value => {
      if (!isList) return isOne(filledText(value)) ? filledText(value) : undefined;
      return filledTexts(value)?.every(isOne) ? filledTexts(value) : undefined;
    },
    meant: value => (typeof value === 'string' ? nearest(value, values) : undefined),
  };
}

const EU = 'EU';
const isPlaceCode = (code: string) => code === EU || COUNTRIES.has(code);

/** Reads `150EUR,165USD`: one amount for each currency. */
function amountsOf(value: unknown): Money[] | undefined {
  const amounts = filledText(value)?.split(',').map(moneyIn) ?? [];
  const known = amounts.filter(amount => amount !== undefined);
  const isEach = new Set(known.map(({ currency }) => currency)).size === amounts.length;
  return known.length > 0 && isEach ? known : undefined;
}

const kilogramsIn = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;

const spanField = (help: string, unit: Pick<RuleField, 'schema' | 'allowed' | 'read'>): RuleField => ({
  help,
  allowed: '{"above": …, "upTo": …}, or one of the two',
  fields: {
    above: { help: 'Only what is more than this', ...unit },
    upTo: { help: 'Only what is at most this', ...unit },
  },
});

const CONDITIONS: RuleFields = {
  to: {
    help: 'Where the order goes: codes of countries, or EU for its members',
    schema: TEXTS,
    allowed: 'codes of countries such as US, or EU',
    read: value => {
      const codes = filledTexts(value)?.map(code => code.toUpperCase());
      return codes?.every(isPlaceCode) ? codes : undefined;
    },
    meant: value => {
      const wrong = filledTexts(value)?.find(code => !isPlaceCode(code.toUpperCase()));
      return wrong === undefined ? undefined : countryFault(wrong).suggestion;
    },
  },
  postalCode: {
    help: 'Postal code of the receiver; * stands for any characters',
    schema: TEXTS,
    allowed: 'a postal code, in which * stands for any characters, or several',
    read: filledTexts,
  },
  weightKg: spanField('Weight of all parcels in kilograms', {
    schema: { type: 'number', minimum: 0 },
    allowed: 'a number of kilograms',
    read: kilogramsIn,
  }),
  value: spanField('Value of the goods for customs', {
    schema: TEXT,
    allowed: 'an amount with its currency, such as 150EUR, or one for each currency: 150EUR,165USD',
    read: amountsOf,
  }),
  type: choiceField('type', 'What is shipped', true),
  category: choiceField('category', 'Why it is shipped', true),
  sku: {
    help: 'One of its products, as its map or a product table names it; * stands for any characters',
    schema: TEXTS,
    allowed: 'the SKU of a product, or several',
    read: filledTexts,
  },
  marketplace: {
    help: 'Did a marketplace sell it, as its map says?',
    schema: { type: 'boolean' },
    allowed: 'true or false',
    read: ifYesOrNo,
  },
};

const CHOICE: RuleFields = {
  carrier: {
    help: 'The id of its carrier, or cheapest or fastest of the proposals that can be booked',
    schema: TEXT,
    allowed: 'the id of a carrier, cheapest or fastest',
    read: filledText,
  },
  service: {
    help: 'Only a proposal of this service type',
    schema: TEXT,
    allowed: 'a service type',
    read: filledText,
  },
  maxPrice: {
    help: 'No proposal above this',
    schema: TEXT,
    allowed: 'an amount above 0 with its currency, such as 20EUR',
    read: value => boundIn(filledText(value) ?? ''),
  },
  maxDays: {
    help: 'No proposal that may take more days',
    schema: { type: 'integer', minimum: 1 },
    allowed: 'a whole number above 0',
    read: value => (Number.isSafeInteger(value) && Number(value) > 0 ? value : undefined),
  },
  deliveryType: choiceField('deliveryType', 'Who pays duties', false),
  label: {
    help: 'Is its label made right after it?',
    schema: { type: 'boolean' },
    allowed: 'true or false',
    read: ifYesOrNo,
  },
  hold: {
    help: 'Why it is kept back: only --release KEY books it',
    schema: TEXT,
    allowed: 'the reason, as text',
    read: filledText,
  },
};

const LONGEST_NAME = 80;
/** Matches text without the characters that a database or one line cannot hold. */
const WHOLE = /^[^\p{Control}\p{Surrogate}\u2028\u2029\ufffd]+$/u;

export const RULE: RuleFields = {
  name: {
    help: 'What it is called: history and messages name it',
    schema: TEXT,
    isRequired: true,
    allowed: `a name of its own, in one line of at most ${LONGEST_NAME} letters`,
    read: value => {
      const name = filledText(value);
      return name !== undefined && name.length <= LONGEST_NAME && WHOLE.test(name) ? name : undefined;
    },
  },
  if: {
    help: 'What it asks of an order: all of it must hold. Without conditions it fits every order',
    allowed: 'an object of conditions',
    fields: CONDITIONS,
  },
  // biome-ignore lint/suspicious/noThenProperty: the field of the file is called so.
  then: {
    help: 'What it says of the orders that it fits',
    isRequired: true,
    allowed: 'an object with what it chooses',
    fields: CHOICE,
  },
};

type Part = Extract<RuleProblem, { problem: 'unknown-field' }>['of'];

/** Reads an object of a rule. `path`: where the object is. Adds what is wrong to `issues`. */
function readPart(
  fields: RuleFields,
  part: Part,
  content: unknown,
  path: string,
  issues: Issue[],
): Record<string, unknown> {
  const refuseAt =
    (where: string): Refuse =>
    (problem, suggestion) =>
      void issues.push({
        path: where,
        message: ruleProblemWords(problem),
        ...(suggestion !== undefined && { suggestion }),
      });
  if (!isRecord(content)) {
    refuseAt(path)({ problem: 'other-value', allowed: 'an object', given: content });
    return {};
  }
  const nameOf = (name: string) => (part === 'rule' ? `${path}: ${name}` : `${path}.${name}`);
  for (const name of Object.keys(content))
    if (!Object.hasOwn(fields, name))
      refuseAt(nameOf(name))({ problem: 'unknown-field', of: part }, nearest(name, Object.keys(fields)));
  const read: Record<string, unknown> = part === 'rule' ? { if: {} } : {};
  for (const [name, field] of Object.entries(fields)) {
    const value = Object.hasOwn(content, name) ? content[name] : undefined;
    const refuse = refuseAt(nameOf(name));
    if (value === undefined) {
      if (field.isRequired) refuse({ problem: 'missing', allowed: field.allowed });
      continue;
    }
    read[name] = field.fields
      ? readPart(field.fields, partNamed(part, name), value, nameOf(name), issues)
      : (field.read?.(value) ??
        refuse({ problem: 'other-value', allowed: field.allowed, given: value }, field.meant?.(value)));
  }
  if (part === 'bound' && Object.keys(content).length === 0)
    refuseAt(path)({ problem: 'other-value', allowed: '{"above": …, "upTo": …}', given: content });
  return read;
}

const partNamed = (part: Part, name: string): Part =>
  part !== 'rule' ? 'bound' : name === 'if' ? 'condition' : 'choice';

// Rules that can be read, but can never fit.

const at = (rule: Rule, path = ''): string => `rule ${shown(rule.name)}${path && `: ${path}`}`;

function sameNames(rules: readonly Rule[]): Issue[] {
  const names = rules.map(({ name }) => name);
  return rules.flatMap((rule, index) => {
    const first = names.indexOf(rule.name);
    if (first === index) return [];
    return { path: at(rule, 'name'), message: ruleProblemWords({ problem: 'name-twice', first: first + 1 }) };
  });
}

function impossible(rule: Rule): Issue[] {
  const { weightKg = {}, value = {} } = rule.if;
  const refuse = (path: string, problem: RuleProblem) => ({
    path: at(rule, `if.${path}`),
    message: ruleProblemWords(problem),
  });
  const issues: Issue[] = [];
  const { above, upTo } = weightKg;
  if (above !== undefined && upTo !== undefined && above >= upTo)
    issues.push(refuse('weightKg', { problem: 'never-between', above: `${above} kg`, upTo: `${upTo} kg` }));
  if (value.above && value.upTo)
    for (const [least, most, lacking, other] of [
      [value.above, value.upTo, 'above', 'upTo'],
      [value.upTo, value.above, 'upTo', 'above'],
    ] as const)
      for (const { amount, currency } of least) {
        const same = most.find(money => money.currency === currency);
        if (same === undefined)
          issues.push(refuse(`value.${other}`, { problem: 'currencies-differ', lacking, currency }));
        else if (lacking === 'above' && Big(amount).gte(same.amount))
          issues.push(
            refuse('value', {
              problem: 'never-between',
              above: amountWords({ amount, currency }),
              upTo: amountWords(same),
            }),
          );
      }
  return issues;
}

/** The issues of rules that are never reached: an earlier rule fits every order that they fit. */
function unreached(rules: readonly Rule[]): Issue[] {
  return rules.flatMap((rule, index) => {
    const by = rules.slice(0, index).find(earlier => covers(earlier.if, rule.if));
    if (by === undefined) return [];
    const isEmpty = Object.keys(by.if).length === 0;
    return { path: at(rule), message: ruleProblemWords({ problem: 'never-reached', by: by.name, isEmpty }) };
  });
}

/** Does every order that meets the narrow conditions meet the wide ones, too? `false` where that is not sure. */
function covers(wide: Conditions, narrow: Conditions): boolean {
  const places = (codes: readonly string[]) => codes.flatMap(code => (code === EU ? [...EU_MEMBERS] : code));
  const holds = (name: keyof Conditions): boolean => {
    const [wideOnes, narrowOnes] = [wide[name], narrow[name]];
    if (narrowOnes === undefined) return false;
    if (name === 'to') return isSubset(places(narrow.to ?? []), places(wide.to ?? []));
    if (Array.isArray(wideOnes) && Array.isArray(narrowOnes)) return isSubset(narrowOnes, wideOnes);
    if (name === 'weightKg') return isInSpan(narrow.weightKg ?? {}, wide.weightKg ?? {});
    return JSON.stringify(wideOnes) === JSON.stringify(narrowOnes);
  };
  return (Object.keys(wide) as (keyof Conditions)[]).every(holds);
}

const isSubset = (part: readonly string[], whole: readonly string[]): boolean =>
  part.every(text => whole.includes(text));

function isInSpan(narrow: Span<number>, wide: Span<number>): boolean {
  const { above = Number.NEGATIVE_INFINITY, upTo = Number.POSITIVE_INFINITY } = wide;
  return (
    (narrow.above ?? Number.NEGATIVE_INFINITY) >= above && (narrow.upTo ?? Number.POSITIVE_INFINITY) <= upTo
  );
}

/** Is the country one of `places`, in which EU stands for its members? */
export const isToPlace = (country: string, places: readonly string[]): boolean =>
  places.includes(country) || (places.includes(EU) && EU_MEMBERS.has(country));
