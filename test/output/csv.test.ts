import fc from 'fast-check';
import { expect, test } from 'vitest';
import { escapeFormula, toCsv } from '../../src/output/csv.ts';
import { safeLines } from '../../src/output/text.ts';

/** A strict reader of RFC 4180. */
function read(csv: string): string[][] {
  const records: string[][] = [[]];
  for (const [, quoted, bare, end] of csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    records.at(-1)?.push(quoted?.replaceAll('""', '"') ?? bare ?? '');
    if (end !== ',') records.push([]);
  }
  return records.slice(0, -1);
}

test('the header has the field paths of all rows, in the order of their first occurrence', () => {
  const items = [
    { id: 'a', carrier: { name: 'Eco' }, packages: [{ weight: 1.5 }] },
    { id: 'b', price: 0, packages: [{ weight: 2 }, { weight: 3 }], extra: {}, none: [] },
  ];
  expect(toCsv(items)).toBe(
    'id,carrier.name,packages[0].weight,price,packages[1].weight\r\na,Eco,1.5,,\r\nb,,2,0,3\r\n',
  );
});

test('a list of plain values has one column, and an empty list has no output', () => {
  expect(toCsv(['x', 'y'])).toBe('value\r\nx\r\ny\r\n');
  expect(toCsv([])).toBe('');
  expect(toCsv([{}])).toBe('');
  // It would be a blank line.
  expect(toCsv([{ a: null }])).toBe('a\r\n""\r\n');
});

test('formulas are escaped, numbers are not', () => {
  for (const formula of ['=1+1', '+cmd', '-cmd', '@SUM(A1)', '\t=1', '\r=1', ' =1', '＝1', '＠x', '－x'])
    expect(escapeFormula(formula)).toBe(`'${formula}`);
  for (const number of ['-12.5', '+49', '-1e3', '.5', 'a=b', '2-3', ''])
    expect(escapeFormula(number)).toBe(number);
});

test('no cell, not even in the header, begins a formula, and every cell can be parsed back', () => {
  const cell = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc
      .tuple(fc.constantFrom('=', '+', '-', '@', '\t', '"', ',', '\n', '\u0000'), fc.string())
      .map(([a, b]) => a + b),
  );
  fc.assert(
    fc.property(fc.array(fc.record({ a: cell, 'b c': cell }), { minLength: 1 }), items => {
      const [head, ...rows] = read(toCsv(items));
      expect(head).toEqual(['a', 'b c']);
      expect(rows).toEqual(
        items.map(item => [item.a, item['b c']].map(text => escapeFormula(safeLines(text)))),
      );
      for (const text of rows.flat())
        if (/^\s*[=+\-@]/.test(text)) expect(Number.isFinite(Number(text))).toBe(true);
    }),
  );
  // A formula after an invisible character, too.
  expect(toCsv([{ a: '\u0000=1+1' }, { a: '\u200b@x' }])).toBe("a\r\n'=1+1\r\n'@x\r\n");
});
