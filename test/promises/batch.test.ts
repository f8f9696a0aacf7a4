import { expect } from 'vitest';
import { created, dualOrder, jsonLines, order, orders, summaryOf } from '../rig/batch.ts';
import { createRig, type RigOptions } from '../rig/command.ts';
import { COLUMNS, csv, FLAGS, row } from '../rig/csv-orders.ts';
import { shopRig } from '../rig/profile.ts';
import { DUAL, fixture, posted, SHIPMENT, UNDECIDED } from '../rig/service.ts';
import { BOOKED, LABELLED, QUOTED, scripted, signal } from './begin.ts';
import { each, type Promised, promises } from './promise.ts';

const SHIP_CSV = `batch ship orders.csv ${FLAGS} --carrier EXP --concurrency 1 --json`;
const inCsv = (...lines: string[]): RigOptions => ({
  files: { 'orders.csv': csv(...lines), 'sender.json': UNDECIDED.sender },
});
const of = (...records: unknown[]): RigOptions => ({ files: { 'orders.jsonl': jsonLines(records) } });
const SHIP = 'batch ship orders.jsonl --concurrency 1 --json';
const bad = (key: string) => order(key, { category: 'sale' });
const booked = (count: number) => Array(count).fill(BOOKED);
const issues = (...expected: (string | RegExp)[]) => ({
  issues: expected.map(words => expect.objectContaining({ path: expect.stringMatching(words) })),
});

