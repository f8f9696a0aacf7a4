import type { Section } from './document.ts';

/** The help that is not about one command, `waybill help TOPIC`: each topic with its line in lists. */
export const TOPICS: Readonly<Record<string, string>> = {
  'exit-codes': 'what each exit code means, and what to do',
  environment: 'the variables that waybill reads, and their precedence',
  input: 'how a request is built and checked',
  output: 'what is on stdout and stderr in each format',
  batch: 'files with many records, and how to run them again',
  journal: 'the record of every booking, so that nothing is booked twice',
};

/** The text of a topic of the list; its file has its name. */
export async function loadTopic(name: string): Promise<readonly Section[]> {
  const { TOPIC }: { TOPIC: readonly Section[] } = await import(`./topics/${name}.ts`);
  return TOPIC;
}
