// One request, sent as often as it takes.
import type { Host } from '../host.ts';
import type { Credentials } from './credentials.ts';
import type { Exchange, Purpose } from './transport.ts';
import type { Retry, Watch } from './watch.ts';

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
  const after = parseRetryAfter(exchange.kind === 'answer' ? exchange.headers['retry-after'] : undefined);
  const asked = after === undefined ? 0 : 'ms' in after ? after.ms : after.at - now;
  if (asked > LONGEST_RETRY_AFTER) return undefined;
  const backoff = Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** (next - 1)) * (0.5 + random / 2);
  return Math.max(asked, backoff);
}

export type OnRetry = (retry: Retry) => void;

export const retryWords = ({ why, wait, attempt, attempts }: Retry): string =>
  `${why}; trying again in ${Math.ceil(wait / 1000)} s (attempt ${attempt} of ${attempts})`;

interface Attempts {
  /** Renewed once, after the first 401, if it can be renewed. */
  credentials?: Credentials | undefined;
  /** Further attempts where one is safe; the one with a renewed token is none of them. */
  retries: number;
  books: boolean;
  /** Is told of each wait for a further attempt. */
  watch?: Watch | undefined;
  about: Omit<Purpose, 'attempt'>;
}

/** Sends, and again where that is safe; gives the last exchange. `send` gets the number of the attempt, from 1. */
export async function sendSafely(
  send: (attempt: number) => Promise<Exchange>,
  { credentials, retries, books, watch, about }: Attempts,
  host: Pick<Host, 'now' | 'sleep' | 'random' | 'interrupted'>,
): Promise<Exchange> {
  let repeats = 0;
  let renewals = 0;
  for (;;) {
    const exchange = await send(1 + repeats + renewals);
    if (renewals === 0 && credentials?.renew && exchange.kind === 'answer' && exchange.status === 401) {
      if (!(await credentials.renew())) return exchange;
      renewals = 1;
      continue;
    }
    if (repeats === retries || !isSafeToRepeat(exchange, books)) return exchange;
    repeats += 1;
    const wait = delayBefore(repeats, exchange, host.now(), host.random());
    if (wait === undefined || host.interrupted.aborted) return exchange;
    const attempt = 1 + repeats + renewals;
    const attempts = 1 + retries + renewals;
    const retry = { ...reasonOf(exchange), wait, attempt, attempts };
    watch?.({ event: 'retry', purpose: { ...about, attempt }, retry });
    await host.sleep(wait, host.interrupted).catch(() => {});
    if (host.interrupted.aborted) return exchange;
  }
}

function reasonOf(exchange: Exchange): Pick<Retry, 'why' | 'status' | 'asked'> {
  if (exchange.kind === 'none')
    return { why: `no answer: ${exchange.fault}`, status: undefined, asked: false };
  const { status, headers } = exchange;
  return {
    why: `the service answered ${status}`,
    status,
    asked: status === 429 || 'retry-after' in headers,
  };
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

/** `Retry-After`: milliseconds from now, or a moment in milliseconds since 1970; `undefined` for nonsense. */
function parseRetryAfter(header: string | undefined): { ms: number } | { at: number } | undefined {
  if (header === undefined) return undefined;
  if (/^\s*\d+(\.\d+)?\s*$/.test(header)) return { ms: Number(header) * 1000 };
  // `Date.parse` accepts almost any word with a number.
  if (!/\d:\d\d:\d\d/.test(header)) return undefined;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : { at };
}
