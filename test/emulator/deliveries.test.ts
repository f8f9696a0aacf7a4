import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { CLAIM_MS, type Send } from '../../src/emulator/deliveries.ts';
import { createEmulator, type Emulator } from '../../src/emulator/emulator.ts';
import { seededRandom } from '../../src/emulator/faults.ts';
import { Clock, DAY, DEMO, overHttp, shipmentBody, subscriptionBody } from '../rig/emulator.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waybill-emulator-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const HOOK = 'http://localhost:1/hook';

/** How long to wait for a delivery that does not come. */
const HANGS = { timeout: 120_000 };

describe('the queue', () => {
  let clock: Clock;
  let sent: { url: string; body: string; headers: Readonly<Record<string, string>> }[];
  let answers: (number | Error)[];
  const open: Emulator[] = [];
  beforeEach(() => {
    clock = new Clock();
    sent = [];
    answers = [];
  });
  afterEach(() => Promise.all(open.splice(0).map(emulator => emulator.close())));

  const play: Send = async message => {
    sent.push(message);
    const answer = answers.shift() ?? 200;
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const start = async (send: Send = play) => {
    const data = join(folder, 'world.db');
    const emulator = await createEmulator({ data, now: clock.now, random: seededRandom(open.length), send });
    open.push(emulator);
    return emulator;
  };
  const post = async (emulator: Emulator, path: string, body: unknown): Promise<{ id: string }> => {
    const request = { method: 'POST', path, headers: DEMO, body: JSON.stringify(body), origin: '' };
    const answer = await emulator.handle(request);
    return JSON.parse(String(answer.body));
  };
  const subscribe = (emulator: Emulator, more: object = {}) =>
    post(emulator, '/webhooks/subscriptions', { ...subscriptionBody(HOOK), ...more });
  const ship = (emulator: Emulator, base = '') => post(emulator, `${base}/v1/shipments`, shipmentBody());
  const states = (emulator: Emulator) =>
    emulator.deliveries().map(({ state, attempts }) => [state, attempts]);

  test('the first status and the arrival are each delivered once as status and once as milestone', async () => {
    const emulator = await start();
    await subscribe(emulator, { headers: { 'X-Shop': 'one' } });
    const { id } = await ship(emulator);
    await emulator.deliver();
    clock.pass(2 * DAY);
    emulator.advance(clock.at);
    emulator.advance(clock.at);
    await emulator.deliver();
    const told = sent.map(({ body }) => JSON.parse(body));
    expect(told.map(({ type, data }) => [type, data.status, data.milestone])).toEqual([
      ['shipment.status.updated', 'pending_arrival_at_warehouse', 'pending_arrival_at_warehouse'],
      ['shipment.milestone.updated', 'pending_arrival_at_warehouse', 'pending_arrival_at_warehouse'],
      ['shipment.status.updated', 'delivered', 'delivered'],
      ['shipment.milestone.updated', 'delivered', 'delivered'],
    ]);
    expect(told[2]).toMatchObject({ createdAt: '2025-03-07T12:00:00.000Z', data: { shipmentId: id } });
    expect(new Set(told.map(event => event.id)).size).toBe(4);
    expect(sent[0]).toMatchObject({ url: HOOK, headers: { 'X-Shop': 'one' } });
    expect(states(emulator)).toEqual(Array(4).fill(['delivered', 1]));
  });

  test('a subscription gets only its own events, and none of the sandbox', async () => {
    const emulator = await start();
    await subscribe(emulator, { events: ['shipment.milestone.updated'] });
    await ship(emulator, '/sandbox');
    await ship(emulator);
    await emulator.deliver();
    expect(sent.map(({ body }) => JSON.parse(body).type)).toEqual(['shipment.milestone.updated']);
  });

  test('a receiver on another machine is skipped', async () => {
    const emulator = await start();
    await subscribe(emulator, { url: 'https://shop.example.test/hook' });
    await ship(emulator);
    await emulator.deliver();
    expect([sent, states(emulator)]).toEqual([[], Array(2).fill(['skipped', 0])]);
  });

  test('a delivery without 2xx is retried by the policy, and fails after the last retry', async () => {
    const emulator = await start();
    const retryPolicy = { maxRetries: 3, initialDelayMs: 100, backoffMultiplier: 3, maxDelayMs: 500 };
    await subscribe(emulator, { events: ['shipment.status.updated'], retryPolicy });
    await ship(emulator);
    answers = [500, 302, new Error('no answer'), 404];
    for (const delay of [100, 300, 500]) {
      await emulator.deliver();
      expect(emulator.nextDue()).toBe(clock.at + delay);
      clock.pass(delay - 1);
      await emulator.deliver();
      clock.pass(1);
    }
    await emulator.deliver();
    expect([sent.length, states(emulator)]).toEqual([4, [['failed', 4]]]);
  });

  test('two processes with one file do not both send', async () => {
    const [first, second] = [await start(), await start()];
    await subscribe(first);
    await ship(first);
    await Promise.all([first.deliver(), second.deliver(), first.deliver()]);
    expect(sent).toHaveLength(2);
  });

  test('the next emulator finishes the deliveries of a stopped one', async () => {
    const hang: Send = (_message, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const first = await start(hang);
    await subscribe(first);
    await ship(first);
    void first.deliver();
    await first.close();
    open.splice(0);
    const second = await start();
    await second.deliver();
    expect(states(second)).toEqual(Array(2).fill(['delivered', 1]));
  });

  test('the claim of a process that died expires', async () => {
    const first = await start(() => new Promise(() => {}));
    await subscribe(first);
    await ship(first);
    void first.deliver();
    open.splice(0);
    const second = await start();
    clock.pass(CLAIM_MS - 1);
    await second.deliver();
    expect(sent).toHaveLength(0);
    clock.pass(1);
    await second.deliver();
    expect(states(second)).toEqual(Array(2).fill(['delivered', 1]));
  });
});

describe('over a connection', () => {
  test('deliveries reach a receiver, are retried, and continue after a restart', async () => {
    const received: { headers: IncomingHttpHeaders; body: string }[] = [];
    let status = 503;
    const receiver = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      received.push({ headers: request.headers, body });
      response.writeHead(status).end();
    });
    await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve));
    const { port } = receiver.address() as AddressInfo;
    const options = { data: join(folder, 'world.db'), clock: new Clock() };

    const first = await overHttp(options);
    await first.call('POST', '/webhooks/subscriptions', {
      url: `http://127.0.0.1:${port}/hook`,
      events: ['shipment.status.updated'],
      headers: { 'X-Shop': 'Öz' },
    });
    await first.call('POST', '/v1/shipments', shipmentBody());
    await vi.waitFor(() => expect(received).toHaveLength(1), HANGS);
    await first.close();

    status = 204;
    options.clock.pass(10_000);
    const second = await overHttp(options);
    await vi.waitFor(() => expect(received).toHaveLength(2), HANGS);
    await second.close();
    await new Promise(resolve => receiver.close(resolve));

    const [once, again] = received;
    expect(again?.body).toBe(once?.body);
    expect(Buffer.from(String(again?.headers['x-shop']), 'latin1').toString()).toBe('Öz');
    expect(again?.headers['content-type']).toContain('application/json');
  });
});
