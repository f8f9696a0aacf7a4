import { writeFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { Ran, RigOptions } from '../rig/command.ts';
import { bookingAt, labelAt, UNKNOWN } from '../rig/journal.ts';
import { recorded } from './begin.ts';
import { type Promised, promises } from './promise.ts';

const priced = (number: number, price: unknown, currency = 'EUR', id = 'EXP') => ({
  answer: JSON.stringify({ id: `S-${number}`, carrier: { id, price, currency } }),
});
const month = (options: RigOptions = {}) =>
  recorded(
    rig => [
      bookingAt(rig, 1, priced(1, 10)),
      labelAt(rig, 101, 1),
      bookingAt(rig, 2, priced(2, '20.00')),
      bookingAt(rig, 3, priced(3, 30)),
      bookingAt(rig, 4, { ...priced(4, 40), state: 'cancelled' }),
      bookingAt(rig, 5, {
        ...UNKNOWN,
        request: {
          receiver: { firstName: 'Ada', lastName: 'Lovelace', address: { country: { code: 'DE' } } },
        },
      }),
      bookingAt(rig, 6, priced(6, 60)),
    ],
    options,
  );
const HEAD = 'Shipment ID,Amount,Currency';

type More = Partial<Promised> & { flags?: string };
/** An invoice with these rows, and the kind and key of each order, or what else it ends with. */
const invoice = (
  says: string,
  rows: readonly string[],
  exit: number,
  kinds: readonly string[] | More = {},
  more: More = {},
): Promised => {
  const { flags = '', ...others } = { ...('length' in kinds ? {} : kinds), ...more };
  return {
    ...{ says, rig: month(), stdin: rows.join('\n'), exit },
    run: `history reconcile - --json ${flags}`.trim(),
    ...('length' in kinds && {
      also: ({ stdout }: Ran) =>
        expect(
          JSON.parse(stdout)
            .filter(({ kind }: { kind: string }) => kind !== 'missing')
            .map(({ kind, key }: Record<string, unknown>) => `${kind} ${key}`),
        ).toEqual(kinds),
    }),
    ...others,
  };
};

promises('history reconcile', [
  invoice('What agrees is exit 0', [HEAD, 'S-1,10.00,EUR', 'S-2,20,EUR'], 0, ['agrees K-1', 'agrees K-2']),
  invoice('JSON has a row for each order', [HEAD, 'S-1,12.50,EUR'], 9, {
    json: [
      {
        ...{ kind: 'dearer', key: 'K-1', shipmentId: 'S-1', trackingNumber: 'T-1', booked: 10 },
        ...{ invoiced: 12.5, currency: 'EUR', difference: 2.5 },
      },
    ],
    error: { code: 'partial' },
  }),
  {
    ...invoice('CSV has the same columns', [HEAD, 'S-1,10,EUR'], 0),
    run: 'history reconcile - -o csv',
    stdout: /^kind,key,shipmentId,trackingNumber,booked,invoiced,currency,difference\r?\nagrees,K-1,/,
  },
  invoice('Rows of one shipment in one file are added up', [HEAD, 'S-1,8,EUR', 'S-1,2,EUR'], 0, [
    'agrees K-1',
  ]),
  invoice(
    'A quote that swallows a row is refused, with both lines',
    [`${HEAD},Note`, 'S-1,10,EUR,"x', 'S-2,20,EUR,y"'],
    2,
    {
      stderr: 'stdin, line 2: Note begins with a quote on line 2 that only a quote on line 3 ends',
    },
  ),
  invoice('Dearer', [HEAD, 'S-1,10.01,EUR'], 9, ['dearer K-1']),
  invoice('Cheaper', [HEAD, 'S-1,9.99,EUR'], 9, ['cheaper K-1']),
  invoice('Within the tolerance it agrees', [HEAD, 'S-1,10.05,EUR'], 0, ['agrees K-1'], {
    flags: '--tolerance 0.05',
  }),
  invoice('Another currency is not compared', [HEAD, 'S-1,10,USD'], 9, ['currency K-1']),
  invoice('An order that is not ours is unknown', [HEAD, 'S-1,10,EUR', 'X-9,5,EUR'], 9, [
    'unknown null',
    'agrees K-1',
  ]),
  invoice('One that is cancelled, and invoiced', [HEAD, 'S-4,40,EUR'], 9, ['cancelled K-4']),
  {
    says: 'One that is in two files is there twice',
    rig: month(),
    after: [{ write: { 'one.csv': `${HEAD}\nS-1,10,EUR\n`, 'two.csv': `${HEAD}\nS-1,10,EUR\n` } }],
    run: 'history reconcile one.csv two.csv --json',
    exit: 9,
    json: [{ kind: 'twice', key: 'K-1' }],
  },
  {
    ...invoice(
      'What was booked in the span and is in no file is missing',
      [HEAD, 'S-1,10,EUR', 'S-3,30,EUR'],
      9,
    ),
    json: [{ kind: 'missing', key: 'K-2' }, { kind: 'agrees' }, { kind: 'agrees' }],
  },
  invoice('It is matched by tracking number', ['Tracking number,Amount,Currency', 'T-1,10,EUR'], 0, [
    'agrees K-1',
  ]),
  invoice('It is matched by key', ['Order ID,Amount,Currency', 'K-2,20,EUR'], 0, ['agrees K-2']),
  invoice('The columns are found by their names, and told', [HEAD, 'S-1,10,EUR'], 0, {
    stderr: /Shipment ID.*Amount.*Currency/,
  }),
  invoice('--by and --price name them', ['a,b,c', 'S-1,10,EUR'], 0, ['agrees K-1'], {
    flags: '--by a --price b --currency c',
  }),
  invoice('Without a column of currencies --currency is needed', ['Shipment ID,Amount', 'S-1,10'], 2, {
    stderr: '--currency',
  }),
  invoice('With --currency it is read', ['Shipment ID,Amount', 'S-1,10'], 0, ['agrees K-1'], {
    flags: '--currency EUR',
  }),
  invoice(
    'Where two columns fit it is exit 2 with both names',
    ['Shipment ID,Price,Amount', 'S-1,10,10'],
    2,
    {
      flags: '--currency EUR',
      stderr: /Price.*Amount/,
    },
  ),
  ...['S-1,10', 'S-1,10,EUR,x'].map(row =>
    invoice('A row with another number of cells than the header is exit 2', [HEAD, row], 2),
  ),
  invoice('An amount that names no order is unknown', [HEAD, 'S-1,10,EUR', ',5,EUR'], 9, [
    'unknown null',
    'agrees K-1',
  ]),
  invoice('The total of the others is not', [HEAD, 'S-1,10,EUR', 'S-2,20,EUR', ',30,EUR'], 0, [
    'agrees K-1',
    'agrees K-2',
  ]),
  invoice('Nor is it as the first row', [HEAD, 'Total,30,EUR', 'S-1,10,EUR', 'S-2,20,EUR'], 0, [
    'agrees K-1',
    'agrees K-2',
  ]),
  invoice(
    'A first line sep=; is obeyed, and a cell ="S-1" is what it shows',
    ['sep=,', HEAD, '="S-1",10,EUR'],
    0,
    ['agrees K-1'],
  ),
  invoice(
    'A decimal comma and thousands are read',
    ['Shipment ID;Amount;Currency', 'S-1;"1.010,00";EUR'],
    9,
    {
      json: [{ kind: 'dearer', invoiced: 1010 }],
    },
  ),
  {
    ...invoice(
      'Where an open unknown booking fits, that is proposed and not settled',
      ['Shipment ID,Name,Country,Amount,Currency', 'S-9,Ada Lovelace,DE,12,EUR'],
      9,
    ),
    stderr: /may be the unknown booking K-5/,
    also: async (_, rig) => expect(await rig.json('history list --state unknown')).toHaveLength(1),
  },
  {
    says: 'A cell that fits two orders is exit 2',
    rig: recorded(rig => [
      bookingAt(rig, 1, { ...priced(1, 10), key: '5001' }),
      bookingAt(rig, 2, { ...priced(2, 20), ids: { shipment: '5001' } }),
    ]),
    run: 'history reconcile - --by number',
    exit: 2,
    stdin: 'number,price,currency\n5001,10,EUR\n',
    stderr: '"5001"',
  },
  ...(
    [
      ['--carrier EXP', ['K-3']],
      ['--carrier ECO', []],
    ] as const
  ).map(([flags, missing]) => ({
    says: 'The carriers are those of the orders that match, or --carrier',
    rig: recorded(rig => [
      bookingAt(rig, 1, priced(1, 10)),
      bookingAt(rig, 3, priced(3, 30)),
      bookingAt(rig, 4, priced(4, 40)),
    ]),
    stdin: [HEAD, 'S-1,10,EUR', 'S-4,40,EUR'].join('\n'),
    run: `history reconcile - --json ${flags}`,
    exit: missing.length > 0 ? 9 : 0,
    also: ({ stdout }: Ran) =>
      expect(
        JSON.parse(stdout).flatMap(({ kind, key }: Record<string, string>) =>
          kind === 'missing' ? key : [],
        ),
      ).toEqual(missing),
  })),
  {
    ...invoice('--since and --until say what must be in a file', [HEAD, 'S-2,20,EUR'], 9, {
      flags: '--since 1d --until today',
    }),
    also: ({ stdout }) =>
      expect(
        JSON.parse(stdout)
          .flatMap(({ kind, key }: Record<string, string>) => (kind === 'missing' ? key : []))
          .sort(),
      ).toEqual(['K-1', 'K-3', 'K-6']),
  },
  {
    says: '--encoding reads what is no UTF-8',
    rig: async () => {
      const rig = await month()();
      writeFileSync(
        `${rig.folder}/invoice.csv`,
        Buffer.from('Shipment ID;Betr\u00e4ge;Currency\nS-1;10,00;EUR\n', 'latin1'),
      );
      return rig;
    },
    run: [
      'history',
      'reconcile',
      'invoice.csv',
      '--price',
      'Beträge',
      '--encoding',
      'windows-1254',
      '--json',
    ],
    json: [{ kind: 'agrees', key: 'K-1' }],
  },
  {
    says: 'A person sees the sums of each kind first',
    rig: month(),
    stdin: [HEAD, 'S-1,10.00,EUR', 'S-2,25.5,EUR'].join('\n'),
    run: 'history reconcile -',
    exit: 9,
    stdout: [
      /1 +dearer than booked +25\.50 EUR +dearer by 5\.50 EUR\n +1 +as booked +10\.00 EUR/,
      /K-2 +dearer than booked +20\.00 EUR +25\.50 EUR +5\.50 EUR\n/,
    ],
  },
  {
    says: 'A person reads the currency of each amount, what stands twice, and unknown of no order that is not ours',
    rig: month(),
    stdin: [HEAD, 'S-1,10,USD', 'S-2,20,EUR', 'S-2,20,EUR', 'X-9,5,EUR'].join('\n'),
    run: 'history reconcile -',
    exit: 9,
    stdout: [
      /K-1 +in another currency +10\.00 EUR +10\.00 USD +-\n/,
      /K-2 +dearer than booked, stands 2 times +20\.00 EUR +40\.00 EUR +20\.00 EUR\n/,
      /X-9 +not booked here +- +5\.00 EUR/,
    ],
    lacks: /unknown/,
  },
]);
