import { expect } from 'vitest';
import type { Ran, Rig, RigOptions } from '../rig/command.ts';
import { bookingAt, elsewhere, labelAt } from '../rig/journal.ts';
import { DAY, files, recorded, SHIP, textOf } from './begin.ts';
import { FILES } from './orders.ts';
import { each, promises } from './promise.ts';

const order = (firstName: string) => ({
  receiver: { firstName, lastName: 'Weber', address: { city: 'Bonn', country: { code: 'DE' } } },
  packages: [{ quantity: 2, weight: 0.7 }],
});
const by = (number: number, id: string) => ({
  answer: JSON.stringify({ id: `S-${number}`, carrier: { id, price: 9, currency: 'EUR' } }),
});

/** woo-1 and woo-2 are labelled, of EXP and ECO; K-3 has no label; K-4 is cancelled; K-5 is unknown. */
const evening = recorded(rig => [
  bookingAt(rig, 1, { key: 'woo-1', request: order('Anna'), ...by(1, 'EXP'), at: rig.clock.now - DAY }),
  labelAt(rig, 101, 1),
  bookingAt(rig, 2, { key: 'woo-2', request: order('Berta'), ...by(2, 'ECO') }),
  labelAt(rig, 102, 2),
  bookingAt(rig, 3, { request: order('Carla'), ...by(3, 'EXP') }),
  bookingAt(rig, 4, { request: order('Dora'), state: 'cancelled', ...by(4, 'EXP') }),
  labelAt(rig, 104, 4),
  bookingAt(rig, 5, { state: 'unknown', code: 'outcome_unknown', ids: {}, answer: null }),
]);
const withMap = async () => {
  const rig = await evening();
  rig.file('woo.json', { keyPrefix: 'woo-', columns: { No: 'key' } });
  return rig;
};
/** Orders of a shop, booked and labelled by a batch whose map has a keyPrefix, which no later command names. */
const ofShop = (map: object, ...numbers: string[]): RigOptions => ({
  files: {
    'orders.jsonl': numbers
      .map(number => `${JSON.stringify({ No: number, ...FILES['order.json'] })}\n`)
      .join(''),
    'map.json': { columns: { No: 'key' }, keyPrefix: 'woo-', ...map },
  },
});
const BATCH = 'batch ship orders.jsonl --map ./map.json --label';
const fields =
  (name: string, ...expected: unknown[]) =>
  ({ stdout }: Ran) =>
    expect(
      JSON.parse(stdout)
        .map((row: Record<string, unknown>) => row[name])
        .sort(),
    ).toEqual(expected);

const HANDOVER = 'history handover';

