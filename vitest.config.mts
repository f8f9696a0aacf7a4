import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { LONG } from './test/long-files.mts';

/** Begins with the files that take long, so that the two workers end at about the same time. */
class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => LONG.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter(file => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    globalSetup: 'test/setup.ts',
    setupFiles: 'test/each-file.ts',
    include: ['test/**/*.test.ts'],
    // The limits end a test that hangs. They say nothing about speed. Files of many processes have another one: test/each-file.ts.
    testTimeout: 30_000,
    hookTimeout: 600_000,
    // On two cores vitest would take one for the tests and leave the other to itself.
    maxWorkers: 2,
    sequence: { sequencer: LongFilesFirst },
    // No test changes what another one imports, and loading everything again for each file takes longer than the tests.
    isolate: false,
    // The host of a test says what the environment is: the one of the machine must not change a result.
    unstubEnvs: true,
  },
});
