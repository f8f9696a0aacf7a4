import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import { created, dualOrder, jsonLines, keys, linesIn, order, orders, summaryOf } from '../rig/batch.ts';
import { createRig, type RigOptions } from '../rig/command.ts';
import { COLUMNS, csv, FLAGS, row } from '../rig/csv-orders.ts';
import { shopRig } from '../rig/profile.ts';
import { DUAL, errorOf, fixture, posted, SHIPMENT, UNDECIDED } from '../rig/service.ts';
import { BOOKED, LABELLED, offering, QUOTED, scripted, signal } from './begin.ts';
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
  ...each({ exit: 2, sent: [] }, [
    {
      says: 'One key is one as it is written: rows whose keys only look the same are refused',
      rig: inCsv(COLUMNS, row('00123', 'DE', 'cup'), row('123', 'DE', 'pot')),
      run: SHIP_CSV,
      error: issues(/^line \d: key/),
    },
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
    ...each(
      { says: '`ship` and `ship-dual` require a key, text or a number', error: issues(/^line 1: key/) },
      [
        { rig: of({ ...dualOrder('A'), key: undefined }), run: 'batch ship-dual orders.jsonl --json' },
        ...[undefined, null, '  ', { id: 1 }].map(key => ({ rig: of(order('A', { key })), run: SHIP })),
        {
          rig: {
            files: {
              'orders.jsonl': JSON.stringify(order('LONG')).replace('"LONG"', '123456789012345678.0'),
            },
          },
          run: SHIP,
        },
      ],
    ),
    {
      says: 'A key that stands twice is refused, however many records are between',
      rig: of(order('A'), ...orders(300), order('A', { category: 'gift' })),
      run: SHIP,
      error: issues(/^line 302: key/),
    },
    {
      says: 'A name that stands twice in a record is refused: the last bound would count',
      rig: { files: { 'orders.jsonl': '{"key":"A","maxPrice":"5EUR","maxPrice":"500EUR"}\n' } },
      run: SHIP,
      stderr: /maxPrice.*twice/,
    },
  ]),
  {
    says: 'Columns beginning with _ are ignored',
    rig: inCsv(`${COLUMNS},_note`, `${row('A')},call first`),
    run: SHIP_CSV,
    lacks: '_note',
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
  {
    says: "The operation's flags and --set hold for every record, below what the record says",
    rig: of(order('A', { category: undefined }), order('B', { category: 'gift' })),
    run: `${SHIP} --category sales`,
    also: ({ requests }) =>
      expect(requests.map(({ body }) => JSON.parse(body).category)).toEqual(['sales', 'gift']),
  },
  {
    says: "A profile's defaults hold for every record, below what the record says",
    rig: () => shopRig({ sender: { ...(SHIPMENT.sender as object), firstName: 'Profile' } }),
    after: [{ write: { 'orders.jsonl': jsonLines([order('A', { sender: undefined }), order('B')]) } }],
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
    says: '`batch track` shows where the shipment of each record is, in the order of the file',
    rig: of(order('A'), order('B')),
    after: [
      'batch ship orders.jsonl',
      { write: { 'all.jsonl': '{"key":"A"}\n{"key":"B"}\n{"id":"S-9"}\n' } },
    ],
    run: 'batch track all.jsonl',
    exit: 9,
    stdout:
      /\nKEY OR ID +STATUS +SINCE\nA +pending arrival at warehouse +2 Mar 09:00\nB +pending .*\nline 3 +not found +-\n$/,
  },
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
  {
    says: 'A quote that no carrier takes has neither carrier nor price',
    rig: offering({ id: 'EXP', price: 9, isValid: false }),
    after: [{ write: { 'routes.jsonl': fixture('v1/carriers/proposal/POST/minimal.request.json') } }],
    run: 'batch quote routes.jsonl --json',
    stdout: /"cost": \{\}/,
    files: { 'routes.quote.jsonl': ['"carrier":null', '"price":null'] },
  },
  ...each({ says: 'What `batch track` does not find fails alone, also if that is all', exit: 9 }, [
    {
      rig: of(order('A')),
      after: [SHIP, { write: { 'ids.jsonl': jsonLines([{ key: 'A' }, { id: 'NONE' }]) } }],
      run: 'batch track ids.jsonl --json',
      json: { states: { done: 1, failed: 1 } },
    },
    {
      rig: of(...keys(9).map(id => ({ id }))),
      run: 'batch track orders.jsonl --json',
      json: { states: { failed: 9 }, stopped: null },
    },
  ]),
  ...each({ says: 'A file that means nothing to its command is refused', exit: 2, sent: [] }, [
    { run: 'batch label night.csv', rig: { files: { 'night.csv': 'order,Total\nA,1\nB,2\n' } } },
    { run: 'batch track night.csv', rig: { files: { 'night.csv': 'order,Total\nA,1\nB,2\n' } } },
    { run: 'batch track orders.jsonl', rig: of({ id: 'S-1', domestic: 'yes' }) },
    { run: 'batch track orders.jsonl', rig: of({ id: 17 }) },
    {
      run: 'batch rates orders.jsonl --sandbox',
      rig: of({ data: { countryFrom: 'TR', countryTo: 'DE' }, package: '1kg@10x10x10' }),
    },
  ]),
  ...['mine', 'rec_12', 12].map(_record => ({
    says: `But _record is refused where --failed did not write it: ${_record}`,
    rig: of({ ...order('A'), _record }),
    run: SHIP,
    exit: 2,
    sent: [],
    error: issues(/^line 1: _record/),
  })),
  {
    says: 'A column that is ignored makes no other order of a record',
    rig: inCsv(COLUMNS, row('A')),
    after: [SHIP_CSV, { write: { 'orders.csv': csv(`${COLUMNS},_note`, `${row('A')},call first`) } }],
    run: SHIP_CSV,
    sent: [],
    json: { already: 1 },
  },
  {
    says: 'The schema of a record accepts its own columns, and no field that nobody knows',
    run: 'batch template ship --schema',
    also: ({ stdout }) => {
      const accepts = new Ajv2020({ strict: false }).compile(JSON.parse(stdout));
      const columns = { carrier: 'cheapest', service: 'express', maxPrice: '20EUR', maxDays: 3, label: true };
      const records = [
        order('A'),
        order('A', { ...columns, _note: 'x' }),
        { key: 'A', package: '1kg@30x20x10cm' },
        { carrier: 'EXP' },
        order('A', { reciever: {} }),
      ];
      expect(records.map(record => accepts(record))).toEqual([true, true, true, false, false]);
    },
  },
]);

