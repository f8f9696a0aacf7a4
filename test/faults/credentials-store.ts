// Faults of the file with the secrets.
import { chmodSync, chownSync, mkdirSync, readFileSync, renameSync, statSync, symlinkSync } from 'node:fs';
import { expect } from 'vitest';
import type { Rig } from '../rig/command.ts';
import { bareRig, configOf } from '../rig/profile.ts';
import { add } from './credentials-rig.ts';
import { type Fault, SECRET } from './fault.ts';

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

export const STORE: readonly Fault[] = [
  {
    when: 'the config is cut off in the middle of a token',
    sees: [
      /the config .*config\.json is damaged and was not changed: it is not JSON/,
      'Repair it, or move it away',
    ],
    exit: 10,
    happen: () =>
      after((path, rig) => void rig.file('config/config.json', readFileSync(path, 'utf8').split('07e')[0])),
  },
  {
    when: 'the config has an unknown kind of credentials',
    sees: ['profiles.live.credentials', 'is not valid'],
    exit: 10,
    happen: () => after(saved({ kind: 'quantum', secret: SECRET })),
  },
  {
    when: 'the config has a token command without a program',
    sees: ['profiles.live.credentials.command is not valid'],
    exit: 10,
    happen: () => after(saved({ kind: 'command', command: [] })),
  },
  {
    when: 'the config has a token with a line break',
    sees: ['the credential for the header authorization contains', 'line break'],
    exit: 3,
    happen: () => after(saved({ kind: 'token', token: `${SECRET}\n` })),
  },
  {
    when: 'the config has a token URL in plain text on another host',
    sees: ['http://evil.example/token does not begin with https:'],
    exit: 2,
    happen: () =>
      after(saved({ kind: 'url', url: 'http://evil.example/token', headers: { a: { value: SECRET } } })),
  },
  {
    when: 'the config with a token command belongs to another user',
    sees: [
      /is not safe to use: it belongs to another user \(id 12345\)/,
      'Check its contents, then run `chown',
    ],
    exit: 10,
    skip: process.getuid?.() !== 0 && 'only root gives files away',
    happen: () => after(path => chownSync(path, 12345, 12345)),
  },
  {
    when: 'any user may write the config',
    sees: ['is not safe to use: every user may write it (mode 0666)', 'then run `chmod 600'],
    exit: 10,
    happen: () => after(path => chmodSync(path, 0o666)),
  },
  {
    when: 'other users may read the config, which has a token',
    sees: [
      /warning: the config .* contains secrets and can be read by other users \(mode 0644\): run `chmod 600/,
      '404',
    ],
    exit: 4,
    happen: () => after(path => chmodSync(path, 0o644)),
  },
  {
    when: 'other users may read the config, with --strict',
    sees: [
      'can be read by other users (mode 0644)',
      'nothing was sent, because --strict makes an error of it',
    ],
    exit: 10,
    async happen() {
      const ran = await after(path => chmodSync(path, 0o644), 'track gone --strict');
      expect(ran.requests).toEqual([]);
      return ran;
    },
  },
  {
    when: 'other users may read the config: the next change makes it private',
    sees: ['profile live saved'],
    exit: 0,
    async happen() {
      const rig = await bareRig();
      await add(rig, rig.address, ['--token-stdin'], { stdin: SECRET });
      chmodSync(configOf(rig), 0o644);
      const ran = await rig.run('profile set live currency=EUR');
      expect(statSync(configOf(rig)).mode & 0o777).toBe(0o600);
      return ran;
    },
  },
  {
    when: 'the config is a symbolic link',
    sees: ['is not a plain file (is it a symbolic link?)', 'WAYBILL_CONFIG_DIR'],
    exit: 10,
    happen: () =>
      after(path => {
        renameSync(path, `${path}.real`);
        symlinkSync(`${path}.real`, path);
      }),
  },
  {
    when: 'the config is a folder',
    sees: ['is not a plain file'],
    exit: 10,
    happen: () =>
      after(path => {
        renameSync(path, `${path}.real`);
        mkdirSync(path);
      }),
  },
];
