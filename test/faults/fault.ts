// A row of the table of faults: what goes wrong outside of the command, what its user must see, and its exit code.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createRig, type Ran, type Rig, type RunOptions } from '../rig/command.ts';
import { titled } from '../rig/needs.ts';
import type { Seen } from '../rig/oracles.ts';
import { SHIPMENT } from '../rig/service.ts';

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

export interface Scene extends RunOptions {
  /** Files beside the command; `null` is a folder. */
  files?: Record<string, string | Uint8Array | null>;
  /** There are so many problems that the message is long. */
  wordy?: boolean;
  /** Further checks. */
  after?(ran: Ran, rig: Rig): void | Promise<void>;
}

export const ORDER = JSON.stringify(SHIPMENT);
export const QUOTE = ['quote', '--from', 'TR', '--to', 'DE', '--package', '1kg@10x10x10'];

/** The longest message that a person reads. */
const MOST = 1500;

const pristine = Object.getOwnPropertyNames(Object.prototype).sort();

export const expectPristine = () =>
  expect(Object.getOwnPropertyNames(Object.prototype).sort()).toEqual(pristine);

/** A row. The message must be short for any input, and no prototype may change. */
export function row(
  when: string,
  argv: string | string[],
  [exit, ...sees]: End,
  { files = { 'order.json': ORDER }, wordy = false, after, ...run }: Scene = {},
): Fault {
  return {
    when,
    exit,
    sees,
    async happen() {
      const rig = await createRig();
      for (const [name, content] of Object.entries(files))
        if (content === null) mkdirSync(join(rig.folder, name));
        else writeFileSync(join(rig.folder, name), content);
      const ran = await rig.run(argv, run);
      expectPristine();
      if (!wordy) expect(ran.stderr.length).toBeLessThan(MOST);
      await after?.(ran, rig);
      return ran;
    },
  };
}

/** The body that a dry run shows. */
export const bodyIn = ({ stdout }: Pick<Ran, 'stdout'>): unknown => JSON.parse(stdout).body;
