import { expect, test } from 'vitest';
import { isSetting, SETTINGS, type SettingName, withSetting } from '../../src/profile/settings.ts';
import type { Profile } from '../../src/profile/store.ts';

test.each<[SettingName, string, unknown]>([
  ['baseUrl', 'https://API.example.com/', 'https://api.example.com'],
  ['baseUrl', 'https://api.example.com/v/', 'https://api.example.com/v'],
  ['sandboxBaseUrl', 'http://localhost:8787', 'http://localhost:8787'],
  ['account', '00123', '00123'],
  ['account', ' acme ', 'acme'],
  ['sandbox', 'true', true],
  ['sandbox', 'false', false],
  ['authHeader', 'X-Api-Key', 'X-Api-Key'],
  ['authScheme', '', ''],
  ['requestIdHeader', 'X-Request-Id', 'X-Request-Id'],
  ['economyCarriers', 'ECO, 17,,', ['ECO', '17']],
  ['endMilestones', 'delivered, teslim edildi', ['delivered', 'teslim edildi']],
  ['output', 'json', 'json'],
  ['category', 'micro export', 'micro export'],
  ['deliveryType', 'DDP', 'DDP'],
])('%s=%s is kept as %j', (key, value, kept) => {
  expect(withSetting({}, key, value)).toStrictEqual({ [key]: kept });
});

test.each<[SettingName, string, string]>([
  [
    'baseUrl',
    'http://api.example.com',
    'baseUrl: the address "http://api.example.com" must begin with https:',
  ],
  ['sandboxBaseUrl', 'x', 'sandboxBaseUrl: the address "x" is not a URL'],
  ['sandbox', 'yes', 'sandbox must be one of true, false, not "yes"'],
  ['output', 'xml', 'output must be one of table, json, jsonl, csv, text, not "xml"'],
  ['type', 'box', 'type must be one of package, document, not "box"'],
  ['authHeader', 'x key', 'authHeader must be the name of a header, not "x key"'],
  ['requestIdHeader', 'Authorization', 'the name of a header that has no other use, not "Authorization"'],
  ['requestIdHeader', 'content-length', 'has no other use'],
  ['requestIdHeader', 'x id', 'has no other use'],
])('%s=%s is refused', (key, value, message) => {
  expect(() => withSetting({}, key, value)).toThrow(message);
});

test('an empty value removes any setting and keeps the others', () => {
  const profile: Profile = { account: 'a', currency: 'EUR' };
  expect(withSetting(profile, 'account', '')).toStrictEqual({ currency: 'EUR' });
  for (const key of Object.keys(SETTINGS)
    .filter(isSetting)
    .filter(name => name !== 'authScheme'))
    expect(withSetting(profile, key, '')).not.toHaveProperty(key);
  expect(profile).toEqual({ account: 'a', currency: 'EUR' });
});

test.each(['__proto__', 'constructor', 'credentials', 'token', 'sender', ''])('%j is no setting', name => {
  expect(isSetting(name)).toBe(false);
});
