// Tokens that expire, are refused, or belong to another address.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { savedIn } from '../rig/profile.ts';
import { SHIPMENT } from '../rig/service.ts';
import { http } from '../rig/sockets.ts';
import { type GateOptions, gate, gated, tokenOf } from './credentials-rig.ts';
import { fault, runFaults } from './fault.ts';

/** Each record is a booking of its own. */
const orders = (count: number) =>
  Array.from({ length: count }, (_, at) => JSON.stringify({ ...SHIPMENT, key: `K-${at}` })).join('\n');

const batch = (options: GateOptions, count: number) => async () => {
  const { rig, service } = await gated(options);
  const file = rig.file('orders.jsonl', orders(count));
  const ran = await rig.run(['batch', 'ship', file, '--concurrency', '32']);
  return { ran, service, rig };
};

runFaults('tokens that end', [
  fault(
    'a token expires during a command: a new one is fetched, and the call is sent again',
    [4, '404'],
    async () => {
      const { rig, service } = await gated();
      await rig.run('track gone');
      service.revoke();
      const ran = await rig.run('track gone');
      expect(service.calls.map(call => call.split(' ').at(-1))).toEqual(['token-0', 'token-0', 'token-1']);
      expect(service.fetches.length).toBe(2);
      return ran;
    },
  ),
  fault(
    'every token is refused: it is renewed once, without a loop',
    [
      3,
      '401',
      /profile live \(a token from .*\) is not accepted; a new one was asked for, and none was accepted/,
    ],
    async () => {
      const { rig, service } = await gated({ takes: false });
      const ran = await rig.run('track gone --verbose');
      expect([service.fetches.length, service.calls.length]).toEqual([2, 2]);
      return ran;
    },
  ),
  fault(
    'a token expires during a booking and cannot be renewed: nothing is booked, and the key is free',
    [3, 'no token for profile live', 'answered 400'],
    async () => {
      let refuse = false;
      const { rig, service } = await gated({ give: () => (refuse ? http(400) : undefined) });
      const ship = ['ship', '-f', rig.file('order.json', SHIPMENT), '--key', 'ORDER-1'];
      await rig.run('track gone');
      service.revoke();
      refuse = true;
      const ran = await rig.run(ship);
      refuse = false;
      expect((await rig.run(ship)).exitCode).toBe(0);
      const booking = service.calls
        .filter(call => call.startsWith('POST'))
        .map(call => call.split(' ').at(-1));
      expect(booking).toEqual(['token-0', 'token-0', 'token-2']);
      return ran;
    },
  ),
  fault(
    'the token of a batch with 32 requests in flight expires: it is fetched once, and each record is booked once',
    [0],
    async () => {
      let revoked = false;
      const { ran, service } = await batch(
        {
          onCall(made, index) {
            if (index !== 40 || revoked) return;
            revoked = true;
            made.revoke();
          },
        },
        100,
      )();
      expect(JSON.stringify(ran.stdout)).toContain('100');
      expect(service.fetches.length).toBe(2);
      return ran;
    },
  ),
  fault('a batch starts without a token: 32 requests wait for one fetch', [0], async () => {
    const { ran, service } = await batch({}, 64)();
    expect([service.fetches.length, service.calls.length]).toEqual([1, 64]);
    return ran;
  }),
  fault(
    'a saved token expires: a new one is fetched a minute before, and not earlier',
    [4, '404'],
    async () => {
      const { rig, service } = await gated({ lifetime: 3600 });
      await rig.run('track gone');
      rig.clock.now += 58 * 60_000;
      await rig.run('track gone');
      expect(service.fetches.length).toBe(1);
      rig.clock.now += 60_000;
      const ran = await rig.run('track gone');
      expect(service.fetches.length).toBe(2);
      return ran;
    },
  ),
  fault(
    'the profile gets another address: the token of the old address is not sent there',
    [4, '404'],
    async () => {
      const { rig } = await gated();
      await rig.run('track gone');
      const other = await gate();
      await rig.run(['profile', 'set', 'live', `baseUrl=${other.address}`]);
      const ran = await rig.run('track gone');
      expect([other.fetches.length, other.calls.length]).toEqual([1, 1]);
      return ran;
    },
  ),
  fault('the sandbox is called after production: it gets its own token', [4, '404'], async () => {
    const { rig, service } = await gated();
    await rig.run(['profile', 'set', 'live', `sandboxBaseUrl=${service.address}/sandbox`]);
    await rig.run('track gone');
    const ran = await rig.run('track gone --sandbox');
    expect(service.fetches.map(request => request.split(' ')[1])).toEqual([
      '/oauth/token',
      '/sandbox/oauth/token',
    ]);
    expect(Object.values(savedIn(rig).profiles.live.credentials.kept)).toEqual([
      { token: tokenOf(0) },
      { token: tokenOf(1) },
    ]);
    return ran;
  }),
  fault(
    'the token cannot be saved for the next command: this command uses it',
    [4, 'the token could not be saved for the next command', '404'],
    async () => {
      const { rig } = await gated();
      const lock = join(rig.folder, 'config', 'config.lock');
      rmSync(lock);
      mkdirSync(lock);
      return rig.run('track gone');
    },
  ),
]);
