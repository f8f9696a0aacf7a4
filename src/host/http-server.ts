import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Failure } from '../errors.ts';

/** A request that has arrived completely. */
export interface HttpRequest {
  method: string;
  /** The path as on the request line, with its query. */
  path: string;
  /** The headers by their names in lower case; the values of a header that came several times are joined by commas. */
  headers: Readonly<Record<string, string>>;
  /** `undefined` if the body is longer than the limit. */
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
  /** 0: any free port. */
  port: number;
  /** The longest body that is accepted, in bytes. */
  bodyLimit: number;
}

export interface HttpServer {
  /** The address of the server: `http://127.0.0.1:8787`. */
  address: string;
  /** Takes no new requests, lets open requests finish, frees the port. */
  close(): Promise<void>;
}

/**
 * Serves HTTP. `answer` gets each request when it is complete, and resolves when the request is answered; if `answer` rejects, the
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
    // Each request listens for the end of its connection, and a client may send many requests before the first answer.
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

// HTTP allows no body with the statuses 204 and 304.
const hasBody = (status: number): boolean => status !== 204 && status !== 304;

/** Sends a response; resolves when it is sent, or the connection is closed. */
export function writeResponse(response: ServerResponse, answer: HttpResponse): Promise<void> {
  const { status, headers, body } = answer;
  // The sender closed the connection while the answer was made.
  if (isUnreachable(response)) return Promise.resolve();
  const left = whenLeft(response);
  const length = hasBody(status) ? { 'content-length': Buffer.byteLength(body) } : {};
  response.writeHead(status, { ...headers, ...length }).end(hasBody(status) ? body : undefined);
  return left;
}

/** Is it impossible to send the response, because its connection is closed? */
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
    // If an earlier request of the connection is still open, this response has no connection yet, and gets no event when it closes.
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
    // What exceeds the limit is read and dropped: if the connection was closed instead, the sender would not see the answer.
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
