// Kills a booking at every step from the claim to the output, with and without a power loss.
import { beforeAll, describe, expect, test } from 'vitest';
import { build } from '../rig/build.ts';
import { type Job, killedAt, label, ship, shipAndLabel, shipDual } from './scenarios.ts';
import { FULL, QUICK } from './size.ts';
import { PROBES, STEPS, type Step } from './steps.ts';

let command: string;
beforeAll(async () => {
  command = await build(PROBES);
});

const some = (...names: string[]) => STEPS.filter(({ name }) => names.includes(name));
const OTHERS = [shipDual, label, shipAndLabel].map(job => ({ job, of: FULL ? STEPS : some('sent') }));

/** `ship --label` passes each step twice, for the shipment and for the label, but prints once. */
const nthOf = (job: (key: string) => Job, step: string) => (job === shipAndLabel && step !== 'shown' ? 2 : 1);

describe.each([
  { job: ship, of: QUICK ? some('claim committed', 'sent', 'outcome committed') : STEPS },
  ...(QUICK ? [] : OTHERS),
])('$job.name killed at the step', ({ job, of }) => {
  const at = (step: Step, power = false) => {
    const resolve = FULL || step.name === 'claim committed' || step.name === 'sent';
    return killedAt(step, { job, nth: nthOf(job, step.name), power, resolve })(command);
  };

  test.concurrent.each(of)('$name', async step => {
    expect(await at(step)).toEqual([]);
  });

  test.concurrent.each(FULL ? STEPS : [])('$name, with a power loss', async step => {
    expect(await at(step, true)).toEqual([]);
  });
});
