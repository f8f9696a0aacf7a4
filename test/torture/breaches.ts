// Compares what a booking promises (interface, section 5) with what the witness counted.
import type { Ended } from '../rig/process.ts';
import type { Witness } from './witness.ts';

/** The complete JSON that a command printed, if any. */
export function shownBy({ stdout }: Ended): string | undefined {
  return stdout.endsWith('}\n') ? JSON.stringify(JSON.parse(stdout)) : undefined;
}

/** Exit codes that mean that nothing was created. With 8, 9 and 10 something may exist. */
const DENIALS = [1, 2, 3, 4, 5, 6, 7];

/**
 * The promises that the runs of one booking broke; the runs in the order of their ends. A booking is never created twice,
 * never lost after it was shown, and never denied if it was created.
 */
export function breaches(witness: Witness, key: string, runs: readonly Ended[]): string[] {
  const created = witness.created(key);
  const broken: string[] = [];
  if (created.length > 1) broken.push(`booked twice: ${key} was created ${created.length} times`);
  let shown: string | undefined;
  for (const { code, ...run } of runs.map(one => ({ ...one, shown: shownBy(one) }))) {
    if (shown !== undefined && code !== null && (code !== 0 || run.shown !== shown))
      broken.push(`lost: ${key} was shown, and a later run ended with ${ending({ code, ...run })}`);
    shown ??= run.shown;
    if (code !== null && DENIALS.includes(code) && created.length > 0)
      broken.push(`denied: ${key} was created, and a run ended with ${ending({ code, ...run })}`);
    if (code === 0 && created.length === 0) broken.push(`invented: ${key} was shown, and never created`);
  }
  return broken;
}

export const ending = ({ code, signal, stdout, stderr }: Ended): string =>
  `exit ${code ?? signal}: ${stdout.slice(0, 200)}${stderr.slice(-600)}`;

/** The runs that did not end with that exit code. */
export const wrongCodes = (code: number | null, ...runs: readonly Ended[]): string[] =>
  runs.filter(run => run.code !== code).map(run => `wrong exit code, not ${code}: ${ending(run)}`);

/** The keys that were sent more than once. */
export const sentTwice = (witness: Witness, keys: readonly string[] = witness.keys()): string[] =>
  keys
    .filter(key => witness.sent(key) > 1)
    .map(key => `booked twice: ${key} was sent ${witness.sent(key)} times`);

/** What is broken if no kill did what it is for. */
export const NO_HIT = 'no kill hit between claim and outcome';
