// Answers that created something and leave a doubt: an id that cannot be one, a second id, another receiver.
import { expect, test } from 'vitest';
import { DUAL, errorOf, SHIPMENT } from '../rig/service.ts';
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

const LONG = 'x'.repeat(150_000);

test.each([
  ['of more than 200 characters', 'x'.repeat(201), `"${'x'.repeat(59)}… of 201 characters at id`],
  ['of 150,000 characters', LONG, ' of 150000 characters at id'],
  ['with half of a character', 'S-\ud83d', '"S-\\ud83d" of 3 characters at id'],
  ['that was no UTF-8', 'S-\ufffd9', '"S-\ufffd9" of 4 characters at id'],
  ['with a control character', 'S-\u0007 1', '"S-\\u0007 1" of 5 characters at id'],
  ['of two lines', 'S-1\nS-2', '"S-1\\nS-2" of 7 characters at id'],
])('an id %s is none: exit 8, now and again, with what was seen', async (_, id, words) => {
  const body = { id, carrier: { id: 'EXP' } };
  const { rig, seen } = await answering(body);
  for (const _again of [1, 2]) {
    const ran = await rig.run(SHIP, { stdin });
    expect(errorOf(ran)).toMatchObject({ code: 'outcome_unknown', exitCode: 8 });
    expect(errorOf(ran).message).toContain(words);
    expect(errorOf(ran).message.length).toBeLessThan(1000);
  }
  expect(JSON.parse((await rig.run('history show K --json')).stdout)).toMatchObject({
    ...{ state: 'unknown', shipmentIds: [], answer: JSON.parse(JSON.stringify(body)) },
  });
  expect(seen).toEqual(['POST /v1/shipments']);
});

test('an id that is none makes a pair unknown, too, and one in an envelope is named', async () => {
  const pair = { international: { shipment: { id: 'I-1' } }, domestic: { shipment: { id: LONG } } };
  const first = await (await answering(pair)).rig.run('ship-dual -f - --json', { stdin: dual });
  expect(errorOf(first)).toMatchObject({ exitCode: 8 });
  expect(errorOf(first).message).toContain('of 150000 characters at domestic.shipment.id');
  const second = await (await answering({ success: false, data: { id: 'S-\0' } })).rig.run(SHIP, { stdin });
  expect(errorOf(second)).toMatchObject({ exitCode: 8 });
  expect(errorOf(second).message).toContain('"S-\\u0000" of 3 characters at data.id');
});

test('an id of 200 characters counts, and blanks around one are no part of it', async () => {
  const long = 'é'.repeat(200);
  expect((await (await answering({ id: long })).rig.run('ship -f - -q', { stdin })).stdout).toBe(`${long}\n`);
  const { rig } = await answering({ id: ' S-1\r\n' });
  const ran = await rig.run(SHIP, { stdin });
  expect([ran.exitCode, JSON.parse(ran.stdout)]).toEqual([0, { id: ' S-1\r\n' }]);
  expect((await rig.run('ship -f - --key K -q', { stdin })).stdout).toBe('S-1\n');
  expect((await rig.run('label S-1 --key K -q')).exitCode).toBe(0);
});

test.each([
  [{ id: 'S-1', shipmentId: 'S-2' }, 'S-1 at id and S-2 at shipmentId'],
  [{ shipment_id: 'S-2', id: 'S-1' }, 'S-1 at id and S-2 at shipment_id'],
  [{ id: 1, ID: '2' }, '1 at id and 2 at ID'],
  [{ id: 'S-1', shipmentIds: ['S-1', 'S-2'] }, 'S-1 at id and S-2 at shipmentIds'],
  [{ id: 'S-1', result: { id: 'S-2', shipmentId: 'S-2' } }, 'S-1 at id and S-2 at result.id'],
  [{ data: { id: 'S-1', shipmentId: 'S-2' } }, 'S-1 at data.id and S-2 at data.shipmentId'],
  [{ shipmentId: 'S-2', data: { id: 'S-1' } }, 'S-1 at data.id and S-2 at shipmentId'],
  [{ id: 'S-1', shipmentId: LONG }, 'S-1 at id and xxxx'],
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
    requestId: 'R',
    orderId: 'O',
    _id: 'M',
    carrierId: 'EXP',
    shipmentNumber: 'N',
    trackingNumber: 'T',
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
test.each([
  [{ country: 'FR', city: 'Paris' }, 'FR'],
  [{ country: 'France' }, 'France'],
  [{ country: 'Deutschland', firstName: 'Anna', lastName: 'Other' }, 'Anna Other, Deutschland'],
])('another receiver, %j, is warned of once: the booking is created', async (receiver, words) => {
  const { rig, seen } = await answering({ id: 'S-1', receiver });
  for (const isFirst of [true, false]) {
    const ran = await rig.run(`${SHIP} --strict --label`, { stdin });
    expect([ran.exitCode, JSON.parse(ran.stdout).id]).toEqual([0, 'S-1']);
    const warnings = warningsIn(ran.stderr).filter(one => one.includes('another receiver'));
    expect(warnings).toHaveLength(isFirst ? 1 : 0);
    if (isFirst) {
      expect(warnings[0]).toContain(
        `ship: the answer names another receiver, ${words}, and the order was for`,
      );
      expect(warnings[0]).toContain('`waybill track S-1`');
    }
  }
  expect(seen).toEqual(['POST /v1/shipments', 'POST /v2/carriers/create']);
});

test.each([
  { country: 'DE', city: 'Berlin' },
  { country: ' de ', city: 'BERLIN' },
  { country: 'Germany' },
  { country: 'ALMANYA', city: 'Münih' },
  { country: 'DEU' },
  // None of these can be compared.
  { country: 'Germany (EU)', city: 'Berlin' },
  { country: 49 },
  { country: null },
  { city: 'Köln' },
  {},
  'Berlin',
])('the receiver %j is no other one', async receiver => {
  const { rig } = await answering({ id: 'S-1', receiver });
  const { exitCode, stderr } = await rig.run(SHIP, { stdin });
  expect([exitCode, warningsIn(stderr)]).toEqual([0, []]);
});

test('a pair is compared by its international leg, because the domestic one may end at a warehouse', async () => {
  const leg = (id: string, country: string) => ({ shipment: { id, receiver: { country } } });
  for (const [country, count] of [
    ['DE', 0],
    ['US', 1],
  ] as const) {
    const { rig } = await answering({ international: leg('I-1', country), domestic: leg('D-1', 'TR') });
    const { exitCode, stderr } = await rig.run('ship-dual -f - --json', { stdin: dual });
    expect([exitCode, warningsIn(stderr)]).toMatchObject([0, { length: count }]);
  }
});

test('a batch warns of each record with another receiver, and books it', async () => {
  const { rig } = await answering({ id: 'S-1', receiver: { country: 'FR' } });
  rig.file('orders.jsonl', JSON.stringify({ key: 'A', ...SHIPMENT }));
  const ran = await rig.run('batch ship orders.jsonl --strict --yes');
  expect(ran.exitCode).toBe(0);
  expect(ran.stderr).toContain('the answer names another receiver, FR');
});
