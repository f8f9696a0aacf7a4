import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { csvRow } from '../../src/batch/csv.ts';
import { failedOf, RUNS, readAll } from '../rig/batch.ts';

const JSON_LINES = { format: 'jsonl', name: 'orders.jsonl' } as const;
const JSON_ARRAY = { format: 'json', name: 'orders.json' } as const;

/** Each name of a record as `rec`. */
const withoutHashes = (text: string) => text.replace(/rec_[0-9a-f]{32}/g, 'rec');

describe('records that failed, of a CSV', () => {
  test('are written with their delimiter and all their rows, the error in the first row', async () => {
    const text = 'key;receiver.firstName;items[].hsCode\nK1;"a;b";61\nK1;;62\n';
    expect(withoutHashes(await failedOf(text, 'is "wrong"; really'))).toBe(
      '_error;_record;key;receiver.firstName;items[].hsCode\n"is ""wrong""; really";rec;K1;"a;b";61\n;rec;K1;;62\n',
    );
  });

  test.each([
    [
      'the byte order mark',
      '\ufeffkey,receiver.firstName\nK1,a\n',
      '\ufeff_error,_record,key,receiver.firstName\nwrong,rec,K1,a\n',
    ],
    [
      'the line ends',
      'key,receiver.firstName\r\nK1,a\r\n',
      '_error,_record,key,receiver.firstName\r\nwrong,rec,K1,a\r\n',
    ],
    [
      'the quotes of all cells',
      '"key";"receiver.firstName"\n"K1";"a"\n',
      '"_error";"_record";"key";"receiver.firstName"\n"wrong";"rec";"K1";"a"\n',
    ],
    [
      'mark and quotes',
      '\ufeff"key","receiver.firstName"\r\n"K1","a, ""b"""\r\n',
      '\ufeff"_error","_record","key","receiver.firstName"\r\n"wrong","rec","K1","a, ""b"""\r\n',
    ],
    [
      'no quotes if only some cells have them',
      '"key",receiver.firstName\nK1,a\n',
      '_error,_record,key,receiver.firstName\nwrong,rec,K1,a\n',
    ],
  ])('keep %s', async (_, text, failed) => {
    expect(withoutHashes(await failedOf(text, 'wrong'))).toBe(failed);
  });

  test('have one error, and keep their name, however often they failed', async () => {
    const once = await failedOf('key,_error,receiver.firstName\nK1,old,a\n', 'new');
    expect(withoutHashes(once)).toBe('_error,_record,key,receiver.firstName\nnew,rec,K1,a\n');
    const mended = once.replace('K1,a', 'K2,b');
    expect(await failedOf(mended, 'newer')).toBe(mended.replace('new', 'newer'));
  });

  test('keep the issue of too few or too many cells until it is fixed', async () => {
    const text = 'key,receiver.firstName\nK1\nK2,a,b\n';
    const failed = await failedOf(text, 'wrong');
    expect(withoutHashes(failed)).toBe(
      '_error,_record,key,receiver.firstName\nwrong,rec,K1\nwrong,rec,K2,a,b\n',
    );
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
    expect(withoutHashes(await failedOf(file(texts), 'is "wrong"', given))).toBe(
      file([
        String.raw`{"_error":"is \"wrong\"","_record":"rec","key":"a","weight":1.50,"long":12345678901234567890}`,
        String.raw`{"_error":"is \"wrong\"","_record":"rec"}`,
        String.raw`{"_error":"is \"wrong\"","_record":"rec", "key": "b" }`,
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
    expect(withoutHashes(await failedOf(old, 'new', given))).toBe(
      file([
        '{"_error":"new","_record":"rec","key":"a"}',
        '{"key":"b","_error":"new","_record":"rec"}',
        '{"_error":"new","_record":"rec"}',
      ]),
    );
  });

  test('keep their name, wherever it is, and the digits of long numbers', async () => {
    const once = await failedOf(file(['{"key":12345678901234567890}']), 'old', given);
    const mended = once.replace('"key"', '"weight":1.50,"key"');
    const again = mended.replace('"old"', '"new"');
    expect(await failedOf(mended, 'new', given)).toBe(again);
    expect(await failedOf(mended.replace('"_error":"old",', ''), 'new', given)).toBe(again);
    const name = /rec_[0-9a-f]{32}/.exec(once)?.[0];
    const moved = `{"key":"a","_record":"${name}"`;
    expect(await failedOf(file([`${moved}}`]), 'new', given)).toBe(file([`${moved},"_error":"new"}`]));
  });

  test('have another name if one digit of a long number is another one', async () => {
    const [one, other] = await Promise.all(
      ['12345678901234567890', '12345678901234567891'].map(key =>
        failedOf(file([`{"key":${key}}`]), 'wrong', given),
      ),
    );
    const nameIn = (text = '') => /rec_[0-9a-f]{32}/.exec(text)?.[0];
    expect(nameIn(one)).not.toBe(nameIn(other));
  });

  test('are written unchanged if they are not JSON', async () => {
    expect(await failedOf(file(['{"key":}', '5']), 'wrong', given)).toBe(file(['{"key":}', '5']));
  });

  test('read back unchanged, whatever they hold', async () => {
    const object = fc.dictionary(
      fc.string().filter(name => name !== '_error' && name !== '_record'),
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
