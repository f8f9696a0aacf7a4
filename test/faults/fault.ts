// A fault of the world, what a user must see of it, and how the command must end: a row of one table. What holds for
// every row is asserted here.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createRig, type Ran, type Rig, type RunOptions } from '../rig/command.ts';
import { SHIPMENT } from '../rig/service.ts';

/** What a user saw, in this process or in one of its own. */
export interface Seen {
  exitCode: number | null;
  stdout: string;
  stderr: string;
  /** What arrived at the service, where that was watched. */
  requests?: readonly unknown[];
}

export interface Fault {
  /** What happens, as a sentence: `the connection is reset after half of the answer`. */
  when: string;
  /** What is seen on stderr, each of them; on stdout where the row says so by itself. */
  sees: readonly (string | RegExp)[];
  exit: number;
  /** Makes it happen. What else must hold (requests, files) is expected in here. */
  happen(): Promise<Seen>;
  /** Why it cannot be made to happen on this machine. */
  skip?: string | false;
}

/** Planted wherever a credential may be; nothing that is shown may hold it. */
export const SECRET = 'wb-secret-8f41c07e';

// What moves a cursor, colours, rings or turns text around; line ends and tabs are text.
const CONTROL =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;

/** Runs every row as a test of that area. */
export function runFaults(area: string, faults: readonly Fault[]): void {
  describe(area, () => {
    for (const { when, sees, exit, happen, skip } of faults)
      test.skipIf(skip)(when, async () => {
        const { exitCode, stdout, stderr, requests } = await happen();
        expect({ exitCode, stderr }).toEqual({ exitCode: exit, stderr });
        for (const words of sees) expect(stderr).toMatch(words);
        for (const text of [stdout, stderr]) {
          expect(text).not.toContain(SECRET);
          expect(text).not.toMatch(CONTROL);
          expect(text).not.toContain('error: internal error');
        }
        if (exit === 2) expect(requests ?? []).toEqual([]);
      });
  });
}

/** How a command ends: its exit code, and what its user sees on stderr. */
export type End = readonly [exit: number, ...sees: (string | RegExp)[]];

export interface Scene extends RunOptions {
  /** Files beside the command; `null` is a folder. */
  files?: Record<string, string | Uint8Array | null>;
  /** So much is wrong that what is said about it is long. */
  wordy?: boolean;
  /** What must hold afterwards. */
  after?(ran: Ran, rig: Rig): void | Promise<void>;
}

export const ORDER = JSON.stringify(SHIPMENT);
export const QUOTE = ['quote', '--from', 'TR', '--to', 'DE', '--package', '1kg@10x10x10'];

/** Longer than anybody reads. */
const MOST = 1500;

const pristine = Object.getOwnPropertyNames(Object.prototype).sort();

export const expectPristine = () =>
  expect(Object.getOwnPropertyNames(Object.prototype).sort()).toEqual(pristine);

/** A row. Whatever was given, what is said about it is short, and no prototype is changed. */
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
