import { expect, test } from 'vitest';
import { createRig } from './command.ts';

test('a question without an answer in the test fails the test', async () => {
  const rig = await createRig();
  await expect(rig.run('ship', { terminal: true })).rejects.toThrow(
    'a question that the test did not answer',
  );
});

test('an expectation that fails while a question is answered fails the test', async () => {
  const rig = await createRig();
  const answers = ({ id }: { id: string }) => {
    expect(id).toBe('none');
    return undefined;
  };
  await expect(rig.run('ship', { terminal: true, answers })).rejects.toThrow("'none'");
});

test('going back endlessly fails the test', async () => {
  const rig = await createRig();
  // Back from the first question leaves.
  const answers = ({ esc }: { esc?: string | undefined }) => (esc === 'leave' ? 'package' : undefined);
  await expect(rig.run('ship', { terminal: true, answers })).rejects.toThrow('no end to the questions');
});

test('an error of the script leaves the form: exit 130', async () => {
  const rig = await createRig();
  const answers = () => {
    throw new Error('off I go');
  };
  const ran = await rig.run('ship', { terminal: true, answers });
  expect(ran).toMatchObject({ exitCode: 130, requests: [] });
  expect(ran.questions).toHaveLength(1);
});
