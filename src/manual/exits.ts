import { FAILURES, type FailureCode } from '../errors.ts';
import type { Row } from './document.ts';
import type { Page } from './page.ts';

/** Codes with their sentences: a command's own where it has one. */
export const exitRows = (codes: readonly FailureCode[], own: Page['exits'] = {}): Row[] => [
  ['0', 'done'],
  ...codes.map(
    (code): Row => [
      `${String(FAILURES[code].exit).padEnd(5)}${code}`,
      own[code] ?? FAILURES[code].description,
    ],
  ),
];

/** Every code that there is. */
export const allExitRows = (): Row[] => exitRows(Object.keys(FAILURES) as FailureCode[]);
