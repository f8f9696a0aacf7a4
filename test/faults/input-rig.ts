// One command with something wrong in what its user gives it, against the emulator.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { createRig, type Ran, type Rig, type RunOptions } from '../rig/command.ts';
import { SHIPMENT } from '../rig/service.ts';
import type { Fault } from './fault.ts';

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
