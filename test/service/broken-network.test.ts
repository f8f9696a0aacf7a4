// Faults of the network, of proxies and of answers, on real sockets. What has not arrived was not sent (7), what may have arrived is
// unknown (8) and is never sent again, and a read is safe to repeat. Each answer to each kind of booking is in
// test/order/wire-table.ts.
import type net from 'node:net';
import { deflateRawSync, gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { certificate } from '../rig/certificates.ts';
import { nextChunk } from '../rig/client.ts';
import { type Fault, runFaults } from '../rig/fault.ts';
import { SECRET } from '../rig/oracles.ts';
import {
  http,
  type Reply,
  rawServer,
  script,
  sleepingServer,
  tunnelTo,
  UNUSED_PORT,
} from '../rig/sockets.ts';
import { row, type Scene, WELL_FOR_ALL, well } from './network-rig.ts';

type Words = string | RegExp;
const DOUBT = 'no conclusive answer came';
const LATE = 'no complete answer within';

// Before a request is on a connection, nothing has arrived.

/** The command ends with 7. A proxy that answers is asked four times. */
const notMade = (when: string, scene: Scene | (() => Promise<Scene>), words: Words, arrived = 0): Fault =>
  row('ship', when, [7, arrived, 'nothing was sent', words], scene);

const secureOn = ({ port }: { port: number }) => `https://127.0.0.1:${port}`;
const onTls = (act: (socket: net.Socket) => void): Scene => ({
  base: secureOn,
  options: { onConnection: socket => void act(socket) },
});

/** Ends a handshake as a server does that says why. */
const alert = (number: number) =>
  onTls(socket => void socket.once('data', () => socket.end(Buffer.from([21, 3, 3, 0, 2, 2, number]))));

const FAR = 'https://service.test';

/** The server of the row is a proxy, and the service is far behind it. */
const proxied = (reply: Scene['reply'] & {}, credentials = ''): Scene => ({
  reply,
  base: () => FAR,
  env: ({ port }) => ({ HTTPS_PROXY: `http://${credentials}127.0.0.1:${port}` }),
});
const noProxy = (address: string): Scene => ({ base: () => FAR, env: () => ({ HTTPS_PROXY: address }) });

async function silentInTunnel(): Promise<Scene> {
  const silent = await rawServer(() => {});
  return { ...proxied(tunnelTo(silent.port)), late: () => silent.connected(1), more: '--retries 0' };
}

async function strangerInTunnel(): Promise<Scene> {
  const stranger = await rawServer(script(http(201, '{}')), { secure: certificate });
  return { ...proxied(tunnelTo(stranger.port)), after: () => expect(stranger.requests).toEqual([]) };
}

async function neverConnects(): Promise<Scene> {
  const { url } = await sleepingServer({ full: true });
  const late = () => new Promise(resolve => setTimeout(resolve, 100));
  return { base: () => url.origin, late, more: '--retries 0' };
}

const noQueue = process.platform !== 'linux' && 'a full queue takes connections all the same';

runFaults('connections that are not made', [
  notMade('nobody listens', { base: () => `http://127.0.0.1:${UNUSED_PORT}` }, 'connection refused'),
  notMade(
    'the server speaks only HTTP/2',
    { reply: well, options: { secure: { ...certificate, ALPNProtocols: ['h2'] } } },
    'the server speaks only HTTP/2',
  ),
  notMade('TLS ends with alert 40', alert(40), 'or cipher of TLS in common'),
  notMade('TLS ends with alert 116', alert(116), 'requires a certificate from its clients'),
  notMade('TLS ends with alert 109', alert(109), /cannot be set up: (?!.*(routines|error:0|openssl))/i),
  { ...notMade('no connection is ever made', neverConnects, LATE), skip: noQueue },
  notMade(
    'the proxy refuses the password, which it gets decoded',
    {
      ...proxied(http(407), `me%40corp:${SECRET}%25@`),
      after(_, { requests }) {
        const basic = Buffer.from(`me@corp:${SECRET}%`).toString('base64');
        for (const request of requests) expect(request).toContain(`: Basic ${basic}\r\n`);
      },
    },
    '407',
    4,
  ),
  notMade('the proxy fails', proxied(http(502)), /502 \(HTTPS_PROXY is 127\.0\.0\.1:\d+\)/, 4),
  notMade(
    'https_proxy is written in small letters, and forbids the host',
    { ...proxied(http(403)), env: ({ url }) => ({ https_proxy: url.href }) },
    '403',
    4,
  ),
  notMade(
    'the proxy resets the connection',
    proxied(socket => socket.resetAndDestroy()),
    'reset',
    4,
  ),
  notMade('the proxy speaks no HTTP', proxied('SSH-2.0-OpenSSH\r\n'), 'HTTP', 4),
  notMade(
    'the proxy does not answer CONNECT until the deadline',
    { ...proxied(() => {}), late: server => server.received(1), more: '--retries 0' },
    LATE,
    1,
  ),
  notMade('TLS stalls in the tunnel of the proxy', silentInTunnel, LATE, 1),
  notMade('the proxy intercepts TLS and gets no request', strangerInTunnel, 'self-signed', 4),
  notMade('nobody listens at the proxy', noProxy(`http://127.0.0.1:${UNUSED_PORT}`), 'connection refused'),
  notMade('no address', noProxy(`user:${SECRET}@proxy:3128`), 'HTTPS_PROXY is not the address'),
  notMade('a password with a bare %', noProxy(`http://me:100%${SECRET}@127.0.0.1:1`), /with % as %25/),
  row('quote', 'nobody listens', [7, 0, 'no answer from', 'connection refused'], {
    base: () => `http://127.0.0.1:${UNUSED_PORT}`,
  }),
]);

// On a connection, the request may have arrived.

// A reset that overtakes the bytes before it looks like a close.
const GONE = /connection (reset|closed)/;
const TOO_LARGE = 'larger than 2097152 bytes';

/** No answer came. */
const silent = (when: string, reply: Scene['reply'] & {}, words: Words): Fault =>
  row('ship', when, [8, 1, DOUBT, words], { reply });

/** An answer began and cannot be read. */
const unread = (when: string, reply: Scene['reply'] & {}, words: Words): Fault =>
  row('ship', when, [8, 1, DOUBT, 'cannot be read', words], { reply });

const stalls = (when: string, reply: string, late: Scene['late'] & {}): Fault =>
  row('ship', when, [8, 1, DOUBT, LATE, '180 s'], { reply, late, more: '--retries 0' });

const fine = (when: string, reply: Scene['reply'] & {}): Fault => row('ship', when, [0, 1], { reply });

const head = (fields: string) => `HTTP/1.1 201 Created\r\n${fields}\r\n\r\n`;
const half = WELL_FOR_ALL.slice(0, 30);
const chunked = (text: string) => `${head('transfer-encoding: chunked')}${text}`;
/** The text leaves before the connection ends. */
const cut =
  (text: string, how: 'end' | 'resetAndDestroy'): Reply =>
  socket =>
    void socket.write(text, () => socket[how]());
const bytes =
  (answer: Buffer): Reply =>
  socket =>
    void socket.write(answer);
const packed = (coding: string, body: Buffer) => {
  const fields = `content-length: ${body.length}\r\ncontent-encoding: ${coding}`;
  return bytes(Buffer.concat([Buffer.from(head(fields)), body]));
};
const PLAIN = Buffer.from(WELL_FOR_ALL);
const CUT = gzipSync(PLAIN).subarray(0, 50);
const MEGABYTES_400 = 400 * 1024 * 1024;

/** Writes until the other side stops reading. */
async function flooded(): Promise<Scene> {
  const block = Buffer.alloc(65_536, 0x20);
  let taken = 0;
  const reply: Reply = socket => {
    socket.write(head(`content-length: ${MEGABYTES_400}`));
    const more = () => {
      while (!socket.destroyed && taken < MEGABYTES_400) {
        taken += block.length;
        if (!socket.write(block)) return void socket.once('drain', more);
      }
    };
    more();
  };
  return { reply, after: () => expect(taken).toBeLessThan(MEGABYTES_400 / 4) };
}

/** Writes a good answer a byte at a time. */
const dripping: Reply = (socket, request, index) => {
  const chunks: Buffer[] = [];
  well({ write: (text: string) => chunks.push(Buffer.from(text)) } as never, request, index);
  const all = Buffer.concat(chunks);
  const next = (at: number): void => {
    if (at < all.length) socket.write(all.subarray(at, at + 1), () => setImmediate(next, at + 1));
  };
  next(0);
};

runFaults('connections that break', [
  silent('the answer has two lengths', `${head('content-length: 2\r\ncontent-length: 3')}{}`, /length/),
  silent('both', `${head('content-length: 3\r\ntransfer-encoding: chunked')}0\r\n\r\n`, /length/),
  silent('the answer is no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n', 'HTTP'),
  silent('the answer has a NUL in its head', head('x-note: \0'), 'HTTP'),
  silent('the head of the answer has 100 KB', head(`x-note: ${'x'.repeat(100_000)}`), /head/i),
  silent('only interim answers come', cut('HTTP/1.1 103 Hints\r\n\r\n', 'end'), 'closed'),
  silent('another protocol', head('upgrade: x').replace('201', '101'), ''),
  unread('the body ends in a chunk', cut(chunked(`ff\r\n${half}`), 'end'), 'connection closed'),
  unread(
    'the body ends before its last chunk',
    cut(chunked(`${WELL_FOR_ALL.length.toString(16)}\r\n${WELL_FOR_ALL}\r\n`), 'end'),
    'connection closed',
  ),
  unread('the body is chunked badly', chunked(`1e\r\n${half}\r\nnonsense\r\n`), 'HTTP'),
  stalls('the answer stalls in the body', head('content-length: 999') + half, nextChunk),
  row('ship', 'the answer has 400 MB', [8, 1, DOUBT, TOO_LARGE], flooded),
  row('quote', 'the answer has 400 MB, and four are begun', [7, 4, 'cannot be used', TOO_LARGE], flooded),
  row('quote', 'the connection is reset before the answer', [7, 4, 'no answer from', GONE], {
    reply: cut('', 'resetAndDestroy'),
  }),
  row('quote', 'the answer stalls before the head', [7, 1, LATE, '30 s'], {
    late: server => server.received(1),
    more: '--retries 0',
  }),
  unread('half of a packed answer', packed('gzip', CUT), 'packed as gzip, and does not unpack'),
  unread('an unknown packing', packed('zstd', Buffer.from('S1')), 'packed as zstd, and'),
  fine('the answer is packed as x-gzip', packed('x-gzip', gzipSync(PLAIN))),
  fine('the answer is packed as Deflate', packed('Deflate', deflateRawSync(PLAIN))),
  fine('the answer says that it is packed, and is not', packed('gzip, br, constructor', PLAIN)),
  fine('interim answers come first', (socket, request, index) => {
    socket.write('HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n');
    well(socket, request, index);
  }),
  fine('the answer comes a byte at a time', dripping),
  fine('the answer ends with the connection', cut(`${head('x: y')}${WELL_FOR_ALL}`, 'end')),
  fine('the connection is reset after the complete answer', (socket, request, index) => {
    well(socket, request, index);
    setImmediate(() => socket.resetAndDestroy());
  }),
  fine('garbage follows', `${head(`content-length: ${WELL_FOR_ALL.length}`)}${WELL_FOR_ALL}and more`),
  row('ship', 'a 100 Continue comes first: the outcome stays unknown', [8, 1, DOUBT], {
    reply: `HTTP/1.1 100 Continue\r\n\r\n${http(201, WELL_FOR_ALL)}`,
  }),
]);

// Complete answers that are not the expected ones.

/** The service refused, and said why. */
const refused = (status: number, exit: number, reply: string, words: string): Fault =>
  row(
    'ship',
    `${status}, told as "${words}"`,
    [exit, 1, `answered ${status}`, words, 'nothing was created'],
    {
      reply,
    },
  );

/** A 2xx answer that cannot be read. */
const nonsense = (when: string, reply: Scene['reply'] & {}): Fault =>
  row('ship', when, [8, 1, DOUBT], { reply });

/** Nobody connects to where a redirect leads, so neither credential nor customer data can get there. */
const redirected = (status: number, to: (host: string) => string, words: Words): Fault =>
  row(
    'ship',
    `${status} to ${to('HOST')}`,
    [8, 1, DOUBT, `answered ${status}`, 'never followed', words],
    async () => {
      const host = await rawServer(script(http(200, WELL_FOR_ALL)));
      const reply = http(status, '<html><title>Moved</title></html>', { location: to(host.url.href) });
      return { reply, after: () => expect(host.connections()).toBe(0) };
    },
  );

const LATIN = WELL_FOR_ALL.replace('{', '{"\xe9\xff":1,');
const PAGE = '<!doctype html><html><head><title>Sign in</title></head></html>';

runFaults('answers of the service', [
  redirected(307, host => `${host.replace('//', `//u:${SECRET}@`)}${SECRET}?t=${SECRET}`, 'to http://127'),
  redirected(302, () => 'javascript:alert(1)', 'a redirect, which'),
  row('ship', '999', [8, 1, DOUBT], { reply: http(999) }),
  refused(403, 3, http(403, PAGE), 'a web page: Sign in'),
  refused(422, 5, http(422, `{"message":"${'no '.repeat(600_000)}"}`), 'no no'),
  refused(400, 5, http(400, '\x1f\x08\x01', { 'content-encoding': 'gzip' }), 'is packed as gzip, and'),
  refused(400, 5, http(400, 'packed?', { 'content-encoding': SECRET }), 'it is packed as ••••'),
  nonsense('two documents', http(201, WELL_FOR_ALL.repeat(2))),
  nonsense('brackets 100,000 deep', http(201, '['.repeat(100_000))),
  nonsense('UTF-16', packed('', Buffer.from(`\ufeff${WELL_FOR_ALL}`, 'utf16le'))),
  row('track', 'a page', [7, 1, 'cannot be used', 'a web page: Sign in'], { reply: http(200, PAGE) }),
  fine('JSON with a byte order mark', http(201, `\ufeff${WELL_FOR_ALL}`)),
  fine('JSON that says it is a page', http(201, WELL_FOR_ALL, { 'content-type': 'text/html' })),
  fine('JSON with a name that is no UTF-8', packed('', Buffer.from(LATIN, 'latin1'))),
  row('ship', 'the credential in the place of the id', [8, 1, DOUBT, 'without saying what it made'], {
    reply: http(201, `{"id":"${SECRET}"}`),
  }),
  row('track', 'a redirect to a host of 12,000 letters', [7, 1, /a redirect to http:\/\/a\.[a.]{40,60}…/], {
    reply: http(302, '', { location: `http://${'a.'.repeat(6000)}` }),
    after: ran => expect(ran.stderr.length).toBeLessThan(500),
  }),
]);
