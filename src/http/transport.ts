import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici';
import { isLoopback } from '../contract/rules.ts';
import { messageOf, systemCode } from '../errors.ts';
import type { Host } from '../host.ts';

/** One request on the wire. */
export interface Outgoing {
  method: 'GET' | 'POST';
  url: URL;
  headers: Record<string, string>;
  body?: string;
  /** For the whole attempt, in milliseconds. */
  timeout: number;
  /** The answer is cut off past this many bytes. */
  maxBytes: number;
  /** A connection of its own: one that was kept open may be closed by the far end just as we write. */
  fresh: boolean;
  /** Gives up the attempt when aborted. */
  cancel?: AbortSignal;
}

export interface Answer {
  kind: 'answer';
  status: number;
  headers: Record<string, string>;
  body: Buffer;
  /** Why the body is not whole, where it is not. */
  fault?: string;
}

export interface NoAnswer {
  kind: 'none';
  /** Taken from the wire: did the head of the request get written to a connection? */
  sent: boolean;
  /** What happened, for people. */
  fault: string;
}

export type Exchange = Answer | NoAnswer;

/** The only file that knows undici. Redirects are never followed, bodies never decompressed. */
export interface Transport {
  /** Never rejects: every fault of the wire is an exchange. */
  exchange(request: Outgoing): Promise<Exchange>;
  close(): Promise<void>;
}

type TransportHost = Pick<Host, 'env' | 'deadline'>;

export function createTransport(host: TransportHost): Transport {
  let shared: Dispatcher | undefined;
  const connect = (url: URL) => (isLoopback(url.hostname) ? direct() : throughProxy(host));
  return {
    async exchange(request) {
      if (!request.fresh) {
        shared ??= connect(request.url);
        return attempt(shared, request, host);
      }
      const own = connect(request.url);
      try {
        return await attempt(own, request, host);
      } finally {
        await own.destroy();
      }
    },
    close: async () => shared?.destroy(),
  };
}

// `rejectUnauthorized` is said explicitly so that NODE_TLS_REJECT_UNAUTHORIZED=0 cannot leak a token.
const secure = { rejectUnauthorized: true };
// Our own deadline covers the whole attempt; undici's would only add a second opinion.
const unlimited = { headersTimeout: 0, bodyTimeout: 0 };

const direct = () => new Agent({ ...unlimited, connect: { ...secure, timeout: 0 } });

function throughProxy({ env }: TransportHost): Dispatcher {
  const httpsProxy = env.https_proxy || env.HTTPS_PROXY;
  if (!httpsProxy) return direct();
  return new EnvHttpProxyAgent({
    ...unlimited,
    httpProxy: '',
    httpsProxy,
    noProxy: env.no_proxy || env.NO_PROXY || '',
    connect: { ...secure, timeout: 0 },
    requestTls: secure,
    proxyTls: secure,
  });
}

function attempt(dispatcher: Dispatcher, request: Outgoing, host: TransportHost): Promise<Exchange> {
  const { url, maxBytes, timeout, cancel } = request;
  return new Promise(resolve => {
    let controller: Dispatcher.DispatchController | undefined;
    let answer: Omit<Answer, 'body'> | undefined;
    let over = false;
    const chunks: Buffer[] = [];
    let size = 0;

    const finish = (fault?: string) => {
      if (over) return;
      over = true;
      stopClock();
      cancel?.removeEventListener('abort', onCancel);
      if (fault !== undefined) controller?.abort(new Error(fault));
      if (answer === undefined)
        resolve({ kind: 'none', sent: controller !== undefined, fault: fault ?? 'no answer' });
      else resolve({ ...answer, body: Buffer.concat(chunks), ...(fault !== undefined && { fault }) });
    };
    const onCancel = () => finish('cancelled');

    const stopClock = host.deadline(timeout, () => finish(`no complete answer within ${timeout / 1000} s`));
    if (cancel?.aborted) return finish('cancelled');
    cancel?.addEventListener('abort', onCancel, { once: true });

    dispatcher.dispatch(
      {
        origin: url.origin,
        path: url.pathname + url.search,
        method: request.method,
        headers: request.headers,
        body: request.body ?? null,
        ...(request.fresh && { reset: true }),
      },
      {
        // Called on a live connection, just before the head is written: from here on it may have arrived.
        onRequestStart(started) {
          if (over) started.abort(new Error('too late'));
          else controller = started;
        },
        onResponseStart(_, status, headers) {
          if (status < 200) return;
          answer = { kind: 'answer', status, headers: flat(headers) };
        },
        onResponseData(_, chunk) {
          size += chunk.length;
          if (size <= maxBytes) chunks.push(chunk);
          else finish(`the answer is larger than ${maxBytes} bytes`);
        },
        onResponseEnd: () => finish(),
        onResponseError: (_, error) => finish(wordsOf(error)),
      },
    );
  });
}

const flat = (headers: Record<string, string | string[] | undefined>) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );

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
};

function wordsOf(error: unknown): string {
  const inner = error instanceof AggregateError ? error.errors[0] : error;
  const code = systemCode(inner);
  return (code !== undefined && WORDS[code]) || messageOf(inner) || code || 'connection failed';
}
