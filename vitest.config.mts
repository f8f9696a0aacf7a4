// The tests run in five parts, each a mode of vitest:
//
// - `test`, of `npm test`: the tests that run the command in their own process, three steps at which a booking is killed, and one form
//   at a terminal.
// - `landing`, of `npm run test:landing`: what a landing needs besides, with real processes, terminals and servers: mutants,
//   kills, a fleet, the built package, the documents; and what takes long.
// - `shared`, of `npm run test:landing`, too: the tests of commands with a shared journal, in PostgreSQL.
// - `promises`, of `npm run test:promises`: a table of what users and scripts were promised.
// - `torture`, of `npm run test:torture`: all of it, in full and with another seed each time.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
// @ts-expect-error: it is JavaScript.
import { DOCUMENTS, readerCode } from './scripts/bundle.mjs';

const HANGS = 10 * 60_000;

/** Tests with real processes and servers, and the slowest of the others, which would take a quarter of the time of `npm test`. */
const IN_LANDING = [
  'test/built/**/*.test.ts',
  'test/docs.test.ts',
  'test/contract/outside-words.test.ts',
  'test/documents/examples.test.ts',
  'test/order/wire-table.test.ts',
  'test/output/sequences.test.ts',
  'test/service/secrets.test.ts',
  'test/labels/hostile.test.ts',
  'test/session/{failover,one-journal}.test.ts',
  'test/torture/!(model|morning|steps).test.ts',
];
const PROMISES = 'test/promises/*.test.ts';
const ALL = 'test/**/*.test.ts';

/** The test files whose text has that. */
function filesNaming(text: RegExp): string[] {
  const names = readdirSync('test', { recursive: true, encoding: 'utf8' });
  const files = names.filter(name => name.endsWith('.test.ts')).map(name => join('test', name));
  return files.filter(file => text.test(readFileSync(file, 'utf8')));
}

const PARTS = {
  // The limits end a test that hangs. They say nothing about speed: a machine may be twenty times slower than another one.
  test: { include: [ALL], exclude: [...IN_LANDING, PROMISES], testTimeout: HANGS },
  landing: { include: [...IN_LANDING, 'test/torture/steps.test.ts'], exclude: [], testTimeout: 3 * HANGS },
  // Of these files the tests with a shared journal, which `npm test` leaves out.
  shared: {
    include: filesNaming(/describe(Shared|Both)\(/),
    exclude: [...IN_LANDING, PROMISES],
    testTimeout: HANGS,
  },
  promises: { include: [PROMISES], exclude: [], testTimeout: HANGS },
  torture: { include: [ALL], exclude: [], testTimeout: 12 * HANGS },
};

const LONG =
  /\/torture\/(mutants|batch|kills|fleet|stopped|weave)|\/built\/completion|\/documents\/examples|\/docs\.test/;

/** Begins with the files that take long, so that the workers end at about the same time. */
class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => LONG.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter(file => !isLong(file))];
  }
}

/** What the build writes as JSON, as its source makes it. */
const documents = {
  name: 'documents',
  enforce: 'pre' as const,
  resolveId: (id: string) => (id.startsWith('waybill:') ? `\0${id}` : undefined),
  load(id: string) {
    const [, name] = /^\0waybill:(\w+)$/.exec(id) ?? [];
    if (name === 'reader')
      return readerCode().then(
        (code: string) => `export const reader = ${JSON.stringify({ code, data: null })};`,
      );
    if (!name) return undefined;
    const path = JSON.stringify(resolve(`src/${DOCUMENTS[name]}.ts`));
    return `import { ${name} as made } from ${path}; export const ${name} = await made();`;
  },
};

/** A font as the bundle has it. */
const fonts = {
  name: 'fonts',
  enforce: 'pre' as const,
  load: (id: string) =>
    id.endsWith('.ttf')
      ? `import { readFileSync } from 'node:fs'; export const font = readFileSync(${JSON.stringify(id)});`
      : undefined,
};

export default defineConfig(({ mode }) => {
  const part = mode in PARTS ? (mode as keyof typeof PARTS) : 'test';
  const seed = process.env.TORTURE_SEED || String(part === 'torture' ? Date.now() % 1_000_000 : 20_260_302);
  // A failure can be run again with it.
  if (part === 'torture') process.stdout.write(`TORTURE_SEED=${seed}\n`);
  return {
    plugins: [fonts, documents],
    test: {
      ...PARTS[part],
      env: { TEST_PART: part, TORTURE_SEED: seed },
      globalSetup: 'test/setup.ts',
      setupFiles: 'test/each-file.ts',
      hookTimeout: 3 * HANGS,
      // Two cores: while one test waits for a process, a disk or a database, another one runs.
      maxWorkers: 3,
      sequence: { sequencer: LongFilesFirst },
      // No test changes what another one imports, and loading everything again for each file takes longer than the tests.
      isolate: false,
      // The host of a test says what the environment is: the one of the machine must not change a result.
      unstubEnvs: true,
    },
  };
});
