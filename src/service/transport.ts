// One request and its response. Only this file decides whether a request was sent.
import { type LookupAllOptions, lookup as systemLookup } from 'node:dns';
import { setMaxListeners } from 'node:events';
import { isIP, type LookupFunction } from 'node:net';
import type { Dispatcher } from 'undici';
import buildConnector from 'undici/lib/core/connect.js';
// The Agent is imported from its own file: the index of undici takes 63 ms to load instead of 22, with fetch, caches and mocks.
import Agent from 'undici/lib/dispatcher/agent.js';
import type { Host } from '../host.ts';
import type { Redactor } from '../mask.ts';
import type { WireFault } from '../say/service.ts';
import { messageOf, systemCode } from '../system-errors.ts';
import { isLoopback } from '../text.ts';
import { type Exchange, ServiceResponse, unpacked } from './response.ts';
import type { SecureContexts } from './tls.ts';

/** One request on the wire. */
export interface Outgoing {
  method: string;
  url: URL;
  headers: Record<string, string>;
  body?: string | undefined;
  /** The time for the whole attempt, in milliseconds. */
  timeout: number;
  /** The response is cut off after this many bytes. */
  maxBytes: number;
  /**
   * Does the request get a new connection? The server may close an old connection just as we write, and then it is unknown
   * whether the request arrived.
   */
  fresh: boolean;
  /** The IP addresses of the host, in place of a look-up. A proxy looks names up itself and does not use them. Needs `fresh`. */
  addresses?: readonly string[];
  /** May the certificate of this client be shown? Only to the service, and to the address that gives its tokens. */
  identified?: boolean;
  /** Gives up the attempt when aborted. */
  cancel?: AbortSignal | undefined;
  /** Asked when the first byte is about to be written; if `false`, nothing is sent. */
  maySend?: (() => boolean) | undefined;
  /** What the request is for, to be told by the log and --verbose. The purpose changes nothing of what is sent. */
  purpose: Purpose;
}

/** What a request is for. */
export interface Purpose {
  /** The command of the request's operation, or `token`. */
  operation: string;
  /** Does the request get the file of a label, which another host may have? */
  isFile?: boolean;
  /** The number of the attempt, from 1. A request that is sent again with a renewed token is another attempt. */
  attempt: number;
  /** The booking that the request sends, and the key of the booking. */
  booking?: string | undefined;
  key?: string | null | undefined;
  /** The id of the request, in the header that the profile names for such ids. */
  requestId?: string | undefined;
  /** Masks the secrets in what --verbose shows; without a redactor --verbose shows nothing. */
  redactor?: Redactor | undefined;
  /** The body of the response is a secret. */
  isSecret?: boolean;
}

/** Sends requests; no other file knows undici. Redirects are never followed. */
export interface Transport {
  /** Never rejects: every fault of the wire is an exchange. */
  exchange(request: Outgoing): Promise<Exchange>;
  close(): Promise<void>;
}

type TransportHost = Pick<Host, 'env' | 'deadline'>;

/** `secure`: the certificates to trust and to show. Without `secure`, the usual authorities are trusted. */
export function createTransport(host: TransportHost, secure?: SecureContexts): Transport {
  const shared = new Map<boolean, Connections>();
  const sharedFor = (proxied: boolean, proxy: ViaProxy | undefined) => {
    const connections = shared.get(proxied) ?? openConnections(proxy, { secure, identified: true });
    shared.set(proxied, connections);
    return connections;
  };
  return {
    async exchange(request) {
      const proxied = !isLoopback(request.url.hostname);
      const address = proxied ? host.env.https_proxy || host.env.HTTPS_PROXY : undefined;
      let connections: Connections;
      let fresh: boolean;
      try {
        const proxy = address ? await proxyAt(address, host.env) : undefined;
        const { identified = false } = request;
        // Shared connections show the certificate: a request that must not show it gets a new connection.
        fresh = request.fresh || (secure && !identified) || sharedFor(proxied, proxy).wereCut();
        connections = fresh
          ? openConnections(proxy, { secure, identified, lookup: lookupFor(request) })
          : sharedFor(proxied, proxy);
      } catch (error) {
        return { kind: 'none', sent: false, fault: proxyFault(error) };
      }
      try {
        // A fault before the request was sent may be the fault of the proxy.
        const peer = { host: address ? new URL(address).host : request.url.host, isProxy: Boolean(address) };
        const ended = await exchangeOnce(connections.dispatcher, { ...request, fresh, peer }, host);
        if (ended.kind === 'answer') return await unpacked(ended, request.maxBytes);
        const refusal = connections.refusal();
        // With TLS 1.3 a server refuses the certificate of a client after our first bytes, and without reading them (RFC
        // 8446, 4.4.2.4): on a new connection this means that the request was not sent.
        return refusal ? { ...ended, fault: wireFault(refusal), sent: ended.sent && !fresh } : ended;
      } finally {
        // A failure to close must not replace the answer.
        if (fresh) await connections.destroy().catch(() => {});
      }
    },
    async close() {
      await Promise.all([...shared.values()].map(connections => connections.destroy()));
    },
  };
}

