// Mistakes in what is given to a command: words, values, names and files. Nothing is sent, stdout is empty, and a message is short
// for any input.
import { Readable } from 'node:stream';
import { expect } from 'vitest';
import type { Ran } from '../rig/command.ts';
import { CONTROL, SECRET } from '../rig/oracles.ts';
import { SHIPMENT } from '../rig/service.ts';
import { BOOKED, FILES, HOOK } from './orders.ts';
import { each, type Promised, promises } from './promise.ts';

type Words = string | RegExp;
type Mistake = readonly [run: string | string[], ...stderr: Words[]];

/** The longest message that a person reads. */
const MOST = 1500;
const pristine = Object.getOwnPropertyNames(Object.prototype).sort();

function isShort({ stdout, stderr }: Ran): void {
  expect(stdout).toBe('');
  expect(stderr.length).toBeLessThan(MOST);
  expect(Object.getOwnPropertyNames(Object.prototype).sort()).toEqual(pristine);
}

const wrong = (says: string, mistakes: readonly Mistake[], more: Partial<Promised> = {}): Promised[] =>
  mistakes.map(([run, ...stderr]) => ({
    ...{ says, rig: { files: FILES }, run, exit: 2, stderr, sent: [], also: isShort },
    ...more,
  }));

/** A line whose last word may be anything. */
const ending = (line: string, last: string, ...stderr: Words[]): Mistake => [
  [...line.split(' '), last],
  ...stderr,
];
/** Lines that differ in their last word. */
const endings = (line: string, lasts: readonly string[], ...stderr: Words[]): Mistake[] =>
  lasts.map(last => ending(line, last, ...stderr));

const PARCEL = 'quote --from TR --to DE --package 1@1x1x1';
const LONG = 'x'.repeat(10_000);
/** What Node makes of the bytes `K\xff`. */
const LOST = 'K\ufffd';

