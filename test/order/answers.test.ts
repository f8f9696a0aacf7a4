// Answers of odd forms that created something, beside the rows of test/promises/answers.test.ts: a second id, another receiver,
// carrier or weight, an envelope, a tracking number that another order has.
import { expect, test } from 'vitest';
import { createRig, type Rig } from '../rig/command.ts';
import { describeBoth } from '../rig/postgres.ts';
import { cannedService, DUAL, errorOf, PROPOSALS, SHIPMENT } from '../rig/service.ts';
import { rigWith } from './answers.ts';

const LABEL = { success: true, trackingNumber: 'T-1', label: 'https://labels.example/l' };

/** A rig whose service creates shipments with this answer. */
const answering = (body: unknown) =>
  rigWith({
    '/v1/shipments': { status: 201, body },
    '/v2/shipments': { status: 201, body },
    '/v2/carriers/create': { status: 200, body: { success: true, international: LABEL } },
  });

const stdin = JSON.stringify(SHIPMENT);
const dual = JSON.stringify(DUAL);
const SHIP = 'ship -f - --key K --json';

const warningsIn = (stderr: string): string[] =>
  stderr
    .trim()
    .split('\n')
    .flatMap(line => JSON.parse(line).warning ?? []);

test('blanks around an id are no part of it', async () => {
  const { rig } = await answering({ id: ' S-1\r\n' });
  expect(await rig.json('ship -f - --key K', { stdin })).toEqual({ id: ' S-1\r\n' });
  expect((await rig.run('ship -f - --key K -q', { stdin })).stdout).toBe('S-1\n');
  expect((await rig.run('label S-1 --key K -q')).exitCode).toBe(0);
});

test.each([
  [{ shipment_id: 'S-2', id: 'S-1' }, 'S-1 at id and S-2 at shipment_id'],
  [{ id: 1, ID: '2' }, '1 at id and 2 at ID'],
  [{ id: 'S-1', shipmentIds: ['S-1', 'S-2'] }, 'S-1 at id and S-2 at shipmentIds'],
  [{ id: 'S-1', result: { id: 'S-2', shipmentId: 'S-2' } }, 'S-1 at id and S-2 at result.id'],
  [{ data: { id: 'S-1', shipmentId: 'S-2' } }, 'S-1 at data.id and S-2 at data.shipmentId'],
  [{ shipmentId: 'S-2', data: { id: 'S-1' } }, 'S-1 at data.id and S-2 at shipmentId'],
  [{ id: 'S-1', shipmentId: 'x'.repeat(150_000) }, 'S-1 at id and xxxx'],
])('of two ids in %j the first counts, and a warning names both, once', async (body, words) => {
  const { rig } = await answering(body);
  const ran = await rig.run(`${SHIP} --strict`, { stdin });
  expect(ran.exitCode).toBe(0);
  expect(warningsIn(ran.stderr).filter(one => one.includes('two ids'))).toEqual([
    expect.stringContaining(`ship: the answer has two ids, ${words}`),
  ]);
  expect((await rig.run(SHIP, { stdin })).stderr).not.toContain('two ids');
});

test('two ids of a leg are warned of, and other ids of a leg or a shipment are not', async () => {
  const leg = (id: string, more: object = {}) => ({ shipment: { id, ...more } });
  const two = { international: leg('I-1', { shipmentId: 'I-2' }), domestic: leg('D-1') };
  const ran = await (await answering(two)).rig.run('ship-dual -f - --json', { stdin: dual });
  expect(warningsIn(ran.stderr)).toEqual([
    expect.stringContaining('I-1 at international.shipment.id and I-2 at international.shipment.shipmentId'),
  ]);
  const others = {
    ...{ requestId: 'R', orderId: 'O', _id: 'M' },
    ...{ carrierId: 'EXP', shipmentNumber: 'N', trackingNumber: 'T' },
  };
  const pair = { id: 'P-1', ...others, international: leg('I-1', others), domestic: leg('D-1', others) };
  for (const [command, body, input] of [
    ['ship', { id: 'S-1', shipmentId: 'S-1', receiver: { id: 'R' }, ...others }, stdin],
    ['ship-dual', pair, dual],
  ] as const) {
    const { rig } = await answering(body);
    const { exitCode, stderr } = await rig.run(`${command} -f - --json`, { stdin: input });
    expect([exitCode, warningsIn(stderr)]).toEqual([0, []]);
  }
});

