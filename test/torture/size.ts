/** Whether to run everything, as `npm run test:torture` does, or what fits into `npm test`. */
export const FULL = process.env.TORTURE === 'full';
/** Whether to run fleets that wait for the leases of killed runners. */
export const KILLED_FLEETS = FULL || process.env.TORTURE === 'fleet';

/** Rounds of kills at random, and of those that take the power too. */
export const ROUNDS = FULL ? 100 : 12;
export const POWER_ROUNDS = FULL ? 100 : 6;

/** The records of a batch, how often it is killed, and how many of them are under way at one time. */
export const BATCH = FULL ? { records: 10_000, kills: 100 } : { records: 300, kills: 5 };
export const CONCURRENCIES = FULL ? [4, 16] : [4];

/** Runners over one file, with their kills, and how often their database is restarted. */
export const FLEET = FULL
  ? { runners: 8, records: 10_000, kills: 100, restarts: 5 }
  : { runners: 4, records: 200, kills: 10, restarts: 1 };
/** Records that a fleet divides when no runner is killed. */
export const DIVIDED = FULL ? 4_000 : 100;

/** Makes the random moments. The same seed gives the same moments again. */
export const SEED = Number(process.env.TORTURE_SEED ?? Date.now() % 1_000_000);
