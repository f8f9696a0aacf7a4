// What is wrong with a body, and the flag that corrects it; and what is probably a mistake.
import Big from 'big.js';
import type * as z from 'zod/mini';
import { COUNTRIES } from '../contract/countries.ts';
import { countryFault } from '../contract/country-names.ts';
import { CURRENCIES } from '../contract/currencies.ts';
import { bodyOf, type Operation, type RuleContext } from '../contract/operations.ts';
import {
  formatPath,
  getAt,
  listAt,
  type Path,
  parsePath,
  pathsOf,
  setAt,
  textAt,
  textsIn,
} from '../contract/paths.ts';
import { type Field, fieldAt, fieldsOf, type Issue, type Meaning, type Schema } from '../contract/shapes.ts';
import { PARTIES } from '../contract/shipments.ts';
import { Failure } from '../errors.ts';
import { nearest } from '../nearest.ts';
import type { Diagnostics } from '../output/print.ts';
import { command, say, sentences, type Text } from '../say/sentence.ts';
import { shortened, shown } from '../text.ts';
import {
  hasNoPostalCodes,
  isDiallingCode,
  isPlain,
  isPostalCode,
  NO_POSTAL_CODE,
  needsPostalCode,
  normalCode,
  PHONES,
  phoneAt,
  phoneIn,
  postalCodeExample,
} from './complete.ts';
import { readAgain } from './misread.ts';
import {
  type LeftNumber,
  numberPath,
  type RecordNumbers,
  whyUndeclared,
  withoutFalseAdvice,
} from './numbers.ts';
import { flagName } from './options.ts';
import { isSameMoney } from './value.ts';

/** What a body is checked for. */
export interface Checked {
  operation: Operation;
  /** Paths that a proposal fills in later: they may be missing. */
  unresolved?: readonly string[];
  /** Are fields allowed that the service document does not name? */
  allowUnknown?: boolean | undefined;
  /** The flags of which one is needed to give the body at all. */
  oneOf?: string;
  /** It is a record of a batch: a flag would correct every record. */
  record?: unknown;
  /** Customs numbers that do not hold for it. */
  leftNumbers?: readonly LeftNumber[] | undefined;
  /** Which customs numbers it may get. */
  numbers?: RecordNumbers | undefined;
}

/** Refuses a body with issues, and `more`. `hint`: what else would do. Throws `invalid_request`. */
export function refuseIssues(
  checked: Checked,
  body: unknown,
  rules: RuleContext,
  { more = [], hint = [] }: { more?: readonly Issue[]; hint?: Text } = {},
): void {
  const { operation } = checked;
  const issues = [...findIssues(checked, body, rules), ...more];
  if (issues.length === 0) return;
  const isMissing = missingIn(issues, body).length > 0;
  const example = isMissing
    ? say`${command('waybill', 'schema', operation.command, '--example')} prints a complete request`
    : [];
  throw new Failure(
    'invalid_request',
    { kind: 'request-invalid', operation: operation.command, problems: issues.length },
    { operation: operation.command, issues, hint: sentences(hint, example) },
  );
}

/** Every issue of a body, except those that a proposal resolves. */
export function findIssues(checked: Checked, body: unknown, rules: RuleContext): Issue[] {
  const { operation, unresolved = [], allowUnknown = false, leftNumbers = [], numbers } = checked;
  const filled = unresolved.reduce((target: unknown, written) => {
    const path = parsePath(written) ?? [];
    if (getAt(target, path) !== undefined) return target;
    return setAt(target, path, fieldAt(bodyOf(operation), path)?.kind === 'number' ? 0 : '?');
  }, body);
  const { numberLimits } = rules;
  const isUndeclared = (path: string) =>
    whyUndeclared(path, body, numberLimits, numbers?.takes) !== undefined;
  return validate(operation, filled, {
    rules,
    allowUnknown,
    flagFor: path => (isUndeclared(path) ? undefined : flagFor(checked, path)),
  }).map(issue => {
    const left = leftNumbers.find(({ name }) => numberPath(name) === issue.path);
    return left && !isUndeclared(issue.path)
      ? { ...issue, message: `${issue.message}; the one that is known is left out: ${left.why}` }
      : withoutFalseAdvice(issue, body, numberLimits, numbers?.takes);
  });
}

