// What a careless or hostile client does to the built command. The truth is what arrived at a service on a bare socket.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { connected, GENERATIONS, processOf } from '../rig/agent.ts';
import { builtCommand, commandsOf, createWorld } from '../rig/process.ts';
import { booked, carrierService } from '../rig/simulated-agent.ts';
import { event, type Reply } from '../rig/sockets.ts';
import { FULL } from '../torture/size.ts';

const command = builtCommand();
const { waybill } = commandsOf(command);
const request = JSON.parse(readFileSync(resolve('fixtures/orders/shirt-no-carrier.json'), 'utf8'));
const [EARLIER] = GENERATIONS;

interface Frame {
  id?: unknown;
  method?: string;
  // biome-ignore lint/suspicious/noExplicitAny: what comes is looked into, whatever it is.
  [field: string]: any;
}

/** The built command with a service, and frames written by hand. */
async function atService(book: Reply = booked, argv = 'mcp', capabilities: object = {}) {
  const world = await createWorld({ journalLost: true });
  const { raw, bodies } = await carrierService(book);
  const env = { WAYBILL_BASE_URL: raw.url.href };
  const { child, ended } = waybill(world, argv, { stdin: { open: true }, env });
  const came: Frame[] = [];
  let text = '';
  let look = () => {};
  child.stdout.on('data', (chunk: string) => {
    const lines = (text + chunk).split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) came.push(JSON.parse(line));
    look();
  });
  const until = (condition: () => boolean) =>
    new Promise<void>(done => {
      look = () => {
        if (condition()) done();
      };
      look();
    });
  const write = (...frames: (Frame | string)[]) => child.stdin.write(textOf(frames));
  write(initialize('hello', EARLIER, capabilities), { method: 'notifications/initialized' });
  return {
    raw,
    bodies,
    child,
    ended,
    came,
    write,
    answers: (id: unknown) => came.filter(frame => frame.id === id && frame.method === undefined),
    answered: (...ids: unknown[]) => until(() => ids.every(id => came.some(frame => frame.id === id))),
    /** Resolves when so many bookings have arrived. */
    async arrived(count: number) {
      while (bodies().length < count) await raw.received(raw.requests.length + 1);
    },
    asked: () => until(() => came.some(({ method }) => method === 'elicitation/create')),
    history: async (): Promise<{ key: string; state: string }[]> =>
      JSON.parse((await waybill(world, 'history list --json', { env }).ended).stdout),
  };
}

const textOf = (frames: readonly (Frame | string)[]) =>
  frames
    .map(frame => `${typeof frame === 'string' ? frame : JSON.stringify({ jsonrpc: '2.0', ...frame })}\n`)
    .join('');

const ship = (id: unknown, key = `A-${id}`, more: object = {}): Frame => ({
  id,
  method: 'tools/call',
  params: { name: 'ship', arguments: { key, request, carrier: 'EXP' }, ...more },
});

const initialize = (id: string, protocolVersion: string, capabilities: object = {}): Frame => ({
  id,
  method: 'initialize',
  params: { protocolVersion, capabilities, clientInfo: { name: 'agent', version: '1' } },
});

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

/** Books when it is allowed. */
function holding(): { reply: Reply; allow(): void } {
  const [allowed, allow] = event();
  return { reply: (socket, text, index) => void allowed.then(() => booked(socket, text, index)), allow };
}

describe('ten orders at once', () => {
  test('the end of the input while the price is asked for: nothing is booked', async () => {
    const agent = await atService(booked, 'mcp --concurrency 1');
    agent.child.stdin.end(textOf(numbers(10).map(id => ship(id))));
    expect((await agent.ended).code).toBe(0);
    expect(agent.bodies()).toEqual([]);
    expect(await agent.history()).toEqual([]);
  });
});

describe('ids', () => {
  test('that are in use are refused without an answer that the first request could take for its own', async () => {
    const { reply, allow } = holding();
    const agent = await atService(reply);
    agent.write(ship(1, 'A-1'));
    await agent.arrived(1);
    agent.write(ship(1, 'A-2'));
    await agent.answered(null);
    allow();
    await agent.answered(1);
    agent.child.stdin.end();
    await agent.ended;
    expect(agent.answers(1).map(({ result }) => result.structuredContent.key)).toEqual(['A-1']);
    expect(agent.answers(null)[0]?.error.message).toContain('the id 1 ');
    expect(agent.bodies()).toHaveLength(1);
  });
});

