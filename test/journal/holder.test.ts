import { expect, test } from 'vitest';
import { processesOf } from '../../src/journal/holder.ts';

const here = { host: 'desk', id: process.pid, exists: () => true };

test('a holder is a process with its user and version, if they are known', () => {
  const { own } = processesOf({ process: { ...here, user: 'anna' } }, '1.2.3');
  expect(own).toMatchObject({ host: 'desk', process: process.pid, user: 'anna', version: '1.2.3' });
  const bare = processesOf({ process: { ...here, user: undefined } });
  expect(Object.keys(bare.own)).toEqual(['host', 'process', 'start']);
});

test('a process of this machine that is gone is not alive; one of another machine always counts as alive', () => {
  const { own, isAlive } = processesOf({ process: { ...here, exists: id => id === process.pid } });
  expect(isAlive(own)).toBe(true);
  expect(isAlive({ ...own, process: 1 })).toBe(false);
  expect(isAlive({ ...own, start: `${own.start}0` })).toBe(own.start === '');
  expect(isAlive({ ...own, host: 'other', process: 1 })).toBe(true);
});
