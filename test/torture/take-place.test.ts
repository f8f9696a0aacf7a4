import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildModule } from '../rig/build.ts';
import { spawned } from '../rig/process.ts';
import { temporaryFolder } from '../rig/profile.ts';

const COUNT = 1000;

test('Two processes that replace one file at one moment never both count as the one that did', async () => {
  const module = await buildModule('test/torture/take-place.ts', []);
  const folder = temporaryFolder();
  for (let index = 0; index < COUNT; index += 1) writeFileSync(join(folder, `${index}.pdf`), 'earlier');
  const begin = String(Date.now() + 2000);
  const run = async (name: string): Promise<string[]> => {
    const words = [module, name, folder, String(COUNT), begin];
    const { stdout } = await spawned(process.execPath, words, { cwd: folder, env: {} }).ended;
    return JSON.parse(stdout);
  };
  const [one, other] = await Promise.all([run('one'), run('other')]);
  expect(one.filter(path => other.includes(path))).toEqual([]);
  expect(one.length + other.length).toBeGreaterThan(COUNT / 2);
});
