import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    globalSetup: 'test/setup.ts',
    include: ['test/**/*.test.ts'],
    testTimeout: 20_000,
    // On two cores vitest would take one for the tests and leave the other to itself.
    maxWorkers: 2,
    // No test changes what another one imports; loading everything anew for each file took longer than the tests.
    isolate: false,
    // A test's own host says what the environment is; the machine's must not leak into it.
    unstubEnvs: true,
  },
});
