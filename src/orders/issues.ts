// What is wrong with a body, and the flag that corrects it.
import { fieldAt } from '../contract/fields.ts';
import { bodyOf, type Issue, type Schema, typedName } from '../contract/operation.ts';
import type { Operation } from '../contract/operations.ts';
import { getAt, parsePath, setAt } from '../contract/paths.ts';
import { Failure } from '../errors.ts';
import { missingIn, validate } from '../request/validate.ts';
import { phonesFor, warningsOf } from '../request/warnings.ts';
import { onLoopback } from '../session/address.ts';
import type { Session } from '../session/session.ts';
import { flagName } from './flags.ts';
import type { RequestParts } from './request-command.ts';

/** Refuses a body with issues. `consequence` ends the message. Throws `invalid_request`. */
export function refuseIssues(
  session: Session,
  parts: RequestParts,
  body: unknown,
  consequence = 'nothing was sent',
): void {
  const { operation } = parts;
  const issues = findIssues(session, parts, body);
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
export function findIssues(session: Session, parts: RequestParts, body: unknown): Issue[] {
  const { operation, otherOptions, unresolved = [] } = parts;
  const filled = unresolved.reduce((target: unknown, written) => {
    const path = parsePath(written) ?? [];
    if (getAt(target, path) !== undefined) return target;
    return setAt(target, path, fieldAt(operation.body as Schema, path)?.kind === 'number' ? 0 : '?');
  }, body);
  return validate(operation, filled, {
    rules: { economyCarriers: session.economyCarriers(), serviceOnLoopback: onLoopback(session.target()) },
    allowUnknown: otherOptions.allowUnknown === true,
    flagFor: path => flagFor(parts, path),
  });
}

/** The flag that sets a field: its own, else `--set`. An object without a flag is set by its fields. */
function flagFor({ operation, record, oneOf }: RequestParts, path: string): string | undefined {
  if (path === '') return record === undefined ? oneOf : undefined;
  const { flag, kind } = fieldAt(bodyOf(operation), parsePath(path) ?? []) ?? {};
  if (flag !== undefined) return flagName(flag);
  // `--set` would set the field of every record of a batch.
  if (kind === undefined || kind === 'object' || record !== undefined) return undefined;
  return `--set ${path.includes('[') ? `'${path}=VALUE'` : `${path}=VALUE`}`;
}

/** Warns of what is probably a mistake. */
export async function warnOf(
  session: Session,
  { operation, warnings }: RequestParts,
  body: unknown,
): Promise<void> {
  const found = warningsOf(bodyOf(operation), body, await phonesFor(body));
  for (const warning of [...found, ...(warnings?.(body) ?? [])]) await session.printer.warn(warning);
}

/** With `--strict` a warning is an error. Throws `invalid_request`. */
export function refuseWarnings({ printer }: Session, operation: Operation, consequence: string): void {
  if (printer.warnings.length === 0) return;
  throw new Failure(
    'invalid_request',
    `${typedName(operation)}: there were warnings, and --strict makes them errors; ${consequence}`,
    {
      operation: operation.command,
      issues: printer.warnings.map(message => ({ path: '', message })),
    },
  );
}
