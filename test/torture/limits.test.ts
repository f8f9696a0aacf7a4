// A limit of a day in a shared journal, and a process that is stopped while it claims: weave.test.ts has the rest.
import { expect, test } from 'vitest';
import { build } from '../rig/build.ts';
import { titled } from '../rig/needs.ts';
import { noPostgres } from '../rig/postgres.ts';
import { ending } from './breaches.ts';
import { shipDual } from './scenarios.ts';
import type { Started } from './stage.ts';
import { LOCKS_HELD, PROBES } from './steps.ts';
import { onLosingStage, stoppedAt } from './stopped.ts';

const LIMITED = { WAYBILL_POLICY_MAX_PER_DAY: '100EUR' };
const order = (key: string) => {
  const { argv, stdin } = shipDual(key);
  return { argv: [...argv, '--max-price', '10EUR'], options: { stdin, env: LIMITED } };
};

test.skipIf(noPostgres)(
  titled(
    'A process that is stopped while it claims holds up no other one for long, and claims nothing',
    noPostgres,
  ),
  async () => {
    const command = await build([...PROBES, LOCKS_HELD]);
    const broken = await onLosingStage(command, { journal: 'shared', by: 'aged' }, async ({ stage }) => {
      const run = (key: string, more = {}): Started => {
        const { argv, options } = order(key);
        return stage.start(argv, { ...options, ...more });
      };
      const first = await stoppedAt(stage, { step: LOCKS_HELD.at }, ['STOPPED'], more =>
        run('STOPPED', more),
      );
      const others = await Promise.all(['A', 'B', 'C'].map(key => run(key).ended));
      first.child.kill('SIGCONT');
      const ends = [...others, await first.ended];
      const codes = ends.map(({ code }) => code).join();
      const sent = stage.witness.sent('STOPPED');
      return codes === '0,0,0,10' && sent === 0 ? [] : [`${sent} sent`, ...ends.map(ending)];
    });
    expect(broken).toEqual([]);
  },
);
