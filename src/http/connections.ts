// The connections of undici: direct or through a proxy, with the certificates and the addresses that they are to use.
import { type LookupAllOptions, lookup as systemLookup } from 'node:dns';
import { setMaxListeners } from 'node:events';
import { isIP, type LookupFunction } from 'node:net';
import type { Dispatcher } from 'undici';
import buildConnector from 'undici/lib/core/connect.js';
// By its file: the index also has fetch, caches, mocks and WebSocket, and takes 63 ms to load instead of 22.
import Agent from 'undici/lib/dispatcher/agent.js';
import { messageOf } from '../errors.ts';
import type { Host } from '../host.ts';
import { isCertificateRefused } from './fault.ts';
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
