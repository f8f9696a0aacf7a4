// `waybill mcp` beside its promises: each generation of clients, races with a person, calls in line, and what is told of a failure.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { Journal } from '../../src/journal/journal.ts';
import { commandOf, connected, GENERATIONS, type Generation } from '../rig/agent.ts';
import { createRig, type Ran } from '../rig/command.ts';
import { asProduction } from '../rig/production.ts';
import { BARE } from '../rig/profile.ts';
import { bookAs, booked as carrierBooks, carrierService } from '../rig/simulated-agent.ts';
import { event, http, type Reply } from '../rig/sockets.ts';

const request = JSON.parse(readFileSync('fixtures/orders/shirt-no-carrier.json', 'utf8'));
const ORDER = { key: 'A-1', request, carrier: 'EXP' };
const eva = { ...request, receiver: { ...request.receiver, firstName: 'Eva' } };
const [EARLIER, LATER, FIRST] = GENERATIONS;

const QUOTE = {
  originCountry: 'TR',
  destinationCountry: 'DE',
  postalCode: '01067',
  packages: request.packages,
};

const booked = ({ requests }: Pick<Ran, 'requests'>) =>
  requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/v1/shipments')).length;

interface Row {
  key: string;
  state: string;
}

/** An agent whose service is a bare socket. */
async function atService(
  generation: Generation,
  book: Reply,
  { argv = 'mcp', ...person }: { argv?: string } & Parameters<typeof connected>[2] = {},
) {
  const rig = await createRig({ journalLost: true });
  const { raw, bodies } = await carrierService(book);
  const env = { WAYBILL_BASE_URL: raw.url.href };
  const agent = await connected(commandOf(rig, argv, { env }).transport, generation, person);
  return { rig, raw, bodies, env, history: () => rig.json('history list', { env }), ...agent };
}

/** Calls `act` after each look at what prevents an order, before the look is answered. */
function afterEachLook(act: () => Promise<void>) {
  const { obstacle } = Journal.prototype;
  return vi.spyOn(Journal.prototype, 'obstacle').mockImplementation(async function (this: Journal, intent) {
    const obstacles = await obstacle.call(this, intent);
    await act();
    return obstacles;
  });
}

