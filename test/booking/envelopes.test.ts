// Services that put an answer into an envelope, give numbers as ids, or leave an object out: what they made is found, shown,
// recorded, and shown again.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DUAL, errorOf, PROPOSALS, SHIPMENT } from '../rig/service.ts';
import { abroad, abroadPdf, inland, rigWith } from './answers.ts';

const stdin = JSON.stringify(SHIPMENT);
const carrier = { id: 7, name: 'Express', price: '12.4', currency: 'EUR' };
const ENVELOPED = { status: 'ok', data: { id: 4711, carrier } };
const SHIP = { '/v1/shipments': { status: 201, body: ENVELOPED } };

test('a shipment in an envelope is booked, shown as it came, and shown again', async () => {
  const { rig, seen } = await rigWith(SHIP);
  const booked = await rig.run('ship -f - --key K --json', { stdin });
  expect([booked.exitCode, JSON.parse(booked.stdout)]).toEqual([0, ENVELOPED]);
  expect(booked.stderr).toContain(
    'ship: the service document shows the id at id, and the answer has it at data.id: it was read there',
  );
  const again = await rig.run('ship -f - --key K --json', { stdin });
  expect([again.exitCode, again.stdout]).toEqual([0, booked.stdout]);
  expect(again.stderr).not.toContain('data.id');
  expect((await rig.run('ship -f - --key K -q', { stdin })).stdout).toBe('4711\n');
  expect(seen).toEqual(['POST /v1/shipments']);
});

test('the table and the journal have its price and carrier, and it is found by its id', async () => {
  const { rig } = await rigWith(SHIP);
  const { stdout } = await rig.run('ship -f - --key K', { stdin });
  expect(stdout).toMatch(/Shipment +4711\nCarrier +Express, 12\.40 EUR/);
  const [row] = JSON.parse((await rig.run('history list --json')).stdout);
  expect(row).toMatchObject({
    ...{ state: 'created', shipmentIds: ['4711'], carrier: '7', price: '12.4', currency: 'EUR' },
  });
  expect(JSON.parse((await rig.run('history show 4711 --json')).stdout)).toMatchObject({
    key: 'K',
    answer: ENVELOPED,
  });
});

test('its price is held against the bound, now and later: exit 11', async () => {
  const offer = { id: 'EXP', isValid: true, price: 5, currency: 'EUR', deliveryTime: '1-2 days' };
  const proposals = { status: 201, body: { proposals: [offer], chargeableWeight: 5 } };
  const { rig, seen } = await rigWith({ ...SHIP, [PROPOSALS]: proposals });
  const ship = 'ship -f - --key K --max-price 10EUR --json';
  for (const _ of [1, 2]) {
    const ran = await rig.run(ship, { stdin });
    expect(errorOf(ran)).toMatchObject({ code: 'over_price', exitCode: 11 });
    expect(errorOf(ran).message).toContain('4711 for 12.4 EUR, which is above --max-price 10 EUR');
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
  expect((await rig.run('history list --state unknown -q')).stdout).not.toBe('');
  for (const same of ['0017', 's-2', 'T-3']) expect((await rig.run(`track ${same}`)).exitCode).toBe(0);
  const unchecked = await rig.run('history resolve K --created S-1 --unchecked');
  expect(unchecked).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('S-1') });
});

test('a batch has ids, carrier and price of such answers, and says once where the ids were', async () => {
  const { rig } = await rigWith(SHIP);
  rig.file('orders.jsonl', ['A', 'B'].map(key => JSON.stringify({ key, ...SHIPMENT })).join('\n'));
  const batch = 'batch ship orders.jsonl --results r.jsonl';
  const line = { state: 'created', shipmentId: '4711', carrier: '7', price: '12.4', result: ENVELOPED };
  for (const count of [1, 0]) {
    const { exitCode, stderr } = await rig.run(batch);
    expect([exitCode, stderr.match(/the answer has it at data\.id/g)?.length ?? 0]).toEqual([0, count]);
    const lines = readFileSync(join(rig.folder, 'r.jsonl'), 'utf8').trim().split('\n');
    expect(lines.map(one => JSON.parse(one))).toMatchObject([line, line]);
  }
});

const PAIR = {
  success: true,
  international: { id: 1, carrier, label: { ...abroadPdf, trackingNumber: 34043416109402 } },
  domestic: { id: 2, label: inland },
};

