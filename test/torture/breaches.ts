// Compares what a booking promises (interface, section 5) with what the witness counted.
import type { Ended } from '../rig/process.ts';
import type { Witness } from './witness.ts';

/** What a command has shown: the whole of its JSON, or nothing. */
export function shownBy({ stdout }: Ended): string | undefined {
  return stdout.endsWith('}\n') ? JSON.stringify(JSON.parse(stdout)) : undefined;
}

/** Exit codes that say that nothing was made. A killed process says nothing; 8, 9 and 10 say what may exist. */
const DENIALS = [1, 2, 3, 4, 5, 6, 7];

/**
 * The promises that runs of one booking broke, in the order in which they ended: never made twice, never lost once it
 * was shown, never a doubt that is not told.
 */
export function breaches(witness: Witness, key: string, runs: readonly Ended[]): string[] {
  const made = witness.made(key);
  const told: string[] = [];
  if (made.length > 1) told.push(`doubled: ${key} was made ${made.length} times`);
  let shown: string | undefined;
  for (const { code, ...run } of runs.map(one => ({ ...one, shown: shownBy(one) }))) {
    if (shown !== undefined && code !== null && (code !== 0 || run.shown !== shown))
      told.push(`lost: ${key} had been shown, and then came ${ending({ code, ...run })}`);
    shown ??= run.shown;
    if (code !== null && DENIALS.includes(code) && made.length > 0)
      told.push(`silent unknown: ${key} was made, and then came ${ending({ code, ...run })}`);
    if (code === 0 && made.length === 0) told.push(`made up: ${key} was shown, and never made`);
  }
  return told;
}

export const ending = ({ code, signal, stdout, stderr }: Ended): string =>
  `exit ${code ?? signal}: ${stdout.slice(0, 200)}${stderr.slice(0, 600)}`;
