import Table from 'cli-table3';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Look, lookOf } from '../../src/output/look.ts';
import { pairs, table } from '../../src/output/table.ts';
import { runs } from '../torture/size.ts';
import { recorded } from './streams.ts';

const piped = await lookOf(recorded().host, 'stdout');
const wide = (columns: number): Look => ({ ...piped, columns });

/** The width as the library measures it. */
function widthOf(line: string): number {
  const colWidths: number[] = [];
  const measure = new Table({ colWidths, style: { 'padding-left': 0, 'padding-right': 0 } });
  measure.push([line]);
  measure.toString();
  return colWidths[0] ?? 0;
}

const head = ['Carrier', 'Service', 'Price'];
const rows = [
  ['ECO', 'economy', '9.50 EUR'],
  ['EXP', undefined, '120.00 EUR'],
];

test('a table has a header in capitals, two spaces between columns and no ruled lines', async () => {
  expect(await table(piped, { head, rows, align: ['left', 'left', 'right'] })).toBe(
    ['CARRIER  SERVICE       PRICE', 'ECO      economy    9.50 EUR', 'EXP      -        120.00 EUR'].join(
      '\n',
    ),
  );
});

test('on a terminal the widest text is cut, but never a number', async () => {
  const parts = {
    head: ['id', 'address', 'price'],
    rows: [['12', 'A very long street in a very long town', '120.00 EUR']],
  };
  expect(await table(wide(30), { ...parts, align: ['left', 'left', 'right'] })).toBe(
    'ID  ADDRESS              PRICE\n12  A very long s…  120.00 EUR',
  );
});

test('each row becomes a block if the columns do not fit', async () => {
  const names = Array.from({ length: 8 }, (_, index) => `field${index}`);
  const shown = await table(wide(40), { head: names, rows: [names, names] });
  expect(shown.split('\n')).toHaveLength(17);
  expect(shown).toMatch(/^field0 {2}field0\nfield1 {2}field1\n/);
});

test('pairs are aligned and never cut', async () => {
  const link = `https://example.test/${'x'.repeat(80)}`;
  expect(
    await pairs(wide(40), [
      ['Id', 12],
      ['Label link', link],
      ['Note', ''],
    ]),
  ).toBe(`Id          12\nLabel link  ${link}\nNote        -`);
});

test('a table may have thousands of rows and a huge cell', async () => {
  const many = Array.from({ length: 5000 }, (_, index) => [index, '東京'.repeat(20), 'x']);
  const rows = [...many, ['1', '京'.repeat(100_000), '2']];
  const lines = (await table(wide(60), { head: ['a', 'b', 'c'], rows })).split('\n');
  expect(lines.length).toBeGreaterThan(5000);
});

test('a table never throws, and is never wider than a terminal of at least 40 columns', async () => {
  const cell = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: 'grapheme', maxLength: 80 }),
    fc.constant(undefined),
    fc.double(),
  );
  const parts = fc.integer({ min: 1, max: 12 }).chain(count =>
    fc.record({
      head: fc.array(fc.string({ unit: 'grapheme', maxLength: 30 }), { minLength: count, maxLength: count }),
      rows: fc.array(fc.array(cell, { maxLength: count }), { maxLength: 6 }),
      align: fc.array(fc.constantFrom('left' as const, 'right' as const), { maxLength: count }),
    }),
  );
  await fc.assert(
    fc.asyncProperty(parts, fc.integer({ min: 1, max: 200 }), async (given, columns) => {
      const shown = await table(wide(columns), given);
      expect(shown).not.toMatch(/\p{Cs}/u);
      if (columns >= 40)
        for (const line of shown.split('\n')) expect(widthOf(line)).toBeLessThanOrEqual(columns);
    }),
    runs(300),
  );
});

test('a value of a pair that is too long for the terminal breaks at spaces', async () => {
  const long = { text: 'the service refused it', paint: (text: string) => `<${text}>` };
  const entries = [
    ['Why', long],
    ['Id', 'x'.repeat(30)],
  ] as const;
  expect(await pairs(wide(20), entries)).toBe(
    ['Why  <the service>', '     <refused it>', `Id   ${'x'.repeat(30)}`].join('\n'),
  );
  expect(await pairs(piped, entries)).toContain('Why  <the service refused it>');
});
