// What `history import` takes over from the results of another machine, and what is not done again afterwards.
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect } from 'vitest';
import { dayOf } from '../../src/say/words.ts';
import { dualOrder, jsonLines, linesIn, orders } from '../rig/batch.ts';
import { createRig, type Ran, type Rig } from '../rig/command.ts';
import { bookingAt, fill, labelAt } from '../rig/journal.ts';
import { DAY, textOf } from './begin.ts';
import { FILES } from './orders.ts';
import { each, type Promised, promises } from './promise.ts';

type Lines = Record<string, unknown>[];

/** The results of a batch of another machine, at the same service. `change`: of its lines. */
const resultsOf =
  (batch: string, records: readonly unknown[], change: (lines: Lines, rig: Rig) => Lines = lines => lines) =>
  async (): Promise<Rig> => {
    const rig = await createRig({ files: { ...FILES, 'orders.jsonl': jsonLines(records) } });
    await rig.run(batch, { env: { WAYBILL_STATE_DIR: join(rig.folder, 'other') } });
    const lines = linesIn(rig) as unknown as Lines;
    rig.file('orders.results.jsonl', jsonLines(change(lines, rig)));
    return rig;
  };
const SHIP = 'batch ship orders.jsonl';
const results = (change?: (lines: Lines, rig: Rig) => Lines) => resultsOf(SHIP, orders(2), change);
/** Two orders with their labels. */
const labelled = (change?: (lines: Lines, rig: Rig) => Lines) =>
  resultsOf(`${SHIP} --label`, orders(2), change);
const FILE = 'history import orders.results.jsonl';
const IMPORT = `${FILE} --done none`;

/** All lines with other fields. */
const all =
  (change: object) =>
  (lines: Lines): Lines =>
    lines.map(line => ({ ...line, ...change }));
/** The lines with another time in the answers of the service. */
const dated = (lines: Lines, createdAt: unknown): Lines =>
  lines.map(line => ({ ...line, result: { ...(line.result as object), createdAt } }));
const daysAgo = (days: number) => (lines: Lines, rig: Rig) =>
  dated(lines, new Date(rig.clock.now - days * DAY).toISOString());
const withoutZone = (days: number) => (lines: Lines, rig: Rig) =>
  dated(lines, new Date(rig.clock.now - days * DAY).toISOString().replace('Z', ''));
const journalOf = ({ folder }: Rig) => join(folder, 'state/journal.db');

