// The connections of undici: direct or through a proxy, with the certificates and the addresses that they are to use; and
// what their faults are called.
import { type LookupAllOptions, lookup as systemLookup } from 'node:dns';
import { setMaxListeners } from 'node:events';
import { isIP, type LookupFunction } from 'node:net';
import type { Dispatcher } from 'undici';
import buildConnector from 'undici/lib/core/connect.js';
// By its file: the index also has fetch, caches, mocks and WebSocket, and takes 63 ms to load instead of 22.
import Agent from 'undici/lib/dispatcher/agent.js';
import { messageOf, systemCode } from '../errors.ts';
import type { Host } from '../host.ts';
import type { SecureContexts } from './tls.ts';

export type Connections = ReturnType<typeof openConnections>;

// Our own deadline covers the whole attempt, so that undici needs none.
const unlimited = { headersTimeout: 0, bodyTimeout: 0 };

// A connection is used again within this time (ms), and not within the same time before the end that the server announces.
const IDLE = 1000;
const keptAlive = { keepAliveTimeout: IDLE, keepAliveMaxTimeout: IDLE, keepAliveTimeoutThreshold: IDLE };

/** Makes a dispatcher that goes through a proxy, with these options for connections to a server, and to the proxy. */
export type ViaProxy = (connect: object, proxyTls: object) => Dispatcher;

/** The proxy of the environment; its code is loaded only if there is one. */
export async function proxyAt(httpsProxy: string, env: Host['env']): Promise<ViaProxy> {
  // It needs methods that only the index adds to dispatchers. A bundled CommonJS module has only a default export.
  const { EnvHttpProxyAgent } = (await import('undici/index.js')).default;
  const noProxy = env.no_proxy || env.NO_PROXY || '';
  const fixed = { ...unlimited, ...keptAlive, httpProxy: '', httpsProxy, noProxy };
  return (connect, proxyTls) => {
    try {
      return new EnvHttpProxyAgent({ ...fixed, connect, requestTls: connect, proxyTls });
    } catch (error) {
      throw new Error(
        `HTTPS_PROXY is not the address of a proxy (${messageOf(error)}). It is http://USER:PASSWORD@HOST:PORT, with % as %25 and @ as %40 in user and password`,
      );
    }
  };
}

interface ConnectionOptions {
  secure: SecureContexts | undefined;
  identified: boolean;
  lookup?: LookupFunction | undefined;
}

/** Connections through the proxy, or direct ones. Throws if the proxy is not an address. */
export function openConnections(
  proxy: ViaProxy | undefined,
  { secure, lookup, identified }: ConnectionOptions,
) {
  // A connection that is still being made is not ended by undici's `destroy`.
  const gone = new AbortController();
  setMaxListeners(0, gone.signal);
  const connect = {
    // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED=0 cannot leak a token.
    rejectUnauthorized: true,
    timeout: 0,
    signal: gone.signal,
    ...(lookup && { lookup }),
  };
  const anonymously = { ...connect, ...(secure && { secureContext: secure.anonymous }) };
  const own = identified ? { ...connect, ...(secure && { secureContext: secure.own }) } : anonymously;
  let refusal: Error | undefined;
  const connector = watched(own, error => {
    if (isCertificateRefused(error)) refusal = error;
  });
  const dispatcher =
    proxy?.(own, anonymously) ?? new Agent({ ...unlimited, ...keptAlive, connect: connector });
  let cut = false;
  dispatcher.on('disconnect', (_, __, error) => {
    // A connection that we end ourselves, or whose end the server announced, is reported as information.
    cut ||= error.code !== 'UND_ERR_INFO';
  });
  return {
    dispatcher,
    /** How the server refused the certificate of this client, or that it has none; not known through a proxy. */
    refusal: () => refusal,
    /** Did the server ever end one unannounced? Then the next one may end just as we write. */
    wereCut: () => cut,
    /** Ends all of them, also those that are still being made, so that none keeps the process alive. */
    async destroy(): Promise<void> {
      const destroyed = dispatcher.destroy();
      gone.abort();
      await destroyed;
    },
  };
}

/** Makes connections, and hears their errors: undici says of an end that TLS gave a reason for only that it is one. */
function watched(options: object, onError: (error: Error) => void): buildConnector.connector {
  const connect = buildConnector(options);
  return (place, done) =>
    connect(place, (...made) => {
      made[1]?.on('error', onError);
      done(...made);
    });
}

interface Place {
  url: URL;
  addresses?: readonly string[];
}

/** Finds the given addresses for the host of the request, and looks up any other name, such as that of a proxy. */
export function lookupFor({ url, addresses }: Place): LookupFunction | undefined {
  if (addresses === undefined) return undefined;
  const found = addresses.map(address => ({ address, family: isIP(address) }));
  return (name, options, done) => {
    const [first] = found;
    if (name !== url.hostname) systemLookup(name, options as LookupAllOptions, done);
    else if (first === undefined) done(Object.assign(new Error(), { code: 'ENOTFOUND' }), '', 0);
    else if (options.all) done(null, found);
    else done(null, first.address, first.family);
  };
}