// The order goes to Anna Beispiel in Berlin, DE.
test.each<[unknown, string?]>([
  [{ country: 'FR', city: 'Paris' }, 'Paris, FR'],
  [{ country: 'France' }, 'France'],
  [{ country: 'Deutschland', firstName: 'Anna', lastName: 'Other' }, 'Anna Other (Deutschland)'],
  [{ country: ' de ', city: 'BERLIN' }],
  [{ country: 'Germany' }],
  [{ country: 'ALMANYA', city: 'Münih' }],
  // None of these can be compared.
  [{ country: 'Germany (EU)', city: 'Berlin' }],
  [{ country: 49 }],
  [{ city: 'Köln' }],
  ['Berlin'],
])(
  'the receiver %j is warned of once if it is another one: the booking is created',
  async (receiver, words) => {
    const { rig, seen } = await answering({ id: 'S-1', receiver });
    const warnings = async () => {
      const ran = await rig.run(`${SHIP} --strict --label`, { stdin });
      expect([ran.exitCode, JSON.parse(ran.stdout).id]).toEqual([0, 'S-1']);
      return warningsIn(ran.stderr).filter(one => one.includes('receiver'));
    };
    const told =
      words === undefined
        ? []
        : [expect.stringContaining(`another receiver, ${words}, and the order was for`)];
    expect(await warnings()).toEqual(told);
    expect(await warnings()).toEqual([]);
    expect(seen).toEqual(['POST /v1/shipments', 'POST /v2/carriers/create']);
  },
);

test('a pair is compared by its international leg, because the domestic one may end at a warehouse', async () => {
  const leg = (id: string, country: string) => ({ shipment: { id, receiver: { country } } });
  for (const [country, count] of Object.entries({ DE: 0, US: 1 })) {
    const { rig } = await answering({ international: leg('I-1', country), domestic: leg('D-1', 'TR') });
    const { exitCode, stderr } = await rig.run('ship-dual -f - --json', { stdin: dual });
    expect([exitCode, warningsIn(stderr)]).toMatchObject([0, { length: count }]);
  }
});

test.each<[string, object, string[]]>([
  ['the same carrier and about the same weight', { carrier: { id: ' exp ' }, chargeableWeight: 5 }, []],
  [
    'another carrier',
    { carrier: { id: 'ECO' } },
    ['the carrier ECO at carrier.id, and the order was for EXP'],
  ],
  ['many times the weight', { chargeableWeight: '480' }, ['has 480 kg, and the order was for 4.8 kg']],
  ['less weight', { chargeableWeight: 0.48 }, []],
  ['neither', {}, []],
])('an answer with %s is warned of, also with -q', async (_, more, words) => {
  const { rig } = await answering({ id: 'S-1', ...more });
  const { exitCode, stderr } = await rig.run('ship -f - --key K -q', { stdin });
  expect([exitCode, stderr.match(/^warning: .*/gm)?.length ?? 0]).toEqual([0, words.length]);
  for (const one of words) expect(stderr).toContain(one);
});

test('of a pair each leg has its carrier', async () => {
  const leg = (id: string, carrier: string) => ({ shipment: { id, carrier: { id: carrier } } });
  const { rig } = await answering({ international: leg('I-1', 'EXP'), domestic: leg('D-1', 'EXP') });
  const { stderr } = await rig.run('ship-dual -f - --json', { stdin: dual });
  expect(warningsIn(stderr)).toEqual([
    expect.stringContaining('the carrier EXP at domestic.shipment.carrier.id, and the order was for DOM'),
  ]);
});

// Services that put an answer into an envelope, or give numbers as ids.
const carrier = { id: 7, name: 'Express', price: '12.4', currency: 'EUR' };

test('the price of a shipment in an envelope is held against the bound, now and later: exit 11', async () => {
  const offer = { id: 'EXP', isValid: true, price: 5, currency: 'EUR', deliveryTime: '1-2 days' };
  const proposals = { status: 201, body: { proposals: [offer], chargeableWeight: 5 } };
  const booked = { status: 201, body: { status: 'ok', data: { id: 4711, carrier } } };
  const { rig, seen } = await rigWith({ '/v1/shipments': booked, [PROPOSALS]: proposals });
  const ship = 'ship -f - --key K --max-price 10EUR --json';
  for (const _ of [1, 2]) {
    const ran = await rig.run(ship, { stdin });
    expect(errorOf(ran)).toMatchObject({ code: 'over_price', exitCode: 11 });
    expect(errorOf(ran).message).toContain('4711 for 12.4 EUR, above --max-price 10 EUR');
  }
  expect(seen).toEqual([`POST ${PROPOSALS}`, 'POST /v1/shipments']);
});

