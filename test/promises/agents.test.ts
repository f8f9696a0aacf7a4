// `waybill mcp`: what an agent can do with its tools, what it is told, and what it can never do.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Agent, commandOf, connected, GENERATIONS, type Generation } from '../rig/agent.ts';
import { createRig, type Ran, type Rig, type RunOptions } from '../rig/command.ts';
import { SECRET } from '../rig/oracles.ts';
import { holdsTo } from '../rig/outputs.ts';
import { asProduction, production } from '../rig/production.ts';
import { BARE } from '../rig/profile.ts';
import { http, type Reply } from '../rig/sockets.ts';
import { limitedRig, servedRig } from './rigs.ts';

const request = JSON.parse(readFileSync('fixtures/orders/shirt-no-carrier.json', 'utf8'));
const other = { ...request, receiver: { ...request.receiver, firstName: 'Eva' } };
const ORDER = { key: 'A-1', request, carrier: 'EXP' };
const QUOTE = {
  originCountry: 'TR',
  destinationCountry: 'DE',
  packages: [{ quantity: 1, weight: 1, dimensions: { width: 10, length: 10, height: 10 } }],
};
const TOOLS = ['quote', 'order_schema', 'plan', 'ship', 'label', 'track', 'history'];
const [, LATER] = GENERATIONS;

interface Started extends Agent {
  rig: Rig;
  /** Ends the input, and gives what the command did. */
  ended(): Promise<Ran>;
}

interface Begin extends RunOptions {
  rig?: Rig;
  argv?: string;
  generation?: Generation;
  says?: 'accept' | 'decline' | 'cancel';
  whenAsked?(): void | Promise<void>;
}

async function agent({
  rig: given,
  argv,
  generation = LATER,
  says,
  whenAsked,
  ...options
}: Begin = {}): Promise<Started> {
  const rig = given ?? (await createRig());
  const { transport, ended } = commandOf(rig, argv, options);
  const at = await connected(transport, generation, { says, ...(whenAsked && { whenAsked }) });
  return {
    ...at,
    rig,
    async ended() {
      await at.close();
      return ended;
    },
  };
}

const bookedIn = ({ requests }: Ran): number =>
  requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/v1/shipments')).length;

test.each(GENERATIONS)('a client that speaks %s lists the tools', async generation => {
  const { tools } = await agent({ generation });
  expect(tools.map(({ name }) => name)).toEqual(TOOLS);
});

describe('The tools', () => {
  test('say whether they only read or book', async () => {
    const { tools } = await agent();
    const annotationsOf = (...names: string[]) =>
      tools.filter(({ name }) => names.includes(name)).map(({ annotations }) => annotations);
    expect(annotationsOf('quote', 'order_schema', 'plan', 'track', 'history')).toMatchObject(
      Array(5).fill({ readOnlyHint: true }),
    );
    expect(annotationsOf('ship', 'label')).toMatchObject(
      Array(2).fill({ readOnlyHint: false, idempotentHint: true }),
    );
  });

  test('have schemas of their input and their output, and these arguments', async () => {
    const { tools } = await agent();
    expect(
      Object.fromEntries(
        tools.map(({ name, inputSchema, outputSchema }) => {
          expect([name, inputSchema.type, outputSchema?.type]).toEqual([name, 'object', 'object']);
          return [name, Object.keys(inputSchema.properties ?? {}).sort()];
        }),
      ),
    ).toEqual({
      quote: ['request'],
      order_schema: ['operation'],
      plan: ['carrier', 'key', 'maxDays', 'maxPrice', 'request', 'service'],
      ship: ['carrier', 'key', 'label', 'maxDays', 'maxPrice', 'plan', 'request', 'service'],
      label: ['refs'],
      track: ['refs'],
      history: ['receivers', 'ref', 'search', 'since', 'state'],
    });
  });

  test('are in a list of at most 9 kB, which each session pays for, and each argument is described', async () => {
    const { tools } = await agent();
    const list = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { tools } });
    expect(Buffer.byteLength(list)).toBeLessThanOrEqual(9000);
    for (const { name, description, annotations, inputSchema, outputSchema } of tools) {
      expect([name, description, annotations, outputSchema]).not.toContain(undefined);
      for (const [argument, schema] of Object.entries(inputSchema.properties ?? {}))
        expect([name, argument, 'description' in schema || 'enum' in schema]).toEqual([name, argument, true]);
    }
  });

  test('name tools and their arguments, and no flags', async () => {
    const { tools } = await agent();
    expect(JSON.stringify(tools)).not.toMatch(/--[a-z]|waybill [a-z]/);
  });

  test('are none for what a person alone may do', async () => {
    const { call, ended } = await agent();
    for (const name of ['resolve', 'accept', 'cancel', 'cancelled', 'prune', 'profile'])
      await expect(call(name, { ref: 'A-1' }), name).rejects.toThrow();
    expect((await ended()).requests).toEqual([]);
  });

  test('have no argument that loosens what is refused', async () => {
    const { call, ended } = await agent();
    for (const name of ['allowDuplicate', 'allow_duplicate', 'newJournal', 'yes', 'force', 'max_price'])
      expect([name, (await call('ship', { ...ORDER, [name]: true })).isError]).toEqual([name, true]);
    expect(bookedIn(await ended())).toBe(0);
  });
});