describe.each(GENERATIONS)('an agent that speaks %s', generation => {
  test('plans, books, labels and looks back, and reads the bytes of its label', async () => {
    const rig = await createRig();
    const { transport, ended } = commandOf(rig, 'mcp --download labels');
    const { call, read, close } = await connected(transport, generation);
    const plan = { ...ORDER, carrier: 'fastest', maxPrice: '60EUR' };
    const { hash, price, carrier } = (await call('plan', plan)).result;
    expect(carrier).toBe('EXP');
    for (const ref of [hash, 'A-1'])
      expect((await call('history', { ref })).result).toMatchObject({
        orders: [],
        plan: { hash, key: 'A-1', state: 'new', booking: null },
      });
    const { result, told, writtenByOthers, links } = await call('ship', { plan: hash, label: true });
    const path = join(rig.folder, 'labels/A-1.pdf');
    expect(result).toMatchObject({ key: 'A-1', state: 'created', sent: true, price, labelFiles: [path] });
    expect([told, writtenByOthers, links.length]).toEqual([['label of A-1: [1]'], [path], 1]);
    for (const ref of [hash, 'A-1'])
      expect((await call('history', { ref })).result).toMatchObject({
        orders: [{ id: result.id, key: 'A-1', state: 'created', trackingNumbers: result.trackingNumbers }],
        plan: { hash, state: 'booked', booking: result.id },
      });
    expect((await call('plan', plan)).result.sent).toBe(false);
    const [link = ''] = links;
    const bytes = readFileSync(path);
    expect(await read(link)).toEqual({ type: 'application/pdf', bytes });
    rmSync(path);
    const labelled = await call('label', { refs: ['A-1'] });
    expect([labelled.result.sent, labelled.links]).toEqual([false, links]);
    expect(await read(link)).toEqual({ type: 'application/pdf', bytes });
    for (const gone of ['waybill://label/bk_none/international', link.replace(/[^/]+$/, 'domestic')])
      await expect(read(gone)).rejects.toThrow(/no label/);
    await close();
    expect(booked(await ended)).toBe(1);
  });

  test('mends an order that the service refuses, and books it with the same key', async () => {
    const agent = await atService(generation, (socket, text, index) =>
      text.includes('anna@beispiel')
        ? socket.write(http(422, JSON.stringify({ message: 'receiver.email is no address' })))
        : carrierBooks(socket, text, index),
    );
    const wrong = { ...request, receiver: { ...request.receiver, email: 'anna@beispiel' } };
    const told = await bookAs(agent, { key: 'A-1', request: wrong, mended: request });
    expect(told).toMatchObject({ calls: 7, wrongTurns: 0, report: expect.stringContaining('booked as S-2') });
    const states = (await agent.history()).map(({ key, state }: Row) => `${key} ${state}`);
    expect(states).toEqual(['A-1 created', 'A-1 rejected']);
  });

  test('sees that nobody knows what became of an order, tells a person, and books nothing else', async () => {
    const agent = await atService(generation, socket => socket.destroy());
    const told = await bookAs(agent, { key: 'A-1', request });
    expect(told).toMatchObject({ calls: 4, wrongTurns: 0 });
    expect(told.report).toMatch(/no conclusive answer came: .*It may exist and cost money/);
    const { error } = (await agent.call('ship', { ...ORDER, carrier: 'fastest', maxPrice: '200USD' })).result;
    expect(error).toMatchObject({ code: 'outcome_unknown', created: null, retry: 'never', next: [] });
    expect(error.calls).toEqual([{ tool: 'history', arguments: { ref: error.booking } }]);
    // A new name for the order would book it a second time.
    for (const tool of ['plan', 'ship']) {
      const renamed = await agent.call(tool, { key: 'A-1 again', request, carrier: 'fastest' });
      expect(renamed.result.error).toMatchObject({ code: 'duplicate', retry: 'never' });
      expect(renamed.result.error.message).toMatch(/"A-1".*, unknown\).*tell a person/);
    }
    expect(agent.bodies()).toHaveLength(1);
  });

  test('books nothing that nobody was asked about, though a person frees its key at that moment', async () => {
    const agent = await atService(generation, socket => socket.destroy(), { says: 'accept' });
    const { rig, call, asked, bodies, env } = agent;
    await call('ship', ORDER);
    rig.clock.now += 60 * 60 * 1000;
    let looks = 0;
    const spy = afterEachLook(async () => {
      looks += 1;
      // Once it was looked up for a plan, which is not made of what is booked.
      if (looks === 2) await rig.run('history resolve A-1 --not-created --reason gone', { env });
    });
    const freed = await call('ship', ORDER);
    spy.mockRestore();
    expect(freed.result.error).toMatchObject({ code: 'usage', retry: 'same' });
    expect([asked.length, bodies().length]).toEqual([1, 1]);
    await call('ship', ORDER);
    expect([asked.length, bodies().length]).toEqual([2, 2]);
  });

  test('books nothing after a no, though its key is taken until then and freed at that moment', async () => {
    let isAnswered = false;
    const agent = await atService(generation, socket => socket.destroy(), {
      says: 'decline',
      async whenAsked() {
        rig.file('order.json', request);
        expect((await rig.run('ship -f order.json --key A-1 --carrier EXP', { env })).exitCode).toBe(8);
        rig.clock.now += 60 * 60 * 1000;
        isAnswered = true;
      },
    });
    const { rig, env } = agent;
    let looks = 0;
    const spy = afterEachLook(async () => {
      if (!isAnswered) return;
      looks += 1;
      if (looks === 1) await rig.run('history resolve A-1 --not-created --reason gone', { env });
    });
    const refused = await agent.call('ship', ORDER);
    spy.mockRestore();
    expect(refused.result.error).toMatchObject({ code: 'interrupted', created: false, retry: 'never' });
    expect([agent.asked.length, looks, agent.bodies().length]).toEqual([1, 2, 1]);
  });

  test('has as many calls under way as --concurrency says, and those in line send nothing when they are taken back or time out', async () => {
    const [allowed, allow] = event();
    const holding: Reply = (socket, text, index) =>
      void allowed.then(() => carrierBooks(socket, text, index));
    const agent = await atService(generation, holding, { argv: 'mcp --concurrency 2' });
    const stop = new AbortController();
    const order = (number: number) => ({ ...ORDER, key: `A-${number}` });
    const first = [1, 2].map(number => agent.call('ship', order(number)));
    await agent.raw.received(4);
    const takenBack = [3, 4].map(number => agent.call('ship', order(number), { signal: stop.signal }));
    const timedOut = [5, 6].map(number => agent.call('ship', order(number), { timeout: 30 }));
    const ends = Promise.allSettled([...takenBack, ...timedOut]);
    const last = agent.call('ship', order(7));
    // What only reads does not wait for bookings.
    expect((await agent.call('quote', { request: QUOTE })).isError).toBe(false);
    stop.abort();
    expect((await ends).map(({ status }) => status)).toEqual(Array(4).fill('rejected'));
    allow();
    const answers = await Promise.all([...first, last]);
    expect(answers.map(({ isError }) => isError)).toEqual([false, false, false]);
    await agent.close();
    expect(agent.bodies()).toHaveLength(3);
    expect((await agent.history()).map(({ key }: Row) => key).sort()).toEqual(['A-1', 'A-2', 'A-7']);
  });
});

