import { type LookupAllOptions, lookup as systemLookup } from 'node:dns';
import { setMaxListeners } from 'node:events';
import { isIP, type LookupFunction } from 'node:net';
import type { Dispatcher } from 'undici';
// By its file: the index also has fetch, caches, mocks and WebSocket, and takes 63 ms to load instead of 22.
import Agent from 'undici/lib/dispatcher/agent.js';
import { messageOf } from '../errors.ts';
import type { Host } from '../host.ts';
import { isLoopback } from '../loopback.ts';
import { describeFault } from './fault.ts';
import type { Redactor } from './redact.ts';
import { ServiceResponse } from './response.ts';
import { unpacked } from './unpack.ts';

/** One request on the wire. */
export interface Outgoing {
  method: string;
  url: URL;
  headers: Record<string, string>;
  body?: string | Buffer;
  /** For the whole attempt, in milliseconds. */
  timeout: number;
  /** The response is cut off after this many bytes. */
  maxBytes: number;
  /**
   * A connection of its own: the server may close one that was kept open just as we write, and then it is unknown
   * whether the request arrived.
   */
  fresh: boolean;
  /** Those of its host, to be used in place of a look-up; not by a proxy, which looks names up itself. Needs `fresh`. */
  addresses?: readonly string[];
  /** Gives up the attempt when aborted. */
  cancel?: AbortSignal;
  /** Asked when the first byte is about to be written; if `false`, nothing is sent. */
  maySend?: () => boolean;
  /** What it is for, for those who watch; it changes nothing of what is sent. */
  purpose?: Purpose;
}

/** What a request is for. */
export interface Purpose {
  /** The command of its operation, or `token`. */
  operation: string;
  /** From 1. A request that is sent again with a renewed token has the number of the refused one. */
  attempt: number;
  /** The booking that it sends, and its key. */
  booking?: string | undefined;
  key?: string | null | undefined;
  /** What the header has that the profile names for it. */
  requestId?: string | undefined;
  /** Masks what --verbose shows; without it nothing is shown. */
  redactor?: Redactor | undefined;
  /** The body of the response is a secret. */
  isSecret?: boolean;
}

export interface NoResponse {
  kind: 'none';
  /** Was the head of the request written to a connection? */
  sent: boolean;
  /** What happened, for people. */
  fault: string;
}

export type Exchange = ServiceResponse | NoResponse;

/** The only file that knows undici. Redirects are never followed. */
export interface Transport {
  /** Never rejects: every fault of the wire is an exchange. */
  exchange(request: Outgoing): Promise<Exchange>;
  close(): Promise<void>;
}

type TransportHost = Pick<Host, 'env' | 'deadline'>;

