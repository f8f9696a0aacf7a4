// Kills a command at every step from the record of a list to its mark: the same command writes the list, or wrote it before.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { build } from '../rig/build.ts';
import { shipAndLabel } from './scenarios.ts';
import { onStage } from './stage.ts';
import { LISTING, PROBES } from './steps.ts';

let command: string;
beforeAll(async () => {
  command = await build(PROBES);
});

const EXPORT = ['history', 'export', '--for', 'csv'];
const HANDOVER = ['history', 'handover'];

/** The list of one order, killed at a step and run again. */
const killedAt = (argv: readonly string[], step: string) =>
  onStage(command, async ({ folder, run }) => {
    const { argv: booking, stdin } = shipAndLabel('K');
    expect((await run(booking, { stdin })).code).toBe(0);
    const file = join(folder, argv.at(-1) ?? '');
    const bytes = () => (existsSync(file) ? readFileSync(file, 'latin1') : undefined);
    const killed = await run(argv, { step });
    const before = bytes();
    const again = await run(argv);
    return { killed: killed.signal, before, again, after: bytes() };
  });

test.concurrent.each(
  [
    [...EXPORT, 'list.csv'],
    [...HANDOVER, '--pdf', 'list.pdf'],
  ].flatMap(argv => LISTING.map(step => [argv.join(' '), step, argv] as const)),
)('%s killed at the step: %s', async (_, step, argv) => {
  const { killed, before, again, after } = await killedAt(argv, step);
  expect([killed, again.code]).toEqual(['SIGKILL', 0]);
  expect(before === undefined).toBe(step === 'list claimed');
  if (step === 'list marked')
    expect([again.stdout, after]).toEqual([expect.stringMatching(/^Nothing/), before]);
  else {
    expect(again.stderr).toContain('this is list 1, of 1 order');
    expect(after).toBeDefined();
    // The list of a courier has the time at which it was written.
    if (before !== undefined && argv[1] === 'export') expect(after).toBe(before);
  }
});

test.concurrent.each(
  [EXPORT, HANDOVER].flatMap(argv =>
    ['list claimed', 'shown', 'list marked'].map(step => [argv.join(' '), step, argv] as const),
  ),
)('%s --yes killed at the step: %s', async (_, step, argv) => {
  const { killed, again } = await killedAt([...argv, '--yes', '--json'], step);
  expect([killed, again.code]).toEqual(['SIGKILL', 0]);
  expect(JSON.parse(again.stdout)).toHaveLength(step === 'list marked' ? 0 : 1);
});