promises('history import', [
  ...each({ rig: results(), run: `${IMPORT} --json` }, [
    { says: 'It takes the results of another machine', json: { taken: 2, known: 0, held: 0 }, sent: [] },
    { says: 'Again it knows them', after: [IMPORT], json: { taken: 0, known: 2 } },
  ]),
  ...each({ rig: results() }, [
    {
      says: 'What --done says then counts for none of them, which is told',
      after: [IMPORT],
      run: `${FILE} --done printed`,
      stderr: '--done says nothing of the 2 bookings known before',
    },
    { says: 'In another place than the one in force it is exit 2', run: `${IMPORT} --sandbox`, exit: 2 },
  ]),
  {
    says: 'Lines without a place are refused',
    rig: results(lines => lines.map(({ place, ...line }) => line)),
    run: IMPORT,
    exit: 2,
  },
  ...['hello\n', '', '{"sender":{}}\n', 'key,state\nA,created\n'].map(text => ({
    says: 'What is no results file is refused',
    rig: { files: { 'orders.results.jsonl': text } },
    run: IMPORT,
    exit: 2,
  })),
  ...each({ rig: results(all({ state: 'unknown', exitCode: 8, shipmentId: null })) }, [
    {
      says: 'What is unknown there is unknown here',
      run: `${IMPORT} --json`,
      json: { taken: 2, unknown: 2 },
    },
    { says: 'What is unknown there is sent by no batch here', after: [IMPORT], run: SHIP, exit: 8, sent: [] },
  ]),
  {
    says: 'It settles what this journal holds as unknown because it could not be written',
    rig: async () => {
      const rig = await createRig({ files: { 'orders.jsonl': jsonLines(orders(1)) }, journalLost: true });
      await rig.run('history check --new-journal');
      const change = (sql: string) => {
        const database = new DatabaseSync(journalOf(rig));
        database.exec(sql);
        database.close();
      };
      change(`CREATE TRIGGER full BEFORE UPDATE OF state ON bookings
        BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END`);
      await rig.run('batch ship orders.jsonl');
      change('DROP TRIGGER full');
      return rig;
    },
    run: `${IMPORT} --json`,
    json: { taken: 0, settled: 1 },
    also: async (_, rig) =>
      expect(await rig.json('history show ORDER-1')).toMatchObject({ state: 'created' }),
  },
  {
    says: 'A shipment that another order here has is left out: exit 9',
    rig: async () => {
      const rig = await results(lines =>
        lines.slice(0, 1).map(line => ({ ...line, key: 'OTHER', shipmentId: 'S-9' })),
      )();
      await fill(rig, 'state', [bookingAt(rig, 9), labelAt(rig, 109, 9)]);
      return rig;
    },
    run: `${IMPORT} --json`,
    exit: 9,
    json: { taken: 0, held: 1, leftOut: [{ key: 'OTHER' }] },
  },
  ...each(
    { says: 'A key that was imported is taken for any input', rig: results(), after: [IMPORT], sent: [] },
    [
      { run: 'ship order.json --key ORDER-1', stderr: 'Imported from results' },
      { run: 'ship gift.json --key ORDER-1', stderr: 'Imported from results' },
      { run: 'ship-dual pair.json --key ORDER-1 --json', exit: 2, error: { code: 'duplicate' } },
    ],
  ),
  ...['rejected', 'not_sent', 'invalid', 'failed', 'estimated'].map(state => ({
    says: `What is ${state} there is taken by nobody, and may be booked here`,
    rig: results(all({ state, shipmentId: null, result: undefined })),
    after: [IMPORT],
    run: 'batch ship orders.jsonl --json',
    json: { sent: 2 },
  })),
  {
    says: 'What is a duplicate there, and names no shipment, may exist',
    rig: results(all({ state: 'duplicate', shipmentId: null, result: undefined })),
    run: `${IMPORT} --json`,
    json: { taken: 2, unknown: 2 },
  },
  {
    says: 'What only read there is no booking',
    rig: results(all({ operation: 'track', state: 'done' })),
    run: `${IMPORT} --json`,
    json: { taken: 0, unclear: [] },
  },
  {
    says: 'What was cancelled there is cancelled here, and gets no label',
    rig: results(all({ state: 'duplicate', exitCode: 2 })),
    after: [IMPORT],
    run: 'label ORDER-1 --json',
    exit: 2,
    error: { code: 'duplicate' },
    sent: [],
    also: async (_, rig) =>
      expect(await rig.json('history list --state cancelled')).toMatchObject([{ key: 'ORDER-2' }, {}]),
  },
  {
    says: 'One leg of a pair that was cancelled there is partial if that is taken back',
    rig: results(all({ operation: 'ship-dual', state: 'duplicate', result: undefined })),
    after: [IMPORT],
    run: 'history cancelled ORDER-1 --reopen --json',
    json: { state: 'partial', exitCode: 9 },
  },
  {
    says: 'A line that a power cut has torn is left out, and named: exit 9',
    rig: async () => {
      const rig = await results()();
      rig.file('orders.results.jsonl', textOf(rig, 'orders.results.jsonl').slice(0, -40));
      return rig;
    },
    run: `${IMPORT} --json`,
    exit: 9,
    json: { taken: 1, unclear: [2] },
    error: { message: expect.stringContaining('Line 2') },
  },
  ...each({ exit: 2, files: { 'state/journal.db': null } }, [
    {
      says: 'Results of another account name the profile that imports them, and nothing is imported',
      rig: async () => {
        const rig = await results(lines =>
          lines.map(line => ({ ...line, place: `${line.place} account ACME account 7` })),
        )();
        const shop = { baseUrl: rig.address, credentials: { kind: 'token', token: 'demo' } };
        const profiles = { near: { ...shop, account: 'ACME' }, shop: { ...shop, account: 'ACME account 7' } };
        rig.file('config/config.json', { profiles });
        return rig;
      },
      run: IMPORT,
      stderr: '`waybill history import orders.results.jsonl --done none --profile shop`',
      also: async (_, rig) => {
        for (const flags of ['--profile near', '--profile demo', '--sandbox'])
          expect((await rig.run(`${IMPORT} ${flags}`)).exitCode).toBe(2);
        expect((await rig.run(`${IMPORT} --profile shop`)).exitCode).toBe(0);
      },
    },
    ...each({ says: 'Other lines, and a journal, are refused before anything is taken' }, [
      { rig: results(lines => lines.map(({ operation, ...line }) => line)), run: IMPORT },
      { rig: results(lines => [...lines, { a: 1 }]), run: IMPORT },
      { rig: results(), run: 'history import other/journal.db --done none', stderr: 'Journals' },
    ]),
  ]),
]);

