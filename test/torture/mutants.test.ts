// The scenarios say nothing of the command as it is, and each mutant is noticed by those that its row names: without the
// second the first would prove nothing.
import { beforeAll, describe, expect, test } from 'vitest';
import { build } from '../rig/build.ts';
import { batchAnswered, batchesAtOnce, batchKilledAt } from './batch-scenarios.ts';
import { MUTANTS } from './mutants.ts';
import { answered, killedAt, raced, type Scenario } from './scenarios.ts';
import { LINE_WRITTEN, PROBES, stepNamed } from './steps.ts';

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'killed when it is sent': killedAt(stepNamed('sent')),
  'power lost when it is sent': killedAt(stepNamed('sent'), { power: true }),
  'power lost when it is shown': killedAt(stepNamed('shown'), { power: true }),
  'answered by a reset': answered(['reset'], 8, 1),
  'answered by a 500': answered(['error'], 8, 1),
  'answered by a half': answered(['half'], 8, 1),
  'answered with fields nobody knows': answered(['strange'], 0, 1),
  'answered with the id alone': answered(['bare'], 0, 1),
  'answered by a 429 first': answered(['busy', 'created'], 0, 2),
  'raced by eight processes': raced(8),
  'a batch killed when it sends': batchKilledAt('sent', 6),
  'a batch whose power is lost when it sends': batchKilledAt('sent', 1, { power: true }),
  'a batch whose power is lost when its last line is written': batchKilledAt(LINE_WRITTEN, 12, {
    power: true,
  }),
  'a batch unknown after a reset and a 500': batchAnswered(['reset', 'error'], 2),
  'a batch with unexpected responses': batchAnswered(['strange', 'bare', 'half'], 1),
  'two batches over one file': batchesAtOnce(2, { gate: true }),
};

let asItIs: string;
beforeAll(async () => {
  asItIs = await build(PROBES);
});

describe('said of the command as it is', () => {
  test.concurrent.each(Object.entries(SCENARIOS))('%s: nothing', async (_, scenario) => {
    expect(await scenario(asItIs)).toEqual([]);
  });
});

describe('said of a mutant', () => {
  test.concurrent.each(MUTANTS)('$name: what is wrong with it', async ({ edits, noticed }) => {
    const command = await build([...PROBES, ...edits]);
    for (const [name, what] of Object.entries(noticed)) {
      const told = await SCENARIOS[name]?.(command);
      expect([name, told?.join('\n')]).toEqual([name, expect.stringMatching(what)]);
    }
  });
});

test('an edit whose place is gone, or there twice, is an error', async () => {
  const edit = { within: 'src/journal/sqlite/', replace: '' };
  await expect(build([{ ...edit, find: 'no such text' }])).rejects.toThrow('found 0 times');
  await expect(build([{ ...edit, find: 'await ' }])).rejects.toThrow(/found \d+ times .* not once/);
});
