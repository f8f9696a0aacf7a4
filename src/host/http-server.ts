import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Failure } from '../errors.ts';

/** A request that arrived whole. */
export interface HttpRequest {
  method: string;
  /** As on the request line, with its query. */
  path: string;
  /** Names in lower case; what came several times is joined by commas. */
  headers: Readonly<Record<string, string>>;
  /** `undefined` if it is over the limit. */
  body: Buffer | undefined;
}

export interface HttpResponse {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string | Uint8Array;
}

export interface HttpServerOptions {
  /** The name of the server, at the beginning of a message. */
  name: string;
  host: string;
  /** 0: a free one. */
  port: number;
  /** The longest body that is accepted, in bytes. */
  bodyLimit: number;
}

export interface HttpServer {
  /** `http://127.0.0.1:8787` */
  address: string;
  /** Takes no new requests, lets those in flight finish, frees the port. */
  close(): Promise<void>;
}

/**
 * Serves HTTP. `answer` gets each request when it is complete, and resolves when it is answered; if it rejects, the
 * connection is closed. Rejects with `storage` if the port is not available.
 */
export async function serveHttp(
  options: HttpServerOptions,
  answer: (request: HttpRequest, response: ServerResponse) => Promise<void>,
): Promise<HttpServer> {
  const { name, host, port, bodyLimit } = options;
  const inFlight = new Set<Promise<void>>();
  let closing = false;

  const take = async (incoming: IncomingMessage, response: ServerResponse) => {
    const body = await requestBody(incoming, bodyLimit);
    if (closing) response.shouldKeepAlive = false;
    const { method = '', url: path = '' } = incoming;
    const work = answer({ method, path, headers: flat(incoming), body }, response);
    inFlight.add(work);
    await work.finally(() => inFlight.delete(work));
  };
  const server = createServer((incoming, response) => {
    // Each request of a connection waits for its end, and a client may send many before the first answer.
    incoming.socket.setMaxListeners(0);
    // A sender that closed the connection in the middle of a request gets no answer.
    take(incoming, response).catch(() => response.destroy());
  });
  const address = await listen(server, name, host, port);

  return {
    address,
    async close() {
      closing = true;
      const closed = new Promise(resolve => server.close(resolve));
      while (inFlight.size > 0) await Promise.allSettled(inFlight);
      server.closeAllConnections();
      await closed;
    },
  };
}

// HTTP allows no body with these.
const hasBody = (status: number): boolean => status !== 204 && status !== 304;

/** Sends a response; resolves when it is sent, or the connection is closed. */
export function writeResponse(response: ServerResponse, answer: HttpResponse): Promise<void> {
  const { status, headers, body } = answer;
  // The sender closed it while we waited.
  if (isUnreachable(response)) return Promise.resolve();
  const left = whenLeft(response);
  const length = hasBody(status) ? { 'content-length': Buffer.byteLength(body) } : {};
  response.writeHead(status, { ...headers, ...length }).end(hasBody(status) ? body : undefined);
  return left;
}

/** Can nothing be sent any more? */
export const isUnreachable = (response: ServerResponse): boolean =>
  response.destroyed || response.req.socket.destroyed;

/** Resolves when a response has left this process, or its connection is closed. */
export function whenLeft(response: ServerResponse): Promise<void> {
  const { socket } = response.req;
  return new Promise(resolve => {
    const leave = () => {
      socket.off('close', leave);
      resolve();
    };
    // The answer to a request behind another one has no connection of its own yet, and is not told of its end.
    socket.once('close', leave);
    response.once('finish', leave).once('close', leave);
  });
}

/** The body; `undefined` if it is longer than `limit` bytes. Rejects if the sender closes the connection. */
async function requestBody(incoming: IncomingMessage, limit: number): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of incoming as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    // The rest is read and dropped: a sender whose connection is closed would not see the answer.
    if (length <= limit) chunks.push(chunk);
  }
  return length > limit ? undefined : Buffer.concat(chunks);
}

function listen(server: Server, name: string, host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const { code = '', message: why } = error;
      const notice = { kind: 'port-unusable', server: name, address: host, port, code, why } as const;
      reject(new Failure('storage', notice, {}, { cause: error }));
    });
    server.listen(port, host, () => {
      const bound = server.address() as AddressInfo;
      const wildcard = bound.address === '0.0.0.0' || bound.address === '::';
      const shown = wildcard ? '127.0.0.1' : bound.family === 'IPv6' ? `[${bound.address}]` : bound.address;
      resolve(`http://${shown}:${bound.port}`);
    });
  });
}

const flat = (incoming: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );
