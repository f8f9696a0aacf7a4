// What the emulator does by itself and keeps: deliveries to receivers, the file of its world, and how it ends.
import { readFileSync, statSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { startEmulator } from '../../src/emulator/server.ts';
import { openWorld } from '../../src/emulator/world.ts';
import { Clock, DAY, DEMO, emulator, type Rig, shipmentBody, subscriptionBody } from '../rig/emulator.ts';
import { temporaryFolder } from '../rig/profile.ts';
import { event, served } from '../rig/sockets.ts';

const ship = ({ call }: Rig) => call('POST', '/v1/shipments', shipmentBody());
const world = () => join(temporaryFolder(), 'state', 'world.db');

describe('A delivery', () => {
  /** A receiver that answers with these statuses, one after the other and the last one again; 0 breaks the connection. */
  async function receiver(...statuses: number[]) {
    const got: { headers: IncomingHttpHeaders; text: string }[] = [];
    const address = await served(async (request, response) => {
      const text = Buffer.concat(await request.toArray()).toString();
      const index = got.push({ headers: request.headers, text });
      const status = statuses[Math.min(index, statuses.length) - 1] ?? 204;
      if (status === 0) response.destroy();
      else response.writeHead(status).end();
    });
    return {
      url: `${address}/hook`,
      got,
      events: () => got.map(({ text }) => JSON.parse(text)),
      received: (count: number) =>
        vi.waitFor(() => expect(got).toHaveLength(count), { timeout: 10 * 60_000 }),
    };
  }

  const subscribe = ({ call }: Rig, url: string, more: object = {}) =>
    call('POST', '/webhooks/subscriptions', { ...subscriptionBody(url), ...more });

  test('leaves this machine never', async () => {
    const sent: string[] = [];
    const [several, isSecond] = event();
    const send = async ({ url }: { url: string }) => {
      if (sent.push(url) === 2) isSecond();
      return 200;
    };
    const rig = await emulator({ send });
    for (const url of ['https://shop.example.test/hook', 'https://192.0.2.1/hook', 'http://localhost:1/hook'])
      await subscribe(rig, url);
    await ship(rig);
    await several;
    expect(new Set(sent)).toEqual(new Set(['http://localhost:1/hook']));
  });

  test('that is not accepted is repeated as its policy says, by the next emulator of the same world, too', async () => {
    const hook = await receiver(500, 302, 0, 404);
    const options = { data: world(), clock: new Clock() };
    const retryPolicy = { maxRetries: 3, initialDelayMs: 100, backoffMultiplier: 3, maxDelayMs: 500 };
    let rig = await emulator(options);
    await subscribe(rig, hook.url, { events: ['shipment.status.updated'], retryPolicy });
    await ship(rig);
    await hook.received(1);
    // An attempt that its emulator stops does not count.
    await rig.recorded();
    await rig.close();
    rig = await emulator(options);
    for (const [attempts, delay] of [100, 300, 500].entries()) {
      await rig.later(delay);
      await hook.received(attempts + 2);
    }
    expect(new Set(hook.got.map(({ text }) => text)).size).toBe(1);
    // The last one of its retries: what comes now is another event.
    await rig.later(2 * DAY);
    await hook.received(5);
    expect(hook.events()[4].data.status).toBe('delivered');
  });
});

describe('The file of a world', () => {
  test('has no token and no secret of a subscription, and is for its user only', async () => {
    const data = world();
    const { call, close } = await emulator({ data, tokens: new Map([['tok-4711', 'all']]) });
    const { body } = await call('POST', '/webhooks/subscriptions', subscriptionBody(), { a: 'tok-4711' });
    await close();
    const kept = [data, `${data}-wal`].map(file => readFileSync(file, 'latin1')).join();
    expect(kept).toContain(body.data.id);
    for (const secret of ['tok-4711', body.data.secret, body.data.token]) expect(kept).not.toContain(secret);
    expect(statSync(data).mode & 0o777).toBe(0o600);
  });

  test('of a newer version is refused, and stays as it is', async () => {
    const data = world();
    const store = await openWorld(data);
    store.run('PRAGMA user_version = 99');
    store.all('PRAGMA journal_mode = DELETE');
    store.close();
    const before = readFileSync(data);
    await expect(startEmulator({ data })).rejects.toThrow('newer version');
    expect(readFileSync(data).equals(before)).toBe(true);
  });
});

test('it ends when the request in flight is answered, closes idle connections, and may be ended twice', async () => {
  let release = () => {};
  const [waiting, arrived] = event();
  const running = await startEmulator({
    latency: 1,
    sleep: () =>
      new Promise<void>(resolve => {
        release = resolve;
        arrived();
      }),
  });
  const idle = connect(Number(new URL(running.address).port), '127.0.0.1');
  const gone = new Promise(resolve => idle.once('close', resolve));
  idle.on('error', () => {}).write('POST /v1/shipments HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n{');
  const body = JSON.stringify(shipmentBody());
  const answer = fetch(`${running.address}/v1/shipments`, { method: 'POST', headers: DEMO, body });
  await waiting;
  const closed = Promise.all([running.close(), running.close()]);
  release();
  expect((await answer).status).toBe(201);
  await closed;
  await gone;
  await expect(fetch(running.address)).rejects.toThrow();
});