promises('history handover', [
  ...each({ rig: evening }, [
    {
      says: 'It is the list for the courier, a row each, of the labelled orders that no handover had yet',
      run: `${HANDOVER} --json`,
      json: [
        { key: 'woo-2', carrier: 'ECO' },
        {
          ...{ key: 'woo-1', receiver: 'Anna Weber', city: 'Bonn', country: 'DE', carrier: 'EXP', pieces: 2 },
          ...{ weightKg: 1.4, trackingNumber: 'T-1', shipmentId: 'S-1' },
        },
      ],
    },
    {
      says: 'CSV has the same columns',
      run: `${HANDOVER} -o csv`,
      stdout: /^key,receiver,city,country,carrier,pieces,weightKg,trackingNumber,shipmentId\r?\n/,
    },
    {
      says: 'The table has sums by carrier and a line to sign',
      run: HANDOVER,
      stdout: ['EXP: 1 order, 2 pieces, 1.4 kg', 'ECO: 1 order, 2 pieces, 1.4 kg', /Signature _+/],
    },
    {
      says: 'Cancelled and unlabelled orders are left out, and named on stderr',
      run: `${HANDOVER} --json`,
      stderr: [/cancelled: K-4/, /without a label: K-3/],
    },
    { says: '--carrier narrows it', run: `${HANDOVER} --carrier EXP --json`, also: fields('key', 'woo-1') },
    {
      says: 'Without --pdf and -y nothing is recorded',
      after: [HANDOVER],
      run: `${HANDOVER} --json`,
      also: fields('key', 'woo-1', 'woo-2'),
    },
  ]),
  ...each({ says: 'What was recorded is on no later list', rig: evening, also: fields('key', 'woo-2') }, [
    { after: [`${HANDOVER} --carrier EXP -y`], run: `${HANDOVER} --json` },
    { after: [`${HANDOVER} --carrier EXP --pdf list.pdf`], run: `${HANDOVER} --json` },
  ]),
  ...each({ rig: evening }, [
    { says: '--pdf writes the list', run: `${HANDOVER} --pdf list.pdf`, files: { 'list.pdf': /^%PDF-/ } },
    {
      says: '--again shows the last one',
      after: [`${HANDOVER} --carrier EXP -y`],
      run: `${HANDOVER} --again --json`,
      also: fields('key', 'woo-1'),
    },
  ]),
  ...each({ says: 'None at all is exit 0' }, [
    { run: `${HANDOVER} --pdf list.pdf`, files: { 'list.pdf': null } },
    {
      rig: evening,
      after: [`${HANDOVER} -y`],
      run: `${HANDOVER} -y`,
      stdout: 'Nothing to hand over',
      stderr: /the last one is list 1, of 2 orders, .*: `waybill history handover --again 1` shows it/,
    },
  ]),
  {
    says: 'A file of another kind is left alone, and nothing is recorded',
    rig: evening,
    after: [{ write: { 'mine.pdf': '%PDF-1.4 mine' } }],
    run: `${HANDOVER} --pdf mine.pdf`,
    exit: 2,
    files: { 'mine.pdf': /^%PDF-1\.4 mine$/ },
    also: async (_, rig) => expect(await rig.json(HANDOVER)).toHaveLength(2),
  },
  ...each({ rig: evening }, [
    {
      says: '--leave keeps an order back, and names it',
      run: `${HANDOVER} --leave S-1 --json`,
      stderr: /kept back: woo-1/,
      also: fields('key', 'woo-2'),
    },
    {
      says: 'What was kept back is on the next list',
      after: [`${HANDOVER} --leave woo-1 -y`],
      run: `${HANDOVER} --json`,
      also: fields('key', 'woo-1'),
    },
    ...each({ says: 'What is on a list, or unknown, is not kept back, and nothing is recorded' }, [
      {
        after: [`${HANDOVER} --carrier EXP -y`],
        run: `${HANDOVER} --leave woo-1 -y`,
        exit: 2,
        stderr: /on the list 1.*history handover --undo 1/,
        also: async (_, rig) => expect(await rig.json(HANDOVER)).toHaveLength(1),
      },
      { run: `${HANDOVER} --leave NONE -y`, exit: 4 },
    ]),
  ]),
  ...each({ says: '--undo takes the last list back', rig: evening, exit: 0 }, [
    {
      after: [`${HANDOVER} --carrier EXP -y`],
      run: `${HANDOVER} --undo --json`,
      also: fields('key', 'woo-1'),
    },
    {
      after: [`${HANDOVER} --carrier EXP -y`, `${HANDOVER} --undo`],
      run: `${HANDOVER} --json`,
      also: fields('key', 'woo-1', 'woo-2'),
    },
    { after: [`${HANDOVER} -y`, `${HANDOVER} --undo`], run: 'history show woo-1', lacks: 'handed over' },
  ]),
  ...each({ says: 'A list that is not there is not taken back', rig: evening, exit: 4 }, [
    `${HANDOVER} --undo`,
    { after: [`${HANDOVER} -y`, `${HANDOVER} --undo 1`, `${HANDOVER} -y`], run: `${HANDOVER} --undo 1` },
  ]),
  { says: '--undo is of a whole list', rig: evening, run: `${HANDOVER} --undo --carrier EXP`, exit: 2 },
  {
    says: 'A carrier that has no order is said, with those that have',
    rig: evening,
    run: `${HANDOVER} --carrier EXPR`,
    stderr: /EXPR; they are of .*ECO/,
  },
  ...each(
    {
      says: 'Of many that are left out ten are named, and all of them with --json',
      rig: recorded(rig => Array.from({ length: 12 }, (_, at) => bookingAt(rig, at + 1))),
    },
    [
      { run: HANDOVER, stderr: /K-12, .* and 2 more; --json/ },
      { run: `${HANDOVER} --json`, stderr: 'K-3, K-2, K-1"' },
    ],
  ),
  {
    says: 'An order says on which list it is',
    rig: evening,
    after: [`${HANDOVER} -y`],
    run: 'history show woo-1',
    stdout: /handed over to the courier, said .*: list 1$/m,
  },
]);

