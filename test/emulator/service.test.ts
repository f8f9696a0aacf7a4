// The service as the emulator plays it, over HTTP: what arrives and what is answered. Each answer is one that the contract
// lists; through the commands it is held against the service document in test/contract/openapi.test.ts.
import { describe, expect, test } from 'vitest';
import { OPERATIONS } from '../../src/contract/operations.ts';
import { DAY, emulator, faultyPaths, shipmentBody } from '../rig/emulator.ts';
import { fixture } from '../rig/service.ts';

const ROWS = Object.values(OPERATIONS);
const JSON_BODY = (method: string) => (method === 'POST' ? '{}' : undefined);
const concrete = (path: string) => path.replace(/\{\w+\}/g, 'some-id');

describe('A request', () => {
  test.each(ROWS)(
    'for $id needs a token, a JSON object, and the sandbox only where there is one',
    async row => {
      const { call } = await emulator();
      const { method, path, body, sandbox, errors } = row;
      for (const authorization of ['', 'Bearer wrong', 'Bearer demo x']) {
        const { status } = await call(method, concrete(path), JSON_BODY(method), { authorization });
        expect(status === 401).toBe(errors[401] !== undefined);
      }
      for (const wrong of body ? ['', '{', 'null', '[]', '"text"', '7', '{}'] : [])
        expect((await call(method, path, wrong)).status).toBe(400);
      const there = await call(method, `/sandbox${concrete(path)}`, JSON_BODY(method), {});
      expect(there.status).toBe(sandbox ? 401 : 404);
    },
  );

  test('at another path or with another method is a 404, one that is too long a 400, and a query is ignored', async () => {
    const { call } = await emulator();
    const paths = '/ /v1 /v1/shipments/ /v3/shipments /v1/shipments/%E0%A4%A /sandbox /labels/x';
    for (const path of paths.split(' ')) {
      const { status, body } = await call('GET', path);
      expect([path, status, body.success, body.error.code]).toEqual([path, 404, false, 'not_found']);
    }
    expect((await call('DELETE', '/v1/shipments')).status).toBe(404);
    const small = await emulator({ bodyLimit: 100 });
    expect((await small.call('POST', '/v1/shipments', shipmentBody())).status).toBe(400);
    expect((await call('POST', '/v1/shipments?x=1', shipmentBody())).status).toBe(201);
  });

  test('has its token in any header', async () => {
    const { call } = await emulator();
    for (const headers of [
      { authorization: 'demo' },
      { 'x-api-key': 'demo' },
      { 'x-anything': 'Token demo' },
    ])
      expect((await call('POST', '/v1/shipments', shipmentBody(), headers)).status).toBe(201);
  });
});

