import type { Booking } from '../../journal/journal.ts';
import type { BatchRun } from './open.ts';

/** What a record is looked up by. */
interface Named {
  key: string | undefined;
  /** Of its text, and of all that holds for it. */
  source: string;
}

/** What the journal knows of records: by their keys where they have to have one, else by what they say. */
export async function knownBookings<O>(
  { session, job: { requiresKey, operation }, journal }: Pick<BatchRun<O>, 'session' | 'job' | 'journal'>,
  records: readonly Named[],
): Promise<(record: Named) => Booking | undefined> {
  const { command, keySpace } = operation;
  const wordOf = ({ key, source }: Named) => (requiresKey ? key : source);
  const words = records.flatMap(record => wordOf(record) ?? []);
  if (journal === undefined || words.length === 0) return () => undefined;
  const by = requiresKey ? { keySpace: keySpace ?? command } : 'source';
  const found = await journal.latestBy(session.scope(), by, words);
  return record => found.get(wordOf(record) ?? '');
}
