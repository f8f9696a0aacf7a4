// How a record that did not change is known again: by its text, and by all that holds for every record.
import { hash } from 'node:crypto';
import type { BatchOptions, BatchRun } from './open.ts';

export interface Terms {
  /** What holds for every record: the same text under other options is another record. */
  terms: string;
  /** As versions up to 0.1 had it, if there are bounds: with them. */
  formerTerms: string | undefined;
}

/** Options that may differ between the runs of one file, because they do not change what is sent. */
export const RUN_OPTIONS: readonly (keyof BatchOptions)[] = [
  ...(['results', 'failed', 'concurrency', 'rate', 'maxUnknown', 'skipInvalid', 'retryRejected'] as const),
  ...(['newJournal', 'maxOverpriced'] as const),
];

export function termsOf<O extends object>({ session, job, work, options, map }: BatchRun<O>): Terms {
  const { bounds = [] } = job;
  const without = (names: readonly string[]) =>
    JSON.stringify([
      job.operation.command,
      Object.fromEntries(Object.entries(options).filter(([name]) => !names.includes(name))),
      map,
      // The files that flags refer to may be changed between two runs, and so may `@small` of the profile.
      work.extra,
      job.packages && session.target().profile.parcels,
    ]);
  return {
    terms: without([...RUN_OPTIONS, ...bounds]),
    formerTerms: bounds.some(name => name in options) ? without(RUN_OPTIONS) : undefined,
  };
}

/** Identifies an unchanged record in the journal. */
export const sourceOf = (terms: string, text: string): string =>
  hash('sha256', `${terms}\n${text}`, 'base64');
