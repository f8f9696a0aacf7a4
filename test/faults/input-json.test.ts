// Faults of a request file.
import { expect } from 'vitest';
import { SHIPMENT } from '../rig/service.ts';
import { bodyIn, type End, type Fault, ORDER, row, runFaults, type Scene } from './fault.ts';

const NOT_SENT = 'nothing was sent';
const SHIP = 'ship -f order.json';

const file = (when: string, content: string | Uint8Array, [exit, ...sees]: End, scene: Scene = {}): Fault =>
  row(`a file ${when}`, SHIP, [exit, ...sees, ...(exit === 2 ? [NOT_SENT] : [])], {
    files: { 'order.json': content },
    ...scene,
  });

const withField = (name: string, json: string) => ORDER.replace('{', `{${JSON.stringify(name)}:${json},`);
const withWeight = (written: string) =>
  ORDER.replace(/"chargeableWeight":[\d.]+/, `"chargeableWeight":${written}`);
const receiver = SHIPMENT.receiver as { address: object };
const withCountry = (code: unknown) =>
  JSON.stringify({
    ...SHIPMENT,
    receiver: { ...receiver, address: { ...receiver.address, country: { code } } },
  });
const UNKNOWN = 'is not a field of the service document (--allow-unknown sends it anyway)';

const FORMS: readonly Fault[] = [
  file('of 100,000 brackets', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, [
    2,
    'more than 100 levels deep',
  ]),
  file('of 100,000 objects in each other', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, [
    2,
    'more than 100 levels deep',
  ]),
  file('of 100,000 brackets that are never closed', '['.repeat(100_000), [2, 'is not JSON']),
  file('of 10 MB in one field that nobody knows', withField('extra', `"${'x'.repeat(10_000_000)}"`), [
    2,
    UNKNOWN,
  ]),
  file('with a field whose name has 300,000 letters', withField('y'.repeat(300_000), '1'), [
    2,
    `yyy…  ${UNKNOWN}`,
  ]),
  file('with a country of 200,000 letters', withCountry('Z'.repeat(200_000)), [
    2,
    /country code such as DE, not "Z+…$/m,
  ]),
  file('with a country that is a list', withCountry(['DE']), [2, 'country code such as DE, not ["DE"]']),
  file('that gives a field twice', withField('type', '"document"'), [
    2,
    'gives a field twice',
    'type  is given twice in one object',
  ]),
  file('that gives a price twice', ORDER.replace('"unitPrice":', '"unitPrice":1,"unitPrice":'), [
    2,
    'items[].unitPrice  is given twice in one object',
  ]),
  file('that gives a field twice, once in escapes', withField('x', '1').replace('"x"', '"ty\\u0070e"'), [
    2,
    'type  is given twice in one object',
  ]),
  file('with __proto__', withField('__proto__', '{"polluted":1}'), [2, `__proto__  ${UNKNOWN}`]),
  file('with __proto__ in the receiver', ORDER.replace('"receiver":{', '"receiver":{"__proto__":{"a":1},'), [
    2,
    `receiver.__proto__  ${UNKNOWN}`,
  ]),
  file('with constructor.prototype', withField('constructor', '{"prototype":{"polluted":1}}'), [
    2,
    `constructor  ${UNKNOWN}`,
  ]),
  file('with fields that every object inherits', withField('toString', '1,"hasOwnProperty":1'), [
    2,
    'has 2 problems',
    `toString  ${UNKNOWN}`,
    `hasOwnProperty  ${UNKNOWN}`,
  ]),
  file('that begins with a byte order mark', `\ufeff${ORDER}`, [0]),
  file('that begins with a comment', `// my order\n${ORDER}`, [2, 'is not JSON', 'JSON has no comments']),
  file('with a comma after its last entry', `{\n  "type": "package",\n}`, [
    2,
    'in line 3, column 1',
    'remove the comma after the last entry',
  ]),
  file('with single quotes', "{'type':'package'}", [2, 'is not JSON', 'in line 1, column 2']),
  file('in UTF-16 with a mark', Buffer.from(`\ufeff${ORDER}`, 'utf16le'), [
    2,
    'is not UTF-8 text: save it in that',
  ]),
  file('in UTF-16 without a mark', Buffer.from('{"type":1}', 'utf16le'), [
    2,
    'it has NUL bytes, as UTF-16 does',
  ]),
  file('in Latin-1', Buffer.from(withField('x', '"ü"'), 'latin1'), [2, 'is not UTF-8 text: save it in that']),
  file('with bytes that are no UTF-8 in two lines', Buffer.from('{"ü":1,\n"é\xff":2}', 'latin1'), [
    2,
    'The first other byte is byte 3 of it, in line 1',
  ]),
  file('with a byte that is no UTF-8 behind others', Buffer.from('{"\xc3\xbc":1,\n"\xff":2}', 'latin1'), [
    2,
    'The first other byte is byte 11 of it, in line 2',
  ]),
  file('with a NUL byte in a text', '{"type":"pack\0age"}', [2, 'it has NUL bytes']),
  file('with NUL bytes behind it, as a crash leaves', `${ORDER}\0\0\0`, [2, 'it has NUL bytes']),
  file('with an escape sequence in it', `{"type":\x1b[31m"package"}`, [2, 'is not JSON']),
  file('that is empty', '', [2, 'order.json is empty, but must be one JSON object']),
  file('of blanks', ' \r\n\t', [2, 'order.json is empty, but must be one JSON object']),
  file('of two objects', `${ORDER}\n${ORDER}`, [
    2,
    'Unexpected non-whitespace character',
    'in line 2, column 1',
  ]),
  file('that is cut off', ORDER.slice(0, 300), [2, 'is not JSON']),
  file('that is a web page', '<!doctype html><html>', [2, 'is not JSON']),
  file('that is CSV', 'type,category\npackage,sales\n', [2, 'is not JSON']),
  file('that is a list of orders', `[${ORDER}]`, [2, 'holds a list, but must be one JSON object']),
  file(
    'with an escape sequence as the text of a field',
    withField('note', '"\\u001b[31mred\\u202e"').replace('"note"', '"type"'),
    [2, 'type  is given twice'],
  ),
  file(
    'with 4,000 empty packages',
    ORDER.replace(/"packages":\[.*?\]/, `"packages":[${Array(4000).fill('{}')}]`),
    [2, 'has 20000 problems', 'packages[3999].dimensions.height  is required'],
    { wordy: true },
  ),
];

