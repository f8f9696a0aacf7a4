// Killed at every step from the claim to what is shown, with and without the loss of power.
import { beforeAll, describe, expect, test } from 'vitest';
import { build } from '../rig/build.ts';
import { type Job, label, ship, shipAndLabel, shipDual } from './jobs.ts';
import { killedAt } from './scenarios.ts';
import { FULL } from './size.ts';
import { PROBES, STEPS, type Step } from './steps.ts';

let command: string;
beforeAll(async () => {
  command = await build(PROBES);
});

const steps = (...names: string[]) => STEPS.filter(({ name }) => FULL || names.includes(name));

/** A label that is made after its shipment comes to each step for the second time; what is shown is one thing. */
const nthOf = (job: (key: string) => Job, step: string) => (job === shipAndLabel && step !== 'shown' ? 2 : 1);

describe.each([
  { job: ship, of: STEPS },
  { job: shipDual, of: steps('sent') },
  { job: label, of: steps('claim committed', 'sent', 'outcome committed') },
  { job: shipAndLabel, of: steps('sent') },
])('$job.name killed at the step', ({ job, of }) => {
  const at = (step: Step, power = false) => {
    const settle = FULL || step.name === 'claim committed' || step.name === 'sent';
    return killedAt(step, { job, nth: nthOf(job, step.name), power, settle })(command);
  };

  test.concurrent.each(of)('$name', async step => {
    expect(await at(step)).toEqual([]);
  });

  test.concurrent.each(FULL ? STEPS : [])('$name, and the power lost', async step => {
    expect(await at(step, true)).toEqual([]);
  });
});
