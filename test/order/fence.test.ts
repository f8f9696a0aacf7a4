// A process that waits, or whose request is in flight, while another one settles its booking: what it sends, and what it says.
import { expect, onTestFinished, test } from 'vitest';
import { OPERATIONS } from '../../src/contract/operations.ts';
import type { Host } from '../../src/host.ts';
import { Service } from '../../src/service/service.ts';
import { created, scriptedService } from '../rig/batch.ts';
import { unanswered } from '../rig/client.ts';
import { createRig, type Ran } from '../rig/command.ts';
import { SHIPMENT } from '../rig/service.ts';
import { http, rawServer, script } from '../rig/sockets.ts';

const operation = OPERATIONS.createShipment;
const CREATED = http(201, '{"id":"S-9"}');
const stdin = JSON.stringify(SHIPMENT);
const SHIP = 'ship -f - --key K -q';
const NOT_CREATED = 'history resolve K --not-created --force --reason gone';

/** While it waits for a second attempt, or for its answer, a booking counts as lost for another process, which does that. */
async function shipLosing(moment: 'waiting' | 'in flight', ...doing: string[]) {
  const rig = await createRig();
  const others: Ran[] = [];
  const lose = async () => {
    if (others.length > 0) return;
    rig.clock.now += 2 * 60 * 60 * 1000;
    for (const line of doing) others.push(await rig.run(line, { stdin, env }));
  };
  const { env, arrivals } = await scriptedService(async (_, attempt) => {
    if (attempt > 1) return created(String(attempt));
    if (moment === 'waiting') return { status: 429 };
    await lose();
    return created('1');
  });
  const ran = await rig.run(SHIP, { stdin, env, onWait: lose });
  const again = () => rig.run(SHIP, { stdin, env });
  return { rig, ran, again, arrived: () => arrivals.map(({ answered }) => answered).sort() };
}

test('a booking that was settled and booked again during a wait is not sent: the other one is the answer', async () => {
  const { ran, arrived } = await shipLosing('waiting', NOT_CREATED, SHIP);
  expect([ran.exitCode, ran.stdout, arrived()]).toEqual([0, 'S-2\n', [201, 429]]);
});

test('a booking that was settled as created during a wait is not sent: the settlement is the answer', async () => {
  const { ran, arrived } = await shipLosing('waiting', 'history resolve K --created S-7 --unchecked');
  expect([ran.exitCode, ran.stdout, arrived()]).toEqual([0, 'S-7\n', [429]]);
});

test.each([NOT_CREATED, 'history list'])(
  'a booking that was lost during a wait and not booked again (%s) is not sent, and frees its key',
  async doing => {
    const { rig, ran, again, arrived } = await shipLosing('waiting', doing);
    expect([ran.exitCode, arrived()]).toEqual([7, [429]]);
    expect(ran.stderr).toMatch(
      /^error: ship: while this process waited, .* and it is not sent\. `waybill history show bk_/m,
    );
    expect((await rig.run('history list -o text')).stdout).toContain('not_sent');
    expect((await again()).stdout).toBe('S-2\n');
  },
);

test('an answer that comes after its booking was settled and booked again is exit 8, and both ids are told', async () => {
  const { ran, again } = await shipLosing('in flight', NOT_CREATED, SHIP);
  expect(ran.exitCode).toBe(8);
  expect(ran.stderr).toMatch(/booked twice/);
  expect(ran.stderr).toMatch(/again as bk_\w+, which is S-2.*created as S-1.*resolve bk_\w+ --created S-1/s);
  expect((await again()).stdout).toBe('S-2\n');
});

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
