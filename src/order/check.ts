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
  isRecord,
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
import type { FieldDoubt, Message } from '../say/notices.ts';
import {
  type Doubt,
  type FieldProblem,
  type Likeness,
  leftOutProblem,
  problemWords,
  type ValueKind,
  withOption,
} from '../say/request.ts';
import { command, say, sentences, type Text } from '../say/sentence.ts';
import { shortened } from '../text.ts';
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
export interface CheckTerms {
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

/** Refuses a body that has issues. `hint`: what else would do. Throws `invalid_request`. */
export function refuseIssues(
  operation: Operation,
  issues: readonly Issue[],
  body: unknown,
  hint: Text = [],
): void {
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
export function findIssues(terms: CheckTerms, body: unknown, rules: RuleContext): Issue[] {
  const { operation, unresolved = [], allowUnknown = false, leftNumbers = [], numbers } = terms;
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
    flagFor: path => (isUndeclared(path) ? undefined : flagFor(terms, path)),
  }).map(issue => {
    const left = leftNumbers.find(({ name }) => numberPath(name) === issue.path);
    return left && !isUndeclared(issue.path)
      ? { ...issue, message: leftOutProblem(issue.message, left.because) }
      : withoutFalseAdvice(issue, body, numberLimits, numbers?.takes);
  });
}

/** The flag that sets a field: its own, else `--set`. An object without a flag is set by its fields. */
function flagFor({ operation, record, oneOf }: CheckTerms, path: string): string | undefined {
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
  more: readonly Message[] = [],
): Promise<void> {
  const doubts = doubtsOf(bodyOf(operation), body, await phonesFor(body));
  for (const warning of [...doubts, ...more]) await warn(warning);
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
    ...textsIn(body, text => !text.isWellFormed()).map(({ path }) =>
      issueAt(formatPath(path), { problem: 'half-letter' }),
    ),
    // Whether a label prints what is behind a line break nobody knows.
    ...textsIn(body, text => CONTROL.test(text)).flatMap(({ path, text }) =>
      [...PARTIES, 'items'].some(part => part === path[0])
        ? issueAt(formatPath(path), { problem: 'several-lines', given: text })
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
  const ofRules = broken.map(issue =>
    missing.has(issue)
      ? { ...issue, message: withOption(issue.message, options.flagFor?.(issue.path)) }
      : issue,
  );
  return [...ofShape, ...ofRules];
}

/** Postal codes that are there and blank, with the countries of their addresses. */
const emptyCodes = (schema: Schema, body: unknown) =>
  judgedFields(schema)
    .filter(([, means]) => means === 'postal code')
    .flatMap(([field]) => pathsOf(field.pattern, body).map(path => ({ field, path })))
    .filter(({ path }) => textAt(body, path)?.trim() === '')
    .map(({ field, path }) => ({ path, country: countryOf(field, path, body) ?? '' }));

const requiredCode = ({ path, country }: { path: string; country: string }): Issue =>
  issueAt(path, { problem: 'postal-code-missing', country, example: postalCodeExample(country) });

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
  const suggestion =
    typeof given === 'string' && field?.values ? nearest(given, Object.keys(field.values)) : undefined;
  return [issueAt(written, problemOf(fault, field, given), suggestion)];
}

/** What is missing at a path; for an object that no flag gives as a whole, the fields that it requires. */
function missingAt(path: Path, body: unknown, schema: Schema, options: ValidateOptions): Issue[] {
  const written = formatPath(path);
  const isObject = fieldAt(schema, path)?.kind === 'object' && typeof path.at(-1) === 'string';
  if (isObject && options.flagFor?.(written) === undefined) {
    const inside = lackedAt(schema, path).flatMap(lacked => missingAt(lacked, body, schema, options));
    if (inside.length > 0) return inside;
  }
  const [quantity, total] = ['quantity', 'totalPrice'].map(name => [...path.slice(0, -1), name]);
  // The total of no pieces has no price of one.
  if (
    path.at(-1) === 'unitPrice' &&
    quantity &&
    total &&
    getAt(body, quantity) === 0 &&
    getAt(body, total) !== undefined
  )
    return [issueAt(formatPath(quantity), { problem: 'no-pieces' })];
  const { values = {} } = fieldAt(schema, path) ?? {};
  const option = options.flagFor?.(written);
  return [issueAt(written, { problem: 'missing', choices: Object.keys(values), option })];
}

const issueAt = (path: string, problem: FieldProblem, suggestion?: string): Issue => ({
  path,
  message: problemWords(problem),
  ...(suggestion !== undefined && { suggestion }),
});