test('A person who is asked may book under another key what nobody knows of', async () => {
  const agent = await atService(LATER, socket => socket.destroy(), { says: 'accept' });
  for (const key of ['A-1', 'B-1']) await agent.call('ship', { ...ORDER, key });
  expect(agent.asked).toEqual([
    expect.stringMatching(/^Book this\? .*order "A-1"/),
    expect.stringMatching(/^Book this once more\? .*"A-1"/),
  ]);
  expect(agent.bodies()).toHaveLength(2);
});

test('A credential that could not be read is read again in the next call, once a person has mended it', async () => {
  const rig = await createRig();
  const token = join(rig.folder, 'token');
  const env = { WAYBILL_TOKEN: '', WAYBILL_TOKEN_FILE: token };
  const { call } = await connected(commandOf(rig, 'mcp', { env }).transport, LATER);
  const missing = await call('quote', { request: QUOTE });
  expect(missing.result.error).toMatchObject({ code: 'unauthorized' });
  writeFileSync(token, 'demo');
  expect((await call('quote', { request: QUOTE })).isError).toBe(false);
});

describe('The tools', () => {
  const agent = async (argv = 'mcp') => connected(commandOf(await createRig(), argv).transport, LATER);

  test('cost at most 2,800 tokens of four bytes', async () => {
    const { tools } = await connected(commandOf(await createRig()).transport, FIRST);
    expect(Buffer.byteLength(JSON.stringify({ tools })) / 4).toBeLessThan(2800);
  });

  test('read a label without --download from the service, and record the actor that a person named', async () => {
    const { call, read } = await agent('mcp --actor Berta');
    const { links, result } = await call('ship', { ...ORDER, label: true });
    expect(result.actor).toBe('Berta');
    const [link = ''] = links;
    const { bytes } = await read(link);
    expect(bytes.subarray(0, 5).toString()).toBe('%PDF-');
  });

  test('refuse arguments as any other input: all at once, with what is allowed', async () => {
    const { call } = await agent();
    const { error } = (await call('ship', { key: 5, request, max_price: '10EUR', ok: 1 })).result;
    expect(error).toMatchObject({
      ...{ code: 'usage', exitCode: 2, created: false, retry: 'after-change' },
      issues: [
        { path: 'key', message: expect.stringContaining('expected string') },
        { path: 'max_price', suggestion: 'maxPrice' },
        { path: 'ok', message: expect.stringMatching(/takes key, request, carrier, .*plan, label$/) },
      ],
    });
  });

  test('name the tool that makes what is missing', async () => {
    const rig = await createRig({ faults: [{ kind: 'label-international', probability: 1 }] });
    const { call } = await connected(commandOf(rig).transport, LATER);
    const { error, bookings } = (await call('ship', { ...ORDER, label: true })).result;
    const [id] = bookings[0].shipmentIds;
    expect(error).toMatchObject({ code: 'partial', created: true });
    expect(error.calls).toEqual([{ tool: 'label', arguments: { refs: [id] } }]);
    expect(error.message).toContain(`Make it: label {"refs":["${id}"]}`);
  });

  test('tell of what is booked: the call that shows it, what is booked beside a failure, and warnings of that call alone', async () => {
    const { call } = await agent();
    const { id } = (await call('ship', ORDER)).result;
    const { error } = (await call('ship', { ...ORDER, request: eva })).result;
    expect(error).toMatchObject({ code: 'duplicate', created: false });
    expect(error.message).toContain(`history {"ref":"${id}"}`);
    expect((await call('label', { refs: ['A-1', 'gone'] })).result).toMatchObject({
      error: { code: 'partial', created: true, issues: [{ path: 'gone' }] },
      bookings: [{ operation: 'label', state: 'created' }],
    });
    const sender = { ...request.sender, email: 'desk@example.com' };
    const twin = { ...ORDER, key: 'A-2', request: { ...request, sender } };
    // A plan that fails would book nothing.
    const failed = await call('plan', { ...twin, maxPrice: '1EUR' });
    expect([failed.isError, failed.told]).toEqual([true, []]);
    const second = { plan: 'would be', ship: 'is' };
    for (const [tool, words] of Object.entries(second))
      expect((await call(tool, twin)).told).toEqual([
        expect.stringMatching(new RegExp(`^the same .*A-1.* This ${words} a second parcel`)),
      ]);
    expect((await call('history', { ref: 'A-1' })).told).toEqual([]);
  });

  test('hold the bounds of the profile, and make the label that it asks for', async () => {
    const rig = await createRig();
    const add = `profile add shop --base-url ${rig.address} --token-stdin`;
    await rig.run(add, { stdin: 'demo', env: BARE });
    await rig.run('profile set shop maxPrice=1EUR label=yes', { env: BARE });
    const { transport } = commandOf(rig, 'mcp --profile shop', { env: BARE });
    const { call } = await connected(transport, LATER);
    const dear = await call('ship', ORDER);
    expect(dear.result.error).toMatchObject({ code: 'not_found', created: false });
    const { result } = await call('ship', { ...ORDER, maxPrice: '900EUR' });
    expect(result).toMatchObject({ state: 'created', trackingNumbers: [expect.any(String)] });
  });

  test('follow the rules of the profile: the carrier and the label of one, and what one holds', async () => {
    const rig = await createRig();
    const add = `profile add shop --base-url ${rig.address} --token-stdin`;
    await rig.run(add, { stdin: 'demo', env: BARE });
    rig.file('rules.json', '[{"name":"EU","if":{"to":["EU"]},"then":{"carrier":"EXP","label":true}}]');
    await rig.run('profile set shop rules=rules.json', { env: BARE });
    const { transport } = commandOf(rig, 'mcp --profile shop', { env: BARE });
    const { call } = await connected(transport, LATER);
    const { result } = await call('ship', { key: 'A-1', request });
    expect(result).toMatchObject({ carrier: 'EXP', trackingNumbers: [expect.any(String)] });
    expect(result.choice).toMatchObject({ rule: 'EU', proposals: [{ carrier: 'EXP', why: null }, {}] });

    rig.file('rules.json', '[{"name":"Look","then":{"hold":"a new customer"}}]');
    const held = await call('ship', { key: 'A-2', request, carrier: 'EXP' });
    expect(held.result.error).toMatchObject({ code: 'held', created: false });
    expect(held.result.error.message).not.toContain('release it with');
    expect((await call('ship', { key: 'A-1', request })).result).toMatchObject({
      state: 'created',
      sent: false,
    });
  });
});

