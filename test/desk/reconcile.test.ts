// The provider's invoices, in all the ways in which they are written, held against what was booked; promises/reconcile has the kinds.
import { expect, test } from 'vitest';
import { createRig, type Ran, type Rig } from '../rig/command.ts';
import { bookingAt, fill, labelAt, UNKNOWN } from '../rig/journal.ts';
import { errorOf } from '../rig/service.ts';

const priced = (number: number, price: unknown, currency = 'EUR') => ({
  answer: JSON.stringify({ id: `S-${number}`, carrier: { id: 'EXP', price, currency } }),
});

async function month(): Promise<Rig> {
  const rig = await createRig();
  await fill(rig, 'state', [
    bookingAt(rig, 1, priced(1, 10)),
    labelAt(rig, 101, 1),
    bookingAt(rig, 2, priced(2, '20.00')),
    bookingAt(rig, 3, priced(3, 30)),
    bookingAt(rig, 4, priced(4, 40, 'USD')),
    bookingAt(rig, 5, { ...priced(5, 50), state: 'cancelled' }),
    bookingAt(rig, 6, priced(6, 60)),
    bookingAt(rig, 7, priced(7, 70)),
    bookingAt(rig, 8, priced(8, 80)),
  ]);
  return rig;
}

const run = (rig: Rig, rows: readonly string[], flags = '') =>
  rig.run(`history reconcile - --json ${flags}`.trim(), { stdin: rows.join('\n') });

/** Kind, key and difference of each row. */
const rowsOf = ({ stdout }: Ran): unknown[][] =>
  JSON.parse(stdout).map(({ kind, key, difference }: Record<string, unknown>) => [kind, key, difference]);
/** Of those that are in the file, and do not agree. */
const differing = (ran: Ran) => rowsOf(ran).filter(([kind]) => kind !== 'agrees' && kind !== 'missing');

test('a credit note in a file of its own is added, and is no second invoice', async () => {
  const rig = await month();
  rig.file('first.csv', 'Shipment;Total;Currency\nS-1;10,00;EUR\nS-2;22,00;EUR\n');
  rig.file('second.csv', 'Key,Net,Currency\nK-1,10.00,EUR\nK-2,-2.00,EUR\n');
  expect(rowsOf(await rig.run('history reconcile first.csv second.csv --json'))).toEqual([
    ['twice', 'K-1', 10],
    ['agrees', 'K-2', 0],
  ]);
});

const LATER = ['4 orders booked after', '--until today'];
const ALL = ['K-8', 'K-7', 'K-6', 'K-4'];

// What lies behind an end that nobody gave is told, and how to see it.
test.each([
  ['', [], LATER],
  ['--since 1d', ['K-1'], LATER],
  ['--since 1d --carrier ECO', [], undefined],
  ['--until 2030-01-01', ALL, ['1 order booked before', '--since DATE']],
  ['--since 1d --until 2030-01-01', [...ALL, 'K-1'], undefined],
])('with %j these are missing: %j', async (flags, missing, told) => {
  const ran = await run(await month(), ['shipmentId,price,currency', 'S-2,20,EUR', 'S-3,30,EUR'], flags);
  expect(rowsOf(ran).flatMap(([kind, key]) => (kind === 'missing' ? key : []))).toEqual(missing);
  const [, ...words] = /not compared: (\d orders? booked \w+) .*(--\w+ \w+) compares/.exec(ran.stderr) ?? [];
  expect(words).toEqual(told ?? []);
});

const EUR = '--currency EUR';

