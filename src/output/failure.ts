import type { Issue } from '../contract/operation.ts';
import type { Failure } from '../errors.ts';
import type { ErrorLine } from '../schemas.ts';
import type { Look } from './look.ts';
import { paragraph } from './paragraph.ts';
import { safe, safeLines } from './safe.ts';

/** A failure for a person: a paragraph, then a line for each issue. */
export async function failureText({ message, facts }: Failure, look: Look): Promise<string> {
  const sentence = await labelled(look, 'error:', look.red, message);
  const issues = (facts.issues ?? []).map(issue => paragraph(look, issueText(issue), '  '));
  return [sentence, ...(await Promise.all(issues))].join('\n');
}

/** A message behind a coloured label. */
export async function labelled(look: Look, label: string, paint: Look['red'], text: string): Promise<string> {
  const lines = await paragraph(look, `${label} ${safeLines(text)}`);
  return paint(label) + lines.slice(label.length);
}

/** A failure for a program: every field is always there, but for when to try again. */
export function failureJson({ code, exitCode, message, facts }: Failure): ErrorLine {
  const { operation = null, httpStatus = null, issues = [], booking = null, body = null } = facts;
  const error = { code, exitCode, message, operation, httpStatus, issues: [...issues], booking, body };
  const { retryAt } = facts;
  return { error: retryAt === undefined ? error : { ...error, retry: 'later', retryAt } };
}

function issueText({ path, message, suggestion }: Issue): string {
  const hint = suggestion === undefined ? '' : ` (did you mean ${suggestion}?)`;
  return safe(`${path === '' ? '' : `${path}  `}${message}${hint}`);
}