test('An agent books no more in production from when a person sets policy.production=terminal, though the server runs', async () => {
  const rig = await createRig();
  const { WAYBILL_BASE_URL, ...env } = await asProduction(rig);
  await rig.run(`profile add live --base-url ${WAYBILL_BASE_URL} --token-stdin`, {
    stdin: 'demo',
    env: BARE,
  });
  const set = (settings: string) => rig.run(`profile set live ${settings}`, { env: BARE });
  await set('policy.maxPrice=500EUR policy.maxPerDay=900EUR');
  const argv = 'mcp --production --profile live';
  const { transport, ended } = commandOf(rig, argv, { env: { ...BARE, ...env } });
  const { call, close } = await connected(transport, LATER);
  expect((await call('ship', ORDER)).result).toMatchObject({ sent: true, state: 'created' });
  const { hash } = (await call('plan', { ...ORDER, key: 'B-1' })).result;
  await set('policy.production=terminal');
  for (const args of [{ plan: hash }, { ...ORDER, key: 'C-1' }]) {
    const { error } = (await call('ship', args)).result;
    expect(error).toMatchObject({ code: 'usage', created: false, retry: 'never' });
    expect(error.message).toContain('policy.production=terminal');
  }
  expect((await call('label', { refs: ['A-1'] })).result.error).toMatchObject({ code: 'usage' });
  // What is booked is shown.
  expect((await call('ship', ORDER)).result).toMatchObject({ sent: false, state: 'created' });
  await close();
  expect(booked(await ended)).toBe(1);
});