/** The flag that sets a field: its own, else `--set`. An object without a flag is set by its fields. */
function flagFor({ operation, record, oneOf }: Checked, path: string): string | undefined {
  if (path === '') return record === undefined ? oneOf : undefined;
  const { flag, kind } = fieldAt(bodyOf(operation), parsePath(path) ?? []) ?? {};
  if (flag !== undefined) return flagName(flag);
  // `--set` would set the field of every record of a batch.
  if (kind === undefined || kind === 'object' || record !== undefined) return undefined;
  return `--set ${path.includes('[') ? `'${path}=VALUE'` : `${path}=VALUE`}`;
}

/** Warns of what is probably a mistake. `more`: of this command alone. */
export async function warnOfMistakes(
  { warn }: Pick<Diagnostics, 'warn'>,
  operation: Operation,
  body: unknown,
  more: readonly string[] = [],
): Promise<void> {
  const found = warningsOf(bodyOf(operation), body, await phonesFor(body));
  for (const warning of [...found, ...more]) await warn(warning);
}

/** With `--strict` a warning is an error. Throws `invalid_request`. */
export function refuseWarnings({ warnings }: Pick<Diagnostics, 'warnings'>, operation: Operation): void {
  if (warnings.length === 0) return;
  throw new Failure(
    'invalid_request',
    { kind: 'warnings-refused', operation: operation.command },
    { operation: operation.command, issues: warnings.map(message => ({ path: '', message })) },
  );
}

const CONTROL = /[\p{Cc}\u2028\u2029]/u;

interface ValidateOptions {
  rules: RuleContext;
  /** Accepts fields that are not in the document. */
  allowUnknown: boolean;
  /** The flag that gives a field, for messages about missing ones; '' is the body as a whole. */
  flagFor?(path: string): string | undefined;
}

/** Every issue of the body, in the order of the document, with the nearest valid value if there is one. */
export function validate(
  { body: schema, rules }: Pick<Operation, 'body' | 'rules'>,
  body: unknown,
  options: ValidateOptions,
): Issue[] {
  if (schema === undefined) return [];
  const faults = schema.safeParse(body).error?.issues ?? [];
  const ofShape = [
    ...faults
      .filter(fault => !(options.allowUnknown && fault.code === 'unrecognized_keys'))
      .flatMap(fault => issuesFor(fault, body, schema, options)),
    // Half of a surrogate pair has no bytes, so that two different ids would be the same.
    ...textsIn(body, text => !text.isWellFormed()).map(({ path }) => ({
      path: formatPath(path),
      message: 'is not text: it has half of a surrogate pair; write it again',
    })),
    // Whether a label prints what is behind a line break nobody knows.
    ...textsIn(body, text => CONTROL.test(text)).flatMap(({ path, text }) =>
      [...PARTIES, 'items'].some(part => part === path[0])
        ? { path: formatPath(path), message: `must be one line of text, not ${shown(text)}` }
        : [],
    ),
  ];
  ofShape.push(
    ...emptyCodes(schema, body)
      .filter(({ country }) => needsPostalCode(country))
      .map(requiredCode),
  );
  const paths = new Set(ofShape.map(issue => issue.path));
  const broken = rules
    .flatMap(rule => rule.check(body, options.rules))
    .filter(issue => !paths.has(issue.path));
  const missing = new Set(missingIn(broken, body));
  return [...ofShape, ...broken.map(issue => (missing.has(issue) ? withFlag(issue, options) : issue))];
}

/** Postal codes that are there and blank, with the countries of their addresses. */
const emptyCodes = (schema: Schema, body: unknown) =>
  judgedFields(schema)
    .filter(([, means]) => means === 'postal code')
    .flatMap(([field]) => pathsOf(field.pattern, body).map(path => ({ field, path })))
    .filter(({ path }) => textAt(body, path)?.trim() === '')
    .map(({ field, path }) => ({ path, country: countryOf(field, path, body) ?? '' }));

const requiredCode = ({ path, country }: { path: string; country: string }): Issue => ({
  path,
  message: `is required in ${country}, such as ${postalCodeExample(country)}`,
});

/** The issues whose path has no value in the body, or blank text; an issue of the body itself counts, too. */
export function missingIn(issues: readonly Issue[], body: unknown): Issue[] {
  return issues.filter(({ path }) => {
    const value = path === '' ? undefined : getAt(body, path);
    return value === undefined || (typeof value === 'string' && value.trim() === '');
  });
}

