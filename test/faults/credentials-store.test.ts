// Faults of the file with the secrets. What else can be in its place is in files-kept.ts.

import { chmodSync, chownSync, readFileSync, statSync } from 'node:fs';
import { expect } from 'vitest';
import type { Rig } from '../rig/command.ts';
import { SECRET } from '../rig/oracles.ts';
import { bareRig, configOf } from '../rig/profile.ts';
import { add } from './credentials-rig.ts';
import { fault, runFaults } from './fault.ts';

/** Runs a read after a change of the config, and checks that the read does not change it. */
async function after(act: (path: string, rig: Rig) => void, argv = 'track gone') {
  const rig = await bareRig();
  await add(rig, rig.address, ['--token-stdin'], { stdin: SECRET });
  const path = configOf(rig);
  act(path, rig);
  const stat = statSync(path);
  const bytes = stat.isFile() ? readFileSync(path, 'latin1') : '';
  const ran = await rig.run(argv);
  if (stat.isFile()) expect(readFileSync(path, 'latin1')).toBe(bytes);
  return ran;
}

const saved = (credentials: unknown) => (path: string, rig: Rig) =>
  void rig.file(path.slice(rig.folder.length + 1), {
    current: 'live',
    profiles: { live: { baseUrl: rig.address, credentials } },
  });

runFaults('the file that holds the secrets', [
  fault(
    'the config has a token command without a program',
    [10, 'profiles.live.credentials.command is not valid'],
    () => after(saved({ kind: 'command', command: [] })),
  ),
  fault(
    'the config has a token with a line break',
    [3, 'the credential for the header authorization contains', 'line break'],
    () => after(saved({ kind: 'token', token: `${SECRET}\n` })),
  ),
  fault(
    'the config has a token URL in plain text on another host',
    [2, 'http://evil.example/token does not begin with https:'],
    () => after(saved({ kind: 'url', url: 'http://evil.example/token', headers: { a: { value: SECRET } } })),
  ),
  fault(
    'the config with a token command belongs to another user',
    [
      10,
      /is not safe to use: it belongs to another user \(id 12345\)/,
      'Check its contents, then run `chown',
    ],
    () => after(path => chownSync(path, 12345, 12345)),
    process.getuid?.() !== 0 && 'only root gives files away',
  ),
  fault(
    'any user may write the config',
    [10, 'is not safe to use: every user may write it (mode 0666)', 'then run `chmod 600'],
    () => after(path => chmodSync(path, 0o666)),
  ),
  fault(
    'other users may read the config, which has a token',
    [
      4,
      /warning: the config .* contains secrets and can be read by other users \(mode 0644\): run `chmod 600/,
      '404',
    ],
    () => after(path => chmodSync(path, 0o644)),
  ),
  fault(
    'other users may read the config, with --strict',
    [10, 'can be read by other users (mode 0644)', 'nothing was sent, because --strict makes an error of it'],
    async () => {
      const ran = await after(path => chmodSync(path, 0o644), 'track gone --strict');
      expect(ran.requests).toEqual([]);
      return ran;
    },
  ),
  fault(
    'other users may read the config: the next change makes it private',
    [0, 'profile live saved'],
    async () => {
      const rig = await bareRig();
      await add(rig, rig.address, ['--token-stdin'], { stdin: SECRET });
      chmodSync(configOf(rig), 0o644);
      const ran = await rig.run('profile set live currency=EUR');
      expect(statSync(configOf(rig)).mode & 0o777).toBe(0o600);
      return ran;
    },
  ),
]);
