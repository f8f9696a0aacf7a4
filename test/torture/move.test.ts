// A move into a shared journal that is killed at every step, or meets a booking of another process.
import { describe, expect, test } from 'vitest';
import { build } from '../rig/build.ts';
import { titled } from '../rig/needs.ts';
import { noPostgres } from '../rig/postgres.ts';
import { claimAfterMove, moveAfterClaim, moveKilledAt } from './move.ts';
import { FULL } from './size.ts';
import { MOVING, PROBES } from './steps.ts';

const PAGES = FULL ? [1, 2, 3] : [2];
const moments = MOVING.flatMap(step =>
  step.startsWith('page') ? PAGES.map(page => `${step}:${page}`) : step,
);

describe.skipIf(noPostgres)(titled('A move', noPostgres), () => {
  test.concurrent.each(moments)('that is killed is whole when it is run again: %s', async step => {
    expect(await moveKilledAt(step, step !== MOVING[0])(await build(PROBES))).toEqual([]);
  });

  test.concurrent('keeps a booking that was about to be claimed from being sent', async () => {
    expect(await claimAfterMove(await build(PROBES))).toEqual([]);
  });

  test.concurrent('waits for a booking that is claimed', async () => {
    expect(await moveAfterClaim(await build(PROBES))).toEqual([]);
  });
});