function issuesFor(
  fault: z.core.$ZodIssue,
  body: unknown,
  schema: Schema,
  options: ValidateOptions,
): Issue[] {
  const path = fault.path as Path;
  const written = formatPath(path);
  if (fault.code === 'unrecognized_keys') return fault.keys.map(key => unknownField(path, key, schema));
  const given = getAt(body, path);
  const field = fieldAt(schema, path);
  if (given === undefined) return missingAt(path, body, schema, options);
  if (field?.kind === 'country') return [{ path: written, ...countryFault(given) }];
  const message = messageFor(fault, field, given);
  const suggestion =
    typeof given === 'string' && field?.values ? nearest(given, Object.keys(field.values)) : undefined;
  return [{ path: written, message, ...(suggestion !== undefined && { suggestion }) }];
}

/** What is missing at a path; for an object that no flag gives as a whole, the fields that it requires. */
function missingAt(path: Path, body: unknown, schema: Schema, options: ValidateOptions): Issue[] {
  const written = formatPath(path);
  const isObject = fieldAt(schema, path)?.kind === 'object' && typeof path.at(-1) === 'string';
  if (isObject && options.flagFor?.(written) === undefined) {
    const inside = lackedAt(schema, path).flatMap(lacked => missingAt(lacked, body, schema, options));
    if (inside.length > 0) return inside;
  }
  const { values } = fieldAt(schema, path) ?? {};
  const choices = values === undefined ? '' : `: ${oneOf(Object.keys(values))}`;
  return [withFlag({ path: written, message: `is required${choices}` }, options)];
}

