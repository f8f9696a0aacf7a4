// Kills at random moments, round after round in one journal.

import { describe, expect, test } from 'vitest';
import { build } from '../rig/build.ts';
import { breaches, NO_HIT, sentTwice, wrongCodes } from './breaches.ts';
import { type Job, label, ship, shipDual } from './scenarios.ts';
import { POWER_ROUNDS, ROUNDS, randomFrom, SEED } from './size.ts';
import { createGate, endedAfter, history, onStage, type Stage, type Started } from './stage.ts';
import { PROBES } from './steps.ts';

interface Rounds {
  rounds: number;
  seed: number;
  /** Each kill is a power loss, at a moment around the sending. The command needs probes. */
  power: boolean;
}

const JOBS = [ship, label, shipDual];

/** So many times the rounds at most, until a kill hits between claim and outcome: the others prove little. */
const MOST = 10;
/** The longest time between a request and the kill that is to follow it, in ms. */
const AFTER = 6;

/** Kills bookings of every kind at random moments and runs each again. Gives the broken promises. */
function killedAtRandom(command: string, { rounds, seed, power }: Rounds): Promise<string[]> {
  const random = randomFrom(seed);
  return onStage(command, async stage => {
    const { witness } = stage;
    const begin = power ? beginAtGate : beginAtOnce;
    // The first run fills the cache of compiled code and takes longer than the others.
    await (await begin(stage, ship('first'))).ended;
    const begun = await begin(stage, ship('whole'));
    const from = performance.now();
    await begun.ended;
    const life = performance.now() - from;
    const broken: string[] = [];
    let unknown = 0;
    let round = 0;
    for (; round < rounds || (unknown === 0 && round < MOST * rounds); round += 1) {
      const job = (JOBS[round % JOBS.length] ?? ship)(`R${round}`);
      const arrival = witness.arrival(witness.arrived() + 1);
      const started = await begin(stage, job);
      // Up to a little after its usual end. After a gate a booking is sent soon, and ends late.
      const anywhere = random() ** (power ? 3 : 1) * life * 1.2;
      // Rounds that were added because none has hit wait for the sending, however long it takes on a busy machine.
      if (round >= rounds) await Promise.race([arrival, started.ended]);
      const killed = await endedAfter(started, round < rounds ? anywhere : random() * AFTER);
      if (power) stage.cutPower();
      const again = await stage.run(job.argv, job);
      const found = breaches(witness, job.key, [killed, again]);
      if (again.code === 8) unknown += 1;
      else found.push(...wrongCodes(0, again));
      found.push(...sentTwice(witness, [job.key]));
      broken.push(...found.map(one => `round ${round}: ${one}`));
    }
    if (unknown === 0) broken.push(NO_HIT);
    // No later round loses a booking of an earlier one, and the journal lists every unknown.
    for (const [state, wanted] of [
      ['created', round + 2 - unknown] as const,
      ['unknown', unknown] as const,
    ]) {
      const listed = (await history(stage, '--state', state)).length;
      if (listed !== wanted) broken.push(`the journal has ${listed} that are ${state}, not ${wanted}`);
    }
    return broken;
  });
}

type Begin = (stage: Stage, job: Job) => Promise<Started>;

const beginAtOnce: Begin = async (stage, { argv, stdin }) => stage.start(argv, { stdin });

const beginAtGate: Begin = async (stage, { argv, stdin }) => {
  const gate = await createGate();
  const started = stage.start(argv, { stdin, gate });
  await Promise.race([gate.waiting(1), started.ended]);
  gate.open();
  await gate.close();
  return started;
};

const seed = SEED;
const seeded = `(TORTURE_SEED=${seed})`;

describe('No booking is lost or booked twice, and every unknown one is listed', () => {
  test.concurrent(`of ${ROUNDS} that are killed at random moments ${seeded}`, async () => {
    const command = await build();
    expect(await killedAtRandom(command, { rounds: ROUNDS, seed, power: false })).toEqual([]);
  });

  test.concurrent(`of ${POWER_ROUNDS} that lose power around the sending ${seeded}`, async () => {
    const command = await build(PROBES);
    expect(await killedAtRandom(command, { rounds: POWER_ROUNDS, seed, power: true })).toEqual([]);
  });
});