promises('All records are validated before the first is sent', [
  ...each({ run: SHIP, exit: 2, sent: [] }, [
    {
      says: 'A bad one is reported by its line and path, and nothing is sent',
      rig: of(order('A'), bad('B')),
      error: { code: 'invalid_request', ...issues(/^line 2: category$/) },
      files: { 'orders.results.jsonl': null },
    },
    {
      says: 'A fault that all share comes before the others',
      rig: of(
        order('A', { type: undefined, category: 'sale' }),
        ...keys(9).map(key => order(key, { type: undefined })),
      ),
      error: {
        issues: [
          { path: expect.stringMatching(/^all 10 records: type/), message: expect.any(String) },
          { path: 'line 1: category', message: expect.any(String) },
        ],
      },
    },
  ]),
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
    json: { stopped: 'unauthorized' },
    error: {
      issues: [{ message: expect.stringContaining('401') }, { message: expect.stringContaining('sale') }],
    },
  },
  ...each({ run: SHIP, exit: 2, sent: [] }, [
    {
      says: 'The results of an earlier run stay as they are',
      rig: of(...orders(2)),
      after: [SHIP, { write: { 'orders.jsonl': jsonLines([...orders(2), bad('B')]) } }],
      files: { 'orders.results.jsonl': '"sent":true' },
    },
    {
      says: 'The first 50 problems are listed, and all are counted',
      rig: of(...keys(60).map(key => order(key, { category: `sale ${key}` }))),
      error: { message: expect.stringMatching(/60 of the 60 records.*first 50 of 60/) },
      also: ran => expect(errorOf(ran).issues).toHaveLength(50),
    },
  ]),
]);

