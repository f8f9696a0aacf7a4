import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { csvRow } from '../../src/batch/csv.ts';
import { opened, RUNS, readAll, refusal } from '../rig/batch.ts';

const HEADER = 'key,receiver.firstName,receiver.address.city,packages[0].weight';

describe('the bytes of a CSV', () => {
  test('make one record of each row, by field paths, with the types of the fields', async () => {
    const { records } = await readAll(`${HEADER}\nK1,00123,1E5,1.50\n`);
    expect(records).toEqual([
      {
        line: 2,
        key: 'K1',
        value: {
          receiver: { firstName: '00123', address: { city: '1E5' } },
          packages: [{ weight: 1.5 }],
        },
        issues: [],
      },
    ]);
  });

  test.each([
    ['a byte order mark', `\ufeff${HEADER}\nK1,a,b,1\n`],
    ['CRLF', `${HEADER}\r\nK1,a,b,1\r\n`],
    ['no line end at the end', `${HEADER}\nK1,a,b,1`],
    ['semicolons', `${HEADER.replaceAll(',', ';')}\nK1;a;b;1\n`],
    ['pipes', `${HEADER.replaceAll(',', '|')}\nK1|a|b|1\n`],
    ['tabs', `${HEADER.replaceAll(',', '\t')}\nK1\ta\tb\t1\n`],
    ['blank lines and empty rows', `\n${HEADER}\n\n,,,\n  , ,,\nK1,a,b,1\n\n`],
    ['blanks around headers', `${HEADER.replaceAll(',', ' , ')}\nK1,a,b,1\n`],
  ])('may have %s', async (_, text) => {
    const { records } = await readAll(text);
    expect(records.map(({ key, value, issues }) => ({ key, value, issues }))).toEqual([
      {
        key: 'K1',
        value: { receiver: { firstName: 'a', address: { city: 'b' } }, packages: [{ weight: 1 }] },
        issues: [],
      },
    ]);
  });

  test('may mix LF and CRLF', async () => {
    const { records } = await readAll(`${HEADER}\r\nK1,a,b,1\nK2,a,b,2\r\nK3,a,b,3\n`);
    expect(records.map(({ key, issues }) => [key, issues])).toEqual([
      ['K1', []],
      ['K2', []],
      ['K3', []],
    ]);
  });

  test('may hold line breaks in quotes, in the header too, and lines are counted as an editor does', async () => {
    const { records } = await readAll(
      `"key";"receiver.firstName";"_note,,,\n,with,commas"\r\n\r\nK1;"a\r\nb";x\r\nK2;c;"y\n"\r\nK3;d;z\r\n`,
    );
    expect(records.map(({ line, key, value }) => [line, key, value])).toEqual([
      [4, 'K1', { receiver: { firstName: 'a\r\nb' } }],
      [6, 'K2', { receiver: { firstName: 'c' } }],
      [8, 'K3', { receiver: { firstName: 'd' } }],
    ]);
  });

  test('read the same wherever the chunks end, also in the middle of a character', async () => {
    const cell = fc.string({ unit: fc.constantFrom('a', '"', '\r', '\n', ',', ';', 'ğ', '😀', ' ') });
    const rows = fc.array(fc.array(cell, { minLength: 2, maxLength: 2 }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(
        rows,
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
        async (all, sizes) => {
          const table = all.map((cells, index) => [`K${index}`, ...cells]);
          const text = [['key', 'receiver.firstName', 'receiver.lastName'], ...table]
            .map(cells => csvRow(cells, { delimiter: ',' }))
            .join('');
          const { raw } = await readAll(text, { sizes });
          expect(raw.map(({ text }) => JSON.parse(text))).toEqual(table.map(cells => [cells]));
          const whole = await readAll(text);
          expect(raw).toEqual(whole.raw);
        },
      ),
      RUNS,
    );
  });

  test.each([
    ['a quote that never ends', `${HEADER}\nK1,a,b,1\nK2,"a,b,1\n`, 3],
    ['a quote in the middle of a cell', `${HEADER}\nK1,a"b,c,1\n`, 2],
    ['a record above 1 MiB', `${HEADER}\nK1,a,b,1\nK2,${'a'.repeat(1024 * 1024 + 1)},b,1\n`, 3],
    ['nothing at all', '', 1],
  ])('end the reading, with the line, at %s', async (_, text, line) => {
    const { code, message } = await refusal(text);
    expect(code).toBe('invalid_request');
    expect(message).toContain(`orders.csv, line ${line}:`);
  });

  test('are refused if they are not UTF-8, with a hint how to save them', async () => {
    const latin = new Uint8Array([...new TextEncoder().encode(`${HEADER}\nK1,a,`), 0xfc, 0x2c, 0x31, 0x0a]);
    const { code, message } = await refusal(latin);
    expect(code).toBe('invalid_request');
    expect(message).toMatch(/^orders\.csv, line \d+: .*not UTF-8.*save it as UTF-8/);
  });

  test('are read as a stream: 20,000 records are never in memory at one time', async () => {
    const rows = 20_000;
    let asked = 0;
    async function* bytes() {
      yield new TextEncoder().encode(`${HEADER}\n`);
      for (; asked < rows; asked += 100)
        yield new TextEncoder().encode(`K,${'x'.repeat(100)},b,1\n`.repeat(100));
    }
    const { openInput } = await import('../../src/batch/input.ts');
    const { schemaOf } = await import('../contract/rig.ts');
    const settings = { format: 'csv', name: 'stdin', keyColumn: 'key', allowUnknown: false } as const;
    let read = 0;
    let ahead = 0;
    for await (const _ of openInput(bytes(), { ...settings, fields: schemaOf('createShipment') }).records) {
      read += 1;
      ahead = Math.max(ahead, asked - read);
    }
    expect(read).toBe(rows);
    expect(ahead).toBeLessThan(rows / 20);
  });
});

describe('the header of a CSV', () => {
  test('reports all its problems at once, before the first record', async () => {
    const { code, facts } = await refusal(
      'key,receiver.adress.city,items[].hscode,receiver.firstName,receiver.firstName\nK1,a,b,c,d\n',
    );
    expect(code).toBe('invalid_request');
    expect(facts.issues?.map(({ path, suggestion }) => [path, suggestion])).toEqual([
      ['receiver.adress.city', 'receiver.address.city'],
      ['items[].hscode', 'items[].hsCode'],
      ['receiver.firstName', undefined],
    ]);
  });

  test('keeps unknown paths as text with allowUnknown', async () => {
    const { records } = await readAll('key,receiver.extra\nK1,007\n', { allowUnknown: true });
    expect(records[0]?.value).toEqual({ receiver: { extra: '007' } });
  });

  test('may have ignored columns with a _, and one without a name over empty cells', async () => {
    const { records } = await readAll('key,_note,receiver.firstName,\nK1,x,a,\nK2,x,b,c\n');
    expect(records.map(({ value, issues }) => [value, issues.length])).toEqual([
      [{ receiver: { firstName: 'a' } }, 0],
      [{ receiver: { firstName: 'b' } }, 1],
    ]);
  });

  test('may name another key column, or none', async () => {
    const named = await readAll('order,receiver.firstName\n A-1 ,a\n,b\n', { keyColumn: 'order' });
    expect(named.records.map(({ key }) => key)).toEqual(['A-1', undefined]);
    const none = await readAll('receiver.firstName\na\n');
    expect(none.records.map(({ key, issues }) => [key, issues])).toEqual([[undefined, []]]);
  });

  test('is known before the first record, for the --failed file', async () => {
    const input = opened('key;receiver.firstName\nK1;a\n');
    for await (const _ of input.records) break;
    expect(input.failed.head()).toContain('key;receiver.firstName');
  });
});
