import { expect, test } from 'vitest';
import { createRig } from './command.ts';

test('a question without an answer in the test fails the test', async () => {
  const rig = await createRig();
  await expect(rig.run('ship', { terminal: true })).rejects.toThrow(
    'a question that the test did not answer',
  );
});
