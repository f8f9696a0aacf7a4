import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DAY, dualBody, faultyPaths, RIGS, type Rig, shipmentBody } from '../rig/emulator.ts';

describe.each(RIGS)('shipments %s', (_name, open) => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await open();
  });
  afterEach(() => rig.close());

  const carried = (id: string) => ({ ...shipmentBody(), carrier: { id } });
  const to = (code: string, id = 'ECO', customs = {}) => {
    const body = carried(id);
    body.receiver.address.country = { code };
    body.customs = { totalGoodsValue: 10, currency: 'EUR', ...customs };
    return body;
  };

  test('a new shipment awaits arrival at the warehouse', async () => {
    const { status, body } = await rig.call('POST', '/v1/shipments', shipmentBody());
    expect(status).toBe(201);
    expect(body).toMatchObject({
      carrier: { id: 'EXP', price: 147.81, currency: 'EUR' },
      sender: { country: 'TR', city: 'Istanbul' },
      receiver: { country: 'SA', city: 'Riyadh' },
      chargeableWeight: 12.6,
      status: [
        {
          status: 'pending_arrival_at_warehouse',
          milestone: 'pending_arrival_at_warehouse',
          date: '2025-03-05T12:00:00.000Z',
        },
      ],
      createdAt: '2025-03-05T12:00:00.000Z',
    });
    expect(body.id).toMatch(/^[a-z0-9_]+$/);
  });

  test('the same request twice makes two shipments', async () => {
    const first = await rig.call('POST', '/v1/shipments', shipmentBody());
    const second = await rig.call('POST', '/v1/shipments', shipmentBody());
    expect(second.body.id).not.toBe(first.body.id);
  });

  test('the detail record gives numbers as text', async () => {
    const { body: made } = await rig.call('POST', '/v1/shipments', shipmentBody());
    const { body } = await rig.call('GET', `/v1/shipments/${made.id}`);
    expect(body).toMatchObject({
      id: made.id,
      carrier: { name: 'Emulated Express', price: 147.81, currency: 'EUR' },
      packages: [
        { quantity: '2', weight: '4.5', dimensions: { width: '30', length: '40', height: '20' } },
        { quantity: '1', weight: '2.75' },
      ],
      tracking: { trackingNumber: '', events: [] },
      sender: { firstName: 'Deniz', lastName: 'Örnek', city: 'Istanbul' },
    });
    expect(body.receiver).toEqual({ firstName: 'Layla', lastName: 'Mithal', country: 'SA' });
  });

  test('a shipment is delivered when its transit time has passed', async () => {
    const { body: made } = await rig.call('POST', '/v1/shipments', shipmentBody());
    rig.clock.pass(2 * DAY - 1);
    expect((await rig.call('GET', `/v1/shipments/${made.id}`)).body.status).toHaveLength(1);
    rig.clock.pass(DAY);
    const { body } = await rig.call('GET', `/v1/shipments/${made.id}`);
    expect(body.status[1]).toEqual({
      status: 'delivered',
      milestone: 'delivered',
      date: '2025-03-07T12:00:00.000Z',
    });
    expect(body.tracking.events).toEqual([
      {
        status: 'Delivered',
        description: 'The shipment was delivered to the receiver.',
        location: 'Riyadh',
        date: '2025-03-07T12:00:00.000Z',
        milestone: 'delivered',
      },
    ]);
  });

  test('each leg of a dual shipment is read by its own operation only', async () => {
    const { body } = await rig.call('POST', '/v2/shipments', { ...dualBody(), label: false });
    expect(body).toMatchObject({
      success: true,
      international: { shipment: { carrier: { id: 'EXP' } } },
      domestic: { shipment: { carrier: { id: 'DOM' } } },
    });
    const abroad = body.international.shipment.id;
    const domestic = body.domestic.shipment.id;
    const read = await rig.call('GET', `/v1/shipments/domestic/${domestic}`);
    expect(read.body.receiver).toEqual({ firstName: 'Layla', lastName: 'Mithal', city: 'Riyadh' });
    expect((await rig.call('GET', `/v1/shipments/${abroad}`)).status).toBe(200);
    expect((await rig.call('GET', `/v1/shipments/${domestic}`)).status).toBe(404);
    expect((await rig.call('GET', `/v1/shipments/domestic/${abroad}`)).status).toBe(404);
  });

  test('an unknown or unsuitable carrier is a 422 for a single and a 400 for a dual shipment', async () => {
    for (const id of ['XXX', 'DOM', 'company-101']) {
      const answer = await rig.call('POST', '/v1/shipments', carried(id));
      expect([answer.status, faultyPaths(answer)]).toEqual([422, ['carrier.id']]);
    }
    const swapped = { ...dualBody(), carriers: { international: { id: 'DOM' }, domestic: { id: 'ECO' } } };
    const answer = await rig.call('POST', '/v2/shipments', swapped);
    expect([answer.status, faultyPaths(answer)]).toEqual([400, ['carriers.international.id']]);
  });

  test('a missing carrier of a dual shipment is a 400', async () => {
    const { domestic } = dualBody().carriers;
    const answer = await rig.call('POST', '/v2/shipments', { ...dualBody(), carriers: { domestic } });
    expect([answer.status, faultyPaths(answer)]).toEqual([400, ['carriers.international']]);
  });

  test('no carrier accepts a shipment within a country, or a piece above its limit', async () => {
    expect((await rig.call('POST', '/v1/shipments', to('TR', 'EXP'))).status).toBe(422);
    const heavy = shipmentBody();
    heavy.packages[0].weight = 71;
    expect((await rig.call('POST', '/v1/shipments', heavy)).status).toBe(422);
  });

  test('economy needs the IOSS number to the EU and the marketplace number to the UK', async () => {
    const ioss = await rig.call('POST', '/v1/shipments', to('DE'));
    expect([ioss.status, faultyPaths(ioss)]).toEqual([422, ['customs.iossNumber']]);
    const market = await rig.call('POST', '/v1/shipments', to('GB'));
    expect([market.status, faultyPaths(market)]).toEqual([422, ['customs.marketplaceNumber']]);
    for (const fine of [
      to('DE', 'ECO', { iossNumber: 'IM0000000000' }),
      to('GB', 'ECO', { marketplaceNumber: 'MP-1' }),
      to('DE', 'EXP'),
      to('GB', 'EXP'),
      to('US'),
    ])
      expect((await rig.call('POST', '/v1/shipments', fine)).status).toBe(201);
  });

  test('a shipment to Saudi Arabia needs the national short address', async () => {
    const body = shipmentBody();
    delete body.receiver.address.nationalShortAddress;
    const answer = await rig.call('POST', '/v1/shipments', body);
    expect([answer.status, faultyPaths(answer)]).toEqual([422, ['receiver.address.nationalShortAddress']]);
  });

  test('the sandbox has data of its own', async () => {
    const { status, body } = await rig.call('POST', '/sandbox/v1/shipments', shipmentBody());
    expect(status).toBe(201);
    expect((await rig.call('GET', `/sandbox/v1/shipments/${body.id}`)).status).toBe(200);
    expect((await rig.call('GET', `/v1/shipments/${body.id}`)).status).toBe(404);
  });
});
