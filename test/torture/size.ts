// How much of a test runs in which part; vitest.config.mts has the parts.

/** Everything, as `npm run test:torture` runs it. */
export const FULL = process.env.TEST_PART === 'torture';
/** Why a test is skipped that only runs in full. */
export const notFull = FULL ? undefined : 'npm run test:torture runs it';
/** `npm test`, in which a test with processes is an exception. */
export const QUICK = process.env.TEST_PART === 'test';

/** A table in full, or a fixed part of it: one entry of so many, from the first on. */
export const sampled = <T>(entries: readonly T[], one: number): T[] =>
  entries.filter((_, index) => FULL || index % one === 0);

/** With how many values a property is tried: a quarter of this number, or ten times as many in full. */
export const runs = (many: number): { numRuns: number } => ({
  numRuns: FULL ? 10 * many : Math.ceil(many / 4),
});

/** Rounds of random kills without and with a power loss. */
export const ROUNDS = FULL ? 100 : 5;
export const POWER_ROUNDS = FULL ? 100 : 3;

/**
 * The records of a batch, how often it is killed, and how many requests are in flight at one time. Each run reads all of the file:
 * more records for each kill take longer, and find no more.
 */
export const BATCH = FULL ? { records: 3000, kills: 100 } : { records: 150, kills: 3 };
export const CONCURRENCIES = FULL ? [4, 16] : [4];

/** Runners over one file, with their kills, and how often their database is restarted. */
export const FLEET = FULL
  ? { runners: 8, records: 3000, kills: 100, restarts: 5 }
  : { runners: 4, records: 200, kills: 10, restarts: 1 };
/** Records that a fleet divides when no runner is killed. */
export const DIVIDED = FULL ? 4_000 : 100;

/** Damaged copies of a journal. */
export const DAMAGED = FULL ? 2000 : 24;

/** The seed of all that is random. */
export const SEED = Number(process.env.TORTURE_SEED);

/** Sequences of the model test: ten in a shared journal take as long as a hundred in one of this machine. */
export const SEQUENCES = FULL ? { local: 6000, shared: 4000 } : { local: 100, shared: 20 };

/** The orders of a night, and of the morning after it. */
export const MORNING = FULL ? 2000 : 60;

/** Numbers from 0 up to but not including 1, the same for the same seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
