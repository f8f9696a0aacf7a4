// A row of the table of faults: what goes wrong outside of the command, what its user must see, and its exit code.
import { describe, expect, test } from 'vitest';
import { titled } from './needs.ts';
import type { Seen } from './oracles.ts';

export interface Fault {
  /** What happens, as a sentence: `the connection is reset after half of the answer`. */
  when: string;
  /** Texts that stderr must contain. */
  sees: readonly (string | RegExp)[];
  exit: number;
  /** Causes the fault and runs the command. Checks the rest (requests, files) itself. */
  happen(): Promise<Seen>;
  /** Why the fault cannot be caused on this machine. */
  skip?: string | false;
}

/** Runs every row as a test of that area. */
export function runFaults(area: string, faults: readonly Fault[]): void {
  describe(area, () => {
    for (const { when, sees, exit, happen, skip } of faults)
      test.skipIf(skip)(titled(when, skip), async () => {
        const { exitCode, stderr } = await happen();
        expect({ exitCode, stderr }).toEqual({ exitCode: exit, stderr });
        for (const words of sees) expect(stderr).toMatch(words);
      });
  });
}

/** How a command ends: its exit code, and what its user sees on stderr. */
export type End = readonly [exit: number, ...sees: (string | RegExp)[]];

/** A row that causes its fault itself. */
export const fault = (
  when: string,
  [exit, ...sees]: End,
  happen: () => Promise<Seen>,
  skip: string | false = false,
): Fault => ({ when, exit, sees, happen, skip });
