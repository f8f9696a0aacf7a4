import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { changeConfig, readConfig } from '../../src/profile/store.ts';
import { buildScript } from '../rig/build.ts';
import { createHome, type Home } from '../rig/profile.ts';
import { FULL } from '../torture/size.ts';

const PROCESSES = FULL ? 20 : 5;

let script: string;
beforeAll(async () => {
  script = await buildScript('test/profile/change-config.ts', ['@photostructure/sqlite']);
});

function start({ host }: Home, ...args: string[]): ChildProcess {
  const env = { ...process.env, ...host.env };
  const child = spawn(process.execPath, [script, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

test(`${PROCESSES} processes that change the config at the same time lose nothing`, async () => {
  const home = createHome();
  const names = Array.from({ length: PROCESSES }, (_, at) => `profile-${at}`);
  const codes = await Promise.all(names.map(async name => (await once(start(home, 'add', name), 'exit'))[0]));
  expect(codes).toEqual(names.map(() => 0));
  expect(Object.keys(readConfig(home.host).profiles).sort()).toEqual(names.toSorted());
});

test('a process that is killed while it changes the config leaves it complete and leaves no lock', async () => {
  const home = createHome();
  await changeConfig(home.host, () => ({ profiles: { before: {} } }));
  const holder = start(home, 'hold');
  const said = holder.stdout ? once(holder.stdout, 'data') : [];
  expect(String(await Promise.race([said, once(holder, 'exit')]))).toBe('holding\n');
  const waiting = once(start(home, 'add', 'waiting'), 'exit');
  const exit = once(holder, 'exit');
  holder.kill('SIGKILL');
  await exit;
  expect((await waiting)[0]).toBe(0);
  await changeConfig(home.host, config => ({ ...config, profiles: { ...config.profiles, after: {} } }));
  expect(Object.keys(readConfig(home.host).profiles)).toEqual(['before', 'waiting', 'after']);
});
