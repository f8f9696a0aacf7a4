import type { Section } from './document.ts';

export interface Topic {
  /** What it is about, as a line of a list. */
  summary: string;
  load(): Promise<{ TOPIC: readonly Section[] }>;
}

/** What is not about one command: `waybill help TOPIC`. */
export const TOPICS: Readonly<Record<string, Topic>> = {
  'exit-codes': {
    summary: 'what each exit code says, and what to do then',
    load: () => import('./topics/exit-codes.ts'),
  },
  environment: {
    summary: 'the variables that are read, and who wins',
    load: () => import('./topics/environment.ts'),
  },
  input: { summary: 'how a request is put together and checked', load: () => import('./topics/input.ts') },
  output: {
    summary: 'what is on stdout and stderr, in each format',
    load: () => import('./topics/output.ts'),
  },
  batch: {
    summary: 'files of many records, and running them again',
    load: () => import('./topics/batch.ts'),
  },
  journal: {
    summary: 'what is remembered, so that nothing is booked twice',
    load: () => import('./topics/journal.ts'),
  },
};