const unknowns = { faults: [{ kind: 500, probability: 1 }] };
const dear = (count: number) => orders(count).map(one => ({ ...one, maxPrice: '60EUR' }));

promises('Limits of a run', [
  ...each({ rig: { ...of(...orders(5)), ...unknowns }, exit: 8 }, [
    {
      says: 'After 3 new unknowns no further record is started',
      run: SHIP,
      json: { states: { unknown: 3, not_sent: 2 }, stopped: 'unknown' },
      error: { created: null, retry: 'never' },
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
  ...each(
    { says: 'A limit that is none, or of no use, is exit 2', rig: of(...orders(1)), exit: 2, sent: [] },
    [
      `${SHIP} --concurrency 0`,
      `${SHIP} --concurrency 1000`,
      `${SHIP} --key A`,
      'batch track orders.jsonl --estimate --dry-run',
      'batch quote orders.jsonl --retry-rejected',
      `${SHIP} --max-unknown 0`,
      `${SHIP} --max-overpriced 0`,
      `${SHIP} --rate 0`,
      'batch quote orders.jsonl --max-unknown 1',
    ],
  ),
  {
    says: 'Unknown records are told with their keys: the first five',
    rig: scripted(key => (key === 'ORDER-8' ? created(key) : { status: 500 }), of(...orders(8))),
    run: `${SHIP} --max-unknown 9`,
    exit: 8,
    error: issues(/^lines 1, 2, 3, 4, 5, 6 and 7 \(ORDER-1, [^)]*, ORDER-5 and 2 more\)$/),
  },
  {
    says: 'Five records in a row that the service refuses with 401 stop it: exit 3',
    rig: of(...orders(9)),
    run: SHIP,
    env: { WAYBILL_TOKEN: 'wrong' },
    exit: 3,
    json: { states: { rejected: 5, not_sent: 4 }, stopped: 'unauthorized' },
  },
  {
    says: 'What was refused with 401 is sent when the token is right',
    rig: of(...orders(9)),
    after: [{ line: SHIP, exit: 3, env: { WAYBILL_TOKEN: 'wrong' } }],
    run: SHIP,
    sent: booked(9),
  },
  {
    says: 'A 401 now and then does not stop it',
    rig: scripted(key => (/[1-4]$/.test(key) ? { status: 401 } : created(key)), of(...orders(12))),
    run: SHIP,
    exit: 9,
    json: { states: { created: 6, rejected: 6 }, stopped: null },
  },
  {
    says: 'Of those above --max-price there are at most as many as are under way at one time',
    rig: scripted(key => created(key, 499), of(...dear(40))),
    run: 'batch ship orders.jsonl --concurrency 4',
    exit: 11,
    also: (_, rig) => expect(linesIn(rig).filter(({ overPrice }) => overPrice).length).toBeLessThanOrEqual(4),
  },
  ...each(
    {
      says: 'Those above --max-price of an earlier run stop nothing, and are exit 11 until a person accepts them',
      rig: scripted(key => created(key, key === 'ORDER-1' ? 499 : 12), of(...dear(3))),
      run: SHIP,
    },
    [
      {
        after: [{ line: SHIP, exit: 11 }],
        exit: 11,
        json: { states: { created: 3 }, sent: 2 },
        files: {
          'orders.results.jsonl': '"key":"ORDER-1","line":1,"state":"created","exitCode":11,"sent":false',
        },
      },
      {
        after: [{ line: SHIP, exit: 11 }, 'history accept ORDER-1', SHIP],
        json: { already: 3 },
        files: {
          'orders.results.jsonl': '"key":"ORDER-1","line":1,"state":"created","exitCode":0,"sent":false',
        },
      },
    ],
  ),
  {
    says: 'None above --max-price gets a label, also when it is run again',
    rig: scripted(key => created(key, key === 'ORDER-1' ? 499 : 12), of(...dear(2))),
    after: [{ line: `${SHIP} --label --max-overpriced 2`, exit: 11 }],
    run: `${SHIP} --label --max-overpriced 2`,
    exit: 11,
    also: (_, rig) => expect(linesIn(rig).map(({ trackingNumber }) => trackingNumber)).toEqual([null, 'T-1']),
  },
  {
    says: 'Records whose answers have no price are warned of once for each bound',
    rig: scripted(
      key => ({ status: 201, body: { id: `S-${key}` } }),
      of(...dear(3), order('D', { maxPrice: '99EUR' })),
    ),
    run: 'batch ship orders.jsonl --concurrency 1 -q',
    stderr: [
      /warning: line 1, line 2 and line 3 \(.*no price.* 60.00 EUR\n/,
      /warning: line 4, D: .*no price.* 99.00 EUR\n/,
    ],
  },
  {
    says: 'Results that cannot be written start no record beside those that are under way: exit 10',
    rig: of(...orders(30)),
    run: 'batch ship orders.jsonl --concurrency 4 --results /dev/full --json',
    exit: 10,
    json: { stopped: 'storage' },
    also: ran => {
      const { sent, states } = summaryOf(ran);
      expect(states).toEqual({ created: sent, not_sent: 30 - sent });
      expect([posted(ran).length, sent <= 4]).toEqual([sent, true]);
    },
  },
  {
    says: 'What was sent while its results could not be written is not sent again',
    rig: of(...orders(3)),
    after: [{ line: `${SHIP} --results /dev/full`, exit: 10 }],
    run: SHIP,
    sent: booked(2),
    json: { sent: 2, already: 1 },
  },
  {
    says: 'A record that the busy service did not take is worth the same command later',
    rig: scripted(
      key =>
        key === 'A'
          ? { status: 429, headers: { 'retry-after': '120' } }
          : key === 'B'
            ? { status: 422 }
            : created(key),
      of(order('A'), order('B'), order('C')),
    ),
    run: SHIP,
    exit: 9,
    error: { code: 'partial', retry: 'later', retryAt: '2026-03-02T09:02:00.000Z' },
    stderr: [/the same command again/, /--retry-rejected/],
  },
  {
    says: 'It is sent then, and nothing else',
    rig: scripted(
      (key, attempt) =>
        key === 'A' && attempt === 1 ? { status: 429, headers: { 'retry-after': '120' } } : created(key),
      of(order('A'), order('B')),
    ),
    after: [{ line: `${SHIP} --retries 0`, exit: 9 }],
    run: SHIP,
    json: { sent: 1, already: 1, states: { created: 2 } },
  },
]);

const own = (key: string, more: Record<string, unknown>) => ({
  ...order(key, more),
  chargeableWeight: undefined,
  ...(more.carrier === undefined && { carrier: undefined }),
});
const IOSS = '--ioss-number IM2760000742';
const RECEIVER = SHIPMENT.receiver as Record<string, unknown>;

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
    { says: 'The columns `maxPrice`, `maxDays` and `service` are bounds', exit: 9, sent: [QUOTED] },
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
  ...each({ says: 'Each is checked with everything else', run: SHIP, exit: 2, sent: [] }, [
    { rig: of(order('A', { maxPrice: '20' })), error: issues(/^line 1: maxPrice/) },
    { rig: of(order('A', { maxPrice: '0EUR' })), error: issues(/^line 1: maxPrice/) },
    { rig: of(order('A', { maxPrice: { amount: 20 } })), error: issues(/^line 1: maxPrice/) },
    { rig: of(order('A', { maxDays: '1.5' })), error: issues(/^line 1: maxDays/) },
    { rig: of(order('A', { label: 'maybe' })), error: issues(/^line 1: label/) },
  ]),
  ...each({ says: 'What a column `label` may say' }, [
    { rig: of(order('A', { label: 'x' })), run: SHIP, sent: [BOOKED, LABELLED] },
    { rig: of(order('A', { label: true })), run: SHIP, sent: [BOOKED, LABELLED] },
    { rig: of(order('A', { label: 'No' })), run: SHIP, sent: [BOOKED] },
    { rig: of(order('A', { label: '0' })), run: SHIP, sent: [BOOKED] },
  ]),
  {
    says: '--download needs one record with a label, or --label',
    rig: of(order('A', { label: true }), order('B')),
    run: `${SHIP} --download labels`,
    files: { 'labels/A.pdf': /^%PDF-/, 'labels/B.pdf': null },
  },
  {
    says: 'The column `carrier` is not beside one of the whole body',
    rig: inCsv(`${COLUMNS},carrier,carrier.id`, `${row('A')},EXP,EXP`),
    run: `batch ship orders.csv ${FLAGS} --json`,
    exit: 2,
    sent: [],
    error: issues(/^carrier\.id/),
  },
  {
    says: 'A receiver of a record replaces that of --receiver whole',
    rig: {
      files: {
        'orders.jsonl': jsonLines([order('A', { receiver: undefined }), order('B')]),
        'office.json': { ...RECEIVER, firstName: 'Office', companyName: 'Beispiel GmbH' },
      },
    },
    run: `${SHIP} --receiver office.json`,
    also: ({ requests }) =>
      expect(requests.map(({ body }) => JSON.parse(body).receiver)).toEqual([
        expect.objectContaining({ firstName: 'Office', companyName: 'Beispiel GmbH' }),
        RECEIVER,
      ]),
  },
  {
    says: '--set gives what a record leaves out of its own receiver and of its items, and replaces nothing',
    rig: of(
      order('A', {
        receiver: { ...RECEIVER, phone: { number: '1' } },
        items: (SHIPMENT.items as { hsCode: string }[]).map(({ hsCode: _, ...item }) => item),
      }),
      order('B'),
    ),
    run: `${SHIP} --set receiver.phone.code=+99 --set items[0].hsCode=999999 --set items[7].hsCode=999999`,
    also: ({ requests }) =>
      expect(requests.map(({ body }) => JSON.parse(body))).toMatchObject([
        { receiver: { phone: { code: '+99', number: '1' } }, items: [{ hsCode: '999999' }] },
        { receiver: RECEIVER, items: [{ hsCode: '610910' }] },
      ]),
  },
  {
    says: 'A file that a flag names is a part of what was booked',
    rig: {
      files: { 'orders.jsonl': jsonLines([order('A', { sender: undefined })]), 's.json': SHIPMENT.sender },
    },
    after: [
      `${SHIP} --sender s.json`,
      { write: { 's.json': { ...(SHIPMENT.sender as object), firstName: 'Another' } } },
    ],
    run: `${SHIP} --sender s.json`,
    exit: 9,
    sent: [],
    json: { states: { duplicate: 1 } },
    stderr: 'sender.firstName',
  },
  ...each({ says: 'The smallest bound is one, and a currency may be in small letters', run: SHIP }, [
    { rig: of(own('A', { carrier: 'fastest', maxDays: '0' })), exit: 9, json: { states: { rejected: 1 } } },
    { rig: of(own('A', { carrier: 'EXP', maxPrice: '90 eur', maxDays: 30 })), sent: [QUOTED, BOOKED] },
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
    says: '`batch label` needs the keys of a file, whatever else is in its rows',
    rig: of(...orders(2)),
    after: [
      SHIP,
      {
        write: {
          'night.csv':
            'key,items[].hsCode,Total,label\nORDER-1,610910,12,yes\nORDER-1,650500,,\nORDER-2,,9,\n',
        },
      },
    ],
    run: 'batch label night.csv --concurrency 1',
    sent: [LABELLED, LABELLED],
  },
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
  {
    says: 'A label of an order that was cancelled since is not told as created',
    rig: of(...orders(2)),
    after: [SHIP, 'batch label orders.jsonl', 'history cancelled ORDER-1 --reason gone'],
    run: 'batch label orders.jsonl',
    exit: 9,
    sent: [],
    files: {
      'orders.label.jsonl': [
        /"key":"ORDER-1","line":1,"state":"duplicate"/,
        /"key":"ORDER-2","line":2,"state":"created"/,
      ],
    },
  },
  {
    says: 'A key that was never booked fails for its record alone',
    rig: { files: { 'orders.jsonl': jsonLines(orders(1)), 'keys.csv': 'key\nNEVER\nORDER-1\n' } },
    after: [SHIP],
    run: 'batch label keys.csv',
    exit: 9,
    sent: [LABELLED],
    stderr: ['line 2, NEVER', 'has no booking with the key "NEVER"', 'waybill history list --key NEVER'],
    lacks: '--retry-rejected',
    files: { 'keys.label.jsonl': /"key":"NEVER","line":2,"state":"rejected","exitCode":4,"sent":false/ },
  },
  {
    says: 'With --merge the new ones are printed by themselves, if some were printed before',
    rig: of(...orders(3)),
    after: [SHIP, 'label ORDER-2 --print'],
    run: 'batch label orders.jsonl --merge today.pdf --print',
    stderr: 'today.pdf (3 labels, 1 of them printed before)',
    printed: ['ORDER-1.pdf', 'ORDER-3.pdf'],
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
    json: { dryRun: true, records: 3, toSend: 3, sent: 0, results: null },
    ...dry,
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
  {
    says: '--estimate is of a dry run',
    rig: of(...orders(1)),
    run: `${SHIP} --estimate`,
    exit: 2,
    sent: [],
  },
  {
    says: 'The summary of a batch of nothing is 0',
    rig: of(),
    run: SHIP,
    json: { records: 0, sent: 0, states: {} },
    sent: [],
    also: ran => expect([summaryOf(ran).cost, posted(ran)]).toEqual([{}, []]),
  },
  {
    says: 'It needs no credential, and asks nothing',
    rig: of(...orders(3)),
    run: 'batch ship orders.jsonl --dry-run',
    terminal: true,
    env: { WAYBILL_TOKEN: '', NO_COLOR: '1' },
    stdout: /Would be sent\s+3\n/,
    ...dry,
    also: ({ asked }) => expect(asked).toEqual([]),
  },
  {
    says: 'It says how many of those that it would send have a warning',
    rig: of(
      ...orders(2),
      order('C', { customs: { totalGoodsValue: 25, currency: 'EUR', iossNumber: 'IM1' } }),
    ),
    run: `${SHIP} --dry-run`,
    json: { toSend: 3, warned: 1 },
    sent: [],
  },
  {
    says: 'It counts duplicates and what is not valid, and leaves the results as they are',
    rig: of(...orders(2)),
    after: [
      SHIP,
      {
        write: {
          'orders.jsonl': jsonLines([
            order('ORDER-1'),
            order('ORDER-2', { category: 'gift' }),
            order('NEW'),
            bad('BAD'),
          ]),
        },
      },
    ],
    run: `${SHIP} --dry-run --skip-invalid`,
    exit: 9,
    json: { records: 4, sent: 0, toSend: 1, already: 1, states: { created: 1, duplicate: 1, invalid: 1 } },
    sent: [],
    files: { 'orders.results.jsonl': '"key":"ORDER-2","line":2,"state":"created"' },
  },
  {
    says: 'A weight above that of the proposals has no price in an estimate, and is not added up',
    rig: of(own('A', { carrier: 'EXP' }), { ...order('B', { carrier: 'EXP' }), chargeableWeight: 40 }),
    run: `${SHIP} --dry-run --estimate`,
    json: { cost: { EUR: 52.9 }, withoutPrice: 1, shipments: 0 },
    stderr: 'the price will differ',
    files: { 'orders.results.jsonl': '"price":null' },
  },
  {
    says: 'The results of an estimate are replaced by those of the run',
    rig: of(own('A', { carrier: 'EXP' })),
    after: [`${SHIP} --dry-run --estimate`],
    run: SHIP,
    files: { 'orders.results.jsonl': '"state":"created"' },
  },
]);
