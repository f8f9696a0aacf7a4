import { describe, expect, test } from 'vitest';
import { createRig } from '../rig/command.ts';
import { bodyOf, errorOf, PROPOSALS, SHIPMENT, sent, UNDECIDED } from '../rig/service.ts';

const stdin = JSON.stringify(SHIPMENT);
const undecided = JSON.stringify(UNDECIDED);
const ONCE = ['POST /v1/shipments'];
const QUOTED = [`POST ${PROPOSALS}`, ...ONCE];
/** What the economy carrier wants for Germany. */
const IOSS = '--ioss-number IM0123456789';

test('ship books what was given, once, and shows the shipment', async () => {
  const rig = await createRig();
  const ran = await rig.run('ship -f -', { stdin });
  expect(ran).toMatchObject({ exitCode: 0, stderr: '', asked: [] });
  expect(sent(ran)).toEqual(ONCE);
  expect(bodyOf(ran)).toEqual(SHIPMENT);
  expect(ran.stdout.split('\n').map(line => line.replace(/ {2,}/, ': '))).toEqual([
    expect.stringMatching(/^Shipment: \S+$/),
    'Carrier: Emulated Express, 52.90 EUR',
    'From: Istanbul, TR',
    'To: Berlin, DE',
    'Chargeable weight: 4.8 kg',
    'Status: pending_arrival_at_warehouse',
    'Created: 2026-03-02T09:00:00.000Z',
    '',
  ]);
});

test('the file of a request may be named without -f, and - is stdin', async () => {
  const rig = await createRig({ files: { 'order.json': SHIPMENT } });
  const named = await rig.run('ship order.json --key K');
  expect([named.exitCode, bodyOf(named)]).toEqual([0, SHIPMENT]);
  const again = await rig.run('ship - --key K', { stdin });
  expect([again.exitCode, sent(again)]).toEqual([0, []]);
});

test('ship from flags alone', async () => {
  const rig = await createRig({ files: { 'me.json': SHIPMENT.sender, 'you.json': SHIPMENT.receiver } });
  const ran = await rig.run([
    ...'ship --type package --delivery-type DDP --package 1.5kg@30x20x10cm -q --category'.split(' '),
    'micro export',
    ...'--total-goods-value 25 --currency EUR --ioss-number IM0123456789 --marketplace-number M1'.split(' '),
    ...'--sender me.json --receiver you.json --invoice me.json --carrier EXP --chargeable-weight 2'.split(
      ' ',
    ),
    ...'--item description=T-shirt,hsCode=610910,countryOfOrigin=TR,quantity=2,unitPrice=12.5'.split(' '),
  ]);
  expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
  expect(sent(ran)).toEqual(ONCE);
  const { sender, receiver } = SHIPMENT;
  expect(bodyOf(ran)).toEqual({
    ...{ type: 'package', category: 'micro export', deliveryType: 'DDP', sender, receiver, invoice: sender },
    packages: [{ quantity: 1, weight: 1.5, dimensions: { length: 30, width: 20, height: 10, unit: 'cm' } }],
    items: [
      {
        ...{ description: 'T-shirt', hsCode: '610910', countryOfOrigin: 'TR' },
        ...{ quantity: 2, unitPrice: 12.5, totalPrice: 25 },
      },
    ],
    customs: { totalGoodsValue: 25, currency: 'EUR', iossNumber: 'IM0123456789', marketplaceNumber: 'M1' },
    carrier: { id: 'EXP' },
    chargeableWeight: 2,
  });
});

describe('The carrier of ship', () => {
  test('is the cheapest or the fastest of the valid proposals, at its chargeable weight, and that is shown', async () => {
    const rig = await createRig();
    for (const [pick, id, words] of [
      ['cheapest', 'ECO', 'carrier: ECO (economy, 5-7 days, 27.50 EUR)'],
      ['fastest', 'EXP', 'carrier: EXP (express, 1-3 days, 52.90 EUR)'],
    ] as const) {
      const ran = await rig.run(`ship -f - --carrier ${pick} ${IOSS}`, { stdin: undecided });
      expect(ran.exitCode, ran.stderr).toBe(0);
      expect(sent(ran)).toEqual(QUOTED);
      expect(bodyOf(ran, 0)).toEqual({
        ...{ originCountry: 'TR', destinationCountry: 'DE', postalCode: '10115', packageType: 'package' },
        packages: [{ quantity: 1, weight: 3.2, dimensions: { width: 30, length: 40, height: 20 } }],
      });
      expect(bodyOf(ran)).toMatchObject({ carrier: { id }, chargeableWeight: 5 });
      expect(ran.stderr).toBe(`chargeable weight, taken from the proposal: 5 kg\n${words}\n`);
    }
  });

  test.each([
    ['--carrier EXP', undecided, QUOTED, 'EXP', 5],
    ['--carrier EXP --chargeable-weight 0.5', undecided, ONCE, 'EXP', 0.5],
    ['--carrier cheapest --set carrier.id=EXP', stdin, ONCE, 'EXP', 4.8],
    [`--carrier cheapest ${IOSS}`, stdin, QUOTED, 'ECO', 4.8],
  ])(
    'is given by %s: a proposal is asked for only where it is needed',
    async (flags, body, requests, id, chargeableWeight) => {
      const rig = await createRig();
      const ran = await rig.run(`ship -f - ${flags}`, { stdin: body });
      expect(sent(ran)).toEqual(requests);
      expect(bodyOf(ran)).toMatchObject({ carrier: { id }, chargeableWeight });
    },
  );

  test.each([
    ['--carrier cheapest --service Express', 'EXP'],
    ['--carrier cheapest --max-days 3', 'EXP'],
    ['--carrier fastest --max-price 30EUR', 'ECO'],
    ['--carrier EXP --max-price 52.90eur --max-days 3 --service express', 'EXP'],
  ])('is bounded by %s', async (flags, id) => {
    const rig = await createRig();
    const ran = await rig.run(`ship -f - ${flags} ${IOSS}`, { stdin });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(sent(ran)).toEqual(QUOTED);
    expect(bodyOf(ran)).toMatchObject({ carrier: { id } });
  });

  test.each([
    ['--carrier cheapest --max-price 27.49EUR', 'no carrier offers this for 27.49 EUR or less'],
    [
      '--carrier cheapest --max-price 100USD',
      'no carrier offers this for 100 USD or less: the prices are in EUR, and are not converted',
    ],
    ['--carrier fastest --max-days 2', 'no carrier offers this within 2 days'],
    ['--carrier EXP --max-price 52.89EUR', 'the carrier EXP does not offer this for 52.89 EUR or less'],
    ['--carrier ECO --service express', 'the carrier ECO does not offer this with the service express'],
    ['--carrier NONE --max-days 9', 'the carrier NONE does not offer this within 9 days'],
  ])('is not booked beyond %s', async (flags, words) => {
    const rig = await createRig();
    const ran = await rig.run(`ship -f - ${flags} ${IOSS} --json`, { stdin });
    expect(errorOf(ran)).toMatchObject({ code: 'not_found', exitCode: 4, operation: 'ship' });
    expect(errorOf(ran).message).toContain(words);
    expect(errorOf(ran).message).toContain('; nothing was booked');
    if (!words.includes('not converted'))
      expect(errorOf(ran).message).toContain('ECO (economy, 5-7 days, 27.50 EUR)');
    expect(ran.stdout).toBe('');
    expect(sent(ran)).toEqual([`POST ${PROPOSALS}`]);
  });
});