function exchangeOnce(
  dispatcher: Dispatcher,
  request: Outgoing & { peer: NonNullable<WireFault['peer']> },
  host: TransportHost,
): Promise<Exchange> {
  const { url, maxBytes, timeout, cancel, peer } = request;
  return new Promise(resolve => {
    let controller: Dispatcher.DispatchController | undefined;
    let head: Pick<ServiceResponse, 'status' | 'headers'> | undefined;
    let over = false;
    const chunks: Buffer[] = [];
    let size = 0;

    const finish = (fault?: WireFault) => {
      if (over) return;
      over = true;
      stopClock();
      cancel?.removeEventListener('abort', onCancel);
      if (fault !== undefined) controller?.abort(new Error(fault.fault));
      if (head === undefined)
        resolve({ kind: 'none', sent: controller !== undefined, fault: fault ?? { fault: 'no-answer' } });
      else resolve(new ServiceResponse({ ...head, bytes: Buffer.concat(chunks), fault }));
    };
    const onCancel = () => finish({ fault: 'cancelled' });
    /** Ends the exchange with a fault of the wire. Before anything was sent, the address may be wrong, so the fault names the peer. */
    const fail = (fault: WireFault) => finish(controller === undefined ? { ...fault, peer } : fault);

    const stopClock = host.deadline(timeout, () => fail({ fault: 'too-late', seconds: timeout / 1000 }));
    if (cancel?.aborted) return onCancel();
    cancel?.addEventListener('abort', onCancel, { once: true });

    const handler: Dispatcher.DispatchHandler = {
      // Called on a live connection, just before the head is written: from here on the request may have arrived. No error tells
      // whether it did: a server may have read all of a reset connection, or nothing.
      onRequestStart(started) {
        // step: about to send
        if (!over && request.maySend?.() === false) finish({ fault: 'forbidden' });
        if (over) started.abort(new Error('too late'));
        else controller = started;
        // step: connected
      },
      onResponseStart(_, status, headers) {
        if (status < 200) return;
        head = { status, headers: {} };
        for (const [name, value = ''] of Object.entries(headers))
          head.headers[name] = typeof value === 'string' ? value : value.join(', ');
        // step: answer begun
      },
      onResponseData(_, chunk) {
        size += chunk.length;
        if (size <= maxBytes) chunks.push(chunk);
        else finish({ fault: 'too-large', bytes: maxBytes });
      },
      onResponseEnd: () => finish(),
      onResponseError: (_, error) => fail(wireFault(error)),
    };
    const options: Dispatcher.DispatchOptions = {
      origin: url.origin,
      path: url.pathname + url.search,
      method: request.method,
      // Without this header the server may pack the body.
      headers: { 'accept-encoding': 'identity', ...request.headers },
      body: request.body ?? null,
      ...(request.fresh && { reset: true }),
    };
    try {
      dispatcher.dispatch(options, handler);
    } catch (error) {
      finish({ fault: 'other', words: messageOf(error) });
    }
  });
}

// The connections of undici: direct or through a proxy, with the certificates and the IP addresses to use; and the names of
// their faults.

type Connections = ReturnType<typeof openConnections>;

// Our own deadline covers the whole attempt, so that undici needs no time limit.
const unlimited = { headersTimeout: 0, bodyTimeout: 0 };

// A connection is used again within this time (ms), except in the last so many ms before the end that the server announces.
const IDLE = 1000;
const keptAlive = { keepAliveTimeout: IDLE, keepAliveMaxTimeout: IDLE, keepAliveTimeoutThreshold: IDLE };

/** The error that HTTPS_PROXY is not the address of a proxy. */
class NoProxy extends Error {
  constructor(options: ErrorOptions) {
    super('no proxy', options);
  }
}

const proxyFault = (error: unknown): WireFault =>
  error instanceof NoProxy ? { fault: 'no-proxy' } : { fault: 'other', words: messageOf(error) };

/** Makes a dispatcher that goes through a proxy, with these options for connections to a server, and to the proxy. */
type ViaProxy = (connect: object, proxyTls: object) => Dispatcher;

/** The proxy of the environment; the code for proxies is loaded only if there is a proxy. */
async function proxyAt(httpsProxy: string, env: Host['env']): Promise<ViaProxy> {
  // This agent needs methods that only the index of undici adds to dispatchers. A bundled CommonJS module has only a default export.
  const { EnvHttpProxyAgent } = (await import('undici/index.js')).default;
  const noProxy = env.no_proxy || env.NO_PROXY || '';
  const fixed = { ...unlimited, ...keptAlive, httpProxy: '', httpsProxy, noProxy };
  return (connect, proxyTls) => {
    try {
      return new EnvHttpProxyAgent({ ...fixed, connect, requestTls: connect, proxyTls });
    } catch (error) {
      throw new NoProxy({ cause: error });
    }
  };
}