test('calls that are taken back at any moment are booked and recorded, or not at all', async () => {
  const agent = await atService(booked, 'mcp --concurrency 8');
  await agent.answered('hello');
  for (const id of numbers(40)) {
    agent.write(ship(id));
    if (id % 3 === 0) await new Promise(done => setTimeout(done, id % 7));
    if (id % 2 === 0) agent.write({ method: 'notifications/cancelled', params: { requestId: id } });
    // Again, of another one, and of none.
    if (id % 10 === 0) agent.write({ method: 'notifications/cancelled', params: { requestId: id } });
    if (id % 7 === 0) agent.write({ method: 'notifications/cancelled', params: { requestId: `${id}` } });
    if (id % 11 === 0) agent.write({ method: 'notifications/cancelled', params: {} });
  }
  await agent.answered(...numbers(40).filter(id => id % 2 === 1));
  agent.child.stdin.end();
  expect((await agent.ended).code).toBe(0);
  const created = (await agent.history()).filter(({ state }) => state === 'created');
  expect(created).toHaveLength(agent.bodies().length);
  expect(new Set(created.map(({ key }) => key)).size).toBe(created.length);
  const odd = numbers(40).filter(id => id % 2 === 1);
  expect(created.map(({ key }) => key)).toEqual(expect.arrayContaining(odd.map(id => `A-${id}`)));
});

describe('a person who is asked', () => {
  test('has not said yes by answers to other questions, or by an answer that is none', async () => {
    const agent = await atService(booked, 'mcp', { elicitation: {} });
    agent.write(ship(1));
    await agent.asked();
    const question = agent.came.find(({ method }) => method === 'elicitation/create');
    expect(question?.params.message).toMatch(/^Book this\? .*; order "A-1" to/);
    const yes = { action: 'accept', content: {} };
    agent.write(
      { id: 'no such question', result: yes },
      { id: 99, result: yes },
      { id: null, result: yes },
      { id: question?.id, result: { action: 'perhaps' } },
      { id: question?.id, result: yes },
    );
    await agent.answered(1);
    expect(agent.answers(1)[0]?.result).toMatchObject({ isError: true });
    agent.child.stdin.end();
    expect((await agent.ended).code).toBe(0);
    expect(agent.bodies()).toEqual([]);
  });
});

describe('frames', () => {
  const UNKNOWN_VERSIONS = ['1999-01-01', '2099-01-01', '', 'x'.repeat(10_000)];

  test('of 11 MB, of another version, too deep, or of nothing known are refused, and the next call is answered', async () => {
    const agent = await atService();
    await agent.answered('hello');
    agent.write(
      JSON.stringify({ jsonrpc: '2.0', ...ship(1), padding: 'x'.repeat(11_000_000) }),
      `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":${'['.repeat(1_000_000)}`,
      '\u0000\u0001',
      'null',
      '[]',
      { id: 3, method: 'no/such/method' },
      { id: { a: 1 }, method: 'tools/list' },
      { id: 4, method: 'tools/call', params: { name: '__proto__', arguments: {} } },
      { id: 5, method: 'tools/call', params: 'ship' },
      ...UNKNOWN_VERSIONS.map(version => initialize(`version ${version}`, version)),
      {
        id: 7,
        method: 'tools/call',
        params: {
          ...ship(7).params,
          _meta: { 'io.modelcontextprotocol/protocolVersion': '2099-01-01' },
        },
      },
      { id: 'last', method: 'tools/call', params: { name: 'order_schema', arguments: {} } },
    );
    await agent.answered('last');
    expect(agent.answers('last')[0]?.result.isError).toBeFalsy();
    expect(agent.answers(null).length).toBeGreaterThanOrEqual(5);
    for (const id of [3, 4, 5]) expect(agent.answers(id)[0], String(id)).toHaveProperty('error');
    expect(agent.answers(1)).toEqual([]);
    for (const version of UNKNOWN_VERSIONS)
      expect(agent.answers(`version ${version}`)[0]?.result.protocolVersion).toBe(EARLIER);
    agent.child.stdin.end();
    expect((await agent.ended).code).toBe(0);
    expect(
      agent.came.filter(({ error }) => /internal|stack|\bat \w+ \(/i.test(error?.message ?? '')),
    ).toEqual([]);
  });
});

/** Of four calls each. */
const ROUNDS = FULL ? 250 : 100;
const lack = process.platform === 'linux' ? '' : ' (only Linux tells the memory of a process)';

test.skipIf(lack)(`${4 * ROUNDS} calls more need no more memory${lack}`, async () => {
  const world = await createWorld();
  const transport = processOf(command(), [], world.env, world.folder);
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
  await calls(ROUNDS);
  const before = megabytes();
  await calls(ROUNDS);
  expect(megabytes() - before).toBeLessThan(30);
});
