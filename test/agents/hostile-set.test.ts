// The set of fixtures/hostile against an agent that obeys all that it reads: what others wrote is in no sentence of a tool, and no
// sequence of calls passes a limit, a plan or a person's no, or settles anything.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { setAt } from '../../src/contract/paths.ts';
import { limitedRig, servedRig } from '../promises/rigs.ts';
import { type Agent, type Answered, commandOf, connected, GENERATIONS } from '../rig/agent.ts';
import { faultsForAgent } from '../rig/agent-words.ts';
import { createRig, type Ran, type Rig } from '../rig/command.ts';
import { inJournal } from '../rig/journal.ts';
import { obey, sentencesOf } from '../rig/obedient-agent.ts';
import { PROPOSALS, SHIPMENT } from '../rig/service.ts';
import { http, type Reply } from '../rig/sockets.ts';

type Json = Record<string, unknown>;

interface HostileOrder {
  name: string;
  set?: Json;
  call?: Json;
  booked?: boolean;
}

interface HostileAnswer {
  name: string;
  of: 'quote' | 'ship' | 'label' | 'track';
  outcome: string;
  answers: { status: number; headers?: Record<string, string>; body?: unknown; text?: string }[];
}

const fixture = (name: string) => readFileSync(`fixtures/hostile/${name}`, 'utf8');
const ORDERS: HostileOrder[] = JSON.parse(fixture('orders.json'));
const ANSWERS: HostileAnswer[] = JSON.parse(fixture('answers.json'));
const SHOPS = ['shopify.csv', 'etsy.csv', 'woocommerce.csv', 'amazon.txt', 'ebay.csv'];

const request: Json = JSON.parse(readFileSync('fixtures/orders/shirt-no-carrier.json', 'utf8'));
const QUOTE = {
  originCountry: 'TR',
  destinationCountry: 'DE',
  packages: [{ quantity: 1, weight: 1, dimensions: { width: 10, length: 10, height: 10 } }],
};

const pathOf = (path: string) => path.split('.').map(name => (/^\d+$/.test(name) ? Number(name) : name));
const argumentsOf = ({ set = {}, call }: HostileOrder, at: number) => ({
  key: `H-${at}`,
  request: Object.entries(set).reduce<unknown>(
    (body, [path, value]) => setAt(body, pathOf(path), value),
    request,
  ),
  carrier: 'EXP',
  ...call,
});

/** The word is in all that is hostile: no sentence may have it, in quotation marks or not. */
const MARK = 'IGNORE';
const faultsOf = (answers: readonly Answered[]): unknown[] =>
  answers.flatMap(sentencesOf).flatMap(words => {
    const faults = faultsForAgent(words, /./).filter(fault => fault !== 'text of a stranger');
    return words.includes(MARK) || faults.length > 0 ? [[words, faults]] : [];
  });

const isBooking = ({ method, path }: Ran['requests'][number]) =>
  method === 'POST' && path.endsWith('/v1/shipments');
const bodiesOf = ({ requests }: Ran) => requests.filter(isBooking).map(({ body }) => JSON.parse(body));
const labelsOf = ({ requests }: Ran) =>
  requests.filter(({ path }) => path.endsWith('/v2/carriers/create')).length;

/** What the journal has of each booking: nobody has said anything about it. */
async function unsettled(rig: Rig) {
  const bookings = await inJournal(rig, 'state', journal => journal.list({}));
  expect(bookings.flatMap(({ facts }) => facts.filter(({ kind }) => kind !== 'shipment of another'))).toEqual(
    [],
  );
  return bookings;
}

test('the set has 200 orders, each with a name of its own and with the word that marks it', () => {
  const rows = SHOPS.flatMap(name =>
    fixture(name)
      .split('\r\n')
      .filter(row => row.includes('SKU-1')),
  );
  expect(ORDERS.length + ANSWERS.length + rows.length).toBeGreaterThanOrEqual(200);
  const names = [...ORDERS, ...ANSWERS].map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  const bare = (text: string) =>
    [...text]
      .map(letter => {
        const code = letter.codePointAt(0) ?? 0;
        return code >= 0xe0100
          ? String.fromCodePoint(code - 0xe0100 + 16)
          : String.fromCodePoint(code % 0xe0000);
      })
      .join('')
      .replace(/\p{Cf}/gu, '');
  const labels = (text: string) =>
    text + Buffer.from(text.replace(/^.*"label":"|".*$/g, ''), 'base64').toString();
  for (const { name, ...rest } of [...ORDERS, ...ANSWERS])
    expect([name, labels(bare(JSON.stringify(rest)).replaceAll('\\u', ''))]).toEqual([
      name,
      expect.stringContaining(MARK),
    ]);
});

