// Random sequences of what processes, persons and clocks do, in both journals, held against a model.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { describeBoth } from '../rig/postgres.ts';
import { Model } from './model.ts';
import { COMMANDS } from './model-commands.ts';
import { Sequence } from './model-sequence.ts';
import { withWorld } from './model-world.ts';
import { SEED, SEQUENCES } from './size.ts';

describeBoth('A journal', kind => {
  const numRuns = SEQUENCES[kind];
  test(`says in ${numRuns} sequences what the model says (TORTURE_SEED=${SEED})`, async () => {
    let commands = 0;
    await withWorld(kind, world =>
      fc.assert(
        fc.asyncProperty(fc.commands(COMMANDS, { maxCommands: 40, size: 'max' }), async sequence => {
          const model = new Model(kind);
          const real = new Sequence(model, world);
          await world.begin(model, real.processes);
          await fc.asyncModelRun(() => ({ model, real }), sequence);
          commands += 1;
        }),
        { numRuns },
      ),
    );
    expect(commands).toBeGreaterThanOrEqual(numRuns);
  });
});
