// A scenario for a process whose clock is set while its request is in flight.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { breaches, ending } from './breaches.ts';
import { ship } from './jobs.ts';
import { atTime } from './lost.ts';
import type { Scenario } from './scenarios.ts';
import { history, onStage } from './stage.ts';

/**
 * Its clock differs from the true one by each of these, one after the other. Another process with the true clock books the
 * same in the meantime: it waits and shows the answer, or says that it is unknown. Either way it is booked once.
 */
export const clockSet =
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
        const runs = [await first.ended, await other, await stage.run(argv, { stdin })];
        const codes = [0, whileInFlight, 0];
        const broken = runs
          .filter(({ code }, index) => code !== codes[index])
          .map(run => `wrong exit code: ${ending(run)}`);
        if (witness.sent(key) !== 1) broken.push(`booked twice: sent ${witness.sent(key)} times`);
        const states = (await history(stage)).map(({ state }) => state).join();
        if (states !== 'created') broken.push(`lost: the journal has ${states}`);
        return [
          ...broken,
          ...breaches(
            witness,
            key,
            [runs[0], runs[2]].flatMap(run => run ?? []),
          ),
        ];
      },
      more,
    );
