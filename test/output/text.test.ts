import fc from 'fast-check';
import { expect, test } from 'vitest';
import { escapeFormula, safe, safeJson, safeLines, toCsv } from '../../src/output/text.ts';

// Lone surrogates and unsafe characters, which a random string seldom has.
const UNSAFE = [...'\x1b[m\x9b\x7f\u202e\u200b\u2066\ufeff\u2028', '\ud800', '\udc00'];
const anyUnit = fc.integer({ min: 0, max: 0xffff }).map(code => String.fromCharCode(code));
const nasty = fc.string({ unit: fc.oneof(fc.constantFrom(...UNSAFE), anyUnit) });
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
const BIDI = /[\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/;

test('safe text has no control, bidi or invisible character, and no half of a surrogate pair', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), nasty), given => {
      const shown = safe(given);
      expect(shown).not.toMatch(CONTROL);
      expect(shown).not.toMatch(BIDI);
      expect(shown).not.toMatch(/\p{Cs}/u);
      expect(safe(shown)).toBe(shown);
    }),
  );
});

test.each([
  [safe, 'Łódź 東京 Ελλάδα 📦 שלום', 'Łódź 東京 Ελλάδα 📦 שלום'],
  [safe, 'one\r\ntwo\tthree\u2028four', 'one two three four'],
  [safe, '\x1b[31mred\x1b]0;title\x07', '[31mred]0;title'],
  [safeLines, 'a\nb\r\nc\x1bd', 'a\nb\ncd'],
  [safeJson, undefined, 'null'],
])('%o of %j keeps letters, spaces and line feeds, and no control character', (shown, given, text) => {
  expect(shown(given as string)).toBe(text);
});

test('safe JSON parses to the same value and shows no control or bidi character', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.jsonValue({ stringUnit: 'binary' }), nasty, fc.dictionary(nasty, nasty)),
      value => {
        const json = safeJson(value);
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(json).not.toMatch(CONTROL);
        expect(json).not.toMatch(/[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\p{Cs}]/u);
      },
    ),
  );
});

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

test('CSV of plain values has one column, of nothing no output, and no blank line', () => {
  const texts = [['x', 'y'], [], [{}], [{ a: null }]].map(items => toCsv(items));
  expect(texts).toEqual(['value\r\nx\r\ny\r\n', '', '', 'a\r\n""\r\n']);
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
