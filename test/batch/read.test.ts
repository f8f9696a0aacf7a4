// What a file of records, and a map for it, mean; and what cannot be read.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { csvRow } from '../../src/batch/csv.ts';
import { type Given, issuesOf, jsonLines, linesIn, readAll, reading } from '../rig/batch.ts';
import { createRig } from '../rig/command.ts';
import { errorOf, posted } from '../rig/service.ts';
import { runs } from '../torture/size.ts';

const NAME = 'receiver.firstName';
const CITY = 'receiver.address.city';
const WEIGHT = 'packages[0].weight';
const HEADER = `key,${NAME},${CITY},${WEIGHT}`;
const ITEM = ['description', 'hsCode', 'countryOfOrigin', 'quantity', 'unitPrice'];
const ITEMS = ITEM.map(name => `items[].${name}`).join(',');

/** Line and key of each record, as the results have them. */
const placesOf = ({ rig }: Awaited<ReturnType<typeof reading>>) =>
  linesIn(rig)
    .toSorted((first, second) => first.line - second.line)
    .map(({ line, key }) => `${line} ${key}`);

describe('A CSV', () => {
  test.each([
    ['a byte order mark', `\ufeff${HEADER}\nK1,a,b,1\n`],
    ['CRLF', `${HEADER}\r\nK1,a,b,1\r\n`],
    ['LF after CRLF, and no line end at the end', `${HEADER}\r\nK1,a,b,1\nK2,c,d,2`],
    ['blank lines and empty rows', `\n${HEADER}\n\n,,,\n  , ,,\nK1,a,b,1\n\n`],
    ['CR alone', `${HEADER}\rK1,a,b,1\rK2,c,d,2\r`],
    ['blanks around headers', `${HEADER.replaceAll(',', ' , ')}\nK1,a,b,1\n`],
    ['other signs between its cells', `${HEADER}\nK1,a,b,1\n`.replaceAll(',', '|')],
    ['tabs between its cells', `${HEADER}\nK1,a,b,1\n`.replaceAll(',', '\t')],
    ['ignored columns', `_x,${HEADER},_note,\n1,K1,a,b,1,"x,\ny",\n`],
  ])('may have %s', async (_, text) => {
    const { at } = await reading(text);
    expect(at(NAME, CITY, WEIGHT)[0]).toEqual(['a', 'b', 1]);
  });

  test('with tabs keeps its records apart, whatever quotes are in its texts', async () => {
    const cell = fc.string({ unit: fc.constantFrom('a', '"', ' ', '7') });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(cell, cell)), async cells => {
        const rows = cells.map((pair, index) => [`K${index}`, ...pair]);
        const { raw } = await readAll([TITLES, ...rows].map(row => `${row.join('\t')}\n`).join(''));
        const bare = (all: readonly string[][]) => all.map(row => row.map(one => one.replaceAll('"', '')));
        expect(bare(raw.flatMap(({ text }) => JSON.parse(text)))).toEqual(bare(rows));
      }),
      runs(60),
    );
  });

  test('without a quoted cell, with a quote before a cell and one behind another, loses no row without a word', async () => {
    const width = 6;
    const plain = fc.string({ unit: fc.constantFrom('a', ' ', '7', '-'), maxLength: 4 });
    const rows = fc.array(fc.array(plain, { minLength: width, maxLength: width }), {
      minLength: 3,
      maxLength: 6,
    });
    const place = fc.tuple(fc.nat(4), fc.nat(width - 1));
    await fc.assert(
      fc.asyncProperty(
        rows,
        place,
        place,
        fc.constantFrom(',', ';', '|'),
        async (texts, from, to, delimiter) => {
          const cells = texts.map((row, index) => [
            `K${index}`,
            ...row.slice(1).map(cell => cell.trim() || 'x'),
          ]);
          const [begin, end] = [from, to].map(
            ([row, column]) => [Math.min(row, cells.length - 1), column] as const,
          );
          if (begin === undefined || end === undefined || begin[0] >= end[0]) return;
          const quoted = cells.map((row, at) =>
            row.map((cell, column) => {
              if (at === begin[0] && column === begin[1]) return `"${cell}`;
              return at === end[0] && column === end[1] ? `${cell}"` : cell;
            }),
          );
          const titles = Array.from({ length: width }, (_, column) => (column === 0 ? 'key' : `_${column}`));
          const text = [titles, ...quoted].map(row => `${row.join(delimiter)}\r\n`).join('');
          const read = await readAll(text).catch(() => undefined);
          const issues = read?.raw.flatMap(record => read.input.parse(record).issues) ?? [];
          expect(
            read === undefined || issues.some(({ message }) => /begins with a quote/.test(message)),
          ).toBe(true);
        },
      ),
      runs(60),
    );
  });

  test('with tabs may hold line breaks in quotes, as a spreadsheet writes them', async () => {
    const text = `key\t${NAME}\t${CITY}\r\nK1\t"a ""x"""\t"b\nc ""d""\r\ne"\r\nK2\t"a\nb"\t"c\nd"\r\nK3\t"a\t"b\r\n`;
    const { at } = await reading(text);
    expect(at(NAME, CITY)).toEqual([
      ['a "x"', 'b, c "d", e'],
      ['a, b', 'c, d'],
      ['"a', '"b'],
    ]);
  });

  test('with tabs and its header in quotes may hold tabs in quotes', async () => {
    const text = `"key"\t"${NAME}"\t"${CITY}"\t"_note"\r\n"K1"\t"a"\t"b"\t"ring\ttwice\r\nx"\r\n"K2"\t"c"\t"d"\t""\r\n`;
    const { at } = await reading(text);
    expect(at(NAME, CITY)).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
    const { raw } = await readAll(text);
    expect(raw.map(({ text }) => JSON.parse(text)[0][3])).toEqual(['ring\ttwice\r\nx', '']);
  });

  test('has the types of the fields: text stays as it is written', async () => {
    const { at } = await reading(`${HEADER},receiver.extra\nK1,00123,1E5,1.50,007\n`, {
      flags: '--allow-unknown',
    });
    expect(at(NAME, CITY, WEIGHT, 'receiver.extra')).toEqual([['00123', '1E5', 1.5, '007']]);
  });

  test('may hold line breaks in quotes, which become commas, in the header too, and lines are counted as an editor does', async () => {
    const text = `"key";"${NAME}";"_note,,,\n,with,commas"\r\n\r\nK1;"a\r\nb";x\r\nK2;c;"y\n"\r\nK3;d;z\r\n`;
    const read = await reading(text);
    expect(read.at(NAME)).toEqual([['a, b'], ['c'], ['d']]);
    expect(placesOf(read)).toEqual(['4 K1', '6 K2', '8 K3']);
  });

  test('has packages as SPECs, one in each row of an order, and an empty element is none', async () => {
    const rows = await reading('key,package[]\nK1,1kg@1x1x1\nK1,2x1.5kg@30x20x10cm\n');
    const dimensions = { length: 30, width: 20, height: 10, unit: 'cm' };
    expect(rows.at(WEIGHT, 'packages[1]')).toEqual([[1, { quantity: 2, weight: 1.5, dimensions }]]);
    const gaps = await reading(`key,${WEIGHT},packages[1].weight,packages[2].weight\nK1,,2, \n`);
    expect(gaps.at('packages.length', WEIGHT)).toEqual([[1, 2]]);
  });

  test('adds no item by a row that has none; rows without a key are orders of their own', async () => {
    const read = await reading(`key,${NAME},${ITEMS}\nK1,Ada,x,61,TR,1,1\nK1,Ada,,,,,\nK2,Bo,x,63,TR,1,1\n`);
    expect(read.at(NAME, 'items.length')).toEqual([
      ['Ada', 1],
      ['Bo', 1],
    ]);
    expect(placesOf(read)).toEqual(['2 K1', '4 K2']);
    const rig = await createRig();
    rig.file('boxes.csv', 'originCountry,destinationCountry,package[]\nTR,DE,1@1x1x1\nTR,DE,2@1x1x1\n');
    expect(posted(await rig.run('batch quote boxes.csv'))).toHaveLength(2);
  });
});

