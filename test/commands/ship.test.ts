// What `ship` shows, which proposals it takes, and the weight that it books.
import { describe, expect, test } from 'vitest';
import { createRig } from '../rig/command.ts';
import {
  cannedService,
  DUAL,
  errorOf,
  PROPOSALS,
  proposing,
  SHIPMENT,
  sent,
  UNDECIDED,
} from '../rig/service.ts';

const stdin = JSON.stringify(UNDECIDED);
const ASKED = `POST ${PROPOSALS}`;
const BOOKED = [ASKED, 'POST /v1/shipments'];

test('ship shows the shipment that it booked, with its label as the file that was saved', async () => {
  const rig = await createRig();
  const ran = await rig.run('ship -f - --key A-1 --label --download labels', {
    stdin: JSON.stringify(SHIPMENT),
  });
  expect(ran.asked).toEqual([]);
  expect(ran.stdout.split('\n').map(line => line.replace(/ {2,}/, ': '))).toEqual([
    'Key: A-1',
    expect.stringMatching(/^Shipment: \S+$/),
    'Carrier: Emulated Express, 52.90 EUR',
    'From: Istanbul, TR',
    'To: Berlin, DE',
    'Chargeable weight: 4.8 kg',
    'Status: pending arrival at warehouse',
    'Created: 2 Mar 09:00',
    expect.stringMatching(/^Tracking number: \S+$/),
    expect.stringMatching(/^Label: .*\/labels\/A-1\.pdf$/),
    '',
  ]);
});

test('ship-dual shows both legs, and saves the label that has a link', async () => {
  const rig = await createRig();
  const ran = await rig.run('ship-dual -f - --label --download labels', { stdin: JSON.stringify(DUAL) });
  const rows = ran.stdout.trimEnd().split('\n');
  expect(rows.map(row => row.split(/ {2,}/))).toEqual([
    ['LEG', 'SHIPMENT', 'CARRIER', 'TRACKING NUMBER', 'LABEL'],
    [
      'international',
      expect.stringMatching(/^\S+$/),
      expect.stringMatching(/^Emulated/),
      expect.stringMatching(/^EXP/),
      expect.stringMatching(/labels\/shp_\w+\.pdf$/),
    ],
    ['domestic', expect.stringMatching(/^\S+$/), 'Emulated Domestic', expect.stringMatching(/^DOM/), '-'],
  ]);
  expect(ran.stderr).toContain('the domestic label has no link, and cannot be saved\n');
});

