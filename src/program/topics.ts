import type { Section } from './layout.ts';
import { sectionsOf } from './markdown.ts';

interface Topic {
  summary: string;
  page(): Promise<{ default: string }>;
  /** The headings of the page that are shown. */
  headings: readonly string[];
}

const reference = () => import('../../docs/reference.md', { with: { type: 'text' } });

/** What `waybill help TOPIC` shows. If a command has the name of a topic, its help ends with the topic. */
export const TOPICS: Readonly<Record<string, Topic>> = {
  options: { summary: 'the options that every command takes', page: reference, headings: ['Options'] },
  input: { summary: 'how a request is built and checked', page: reference, headings: ['Input'] },
  output: { summary: 'what is on stdout and stderr in each format', page: reference, headings: ['Output'] },
  'exit-codes': {
    summary: 'what each exit code means, and what to do',
    page: reference,
    headings: ['Exit codes'],
  },
  environment: {
    summary: 'the variables that waybill reads, and their precedence',
    page: reference,
    headings: ['Environment'],
  },
  batch: {
    summary: 'files with many records, and how to run them again',
    page: () => import('../../docs/batches.md', { with: { type: 'text' } }),
    headings: ['The file', "A shop's own export", 'Limits of a run', 'Results', 'Running it again'],
  },
  journal: {
    summary: 'the record of every booking, so that nothing is booked twice',
    page: () => import('../../docs/journal.md', { with: { type: 'text' } }),
    headings: [
      'States',
      'What the service cannot do',
      'What to do with an unknown',
      'Keys',
      'The file',
      'One journal for a team',
    ],
  },
  emulator: {
    summary: 'the emulator of the service, and what it decides',
    page: () => import('../../docs/emulator.md', { with: { type: 'text' } }),
    headings: ['What it decides'],
  },
};

/** The text of a topic; nothing if there is none of that name. */
export async function topicSections(name: string): Promise<readonly Section[]> {
  const topic = TOPICS[name];
  return topic ? sectionsOf((await topic.page()).default, topic.headings) : [];
}
