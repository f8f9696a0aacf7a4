// What is wrong with a body, and the flag that corrects it.
import { fieldAt } from '../contract/fields.ts';
import { bodyOf, type Issue, type RuleContext, typedName } from '../contract/operation.ts';
import type { Operation } from '../contract/operations.ts';
import { getAt, parsePath, setAt } from '../contract/paths.ts';
import { Failure } from '../errors.ts';
import { flagName } from '../orders/flags.ts';
import type { Diagnostics } from '../output/diagnostics.ts';
import { missingIn, validate } from '../request/validate.ts';
import { phonesFor, warningsOf } from '../request/warnings.ts';

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
export async function warnOf(
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