describe('frames', () => {
  const frames = (...all: unknown[]) =>
    all.map(frame => `${typeof frame === 'string' ? frame : JSON.stringify(frame)}\n`).join('');
  const params = { protocolVersion: EARLIER, capabilities: {}, clientInfo: { name: 'agent', version: '1' } };
  const hello = { jsonrpc: '2.0', id: 1, method: 'initialize', params };
  const ready = { jsonrpc: '2.0', method: 'notifications/initialized' };
  const calling = (id: unknown, name: string, args: object) => ({
    ...{ jsonrpc: '2.0', id, method: 'tools/call' },
    params: { name, arguments: args },
  });

  test('that are broken get an error, and the next one its answer, also when the input has ended by then', async () => {
    const { run } = await createRig();
    const broken = ['{"jsonrpc":"2.0",', '', '[]', { id: 7, method: 5 }];
    const stdin = frames(...broken, hello, ready, calling('last', 'order_schema', {})).trimEnd();
    const ran = await run('mcp', { stdin });
    const lines = ran.stdout.trim().split('\n');
    const answers = lines.map(line => JSON.parse(line));
    expect(ran.exitCode).toBe(0);
    expect(answers.map(({ id, error }) => [id, error?.code])).toEqual([
      [null, -32700],
      [null, -32600],
      [7, -32600],
      [1, undefined],
      ['last', undefined],
    ]);
    expect(answers.at(-1).result.structuredContent.operation).toBe('ship');
  });

  test('end while a person is asked: nothing is booked', async () => {
    const rig = await createRig();
    const asking = { ...hello, params: { ...params, capabilities: { elicitation: {} } } };
    const ran = await rig.run('mcp', { stdin: frames(asking, ready, calling(2, 'ship', ORDER)) });
    expect([ran.exitCode, booked(ran)]).toEqual([0, 0]);
    expect(ran.stdout).toContain('"isError":true');
    expect(await rig.json('history list')).toEqual([]);
  });
});
