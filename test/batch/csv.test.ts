// The steps from the text of a CSV to its rows, each by itself.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CsvStyle, csvHead, csvRow, shownCell, tableRows } from '../../src/batch/csv.ts';
import { readAll } from '../rig/batch.ts';
import { runs } from '../torture/size.ts';

test.each([
  ['="0012345"', '0012345'],
  [' = "0012345" ', '0012345'],
  ['=\u201d0012345\u201d', '0012345'],
  ['=\u201c0012345\u201d', '0012345'],
  ['=""', ''],
  ["'0012345", '0012345'],
  ["'+49 351 5550100", '+49 351 5550100'],
  ["'=SUM(A1)", '=SUM(A1)'],
  ["'A-1001", 'A-1001'],
  ["'s-Hertogenbosch", "'s-Hertogenbosch"],
  ['="0012345"&A1', '="0012345"&A1'],
  ['=A1', '=A1'],
  ['0012345', '0012345'],
])('A cell %s shows %s', (cell, text) => {
  expect(shownCell(cell)).toBe(text);
});

/** The header of a text, how it is written, and its rows with their lines. */
async function tableIn(text: string, sizes: readonly number[] = [text.length]) {
  async function* chunks() {
    for (let at = 0, turn = 0; at < text.length; turn += 1) {
      const size = sizes[turn % sizes.length] ?? text.length;
      yield text.slice(at, at + size);
      at += size;
    }
  }
  const table = { header: [] as readonly string[], style: {} as CsvStyle };
  const rows: { line: number; cells: readonly string[] }[] = [];
  const read = tableRows(chunks(), { name: 'a.csv' }, (header, style) => {
    Object.assign(table, { header, style });
  });
  for await (const row of read) rows.push(row);
  return { ...table, rows };
}

test.each([
  ['sep=;\r\n', ';', '\r\n'],
  ['sep=,\n', ',', '\n'],
  ['sep=\t\r\n', '\t', '\r\n'],
  ['sep=\\t\r\n', '\t', '\r\n'],
  ['SEP=|\r', '|', '\r'],
  ['"sep=;"\n', ';', '\n'],
  ['sep=;;;;\n', ';', '\n'],
  ['sep=:\n', ':', '\n'],
])('A first line %j is obeyed, wherever chunks end, and is no header', async (first, delimiter, lineEnd) => {
  const row = (...cells: string[]) => `${cells.join(delimiter)}${lineEnd}`;
  const text = `${first}${row('key', '_a')}${row('K1', 'x')}${row('K2', '="0012"')}`;
  for (const sizes of [[text.length], [1], [5, 2]]) {
    const { header, style, rows } = await tableIn(text, sizes);
    expect([header, style.delimiter]).toEqual([['key', '_a'], delimiter]);
    expect(rows.map(({ line, cells }) => [line, ...cells.map(shownCell)])).toEqual([
      [3, 'K1', 'x'],
      [4, 'K2', '0012'],
    ]);
  }
});

test('A fault behind the line that names the delimiter has the line of an editor', async () => {
  await expect(tableIn('sep=;\nkey;a\nK1;x\nK2;"x\n')).rejects.toThrow('a.csv, line 4: it is not CSV');
});

test('A header that does not show its delimiter is written below a line that names it', () => {
  expect(csvHead(['a', 'b'], { delimiter: ':', lineEnd: '\n' })).toBe('sep=:\na:b\n');
  expect(csvHead(['a', 'b'], { delimiter: ';', lineEnd: '\n' })).toBe('a;b\n');
});

test('A formula that shows a text is a cell, whatever cells are beside it and wherever chunks end', async () => {
  const word = fc.string({ unit: fc.constantFrom('a', '0', ' ', ',', ';', '\n', '"', '='), maxLength: 6 });
  const plain = word.map(text => csvRow([text], { delimiter: ',', lineEnd: '', isQuoted: true }));
  const formula = fc.stringMatching(/^[a0 ,;=]{0,4}$/).map(text => `="${text}"`);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(plain, formula, plain), { minLength: 1, maxLength: 5 }),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 }),
      async (cells, sizes) => {
        const quoted = cells.map(([before, text, after]) => [
          before,
          `"${text.replaceAll('"', '""')}"`,
          after,
        ]);
        const text = (rows: readonly (readonly string[])[]) =>
          ['key,_a,_b', ...rows.map(row => row.join(','))].join('\n');
        expect((await tableIn(text(cells), sizes)).rows).toEqual((await tableIn(text(quoted))).rows);
      },
    ),
    runs(100),
  );
});

test('The key of an order is what its cell shows, and --failed has the cell as it was', async () => {
  const rows = ['="0012345",x', '"=""0012346""",x', "'0012347,x", '=\u201d0012348\u201d,x', '0012349,x'];
  const { raw, input } = await readAll(`key,receiver.address.city\n${rows.join('\n')}\n`);
  const orders = raw.map(record => input.parse(record));
  expect(orders.map(({ key }) => key)).toEqual(['0012345', '0012346', '0012347', '0012348', '0012349']);
  expect(raw.slice(0, 3).map(record => input.failed.record(record, '', true).split(',')[2])).toEqual([
    '"=""0012345"""',
    '"=""0012346"""',
    "'0012347",
  ]);
});

test('Rows are one order though their keys are written in two ways', async () => {
  const { raw } = await readAll('key,items[].description\n="001",x\n\'001,y\n001,z\n');
  expect(raw.map(({ lines }) => lines)).toEqual([[2, 3, 4]]);
});
