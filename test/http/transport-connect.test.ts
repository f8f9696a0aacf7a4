// `sent: false` lets a booking be repeated: it must be true of no request that a server may have seen. What a
// command says of each such fault is in test/faults/network-connect.ts.
import net from 'node:net';
import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { answered, outgoing, reading, unanswered, wire } from '../rig/client.ts';
import { rawServer } from '../rig/sockets.ts';

test.each([
  ['a booking', true],
  ['a read', false],
])('%s is not sent if the TLS handshake stalls, and its connection is closed', async (_, fresh) => {
  const server = await rawServer(() => {});
  const { transport, late } = wire();
  const pending = transport.exchange(outgoing(new URL(`https://127.0.0.1:${server.port}/`), { fresh }));
  await server.connected(1);
  late();
  expect(unanswered(await pending).sent).toBe(false);
  await transport.close();
  await server.quiet();
  expect(server.connections()).toBe(1);
});

test.each([
  ['a booking', true],
  ['a read', false],
])(
  '%s that is cancelled while it connects is never sent, also if the server answers later',
  async (_, fresh) => {
    const asleep = await sleepingServer();
    const { transport, late } = wire();
    const pending = transport.exchange(outgoing(asleep.url, { fresh }));
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
  const asleep = await sleepingServer();
  // Fills the queue of connections that the kernel makes in the server's place.
  const fillers = Array.from({ length: 8 }, () =>
    net.connect(asleep.port, '127.0.0.1').on('error', () => {}),
  );
  await new Promise(resolve => fillers[0]?.once('connect', resolve));
  const { transport, late } = wire();
  const pending = [outgoing(asleep.url), reading(asleep.url)].map(request => transport.exchange(request));
  late();
  for (const exchange of await Promise.all(pending)) expect(unanswered(exchange).sent).toBe(false);
  await transport.close();
  for (const filler of fillers) filler.destroy();
  await expect
    .poll(() => process.getActiveResourcesInfo().filter(resource => resource === 'ConnectWrap'))
    .toEqual([]);
});

/** A server that listens and then sleeps, so that nothing is accepted until it is woken. */
async function sleepingServer() {
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
  const wake = () => {
    Atomics.store(bed, 0, 1);
    Atomics.notify(bed, 0);
  };
  onTestFinished(async () => {
    wake();
    await worker.terminate();
  });
  const port = Number(await message());
  return {
    port,
    url: new URL(`http://127.0.0.1:${port}/given-up`),
    wake,
    seen() {
      const seen = message();
      worker.postMessage('seen?');
      return seen;
    },
  };
}
