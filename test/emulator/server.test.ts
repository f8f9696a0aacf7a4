import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { parseFault } from '../../src/emulator/faults.ts';
import { startEmulator } from '../../src/emulator/server.ts';
import { DEMO, dualBody, shipmentBody } from '../rig/emulator.ts';
import { event } from '../rig/sockets.ts';

const post = (address: string, path: string, body: unknown) =>
  fetch(address + path, { method: 'POST', headers: DEMO, body: JSON.stringify(body) });

test('a port in use is refused with a sentence', async () => {
  const first = await startEmulator();
  const port = Number(new URL(first.address).port);
  await expect(startEmulator({ port })).rejects.toMatchObject({
    code: 'EADDRINUSE',
    message: `The emulator cannot listen on 127.0.0.1: port ${port} is in use. Give another one with --port, or --port 0 for a free one.`,
  });
  await first.close();
});

test('an invalid speed is refused', async () => {
  await expect(startEmulator({ speed: 0 })).rejects.toThrow('above 0');
});

test('closing waits for a request in flight, closes idle connections and may be called twice', async () => {
  let release = () => {};
  const [waiting, arrived] = event();
  const emulator = await startEmulator({
    latency: 1,
    sleep: () =>
      new Promise<void>(resolve => {
        release = resolve;
        arrived();
      }),
  });
  const idle = connect(Number(new URL(emulator.address).port), '127.0.0.1');
  const gone = new Promise(resolve => idle.once('close', resolve));
  idle.on('error', () => {}).write('POST /v1/shipments HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n{');
  const answer = post(emulator.address, '/v1/shipments', shipmentBody());
  await waiting;
  const closed = Promise.all([emulator.close(), emulator.close()]);
  release();
  expect((await answer).status).toBe(201);
  await closed;
  await gone;
  await expect(fetch(emulator.address)).rejects.toThrow();
});

test.each(['html:0', 'truncate:1'])(
  'a caller that closes its connection does not block the emulator (%s)',
  async fault => {
    const leaving = new AbortController();
    let release = () => {};
    const emulator = await startEmulator({
      latency: 1,
      faults: [parseFault(fault)],
      sleep: () =>
        new Promise<void>(resolve => {
          release = resolve;
          leaving.abort();
        }),
    });
    const init = { method: 'POST', headers: DEMO, body: '{}', signal: leaving.signal };
    await expect(fetch(`${emulator.address}/v1/shipments`, init)).rejects.toThrow();
    await new Promise(resolve => setTimeout(resolve, 20));
    release();
    await emulator.close();
  },
);

test('a body over the limit is a 400', async () => {
  const emulator = await startEmulator({ bodyLimit: 100 });
  expect((await post(emulator.address, '/v1/shipments', shipmentBody())).status).toBe(400);
  await emulator.close();
});

test('onRequest gets the request and how it was answered', async () => {
  const seen: unknown[] = [];
  const emulator = await startEmulator({ onRequest: request => seen.push(request) });
  await post(emulator.address, '/v1/shipments', { a: 1 });
  expect(seen).toMatchObject([
    { method: 'POST', path: '/v1/shipments', body: '{"a":1}', answered: 400, headers: DEMO },
  ]);
  await emulator.close();
});

test('label links have the host name that the caller used', async () => {
  const emulator = await startEmulator({ host: '0.0.0.0' });
  const { port } = new URL(emulator.address);
  expect(emulator.address).toBe(`http://127.0.0.1:${port}`);
  const made = await post(`http://localhost:${port}`, '/v2/shipments', dualBody());
  const { international } = (await made.json()) as { international: { label: { labelPdf: string } } };
  expect(international.label.labelPdf).toMatch(`http://localhost:${port}/labels/`);
  await emulator.close();
});

test('shipments advance with real time at the speed given', async () => {
  const emulator = await startEmulator({ speed: 1e9 });
  const { id } = (await (await post(emulator.address, '/v1/shipments', shipmentBody())).json()) as {
    id: string;
  };
  await new Promise(resolve => setTimeout(resolve, 5));
  const read = await fetch(`${emulator.address}/v1/shipments/${id}`, { headers: DEMO });
  expect(await read.json()).toMatchObject({ status: [{}, { status: 'delivered' }] });
  await emulator.close();
});
