// Results say in which place they were booked, so that a rehearsal and the real run never stand for each other.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { jsonLines, linesIn, orders } from '../../rig/batch.ts';
import { createRig } from '../../rig/command.ts';
import { machine } from '../../rig/journal.ts';
import { errorOf, posted } from '../../rig/service.ts';

const SHIP = 'batch ship orders.jsonl --json';
const RESULTS = 'orders.results.jsonl';

/** Two machines that have one folder of files, and a file of three orders in it. */
async function shared() {
  const rig = await createRig({ files: { 'orders.jsonl': jsonLines(orders(3)) } });
  return { rig, a: machine(rig, 'a'), b: machine(rig, 'b') };
}

describe('A rehearsal in the demo', () => {
  test('does not stand in the way of the real run elsewhere, and is never imported as real orders', async () => {
    const { rig, a, b } = await shared();
    expect((await a(`${SHIP} --profile demo`)).exitCode).toBe(0);
    expect(linesIn(rig)).toMatchObject(Array(3).fill({ operation: 'ship', place: 'demo' }));
    const imported = await b(`history import ${RESULTS} --json`);
    expect([imported.exitCode, errorOf(imported).message]).toEqual([
      2,
      expect.stringMatching(/bookings at demo, .*history import orders\.results\.jsonl --profile demo/),
    ]);
    const ran = await b(SHIP);
    expect([ran.exitCode, posted(ran).length]).toEqual([0, 3]);
    expect(linesIn(rig)).toMatchObject(Array(3).fill({ place: rig.address, sent: true }));
  });

  test('on one machine does not switch off the guard beside the results of another', async () => {
    const { rig, a, b } = await shared();
    expect((await b(`${SHIP} --profile demo --results rehearsal.jsonl`)).exitCode).toBe(0);
    expect(posted(await a(SHIP))).toHaveLength(3);
    const before = readFileSync(join(rig.folder, RESULTS), 'utf8');
    for (const where of ['', '--profile demo']) {
      const refused = await b(`${SHIP} ${where}`);
      expect([refused.exitCode, errorOf(refused).code, refused.requests]).toEqual([2, 'duplicate', []]);
    }
    expect(readFileSync(join(rig.folder, RESULTS), 'utf8')).toBe(before);
  });
});

test('The results of other operations have other names, and do not replace those of ship', async () => {
  const { rig, a, b } = await shared();
  await a(SHIP);
  const before = readFileSync(join(rig.folder, RESULTS), 'utf8');
  for (const operation of ['track', 'label']) {
    expect((await a(`batch ${operation} orders.jsonl`)).exitCode).toBe(0);
    expect(linesIn(rig, `orders.${operation}.jsonl`)).toMatchObject(
      Array(3).fill({ operation, place: rig.address }),
    );
  }
  expect(readFileSync(join(rig.folder, RESULTS), 'utf8')).toBe(before);
  expect(errorOf(await b(SHIP))).toMatchObject({ code: 'duplicate', exitCode: 2 });
});
