// Bookings that follow each other at once, over connections that were used just now: what the far end does with those
// must never make two of one, nor let what has arrived be told as not sent.
import type net from 'node:net';
import { expect, test } from 'vitest';
import { answered, outgoing, unanswered, wire } from '../rig/client.ts';
import { http, type Raw, rawServer, script } from '../rig/sockets.ts';

const many = (server: Raw, body = '{"a":1}') => outgoing(server.url, { fresh: false, body });
const bodyOf = (request: string) => request.slice(request.indexOf('\r\n\r\n') + 4);
const turn = () => new Promise<void>(resolve => setImmediate(resolve));

test.each([
  ['says nothing of it', {}],
  ['says that it keeps them for long', { 'keep-alive': 'timeout=5, max=100' }],
])('a server that %s gets many bookings over one connection', async (_, headers) => {
  const server = await rawServer(script(http(201, '{}', headers)));
  const { transport } = wire();
  for (let count = 0; count < 5; count += 1) {
    answered(await transport.exchange(many(server)));
    // The connection is free a moment after its answer.
    await turn();
  }
  expect(server.requests).toHaveLength(5);
  expect(server.connections()).toBe(1);
});

test.each([
  ['closes', { connection: 'close' }],
  ['keeps for a moment only', { 'keep-alive': 'timeout=1' }],
])('a connection that the server says it %s is not used again', async (_, headers) => {
  const server = await rawServer(script(http(201, '{}', headers)));
  const { transport } = wire();
  for (let count = 0; count < 5; count += 1) {
    answered(await transport.exchange(many(server)));
    await turn();
  }
  expect(server.connections()).toBe(5);
});

test('an idle connection is closed before the server closes it', async () => {
  const server = await rawServer(script(http(201, '{}')));
  const { transport } = wire();
  await transport.exchange(many(server));
  await server.quiet();
  answered(await transport.exchange(many(server)));
  expect(server.connections()).toBe(2);
});

test('a booking counts as sent if its reused connection breaks, and the next one has a new connection', async () => {
  const seen = new Set<net.Socket>();
  const server = await rawServer(socket => {
    if (seen.has(socket)) socket.resetAndDestroy();
    else socket.write(http(201, '{}'));
    seen.add(socket);
  });
  const { transport } = wire();
  answered(await transport.exchange(many(server, 'first')));
  await turn();
  expect(unanswered(await transport.exchange(many(server, 'second')))).toEqual({
    kind: 'none',
    sent: true,
    fault: 'connection reset',
  });
  for (const body of ['third', 'fourth']) answered(await transport.exchange(many(server, body)));
  expect(server.requests.map(bodyOf)).toEqual(['first', 'second', 'third', 'fourth']);
  expect(server.connections()).toBe(3);
});

const soon = {
  'at once': (act: () => void) => act(),
  'a turn later': setImmediate,
  'a moment later': setTimeout,
};

test.each(
  (['end', 'destroy', 'resetAndDestroy'] as const).flatMap(how =>
    Object.entries(soon).map(([when, later]) => ({ how, when, later })),
  ),
)(
  'a server that ends ($how) each connection $when, without a word, gets each booking once and none is told wrongly',
  async ({ how, later }) => {
    const server = await rawServer(socket => {
      socket.write(http(201, '{}'), () => later(() => socket[how]()));
    });
    const { transport } = wire();
    const told = new Map<string, string>();
    const work = async (worker: number) => {
      for (let count = 0; count < 25; count += 1) {
        const body = `${worker}-${count}`;
        const exchange = await transport.exchange(many(server, body));
        told.set(body, exchange.kind === 'answer' ? 'answered' : exchange.sent ? 'unknown' : 'not sent');
      }
    };
    await Promise.all([1, 2, 3, 4].map(work));
    const arrived = server.requests.map(bodyOf);
    expect(new Set(arrived).size).toBe(arrived.length);
    for (const [body, what] of told) {
      if (what === 'answered') expect(arrived).toContain(body);
      if (what === 'not sent') expect(arrived).not.toContain(body);
    }
    // From the first end that was not announced, each has a connection of its own; only those under way then may be in doubt.
    expect([...told.values()].filter(what => what === 'unknown').length).toBeLessThanOrEqual(4);
  },
);
