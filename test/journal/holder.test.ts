import { expect, test } from 'vitest';
import { processesOf } from '../../src/journal/claim.ts';

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