test('a pair without the object around its shipments is booked with its labels', async () => {
  const { rig, seen } = await rigWith({ '/v2/shipments': { status: 201, body: PAIR } });
  const dual = { stdin: JSON.stringify({ ...DUAL, label: true }) };
  expect((await rig.run('ship-dual -f - --key P -q', dual)).stdout).toBe('1\n2\n');
  const { exitCode, stdout, stderr } = await rig.run('ship-dual -f - --key P', dual);
  expect([exitCode, stderr]).toMatchObject([0, expect.stringContaining('nothing was sent')]);
  expect(stdout).toMatch(/international +1 +Express +34043416109402 /);
  const [row] = JSON.parse((await rig.run('history list --json')).stdout);
  expect(row).toMatchObject({
    shipmentIds: ['1', '2'],
    trackingNumbers: ['34043416109402', 'D-TRACK'],
    ...{ carrier: '7', price: '12.4' },
  });
  expect(JSON.parse((await rig.run('label --key P --json')).stdout)).toMatchObject({
    international: { trackingNumber: expect.anything() },
    domestic: inland,
  });
  expect(seen).toEqual(['POST /v2/shipments']);
});

test('labels in an envelope are made, shown, and found again', async () => {
  const { rig, seen } = await rigWith({
    ...SHIP,
    '/v2/carriers/create': { status: 200, body: { result: { international: abroad } } },
  });
  const { exitCode, stdout } = await rig.run('ship -f - --key K --label', { stdin });
  expect([exitCode, stdout]).toMatchObject([
    0,
    expect.stringMatching(/Tracking number +I-TRACK\nLabel +http/),
  ]);
  for (const ref of ['I-TRACK', 'K', '4711'])
    expect((await rig.run(['label', ref, '-q'])).stdout).toBe(`${abroad.label}\n`);
  expect(seen).toEqual(['POST /v1/shipments', 'POST /v2/carriers/create']);
});

test('a shipment that is read in an envelope is tracked', async () => {
  const status = [{ status: 'in_transit', milestone: 'in_transit', date: '2026-03-02T09:00:00Z' }];
  const body = { success: true, shipment: { id: 7, status, tracking: { trackingNumber: 99 } } };
  const { rig } = await rigWith({ '/v1/shipments/7': { status: 200, body } });
  expect(JSON.parse((await rig.run('track 7 --json')).stdout)).toEqual(body);
  expect((await rig.run('track 7 -q')).stdout).toBe('in_transit\n');
  expect((await rig.run('track 7')).stdout).toMatch(/Shipment +7\n(.*\n)*Tracking number +99/);
  expect((await rig.run('track 7 --until in_transit')).exitCode).toBe(0);
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

test('a shipment in an envelope settles an unknown booking', async () => {
  const body = { data: { id: 'S-9', carrier, receiver: {}, status: [] } };
  const { rig } = await rigWith({
    '/v1/shipments': { status: 500, body: {} },
    '/v1/shipments/S-9': { status: 200, body },
  });
  await rig.run('ship -f - --key K', { stdin });
  expect((await rig.run('history resolve K --created S-9')).exitCode).toBe(0);
  const [row] = JSON.parse((await rig.run('history list --json')).stdout);
  expect(row).toMatchObject({ state: 'created', shipmentIds: ['S-9'], price: '12.4', carrier: '7' });
});

test('proposals in an envelope are compared, and one of them is chosen', async () => {
  const offer = { isValid: true, currency: 'EUR', deliveryTime: '1-2 days', serviceType: 'express' };
  const data = { chargeableWeight: 5, proposals: [9, 7].map(price => ({ ...offer, id: price, price })) };
  const { rig } = await rigWith({ [PROPOSALS]: { status: 201, body: { data } } });
  const quote = 'quote --from TR --to DE --package 1kg@1x1x1cm';
  expect((await rig.run(`${quote} -q`)).stdout).toBe('9\n7\n');
  expect(JSON.parse((await rig.run(`${quote} --json`)).stdout)).toEqual({ data });
  const cheapest = JSON.parse((await rig.run(`${quote} --cheapest --json`)).stdout);
  expect(cheapest).toEqual({ data: { ...data, proposals: [data.proposals[1]] } });
  expect((await rig.run(quote)).stdout).toContain('Chargeable weight: 5 kg');
});
