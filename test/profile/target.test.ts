import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Config } from '../../src/profile/store.ts';
import { parseAddress, resolveTarget, type TargetFlags } from '../../src/profile/target.ts';
import { runs } from '../torture/size.ts';

const config: Config = {
  current: 'work',
  profiles: {
    work: {
      baseUrl: 'https://work.example/api',
      sandboxBaseUrl: 'https://sandbox.work.example',
      credentials: { kind: 'token', token: 'token-of-work' },
      authHeader: 'x-api-key',
      authScheme: '',
      currency: 'EUR',
    },
    'two.dots.': { baseUrl: 'https://two.example', sandbox: true },
    bare: {},
  },
};
const target = (env: Record<string, string> = {}, flags: TargetFlags = {}, given = config) =>
  resolveTarget({ env }, given, flags);
const mine = { WAYBILL_BASE_URL: 'https://env.example', WAYBILL_TOKEN: 'token-of-env' };

const VALUES = ['', ' ', 'https://env.example', 'https://sandbox.env.example'];
test('address and credential always have one source', () => {
  const value = fc.constantFrom(...VALUES, undefined);
  const env = fc.record({
    WAYBILL_BASE_URL: value,
    WAYBILL_SANDBOX_BASE_URL: value,
    WAYBILL_TOKEN: fc.constantFrom('', 'token-of-env', undefined),
    WAYBILL_SANDBOX: fc.constantFrom('', '0', '1', undefined),
    WAYBILL_PROFILE: fc.constantFrom('', 'work', 'bare', undefined),
  });
  const flags = fc.record(
    { profile: fc.constantFrom('work', 'bare', 'two.dots.'), sandbox: fc.boolean() },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(env, flags, (given, chosen) => {
      let found: ReturnType<typeof resolveTarget>;
      try {
        found = resolveTarget({ env: given }, config, chosen);
      } catch (error) {
        const [base, sandbox] = [given.WAYBILL_BASE_URL?.trim(), given.WAYBILL_SANDBOX_BASE_URL?.trim()];
        const isOneAddress = base !== '' && base !== undefined && base === sandbox;
        expect(error).toMatchObject(isOneAddress ? { code: 'usage' } : { code: 'unauthorized', exitCode: 3 });
        expect(chosen.profile).toBeUndefined();
        return;
      }
      const { base, credentials } = found;
      const token = credentials?.stored.kind === 'token' ? credentials.stored.token : undefined;
      if (base?.hostname.endsWith('env.example')) expect(token).not.toBe('token-of-work');
      if (base?.hostname.endsWith('work.example')) expect(token).not.toBe('token-of-env');
      if (chosen.profile !== undefined)
        expect(found).toEqual(
          resolveTarget({ env: { WAYBILL_SANDBOX: given.WAYBILL_SANDBOX } }, config, chosen),
        );
    }),
    runs(1000),
  );
});

test.each(['', ' '])('variables that are %j count as unset', value => {
  const env = {
    WAYBILL_BASE_URL: value,
    WAYBILL_TOKEN: value,
    WAYBILL_SANDBOX: value,
    WAYBILL_PROFILE: value,
  };
  expect(target(env)).toEqual(target());
});

test('production is never used in place of a sandbox without an address', () => {
  expect(target({}, { profile: 'two.dots.', sandbox: true }).base).toBeUndefined();
  expect(target(mine, { sandbox: true }).base).toBeUndefined();
  expect(target({ WAYBILL_SANDBOX_BASE_URL: 'https://env.example' }).base).toBeUndefined();
});

test.each([
  'https://api.example.com',
  'https://api.example.com:8443/base/',
  'http://127.0.0.1:8787',
  'http://127.9.9.9/x',
  'http://localhost:1',
  'http://[::1]:80',
])('%s is an address', given => {
  expect(parseAddress(given, 'here').href).toContain(new URL(given).host);
});

test.each([
  ['http://api.example.com', 'must begin with https:'],
  ['http://127.0.0.1.evil.example', 'must begin with https:'],
  ['http://localhost.evil.example', 'must begin with https:'],
  ['http://0.0.0.0', 'must begin with https:'],
  ['http://10.0.0.1', 'must begin with https:'],
  ['ftp://127.0.0.1', 'must begin with https:'],
  ['file:///etc/passwd', 'must begin with https:'],
  ['api.example.com', 'is not a URL'],
  ['', 'is not a URL'],
  ['https://api.example.com/?', 'must not contain a query'],
  ['https://api.example.com/#a', 'must not contain a query'],
])('%j is no address', (given, why) => {
  expect(() => parseAddress(given, 'here')).toThrow(why);
});

test.each([
  'https://me:s3cret@api.example.com',
  'https://api.example.com/?key=s3cret',
  'https://x y/#s3cret',
])('a secret in an address is refused and not repeated (%#)', given => {
  expect(() => parseAddress(given, 'here')).toThrow(/^here: the address (?!.*s3cret)/);
});
