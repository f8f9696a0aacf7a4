import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { dualBody, fixture, RIGS, type Rig, shipmentBody } from '../rig/emulator.ts';

describe.each(RIGS)('quotes %s', (_name, open) => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await open();
  });
  afterEach(() => rig.close());

  const proposal = () => fixture('v1/carriers/proposal/POST/minimal.request.json');
  const rates = () => fixture('api/v1/shipping/rates/POST/minimal.request.json');

  test('both international carriers propose a price', async () => {
    const { status, body } = await rig.call('POST', '/v1/carriers/proposal', proposal());
    expect(status).toBe(201);
    expect(body.proposals).toMatchObject([
      { id: 'ECO', serviceType: 'economy', deliveryTime: '5-7 days', currency: 'EUR', isValid: true },
      { id: 'EXP', serviceType: 'express', deliveryTime: '1-3 days', currency: 'EUR', isValid: true },
    ]);
    expect(body.proposals[0].price).toBeLessThan(body.proposals[1].price);
  });

  test('the chargeable weight is the greater of weight and volume, in steps of half a kilogram', async () => {
    const dimensions = { width: 50, length: 50, height: 50 };
    const packages = [
      { quantity: 2, weight: 1.1, dimensions: { width: 1, length: 1, height: 1 } },
      { quantity: 1, weight: 1, dimensions },
    ];
    const { body } = await rig.call('POST', '/v1/carriers/proposal', { ...proposal(), packages });
    expect(body.chargeableWeight).toBe(27.5);
  });

  test('a remote postal code costs more', async () => {
    const near = await rig.call('POST', '/v1/carriers/proposal', { ...proposal(), postalCode: '10001' });
    const far = await rig.call('POST', '/v1/carriers/proposal', { ...proposal(), postalCode: '99950' });
    expect(far.body.proposals[0].price - near.body.proposals[0].price).toBeCloseTo(15);
  });

  test.each([
    ['BG', 8.56, 18],
    ['DE', 10.7, 22.5],
    ['SA', 13.91, 29.25],
    ['US', 17.12, 36],
    ['NZ', 21.4, 45],
  ])('the zone of the receiver decides the price: a kilogram to %s', async (country, economy, express) => {
    const packages = [{ quantity: 1, weight: 1, dimensions: { width: 1, length: 1, height: 1 } }];
    const body = { ...proposal(), packages, destinationCountry: country };
    const quoted = await rig.call('POST', '/v1/carriers/proposal', body);
    expect(quoted.body.proposals).toMatchObject([{ price: economy }, { price: express }]);
  });

  test('rates and the booking have the price of the quote', async () => {
    const [country, postalCode] = ['GR', '99901'];
    const dimensions = { width: 30, length: 20, height: 10 };
    const group = { quantity: 3, weight: 1.3 };
    const quoted = await rig.call('POST', '/v1/carriers/proposal', {
      ...{
        originCountry: 'TR',
        destinationCountry: country,
        postalCode,
        packages: [{ ...group, dimensions }],
      },
    });
    const { price, kg } = quoted.body.proposals[1];
    expect([price, kg]).toEqual([51.24, 4]);
    const rated = await rig.call('POST', '/api/v1/shipping/rates', {
      data: {
        ...{ countryFrom: 'TR', countryTo: country, postalCode },
        packages: [{ width: 30, lengthCm: 20, height: 10, piece: 3, pieceWeight: 1.3 }],
      },
    });
    expect(rated.body.proposals[1].price).toBe('51.24');
    const packages = [{ ...group, dimensions: { ...dimensions, unit: 'cm' } }];
    const body = { ...shipmentBody(), packages, chargeableWeight: kg };
    Object.assign(body.receiver.address, { country: { code: country }, zipCode: postalCode });
    const made = await rig.call('POST', '/v1/shipments', body);
    expect(made.body.carrier).toMatchObject({ id: 'EXP', price });
    expect((await rig.call('GET', `/v1/shipments/${made.body.id}`)).body.carrier.price).toBe(price);
  });

  test('the domestic leg has the same price for every receiver', async () => {
    const prices = ['DE', 'NZ'].map(async code => {
      const body = dualBody();
      Object.assign(body.receiver.address, { country: { code } });
      const made = await rig.call('POST', '/v2/shipments', body);
      const read = await rig.call('GET', `/v1/shipments/domestic/${made.body.domestic.shipment.id}`);
      return read.body.carrier.price;
    });
    expect(new Set(await Promise.all(prices)).size).toBe(1);
  });

  test('a piece too heavy for a carrier makes its proposal invalid, with the reason', async () => {
    const dimensions = { width: 10, length: 10, height: 10 };
    const packages = [{ quantity: 1, weight: 31, dimensions }];
    const { body } = await rig.call('POST', '/v1/carriers/proposal', { ...proposal(), packages });
    expect(body.proposals).toMatchObject([
      { id: 'ECO', isValid: false, reason: 'a piece of 31 kg is above 30 kg' },
      { id: 'EXP', isValid: true },
    ]);
    expect(body.proposals[1]).not.toHaveProperty('reason');
  });

  test('there are no proposals within a country, and rates answer 404', async () => {
    const within = { ...proposal(), originCountry: 'TR', destinationCountry: 'TR' };
    expect((await rig.call('POST', '/v1/carriers/proposal', within)).body.proposals).toEqual([]);
    const { data } = rates();
    const none = await rig.call('POST', '/api/v1/shipping/rates', {
      data: { ...data, countryTo: data.countryFrom },
    });
    expect(none.status).toBe(404);
  });

  test('rates need no credential', async () => {
    expect((await rig.call('POST', '/api/v1/shipping/rates', rates(), {})).status).toBe(200);
  });

  test('rates repeat the data, and their company ids are not carrier ids', async () => {
    const { body } = await rig.call('POST', '/api/v1/shipping/rates', rates());
    expect(body.proposals).toMatchObject([
      { serviceType: 'Economy', price: expect.stringMatching(/^\d+\.\d\d$/), data: rates().data },
      { serviceType: 'Express', price: expect.stringMatching(/^\d+\.\d\d$/), data: rates().data },
    ]);
    for (const { companyId } of body.proposals) expect(['ECO', 'EXP', 'DOM']).not.toContain(companyId);
  });

  test('rates leave out carriers that do not accept the packages', async () => {
    const { data } = rates();
    const packages = [{ height: 1, width: 1, lengthCm: 1, piece: 1, pieceWeight: 40 }];
    const { body } = await rig.call('POST', '/api/v1/shipping/rates', { data: { ...data, packages } });
    expect(body.proposals.map((entry: { serviceType: string }) => entry.serviceType)).toEqual(['Express']);
  });

  test('a weight above the maximum is refused', async () => {
    const packages = [{ quantity: 1e300, weight: 1e300, dimensions: { width: 1, length: 1, height: 1 } }];
    expect((await rig.call('POST', '/v1/carriers/proposal', { ...proposal(), packages })).status).toBe(422);
  });
});
