// When a request is sent again, and after how long.

import type { Operation } from '../contract/operations.ts';
import type { Host } from '../host.ts';
import type { WireFault } from '../say/service.ts';
import type { Credentials } from './credentials.ts';
import { isDoubtfulRefusal } from './outcome.ts';
import { type Exchange, LONGEST_RETRY_AFTER, parseRetryAfter } from './response.ts';

/** Delays between attempts, in ms, if the service asks for no other. */
const FIRST_DELAY = 500;
const LONGEST_DELAY = 20_000;

/** A wait before a further attempt. */
export interface Retry {
  /** The status of the answer, if an answer came. */
  status: number | undefined;
  /** What went wrong, if no answer came. */
  fault: WireFault | undefined;
  /** The length of the wait, in ms. */
  wait: number;
  /** Did the service ask for this wait? */
  asked: boolean;
  /** The attempt after the wait, from 2, and how many there are at most. */
  attempt: number;
  attempts: number;
}

interface Repeated {
  /** How many further attempts there may be, where a further attempt is safe. */
  retries: number;
  /** A credential that can be renewed is renewed once, after the first 401; the attempt after that does not count as a further attempt. */
  credentials?: Credentials | undefined;
  /** Absent if a file behind a link, or a token, is asked for. */
  operation?: Operation;
  /** Ends the attempts when aborted. */
  interrupted: AbortSignal;
  onRetry(retry: Retry): void;
}

/** Sends a request, and sends it again where that is safe; gives the last exchange. `send` gets the number of the attempt, from 1. */
export async function repeat(
  send: (attempt: number) => Promise<Exchange>,
  repeated: Repeated,
  host: Pick<Host, 'now' | 'random' | 'sleep'>,
): Promise<Exchange> {
  const { retries, credentials, operation, interrupted } = repeated;
  let repeats = 0;
  let renewals = 0;
  for (;;) {
    const exchange = await send(1 + repeats + renewals);
    if (operation && exchange.kind === 'answer' && isDoubtfulRefusal(operation, exchange)) return exchange;
    if (renewals === 0 && credentials?.renew && exchange.kind === 'answer' && exchange.status === 401) {
      if (!(await credentials.renew())) return exchange;
      renewals = 1;
      continue;
    }
    if (repeats === retries || !isSafeToRepeat(exchange, operation?.books ?? false)) return exchange;
    repeats += 1;
    const wait = delayBefore(repeats, exchange, host.now(), host.random());
    if (wait === undefined || interrupted.aborted) return exchange;
    const answer = exchange.kind === 'answer' ? exchange : undefined;
    repeated.onRetry({
      status: answer?.status,
      fault: answer ? undefined : exchange.fault,
      asked: answer !== undefined && (answer.status === 429 || 'retry-after' in answer.headers),
      wait,
      attempt: 1 + repeats + renewals,
      attempts: 1 + retries + renewals,
    });
    await host.sleep(wait, interrupted).catch(() => {});
    if (interrupted.aborted) return exchange;
  }
}

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
