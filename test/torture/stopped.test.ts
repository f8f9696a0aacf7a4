// Processes that are stopped for longer than their claims hold and then continue, and processes whose clocks are set.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { build } from '../rig/build.ts';
import { titled } from '../rig/needs.ts';
import { inSharedPlace, noPostgres } from '../rig/postgres.ts';
import { breaches, sentTwice, wrongCodes } from './breaches.ts';
import { type Job, label, type Scenario, ship, shipDual, shipOnce, shipWithoutKey } from './scenarios.ts';
import { FULL } from './size.ts';
import { history, onStage } from './stage.ts';
import { PROBES, STOPS } from './steps.ts';
import { atTime, batchStopped, type Loss, noClocks, type Stop, stopped } from './stopped.ts';

/**
 * Its clock differs from the true one by each of these, one after the other. Another process with the true clock books the
 * same in the meantime: it waits and shows the answer, or says that it is unknown. Either way it is booked once.
 */
const clockSet =
  (clocks: readonly string[], whileInFlight: 0 | 8, more: Record<string, string> = {}): Scenario =>
  command =>
    onStage(
      command,
      async stage => {
        const { witness } = stage;
        const { argv, stdin, key } = ship('K');
        const file = join(stage.folder, 'clock');
        const [at = '+0', ...later] = clocks;
        writeFileSync(file, at);
        witness.replies(key, 'held');
        const first = stage.start(argv, { stdin, env: atTime({ file }) });
        await Promise.race([witness.arrival(1), first.ended]);
        for (const clock of later) {
          writeFileSync(file, clock);
          await history(stage);
        }
        const other = stage.run(argv, { stdin });
        if (whileInFlight === 8) await other;
        witness.release();
        const meanwhile = await other;
        const runs = [await first.ended, await stage.run(argv, { stdin })];
        const states = (await history(stage)).map(({ state }) => state).join();
        return [
          ...[...wrongCodes(0, ...runs), ...wrongCodes(whileInFlight, meanwhile)],
          ...sentTwice(witness),
          ...(states === 'created' ? [] : [`lost: the journal has ${states}`]),
          ...breaches(witness, key, runs),
        ];
      },
      more,
    );

const LOCAL: Loss = { journal: 'local', by: 'aged' };
const SHARED: Loss = { journal: 'shared', by: 'aged' };
const AHEAD: Loss = { journal: 'local', by: 'clock' };
const WAITED: Loss = { journal: 'shared', by: 'waited' };

type Case = Pick<Stop, 'at' | 'again' | 'lost' | 'late'> & { job: (key: string) => Job };

const JOBS = [ship, shipWithoutKey, label, shipDual];
const MOMENTS = [
  { at: 'waiting', again: true },
  { at: 'waiting', again: false },
  { at: 'in flight', again: true },
  { at: 'in flight', again: false },
] as const;
const steps = STOPS.flatMap(step => [true, false].map(again => ({ at: { step }, again })));

/** Those of `npm test`; the mutants have further ones. */
const FEW: readonly Case[] = [
  { job: ship, at: 'waiting', again: true, lost: SHARED },
  { job: shipOnce, at: { step: 'about to send' }, again: true, lost: LOCAL },
];

const ALL: readonly Case[] = [
  ...[LOCAL, SHARED, AHEAD].flatMap(lost =>
    JOBS.flatMap(job => MOMENTS.map(moment => ({ ...moment, job, lost }))),
  ),
  ...[LOCAL, SHARED, AHEAD].map(
    lost => ({ at: 'in flight', again: true, late: 'not created', job: ship, lost }) as const,
  ),
  ...[LOCAL, SHARED].flatMap(lost =>
    steps.flatMap(step => [ship, shipOnce].map(job => ({ ...step, job, lost }))),
  ),
  ...[...MOMENTS, ...steps].map(moment => ({ ...moment, job: ship, lost: WAITED })),
];

const BATCHES = (FULL ? [LOCAL, SHARED, AHEAD, WAITED] : [LOCAL]).flatMap(lost =>
  (FULL ? MOMENTS : MOMENTS.slice(1, 3)).map(moment => ({ ...moment, lost })),
);

/** What a case needs and this machine does not have. */
function lacking({ at, lost: { journal, by } }: Pick<Case, 'at' | 'lost'>): string | undefined {
  if (journal === 'shared' && noPostgres) return noPostgres;
  // A claim in a shared journal is not asked about again at once: the clock of the process must go on.
  const needsClock = by === 'clock' || (journal === 'shared' && by === 'aged' && typeof at === 'object');
  return needsClock ? noClocks : undefined;
}

const OUTLIVED = {
  aged: 'whose record is made older',
  waited: 'that waits for more than a lease',
  clock: 'before another one whose clock is two hours ahead',
};

function titleOf({ at, again, lost: { journal, by }, late }: Omit<Case, 'job'>, name: string): string {
  const where = typeof at === 'string' ? at : `at the step "${at.step}"`;
  const ends = again ? 'is settled and booked again' : 'is settled';
  return `${name}, ${where}, ${OUTLIVED[by]}, in the ${journal} journal, ${ends}${late ? `, and resolved as ${late}` : ''}`;
}

describe('A process that is stopped sends nothing after its booking was settled, and its answer is not dropped', () => {
  for (const one of FULL ? ALL : FEW) {
    const lacks = lacking(one);
    const title = titleOf(one, one.job('K').name);
    test.skipIf(lacks).concurrent(titled(title, lacks), async () => {
      expect(await stopped(one)(await build(PROBES))).toEqual([]);
    });
  }

  for (const one of BATCHES) {
    const lacks = lacking(one);
    const title = titleOf(one, 'batch');
    test.skipIf(lacks).concurrent(titled(title, lacks), async () => {
      expect(await batchStopped(one)(await build(PROBES))).toEqual([]);
    });
  }
});

const CLOCKS = [
  [['+0', '+2h', '+0'], 0],
  [['+2h', '+0'], 0],
  [['+0', '-2h', '+2h'], 0],
  [['-2h', '+0'], 8],
] as const;

describe.skipIf(noClocks)(titled('A process whose clock is set in flight books once', noClocks), () => {
  test.concurrent.each(FULL ? CLOCKS : CLOCKS.slice(0, 1))(
    '%j, in the local journal',
    async (clocks, code) => {
      expect(await clockSet(clocks, code)(await build(PROBES))).toEqual([]);
    },
  );

  // A shared journal has its own clock.
  test.skipIf(noPostgres).concurrent.each(FULL ? CLOCKS : [])(
    titled('%j, in a shared journal', noPostgres),
    async clocks => {
      const command = await build(PROBES);
      const broken = await inSharedPlace(({ address }) =>
        clockSet(clocks, 0, { WAYBILL_JOURNAL: address })(command),
      );
      expect(broken).toEqual([]);
    },
  );
});
