import type { HttpRequest } from '../../http-server.ts';
import type { Session } from '../../session/session.ts';

/** The status of the answer, or why there was none. */
export interface Forwarded {
  status: number | null;
  error: string | null;
}

/** Headers of one connection (RFC 9110, 7.6.1), and those that are set anew: the host, and the length of the body. */
const HOP_BY_HOP =
  'connection keep-alive proxy-connection te trailer transfer-encoding upgrade expect host content-length'.split(
    ' ',
  );
const TIMEOUT = 30;
const ANSWER_BYTES = 1024 * 1024;

/** Forwards a request as it came. Follows no redirect. Never rejects. */
export async function forward(
  { host, globals, transport }: Pick<Session, 'host' | 'globals' | 'transport'>,
  url: URL,
  { method, headers }: HttpRequest,
  body: Buffer,
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
  // A request that was sent may have been processed.
  const words = exchange.sent ? 'forwarded, but not answered' : 'not forwarded';
  return { status: null, error: `${words}: ${exchange.fault}` };
}
