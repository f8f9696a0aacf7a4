// A batch that is killed again and again at random moments, and then runs to its end.
import { type BatchOptions, batchOn } from './batch.ts';
import { ledgerOf } from './batch-ledger.ts';
import { NO_HIT } from './kills.ts';
import { randomFrom } from './random.ts';
import { endedAfter, onStage } from './stage.ts';

export interface BatchKills extends BatchOptions {
  kills: number;
  seed: number;
  /** Simulates a power loss with each kill: the command needs probes. */
  power: boolean;
}

/** One kill in so many comes before the first request: during the start or the reading of the input. */
const EARLY = 8;
/** The longest time of a response, and the longest time between a request and the kill that follows it, in ms. */
const ANSWER = 6;
const AFTER = 6;

/** Gives the broken promises. */
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
    // How long the last run took to its first request.
    let reading = 200;
    let left = kills;
    for (let run = 0; left > 0 && run < 2 * kills; run += 1) {
      const begun = performance.now();
      const before = witness.arrived();
      const started = batch.start();
      const arrival = (count: number) => Promise.race([witness.arrival(before + count), started.ended]);
      const open = ledger.open();
      const early = open === 0 || run % EARLY === 0;
      // The open records are shared between the kills that are left and the last run.
      const more = Math.ceil(((random() * 2) / (left + 1)) * open);
      if (!early) {
        await arrival(1);
        reading = performance.now() - begun;
        await arrival(more);
      }
      const { signal } = await endedAfter(started, random() * (early ? reading : AFTER));
      if (signal !== null) left -= 1;
      ledger.read(batch.lines());
      if (!power) continue;
      stage.cutPower();
      batch.cutResults(random());
    }
    const breaches = left > 0 ? [`${left} of ${kills} kills came too late`] : [];
    const last = await batch.start().ended;
    if (!batch.lines().some(({ state }) => state === 'unknown')) breaches.push(NO_HIT);
    return [...breaches, ...(await ledger.end(last, batch.lines(), kills * options.concurrency))];
  });
}
