// A booking that another process settles while this one waits is not sent. What is said then is in
// test/promises/labels-and-ids.test.ts: "A claim is fenced".
import { expect, onTestFinished, test } from 'vitest';
import { OPERATIONS } from '../../src/contract/operations.ts';
import type { Host } from '../../src/host.ts';
import { Service } from '../../src/service/service.ts';
import { created, scriptedService } from '../rig/batch.ts';
import { unanswered } from '../rig/client.ts';
import { createRig } from '../rig/command.ts';
import { SHIPMENT } from '../rig/service.ts';
import { http, rawServer, script } from '../rig/sockets.ts';

const operation = OPERATIONS.createShipment;
const CREATED = http(201, '{"id":"S-9"}');

test.each(['history resolve K --not-created --force --reason gone', 'history list'])(
  'a booking that was lost during a wait and not booked again (%s) is not sent, and frees its key',
  async doing => {
    const rig = await createRig();
    const { env, arrivals } = await scriptedService((_, attempt) =>
      attempt > 1 ? created(String(attempt)) : { status: 429 },
    );
    const ship = 'ship -f - --key K -q';
    const stdin = JSON.stringify(SHIPMENT);
    const ran = await rig.run(ship, {
      ...{ stdin, env },
      onWait: async () => {
        await rig.later(2 * 60 * 60 * 1000);
        await rig.run(doing, { env });
      },
    });
    expect([ran.exitCode, arrivals.map(({ answered }) => answered)]).toEqual([7, [429]]);
    expect(ran.stderr).toMatch(
      /while this process waited, .* and it is not sent\. `waybill history show bk_/,
    );
    expect((await rig.run('history list -o text')).stdout).toContain('not_sent');
    expect((await rig.run(ship, { stdin, env })).stdout).toBe('S-2\n');
  },
);

/** Calls a service that books; waits take no time. */
async function bookingService(retries: number) {
  const server = await rawServer(script(CREATED));
  const waits: number[] = [];
  const host = {
    env: {},
    stderr: { isTerminal: false },
    interrupted: new AbortController().signal,
    now: Date.now,
    random: () => 1,
    sleep: async (ms: number) => void waits.push(ms),
    deadline: () => () => {},
  } as unknown as Host;
  const stored = { kind: 'token', token: 'secret-token' } as const;
  const service = new Service(host, {
    target: () => ({
      profile: {},
      from: 'environment',
      sandbox: false,
      base: server.url,
      credentials: { stored, header: 'authorization', scheme: 'Bearer' },
      tls: {},
      sources: { profile: 'test', address: 'test', credentials: 'test' },
    }),
    address: () => server.url.href,
    attempts: () => ({ retries, timeout: { read: 30_000, booking: 180_000 } }),
    cacert: undefined,
    strict: false,
    agent: 'waybill/test',
    startDemo: () => Promise.reject(new Error('no demo is asked for')),
    note: async () => {},
    warn: async () => {},
    watch: undefined,
    isVerbose: false,
  });
  onTestFinished(() => service.close());
  return { service, server, waits };
}

test('an attempt whose claim is not confirmed in the moment of sending writes no byte', async () => {
  const { service, server } = await bookingService(0);
  const exchange = await service.call(operation, { body: {}, fence: async () => () => false });
  expect(unanswered(exchange)).toMatchObject({ sent: false });
  await server.quiet();
  expect(server.requests).toEqual([]);
});

test('such an attempt asks again at once, and is tried again', async () => {
  const { service, server, waits } = await bookingService(3);
  let asked = 0;
  const fence = async () => {
    asked += 1;
    return () => asked === 3;
  };
  expect(await service.call(operation, { body: {}, fence })).toMatchObject({ status: 201 });
  expect([asked, waits.length, server.requests.length]).toEqual([3, 1, 1]);
});
