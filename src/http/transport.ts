import { setMaxListeners } from 'node:events';
import type { Dispatcher } from 'undici';
// By its file: the index brings fetch, caches, mocks and WebSocket too, and takes 63 ms to load where this takes 22.
import Agent from 'undici/lib/dispatcher/agent.js';
import { messageOf } from '../errors.ts';
import type { Host } from '../host.ts';
import { isLoopback } from '../loopback.ts';
import { describeFault } from './fault.ts';
import { ServiceResponse } from './response.ts';

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
   * A connection of its own: one that was kept open may be closed by the far end just as we write, and whether the
   * request arrived is unknown then.
   */
  fresh: boolean;
  /** Gives up the attempt when aborted. */
  cancel?: AbortSignal;
}

export interface NoResponse {
  kind: 'none';
  /** Taken from the wire: did the head of the request get written to a connection? */
  sent: boolean;
  /** What happened, for people. */
  fault: string;
}

export type Exchange = ServiceResponse | NoResponse;

/** The only file that knows undici. Redirects are never followed, bodies never decompressed. */
export interface Transport {
  /** Never rejects: every fault of the wire is an exchange. */
  exchange(request: Outgoing): Promise<Exchange>;
  close(): Promise<void>;
}

type TransportHost = Pick<Host, 'env' | 'deadline'>;

export function createTransport(host: TransportHost): Transport {
  const kept = new Map<boolean, Connections>();
  const keep = (proxied: boolean, proxy: Proxy | undefined) => {
    const connections = kept.get(proxied) ?? openConnections(proxy);
    kept.set(proxied, connections);
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
        fresh = request.fresh || keep(proxied, proxy).wereCut();
        connections = fresh ? openConnections(proxy) : keep(proxied, proxy);
      } catch (error) {
        return { kind: 'none', sent: false, fault: messageOf(error) };
      }
      try {
        const exchange = await attempt(connections.dispatcher, { ...request, fresh }, host);
        if (address === undefined || exchange.kind === 'answer' || exchange.sent) return exchange;
        // Whoever is told of a fault on the way has to know that there may be a proxy on it.
        return { ...exchange, fault: `${exchange.fault}; HTTPS_PROXY is ${new URL(address).host}` };
      } finally {
        // Whatever that does must not take the place of the answer.
        if (fresh) await connections.destroy().catch(() => {});
      }
    },
    async close() {
      await Promise.all([...kept.values()].map(connections => connections.destroy()));
    },
  };
}

/** Connections to servers, and the one way to be rid of them. */
interface Connections {
  dispatcher: Dispatcher;
  /** Did the far end ever end one without a word before? Then the next one may end just as we write. */
  wereCut(): boolean;
  /** Ends all of them, those that are still being made too, so that none keeps the process alive. */
  destroy(): Promise<void>;
}

// Our own deadline covers the whole attempt; undici's would only add a second opinion.
const unlimited = { headersTimeout: 0, bodyTimeout: 0 };

// A connection is used again within this many ms, and only where the far end, if it says so, keeps it twice as long.
const KEPT = 1000;
const kept = { keepAliveTimeout: KEPT, keepAliveMaxTimeout: KEPT, keepAliveTimeoutThreshold: KEPT };

/** Makes a dispatcher that goes through a proxy, with the way to connect that it is given. */
type Proxy = (connect: object) => Dispatcher;

/** The proxy of the environment; it is loaded only where there is one. */
async function proxyAt(httpsProxy: string, env: Host['env']): Promise<Proxy> {
  // It wants methods that the index alone gives to dispatchers.
  // By its default: bundled, a CommonJS module has no other export.
  const { EnvHttpProxyAgent } = (await import('undici/index.js')).default;
  const noProxy = env.no_proxy || env.NO_PROXY || '';
  const fixed = { ...unlimited, ...kept, httpProxy: '', httpsProxy, noProxy };
  return connect => {
    try {
      return new EnvHttpProxyAgent({ ...fixed, connect, requestTls: connect, proxyTls: connect });
    } catch (error) {
      throw new Error(`HTTPS_PROXY is not the address of a proxy: ${messageOf(error)}`);
    }
  };
}

/** Connections that go through the proxy, or direct. Throws where the proxy is no address. */
function openConnections(proxy: Proxy | undefined): Connections {
  // undici lets go of a connection that is still being made when it is destroyed, but does not end it.
  const gone = new AbortController();
  setMaxListeners(0, gone.signal);
  const connect = {
    // Said explicitly so that NODE_TLS_REJECT_UNAUTHORIZED=0 cannot leak a token.
    rejectUnauthorized: true,
    timeout: 0,
    signal: gone.signal,
  };
  const dispatcher = proxy?.(connect) ?? new Agent({ ...unlimited, ...kept, connect });
  let cut = false;
  dispatcher.on('disconnect', (_, __, error) => {
    // Those that we end ourselves, or that were said to end, are told as information.
    cut ||= error.code !== 'UND_ERR_INFO';
  });
  return {
    dispatcher,
    wereCut: () => cut,
    async destroy() {
      const destroyed = dispatcher.destroy();
      gone.abort();
      await destroyed;
    },
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
      // Nothing is ever unpacked: without this word the far end may pack.
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

const flat = (headers: Record<string, string | string[] | undefined>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value = '']) => [name, [value].flat().join(', ')]));
