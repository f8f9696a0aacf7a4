import type net from 'node:net';
import { expect, test } from 'vitest';
import { OPERATIONS } from '../../src/contract/operations.ts';
import { retryAfter } from '../../src/http/retry.ts';
import { answered, NOW, rigClient, unanswered } from '../rig/client.ts';
import { http, type Reply, script, UNUSED_PORT } from '../rig/sockets.ts';

const { createShipment, createDualShipment, createLabels, createSubscription, proposal } = OPERATIONS;
const bookings = [createShipment, createDualShipment, createLabels, createSubscription];

const reset: Reply = socket => void socket.resetAndDestroy();
const close: Reply = socket => void socket.end();
const cut: Reply = socket => void socket.end('HTTP/1.1 201 Created\r\ncontent-length: 90\r\n\r\n{"id"');

test.each([
  ['408', http(408)],
  ['429', http(429)],
  ['500', http(500)],
  ['502', http(502, '<html>')],
  ['503', http(503)],
  ['599', http(599)],
  ['a reset', reset],
  ['a close', close],
  ['half an answer', cut],
])('a read is tried four times in all after %s', async (_, fault) => {
  const { client, server, waits } = await rigClient(script(fault));
  await client.call(proposal, { body: {} });
  expect(server.requests).toHaveLength(4);
  // Each wait is longer than the one before.
  expect(waits).toEqual([500, 1000, 2000]);
});

test.each([200, 201, 301, 400, 401, 403, 404, 409, 422])(
  'a read is not tried again after %i',
  async status => {
    const { client, server } = await rigClient(script(http(status, '{}')));
    expect(answered(await client.call(proposal, { body: {} })).status).toBe(status);
    expect(server.requests).toHaveLength(1);
  },
);

test('a read that succeeds at last gives that answer', async () => {
  const { client, server } = await rigClient(script(http(503), reset, http(201, '{"proposals":[]}')));
  expect(answered(await client.call(proposal, { body: {} })).bytes.toString()).toBe('{"proposals":[]}');
  expect(server.requests).toHaveLength(3);
});

test('without retries there is one request', async () => {
  const { client, server, waits } = await rigClient(script(http(503)), { retries: 0 });
  await client.call(proposal, { body: {} });
  expect(server.requests).toHaveLength(1);
  expect(waits).toEqual([]);
});

const STATUSES = [
  ...[200, 201, 204, 301, 302, 303, 304, 307, 308],
  ...[400, 401, 403, 404, 408, 409, 422, 500, 501, 502, 503, 504, 520, 599],
];
test.each([
  ...STATUSES.map(status => [String(status), http(status)] as const),
  ['503 with Retry-After: 0', http(503, '', { 'retry-after': '0' })] as const,
  ['a reset', reset] as const,
  ['a close', close] as const,
  ['half an answer', cut] as const,
  ['an answer that is not HTTP', ((socket: net.Socket) => void socket.end('nonsense')) as Reply] as const,
])('no booking is ever sent again after %s', async (_, answer) => {
  const { client, server, waits } = await rigClient(script(answer), { retries: 9 });
  for (const operation of bookings) await client.call(operation, { body: {} });
  expect(server.requests).toHaveLength(bookings.length);
  expect(waits).toEqual([]);
});

test('no booking is sent again after its deadline', async () => {
  const { client, server, late, waits } = await rigClient(() => {}, { retries: 9 });
  const pending = client.call(createShipment, { body: {} });
  await server.received(1);
  late();
  expect(unanswered(await pending)).toEqual({
    kind: 'none',
    sent: true,
    fault: 'no complete answer within 180 s',
  });
  await server.quiet();
  expect(server.requests).toHaveLength(1);
  expect(waits).toEqual([]);
});

test('a booking that the service did not process (429) is sent again', async () => {
  const { client, server } = await rigClient(script(http(429), http(429), http(201, '{"id":"S1"}')));
  expect(answered(await client.call(createShipment, { body: {} })).status).toBe(201);
  expect(server.requests).toHaveLength(3);
  for (const request of server.requests) expect(request).toMatch(/^connection: close$/im);
});

test('a booking that found no connection is tried again', async () => {
  const rig = await rigClient(script(http(201)), { base: new URL(`http://127.0.0.1:${UNUSED_PORT}`) });
  expect(unanswered(await rig.client.call(createShipment, { body: {} })).sent).toBe(false);
  expect(rig.waits).toHaveLength(3);
  expect(rig.server.requests).toEqual([]);
});

test.each([
  ['1', 1000],
  ['7', 7000],
  [' 2.5 ', 2500],
  ['60', 60_000],
  // No shorter than we would have waited ourselves.
  ['0', 500],
  ['0.01', 500],
  // Nonsense and the past count for nothing.
  ['-5', 500],
  ['', 500],
  ['soon', 500],
  ['in 2099', 500],
  ['1e9', 500],
  ['0x10', 500],
  ['3, 5', 500],
  ['Mon, 02 Mar 2026 08:59:00 GMT', 500],
  ['Thu, 01 Jan 1970 00:00:00 GMT', 500],
  ['Mon, 02 Mar 2026 09:00:09 GMT', 9000],
  ['Monday, 02-Mar-26 09:00:09 GMT', 9000],
])('Retry-After: %s is a wait of %i ms', async (header, wait) => {
  const { client, server, waits } = await rigClient(
    script(http(429, '', { 'retry-after': header }), http(201, '{}')),
  );
  await client.call(createShipment, { body: {} });
  expect(waits).toEqual([wait]);
  expect(server.requests).toHaveLength(2);
});

test.each(['61', '60.001', '31536000', '9'.repeat(400), 'Tue, 02 Mar 2027 09:00:00 GMT'])(
  'Retry-After: %s is longer than the limit: the answer is given at once',
  async header => {
    for (const operation of [createShipment, proposal]) {
      const { client, server, waits } = await rigClient(script(http(429, '', { 'retry-after': header })));
      expect(answered(await client.call(operation, { body: {} })).status).toBe(429);
      expect(server.requests).toHaveLength(1);
      expect(waits).toEqual([]);
    }
  },
);

test('a date in Retry-After is the time until then', () => {
  expect(retryAfter(new Date(NOW + 30_000).toUTCString(), NOW)).toBe(30_000);
  expect(retryAfter(undefined, NOW)).toBeUndefined();
});

test('an interruption ends the wait: a read is interrupted, and a booking has its outcome', async () => {
  const reply = script(http(429, '{"message":"slow down"}'));
  const onSleep = ({ interrupt }: { interrupt(signal: 'SIGINT'): void }) => interrupt('SIGINT');
  const read = await rigClient(reply, { onSleep });
  await expect(read.client.call(proposal, { body: {} })).rejects.toMatchObject({ code: 'interrupted' });
  expect(read.server.requests).toHaveLength(1);
  const booking = await rigClient(reply, { onSleep });
  expect(answered(await booking.client.call(createShipment, { body: {} })).status).toBe(429);
  expect(booking.server.requests).toHaveLength(1);
});
