// Faults of what is given to a command: its line, the environment, a request file, a batch file. A sentence of a message is
// told by one row; what differs in the way that it takes through the code has a row of its own.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { FORMAT_NAMES } from '../../src/text.ts';
import { CONTROL, SECRET } from '../rig/oracles.ts';
import { bodyOf, SHIPMENT, sent } from '../rig/service.ts';
import { bodyIn, type End, type Fault, ORDER, QUOTE, row, runFaults, type Scene } from './fault.ts';

const SHIP = 'ship -f order.json';
const NOT_SENT = 'othing was sent';
const LONG = 'x'.repeat(10_000);
/** What Node makes of the bytes `K\xff`. */
const LOST = 'K\ufffd';

type Refused = readonly [argv: string | readonly string[], ...sees: (string | RegExp)[]];

/** Command lines that end with 2, and have no result. */
const lines = (rows: readonly Refused[]): Fault[] =>
  rows.map(([argv, ...sees]) => {
    const words =
      typeof argv === 'string' ? argv : argv.map(word => JSON.stringify(word).slice(0, 60)).join(' ');
    return row(`waybill ${words}`, typeof argv === 'string' ? argv : [...argv], [2, ...sees], {
      after: ({ stdout }) => expect(stdout).toBe(''),
    });
  });

const LENGTH = 'It must be a length of time above 0, such as 90, 90s, 5m, 2h or 7d';
const WHOLE = 'It must be a whole number, 0 or more';
const FORMATS = `Allowed choices are ${FORMAT_NAMES.join(', ')}`;