const PRINT = 'label --unprinted --print';
const LISTED = [
  'history handover --json',
  ...['amazon', 'woocommerce', 'csv'].map(form => `history export --for ${form} --json`),
];
const EVERYTHING = { printed: true, handover: true, export: true };
const isEmpty = ({ stdout }: Ran) => expect(JSON.parse(stdout)).toEqual([]);
const isOf =
  (...keys: string[]) =>
  ({ stdout }: Ran) =>
    expect(JSON.parse(stdout).map(({ key }: { key: string }) => key)).toEqual(keys);

promises('What was done with imported orders', [
  ...each({ rig: labelled(), exit: 2 }, [
    {
      says: 'It is asked: without an answer and a terminal it is exit 2, before anything is imported',
      run: `${FILE} --json`,
      stdout: /^$/,
      error: {
        code: 'usage',
        message: expect.stringMatching(
          /`waybill history import orders.results.jsonl --done printed,handover,export`.*`waybill history import orders.results.jsonl --done none`/,
        ),
      },
      files: { 'state/journal.db': null },
    },
    ...each({ says: 'It is some of three words, or none', stderr: 'printed, handover, export' }, [
      `${FILE} --done labels`,
      `${FILE} --done printed,none`,
      { run: [...FILE.split(' '), '--done', ''] },
    ]),
  ]),
  {
    says: 'Orders without a label are asked about, too: they may be on a list',
    rig: results(),
    run: `${FILE} --json`,
    exit: 2,
    error: { message: expect.stringContaining('--done handover,export`') },
  },
  ...each({ rig: labelled() }, [
    {
      says: 'What was printed is not printed again',
      after: [`${FILE} --done printed`],
      run: PRINT,
      printed: [],
    },
    {
      says: 'What was not printed is printed here',
      after: [IMPORT],
      run: `${PRINT} --download .`,
      printed: ['ORDER-1.pdf', 'ORDER-2.pdf'],
    },
    ...LISTED.flatMap(run => [
      {
        says: 'What was handed over and exported is on no list here',
        after: [`${FILE} --done handover,export`],
        run,
        also: isEmpty,
      },
      {
        says: 'What was not is on the next list',
        after: [`${FILE} --done printed`],
        run,
        also: isOf('ORDER-1', 'ORDER-2'),
      },
    ]),
    {
      says: 'Each word is of its own: what was exported is handed over here',
      after: [`${FILE} --done export`],
      run: 'history handover --json',
      also: isOf('ORDER-1', 'ORDER-2'),
    },
    ...each({ after: [`${FILE} --done handover`] }, [
      {
        says: 'What was on a list there is shown as no list of this desk',
        run: 'history handover --again --json',
        also: isEmpty,
      },
      { says: 'It cannot be taken back as one', run: 'history handover --undo --yes', exit: 4 },
    ]),
    {
      says: 'It is kept with the order',
      after: [`${FILE} --done handover,export --actor anna`],
      run: 'history show ORDER-1',
      stdout: [
        'handed over to the courier, said anna: on another machine',
        'exported for Amazon, said anna: on another machine',
      ],
    },
    {
      says: 'What is known already is not asked about',
      after: [IMPORT],
      run: `${FILE} --json`,
      json: { taken: 0, known: 4 },
    },
  ]),
  {
    says: 'The first list here is list 1',
    rig: labelled(([first = {}, ...rest]) => [{ ...first, ...EVERYTHING }, ...rest]),
    after: [IMPORT],
    run: 'history handover --yes',
    stderr: 'recorded as list 1:',
    lacks: 'ORDER-1',
  },
  {
    says: 'The day that is told to a shop is that of the booking, not of the import',
    rig: labelled(daysAgo(9)),
    after: [`${FILE} --done handover`],
    run: 'history export --for csv --json',
    also: ({ stdout }, rig) =>
      expect(JSON.parse(stdout)).toMatchObject(Array(2).fill({ date: dayOf(rig.clock.now - 9 * DAY) })),
  },
  {
    says: 'A line that says true is believed',
    rig: labelled(([first = {}, ...rest]) => [{ ...first, printed: true }, ...rest]),
    after: [IMPORT],
    run: `${PRINT} --download .`,
    printed: ['ORDER-2.pdf'],
  },
  {
    says: 'Lines that say all of it are not asked about',
    rig: labelled(all(EVERYTHING)),
    after: [FILE],
    run: 'history handover --json',
    also: isEmpty,
  },
  ...each({ says: 'Only true says it', exit: 2 }, [
    { rig: labelled(all({ printed: false, handover: false, export: false })), run: FILE },
    { rig: labelled(all({ printed: 'true', handover: 1, export: {} })), run: FILE },
  ]),
  {
    says: 'Records that were rejected are not asked about',
    rig: results(all({ state: 'rejected', exitCode: 5, shipmentId: null, result: undefined })),
    run: `${FILE} --json`,
    json: { taken: 0 },
  },
  {
    says: 'Nor are orders that were cancelled',
    rig: labelled(all({ state: 'duplicate', exitCode: 2 })),
    run: `${FILE} --json`,
    json: { taken: 4, unknown: 0 },
  },
  {
    says: 'What is unknown is asked about when its outcome is imported',
    rig: labelled(lines => [
      ...all({ state: 'unknown', shipmentId: null, trackingNumber: null, result: null })(lines),
    ]),
    after: [FILE, { write: { 'orders.results.jsonl': '' } }],
    run: FILE,
    exit: 2,
  },
  {
    says: 'On a terminal it is one question, of what the file does not say',
    rig: labelled(all({ export: true })),
    run: FILE,
    terminal: true,
    answers: () => 'handover',
    also: async (_, rig) => {
      expect(JSON.parse((await rig.run('history handover --json')).stdout)).toEqual([]);
      expect((await rig.run(PRINT)).programs).toHaveLength(2);
    },
  },
  {
    says: 'Lines that a batch adds meanwhile are not imported unasked: exit 9, and again it takes them',
    rig: async () => {
      const rig = await labelled()();
      const [first, second] = textOf(rig, 'orders.results.jsonl').split('\n');
      rig.file('orders.results.jsonl', `${first}\n`);
      const isAsked = () => {
        rig.file('orders.results.jsonl', `${first}\n${second}\n`);
        return 'handover';
      };
      const asking = { terminal: true, answers: isAsked };
      return { ...rig, run: (argv, options) => rig.run(argv, { ...asking, ...options }) };
    },
    run: FILE,
    exit: 9,
    stderr: 'got more lines while it was read',
    also: async (_, rig) => {
      expect(await rowsOf(rig, 'history list --json')).toMatchObject([{ key: 'ORDER-1' }]);
      expect((await rig.run(FILE)).exitCode).toBe(0);
      expect(await rowsOf(rig, 'history list --json')).toHaveLength(2);
    },
  },
  {
    says: 'Who leaves the question imports nothing',
    rig: labelled(),
    run: FILE,
    terminal: true,
    answers: () => {
      throw new Error('left');
    },
    exit: 130,
    files: { 'state/journal.db': null },
  },
  {
    says: 'The schema of results has what a line may say',
    run: 'schema results',
    stdout: ['"printed"', '"handover"', '"export"'],
  },
  {
    says: 'A line of a batch with --print says that its label was printed',
    rig: labelled(),
    run: `${SHIP} --label --print --results printed.jsonl`,
    also: (_, rig) => expect(linesIn(rig, 'printed.jsonl')).toMatchObject(Array(2).fill({ printed: true })),
  },
  ...each(
    { says: 'Else it says nothing of that', rig: labelled() },
    [
      { run: `${SHIP} --label --results other.jsonl`, lacks: '"printed"' },
      { run: `${SHIP} --label --print --merge all.pdf --results other.jsonl` },
      { run: `${SHIP} --label --print --results other.csv` },
    ].map(row => ({
      ...row,
      also: (_: unknown, rig: Rig) =>
        expect(textOf(rig, row.run.endsWith('csv') ? 'other.csv' : 'other.jsonl')).not.toContain('printed'),
    })),
  ),
]);

