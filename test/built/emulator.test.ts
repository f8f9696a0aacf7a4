// `waybill emulator` at a terminal. What else it does as a process is in test/promises/emulator-command.test.ts.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bareEnvironment, builtCommand } from '../rig/process.ts';
import { temporaryFolder } from '../rig/profile.ts';
import { open } from '../rig/terminal.ts';

const command = builtCommand();

test('on a terminal it says first that it is not a carrier, also with --json, and stdout has only its line', async () => {
  const folder = temporaryFolder();
  const stdoutToFile = join(folder, 'ready.json');
  const env = bareEnvironment(folder);
  const at = open([command(), 'emulator', '--port', '0', '--json'], { env, stdoutToFile });
  await at.waitFor('{"note":"This is the emulator of waybill, not a carrier');
  at.kill('SIGTERM');
  expect((await at.ended).exitCode).toBe(0);
  expect(JSON.parse(readFileSync(stdoutToFile, 'utf8'))).toMatchObject({ token: 'demo' });

  const around = open([command(), 'emulator', '--port', '0', '--', 'env'], { env, rows: 90 });
  expect((await around.ended).exitCode).toBe(0);
  expect(around.screen()).toMatch(
    /^This is the emulator of waybill, not a carrier: [\s\S]*`waybill emulator --help`/,
  );
  // docs/emulator.md lists the variables that the command gets.
  const set = [...around.screen().matchAll(/^(WAYBILL_\w+)=/gm)].map(([, name = '']) => name);
  const page = readFileSync('docs/emulator.md', 'utf8');
  const listed = [...page.matchAll(/^\| (`WAYBILL_.*?) \|/gm)].flatMap(([, names = '']) =>
    [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name),
  );
  expect(listed.sort()).toEqual(set.filter(name => !Object.hasOwn(env, name)).sort());
});