const CSV_ROWS = `key,${NAME},items[].hsCode`;
test.each([
  ['a row beside an empty first one', 'a.csv', `${CSV_ROWS}\nK1,,61\nK1,Cy,62\n`, `${NAME} is "Cy" in row 2`],
  [
    'a row beside another one',
    'a.csv',
    `${CSV_ROWS}\nK2,Ada,61\nK2,Bo,62\n`,
    '"Bo" in row 2 .* but "Ada" in',
  ],
  ['a field in the wrong case', 'a.csv', 'key,items[].hscode\nK,1\n', 'items\\[\\]\\.hscode is not a field'],
  ['no object', 'a.jsonl', '5\n', 'line 1 is not a JSON object'],
  ['more after the end', 'a.json', '[{}]\n{}', 'a\\.json, line 2: .*after the end'],
  ['a comma too many', 'a.json', '[{},\n]', 'a\\.json, line 2: .*expected a record here'],
  ['nothing', 'a.json', '  \n', 'a\\.json, line 2: .*empty'],
  ['too long a line', 'a.jsonl', `{}\n{"key":"${'a'.repeat(1024 * 1024)}"}\n`, 'a\\.jsonl, line 2: .*1 MiB'],
])('%s is refused, with the line and the field', async (_, name, text, words) => {
  const { ran } = await reading(text, { name });
  expect(ran).toMatchObject({ exitCode: 2, stdout: '', requests: [] });
  expect([errorOf(ran).message, ...issuesOf(ran)].join('\n')).toMatch(new RegExp(words));
});