describe('If the proposals do not have the answer', () => {
  test('because a package is measured in inches, nothing is sent', async () => {
    const rig = await createRig();
    const ran = await rig.run('ship -f - --carrier EXP --set packages[0].dimensions.unit=in --json', {
      stdin: undecided,
    });
    expect(errorOf(ran)).toMatchObject({
      ...{ code: 'invalid_request', exitCode: 2, operation: 'ship' },
      issues: [{ path: 'packages[0].dimensions.unit', message: 'must be cm, not "in"' }],
    });
    expect(ran.requests).toEqual([]);
  });

  test('because they are documents that no proposal takes, nothing is sent', async () => {
    const rig = await createRig();
    const ran = await rig.run('ship -f - --carrier EXP --type document --json', { stdin: undecided });
    expect(errorOf(ran)).toMatchObject({ code: 'invalid_request', issues: [{ path: 'packages[0].weight' }] });
    expect(errorOf(ran).message).toContain('give --carrier ID and --chargeable-weight KG');
    expect(ran.requests).toEqual([]);
  });
});

describe('a chargeable weight of other packages', () => {
  const heavy = JSON.stringify({ ...UNDECIDED, chargeableWeight: 30 });

  test('is refused if --max-price cannot be verified; nothing is booked', async () => {
    const rig = await createRig();
    for (const carrier of ['fastest', 'EXP']) {
      const ran = await rig.run(`ship -f - --carrier ${carrier} --max-price 60EUR --json`, {
        stdin: heavy,
        may: ['reads'],
      });
      expect(errorOf(ran)).toMatchObject({ code: 'invalid_request', issues: [{ path: 'chargeableWeight' }] });
      expect(errorOf(ran).message).toContain(
        'given as 30 kg, and the proposals for these packages are for 5 kg',
      );
      expect([ran.stdout, sent(ran)]).toEqual(['', [`POST ${PROPOSALS}`]]);
    }
  });

  test('is warned of before anything is booked, and refused with --strict', async () => {
    const rig = await createRig();
    const strict = await rig.run('ship -f - --carrier fastest --strict --json', { stdin: heavy });
    expect(errorOf(strict)).toMatchObject({ code: 'invalid_request' });
    expect(sent(strict)).toEqual([`POST ${PROPOSALS}`]);
    const ran = await rig.run('ship -f - --carrier fastest', { stdin: heavy });
    expect(ran.stderr).toContain('the price will differ');
    expect(sent(ran)).toEqual(QUOTED);
  });

  test('that is less than the packages weigh is warned of, with no proposal asked for', async () => {
    const rig = await createRig();
    const ran = await rig.run('ship -f - --package 30kg@60x40x40cm --dry-run', { stdin });
    expect(ran.stderr).toContain('chargeableWeight is 4.8, but the packages weigh 30 kg');
    expect(ran.exitCode).toBe(0);
  });

  test('in a record of a batch stops that record, and its estimate, too', async () => {
    const rig = await createRig();
    rig.file('orders.jsonl', [
      { key: 'A', ...JSON.parse(heavy) },
      { key: 'B', ...UNDECIDED },
    ]);
    const flags = '--format json --carrier fastest --max-price 60EUR --json';
    for (const more of ['--dry-run --estimate', '']) {
      const ran = await rig.run(`batch ship orders.jsonl ${flags} ${more}`);
      expect(ran.exitCode).toBe(9);
      expect(errorOf(ran).issues).toEqual([
        { path: 'line 1, A', message: expect.stringContaining('chargeableWeight is 30') },
      ]);
    }
  });
});

test('a carrier that is nearly fastest is sent as an id, with a warning', async () => {
  const rig = await createRig();
  const ran = await rig.run(`ship -f - --carrier fastst ${IOSS}`, { stdin });
  expect(ran.stderr).toContain('"fastst" is sent as a carrier id; did you mean fastest?');
});