describe('An agent', () => {
  test('reads the fields of each operation, and an example that passes', async () => {
    const { call } = await agent();
    for (const operation of ['quote', 'rates', 'ship', 'ship-dual', 'label', 'webhook-create']) {
      const { result } = await call('order_schema', { operation });
      expect(result).toMatchObject({ operation, schema: { type: 'object' }, example: expect.any(Object) });
    }
    const { operation, example } = (await call('order_schema')).result;
    expect(operation).toBe('ship');
    expect((await call('plan', { key: 'A-1', request: example, carrier: 'fastest' })).isError).toBe(false);
  });

  test('compares proposals', async () => {
    const { call, ended } = await agent();
    const { result } = await call('quote', { request: QUOTE });
    expect(result.proposals.map(({ id }: { id: string }) => id)).toEqual(['ECO', 'EXP']);
    expect((await ended()).requests.map(({ path }) => path)).toEqual(['/v1/carriers/proposal']);
  });

  test('plans an order: no file is written, and nothing is booked', async () => {
    const { call, ended, rig } = await agent();
    const { result } = await call('plan', { ...ORDER, carrier: 'fastest', maxPrice: '90EUR' });
    holdsTo('plan', result);
    expect(result).toMatchObject({ plan: 1, operation: 'ship', key: 'A-1', carrier: 'EXP', currency: 'EUR' });
    expect(bookedIn(await ended())).toBe(0);
    expect(existsSync(join(rig.folder, 'plan.json'))).toBe(false);
  });

  test('books what it planned', async () => {
    const { call, ended } = await agent();
    const { hash, price } = (await call('plan', ORDER)).result;
    const { result } = await call('ship', { plan: hash });
    expect(result).toMatchObject({ key: 'A-1', state: 'created', sent: true, price });
    expect(bookedIn(await ended())).toBe(1);
  });

  test('books an order, gets the record of it, and is recorded as the actor', async () => {
    const { call, ended, rig } = await agent();
    const { result } = await call('ship', ORDER);
    holdsTo('booking', result);
    expect(result).toMatchObject({ operation: 'ship', key: 'A-1', state: 'created', carrier: 'EXP' });
    expect(bookedIn(await ended())).toBe(1);
    expect(await rig.json('history list')).toMatchObject([{ key: 'A-1', actor: 'agent 1' }]);
  });

  test('books it with its label', async () => {
    const { call, rig } = await agent({ argv: 'mcp --download labels' });
    const { result } = await call('ship', { ...ORDER, label: true });
    expect(result).toMatchObject({
      trackingNumbers: [expect.any(String)],
      labelFiles: [join(rig.folder, 'labels/A-1.pdf')],
    });
  });

  test('makes a label once', async () => {
    const { call, ended } = await agent();
    await call('ship', ORDER);
    expect((await call('label', { refs: ['A-1'] })).result).toMatchObject({ operation: 'label', sent: true });
    expect((await call('label', { refs: ['A-1'] })).result).toMatchObject({
      operation: 'label',
      sent: false,
    });
    const labels = (await ended()).requests.filter(({ path }) => path === '/v2/carriers/create');
    expect(labels).toHaveLength(1);
  });

  test('tracks shipments, and gets the answer of the service', async () => {
    const { call } = await agent();
    const { shipmentIds } = (await call('ship', ORDER)).result;
    const { shipments } = (await call('track', { refs: ['A-1'] })).result;
    expect(shipments).toMatchObject([{ id: shipmentIds[0], status: [{ status: expect.any(String) }] }]);
  });

  test('looks back by key, words, state and time, and sees receivers only where it asks for them', async () => {
    const { call } = await agent();
    await call('ship', ORDER);
    const [order] = (await call('history')).result.orders;
    expect(order).toMatchObject({ key: 'A-1', state: 'created' });
    expect(order).not.toHaveProperty('receiver');
    const [shown] = (await call('history', { ref: 'A-1', receivers: true })).result.orders;
    expect(shown.receiver).toMatchObject({ country: 'DE' });
    for (const [args, count] of [
      [{ ref: 'A-1' }, 1],
      [{ search: 'beispiel' }, 1],
      [{ search: 'nobody' }, 0],
      [{ state: 'created' }, 1],
      [{ state: 'unknown' }, 0],
      [{ since: '1d' }, 1],
      [{ since: '2030-01-01' }, 0],
    ] as const)
      expect([args, (await call('history', args)).result.orders.length]).toEqual([args, count]);
  });
});

