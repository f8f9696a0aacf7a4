// `profile set NAME key=value`: what is kept, what is refused, and what is shown of it.

import { expect, test } from 'vitest';
import { bareRig, savedIn } from '../rig/profile.ts';

// More of both, beside what each field of an order may be, is in test/promises/profiles.test.ts.
const KEPT: [setting: string, kept: unknown][] = [
  ['baseUrl=https://API.example.com/', 'https://api.example.com'],
  ['account= acme ', 'acme'],
  ['sandbox=false', false],
  ['economyCarriers=ECO, 17,,', ['ECO', '17']],
  ['endMilestones=delivered, teslim edildi', ['delivered', 'teslim edildi']],
  ['category=micro export', 'micro export'],
  ['account=', undefined],
  ['authScheme=', ''],
];
const REFUSED: [setting: string, message: string][] = [
  ['sandboxBaseUrl=x', 'is not a URL'],
  ['authHeader=x key', 'must be the name of a header'],
  ['', 'KEY=VALUE'],
  ['__proto__=x', '__proto__'],
];

test('a setting is kept as it is meant, an empty one is removed, and all others stay', async () => {
  const rig = await bareRig();
  await rig.run('profile add shop --base-url https://api.example.com --no-input');
  await rig.run('profile set shop currency=EUR');
  for (const [setting, kept] of KEPT) {
    expect([setting, (await rig.run(['profile', 'set', 'shop', setting])).exitCode]).toEqual([setting, 0]);
    const { shop } = savedIn(rig).profiles;
    expect([setting, shop[setting.split('=')[0] ?? '']]).toEqual([setting, kept]);
    expect(shop.currency).toBe('EUR');
  }
  const before = savedIn(rig);
  for (const [setting, message] of REFUSED) {
    const ran = await rig.run(['profile', 'set', 'shop', setting]);
    expect([setting, ran.exitCode, ran.stderr]).toEqual([setting, 2, expect.stringContaining(message)]);
  }
  expect(savedIn(rig)).toEqual(before);
});
