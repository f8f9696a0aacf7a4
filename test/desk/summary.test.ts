// Exact sums of groups, the page of a person as it is drawn, and the commands that the page names; promises/history has the rest.
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { createRig, type Rig } from '../rig/command.ts';
import { bookingAt, fill, labelAt, UNKNOWN } from '../rig/journal.ts';

const to = (code: string) => ({ receiver: { firstName: 'Ann', address: { country: { code } } } });
const priced = (number: number, price: unknown, currency = 'EUR', carrier = 'EXP') =>
  JSON.stringify({ id: `S-${number}`, carrier: { id: carrier, price, currency } });

const DAY = 24 * 60 * 60 * 1000;

async function morning() {
  const rig = await createRig();
  await fill(rig, 'state', [
    bookingAt(rig, 1, { request: to('DE'), answer: priced(1, '0.1') }),
    labelAt(rig, 2, 1),
    bookingAt(rig, 3, { request: to('DE'), answer: priced(3, 0.2), run: 'night' }),
    labelAt(rig, 4, 3, UNKNOWN),
    bookingAt(rig, 5, { ...UNKNOWN, request: to('FR') }),
    bookingAt(rig, 6, { request: to('FR'), answer: priced(6, 70, 'USD', 'ECO'), overPrice: true }),
    labelAt(rig, 7, 6),
    bookingAt(rig, 8, { request: to('FR'), answer: priced(8, '1.234'), profile: 'live' }),
    bookingAt(rig, 9, {
      ...{ operation: 'ship-dual', answer: '{}', request: to('GB') },
      ids: { international: 'I', domestic: 'D' },
      labels: { international: { made: true, trackingNumber: 'T-I' } },
    }),
    bookingAt(rig, 10, { state: 'rejected', code: 'rejected', ids: {}, request: to('IT') }),
    bookingAt(rig, 11, { at: rig.clock.now - 2 * DAY, request: to('PL') }),
    bookingAt(rig, 12, { address: 'demo', profile: 'demo', request: to('ES') }),
  ]);
  return rig;
}

const groups = (rig: Rig, flags = '') => rig.json(`history summary ${flags}`);

test('a month is whole: without --since, this one and the twelve before', async () => {
  const rig = await morning();
  const first = new Date(2025, 2, 1).getTime();
  await fill(rig, 'state', [bookingAt(rig, 20, { at: first - 1 }), bookingAt(rig, 21, { at: first })]);
  const months = await groups(rig, '--by month,carrier');
  expect([...new Set(months.map(({ group }: { group: string }) => group))]).toEqual([
    '2025-03',
    '2026-02',
    '2026-03',
  ]);
  expect((await groups(rig, '--by carrier')).length).toBe(3);
  // The commands of the table have the same span.
  expect((await rig.run('history summary --by month')).stdout).toContain('--since 2025-03-01');
});

test('a person sees first what needs one, each with the command to type', async () => {
  const rig = await morning();
  const label = bookingAt(rig, 4).id;
  const text = stripVTControlCharacters((await rig.run('history summary --since 12h')).stdout);
  expect(text).toBe(`Since 1 Mar 21:00: 6 shipments, 3 labels, 0.30 EUR + 70.00 USD.

2 unknown: K-5, ${label}
  waybill history list --state unknown --since 12h

2 without a label: K-9, K-8
  waybill label K-9 K-8

1 above --max-price: K-6
  waybill history accept K-6

2 without a price: K-9, K-8
  waybill history list --since 12h
`);
});

test('two groups give each pair, with the sum of each first one and the total at the end', async () => {
  const rig = await createRig();
  const february = { at: rig.clock.now - 2 * DAY };
  await fill(rig, 'state', [
    bookingAt(rig, 1, { ...february, answer: priced(1, '0.1') }),
    labelAt(rig, 2, 1, february),
    bookingAt(rig, 3, { ...february, answer: priced(3, '0.2', 'EUR', 'ECO') }),
    bookingAt(rig, 4, { ...february, state: 'cancelled', answer: priced(4, 9, 'EUR', 'ECO') }),
    bookingAt(rig, 5, { answer: priced(5, '1,234.5', 'USD') }),
    bookingAt(rig, 6, { answer: priced(6, '1234.5', 'USD') }),
  ]);
  const ran = await rig.run('history summary --since 7d --by month,carrier');
  expect(stripVTControlCharacters(ran.stdout)).toContain(`
MONTH    CARRIER  SHIPMENTS  LABELS                    COST  UNKNOWN  UNLABELLED  OVER  NO PRICE  CANCELLED
2026-02  ECO              1       0                0.20 EUR                    1                          1
2026-02  EXP              1       1                0.10 EUR
2026-02  all              2       1                0.30 EUR                    1                          1
2026-03  EXP              2       0             1234.50 USD                    2               1
total                     4       1  0.30 EUR + 1234.50 USD                    3               1          1
`);
  expect((await rig.run('history summary --by month,carrier -o csv')).stdout).toMatch(
    /^group,subgroup,shipments,/,
  );
  await fill(rig, 'state', [bookingAt(rig, 7, UNKNOWN)]);
  expect((await rig.run('history summary --until today')).stdout).toContain(
    'waybill history list --state unknown --since 1d --until today\n',
  );
});