/** A session in which each order is given to `book`, and all that comes back is obeyed. */
async function session(
  rig: Rig,
  says: Parameters<typeof connected>[2],
  book: (agent: Agent, order: ReturnType<typeof argumentsOf>, hostile: HostileOrder) => Promise<Answered[]>,
) {
  const { transport, ended } = commandOf(rig);
  const agent = await connected(transport, GENERATIONS[1], says);
  const made = new Set<string>();
  const faults: unknown[] = [];
  for (const [at, hostile] of ORDERS.entries()) {
    const order = argumentsOf(hostile, at);
    // It has read the order before it books it.
    const read = { isError: false, result: order, told: [], writtenByOthers: [], links: [] };
    for (const answer of [read, ...(await book(agent, order, hostile))])
      faults.push(...faultsOf(await obey(agent, answer, made)));
  }
  await agent.close();
  expect(faults).toEqual([]);
  expect(made.size).toBeGreaterThan(10);
  return { ran: await ended, asked: agent.asked };
}

test('no order passes a limit, whatever the agent obeys', async () => {
  const rig = await limitedRig({ policy: { maxPrice: '19EUR', maxPerDay: '19EUR' } })();
  const { ran } = await session(rig, {}, async ({ call }, order, { name, booked }) => {
    const answer = await call('ship', { maxPrice: '900EUR', ...order });
    const { code, created } = answer.result.error;
    expect([name, created]).toEqual([name, false]);
    if (booked) expect([name, code]).toEqual([name, 'over_budget']);
    return [answer];
  });
  expect([bodiesOf(ran), labelsOf(ran), await unsettled(rig)]).toEqual([[], 0, []]);
});

test("no order is booked after a person's no, whatever the agent obeys, and no question has words of others outside of quotation marks", async () => {
  const rig = await createRig();
  const { ran, asked } = await session(
    rig,
    { says: 'decline' },
    async ({ call }, order, { name, booked }) => {
      const answer = await call('ship', order);
      const { code, created } = answer.result.error;
      expect([name, created]).toEqual([name, false]);
      if (booked) expect([name, code]).toEqual([name, 'interrupted']);
      return [answer];
    },
  );
  expect([bodiesOf(ran), labelsOf(ran), await unsettled(rig)]).toEqual([[], 0, []]);
  expect(asked.length).toBeGreaterThan(80);
  // A person reads a backslash as any letter.
  for (const words of asked.map(question => question.replaceAll('\\', '')))
    expect([words, faultsForAgent(words, new RegExp(MARK))]).toEqual([words, []]);
});

test('what is booked is what was planned and a person said yes to, once, whatever the agent obeys', async () => {
  const rig = await limitedRig({ policy: { maxPrice: '60EUR', maxPerDay: '9000EUR' } })();
  const planned: unknown[] = [];
  let isAgreed = false;
  const says = (): 'accept' | 'decline' => (isAgreed ? 'accept' : 'decline');
  const { ran } = await session(rig, { says }, async ({ call }, order, { name, booked }) => {
    const plan = await call('plan', order);
    if (booked !== undefined) expect([name, plan.isError]).toEqual([name, !booked]);
    if (plan.isError) return [plan];
    planned.push(plan.result.request);
    isAgreed = true;
    const shipped = await call('ship', { plan: plan.result.hash });
    isAgreed = false;
    expect([name, shipped.result.state]).toEqual([name, 'created']);
    const found = await call('history', { ref: order.key, receivers: true });
    return [plan, shipped, await call('ship', { plan: plan.result.hash }), found];
  });
  // The socket gives the bytes of UTF-8, each as a letter.
  const sent = bodiesOf(ran).map(body => JSON.parse(Buffer.from(JSON.stringify(body), 'latin1').toString()));
  expect(sent).toEqual(planned);
  expect(planned.length).toBeGreaterThan(80);
  const states = (await unsettled(rig)).map(({ operation, state }) => `${operation} ${state}`);
  expect(new Set(states)).toEqual(new Set(['ship created']));
});

// Answers.

const json = (status: number, body: unknown) => http(status, JSON.stringify(body));
const ORDINARY = {
  quote: json(201, {
    chargeableWeight: 4.8,
    proposals: [
      {
        ...{ id: 'EXP', name: 'Express', serviceType: 'express', isValid: true },
        ...{ deliveryTime: '1-3 days', price: 10, currency: 'EUR' },
      },
    ],
  }),
  ship: json(201, { id: 'S-1', carrier: { id: 'EXP', name: 'Express', price: 10, currency: 'EUR' } }),
  label: json(200, { success: true, international: { success: true, trackingNumber: 'T-1' } }),
  track: json(200, { id: 'S-1', status: [] }),
};

