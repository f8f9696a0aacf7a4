import { OPERATIONS, type Operation } from '../contract/operations.ts';
import { FAILURES, type FailureCode } from '../errors.ts';
import type { Definition, Section } from './document.ts';
import { exitRows } from './exits.ts';
import type { Page } from './page.ts';

const ANYWHERE: readonly FailureCode[] = ['internal', 'usage', 'storage', 'interrupted'];
const ASKING: readonly FailureCode[] = [
  'unauthorized',
  'not_found',
  'rejected',
  'rate_limited',
  'unavailable',
];
const BOOKING: readonly FailureCode[] = ['duplicate', 'outcome_unknown'];

/** Every failure that a command can end with, in the order of the exit table. */
export function failuresOf({ asks = [], exits = {}, output }: Page): FailureCode[] {
  const operations: Operation[] = asks.map(id => OPERATIONS[id]);
  const given = Object.keys(exits) as FailureCode[];
  const possible = new Set<FailureCode>([
    ...ANYWHERE,
    ...given,
    ...(operations.length > 0 ? ASKING : []),
    ...(operations.some(({ body }) => body) ? (['invalid_request'] as const) : []),
    ...(operations.some(({ sandbox }) => !sandbox) ? (['sandbox_unavailable'] as const) : []),
    ...(operations.some(({ books }) => books) ? BOOKING : []),
    ...(output?.json === undefined ? [] : (['partial'] as const)),
  ]);
  return (Object.keys(FAILURES) as FailureCode[]).filter(code => possible.has(code));
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
