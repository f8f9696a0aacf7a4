import { getAt } from './paths.ts';

/** How deliveries are repeated (service document §8). Delays in ms. */
export interface RetryPolicy {
  maxRetries: number;
  initialDelayMs: number;
  backoffMultiplier: number;
  maxDelayMs: number;
}

/** What the service does if a subscription does not say it. */
export const RETRY_DEFAULTS: Readonly<RetryPolicy> = {
  maxRetries: 5,
  initialDelayMs: 10_000,
  backoffMultiplier: 2,
  maxDelayMs: 3_600_000,
};

/** The policy in a body or an answer, completed with the defaults. */
export function retryPolicyOf(given: unknown): RetryPolicy {
  const values = Object.keys(RETRY_DEFAULTS).map(name => [name, getAt(given, [name])] as const);
  return { ...RETRY_DEFAULTS, ...Object.fromEntries(values.filter(([, value]) => Number.isFinite(value))) };
}

/**
 * Milliseconds from the end of attempt `attempts` (1 is the first) to the next one: the initial delay, times the
 * multiplier for each further retry, never more than the maximum.
 */
export function retryDelay(retry: RetryPolicy, attempts: number): number {
  const delay = retry.initialDelayMs * retry.backoffMultiplier ** (attempts - 1);
  // 0 × Infinity is not a number, and a date has a maximum.
  return Math.round(Math.min(Number.isNaN(delay) ? 0 : delay, retry.maxDelayMs, Number.MAX_SAFE_INTEGER / 2));
}

// After this many the delay no longer changes, for any sensible multiplier.
const COUNTED = 1000;

/** Milliseconds from the first attempt to the last one: a receiver that is down for longer loses the event. */
export function retryWindow(retry: RetryPolicy): number {
  const retries = Math.floor(retry.maxRetries);
  const counted = Math.min(retries, COUNTED);
  let window = 0;
  for (let attempts = 1; attempts <= counted; attempts += 1) window += retryDelay(retry, attempts);
  return window + (retries - counted) * retryDelay(retry, counted);
}