describe('A key of an agent', () => {
  test.each([
    ['ship', { request, carrier: 'EXP' }],
    ['plan', { request, carrier: 'EXP' }],
    ['ship', { key: '', request, carrier: 'EXP' }],
  ])('is always needed: %s', async (tool, args) => {
    const { call, ended } = await agent();
    expect((await call(tool, args)).isError).toBe(true);
    expect(bookedIn(await ended())).toBe(0);
  });

  test('is booked once: a second call shows the recorded answer, and one for another order is refused', async () => {
    const { call, ended } = await agent();
    const first = (await call('ship', ORDER)).result;
    const second = (await call('ship', ORDER)).result;
    expect(second).toMatchObject({ id: first.id, shipmentIds: first.shipmentIds, sent: false });
    const { isError, result } = await call('ship', { ...ORDER, request: other });
    expect([isError, result.error.code]).toEqual([true, 'duplicate']);
    expect(bookedIn(await ended())).toBe(1);
  });

  test('is booked once by two calls at one time', async () => {
    const { call, ended } = await agent();
    const both = await Promise.all([call('ship', ORDER), call('ship', ORDER)]);
    expect(both.map(({ result }) => result.sent).sort()).toEqual([false, true]);
    expect(bookedIn(await ended())).toBe(1);
  });

  test('that is booked by shell shows the same order', async () => {
    const rig = await createRig({ files: { 'order.json': request } });
    await rig.run('ship order.json --key A-1 --carrier EXP');
    const { call, ended } = await agent({ rig });
    expect((await call('ship', ORDER)).result).toMatchObject({ state: 'created', sent: false });
    expect(bookedIn(await ended())).toBe(0);
  });
});

const broken = (how: Reply): Promise<Rig> =>
  servedRig(() => (socket, asked, index) => {
    const proposals = [{ id: 'EXP', isValid: true, price: 20, currency: 'EUR', serviceType: 'express' }];
    if (asked.includes('/proposal'))
      socket.write(http(201, JSON.stringify({ chargeableWeight: 1, proposals })));
    else how(socket, asked, index);
  })();