describe.each([
  ['jsonl', (texts: readonly string[]) => `${texts.join('\n')}\n`],
  ['json', (texts: readonly string[]) => `[${texts.join(',\n')}]`],
])('A file of %s', (format, file) => {
  test('gives the key as text or a number, and may have packages as SPECs and names with _', async () => {
    const read = await reading(
      file([
        '{"key":" K1 ","_note":{},"package":"1kg@1x1x1","receiver":{"firstName":"],}[{\\""}}',
        '{"key":12345678901234567891,"package":["1kg@1x1x1","2kg@2x2x2"]}',
      ]),
      { name: `orders.${format}` },
    );
    expect(placesOf(read)).toEqual(['1 K1', '2 12345678901234567891']);
    expect(read.at('_note', NAME, WEIGHT, 'packages[1].weight')).toEqual([
      [undefined, '],}[{"', 1, undefined],
      [undefined, 'Anna', 1, 2],
    ]);
  });
});

test('Lines of JSON are counted as in an editor, and blank lines are skipped', async () => {
  const lines = await reading('\ufeff{"key":"a"}\r\n\r\n  \n{"key":"b","category":"gift"}', {
    name: 'orders.ndjson',
  });
  expect(placesOf(lines)).toEqual(['1 a', '4 b']);
  const list = await reading('\n[\n  {"key":"a"},\n\n  {\n"key":"b","category":"gift"}\n]\n', {
    name: 'orders.json',
  });
  expect(placesOf(list)).toEqual(['3 a', '5 b']);
  expect((await reading(' [ ] ', { name: 'orders.json' })).ran).toMatchObject({ exitCode: 0, requests: [] });
  expect((await reading(`key\t${NAME}\nK\ta\n`, { name: 'orders.TSV' })).at(NAME)).toEqual([['a']]);
});

