import { expect, test } from 'vitest';
import { inGroups } from '../../src/journal/groups.ts';

test('nothing is written again after an error that says nothing of one of them', async () => {
  const groups: string[] = [];
  const write = inGroups(
    async (group: readonly string[]) => {
      groups.push(group.join(' '));
      throw new Error('no');
    },
    { turn: () => new Promise<void>(resolve => setImmediate(resolve)) },
    () => false,
  );
  const written = await Promise.allSettled(['a', 'bad'].map(write));
  expect(written.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(groups).toEqual(['a bad']);
});