/** Both orders of the results cost 105.80 EUR, and a third one 52.90. */
const day = (rig: () => Promise<Rig>) => async () => {
  const begun = await rig();
  const { key: _, ...third } = orders(1)[0] ?? {};
  begun.file('third.json', third);
  return begun;
};
const THIRD = 'ship third.json --key THIRD --json';
const LIMIT = { WAYBILL_POLICY_MAX_PER_DAY: '150EUR' };
const withResult =
  (change: (result: object) => object) =>
  (lines: Lines): Lines =>
    lines.map(line => ({ ...line, result: change(line.result as object) }));
const priced =
  (price: unknown, currency: unknown = 'EUR') =>
  (lines: Lines): Lines =>
    withResult(result => ({ ...result, carrier: { id: 'EXP', price, currency } }))(
      all({ price, currency })(lines),
    );
const counts = (says: string, rig: () => Promise<Rig>): Promised => ({
  ...{ says, rig: day(rig), after: [IMPORT], run: THIRD, env: LIMIT, exit: 12 },
  error: { code: 'over_budget' },
});
const isFree = (says: string, rig: () => Promise<Rig>): Promised => ({
  ...{ says, rig: day(rig), after: [IMPORT], run: THIRD, env: LIMIT },
});
/** As a line has it whose order was cancelled: the answer is in its error. */
const cancelled =
  (days: number) =>
  (lines: Lines, rig: Rig): Lines =>
    daysAgo(days)(lines, rig).map(({ result, ...line }) => ({
      ...{ ...line, state: 'duplicate', exitCode: 2 },
      error: { code: 'duplicate', message: 'cancelled', body: result },
    }));
