// Long work on the journal, in steps: others write between them.

/** How long a step should hold the lock of the journal. */
const STEP_MS = 150;

/** How many bookings the first step takes, and the most that one takes: so many fit into memory. */
const FIRST = 100;
const MOST = 2000;

export interface Pace {
  /** ms by a clock that nobody sets. */
  monotonic(): number;
  /** Gives other processes their turn to write. */
  pause(): Promise<void>;
}

/**
 * Calls `step` as long as it gives `true`, each time for as many bookings as by the last step fit into the time: a slow disk
 * gets small steps. Pauses after one that took long, or several that were short.
 */
export async function inSteps(
  { monotonic, pause }: Pace,
  step: (count: number) => Promise<boolean>,
): Promise<void> {
  let held = 0;
  for (let count = FIRST; ; ) {
    const begun = monotonic();
    if (!(await step(count))) return;
    const took = monotonic() - begun;
    count = Math.ceil(Math.min(MOST, 2 * count, (count * STEP_MS) / Math.max(1, took)));
    held += took;
    if (held < STEP_MS / 4) continue;
    await pause();
    held = 0;
  }
}
