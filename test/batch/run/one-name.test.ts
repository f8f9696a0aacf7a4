// Runs of one moment that write files of one name: what a run has confirmed is in a file, or the run says so.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { openReplacement } from '../../../src/host/replace-file.ts';
import {
  created,
  ends,
  jsonLines,
  keys,
  linesIn,
  order,
  orders,
  scriptedService,
  shop,
  summaryOf,
} from '../../rig/batch.ts';
import { createRig, type Ran, type Rig } from '../../rig/command.ts';
import { machine } from '../../rig/journal.ts';
import { describeBoth } from '../../rig/postgres.ts';
import { errorOf } from '../../rig/service.ts';

const SHIP = 'batch ship orders.jsonl --concurrency 1 --json';
const RESULTS = 'orders.results.jsonl';

/** A service in which the test runs something, once, before the order of that key is answered. */
async function meanwhile(key: string, run: () => Promise<unknown>) {
  let isDone = false;
  return scriptedService(async asked => {
    if (asked === key && !isDone) {
      isDone = true;
      await run();
    }
    return created(asked);
  });
}

const keptIn = ({ folder }: Rig): string[] =>
  readdirSync(folder).filter(name => /^orders\.results\.[0-9a-f]{8}\.jsonl$/.test(name));

describeBoth('Results that another run replaces', journal => {
  test('with other records, stay in a file that the run names: exit 10', async () => {
    const rig = await shop(orders(3), { journal });
    rig.file('other.jsonl', jsonLines([order('X')]));
    const { env } = await meanwhile('ORDER-2', () =>
      rig.run(`batch ship other.jsonl --results ${RESULTS}`, { env }),
    );
    const ran = await rig.run(SHIP, { env });
    const [kept = ''] = keptIn(rig);
    expect([ran.exitCode, errorOf(ran).message]).toEqual([10, expect.stringContaining(`are in ${kept}: `)]);
    expect(JSON.parse(ran.stdout).results).toBe(kept);
    expect(ends(linesIn(rig, kept))).toEqual(keys(3).map(key => `${key} created 0 true`));
    expect(ends(linesIn(rig))).toEqual(['X created 0 true']);
  });

  test.each(['orders.results.jsonl', 'mine.csv'])(
    'with all of their records, have them: exit 0, in one file %s',
    async results => {
      const rig = await shop(orders(3), { journal });
      const again = `${SHIP} --results ${results}`;
      const { env, arrivals } = await meanwhile('ORDER-2', () =>
        rig.run(`batch ship first.jsonl --results ${results}`, { env }),
      );
      rig.file('first.jsonl', jsonLines([order('ORDER-1')]));
      expect(await rig.run(again, { env })).toMatchObject({ exitCode: 0, stderr: '' });
      const text = readFileSync(join(rig.folder, results), 'utf8');
      for (const key of keys(3)) expect(text.split(`S-${key}`)).not.toHaveLength(1);
      expect(readdirSync(rig.folder).filter(name => /results|mine|part/.test(name))).toEqual([results]);
      expect(arrivals.map(({ key }) => key)).toEqual(keys(3));
    },
  );
});

