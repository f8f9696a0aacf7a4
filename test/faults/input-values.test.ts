// Faults of a value on the command line.
import { expect } from 'vitest';
import { bodyIn, type End, type Fault, QUOTE, row, runFaults, type Scene } from './fault.ts';

const PACKED = QUOTE.slice(0, -2);

const set = (when: string, written: string, [exit, ...sees]: End, scene?: Scene): Fault =>
  row(`--set ${when}`, ['ship', '-f', 'order.json', '--dry-run', '--set', written], [exit, ...sees], scene);

const NUMBERS: readonly Fault[] = [
  ['1e999', 'must be a number, not "1e999"'],
  ['-0', 'must be a number, not "-0"'],
  ['0x10', 'must be a number, not "0x10"'],
  ['1,5', 'must be a number with a dot for its decimals, not "1,5"'],
  ['1.234,5', 'must be a number with a dot for its decimals, not "1.234,5"'],
  ['NaN', 'must be a number, not "NaN"'],
  ['Infinity', 'must be a number, not "Infinity"'],
  ['1_000', 'must be a number, not "1_000"'],
  ['٣', 'must be a number, not "٣"'],
  ['', 'must be a number, not ""'],
  ['-1', 'must not be negative, not -1'],
  ['12345678901234567890', 'must be a number of at most 15 digits, not "12345678901234567890"'],
  ['1'.repeat(20_000), 'must be a number of at most 15 digits, not "111'],
].map(([written = '', words = '']) =>
  set(`of the number ${JSON.stringify(written.slice(0, 30))}`, `chargeableWeight=${written}`, [
    2,
    `chargeableWeight  ${words}`,
    'nothing was sent',
  ]),
);

const NO_PATH = 'is not of the form PATH=VALUE; try --set receiver.address.city=Berlin';

const PATHS: readonly Fault[] = [
  set('with the number " 1"', 'chargeableWeight= 1', [0], {
    after: ran => expect(bodyIn(ran)).toMatchObject({ chargeableWeight: 1 }),
  }),
  set('with an index of nine digits', 'items[999999999].quantity=1', [2, 'an index is at most 999']),
  set('with an index of 4,000,000,000', 'items[4000000000].quantity=1', [2, 'an index is at most 999']),
  set('with a negative index', 'items[-1].quantity=1', [2, NO_PATH]),
  set('with an index that is no number', 'items[x].quantity=1', [2, NO_PATH]),
  set('behind the end of a list', 'items[2].quantity=1', [
    2,
    'items[1]  is required',
    'items[2].hsCode  is required',
  ]),
  set('of __proto__', '__proto__.x=1', [2, NO_PATH]),
  set('of __proto__ in a party', 'receiver.__proto__.x=1', [2, NO_PATH]),
  set('of constructor.prototype', 'constructor.prototype.x=1', [2, 'constructor  is not a field']),
  set('that is 50,000 levels deep', `${'a.'.repeat(50_000)}a=1`, [2, NO_PATH]),
  set('that is 50,000 brackets deep', `a${'[0]'.repeat(50_000)}=1`, [2, NO_PATH]),
  set('of a field of 100,000 letters', `${'a'.repeat(100_000)}=1`, [2, 'aaa…  is not a field']),
  set('without a value', 'receiver.address.city', [2, NO_PATH]),
  set('without a path', '=Berlin', [2, NO_PATH]),
  set('of a field that is misspelt', 'reciever.address.city=Berlin', [
    2,
    'reciever  is not',
    'did you mean receiver?',
  ]),
  set('of a party as a number', 'receiver=5', [2, 'receiver  must be an object, not 5']),
  set('inside of a text', 'type.x=1', [2, 'type  must be one of package, document']),
  set('of no items', 'items=[]', [2, 'items  needs at least one entry']),
  set('of JSON that gives a name twice', 'receiver={"a":1,"a":2}', [2, 'receiver  must be an object']),
];

const FORM = 'is not of the form [PIECESx]WEIGHT[kg]@LENGTHxWIDTHxHEIGHT[cm]';

const PACKAGES: readonly Fault[] = [
  ['', FORM],
  ['1', FORM],
  ['-1x1kg@1x1x1', FORM],
  ['1.5x1kg@1x1x1', FORM],
  ['1x-1kg@1x1x1', FORM],
  ['1kg@1x1', FORM],
  ['1kg@1x1x1x1', FORM],
  ['1lb@1x1x1', FORM],
  ['1kg@1x1x1in', FORM],
  ['1e3kg@1x1x1', FORM],
  ['1,5kg@1x1x1', 'decimals have a dot, not a comma'],
  ['2×1.5kg@30×20×10cm', FORM],
  ['\x1b[31m', FORM],
  ['99999999999999999999x1kg@1x1x1', 'has too many digits'],
  [`${'9'.repeat(400)}kg@1x1x1`, 'has too many digits'],
  ['1'.repeat(20_000), FORM],
  ['@', FORM],
  [`1kg@1x1x1${' '.repeat(300_000)}x`, FORM],
  [`1${' '.repeat(300_000)}x`, FORM],
  ['2x@__proto__', 'parcel'],
].map(([spec = '', words = '']) =>
  row(
    `--package ${JSON.stringify(spec.slice(0, 40))}`,
    [...PACKED, '--package', spec],
    [2, '--package', words],
  ),
);

const COUNTRIES: readonly Fault[] = [
  ['germany', 'did you mean DE?'],
  ['Germny', 'did you mean DE?'],
  ['DEU', 'did you mean DE?'],
  ['UK', 'did you mean GB?'],
  [' de ', 'did you mean DE?'],
  ['DE\n', 'did you mean DE?'],
  ['EU', 'not "EU"'],
  ['', 'not ""'],
  ['ДЕ', 'not "ДЕ"'],
  ['__proto__', 'not "__proto__"'],
  ['constructor', 'not "constructor"'],
  ['\x1b[31mDE', 'not "\\u001b[31mDE"'],
  ['x'.repeat(10_000), 'not "xxx'],
].map(([code = '', words = '']) =>
  row(
    `--to ${JSON.stringify(code.slice(0, 40))}`,
    ['quote', '--from', 'TR', '--to', code, '--package', '1@1x1x1'],
    [2, 'destinationCountry  must be an ISO country code such as DE', words],
  ),
);

const NO_AMOUNT = 'is not an amount with a currency, such as 20EUR; nothing was sent';
const PRICED = ['ship', '-f', 'order.json', '--carrier', 'cheapest', '--dry-run', '--max-price'];

const MONEY: readonly Fault[] = [
  ...[
    '',
    '60',
    'EUR',
    'EUR60',
    '-1EUR',
    '1.234,50EUR',
    '1,5EUR',
    '60€',
    '60EURO',
    '1e3EUR',
    '0x10EUR',
    '6 0EUR',
  ].map(written => row(`--max-price ${JSON.stringify(written)}`, [...PRICED, written], [2, NO_AMOUNT])),
  ...['60eur', '60 EUR', ' 60.00EUR '].map(written =>
    row(`--max-price ${JSON.stringify(written)}, which is clear enough`, [...PRICED, written], [0]),
  ),
];

runFaults('a value', [...NUMBERS, ...PATHS, ...PACKAGES, ...COUNTRIES, ...MONEY]);
