// Faults of a command line and of the environment.
import { expect } from 'vitest';
import { SECRET } from '../rig/oracles.ts';
import { sent } from '../rig/service.ts';
import { type End, type Fault, QUOTE, row, runFaults } from './fault.ts';

const line = (argv: string | string[], ...sees: (string | RegExp)[]): Fault =>
  row(`waybill ${typeof argv === 'string' ? argv : JSON.stringify(argv).slice(0, 90)}`, argv, [2, ...sees]);

const HELP = '`waybill --help`';
const PAGE = '`waybill quote --help`';
const LENGTH = 'It must be a length of time above 0, such as 90, 90s, 5m, 2h or 7d';
const WHOLE = 'It must be a whole number, 0 or more';

const LINES: readonly Fault[] = [
  line('shp', "unknown command 'shp' (did you mean ship?)", HELP),
  line('qoute', 'did you mean quote?', HELP),
  line('webhook craete', 'did you mean create?', '`waybill webhook --help`'),
  line('help shp', 'did you mean ship?'),
  line('schema shp', 'did you mean ship?'),
  line(
    'batch shp orders.csv',
    'there is no operation "shp" (did you mean ship?)',
    'ship, ship-dual, label, track',
  ),
  line(
    'batch orders.csv',
    'orders.csv is a file; name the operation first',
    '`waybill batch ship orders.csv`',
  ),
  line(['batch', 'my orders.jsonl'], "`waybill batch ship 'my orders.jsonl'`"),
  line('batch -', '`waybill batch ship - --format csv`'),
  line('batch template foo', 'there is no operation "foo". Choose one of quote, rates, ship'),
  line(
    'completion fishh',
    'there is no shell "fishh" (did you mean fish?). Choose one of bash, zsh, fish, powershell',
  ),
  line(
    'cancel shp_1',
    'The service has no operation that cancels a shipment',
    'Ask the carrier',
    'history resolve',
  ),
  line(
    'quote --from Almanya --to FR --package 1kg@1x1x1',
    'not "Almanya"; the code of Germany is DE (did you mean DE?)',
  ),
  line('void shp_1 --json', 'there is no `waybill void`'),
  line('help cancel', 'there is no `waybill cancel`'),
  line('webhook delete sub_1', 'there is no `waybill webhook delete`'),
  line('constructor', "unknown command 'constructor'", HELP),
  line('__proto__', "unknown command '__proto__'", HELP),
  line([''], "unknown command ''", HELP),
  line(['\x1b[31mx'], "unknown command '[31mx'", HELP),
  line(['x'.repeat(10_000)], 'unknown command', HELP),
  line('quote --form TR', "unknown option '--form' (did you mean --from?)", PAGE),
  line('quote --bogus', "unknown option '--bogus'", PAGE),
  line(['quote', `--${'x'.repeat(10_000)}`], 'unknown option', PAGE),
  line('--profile ship quote --bogus', "unknown option '--bogus'", PAGE),
  line('ship --__proto__ x', "unknown option '--__proto__'", '`waybill ship --help`'),
  line('ship extra', 'too many arguments', '`waybill ship --help`'),
  line('ship -f', "'-f, --file <path>' argument missing", '`waybill ship --help`'),
  line('ship -f order.json -f order.json', '--file is given twice, but takes one value. Nothing was sent'),
  line([...QUOTE, '--from', 'DE'], '--from is given twice, but takes one value. Nothing was sent'),
  line('ship -f order.json --key A --key B', '--key is given twice, but takes one value. Nothing was sent'),
  line(
    'batch ship orders.csv --carrier cheapest --max-price 20EUR --max-price 200EUR',
    '--max-price is given twice, but takes one value. Nothing was sent',
  ),
  line(
    'batch ship orders.csv --failed --dry-run',
    '--failed has no value: --dry-run follows it. Nothing was sent',
  ),
  line('ship -f order.json --key --lable', '--key has no value: --lable follows it (did you mean --label?)'),
  line('ship --dry-run --key -f', '--key has no value: -f follows it. Nothing was sent'),
  line(['batch', 'ship', 'orders.csv', '--results', ''], '--results is empty. Nothing was sent'),
  line(['label', 'S-1', '--download='], '--download is empty. Nothing was sent'),
  ...['last 7', '2026', '20260302', '2026-02-30', '2026-13-01', '2026-04-31T10:00Z'].map(since =>
    line(['history', 'list', '--since', since], 'or a date such as 2026-03-02'),
  ),
  line('history list --limit 0', 'It must be a whole number, 1 or more'),
  ...[['--created', ''], ['--created', 'S-1', '--domestic', ' '], ['--created=']].map(id =>
    line(['history', 'resolve', 'ORDER-1', ...id, '--unchecked'], 'It must not be empty'),
  ),
  line('profile party import a.csv --map a --map b', '--map is given twice, but takes one value.'),
  line('-- ship', 'ship: the request has', 'type  is required: package or document (--type)'),
  line('quote -o xml', 'Allowed choices are table, json, jsonl, csv, text', PAGE),
  line('quote --output=', 'Allowed choices are table, json, jsonl, csv, text', PAGE),
  line(
    [...QUOTE, '--type', 'packge'],
    'packageType  must be one of package, document',
    'did you mean package?',
  ),
  line([...QUOTE, '--sort', 'prize'], 'Allowed choices are price, speed, carrier', PAGE),
  ...['0', '-1', '1,5', '0x10', '0b11', '1e999', 'NaN', 'Infinity', '1_0', '', '10x', '0s', '3000y'].map(
    value => line(['quote', '--timeout', value], `'${value}' is invalid`, LENGTH, PAGE),
  ),
  ...['-1', '1.5', '1e3', '0x1', '1_0', '', '9'.repeat(30)].map(value =>
    line(['quote', '--retries', value], `'${value}' is invalid`, WHOLE, PAGE),
  ),
  line('track S-1 --interval 0', LENGTH, '`waybill track --help`'),
  line('track S-1 --max-wait 0x10', LENGTH, '`waybill track --help`'),
  line('rates --from TR --to DE --weight 0x10', 'It must be a number, 0 or more'),
  line('rates --from TR --to DE --weight 1', '--length, --width, --height are missing; nothing was sent'),
  line('emulator --port 99999', 'It must be a whole number, at most 65535'),
  line('emulator --fault reset:2', 'a probability from 0 to 1', 'Kinds: delay'),
  row('a wrong command with --json', '--json shp', [
    2,
    /^\{"error":\{"code":"usage","exitCode":2,"message":"unknown command/,
  ]),
  row('a wrong command with -ojson', '-ojson shp', [2, /^\{"error":\{"code":"usage"/]),
];

const NO_EXPRESSION = 'is not a JMESPath expression';

const QUERIES: readonly Fault[] = [
  ['', 'it ends too early'],
  ['[', 'it ends too early'],
  ['a..b', 'unexpected token'],
  ['foo(@)', 'Unknown function: foo()'],
  ['`{`', 'Text goes in single quotes, numbers in backticks'],
  ['\x1b[31m', 'unknown character'],
  [`a b ${'c '.repeat(2000)}`, 'unexpected token'],
  ...['(', '[', '.', 'a.'].map(part => [part.repeat(8000), 'bytes, but at most 4096 are allowed']),
  ...['(', '[', '{a:', 'abs(', '[?'].map(part => [`${part.repeat(500)}a`, NO_EXPRESSION]),
].map(([query = '', words = '']) =>
  row(
    `--query ${JSON.stringify(query.slice(0, 30))} of ${query.length} characters`,
    [...QUOTE, '--query', query],
    [2, NO_EXPRESSION, words],
  ),
);

const ENDLESS = Array(60).fill('[@,@]').join('|');

const SHOWN: readonly Fault[] = [
  row(
    'a --query that makes too much of a booking says what was booked',
    ['ship', '-f', 'order.json', '--query', ENDLESS],
    [9, 'The command did its work', 'its result would be too large', /\(shp_\w+\)/],
    { after: ran => expect(ran.requests).toHaveLength(1) },
  ),
  row(
    'a dry run refuses it too',
    ['ship', '-f', 'order.json', '--dry-run', '--query', 'a.'.repeat(8000)],
    [2],
  ),
  ...['batch ship orders.csv', 'history list', 'profile list', 'track S-1 --watch', 'webhook listen'].map(
    argv =>
      row(
        `${argv} refuses an endless --query`,
        [...argv.split(' '), '--query', 'a.'.repeat(8000)],
        [2, 'bytes, but at most 4096 are allowed'],
      ),
  ),
];

const DRY = [...QUOTE, '--dry-run', '-q'];
const env = (name: string, value: string, end: End, argv = DRY): Fault =>
  row(`${name} is ${JSON.stringify(value.slice(0, 50))}`, argv, end, { env: { [name]: value } });

const ADDRESSES: readonly Fault[] = [
  env('WAYBILL_BASE_URL', 'api.example.com', [
    2,
    'WAYBILL_BASE_URL',
    'is not a URL, such as https://api.example.com',
  ]),
  env('WAYBILL_BASE_URL', 'localhost:8080', [2, 'must begin with https:']),
  env('WAYBILL_BASE_URL', 'http://api.example.com', [2, 'must begin with https: (http: only on loopback)']),
  env('WAYBILL_BASE_URL', 'http://127.0.0.1.evil.example', [
    2,
    'must begin with https: (http: only on loopback)',
  ]),
  env('WAYBILL_BASE_URL', 'file:///etc/passwd', [2, 'must begin with https:']),
  env('WAYBILL_BASE_URL', 'https://', [2, 'is not a URL']),
  env('WAYBILL_BASE_URL', '\x1b[31m', [2, 'is not a URL']),
  env('WAYBILL_BASE_URL', `https://me:${SECRET}@api.example`, [
    2,
    'must not contain a user name or password',
  ]),
  env('WAYBILL_BASE_URL', `https://api.example/?token=${SECRET}`, [
    2,
    'must not contain a query or a fragment',
  ]),
  env('WAYBILL_BASE_URL', `https://api.example/#${SECRET}`, [2, 'must not contain a query or a fragment']),
  env('WAYBILL_BASE_URL', '', [3, 'there is no production address: set WAYBILL_BASE_URL']),
  env('WAYBILL_BASE_URL', ' ', [3, 'there is no production address: set WAYBILL_BASE_URL']),
  env(
    'WAYBILL_SANDBOX_BASE_URL',
    'nope',
    [2, 'WAYBILL_SANDBOX_BASE_URL', 'is not a URL'],
    [...DRY, '--sandbox'],
  ),
  ...['shipping', 'shipping/', 'shipping//', 'a%20b/c'].map(path =>
    row(`WAYBILL_BASE_URL has the path /${path}`, DRY, [0], {
      env: { WAYBILL_BASE_URL: `https://api.example/${path}` },
      after: ran =>
        expect(ran.stdout).toBe(
          `POST https://api.example/${path.replace(/\/+$/, '')}/v1/carriers/proposal\n`,
        ),
    }),
  ),
];

const SETTINGS: readonly Fault[] = [
  ...['x', '-1', '1e999', '0x10'].map(value =>
    env('WAYBILL_TIMEOUT', value, [2, 'WAYBILL_TIMEOUT', LENGTH], QUOTE),
  ),
  ...['x', '-1', '1.5'].map(value => env('WAYBILL_RETRIES', value, [2, 'WAYBILL_RETRIES', WHOLE], QUOTE)),
  ...['xml', 'JSON', '\x1b'].map(value =>
    env('WAYBILL_OUTPUT', value, [2, 'WAYBILL_OUTPUT', 'It must be one of table, json']),
  ),
  ...['nope', '__proto__', '\x1b[31m'].map(value =>
    env('WAYBILL_PROFILE', value, [2, 'there is no profile', 'named by WAYBILL_PROFILE']),
  ),
  ...[
    'WAYBILL_TIMEOUT',
    'WAYBILL_RETRIES',
    'WAYBILL_OUTPUT',
    'WAYBILL_PROFILE',
    'WAYBILL_SANDBOX',
    'WAYBILL_DEBUG',
    'CI',
  ].map(name =>
    row(`${name} is set and empty`, [...QUOTE, '-q'], [0], {
      env: { [name]: '' },
      after(ran) {
        expect(ran.stderr).toBe('');
        expect(sent(ran)).toEqual(['POST /v1/carriers/proposal']);
      },
    }),
  ),
];

runFaults('a command line', [...LINES, ...QUERIES, ...SHOWN, ...ADDRESSES, ...SETTINGS]);
