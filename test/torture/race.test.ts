import { expect, test } from 'vitest';
import { build } from '../rig/build.ts';
import { started } from './scenarios.ts';

test('Eight processes with one key book it once and show the same answer', async () => {
  expect(await started(8)(await build())).toEqual([]);
});
