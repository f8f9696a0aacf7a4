import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { Journal } from '../../src/journal/journal.ts';
import { commandOf, connected, GENERATIONS, type Generation } from '../rig/agent.ts';
import { createRig, type Ran } from '../rig/command.ts';
import { asProduction, production } from '../rig/production.ts';
import { BARE } from '../rig/profile.ts';
import { bookAs, booked as carrierBooks, carrierService } from '../rig/simulated-agent.ts';
import { event, http, type Reply } from '../rig/sockets.ts';

const request = JSON.parse(readFileSync('fixtures/orders/shirt-no-carrier.json', 'utf8'));
const [EARLIER, LATER, FIRST] = GENERATIONS;

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
    expect(labelled.result).toMatchObject({ operation: 'label', sent: false, key: 'A-1' });
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
          /^Book this\? [\d.]+ EUR, EXP, http:[^ ]+; .*; at most 3 days; with a label; order "A-1" to "Anna Beispiel" \("Dresden", DE\)$/,
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
        /^Book this once more\? [\d.]+ EUR, EXP, .*; order "B-1" to .*; an order with the same receiver, goods and parcels was booked at .* with the key "A-1" /,
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

test('a credential that could not be read is read again in the next call, once a person has mended it', async () => {
  const rig = await createRig();
  const token = join(rig.folder, 'token');
  const env = { WAYBILL_TOKEN: '', WAYBILL_TOKEN_FILE: token };
  const { transport } = commandOf(rig, 'mcp', { env });
  const { call, close } = await connected(transport, LATER);
  const { example } = (await call('order_schema', { operation: 'quote' })).result;
  const missing = await call('quote', { request: example });
  expect(missing.result.error).toMatchObject({ code: 'unauthorized' });
  writeFileSync(token, 'demo');
  expect((await call('quote', { request: example })).isError).toBe(false);
  await close();
});

/** An agent whose service is a bare socket. */
async function atService(generation: Generation, book: Reply, argv = 'mcp') {
  const rig = await createRig({ journalLost: true });
  const { raw, bodies } = await carrierService(book);
  const env = { WAYBILL_BASE_URL: raw.url.href };
  const { transport, ended } = commandOf(rig, argv, { env });
  const agent = await connected(transport, generation);
  return { rig, raw, bodies, ended, history: () => rig.json('history list', { env }), ...agent };
}

const refusing: Reply = (socket, request, index) =>
  request.includes('anna@beispiel')
    ? socket.write(http(422, JSON.stringify({ message: 'receiver.email is no address' })))
    : carrierBooks(socket, request, index);
const badEmail = { ...request, receiver: { ...request.receiver, email: 'anna@beispiel' } };

