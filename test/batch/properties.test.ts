// Whatever a file holds, and wherever its chunks end: what is read is what was written, and --failed writes it again.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { csvRow } from '../../src/batch/csv.ts';
import { failedOf, type Given, readAll } from '../rig/batch.ts';
import { runs } from '../torture/size.ts';

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