describe('A proposal', () => {
  test.each([null, undefined, '12,50', '1.234', { amount: 5 }])(
    'that is the only one is taken with a warning if its price is %j, and fails every --max-price',
    async price => {
      const rig = await createRig();
      const { env, seen } = await proposing({ id: 'A', price });
      const bound = await rig.run('ship -f - --carrier cheapest --max-price 50EUR', { stdin, env });
      expect([bound.exitCode, seen]).toEqual([4, [ASKED]]);
      const ran = await rig.run('ship -f - --carrier cheapest', { stdin, env });
      expect([ran.exitCode, seen]).toEqual([0, [ASKED, ...BOOKED]]);
      expect(ran.stderr).toMatch(/^warning: the price of A \(.*\) cannot be read/m);
    },
  );

  test('that is not valid is not booked by its id, and the reason is told; with a weight nobody asks for it', async () => {
    const rig = await createRig();
    const { env, seen } = await proposing(
      { id: 'A', price: 1, isValid: false, reason: 'too heavy' },
      { id: 'B', price: 2 },
    );
    const ran = await rig.run('ship -f - --carrier A --json', { stdin, env });
    expect(errorOf(ran)).toMatchObject({ code: 'not_found', exitCode: 4 });
    expect(errorOf(ran).message).toMatch(
      /A \(.*, not valid: too heavy\); B \(.*give --chargeable-weight KG$/,
    );
    expect(seen).toEqual([ASKED]);
    const weighed = await rig.run('ship -f - --carrier A --chargeable-weight 5', { stdin, env });
    expect([weighed.exitCode, seen]).toEqual([0, BOOKED]);
  });

  test('whose rules the order fails is left out; if that leaves none that keeps the bounds, what lacks is told', async () => {
    const rig = await createRig();
    for (const flags of ['cheapest --service economy', 'fastest --max-price 30EUR']) {
      const ran = await rig.run(`ship -f - --carrier ${flags} --json`, { stdin, may: ['reads'] });
      expect(errorOf(ran)).toMatchObject({
        code: 'invalid_request',
        issues: [{ path: 'customs.iossNumber' }],
      });
      expect(sent(ran)).toEqual([ASKED]);
      if (flags.includes('30EUR')) expect(ran.stderr).toMatch(/EXP .* is left out: not within 30.00 EUR/);
    }
  });
});

describe('Of several proposals with one carrier id, which is all that is booked,', () => {
  const CHEAP = { id: 'X', price: 10, deliveryTime: '5-7 days' };
  const DEAR = { id: 'X', price: 30, deliveryTime: '1-2 days' };
  const INVALID = { ...DEAR, isValid: false };
  const DOLLARS = { ...DEAR, currency: 'USD' };
  const LIMIT = '--max-price 20EUR';

  test.each<[string, Record<string, unknown>[], string, number, string?]>([
    ['the dearer is held against --max-price', [CHEAP, DEAR], LIMIT, 4],
    ['in any order', [DEAR, CHEAP], LIMIT, 4],
    ['the slower is held against --max-days', [CHEAP, DEAR], '--max-days 3', 4],
    ['the dearer is shown', [CHEAP, DEAR], '--max-price 30EUR', 0, 'X (express, 5-7 days, 30.00 EUR)'],
    ['one without a price makes it unknown', [CHEAP, { id: 'X' }], LIMIT, 4],
    ['so does another currency', [CHEAP, DOLLARS], LIMIT, 4],
    ['one that is not valid does not count', [CHEAP, INVALID], LIMIT, 0],
    ['another carrier may be cheaper', [CHEAP, DEAR, { id: 'Y', price: 20 }], LIMIT, 0, 'Y ('],
  ])('%s', async (_, proposals, flags, exitCode, words = '') => {
    const { env, seen } = await proposing(...proposals);
    const rig = await createRig({ env });
    const ran = await rig.run(`ship -f - --carrier cheapest ${flags}`, { stdin });
    expect([ran.exitCode, seen], ran.stderr).toEqual([exitCode, exitCode === 0 ? BOOKED : [ASKED]]);
    expect(ran.stderr).toContain(words);
  });
});

describe('The chargeable weight', () => {
  const heavy = JSON.stringify({ ...UNDECIDED, chargeableWeight: 30 });
  const weighing = (chargeableWeight: unknown) => {
    const proposals = [{ id: 'EXP', isValid: true, price: 1, currency: 'EUR' }];
    return cannedService({
      [PROPOSALS]: { status: 201, body: { chargeableWeight, proposals } },
      '/v1/shipments': { status: 201, body: { id: 'S-1' } },
    });
  };

  test.each([0, '0.00', -1])('of %j in the proposals is none: nothing is booked', async weight => {
    const rig = await createRig();
    const { env, seen } = await weighing(weight);
    const ran = await rig.run('ship -f - --carrier EXP --json', { stdin, env });
    expect(errorOf(ran)).toMatchObject({ code: 'unavailable', exitCode: 7 });
    expect(seen).toEqual([ASKED]);
  });

  test('of other packages is refused if --max-price cannot be verified, and else warned of before the booking', async () => {
    const rig = await createRig();
    for (const flags of ['fastest --max-price 60EUR', 'EXP --max-price 60EUR', 'fastest --strict']) {
      const ran = await rig.run(`ship -f - --carrier ${flags} --json`, { stdin: heavy, may: ['reads'] });
      expect(errorOf(ran)).toMatchObject({ code: 'invalid_request' });
      expect([ran.stdout, sent(ran)]).toEqual(['', [ASKED]]);
      expect(ran.stderr).toMatch(/30 kg, .*for 5 kg/);
    }
    const ran = await rig.run('ship -f - --carrier fastest', { stdin: heavy });
    expect([ran.stderr, sent(ran)]).toEqual([expect.stringContaining('the price will differ'), BOOKED]);
  });
});
