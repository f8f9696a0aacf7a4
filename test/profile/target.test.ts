import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Config } from '../../src/profile/store.ts';
import { resolveTarget, type TargetFlags } from '../../src/profile/target.ts';
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
    runs(400),
  );
});

test('production is never used in place of a sandbox without an address', () => {
  expect(target({}, { profile: 'two.dots.', sandbox: true }).base).toBeUndefined();
  expect(target(mine, { sandbox: true }).base).toBeUndefined();
  expect(target({ WAYBILL_SANDBOX_BASE_URL: 'https://env.example' }).base).toBeUndefined();
});
