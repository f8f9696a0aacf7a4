import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { csvRow } from '../../src/batch/csv.ts';
import { failedOf, RUNS, readAll } from '../rig/batch.ts';

const JSON_LINES = { format: 'jsonl', name: 'orders.jsonl' } as const;
const JSON_ARRAY = { format: 'json', name: 'orders.json' } as const;

describe('records that failed, of a CSV', () => {
  test('are written with their delimiter and all their rows, the error in the first row', async () => {
    const text = 'key;receiver.firstName;items[].hsCode\nK1;"a;b";61\nK1;;62\n';
    expect(await failedOf(text, 'is "wrong"; really')).toBe(
      '_error;key;receiver.firstName;items[].hsCode\n"is ""wrong""; really";K1;"a;b";61\n;K1;;62\n',
    );
  });

  test.each([
    [
      'the byte order mark',
      '\ufeffkey,receiver.firstName\nK1,a\n',
      '\ufeff_error,key,receiver.firstName\nwrong,K1,a\n',
    ],
    [
      'the line ends',
      'key,receiver.firstName\r\nK1,a\r\n',
      '_error,key,receiver.firstName\r\nwrong,K1,a\r\n',
    ],
    [
      'the quotes of all cells',
      '"key";"receiver.firstName"\n"K1";"a"\n',
      '"_error";"key";"receiver.firstName"\n"wrong";"K1";"a"\n',
    ],
    [
      'mark and quotes',
      '\ufeff"key","receiver.firstName"\r\n"K1","a, ""b"""\r\n',
      '\ufeff"_error","key","receiver.firstName"\r\n"wrong","K1","a, ""b"""\r\n',
    ],
    [
      'no quotes if only some cells have them',
      '"key",receiver.firstName\nK1,a\n',
      '_error,key,receiver.firstName\nwrong,K1,a\n',
    ],
  ])('keep %s', async (_, text, failed) => {
    expect(await failedOf(text, 'wrong')).toBe(failed);
  });

  test('have one error, however often they failed', async () => {
    const once = await failedOf('key,_error,receiver.firstName\nK1,old,a\n', 'new');
    expect(once).toBe('_error,key,receiver.firstName\nnew,K1,a\n');
    expect(await failedOf(once, 'newer')).toBe('_error,key,receiver.firstName\nnewer,K1,a\n');
  });

  test('keep the issue of too few or too many cells until it is fixed', async () => {
    const text = 'key,receiver.firstName\nK1\nK2,a,b\n';
    const failed = await failedOf(text, 'wrong');
    expect(failed).toBe('_error,key,receiver.firstName\nwrong,K1\nwrong,K2,a,b\n');
    const again = await readAll(failed);
    expect(again.records.map(({ key, issues }) => [key, issues.length])).toEqual([
      ['K1', 1],
      ['K2', 1],
    ]);
  });

  test('read back unchanged for any cells, delimiter and error', async () => {
    const cell = fc.string({
      unit: fc.constantFrom('a', '"', '\r', '\n', ',', ';', '\t', '|', "'", 'ğ', ' '),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(',', ';', '\t', '|'),
        fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 5 }),
        cell,
        async (delimiter, cells, error) => {
          const header = ['key', 'receiver.firstName', 'receiver.lastName'];
          const rows = cells.map((pair, index) => [`K${index}`, ...pair]);
          const text = [header, ...rows].map(row => csvRow(row, { delimiter })).join('');
          const before = await readAll(text);
          const after = await readAll(await failedOf(text, error));
          const said = ({ records }: typeof before) =>
            records.map(({ key, value, issues }) => ({ key, value, issues }));
          expect(said(before)).toHaveLength(rows.length);
          expect(said(after)).toEqual(said(before));
        },
      ),
      RUNS,
    );
  });
});

describe.each([
  ['JSON lines', JSON_LINES, (texts: readonly string[]) => texts.map(text => `${text}\n`).join('')],
  ['a JSON array', JSON_ARRAY, (texts: readonly string[]) => `[\n${texts.join(',\n')}\n]\n`],
])('records that failed, of %s', (_, given, file) => {
  test('are written unchanged, with the error in front', async () => {
    const texts = ['{"key":"a","weight":1.50,"long":12345678901234567890}', '{}', '{ "key": "b" }'];
    expect(await failedOf(file(texts), 'is "wrong"', given)).toBe(
      file([
        String.raw`{"_error":"is \"wrong\"","key":"a","weight":1.50,"long":12345678901234567890}`,
        String.raw`{"_error":"is \"wrong\""}`,
        String.raw`{"_error":"is \"wrong\"", "key": "b" }`,
      ]),
    );
  });

  test('keep a name that is given twice, until one is removed', async () => {
    const again = await readAll(
      await failedOf(file(['{"key":"a","type":1,"type":2}']), 'wrong', given),
      given,
    );
    expect(again.records.map(({ issues }) => issues.map(({ path }) => path))).toEqual([['type']]);
  });

  test('have one error, wherever the previous one was', async () => {
    const old = file(['{"_error":"o\\"ld","key":"a"}', '{"key":"b","_error":"old"}', '{"_error":"old"}']);
    const once = await failedOf(old, 'new', given);
    expect(once).toBe(file(['{"_error":"new","key":"a"}', '{"key":"b","_error":"new"}', '{"_error":"new"}']));
  });

  test('are written unchanged if they are not JSON', async () => {
    expect(await failedOf(file(['{"key":}', '5']), 'wrong', given)).toBe(file(['{"key":}', '5']));
  });

  test('read back unchanged, whatever they hold', async () => {
    const object = fc.dictionary(
      fc.string().filter(name => name !== '_error'),
      fc.jsonValue({ maxDepth: 3 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(object), fc.string(), async (objects, error) => {
        const text = file(objects.map(one => JSON.stringify(one)));
        const before = await readAll(text, given);
        const after = await readAll(await failedOf(text, error, given), given);
        const said = ({ records }: typeof before) => records.map(({ key, value }) => ({ key, value }));
        expect(said(after)).toEqual(said(before));
      }),
      RUNS,
    );
  });
});
