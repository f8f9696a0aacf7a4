// For any responses of the service, and however often a batch is run: no order is booked twice, and none is lost.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  created,
  jsonLines,
  keys,
  linesIn,
  order,
  type Reply,
  scriptedService,
  summaryOf,
} from '../../rig/batch.ts';
import { createRig } from '../../rig/command.ts';
import { runs } from '../../torture/size.ts';

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
