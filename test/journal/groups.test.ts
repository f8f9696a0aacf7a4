import { expect, test } from 'vitest';
import { inGroups } from '../../src/journal/groups.ts';

const turn = () => new Promise<void>(resolve => setImmediate(resolve));

/** Writes words, and refuses a group with a word that is not allowed. */
function words(isOfOne?: (error: unknown) => boolean) {
  const groups: string[] = [];
  const write = inGroups(
    async (group: readonly string[]) => {
      groups.push(group.join(' '));
      if (group.includes('bad')) throw new Error('no');
      return group.map(word => word.toUpperCase());
    },
    { turn },
    isOfOne,
  );
  return { groups, write };
}

test('what arrives in one turn is written together, in its order', async () => {
  const { groups, write } = words();
  expect(await Promise.all(['a', 'b', 'c'].map(write))).toEqual(['A', 'B', 'C']);
  expect(groups).toEqual(['a b c']);
});

test('what arrives later is in the next group', async () => {
  const { groups, write } = words();
  await write('a');
  await Promise.all([write('b'), write('c')]);
  expect(groups).toEqual(['a', 'b c']);
});

test('of a group that fails each is written alone, and one that fails rejects alone', async () => {
  const { groups, write } = words();
  const written = await Promise.allSettled(['a', 'bad', 'c'].map(write));
  expect(written.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(groups).toEqual(['a bad c', 'a', 'bad', 'c']);
});

test('nothing is written again after an error that says nothing of one of them', async () => {
  const { groups, write } = words(() => false);
  const written = await Promise.allSettled(['a', 'bad'].map(write));
  expect(written.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(groups).toEqual(['a bad']);
});