const REFUSED: [rows: string[], flags: string, message: RegExp][] = [
  [['AWB,Amount ($)', 'S-1,10'], '', /known as that of --currency/],
  [['what,price', 'S-1,1'], EUR, /known as that of --by/],
  [['what,price', 'S-1,1'], `${EUR} --by which`, /no column "which" for --by/],
  [['shipmentId,price', 'S-1,many'], EUR, /line 2: the price of "S-1" is "many"/],
  ...['5 USD', '12.May', '12 50', '$5'].map((price): [string[], string, RegExp] => [
    ['shipmentId,price', `S-1,${price}`],
    EUR,
    /no price in "EUR"/,
  ]),
  [['AWB,Amount (USD)', 'S-1,10'], EUR, /under "Amount \(USD\)", .* no price in "EUR"/],
  [['AWB,price_usd,currency', 'S-1,10,EUR'], '', /under "price_usd", .* no price in "EUR"/],
  [['AWB,Amount ($)', 'S-1,10'], EUR, /under "Amount \(\$\)", .* no price in "EUR"/],
  [['shipmentId;price', 'S-1;1,234'], EUR, /line 2: "1,234"/],
  [['shipmentId,price', 'S-1,12.5.3'], EUR, /line 2: "12.5.3" is no price/],
  [['shipmentId,price', '1.2E+12,5'], EUR, /a spreadsheet has changed/],
  [['shipmentId,price,currency', 'S-1,10,EUR', ',20,'], '', /line 3: .* no currency/],
  [['1;S-1;10'], `--no-header --price 3 ${EUR}`, /--by: name it\. The columns are "1", "2", "3"/],
  [['1;S-1;10'], `--no-header --by 4 --price 3 ${EUR}`, /no column "4" for --by/],
  [['1;S-1;10'], `--by 2 --price 3 ${EUR}`, /no column "2" for --by/],
  [['1;S-1;10', 'S-2;20'], `--no-header --by 2 --price 3 ${EUR}`, /line 2: it has 2 cells/],
];

test('a file that cannot be read for certain is refused, with the line or the column', async () => {
  const rig = await month();
  const refused = [];
  for (const [rows, flags] of REFUSED) {
    const ran = await run(rig, rows, flags);
    refused.push([rows, flags, ran.exitCode, ran.stdout, errorOf(ran).message]);
  }
  expect(refused).toEqual(
    REFUSED.map(([rows, flags, message]) => [rows, flags, 2, '', expect.stringMatching(message)]),
  );
});

test.each<[string, string[], string, unknown[]]>([
  [
    'prices in all their forms',
    ['what;Amount (EUR)', 'S-1;"€ 9,50"', 'S-1;(0,50)', 'S-1;1.000', "S-1;1'000,00-", 'S-1;1,00 EUR'],
    '--by what --currency eur',
    ['agrees', 'K-1', 0],
  ],
  ['a currency in the header', ['AWB,Amount (EUR)', 'S-1,10'], '', ['agrees', 'K-1', 0]],
  ['it alone as the header', ['AWB,EUR', 'S-1,10'], '--price EUR', ['agrees', 'K-1', 0]],
  ['a sign of several', ['AWB,Amount ($)', 'S-4,40'], '--currency USD', ['agrees', 'K-4', 0]],
  [
    'dearer by the tolerance',
    ['AWB,EUR', 'S-1,10.05'],
    '--price EUR --tolerance 0.05',
    ['agrees', 'K-1', 0.05],
  ],
  ['a little dearer', ['AWB,EUR', 'S-1,10.06'], '--price EUR --tolerance 0.05', ['dearer', 'K-1', 0.06]],
  ['a little cheaper', ['AWB,EUR', 'S-1,9.94'], '--price EUR --tolerance 0.05', ['cheaper', 'K-1', -0.06]],
  [
    'columns by number, where the same row stands twice',
    ['2026-03-02;K-1;"1.010,00 €"', '2026-03-02;K-1;"1.010,00 €"', '2026-03-02;K-2;20,00', ';;2.040,00'],
    `--no-header --by 2 --price 3 ${EUR} --carrier exp`,
    ['dearer', 'K-1', 2010],
  ],
])('what an invoice has is read: %s', async (_, rows, flags, first) => {
  expect(rowsOf(await run(await month(), rows, flags))[0]).toEqual(first);
});

test("another provider's invoice is said to be one", async () => {
  const ran = await run(await month(), ['shipmentId,price,currency', 'Z-1,10,EUR']);
  expect([ran.exitCode, ran.stderr]).toEqual([9, expect.stringContaining('no row is of an order')]);
});

// The key of the first order is the shipment id of the second one, and the tracking number of the third one.
test.each([
  ['Reference', '5001', 10, ['agrees', '5001', 0]],
  ['Shipment ID', '5001', 20, ['agrees', 'K-2', 0]],
  ['Tracking number', '5001', 10, ['unknown', null, 10]],
  ['Reference', '7001', 30, ['unknown', null, 30]],
])('a row is matched by what its column has: %s %s', async (header, id, price, expected) => {
  const rig = await createRig();
  await fill(rig, 'state', [
    bookingAt(rig, 1, { ...priced(1, 10), key: '5001' }),
    bookingAt(rig, 2, { ...priced(2, 20), ids: { shipment: '5001' } }),
    bookingAt(rig, 3, { ...priced(3, 30), ids: { shipment: '7001' } }),
  ]);
  const ran = await run(rig, [`${header},price,currency`, `${id},${price},EUR`]);
  expect(rowsOf(ran).filter(([kind]) => kind !== 'missing')).toEqual([expected]);
});

