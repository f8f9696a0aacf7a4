import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { changeConfig, type Profile, readConfig } from '../../src/profile/store.ts';
import { createHome } from '../rig/profile.ts';
import { runs } from '../torture/size.ts';

const work: Profile = { baseUrl: 'https://api.example.com', credentials: { kind: 'token', token: 's3cret' } };
const mode = (path: string) => statSync(path).mode & 0o777;

test.each([0o000, 0o022, 0o077])('under umask %o only the owner can read the config', async umask => {
  const before = process.umask(umask);
  onTestFinished(() => void process.umask(before));
  const { host, path } = createHome();
  await changeConfig(host, () => ({ profiles: { work } }));
  expect(mode(path)).toBe(0o600);
  expect(mode(dirname(path))).toBe(0o700);
  for (const name of readdirSync(dirname(path))) expect(mode(join(dirname(path), name))).toBe(0o600);
});

test('a byte order mark of an editor is ignored', async () => {
  const { host, write } = createHome();
  write('\uFEFF{"current":"work","profiles":{"work":{}}}');
  expect(readConfig(host).current).toBe('work');
  await changeConfig(host, config => ({ ...config, profiles: { ...config.profiles, other: {} } }));
  expect(Object.keys(readConfig(host).profiles)).toEqual(['work', 'other']);
});

test('unknown fields in the config survive a change', async () => {
  const { host, write, read } = createHome();
  write('{"$schema":"x","profiles":{"work":{"ofTomorrow":[1]}},"current":"work"}');
  await changeConfig(host, ({ profiles }) => ({ profiles: { ...profiles, other: {} } }));
  expect(JSON.parse(read())).toEqual({ $schema: 'x', profiles: { work: { ofTomorrow: [1] }, other: {} } });
});

test('any name of a profile is saved unchanged, also with dots and __proto__', async () => {
  const name = fc.oneof(
    fc.constantFrom('a.b.c', '__proto__', 'constructor', '__internal__', 'profiles', ''),
    fc.string(),
  );
  const { host } = createHome();
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(name, { maxLength: 3 }), async names => {
      const entries = names.map((one): [string, Profile] => [one, { account: `of ${one}` }]);
      await changeConfig(host, () => ({ profiles: Object.fromEntries(entries) }));
      expect(Object.entries(readConfig(host).profiles).sort()).toEqual(entries.sort());
    }),
    runs(30),
  );
  expect(({} as Profile).account).toBeUndefined();
});
