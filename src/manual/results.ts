import { OPERATIONS, type Operation } from '../contract/operations.ts';
import { FAILURES, type FailureCode } from '../errors.ts';
import type { Definition, Section } from './document.ts';
import { exitRows } from './exits.ts';
import type { Page } from './page.ts';

/** Every failure that a command can end with, in the order of the exit table. */
export function failuresOf({ asks = [], exits = {}, output }: Page): FailureCode[] {
  const operations: Operation[] = asks.map(id => OPERATIONS[id]);
  const applies: Record<(typeof FAILURES)[FailureCode]['of'], boolean> = {
    all: true,
    service: operations.length > 0,
    body: operations.some(({ body }) => body),
    'no sandbox': operations.some(({ sandbox }) => !sandbox),
    booking: operations.some(({ books }) => books),
    result: output?.json !== undefined,
    page: false,
  };
  return (Object.keys(FAILURES) as FailureCode[]).filter(code => code in exits || applies[FAILURES[code].of]);
}

/** The sections of a page after its options. */
export function resultSections(page: Page): Section[] {
  const { output, exits, more = [] } = page;
  if (output === undefined) return [...more];
  const { table, quiet, json } = output;
  const rows: Definition[] = [['table', table]];
  if (quiet !== undefined) rows.push(['-q', quiet]);
  if (json !== undefined) rows.push(['--json', json]);
  return [
    { title: 'Output', blocks: [{ rows }] },
    { title: 'Exit codes', blocks: [{ rows: exitRows(failuresOf(page), { partial: UNFIT, ...exits }) }] },
    ...more,
  ];
}

const UNFIT = 'the work is done, but --query does not fit the result';
