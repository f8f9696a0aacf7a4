// How a record that did not change is known again: by its text, and by all that holds for every record.
import { hash } from 'node:crypto';
import { isRecord } from '../../contract/paths.ts';
import { isSettable } from '../../order/profile-options.ts';
import type { BatchOptions, BatchRun } from './open.ts';

/** Options that may differ between the runs of one file, because they do not change what is sent. */
export const RUN_OPTIONS: readonly (keyof BatchOptions)[] = [
  ...(['results', 'failed', 'concurrency', 'rate', 'maxUnknown', 'skipInvalid', 'retryRejected'] as const),
  ...(['newJournal', 'maxOverpriced'] as const),
];

/** What holds for every record: the same text under other options is another record. */
export function termsOf<O extends object>({ desk, job, work, options, ofProfile, map }: BatchRun<O>): string {
  const others: readonly string[] = [...RUN_OPTIONS, ...(job.bounds ?? [])];
  return JSON.stringify([
    job.operation.command,
    // In one order, however it was typed; an option of the profile is as the flag.
    Object.entries({ ...ofProfile, ...options })
      .filter(([name, value]) => value !== undefined && value !== false && !others.includes(name))
      .sort(([one], [other]) => (one < other ? -1 : 1)),
    map,
    // The files that flags refer to may be changed between two runs, and so may `@small` of the profile.
    extraOf(work.extra),
    job.packages && desk.target().profile.parcels,
  ]);
}

/** Without the options that a profile may give: they are told above. */
const extraOf = (extra: unknown): unknown =>
  isRecord(extra) ? Object.fromEntries(Object.entries(extra).filter(([name]) => !isSettable(name))) : extra;

/** Identifies an unchanged record in the journal. */
export const sourceOf = (terms: string, text: string): string =>
  hash('sha256', `${terms}\n${text}`, 'base64');
