import type { Issue } from '../contract/operation.ts';
import type { Failure } from '../errors.ts';
import type { Look } from './look.ts';
import { safe, safeJson, safeLines } from './safe.ts';

/** A failure for a person: a paragraph, then a line for each issue. */
export function failureText({ message, facts }: Failure, look: Look): string {
  const lines = (facts.issues ?? []).map(issue => `  ${issueText(issue)}`);
  return [`${look.red('error:')} ${safeLines(message)}`, ...lines].join('\n');
}

/** A failure for a program: one line, every field always there. */
export function failureJson({ code, exitCode, message, facts }: Failure): string {
  const { operation = null, httpStatus = null, issues = [], booking = null, body = null } = facts;
  return safeJson({ error: { code, exitCode, message, operation, httpStatus, issues, booking, body } });
}

function issueText({ path, message, suggestion }: Issue): string {
  const hint = suggestion === undefined ? '' : ` (did you mean ${suggestion}?)`;
  return safe(`${path === '' ? '' : `${path}  `}${message}${hint}`);
}
