// Stopped in the middle, with several records or several runs at a time: no record is lost, and none is booked twice.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  bookedIn,
  created,
  ends,
  jsonLines,
  keys,
  linesIn,
  order,
  orders,
  type Reply,
  scriptedService,
  shop,
  summaryOf,
} from '../../rig/batch.ts';
import { createRig } from '../../rig/command.ts';
import { event } from '../../rig/sockets.ts';
import { runs } from '../../torture/size.ts';

const SHIP = 'batch ship orders.jsonl';

test('A signal ends the wait for a busy service: the waiting record is not sent again', async () => {
  const rig = await shop(orders(5));
  const { env, arrivals } = await scriptedService(() => ({ status: 429, headers: { 'retry-after': '30' } }));
  const ran = await rig.run(`${SHIP} --json --concurrency 1`, {
    env,
    onWait: ({ interrupt }) => interrupt('SIGTERM'),
  });
  expect([ran.exitCode, arrivals.length]).toEqual([143, 1]);
  const rest = await rig.run(`${SHIP} --results rest.jsonl`);
  expect([rest.exitCode, bookedIn(rest)]).toEqual([0, keys(5)]);
});

test.each([
  ['', 4],
  ['--concurrency 8', 8],
])('With %j %i requests are under way at one time, and never more', async (flag, most) => {
  const rig = await shop(orders(24));
  let arrived = 0;
  const [full, open] = event();
  // Nobody is answered before as many are there as may be.
  const { env, seen } = await scriptedService(async key => {
    arrived += 1;
    if (arrived === most) open();
    await full;
    return created(key);
  });
  expect((await rig.run(`${SHIP} ${flag}`, { env })).exitCode).toBe(0);
  expect(seen.most).toBe(most);
});

test('Two files with one key of different input, at one time: one of them is the duplicate', async () => {
  const rig = await createRig();
  const { env, arrivals } = await scriptedService(key => created(key));
  rig.file('one.jsonl', jsonLines([order('A')]));
  rig.file('other.jsonl', jsonLines([order('A', { category: 'gift' })]));
  const runs = await Promise.all(['one', 'other'].map(name => rig.run(`batch ship ${name}.jsonl`, { env })));
  expect(runs.map(({ exitCode }) => exitCode).sort()).toEqual([0, 9]);
  expect(arrivals).toHaveLength(1);
  const lines = ['one', 'other'].flatMap(name => ends(linesIn(rig, `${name}.results.jsonl`)));
  expect(lines.sort()).toEqual(['A created 0 true', 'A duplicate 2 false']);
});

// For any responses of the service, and however often a batch is run: no order is booked twice, and none is lost.

const ANSWERS = {
  created,
  rejected: (): Reply => ({ status: 422, body: { message: 'no' } }),
  failed: (): Reply => ({ status: 500 }),
  reset: (): Reply => 'reset',
  busy: (): Reply => ({ status: 429, headers: { 'retry-after': '1' } }),
  refused: (): Reply => ({ status: 401 }),
} as const;

type Kind = keyof typeof ANSWERS;

/** After one of these an order may exist: nothing of it may be sent again. */
const FINAL: readonly unknown[] = [201, 500, 'reset'];

const answers = fc.array(fc.constantFrom(...(Object.keys(ANSWERS) as Kind[])), { maxLength: 4 });

const situation = fc.record({
  /** For each order what it is answered, one after the other, and after that it is created. */
  scripts: fc.array(answers, { minLength: 1, maxLength: 12 }),
  concurrency: fc.integer({ min: 1, max: 6 }),
  maxUnknown: fc.integer({ min: 1, max: 4 }),
  /** In the first runs: the wait at which a signal comes. A run with a rate waits before each record. */
  signals: fc.array(fc.integer({ min: 1, max: 10 }), { maxLength: 2 }),
});

test('Run until nothing is left to do, each order is booked once or unknown once, and each has its line', async () => {
  await fc.assert(
    fc.asyncProperty(situation, async ({ scripts, concurrency, maxUnknown, signals }) => {
      const all = keys(scripts.length);
      const rig = await createRig();
      const { env, arrivals } = await scriptedService((key, attempt) =>
        ANSWERS[scripts[all.indexOf(key)]?.[attempt - 1] ?? 'created'](key),
      );
      rig.file('orders.jsonl', jsonLines(all.map(key => order(key))));
      const command = `batch ship orders.jsonl --json --rate 100 --retry-rejected --concurrency ${concurrency} --max-unknown ${maxUnknown}`;

      let arrivedBefore = -1;
      // A run that was stopped before its first record has sent nothing either.
      for (let runs = 0; runs <= signals.length || arrivedBefore < arrivals.length; runs += 1) {
        expect(runs).toBeLessThan(60);
        arrivedBefore = arrivals.length;
        let waits = 0;
        const ran = await rig.run(command, {
          env,
          onWait({ interrupt }) {
            waits += 1;
            if (waits === signals[runs]) interrupt('SIGINT');
          },
        });
        const lines = linesIn(rig);
        expect(lines.map(({ key }) => key).sort()).toEqual([...all].sort());
        expect(summaryOf(ran)).toMatchObject({ records: all.length, exitCode: ran.exitCode });
        expect(lines.filter(({ sent }) => sent)).toHaveLength(summaryOf(ran).sent);
      }

      const lines = linesIn(rig);
      for (const key of all) {
        const answered = arrivals.filter(one => one.key === key).map(one => one.answered);
        const final = answered.findIndex(answer => FINAL.includes(answer));
        expect([key, final]).toEqual([key, answered.length - 1]);
        expect([key, lines.find(line => line.key === key)?.state]).toEqual([
          key,
          answered[final] === 201 ? 'created' : 'unknown',
        ]);
      }
    }),
    runs(40),
  );
});
