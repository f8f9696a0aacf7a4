// A fleet whose runners are killed at random, and started again, while its database is restarted under it.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Ended } from '../rig/process.ts';
import { ending } from './breaches.ts';
import { claimsOf, type Fleet, type FleetOptions, isThrough, type Runner, withFleet } from './fleet.ts';
import type { Restart } from './postgres-cluster.ts';
import { randomFrom } from './random.ts';
import type { Started } from './stage.ts';

export interface FleetKills extends FleetOptions {
  kills: number;
  /** How often the database is restarted: the first time by a crash. */
  restarts: number;
  seed: number;
}

/** One kill in so many takes any runner; the others take one that has sent something. */
const ANYBODY = 8;
/** What an answer takes at the most, and what a kill follows the request by that it waited for, in ms. */
const ANSWER = 20;
const AFTER = 20;
/** Between two runs, where the journal may be away; and how many runs one runner may need beside those killed. */
const PAUSE = 200;
const RUNS = 100;

interface Shift {
  runner: Runner;
  /** Of its present run: what runs, and what it had sent before. */
  run?: Started;
  before: number;
  runs: number;
  killed: number;
}

/** Gives what broke a promise. */
export const fleetKilled = (
  command: string,
  { seed, kills, restarts, ...options }: FleetKills,
): Promise<string[]> =>
  withFleet(command, options, async fleet => {
    const { stage, cluster, batch } = fleet;
    const { witness } = stage;
    const random = randomFrom(seed);
    const claims = claimsOf(fleet);
    const shifts = fleet.runners.map((runner): Shift => ({ runner, before: 0, runs: 0, killed: 0 }));
    witness.answersAfter(() => random() * ANSWER);
    const begun = performance.now();
    const working = Promise.all(shifts.map(shift => work(fleet, shift, claims.read)));

    for (const { share, restart } of troubles(kills, restarts)) {
      await Promise.race([witness.arrival(Math.ceil(share * options.records)), working]);
      await sleep(random() * AFTER);
      if (restart) await cluster.restart(restart);
      else await killOne(fleet, shifts, random);
    }

    const ended = await working;
    const told: string[] = [];
    const killed = sum(shifts, shift => shift.killed);
    if (killed < kills) told.push(`${kills - killed} of ${kills} kills came too late`);
    const mostUnknown = killed * options.concurrency;
    for (const [index, last] of ended.entries()) {
      const { name, lines, ledger } = fleet.runners[index] as Runner;
      told.push(...(await ledger.end(last, lines(), mostUnknown)).map(one => `${name}: ${one}`));
    }
    told.push(...claims.told());
    // A line is lost with the runner that was killed between the outcome and its line.
    const unclaimed = claims.unclaimed().length;
    if (unclaimed > mostUnknown) told.push(`${unclaimed} arrived, and no line says that they were sent`);
    const unknown = fleet.runners[0]?.lines().filter(({ state }) => state === 'unknown') ?? [];
    const neverSent = unknown.filter(({ key }) => witness.sent(key) === 0).length;
    process.stdout.write(
      `${batch.keys.length} records, ${shifts.length} runners in ${sum(shifts, ({ runs }) => runs)} runs, ${killed} kills, ${restarts} restarts: ${witness.arrived()} arrived, ${unknown.length} unknown (${neverSent} of them never sent), ${unclaimed} without a line, ${Math.round((performance.now() - begun) / 1000)} s\n`,
    );
    return told;
  });

/** Runs again and again until nothing is left. Gives how the last run ended. */
async function work(
  { stage: { witness } }: Fleet,
  shift: Shift,
  read: (runner: Runner) => void,
): Promise<Ended> {
  const { runner } = shift;
  for (;;) {
    shift.runs += 1;
    shift.before = witness.arrived(runner.name);
    shift.run = runner.start();
    const ended = await shift.run.ended;
    delete shift.run;
    runner.ledger.read(runner.lines());
    read(runner);
    if (ended.signal === null && isThrough(ended)) return ended;
    if (ended.signal !== null) shift.killed += 1;
    else if (ended.code !== 8 && ended.code !== 10) throw new Error(`${runner.name}: ${ending(ended)}`);
    else await sleep(PAUSE);
    if (shift.runs - shift.killed > RUNS) throw new Error(`${runner.name} comes to no end: ${ending(ended)}`);
  }
}

async function killOne(
  { stage: { witness } }: Fleet,
  shifts: readonly Shift[],
  random: () => number,
): Promise<void> {
  const there = shifts.filter(({ run }) => run);
  const sending = there.filter(({ runner, before }) => witness.arrived(runner.name) > before);
  const of = sending.length === 0 || random() < 1 / ANYBODY ? there : sending;
  const run = of[Math.floor(random() * of.length)]?.run;
  run?.child.kill('SIGKILL');
  await run?.ended;
}

interface Trouble {
  /** How much of the records has arrived by then. */
  share: number;
  restart?: Restart;
}

/** Spread over all records, except the last ones, which are already under way. */
function troubles(kills: number, restarts: number): Trouble[] {
  const some = (count: number, more: (index: number) => Omit<Trouble, 'share'>) =>
    Array.from({ length: count }, (_, index) => ({ share: (0.9 * (index + 0.5)) / count, ...more(index) }));
  return [
    ...some(kills, () => ({})),
    ...some(restarts, index => ({ restart: index === 0 ? 'immediate' : 'fast' })),
  ].sort((a, b) => a.share - b.share);
}

const sum = <T>(list: readonly T[], of: (one: T) => number): number =>
  list.reduce((all, one) => all + of(one), 0);
