// What happens on the wire, for those who watch it: the log and --verbose.
import { parseJson } from '../json.ts';
import type { Exchange, Outgoing, Purpose, Transport } from './transport.ts';

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

export type WireEvent =
  | { event: 'sending'; request: Outgoing }
  | { event: 'request'; request: Outgoing; exchange: Exchange; ms: number }
  | { event: 'retry'; purpose: Purpose; retry: Retry };

export type Watch = (event: WireEvent) => void;

/** The same transport; `watch` is told of each request before and after. `now`: of a clock that is never set, in ms. */
export const watched = (transport: Transport, watch: Watch, now: () => number): Transport => ({
  ...transport,
  async exchange(request) {
    watch({ event: 'sending', request });
    const start = now();
    const exchange = await transport.exchange(request);
    watch({ event: 'request', request, exchange, ms: now() - start });
    return exchange;
  },
});

/** A part of an exchange with its secrets masked: for people, and as a JSON line. */
export interface Shown {
  text: string;
  json: object;
}

export function shownRequest({ method, url, headers, body = '', purpose }: Outgoing): Shown | undefined {
  const { redactor } = purpose;
  if (redactor === undefined) return undefined;
  const parts = { headers: redactor.headers(headers), body: redactor.body(body.toString()) };
  const address = redactor.text(url.href);
  return {
    text: written('>', `${method} ${address}`, parts),
    json: { request: { ...namesOf(purpose), method, url: address, ...inJson(parts) } },
  };
}

export function shownExchange({ purpose }: Outgoing, exchange: Exchange): Shown | undefined {
  const { redactor, isSecret } = purpose;
  if (redactor === undefined) return undefined;
  const names = namesOf(purpose);
  if (exchange.kind === 'none') {
    const { fault, sent } = exchange;
    return {
      text: `< no answer: ${fault} (${sent ? '' : 'not '}sent)`,
      json: { response: { ...names, status: null, sent, fault } },
    };
  }
  const { status, fault = null } = exchange;
  const head = `${status}${fault === null ? '' : ` (${fault})`}`;
  if (isSecret)
    return {
      text: `< ${head} (its body is not shown)`,
      json: { response: { ...names, status, sent: true, fault } },
    };
  const parts = { headers: redactor.headers(exchange.headers), body: redactor.body(exchange.text) };
  return {
    text: written('<', head, parts),
    json: { response: { ...names, status, sent: true, fault, ...inJson(parts) } },
  };
}

const namesOf = ({ operation, attempt, requestId }: Purpose) => ({
  operation,
  attempt,
  requestId: requestId ?? null,
});

interface Parts {
  headers: Record<string, string>;
  body: string;
}

const inJson = ({ headers, body }: Parts) => ({
  headers,
  body: body === '' ? null : (parseJson(body) ?? body),
});

const written = (sign: string, head: string, { headers, body }: Parts): string =>
  [
    `${sign} ${head}`,
    ...Object.entries(headers).map(([name, value]) => `${sign} ${name}: ${value}`),
    ...(body === '' ? [] : [body]),
  ].join('\n');
