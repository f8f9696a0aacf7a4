// What a machine does with an order of a key: books it, knows that it is booked, or refuses it.
import { expect } from 'vitest';
import type { Ran, RunOptions } from '../rig/command.ts';
import { errorOf, posted, SHIPMENT } from '../rig/service.ts';

export const stdin = JSON.stringify(SHIPMENT);
export const ship = (key: string) => `ship -f - --key ${key} --allow-duplicate --json`;
export const RESTORED = ['history', 'check', '--restored', '--reason', 'the disk of Monday', '--json'];

export type Run = (argv: string | string[], options?: RunOptions) => Promise<Ran>;

/** The same machine with the shared journal of this address. */
export const at =
  (run: Run, WAYBILL_JOURNAL: string): Run =>
  (argv, options = {}) =>
    run(argv, { ...options, env: { WAYBILL_JOURNAL, ...options.env } });

export async function books(run: Run, ...keys: string[]): Promise<void> {
  for (const key of keys) {
    const ran = await run(ship(key), { stdin });
    expect([key, ran.exitCode, posted(ran).length]).toEqual([key, 0, 1]);
  }
}

export async function knows(run: Run, ...keys: string[]): Promise<void> {
  for (const key of keys)
    expect(await run(ship(key), { stdin })).toMatchObject({ exitCode: 0, requests: [] });
}

/** Nothing is sent, and the message is the same for every command that would book. */
export async function refuses(run: Run, message: RegExp, { key = 'K-2', env = {} } = {}): Promise<void> {
  for (const argv of [ship(key), 'history check --json']) {
    const ran = await run(argv, { stdin, env });
    expect(ran).toMatchObject({ exitCode: 10, stdout: '', requests: [] });
    expect(errorOf(ran).message).toMatch(message);
    expect(errorOf(ran).message).toContain('nothing was sent');
  }
}