interface ConnectionOptions {
  secure: SecureContexts | undefined;
  /** May the certificate of this client be shown? */
  identified: boolean;
  lookup?: LookupFunction | undefined;
}

/** Connections through the proxy, or direct ones. Throws if the proxy is not an address. */
function openConnections(proxy: ViaProxy | undefined, connection: ConnectionOptions) {
  const { secure, lookup, identified } = connection;
  // Ends connections that are still being made, because undici's `destroy` does not.
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
  const make = buildConnector(own);
  // When TLS gives a reason for the end of a connection, undici hides the reason, so we listen to the connection itself.
  const connector: buildConnector.connector = (options, done) =>
    make(options, (...made) => {
      made[1]?.on('error', (error: Error) => {
        if (REFUSES_CERTIFICATE.test(messageOf(error))) refusal = error;
      });
      done(...made);
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
    /** The error by which the server refused the certificate of this client, or the lack of one; not known through a proxy. */
    refusal: () => refusal,
    /** Did the server ever end a connection unannounced? Then the next connection may end just as we write. */
    wereCut: () => cut,
    /** Ends all connections, also those that are still being made, so that no connection keeps the process alive. */
    async destroy(): Promise<void> {
      const destroyed = dispatcher.destroy();
      gone.abort();
      await destroyed;
    },
  };
}

/** Finds the given addresses for the host of the request, and looks up any other name, such as that of a proxy. */
function lookupFor(request: Outgoing): LookupFunction | undefined {
  if (request.addresses === undefined) return undefined;
  const found = request.addresses.map(address => ({ address, family: isIP(address) }));
  return (name, options, done) => {
    const [first] = found;
    if (name !== request.url.hostname) systemLookup(name, options as LookupAllOptions, done);
    else if (first === undefined) done(Object.assign(new Error(), { code: 'ENOTFOUND' }), '', 0);
    else if (options.all) done(null, found);
    else done(null, first.address, first.family);
  };
}

// The numbers by which a server that ends a handshake refuses the certificate of a client (RFC 8446, 6.2).
const REFUSES_CERTIFICATE = /SSL alert number (?:4[2-689]|116)\b/;

/**
 * The kinds of faults, each with a pattern for the `CODE message` of an error; the first pattern that fits counts, and what its
 * brackets capture is told. The message of OpenSSL is
 * `8041:error:0A000460:SSL routines:ssl3_read_bytes:REASON:…/rec_layer_s3.c:1601:SSL alert number 120`.
 */
const FAULTS: readonly (readonly [RegExp, WireFault['fault']])[] = [
  [/^ECONNREFUSED/, 'refused'],
  [/^(?:ECONNRESET|EPIPE)/, 'reset'],
  [/^ENOTFOUND/, 'no-host'],
  [/^EAI_AGAIN/, 'no-look-up'],
  [/^ETIMEDOUT/, 'timed-out'],
  [/^EHOSTUNREACH/, 'host-unreachable'],
  [/^ENETUNREACH/, 'network-unreachable'],
  [/^UND_ERR_SOCKET bad response$/, 'unasked-answer'],
  [/^UND_ERR_SOCKET/, 'closed'],
  [/^UND_ERR_HEADERS_OVERFLOW/, 'head-too-large'],
  [/^ERR_ASSERTION/, 'not-http'],
  [/Proxy response \(407\)/, 'proxy-needs-user'],
  [/Proxy response \((\d+)\)/, 'proxy-answered'],
  [/^CERT_NOT_YET_VALID/, 'certificate-early'],
  [/^CERT_HAS_EXPIRED/, 'certificate-expired'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID .*(?:Host|IP): (\S+?)\.? is not /, 'other-host'],
  [/^DEPTH_ZERO_SELF_SIGNED_CERT/, 'self-signed'],
  [/^SELF_SIGNED_CERT_IN_CHAIN/, 'self-signed-authority'],
  [/^UNABLE_TO_/, 'unknown-authority'],
  [/^ERR_SSL_WRONG_VERSION_NUMBER/, 'no-tls'],
  [REFUSES_CERTIFICATE, 'certificate-needed'],
  [/^ERR_SSL_UNSUPPORTED_PROTOCOL|SSL alert number (?:40|7[01])\b/, 'no-common-tls'],
  [/SSL alert number 120\b/, 'only-http2'],
  [/:SSL routines:[^:]*:(?:(?:ssl|tls)v\d+ )?([^:]+)/, 'tls-failed'],
];

/** What broke an exchange. */
function wireFault(error: unknown): WireFault {
  const inner = error instanceof AggregateError ? error.errors[0] : error;
  const message = messageOf(inner);
  const said = `${systemCode(inner) ?? ''} ${message}`.trim();
  for (const [pattern, fault] of FAULTS) {
    const [told, detail] = pattern.exec(said) ?? [];
    if (told !== undefined) return { fault, ...(detail !== undefined && { detail }) } as WireFault;
  }
  return said === '' ? { fault: 'failed' } : { fault: 'other', words: message || said };
}