test('what is told of another shipment is not shown, and settles nothing', async () => {
  const told = (id: unknown, tracking?: object) => ({ status: 200, body: { id, carrier, tracking } });
  const { rig } = await rigWith({
    '/v1/shipments': { status: 500, body: {} },
    '/v1/shipments/S-1': told('OTHER-9'),
    '/v1/shipments/0017': told(17),
    '/v1/shipments/s-2': told('S-2'),
    '/v1/shipments/T-3': told('S-3', { trackingNumber: 'T-3' }),
  });
  await rig.run('ship -f - --key K', { stdin });
  const words = 'cannot be used: it is about OTHER-9, and S-1 was asked for';
  for (const command of ['track S-1', 'history resolve K --created S-1']) {
    const ran = await rig.run(`${command} --json`);
    expect([ran.stdout, errorOf(ran)]).toMatchObject(['', { code: 'unavailable' }]);
    expect(errorOf(ran).message).toContain(words);
  }
  expect(await rig.json('history list --state unknown')).toHaveLength(1);
  for (const same of ['0017', 's-2', 'T-3']) expect((await rig.run(`track ${same}`)).exitCode).toBe(0);
  expect((await rig.run('history resolve K --created S-1 --unchecked')).exitCode).toBe(0);
});

test.each([
  ['no object', [{ id: '7' }], 'not a JSON object'],
  ['an object without an id', { status: [] }, 'there is no id'],
  ['an object with an id that is none', { id: { of: 7 } }, 'its id is'],
])('a read that is answered with %s cannot be used: exit 7', async (_, body, words) => {
  const { rig } = await rigWith({ '/v1/shipments/7': { status: 200, body } });
  const ran = await rig.run('track 7 --json --retries 0');
  expect([ran.stdout, errorOf(ran)]).toMatchObject(['', { code: 'unavailable', exitCode: 7 }]);
  expect(errorOf(ran).message).toContain(words);
});

// A service, or a proxy with a cache, repeats an answer: two parcels would go with one label.
describeBoth('A tracking number of two orders', journal => {
  const leg = (id: string) => ({ shipment: { id }, label: LABEL });
  const rigOf = async () => {
    const { env } = await cannedService({
      '/v1/shipments': { status: 201, body: { id: 'S-1' } },
      '/v2/shipments': { status: 201, body: { international: leg('I-1'), domestic: leg('D-1') } },
      '/v2/carriers/create': { status: 200, body: { success: true, international: LABEL, domestic: LABEL } },
    });
    return createRig({ env, journal });
  };

  test('is warned of, with --quiet too: by one command, a batch and a pair', async () => {
    const rig = await rigOf();
    for (const key of ['A', 'B', 'C']) await rig.run(`ship -f - --key ${key}`, { stdin });
    const told = async (command: string, input = '') => {
      const ran = await rig.run(`${command} -q --no-sandbox`, { stdin: input });
      expect(ran.exitCode).toBe(0);
      return ran.stderr;
    };
    const other = (shipment: string, keys: string) =>
      new RegExp(
        `${shipment} and another order \\("[${keys}]", (bk_\\w+)\\) have one tracking number, T-1\\. Compare both labels before a parcel leaves: \`waybill history show \\1 --no-sandbox\``,
      );
    expect(await told('label A')).toBe('');
    expect(await told('label B')).toMatch(other('S-2', 'A'));
    expect(await told('label B')).toBe('');
    const batch = await told('batch label - --format jsonl -y', '{"international":"S-3"}\n');
    expect(batch).toMatch(other('S-3', 'AB'));
    expect(await told('ship-dual -f - --key P --label', dual)).toMatch(other('I-1', 'ABC'));
  });

  test('is none of one shipment, of two legs, of a cancelled order, or of another account', async () => {
    const quiet = async (rig: Rig, command: string) =>
      expect((await rig.run(`${command} -q -y`)).stderr).not.toContain('T-1, and');
    const pair = await rigOf();
    await pair.run('ship-dual -f - --key P', { stdin: dual });
    for (const one of ['--international I-1', '--domestic D-1']) await quiet(pair, `label ${one}`);
    const rig = await rigOf();
    for (const key of ['A', 'B']) await rig.run(`ship -f - --key ${key} --label`, { stdin });
    await rig.run('history cancelled A --reason TEST -y');
    await quiet(rig, 'label B --allow-duplicate');
    await quiet(rig, 'label --international S-9 --account other');
  });
});
