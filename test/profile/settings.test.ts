// `profile set NAME key=value`: what is kept, what is refused, and what is shown of it.

import { expect, test } from 'vitest';
import { FORMAT_NAMES } from '../../src/text.ts';
import { bareRig, savedIn } from '../rig/profile.ts';

const KEPT: [setting: string, kept: unknown][] = [
  ['baseUrl=https://API.example.com/', 'https://api.example.com'],
  ['baseUrl=https://api.example.com/v/', 'https://api.example.com/v'],
  ['sandboxBaseUrl=http://localhost:8787', 'http://localhost:8787'],
  ['account=00123', '00123'],
  ['account= acme ', 'acme'],
  ['sandbox=true', true],
  ['sandbox=false', false],
  ['authHeader=X-Api-Key', 'X-Api-Key'],
  ['economyCarriers=ECO, 17,,', ['ECO', '17']],
  ['endMilestones=delivered, teslim edildi', ['delivered', 'teslim edildi']],
  ['output=json', 'json'],
  ['output=', undefined],
  ['category=micro export', 'micro export'],
  ['account=', undefined],
  ['authScheme=', ''],
];
const REFUSED: [setting: string, message: string][] = [
  ['baseUrl=http://api.example.com', 'baseUrl: the address "http://api.example.com" must begin with https:'],
  ['sandboxBaseUrl=x', 'sandboxBaseUrl: the address "x" is not a URL'],
  ['sandbox=yes', 'sandbox must be one of true, false, not "yes"'],
  ['output=xml', `output must be one of ${FORMAT_NAMES.join(', ')}, not "xml"`],
  ['authHeader=x key', 'authHeader must be the name of a header, not "x key"'],
  ['requestIdHeader=Authorization', 'the name of a header that has no other use, not "Authorization"'],
  ['requestIdHeader=content-length', 'has no other use'],
  ['journal=postgres://a:hunter2@db.example.com/w', 'contains a password'],
  ['curency=EUR', 'did you mean currency?'],
  ['currency', 'KEY=VALUE'],
  ['', 'KEY=VALUE'],
  ['type=parcel', 'package, document'],
  ['sender=@nobody', 'has no party "nobody"'],
  ['__proto__=x', '__proto__'],
  ['credentials=x', 'credentials'],
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
    expect(ran.stderr).not.toContain('hunter2');
  }
  expect(savedIn(rig)).toEqual(before);
});
