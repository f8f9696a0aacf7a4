import { defineConfig, mergeConfig } from 'vitest/config';
import usual from './vitest.config.mts';

// The crash and mutant tests in full. `npm test` runs as much of them as fits.
const all = mergeConfig(usual, defineConfig({ test: { env: { TORTURE: 'full' }, testTimeout: 3_600_000 } }));
all.test.include = ['test/torture/**/*.test.ts', 'test/manual/examples.test.ts', 'test/bench.test.ts'];

export default all;