describe('A map', () => {
  test('renames headers and names of JSON, also with _ in front: to a path, the key, a package, or to be ignored', async () => {
    const columns = { _order: 'key', Ort: CITY, Paket: 'package', Bemerkung: '_' };
    const csv = await reading('_order;Ort;Paket;Bemerkung;_note\nK1;Bonn;1kg@1x1x1;x;y\n', {
      map: { columns },
    });
    const record = { _order: 'K1', Ort: 'Bonn', Paket: '1kg@1x1x1', Bemerkung: 1 };
    const json = await reading(JSON.stringify(record), { name: 'orders.jsonl', map: { columns } });
    for (const read of [csv, json]) {
      expect(read.at(CITY, WEIGHT, 'Bemerkung')).toEqual([['Bonn', 1, undefined]]);
      expect(linesIn(read.rig)).toMatchObject([{ key: 'K1' }]);
    }
  });

  test.each([
    ['csv', '_order,type\nK1,pack\nK2,pack\n'],
    ['jsonl', '{"_order":"K1","type":"pack"}\n{"_order":"K2","type":"pack"}\n'],
  ])('tells two orders apart by such a column of %s, when they come back mended', async (ending, text) => {
    const map = { columns: { _order: 'key' } };
    const { rig } = await reading(text, { name: `orders.${ending}`, map, flags: `--failed fix.${ending}` });
    const names = readFileSync(join(rig.folder, `fix.${ending}`), 'utf8').match(/rec_\w+/g);
    expect(new Set(names).size).toBe(2);
  });

  test('has constants that a record overrides, for each element of a list', async () => {
    const constants = { type: 'package', 'items[].countryOfOrigin': 'TR', chargeableWeight: '2' };
    const text = `key,type,${ITEMS}\nK1,,x,61,,1,1\nK1,,x,62,DE,1,1\nK2,document,,,,,\n`;
    const { at } = await reading(text, { map: { constants } });
    expect(at('type', 'chargeableWeight', 'items[0].countryOfOrigin', 'items[1].countryOfOrigin')).toEqual([
      ['package', 2, 'TR', 'DE'],
      ['document', 2, 'TR', undefined],
    ]);
  });

  test('has constants that never replace an invalid value', async () => {
    const constants = { 'customs.currency': 'EUR', 'receiver.firstName': 'Ada', 'items[].hsCode': '61' };
    const wrong = { key: 'K', customs: null, receiver: 'Ada', items: ['shirt', null] };
    const { ran } = await reading(JSON.stringify(wrong), { name: 'orders.jsonl', map: { constants } });
    const paths = issuesOf(ran).map(issue => issue.split(' ')[2]);
    expect(paths).toEqual(['items[0]', 'items[1]', 'customs', 'receiver']);
  });

  test('sets the decimal comma, also of numbers with thousands', async () => {
    const text = `key|${WEIGHT}|${NAME}\nK1|12,5|1,5\nK2|1.234,5|1.234,5\nK3|7|7\nK5|1.234.567|x\n`;
    const { at } = await reading(text, { map: { decimal: ',' } });
    expect(at(WEIGHT).flat()).toEqual([12.5, 1234.5, 7, 1_234_567]);
    expect(at(NAME).flat()).toEqual(['1,5', '1.234,5', '7', 'x']);
    const doubtful = await reading(`key;${WEIGHT}\nK4;1.234\n`, { map: { decimal: ',' } });
    expect(issuesOf(doubtful.ran)).toEqual([
      `line 2: ${WEIGHT} must be a number, not "1.234 (use a decimal comma)"`,
    ]);
  });

  const city = { Ort: CITY, Stadt: CITY };
  const MISFIT = { columns: { Ort: CITY, Stadt: '_' }, transform: { Ort: 'phone' } };
  const DOUBLE = { columns: { Ort: 'receiver', Stadt: NAME }, transform: { Ort: 'name' } };
  test.each<[string, object, (string | RegExp)[]]>([
    [
      'all its faults at once',
      { column: {}, columns: { a: [] }, constants: 1, decimal: ';', delimiter: ',' },
      [/^column /, /^columns.a /, /^constants /, /^decimal /, /^delimiter /],
    ],
    ['a constant without a field', { constants: { 'receiver.cty': 'x' } }, [/receiver\.cty /]],
    ['one field twice', { columns: city }, [/^Stadt .*Ort/]],
    ['an unknown path', { columns: { Ort: 'receiver.adress.city', Stadt: '_' } }, [/^Ort /]],
    ['a transform that does not fit', MISFIT, [/^line 2: Ort .*transforms it: phone/]],
    ['a field beside its whole', DOUBLE, [/^Stadt .*means the same field as Ort/]],
  ])('is refused with %s', async (_, map, wanted) => {
    const { ran } = await reading('key,Ort,Stadt\nK,Berlin,Bonn\n', { map });
    expect(ran).toMatchObject({ exitCode: 2, requests: [] });
    expect(issuesOf(ran).sort()).toEqual(wanted.map(words => expect.stringMatching(words)));
  });
});