const LINES = lines([
  ['shp', "unknown command 'shp' (did you mean ship?)", '`waybill --help`'],
  ['webhook craete', 'did you mean create?', '`waybill webhook --help`'],
  ['bacth ship orders.csv', 'did you mean batch?', '`waybill --help`'],
  ['help shp', 'did you mean ship?'],
  ['schema shp', 'did you mean ship?'],
  ['batch shp orders.csv', 'no operation "shp" (did you mean ship?)', 'ship, ship-dual, label, track'],
  ["batch 'my orders.jsonl'", 'name the operation first', "`waybill batch ship 'my orders.jsonl'`"],
  ['batch -', '`waybill batch ship - --format csv`'],
  ['completion fishh', "'fishh' is invalid for argument 'shell'. Allowed choices are bash, zsh, fish"],
  ['cancel shp_1', 'has no operation that cancels a shipment', 'Ask the carrier', 'history resolve'],
  ['webhook delete sub_1', 'there is no `waybill webhook delete`'],
  ['void shp_1', 'there is no `waybill void`', 'has no operation that cancels a shipment'],
  ['status shp_1', 'there is no `waybill status`', '`waybill track REF`'],
  ['print ORDER-1', 'there is no `waybill print`', '`waybill label REF --print`'],
  ['return ORDER-1', 'there is no `waybill return`', '`waybill ship` books it'],
  ['webhook print', "unknown command 'print'"],
  ['constructor', "unknown command 'constructor'"],
  [['\x1b[31mx'], "unknown command '[31mx'"],
  ['quote --form TR', "unknown option '--form' (did you mean --from?)", '`waybill quote --help`'],
  ['--profile ship quote --bogus', "unknown option '--bogus'", '`waybill quote --help`'],
  ['ship one.json two.json', 'too many arguments', '`waybill ship --help`'],
  ['ship one.json -f two.json', 'named twice, as "one.json" and with -f "two.json"', 'Name one file'],
  ['ship -f', "'-f, --file <path>' argument missing", '`waybill ship --help`'],
  ['track', /^error: .*needs a shipment: its id.*\n$/],
  [`${SHIP} -f order.json`, '--file is given twice, but takes one value; nothing was sent'],
  ['batch ship o.csv --max-price 20EUR --max-price 200EUR', '--max-price is given twice'],
  ['batch ship o.csv --failed --dry-run', '--failed has no value: --dry-run follows it; nothing was sent'],
  [`${SHIP} --key --lable`, '--key has no value: --lable follows it (did you mean --label?)'],
  [['batch', 'ship', 'orders.csv', '--results', ''], '--results is empty; nothing was sent'],
  ['label S-1 --download=', '--download is empty; nothing was sent'],
  ['ship --receiver=', '--receiver is empty; nothing was sent'],
  [['ship', '--sender', ''], '--sender is empty; nothing was sent'],
  ...[['ship'], ['batch', 'ship'], ['history', 'export', '--for', 'csv'], ['history', 'reconcile']].map(
    (words): Refused => [[...words, ''], 'the name of a file is empty'],
  ),
  ['-- ship', 'ship: the request has', 'type  is required: package or document (--type)'],
  ["history list --since 'last 7'", 'or a date such as 2026-03-02'],
  ['history list --since 2026-02-30', 'or a date such as 2026-03-02'],
  ['history list --limit 0', 'It must be a whole number, 1 or more'],
  ["history resolve ORDER-1 --created S-1 --domestic ' ' --unchecked", 'It must not be empty'],
  ['quote -o xml', FORMATS, '`waybill quote --help`'],
  ...['0', '1,5', '0x10', '1e999', '', '3000y'].map(
    (time): Refused => [['quote', '--timeout', time], `'${time}' is invalid`, LENGTH],
  ),
  ['quote --retries 1.5', "'1.5' is invalid", WHOLE],
  [['quote', '--retries', '9'.repeat(30)], WHOLE],
  ['track S-1 --max-wait 0x10', LENGTH, '`waybill track --help`'],
  ['rates --from TR --to DE --weight 0x10', 'It must be a number, 0 or more'],
  ['rates --from TR --to DE --weight 1', '--length, --width, --height are missing; nothing was sent'],
  ['emulator --port 99999', 'It must be a whole number, at most 65535'],
  ['emulator --fault reset:2', 'a probability from 0 to 1', 'Kinds: delay'],
  ['--json shp', /^\{"error":\{"code":"usage","exitCode":2,"message":"unknown command/],
  ['-ojson shp', /^\{"error":\{"code":"usage"/],
]);

const ENDLESS = Array(60).fill('[@,@]').join('|');
const TOO_MUCH = 'a.'.repeat(8000);

const QUERIES: readonly Fault[] = [
  ...lines([
    [[...QUOTE, '--query', ''], 'is not a JMESPath expression', 'it ends too early'],
    [[...QUOTE, '--query', 'p[?price > ].id'], 'Text goes in single quotes, numbers in backticks'],
    // With --query the output is JSON, and so is an error.
    [
      [...QUOTE, '--query', 'foo(@)'],
      /^\{"error":.*is not a JMESPath expression: there is no function foo\(\)/,
    ],
    [[...QUOTE, '--query', 'a.\x1b[31m'], 'cannot stand there (character 3)'],
    [[...QUOTE, '--query', `${'('.repeat(500)}a`], 'is not a JMESPath expression'],
    ...['batch ship orders.csv', 'history list', 'track S-1 --watch', 'webhook listen'].map(
      (argv): Refused => [[...argv.split(' '), '--query', TOO_MUCH], 'bytes, but at most 4096 are allowed'],
    ),
  ]),
  row(
    'a --query that makes too much of a booking says what was booked',
    ['ship', '-f', 'order.json', '--query', ENDLESS],
    [9, 'The command did its work', 'its result would be too large', /\(shp_\w+\)/],
    { after: ran => expect(ran.requests).toHaveLength(1) },
  ),
];

/** A read with one variable. */
const env = (name: string, value: string, ...[exit, ...sees]: End): Fault =>
  row(`${name} is ${JSON.stringify(value)}`, [...QUOTE, '-q'], [exit, ...sees], { env: { [name]: value } });

// What is no address is in test/profile/target.test.ts.
const VARIABLES: readonly Fault[] = [
  env('WAYBILL_BASE_URL', 'api.example.com', 2, 'WAYBILL_BASE_URL', 'is not a URL, such as https://'),
  env('WAYBILL_BASE_URL', 'http://api.example.com', 2, 'must begin with https: (http: only on loopback)'),
  env('WAYBILL_BASE_URL', `https://me:${SECRET}@api.example`, 2, 'must not contain a user name or password'),
  env('WAYBILL_BASE_URL', `https://api.example/?token=${SECRET}`, 2, 'must not contain a query'),
  env('WAYBILL_BASE_URL', ' ', 3, 'there is no production address: set WAYBILL_BASE_URL'),
  ...['shipping//', 'a%20b/c'].map(path =>
    row(`WAYBILL_BASE_URL has the path /${path}`, [...QUOTE, '--dry-run', '-q'], [0], {
      env: { WAYBILL_BASE_URL: `https://api.example/${path}` },
      after: ({ stdout }) =>
        expect(stdout).toBe(`POST https://api.example/${path.replace(/\/+$/, '')}/v1/carriers/proposal\n`),
    }),
  ),
  env('WAYBILL_PROFILE', '__proto__', 2, 'there is no profile "__proto__"', 'named by WAYBILL_PROFILE'),
  env('WAYBILL_TOKEN', `${SECRET}\ufffd`, 2, 'WAYBILL_TOKEN holds U+FFFD', 'Set it again'),
  env('EDITOR', LOST, 0),
  row('variables that are set and empty count as unset', [...QUOTE, '-q'], [0], {
    env: { WAYBILL_TIMEOUT: '', WAYBILL_RETRIES: '', WAYBILL_OUTPUT: '', WAYBILL_SANDBOX: '', CI: '' },
    after(ran) {
      expect(ran.stderr).toBe('');
      expect(sent(ran)).toEqual(['POST /v1/carriers/proposal']);
    },
  }),
];

const FORM = 'is not of the form [PIECESx]WEIGHT[kg]@LENGTHxWIDTHxHEIGHT[cm]';
const NO_PATH = 'is not of the form PATH=VALUE; try --set receiver.address.city=Berlin';
const NO_AMOUNT = 'is not an amount above 0 with a currency, such as 20EUR; nothing was sent';
const PRICED = ['ship', '-f', 'order.json', '--carrier', 'cheapest', '--dry-run', '--max-price'];

const SET = ['ship', '-f', 'order.json', '--set'];
const set = (written: string, words: string): Refused => [[...SET, written], words];
const weight = (written: string, words = `must be a number, not "${written}"`): Refused =>
  set(`chargeableWeight=${written}`, `chargeableWeight  ${words}`);
const parcel = (spec: string, words = FORM): Refused => [[...QUOTE.slice(0, -1), spec], '--package', words];
const country = (code: string, words = `not ${JSON.stringify(code)}`): Refused => [
  ['quote', '--from', 'TR', '--to', code, '--package', '1@1x1x1'],
  'destinationCountry  must be an ISO country code such as DE',
  words,
];

const VALUES: readonly Fault[] = [
  ...lines([
    ...['1e999', '-0', '0x10', 'NaN', '1_000', '٣', ''].map(written => weight(written)),
    weight('1.234,5', 'must be a number with a dot for its decimals, not "1.234,5"'),
    weight('12345678901234567890', 'must be a number of at most 15 digits, not "12345678901234567890"'),
    set('items[999999999].quantity=1', 'an index is at most 999'),
    set('items[-1].quantity=1', NO_PATH),
    set('items[2].quantity=1', 'items[1]  is required'),
    set('receiver.__proto__.x=1', NO_PATH),
    set('constructor.prototype.x=1', 'constructor  is not a field'),
    set(`${'a.'.repeat(50_000)}a=1`, NO_PATH),
    set(`${'a'.repeat(100_000)}=1`, 'aaa…  is not a field'),
    set('reciever.address.city=Berlin', 'did you mean receiver?'),
    set('receiver={"a":1', 'receiver  must be an object'),
    ...['', '1.5x1kg@1x1x1', '1x-1kg@1x1x1', '1kg@1x1x1x1', '1lb@1x1x1', '1e3kg@1x1x1'].map(spec =>
      parcel(spec),
    ),
    parcel('1,5kg@1x1x1', 'decimals have a dot, not a comma'),
    parcel(`${'9'.repeat(400)}kg@1x1x1`, 'has too many digits'),
    parcel(`1kg@1x1x1${' '.repeat(300_000)}x`),
    parcel('2x@__proto__', 'parcel'),
    country('Almanya', 'not "Almanya"; the code of Germany is DE (did you mean DE?)'),
    country('DE\n', 'did you mean DE?'),
    ...['EU', '', '__proto__', '\x1b[31mDE'].map(code => country(code)),
    ...[
      '',
      '60',
      'EUR60',
      '-1EUR',
      '1.234,50EUR',
      '1,5EUR',
      '60€',
      '60EURO',
      '1e3EUR',
      '0x10EUR',
      '0EUR',
      '0.00EUR',
    ].map((price): Refused => [[...PRICED, price], NO_AMOUNT]),
  ]),
  row('--max-price 60 eur, which is clear enough', [...PRICED, ' 60.00 eur '], [0]),
  row('--set of the number " 1"', [...SHIP.split(' '), '--dry-run', '--set', 'chargeableWeight= 1'], [0], {
    after: ran => expect(bodyIn(ran)).toMatchObject({ chargeableWeight: 1 }),
  }),
];

const NO_ID = 'is not an id; nothing was sent';
const NO_HEADER = 'is not a header name that begins with X-';
const NO_BREAK = 'headers.X-A  must not hold line breaks or NUL';
const NO_PROFILE = 'is not a name for a profile: a name has up to 64 letters, digits and . _ - @';
const TOO_LONG = 'has 1026 bytes, but at most 1024 are allowed';
const BIG_KEY = 'é'.repeat(513);

const HOOK = 'webhook create --url https://shop.example/h --event shipment.status.updated --header'.split(
  ' ',
);
const header = (written: string, words: string): Refused => [[...HOOK, written], words];
const key = (given: string, words: string): Refused => [`${SHIP} '--key=${given}'`, '--key', words];
const add = (name: string) => ['profile', 'add', '--base-url', 'https://api.example', '--', name];

const NAMES: readonly Fault[] = [
  // A server or a proxy may read these ids as another path.
  ...['a/b', '%2e%2e', 'a?b=c#d', 'a\\b', '//evil.example/x', '..;/x', 'a\r\nHost: evil', LONG].map(id =>
    row(`track ${JSON.stringify(id.slice(0, 30))}`, ['track', id], [4, 'shipment not found'], {
      after: ran => expect(sent(ran)).toEqual([`GET /v1/shipments/${encodeURIComponent(id)}`]),
    }),
  ),
  row('label of an id of two lines', ['label', '--international', 'a\nb'], [5, 'no label was made'], {
    after: ran => expect(bodyOf(ran)).toMatchObject({ international: 'a\nb' }),
  }),
  ...lines([
    ...['..', '.', '', '\ud800'].map((id): Refused => [['track', 'S-1', id], NO_ID]),
    [['webhook', 'get', '..'], NO_ID],
    [['label', '--international', ' '], 'international  must not be empty'],
    header('X-A: b\r\nEvil: 1', NO_BREAK),
    header('X-A: b\0c', NO_BREAK),
    header('X-A\r\nB: c', NO_HEADER),
    header('X-Ü: v', NO_HEADER),
    header('Authorization: x', NO_HEADER),
    header(LONG, "is not of the form 'X-Name: value'"),
    key('a\x1b[31mb', 'holds a line break or another control character'),
    key(' ', 'is empty'),
    key(BIG_KEY, TOO_LONG),
    [['label', '--key', BIG_KEY], '--key', TOO_LONG],
    [['track', '--key', BIG_KEY], '--key', TOO_LONG],
    ...['a/b', '-x', 'a\nb', '🙂', '__proto__', 'p'.repeat(300)].map(
      (name): Refused => [add(name), NO_PROFILE],
    ),
    [add('demo'), 'the profile demo exists already'],
    [[...QUOTE, '--profile', 'a\0b'], 'there is no profile', '`waybill profile list`'],
    [`${SHIP} --receiver @__proto__`, 'has no party "__proto__"'],
    [['ship', '-f', 'order.json', '--key', LOST], 'argument 5, for --key, "K\ufffd" holds U+FFFD', NOT_SENT],
    [['ship', '-f', 'order.json', `--key=${LOST}`], 'argument 4, for --key, "--key=K\ufffd" holds U+FFFD'],
    [['track', LOST], 'argument 2 "K\ufffd" holds U+FFFD'],
    [['emulator', '--port', '0', '--', 'echo', LOST], 'argument 6 '],
  ]),
  ...['\u202eabc', '__proto__', '../../a', BIG_KEY.slice(1)].map(name =>
    row(
      `--key ${JSON.stringify(name.slice(0, 9))} books once`,
      ['ship', '-f', 'order.json', '-q', `--key=${name}`],
      [0],
      {
        async after(ran, rig) {
          const again = await rig.run(['ship', '-f', 'order.json', `--key=${name}`, '-q']);
          expect(again).toMatchObject({ exitCode: 0, stdout: ran.stdout, requests: [] });
          expect((await rig.json('history list'))[0].key).toBe(name);
          expect((await rig.run('history list')).stdout).not.toMatch(CONTROL);
        },
      },
    ),
  ),
  row('profile add constructor', add('constructor'), [0, 'profile constructor saved'], {
    after: async (_, rig) => expect((await rig.run('profile remove constructor --yes')).exitCode).toBe(0),
  }),
];

const file = (when: string, content: string | Uint8Array, ...sees: string[]): Fault =>
  row(`a file ${when}`, SHIP, [2, ...sees, NOT_SENT], { files: { 'order.json': content } });

const withField = (name: string, json: string) => ORDER.replace('{', `{${JSON.stringify(name)}:${json},`);
const withWeight = (written: string) =>
  ORDER.replace(/"chargeableWeight":[\d.]+/, `"chargeableWeight":${written}`);
const UNKNOWN = 'is not a field of the service document (--allow-unknown sends it anyway)';
const DEEP = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
const HALF = 'half of a surrogate pair';

/** A record with that key, in JSON. */
const order = (name: string) => `${JSON.stringify({ key: 'KEY', ...SHIPMENT }).replace('"KEY"', name)}\n`;

const FILES: readonly Fault[] = [
  file('of 100,000 brackets', DEEP, 'more than 100 levels deep'),
  file('of brackets that are never closed', '['.repeat(100_000), 'is not JSON'),
  file('of 10 MB in one field that nobody knows', withField('extra', `"${'x'.repeat(10_000_000)}"`), UNKNOWN),
  file('with a name of 300,000 letters', withField('y'.repeat(300_000), '1'), `yyy…  ${UNKNOWN}`),
  file(
    'with __proto__',
    ORDER.replace('"receiver":{', '"receiver":{"__proto__":{"a":1},'),
    '__proto__  is not',
  ),
  file('with fields of all objects', withField('toString', '1,"hasOwnProperty":1'), 'has 2 problems'),
  file('that begins with a comment', `// my order\n${ORDER}`, 'is not JSON', 'JSON has no comments'),
  file('with a name twice', ORDER.replace('{', '{"a\\":":1,"type" : "x",'), 'has the name "type" twice'),
  file('with a comma at its end', '{\n  "type": "x",\n}', 'in line 3, column 1', 'remove the comma'),
  file(
    'in UTF-16 that ends in the middle',
    Buffer.from(`\ufeff${ORDER}`, 'utf16le').subarray(0, -1),
    'is not UTF-16LE text: save it',
  ),
  file('in Latin-1', Buffer.from('{"\xc3\xbc":1,\n"\xff":2}', 'latin1'), 'first other byte is in line 2'),
  file('that is blank', ' \r\n\t', 'order.json is empty, but must be one JSON object'),
  file('of two objects', `${ORDER}\n${ORDER}`, 'is not JSON: "{" in line 2, column 1 is not the end'),
  file('without a value', '{"type":}', 'is not JSON: "}" in column 9 is not a value'),
  file('without a comma', '{"type":"x" "y":1}', 'in column 13 is not a comma or }'),
  file('with a bare name', '{type:"x"}', '"t" in column 2 is not a name in double quotes or }'),
  file('of half an object', '{"type":"x"', 'it ends in column 12, before a comma or }'),
  file('with a line break in a text', '{"type":"x\ny"}', 'in line 1, column 9 is not a value'),
  file('that is a list of orders', `[${ORDER}]`, 'holds a list, but must be one JSON object', 'batch ship'),
  ...['ship', 'quote', 'label'].map(command =>
    row(
      `a CSV that is given to ${command}`,
      `${command} -f orders.csv --no-sandbox`,
      [2, 'is not JSON', `\`waybill batch ${command} --no-sandbox orders.csv\`, with your other options`],
      { files: { 'orders.csv': 'key,type\nA,package\n' } },
    ),
  ),
  file('with a list for a code', ORDER.replaceAll('"code":"DE"', '"code":["DE"]'), 'not ["DE"]'),
  file('with the number 1e999', withWeight('1e999'), 'must be a finite number, not Infinity'),
  file('with the number "5"', withWeight('"5"'), 'must be a number, not "5"'),
  file('with the number 01', withWeight('01'), 'is not JSON'),
  file(
    'with a line break in a name',
    ORDER.replace('"firstName":"', '"firstName":"A\\n'),
    'must be one line of text, not "A\\n',
  ),
  file('with half of a pair', ORDER.replace(/"firstName":"[^"]*"/g, '"firstName":"J\\ud800"'), HALF),
  row(
    'a file with 4,000 empty packages',
    SHIP,
    [2, 'has 20000 problems', 'packages[3999].dimensions.height  is'],
    {
      files: { 'order.json': ORDER.replace(/"packages":\[.*?\]/, `"packages":[${Array(4000).fill('{}')}]`) },
      wordy: true,
    },
  ),
  row('a file that begins with a byte order mark', SHIP, [0], { files: { 'order.json': `\ufeff${ORDER}` } }),
  row('a file with __proto__ and --allow-unknown', `${SHIP} --allow-unknown --dry-run`, [0], {
    files: { 'order.json': withField('__proto__', '{"polluted":1}') },
    after: ran => expect(Object.hasOwn(bodyIn(ran) as object, '__proto__')).toBe(true),
  }),
  ...[
    ['ship -f nope.json', 2, 'the file nope.json cannot be read: there is no such file; nothing was sent'],
    ['ship ORDER-1', 2, 'the file ORDER-1 cannot be read: there is no such file; nothing was sent'],
    ['ship -f folder', 10, 'the file folder cannot be read: it is a folder; nothing was sent'],
    ['batch ship nope.csv', 2, 'the file nope.csv cannot be read: there is no such file; nothing was sent'],
    ['batch ship o.jsonl --map nope.json', 2, 'the file nope.json cannot be read: there is no such file; '],
    ['batch ship o.jsonl --results no/x', 10, 'no/x cannot be written: there is no such folder'],
    ['batch ship o.jsonl --failed no/x.csv', 10, 'no/x.csv cannot be written: there is no such folder'],
  ].map(([argv, exit, says]) =>
    row(`a path as it was given: ${argv}`, String(argv), [Number(exit), String(says)], {
      files: { folder: null, 'o.jsonl': order('"A"') },
      after: ({ stderr }, rig) => expect(stderr).not.toMatch(new RegExp(`ENOENT|EISDIR|${rig.folder}`)),
    }),
  ),
  row('a path with a NUL', ['ship', '-f', 'a\0b'], [10, 'cannot be read', 'null bytes', NOT_SENT]),
  row('an empty stdin', 'ship -f -', [2, 'stdin is empty, but must be one JSON object', NOT_SENT]),
  ...[
    'ship -f - --receiver -',
    'profile add live --base-url https://a.example -f - --token-stdin',
    'batch ship - --format csv --map -',
  ].map(argv =>
    row(`stdin for two inputs: ${argv}`, argv, [2, 'stdin is named twice', 'one of the two inputs'], {
      stdin: '{}',
    }),
  ),
];

const HEAD = 'key,originCountry,destinationCountry,package';
const ROW = 'A-1,TR,DE,1kg@10x10x10';
const csv = (...rows: string[]) => rows.map(line => `${line}\r\n`).join('');

/** A batch that is refused, and has no file of results. */
const batch = (
  when: string,
  name: string,
  content: string | Uint8Array,
  sees: string[],
  more: Scene = {},
): Fault =>
  row(`${name} ${when}`, `batch quote ${name}`, [2, ...sees, NOT_SENT], {
    files: { [name]: content },
    after: (_, rig) => expect(existsSync(join(rig.folder, 'o.results.jsonl'))).toBe(false),
    ...more,
  });
const table = (when: string, content: string | Uint8Array, ...sees: string[]) =>
  batch(when, 'o.csv', content, sees);
const records = (when: string, content: string, ...sees: string[]) => batch(when, 'o.jsonl', content, sees);

const shipped = (when: string, content: string, ...sees: string[]): Fault =>
  row(`a batch with ${when}`, 'batch ship o.jsonl', [2, ...sees, NOT_SENT], {
    files: { 'o.jsonl': content },
  });

const BATCHES: readonly Fault[] = [
  table(
    'with an open quote',
    csv(HEAD, ROW, 'A-2,"TR,DE,1@1x1x1'),
    'line 3: it is not CSV: a quote is never closed',
  ),
  table('with a quote in a cell', csv(HEAD, 'A-1,T"R,DE,1@1x1x1'), 'cell that does not begin with a quote'),
  table('with text after it', csv(HEAD, 'A-1,"TR"x,DE,1@1x1x1'), 'text follows the closing quote'),
  table('in Latin-1', Buffer.from(csv(HEAD, 'Ä-1,TR,DE,1kg@1x1x1'), 'latin1'), 'not UTF-8 text', 'CSV UTF-8'),
  table(
    'in UTF-16 that ends in the middle',
    Buffer.from(`\ufeff${csv(HEAD, ROW)}`, 'utf16le').subarray(0, -1),
    'are not utf-16le text',
  ),
  table('with a short row', csv(HEAD, ROW, 'A-2,TR,DE'), 'line 3', 'has 3 cells, but the header has 4'),
  table('with a header twice', csv(`${HEAD},key`, `${ROW},A-2`), 'key  is in the header twice'),
  table('with a typo', csv(`${HEAD},destinationCuntry`, `${ROW},x`), 'did you mean destinationCountry?'),
  table('with __proto__', csv(`${HEAD},a.__proto__.x`, `${ROW},x`), 'a.__proto__.x  is not a field'),
  table(
    'with a large index',
    csv(`${HEAD},packages[999999999].weight`, `${ROW},1`),
    'weight  is not a field',
  ),
  table('with a cell without a header', csv(`${HEAD},`, `${ROW},x`), 'line 2', 'without a header'),
  table('that is empty', '', 'the file is empty; it needs a header'),
  table('of one line of 2 MB', `${HEAD}\n${'x'.repeat(2_000_000)}\n`, 'larger than 1 MiB'),
  table('with commas', csv(HEAD, 'A-1,TR,DE,"1,5kg@1x1x1"'), 'line 2', 'decimals have a dot, not a comma'),
  table('with an escape sequence', csv(HEAD, 'A-1,\x1b[31mTR,DE,1@1x1x1'), 'line 2', '\\u001b[31mTR'),
  records('with a line that is not JSON', '{"key":"A"\n', 'line 1', 'is not JSON'),
  records('of 100,000 brackets', `${DEEP}\n`, 'line 1', 'more than 100 levels deep'),
  batch('that ends within a record', 'o.json', '[{"key":"A"},', ['it ends in the middle of the array']),
  batch('that is one object', 'o.json', '{"key":"A"}', ['expected a JSON array here']),
  batch('without a known extension', 'orders', csv(HEAD, ROW), ['add --format csv, json, jsonl']),
  row('a batch of a folder', 'batch quote o.csv', [10, 'o.csv cannot be read', NOT_SENT], {
    files: { 'o.csv': null },
  }),
  row('JSONL with __proto__, ignored as all that begins with _', 'batch quote o.jsonl', [0], {
    files: {
      'o.jsonl':
        '{"__proto__":{"a":1},"originCountry":"TR","destinationCountry":"DE","package":"1kg@1x1x1"}\n',
    },
  }),
  shipped('half of a pair in a key', order('"K\\ud800"'), 'line 1: key  is not text', HALF),
  shipped('a key that an export lost', order(`"${LOST}"`), 'line 1: key  holds U+FFFD', 'again'),
  shipped('a long key', order(`"${BIG_KEY}"`), 'line 1: key  ', TOO_LONG),
  row(
    'a batch with half of a pair in an id',
    'batch label o.jsonl',
    [2, 'international  is not text', HALF],
    {
      files: { 'o.jsonl': '{"international":"S\\ud800"}\n' },
    },
  ),
  row(
    'half of a pair in a constant of a map',
    'batch ship o.jsonl --map map.json',
    [2, 'line 1: receiver.firstName  is not text'],
    {
      files: {
        'o.jsonl': order('"A-1"').replace(/("receiver":\{)"firstName":"[^"]*",/, '$1'),
        'map.json': '{"constants":{"receiver.firstName":"\\ud800"}}',
      },
    },
  ),
  row(
    'results with a key that no order can have are not imported',
    'history import o.jsonl --profile demo',
    [9, 'Line 1 may be about a booking'],
    {
      files: {
        'o.jsonl':
          '{"operation":"ship","place":"demo","key":"K\\ud800","line":1,"state":"created","exitCode":0,"sent":true,"shipmentId":"S-1"}\n',
      },
      after: async (_, rig) => expect(await rig.json('history list --profile demo')).toEqual([]),
    },
  ),
];

runFaults('a command line', [...LINES, ...QUERIES, ...VARIABLES, ...VALUES, ...NAMES]);
runFaults('a file of input', [...FILES, ...BATCHES]);
