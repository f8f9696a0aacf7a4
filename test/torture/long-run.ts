// A program that books many keys and is killed again and again, with the power each time, until it is let finish. Its
// journal is large enough for the WAL to begin anew on the way. Whatever is given its keys as arguments and shows a
// `Line` for each can be put through this; what else books many needs no more than a stage, its witness and `cutPower`.
import type { Line } from './driver.ts';
import { randomFrom } from './random.ts';
import { onStage } from './stage.ts';

export interface LongRun {
  keys: readonly string[];
  kills: number;
  seed: number;
}

/** What was shown, as far as the lines are whole. */
export const linesOf = (stdout: string): Line[] =>
  stdout
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line));

/** Gives what broke a promise. The program shows a `Line` for each key, and needs probes. */
export function killedOnTheWay(program: string, { keys, kills, seed }: LongRun): Promise<string[]> {
  const random = randomFrom(seed);
  return onStage(program, async stage => {
    const { witness } = stage;
    const told: string[] = [];
    const shown = new Map<string, string>();
    const show = (stdout: string) => {
      for (const [key, became] of linesOf(stdout)) {
        if ((shown.get(key) ?? became) !== became)
          told.push(`lost: ${key} was shown as ${shown.get(key)}, and then as ${became}`);
        shown.set(key, became);
      }
    };
    for (let round = 0; round < kills; round += 1) {
      // Those that were booked are shown once more, so that each round comes further than the last.
      const last = Math.floor(((round + random()) / kills) * keys.length);
      const { child, ended } = stage.start(keys);
      let lines = 0;
      child.stdout?.on('data', (chunk: string) => {
        const before = lines;
        lines += chunk.split('\n').length - 1;
        // A line is followed by the next claim: a booking takes a few milliseconds, and any of them may be hit.
        if (before <= last && lines > last) setTimeout(() => child.kill('SIGKILL'), random() * 5);
      });
      show((await ended).stdout);
      stage.cutPower();
    }
    const { code, stdout, stderr } = await stage.run(keys);
    if (code !== 0) told.push(`exit ${code}: ${stderr}`);
    show(stdout);

    for (const key of keys) {
      const made = witness.made(key);
      const became = shown.get(key);
      if (witness.sent(key) > 1) told.push(`doubled: ${key} was sent ${witness.sent(key)} times`);
      if (became !== 'unknown' && became !== made[0])
        told.push(`${key} was shown as ${became}, but is ${made[0]}`);
    }
    const doubts = [...shown.values()].filter(became => became === 'unknown').length;
    if (doubts > kills) told.push(`${doubts} doubts come from ${kills} kills`);
    return told;
  });
}