const profiles = async () => {
  const rig = await results()();
  const shop = { baseUrl: rig.address, credentials: { kind: 'token', token: 'demo' } };
  const live = { ...shop, policy: { maxPerDay: '150EUR' } };
  rig.file('config/config.json', { profiles: { live, other: shop } });
  return rig;
};
const rowsOf = async (rig: Rig, argv: string) => JSON.parse((await rig.run(argv)).stdout);
/** Two pairs of 60 EUR, of which each leg costs a half. */
const pairs = (days = 0) =>
  resultsOf('batch ship-dual orders.jsonl', [dualOrder('P-1'), dualOrder('P-2')], (lines, rig) => {
    const createdAt = new Date(rig.clock.now - days * DAY).toISOString();
    const legOf = (leg: unknown) => ({
      shipment: {
        id: (leg as { shipment: { id: string } }).shipment.id,
        createdAt,
        carrier: { price: 30, currency: 'EUR' },
      },
    });
    return lines.map(line => {
      const { international, domestic } = line.result as Record<string, unknown>;
      const result = { international: legOf(international), domestic: legOf(domestic) };
      return { ...line, price: 60, currency: 'EUR', result };
    });
  });
const NINES = '9'.repeat(400);
const unclearMoney: readonly [unknown, unknown][] = [
  [NINES, 'EUR'],
  ['much', 'EUR'],
  [{ amount: 5 }, 'EUR'],
  [5, '__proto__'],
];

