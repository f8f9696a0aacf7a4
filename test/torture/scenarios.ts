// What is done to a command, as functions that give what went wrong: on the command as it is, nothing; on a mutant,
// something. Each has a stage of its own.
import { breaches, ending, shownBy } from './breaches.ts';
import { type Job, ship } from './jobs.ts';
import { createGate, history, onStage, type Stage } from './stage.ts';
import type { Step } from './steps.ts';
import type { Reply } from './witness.ts';

export type Scenario = (command: string) => Promise<string[]>;

export interface Killing {
  job?: (key: string) => Job;
  /** At which time of coming to the step: a second booking comes to it again. */
  nth?: number;
  /** Whether power goes with the process. */
  power?: boolean;
  /** Whether a doubt is settled then, and the booking asked for once more. */
  settle?: boolean;
}

/** Killed at a step and run again: it is booked once, or it is unknown and the command says so. */
export function killedAt(
  step: Step,
  { job = ship, nth = 1, power = false, settle = false }: Killing = {},
): Scenario {
  return command =>
    onStage(command, async stage => {
      const { witness } = stage;
      const { argv, stdin, key, created } = job('K');
      const told: string[] = [];
      const expect = (what: string, got: unknown, wanted: unknown) => {
        if (got !== wanted) told.push(`wrong ${what}: ${got}, not ${wanted}`);
      };
      const killed = await stage.run(argv, { stdin, step: `${step.name}:${nth}` });
      expect('end', killed.signal, 'SIGKILL');
      await witness.quiet();
      expect('count at the kill', witness.sent(key), step.sent);
      if (power) stage.cutPower();

      const again = await stage.run(argv, { stdin });
      if (again.code !== step.again) told.push(`wrong exit code: ${ending(again)}`);
      expect('count after all', witness.sent(key), step.again === 8 ? step.sent : 1);
      told.push(...breaches(witness, key, [killed, again]));
      if (again.code !== 8) return told;

      const [doubt, ...others] = await history(stage, '--state', 'unknown');
      if (doubt === undefined || others.length > 0)
        return [...told, `silent unknown: ${others.length} others in the journal, and ${doubt?.id}`];
      if (!settle) return told;
      const [id] = witness.made(key);
      const answer = id === undefined ? ['--not-created'] : created(id);
      const resolved = await stage.run(['history', 'resolve', doubt.id, ...answer, '--json']);
      if (resolved.code !== 0) told.push(`not settled: ${ending(resolved)}`);
      const settled = await stage.run(argv, { stdin });
      if (settled.code !== 0) told.push(`wrong exit code once settled: ${ending(settled)}`);
      for (const one of witness.keys()) expect(`count of ${one}`, witness.sent(one), 1);
      expect('count once settled', witness.sent(key), 1);
      return [...told, ...breaches(witness, key, [settled])];
    });
}

/** Met with replies and run again: both end like that, and so many requests have arrived. */
export function answered(replies: readonly Reply[], exit: number, sent: number): Scenario {
  return command =>
    onStage(command, async stage => {
      const { witness } = stage;
      const { argv, stdin, key } = ship('K');
      witness.replies(key, ...replies);
      const runs = [await stage.run(argv, { stdin }), await stage.run(argv, { stdin })];
      const told = runs.filter(({ code }) => code !== exit).map(run => `wrong exit code: ${ending(run)}`);
      if (witness.sent(key) !== sent) told.push(`wrong count: ${witness.sent(key)}, not ${sent}`);
      return [...told, ...breaches(witness, key, runs)];
    });
}

/** Several processes with one key, all of which have looked before the first of them claims. */
export const raced =
  (processes: number): Scenario =>
  command =>
    onStage(command, async stage => {
      const { argv, stdin, key } = ship('ONE');
      const gate = await createGate();
      try {
        const started = Array.from({ length: processes }, () => stage.run(argv, { stdin, gate }));
        await Promise.race([gate.waiting(processes), Promise.all(started)]);
        gate.open();
        return raceOf(stage, key, await Promise.all(started));
      } finally {
        await gate.close();
      }
    });

/** The same without a gate, as it comes. */
export const started =
  (processes: number): Scenario =>
  command =>
    onStage(command, async stage => {
      const { argv, stdin, key } = ship('ONE');
      const runs = Array.from({ length: processes }, () => stage.run(argv, { stdin }));
      return raceOf(stage, key, await Promise.all(runs));
    });

function raceOf({ witness }: Stage, key: string, runs: Awaited<ReturnType<Stage['run']>>[]): string[] {
  const told = runs.filter(({ code }) => code !== 0).map(run => `wrong exit code: ${ending(run)}`);
  if (witness.sent(key) !== 1) told.push(`wrong count: ${witness.sent(key)}, not 1`);
  if (new Set(runs.map(shownBy)).size !== 1) told.push('they have shown different answers');
  return [...told, ...breaches(witness, key, runs)];
}
