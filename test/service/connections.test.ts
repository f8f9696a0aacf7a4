// `sent: false` lets a booking be repeated: it must be true of no request that a server may have seen, whatever the far end
// does with a connection. Bookings that follow each other at once go over one that was used just now.
import type net from 'node:net';
import { expect, test } from 'vitest';
import { answered, outgoing, reading, unanswered, wire } from '../rig/client.ts';
import { http, type Raw, rawServer, script, sleepingServer } from '../rig/sockets.ts';
import { sampled } from '../torture/size.ts';

test.each([
  ['a booking', true],
  ['a read', false],
])(
  '%s that is cancelled while it connects is never sent, also if the server answers later',
  async (_, fresh) => {
    const asleep = await sleepingServer();
    const { transport, late } = wire();
    const pending = transport.exchange(outgoing(new URL('/given-up', asleep.url), { fresh }));
    late();
    expect(unanswered(await pending).sent).toBe(false);
    asleep.wake();
    // One that is sent after it shows that the server is awake; connections are served in the order they came.
    expect(answered(await transport.exchange(outgoing(new URL('/later', asleep.url)))).status).toBe(200);
    await transport.close();
    expect(await asleep.seen()).toEqual(['POST /later HTTP/1.1']);
  },
);

test('closing the transport ends a connection that cannot be made', async () => {
  const asleep = await sleepingServer({ full: true });
  const { transport, late } = wire();
  const pending = [outgoing(asleep.url), reading(asleep.url)].map(request => transport.exchange(request));
  late();
  for (const exchange of await Promise.all(pending)) expect(unanswered(exchange).sent).toBe(false);
  await transport.close();
  asleep.leave();
  await expect
    .poll(() => process.getActiveResourcesInfo().filter(resource => resource === 'ConnectWrap'))
    .toEqual([]);
});

const many = (server: Raw, body = '{"a":1}') => outgoing(server.url, { fresh: false, body });
const bodyOf = (request: string) => request.slice(request.indexOf('\r\n\r\n') + 4);
const turn = () => new Promise<void>(resolve => setImmediate(resolve));

test.each<[string, Record<string, string>, number]>([
  ['says nothing of it', {}, 1],
  ['keeps them for long', { 'keep-alive': 'timeout=5, max=100' }, 1],
  ['closes each', { connection: 'close' }, 5],
  ['keeps each for a moment only', { 'keep-alive': 'timeout=1' }, 5],
])('five bookings at a server that %s (%j) have %i connections', async (_, headers, connections) => {
  const server = await rawServer(script(http(201, '{}', headers)));
  const { transport } = wire();
  for (let count = 0; count < 5; count += 1) {
    answered(await transport.exchange(many(server)));
    // The connection is free a moment after its answer.
    await turn();
  }
  expect([server.requests.length, server.connections()]).toEqual([5, connections]);
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
    fault: { fault: 'reset' },
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

const ENDS = (['end', 'destroy', 'resetAndDestroy'] as const).flatMap(how =>
  Object.entries(soon).map(([when, later]) => ({ how, when, later })),
);

test.each(sampled(ENDS, 2))(
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
