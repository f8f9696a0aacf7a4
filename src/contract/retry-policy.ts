import { getAt } from './paths.ts';

/** How deliveries are repeated (service document §8). Delays in ms. */
export interface RetryPolicy {
  maxRetries: number;
  initialDelayMs: number;
  backoffMultiplier: number;
  maxDelayMs: number;
}

/** What the service does where a subscription says nothing. */
export const RETRY_DEFAULTS: Readonly<RetryPolicy> = {
  maxRetries: 5,
  initialDelayMs: 10_000,
  backoffMultiplier: 2,
  maxDelayMs: 3_600_000,
};

/** A policy as a body or an answer tells it, with what it leaves out. */
export function retryPolicyOf(given: unknown): RetryPolicy {
  const told = (name: keyof RetryPolicy): number => {
    const value = getAt(given, [name]);
    return Number.isFinite(value) ? (value as number) : RETRY_DEFAULTS[name];
  };
  return {
    maxRetries: told('maxRetries'),
    initialDelayMs: told('initialDelayMs'),
    backoffMultiplier: told('backoffMultiplier'),
    maxDelayMs: told('maxDelayMs'),
  };
}

/**
 * Milliseconds from the end of attempt `attempts` (1 is the first) to the next one: the initial delay, times the
 * multiplier for each further retry, never more than the maximum.
 */
export function retryDelay(retry: RetryPolicy, attempts: number): number {
  const delay = retry.initialDelayMs * retry.backoffMultiplier ** (attempts - 1);
  // 0 × Infinity is no number, and a date has an end.
  return Math.round(Math.min(Number.isNaN(delay) ? 0 : delay, retry.maxDelayMs, Number.MAX_SAFE_INTEGER / 2));
}

// Past this many the delay does not change any more, unless somebody plays with the multiplier.
const COUNTED = 1000;

/** Milliseconds from the first attempt to the last one: a receiver that is away for longer loses the event. */
export function retryWindow(retry: RetryPolicy): number {
  const retries = Math.floor(retry.maxRetries);
  const counted = Math.min(retries, COUNTED);
  let window = 0;
  for (let attempts = 1; attempts <= counted; attempts += 1) window += retryDelay(retry, attempts);
  return window + (retries - counted) * retryDelay(retry, counted);
}
