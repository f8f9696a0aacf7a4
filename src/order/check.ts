// What is wrong with a body, and the flag that corrects it. Probable mistakes are in doubts.ts.
import type * as z from 'zod/mini';
import { countryFault } from '../contract/country-names.ts';
import { bodyOf, type Operation, type RuleContext } from '../contract/operations.ts';
import { formatPath, getAt, isRecord, type Path, parsePath, setAt, textsIn } from '../contract/paths.ts';
import { type Field, fieldAt, fieldsOf, type Issue, type Schema } from '../contract/shapes.ts';
import { PARTIES } from '../contract/shipments.ts';
import { Failure } from '../errors.ts';
import { nearest } from '../nearest.ts';
import type { Diagnostics } from '../output/print.ts';
import {
  type FieldProblem,
  leftOutProblem,
  problemWords,
  type ValueKind,
  withOption,
} from '../say/request.ts';
import { command, say, sentences, type Text } from '../say/sentence.ts';
import { shortened } from '../text.ts';
import { emptyCodes } from './doubts.ts';
import {
  type LeftNumber,
  numberPath,
  type RecordNumbers,
  whyUndeclared,
  withoutFalseAdvice,
} from './numbers.ts';
import { flagName } from './options.ts';
import { needsPostalCode, postalCodeExample } from './postal-codes.ts';

/** A check of a body, and what it depends on. */
export interface CheckTerms {
  operation: Operation;
  /** Paths that a proposal fills in later: they may be missing. */
  unresolved?: readonly string[];
  /** Are fields allowed that the service document does not name? */
  allowUnknown?: boolean | undefined;
  /** The flags of which one must be given to have a body at all. */
  oneOf?: string;
  /** The record, if the body is that of a batch: a flag would correct every record. */
  record?: unknown;
  /** Customs numbers that were left out, because they do not hold for the order. */
  leftNumbers?: readonly LeftNumber[] | undefined;
  /** Which customs numbers the order may get. */
  numbers?: RecordNumbers | undefined;
}

/** Refuses a body that has issues. `hint`: what else the user can do. Throws `invalid_request`. */
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

/** Every issue of a body, except missing fields that a proposal fills in later. */
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

/** The flag that sets a field: the flag of the field, else `--set`. None for an object without a flag, which is set by its fields. */
function flagFor(terms: CheckTerms, path: string): string | undefined {
  const { operation, record, oneOf } = terms;
  if (path === '') return record === undefined ? oneOf : undefined;
  const { flag, kind } = fieldAt(bodyOf(operation), parsePath(path) ?? []) ?? {};
  if (flag !== undefined) return flagName(flag);
  // `--set` would set the field of every record of a batch.
  if (kind === undefined || kind === 'object' || record !== undefined) return undefined;
  return `--set ${path.includes('[') ? `'${path}=VALUE'` : `${path}=VALUE`}`;
}

/** With `--strict` a warning is an error. Throws `invalid_request`. */
export function refuseWarnings(diagnostics: Pick<Diagnostics, 'warnings'>, operation: Operation): void {
  if (diagnostics.warnings.length === 0) return;
  throw new Failure(
    'invalid_request',
    { kind: 'warnings-refused', operation: operation.command },
    { operation: operation.command, issues: diagnostics.warnings.map(message => ({ path: '', message })) },
  );
}

const CONTROL = /[\p{Cc}\u2028\u2029]/u;

interface ValidateOptions {
  rules: RuleContext;
  /** Are fields allowed that the service document does not name? */
  allowUnknown: boolean;
  /** The flag that gives a field, for messages about missing fields. The path '' is that of the whole body. */
  flagFor?(path: string): string | undefined;
}