describe('A quote', () => {
  const dimensions = { width: 10, length: 10, height: 10 };
  const quote = {
    originCountry: 'TR',
    destinationCountry: 'DE',
    packages: [{ quantity: 1, weight: 1, dimensions }],
  };
  const QUOTE = '/v1/carriers/proposal';

  test('has the price of the rates, of the booking and of the shipment', async () => {
    const { call } = await emulator();
    const to = { country: 'GR', postalCode: '99901' };
    const size = { width: 30, length: 20, height: 10 };
    const group = { quantity: 3, weight: 1.3, dimensions: size };
    const quoted = await call('POST', QUOTE, {
      originCountry: 'TR',
      destinationCountry: to.country,
      postalCode: to.postalCode,
      packages: [group],
    });
    expect(quoted.body.proposals[1]).toMatchObject({ price: 51.24, kg: 4 });
    const packages = [{ width: 30, lengthCm: 20, height: 10, piece: 3, pieceWeight: 1.3 }];
    const data = { countryFrom: 'TR', countryTo: to.country, postalCode: to.postalCode, packages };
    const rated = await call('POST', '/api/v1/shipping/rates', { data });
    expect(rated.body.proposals[1]).toMatchObject({ serviceType: 'Express', price: '51.24', data });
    expect(['ECO', 'EXP', 'DOM']).not.toContain(rated.body.proposals[1].companyId);
    const order = {
      ...shipmentBody(),
      chargeableWeight: 4,
      packages: [{ ...group, dimensions: { ...size, unit: 'cm' } }],
    };
    Object.assign(order.receiver.address, { country: { code: to.country }, zipCode: to.postalCode });
    const made = await call('POST', '/v1/shipments', order);
    expect(made.body.carrier).toMatchObject({ id: 'EXP', price: 51.24 });
    expect((await call('GET', `/v1/shipments/${made.body.id}`)).body.carrier.price).toBe(51.24);
  });

  test('says which carrier does not take it, rates leave that one out, and none goes within a country', async () => {
    const { call } = await emulator();
    const heavy = { ...quote, packages: [{ quantity: 1, weight: 31, dimensions }] };
    expect((await call('POST', QUOTE, heavy)).body.proposals).toMatchObject([
      { id: 'ECO', isValid: false, reason: 'a piece of 31 kg is above 30 kg' },
      { id: 'EXP', isValid: true },
    ]);
    const { data } = fixture('api/v1/shipping/rates/POST/minimal.request.json') as { data: object };
    const rates = (change: object) =>
      call('POST', '/api/v1/shipping/rates', { data: { ...data, ...change } }, {});
    const packages = [{ height: 1, width: 1, lengthCm: 1, piece: 1, pieceWeight: 40 }];
    const { body } = await rates({ packages });
    expect(body.proposals).toMatchObject([{ serviceType: 'Express' }]);
    expect((await rates({ countryFrom: 'TR', countryTo: 'TR' })).status).toBe(404);
    expect((await call('POST', QUOTE, { ...quote, destinationCountry: 'TR' })).body.proposals).toEqual([]);
    const endless = { ...quote, packages: [{ quantity: 1e300, weight: 1e300, dimensions }] };
    expect((await call('POST', QUOTE, endless)).status).toBe(422);
  });
});

describe('A shipment', () => {
  test('is as it was sent, and is delivered in the moment in which its transit time has passed', async () => {
    const { call, clock } = await emulator();
    const { body: made } = await call('POST', '/v1/shipments', shipmentBody());
    const status = 'pending_arrival_at_warehouse';
    const date = '2025-03-05T12:00:00.000Z';
    expect(made).toMatchObject({
      carrier: { id: 'EXP', price: 147.81, currency: 'EUR' },
      receiver: { country: 'SA', city: 'Riyadh' },
      chargeableWeight: 12.6,
      status: [{ status, milestone: status, date }],
      createdAt: date,
    });
    clock.pass(2 * DAY - 1);
    const before = await call('GET', `/v1/shipments/${made.id}`);
    expect(before.body).toMatchObject({
      packages: [
        { quantity: '2', weight: '4.5', dimensions: { width: '30', length: '40', height: '20' } },
        { quantity: '1', weight: '2.75' },
      ],
      status: [{ status }],
      tracking: { trackingNumber: '', events: [] },
      receiver: { firstName: 'Layla', lastName: 'Mithal', country: 'SA' },
    });
    clock.pass(1);
    const { body } = await call('GET', `/v1/shipments/${made.id}`);
    const arrival = { date: '2025-03-07T12:00:00.000Z', milestone: 'delivered' };
    expect(body.status[1]).toEqual({ status: 'delivered', ...arrival });
    expect(body.tracking.events).toMatchObject([{ status: 'Delivered', location: 'Riyadh', ...arrival }]);
  });

  const { receiver } = shipmentBody();
  const to = (code: string) => ({ ...receiver, address: { ...receiver.address, country: { code } } });
  const [group] = shipmentBody().packages;
  const heavy = [{ ...group, weight: 71 }];
  const pieces = [{ ...group, weight: 0.001, quantity: 1000 }];
  test.each<[string, object, string]>([
    ['a company of the rates as its carrier', { carrier: { id: 'company-101' } }, 'carrier.id'],
    ['a receiver in its own country', { receiver: to('TR') }, 'carrier.id'],
    ['a piece above the limit', { packages: heavy }, 'carrier.id'],
    ['more than 999 pieces', { packages: pieces }, 'packages'],
  ])('with %s is refused', async (_, change, path) => {
    const { call } = await emulator();
    const answer = await call('POST', '/v1/shipments', { ...shipmentBody(), ...change });
    expect([answer.status, faultyPaths(answer)]).toEqual([422, [path]]);
  });
});
