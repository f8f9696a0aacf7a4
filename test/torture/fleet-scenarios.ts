// What a fleet does when no runner is killed, as functions that give what went wrong.
import { claimsOf, type FleetOptions, type Runner, withFleet } from './fleet.ts';
import { history } from './stage.ts';

/** What an answer takes, in ms. */
const LATENCY = 50;

export interface Divided {
  told: string[];
  /** How many runners have sent something. */
  sending: number;
  /** From the start of the first to the end of the last. */
  ms: number;
}

/** All runners work on one file, and their results together name what arrived. */
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
    const told: string[] = [];
    for (const [index, last] of ended.entries()) {
      const runner = runners[index] as Runner;
      told.push(...(await runner.ledger.end(last, runner.lines(), 0)).map(one => `${runner.name}: ${one}`));
      claims.read(runner);
    }
    told.push(
      ...claims.told(),
      ...claims.unclaimed().map(key => `${key} arrived, and no line says that it was sent`),
    );
    const sent = runners.map(({ name }) => witness.arrived(name));
    process.stdout.write(
      `${options.records} records, ${runners.length} runners, ${LATENCY} ms: ${Math.round(over - begun)} ms, ${Math.round(over - (await first))} of them from the first request on; sent by each: ${sent.join(', ')}\n`,
    );
    return { told, sending: sent.filter(count => count > 0).length, ms: over - begun };
  });

/**
 * A runner that stands still for longer than its lease, with records under way, and goes on: they are unknown for the
 * other one, which does not send them; what became of them is recorded when the first one is back.
 */
export const pausedBeyondLease = (command: string): Promise<string[]> =>
  withFleet(command, { runners: 2, records: 12, concurrency: 3 }, async ({ stage, batch, runners }) => {
    const { witness } = stage;
    const [paused, other] = runners as [Runner, Runner];
    const told: string[] = [];
    const expectThat = (holds: boolean, otherwise: string) => holds || told.push(otherwise);
    const unknowns = async () =>
      (await history(stage, '--state', 'unknown'))
        .map(({ key }) => key)
        .sort()
        .join();

    witness.answersAfter(() => 2000);
    const standing = paused.start();
    await Promise.race([witness.arrival(batch.concurrency), standing.ended]);
    standing.child.kill('SIGSTOP');
    const held = witness.keys().sort().join();
    witness.answersAfter(() => 0);

    const meanwhile = await other.start().ended;
    told.push(...(await other.ledger.end(meanwhile, other.lines(), batch.concurrency)));
    expectThat((await unknowns()) === held, `unknown: ${await unknowns()}, where ${held} stood still`);

    standing.child.kill('SIGCONT');
    const back = await standing.ended;
    told.push(...(await paused.ledger.end(back, paused.lines(), 0)));
    const own = paused.lines().flatMap(({ key, sent }) => (sent ? [key] : []));
    expectThat(own.sort().join() === held, `the one that stood still says to have sent ${own}, not ${held}`);
    expectThat((await unknowns()) === '', `still unknown: ${await unknowns()}`);
    return told;
  });
