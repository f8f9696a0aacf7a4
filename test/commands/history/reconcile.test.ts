// The provider's invoices, held against what was booked.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createRig, type Rig } from '../../rig/command.ts';
import { bookingAt, fill, labelAt, UNKNOWN } from '../../rig/journal.ts';
import { errorOf } from '../../rig/service.ts';

const priced = (number: number, price: unknown, currency = 'EUR') => ({
  answer: JSON.stringify({ id: `S-${number}`, carrier: { id: 'EXP', price, currency } }),
});

async function month() {
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
  rig.run(`history reconcile - ${flags}`, { stdin: rows.join('\n') });
const rowsOf = (ran: { stdout: string }): Record<string, unknown>[] => JSON.parse(ran.stdout);
const short = (ran: { stdout: string }) =>
  rowsOf(ran).map(({ kind, key, difference }) => [kind, key, difference]);

test('rows of a shipment are added up, and each order is of one kind, the dearest first', async () => {
  const rig = await month();
  const ran = await run(
    rig,
    [
      'Number of ours;Amount;Currency;What',
      ' t-1 ;8,00;EUR;freight',
      'T-1;2,00;EUR;fuel',
      'S-2;1.021,50;EUR;freight',
      'S-3;35,00;EUR;freight',
      'K-3;-6,00;EUR;credit note',
      'S-4;40,00;EUR;freight',
      'S-5;50,00;EUR;freight',
      'X-9;7,00;EUR;freight',
      'S-8;80,00;EUR;freight',
      ';1.237,50;EUR;total of EUR',
    ],
    "--by 'Number of ours' --json",
  );
  expect(ran).toMatchObject({ exitCode: 9, requests: [] });
  expect(short(ran)).toEqual([
    ['dearer', 'K-2', 1001.5],
    ['cancelled', 'K-5', 50],
    ['currency', 'K-4', null],
    ['unknown', null, 7],
    ['cheaper', 'K-3', -1],
    ['missing', 'K-7', null],
    ['missing', 'K-6', null],
    ['agrees', 'K-1', 0],
    ['agrees', 'K-8', 0],
  ]);
  expect(rowsOf(ran).at(-2)).toEqual({
    kind: 'agrees',
    key: 'K-1',
    shipmentId: 'S-1',
    trackingNumber: 'T-1',
    booked: 10,
    invoiced: 10,
    currency: 'EUR',
    difference: 0,
  });
  expect(ran.stderr).toContain('stdin: by \\"Number of ours\\", price \\"Amount\\", currency \\"Currency\\"');
  expect(errorOf(ran)).toMatchObject({ code: 'partial', message: expect.stringContaining('7 of 9 orders') });
});

test('a person sees the sums of each kind first', async () => {
  const rig = await month();
  const ran = await run(rig, ['shipmentId,price,currency', 'S-1,10.00,EUR', 'S-2,25.5,EUR']);
  expect(ran.exitCode).toBe(9);
  expect(ran.stdout).toMatch(
    /1 +dearer than booked +25\.50 EUR +dearer by 5\.50 EUR\n +1 +as booked +10\.00 EUR/,
  );
  expect(ran.stdout).toMatch(/K-2 +dearer +20\.00 EUR +25\.50 EUR +5\.50 EUR\n/);
  const fine = await run(
    rig,
    ['shipmentId,price,currency', 'S-1,10.04,EUR', 'S-2,19.95,EUR'],
    '--tolerance 0.05',
  );
  expect(fine.exitCode).toBe(0);
});

test('what is in two files is there twice; a credit note in a file of its own is added', async () => {
  const rig = await month();
  writeFileSync(join(rig.folder, 'first.csv'), 'Shipment;Total;Currency\nS-1;10,00;EUR\nS-2;22,00;EUR\n');
  writeFileSync(join(rig.folder, 'second.csv'), 'Key,Net,Currency\nK-1,10.00,EUR\nK-2,-2.00,EUR\n');
  const ran = await rig.run('history reconcile first.csv second.csv --json');
  expect(short(ran)).toEqual([
    ['twice', 'K-1', 10],
    ['agrees', 'K-2', 0],
  ]);
});

test('--since and --until say what must be in a file', async () => {
  const rig = await month();
  const compared = async (flags: string) => {
    const rows = ['shipmentId,price,currency', 'S-2,20,EUR', 'S-3,30,EUR'];
    const ran = await run(rig, rows, `${flags} --json`);
    const missing = short(ran).flatMap(([kind, key]) => (kind === 'missing' ? key : []));
    return [
      missing,
      /not compared: (\d orders? booked \w+) .*(--\w+ \w+) compares/.exec(ran.stderr)?.slice(1),
    ];
  };
  // What lies behind an end that nobody gave is told, and how to see it.
  const later = ['4 orders booked after', '--until today'];
  expect(await compared('')).toEqual([[], later]);
  expect(await compared('--since 1d')).toEqual([['K-1'], later]);
  expect(await compared('--since 1d --carrier ECO')).toEqual([[], undefined]);
  const all = ['K-8', 'K-7', 'K-6', 'K-4'];
  expect(await compared('--until 2030-01-01')).toEqual([all, ['1 order booked before', '--since DATE']]);
  expect(await compared('--since 1d --until 2030-01-01')).toEqual([[...all, 'K-1'], undefined]);
});

test.each([
  [['shipmentId,price,amount', 'S-1,1,1'], '--currency EUR', /"price" and "amount" both fit --price/],
  [['shipmentId,price', 'S-1,1'], '', /no column that is known as that of --currency/],
  [['what,price', 'S-1,1'], '--currency EUR', /no column that is known as that of --by/],
  [['what,price', 'S-1,1'], '--currency EUR --by which', /has no column "which" for --by/],
  [['shipmentId,price', 'S-1,many'], '--currency EUR', /line 2: the price of "S-1" is "many"/],
  [['shipmentId,price', 'S-1,5 USD'], '--currency EUR', /which is no price in "EUR"/],
  [['shipmentId;price', 'S-1;1,234'], '--currency EUR', /line 2: "1,234"/],
  [['shipmentId,price', 'S-1,12.May'], '--currency EUR', /is "12.May", which is no price in "EUR"/],
  [['shipmentId,price', 'S-1,12 50'], '--currency EUR', /which is no price in "EUR"/],
  [['shipmentId,price', 'S-1,$5'], '--currency EUR', /which is no price in "EUR"/],
  [
    ['AWB,Amount (USD)', 'S-1,10'],
    '--currency EUR',
    /is "10" under "Amount \(USD\)", which is no price in "EUR"/,
  ],
  [['AWB,price_usd,currency', 'S-1,10,EUR'], '', /under "price_usd", which is no price in "EUR"/],
  [['AWB,Amount ($)', 'S-1,10'], '--currency EUR', /under "Amount \(\$\)", which is no price in "EUR"/],
  [['AWB,Amount ($)', 'S-1,10'], '', /no column that is known as that of --currency/],
  [['shipmentId,price', 'S-1,12.5.3'], '--currency EUR', /line 2: "12.5.3" is no price/],
  [['shipmentId,price', '1.2E+12,5'], '--currency EUR', /a spreadsheet has changed/],
])('%j with %s is refused', async (rows, flags, message) => {
  const rig = await month();
  const ran = await run(rig, rows, `${flags} --json`);
  expect([ran.exitCode, ran.stdout, errorOf(ran).message]).toEqual([2, '', expect.stringMatching(message)]);
});

test('prices are read as invoices write them', async () => {
  const rig = await month();
  const rows = [
    'what;Amount (EUR)',
    'S-1;"€ 9,50"',
    'S-1;(0,50)',
    'S-1;1.000',
    "S-1;1'000,00-",
    'S-1;1,00 EUR',
  ];
  const ran = await run(rig, rows, '--by what --currency eur --json');
  expect(short(ran)).toEqual([['agrees', 'K-1', 0]]);
});

test.each([
  ['Amount (EUR)', ''],
  ['Amount €', ''],
  ['EUR', '--price EUR'],
  ['Amount ($)', '--currency USD'],
])('prices under %s are of that currency (%s)', async (header, flags) => {
  const order = header.includes('$') ? ['S-4,40', 'K-4'] : ['S-1,10', 'K-1'];
  const ran = await run(await month(), [`AWB,${header}`, order[0] ?? ''], `${flags} --json`);
  expect([ran.exitCode, short(ran)]).toEqual([0, [['agrees', order[1], 0]]]);
});

test("another provider's invoice is said to be one", async () => {
  const rig = await month();
  const ran = await run(rig, ['shipmentId,price,currency', 'Z-1,10,EUR']);
  expect(ran.exitCode).toBe(9);
  expect(ran.stderr).toContain('no row is of an order in this journal');
});

test('a row is matched by what its column has, and a reference is no shipment id of another order', async () => {
  const rig = await createRig();
  // The key of the first order is the shipment id of the second one, and the tracking number of the third one.
  await fill(rig, 'state', [
    bookingAt(rig, 1, { ...priced(1, 10), key: '5001' }),
    bookingAt(rig, 2, { ...priced(2, 20), ids: { shipment: '5001' } }),
    bookingAt(rig, 3, { ...priced(3, 30), ids: { shipment: '7001' } }),
  ]);
  const kinds = async (header: string, id: string, price: number, flags = '') => {
    const ran = await run(rig, [`${header},price,currency`, `${id},${price},EUR`], `${flags} --json`);
    return ran.exitCode === 2 ? errorOf(ran).message : short(ran).filter(([kind]) => kind !== 'missing');
  };
  expect(await kinds('Reference', '5001', 10)).toEqual([['agrees', '5001', 0]]);
  expect(await kinds('Shipment ID', '5001', 20)).toEqual([['agrees', 'K-2', 0]]);
  expect(await kinds('Tracking number', '5001', 10)).toEqual([['unknown', null, 10]]);
  expect(await kinds('Reference', '7001', 30)).toEqual([['unknown', null, 30]]);
  const open = await kinds('number', '5001', 10, '--by number');
  expect(open).toMatch(
    /"5001" fits two orders, "(5001|K-2)" and "(5001|K-2)".*Name another column with --by/,
  );
});

test.each<[string, string[], unknown[][]]>([
  ['a row without a reference', ['S-1,10', ',500'], [['unknown', null, 500]]],
  ['the total of the others', ['S-1,10', 'S-2,20', ',30'], []],
  ['a total with a name', ['S-1,10', 'Grand total EUR,10'], []],
  ['the total before the others', ['Total,30', 'S-1,10', 'S-2,20'], []],
  ['the total between the others', ['S-1,10', ',30', 'S-2,20'], []],
  ['all but a cent of the others', [',30.01', 'S-1,10', 'S-2,20'], [['unknown', null, 30.01]]],
  [
    'a charge like the orders, below which a total stands',
    ['S-1,10', 'S-2,20', ',30', 'Total,60'],
    [['unknown', null, 30]],
  ],
  ['a file of one row', ['Total,30'], [['unknown', null, 30]]],
  ['a total that stands twice', ['Total,10', 'S-1,10', 'Total,10'], [['unknown', null, 20]]],
  ['a charge like the only order', ['S-1,10', ',10'], [['unknown', null, 10]]],
  ['a name that says no total', ['S-1,10', 'S-2,20', 'LOST-ORDER,30'], [['unknown', null, 30]]],
  [
    'several like the sum so far',
    ['S-2,20', 'Fuel,20', 'Remote area,20', ',20'],
    [20, 20, 20].map(amount => ['unknown', null, amount]),
  ],
  ['a surcharge with a name', ['S-1,10', 'Fuel,3', 'Total,13'], [['unknown', null, 3]]],
  ['an amount of nothing', ['S-1,10', ',0.00'], []],
])('an amount without an order is unknown, unless it is the total: %s', async (_, rows, expected) => {
  const rig = await month();
  const ran = await run(rig, ['shipmentId,price', ...rows], '--currency EUR --json');
  expect(short(ran).filter(([kind]) => kind !== 'agrees')).toEqual(expected);
  expect(ran.exitCode).toBe(expected.length === 0 ? 0 : 9);
});

test('the total is told, one of each currency, and a row with a receiver or a description is none', async () => {
  const rig = await month();
  const head = 'Shipment,Receiver,What,price,currency';
  const rows = ['S-1,,,10,EUR', 'S-2,,,20,EUR', 'S-4,,,40,USD'];
  const told = await run(rig, [head, ...rows, ',,Total,40,USD', ',,,30,EUR']);
  expect([told.exitCode, told.stderr.match(/line \d: .*? is not compared/g)]).toEqual([
    9,
    ['line 6: 30.00 EUR is not compared', 'line 5: 40.00 USD is not compared'],
  ]);
  for (const row of [',Lost,,30,EUR', ',,Surcharge,30,EUR', ',Lost,Total,30,EUR']) {
    const ran = await run(rig, [head, ...rows, row], '--json');
    expect(short(ran)).toContainEqual(['unknown', null, 30]);
  }
});

// The columns of DHL's files that say which rows are of which invoice: an I row has the sum of its S rows.
const DHL =
  'Line Type,Billing Source,Invoice Number,Invoice Date,Billing Account Name,Billing Country Code,Shipment Number,Currency,Total amount (excl. VAT)';
const ofDhl = (type: 'I' | 'S', invoice: string, shipment: string, amount: number, currency = 'EUR') =>
  `${type},AB,${invoice},2026-03-02,Anna's Shop,DE,${shipment},${currency},${amount}`;

test.each<[string, string[], unknown[][]]>([
  ['the first row', [ofDhl('I', 'F1', '', 30), ofDhl('S', 'F1', 'S-1', 10), ofDhl('S', 'F1', 'S-2', 20)], []],
  ['the last row', [ofDhl('S', 'F1', 'S-1', 10), ofDhl('S', 'F1', 'S-2', 20), ofDhl('I', 'F1', '', 30)], []],
  ['of one shipment', [ofDhl('I', 'F1', '', 10), ofDhl('S', 'F1', 'S-1', 10)], []],
  [
    'of several invoices, each with its own',
    [
      ...[ofDhl('I', 'F1', '', 10), ofDhl('S', 'F1', 'S-1', 10)],
      ...[ofDhl('I', 'F2', '', 20), ofDhl('S', 'F2', 'S-2', 20)],
    ],
    [],
  ],
  [
    'of two currencies of one invoice',
    [
      ...[ofDhl('I', 'F1', '', 10), ofDhl('I', 'F1', '', 40, 'USD')],
      ...[ofDhl('S', 'F1', 'S-1', 10), ofDhl('S', 'F1', 'S-4', 40, 'USD')],
    ],
    [],
  ],
  [
    'with a surcharge, which nobody booked',
    [ofDhl('I', 'F1', '', 13), ofDhl('S', 'F1', 'S-1', 10), ofDhl('S', 'F1', '', 3)],
    [['unknown', null, 3]],
  ],
  [
    'that is not the sum, as of an invoice of which a row was lost',
    [
      ...[ofDhl('I', 'F1', '', 30), ofDhl('S', 'F1', 'S-1', 10)],
      ...[ofDhl('I', 'F2', '', 20), ofDhl('S', 'F2', 'S-2', 20)],
    ],
    [['unknown', null, 30]],
  ],
  [
    'and a charge like it',
    [
      ofDhl('S', 'F1', '', 30),
      ofDhl('S', 'F1', 'S-1', 10),
      ofDhl('S', 'F1', 'S-2', 20),
      ofDhl('I', 'F1', '', 60),
    ],
    [['unknown', null, 30]],
  ],
])('the I row of a DHL invoice is its total: %s', async (_, rows, expected) => {
  const rig = await month();
  const ran = await rig.run(['history', 'reconcile', '-', '--price', 'Total amount (excl. VAT)', '--json'], {
    stdin: [DHL, ...rows].join('\n'),
  });
  expect(short(ran).filter(([kind]) => kind !== 'agrees' && kind !== 'missing')).toEqual(expected);
});

test('the I row is found without a header, and is of no unknown booking of its day and country', async () => {
  const rig = await createRig();
  await fill(rig, 'state', [bookingAt(rig, 1, priced(1, 10)), bookingAt(rig, 2, UNKNOWN)]);
  const rows = [ofDhl('I', 'F1', '', 10), ofDhl('S', 'F1', 'S-1', 10)];
  const ran = await run(rig, rows, '--no-header --by 7 --price 9 --currency 8 --json');
  expect([ran.exitCode, short(ran)]).toEqual([0, [['agrees', 'K-1', 0]]]);
});

test('the total of several invoices is that of all their rows', async () => {
  const rig = await month();
  const head = 'Invoice no,Shipment,Amount,Currency';
  const rows = [
    'F1,S-1,10,EUR',
    'F1,Total,10,EUR',
    'F2,S-2,20,EUR',
    'F2,Total,20,EUR',
    ',Grand total,30,EUR',
  ];
  const ran = await run(rig, [head, ...rows], '--json');
  expect([ran.exitCode, short(ran)]).toEqual([
    0,
    [
      ['agrees', 'K-1', 0],
      ['agrees', 'K-2', 0],
    ],
  ]);
});

test('an amount without a name and a currency is refused: nobody knows what it adds to', async () => {
  const ran = await run(await month(), ['shipmentId,price,currency', 'S-1,10,EUR', ',20,'], '--json');
  expect([ran.exitCode, errorOf(ran).message]).toEqual([
    2,
    expect.stringContaining('line 3: the price of a row without a name is "20", which has no currency'),
  ]);
});

test('what is missing has a carrier of the orders that match, or that of --carrier', async () => {
  const rig = await createRig();
  const by = (number: number, id: string) => ({
    answer: JSON.stringify({ id: `S-${number}`, carrier: { id, price: number * 10, currency: 'EUR' } }),
  });
  await fill(
    rig,
    'state',
    ['EXP', 'ECO', 'EXP', 'EXP'].map((id, at) => bookingAt(rig, at + 1, by(at + 1, id))),
  );
  const missing = async (flags: string) =>
    short(await run(rig, ['shipmentId,price', 'S-1,10', 'S-4,40'], `--currency EUR ${flags} --json`)).flatMap(
      ([kind, key]) => (kind === 'missing' ? key : []),
    );
  expect(await missing('')).toEqual(['K-3']);
  expect(await missing('--carrier ECO')).toEqual(['K-2']);
});

test('a row with a cell too many or too few is refused: it may stand under other headers', async () => {
  const rig = await month();
  for (const row of ['S-1,1,5,EUR', 'S-1,5']) {
    const ran = await run(rig, ['shipmentId,price,currency', row], '--json');
    expect([ran.exitCode, ran.stdout]).toEqual([2, '']);
    expect(errorOf(ran).message).toContain(
      `line 2: it has ${row.split(',').length} cells, but the header has 3`,
    );
  }
});

describe('an invoice without a header', () => {
  const ROWS = [
    '2026-03-02;K-1;"1.010,00 €"',
    '2026-03-02;K-1;"1.010,00 €"',
    '2026-03-02;K-2;20,00',
    ';;2.040,00',
  ];
  const FLAGS = '--no-header --by 2 --price 3 --currency EUR --carrier exp --json';

  test('has columns by number, and its first row counts, also if it is there twice', async () => {
    const rig = await month();
    const ran = await run(rig, ROWS, FLAGS);
    expect(ran).toMatchObject({ exitCode: 9, requests: [] });
    expect(short(ran)).toEqual([
      ['dearer', 'K-1', 2010],
      ['agrees', 'K-2', 0],
    ]);
    expect(ran.stderr).toContain('by \\"2\\", price \\"3\\", currency \\"EUR\\"');
  });

  test.each([
    ['--no-header --price 3 --currency EUR', '--by: name it. The columns are "1", "2", "3"'],
    ['--no-header --by 4 --price 3 --currency EUR', 'has no column "4" for --by'],
    ['--by 2 --price 3 --currency EUR', 'has no column "2" for --by'],
  ])('%s is refused', async (flags, why) => {
    const ran = await run(await month(), ROWS, flags);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '', requests: [] });
    expect(ran.stderr).toContain(why);
  });

  test('is refused where a row has another number of cells than the first', async () => {
    const ran = await run(await month(), [...ROWS, 'K-3;30'], FLAGS);
    expect([ran.exitCode, errorOf(ran).message]).toEqual([
      2,
      expect.stringContaining('line 5: it has 2 cells, but the first row has 3'),
    ]);
  });
});