promises('What is imported, in the limit of a day', [
  counts('What was booked today counts', results()),
  counts('So does what was booked in the last 24 hours', results(daysAgo(0.9))),
  counts('So does what was cancelled today', results(cancelled(0.1))),
  isFree('What was cancelled long ago does not', results(cancelled(365))),
  isFree('What is older does not: an import of a year is not of today', results(daysAgo(365))),
  isFree('Nor does what is a little older than a day', results(daysAgo(1.1))),
  counts('A time without a zone is the latest that it may be', results(withoutZone(1.4))),
  isFree('A time without a zone may be too old, too', results(withoutZone(1.6))),
  counts(
    'A price without a time counts as of the import',
    results(withResult(({ createdAt: _, ...result }: { createdAt?: unknown }) => result)),
  ),
  counts('So does a line without an answer', results(all({ result: undefined }))),
  ...['soon', '0001-01-01T00:00:00Z', 5, '01.02.2026 10:00', '2025-11-28'].map(time =>
    counts(
      `So does a time that is none: ${time}`,
      results(lines => dated(lines, time)),
    ),
  ),
  counts('A time to come counts as now', results(daysAgo(-400))),
  counts(
    'What is unknown counts with the price of its line',
    results(all({ state: 'unknown', exitCode: 8, shipmentId: null, result: undefined })),
  ),
  counts('A pair counts with both legs', pairs()),
  isFree('A pair has the time of its shipments', pairs(2)),
  ...each({ says: 'It counts for the profile that it was imported with' }, [
    { rig: day(profiles), after: [`${IMPORT} --profile live`], run: `${THIRD} --profile live`, exit: 12 },
    { rig: day(profiles), after: [`${IMPORT} --profile other`], run: `${THIRD} --profile live` },
  ]),
  {
    says: 'An order that the line of its label told of gets its price from its own line',
    rig: day(async () => {
      const rig = await results()();
      const env = { WAYBILL_STATE_DIR: join(rig.folder, 'other') };
      await rig.run('batch label orders.jsonl --results labels.jsonl', { env });
      return rig;
    }),
    after: ['history import labels.jsonl --done none', IMPORT],
    run: THIRD,
    env: LIMIT,
    exit: 12,
  },
  {
    says: 'It is not among the orders of today',
    rig: results(daysAgo(365)),
    after: [IMPORT],
    run: 'history list --since 1d --json',
    json: [],
    also: async (_, rig) => {
      expect(await rowsOf(rig, 'history summary --since 1d --json')).toEqual([]);
      expect(await rowsOf(rig, 'history summary --since 400d --json')).toMatchObject([{ shipments: 2 }]);
    },
  },
  ...unclearMoney.map(([price, currency]) => ({
    says: 'A price that is none has to be looked at, and its key is taken all the same',
    rig: results(priced(price, currency)),
    run: `${IMPORT} --json`,
    exit: 9,
    json: { taken: 2, unclear: [], unpriced: [1, 2] },
    also: async (_: unknown, rig: Rig) => {
      expect(await rowsOf(rig, 'history summary --json')).toMatchObject([
        { shipments: 2, cost: {}, withoutPrice: 2 },
      ]);
      rig.file('invoice.csv', 'Reference;Amount;Currency\nORDER-1;9,90;EUR\n');
      expect((await rig.run('history reconcile invoice.csv')).exitCode).toBe(9);
      expect((await rig.run('history list')).exitCode).toBe(0);
      expect((await rig.run(SHIP)).requests).toEqual([]);
    },
  })),
  {
    says: 'A price without a currency, or none, is no fault',
    rig: results(lines => [...priced(5, null)(lines.slice(0, 1)), ...priced(null)(lines.slice(1))]),
    run: `${IMPORT} --json`,
    json: { unpriced: [] },
  },
]);
