import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandOf, connected, GENERATIONS } from '../rig/agent.ts';
import { createRig, type Ran } from '../rig/command.ts';
import { production } from '../rig/production.ts';
import { BARE } from '../rig/profile.ts';

const request = JSON.parse(readFileSync('fixtures/orders/shirt-no-carrier.json', 'utf8'));
const [EARLIER, LATER] = GENERATIONS;

const booked = ({ requests }: Pick<Ran, 'requests'>) =>
  requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/v1/shipments')).length;

describe.each(GENERATIONS)('an agent that speaks %s', generation => {
  test('quotes, plans, books, labels, tracks and looks back', async () => {
    const rig = await createRig();
    const { transport, ended } = commandOf(rig, 'mcp --download labels');
    const { call, close } = await connected(transport, generation);
    const { example } = (await call('order_schema', { operation: 'quote' })).result;
    const quoted = await call('quote', { request: example });
    expect(quoted.result.proposals.map(({ id }: { id: string }) => id)).toEqual(['ECO', 'EXP']);
    const planned = await call('plan', { key: 'A-1', request, carrier: 'fastest', maxPrice: '60EUR' });
    expect(planned.result).toMatchObject({ plan: 1, key: 'A-1', carrier: 'EXP', currency: 'EUR' });
    const shipped = await call('ship', { plan: planned.result.hash, label: true });
    expect(shipped.result).toMatchObject({
      key: 'A-1',
      state: 'created',
      sent: true,
      price: planned.result.price,
      shipmentIds: [expect.any(String)],
      trackingNumbers: [expect.any(String)],
      labelFiles: [join(rig.folder, 'labels/A-1.pdf')],
    });
    expect(shipped.told).toEqual([`label of A-1: ${join(rig.folder, 'labels/A-1.pdf')}`]);
    const labelled = await call('label', { refs: ['A-1'] });
    expect(labelled.result).toMatchObject({ operation: 'label', sent: false });
    const [shipment] = (await call('track', { refs: ['A-1', 'gone'] })).result.shipments;
    expect(shipment.id).toBe(shipped.result.shipmentIds[0]);
    const { orders } = (await call('history', { search: 'anna', since: '1d', state: 'created' })).result;
    expect(orders).toMatchObject([{ key: 'A-1', trackingNumbers: shipped.result.trackingNumbers }]);
    expect(orders[0]).not.toHaveProperty('receiver');
    const [shown] = (await call('history', { ref: 'A-1', receivers: true })).result.orders;
    expect(shown.receiver).toMatchObject({ country: 'DE' });
    await close();
    const ran = await ended;
    expect([ran.exitCode, booked(ran)]).toEqual([0, 1]);
  });

  test('books nothing when a person says no, or closes the question', async () => {
    const rig = await createRig();
    for (const says of ['decline', 'cancel'] as const) {
      const { transport, ended } = commandOf(rig);
      const { call, close, asked } = await connected(transport, generation, { says });
      const refused = await call('ship', { key: 'A-1', request, carrier: 'EXP', label: true });
      expect(refused).toMatchObject({
        isError: true,
        result: { error: { code: 'interrupted', created: false, retry: 'never' } },
      });
      expect(asked).toEqual([
        expect.stringMatching(
          /^Book A-1\? EXP to Anna Beispiel \(Dresden, DE\); [\d.]+ EUR; at most 3 days; with a label \(/,
        ),
      ]);
      await close();
      expect(booked(await ended)).toBe(0);
    }
    expect(await rig.json('history list')).toEqual([]);
  });

  test('tells the person who is asked that the same was booked under another key', async () => {
    const rig = await createRig();
    rig.file('order.json', request);
    expect((await rig.run('ship -f order.json --key A-1 --carrier EXP -q')).exitCode).toBe(0);
    const { transport, ended } = commandOf(rig);
    const { call, close, asked } = await connected(transport, generation, { says: 'decline' });
    await call('ship', { key: 'B-1', request, carrier: 'EXP' });
    expect(asked).toEqual([
      expect.stringMatching(
        /^Careful: an order with the same receiver, goods and parcels was booked at .* with the key "A-1" .*\. Book B-1\? /,
      ),
    ]);
    await close();
    expect(booked(await ended)).toBe(0);
  });

  test('books nothing by a call that it takes back before the booking', async () => {
    const rig = await createRig({ latency: 200 });
    const { transport, ended } = commandOf(rig);
    const { call, close } = await connected(transport, generation);
    const stop = new AbortController();
    const order = { key: 'A-1', request, carrier: 'EXP' };
    const calling = call('ship', order, { signal: stop.signal });
    // While the service is asked for the price.
    setTimeout(() => stop.abort(), 50);
    await expect(calling).rejects.toThrow();
    await close();
    expect(booked(await ended)).toBe(0);
    expect(await rig.json('history list')).toEqual([]);
  });

  test('books what a person confirmed, and asks once: the recorded answer needs no yes', async () => {
    const rig = await createRig();
    const { transport, ended } = commandOf(rig);
    const { call, close, asked } = await connected(transport, generation, { says: 'accept' });
    const { hash } = (await call('plan', { key: 'A-1', request, carrier: 'EXP' })).result;
    expect((await call('ship', { plan: hash })).result).toMatchObject({ sent: true, state: 'created' });
    expect((await call('ship', { plan: hash })).result).toMatchObject({ sent: false, state: 'created' });
    expect((await call('ship', { key: 'A-1', request, carrier: 'EXP' })).result.sent).toBe(false);
    expect((await call('plan', { key: 'A-1', request, carrier: 'EXP' })).result.sent).toBe(false);
    expect(asked).toHaveLength(1);
    await close();
    expect(booked(await ended)).toBe(1);
  });

  test('is told an error of the protocol for an unknown tool, and of the tool for wrong arguments', async () => {
    const { transport, ended } = commandOf(await createRig());
    const { call, close } = await connected(transport, generation);
    await expect(call('resolve', {})).rejects.toMatchObject({ code: -32602 });
    for (const [tool, args] of [
      ['ship', { key: 5, request }],
      ['ship', { key: '', request }],
      ['plan', { request }],
      ['label', { refs: [] }],
      ['history', { state: 'lost' }],
      // A bound under another name must not be lost.
      ['ship', { key: 'A-1', request, carrier: 'EXP', max_price: '10EUR' }],
      ['plan', { key: 'A-1', request, carrier: 'EXP', allowDuplicate: true }],
    ] as const)
      expect((await call(tool, args)).isError, tool).toBe(true);
    expect((await call('order_schema')).isError).toBe(false);
    await close();
    expect(await ended).toMatchObject({ exitCode: 0, requests: [] });
  });
});

describe('the tools', () => {
  test('say which of them read, and which may be called again', async () => {
    const { transport } = commandOf(await createRig());
    const { tools } = await connected(transport, LATER);
    const books = ['ship', 'label'];
    expect(tools.map(({ name }) => name)).toEqual([
      'quote',
      'order_schema',
      'plan',
      'ship',
      'label',
      'track',
      'history',
    ]);
    for (const { name, annotations, inputSchema, outputSchema } of tools) {
      const isBooking = books.includes(name);
      expect(annotations, name).toMatchObject({
        readOnlyHint: !isBooking,
        ...(isBooking && { idempotentHint: true }),
      });
      expect([inputSchema.type, outputSchema?.type], name).toEqual(['object', 'object']);
    }
  });

  test('give a failure as the JSON error of the command, and what is wrong with a request all at once', async () => {
    const { transport } = commandOf(await createRig());
    const { call } = await connected(transport, LATER);
    const failed = async (tool: string, args: object) => {
      const { isError, result } = await call(tool, args);
      expect(isError).toBe(true);
      return result.error;
    };
    const invalid = await failed('ship', { key: 'A-1', request: { ...request, items: [], type: 'crate' } });
    expect(invalid).toMatchObject({ code: 'invalid_request', exitCode: 2, created: false });
    expect(invalid.issues.map(({ path }: { path: string }) => path)).toEqual(['type', 'items', 'carrier.id']);
    expect(await failed('ship', {})).toMatchObject({ code: 'usage' });
    expect(await failed('ship', { plan: 'x', key: 'A-1' })).toMatchObject({ code: 'usage' });
    expect((await failed('ship', { plan: 'x' })).message).toContain('Call `plan`');
    expect(await failed('plan', { key: 'A-1', request, maxPrice: '20' })).toMatchObject({ code: 'usage' });
    expect(
      await failed('plan', { key: 'A-1', request, carrier: 'cheapest', maxPrice: '1EUR' }),
    ).toMatchObject({
      code: 'not_found',
    });
    expect(await failed('track', { refs: ['gone'] })).toMatchObject({ code: 'not_found' });
    expect(await failed('history', { since: 'last week' })).toMatchObject({ code: 'usage' });
  });

  test('tell what is booked beside a failure, and refuse another order with its key', async () => {
    const rig = await createRig();
    const { transport } = commandOf(rig);
    const { call } = await connected(transport, EARLIER);
    await call('ship', { key: 'A-1', request, carrier: 'EXP' });
    const other = { ...request, receiver: { ...request.receiver, firstName: 'Eva' } };
    const refused = await call('ship', { key: 'A-1', request: other, carrier: 'EXP' });
    expect(refused.result).toMatchObject({ error: { code: 'duplicate', created: false } });
    const { result } = await call('label', { refs: ['A-1', 'gone'] });
    expect(result).toMatchObject({
      error: { code: 'partial', created: true, issues: [{ path: 'gone' }] },
      bookings: [{ operation: 'label', state: 'created' }],
    });
  });

  test('hold the bounds of the profile, and make the label that it asks for', async () => {
    const rig = await createRig();
    const add = `profile add shop --base-url ${rig.address} --token-stdin`;
    await rig.run(add, { stdin: 'demo', env: BARE });
    await rig.run('profile set shop maxPrice=1EUR label=yes', { env: BARE });
    const { transport } = commandOf(rig, 'mcp --profile shop', { env: BARE });
    const { call } = await connected(transport, LATER);
    const dear = await call('ship', { key: 'A-1', request, carrier: 'EXP' });
    expect(dear.result.error).toMatchObject({ code: 'not_found', created: false });
    const { result } = await call('ship', { key: 'A-1', request, carrier: 'EXP', maxPrice: '900EUR' });
    expect(result).toMatchObject({ state: 'created', trackingNumbers: [expect.any(String)] });
  });

  test('tell warnings beside the answer, of the same call alone', async () => {
    const { transport } = commandOf(await createRig());
    const { call } = await connected(transport, LATER);
    await call('ship', { key: 'A-1', request, carrier: 'EXP' });
    const twin = await call('plan', { key: 'A-2', request, carrier: 'EXP' });
    expect(twin.told).toEqual([expect.stringMatching(/^warning: .*A-1/)]);
    expect((await call('history', { ref: 'A-1' })).told).toEqual([]);
  });
});

describe('where an agent books', () => {
  test.each([
    ['mcp', 'started it with --production'],
    ['mcp --production', 'policy.maxPrice and policy.maxPerDay'],
  ])('%s: nothing in production without --production and limits, and nobody is asked', async (argv, why) => {
    const { env, tries } = await production();
    const rig = await createRig();
    const { transport } = commandOf(rig, argv, { env });
    const { call, asked } = await connected(transport, LATER, { says: 'accept' });
    for (const tool of ['plan', 'ship']) {
      const { isError, result } = await call(tool, { key: 'A-1', request, carrier: 'EXP' });
      expect([isError, result.error.code, result.error.created]).toEqual([true, 'usage', false]);
      expect(result.error.message).toContain(why);
    }
    expect([asked, tries()]).toEqual([[], 0]);
  });

  test('in the sandbox with --sandbox', async () => {
    const rig = await createRig();
    const { transport } = commandOf(rig, 'mcp --sandbox');
    const { call } = await connected(transport, LATER);
    expect((await call('ship', { key: 'A-1', request, carrier: 'EXP' })).result.sandbox).toBe(true);
  });

  test('nowhere without a profile, and the message names one to try', async () => {
    const { run } = await createRig({ env: BARE });
    const ran = await run('mcp');
    expect(ran).toMatchObject({ exitCode: 3, stdout: '' });
    expect(ran.stderr).toContain('--profile demo');
  });
});

describe('frames', () => {
  const frames = (...all: unknown[]) =>
    all.map(one => `${typeof one === 'string' ? one : JSON.stringify(one)}\n`).join('');
  const hello = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: EARLIER, capabilities: {}, clientInfo: { name: 'agent', version: '1' } },
  };

  test('that are broken get an error, and the next one its answer, also when the input has ended by then', async () => {
    const { run } = await createRig();
    const stdin = frames(
      '{"jsonrpc":"2.0",',
      '',
      '[]',
      { id: 7, method: 5 },
      hello,
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 'last', method: 'tools/call', params: { name: 'order_schema', arguments: {} } },
    ).trimEnd();
    const ran = await run('mcp', { stdin });
    const answers = ran.stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line));
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
    const stdin = frames(
      { ...hello, params: { ...hello.params, capabilities: { elicitation: {} } } },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      {
        jsonrpc: '2.0',
        id: 2,
        method: 'tools/call',
        params: { name: 'ship', arguments: { key: 'A-1', request, carrier: 'EXP' } },
      },
    );
    const ran = await rig.run('mcp', { stdin });
    expect([ran.exitCode, booked(ran)]).toEqual([0, 0]);
    expect(ran.stdout).toContain('"isError":true');
    expect(await rig.json('history list')).toEqual([]);
  });
});
