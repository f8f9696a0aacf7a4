// A SPEC that cannot be read does not hide what else is wrong.
import { expect, test } from 'vitest';
import { createRig } from '../rig/command.ts';

test.each(['quote', 'rates'])(
  '%s shows a SPEC that cannot be parsed together with the other problems',
  async command => {
    const rig = await createRig();
    const ran = await rig.run(`${command} --from UK --to Germny --package 2kg`);
    expect(ran).toMatchObject({ exitCode: 2, requests: [] });
    for (const told of [
      '--package "2kg" is not of the form',
      '"UK" (did you mean GB?)',
      '"Germny"; the code of Germany is DE (did you mean DE?)',
    ])
      expect(ran.stderr).toContain(told);
    // What is missing may be just what could not be read.
    expect(ran.stderr).not.toContain('is required');
  },
);

test.each(['ship', 'ship-dual'])('%s does so, too, for goods and packages', async command => {
  const rig = await createRig();
  for (const spec of ['--package 2kg', '--item T-shirt']) {
    const ran = await rig.run(`${command} ${spec} --category sale`);
    expect(ran).toMatchObject({ exitCode: 2, requests: [] });
    expect(ran.stderr).toMatch(
      new RegExp(`^error: ${spec.split(' ')[0]} .*\n  category .*did you mean sales`),
    );
  }
});
