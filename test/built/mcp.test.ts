import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { connected, GENERATIONS, processOf } from '../rig/agent.ts';
import { builtCommand, commandsOf, createWorld, type World } from '../rig/process.ts';

const command = builtCommand();
const { waybill } = commandsOf(command);
const request = JSON.parse(readFileSync(resolve('fixtures/orders/shirt-no-carrier.json'), 'utf8'));
const [EARLIER] = GENERATIONS;

const agentIn = (world: World) => processOf(command(), [], world.env, world.folder);

const booked = ({ seen }: World) =>
  seen.filter(({ method, path }) => method === 'POST' && path.endsWith('/v1/shipments')).length;

const history = async (world: World) =>
  JSON.parse((await waybill(world, 'history list --json').ended).stdout) as { key: string; state: string }[];

describe.each(GENERATIONS)('an agent that speaks %s with the built command', generation => {
  test('books one of two calls with one key at once, and both show the same', async () => {
    const world = await createWorld({ latency: 200 });
    const { call, close } = await connected(agentIn(world), generation);
    const order = { key: 'A-1', request, carrier: 'EXP' };
    const both = await Promise.all([call('ship', order), call('ship', order)]);
    expect(new Set(both.map(({ result }) => result.shipmentIds[0])).size).toBe(1);
    expect(both.map(({ result }) => result.sent).sort()).toEqual([false, true]);
    await close();
    expect(booked(world)).toBe(1);
  });
});

const frames = [
  {
    id: 1,
    method: 'initialize',
    params: { protocolVersion: EARLIER, capabilities: {}, clientInfo: { name: 'agent', version: '1' } },
  },
  { method: 'notifications/initialized' },
  {
    id: 2,
    method: 'tools/call',
    params: { name: 'ship', arguments: { key: 'A-1', request, carrier: 'EXP' } },
  },
].map(frame => `${JSON.stringify({ jsonrpc: '2.0', ...frame })}\n`);

/** Resolves when the service has the request of a booking, whose answer is slow. */
async function sending(world: World): Promise<void> {
  while (booked(world) === 0) await new Promise(done => setTimeout(done, 5));
}

describe('a booking that is slow', () => {
  test.each([
    ['the end of input', 0],
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('is waited for, recorded and answered after %s', async (how, code) => {
    const world = await createWorld({ latency: 300 });
    const { child, ended } = waybill(world, 'mcp', { stdin: { open: true } });
    child.stdin.write(frames.join(''));
    await sending(world);
    if (how === 'the end of input') child.stdin.end();
    else child.kill(how);
    const { stdout, ...end } = await ended;
    expect(end.code).toBe(code);
    const last = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
    expect(last).toMatchObject({ id: 2, result: { structuredContent: { key: 'A-1', state: 'created' } } });
    expect(await history(world)).toMatchObject([{ key: 'A-1', state: 'created' }]);
  });

  test('is recorded when its call was cancelled, and the client is gone', async () => {
    const world = await createWorld({ latency: 300 });
    const { child, ended } = waybill(world, 'mcp', { stdin: { open: true } });
    child.stdin.write(frames.join(''));
    await sending(world);
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } };
    child.stdin.end(`${JSON.stringify(cancelled)}\n`);
    expect((await ended).code).toBe(0);
    expect(await history(world)).toMatchObject([{ key: 'A-1', state: 'created' }]);
  });
});

const lack = process.platform === 'linux' ? '' : ' (only Linux tells the memory of a process)';

test.skipIf(lack)(`a thousand calls more need no more memory${lack}`, async () => {
  const world = await createWorld();
  const transport = agentIn(world);
  const { call } = await connected(transport, EARLIER);
  const { example } = (await call('order_schema', { operation: 'quote' })).result;
  const order = { key: 'A-1', request, carrier: 'EXP' };
  const calls = async (count: number) => {
    for (let made = 0; made < count; made += 1) {
      await call('quote', { request: example });
      await call('ship', order);
      await call('history', { search: 'anna' });
      await call('track', { refs: ['A-1'] });
    }
  };
  const megabytes = () =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${transport.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  await calls(250);
  const before = megabytes();
  await calls(250);
  expect(megabytes() - before).toBeLessThan(30);
});
