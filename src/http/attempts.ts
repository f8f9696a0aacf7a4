// One request, sent as often as it takes.
import type { Host } from '../host.ts';
import type { Credentials } from './credentials.ts';
import { repeat } from './retry.ts';
import type { Exchange, Purpose } from './transport.ts';
import type { Watch } from './watch.ts';

interface Attempts {
  /** Renewed once, after the first 401, if it can be renewed. */
  credentials?: Credentials | undefined;
  /** Further attempts where one is safe. */
  retries: number;
  books: boolean;
  /** Is told of each wait for a further attempt. */
  watch?: Watch | undefined;
  about: Omit<Purpose, 'attempt'>;
}

/** Sends, and again where that is safe; gives the last exchange. `send` gets the number of the attempt, from 1. */
export function sendSafely(
  send: (attempt: number) => Promise<Exchange>,
  { credentials, retries, books, watch, about }: Attempts,
  host: Pick<Host, 'now' | 'sleep' | 'random' | 'interrupted'>,
): Promise<Exchange> {
  let sent = 0;
  const counted = (attempt: number) => {
    sent = attempt;
    return send(attempt);
  };
  return repeat(
    withRenewal(credentials, counted),
    {
      retries,
      books,
      onRetry(retry) {
        // A renewed token made one more.
        const attempt = sent + 1;
        const attempts = retry.attempts + attempt - retry.attempt;
        watch?.({ event: 'retry', purpose: { ...about, attempt }, retry: { ...retry, attempt, attempts } });
      },
    },
    host,
  );
}

/** Sends with a credential, and once more with a renewed one after the first 401 if it can be renewed. */
function withRenewal(
  credentials: Credentials | undefined,
  send: (attempt: number) => Promise<Exchange>,
): (attempt: number) => Promise<Exchange> {
  let renewed = false;
  let further = 0;
  return async attempt => {
    const exchange = await send(attempt + further);
    if (exchange.kind === 'none' || exchange.status !== 401 || !credentials?.renew || renewed)
      return exchange;
    renewed = true;
    if (!(await credentials.renew())) return exchange;
    further = 1;
    return send(attempt + further);
  };
}