const NAMED = ['shipmentId,price'];
const OF_INVOICES = 'Invoice no,Shipment,Amount';
// The columns of DHL's files that say which rows are of which invoice: an I row has the sum of its S rows.
const DHL =
  'Line Type,Billing Source,Invoice Number,Invoice Date,Billing Account Name,Billing Country Code,Shipment Number,Total amount';
const ofDhl = (type: 'I' | 'S', invoice: string, shipment: string, amount: number) =>
  `${type},AB,${invoice},2026-03-02,Anna's Shop,DE,${shipment},${amount}`;
const [I30, S1, S2] = [ofDhl('I', 'F1', '', 30), ofDhl('S', 'F1', 'S-1', 10), ofDhl('S', 'F1', 'S-2', 20)];
const OF_SECOND = [ofDhl('I', 'F2', '', 20), ofDhl('S', 'F2', 'S-2', 20)];

/** What the file has, and which of its amounts are unknown. */
const OPEN: [says: string, rows: string[], unknown: number[]][] = [
  ['a total with a name', [...NAMED, 'S-1,10', 'Grand total EUR,10'], []],
  ['the total before the others', [...NAMED, 'Total,30', 'S-1,10', 'S-2,20'], []],
  ['the total between the others', [...NAMED, 'S-1,10', ',30', 'S-2,20'], []],
  ['all but a cent of the others', [...NAMED, ',30.01', 'S-1,10', 'S-2,20'], [30.01]],
  ['a charge like the orders, above a total', [...NAMED, 'S-1,10', 'S-2,20', ',30', 'Total,60'], [30]],
  ['a file of one row', [...NAMED, 'Total,30'], [30]],
  ['a total that stands twice', [...NAMED, 'Total,10', 'S-1,10', 'Total,10'], [20]],
  ['a charge like the only order', [...NAMED, 'S-1,10', ',10'], [10]],
  ['a name that says no total', [...NAMED, 'S-1,10', 'S-2,20', 'LOST-ORDER,30'], [30]],
  ['several like the sum so far', [...NAMED, 'S-2,20', 'Fuel,20', 'Remote area,20', ',20'], [20, 20, 20]],
  ['a surcharge with a name', [...NAMED, 'S-1,10', 'Fuel,3', 'Total,13'], [3]],
  ['an amount of nothing', [...NAMED, 'S-1,10', ',0.00'], []],
  [
    'those of several invoices, and of all of them',
    [OF_INVOICES, 'F1,S-1,10', 'F1,Total,10', 'F2,S-2,20', 'F2,Total,20', ',Grand total,30'],
    [],
  ],
  ['the first row of DHL', [DHL, I30, S1, S2], []],
  ['the last row of DHL', [DHL, S1, S2, I30], []],
  ['that of one shipment', [DHL, ofDhl('I', 'F1', '', 10), S1], []],
  ['those of several invoices of DHL', [DHL, ofDhl('I', 'F1', '', 10), S1, ...OF_SECOND], []],
  [
    'with a surcharge, which nobody booked',
    [DHL, ofDhl('I', 'F1', '', 13), S1, ofDhl('S', 'F1', '', 3)],
    [3],
  ],
  ['no sum, as where a row was lost', [DHL, I30, S1, ...OF_SECOND], [30]],
  ['a charge like the total', [DHL, ofDhl('S', 'F1', '', 30), S1, S2, ofDhl('I', 'F1', '', 60)], [30]],
];

test('an amount without an order is unknown, unless it is the total', async () => {
  const rig = await month();
  const unknown = [];
  for (const [says, rows] of OPEN) unknown.push([says, differing(await run(rig, rows, EUR))]);
  expect(unknown).toEqual(
    OPEN.map(([says, , amounts]) => [says, amounts.map(amount => ['unknown', null, amount])]),
  );
});

