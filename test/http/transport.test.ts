import type { Socket } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { whyUnreadable } from '../../src/http/failure.ts';
import { answered, outgoing, reading, unanswered, wire } from '../rig/client.ts';
import { http, rawServer, script } from '../rig/sockets.ts';

test('an answer comes with its status, its headers and the bytes of its body', async () => {
  const server = await rawServer(script(http(201, '{"id":"é"}', { 'X-One': 'a', 'Set-Cookie': 'b' })));
  const { transport, clocks } = wire();
  const answer = answered(await transport.exchange(outgoing(new URL('v1/ships?x=1', server.url))));
  expect(answer.status).toBe(201);
  expect(answer.bytes.toString()).toBe('{"id":"é"}');
  expect(answer.headers).toMatchObject({ 'x-one': 'a', 'set-cookie': 'b' });
  expect(answer.fault).toBeUndefined();
  expect(server.requests[0]).toMatch(/^POST \/v1\/ships\?x=1 HTTP\/1\.1\r\n/);
  expect(server.requests[0]).toMatch(/\r\n\r\n\{"a":1\}$/);
  expect(clocks()).toBe(0);
});

test('no request asks for a packed answer', async () => {
  const server = await rawServer(script(http(200)));
  const { transport } = wire();
  answered(await transport.exchange(reading(server.url, { headers: { accept: 'application/pdf' } })));
  expect(server.requests[0]).toMatch(/\r\naccept-encoding: identity\r\n/);
  expect(server.requests[0]).toMatch(/\r\naccept: application\/pdf\r\n/);
});

test('an answer of exactly the allowed size is complete', async () => {
  const server = await rawServer(script(http(200, 'x'.repeat(1000))));
  const answer = answered(await wire().transport.exchange(outgoing(server.url, { maxBytes: 1000 })));
  expect(answer.bytes).toHaveLength(1000);
  expect(answer.fault).toBeUndefined();
});

const packed = (coding: string, body: Buffer) => (socket: Socket) => {
  socket.write(`HTTP/1.1 201 OK\r\ncontent-encoding: ${coding}\r\ncontent-length: ${body.length}\r\n\r\n`);
  socket.write(body);
};

const JSON_BODY = Buffer.from('{"id":"S1"}');

test.each([
  ['gzip', gzipSync(JSON_BODY)],
  ['x-gzip', gzipSync(JSON_BODY)],
  ['deflate', deflateSync(JSON_BODY)],
  ['deflate', deflateRawSync(JSON_BODY)],
  ['br', brotliCompressSync(JSON_BODY)],
  ['GZIP', gzipSync(JSON_BODY)],
  ['identity', JSON_BODY],
  // Nothing was packed, or no coding is named.
  ...['gzip', 'deflate', 'br', 'utf-8', 'aws-chunked', 'constructor', 'gzip, gzip, gzip, gzip'].map(
    coding => [coding, JSON_BODY] as const,
  ),
] as const)('a body that comes packed as %s is unpacked', async (coding, body) => {
  const server = await rawServer(packed(coding, body));
  const answer = answered(await wire().transport.exchange(outgoing(server.url)));
  expect([answer.status, answer.text, answer.fault]).toEqual([201, '{"id":"S1"}', undefined]);
  expect(whyUnreadable(answer)).toBeUndefined();
});

const CUT = gzipSync(JSON_BODY).subarray(0, -9);
const TEXT = Buffer.from('S1');

test.each([
  ['gzip', TEXT],
  ['gzip', CUT],
  ['gzip', Buffer.concat([gzipSync(JSON_BODY), CUT])],
  ['gzip', Buffer.concat([gzipSync(JSON_BODY).subarray(0, -8), Buffer.from('12345678 and more')])],
  ['deflate', TEXT],
  ['br', TEXT],
  ['zstd', TEXT],
  ['constructor', TEXT],
  ['gzip, gzip, gzip, gzip', TEXT],
])('a body that says %s and does not unpack stays as it came, and is not read', async (coding, body) => {
  const server = await rawServer(packed(coding, body));
  const answer = answered(await wire().transport.exchange(outgoing(server.url)));
  expect(answer.bytes).toEqual(body);
  expect(whyUnreadable(answer)).toBe(`it is packed as ${coding}, and does not unpack`);
});

test('a body is unpacked up to the allowed size', async () => {
  for (const [size, fault] of [
    [10_000, undefined],
    [5_000_000, 'the answer is larger than 10000 bytes'],
  ] as const) {
    const server = await rawServer(packed('gzip', gzipSync(Buffer.alloc(size))));
    const answer = answered(await wire().transport.exchange(outgoing(server.url, { maxBytes: 10_000 })));
    expect(answer.fault).toBe(fault);
    expect(answer.bytes.length).toBeLessThanOrEqual(10_000);
  }
});

test('an empty body is empty, whatever its head says', async () => {
  const server = await rawServer(script(http(204, '', { 'content-encoding': 'gzip' })));
  expect(answered(await wire().transport.exchange(outgoing(server.url))).text).toBe('');
});

test('every booking has a connection of its own, and says that it closes the connection', async () => {
  const server = await rawServer(script(http(201, '{}')));
  const { transport } = wire();
  for (let count = 0; count < 3; count += 1) await transport.exchange(outgoing(server.url));
  expect(server.connections()).toBe(3);
  expect(server.requests.every(request => /^connection: close$/im.test(request))).toBe(true);
  await server.quiet();
});

test('reads reuse their connections, and closing the transport ends the connections', async () => {
  const server = await rawServer(script(http(200, '{}')));
  const { transport } = wire();
  for (let count = 0; count < 10; count += 1) await transport.exchange(reading(server.url));
  expect(server.requests).toHaveLength(10);
  // The next read may begin a moment before the connection of the last one is free.
  expect(server.connections()).toBeLessThanOrEqual(2);
  await transport.close();
  await server.quiet();
});

test('a cancelled read ends at once, and is not sent if it has not begun', async () => {
  const server = await rawServer(() => {});
  const { transport, clocks } = wire();
  const cancel = new AbortController();
  const pending = transport.exchange(reading(server.url, { cancel: cancel.signal }));
  await server.received(1);
  cancel.abort('SIGINT');
  expect(await pending).toEqual({ kind: 'none', sent: true, fault: 'cancelled' });
  await server.quiet();
  expect(await transport.exchange(reading(server.url, { cancel: cancel.signal }))).toEqual({
    kind: 'none',
    sent: false,
    fault: 'cancelled',
  });
  expect(server.requests).toHaveLength(1);
  expect(clocks()).toBe(0);
});

test('an answer after the deadline is ignored', async () => {
  const server = await rawServer(() => {});
  const { transport, late } = wire();
  const bookings = [outgoing(server.url), reading(server.url)].map(request => transport.exchange(request));
  await server.received(2);
  server.each(socket => socket.end(http(201, '{"id":"late"}')));
  late();
  for (const exchange of await Promise.all(bookings)) expect(exchange.kind).toBe('none');
  await transport.close();
  await server.quiet();
});

test('a header that cannot be sent is a fault, and nothing is sent', async () => {
  const server = await rawServer(script(http(200)));
  const { transport, clocks } = wire();
  const none = unanswered(
    await transport.exchange(outgoing(server.url, { headers: { 'x-bad': 'a\r\nb: c' } })),
  );
  expect(none.sent).toBe(false);
  expect(clocks()).toBe(0);
  expect(server.requests).toEqual([]);
});