const NUMBERS: readonly Fault[] = [
  ['1e999', 'must be a finite number, not Infinity'],
  ['-1e999', 'must be a finite number, not -Infinity'],
  ['-1', 'must not be negative, not -1'],
  ['"5"', 'must be a number, not "5"'],
  ['null', 'must be a number, not null'],
  ['true', 'must be a number, not true'],
  ['0x10', 'is not JSON'],
  ['01', 'is not JSON'],
  ['1_000', 'is not JSON'],
  ['1,5', 'is not JSON'],
  ['NaN', 'is not JSON'],
  ['.5', 'is not JSON'],
].map(([written = '', words = '']) =>
  file(`with the number ${written}`, withWeight(written), [2, words], {
    may: written === 'NaN' ? ['words'] : [],
  }),
);

const PLACES: readonly Fault[] = [
  row(
    'a folder in the place of the file',
    'ship -f orders',
    [10, 'orders cannot be read', 'it is a folder', NOT_SENT],
    {
      files: { orders: null },
    },
  ),
  row('a file that does not exist', 'ship -f order.jsn', [
    10,
    'order.jsn cannot be read',
    'no such file',
    NOT_SENT,
  ]),
  row('an empty name of a file', ['ship', '-f', ''], [2, '--file is empty. Nothing was sent']),
  row('a path with a NUL', ['ship', '-f', 'a\0b'], [10, 'cannot be read', 'null bytes', NOT_SENT]),
  row('an empty stdin', 'ship -f -', [2, 'stdin is empty, but must be one JSON object', NOT_SENT], {
    stdin: '',
  }),
  row(
    'stdin for the order and for its receiver',
    'ship -f - --receiver - --dry-run',
    [2, 'stdin is named twice'],
    {
      stdin: ORDER,
    },
  ),
  row(
    'stdin for both parties',
    'ship -f order.json --sender - --receiver -',
    [2, 'Put one of the two inputs into a file'],
    {
      stdin: JSON.stringify(receiver),
    },
  ),
  row(
    'stdin for a profile and for its token',
    'profile add live -f - --token-stdin',
    [2, 'stdin is named twice', 'one of the two inputs'],
    {
      stdin: '{"baseUrl":"https://api.example"}',
      after: async (_, rig) => expect((await rig.run('profile list')).stdout).not.toContain('live'),
    },
  ),
  row('stdin for a batch and for its map', 'batch ship - --format csv --map -', [2, 'stdin is named twice'], {
    stdin: '{}',
  }),
];

runFaults('the file of a request', [
  ...FORMS,
  ...NUMBERS,
  ...PLACES,
  row('a file with __proto__ and --allow-unknown', `${SHIP} --allow-unknown --dry-run`, [0], {
    files: { 'order.json': withField('__proto__', '{"polluted":1}') },
    after(ran) {
      expect(Object.hasOwn(bodyIn(ran) as object, '__proto__')).toBe(true);
    },
  }),
]);
