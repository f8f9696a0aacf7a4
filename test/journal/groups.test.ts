import { expect, test } from 'vitest';
import { groupCommits } from '../../../src/journal/sqlite/group-commit.ts';
import type { Store } from '../../../src/sqlite.ts';

const turn = () => new Promise<void>(resolve => setImmediate(resolve));

/** A store that only counts its transactions, and drops the writes of a failed one. */
function counting() {
  const seen = { transactions: 0, written: [] as string[] };
  const store = {
    transaction<T>(work: () => T): T {
      seen.transactions += 1;
      const before = [...seen.written];
      try {
        return work();
      } catch (error) {
        seen.written = before;
        throw error;
      }
    },
  } as Store;
  const write = groupCommits(store, { turn });
  return { seen, write: (word: string) => write(() => seen.written.push(word)) };
}

test('writes of one turn share one sync, in their order', async () => {
  const { seen, write } = counting();
  expect(await Promise.all(['a', 'b', 'c'].map(write))).toEqual([1, 2, 3]);
  expect(seen).toEqual({ transactions: 1, written: ['a', 'b', 'c'] });
});

test('a later write is in the next group', async () => {
  const { seen, write } = counting();
  await write('a');
  await Promise.all([write('b'), write('c')]);
  expect(seen).toEqual({ transactions: 2, written: ['a', 'b', 'c'] });
});

test('one write of a group that fails rejects alone', async () => {
  let transactions = 0;
  const store = {
    transaction<T>(work: () => T): T {
      transactions += 1;
      return work();
    },
  } as Store;
  const write = groupCommits(store, { turn });
  const good = write(() => 'good');
  const bad = write(() => {
    throw new Error('no');
  });
  await expect(bad).rejects.toThrow('no');
  expect(await good).toBe('good');
  expect(transactions).toBe(3);
});
