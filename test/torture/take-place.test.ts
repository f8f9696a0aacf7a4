import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildModule } from '../rig/build.ts';
import { start } from '../rig/process.ts';
import { temporaryFolder } from '../rig/profile.ts';

const COUNT = 1000;

test('Two processes that replace one file at one moment never both count as the one that did', async () => {
  const module = await buildModule('test/torture/take-place.ts', []);
  const folder = temporaryFolder();
  for (let index = 0; index < COUNT; index += 1) writeFileSync(join(folder, `${index}.pdf`), 'earlier');
  const runs = ['one', 'other'].map(name => {
    const options = { cwd: folder, env: {}, stdin: { open: true } } as const;
    return start(process.execPath, [module, name, folder, String(COUNT)], options);
  });
  await Promise.all(runs.map(({ firstLine }) => firstLine()));
  const begin = String(Date.now() + 100);
  for (const { child } of runs) child.stdin.end(begin);
  const ends = await Promise.all(runs.map(({ ended }) => ended));
  const [one = [], other = []] = ends.map(({ stdout }): string[] => JSON.parse(stdout.split('\n')[1] ?? ''));
  expect(one.filter(path => other.includes(path))).toEqual([]);
  expect(one.length + other.length).toBeGreaterThan(COUNT / 2);
});
