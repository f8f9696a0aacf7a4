import type { Section } from './document.ts';

export interface Topic {
  /** What it is about, as a line of a list. */
  summary: string;
  load(): Promise<{ TOPIC: readonly Section[] }>;
}

/** The help that is not about one command: `waybill help TOPIC`. */
export const TOPICS: Readonly<Record<string, Topic>> = {
  'exit-codes': {
    summary: 'what each exit code means, and what to do',
    load: () => import('./topics/exit-codes.ts'),
  },
  environment: {
    summary: 'the variables that waybill reads, and their precedence',
    load: () => import('./topics/environment.ts'),
  },
  input: { summary: 'how a request is built and checked', load: () => import('./topics/input.ts') },
  output: {
    summary: 'what is on stdout and stderr in each format',
    load: () => import('./topics/output.ts'),
  },
  batch: {
    summary: 'files with many records, and how to run them again',
    load: () => import('./topics/batch.ts'),
  },
  journal: {
    summary: 'the record of every booking, so that nothing is booked twice',
    load: () => import('./topics/journal.ts'),
  },
};
