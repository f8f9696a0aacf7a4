/** Whether all of it is wanted, as `npm run test:torture` does, or what fits into `npm test`. */
export const FULL = process.env.TORTURE === 'full';

/** Rounds of kills at random, and of those that take the power too. */
export const ROUNDS = FULL ? 100 : 12;
export const POWER_ROUNDS = FULL ? 100 : 6;

/** A run of many keys, and how often it is killed. */
export const LONG_RUN = {
  keys: Array.from({ length: FULL ? 2000 : 300 }, (_, index) => `N${index}`),
  kills: FULL ? 50 : 6,
};

/** What made the moments of the last run, so that they can be had again. */
export const SEED = Number(process.env.TORTURE_SEED ?? Date.now() % 1_000_000);

/** What a test may take, in ms: it waits for processes, on a machine that does other things too. */
export const PATIENCE = 300_000;
