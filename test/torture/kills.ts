// Kills at random moments, round after round in one journal.
import { breaches, ending } from './breaches.ts';
import { type Job, label, ship, shipDual } from './jobs.ts';
import { randomFrom } from './random.ts';
import { createGate, history, onStage, type Stage, type Started } from './stage.ts';

export interface Rounds {
  rounds: number;
  seed: number;
  /** Takes the power with each process, and keeps to the moments around the sending: the command needs probes. */
  power: boolean;
}

const JOBS = [ship, label, shipDual];

/** Kills bookings of every kind at random and runs each of them again. Gives what broke a promise. */
export function killedAtRandom(command: string, { rounds, seed, power }: Rounds): Promise<string[]> {
  const random = randomFrom(seed);
  return onStage(command, async stage => {
    const { witness } = stage;
    const begin = power ? beginAtGate : beginAtOnce;
    // The first one fills the cache of compiled code, and takes longer than those that follow.
    await (await begin(stage, ship('first'))).ended;
    const begun = await begin(stage, ship('whole'));
    const from = performance.now();
    await begun.ended;
    const life = performance.now() - from;
    const told: string[] = [];
    let doubts = 0;
    for (let round = 0; round < rounds; round += 1) {
      const job = (JOBS[round % JOBS.length] ?? ship)(`R${round}`);
      const { child, ended } = await begin(stage, job);
      // Up to somewhat after its end, which is not always as soon; what follows a gate is soon sent, and long in ending.
      const moment = random() ** (power ? 3 : 1) * life * 1.2;
      const timer = setTimeout(() => child.kill('SIGKILL'), moment);
      const killed = await ended;
      clearTimeout(timer);
      if (power) stage.cutPower();
      const again = await stage.run(job.argv, job);
      const broken = breaches(witness, job.key, [killed, again]);
      if (again.code === 8) doubts += 1;
      else if (again.code !== 0) broken.push(`wrong exit code: ${ending(again)}`);
      if (witness.sent(job.key) > 1) broken.push(`sent ${witness.sent(job.key)} times`);
      told.push(...broken.map(one => `round ${round}: ${one}`));
    }
    // No later round loses anything of an earlier one, and the journal lists every doubt.
    for (const [state, wanted] of [['created', rounds + 2 - doubts] as const, ['unknown', doubts] as const]) {
      const found = (await history(stage, '--state', state)).length;
      if (found !== wanted) told.push(`the journal knows ${found} that are ${state}, not ${wanted}`);
    }
    return told;
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
