// The scenarios of `stopped.ts` for a batch: all of its requests are stopped at the same moment.
import { batchOn, type Line } from './batch.ts';
import { ending } from './breaches.ts';
import { onLosingStage } from './lost.ts';
import type { Scenario } from './scenarios.ts';
import { history, type RunOptions } from './stage.ts';
import type { Stop } from './stopped.ts';
import { stoppedAt } from './stopping.ts';

const SIZE = { records: 4, concurrency: 4 };

/** Gives the broken promises. */
export const batchStopped =
  ({ at, lost, again }: Pick<Stop, 'at' | 'lost' | 'again'>): Scenario =>
  command =>
    onLosingStage(command, lost, async ({ stage, other, lose }) => {
      const { witness } = stage;
      const batch = batchOn(stage, SIZE);
      const { keys } = batch;
      const broken: string[] = [];
      const check = (holds: boolean, otherwise: string) => void (holds || broken.push(otherwise));
      const sent = () => keys.map(key => witness.sent(key)).join();
      const shown = (lines: readonly Line[]) =>
        lines
          .map(({ key, state, shipmentId }) => `${key} ${state} ${shipmentId}`)
          .sort()
          .join('; ');
      const each = (state: string, nth?: number) =>
        keys.map(key => `${key} ${state} ${nth === undefined ? null : `S-${key}-${nth}`}`).join('; ');
      /** Runs it as the other process. */
      async function run(results: string, code: number, wanted: string): Promise<void> {
        const ended = await batchOn(other, SIZE).start({ results }).ended;
        const lines = shown(batch.lines(results));
        check(
          ended.code === code && lines === wanted,
          `${results} ends with ${ending(ended)}, its lines are ${lines}, not ${wanted}`,
        );
      }

      const start = (options: RunOptions) => batch.start({ results: 'first.jsonl', ...options });
      const first = await stoppedAt(stage, at, keys, start);
      await lose();
      await run('unknown.jsonl', 8, each('unknown'));
      const unknown = await history(other, '--state', 'unknown');
      check(unknown.length === keys.length, `${unknown.length} are listed as unknown, not ${keys.length}`);
      for (const { id } of unknown)
        await other.run(['history', 'resolve', id, '--not-created', '--force', '--reason', 'gone', '--json']);
      const nth = at === 'in flight' && again ? 2 : 1;
      if (again) await run('again.jsonl', 0, each('created', nth));

      const before = sent();
      witness.release();
      first.child.kill('SIGCONT');
      const back = await first.ended;
      const lines = shown(batch.lines('first.jsonl'));
      check(sent() === before, `booked twice: sent ${sent()} times, not ${before}`);
      const left = (await history(other, '--state', 'unknown')).map(({ id }) => id).sort();
      if (at === 'in flight' && again) {
        check(back.code === 8, `wrong exit code, not 8: ${ending(back)}`);
        check(/^(K\d unknown S-K\d-1(; )?)+$/.test(lines), `lost: the lines are ${lines}`);
        const ids = unknown.map(({ id }) => id).sort();
        check(left.join() === ids.join(), `lost: unknown are ${left}, not ${ids}`);
      } else if (at === 'in flight' || again) {
        check(back.code === 0, `wrong exit code, not 0: ${ending(back)}`);
        check(lines === each('created', 1), `lost: the lines are ${lines}`);
        check(left.length === 0, `still unknown: ${left}`);
      } else {
        check(back.code !== 0 && back.code !== 8, `wrong exit code: ${ending(back)}`);
        check(lines === each('not_sent'), `the lines are ${lines}`);
      }
      await run('last.jsonl', 0, each('created', nth));
      const { length } = keys.filter(key => witness.created(key).length !== nth);
      check(length === 0, `booked twice: ${length} keys were not created ${nth} times`);
      return broken;
    });
