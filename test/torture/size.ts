/** Whether to run everything, as `npm run test:torture` does, or the part for `npm test`. */
export const FULL = process.env.TORTURE === 'full';
/** Why a test is skipped that is not in that part. */
export const notFull = FULL ? undefined : 'npm run test:torture runs it';
/** Fleets are a part of their own; some of them wait for the leases of killed runners. */
export const noFleets = FULL || process.env.TORTURE === 'fleet' ? undefined : 'npm run test:fleet runs it';

/** A table in full, or a fixed part of it: one entry of so many, from the first on. */
export const sampled = <T>(entries: readonly T[], one: number): T[] =>
  entries.filter((_, index) => FULL || index % one === 0);

/** With how many values a property is tried: in `npm test` with a quarter of this number. */
export const runs = (many: number): { numRuns: number } => ({
  numRuns: FULL ? 10 * many : Math.ceil(many / 4),
});

/** Rounds of random kills without and with a power loss. */
export const ROUNDS = FULL ? 100 : 5;
export const POWER_ROUNDS = FULL ? 100 : 3;

/** The records of a batch, how often it is killed, and how many requests are in flight at one time. */
export const BATCH = FULL ? { records: 10_000, kills: 100 } : { records: 150, kills: 3 };
export const CONCURRENCIES = FULL ? [4, 16] : [4];

/** Runners over one file, with their kills, and how often their database is restarted. */
export const FLEET = FULL
  ? { runners: 8, records: 10_000, kills: 100, restarts: 5 }
  : { runners: 4, records: 200, kills: 10, restarts: 1 };
/** Records that a fleet divides when no runner is killed. */
export const DIVIDED = FULL ? 4_000 : 100;

/** Damaged copies of a journal. */
export const DAMAGED = FULL ? 2000 : 24;

/** The seed of all that is random: the same for each landing; `npm run test:torture` takes another one each time. */
export const SEED = Number(process.env.TORTURE_SEED || 20_260_302);

/** Sequences of the model test: ten in a shared journal take as long as a hundred in one of this machine. */
export const SEQUENCES = FULL ? { local: 6000, shared: 4000 } : { local: 100, shared: 20 };

/** The orders of a night, and of the morning after it. */
export const MORNING = FULL ? 2000 : 100;
