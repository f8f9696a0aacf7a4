import * as z from 'zod/mini';
import { formatPath, getAt, type Path } from './paths.ts';
import { readFilled, readId, readText } from './read.ts';
import { about, amount, choice, listOf, loose, optional, part, requiredText, strict } from './shapes.ts';

// Service document §2.4, §4.8, §4.9, §6, §8: webhook subscriptions.

export const EVENTS = {
  'shipment.status.updated': 'a shipment status changed',
  'shipment.milestone.updated': 'a shipment milestone changed',
} as const;

/** How deliveries are repeated (service document §8). Delays in ms. */
export interface RetryPolicy {
  maxRetries: number;
  initialDelayMs: number;
  backoffMultiplier: number;
  maxDelayMs: number;
}

/** The retry policy of the service for a subscription that names none. */
export const RETRY_DEFAULTS: Readonly<RetryPolicy> = {
  maxRetries: 5,
  initialDelayMs: 10_000,
  backoffMultiplier: 2,
  maxDelayMs: 3_600_000,
};

const ofRetries = (field: keyof RetryPolicy, description: string, flag: string) =>
  optional(
    amount(`${description}; default ${RETRY_DEFAULTS[field]}`, { flag, group: 'Retries of deliveries:' }),
  );

export const retryPolicy = () => ({
  maxRetries: ofRetries('maxRetries', 'Retry attempts', '--max-retries <n>'),
  initialDelayMs: ofRetries(
    'initialDelayMs',
    'Delay before the first retry in ms',
    '--initial-delay-ms <ms>',
  ),
  backoffMultiplier: ofRetries(
    'backoffMultiplier',
    'Factor from one delay to the next',
    '--backoff-multiplier <factor>',
  ),
  maxDelayMs: ofRetries('maxDelayMs', 'Longest delay in ms', '--max-delay-ms <ms>'),
});

export const HEADER = 'Value of the header';
export const DELIVERY_RETRIES = 'How deliveries are retried';

export const subscriptionBody = strict(() => ({
  url: requiredText('HTTPS address of the deliveries', {
    sample: 'https://example.com/hooks/shipments',
    flag: '--url <url>',
    group: 'Subscription:',
  }),
  events: listOf('Event types to deliver', choice('Event type', EVENTS), { flag: '--event' }),
  headers: optional(
    about(
      'Headers of the deliveries; names begin with X-',
      z.record(
        z.string().check(z.regex(/^X-[!#$%&'*+.^_`|~0-9A-Za-z-]+$/)),
        about(HEADER, z.string().check(z.regex(/^[^\0\r\n]*$/))),
      ),
      { flag: '--header' },
    ),
  ),
  retryPolicy: optional(part(DELIVERY_RETRIES, retryPolicy)),
}));

export const subscriptionNeeded = loose({ data: loose({ id: readId }) });

/** The record of a subscription: an id without an address may be that of anything. */
export const subscriptionRecord = loose({ data: loose({ id: readFilled, url: z.string() }) });

/** Secret and token, which the service gives only once: if one of both is missing, the subscription is partial. */
export const readSecrets = loose({ data: loose({ id: readId, secret: readText, token: readText }) });
export type Secrets = z.output<typeof readSecrets>['data'];

/** Does a field of an answer hold what the service gives only once? Also under a similar name, such as `webhookSecret`. */
export const isSecret = (name: string, value: unknown): boolean =>
  /secret|token/i.test(name) && typeof value !== 'boolean' && (value ?? '') !== '';

/** The fields, anywhere in an answer, that hold what the service gives only once, each with its path and its value. */
export const secretsIn = (value: unknown, path: Path = []): { path: string; value: unknown }[] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.entries(value).flatMap(([name, inner]) => {
        const here = [...path, Array.isArray(value) ? Number(name) : name];
        return isSecret(name, inner) ? [{ path: formatPath(here), value: inner }] : secretsIn(inner, here);
      });

/** The policy in a body or an answer, completed with the defaults. */
export function retryPolicyOf(policy: unknown): RetryPolicy {
  const values = Object.keys(RETRY_DEFAULTS).map(name => [name, getAt(policy, [name])] as const);
  return { ...RETRY_DEFAULTS, ...Object.fromEntries(values.filter(([, value]) => Number.isFinite(value))) };
}

/**
 * Milliseconds from the end of attempt `attempts` (1 is the first) to the next one: the initial delay, times the
 * multiplier for each further retry, never more than the maximum.
 */
export function retryDelay(retry: RetryPolicy, attempts: number): number {
  const delay = retry.initialDelayMs * retry.backoffMultiplier ** (attempts - 1);
  // The delay may be NaN, from 0 × Infinity, or too long for a date.
  return Math.round(Math.min(Number.isNaN(delay) ? 0 : delay, retry.maxDelayMs, Number.MAX_SAFE_INTEGER / 2));
}

// After this many retries the delay no longer changes, for any sensible multiplier.
const COUNTED = 1000;

/** Milliseconds from the first attempt to the last one: a receiver that is down for longer loses the event. */
export function retryWindow(retry: RetryPolicy): number {
  const retries = Math.floor(retry.maxRetries);
  const counted = Math.min(retries, COUNTED);
  let window = 0;
  for (let attempts = 1; attempts <= counted; attempts += 1) window += retryDelay(retry, attempts);
  return window + (retries - counted) * retryDelay(retry, counted);
}
