// Five hundred orders of a shop and its eight rules, beside the carrier that a person wrote down for each kind of order.
import { expect, test } from 'vitest';
import { limitedRig } from '../promises/rigs.ts';
import { jsonLines, linesIn, order } from '../rig/batch.ts';
import { SHIPMENT } from '../rig/service.ts';

/** `name: conditions → choice`, as the shop wrote it. */
const RULES = [
  ['Fragile', { sku: ['GLASS-*'] }, { carrier: 'SAFE' }],
  ['Northern Ireland', { to: ['GB'], postalCode: 'BT*' }, { carrier: 'MID' }],
  ['Papers', { type: 'document' }, { carrier: 'FAST' }],
  ['Freight', { weightKg: { above: 30 } }, { hold: 'ask for an offer' }],
  ['EU, dear', { to: ['EU'], value: { above: '150EUR,165USD' } }, { carrier: 'MID', deliveryType: 'DDP' }],
  ['EU, light', { to: ['EU'], weightKg: { upTo: 2 } }, { carrier: 'LOW' }],
  ['EU', { to: ['EU'] }, { carrier: 'cheapest', service: 'express' }],
  ['North America', { to: ['US', 'CA'] }, { carrier: 'FAST', maxPrice: '25EUR' }],
  // biome-ignore lint/suspicious/noThenProperty: the field of the file is called so.
].map(([name, conditions, choice]) => ({ name, if: conditions, then: choice }));

/** Country, postal code, kilograms, value, SKU, D for a document; the carrier that a person chose, or -: keep it back; + for DDP. */
const BY_HAND = `
DE 10115    0.4   20 EUR TEE         LOW
DE 10115    2     20 EUR TEE         LOW
DE 10115    2.01  20 EUR TEE         LOW
DE 10115    1    150 EUR TEE         LOW
DE 10115    1 150.01 EUR TEE         MID+
DE 10115    1    165 USD TEE         LOW
DE 10115    1    166 USD TEE         MID+
DE 10115   30    149 EUR SHELF       LOW
DE 10115   30.5  149 EUR SHELF       -
DE 10115   30.5  151 EUR SHELF       -
DE 10115    0.4   20 EUR GLASS-1     SAFE
DE 10115   31     20 EUR GLASS-9     SAFE
DE 10115    0.4    9 EUR PAPER     D FAST
FR 75002    0.4   20 EUR TEE         LOW
FR 75002   12     60 EUR SHELF       LOW
FR 75002   12    800 EUR SHELF       MID+
FR 75002    0.2  900 EUR RING        MID+
FR 75002    0.2  900 EUR glass-ring  SAFE
AT 1010     2    100 EUR TEE         LOW
AT 1010     2.5  100 EUR TEE         LOW
AT 1010    29    100 EUR SHELF       LOW
AT 1010    29    170 USD SHELF       MID+
IE D02AF30  0.5   30 EUR TEE         LOW
IE D02AF30  0.5  151 EUR TEE         MID+
PL 00-001   1     30 EUR TEE         LOW
PL 00-001  40     30 EUR SHELF       -
ES 28001    1     30 USD TEE         LOW
ES 28001    3     30 USD TEE         LOW
ES 28001    1      9 USD PAPER     D FAST
GB SW1A1AA  1     30 EUR TEE         HOME
GB SW1A1AA  1    300 EUR TEE         HOME
GB BT15GS   1     30 EUR TEE         MID
GB bt7      9    300 EUR TEE         MID
GB BT15GS  31     30 EUR SHELF       MID
GB BT15GS   1     30 EUR GLASS-2     SAFE
GB BT15GS   1     30 EUR PAPER     D MID
GB SW1A1AA 31     30 EUR SHELF       -
GB SW1A1AA  1     30 EUR PAPER     D FAST
US 10001    1     30 USD TEE         FAST
US 10001   20    900 USD SHELF       FAST
US 10001   31    900 USD SHELF       -
US 10001    1     30 USD GLASS-3     SAFE
US 10001    1      9 USD PAPER     D FAST
CA K1A0B1   1     30 USD TEE         FAST
CA K1A0B1  30     30 EUR SHELF       FAST
CH 8001     1     30 EUR TEE         HOME
CH 8001     1    300 USD TEE         HOME
CH 8001    31     30 EUR SHELF       -
NO 0150     5     30 EUR GLASS-4     SAFE
NO 0150     5     30 EUR SHELF       HOME`
  .trim()
  .split('\n')
  .map(line => line.trim().split(/\s+/));

const TIMES = 10;

test('a batch of 500 orders takes for each the carrier that a person chose by hand', async () => {
  const meant = new Map<string, string>();
  const records = BY_HAND.flatMap((words, kind) =>
    Array.from({ length: TIMES }, (_, time) => {
      const key = `O-${kind}-${time}`;
      const [country = '', zipCode = '', kilograms, value, currency, sku, ...rest] = words;
      meant.set(key, rest.at(-1) ?? '');
      const { carrier: _carrier, deliveryType: _type, ...record } = order(key);
      const [parcel] = SHIPMENT.packages as object[];
      return {
        ...record,
        Article: sku,
        type: rest.length > 1 ? 'document' : 'package',
        // Pieces of one weight: rules ask for all of them.
        packages: [{ ...parcel, weight: Number(kilograms) }],
        items: (record.items as Record<string, unknown>[]).map(({ totalPrice: _total, ...item }) => ({
          ...item,
          ...{ quantity: 1, unitPrice: Number(value) },
        })),
        customs: { currency },
        receiver: {
          ...(SHIPMENT.receiver as object),
          ...{ firstName: `Anna ${time}`, phone: { code: '+49', number: `30231${kind}${time}1` } },
          address: { line1: `Street ${time + 1}`, city: 'Town', zipCode, country: { code: country } },
        },
      };
    }),
  );
  expect(records).toHaveLength(500);
  const rig = await limitedRig({
    offered: ['SAFE', 'MID', 'FAST', 'LOW', 'HOME'].map((id, at) => [id, id === 'LOW' ? 5 : 20 + at]),
    files: {
      'rules.json': RULES,
      'map.json': { columns: { Article: '_' }, sku: 'Article' },
      'orders.jsonl': jsonLines(records),
    },
    settings: { carrier: 'HOME' },
  })();
  const ran = await rig.run(
    'batch ship orders.jsonl --rules rules.json --map map.json --concurrency 16 --json --max-overpriced 900',
  );

  const booked = new Map(
    ran.requests
      .filter(({ path }) => path === '/v1/shipments')
      .map(({ body }) => JSON.parse(body))
      .map(({ items, carrier, deliveryType }): [string, string] => [
        items[0].description.replace('Goods ', ''),
        `${carrier.id}${deliveryType === 'DDP' ? '+' : ''}`,
      ]),
  );
  for (const { key, state } of linesIn(rig)) if (state === 'held') booked.set(key ?? '', '-');
  expect(ran.stderr.slice(0, 600)).not.toContain('error');
  expect([...meant].filter(([key, carrier]) => booked.get(key) !== carrier)).toEqual([]);
  expect(JSON.parse(ran.stdout)).toMatchObject({
    records: 500,
    states: { held: 60 },
    goods: {
      rules: {
        ...{ Fragile: 60, 'Northern Ireland': 40, Papers: 40, 'EU, dear': 60, 'EU, light': 90, EU: 60 },
        ...{ 'North America': 40, 'no rule': 50 },
      },
    },
  });
});
