import { defineConfig } from 'vitest/config';

// The crash and mutant harness in full; `npm test` runs as much of it as fits.
export default defineConfig({
  test: {
    globalSetup: 'test/setup.ts',
    include: ['test/torture/**/*.test.ts', 'test/manual/examples.test.ts'],
    env: { TORTURE: 'full' },
  },
});
