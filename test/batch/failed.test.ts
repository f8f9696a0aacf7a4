// The file of --failed: the records that failed as they were written, with an error, and with a name that they keep.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { csvRow } from '../../src/batch/csv.ts';
import { failedOf, type Given, readAll, reading } from '../rig/batch.ts';
import { runs } from '../torture/size.ts';

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
    const mended = once.replace('"key"', '"_weight":1.50,"key"');
    expect(nameIn(await mendFile(mended, format))).toBe(nameIn(once));
    expect(nameIn(await mendFile(file(['{"key":12345678901234567891}']), format))).not.toBe(nameIn(once));
    const moved = `{"key":"a","_record":"${nameIn(once)}"}`;
    expect(nameIn(await mendFile(file([moved]), format))).toBe(nameIn(once));
  });

  test('are written unchanged if they are no JSON', async () => {
    expect(await mendFile(file(['{"key":}', '5']), format)).toBe(file(['{"key":}', '5']));
  });
});

const HEADER = ['key', 'receiver.firstName', 'receiver.lastName'];
const cell = fc.string({
  unit: fc.constantFrom('a', '"', '\r', '\n', ',', ';', '\t', '|', "'", 'ğ', '😀', ' '),
});
const csv = fc
  .tuple(fc.constantFrom(',', ';', '\t', '|'), fc.array(fc.tuple(cell, cell), { maxLength: 6 }))
  .map(([delimiter, cells]) => {
    const rows = cells.map((pair, index) => [`K${index}`, ...pair]);
    const file = [HEADER, ...rows].map(row => csvRow(row, { delimiter })).join('');
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
])('%s', (_, any, given) => {
  test('is read the same wherever the chunks end, also in the middle of a character', async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(any, sizes, async ({ file, texts }, chunks) => {
        const { raw } = await readAll(file, { ...given, sizes: chunks });
        expect(raw.map(({ text }) => text)).toEqual(texts);
        expect(raw).toEqual((await readAll(file, given)).raw);
      }),
      runs(150),
    );
  });

  test('is read the same from the file of --failed', async () => {
    await fc.assert(
      fc.asyncProperty(any, cell, async ({ file }, error) => {
        const before = await readAll(file, given);
        const after = await readAll(await failedOf(file, error, given), given);
        const said = ({ records }: typeof before) =>
          records.map(({ key, value, issues }) => ({ key, value, issues }));
        expect(said(after)).toEqual(said(before));
      }),
      runs(150),
    );
  });
});
