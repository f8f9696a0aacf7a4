import { expect, test } from 'vitest';
import { build } from '../rig/build.ts';
import { started } from './scenarios.ts';
import { FULL } from './size.ts';

const processes = FULL ? 8 : 4;

test(`${processes} processes with one key book it once and show the same answer`, async () => {
  expect(await started(processes)(await build())).toEqual([]);
});