/** `gift, sample or document` */
const oneOf = (values: readonly string[]): string => `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;

/** The fields that an object there requires, without those that are filled in. */
const lackedAt = (schema: Schema, path: Path): Path[] =>
  namesIn(schema, path)
    .map(name => [...path, name])
    .filter(inner => {
      const { required, assumed } = fieldAt(schema, inner) ?? {};
      return required === true && assumed === undefined;
    });

/** The names that an object there may have. */
function namesIn(schema: Schema, path: Path): string[] {
  const pattern = formatPath(path).replace(/\[\d+\]/g, '[]');
  const prefix = pattern === '' ? '' : `${pattern}.`;
  return fieldsOf(schema)
    .filter(field => field.pattern.startsWith(prefix))
    .map(field => field.pattern.slice(prefix.length))
    .filter(name => /^\w+$/.test(name));
}

function withFlag(issue: Issue, { flagFor }: ValidateOptions): Issue {
  const flag = flagFor?.(issue.path);
  return flag === undefined ? issue : { ...issue, message: `${issue.message} (${flag})` };
}

function unknownField(path: Path, key: string, schema: Schema): Issue {
  const suggestion = nearest(key, namesIn(schema, path));
  return {
    path: formatPath([...path, shortened(key)]),
    message: 'is not a field of the service document (--allow-unknown sends it anyway)',
    ...(suggestion !== undefined && { suggestion }),
  };
}

const KINDS: Readonly<Record<Field['kind'], string>> = {
  text: 'text',
  number: 'a number',
  boolean: 'true or false',
  country: 'a country code',
  choice: 'text',
  list: 'a list',
  object: 'an object',
  map: 'an object',
};

function messageFor(fault: z.core.$ZodIssue, field: Field | undefined, given: unknown): string {
  const but = `, not ${shown(given)}`;
  if (field?.values) return `must be one of ${Object.keys(field.values).join(', ')}${but}`;
  switch (fault.code) {
    case 'invalid_type':
      return `must be ${field?.kind === 'number' ? numberFor(given) : KINDS[field?.kind ?? 'text']}${but}`;
    case 'too_small':
      return fault.origin === 'number' ? `must not be negative${but}` : 'needs at least one entry';
    case 'invalid_key':
      return 'is not a header name that begins with X-';
    case 'invalid_format':
      return typeof given === 'string' && given.trim() === ''
        ? 'must not be empty'
        : `must not hold line breaks or NUL${but}`;
    default:
      return `is not valid${but}`;
  }
}

function numberFor(given: unknown): string {
  if (typeof given === 'number') return 'a finite number';
  if (typeof given !== 'string') return KINDS.number;
  if (/^\s*[\d.]*,[\d.,]+\s*$/.test(given)) return 'a number with a dot for its decimals';
  return /^\s*\d{16,}\s*$/.test(given) ? 'a number of at most 15 digits' : KINDS.number;
}

// What is probably a mistake in a body, although the service document allows it.

/** What reads phone numbers; loaded only for one that is not plain digits behind a plain code. */
export type Phones = typeof import('./phone.ts');

export const phonesFor = async (body: unknown): Promise<Phones | undefined> =>
  PHONES.some(paths => !isPlain(phoneIn(body, paths))) ? import('./phone.ts') : undefined;

/** What is probably a mistake, although the service document allows it. `phones`: of `phonesFor` this body. */
export const warningsOf = (schema: Schema, body: unknown, phones: Phones | undefined): string[] => [
  ...wrongSums(body),
  ...unlikely(schema, body, phones),
  ...withoutCode(schema, body),
  ...oddAmounts(body),
  ...oddGoods(body),
  ...severalDocuments(body),
  ...oddTexts(body),
];

const withoutCode = (schema: Schema, body: unknown): string[] =>
  emptyCodes(schema, body)
    .filter(({ country }) => !needsPostalCode(country) && !hasNoPostalCodes(country))
    .map(
      ({ path, country }) =>
        `${path} is empty: find out whether ${country || 'the country'} has postal codes`,
    );

/**
 * What a text of that meaning should be, as `a currency code, such as EUR`; `undefined` if it looks like one. `country`: of the
 * place that the text belongs to, if that matters.
 */
type Judge = (text: string, country: string | undefined) => string | undefined;

const shaped =
  (shape: RegExp, what: string): Judge =>
  text =>
    shape.test(text.trim()) ? undefined : what;

const shortAddress = shaped(/^[a-z]{4}\s*\d{4}$/i, 'a short address of Saudi Arabia, such as RRRD2929');

/** What a customs office or a carrier accepts; of a country the document says it, where it matters. */
const JUDGES: Readonly<Record<Exclude<Meaning, 'phone number'>, Judge>> = {
  'e-mail address': shaped(/^[^\s@]+@[^\s@]+\.[^\s@]+$/, 'an e-mail address, such as anna@example.com'),
  'dialling code': text => (isDiallingCode(text) ? undefined : 'a dialling code, such as +49'),
  'postal code': (text, country) => {
    if (isPostalCode(text, country)) return undefined;
    return hasNoPostalCodes(country)
      ? `a postal code: where there is none, ${NO_POSTAL_CODE} is usual`
      : `a postal code, such as ${postalCodeExample(country) ?? '10115'}`;
  },
  'short address': (text, country) => (country === 'SA' ? shortAddress(text, country) : undefined),
  currency: text => (CURRENCIES.has(text) ? undefined : 'a currency code of ISO 4217, such as EUR'),
  country: text => {
    if (COUNTRIES.has(text.trim().toUpperCase())) return undefined;
    const { suggestion } = countryFault(text);
    return `a country's code of two letters, such as TR${suggestion === undefined ? '' : ` (did you mean ${suggestion}?)`}`;
  },
  'IOSS number': shaped(/^IM\d{10}$/i, 'an IOSS number, such as IM0123456789'),
  // Of an odd number of digits a spreadsheet has taken the zero in front: coffee would be a clock.
  'HS code': shaped(/^(?:(?:\d[.\s]*){2}){3,6}$/, 'an HS code of 6, 8, 10 or 12 digits, such as 090121'),
};

/** The country that a text belongs to. */
export const countryOf = ({ countryAt }: Field, path: string, body: unknown): string | undefined =>
  countryAt === undefined ? undefined : textAt(body, path.replace(/\w+$/, countryAt));

const judged = new WeakMap<Schema, readonly (readonly [Field, Meaning])[]>();

/** A batch asks this for every record. */
function judgedFields(schema: Schema) {
  const fields =
    judged.get(schema) ??
    fieldsOf(schema).flatMap(field => {
      const { means } = field;
      // A code of an address is checked: the document says what it is.
      return means === undefined || field.kind === 'country' ? [] : [[field, means] as const];
    });
  judged.set(schema, fields);
  return fields;
}