/** The fields that an object there requires, without those that are filled in. */
const lackedAt = (schema: Schema, path: Path): Path[] =>
  namesIn(schema, path)
    .map(name => [...path, name])
    .filter(inner => {
      const { required, assumed } = fieldAt(schema, inner) ?? {};
      return required === true && assumed === undefined;
    });

const patternOf = (path: Path): string => formatPath(path).replace(/\[\d+\]/g, '[]');

/** The names that an object there may have. */
function namesIn(schema: Schema, path: Path): string[] {
  const pattern = patternOf(path);
  const prefix = pattern === '' ? '' : `${pattern}.`;
  return fieldsOf(schema)
    .filter(field => field.pattern.startsWith(prefix))
    .map(field => field.pattern.slice(prefix.length))
    .filter(name => /^\w+$/.test(name));
}

function unknownField(path: Path, key: string, schema: Schema): Issue {
  const suggestion = nearest(key, namesIn(schema, path)) ?? elsewhere(path, key, schema);
  return issueAt(formatPath([...path, shortened(key)]), { problem: 'unknown' }, suggestion);
}

/** The only field with that name deeper in the object, or else in the body. */
function elsewhere(path: Path, name: string, schema: Schema): string | undefined {
  const fields = fieldsOf(schema).filter(({ pattern }) => pattern.endsWith(`.${name}`));
  const deeper = fields.filter(({ pattern }) => pattern.startsWith(`${patternOf(path)}.`));
  const [field, ...others] = deeper.length > 0 ? deeper : fields;
  return others.length === 0 ? field?.pattern.replaceAll('[]', '[0]') : undefined;
}

/** A country has a message of its own, and a choice has its values. */
const KINDS: Readonly<Record<Field['kind'], ValueKind>> = {
  text: 'text',
  number: 'number',
  boolean: 'boolean',
  country: 'text',
  choice: 'text',
  list: 'list',
  object: 'object',
  map: 'object',
};

function problemOf(fault: z.core.$ZodIssue, field: Field | undefined, given: unknown): FieldProblem {
  const { kind = 'text', values } = field ?? {};
  if (values) return { problem: 'other-value', choices: Object.keys(values), given };
  switch (fault.code) {
    case 'invalid_type':
      // Of `--set items.0.quantity=1`.
      if (kind === 'list' && isRecord(given) && /^\d+$/.test(Object.keys(given)[0] ?? ''))
        return {
          problem: 'list-with-dots',
          list: formatPath(fault.path),
          index: Number(Object.keys(given)[0]),
        };
      return { problem: 'other-kind', kind: kind === 'number' ? numberFor(given) : KINDS[kind], given };
    case 'too_small':
      return fault.origin === 'number' ? { problem: 'negative', given } : { problem: 'no-entry' };
    case 'invalid_key':
      return { problem: 'header-name' };
    case 'invalid_format':
      return typeof given === 'string' && given.trim() === ''
        ? { problem: 'empty' }
        : { problem: 'line-break', given };
    default:
      return { problem: 'not-valid', given };
  }
}

function numberFor(given: unknown): ValueKind {
  if (typeof given === 'number') return 'finite';
  if (typeof given !== 'string') return 'number';
  if (/^\s*[\d.]*,[\d.,]+\s*$/.test(given)) return 'with-dot';
  return /^\s*\d{16,}\s*$/.test(given) ? 'short' : 'number';
}

// What is probably a mistake in a body, although the service document allows it.

/** What reads phone numbers; loaded only for one that is not plain digits behind a plain code. */
export type Phones = typeof import('./phone.ts');

export const phonesFor = async (body: unknown): Promise<Phones | undefined> =>
  PHONES.some(paths => !isPlain(phoneIn(body, paths))) ? import('./phone.ts') : undefined;

/** What is probably a mistake, although the service document allows it. `phones`: of `phonesFor` this body. */
export const doubtsOf = (schema: Schema, body: unknown, phones: Phones | undefined): FieldDoubt[] => [
  ...wrongSums(body),
  ...unlikely(schema, body, phones),
  ...withoutCode(schema, body),
  ...oddAmounts(body),
  ...oddGoods(body),
  ...severalDocuments(body),
  ...oddTexts(body),
];

export const doubtAt = (path: string, doubt: Doubt): FieldDoubt => ({
  kind: 'field-doubtful',
  path,
  ...doubt,
});