const TRUST = '--cacert FILE (or WAYBILL_CACERT) makes an authority of your own trusted';

const ONLY_HTTP2 =
  'the server speaks only HTTP/2, and waybill speaks HTTP/1.1. Its operator can allow HTTP/1.1, or put a proxy in front that does';
const OLD_TLS =
  'the server and waybill have no version of TLS in common: waybill speaks 1.2 and 1.3. Its operator can allow one of them';

const NO_CERTIFICATE =
  'the server requires a certificate from its clients, and accepts none that waybill sends. `waybill profile set NAME clientCert=FILE clientKey=FILE` gives a profile one';

// What a server says with a number when it ends a handshake (RFC 8446, 6.2).
const REFUSES_CERTIFICATE = /SSL alert number (?:4[2-689]|116)\b/;

/**
 * What an error says as `CODE message`, for people; the first that fits. What OpenSSL says is
 * `8041:error:0A000460:SSL routines:ssl3_read_bytes:REASON:…/rec_layer_s3.c:1601:SSL alert number 120`.
 */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/^ECONNREFUSED/, 'connection refused'],
  [/^(ECONNRESET|EPIPE)/, 'connection reset'],
  [/^ENOTFOUND/, 'host name not found'],
  [/^EAI_AGAIN/, 'host name cannot be looked up now'],
  [/^ETIMEDOUT/, 'connection timed out'],
  [/^EHOSTUNREACH/, 'host unreachable'],
  [/^ENETUNREACH/, 'network unreachable'],
  [/^UND_ERR_SOCKET bad response$/, 'an answer of 100 or 101, which was not asked for'],
  [/^UND_ERR_SOCKET/, 'connection closed by the other side'],
  [/^UND_ERR_HEADERS_OVERFLOW/, 'the head of the answer is too large'],
  [/^ERR_ASSERTION/, 'the answer breaks the rules of HTTP'],
  [
    /Proxy response \(407\)/,
    'the proxy requires a user and a password that it knows (407): HTTPS_PROXY=http://USER:PASSWORD@HOST:PORT',
  ],
  [/Proxy response \((\d+)\)/, 'the proxy answered $1'],
  [/^CERT_NOT_YET_VALID/, 'certificate is not valid yet, or the clock here is wrong'],
  [/^CERT_HAS_EXPIRED/, 'certificate has expired, or the clock here is wrong'],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID .*(?:Host|IP): (\S+?)\.? is not /,
    'the certificate of the server is not for $1: is the address right, and is nothing in between?',
  ],
  [/^DEPTH_ZERO_SELF_SIGNED_CERT/, `self-signed certificate; ${TRUST}`],
  [/^SELF_SIGNED_CERT_IN_CHAIN/, `self-signed certificate in its chain; ${TRUST}`],
  [/^UNABLE_TO_/, `no known authority signed the certificate; ${TRUST}`],
  [
    /^ERR_SSL_WRONG_VERSION_NUMBER/,
    'the server does not speak TLS: is it an http: address, or the wrong port?',
  ],
  [REFUSES_CERTIFICATE, NO_CERTIFICATE],
  [/^ERR_SSL_UNSUPPORTED_PROTOCOL|SSL alert number 70\b/, OLD_TLS],
  [
    /SSL alert number (?:40|71)\b/,
    'the server accepts none of the ciphers and keys of TLS that are offered here. Its operator can allow newer ones',
  ],
  [/SSL alert number 80\b/, 'the server has an error of its own in TLS; try again later'],
  [/SSL alert number 112\b/, 'the server does not know this host name: is the address right?'],
  [/SSL alert number 120\b/, ONLY_HTTP2],
  [/:SSL routines:[^:]*:(?:(?:ssl|tls)v\d+ )?([^:]+)/, 'TLS cannot be set up: $1'],
];

/** Did the server end the handshake because of our certificate, or because there was none? */
const isCertificateRefused = (error: unknown): boolean => REFUSES_CERTIFICATE.test(messageOf(error));

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

/** What broke an exchange, for people. */
export function describeFault(error: unknown): string {
  const inner = error instanceof AggregateError ? error.errors[0] : error;
  const message = messageOf(inner);
  const said = `${systemCode(inner) ?? ''} ${message}`.trim();
  const [pattern, words = ''] = WORDS.find(([fault]) => fault.test(said)) ?? [];
  const [, detail = ''] = pattern?.exec(said) ?? [];
  return words.replace('$1', () => detail) || strangeAnswer(inner) || message || said || 'connection failed';
}
