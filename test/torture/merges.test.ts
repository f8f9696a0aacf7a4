// Kills and stops a command while it merges labels: what is in no file is free again, and nothing is merged or printed twice.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { build } from '../rig/build.ts';
import { PDF } from '../rig/labels.ts';
import { cannedService } from '../rig/service.ts';
import { shipAndLabel } from './scenarios.ts';
import { onStage, type Stage } from './stage.ts';
import { MERGING, PROBES } from './steps.ts';
import { stoppedAt } from './stopped.ts';

let command: string;
beforeAll(async () => {
  command = await build(PROBES);
});

const MERGE = ['label', '--unprinted', '--merge', 'today.pdf'];

const label = { success: true, trackingNumber: 'T-1', labelPdf: PDF.toString('base64') };

/** A stage with a labelled order, at a service that gives the file of a label. */
async function onLabelled(act: (stage: Stage) => Promise<void>): Promise<void> {
  const { env } = await cannedService({
    '/v1/shipments': { status: 201, body: { id: 'S-1' } },
    '/v2/carriers/create': { status: 200, body: { success: true, international: label } },
  });
  await onStage(
    command,
    async stage => {
      const { argv, stdin } = shipAndLabel('K');
      expect((await stage.run(argv, { stdin })).code).toBe(0);
      await act(stage);
    },
    env,
  );
}

test.concurrent.each(MERGING)('label --merge killed at the step: %s', step =>
  onLabelled(async ({ folder, run }) => {
    const killed = await run(MERGE, { step });
    const isThere = existsSync(join(folder, 'today.pdf'));
    expect([killed.signal, isThere]).toEqual(['SIGKILL', step === 'merged file in place']);
    const unprinted = await run(['label', '--unprinted']);
    const again = await run([...MERGE.slice(0, 3), 'again.pdf']);
    const isFree = step === 'merged file drawn';
    expect([unprinted.code, again.code]).toEqual(isFree ? [0, 0] : [9, 9]);
    expect(existsSync(join(folder, 'again.pdf'))).toBe(isFree);
    if (!isFree) expect(again.stderr).toContain('may be printed');
  }),
);

test.concurrent('label --merge that takes long claims nothing, and what was merged meanwhile is not merged again', () =>
  onLabelled(async stage => {
    const { folder, run, start } = stage;
    const slow = await stoppedAt(stage, { step: 'merged file drawn' }, [], options => start(MERGE, options));
    const unprinted = await run(['label', '--unprinted', '-q']);
    expect([unprinted.code, unprinted.stderr]).toEqual([0, '']);
    expect((await run([...MERGE.slice(0, 3), 'other.pdf'])).code).toBe(0);
    slow.child.kill('SIGCONT');
    expect((await slow.ended).code).toBe(0);
    expect(['other.pdf', 'today.pdf'].map(file => existsSync(join(folder, file)))).toEqual([true, false]);
  }));
