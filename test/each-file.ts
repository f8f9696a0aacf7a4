// Runs before each test file, also where one worker runs several of them.
import fc from 'fast-check';
import { expect, vi } from 'vitest';
import { LONG } from './long-files.mts';
import { FULL, SEED } from './torture/size.ts';

fc.configureGlobal({ seed: SEED });

const MINUTE = 60_000;
if (FULL) vi.setConfig({ testTimeout: 60 * MINUTE });
else if (LONG.test(expect.getState().testPath ?? '')) vi.setConfig({ testTimeout: 10 * MINUTE });
