// A fleet whose runners are killed at random and started again, while its database is restarted.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Ended } from '../rig/process.ts';
import { ending } from './breaches.ts';
import { claimsOf, type Fleet, type FleetOptions, isThrough, type Runner, withFleet } from './fleet.ts';
import { NO_HIT } from './kills.ts';
import type { Restart } from './postgres-cluster.ts';
import { randomFrom } from './random.ts';
import type { Started } from './stage.ts';

export interface FleetKills extends FleetOptions {
  kills: number;
  /** How often the database is restarted: the first time by a crash. */
  restarts: number;
  seed: number;
}

/** One kill in this many hits any runner; the others hit a runner that has sent something. */
const ANY_RUNNER = 8;
/** The longest time of a response, and the longest time between a request and the kill that follows it, in ms. */
const ANSWER = 20;
const AFTER = 20;
/** The pause in ms between two runs if the journal may be down, and how many runs one runner may need beside those killed. */
const PAUSE = 200;
const RUNS = 100;

interface Shift {
  runner: Runner;
  /** The current run, and how much was sent before it. */
  run?: Started;
  before: number;
  runs: number;
  killed: number;
}

/** Gives the broken promises. */
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
    const broken: string[] = [];
    const killed = sum(shifts, shift => shift.killed);
    if (killed < kills) broken.push(`${kills - killed} of ${kills} kills came too late`);
    const mostUnknown = killed * options.concurrency;
    for (const [index, last] of ended.entries()) {
      const { name, lines, ledger } = fleet.runners[index] as Runner;
      broken.push(...(await ledger.end(last, lines(), mostUnknown)).map(one => `${name}: ${one}`));
    }
    broken.push(...claims.broken());
    // A runner that is killed between an outcome and its line loses that line.
    const unclaimed = claims.unclaimed().length;
    if (unclaimed > mostUnknown) broken.push(`${unclaimed} arrived, and no line reports them as sent`);
    const unknown = fleet.runners[0]?.lines().filter(({ state }) => state === 'unknown') ?? [];
    if (kills > 0 && unknown.length === 0) broken.push(NO_HIT);
    const neverSent = unknown.filter(({ key }) => witness.sent(key) === 0).length;
    process.stdout.write(
      `${batch.keys.length} records, ${shifts.length} runners in ${sum(shifts, ({ runs }) => runs)} runs, ${killed} kills, ${restarts} restarts: ${witness.arrived()} arrived, ${unknown.length} unknown (${neverSent} of them never sent), ${unclaimed} without a line, ${Math.round((performance.now() - begun) / 1000)} s\n`,
    );
    return broken;
  });

/** Runs again until no record is left. Gives the end of the last run. */
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
    if (shift.runs - shift.killed > RUNS) throw new Error(`${runner.name} does not finish: ${ending(ended)}`);
  }
}

async function killOne(
  { stage: { witness } }: Fleet,
  shifts: readonly Shift[],
  random: () => number,
): Promise<void> {
  const running = shifts.filter(({ run }) => run);
  const sending = running.filter(({ runner, before }) => witness.arrived(runner.name) > before);
  const of = sending.length === 0 || random() < 1 / ANY_RUNNER ? running : sending;
  const run = of[Math.floor(random() * of.length)]?.run;
  run?.child.kill('SIGKILL');
  await run?.ended;
}

interface Trouble {
  /** The share of the records that has arrived by then. */
  share: number;
  restart?: Restart;
}

/** Spread over all records except the last ones, which are already in flight. */
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
