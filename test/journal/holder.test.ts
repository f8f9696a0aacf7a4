import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { processesOf } from '../../src/journal/claim.ts';

/** For the process only: the test ends what hangs. */
const HANGS = { timeout: 10 * 60_000 };

const here = { host: 'desk', id: process.pid, exists: () => true };
const platform = 'linux';

test('a process of this machine that is gone is not alive; of another machine or container that cannot be told', () => {
  const exists = (id: number) => id === process.pid;
  const { own, isAlive } = processesOf({ platform, process: { ...here, exists } });
  expect(own.space).toBeDefined();
  expect(isAlive(own)).toBe(true);
  expect(isAlive({ ...own, process: 1 })).toBe(false);
  expect(isAlive({ ...own, start: `${own.start}0` })).toBe(own.start === '');
  expect(isAlive({ ...own, host: 'other', process: 1 })).toBeUndefined();
  expect(isAlive({ ...own, space: 'another container', process: 1 })).toBeUndefined();
  const { space: _, ...byOlderVersion } = own;
  expect(isAlive({ ...byOlderVersion, process: 1 })).toBeUndefined();
});

test('a system without PID namespaces tells processes apart by its host name', () => {
  const { own, isAlive } = processesOf({ platform: 'darwin', process: { ...here, exists: () => false } });
  expect(isAlive({ ...own, process: 1 })).toBe(false);
});

test.skipIf(process.platform !== 'linux')(
  'a process that was killed is gone, even if its parent never asks for it',
  async () => {
    // The shell becomes a program that asks for no child.
    const parent = spawn('sh', ['-c', 'sleep 3600 & echo $!; exec sleep 3600']);
    try {
      const id = Number(await new Promise(resolve => parent.stdout.once('data', resolve)));
      // Before that, the shell may ask for it.
      await vi.waitFor(() => expect(readFileSync(`/proc/${parent.pid}/comm`, 'utf8')).toBe('sleep\n'), HANGS);
      const { own, isAlive } = processesOf({ platform, process: { ...here, id } });
      expect(isAlive(own)).toBe(true);
      process.kill(id, 'SIGKILL');
      await vi.waitFor(() => expect(readFileSync(`/proc/${id}/stat`, 'utf8')).toContain(') Z '), HANGS);
      expect(isAlive(own)).toBe(false);
    } finally {
      parent.kill('SIGKILL');
    }
  },
);