describe.each(GENERATIONS)('a hasty agent with %s', generation => {
  test('books an order in five calls', async () => {
    const agent = await atService(generation, carrierBooks);
    const told = await bookAs(agent, { key: 'A-1', request });
    expect(told).toMatchObject({ calls: 5, wrongTurns: 0, report: expect.stringContaining('booked as S-1') });
    expect(agent.bodies()).toHaveLength(1);
    await agent.close();
  });

  test('mends an order that the service refuses, and books it with the same key', async () => {
    const agent = await atService(generation, refusing);
    const told = await bookAs(agent, { key: 'A-1', request: badEmail, mended: request });
    expect(told).toMatchObject({ calls: 7, wrongTurns: 0, report: expect.stringContaining('booked as S-2') });
    expect((await agent.history()).map(({ key, state }: Row) => [key, state])).toEqual([
      ['A-1', 'created'],
      ['A-1', 'rejected'],
    ]);
    await agent.close();
  });

  test('sees that nobody knows what became of an order, tells a person, and books nothing else', async () => {
    const agent = await atService(generation, socket => socket.destroy());
    const told = await bookAs(agent, { key: 'A-1', request });
    expect(told).toMatchObject({ calls: 4, wrongTurns: 0 });
    expect(told.report).toMatch(/no conclusive answer came: .*It may exist and cost money/);
    const again = await agent.call('ship', { key: 'A-1', request, carrier: 'fastest', maxPrice: '200USD' });
    expect(again).toMatchObject({
      isError: true,
      result: { error: { code: 'outcome_unknown', created: null, retry: 'never', next: [] } },
    });
    expect(again.result.error.calls).toEqual([
      { tool: 'history', arguments: { ref: again.result.error.booking } },
    ]);
    expect(agent.bodies()).toHaveLength(1);
    // A new name for the order would book it a second time.
    for (const tool of ['plan', 'ship']) {
      const renamed = await agent.call(tool, { key: 'A-1 again', request, carrier: 'fastest' });
      expect(renamed.result.error).toMatchObject({ code: 'duplicate', retry: 'never' });
      expect(renamed.result.error.message).toMatch(/"A-1".*, unknown\).*tell a person/);
    }
    const beside = await agent.call('track', { refs: ['A-1', 'S-9'] });
    const lost = beside.result.shipments?.find(({ id }: { id: string }) => id === 'A-1') ?? beside.result;
    expect(lost.error).toMatchObject({ code: 'outcome_unknown', next: [], calls: [{ tool: 'history' }] });
    expect(lost.error.message).toContain('history {"ref":');
    expect(agent.bodies()).toHaveLength(1);
    await agent.close();
  });

  test('books nothing that nobody was asked about, though a person frees its key at that moment', async () => {
    const rig = await createRig();
    const { raw, bodies } = await carrierService(socket => socket.destroy());
    const env = { WAYBILL_BASE_URL: raw.url.href };
    const { transport } = commandOf(rig, 'mcp', { env });
    const agent = await connected(transport, generation, { says: 'accept' });
    const order = { key: 'A-1', request, carrier: 'fastest' };
    await agent.call('ship', order);
    rig.clock.now += 60 * 60 * 1000;
    let looks = 0;
    const spy = afterEachLook(async () => {
      looks += 1;
      // Once it was looked up for a plan, which is not made of what is booked.
      if (looks === 2) await rig.run('history resolve A-1 --not-created --reason gone', { env });
    });
    const freed = await agent.call('ship', order);
    spy.mockRestore();
    expect([freed.result.error.code, freed.result.error.retry]).toEqual(['usage', 'same']);
    expect([agent.asked.length, bodies().length]).toEqual([1, 1]);
    await agent.call('ship', order);
    expect([agent.asked.length, bodies().length]).toEqual([2, 2]);
    await agent.close();
  });

  test('books nothing after a no, though its key is taken until then and freed at that moment', async () => {
    const rig = await createRig();
    rig.file('order.json', request);
    const { raw, bodies } = await carrierService(socket => socket.destroy());
    const env = { WAYBILL_BASE_URL: raw.url.href };
    const { transport } = commandOf(rig, 'mcp', { env });
    let isAnswered = false;
    const agent = await connected(transport, generation, {
      says: 'decline',
      async whenAsked() {
        expect((await rig.run('ship -f order.json --key A-1 --carrier EXP', { env })).exitCode).toBe(8);
        rig.clock.now += 60 * 60 * 1000;
        isAnswered = true;
      },
    });
    let looks = 0;
    const spy = afterEachLook(async () => {
      if (!isAnswered) return;
      looks += 1;
      if (looks === 1) await rig.run('history resolve A-1 --not-created --reason gone', { env });
    });
    const refused = await agent.call('ship', { key: 'A-1', request, carrier: 'fastest' });
    spy.mockRestore();
    expect(refused.result.error).toMatchObject({ code: 'interrupted', created: false, retry: 'never' });
    expect([agent.asked.length, looks, bodies().length]).toEqual([1, 2, 1]);
    await agent.close();
  });

  test('lets a person book under another key what nobody knows of', async () => {
    const rig = await createRig({ journalLost: true });
    const { raw, bodies } = await carrierService(socket => socket.destroy());
    const { transport } = commandOf(rig, 'mcp', { env: { WAYBILL_BASE_URL: raw.url.href } });
    const agent = await connected(transport, generation, { says: 'accept' });
    for (const key of ['A-1', 'B-1']) await agent.call('ship', { key, request, carrier: 'fastest' });
    expect(agent.asked).toEqual([
      expect.stringMatching(/^Book this\? .*order "A-1"/),
      expect.stringMatching(/^Book this once more\? .*"A-1"/),
    ]);
    expect(bodies()).toHaveLength(2);
    await agent.close();
  });
});

