import type { Session } from '../../session/session.ts';

/** What became of a request that was sent on: the status of its answer, or why there was none. */
export interface Forwarded {
  status: number | null;
  error: string | null;
}

interface Request {
  method: string;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
}

/** They are of one connection alone (RFC 9110, 7.6.1), or are told anew: the host, and how long the body is. */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
].concat(['upgrade', 'expect', 'host', 'content-length']);
const TIMEOUT = 30;
const ANSWER_BYTES = 1024 * 1024;

/** Sends a request on to an address, as it came. Follows no redirect, and never rejects. */
export async function forward(
  { host, globals, transport }: Pick<Session, 'host' | 'globals' | 'transport'>,
  url: URL,
  { method, headers, body }: Request,
): Promise<Forwarded> {
  const named = (headers.connection ?? '').toLowerCase().split(/\s*,\s*/);
  const kept = Object.entries(headers).filter(
    ([name]) => !HOP_BY_HOP.includes(name) && !named.includes(name),
  );
  const exchange = await transport().exchange({
    method,
    url,
    headers: Object.fromEntries(kept),
    ...(body.length > 0 && { body }),
    timeout: 1000 * (globals.timeout ?? TIMEOUT),
    maxBytes: ANSWER_BYTES,
    fresh: true,
    cancel: host.interrupted,
  });
  if (exchange.kind === 'answer') return { status: exchange.status, error: null };
  // What was sent may have been taken all the same.
  const words = exchange.sent ? 'forwarded, and not answered' : 'not forwarded';
  return { status: null, error: `${words}: ${exchange.fault}` };
}
