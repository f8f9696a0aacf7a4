// Scenarios for a fleet in which no runner is killed.
import { claimsOf, type FleetOptions, type Runner, withFleet } from './fleet.ts';
import { history } from './stage.ts';

/** The time of a response, in ms. */
const LATENCY = 50;

export interface Divided {
  broken: string[];
  /** How many runners sent something. */
  sending: number;
  /** From the start of the first to the end of the last. */
  ms: number;
}

/** All runners work on one file, and their results together name every request that arrived. */
export const fleetDivides = (command: string, options: FleetOptions): Promise<Divided> =>
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
export const pausedBeyondLease = (command: string): Promise<string[]> =>
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

    witness.answersAfter(() => 2000);
    const stopped = paused.start();
    await Promise.race([witness.arrival(batch.concurrency), stopped.ended]);
    stopped.child.kill('SIGSTOP');
    const held = witness.keys().sort().join();
    witness.answersAfter(() => 0);

    const meanwhile = await other.start().ended;
    broken.push(...(await other.ledger.end(meanwhile, other.lines(), batch.concurrency)));
    check((await unknowns()) === held, `unknown: ${await unknowns()}, but in flight were ${held}`);

    stopped.child.kill('SIGCONT');
    const back = await stopped.ended;
    broken.push(...(await paused.ledger.end(back, paused.lines(), 0)));
    const own = paused.lines().flatMap(({ key, sent }) => (sent ? [key] : []));
    check(own.sort().join() === held, `the stopped runner reports ${own} as sent, not ${held}`);
    check((await unknowns()) === '', `still unknown: ${await unknowns()}`);
    return broken;
  });