/** Every issue of the body, in the order of the document, with the nearest valid value if there is one. */
export function validate(
  operation: Pick<Operation, 'body' | 'rules'>,
  body: unknown,
  options: ValidateOptions,
): Issue[] {
  const { body: schema, rules } = operation;
  if (schema === undefined) return [];
  const faults = schema.safeParse(body).error?.issues ?? [];
  const ofShape = [
    ...faults
      .filter(fault => !(options.allowUnknown && fault.code === 'unrecognized_keys'))
      .flatMap(fault => issuesFor(fault, body, schema, options)),
    // Half of a surrogate pair has no bytes of its own: two different ids would be sent as the same.
    ...textsIn(body, text => !text.isWellFormed()).map(({ path }) =>
      issueAt(formatPath(path), { problem: 'half-letter' }),
    ),
    // Nobody knows whether a label prints what follows a line break.
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

const requiredCode = (missing: { path: string; country: string }): Issue =>
  issueAt(missing.path, {
    problem: 'postal-code-missing',
    country: missing.country,
    example: postalCodeExample(missing.country),
  });

/** The issues whose path has no value in the body, or blank text. An issue of the whole body counts, too. */
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
  const value = getAt(body, path);
  const field = fieldAt(schema, path);
  if (value === undefined) return missingAt(path, body, schema, options);
  if (field?.kind === 'country') return [{ path: written, ...countryFault(value) }];
  const suggestion =
    typeof value === 'string' && field?.values ? nearest(value, Object.keys(field.values)) : undefined;
  return [issueAt(written, fieldProblem(fault, field, value), suggestion)];
}

/** What is missing at a path; for an object that no flag gives as a whole, the fields that it requires. */
function missingAt(path: Path, body: unknown, schema: Schema, options: ValidateOptions): Issue[] {
  const written = formatPath(path);
  const isObject = fieldAt(schema, path)?.kind === 'object' && typeof path.at(-1) === 'string';
  if (isObject && options.flagFor?.(written) === undefined) {
    const inside = requiredFieldsAt(schema, path).flatMap(field => missingAt(field, body, schema, options));
    if (inside.length > 0) return inside;
  }
  const [quantity, total] = ['quantity', 'totalPrice'].map(name => [...path.slice(0, -1), name]);
  // With 0 pieces, a total gives no price of one piece.
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

/** The fields that an object at this path requires, without those that have a default. */
const requiredFieldsAt = (schema: Schema, path: Path): Path[] =>
  fieldNamesAt(schema, path)
    .map(name => [...path, name])
    .filter(inner => {
      const { required, assumed } = fieldAt(schema, inner) ?? {};
      return required === true && assumed === undefined;
    });

const fieldPattern = (path: Path): string => formatPath(path).replace(/\[\d+\]/g, '[]');

/** The names that the fields of an object at this path may have. */
function fieldNamesAt(schema: Schema, path: Path): string[] {
  const pattern = fieldPattern(path);
  const prefix = pattern === '' ? '' : `${pattern}.`;
  return fieldsOf(schema)
    .filter(field => field.pattern.startsWith(prefix))
    .map(field => field.pattern.slice(prefix.length))
    .filter(name => /^\w+$/.test(name));
}

function unknownField(path: Path, key: string, schema: Schema): Issue {
  const suggestion = nearest(key, fieldNamesAt(schema, path)) ?? elsewhere(path, key, schema);
  return issueAt(formatPath([...path, shortened(key)]), { problem: 'unknown' }, suggestion);
}

/** The only field with that name: deeper in the object, or else anywhere in the body. */
function elsewhere(path: Path, name: string, schema: Schema): string | undefined {
  const fields = fieldsOf(schema).filter(({ pattern }) => pattern.endsWith(`.${name}`));
  const deeper = fields.filter(({ pattern }) => pattern.startsWith(`${fieldPattern(path)}.`));
  const [field, ...others] = deeper.length > 0 ? deeper : fields;
  return others.length === 0 ? field?.pattern.replaceAll('[]', '[0]') : undefined;
}

/** What a message calls each kind of field. A country has a message of its own; for a choice, its values are named. */
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

function fieldProblem(fault: z.core.$ZodIssue, field: Field | undefined, value: unknown): FieldProblem {
  const { kind = 'text', values } = field ?? {};
  if (values) return { problem: 'other-value', choices: Object.keys(values), given: value };
  switch (fault.code) {
    case 'invalid_type':
      // `--set items.0.quantity=1` has made an object of the list.
      if (kind === 'list' && isRecord(value) && /^\d+$/.test(Object.keys(value)[0] ?? ''))
        return {
          problem: 'list-with-dots',
          list: formatPath(fault.path),
          index: Number(Object.keys(value)[0]),
        };
      return {
        problem: 'other-kind',
        kind: kind === 'number' ? numberFor(value) : KINDS[kind],
        given: value,
      };
    case 'too_small':
      return fault.origin === 'number' ? { problem: 'negative', given: value } : { problem: 'no-entry' };
    case 'invalid_key':
      return { problem: 'header-name' };
    case 'invalid_format':
      return typeof value === 'string' && value.trim() === ''
        ? { problem: 'empty' }
        : { problem: 'line-break', given: value };
    default:
      return { problem: 'not-valid', given: value };
  }
}

function numberFor(value: unknown): ValueKind {
  if (typeof value === 'number') return 'finite';
  if (typeof value !== 'string') return 'number';
  if (/^\s*[\d.]*,[\d.,]+\s*$/.test(value)) return 'with-dot';
  return /^\s*\d{16,}\s*$/.test(value) ? 'short' : 'number';
}
