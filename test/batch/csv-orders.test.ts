import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { csvRow } from '../../src/batch/csv.ts';
import { RUNS, readAll } from '../rig/batch.ts';

const ITEMS = 'key,receiver.firstName,items[].hsCode,items[].quantity';

describe('a row', () => {
  test('with more or fewer cells than the header is an issue of its own record', async () => {
    const { records } = await readAll('key,receiver.firstName\nK1\nK2,a,b\nK3,a\n');
    expect(records.map(({ line, issues }) => [line, issues.length])).toEqual([
      [2, 1],
      [3, 1],
      [4, 0],
    ]);
  });

  test('with an empty element has no such element, and later ones move up', async () => {
    const { records } = await readAll(
      'key,packages[0].weight,packages[1].weight,packages[2].weight\nK1,,2, \nK2,,,\n',
    );
    expect(records.map(({ value }) => value)).toEqual([{ packages: [{ weight: 2 }] }, {}]);
  });

  test('may give its package as a SPEC, and a broken SPEC is an issue', async () => {
    const { records } = await readAll('key,package\nK1,2x1.5kg@30x20x10cm\nK2,heavy\n');
    expect(records[0]?.value).toEqual({
      packages: [{ quantity: 2, weight: 1.5, dimensions: { length: 30, width: 20, height: 10, unit: 'cm' } }],
    });
    expect(records[1]?.issues).toEqual([
      { path: 'package', message: expect.stringContaining('2x1.5kg@30x20x10cm') },
    ]);
  });

  test('keeps text that is not a number, so that validation can show it', async () => {
    const { records } = await readAll('key,packages[0].weight\nK1,"1,5"\nK2,heavy\n');
    expect(records.map(({ value }) => value)).toEqual([
      { packages: [{ weight: '1,5' }] },
      { packages: [{ weight: 'heavy' }] },
    ]);
  });
});

describe('adjacent rows with one key', () => {
  test('are one order, and each row adds an element', async () => {
    const { records } = await readAll(`${ITEMS}\nK1,Ada,61,1\nK1,,62,2\nK1,Ada,,\nK2,Bo,63,3\n`);
    expect(records).toEqual([
      {
        line: 2,
        key: 'K1',
        value: {
          receiver: { firstName: 'Ada' },
          items: [
            { hsCode: '61', quantity: 1 },
            { hsCode: '62', quantity: 2 },
          ],
        },
        issues: [],
      },
      {
        line: 5,
        key: 'K2',
        value: { receiver: { firstName: 'Bo' }, items: [{ hsCode: '63', quantity: 3 }] },
        issues: [],
      },
    ]);
  });

  test('that contradict each other are an issue with header and row, also if the first row is empty', async () => {
    const { records } = await readAll(`${ITEMS}\nK1,Ada,61,1\nK1,Bo,62,2\nK2,,61,1\nK2,Cy,62,1\n`);
    expect(records.map(({ key, issues }) => [key, issues])).toEqual([
      ['K1', [{ path: 'receiver.firstName', message: expect.stringMatching(/"Bo" in row 2 .*"Ada"/) }]],
      ['K2', [{ path: 'receiver.firstName', message: expect.stringMatching(/"Cy" in row 2 .*nothing/) }]],
    ]);
  });

  test('each add a package if the column ends with []', async () => {
    const { records } = await readAll('key,package[]\nK1,1kg@1x1x1\nK1,2kg@2x2x2\n');
    expect(records.map(({ value }) => value.packages)).toEqual([
      [expect.objectContaining({ weight: 1 }), expect.objectContaining({ weight: 2 })],
    ]);
  });

  test('are separate records if no column adds elements', async () => {
    const { records } = await readAll('key,receiver.firstName\nK1,Ada\nK1,Bo\n');
    expect(records.map(({ line, key }) => [line, key])).toEqual([
      [2, 'K1'],
      [3, 'K1'],
    ]);
  });

  test('without a key, or apart, are separate orders', async () => {
    const { records } = await readAll(`${ITEMS}\n,Ada,61,1\n,Bo,62,2\nK1,Cy,63,3\nK2,Di,64,4\nK1,Ed,65,5\n`);
    expect(records.map(({ key }) => key)).toEqual([undefined, undefined, 'K1', 'K2', 'K1']);
  });

  test('are never lost or mixed, however many there are', async () => {
    const orders = fc.array(fc.array(fc.integer({ min: 0, max: 99 }), { minLength: 1, maxLength: 4 }));
    await fc.assert(
      fc.asyncProperty(orders, async all => {
        const rows = all.flatMap((codes, order) =>
          codes.map(code => [`K${order}`, `Name ${order}`, String(code), '1']),
        );
        const text = [ITEMS.split(','), ...rows].map(cells => csvRow(cells, { delimiter: ',' })).join('');
        const { records } = await readAll(text);
        expect(records.map(({ key, value }) => [key, value])).toEqual(
          all.map((codes, order) => [
            `K${order}`,
            {
              receiver: { firstName: `Name ${order}` },
              items: codes.map(code => ({ hsCode: String(code), quantity: 1 })),
            },
          ]),
        );
      }),
      RUNS,
    );
  });
});
