// Faults of text that was lost on its way: bytes that are no UTF-8, half of a surrogate pair, a key that is too long.
import { expect } from 'vitest';
import { SECRET } from '../rig/oracles.ts';
import { SHIPMENT } from '../rig/service.ts';
import { type Fault, ORDER, QUOTE, row, runFaults } from './fault.ts';

// What Node makes of the bytes `K\xff`, and of `K\xfe` as well.
const LOST = 'K\ufffd';
const HALF = 'K\\ud800';
const LONG = 'é'.repeat(513);
const TOO_LONG = 'has 1026 bytes, but at most 1024 are allowed';
const NO_TEXT = 'half of a surrogate pair';

const ARGUMENTS: readonly Fault[] = (
  [
    [['ship', '-f', 'order.json', '--key', LOST], 'argument 5, for --key, "K\ufffd" holds U+FFFD'],
    [['ship', '-f', 'order.json', `--key=${LOST}`], 'argument 4, for --key, "--key=K\ufffd" holds U+FFFD'],
    [['track', LOST], 'argument 2 "K\ufffd" holds U+FFFD'],
    [['label', '--international', LOST], 'argument 3, for --international,'],
    [['batch', 'ship', `${LOST}.csv`], 'argument 3 '],
    [[...QUOTE, '--profile', LOST], 'for --profile,'],
    [['history', 'resolve', LOST, '--not-created'], 'argument 3 '],
    [[LOST], 'argument 1 '],
    [['ship', '-f', 'order.json', '--set', `receiver.firstName=${LOST}`], 'for --set,'],
    [['emulator', '--port', '0', '--', 'echo', LOST], 'argument 6 '],
  ] as const
).map(([argv, words]) =>
  row(
    `an argument that was no UTF-8: waybill ${argv.join(' ')}`,
    [...argv],
    [2, words, 'Nothing was sent', 'UTF-8'],
  ),
);

const VARIABLES: readonly Fault[] = [
  row(
    'WAYBILL_TOKEN was no UTF-8, and is not shown',
    QUOTE,
    [2, 'the environment variable WAYBILL_TOKEN holds U+FFFD', 'Set it again'],
    { env: { WAYBILL_TOKEN: `${SECRET}\ufffd` } },
  ),
  row('a variable that is not ours was no UTF-8', [...QUOTE, '-q'], [0], { env: { EDITOR: LOST } }),
];

const KEYS: readonly Fault[] = [
  ...[
    ['ship', '-f', 'order.json', '--key', LONG],
    ['ship', '-f', 'order.json', '--dry-run', '--key', LONG],
    ['label', '--key', LONG],
    ['track', '--key', LONG],
    ['webhook', 'create', '--url', 'https://a.test', '--event', 'shipment.status.updated', '--key', LONG],
  ].map(argv => row(`${argv[0]} ${argv.at(-3)} with a key of 1,026 bytes`, argv, [2, '--key', TOO_LONG])),
  row('a key of 1,024 bytes is booked', ['ship', '-f', 'order.json', '-q', '--key', LONG.slice(1)], [0], {
    after: ran => expect(ran.requests).toHaveLength(1),
  }),
];

const record = (key: string, more: object = SHIPMENT) =>
  `${JSON.stringify({ key: 'KEY', ...more }).replace('"KEY"', key)}\n`;

const batch = (when: string, argv: string, file: string, words: string, sees: string): Fault =>
  row(`a batch with ${when}`, argv, [2, words, sees, 'nothing was sent'], {
    files: { [argv.split(' ')[2] ?? '']: file, 'map.json': '{"constants":{"receiver.firstName":"\\ud800"}}' },
  });

const SHIP = 'batch ship o.jsonl';

const RECORDS: readonly Fault[] = [
  batch('half of a surrogate pair in a key', SHIP, record(`"${HALF}"`), 'line 1: key  is not text', NO_TEXT),
  batch(
    'two keys that differ in such a half',
    SHIP,
    record('"K\\ud800"') + record('"K\\ud801"'),
    'line 2: key  is not text',
    NO_TEXT,
  ),
  batch('such a key in JSON', 'batch ship o.json', `[${record(`"${HALF}"`)}]`, 'key  is not text', NO_TEXT),
  batch('a key that an export has lost', SHIP, record(`"${LOST}"`), 'line 1: key  holds U+FFFD', 'again'),
  batch('a key of 1,026 bytes', SHIP, record(`"${LONG}"`), 'line 1: key  ', TOO_LONG),
  batch('a key for labels that is too long', 'batch label o.jsonl', record(`"${LONG}"`, {}), 'key', TOO_LONG),
  batch(
    'such a half in the id of a label',
    'batch label o.jsonl',
    '{"international":"S\\ud800"}\n',
    'line 1: international  is not text',
    NO_TEXT,
  ),
  batch(
    'such a half in the id of a shipment to track',
    'batch track o.jsonl',
    '{"id":"S\\ud800"}\n',
    'line 1: id  is not text',
    NO_TEXT,
  ),
  batch(
    'such a half in a constant of its map',
    `${SHIP} --map map.json`,
    record('"A-1"', { ...SHIPMENT, receiver: { ...(SHIPMENT.receiver as object), firstName: undefined } }),
    'line 1: receiver.firstName  is not text',
    NO_TEXT,
  ),
];

runFaults('text that was lost on its way', [
  ...ARGUMENTS,
  ...VARIABLES,
  ...KEYS,
  ...RECORDS,
  row(
    'a file with half of a surrogate pair in a name',
    'ship -f order.json',
    [2, 'receiver.firstName  is not text', NO_TEXT],
    { files: { 'order.json': ORDER.replace(/"firstName":"[^"]*"/g, '"firstName":"J\\ud800"') } },
  ),
  row(
    'results with a key that no order can have are not imported',
    'history import o.jsonl --profile demo',
    [9, 'Line 1 may be about a booking'],
    {
      files: {
        'o.jsonl': `{"operation":"ship","place":"demo","key":"${HALF}","line":1,"state":"created","exitCode":0,"sent":true,"shipmentId":"S-1"}\n`,
      },
      after: async (_, rig) =>
        expect((await rig.run('history list --json --profile demo')).stdout).toBe('[]\n'),
    },
  ),
]);