describe('Two machines that have one folder, and journals of their own', () => {
  /** The other one books all orders, from a folder that looks the same. */
  async function machines() {
    const rig = await createRig({ files: { 'orders.jsonl': jsonLines(orders(8)) } });
    return { rig, a: machine(rig, 'a'), b: machine(rig, 'b') };
  }

  test('What the other one booked while the input was read is seen before anything is sent: exit 2', async () => {
    const { rig, a, b } = await machines();
    const { env, arrivals } = await scriptedService(key => created(key));
    const results = '--results all.jsonl --concurrency 1 --json';
    const stdin = Readable.from(
      (async function* () {
        await b(`batch ship orders.jsonl ${results}`, { env });
        yield Buffer.from(jsonLines(orders(8)));
      })(),
    );
    const ran = await a(`batch ship - --format jsonl ${results}`, { env, stdin });
    expect([ran.exitCode, errorOf(ran).message]).toEqual([
      2,
      expect.stringMatching(/^all\.jsonl has 8 bookings .* with another journal .*nothing was sent/),
    ]);
    expect(arrivals).toHaveLength(8);
    expect(linesIn(rig, 'all.jsonl')).toHaveLength(8);
  });

  test('One that begins while the other one sends is told of its run, whose claim ends with it', async () => {
    const { rig, a, b } = await machines();
    let second: Ran | undefined;
    const { env, arrivals } = await meanwhile('ORDER-1', async () => {
      second = await b(SHIP, { env });
    });
    expect((await a(`${SHIP} --run night`, { env })).exitCode).toBe(0);
    expect(errorOf(second as Ran)).toMatchObject({
      ...{ code: 'duplicate', retry: 'later', exitCode: 2 },
      message: expect.stringMatching(/claimed by a run .*"night".*nothing was sent.*\.claim/),
    });
    expect(readdirSync(rig.folder).filter(name => name.includes('claim'))).toEqual([]);
    expect([(await b(SHIP, { env })).exitCode, arrivals.length]).toEqual([2, 8]);
  });

  test('What was imported counts for the file as it was then, and not for what came to it since', async () => {
    const { rig, a, b } = await machines();
    const { env, arrivals } = await scriptedService(key => created(key));
    rig.file('orders.jsonl', jsonLines(orders(2)));
    await a(SHIP, { env });
    expect((await b(`history import ${RESULTS} --done none`, { env })).exitCode).toBe(0);
    rig.file('orders.jsonl', jsonLines(orders(3)));
    await a(SHIP, { env });
    const refused = await b(SHIP, { env });
    expect([refused.exitCode, arrivals.length]).toEqual([2, 3]);
    expect(linesIn(rig)).toHaveLength(3);
  });

  test('A read, or a rehearsal in the demo, is no claim; and neither replaces what another one is writing', async () => {
    const { rig, a, b } = await machines();
    const ended: Ran[] = [];
    const { env } = await meanwhile('ORDER-1', async () => {
      for (const batch of [`batch track orders.jsonl --results ${RESULTS}`, `${SHIP} --profile demo`])
        ended.push(await b(batch, { env }));
    });
    expect((await a(SHIP, { env })).exitCode).toBe(0);
    expect(ended.map(({ exitCode }) => exitCode)).toEqual([2, 2]);
    expect(linesIn(rig)).toHaveLength(8);
    await b(`${SHIP} --profile demo --results rehearsal.jsonl`);
    expect((await a(`${SHIP} --results rehearsal.jsonl`, { env })).exitCode).toBe(0);
  });
});

describe('A file of --failed', () => {
  const bad = (key: string) => order(key, { category: 'sale' });

  test.each([
    ['replace', [order('A'), bad('B')]],
    ['remove', [order('A')]],
  ])('does not %s what has come under its name since the run began', async (_, records) => {
    const rig = await shop(records);
    const ran = await rig.run(`${SHIP} --skip-invalid --failed fix.jsonl`, {
      onRequest: () => rig.file('fix.jsonl', 'mine'),
    });
    expect([ran.exitCode, summaryOf(ran).failed]).toEqual([10, null]);
    expect(readFileSync(join(rig.folder, 'fix.jsonl'), 'utf8')).toBe('mine');
    const again = await rig.run(`${SHIP} --skip-invalid --failed other.jsonl`);
    expect(again.exitCode).toBe(records.length === 2 ? 9 : 0);
    if (records.length === 2) expect(linesIn(rig, 'other.jsonl')).toMatchObject([{ key: 'B' }]);
  });
});

test('Files that killed runs of this machine left are removed, and none of another machine', async () => {
  const { folder } = await createRig();
  const path = join(folder, 'list.jsonl');
  const opened = (host: string, id: number) =>
    openReplacement(path, 'list.jsonl', { host, id, exists: other => other === 3 });
  // Each is killed but the third.
  for (const [host, id] of [
    ['here', 1],
    ['there', 2],
    ['here', 3],
  ] as const)
    opened(host, id).write('a');
  const file = opened('here', 4);
  expect(readdirSync(folder).filter(name => name.endsWith('.part'))).toHaveLength(3);
  file.publish();
  expect(readdirSync(folder).filter(name => name.endsWith('.part'))).toHaveLength(2);
});
