// Servers that say exactly what a test wants said, byte by byte, and know what has reached them: a request counts
// when all of it is there.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import net from 'node:net';
import tls from 'node:tls';
import { onTestFinished } from 'vitest';
import type { ServiceResponse } from '../../src/http/response.ts';
import type { Exchange, NoResponse, Outgoing, Transport } from '../../src/http/transport.ts';
import { createTransport } from '../../src/http/transport.ts';

export interface Raw {
  url: URL;
  port: number;
  /** Complete requests, head and body, in the order in which they came. */
  requests: string[];
  /** Connections that were ever made. */
  connections(): number;
  /** Resolves when so many connections have been made. */
  connected(count: number): Promise<void>;
  /** Resolves when so many complete requests have come. */
  received(count: number): Promise<void>;
  /** Does it to every connection that is open. */
  each(act: (socket: net.Socket) => void): void;
  /** Resolves when every connection is closed. */
  quiet(): Promise<void>;
}

export interface RawOptions {
  /** Speaks TLS with this certificate. */
  secure?: tls.TlsOptions;
  /** Called for every connection before anything of it was read. */
  onConnection?(socket: net.Socket): void;
}

export type Reply = (socket: net.Socket, request: string, index: number) => void;

export async function rawServer(reply: Reply, options: RawOptions = {}): Promise<Raw> {
  const requests: string[] = [];
  const open = new Set<net.Socket>();
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
    open.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => {
      open.delete(socket);
      changed();
    });
    options.onConnection?.(socket);
    changed();
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const socket of open) socket.destroy();
    await new Promise(resolve => server.close(resolve));
  });
  const { port } = server.address() as net.AddressInfo;
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

/** The length of the first request of what was read, once all of it is there. */
export function complete(seen: string): number | undefined {
  const head = seen.indexOf('\r\n\r\n');
  if (head < 0) return undefined;
  const length = head + 4 + Number(/^content-length: (\d+)/im.exec(seen.slice(0, head))?.[1] ?? 0);
  return seen.length >= length ? length : undefined;
}

/** A whole answer as it goes over the wire. */
export function http(status: number, body = '', headers: Record<string, string> = {}): string {
  const lines = Object.entries({ 'content-length': String(Buffer.byteLength(body)), ...headers });
  return `HTTP/1.1 ${status} Word\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
}

/** Answers the requests one after the other; the last answer is given again and again. */
export const script =
  (...answers: (string | Reply)[]): Reply =>
  (socket, request, index) => {
    const answer = answers[Math.min(index, answers.length - 1)] ?? '';
    if (typeof answer === 'string') socket.write(answer);
    else answer(socket, request, index);
  };

/** A proxy that makes every tunnel lead to this port, whatever was asked for. */
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

export interface Wire {
  transport: Transport;
  /** Lets the deadline of every attempt under way pass. */
  late(): void;
  /** Deadlines that nobody has called off. */
  clocks(): number;
}

/** A transport whose deadlines pass when the test says so. */
export function wire(env: Record<string, string> = {}): Wire {
  const deadlines = new Set<() => void>();
  const transport = createTransport({
    env,
    deadline(_, late) {
      deadlines.add(late);
      return () => deadlines.delete(late);
    },
  });
  onTestFinished(() => transport.close());
  return {
    transport,
    late() {
      for (const late of [...deadlines]) late();
    },
    clocks: () => deadlines.size,
  };
}

/** A booking, unless told otherwise: a POST on a connection of its own. */
export const outgoing = (url: URL, more: Partial<Outgoing> = {}): Outgoing => ({
  method: 'POST',
  url,
  headers: { 'content-type': 'application/json' },
  body: '{"a":1}',
  timeout: 30_000,
  maxBytes: 1000,
  fresh: true,
  ...more,
});

/** A read: a GET on a connection that may be used again. */
export function reading(url: URL, more: Partial<Outgoing> = {}): Outgoing {
  const { body: _, ...request } = outgoing(url, { method: 'GET', headers: {}, fresh: false, ...more });
  return request;
}

export function answered(exchange: Exchange): ServiceResponse {
  if (exchange.kind === 'answer') return exchange;
  throw new Error(`no answer: ${exchange.fault}`);
}

export function unanswered(exchange: Exchange): NoResponse {
  if (exchange.kind === 'none') return exchange;
  throw new Error(`an answer: ${exchange.status}`);
}

/** Resolves when a client of this process has taken the next piece of a body. */
export function nextChunk(): Promise<void> {
  return new Promise(resolve => {
    const channel = 'undici:request:bodyChunkReceived';
    const seen = () => {
      unsubscribe(channel, seen);
      resolve();
    };
    subscribe(channel, seen);
  });
}

/** A port of loopback where nobody listens; one that was free a moment ago may be another server's by now. */
export const UNUSED_PORT = 1;
