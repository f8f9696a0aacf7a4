import type { Host } from '../host.ts';
import type { Exchange } from './transport.ts';

const FIRST_DELAY = 500;
const LONGEST_DELAY = 20_000;
/** A longer wait that the service asks for is not waited. */
const LONGEST_RETRY_AFTER = 60_000;
const YEAR = 365 * 24 * 60 * 60_000;

/** May the same request be sent again without any risk of doing its work twice? */
function isSafeToRepeat(exchange: Exchange, books: boolean): boolean {
  // step: attempt ended
  if (exchange.kind === 'none') return !books || !exchange.sent;
  if (exchange.status === 429) return true;
  return !books && (exchange.status === 408 || exchange.status >= 500 || exchange.fault !== undefined);
}

/** Milliseconds to wait before attempt `next` (1 is the first retry); `undefined`: give up. */
function delayBefore(next: number, exchange: Exchange, now: number, random: number): number | undefined {
  const asked = exchange.kind === 'answer' ? retryAfter(exchange.headers['retry-after'], now) : undefined;
  if (asked !== undefined && asked > LONGEST_RETRY_AFTER) return undefined;
  const backoff = Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** (next - 1)) * (0.5 + random / 2);
  return Math.max(asked ?? 0, backoff);
}

/** A wait before a further attempt. */
export interface Retry {
  /** What went wrong, for people: `the service answered 429`. */
  why: string;
  /** The status, if an answer came. */
  status: number | undefined;
  /** How long it waits, in ms. */
  wait: number;
  /** Did the service ask for it? */
  asked: boolean;
  /** The attempt after the wait, from 2, and how many there are at most. */
  attempt: number;
  attempts: number;
}

export type OnRetry = (retry: Retry) => void;

export const retryWords = ({ why, wait, attempt, attempts }: Retry): string =>
  `${why}; trying again in ${Math.ceil(wait / 1000)} s (attempt ${attempt} of ${attempts})`;

/** Sends, and up to `retries` times again if that is safe and the wait is not too long; gives the last exchange. */
export async function repeat(
  send: (attempt: number) => Promise<Exchange>,
  { retries, books, onRetry }: { retries: number; books: boolean; onRetry?: OnRetry | undefined },
  host: Pick<Host, 'now' | 'sleep' | 'random' | 'interrupted'>,
): Promise<Exchange> {
  for (let done = 0; ; done += 1) {
    const exchange = await send(done + 1);
    if (done >= retries || !isSafeToRepeat(exchange, books)) return exchange;
    const delay = delayBefore(done + 1, exchange, host.now(), host.random());
    if (delay === undefined || host.interrupted.aborted) return exchange;
    const asked =
      exchange.kind === 'answer' && (exchange.status === 429 || 'retry-after' in exchange.headers);
    const status = exchange.kind === 'none' ? undefined : exchange.status;
    onRetry?.({
      why:
        exchange.kind === 'none' ? `no answer: ${exchange.fault}` : `the service answered ${exchange.status}`,
      ...{ status, wait: delay, asked, attempt: done + 2, attempts: retries + 1 },
    });
    await host.sleep(delay, host.interrupted).catch(() => {});
    if (host.interrupted.aborted) return exchange;
  }
}

/** `Retry-After` in milliseconds, from seconds or a date; `undefined` for nonsense and the past. */
export function retryAfter(header: string | undefined, now: number): number | undefined {
  const wait = parseRetryAfter(header);
  if (wait === undefined || 'ms' in wait) return wait?.ms;
  return wait.at <= now ? undefined : wait.at - now;
}

/** What `Retry-After` asks for, as words; `undefined` for nothing and for nonsense. */
export function retryAfterText(header: string | undefined): string | undefined {
  const wait = parseRetryAfter(header);
  if (wait === undefined) return undefined;
  if ('at' in wait) return `it asks to wait until ${new Date(wait.at).toISOString()}`;
  const { ms } = wait;
  if (ms === 0) return undefined;
  const long = ms > YEAR ? 'for more than a year' : `${Math.ceil(ms / 1000)} s`;
  return `it asks to wait ${long}${ms > LONGEST_RETRY_AFTER ? `; waybill waits at most ${LONGEST_RETRY_AFTER / 1000} s` : ''}`;
}

/** Milliseconds from now, or a moment in milliseconds since 1970. */
function parseRetryAfter(header: string | undefined): { ms: number } | { at: number } | undefined {
  if (header === undefined) return undefined;
  if (/^\s*\d+(\.\d+)?\s*$/.test(header)) return { ms: Number(header) * 1000 };
  // `Date.parse` accepts almost any word with a number.
  if (!/\d:\d\d:\d\d/.test(header)) return undefined;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : { at };
}