/** Calls `act` after each look at what prevents an order, before the look is answered. */
function afterEachLook(act: () => Promise<void>) {
  const { obstacle } = Journal.prototype;
  return vi.spyOn(Journal.prototype, 'obstacle').mockImplementation(async function (this: Journal, intent) {
    const found = await obstacle.call(this, intent);
    await act();
    return found;
  });
}

interface Row {
  key: string;
  state: string;
}

describe.each(GENERATIONS)('calls in line with %s', generation => {
  test('go on as many at a time as --concurrency says, and send nothing when they are taken back or time out', async () => {
    const [allowed, allow] = event();
    const holding: Reply = (socket, request, index) =>
      void allowed.then(() => carrierBooks(socket, request, index));
    const agent = await atService(generation, holding, 'mcp --concurrency 2');
    const stop = new AbortController();
    const order = (number: number) => ({ key: `A-${number}`, request, carrier: 'EXP' });
    const first = [1, 2].map(number => agent.call('ship', order(number)));
    await agent.raw.received(4);
    const takenBack = [3, 4].map(number => agent.call('ship', order(number), { signal: stop.signal }));
    const timedOut = [5, 6].map(number => agent.call('ship', order(number), { timeout: 30 }));
    const given = Promise.allSettled([...takenBack, ...timedOut]);
    const last = agent.call('ship', order(7));
    // What only reads does not wait for bookings.
    expect((await agent.call('quote', { request: quote })).isError).toBe(false);
    stop.abort();
    expect((await given).map(({ status }) => status)).toEqual(Array(4).fill('rejected'));
    allow();
    const answers = await Promise.all([...first, last]);
    expect(answers.map(({ isError }) => isError)).toEqual([false, false, false]);
    await agent.close();
    expect(agent.bodies()).toHaveLength(3);
    expect((await agent.history()).map(({ key }: Row) => key).sort()).toEqual(['A-1', 'A-2', 'A-7']);
  });
});

const quote = {
  originCountry: 'TR',
  destinationCountry: 'DE',
  postalCode: '01067',
  packages: request.packages,
};