export function createTransport(host: TransportHost): Transport {
  const shared = new Map<boolean, Connections>();
  const sharedFor = (proxied: boolean, proxy: Proxy | undefined) => {
    const connections = shared.get(proxied) ?? openConnections(proxy);
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
        fresh = request.fresh || sharedFor(proxied, proxy).wereCut();
        connections = fresh ? openConnections(proxy, lookupFor(request)) : sharedFor(proxied, proxy);
      } catch (error) {
        return { kind: 'none', sent: false, fault: messageOf(error) };
      }
      try {
        const exchange = await attempt(connections.dispatcher, { ...request, fresh }, host);
        if (exchange.kind === 'answer') return await unpacked(exchange, request.maxBytes);
        if (address === undefined || exchange.sent) return exchange;
        // A fault before the request was sent may be one of the proxy.
        return { ...exchange, fault: `${exchange.fault}; HTTPS_PROXY is ${new URL(address).host}` };
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

type Connections = ReturnType<typeof openConnections>;

// Our own deadline covers the whole attempt, so that undici needs none.
const unlimited = { headersTimeout: 0, bodyTimeout: 0 };

// A connection is used again within this time (ms), and not within the same time before the end that the server announces.
const IDLE = 1000;
const keptAlive = { keepAliveTimeout: IDLE, keepAliveMaxTimeout: IDLE, keepAliveTimeoutThreshold: IDLE };

/** Makes a dispatcher that goes through a proxy, with these options for connections. */
type Proxy = (connect: object) => Dispatcher;

/** The proxy of the environment; its code is loaded only if there is one. */
async function proxyAt(httpsProxy: string, env: Host['env']): Promise<Proxy> {
  // It needs methods that only the index adds to dispatchers. A bundled CommonJS module has only a default export.
  const { EnvHttpProxyAgent } = (await import('undici/index.js')).default;
  const noProxy = env.no_proxy || env.NO_PROXY || '';
  const fixed = { ...unlimited, ...keptAlive, httpProxy: '', httpsProxy, noProxy };
  return connect => {
    try {
      return new EnvHttpProxyAgent({ ...fixed, connect, requestTls: connect, proxyTls: connect });
    } catch (error) {
      throw new Error(`HTTPS_PROXY is not the address of a proxy: ${messageOf(error)}`);
    }
  };
}

/** Connections through the proxy, or direct ones. Throws if the proxy is not an address. */
function openConnections(proxy: Proxy | undefined, lookup?: LookupFunction) {
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
  const dispatcher = proxy?.(connect) ?? new Agent({ ...unlimited, ...keptAlive, connect });
  let cut = false;
  dispatcher.on('disconnect', (_, __, error) => {
    // A connection that we end ourselves, or whose end the server announced, is reported as information.
    cut ||= error.code !== 'UND_ERR_INFO';
  });
  return {
    dispatcher,
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

/** Finds the given addresses for the host of the request, and looks up any other name, such as that of a proxy. */
function lookupFor({ url, addresses }: Outgoing): LookupFunction | undefined {
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

function attempt(dispatcher: Dispatcher, request: Outgoing, host: TransportHost): Promise<Exchange> {
  const { url, maxBytes, timeout, cancel } = request;
  return new Promise(resolve => {
    let controller: Dispatcher.DispatchController | undefined;
    let head: Pick<ServiceResponse, 'status' | 'headers'> | undefined;
    let over = false;
    const chunks: Buffer[] = [];
    let size = 0;

    const finish = (fault?: string) => {
      if (over) return;
      over = true;
      stopClock();
      cancel?.removeEventListener('abort', onCancel);
      if (fault !== undefined) controller?.abort(new Error(fault));
      if (head === undefined)
        resolve({ kind: 'none', sent: controller !== undefined, fault: fault ?? 'no answer' });
      else resolve(new ServiceResponse({ ...head, bytes: Buffer.concat(chunks), fault }));
    };
    const onCancel = () => finish('cancelled');

    const stopClock = host.deadline(timeout, () => finish(`no complete answer within ${timeout / 1000} s`));
    if (cancel?.aborted) return finish('cancelled');
    cancel?.addEventListener('abort', onCancel, { once: true });

    const handler: Dispatcher.DispatchHandler = {
      // Called on a live connection, just before the head is written: from here on it may have arrived.
      onRequestStart(started) {
        if (!over && request.maySend?.() === false) finish('the journal says that it must not be sent');
        if (over) started.abort(new Error('too late'));
        else controller = started;
      },
      onResponseStart(_, status, headers) {
        if (status < 200) return;
        head = { status, headers: flat(headers) };
      },
      onResponseData(_, chunk) {
        size += chunk.length;
        if (size <= maxBytes) chunks.push(chunk);
        else finish(`the answer is larger than ${maxBytes} bytes`);
      },
      onResponseEnd: () => finish(),
      onResponseError: (_, error) => finish(describeFault(error)),
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
      finish(messageOf(error));
    }
  });
}

function flat(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const lines: Record<string, string> = {};
  for (const [name, value = ''] of Object.entries(headers))
    lines[name] = typeof value === 'string' ? value : value.join(', ');
  return lines;
}
