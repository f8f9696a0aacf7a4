import { FAILURES, type FailureCode } from '../errors.ts';
import type { Definition, Section } from './document.ts';
import type { Page } from './page.ts';

/** The codes with their descriptions: that of the command itself if it has one. */
export const exitRows = (codes: readonly FailureCode[], own: Page['exits'] = {}): Definition[] => [
  ['0', 'done'],
  ...codes.map(
    (code): Definition => [
      `${String(FAILURES[code].exit).padEnd(5)}${code}`,
      own[code] ?? FAILURES[code].description,
    ],
  ),
];

/** The table of all exit codes. */
export const exitTable = (): Section => ({
  title: 'Exit codes, and the "code" of errors in JSON',
  blocks: [{ rows: exitRows(Object.keys(FAILURES) as FailureCode[]) }],
});
