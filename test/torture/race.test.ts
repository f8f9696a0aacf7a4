import { expect, test } from 'vitest';
import { build } from '../rig/build.ts';
import { started } from './scenarios.ts';
import { PATIENCE } from './size.ts';

test('Eight processes with one key book it once and show the same', { timeout: PATIENCE }, async () => {
  expect(await started(8)(await build())).toEqual([]);
});