promises('Words of a command line', [
  ...wrong('One that nobody knows is named, with the one that is near', [
    ['shp', "unknown command 'shp' (did you mean ship?)", '`waybill --help`'],
    ['webhook craete', 'did you mean create?', '`waybill webhook --help`'],
    ['webhook read sub_1', 'did you mean get?'],
    ['profile get live', 'did you mean show?'],
    ['bacth ship orders.csv', 'did you mean batch?', '`waybill --help`'],
    ['help shp', 'did you mean ship?'],
    ['batch shp orders.csv', 'did you mean ship?', 'ship, ship-dual, label, track'],
    ['quote --form TR', '--from', '`waybill quote --help`'],
    ['--profile ship quote --bogus', "'--bogus'", '`waybill quote --help`'],
    ['webhook print', "'print'"],
    ['constructor', "'constructor'"],
    [['\x1b[31mx'], "'[31mx'"],
    ['-ojson shp', /^\{"error":\{"code":"usage"/],
  ]),
  ...wrong('What a command needs is named', [
    ['history show', 'waybill history show needs REF: its key, a shipment id, a tracking number'],
    ['batch ship', 'waybill batch ship needs FILE: CSV, a JSON array or JSON lines'],
    ['profile set', 'waybill profile set needs PROFILE: its name'],
  ]),
  ...wrong('What there is no command for says what to do', [
    ['cancel shp_1', 'Ask the carrier', 'history resolve'],
    ['webhook delete sub_1', 'no command "waybill webhook delete"'],
    ['status shp_1', '`waybill track REF`'],
    ['print ORDER-1', '`waybill label REF --print`'],
    ['return ORDER-1', 'Book a return with `waybill ship`'],
    ["batch 'my orders.jsonl'", 'name the operation first', "`waybill batch ship 'my orders.jsonl'`"],
    ['batch -', '`waybill batch ship - --format csv`'],
  ]),
  ...wrong('An option has one value', [
    ['ship one.json two.json', 'too many arguments', '`waybill ship --help`'],
    ['ship one.json -f two.json', 'named twice', '"one.json"', '"two.json"'],
    ['ship -f', 'argument missing', '`waybill ship --help`'],
    ['ship -f order.json -f order.json', '--file is given twice'],
    ['batch ship o.csv --max-price 20EUR --max-price 200EUR', '--max-price is given twice'],
    ['batch ship o.csv --failed --dry-run', '--failed has no value: --dry-run follows it'],
    ['ship order.json --key --lable', '--lable follows it (did you mean --label?)'],
  ]),
  ...wrong('A value is not empty', [
    [['batch', 'ship', 'orders.csv', '--results', ''], '--results is empty'],
    ['label S-1 --download=', '--download is empty'],
    ['ship --receiver=', '--receiver is empty'],
    [['ship', ''], 'name of a file is empty'],
    [['batch', 'ship', ''], 'name of a file is empty'],
    [['history', 'export', '--for', 'csv', ''], 'name of a file is empty'],
    [['history', 'reconcile', ''], 'name of a file is empty'],
    ["history resolve A-1 --created S-1 --domestic ' ' --unchecked", 'must not be empty'],
    ['-- ship', 'ship: the request has', '--type'],
  ]),
  ...wrong(
    'stdin is one input',
    [
      ['ship -f - --receiver -', 'named twice'],
      ['profile add live --base-url https://a.example -f - --token-stdin', 'named twice'],
      ['batch ship - --format csv --map -', 'named twice'],
    ],
    { stdin: '{}' },
  ),
  ...wrong('A number or a length of time is written as one', [
    ['history list --limit 0', '1 or more'],
    ...['1,5', '0x10', '1e999', '3000y'].map(
      (time): Mistake => [`quote --timeout ${time}`, `'${time}' is invalid`, '90s'],
    ),
    [['quote', '--timeout', ''], "'' is invalid"],
    ['quote --retries 1.5', "'1.5' is invalid"],
    [`quote --retries ${'9'.repeat(30)}`, 'whole number'],
    ['rates --from TR --to DE --weight 0x10', 'must be a number'],
    ['rates --from TR --to DE --weight 1', '--weight needs --length, --width, --height, too'],
  ]),
  ...wrong('A query is one', [
    ending(`${PARCEL} --query`, '', 'ends too early'),
    ending(`${PARCEL} --query`, 'p[?price > ].id', 'single quotes', 'backticks'),
    ending(`${PARCEL} --query`, 'a.\x1b[31m', '(character 3)'),
    ending(`${PARCEL} --query`, `${'('.repeat(500)}a`, 'JMESPath'),
    ending('batch ship orders.csv --query', 'a.'.repeat(8000), 'at most 4096'),
    ending('webhook listen --query', 'a.'.repeat(8000), 'at most 4096'),
  ]),
  {
    says: 'A query that makes too much of a booking says what was booked',
    rig: { files: FILES },
    run: ['ship', 'order.json', '--query', Array(60).fill('[@,@]').join('|')],
    exit: 9,
    stderr: ['did its work', 'too large', /Its values: shp_\w+/],
    sent: BOOKED,
  },
]);

const SET = 'ship order.json --set';
const WEIGHT = 'ship order.json --set chargeableWeight';
const PACKAGE = 'quote --from TR --to DE --package';
const COUNTRY = 'quote --package 1@1x1x1 --from TR --to';
const BOUND = 'ship order.json --dry-run --carrier cheapest --max-price';
const AMOUNTS = '|60|EUR60|-1EUR|1.234,50EUR|1,5EUR|60€|60EURO|1e3EUR|0x10EUR|0.00EUR'.split('|');

promises('Values', [
  ...wrong('A number of a field is one, in one writing', [
    ...['1e999', '-0', '0x10', 'NaN', '1_000', '٣', ''].map(
      (written): Mistake => [`${WEIGHT}=${written}`, `must be a number, not "${written}"`],
    ),
    [`${WEIGHT}=1.234,5`, 'a dot for its decimals'],
    [`${WEIGHT}=12345678901234567890`, 'at most 15 digits'],
  ]),
  ...wrong('A path leads to a field', [
    [`${SET} items[999999999].quantity=1`, 'at most 999'],
    [`${SET} items[-1].quantity=1`, 'PATH=VALUE'],
    [`${SET} items.0.quantity=1`, 'items  must be a list: write items[0], not items.0'],
    [`${SET} items[2].quantity=1`, 'items[1]  is required'],
    [`${SET} receiver.__proto__.x=1`, 'PATH=VALUE'],
    [`${SET} constructor.prototype.x=1`, 'constructor  is not a field'],
    [`${SET} ${'a.'.repeat(50_000)}a=1`, 'PATH=VALUE'],
    [`${SET} ${'a'.repeat(100_000)}=1`, 'aaa…  is not a field'],
    [`${SET} reciever.address.city=Berlin`, 'did you mean receiver?'],
    [`${SET} receiver={"a":1`, 'receiver  must be an object'],
  ]),
  ...wrong('A package has its form', [
    ...endings(PACKAGE, ['', '1.5x1kg@1x1x1', '1x-1kg@1x1x1', '1kg@1x1x1x1', '1e3kg@1x1x1'], 'PIECESx'),
    ending(PACKAGE, `${'9'.repeat(400)}kg@1x1x1`, 'too many digits'),
    ending(PACKAGE, `1kg@1x1x1${' '.repeat(300_000)}x`, 'PIECESx'),
    ending(PACKAGE, '2x@__proto__', 'parcel'),
  ]),
  ...wrong('A country is a code, and the near one is named', [
    ending(COUNTRY, 'Almannya', 'destinationCountry', 'such as DE, not "Almannya" (did you mean DE?)'),
    ending(COUNTRY, 'DE\n', 'did you mean DE?'),
    ...['EU', '', '__proto__', '\x1b[31mDE'].map(code => ending(COUNTRY, code, JSON.stringify(code))),
  ]),
  ...wrong('A bound is an amount with its currency', endings(BOUND, AMOUNTS, 'such as 20EUR')),
  ...each({ says: 'Blanks and small letters change nothing', rig: { files: FILES } }, [
    { run: [...BOUND.split(' '), ' 60.00 eur '] },
    { run: `${SET} 'chargeableWeight= 1' --dry-run`, json: { body: { chargeableWeight: 1 } } },
  ]),
]);

const variable = (name: string, value: string, words: string, exit = 2) =>
  wrong(`${name} is checked before anything is sent`, [[PARCEL, words]], { env: { [name]: value }, exit });

promises('Variables', [
  ...variable('WAYBILL_BASE_URL', `https://me:${SECRET}@api.example`, 'user name or password'),
  ...variable('WAYBILL_BASE_URL', `https://api.example/?token=${SECRET}`, 'query'),
  ...variable('WAYBILL_BASE_URL', ' ', 'set WAYBILL_BASE_URL', 3),
  ...variable('WAYBILL_PROFILE', '__proto__', 'named by WAYBILL_PROFILE'),
  ...variable('WAYBILL_TOKEN', `${SECRET}\ufffd`, 'Set it again'),
  { says: 'One of another program may be anything', run: PARCEL, env: { EDITOR: LOST }, exit: 0 },
  {
    says: 'The path of an address stays as it is written',
    run: `${PARCEL} --dry-run -q`,
    env: { WAYBILL_BASE_URL: 'https://api.example/a%20b/c//' },
    exit: 0,
    stdout: /^POST https:\/\/api\.example\/a%20b\/c\/v1\/carriers\/proposal\n$/,
  },
]);

const HEADER = `${HOOK} --header`;
const ADD = 'profile add --base-url https://api.example --';
const BIG_KEY = 'é'.repeat(513);
/** A server or a proxy may read these as another path. */
const IDS = ['a/b', '%2e%2e', 'a?b=c#d', 'a\\b', '//evil.example/x', '..;/x', 'a\r\nHost: evil', LONG];

promises('Names', [
  ...each(
    { says: 'An id is one part of a path, whatever is in it', exit: 4 },
    IDS.map(id => ({ run: ['track', id], sent: [`GET /v1/shipments/${encodeURIComponent(id)}`] })),
  ),
  {
    says: 'An id may have two lines',
    run: ['label', '--international', 'a\nb'],
    exit: 5,
    body: { international: 'a\nb' },
  },
  ...wrong('An id is no other path, and whole text', [
    ...endings('track S-1', ['..', '.', '', '\ud800'], 'is not an id'),
    ['webhook get ..', 'is not an id'],
    ...endings('label --international', ['', ' '], 'must not be empty'),
  ]),
  ...wrong('A header is one line, with a name of its own', [
    ...endings(HEADER, ['X-A: b\r\nEvil: 1', 'X-A: b\0c'], 'line breaks or NUL'),
    ...endings(HEADER, ['X-A\r\nB: c', 'X-Ü: v', 'Authorization: x'], 'begins with X-'),
    ending(HEADER, LONG, "'X-Name: value'"),
  ]),
  ...wrong('A key is one line of whole text', [
    ending('ship order.json', '--key=a\x1b[31mb', 'control character'),
    ending('ship order.json', '--key= ', 'is empty'),
    [`label --key ${BIG_KEY}`, '--key', 'at most 1024'],
    [`track --key ${BIG_KEY}`, '--key', 'at most 1024'],
    [`ship order.json --key ${LOST}`, 'argument 4, for --key, "K\ufffd" is not UTF-8: it holds U+FFFD'],
    [`ship order.json --key=${LOST}`, 'argument 3, for --key, "--key=K\ufffd" is not UTF-8: it holds U+FFFD'],
    [`emulator --port 0 -- echo ${LOST}`, 'argument 6 '],
  ]),
  ...['\u202eabc', '__proto__', '../../a', BIG_KEY.slice(1)].map(
    (name): Promised => ({
      says: 'Any other key books once, and is shown without what moves a cursor',
      rig: { files: FILES },
      after: [`ship order.json --key=${name}`],
      run: 'history list --json',
      exit: 0,
      json: [{ key: name }],
      async also(_, { run }) {
        expect(await run(`ship order.json --key=${name}`)).toMatchObject({ exitCode: 0, requests: [] });
        expect((await run('history list')).stdout).not.toMatch(CONTROL);
      },
    }),
  ),
  ...wrong('A name of a profile or of a party is one', [
    ...endings(ADD, ['a/b', '-x', 'a\nb', '🙂', '__proto__', 'p'.repeat(300)], 'up to 64 letters'),
    ending(`${PARCEL} --profile`, 'a\0b', '`waybill profile list`'),
    ['ship order.json --receiver @__proto__', 'no party "__proto__"'],
  ]),
  {
    says: 'A profile may have a name that every object has',
    after: [`${ADD} constructor`],
    run: 'profile remove constructor --yes',
    exit: 0,
  },
]);

const ORDER = JSON.stringify(SHIPMENT);
const fields = (json: string) => ORDER.replace('{', `{${json},`);
const DEEP = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
const HALF = 'half of a surrogate pair';
const UNKNOWN = 'is not a field of the service document';

/** A file of an order that is refused. */
const file = (says: string, content: string, ...stderr: Words[]): Promised[] =>
  wrong(`A file ${says} is refused`, [['ship order.json', 'nothing was sent', ...stderr]], {
    rig: { files: { 'order.json': content } },
  });
/** Bytes that are no text. */
const bytes = (content: Buffer) => ({ stdin: Readable.from([content]) });

promises('The file of an order', [
  ...file('of 100,000 brackets', DEEP, 'more than 100 levels deep'),
  ...file('of brackets that are never closed', '['.repeat(100_000), 'is not JSON'),
  ...file('of 10 MB in a field that nobody knows', fields(`"extra":"${'x'.repeat(10_000_000)}"`), UNKNOWN),
  ...file('with a name of 300,000 letters', fields(`"${'y'.repeat(300_000)}":1`), `yyy…  ${UNKNOWN}`),
  ...file('with fields of all objects', fields('"toString":1,"hasOwnProperty":1'), 'has 2 problems'),
  ...file(
    'with __proto__',
    ORDER.replace('"receiver":{', '"receiver":{"__proto__":{"a":1},'),
    '__proto__  is',
  ),
  ...file('that begins with a comment', `// my order\n${ORDER}`, 'JSON has no comments'),
  ...file('with a name twice', ORDER.replace('{', '{"a\\":":1,"type" : "x",'), 'the name "type" twice'),
  ...file('with a comma at its end', '{\n  "type": "x",\n}', 'in line 3, column 1', 'remove the comma'),
  ...file('that ends in the middle', '{"a":\n', 'it ends in column 6, before a value'),
  ...file('of several lines that ends in the middle', '{\n"a":\n', 'it ends in line 2, column 5, before'),
  ...file('that is blank', ' \r\n\t', 'order.json is empty'),
  ...file('of two objects', `${ORDER}\n${ORDER}`, '"{" in line 2, column 1 is not the end'),
  ...file('that is a list of orders', `[${ORDER}]`, 'holds a list', 'batch ship'),
  ...file('with a list for a code', ORDER.replaceAll('"code":"DE"', '"code":["DE"]'), 'not ["DE"]'),
  ...file(
    'with two lines in a name',
    ORDER.replace('"firstName":"', '"firstName":"A\\n'),
    'one line of text',
  ),
  ...file('with half of a pair', ORDER.replace(/"firstName":"[^"]*"/g, '"firstName":"J\\ud800"'), HALF),
  ...wrong('UTF-16 that ends in the middle is refused', [['ship -f -', 'is not UTF-16LE in line 1']], {
    ...bytes(Buffer.from(`\ufeff${ORDER}`, 'utf16le').subarray(0, -1)),
  }),
  ...wrong('Latin-1 is refused, with its first byte', [['ship -f -', 'is not UTF-8 in line 2']], {
    ...bytes(Buffer.from('{"\xc3\xbc":1,\n"\xff":2}', 'latin1')),
  }),
  ...wrong(
    'A CSV names the command for it',
    ['ship', 'label'].map(
      (command): Mistake => [
        `${command} -f orders.csv --no-sandbox`,
        `\`waybill batch ${command} --no-sandbox orders.csv\`, with your other options`,
      ],
    ),
    { rig: { files: { 'orders.csv': 'key,type\nA,package\n' } } },
  ),
  ...wrong(
    'What cannot be read is named as it was given',
    [
      [['ship', '-f', 'a\0b'], 'null bytes'],
      ['ship -f folder', 'the file folder cannot be read: it is a folder'],
      ['batch quote folder --format csv', 'folder cannot be read'],
    ],
    { exit: 10, rig: { files: { 'folder/a': '' } }, lacks: 'EISDIR' },
  ),
  {
    says: 'A byte order mark is no part of it',
    rig: { files: { 'order.json': `\ufeff${ORDER}` } },
    run: 'ship order.json',
    exit: 0,
  },
  {
    says: 'With --allow-unknown, __proto__ is a field as any',
    rig: { files: { 'order.json': fields('"__proto__":{"polluted":1}') } },
    run: 'ship order.json --allow-unknown --dry-run',
    exit: 0,
    also: ({ stdout }) => expect(Object.hasOwn(JSON.parse(stdout).body, '__proto__')).toBe(true),
  },
]);

const HEAD = 'key,originCountry,destinationCountry,package';
const ROW = 'A-1,TR,DE,1kg@10x10x10';
const QUOTED = { originCountry: 'TR', destinationCountry: 'DE', package: '1kg@1x1x1' };
const csv = (...rows: string[]) => rows.map(line => `${line}\r\n`).join('');
/** A record with that key, in JSON. */
const record = (name: string) => `${JSON.stringify({ key: 'KEY', ...SHIPMENT }).replace('"KEY"', name)}\n`;

const BOOKED_LINE = {
  ...{ operation: 'ship', place: 'demo', key: 'K\ud800', line: 1, state: 'created' },
  ...{ exitCode: 0, sent: true, shipmentId: 'S-1' },
};

/** A file of many that is refused, and has no file of results. */
const many = (says: string, run: string, content: string, ...stderr: Words[]): Promised[] =>
  wrong(`A file ${says} is refused`, [[run, 'nothing was sent', ...stderr]], {
    rig: { files: { [run.split(' ').at(-1) ?? '']: content } },
    files: { 'o.results.jsonl': null },
  });
const table = (says: string, content: string, ...stderr: Words[]) =>
  many(says, 'batch quote o.csv', content, ...stderr);

promises('A file of many orders', [
  ...table('with a short row', csv(HEAD, ROW, 'A-2,TR,DE'), 'line 3', 'has 3 cells, but the header has 4'),
  ...table('with a header twice', csv(`${HEAD},key`, `${ROW},A-2`), 'key  is in the header twice'),
  ...table('with __proto__', csv(`${HEAD},a.__proto__.x`, `${ROW},x`), 'a.__proto__.x  is not a field'),
  ...table('with a cell without a header', csv(`${HEAD},`, `${ROW},x`), 'line 2', 'without a header'),
  ...table('that is empty', '', 'the file is empty; it needs a header'),
  ...table('of one line of 2 MB', `${HEAD}\n${'x'.repeat(2_000_000)}\n`, 'larger than 1 MiB'),
  ...table('with an escape sequence', csv(HEAD, 'A-1,\x1b[31mTR,DE,1@1x1x1'), 'line 2', '\\u001b[31mTR'),
  ...many('with a line of 100,000 brackets', 'batch quote o.jsonl', `${DEEP}\n`, 'line 1', '100 levels deep'),
  ...many('that ends within a record', 'batch quote o.json', '[{"key":"A"},', 'in the middle of the array'),
  ...many('that is one object', 'batch quote o.json', '{"key":"A"}', 'expected a JSON array here'),
  ...many('with half of a pair in a key', 'batch ship o.jsonl', record('"K\\ud800"'), 'line 1: key', HALF),
  ...many('with a key that an export lost', 'batch ship o.jsonl', record(`"${LOST}"`), 'key  holds U+FFFD'),
  ...many('with a long key', 'batch ship o.jsonl', record(`"${BIG_KEY}"`), 'line 1: key', 'at most 1024'),
  ...many('with half of a pair in an id', 'batch label o.jsonl', '{"international":"S\\ud800"}\n', HALF),
  ...wrong(
    'UTF-16 of many that ends in the middle is refused',
    [['batch quote - --format csv', 'utf-16le']],
    {
      ...bytes(Buffer.from(`\ufeff${csv(HEAD, ROW)}`, 'utf16le').subarray(0, -1)),
    },
  ),
  ...wrong(
    'Half of a pair in a constant of a map is refused',
    [['batch ship o.jsonl --map ./map.json', 'line 1: receiver.firstName  is not text']],
    {
      rig: {
        files: {
          'o.jsonl': record('"A-1"').replace(/("receiver":\{)"firstName":"[^"]*",/, '$1'),
          'map.json': '{"constants":{"receiver.firstName":"\\ud800"}}',
        },
      },
    },
  ),
  {
    says: 'A name that begins with _ is left out, also __proto__',
    rig: { files: { 'o.jsonl': `{"__proto__":{"a":1},${JSON.stringify(QUOTED).slice(1)}\n` } },
    run: 'batch quote o.jsonl',
    exit: 0,
  },
  {
    says: 'Results with a key that no order can have are not imported',
    rig: { files: { 'o.jsonl': `${JSON.stringify(BOOKED_LINE)}\n` } },
    run: 'history import o.jsonl --profile demo',
    exit: 9,
    stderr: 'Line 1 may be about a booking',
    also: async (_, rig) => expect(await rig.json('history list --profile demo')).toEqual([]),
  },
]);