describe('a row that an open unknown booking fits', () => {
  const request = (lastName: string, code: string, weight: number) => ({
    sender: { address: { country: { code: 'TR' } } },
    receiver: { firstName: 'Ada', lastName, address: { country: { code } } },
    packages: [{ quantity: 2, weight }],
  });
  async function lost() {
    const rig = await createRig();
    await fill(rig, 'state', [
      bookingAt(rig, 1, { ...priced(1, 10), request: request('Lovelace', 'DE', 1) }),
      bookingAt(rig, 2, { ...UNKNOWN, request: request('M\u00fcller', 'DE', 0.75) }),
      bookingAt(rig, 3, { ...UNKNOWN, request: request('Curie', 'FR', 1) }),
    ]);
    return { rig, day: new Date(rig.clock.now).toISOString().slice(0, 10) };
  }

  test.each<[string, string, string, string | undefined]>([
    [
      'its receiver',
      'Shipment,Name,To,Date',
      'S-9,Ada MUELLER; Muller,DE,DAY',
      'K-2" (receiver, country, day)',
    ],
    ['its receiver alone', 'Shipment,Name,To,Date', 'S-9,Marie Curie,,', 'K-3" (receiver)'],
    ['country and day', 'AWB,From,To,Pickup', 'S-9,TR,Almanya,DAY', 'K-2" (country, day)'],
    ['its weight, too', 'AWB,To,Pickup,Weight', 'S-9,FR,DAY,"2,00 kg"', 'K-3" (country, day, weight)'],
    ['another country', 'Shipment,Name,To,Date', 'S-9,Ada Muller,IT,DAY', undefined],
    ['another time', 'Shipment,Name,To,Date', 'S-9,Ada Muller,DE,01.02.2020', undefined],
    ['another receiver', 'Shipment,Receiver,To,Date', 'S-9,Grace Hopper,DE,DAY', undefined],
  ])('is proposed with the command that asks the service, and not settled: %s', async (_, head, row, by) => {
    const { rig, day } = await lost();
    const rows = [`${head},price`, `${row.replace('DAY', day)},12.00`];
    const ran = await run(rig, rows, '--currency EUR --json');
    expect(ran).toMatchObject({ exitCode: 9, requests: [] });
    expect(short(ran)).toEqual([['unknown', null, 12]]);
    expect(errorOf(ran).next).toEqual(by === undefined ? [] : [['waybill', 'track', 'S-9']]);
    const told = by?.replace('"', '').replace(/^/, 'stdin, line 2 may be the unknown booking ');
    if (told === undefined) expect(ran.stderr).not.toContain('may be the unknown');
    else expect(ran.stderr).toContain(`${told}: \`waybill track S-9\` asks the service for it`);
    const after = await rig.run('history list --state unknown -q');
    expect(after.stdout.trim().split('\n')).toHaveLength(2);
  });

  test('that names its key, and one without any name', async () => {
    const { rig, day } = await lost();
    const ran = await run(
      rig,
      ['Order ID,What,price', 'K-3,freight,7', `,${day} Mueller/Muller,5`],
      '--currency EUR',
    );
    expect(ran.exitCode).toBe(9);
    expect(ran.stderr).toContain(
      'stdin, line 2 may be the unknown booking K-3 (key): ask the provider of the service for its shipment id, and `waybill history resolve --created ID K-3` records it',
    );
    expect(ran.stderr).toContain('line 3 may be the unknown booking K-2');
  });

  test('is no total, whatever it adds up to', async () => {
    const rig = await createRig();
    await fill(rig, 'state', [
      bookingAt(rig, 1, priced(1, 12)),
      bookingAt(rig, 2, { ...UNKNOWN, key: '777' }),
    ]);
    const ran = await run(
      rig,
      ['Shipment,Ref,price', 'S-1,,10', 'S-1,,2', ',777,12'],
      '--currency EUR --json',
    );
    expect(short(ran)).toContainEqual(['unknown', null, 12]);
    expect(ran.stderr).toContain('line 4 may be the unknown booking 777 (key)');
  });

  test('and that is another order of the receiver is not proposed', async () => {
    const { rig, day } = await lost();
    const ran = await run(rig, ['Shipment,To,Date,price', `S-1,DE,${day},10`], '--currency EUR');
    expect(ran.stderr).not.toContain('may be the unknown');
  });
});