const BYTES: readonly (readonly [name: string, bytes: Buffer, letters: string])[] = [
  ['windows-1254', Buffer.from('Ömer Þengül', 'latin1'), 'Ömer Şengül'],
  ['macintosh', Buffer.from('\x85mer Seng\x9fl', 'latin1'), 'Ömer Sengül'],
  ['utf-16be', Buffer.from('Ömer Şengül', 'utf16le').swap16(), 'Ömer Şengül'],
];

test.each(BYTES)(
  'What is written in %s is read in it; --failed is written in UTF-8, and read with the same options',
  async (name, bytes, letters) => {
    const wide = (text: string) =>
      name.startsWith('utf-16') ? Buffer.from(text, 'utf16le').swap16() : Buffer.from(text);
    const file = Buffer.concat([wide(`key,${NAME}\nK,`), bytes, wide('\n')]);
    const flags = `--encoding ${name} --failed mend.csv`;
    expect((await reading(file, { flags })).at(NAME)).toEqual([[letters]]);
    const { rig } = await reading(file, { flags: `${flags} --set carrier.id=` });
    const mend = readFileSync(join(rig.folder, 'mend.csv'), 'utf8');
    expect(mend.replace('\ufeff', '')).toMatch(new RegExp(`^_error,_record,key,${NAME}\n.*,K,${letters}\n$`));
    expect((await reading(mend, { flags: `--encoding ${name}` })).at(NAME)).toEqual([[letters]]);
  },
);

const FIRST = NAME;
const LAST = 'receiver.lastName';
const COUNTRY = 'receiver.address.country.code';

/** Reads these cells, each of an order of its own, in a column that is transformed into that field. */
function cells(transform: string, path: string, texts: readonly string[], more: object = {}) {
  const rows = texts.map((cell, index) => [`K${index}`, `Line ${index}`, cell]);
  const text = [['key', 'receiver.address.line1', 'Shop'], ...rows].map(row =>
    csvRow(row, { delimiter: ',' }),
  );
  const map = { columns: { Shop: path }, transform: { Shop: transform }, ...more };
  return reading(text.join(''), { map });
}

test('A full name is split into first and last names', async () => {
  const names = [
    ['  Anna   Beispiel ', 'Anna', 'Beispiel'],
    ['Ana María de la Cruz', 'Ana María', 'de la Cruz'],
    ['von Weber, Carl Maria', 'Carl Maria', 'von Weber'],
    ['Martin Luther King Jr.', 'Martin Luther', 'King Jr.'],
    ['Van Morrison', 'Van', 'Morrison'],
    ['de Vries', 'de', 'Vries'],
    ["Gerard 't Hooft", 'Gerard', "'t Hooft"],
  ] as const;
  const texts = names.map(([name]) => name);
  const { at } = await cells('name', 'receiver', texts);
  expect(at(FIRST, LAST).map((said, index) => [texts[index], ...said])).toEqual(names);
  // The other fields of the party stay.
  expect(at('receiver.address.line1')[3]).toEqual(['Line 3']);
});

test('A phone number is split behind an apostrophe, and behind a code that is a constant', async () => {
  const { at } = await cells('phone', 'receiver.phone', ["'+39 06 5550100"]);
  expect(at('receiver.phone')).toEqual([[{ code: '+39', number: '065550100' }]]);
  const constants = { 'receiver.phone.code': '+49' };
  const national = await cells('phone', 'receiver.phone', ['0351 5550100'], { constants });
  expect(national.at('receiver.phone')).toEqual([[{ code: '+49', number: '3515550100' }]]);
});