promises('The input of a batch', [
  {
    says: 'It is a CSV whose headers are paths of fields',
    rig: inCsv(COLUMNS, row('A'), row('B', 'FR')),
    run: SHIP_CSV,
    sent: [QUOTED, BOOKED, QUOTED, BOOKED],
    body: { receiver: { address: { country: { code: 'FR' } } }, packages: [{ weight: 1 }] },
  },
  {
    says: 'It is a JSON array',
    rig: { files: { 'orders.json': orders(2) } },
    run: 'batch ship orders.json --json',
    json: { records: 2 },
    sent: booked(2),
  },
  { says: 'It is JSON lines', rig: of(...orders(2)), run: SHIP, json: { records: 2 }, sent: booked(2) },
  {
    says: '`-` is stdin, and the results are named after the operation',
    stdin: jsonLines(orders(2)),
    run: 'batch ship - --format jsonl --json',
    json: { records: 2, results: 'ship.results.jsonl' },
    files: { 'ship.results.jsonl': 'ORDER-2' },
  },
  ...each({ says: '--format says what it is where the name does not tell', sent: booked(1) }, [
    { rig: { files: { 'orders.dat': jsonLines(orders(1)) } }, run: 'batch ship orders.dat --format jsonl' },
    { rig: { files: { orders: orders(1) } }, run: 'batch ship orders --format json' },
  ]),
  {
    says: 'Without it such a name is exit 2',
    rig: { files: { 'orders.dat': jsonLines(orders(1)) } },
    run: 'batch ship orders.dat',
    exit: 2,
    sent: [],
    stderr: '--format',
  },
  {
    says: '--key-column names the key of each record',
    rig: of(order('A', { key: undefined, orderNumber: 17 })),
    run: `${SHIP} --key-column orderNumber`,
    files: { 'orders.results.jsonl': '"key":"17"' },
  },
  ...each({ says: '`ship` and `ship-dual` require a key', exit: 2, sent: [] }, [
    { rig: of(order('A', { key: undefined })), run: SHIP, error: issues(/^line 1: key/) },
    {
      rig: of({ ...dualOrder('A'), key: undefined }),
      run: 'batch ship-dual orders.jsonl --json',
      error: issues(/^line 1: key/),
    },
  ]),
  {
    says: '`quote` needs none',
    rig: of(fixture('v1/carriers/proposal/POST/minimal.request.json')),
    run: 'batch quote orders.jsonl --json',
    json: { states: { done: 1 } },
  },
  {
    says: 'Columns beginning with _ are ignored',
    rig: inCsv(`${COLUMNS},_note`, `${row('A')},call first`),
    run: SHIP_CSV,
    lacks: '_note',
  },
  {
    says: 'But _record is not: it is refused where --failed did not write it',
    rig: of({ ...order('A'), _record: 'mine' }),
    run: SHIP,
    exit: 2,
    sent: [],
    error: issues(/^line 1: _record/),
  },
  {
    says: 'Columns of an element that are all empty mean there is none',
    rig: inCsv(`${COLUMNS},packages[1].weight,packages[1].quantity`, `${row('A')},,`),
    run: SHIP_CSV,
    also: ({ requests }) => expect(JSON.parse(requests[1]?.body ?? '').packages).toHaveLength(1),
  },
  {
    says: 'Adjacent rows with one key are one order with several items',
    rig: inCsv(COLUMNS, row('A', 'DE', 'cup'), row('A', 'DE', 'pot'), row('B')),
    run: `${SHIP_CSV} --set customs.totalGoodsValue=50`,
    json: { records: 2 },
    also: ({ requests }) =>
      expect(
        JSON.parse(requests[1]?.body ?? '').items.map((item: { description: string }) => item.description),
      ).toEqual(['cup', 'pot']),
  },
  {
    says: 'One key is one as it is written: rows whose keys only look the same are refused',
    rig: inCsv(COLUMNS, row('00123', 'DE', 'cup'), row('123', 'DE', 'pot')),
    run: SHIP_CSV,
    exit: 2,
    sent: [],
    error: issues(/^line \d: key/),
  },
  {
    says: 'A unit price is the total ÷ the quantity where it is left out, and the value of the goods the sum of the items',
    rig: inCsv(
      COLUMNS.replace('items[].unitPrice', 'items[].totalPrice').replace('customs.totalGoodsValue', '_'),
      row('A', 'DE', 'cup'),
      row('A', 'DE', 'pot'),
    ),
    run: SHIP_CSV,
    body: {
      items: [{ unitPrice: 6.25, totalPrice: 12.5 }, { unitPrice: 6.25 }],
      customs: { totalGoodsValue: 25 },
    },
  },
  ...each({ exit: 2, sent: [] }, [
    {
      says: 'A row with more cells than the header is a problem',
      rig: inCsv(COLUMNS, `${row('A')},more`),
      run: SHIP_CSV,
      error: issues(/^line 2/),
    },
    ...each({ says: 'Keys of a file that only look the same are refused', error: issues(/^line 2: key/) }, [
      { rig: of(order('00123'), order('123')), run: SHIP },
      { rig: of(order('A 1'), order('A  1')), run: SHIP },
      { rig: of(order('A'), order('A', { category: 'gift' })), run: SHIP },
    ]),
    { says: 'A key that a spreadsheet has mangled is refused', rig: of(order('1.23457E+17')), run: SHIP },
  ]),
  {
    says: "The operation's flags and --set hold for every record, below what the record says",
    rig: of(order('A', { category: undefined }), order('B', { category: 'gift' })),
    run: `${SHIP} --category sales`,
    also: ({ requests }) =>
      expect(requests.map(({ body }) => JSON.parse(body).category)).toEqual(['sales', 'gift']),
  },
  {
    says: "A profile's defaults hold for every record, below what the record says",
    rig: async () => {
      const rig = await shopRig({ sender: { ...(SHIPMENT.sender as object), firstName: 'Profile' } });
      rig.file('orders.jsonl', jsonLines([order('A', { sender: undefined }), order('B')]));
      return rig;
    },
    run: SHIP,
    also: ({ requests }) =>
      expect(requests.map(({ body }) => JSON.parse(body).sender.firstName)).toEqual(['Profile', 'Deniz']),
  },
  ...each({ says: 'Each operation runs over many records' }, [
    {
      rig: of(fixture('v1/carriers/proposal/POST/minimal.request.json')),
      run: 'batch quote orders.jsonl',
      files: { 'orders.quote.jsonl': '"operation":"quote"' },
    },
    {
      rig: of({ data: { countryFrom: 'TR', countryTo: 'DE' }, package: '1kg@10x10x10' }),
      run: 'batch rates orders.jsonl',
      files: { 'orders.rates.jsonl': '"operation":"rates"' },
    },
    {
      rig: of({ key: 'P', ...DUAL }),
      run: 'batch ship-dual orders.jsonl',
      files: { 'orders.results.jsonl': '"operation":"ship-dual"' },
    },
    {
      rig: of(order('A')),
      after: ['batch ship orders.jsonl'],
      run: 'batch label orders.jsonl',
      files: { 'orders.label.jsonl': '"operation":"label"' },
      sent: [LABELLED],
    },
    {
      rig: of(order('A')),
      after: ['batch ship orders.jsonl'],
      run: 'batch track orders.jsonl',
      files: { 'orders.track.jsonl': [/"operation":"track"/, /"status":"/, /"milestone":"/, /"statusAt":"/] },
    },
  ]),
  {
    says: 'The template of `ship` runs as it is',
    rig: async () => {
      const rig = await createRig();
      rig.file('orders.csv', (await rig.run('batch template ship')).stdout);
      return rig;
    },
    run: 'batch ship orders.csv',
    sent: booked(1),
  },
]);

promises('All records are validated before the first is sent', [
  {
    says: 'A bad one is reported by its line and path, and nothing is sent',
    rig: of(order('A'), bad('B')),
    run: SHIP,
    exit: 2,
    sent: [],
    error: { code: 'invalid_request', ...issues(/^line 2: category$/) },
    files: { 'orders.results.jsonl': null },
  },
  {
    says: 'With --skip-invalid the rest goes on: exit 9',
    rig: of(order('A'), bad('B'), order('C')),
    run: `${SHIP} --skip-invalid`,
    exit: 9,
    json: { states: { created: 2, invalid: 1 } },
    sent: booked(2),
    files: { 'orders.results.jsonl': '"key":"B","line":2,"state":"invalid","exitCode":2,"sent":false' },
  },
  ...each({ run: SHIP, exit: 2, sent: [] }, [
    {
      says: 'A fault that all records share is told once',
      rig: of(...['A', 'B', 'C', 'D', 'E'].map(bad)),
      error: issues(/^all 5 records/),
    },
    {
      says: 'Faults are grouped, with the lines',
      rig: of(bad('A'), order('B'), bad('C')),
      error: issues(/^line 1 and line 3/),
    },
  ]),
  {
    says: 'Those that stopped the run come first',
    rig: { ...of(bad('A'), ...orders(6)), env: { WAYBILL_TOKEN: 'wrong' } },
    run: `${SHIP} --skip-invalid`,
    exit: 3,
    error: {
      issues: [{ message: expect.stringContaining('401') }, { message: expect.stringContaining('sale') }],
    },
  },
]);

const unknowns = { faults: [{ kind: 500, probability: 1 }] };
const dear = (count: number) => orders(count).map(one => ({ ...one, maxPrice: '60EUR' }));

promises('Limits of a run', [
  ...each({ rig: { ...of(...orders(5)), ...unknowns }, exit: 8 }, [
    {
      says: 'After 3 new unknowns no further record is started',
      run: SHIP,
      json: { states: { unknown: 3, not_sent: 2 }, stopped: 'unknown' },
      sent: booked(3),
    },
    {
      says: '--max-unknown is another number',
      run: `${SHIP} --max-unknown 1`,
      json: { states: { unknown: 1, not_sent: 4 } },
      sent: booked(1),
    },
    {
      says: 'Unknowns of an earlier run do not count',
      after: [{ line: SHIP, exit: 8 }],
      run: SHIP,
      json: { states: { unknown: 5 } },
      sent: booked(2),
    },
  ]),
  {
    says: 'After one booked above --max-price no further record is started: exit 11',
    rig: scripted(key => created(key, 499), of(...dear(3))),
    run: SHIP,
    exit: 11,
    json: { states: { created: 1, not_sent: 2 }, stopped: 'over_price' },
  },
  {
    says: '--max-overpriced is another number',
    rig: scripted(key => created(key, 499), of(...dear(3))),
    run: `${SHIP} --max-overpriced 2`,
    exit: 11,
    json: { states: { created: 2, not_sent: 1 } },
  },
  {
    says: 'At most 4 records are under way',
    rig: { ...of(...orders(9)), ...unknowns },
    run: 'batch ship orders.jsonl --max-unknown 1 --json',
    exit: 8,
    also: ({ requests }) => expect(requests.length).toBeLessThanOrEqual(4),
  },
  {
    says: '--rate starts so many per second',
    rig: of(...orders(3)),
    run: `${SHIP} --rate 4`,
    also: ({ waits }) => expect(waits.filter(wait => wait === 250).length).toBeGreaterThanOrEqual(2),
  },
  ...each({ says: 'A limit that is none is exit 2', rig: of(...orders(1)), exit: 2, sent: [] }, [
    `${SHIP} --concurrency 0`,
    `${SHIP} --max-unknown 0`,
    `${SHIP} --max-overpriced 0`,
    `${SHIP} --rate 0`,
    'batch quote orders.jsonl --max-unknown 1',
  ]),
]);

const own = (key: string, more: Record<string, unknown>) => ({
  ...order(key, more),
  chargeableWeight: undefined,
  ...(more.carrier === undefined && { carrier: undefined }),
});
const IOSS = '--ioss-number IM2760000742';

promises("A record's own flags", [
  ...(
    [
      ['EXP', 'EXP'],
      ['cheapest', 'ECO'],
      ['fastest', 'EXP'],
    ] as const
  ).map(([carrier, id]) => ({
    says: 'The column `carrier` is an id, cheapest or fastest, and stronger than the flag',
    rig: of(own('A', { carrier })),
    run: `${SHIP} --carrier ${id === 'ECO' ? 'EXP' : 'ECO'} ${IOSS}`,
    body: { carrier: { id } },
  })),
  ...each(
    {
      says: 'The columns `maxPrice`, `maxDays` and `service` are bounds',
      exit: 9,
      sent: [QUOTED],
    },
    [
      { rig: of(own('A', { carrier: 'cheapest', maxPrice: '1EUR' })), run: SHIP },
      { rig: of(own('A', { carrier: 'fastest', maxDays: 1 })), run: SHIP },
      { rig: of(own('A', { carrier: 'cheapest', service: 'overnight' })), run: SHIP },
    ].map(one => ({ ...one, json: { states: { rejected: 1 } } })),
  ),
  {
    says: 'The bound of a record is stronger than that of the batch',
    rig: of(own('A', { carrier: 'EXP', maxPrice: '60EUR' })),
    run: `${SHIP} --max-price 1EUR`,
    sent: [QUOTED, BOOKED],
  },
  {
    says: 'The column `label` makes a label',
    rig: of(order('A', { label: 'yes' }), order('B', { label: 'no' })),
    run: SHIP,
    sent: [BOOKED, LABELLED, BOOKED],
  },
  {
    says: 'The column `label` is stronger than the flag',
    rig: of(order('A', { label: 'no' }), order('B')),
    run: `${SHIP} --label`,
    sent: [BOOKED, BOOKED, LABELLED],
  },
  ...each({ says: 'Each is checked with everything else', exit: 2, sent: [] }, [
    { rig: of(order('A', { maxPrice: '20' })), run: SHIP, error: issues(/^line 1: maxPrice/) },
    { rig: of(order('A', { maxDays: '1.5' })), run: SHIP, error: issues(/^line 1: maxDays/) },
    { rig: of(order('A', { label: 'maybe' })), run: SHIP, error: issues(/^line 1: label/) },
  ]),
]);

promises('Labels of a batch', [
  {
    says: 'With --label each shipment has its label, which is saved under its key',
    rig: of(...orders(2)),
    run: `${SHIP} --label --download labels`,
    json: { shipments: 2, labels: 2 },
    files: { 'labels/ORDER-1.pdf': /^%PDF-/, 'labels/ORDER-2.pdf': /^%PDF-/ },
  },
  ...each({ rig: of(...orders(2)), files: { 'today.pdf': /^%PDF-/ } }, [
    { says: '--merge makes one PDF of them', run: `${SHIP} --label --merge today.pdf` },
    {
      says: '`batch label` takes --merge as well',
      after: [SHIP],
      run: 'batch label orders.jsonl --merge today.pdf',
    },
  ]),
  {
    says: 'It prints what was never printed',
    rig: of(...orders(2)),
    after: [`${SHIP} --label --print`],
    run: `${SHIP} --label --print`,
    also: ({ programs }) => expect(programs).toEqual([]),
  },
  {
    says: '--reprint prints all',
    rig: of(...orders(2)),
    after: [`${SHIP} --label --print`],
    run: `${SHIP} --label --print --reprint`,
    also: ({ programs }) => expect(programs).toHaveLength(2),
  },
  ...each({ says: 'Where to put labels needs labels', rig: of(...orders(1)), exit: 2, sent: [] }, [
    `${SHIP} --download labels`,
    `${SHIP} --merge today.pdf`,
    `${SHIP} --reprint`,
  ]),
  {
    says: 'A shipment whose label was not made is `partial`: exit 9',
    rig: { ...of(...orders(1)), faults: [{ kind: 'label-international', probability: 1 }] },
    run: `${SHIP} --label`,
    exit: 9,
    json: { states: { partial: 1 }, shipments: 1, labels: 0 },
  },
  {
    says: 'A record whose shipment the journal has is never `not_sent`: stopped before its label it is `created`, not sent, and says what is missing',
    rig: of(...orders(3)),
    after: [SHIP],
    run: `${SHIP} --label`,
    onRequest: signal('SIGTERM').onRequest,
    exit: 143,
    json: { before: { shipments: 3 } },
    files: {
      'orders.results.jsonl': [
        /"key":"ORDER-3","line":3,"state":"created","exitCode":9,"sent":false/,
        /label/,
      ],
    },
    lacks: 'not_sent',
  },
]);

const dry: Partial<Promised> = {
  sent: [],
  files: { 'orders.results.jsonl': null, 'state/journal.db': null },
};

promises('--dry-run of a batch', [
  {
    says: 'It counts, sends nothing and writes nothing',
    rig: of(...orders(3)),
    run: `${SHIP} --dry-run`,
    exit: 0,
    json: { dryRun: true, records: 3, toSend: 3, sent: 0, results: null },
    ...dry,
  },
  {
    says: 'It counts what is booked already',
    rig: of(...orders(2)),
    after: [SHIP, { write: { 'orders.jsonl': jsonLines(orders(3)) } }],
    run: `${SHIP} --dry-run`,
    json: { toSend: 1, already: 2 },
    sent: [],
  },
  { says: 'It validates: exit 2', rig: of(bad('A')), run: `${SHIP} --dry-run`, exit: 2, ...dry },
  {
    says: '--estimate quotes each record into the results, and books nothing',
    rig: of(own('A', { carrier: 'EXP' }), own('B', { carrier: 'EXP' })),
    run: `${SHIP} --dry-run --estimate`,
    json: { cost: { EUR: 105.8 }, states: { estimated: 2 } },
    sent: [QUOTED, QUOTED],
    files: { 'orders.results.jsonl': '"state":"estimated"' },
  },
  { says: '--estimate is of a dry run', rig: of(...orders(1)), run: `${SHIP} --estimate`, exit: 2, sent: [] },
  {
    says: 'The summary of a batch of nothing is 0',
    rig: of(),
    run: SHIP,
    json: { records: 0, sent: 0, states: {} },
    sent: [],
    also: ran => expect([summaryOf(ran).cost, posted(ran)]).toEqual([{}, []]),
  },
]);