test('the total is told, one of each currency, and a row with a receiver or a description is none', async () => {
  const rig = await month();
  const rows = ['Shipment,Receiver,What,price,currency', 'S-1,,,10,EUR', 'S-2,,,20,EUR', 'S-4,,,40,USD'];
  const both = await run(rig, [...rows, ',,Total,40,USD', ',,,30,EUR']);
  expect(both.stderr.match(/line \d: .*? is not compared/g)).toEqual([
    'line 6: 30.00 EUR is not compared',
    'line 5: 40.00 USD is not compared',
  ]);
  for (const row of [',Lost,,30,EUR', ',,Surcharge,30,EUR', ',Lost,Total,30,EUR'])
    expect(rowsOf(await run(rig, [...rows, row]))).toContainEqual(['unknown', null, 30]);
});

test('the I row of DHL is found without a header, and is of no unknown booking of its day and country', async () => {
  const rig = await createRig();
  await fill(rig, 'state', [bookingAt(rig, 1, priced(1, 10)), bookingAt(rig, 2, UNKNOWN)]);
  const ran = await run(rig, [ofDhl('I', 'F1', '', 10), S1], `--no-header --by 7 --price 8 ${EUR}`);
  expect([ran.exitCode, rowsOf(ran)]).toEqual([0, [['agrees', 'K-1', 0]]]);
});

/** K-2 to Müller in Germany and K-3 to Curie in France are unknown. */
async function lost() {
  const rig = await createRig();
  const request = (lastName: string, code: string, weight: number) => ({
    sender: { address: { country: { code: 'TR' } } },
    receiver: { firstName: 'Ada', lastName, address: { country: { code } } },
    packages: [{ quantity: 2, weight }],
  });
  await fill(rig, 'state', [
    bookingAt(rig, 1, { ...priced(1, 10), request: request('Lovelace', 'DE', 1) }),
    bookingAt(rig, 2, { ...UNKNOWN, request: request('M\u00fcller', 'DE', 0.75) }),
    bookingAt(rig, 3, { ...UNKNOWN, request: request('Curie', 'FR', 1) }),
    bookingAt(rig, 4, { ...UNKNOWN, key: '777', request: null }),
  ]);
  return rig;
}

const DATED = 'Shipment,Name,To,Date,price';
const KEYED = 'Order ID,What,price';

test.each<[string, string[], string | undefined]>([
  ['its receiver', [DATED, 'S-9,Ada MUELLER; Muller,DE,2026-03-02,12'], 'K-2 (receiver, country, day)'],
  ['its receiver alone', [DATED, 'S-9,Marie Curie,,,12'], 'K-3 (receiver)'],
  ['country and day', ['AWB,From,To,Pickup,price', 'S-9,TR,Almanya,2026-03-02,12'], 'K-2 (country, day)'],
  [
    'its weight',
    ['AWB,To,Pickup,Weight,price', 'S-9,FR,2026-03-02,"2,00 kg",12'],
    'K-3 (country, day, weight)',
  ],
  ['its key', [KEYED, 'K-3,freight,12'], 'K-3 (key): ask the provider of the service for its shipment id'],
  ['no name at all', [KEYED, ',2026-03-02 Mueller/Muller,12'], 'K-2'],
  ['the sum of the others', ['Shipment,Ref,price', ',777,12', 'S-1,,8', 'S-1,,4'], '777 (key)'],
  ['another country', [DATED, 'S-9,Ada Muller,IT,2026-03-02,12'], undefined],
  ['another time', [DATED, 'S-9,Ada Muller,DE,01.02.2020,12'], undefined],
  ['another receiver', ['Shipment,Receiver,To,Date,price', 'S-9,Grace Hopper,DE,2026-03-02,12'], undefined],
  ['a shipment of ours', ['Shipment,To,Date,price', 'S-9,IT,,12', 'S-1,DE,2026-03-02,10'], undefined],
])('a row that an open unknown booking fits is proposed, and not settled: %s', async (_, rows, told) => {
  const ran = await run(await lost(), rows, EUR);
  expect([ran.exitCode, ran.requests]).toEqual([9, []]);
  expect(differing(ran).map(([kind, , amount]) => [kind, amount])).toContainEqual(['unknown', 12]);
  const isAsked = told !== undefined && rows[1]?.startsWith('S-9');
  expect(errorOf(ran).next).toEqual(isAsked ? [['waybill', 'track', 'S-9']] : []);
  if (told === undefined) expect(ran.stderr).not.toContain('may be the unknown');
  else expect(ran.stderr).toContain(`line 2 may be the unknown booking ${told}`);
});