test('A national phone number is read by the country of its address, in JSON, too', async () => {
  const map = {
    columns: { Tel: 'receiver.phone', Land: COUNTRY },
    transform: { Tel: 'phone', Land: 'country' },
  };
  const record = { key: 'K', Tel: '06 5550100', Land: 'Italien' };
  const { at } = await reading(jsonLines([record]), { name: 'orders.jsonl', map });
  expect(at('receiver.phone')).toEqual([[{ code: '+39', number: '065550100' }]]);
});

test('An empty cell of a country is none, and an apostrophe in front of digits is taken off', async () => {
  // All that a country may be called is in test/contract/countries.test.ts.
  expect((await cells('country', COUNTRY, ['UK', ''])).at(COUNTRY).flat()).toEqual(['GB', 'DE']);
  const zip = await cells('apostrophe', 'receiver.address.zipCode', ["'01067"]);
  expect(zip.at('receiver.address.zipCode')).toEqual([['01067']]);
});

describe('A measure is converted in decimals, exactly:', () => {
  test.each([
    ['g', WEIGHT, { '1500': 1.5, '350 g': 0.35, '1': 0.001, '1100.1': 1.1001 }],
    ['lb', WEIGHT, { '1': 0.45359237, '2.2 lbs': 0.997903214 }],
    ['oz', WEIGHT, { '8': 0.226796185 }],
    ['kg', WEIGHT, { '1.5kg': 1.5 }],
    ['mm', 'packages[0].dimensions.length', { '305': 30.5, '1.1': 0.11 }],
    ['in', 'packages[0].dimensions.length', { '12': 30.48, '0.1': 0.254 }],
    ['cm', 'packages[0].dimensions.length', { '30': 30 }],
    ['m', 'packages[0].dimensions.length', { '1.2': 120 }],
  ])('%s', async (unit, path, measures) => {
    const { at } = await cells(unit, path, Object.keys(measures));
    expect(at(path).flat()).toEqual(Object.values(measures));
  });

  test('a decimal comma is read before the unit, and a number of JSON has a dot all the same', async () => {
    const comma = { decimal: ',' };
    expect((await cells('g', WEIGHT, ['1.500,5 g'], comma)).at(WEIGHT)).toEqual([[1.5005]]);
    expect((await cells('g', WEIGHT, ['1.500'], comma)).ran.exitCode).toBe(2);
    const map = { columns: { W: WEIGHT }, transform: { W: 'g' }, ...comma };
    const json = await reading('{"key":"K","W":1500.5,"type":"document"}\n{"key":"L","W":"1500,5"}\n', {
      name: 'orders.jsonl',
      map,
    });
    expect(json.at(WEIGHT)).toEqual([[1.5005], [1.5005]]);
  });
});

test.each<[string, string, Record<string, string>]>([
  [
    'name',
    'receiver',
    { Cher: 'must be a first and a last name, not "Cher"', 'Weber, Jonas, Berlin': 'has several commas' },
  ],
  [
    'country',
    COUNTRY,
    { Kongo: 'may be CD or CG; write the code, not "Kongo"', Almanyaa: 'must be a country, by its code' },
  ],
  [
    'phone',
    'receiver.phone',
    {
      '+999 123': 'does not begin with the prefix of a country',
      'call me': 'must be a phone number, not "call me"',
      '0351 5550100': 'must begin with the prefix of its country, such as +49',
    },
  ],
  [
    'g',
    WEIGHT,
    {
      heavy: 'must be a number of g, not "heavy"',
      '2 kg': 'not "2 kg"',
      '1,5': 'not "1,5"',
      '-1': 'not "-1"',
    },
  ],
])('%s of a cell that it cannot transform is a problem of that record', async (transform, path, wrong) => {
  const { ran } = await cells(transform, path, Object.keys(wrong));
  expect(ran).toMatchObject({ exitCode: 2, requests: [] });
  const words = Object.values(wrong).map(one => expect.stringContaining(one));
  expect(issuesOf(ran)).toEqual(expect.arrayContaining(words));
  expect(issuesOf(ran)).toHaveLength(words.length);
});