describe.each(GENERATIONS)('beside the way of an order, an agent with %s', generation => {
  test('reads the bytes of a label, also later and without its file', async () => {
    const rig = await createRig();
    const { transport } = commandOf(rig, 'mcp --download labels');
    const { call, read, close } = await connected(transport, generation);
    const { links, result } = await call('ship', { key: 'A-1', request, carrier: 'EXP', label: true });
    const file = readFileSync(result.labelFiles[0]);
    expect(links).toHaveLength(1);
    expect(await read(links[0] ?? '')).toEqual({ type: 'application/pdf', bytes: file });
    rmSync(result.labelFiles[0]);
    expect((await call('label', { refs: ['A-1'] })).links).toEqual(links);
    expect(await read(links[0] ?? '')).toEqual({ type: 'application/pdf', bytes: file });
    await expect(read('waybill://label/bk_none/international')).rejects.toThrow(/no label/);
    await expect(read((links[0] ?? '').replace(/[^/]+$/, 'domestic'))).rejects.toThrow(/no label/);
    await close();
  });

  test('reads a label without --download from the service', async () => {
    const rig = await createRig();
    const { transport } = commandOf(rig);
    const { call, read, close } = await connected(transport, generation);
    const { links } = await call('ship', { key: 'A-1', request, carrier: 'EXP', label: true });
    const { bytes } = await read(links[0] ?? '');
    expect(bytes.subarray(0, 5).toString()).toBe('%PDF-');
    await close();
  });

  test('looks at the state of its plan: new, then booked', async () => {
    const { transport } = commandOf(await createRig());
    const { call, close } = await connected(transport, generation);
    const { hash } = (await call('plan', { key: 'A-1', request, carrier: 'EXP' })).result;
    for (const ref of [hash, 'A-1'])
      expect((await call('history', { ref })).result).toMatchObject({
        orders: [],
        plan: { hash, key: 'A-1', state: 'new', booking: null },
      });
    const { id } = (await call('ship', { plan: hash })).result;
    for (const ref of [hash, 'A-1'])
      expect((await call('history', { ref })).result).toMatchObject({
        orders: [{ id, key: 'A-1', state: 'created' }],
        plan: { hash, state: 'booked', booking: id },
      });
    await close();
  });

  test('is recorded as the actor, unless a person gave a name', async () => {
    const rig = await createRig();
    for (const [argv, key, actor] of [
      ['mcp', 'A-1', 'agent 1'],
      ['mcp --actor Berta', 'A-2', 'Berta'],
    ] as const) {
      const { transport, ended } = commandOf(rig, argv);
      const { call, close } = await connected(transport, generation);
      expect((await call('ship', { key, request, carrier: 'EXP' })).result.actor).toBe(actor);
      await close();
      await ended;
    }
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

  test('cost at most 2,800 tokens of four bytes, and name no flag and no command', async () => {
    const { transport } = commandOf(await createRig());
    const { tools } = await connected(transport, FIRST);
    const json = JSON.stringify({ tools });
    expect(Buffer.byteLength(json) / 4).toBeLessThan(2800);
    expect(json).not.toMatch(/--[a-z]|waybill [a-z]/);
  });

  test('take the packages of an order for a quote, and refuse another unit than cm', async () => {
    const { transport } = commandOf(await createRig());
    const { call } = await connected(transport, LATER);
    expect((await call('quote', { request: quote })).isError).toBe(false);
    const [one] = request.packages;
    const inches = { ...quote, packages: [{ ...one, dimensions: { ...one.dimensions, unit: 'in' } }] };
    expect((await call('quote', { request: inches })).result.error).toMatchObject({
      code: 'invalid_request',
      issues: [{ path: 'packages[0].dimensions.unit', message: 'is "in", and a quote is in cm' }],
    });
  });

  test('say what a failure needs in tools and arguments', async () => {
    const rig = await createRig();
    const { transport } = commandOf(rig);
    const { call } = await connected(transport, LATER);
    const { id } = (await call('ship', { key: 'A-1', request, carrier: 'EXP' })).result;
    const other = { ...request, receiver: { ...request.receiver, firstName: 'Eva' } };
    const failures = [
      ['ship', { key: 'A-1', request: other, carrier: 'EXP' }],
      ['plan', { key: 'A-2', request: other, maxPrice: 'much' }],
      ['plan', { key: 'A-2', request: other, carrier: 'cheapest', maxPrice: '1EUR', maxDays: 1 }],
      ['plan', { key: '1.23457E+17', request: other, carrier: 'EXP' }],
      ['plan', { key: 'A-2', request: { ...other, reciever: {} }, carrier: 'EXP' }],
      ['plan', { key: 'A-2', request: {} }],
      ['ship', { plan: 'no' }],
      ['track', { refs: ['anna'] }],
      ['label', { refs: ['A-9', 'A-8'] }],
      ['label', { refs: ['shp_abc9xyz'] }],
      ['label', { refs: ['a.csv'] }],
      ['history', { ref: 'A-9' }],
      ['history', { since: 'then' }],
      ['quote', { request: {} }],
    ] as const;
    const texts = new Map<string, string>();
    for (const [tool, args] of failures) {
      const { isError, result, told } = await call(tool, args);
      expect(isError, tool).toBe(true);
      expect(result.error.next).toEqual([]);
      texts.set(JSON.stringify([tool, args]), JSON.stringify([result, told]));
    }
    const duplicate = [...texts.values()][0];
    expect(duplicate).toContain(`history {\\"ref\\":\\"${id}\\"}`);
    expect([...texts.values()].flatMap(text => text.match(/`waybill [^`]*`|--[a-z][\w-]*/g) ?? [])).toEqual(
      [],
    );
    const elsewhere = texts.get(JSON.stringify(['label', { refs: ['shp_abc9xyz'] }]));
    expect(elsewhere).toContain('Only a person can name a shipment that was booked elsewhere');
    expect(elsewhere).not.toContain('label {');
  });

  test('warn of nothing that is booked if a plan fails', async () => {
    const { transport } = commandOf(await createRig());
    const { call } = await connected(transport, LATER);
    await call('ship', { key: 'A-1', request, carrier: 'EXP' });
    const planned = await call('plan', { key: 'A-2', request, carrier: 'EXP' });
    expect(planned.told).toEqual([expect.stringMatching(/A-1.*would be booked once more/)]);
    const failed = await call('plan', { key: 'A-2', request, carrier: 'EXP', maxPrice: '1EUR' });
    expect([failed.isError, failed.told]).toEqual([true, []]);
  });

  test('say beside a failure why another carrier was picked', async () => {
    const { transport } = commandOf(await createRig(), 'mcp', { env: { WAYBILL_POLICY_MAX_PRICE: '15EUR' } });
    const { call } = await connected(transport, LATER);
    const { result, told } = await call('plan', { key: 'A-1', request, carrier: 'fastest' });
    expect(result.error.issues).toMatchObject([{ path: 'customs.iossNumber' }]);
    expect(told).toEqual([expect.stringMatching(/^warning: EXP .* is left out: above the limit/)]);
  });

  test('refuse arguments as any other input: all at once, with what is allowed', async () => {
    const { transport, ended } = commandOf(await createRig());
    const { call, close } = await connected(transport, LATER);
    const { result } = await call('ship', { key: 5, request, max_price: '10EUR', ok: 1 });
    expect(result.error).toMatchObject({
      code: 'usage',
      exitCode: 2,
      message: 'ship: the arguments are not valid; nothing was sent',
      created: false,
      retry: 'after-change',
      issues: [
        { path: 'key', message: expect.stringContaining('expected string') },
        { path: 'max_price', suggestion: 'maxPrice' },
        { path: 'ok', message: expect.stringMatching(/takes key, request, carrier, .*plan, label$/) },
      ],
    });
    const { error } = (await call('label', { refs: ['A-1', ''] })).result;
    expect(error.issues).toMatchObject([{ path: 'refs[1]' }]);
    expect((await call('quote')).result.error.issues).toEqual([{ path: 'request', message: 'is required' }]);
    const beside = (await call('history', { ref: 'A-1', search: 'anna', since: '7d' })).result.error;
    expect(beside.message).toContain('without search, since');
    await close();
    expect((await ended).requests).toEqual([]);
  });

  test('name the tool that makes what is missing', async () => {
    const faults = [{ kind: 'label-international', probability: 1 }] as const;
    const { transport } = commandOf(await createRig({ faults }));
    const { call } = await connected(transport, LATER);
    const { error, bookings } = (await call('ship', { key: 'A-1', request, carrier: 'EXP', label: true }))
      .result;
    const [id] = bookings[0].shipmentIds;
    expect(error).toMatchObject({ code: 'partial', created: true });
    expect(error.calls).toEqual([{ tool: 'label', arguments: { refs: [id] } }]);
    expect(error.message).toContain(`To make the label: label {"refs":["${id}"]}`);
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
    expect((await failed('ship', { plan: 'x' })).message).toContain('Call `plan` with the key');
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
    // The same order to the same receiver.
    const twin = { ...request, sender: { ...request.sender, email: 'desk@example.com' } };
    for (const tool of ['plan', 'ship'])
      expect((await call(tool, { key: 'A-2', request: twin, carrier: 'EXP' })).told).toEqual([
        expect.stringMatching(/^warning: .*A-1/),
      ]);
    expect((await call('history', { ref: 'A-1' })).told).toEqual([]);
  });
});

describe('where an agent books', () => {
  test.each([
    ['mcp', 'started it for that'],
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

  test('in production the limits of variables count, and a profile that has no part in it is not named', async () => {
    const { env, tries } = await production();
    const rig = await createRig();
    await rig.run('profile add other --base-url https://other.invalid --token-stdin', {
      stdin: 'x',
      env: BARE,
    });
    await rig.run('profile use other', { env: BARE });
    const refused = async (more: Record<string, string>) => {
      const { transport, ended } = commandOf(rig, 'mcp --production', { env: { ...env, ...more } });
      const { call, close } = await connected(transport, LATER);
      const { error } = (await call('plan', { key: 'A-1', request, carrier: 'EXP' })).result;
      await close();
      await ended;
      return error;
    };
    const { message } = await refused({ WAYBILL_POLICY_MAX_PRICE: '50EUR' });
    expect(message).toContain('WAYBILL_POLICY_MAX_PER_DAY=AMOUNT');
    expect(message).not.toMatch(/other|maxPrice|profile set/);
    const limits = { WAYBILL_POLICY_MAX_PRICE: '50EUR', WAYBILL_POLICY_MAX_PER_DAY: '90EUR' };
    expect(tries()).toBe(0);
    // With both limits it asks for the price: the proxy lets nothing through.
    expect(await refused(limits)).toMatchObject({ code: 'unavailable', created: false });
    expect(tries()).toBeGreaterThan(0);
  });

  test('in production the profile in force is named', async () => {
    const rig = await createRig();
    await rig.run('profile add live --base-url https://shop.invalid --token-stdin', {
      stdin: 'x',
      env: BARE,
    });
    const { transport } = commandOf(rig, 'mcp --production --profile live', { env: BARE });
    const { call } = await connected(transport, LATER);
    const { error } = (await call('plan', { key: 'A-1', request, carrier: 'EXP' })).result;
    expect(error.message).toContain(
      '`waybill profile set live policy.maxPrice=AMOUNT policy.maxPerDay=AMOUNT`',
    );
  });

  test('in production not any more from when a person sets policy.production=terminal, though the server runs', async () => {
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
    const order = { key: 'A-1', request, carrier: 'EXP' };
    expect((await call('ship', order)).result).toMatchObject({ sent: true, state: 'created' });
    const { hash } = (await call('plan', { ...order, key: 'B-1' })).result;
    await set('policy.production=terminal');
    for (const given of [{ plan: hash }, { ...order, key: 'C-1' }]) {
      const { error } = (await call('ship', given)).result;
      expect(error).toMatchObject({ code: 'usage', created: false, retry: 'never' });
      expect(error.message).toContain('policy.production=terminal: only a person at a terminal');
    }
    expect((await call('label', { refs: ['A-1'] })).result.error).toMatchObject({ code: 'usage' });
    // What is booked is shown.
    expect((await call('ship', order)).result).toMatchObject({ sent: false, state: 'created' });
    await close();
    expect(booked(await ended)).toBe(1);
  });

  test('by shell, with policy.production=terminal: a plan, which only a person at a terminal books', async () => {
    const rig = await createRig();
    const { WAYBILL_BASE_URL, ...env } = await asProduction(rig);
    const add = `profile add live --base-url ${WAYBILL_BASE_URL} --token-stdin`;
    await rig.run(add, { stdin: 'demo', env: BARE });
    await rig.run('profile set live policy.production=terminal', { env: BARE });
    rig.file('order.json', request);
    const more = { env: { ...BARE, ...env } };
    const plan = 'ship -f order.json --key A-1 --carrier EXP --plan plan.json --profile live';
    expect((await rig.run(plan, more)).exitCode).toBe(0);
    const book = 'ship -f plan.json --profile live';
    const refused = await rig.run(book, more);
    expect([refused.exitCode, booked(refused)]).toEqual([2, 0]);
    const ran = await rig.run(book, { ...more, terminal: true, answer: true });
    expect([ran.exitCode, booked(ran)]).toEqual([0, 1]);
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
