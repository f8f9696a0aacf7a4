// What is wrong with a body, and the flag that corrects it.
import type * as z from 'zod/mini';
import { countryFault } from '../contract/country-names.ts';
import { bodyOf, type Operation, type RuleContext, typedName } from '../contract/operations.ts';
import { formatPath, getAt, type Path, parsePath, setAt, textAt, textsIn } from '../contract/paths.ts';
import { type Field, fieldAt, fieldsOf, type Issue, type Schema } from '../contract/shapes.ts';
import { Failure } from '../errors.ts';
import { nearest } from '../nearest.ts';
import type { Diagnostics } from '../output/print.ts';
import { shortened, shown } from '../text.ts';
import { hasNoPostalCodes, NO_POSTAL_CODE } from './complete.ts';
import { flagName } from './options.ts';
import { phonesFor, warningsOf } from './warnings.ts';

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
}

/** Refuses a body with issues. `consequence` ends the message. Throws `invalid_request`. */
export function refuseIssues(
  checked: Checked,
  body: unknown,
  rules: RuleContext,
  consequence = 'nothing was sent',
): void {
  const { operation } = checked;
  const issues = findIssues(checked, body, rules);
  if (issues.length === 0) return;
  const count = issues.length === 1 ? '1 problem' : `${issues.length} problems`;
  const example =
    missingIn(issues, body).length > 0
      ? `. \`waybill schema ${operation.command} --example\` prints a complete request`
      : '';
  throw new Failure(
    'invalid_request',
    `${typedName(operation)}: the request has ${count}; ${consequence}${example}`,
    { operation: operation.command, issues },
  );
}

/** Every issue of a body, except those that a proposal resolves. */
export function findIssues(checked: Checked, body: unknown, rules: RuleContext): Issue[] {
  const { operation, unresolved = [], allowUnknown = false } = checked;
  const filled = unresolved.reduce((target: unknown, written) => {
    const path = parsePath(written) ?? [];
    if (getAt(target, path) !== undefined) return target;
    return setAt(target, path, fieldAt(bodyOf(operation), path)?.kind === 'number' ? 0 : '?');
  }, body);
  return validate(operation, filled, { rules, allowUnknown, flagFor: path => flagFor(checked, path) });
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
export function refuseWarnings(
  { warnings }: Pick<Diagnostics, 'warnings'>,
  operation: Operation,
  consequence: string,
): void {
  if (warnings.length === 0) return;
  throw new Failure(
    'invalid_request',
    `${typedName(operation)}: there were warnings, and --strict makes them errors; ${consequence}`,
    {
      operation: operation.command,
      issues: warnings.map(message => ({ path: '', message })),
    },
  );
}

type Fault = z.core.$ZodIssue;

interface ValidateOptions {
  rules: RuleContext;
  /** Accepts fields that are not in the document. */
  allowUnknown: boolean;
  /** The flag that gives a field, for messages about missing ones; '' is the body as a whole. */
  flagFor?(path: string): string | undefined;
}

/** Every issue of the body, in the order of the document, with the nearest valid value if there is one. */
export function validate(
  operation: Pick<Operation, 'body' | 'rules'>,
  body: unknown,
  options: ValidateOptions,
): Issue[] {
  const { body: schema } = operation;
  if (schema === undefined) return [];
  const shape = faultsIn(schema, body)
    .filter(fault => !(options.allowUnknown && fault.code === 'unrecognized_keys'))
    .flatMap(fault => issuesFor(fault, body, schema, options));
  const ofShape = [...shape, ...brokenTexts(body)];
  const paths = new Set(ofShape.map(issue => issue.path));
  const broken = operation.rules
    .flatMap(rule => rule.check(body, options.rules))
    .filter(issue => !paths.has(issue.path));
  const missing = new Set(missingIn(broken, body));
  return [...ofShape, ...broken.map(issue => (missing.has(issue) ? withFlag(issue, options) : issue))];
}

/** The texts with half of a surrogate pair: they have no bytes, so that two different ids would be the same. */
const brokenTexts = (body: unknown): Issue[] =>
  textsIn(body, text => !text.isWellFormed()).map(({ path }) => ({
    path: formatPath(path),
    message: 'is not text: it has half of a surrogate pair; write it again',
  }));

/** The issues whose path has no value in the body, or blank text; an issue of the body itself counts, too. */
export function missingIn(issues: readonly Issue[], body: unknown): Issue[] {
  return issues.filter(({ path }) => {
    const value = path === '' ? undefined : getAt(body, path);
    return value === undefined || (typeof value === 'string' && value.trim() === '');
  });
}

const faultsIn = (schema: Schema, body: unknown): readonly Fault[] =>
  schema.safeParse(body).error?.issues ?? [];

function issuesFor(fault: Fault, body: unknown, schema: Schema, options: ValidateOptions): Issue[] {
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
  return [
    withFlag({ path: written, message: `is required${choices}${withoutCode(written, body)}` }, options),
  ];
}

/** The service wants a postal code of every address, and some countries have none. */
function withoutCode(path: string, body: unknown): string {
  if (!path.endsWith('address.zipCode')) return '';
  const country = textAt(body, path.replace('zipCode', 'country.code'));
  return hasNoPostalCodes(country)
    ? `: the service takes any text, and ${NO_POSTAL_CODE} where there are no postal codes, as in ${country}`
    : '';
}

/** `package or document`; none of a long list. */
function oneOf(values: readonly string[]): string {
  return `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;
}

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

function messageFor(fault: Fault, field: Field | undefined, given: unknown): string {
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
