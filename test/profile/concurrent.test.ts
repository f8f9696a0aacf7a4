import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { readConfig } from '../../src/profile/store.ts';
import { buildScript } from '../rig/build.ts';
import { createHome } from '../rig/profile.ts';
import { FULL } from '../torture/size.ts';

const PROCESSES = FULL ? 20 : 5;

test(`${PROCESSES} processes that change the config at the same time lose nothing`, async () => {
  const script = await buildScript('test/profile/change-config.ts', ['libsql']);
  const { host } = createHome();
  const options = { env: { ...process.env, ...host.env }, stdio: 'inherit' } as const;
  const names = Array.from({ length: PROCESSES }, (_, at) => `profile-${at}`);
  const ends = names.map(name => once(spawn(process.execPath, [script, name], options), 'exit'));
  expect((await Promise.all(ends)).map(([code]) => code)).toEqual(names.map(() => 0));
  expect(Object.keys(readConfig(host).profiles).sort()).toEqual(names.toSorted());
});
