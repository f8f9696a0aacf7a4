import { expect, test } from 'vitest';
import { FaultGroups } from '../../../src/batch/run/fault-groups.ts';

const listed = (...lines: number[]) => {
  const groups = new FaultGroups();
  for (const line of lines) groups.add({ line }, { path: '', message: 'was lost' });
  return groups.listed(100, 5, {}).issues.map(({ path }) => path);
};

test('the lines of one fault are in the order of the file, in whatever order the records end', () => {
  expect(listed(3, 2)).toEqual(['line 2 and line 3']);
  expect(listed(4, 8, 5, 3)).toEqual(['lines 3, 4, 5 and 8']);
});

test('of many lines the first of the file are named', () => {
  const lines = Array.from({ length: 12 }, (_, at) => 20 - at);
  expect(listed(...lines)).toEqual(['lines 9, 10, 11, 12, 13, 14, 15, 16, 17, 18 and 2 more']);
});

test('faults are in the order of their first lines', () => {
  const groups = new FaultGroups();
  for (const line of [7, 4, 9]) groups.add({ line }, { path: '', message: `of ${line}` });
  expect(groups.listed(100, 5, {}).issues.map(({ path }) => path)).toEqual(['line 4', 'line 7', 'line 9']);
});