/** What the document allows, but a customs office or a carrier will hardly accept. */
function unlikely(schema: Schema, body: unknown, phones: Phones | undefined): string[] {
  const warnings: string[] = [];
  for (const [field, means] of judgedFields(schema)) {
    for (const path of pathsOf(field.pattern, body)) {
      const text = textAt(body, path);
      // A spreadsheet's number has its own warning.
      if (text === undefined || text.trim() === '' || isRounded(text)) continue;
      const wanted =
        means === 'phone number'
          ? phones && judgePhone(text, phoneAt(path, body), phones)
          : JUDGES[means](text, countryOf(field, path, body));
      if (wanted !== undefined) warnings.push(`${path} is ${JSON.stringify(text)}, which is not ${wanted}`);
    }
  }
  return warnings;
}

/** A number behind its dialling code may be written in any usual way. */
function judgePhone(text: string, phone: ReturnType<typeof phoneAt>, phones: Phones): string | undefined {
  const code = phone.code === undefined ? undefined : normalCode(phone.code);
  // A dialling code that is none has its own warning; some have digits of the number.
  const isKnown = /^\+\d{1,3}$/.test(code ?? '+1') && isDiallingCode(code ?? '+1');
  if (isPlain(phone) || !isKnown) return undefined;
  const read = phones.readPhone(text, phone);
  const isRepeated = /^\s*(\+|00)/.test(text);
  const isLikely = typeof read !== 'string' && read.isPossible && (code ?? read.code) === read.code;
  return isLikely && !isRepeated
    ? undefined
    : `a phone number without its dialling code, such as ${phones.phoneExample(phone) ?? '15123456789'}`;
}

/** What customs do not believe, or cannot read. */
function oddGoods(body: unknown): string[] {
  const isNothing = (path: string) => getAt(body, path) === 0;
  const amounts = ['customs.totalGoodsValue', ...pathsOf('items[].unitPrice', body)].filter(isNothing);
  return [
    ...amounts.map(
      path => `${path} is 0: customs ask what goods are worth, also those of a gift or a sample`,
    ),
    ...pathsOf('items[].description', body).flatMap(path => {
      const text = textAt(body, path);
      return text === undefined || text.trim() === '' || /\p{Letter}(?:.*?\p{Letter}){2}/su.test(text)
        ? []
        : `${path} is ${shown(text)}, which says to no customs officer what it is: write it in words`;
    }),
  ];
}

const BOX =
  /\b(?:p\.? ?o\.? ?box|post office box|post(?:al)? box|postfach|postbus|postboks|bo[i\u00ee]te postale|b\.?p\.? ?\d+|apartado(?: de correos| postal)? ?\d+|casella postale|posta kutusu|skrytka pocztowa|caixa postal)\b/iu;

/** A post office box, which only a carrier that hands over to the post delivers to. `carriers`: of the international leg. */
export function boxWarnings(
  body: unknown,
  { economyCarriers }: RuleContext,
  carriers: readonly string[],
  mayBeEconomy: boolean,
): string[] {
  const courier = carriers.find(id => !economyCarriers.includes(id));
  if (courier === undefined) return [];
  return ['receiver.address.line1', 'receiver.address.line2'].flatMap(path => {
    const text = textAt(body, path);
    return text !== undefined && BOX.test(text)
      ? `${path} is ${shown(text)}, a post office box, to which ${courier} may not deliver: ask the receiver for a street${mayBeEconomy ? ', or book the economy carrier' : ''}`
      : [];
  });
}

function oddAmounts(body: unknown): string[] {
  const amounts = ['packages[].weight', 'packages[].quantity', 'items[].quantity'].flatMap(pattern =>
    pathsOf(pattern, body).map(path => ({ path, amount: getAt(body, path) })),
  );
  return amounts.flatMap(({ path, amount }) => {
    if (amount === 0) return `${path} is 0`;
    return /^packages.*quantity$/.test(path) && typeof amount === 'number' && !Number.isInteger(amount)
      ? `${path} is ${amount}, which is no whole number of pieces`
      : [];
  });
}

/** The document limits a proposal for documents to a quantity of 1, and does not say whether that is one in all. */
export function severalDocuments(body: unknown): string[] {
  const { length } = listAt(body, 'packages');
  return getAt(body, ['packageType']) === 'document' && length > 1
    ? [`packages has ${length} documents, and a proposal may be for one only: ask for each on its own`]
    : [];
}

