// Servers on bare sockets that a test scripts byte by byte, and a witness that records what passes between command and service.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import net from 'node:net';
import tls from 'node:tls';
import { Worker } from 'node:worker_threads';
import { onTestFinished } from 'vitest';
import { isBooking } from './traffic.ts';

interface Listening {
  port: number;
  open: ReadonlySet<net.Socket>;
  /** Ends its connections, too. */
  close(): Promise<void>;
}

/** A server on a port of loopback. */
export async function listening(server: net.Server): Promise<Listening> {
  const open = new Set<net.Socket>();
  server.on('connection', (socket: net.Socket) => {
    open.add(socket);
    socket.on('error', () => {}).on('close', () => open.delete(socket));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as net.AddressInfo;
  return {
    port,
    open,
    close() {
      for (const socket of open) socket.destroy();
      return new Promise(resolve => server.close(() => resolve()));
    },
  };
}

/** A service of HTTP until the test ends; gives its address. What fails ends the connection. */
export async function served(
  serve: (request: IncomingMessage, response: ServerResponse) => Promise<unknown>,
): Promise<string> {
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  const { port, close } = await listening(server);
  onTestFinished(close);
  return `http://127.0.0.1:${port}`;
}

export interface Raw {
  url: URL;
  port: number;
  /** Complete requests, head and body, in the order in which they came. */
  requests: string[];
  /** How many connections were made. */
  connections(): number;
  /** Resolves when this many connections have been made. */
  connected(count: number): Promise<void>;
  /** Resolves when this many complete requests have come. */
  received(count: number): Promise<void>;
  /** Calls `act` with every open connection. */
  each(act: (socket: net.Socket) => void): void;
  /** Resolves when every connection is closed. */
  quiet(): Promise<void>;
}

export interface RawOptions {
  /** Speaks TLS with this certificate. */
  secure?: tls.TlsOptions;
  /** Called for every connection before its first byte is read. */
  onConnection?(socket: net.Socket): void;
}

export type Reply = (socket: net.Socket, request: string, index: number) => void;

export async function rawServer(reply: Reply, options: RawOptions = {}): Promise<Raw> {
  const requests: string[] = [];
  let connections = 0;
  let watchers: (() => void)[] = [];
  const changed = () => {
    for (const watch of watchers) watch();
  };
  const until = (condition: () => boolean) =>
    new Promise<void>(resolve => {
      const watch = () => {
        if (!condition()) return;
        watchers = watchers.filter(other => other !== watch);
        resolve();
      };
      watchers.push(watch);
      watch();
    });
  const listen = (socket: net.Socket) => {
    socket.on('error', () => {});
    let seen = '';
    socket.on('data', chunk => {
      seen += chunk.toString('latin1');
      for (let length = complete(seen); length !== undefined; length = complete(seen)) {
        const request = seen.slice(0, length);
        seen = seen.slice(length);
        reply(socket, request, requests.push(request) - 1);
        changed();
      }
    });
  };
  const server = options.secure
    ? tls.createServer(options.secure, listen).on('tlsClientError', () => {})
    : net.createServer(listen);
  server.on('connection', (socket: net.Socket) => {
    connections += 1;
    // Later than `open`, which is asked then.
    socket.on('close', () => setImmediate(changed));
    options.onConnection?.(socket);
    changed();
  });
  const { port, open, close } = await listening(server);
  onTestFinished(close);
  return {
    port,
    url: new URL(`${options.secure ? 'https' : 'http'}://127.0.0.1:${port}/`),
    requests,
    connections: () => connections,
    connected: count => until(() => connections >= count),
    received: count => until(() => requests.length >= count),
    each(act) {
      for (const socket of open) act(socket);
    },
    quiet: () => until(() => open.size === 0),
  };
}

/** A promise, and the function that resolves it. */
export function event(): [promise: Promise<void>, resolve: () => void] {
  let happen = () => {};
  const happened = new Promise<void>(resolve => {
    happen = resolve;
  });
  return [happened, happen];
}

/** The length of the first request, if it is complete. */
export function complete(seen: string): number | undefined {
  const head = seen.indexOf('\r\n\r\n');
  if (head < 0) return undefined;
  const length = head + 4 + Number(/^content-length: (\d+)/im.exec(seen.slice(0, head))?.[1] ?? 0);
  return seen.length >= length ? length : undefined;
}

/** The text of a complete HTTP answer. */
export function http(status: number, body = '', headers: Record<string, string> = {}): string {
  const lines = Object.entries({ 'content-length': String(Buffer.byteLength(body)), ...headers });
  return `HTTP/1.1 ${status} Word\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
}

/** Answers the requests in order. The last answer repeats. */
export const script =
  (...answers: (string | Reply)[]): Reply =>
  (socket, request, index) => {
    const answer = answers[Math.min(index, answers.length - 1)] ?? '';
    if (typeof answer === 'string') socket.write(answer);
    else answer(socket, request, index);
  };

/** A proxy that connects every tunnel to this port. */
export const tunnelTo =
  (port: number): Reply =>
  socket => {
    const target = net.connect(port, '127.0.0.1', () => {
      socket.removeAllListeners('data');
      socket.write('HTTP/1.1 200 Connected\r\n\r\n');
      socket.pipe(target).pipe(socket);
    });
    target.on('error', () => socket.destroy());
    socket.on('close', () => target.destroy());
  };

/** A server that listens and then sleeps, so that nothing is accepted until it is woken; `full`: nor is any connection made. */
export async function sleepingServer({ full = false } = {}) {
  const bed = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads');
     const seen = [];
     const server = require('node:http').createServer((request, response) => {
       seen.push([request.method, request.url, 'HTTP/' + request.httpVersion].join(' '));
       response.end();
     });
     parentPort.on('message', () => parentPort.postMessage(seen));
     server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
       parentPort.postMessage(server.address().port);
       setImmediate(() => Atomics.wait(workerData, 0, 0));
     });`,
    { eval: true, workerData: bed },
  );
  const message = () => new Promise<unknown>(resolve => worker.once('message', resolve));
  const port = Number(await message());
  // They fill the queue of connections that the kernel makes in the place of the server.
  const fillers = Array.from({ length: full ? 8 : 0 }, () =>
    net.connect(port, '127.0.0.1').on('error', () => {}),
  );
  const leave = () => {
    for (const filler of fillers) filler.destroy();
  };
  const wake = () => {
    Atomics.store(bed, 0, 1);
    Atomics.notify(bed, 0);
  };
  onTestFinished(async () => {
    leave();
    wake();
    await worker.terminate();
  });
  if (full) await new Promise(resolve => fillers[0]?.once('connect', resolve));
  return {
    url: new URL(`http://127.0.0.1:${port}/`),
    wake,
    /** Ends the connections that fill its queue. */
    leave,
    /** The first line of each request that it has read. */
    seen() {
      const seen = message();
      worker.postMessage('seen?');
      return seen;
    },
  };
}

/** A port of loopback where no server listens. One that was free a moment ago may belong to another server by now. */
export const UNUSED_PORT = 1;

/** A complete request, and the status of its answer if one has begun. */
export interface Passed {
  /** `POST /v1/shipments` */
  line: string;
  body: string;
  status?: number;
}

export interface Witness {
  address: string;
  /** In the order in which they were complete. */
  passed: Passed[];
  close(): Promise<void>;
}

/** Passes every byte on in both directions, and also ends and resets. */
export async function witnessOf(service: URL): Promise<Witness> {
  const passed: Passed[] = [];
  const upstreams = new Set<net.Socket>();
  const server = net.createServer({ allowHalfOpen: true }, client => {
    const upstream = net.connect({ port: Number(service.port), host: service.hostname, allowHalfOpen: true });
    upstreams.add(upstream);
    let asked = '';
    let waiting: Passed[] = [];
    client.on('data', chunk => {
      asked += chunk.toString('latin1');
      for (let length = complete(asked); length !== undefined; length = complete(asked)) {
        const [line = ''] = asked.split(' HTTP/1.1', 1);
        const body = Buffer.from(asked.slice(asked.indexOf('\r\n\r\n') + 4, length), 'latin1').toString();
        asked = asked.slice(length);
        const one = { line, body };
        passed.push(one);
        waiting.push(one);
      }
      upstream.write(chunk);
    });
    upstream.on('data', chunk => {
      const status = /^HTTP\/1\.1 (\d+)/.exec(chunk.toString('latin1'))?.[1];
      const first = status === undefined ? undefined : waiting.shift();
      if (first) first.status = Number(status);
      client.write(chunk);
    });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      let ended = false;
      one.on('error', () => {});
      one.on('end', () => {
        ended = true;
        other.end();
      });
      one.on('close', () => {
        upstreams.delete(upstream);
        waiting = [];
        if (!ended) other.resetAndDestroy();
      });
    }
  });
  const { port, close } = await listening(server);
  return {
    address: `http://127.0.0.1:${port}`,
    passed,
    close() {
      for (const socket of upstreams) socket.destroy();
      return close();
    },
  };
}

/** Requests that the service reports although the witness did not see them. */
export function unseen(
  told: readonly { method: string; path: string; body: string }[],
  passed: readonly Passed[],
): string[] {
  const left = passed.map(({ line, body }) => `${line} ${body}`);
  return told
    .map(({ method, path, body }) => `${method} ${path} ${body}`)
    .filter(one => {
      const index = left.indexOf(one);
      if (index >= 0) left.splice(index, 1);
      return index < 0;
    });
}

/** Bookings that one command sent more than once, although the first answer was no 429. */
export function repeated(passed: readonly Passed[]): string[] {
  const bookings = passed.filter(one => isBooking(one) && one.status !== 429);
  const seen = bookings.map(({ line, body }) => `${line} ${body}`);
  return seen.filter((one, index) => seen.indexOf(one) < index);
}
