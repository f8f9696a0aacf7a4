import { messageOf, systemCode } from '../errors.ts';

const TRUST = '--cacert FILE (or WAYBILL_CACERT) makes an authority of your own trusted';

const ONLY_HTTP2 =
  'the server speaks only HTTP/2, and waybill speaks HTTP/1.1. Its operator can allow HTTP/1.1, or put a proxy in front that does';
const OLD_TLS =
  'the server and waybill have no version of TLS in common: waybill speaks 1.2 and 1.3. Its operator can allow one of them';

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
  ERR_SSL_UNSUPPORTED_PROTOCOL: OLD_TLS,
  CERT_NOT_YET_VALID: 'certificate is not valid yet, or the clock here is wrong',
  CERT_REVOKED: 'certificate was revoked',
  CERT_HAS_EXPIRED: 'certificate has expired, or the clock here is wrong',
  DEPTH_ZERO_SELF_SIGNED_CERT: `self-signed certificate; ${TRUST}`,
  SELF_SIGNED_CERT_IN_CHAIN: `self-signed certificate in its chain; ${TRUST}`,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: `no known authority signed the certificate; ${TRUST}`,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: `no known authority signed the certificate; ${TRUST}`,
};

const NO_CERTIFICATE =
  'the server requires a certificate from its clients, and accepts none that waybill sends. `waybill profile set NAME clientCert=FILE clientKey=FILE` gives a profile one';
const NO_AGREEMENT =
  'the server accepts none of the ciphers and keys of TLS that are offered here. Its operator can allow newer ones';

// What a server says with a number when it ends a handshake (RFC 8446, 6.2).
const ALERTS: Readonly<Record<string, string>> = {
  40: NO_AGREEMENT,
  42: NO_CERTIFICATE,
  43: NO_CERTIFICATE,
  44: NO_CERTIFICATE,
  45: NO_CERTIFICATE,
  46: NO_CERTIFICATE,
  48: NO_CERTIFICATE,
  49: NO_CERTIFICATE,
  70: OLD_TLS,
  71: NO_AGREEMENT,
  80: 'the server has an error of its own in TLS; try again later',
  112: 'the server does not know this host name: is the address right?',
  116: NO_CERTIFICATE,
  120: ONLY_HTTP2,
};

/** What OpenSSL says as `8041:error:0A000460:SSL routines:ssl3_read_bytes:REASON:…/rec_layer_s3.c:1601:SSL alert number 120`. */
function tlsFault(message: string): string | undefined {
  const [, reason] = /:SSL routines:[^:]*:([^:]+)/.exec(message) ?? [];
  if (reason === undefined) return undefined;
  const number = /SSL alert number (\d+)/.exec(message)?.[1] ?? '';
  return ALERTS[number] ?? `TLS cannot be set up: ${reason.replace(/^(ssl|tls)v\d+ /, '')}`;
}

/** Did the server end the handshake because of our certificate, or because there was none? */
export const isCertificateRefused = (error: unknown): boolean =>
  tlsFault(messageOf(error)) === NO_CERTIFICATE;

/** What is no HTTP/1.1 in the place of an answer. */
function strangeAnswer(error: unknown): string | undefined {
  const data = error instanceof Error && 'data' in error ? String(error.data) : '';
  const [first, second, , fourth] = Array.from(data.slice(0, 4), letter => letter.charCodeAt(0));
  // The first frame of HTTP/2, SETTINGS: three bytes of length, its type 4.
  if (first === 0 && second === 0 && fourth === 4) return ONLY_HTTP2;
  // An alert or a handshake, of version 3.
  const isTls = (first === 21 || first === 22) && second === 3;
  return isTls ? 'the server answers in TLS: is it an https: address?' : undefined;
}

/** The host that Node found missing in a certificate. */
const hostIn = (error: unknown): string =>
  error instanceof Error && 'host' in error ? String(error.host) : 'this host name';

/** What broke an exchange, for people. */
export function describeFault(error: unknown): string {
  const inner = error instanceof AggregateError ? error.errors[0] : error;
  const code = systemCode(inner);
  const message = messageOf(inner);
  const refused = /^Proxy response \((\d+)\)/.exec(message)?.[1];
  if (refused === '407')
    return 'the proxy requires a user and a password that it knows (407): HTTPS_PROXY=http://USER:PASSWORD@HOST:PORT';
  if (refused !== undefined) return `the proxy answered ${refused}`;
  if (code === 'UND_ERR_SOCKET' && message === 'bad response')
    return 'an answer of 100 or 101, which was not asked for';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `the certificate of the server is not for ${hostIn(inner)}: is the address right, and is nothing in between?`;
  const known = (code !== undefined && WORDS[code]) || tlsFault(message) || strangeAnswer(inner);
  return known || message || code || 'connection failed';
}