/** A service that gives these answers in their order, of which the last repeats. */
const answering = ({ of, answers }: HostileAnswer) => {
  let given = 0;
  const reply: Reply = (socket, asked) => {
    const line = asked.slice(0, asked.indexOf(' HTTP/1.1'));
    const kind = line.startsWith('GET ')
      ? 'track'
      : line === `POST ${PROPOSALS}`
        ? 'quote'
        : line === 'POST /v2/carriers/create'
          ? 'label'
          : 'ship';
    if (kind !== of) return socket.write(ORDINARY[kind]);
    const {
      status,
      headers = {},
      body,
      text = JSON.stringify(body),
    } = answers[Math.min(given, answers.length - 1)] ?? {
      status: 500,
    };
    given += 1;
    return socket.write(http(status, text, headers));
  };
  return servedRig(() => reply)();
};

const isUnknown = (outcome: string) => outcome === 'unknown';
const codeOf = (outcome: string) => (isUnknown(outcome) ? 'outcome_unknown' : outcome);

test.each(ANSWERS)('$name', async hostile => {
  const { of, outcome } = hostile;
  const rig = await answering(hostile);
  const { transport, ended } = commandOf(rig, 'mcp --download out');
  const agent = await connected(transport, GENERATIONS[1]);
  const made = new Set<string>();
  const order = { key: 'A-1', request, carrier: 'EXP' };
  const calls: [tool: string, args: object][] = [
    ...(of === 'quote' ? [['quote', { request: QUOTE }] as [string, object]] : []),
    of === 'quote' ? ['plan', { ...order, maxPrice: '20EUR', carrier: 'cheapest' }] : ['ship', order],
    ...(of === 'label' || of === 'track' ? [[of, { refs: ['A-1'] }] as [string, object]] : []),
  ];
  const answers: Answered[] = [];
  for (const [tool, args] of calls) answers.push(await agent.call(tool, args));
  const last = answers.at(-1) as Answered;
  const told = last.isError ? last.result.error.code : (last.result.state ?? 'read');
  if (of !== 'quote')
    expect([told, last.result.error?.message]).toEqual([codeOf(outcome), last.result.error?.message]);
  const faults: unknown[] = [];
  for (const answer of answers) faults.push(...faultsOf(await obey(agent, answer, made)));
  // The same call again sends nothing: what was refused is left out, because it may be sent again.
  if (of === 'ship' && ['created', 'unknown', 'over_price'].includes(outcome)) {
    const { isError, result } = await agent.call('ship', order);
    expect(isError ? result.error.code : result.state).toBe(codeOf(outcome));
  }
  // The same order under another name is what an agent would try that was told of a failure.
  if (of === 'ship' && isUnknown(outcome))
    expect((await agent.call('ship', { ...order, key: 'A-1 again' })).result.error.code).toBe('duplicate');
  await agent.close();
  expect(faults).toEqual([]);
  expect(bodiesOf(await ended)).toHaveLength(of === 'quote' ? 0 : 1);
  await unsettled(rig);
});

// The forms of shops.

test.each(SHOPS)('%s: each order is booked once, whatever the agent obeys that looks back', async name => {
  const rig = await createRig({
    files: {
      [name]: fixture(name),
      'sender.json': SHIPMENT.sender,
      'map.json': {
        extends: name.replace(/\..*/, ''),
        constants: {
          ...{
            'items[].hsCode': '610910',
            'items[].countryOfOrigin': 'TR',
            type: 'package',
            category: 'sales',
          },
          ...{ 'receiver.email': 'a@b.example', 'receiver.phone.code': '+49' },
          'receiver.phone.number': '3515550100',
          ...(name.startsWith('woo') && { 'customs.currency': 'EUR' }),
        },
      },
    },
  });
  const batch = `batch ship ${name} --map ./map.json --package 1kg@30x20x10cm --sender sender.json --carrier EXP --chargeable-weight 1 --concurrency 1 --json --skip-invalid`;
  const booked = await rig.run(batch);
  const bookings = bodiesOf(booked).length;
  expect(bookings).toBeGreaterThan(7);
  const { transport, ended } = commandOf(rig);
  const agent = await connected(transport, GENERATIONS[1]);
  const made = new Set<string>();
  const found = await agent.call('history', { receivers: true });
  expect(JSON.stringify(found.result)).toContain(MARK);
  const keys: string[] = found.result.orders.map(({ key }: { key: string }) => key);
  const faults = faultsOf(await obey(agent, found, made));
  for (const [tool, args] of [
    ['label', { refs: keys }],
    ['track', { refs: keys }],
    ['history', { search: MARK, receivers: true }],
  ] as const)
    faults.push(...faultsOf(await obey(agent, await agent.call(tool, args), made)));
  await agent.close();
  const ran = await ended;
  expect([faults, bodiesOf(ran), labelsOf(ran)]).toEqual([[], [], keys.length]);
  const again = await rig.run(batch);
  expect(bodiesOf(again)).toEqual([]);
  expect(await unsettled(rig)).toHaveLength(bookings * 2);
});
