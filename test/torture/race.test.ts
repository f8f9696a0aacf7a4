import { describe, expect, test } from 'vitest';
import { withBuilt } from './bundle.ts';
import { linesOf } from './long-run.ts';
import { started } from './scenarios.ts';
import { PATIENCE } from './size.ts';
import { onStage } from './stage.ts';

const PROCESSES = 8;
const KEYS = Array.from({ length: 200 }, (_, index) => `K${index}`);

const race = (program: string) =>
  onStage(program, async ({ run, witness }) => {
    const runs = await Promise.all(Array.from({ length: PROCESSES }, () => run(KEYS)));
    return { runs, sent: witness.keys().map(key => [key, witness.sent(key)]) };
  });

describe('eight processes', { timeout: PATIENCE }, () => {
  test('of the command as it is shipped, with one key, book it once and show the same', async () => {
    expect(await withBuilt(started(PROCESSES))).toEqual([]);
  });

  test('that each go through the same 200 keys book each of them once, and tell the same ids', async () => {
    const { runs, sent } = await withBuilt(race, [], { entry: 'test/torture/driver.ts' });
    expect(runs.map(({ code, stderr }) => [code, stderr])).toEqual(Array(PROCESSES).fill([0, '']));
    expect(sent.sort()).toEqual(KEYS.map(key => [key, 1]).sort());
    const ids = KEYS.map(key => [key, `S-${key}-1`]);
    expect(runs.map(({ stdout }) => linesOf(stdout))).toEqual(Array(PROCESSES).fill(ids));
  });
});