const EXPORT = 'history export --for';

promises('history export', [
  ...each({ rig: withMap }, [
    {
      says: 'For Amazon it has order number, carrier, tracking number and date in the form that Amazon imports',
      run: `${EXPORT} amazon --map ./woo.json`,
      stdout: [
        /^order-id\t.*ship-date\tcarrier-code\tcarrier-name\ttracking-number/,
        /\n1\t.*2026-03-01\tOther\tEXP\tT-1/,
      ],
    },
    {
      says: 'For WooCommerce it has them in the form that WooCommerce imports',
      run: `${EXPORT} woocommerce --map ./woo.json`,
      stdout: [/^order_id,tracking_provider,tracking_number,date_shipped/, /\n1,[^,]+,T-1,2026-03-01/],
    },
    {
      says: 'The order number is without keyPrefix',
      run: `${EXPORT} csv --map ./woo.json --json`,
      also: fields('order', '1', '2'),
    },
    {
      says: 'The command that is named for it has its map and its columns, and writes the same file',
      run: [
        ...`${EXPORT} csv --map ./woo.json --columns`.split(' '),
        'Order ID=order,trackingNumber',
        'out.csv',
      ],
      also: async ({ stderr }, rig) => {
        const [, once = ''] = /`waybill (history export [^`]*)`/.exec(stderr) ?? [];
        expect((await rig.run(`${once} again.csv`)).exitCode).toBe(0);
        expect(textOf(rig, 'again.csv')).toBe(textOf(rig, 'out.csv'));
      },
    },
    { says: 'With the map of one it warns of none', run: `${EXPORT} csv --map ./woo.json`, lacks: 'several' },
  ]),
  {
    says: 'For `csv` it has every column of the order',
    rig: evening,
    run: `${EXPORT} csv`,
    stdout: [/^order,carrier,trackingNumber,.*date,key,state,at,receiver,country,price/, /\nwoo-1,EXP,T-1,/],
  },
  {
    says: '--columns chooses and names them',
    rig: evening,
    run: ['history', 'export', '--for', 'csv', '--columns', 'Order ID=order,trackingNumber'],
    stdout: /^Order ID,trackingNumber\r?\nwoo-1,T-1\r?\n/,
  },
  ...each(
    {
      says: 'The order number is as the shop wrote it, whatever map booked it, and however it is exported',
      rig: ofShop({}, '#8001'),
      after: [BATCH],
    },
    [
      { run: `${EXPORT} amazon`, stdout: /\n#8001\t/ },
      { run: `${EXPORT} woocommerce`, stdout: /\n#8001,/ },
      { run: `${EXPORT} csv`, stdout: /\n#8001,/ },
      { run: `${EXPORT} csv --map ./map.json --json`, also: fields('order', '#8001') },
      {
        rig: ofShop({ extends: 'etsy' }, '8001'),
        run: `${EXPORT} csv --json`,
        also: fields('order', '8001'),
      },
      {
        after: [BATCH, `${EXPORT} csv -y`],
        run: `${EXPORT} csv --again --json`,
        also: fields('order', '#8001'),
      },
    ],
  ),
  {
    says: 'An order that is imported from results has the number that its shop wrote',
    rig: ofShop({}, '8001'),
    run: BATCH,
    also: async (_, rig) => {
      const env = elsewhere(rig);
      await rig.run('history import orders.results.jsonl --done none', { env });
      const exported = await rig.run(`${EXPORT} csv --json`, { env });
      fields('order', '8001')(exported);
    },
  },
  {
    says: 'An order whose key only begins like that of a shop is not exported to it',
    rig: ofShop({ keyPrefix: 'woo-de-' }, '8001'),
    after: [BATCH, { write: { 'woo.json': { columns: { No: 'key' }, keyPrefix: 'woo-' } } }],
    run: `${EXPORT} csv --map ./woo.json --json`,
    stderr: 'without woo- before the key: woo-de-8001',
    also: fields('order'),
  },
  {
    says: 'A number that two shops have is refused without the map of one, and nothing is recorded',
    rig: ofShop({}, '8001'),
    after: [
      BATCH,
      {
        write: {
          'map.json': { columns: { No: 'key' }, keyPrefix: 'etsy-' },
          'etsy.jsonl': JSON.stringify({ No: '8001', ...FILES['eva.json'] }),
        },
      },
      'batch ship etsy.jsonl --map ./map.json --label',
    ],
    run: `${EXPORT} csv -y`,
    exit: 2,
    stderr: ['8001 is the number of two orders, woo-8001 and etsy-8001', '--map'],
    also: async (_, rig) => expect(await rig.json(`${EXPORT} csv --map ./map.json`)).toHaveLength(1),
  },
  {
    says: 'The number of an order that was booked by hand is its key',
    rig: files,
    after: [`${SHIP} --label`],
    run: `${EXPORT} csv --json`,
    also: fields('order', 'A-1'),
  },
  ...each({ rig: evening }, [
    { says: '--since narrows it', run: `${EXPORT} csv --since 12h --json`, also: fields('order', 'woo-2') },
    {
      says: 'Without FILE and -y nothing is recorded',
      after: [`${EXPORT} csv`],
      run: `${EXPORT} csv --json`,
      also: fields('order', 'woo-1', 'woo-2'),
    },
    ...each({ says: 'Each order is exported once for each form', also: fields('order') }, [
      { after: [`${EXPORT} csv -y`], run: `${EXPORT} csv --json` },
      { after: [`${EXPORT} csv out.csv`], run: `${EXPORT} csv --json` },
    ]),
    {
      says: 'Another form has it still',
      after: [`${EXPORT} csv -y`],
      run: `${EXPORT} amazon --json`,
      also: fields('order', 'woo-1', 'woo-2'),
    },
    {
      says: 'FILE has the export',
      run: `${EXPORT} csv out.csv`,
      also: (_, rig) => expect(textOf(rig, 'out.csv')).toMatch(/\nwoo-1,EXP,T-1,/),
    },
    {
      says: '--again shows the last one',
      after: [`${EXPORT} csv -y`],
      run: `${EXPORT} csv --again --json`,
      also: fields('order', 'woo-1', 'woo-2'),
    },
  ]),
  ...each({ says: 'Another form, or columns that are none, are exit 2', rig: evening, exit: 2 }, [
    `${EXPORT} shopify`,
    `${EXPORT} csv --columns order,price2`,
    'history export',
  ]),
  {
    says: 'A file of another kind is left alone',
    rig: evening,
    after: [{ write: { 'mine.csv': 'order,mine\n' } }],
    run: `${EXPORT} csv mine.csv`,
    exit: 2,
    files: { 'mine.csv': /^order,mine\n$/ },
  },
  {
    says: 'What no shop can import is left out and named; what is unknown is no order yet',
    rig: recorded(rig => [
      bookingAt(rig, 1),
      bookingAt(rig, 2, { state: 'cancelled' }),
      bookingAt(rig, 3, { key: null }),
      labelAt(rig, 103, 3),
      bookingAt(rig, 4, { state: 'unknown', code: 'outcome_unknown', ids: {} }),
    ]),
    run: `${EXPORT} amazon`,
    stderr: [/cancelled: K-2/, /without a tracking number: K-1/, /without a key: S-3/],
    lacks: 'K-4',
  },
  {
    says: 'It has the link that follows a parcel, and no formula for a spreadsheet',
    rig: recorded(rig => [
      bookingAt(rig, 1, {
        key: '=cmd|1',
        answer: '{"id":"S-1","carrier":{"id":"EXP"},"details":{"trackingUrl":"https://follow.example/T-1"}}',
      }),
      labelAt(rig, 101, 1),
    ]),
    run: `${EXPORT} csv`,
    stdout: /\n'=cmd\|1,EXP,T-1,https:\/\/follow.example\/T-1,/,
  },
  ...each(
    {
      says: 'The profile says how a shop spells carriers and dates',
      rig: evening,
      after: [
        { line: 'profile add live --base-url https://shop.example --token-stdin', stdin: 'demo' },
        'profile set live amazonCarriers=exp=DHL woocommerceCarriers=ECO=ups,EXP=dhl woocommerceDate=DD.MM.YYYY',
      ],
    },
    [
      {
        run: `${EXPORT} amazon`,
        stdout: ['woo-1\t\t\t2026-03-01\tDHL\t\tT-1\t', '2026-03-02\tOther\tECO\tT-2'],
      },
      { run: `${EXPORT} woocommerce`, stdout: ['woo-1,dhl,T-1,01.03.2026,1', 'woo-2,ups,T-2,02.03.2026,1'] },
    ],
  ),
  ...each({ says: '--again writes an earlier export, by its number or since a time', rig: evening }, [
    ...(
      [
        ['--again', ['woo-1']],
        ['--again 1', ['woo-2']],
        ['--again --since 7d', ['woo-1', 'woo-2']],
      ] as const
    ).map(([flags, orders]) => ({
      after: [`${EXPORT} csv first.csv --since 12h`, `${EXPORT} csv second.csv`],
      run: `${EXPORT} csv ${flags} --json`,
      also: fields('order', ...orders),
    })),
    {
      after: [`${EXPORT} csv first.csv --since 12h`, `${EXPORT} csv -y`],
      run: `${EXPORT} csv --again first.csv`,
      files: { 'first.csv': /\r\nwoo-1,EXP,[^\n]*\r\n$/ },
    },
  ]),
  {
    says: 'An export that is not there is exit 4',
    rig: evening,
    after: [`${EXPORT} csv -y`],
    run: `${EXPORT} csv --again 2`,
    exit: 4,
  },
  {
    says: 'Without a map it warns of keys that look like those of several shops',
    rig: recorded(rig =>
      ['woo-1', 'woo-2', '#3'].flatMap((key, at) => [
        bookingAt(rig, at + 1, { key }),
        labelAt(rig, 101 + at, at + 1),
      ]),
    ),
    run: `${EXPORT} amazon`,
    stderr: /several shops: "woo-1" and 1 like it, "#3"\..*keyPrefix/,
  },
  {
    says: 'What a courier got later was shipped on that day',
    rig: evening,
    after: [{ later: 3 * DAY }, `${HANDOVER} -y`],
    run: `${EXPORT} csv --json`,
    also: fields('date', '2026-03-05', '2026-03-05'),
  },
  ...each({ says: 'What cannot be exported so is exit 2, and nothing is recorded', rig: evening, exit: 2 }, [
    ...[`${EXPORT} amazon --columns order -y`, `${EXPORT} csv --map none.json -y`].map(run => ({
      run,
      also: async (_: unknown, rig: Rig) => expect(await rig.json(`${EXPORT} csv`)).toHaveLength(2),
    })),
    { after: [`${EXPORT} csv -y`], run: `${EXPORT} csv two.csv --again first.csv` },
  ]),
  {
    says: 'An order says to which shop it was exported',
    rig: evening,
    after: [`${EXPORT} amazon -y`],
    run: 'history show woo-1',
    stdout: 'exported for Amazon, said ',
  },
]);