test('Cells of items and fields of JSON records are transformed, too', async () => {
  const map = {
    columns: { Origin: 'items[].countryOfOrigin', Full: 'receiver' },
    transform: { Origin: 'country', Full: 'name' },
  };
  const items = 'items[].description,items[].hsCode,items[].quantity,items[].unitPrice';
  const csv = await reading(`key,Origin,${items}\nK,Türkiye,x,61,1,1\nK,Almanya,x,62,1,1\n`, { map });
  expect(csv.at('items[0].countryOfOrigin', 'items[1].countryOfOrigin')).toEqual([['TR', 'DE']]);
  const json = await reading('{"key":"K","Full":"Anna Weber"}\n', { name: 'orders.jsonl', map });
  expect(json.at(FIRST, LAST)).toEqual([['Anna', 'Weber']]);
});

// The file of --failed: the records that failed as they were written, with an error, and with a name that they keep.

const ERROR = 'carrier.id must not be empty';

/** What is written of these records, none of which has a carrier. */
async function mendFile(text: string, format = 'csv'): Promise<string> {
  const flags = `--set carrier.id= --failed mend.${format}`;
  const { rig, ran } = await reading(text, { name: `orders.${format}`, flags });
  expect(ran).toMatchObject({ exitCode: 2, requests: [] });
  return readFileSync(join(rig.folder, `mend.${format}`), 'utf8');
}

const nameIn = (text: string) => /rec_[0-9a-f]{32}/.exec(text)?.[0];
/** The same with E in the place of the error, and rec in that of each name. */
const shape = (text: string) => text.replaceAll(ERROR, 'E').replace(/rec_[0-9a-f]{32}/g, 'rec');

describe('The records of a CSV keep', () => {
  test.each([
    [
      'their delimiter and all their rows',
      'key;items[].hsCode\nK;"a;b"\nK;\n',
      '_error;_record;key;items[].hsCode\nE;rec;K;"a;b"\n;rec;K;\n',
    ],
    ['the byte order mark', '\ufeffkey,_n\nK1,a\n', '\ufeff_error,_record,key,_n\nE,rec,K1,a\n'],
    ['the line ends', 'key,_n\r\nK1,a\r\n', '_error,_record,key,_n\r\nE,rec,K1,a\r\n'],
    [
      'the quotes of all cells',
      '\ufeff"key"\r\n"K1, ""b"""\r\n',
      '\ufeff"_error","_record","key"\r\n"E","rec","K1, ""b"""\r\n',
    ],
    ['no quotes if only some cells have them', '"key",_n\nK1,a\n', '_error,_record,key,_n\nE,rec,K1,a\n'],
    ['one error', 'key,_error,_n\nK1,old,a\n', '_error,_record,key,_n\nE,rec,K1,a\n'],
    [
      'too few cells',
      'key,_n\nK1\n',
      '_error,_record,key,_n\n"has 1 cells, but the header has 2; E",rec,K1\n',
    ],
  ])('%s', async (_, text, failed) => {
    const written = await mendFile(text);
    expect(shape(written)).toBe(failed);
    // They keep their name, however often they fail.
    expect(nameIn(await mendFile(written.replace('K1', 'K9')))).toBe(nameIn(written));
  });
});