// Most text, in a fraction of the time.
const PLAIN = /^[\0-\u024f]*$/;
const FOREIGN = /(?![\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}])\p{Letter}/u;

const hasForeignLetters = (text: string) => !PLAIN.test(text) && FOREIGN.test(text);

const ROUNDED = /^\d(?:[.,]\d+)?E\+\d+$/i;

const isRounded = (text: string) => text.includes('+') && ROUNDED.test(text.trim());

// `&#39;`, `&amp;`
const ENTITY = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,7});/i;

// `Y?ld?z`, as a spreadsheet writes letters that its encoding lacks, and no `www.example.com/a?b`.
const LOST = /(?<!\/\S*)\p{L}\?\p{L}|(?<!\S)\?\p{L}/u;

/** What is wrong with a text that was converted in the wrong way, and its cure. */
function damageIn(text: string): string | undefined {
  if (text.includes('&') && ENTITY.test(text))
    return 'has HTML entities: write the signs that they stand for, or read the column of a file with "transform": "html"';
  if (text.includes('\ufffd') || LOST.test(text)) return 'has lost letters: export it again, as UTF-8';
  const meant = readAgain(text);
  return meant === undefined
    ? undefined
    : `was read in the wrong encoding, and probably means ${shown(meant)}: correct it, or read the file as UTF-8, without --encoding`;
}

function oddTexts(body: unknown): string[] {
  const texts = textsIn(
    body,
    text => isRounded(text) || hasForeignLetters(text) || damageIn(text) !== undefined,
  );
  if (texts.length === 0) return [];
  return [
    // One warning for a party.
    ...PARTIES.flatMap(role => {
      const foreign = texts.filter(({ path, text }) => path[0] === role && hasForeignLetters(text));
      const paths = foreign.map(({ path }) => formatPath(path.slice(1))).join(', ');
      return foreign.length === 0
        ? []
        : `${role} has letters that are not Latin, which labels may not print, in ${paths}`;
    }),
    ...texts.flatMap(({ path, text }) => {
      const damage = damageIn(text);
      return damage === undefined ? [] : `${formatPath(path)} is ${shown(text)}, which ${damage}`;
    }),
    // Text such as 1.2E+11: the digits are lost.
    ...texts.flatMap(({ path, text }) =>
      isRounded(text)
        ? `${formatPath(path)} is ${JSON.stringify(text)}: a spreadsheet seems to have rounded a long number`
        : [],
    ),
  ];
}

/** Totals that are not the sum of their parts, and a chargeable weight below that of the packages: it belongs to other packages. */
function wrongSums(body: unknown): string[] {
  const warnings: string[] = [];
  let sum: Big | undefined = Big(0);
  for (const [index, item] of listAt(body, 'items').entries()) {
    const [quantity, unitPrice] = [numberAt(item, 'quantity'), numberAt(item, 'unitPrice')];
    const total = numberAt(item, 'totalPrice');
    sum = total === undefined ? undefined : sum?.plus(total);
    if (quantity === undefined || unitPrice === undefined || total === undefined) continue;
    const product = Big(quantity).times(unitPrice);
    if (!isSameMoney(product, total))
      warnings.push(`items[${index}].totalPrice is ${total}, but quantity × unitPrice is ${product}`);
  }
  const value = numberAt(body, 'customs.totalGoodsValue');
  if (value !== undefined && sum && !isSameMoney(sum, value))
    warnings.push(`customs.totalGoodsValue is ${value}, but the items add up to ${sum}`);
  const chargeable = numberAt(body, 'chargeableWeight');
  const weight = listAt(body, 'packages').reduce<Big>(
    (all, entry) => all.plus(Big(numberAt(entry, 'weight') ?? 0).times(numberAt(entry, 'quantity') ?? 0)),
    Big(0),
  );
  if (chargeable !== undefined && weight.gt(chargeable))
    warnings.push(`chargeableWeight is ${chargeable}, but the packages weigh ${weight} kg`);
  return warnings;
}

function numberAt(value: unknown, path: string): number | undefined {
  const found = getAt(value, path);
  return Number.isFinite(found) ? (found as number) : undefined;
}
