// A limit of a day with many processes, of which some are killed.
import { expect, test } from 'vitest';
import { build } from '../rig/build.ts';
import { titled } from '../rig/needs.ts';
import { noPostgres } from '../rig/postgres.ts';
import type { Ended } from '../rig/process.ts';
import { ending } from './breaches.ts';
import { shipDual } from './scenarios.ts';
import { randomFrom, SEED } from './size.ts';
import { createGate, history, type Started } from './stage.ts';
import { LOCKS_HELD, PROBES, SENT } from './steps.ts';
import { onLosingStage, stoppedAt } from './stopped.ts';

const PROCESSES = 32;
/** Orders that a day has room for. */
const ROOM = 10;
const LIMITED = { WAYBILL_POLICY_MAX_PER_DAY: `${ROOM * 10}EUR` };
const KILLED_AT = ['claim written, not committed', 'claim committed', SENT, 'outcome written, not committed'];
/** In ms: some are killed at any moment after they are let go. */
const AFTER = 1500;

const order = (key: string) => {
  const { argv, stdin } = shipDual(key);
  return { argv: [...argv, '--max-price', '10EUR'], options: { stdin, env: LIMITED } };
};

const KINDS = [
  ['local', undefined],
  ['shared', noPostgres],
] as const;

for (const [journal, lacking] of KINDS)
  test.skipIf(lacking)(
    titled(
      `${PROCESSES} processes with a ${journal} journal never book more than a day's limit, whoever is killed (TORTURE_SEED=${SEED})`,
      lacking,
    ),
    async () => {
      const command = await build(PROBES);
      const random = randomFrom(SEED);
      const broken = await onLosingStage(command, { journal, by: 'aged' }, async ({ stage, lose }) => {
        const wrong: string[] = [];
        const { witness } = stage;
        const run = (key: string, more = {}): Started => {
          const { argv, options } = order(key);
          return stage.start(argv, { ...options, ...more });
        };
        const held = async () => (await history(stage)).filter(({ state }) => state !== 'rejected');

        // Three are claimed and never sent: nobody knows that yet, so they count.
        for (const key of ['LOST-1', 'LOST-2', 'LOST-3']) await run(key, { step: 'claim committed' }).ended;

        const gate = await createGate();
        const keys = Array.from({ length: PROCESSES }, (_, index) => `K-${index}`);
        keys.forEach((key, index) => {
          if (index % 8 === 1) witness.replies(key, 'error');
          // It is refused unread, and what it had claimed is free again.
          if (index % 8 === 3) witness.replies(key, 'busy');
        });
        const begun = keys.map((key, index) =>
          run(key, { gate, ...(index % 8 === 5 && { step: KILLED_AT[(index >> 3) % KILLED_AT.length] }) }),
        );
        await Promise.race([gate.waiting(PROCESSES), Promise.all(begun.map(({ ended }) => ended))]);
        gate.open();
        const timers = begun.flatMap(({ child }, index) =>
          index % 8 === 7 ? setTimeout(() => child.kill('SIGKILL'), random() * AFTER) : [],
        );
        const ends: Ended[] = await Promise.all(begun.map(({ ended }) => ended));
        for (const timer of timers) clearTimeout(timer);
        await gate.close();

        ends.forEach((end, index) => {
          const key = keys[index] as string;
          if (end.signal === null && ![0, 6, 8, 12].includes(end.code ?? -1))
            wrong.push(`${key} ended otherwise: ${ending(end)}`);
          if (end.code === 12 && witness.sent(key) > 0) wrong.push(`${key} was refused and sent`);
        });
        await lose();
        const first = (await held()).length;
        if (first > ROOM) wrong.push(`${first} have room in a day of ${ROOM}`);

        // What was released is free again: those that were refused get it, and no more.
        const refused = keys.filter((key, index) => ends[index]?.code === 12 && witness.sent(key) === 0);
        if (refused.length < PROCESSES - ROOM - 8) wrong.push(`only ${refused.length} were refused`);
        for (const key of refused.slice(0, ROOM)) await run(key).ended;
        const second = (await held()).length;
        if (second !== ROOM) wrong.push(`${second} are held after another try, not ${ROOM}`);

        // The same of an unknown that a person has settled.
        const resolve = 'history resolve LOST-1 LOST-2 --not-created --force --reason x';
        const resolved = await stage.run(resolve.split(' '));
        if (resolved.code !== 0) wrong.push(`not resolved: ${ending(resolved)}`);
        const last = ['LAST-1', 'LAST-2', 'LAST-3'];
        const codes: (number | null)[] = [];
        for (const key of last) codes.push((await run(key).ended).code);
        if (codes.join() !== '0,0,12') wrong.push(`the last ones ended with ${codes}`);
        return wrong;
      });
      expect(broken).toEqual([]);
    },
  );

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
