// Runners of one batch, each a machine with folders of its own, against one journal in PostgreSQL.
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { build } from '../rig/build.ts';
import { titled } from '../rig/needs.ts';
import type { Ended } from '../rig/process.ts';
import { type Batch, type BatchOptions, batchOn, type Ledger, type Line, ledgerOf } from './batch.ts';
import { ending, NO_HIT } from './breaches.ts';
import { type Cluster, noCluster, type Restart, withCluster } from './postgres-cluster.ts';
import { DIVIDED, FLEET, FULL, randomFrom, SEED } from './size.ts';
import { history, onStage, type Stage, type Started } from './stage.ts';
import { SHORT_LEASE } from './steps.ts';

interface FleetOptions extends BatchOptions {
  runners: number;
}

interface Runner {
  /** Also its token, by which the witness recognizes it. */
  name: string;
  start(): Started;
  /** The lines of its results so far. */
  lines(): Line[];
  ledger: Ledger;
}

interface Fleet {
  stage: Stage;
  cluster: Cluster;
  batch: Batch;
  runners: readonly Runner[];
}

/** Calls `act` with a fleet that is not started yet. */
const withFleet = <T>(
  command: string,
  { runners, ...options }: FleetOptions,
  act: (fleet: Fleet) => Promise<T>,
): Promise<T> =>
  withCluster(cluster =>
    onStage(
      command,
      stage => {
        const batch = batchOn(stage, options);
        const names = Array.from({ length: runners }, (_, index) => `machine-${index + 1}`);
        return act({ stage, cluster, batch, runners: names.map(name => runnerOn(stage, batch, name)) });
      },
      { WAYBILL_JOURNAL: cluster.url },
    ),
  );

function runnerOn(stage: Stage, batch: Batch, name: string): Runner {
  const results = `${name}.jsonl`;
  const home = `${stage.folder}/${name}`;
  const env = {
    HOME: home,
    WAYBILL_STATE_DIR: `${home}/state`,
    WAYBILL_CONFIG_DIR: `${home}/config`,
    WAYBILL_TOKEN: name,
  };
  return {
    name,
    start: () => batch.start({ results, env }),
    lines: () => batch.lines(results),
    ledger: ledgerOf(stage, batch),
  };
}

/** A run has finished its file if every record is created or unknown. */
function isThrough({ code, stdout }: Ended): boolean {
  if (code !== 0 && code !== 8) return false;
  const { states } = JSON.parse(stdout) as { states: Record<string, number> };
  return Object.keys(states).every(state => state === 'created' || state === 'unknown');
}

/** Compares the records that each runner reports as sent with the requests that arrived. */
interface Claims {
  read(runner: Runner): void;
  /** Keys that arrived although no line reports them as sent. */
  unclaimed(): string[];
  /** The broken promises so far. */
  broken(): string[];
}

function claimsOf({ stage: { witness } }: Pick<Fleet, 'stage'>): Claims {
  const sentBy = new Map<string, string>();
  const broken = new Set<string>();
  return {
    read({ name, lines }) {
      for (const { key, sent } of lines()) {
        if (!sent) continue;
        const senders = witness.senders(key).join();
        if (senders !== name)
          broken.add(`${name} reports ${key} as sent, but it was sent by ${senders || 'no runner'}`);
        sentBy.set(key, name);
      }
    },
    unclaimed: () => witness.keys().filter(key => !sentBy.has(key)),
    broken: () => [...broken],
  };
}

/** The time of a response, in ms. */
const LATENCY = 50;

interface Divided {
  broken: string[];
  /** How many runners sent something. */
  sending: number;
  /** From the start of the first to the end of the last. */
  ms: number;
}

/** All runners work on one file, and their results together name every request that arrived. */
const fleetDivides = (command: string, options: FleetOptions): Promise<Divided> =>
  withFleet(command, options, async fleet => {
    const { stage, runners } = fleet;
    const { witness } = stage;
    witness.answersAfter(() => LATENCY);
    const claims = claimsOf(fleet);
    const begun = performance.now();
    const first = witness.arrival(1).then(() => performance.now());
    const ended = await Promise.all(runners.map(({ start }) => start().ended));
    const over = performance.now();
    const broken: string[] = [];
    for (const [index, last] of ended.entries()) {
      const runner = runners[index] as Runner;
      broken.push(...(await runner.ledger.end(last, runner.lines(), 0)).map(one => `${runner.name}: ${one}`));
      claims.read(runner);
    }
    broken.push(
      ...claims.broken(),
      ...claims.unclaimed().map(key => `${key} arrived, and no line reports it as sent`),
    );
    const sent = runners.map(({ name }) => witness.arrived(name));
    process.stdout.write(
      `${options.records} records, ${runners.length} runners, ${LATENCY} ms: ${Math.round(over - begun)} ms, ${Math.round(over - (await first))} of them from the first request on; sent by each: ${sent.join(', ')}\n`,
    );
    return { broken, sending: sent.filter(count => count > 0).length, ms: over - begun };
  });

