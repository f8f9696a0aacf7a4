// What a terminal and a pipe get: colours, lines that break, progress, tables, and times.
import { stripVTControlCharacters } from 'node:util';
import Table from 'cli-table3';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Failure } from '../../src/errors.ts';
import { lookOf } from '../../src/output/look.ts';
import { createDiagnostics, createPrinter, type DiagnosticSettings } from '../../src/output/print.ts';
import { table } from '../../src/output/table.ts';
import { runs } from '../torture/size.ts';
import { recorded, type Setting } from './streams.ts';

test.each<[string, Record<string, string>, number | undefined, boolean | undefined, boolean]>([
  ['a dumb terminal has no colours', { TERM: 'dumb' }, 80, undefined, false],
  ['a screen reader has no colours', { WAYBILL_ACCESSIBLE: '1' }, 80, undefined, false],
  ['NO_COLOR removes the colours', { NO_COLOR: '1', FORCE_COLOR: '1' }, 80, undefined, false],
  ['an empty NO_COLOR counts as unset', { NO_COLOR: '' }, 80, undefined, true],
  ['FORCE_COLOR=0 counts as unset', { FORCE_COLOR: '0' }, undefined, undefined, false],
  ["commander's default of --no-color decides nothing", {}, undefined, true, false],
])('%s', async (_, env, terminal, color, expected) => {
  const { host } = recorded({ env, ...(terminal !== undefined && { terminal }) });
  expect((await lookOf(host, 'stdout', color)).red('x')).toBe(expected ? '\x1b[31mx\x1b[39m' : 'x');
});

function diagnostics(setting: Setting = {}, settings: Partial<DiagnosticSettings> = {}) {
  const streams = recorded(setting);
  const all = { json: false, quiet: false, strict: false, ...settings };
  return { ...streams, tell: createDiagnostics(streams.host, all) };
}

test('lines for a terminal break at spaces, and never inside a command', async () => {
  const { tell, stderr } = diagnostics({ terminal: 30 });
  await tell.note('nothing was sent: run `waybill history list` to see what is there');
  await tell.warn('重い荷物は二人で運びます 重い荷物は二人で運びます');
  await tell.trace({ text: '> POST /shipments HTTP/1.1 as it was sent\n> {"a":  1}', json: {} });
  const issues = [{ path: 'receiver.address.city', message: 'is required here' }];
  await tell.failure(
    new Failure('usage', 'https://example.com/a/very/long/address is not known here', { issues }),
  );
  expect(stripVTControlCharacters(stderr())).toBe(
    [
      'nothing was sent: run\n`waybill history list` to see\nwhat is there',
      'warning:\n重い荷物は二人で運びます\n重い荷物は二人で運びます',
      '> POST /shipments HTTP/1.1 as it was sent\n> {"a":  1}',
      'error:\nhttps://example.com/a/very/long/address\nis not known here',
      '  receiver.address.city  is\n  required here\n',
    ].join('\n'),
  );
});

test('progress is one line, cut to the width of the terminal, and removed before any other output', async () => {
  const { tell, stderr } = diagnostics({ terminal: 6 });
  for (const text of ['1 of 3 done', '2']) await tell.progress(text);
  await Promise.all([tell.note('x'), tell.note('y')]);
  for (const text of ['3', '', '']) await tell.progress(text);
  const erase = '\r\x1b[2K';
  expect(stderr()).toBe(`1 of ${erase}2${erase}x\ny\n3${erase}`);
});

test.each(['', 'the result'])('before %j is on stdout, all is written that nobody waited for', async text => {
  const { host, stderr } = recorded();
  const { write } = host.stderr;
  host.stderr.write = words => new Promise(setImmediate).then(() => write(words));
  const printer = createPrinter(host, { format: 'table', formatGiven: false, quiet: false, strict: false });
  for (const word of ['first', 'second']) void printer.warn(word);
  await printer.plain(text);
  expect(stderr()).toBe('warning: first\nwarning: second\n');
});

test.each<[string, Setting, boolean]>([
  ['a pipe', {}, false],
  ['a dumb terminal', { terminal: 80, env: { TERM: 'dumb' } }, false],
  ['JSON', { terminal: 80 }, true],
])('there is no progress line on %s', async (_, setting, json) => {
  const { tell, stderr } = diagnostics(setting, { json });
  await tell.progress('1 of 3');
  await tell.note('done');
  expect(stderr()).toBe(json ? '{"note":"done"}\n' : 'done\n');
});

const piped = await lookOf(recorded().host, 'stdout');
const wide = (columns: number) => ({ ...piped, columns });

/** The width as the library measures it. */
function widthOf(line: string): number {
  const colWidths: number[] = [];
  const measure = new Table({ colWidths, style: { 'padding-left': 0, 'padding-right': 0 } });
  measure.push([line]);
  measure.toString();
  return colWidths[0] ?? 0;
}

test('a table has a header in capitals; on a terminal the widest text is cut, but never a number', async () => {
  const head = ['id', 'address', 'price'];
  const rows = [
    ['12', 'A very long street in a very long town', '120.00 EUR'],
    ['7', undefined, '9.50 EUR'],
  ];
  const parts = { head, rows, align: ['left' as const, 'left' as const, 'right' as const] };
  expect(await table(wide(30), parts)).toBe(
    'ID  ADDRESS              PRICE\n12  A very long s…  120.00 EUR\n7   -                 9.50 EUR',
  );
  expect(await table(piped, parts)).toContain('A very long street in a very long town');
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
    runs(120),
  );
});
