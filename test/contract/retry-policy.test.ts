import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  RETRY_DEFAULTS,
  type RetryPolicy,
  retryDelay,
  retryPolicyOf,
  retryWindow,
} from '../../src/contract/retry-policy.ts';

const MINUTE = 60_000;

test('a delay is never more than the maximum, whatever the multiplier', () => {
  const policy = { ...RETRY_DEFAULTS, maxRetries: 9999 };
  expect([1, 2, 9, 10, 9999].map(attempts => retryDelay(policy, attempts))).toEqual([
    10_000, 20_000, 2_560_000, 3_600_000, 3_600_000,
  ]);
  expect(retryDelay({ ...policy, initialDelayMs: 0 }, 9999)).toBe(0);
});

test('the defaults cover 10 + 20 + 40 + 80 + 160 s', () => {
  expect(retryWindow(RETRY_DEFAULTS)).toBe(5 * MINUTE + 10_000);
});

test('a value that a policy does not have, or has as text, is the default', () => {
  expect(retryPolicyOf(undefined)).toEqual(RETRY_DEFAULTS);
  expect(retryPolicyOf({ maxRetries: 0, maxDelayMs: 'long' })).toEqual({ ...RETRY_DEFAULTS, maxRetries: 0 });
});

test('no retries cover no time, and a huge number of retries is computed at once', () => {
  expect(retryWindow({ ...RETRY_DEFAULTS, maxRetries: 0 })).toBe(0);
  const steady: RetryPolicy = { ...RETRY_DEFAULTS, backoffMultiplier: 1, maxRetries: 1e9 };
  expect(retryWindow(steady)).toBe(1e13);
});

test('one more retry never covers less time', () => {
  const number = fc.double({ min: 0, max: 1e7, noNaN: true });
  const policy = fc.record({
    maxRetries: fc.nat(2000),
    initialDelayMs: number,
    backoffMultiplier: fc.double({ min: 1, max: 100, noNaN: true }),
    maxDelayMs: number,
  });
  fc.assert(
    fc.property(policy, retry => {
      expect(retryWindow({ ...retry, maxRetries: retry.maxRetries + 1 })).toBeGreaterThanOrEqual(
        retryWindow(retry),
      );
    }),
  );
});