describe.each([
  ['jsonl', (texts: readonly string[]) => texts.map(text => `${text}\n`).join('')],
  ['json', (texts: readonly string[]) => `[\n${texts.join(',\n')}\n]\n`],
])('The records of %s', (format, file) => {
  test('keep what they say, also the digits of long numbers, with one error in front', async () => {
    const text = file([
      '{"key":"a","_weight":1.50,"_long":12345678901234567890}',
      '{}',
      '{ "key": "b" }',
      '{"_error":"o\\"ld","key":"c"}',
      '{"key":"d","_error":"old"}',
    ]);
    const written = await mendFile(text, format);
    expect(shape(written)).toBe(
      file([
        '{"_error":"E","_record":"rec","key":"a","_weight":1.5,"_long":"12345678901234567890"}',
        '{"_error":"key is required: your own name for the order, such as its number; E","_record":"rec"}',
        '{"_error":"E","_record":"rec","key":"b"}',
        '{"_error":"E","_record":"rec","key":"c"}',
        '{"_error":"E","_record":"rec","key":"d"}',
      ]),
    );
  });

  test('keep their name, wherever it is; another digit of a long number makes another record', async () => {
    const once = await mendFile(file(['{"key":12345678901234567890}']), format);
    expect(nameIn(await mendFile(file(['{"key":12345678901234567891}']), format))).not.toBe(nameIn(once));
    const moved = `{"key":"a","_record":"${nameIn(once)}"}`;
    expect(nameIn(await mendFile(file([moved]), format))).toBe(nameIn(once));
  });

  test('are written unchanged if they are no JSON', async () => {
    expect(await mendFile(file(['{"key":}', '5']), format)).toBe(file(['{"key":}', '5']));
  });
});

const TITLES = ['key', 'receiver.firstName', 'receiver.lastName'];
const cell = fc.string({
  unit: fc.constantFrom('a', '"', '\r', '\n', ',', ';', '\t', '|', "'", 'ğ', '😀', ' '),
});
const csv = fc
  .tuple(fc.constantFrom(',', ';', '\t', '|'), fc.array(fc.tuple(cell, cell), { maxLength: 6 }))
  .map(([delimiter, cells]) => {
    // Where tabs are between cells, none is in one.
    const written = (text: string) => (delimiter === '\t' ? text.replaceAll('\t', '') : text);
    const rows = cells.map((pair, index) => [`K${index}`, ...pair.map(written)]);
    const file = [TITLES, ...rows].map(row => csvRow(row, { delimiter })).join('');
    return { file, texts: rows.map(row => JSON.stringify([row])) };
  });

const objects = fc.array(
  fc.dictionary(
    fc.string({ unit: 'grapheme' }).filter(name => name !== '_error' && name !== '_record'),
    fc.jsonValue({ maxDepth: 3 }),
  ),
);
const json = (file: (texts: readonly string[]) => string) =>
  objects.map(all => {
    const texts = all.map(one => JSON.stringify(one));
    return { file: file(texts), texts };
  });

describe.each<[string, fc.Arbitrary<{ file: string; texts: string[] }>, Given]>([
  ['CSV', csv, {}],
  ['lines of JSON', json(texts => texts.map(text => `${text}\n`).join('')), { format: 'jsonl' }],
  ['a list of JSON', json(texts => `[${texts.join(',')}]`), { format: 'json' }],
])('%s', (_, any, settings) => {
  test('is read the same wherever the chunks end, also in the middle of a character', async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(any, sizes, async ({ file, texts }, chunks) => {
        const { raw } = await readAll(file, { ...settings, sizes: chunks });
        expect(raw.map(({ text }) => text)).toEqual(texts);
        expect(raw).toEqual((await readAll(file, settings)).raw);
      }),
      runs(60),
    );
  });

  test('has in each record the name that a file of --failed gives it, also when it is read from there', async () => {
    const namesIn = async (content: string) => {
      const { raw, input } = await readAll(content, settings);
      const mend = input.failed;
      const text = raw.map((one, index) => mend.record(one, 'E', index === 0)).join('');
      return {
        names: raw.map(one => input.parse(one).nameInFailed?.()),
        mend: mend.head() + text + mend.foot(),
      };
    };
    await fc.assert(
      fc.asyncProperty(any, async ({ file }) => {
        const { names, mend } = await namesIn(file);
        const written = [...mend.matchAll(/rec_[0-9a-f]{32}/g)].map(([name]) => name);
        expect(names).toEqual(written);
        expect((await namesIn(mend)).names).toEqual(names);
      }),
      runs(60),
    );
  });
});