describe('A failure of a tool', () => {
  test('has all that is wrong with a request', async () => {
    const { call, ended } = await agent();
    const { result } = await call('ship', { ...ORDER, request: { ...request, items: [], type: 'crate' } });
    expect(result.error.code).toBe('invalid_request');
    const paths = result.error.issues.map(({ path }: { path: string }) => path);
    expect(paths).toEqual(expect.arrayContaining(['type', 'items']));
    expect(bookedIn(await ended())).toBe(0);
  });

  test('says that nobody knows what became of a booking, also when it is called again', async () => {
    const { call, ended } = await agent({ rig: await broken(socket => socket.destroy()) });
    for (let times = 0; times < 2; times += 1) {
      const { isError, result } = await call('ship', ORDER);
      expect(isError).toBe(true);
      const { message, booking, ...error } = result.error;
      expect(error).toMatchObject({ code: 'outcome_unknown', created: null, retry: 'never' });
      expect(message).toContain(`ask a person to settle the booking ${booking}`);
    }
    await ended();
  });

  test('says that the service refused', async () => {
    const { call } = await agent({
      rig: await broken(socket => socket.write(http(422, '{"message":"no"}'))),
    });
    const { result } = await call('ship', ORDER);
    expect(result.error).toMatchObject({ code: 'rejected', created: false, httpStatus: 422 });
  });

  test('says that no carrier keeps the bounds', async () => {
    const { call, ended } = await agent();
    const { result } = await call('plan', { ...ORDER, carrier: 'cheapest', maxPrice: '1EUR' });
    expect(result.error).toMatchObject({ code: 'not_found', created: false });
    expect(bookedIn(await ended())).toBe(0);
  });

  test('says that a plan is of no plan of this session', async () => {
    const { call, ended } = await agent();
    expect((await call('ship', { plan: 'a-hash' })).result.error).toMatchObject({ code: 'usage' });
    expect((await ended()).requests).toEqual([]);
  });

  test('says that a plan takes no order beside it', async () => {
    const { call, ended } = await agent();
    const { hash } = (await call('plan', ORDER)).result;
    expect((await call('ship', { plan: hash, key: 'A-2' })).isError).toBe(true);
    expect(bookedIn(await ended())).toBe(0);
  });

  test('has no credential', async () => {
    const { call } = await agent({
      rig: await broken(socket => socket.write(http(401, `{"message":"${SECRET}?"}`))),
    });
    const { result, told } = await call('ship', ORDER);
    expect(result.error.code).toBe('unauthorized');
    expect(JSON.stringify([result, told])).not.toContain(SECRET);
  });
});

describe('Where an agent books', () => {
  test.each(['mcp', 'mcp --sandbox', 'mcp --profile demo'])('%s: it books', async argv => {
    const rig = await createRig({ env: argv.includes('demo') ? BARE : {} });
    const { call } = await agent({ rig, argv });
    const { result } = await call('ship', ORDER);
    expect(result).toMatchObject({ state: 'created', sandbox: argv.includes('--sandbox') });
  });

  const LIMITS = { WAYBILL_POLICY_MAX_PRICE: '90EUR', WAYBILL_POLICY_MAX_PER_DAY: '900EUR' };
  test.each<[why: string, argv: string, env: Record<string, string>]>([
    ['in production not without --production', 'mcp', LIMITS],
    ['in production not without limits', 'mcp --production', {}],
    [
      'in production not without the limit of an order',
      'mcp --production',
      { WAYBILL_POLICY_MAX_PER_DAY: '900EUR' },
    ],
    [
      'in production not without the limit of a day',
      'mcp --production',
      { WAYBILL_POLICY_MAX_PRICE: '90EUR' },
    ],
  ])('%s', async (_, argv, limits) => {
    const { env, tries } = await production();
    const { call } = await agent({ argv, env: { ...env, ...limits }, says: 'accept' });
    for (const tool of ['plan', 'ship']) {
      const { isError, result } = await call(tool, ORDER);
      expect([isError, result.error.code, result.error.created]).toEqual([true, 'usage', false]);
    }
    expect(tries()).toBe(0);
  });

  test('in production with --production and both limits', async () => {
    const rig = await createRig();
    const env = { ...(await asProduction(rig)), ...LIMITS };
    const { call, ended } = await agent({ rig, argv: 'mcp --production', env });
    expect((await call('ship', ORDER)).result).toMatchObject({ state: 'created' });
    expect(bookedIn(await ended())).toBe(1);
  });

  test('not in production with another journal than that of the place', async () => {
    const rig = await createRig();
    const env = { ...(await asProduction(rig)), ...LIMITS };
    rig.file('order.json', request);
    expect(await rig.run('ship order.json --carrier EXP --key A-2', { env })).toMatchObject({ exitCode: 0 });
    const folder = join(rig.folder, 'state/places');
    const [name = ''] = readdirSync(folder);
    const text = readFileSync(join(folder, name), 'utf8');
    writeFileSync(join(folder, name), text.replace(/jr_\w+/, 'jr_another'));
    const { call, ended } = await agent({ rig, argv: 'mcp --production', env });
    for (const tool of ['plan', 'ship'])
      expect((await call(tool, ORDER)).result.error).toMatchObject({
        code: 'storage',
        message: expect.stringMatching(/ is booked in the journal .* lacks those bookings/),
      });
    expect(bookedIn(await ended())).toBe(0);
  });

  test('never in production with policy.production=terminal', async () => {
    const rig = await createRig();
    const { WAYBILL_BASE_URL, ...env } = await asProduction(rig);
    const policy = { production: 'terminal', maxPrice: '90EUR', maxPerDay: '900EUR' };
    const live = { baseUrl: WAYBILL_BASE_URL, credentials: { kind: 'token', token: 'demo' }, policy };
    rig.file('config/config.json', { profiles: { live }, current: 'live' });
    const { call, ended } = await agent({
      rig,
      argv: 'mcp --production',
      env: { ...BARE, ...env },
      says: 'accept',
    });
    expect((await call('ship', ORDER)).result.error.message).toContain('policy.production=terminal');
    expect(bookedIn(await ended())).toBe(0);
  });
});

