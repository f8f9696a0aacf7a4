// A batch that is killed again and again at random moments, until it is let finish.
import { type BatchOptions, batchOn } from './batch.ts';
import { ledgerOf } from './batch-ledger.ts';
import { randomFrom } from './random.ts';
import { onStage } from './stage.ts';

export interface BatchKills extends BatchOptions {
  kills: number;
  seed: number;
  /** Takes the power with each process: the command needs probes. */
  power: boolean;
}

/** One kill in so many falls before the first request: into the start, or into the reading of the input. */
const EARLY = 8;
/** What an answer takes at the most, and what a kill follows the request by that it waited for, in ms. */
const ANSWER = 6;
const AFTER = 6;

/** Gives what broke a promise. */
export function batchKilled(
  command: string,
  { kills, seed, power, ...options }: BatchKills,
): Promise<string[]> {
  const random = randomFrom(seed);
  return onStage(command, async stage => {
    const { witness } = stage;
    const batch = batchOn(stage, options);
    const ledger = ledgerOf(stage, batch);
    witness.answersAfter(() => random() * ANSWER);
    // What the last run took to its first request.
    let reading = 200;
    let left = kills;
    for (let run = 0; left > 0 && run < 2 * kills; run += 1) {
      const begun = performance.now();
      const before = witness.arrived();
      const { child, ended } = batch.start();
      const arrival = (count: number) => Promise.race([witness.arrival(before + count), ended]);
      const open = ledger.open();
      const early = open === 0 || run % EARLY === 0;
      // Those that are open are shared out among the kills that are left, and the end.
      const more = Math.ceil(((random() * 2) / (left + 1)) * open);
      if (!early) {
        await arrival(1);
        reading = performance.now() - begun;
        await arrival(more);
      }
      const timer = setTimeout(() => child.kill('SIGKILL'), random() * (early ? reading : AFTER));
      const { signal } = await ended;
      clearTimeout(timer);
      if (signal !== null) left -= 1;
      ledger.read(batch.lines());
      if (!power) continue;
      stage.cutPower();
      batch.cutResults(random());
    }
    const told = left > 0 ? [`${left} of ${kills} kills came too late`] : [];
    const last = await batch.start().ended;
    return [...told, ...(await ledger.end(last, batch.lines(), kills * options.concurrency))];
  });
}