/**
 * A runner is stopped for longer than its lease while requests are in flight, and then continues. The other runner sees
 * these records as unknown and does not send them. The first one records their outcome when it continues.
 */
const pausedBeyondLease = (command: string): Promise<string[]> =>
  withFleet(command, { runners: 2, records: 12, concurrency: 3 }, async ({ stage, batch, runners }) => {
    const { witness } = stage;
    const [paused, other] = runners as [Runner, Runner];
    const broken: string[] = [];
    const check = (holds: boolean, otherwise: string) => holds || broken.push(otherwise);
    const unknowns = async () =>
      (await history(stage, '--state', 'unknown'))
        .map(({ key }) => key)
        .sort()
        .join();

    for (const key of batch.keys) witness.replies(key, 'held');
    const stopped = paused.start();
    await Promise.race([witness.arrival(batch.concurrency), stopped.ended]);
    stopped.child.kill('SIGSTOP');
    const held = witness.keys().sort().join();
    for (const key of batch.keys) witness.replies(key, 'created');

    const meanwhile = await other.start().ended;
    broken.push(...(await other.ledger.end(meanwhile, other.lines(), batch.concurrency)));
    check((await unknowns()) === held, `unknown: ${await unknowns()}, but in flight were ${held}`);

    witness.release();
    stopped.child.kill('SIGCONT');
    const back = await stopped.ended;
    broken.push(...(await paused.ledger.end(back, paused.lines(), 0)));
    const own = paused.lines().flatMap(({ key, sent }) => (sent ? [key] : []));
    check(own.sort().join() === held, `the stopped runner reports ${own} as sent, not ${held}`);
    check((await unknowns()) === '', `still unknown: ${await unknowns()}`);
    return broken;
  });

interface FleetKills extends FleetOptions {
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

/** Its runners are killed at random and started again, while its database is restarted. Gives the broken promises. */
const fleetKilled = (command: string, { seed, kills, restarts, ...options }: FleetKills): Promise<string[]> =>
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

const { runners, records, kills, restarts } = FLEET;
const concurrency = 4;

describe.skipIf(noCluster)(titled('A fleet over one file, with its journal in PostgreSQL', noCluster), () => {
  // Tests that wait for the leases of those that are killed or stopped. A runner that is alive may be too slow for a short one.
  const QUICK_LEASE = FULL ? [] : [SHORT_LEASE];

  test.concurrent(`${runners} runners, ${records} records, ${kills} kills, ${restarts} restarts of the database: no record is lost or booked twice, and each unknown one is listed (TORTURE_SEED=${SEED})`, async () => {
    const command = await build(QUICK_LEASE);
    expect(await fleetKilled(command, { ...FLEET, concurrency, seed: SEED })).toEqual([]);
  });

  test.concurrent('the bookings of a runner that is stopped for longer than its lease are unknown, and are recorded when it continues', async () => {
    expect(await pausedBeyondLease(await build(QUICK_LEASE))).toEqual([]);
  });

  test('a restart of the database leaves no unknown booking if no runner is killed', async () => {
    const fleet = { ...FLEET, records: Math.min(records, 1000), kills: 0, concurrency, seed: SEED };
    expect(await fleetKilled(await build(), fleet)).toEqual([]);
  });

  test('runners divide the records among themselves', async () => {
    const command = await build();
    const divide = (among: number) =>
      fleetDivides(command, { runners: among, records: DIVIDED, concurrency });
    const together = await divide(runners);
    expect(together.broken).toEqual([]);
    expect(together.sending).toBeGreaterThan(runners / 2);
    if (!FULL) return;
    const alone = await divide(1);
    expect(alone.broken).toEqual([]);
    process.stdout.write(`${runners} are ${(alone.ms / together.ms).toFixed(1)} times as fast as one\n`);
  });
});
