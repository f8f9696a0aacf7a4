// One request and its response. Here alone it is decided whether a request was sent.
import type { Dispatcher } from 'undici';
import { messageOf } from '../errors.ts';
import type { Host } from '../host.ts';
import type { Redactor } from '../mask.ts';
import { isLoopback } from '../text.ts';
import {
  type Connections,
  describeFault,
  lookupFor,
  openConnections,
  proxyAt,
  type ViaProxy,
} from './connections.ts';
import { ServiceResponse, unpacked } from './response.ts';
import type { SecureContexts } from './tls.ts';

/** One request on the wire. */
export interface Outgoing {
  method: string;
  url: URL;
  headers: Record<string, string>;
  body?: string | undefined;
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
  /** May the certificate of this client be shown, if there is one? Only to the service and the address of its tokens. */
  identified?: boolean;
  /** Gives up the attempt when aborted. */
  cancel?: AbortSignal | undefined;
  /** Asked when the first byte is about to be written; if `false`, nothing is sent. */
  maySend?: (() => boolean) | undefined;
  /** What it is for, for those who watch; it changes nothing of what is sent. */
  purpose: Purpose;
}

/** What a request is for. */
export interface Purpose {
  /** The command of its operation, or `token`. */
  operation: string;
  /** It gets the file of a label, which another host may have. */
  isFile?: boolean;
  /** From 1. A request that is sent again with a renewed token is another attempt. */
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

/** `secure`: the certificates to trust and to show. Without them the usual ones are trusted. */
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
        // Connections that are shared show the certificate.
        fresh = request.fresh || (secure && !identified) || sharedFor(proxied, proxy).wereCut();
        connections = fresh
          ? openConnections(proxy, { secure, identified, lookup: lookupFor(request) })
          : sharedFor(proxied, proxy);
      } catch (error) {
        return { kind: 'none', sent: false, fault: messageOf(error) };
      }
      try {
        // A fault before the request was sent may be one of the proxy.
        const peer = address ? `HTTPS_PROXY is ${new URL(address).host}` : request.url.host;
        const ended = await attempt(connections.dispatcher, { ...request, fresh, peer }, host);
        const exchange = refusedBy(connections.refusal(), ended, fresh);
        return exchange.kind === 'answer' ? await unpacked(exchange, request.maxBytes) : exchange;
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

/**
 * With TLS 1.3 a server refuses the certificate of a client after our first bytes, and without reading them (RFC 8446,
 * 4.4.2.4): on a connection of its own a request was not sent.
 */
function refusedBy(refusal: Error | undefined, exchange: Exchange, fresh: boolean): Exchange {
  if (refusal === undefined || exchange.kind === 'answer') return exchange;
  return { ...exchange, fault: describeFault(refusal), sent: exchange.sent && !fresh };
}

function attempt(
  dispatcher: Dispatcher,
  request: Outgoing & { peer: string },
  host: TransportHost,
): Promise<Exchange> {
  const { url, maxBytes, timeout, cancel, peer } = request;
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
    /** Of the wire. Before anything was sent it may be the address that is wrong. */
    const fail = (fault: string) => finish(controller === undefined ? `${fault} (${peer})` : fault);

    const stopClock = host.deadline(timeout, () => fail(`no complete answer within ${timeout / 1000} s`));
    if (cancel?.aborted) return finish('cancelled');
    cancel?.addEventListener('abort', onCancel, { once: true });

    const handler: Dispatcher.DispatchHandler = {
      // Called on a live connection, just before the head is written: from here on it may have arrived. No error says that: a
      // reset connection may have been read to its end, or not at all.
      onRequestStart(started) {
        // step: about to send
        if (!over && request.maySend?.() === false) finish('the journal says that it must not be sent');
        if (over) started.abort(new Error('too late'));
        else controller = started;
        // step: connected
      },
      onResponseStart(_, status, headers) {
        if (status < 200) return;
        head = { status, headers: flat(headers) };
        // step: answer begun
      },
      onResponseData(_, chunk) {
        size += chunk.length;
        if (size <= maxBytes) chunks.push(chunk);
        else finish(`the answer is larger than ${maxBytes} bytes`);
      },
      onResponseEnd: () => finish(),
      onResponseError: (_, error) => fail(describeFault(error)),
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
