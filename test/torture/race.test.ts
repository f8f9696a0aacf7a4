import { expect, test } from 'vitest';
import { withBuilt } from './bundle.ts';
import { started } from './scenarios.ts';
import { PATIENCE } from './size.ts';

test('Eight processes with one key book it once and show the same', { timeout: PATIENCE }, async () => {
  expect(await withBuilt(started(8))).toEqual([]);
});
