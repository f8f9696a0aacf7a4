import { messageOf, systemCode } from '../errors.ts';

const TRUST = 'NODE_EXTRA_CA_CERTS=FILE makes a certificate of your own trusted';

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection reset',
  ENOTFOUND: 'host name not found',
  EAI_AGAIN: 'host name cannot be looked up now',
  ETIMEDOUT: 'connection timed out',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  UND_ERR_SOCKET: 'connection closed by the other side',
  UND_ERR_HEADERS_OVERFLOW: 'the head of the answer is too large',
  ERR_ASSERTION: 'the answer breaks the rules of HTTP',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the server does not speak TLS: is it an http: address, or the wrong port?',
  CERT_HAS_EXPIRED: 'certificate has expired, or the clock here is wrong',
  DEPTH_ZERO_SELF_SIGNED_CERT: `self-signed certificate; ${TRUST}`,
  SELF_SIGNED_CERT_IN_CHAIN: `self-signed certificate in its chain; ${TRUST}`,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: `no known authority signed the certificate; ${TRUST}`,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: `no known authority signed the certificate; ${TRUST}`,
};

/** What broke an exchange, for people. */
export function describeFault(error: unknown): string {
  const inner = error instanceof AggregateError ? error.errors[0] : error;
  const code = systemCode(inner);
  const message = messageOf(inner);
  const refused = /^Proxy response \((\d+)\)/.exec(message)?.[1];
  if (refused === '407')
    return 'the proxy needs a user and a password (407): HTTPS_PROXY=http://USER:PASSWORD@HOST:PORT';
  if (refused !== undefined) return `the proxy answered ${refused}`;
  if (code === 'UND_ERR_SOCKET' && message === 'bad response')
    return 'an answer of 100 or 101, which was not asked for';
  return (code !== undefined && WORDS[code]) || message || code || 'connection failed';
}