const withoutCode = (schema: Schema, body: unknown): FieldDoubt[] =>
  emptyCodes(schema, body)
    .filter(({ country }) => !needsPostalCode(country) && !hasNoPostalCodes(country))
    .map(({ path, country }) => doubtAt(path, { doubt: 'no-postal-code', country }));

/** What a text of that meaning should look like; `undefined` if it does. `country`: of the place that the text belongs to. */
type Judge = (text: string, country: string | undefined) => Likeness | undefined;

const shaped =
  (shape: RegExp, like: 'e-mail-address' | 'short-address' | 'ioss-number' | 'hs-code'): Judge =>
  text =>
    shape.test(text.trim()) ? undefined : { like };

const shortAddress = shaped(/^[a-z]{4}\s*\d{4}$/i, 'short-address');

/** What a customs office or a carrier accepts; of a country the document says it, where it matters. */
const JUDGES: Readonly<Record<Exclude<Meaning, 'phone number'>, Judge>> = {
  'e-mail address': shaped(/^[^\s@]+@[^\s@]+\.[^\s@]+$/, 'e-mail-address'),
  'dialling code': text => (isDiallingCode(text) ? undefined : { like: 'dialling-code' }),
  'postal code': (text, country) => {
    if (isPostalCode(text, country)) return undefined;
    const isUsual = hasNoPostalCodes(country);
    const example = isUsual ? NO_POSTAL_CODE : (postalCodeExample(country) ?? '10115');
    return { like: 'postal-code', example, isUsual };
  },
  'short address': (text, country) => (country === 'SA' ? shortAddress(text, country) : undefined),
  currency: text => (CURRENCIES.has(text) ? undefined : { like: 'currency' }),
  country: text =>
    COUNTRIES.has(text.trim().toUpperCase())
      ? undefined
      : { like: 'country', meant: countryFault(text).suggestion },
  'IOSS number': shaped(/^IM\d{10}$/i, 'ioss-number'),
  // Of an odd number of digits a spreadsheet has taken the zero in front: coffee would be a clock.
  'HS code': shaped(/^(?:(?:\d[.\s]*){2}){3,6}$/, 'hs-code'),
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
function unlikely(schema: Schema, body: unknown, phones: Phones | undefined): FieldDoubt[] {
  const doubts: FieldDoubt[] = [];
  for (const [field, means] of judgedFields(schema)) {
    for (const path of pathsOf(field.pattern, body)) {
      const text = textAt(body, path);
      // A spreadsheet's number has its own warning.
      if (text === undefined || text.trim() === '' || isRounded(text)) continue;
      const wanted =
        means === 'phone number'
          ? phones && judgePhone(text, phoneAt(path, body), phones)
          : JUDGES[means](text, countryOf(field, path, body));
      if (wanted !== undefined) doubts.push(doubtAt(path, { doubt: 'unlike', text, ...wanted }));
    }
  }
  return doubts;
}

/** A number behind its dialling code may be written in any usual way. */
function judgePhone(text: string, phone: ReturnType<typeof phoneAt>, phones: Phones): Likeness | undefined {
  const code = phone.code === undefined ? undefined : normalCode(phone.code);
  // A dialling code that is none has its own warning; some have digits of the number.
  const isKnown = /^\+\d{1,3}$/.test(code ?? '+1') && isDiallingCode(code ?? '+1');
  if (isPlain(phone) || !isKnown) return undefined;
  const read = phones.readPhone(text, phone);
  const isRepeated = /^\s*(\+|00)/.test(text);
  const isLikely = typeof read !== 'string' && read.isPossible && (code ?? read.code) === read.code;
  return isLikely && !isRepeated ? undefined : { like: 'phone-number', example: phones.phoneExample(phone) };
}

/** What customs do not believe, or cannot read. */
function oddGoods(body: unknown): FieldDoubt[] {
  const isNothing = (path: string) => getAt(body, path) === 0;
  const amounts = ['customs.totalGoodsValue', ...pathsOf('items[].unitPrice', body)].filter(isNothing);
  return [
    ...amounts.map(path => doubtAt(path, { doubt: 'worthless' })),
    ...pathsOf('items[].description', body).flatMap(path => {
      const text = textAt(body, path);
      return text === undefined || text.trim() === '' || /\p{Letter}(?:.*?\p{Letter}){2}/su.test(text)
        ? []
        : doubtAt(path, { doubt: 'no-words', text });
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
): FieldDoubt[] {
  const courier = carriers.find(id => !economyCarriers.includes(id));
  if (courier === undefined) return [];
  return ['receiver.address.line1', 'receiver.address.line2'].flatMap(path => {
    const text = textAt(body, path);
    return text !== undefined && BOX.test(text)
      ? doubtAt(path, { doubt: 'post-box', text, carrier: courier, mayBeEconomy })
      : [];
  });
}

function oddAmounts(body: unknown): FieldDoubt[] {
  const amounts = ['packages[].weight', 'packages[].quantity', 'items[].quantity'].flatMap(pattern =>
    pathsOf(pattern, body).map(path => ({ path, amount: getAt(body, path) })),
  );
  return amounts.flatMap(({ path, amount }) => {
    if (amount === 0) return doubtAt(path, { doubt: 'zero' });
    return /^packages.*quantity$/.test(path) && typeof amount === 'number' && !Number.isInteger(amount)
      ? doubtAt(path, { doubt: 'part-of-piece', amount })
      : [];
  });
}

/** The document limits a proposal for documents to a quantity of 1, and does not say whether that is one in all. */
export function severalDocuments(body: unknown): FieldDoubt[] {
  const { length: count } = listAt(body, 'packages');
  return getAt(body, ['packageType']) === 'document' && count > 1
    ? [doubtAt('packages', { doubt: 'several-documents', count })]
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

/** What is wrong with a text that was converted in the wrong way. */
function damageIn(text: string): Doubt | undefined {
  if (text.includes('&') && ENTITY.test(text)) return { doubt: 'entities', text };
  if (text.includes('\ufffd') || LOST.test(text)) return { doubt: 'letters-lost', text };
  const meant = readAgain(text);
  return meant === undefined ? undefined : { doubt: 'misread', text, meant };
}

function oddTexts(body: unknown): FieldDoubt[] {
  const texts = textsIn(
    body,
    text => isRounded(text) || hasForeignLetters(text) || damageIn(text) !== undefined,
  );
  if (texts.length === 0) return [];
  return [
    // One warning for a party.
    ...PARTIES.flatMap(role => {
      const foreign = texts.filter(({ path, text }) => path[0] === role && hasForeignLetters(text));
      const fields = foreign.map(({ path }) => formatPath(path.slice(1)));
      return fields.length === 0 ? [] : doubtAt(role, { doubt: 'foreign-letters', fields });
    }),
    ...texts.flatMap(({ path, text }) => {
      const damage = damageIn(text);
      return damage === undefined ? [] : doubtAt(formatPath(path), damage);
    }),
    // Text such as 1.2E+11: the digits are lost.
    ...texts.flatMap(({ path, text }) =>
      isRounded(text) ? doubtAt(formatPath(path), { doubt: 'digits-lost', text }) : [],
    ),
  ];
}

/** Totals that are not the sum of their parts, and a chargeable weight below that of the packages: it belongs to other packages. */
function wrongSums(body: unknown): FieldDoubt[] {
  const doubts: FieldDoubt[] = [];
  const add = (path: string, doubt: 'other-product' | 'other-sum' | 'too-light', amount: number, sum: Big) =>
    doubts.push(doubtAt(path, { doubt, amount, sum: String(sum) }));
  let sum: Big | undefined = Big(0);
  for (const [index, item] of listAt(body, 'items').entries()) {
    const [quantity, unitPrice] = [numberAt(item, 'quantity'), numberAt(item, 'unitPrice')];
    const total = numberAt(item, 'totalPrice');
    sum = total === undefined ? undefined : sum?.plus(total);
    if (quantity === undefined || unitPrice === undefined || total === undefined) continue;
    const product = Big(quantity).times(unitPrice);
    if (!isSameMoney(product, total)) add(`items[${index}].totalPrice`, 'other-product', total, product);
  }
  const value = numberAt(body, 'customs.totalGoodsValue');
  if (value !== undefined && sum && !isSameMoney(sum, value))
    add('customs.totalGoodsValue', 'other-sum', value, sum);
  const chargeable = numberAt(body, 'chargeableWeight');
  const weight = listAt(body, 'packages').reduce<Big>(
    (all, entry) => all.plus(Big(numberAt(entry, 'weight') ?? 0).times(numberAt(entry, 'quantity') ?? 0)),
    Big(0),
  );
  if (chargeable !== undefined && weight.gt(chargeable))
    add('chargeableWeight', 'too-light', chargeable, weight);
  return doubts;
}

function numberAt(value: unknown, path: string): number | undefined {
  const found = getAt(value, path);
  return Number.isFinite(found) ? (found as number) : undefined;
}