describe('Limits hold for an agent', () => {
  test.each([{ maxPrice: '19EUR' }, { maxPerDay: '19EUR' }])('%j', async policy => {
    const { call } = await agent({ rig: await limitedRig({ policy })() });
    for (const tool of ['plan', 'ship'])
      expect((await call(tool, ORDER)).result.error).toMatchObject({ code: 'over_budget', created: false });
  });

  test('no argument loosens one', async () => {
    const { call } = await agent({ rig: await limitedRig({ policy: { maxPrice: '19EUR' } })() });
    expect((await call('ship', { ...ORDER, maxPrice: '99EUR' })).result.error.code).toBe('over_budget');
  });

  test('a day is not passed by calls at one time', async () => {
    const { call } = await agent({ rig: await limitedRig({ policy: { maxPerDay: '50EUR' } })() });
    const people = Array.from({ length: 5 }, (_, index) => ({
      key: `K-${index}`,
      request: { ...request, receiver: { ...request.receiver, firstName: `Anna-${'abcde'[index]}` } },
      carrier: 'EXP',
    }));
    const answers = await Promise.all(people.map(order => call('ship', order)));
    expect(answers.filter(({ isError }) => !isError)).toHaveLength(2);
  });
});

describe('A person who can be asked', () => {
  test.each(GENERATIONS)('confirms each plan before it is placed, with %s', async generation => {
    const { call, asked, ended } = await agent({ says: 'accept', generation });
    expect((await call('ship', ORDER)).result).toMatchObject({ state: 'created' });
    expect(asked).toEqual([
      expect.stringMatching(/^Book this\? \d+\.\d\d EUR, EXP, http:[^ ]+; .*order "A-1" to "/),
    ]);
    expect(bookedIn(await ended())).toBe(1);
  });

  test.each(['decline', 'cancel'] as const)('who says no has nothing booked: %s', async says => {
    const { call, ended } = await agent({ says });
    expect((await call('ship', ORDER)).result.error).toMatchObject({ created: false, retry: 'never' });
    expect(bookedIn(await ended())).toBe(0);
  });

  test('is asked again for another order', async () => {
    const { call, asked } = await agent({ says: 'accept' });
    await call('ship', ORDER);
    await call('ship', { ...ORDER, key: 'A-2', request: other });
    expect(asked).toHaveLength(2);
  });

  test('is not asked for what is booked already', async () => {
    const { call, asked } = await agent({ says: 'accept' });
    await call('ship', ORDER);
    expect((await call('ship', ORDER)).result.sent).toBe(false);
    expect(asked).toHaveLength(1);
  });

  test('is asked for each of two plans', async () => {
    const { call, asked, ended } = await agent({ says: 'accept' });
    const first = (await call('plan', ORDER)).result;
    const second = (await call('plan', { ...ORDER, key: 'A-2', request: other })).result;
    for (const { hash } of [first, second]) await call('ship', { plan: hash });
    expect(asked).toHaveLength(2);
    expect(bookedIn(await ended())).toBe(2);
  });

  test('is told that the same order was booked under another key', async () => {
    const rig = await createRig({ files: { 'order.json': request } });
    await rig.run('ship order.json --key A-1 --carrier EXP');
    const { call, asked } = await agent({ rig, says: 'accept' });
    await call('ship', { ...ORDER, key: 'B-1' });
    expect(asked).toEqual([
      expect.stringMatching(/^Book this once more\? \d.*order "B-1".*with the key "A-1"/),
    ]);
  });

  test('is asked for no read', async () => {
    const { call, asked } = await agent({ says: 'accept' });
    await call('quote', { request: QUOTE });
    await call('plan', ORDER);
    await call('track', { refs: ['gone'] });
    expect(asked).toEqual([]);
  });
});
