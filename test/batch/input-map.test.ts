import { describe, expect, test } from 'vitest';
import { parseMap } from '../../src/batch/map.ts';
import type { InputMap } from '../../src/batch/source.ts';
import { template } from '../../src/batch/template.ts';
import { job } from '../../src/commands/ship.ts';
import { Failure } from '../../src/errors.ts';
import { schemaOf } from '../contract/rig.ts';
import { opened, readAll, refusal } from '../rig/batch.ts';

const JSON_LINES = { format: 'jsonl', name: 'orders.jsonl' } as const;
const map = (parts: Partial<InputMap>) => ({ map: parseMap({ ...parts }, 'map.json') });

describe('a map', () => {
  test('has only optional parts', () => {
    expect(parseMap({}, 'map.json')).toEqual({ columns: {}, constants: {}, decimal: '.' });
  });

  test('is refused with all of its problems at once', () => {
    const read = () =>
      parseMap({ column: {}, columns: { a: [] }, constants: 1, decimal: ';', delimiter: 'ab' }, 'map.json');
    expect(read).toThrow(Failure);
    try {
      read();
    } catch (error) {
      const { code, facts } = error as Failure;
      expect(code).toBe('invalid_request');
      expect(facts.issues?.map(({ path }) => path).toSorted()).toEqual(
        ['column', 'columns.a', 'constants', 'decimal', 'delimiter'].toSorted(),
      );
    }
  });

  test('renames headers of a shop: to a path, the key, a package, or to be ignored', async () => {
    const { records } = await readAll(
      'Order no;Ort;Paket;Bemerkung\nK1;Berlin;1kg@1x1x1;x\n',
      map({
        columns: { 'Order no': 'key', Ort: 'receiver.address.city', Paket: 'package', Bemerkung: '_' },
      }),
    );
    expect(records).toMatchObject([
      {
        key: 'K1',
        value: { receiver: { address: { city: 'Berlin' } }, packages: [{ weight: 1 }] },
        issues: [],
      },
    ]);
    expect(Object.keys(records[0]?.value ?? {}).toSorted()).toEqual(['packages', 'receiver']);
  });

  test('renames top-level names of JSON records in the same way', async () => {
    const { records } = await readAll('{"no":"K1","city":"Berlin","note":1}\n', {
      ...JSON_LINES,
      ...map({ columns: { no: 'key', city: 'receiver.address.city', note: '_' } }),
    });
    expect(records).toEqual([
      { line: 1, key: 'K1', value: { receiver: { address: { city: 'Berlin' } } }, issues: [] },
    ]);
  });

  test('has constants that a record overrides, for each element of a list', async () => {
    const constants = { type: 'package', 'items[].countryOfOrigin': 'TR', chargeableWeight: '2' };
    const { records } = await readAll(
      'key,type,items[].hsCode,items[].countryOfOrigin\nK1,,61,\nK1,,62,DE\nK2,document,,\n',
      map({ constants }),
    );
    expect(records.map(({ value }) => value)).toEqual([
      {
        type: 'package',
        chargeableWeight: 2,
        items: [
          { hsCode: '61', countryOfOrigin: 'TR' },
          { hsCode: '62', countryOfOrigin: 'DE' },
        ],
      },
      { type: 'document', chargeableWeight: 2 },
    ]);
  });

  test('has constants that never replace an invalid value', async () => {
    const constants = { 'customs.currency': 'EUR', 'receiver.firstName': 'Ada', 'items[].hsCode': '61' };
    const wrong = { customs: null, receiver: 'Ada', items: ['shirt', null, 5] };
    const { records } = await readAll(`${JSON.stringify(wrong)}\n`, { ...JSON_LINES, ...map({ constants }) });
    expect(records.map(({ value }) => value)).toEqual([wrong]);
  });

  test('is refused for constants without a field', () => {
    expect(() => opened('', map({ constants: { 'receiver.cty': 'x' } }))).toThrow(Failure);
  });

  test('sets the delimiter and the decimal comma', async () => {
    const { records } = await readAll(
      'key|packages[0].weight|receiver.firstName\nK1|12,5|1,5\nK2|1.234,5|1.234,5\nK3|7|7\nK4|1.234|1.234\nK5|1.234.567|x\n',
      map({ decimal: ',', delimiter: '|' }),
    );
    expect(records.map(({ value }) => value)).toEqual([
      { packages: [{ weight: 12.5 }], receiver: { firstName: '1,5' } },
      { packages: [{ weight: 1234.5 }], receiver: { firstName: '1.234,5' } },
      { packages: [{ weight: 7 }], receiver: { firstName: '7' } },
      { packages: [{ weight: expect.stringContaining('1.234') }], receiver: { firstName: '1.234' } },
      { packages: [{ weight: 1234567 }], receiver: { firstName: 'x' } },
    ]);
  });

  test('that gives one field twice is refused when the header is read', async () => {
    const city = 'receiver.address.city';
    const { facts } = await refusal('Ort,Stadt\nBerlin,Bonn\n', map({ columns: { Ort: city, Stadt: city } }));
    expect(facts.issues).toEqual([{ path: 'Stadt', message: expect.stringContaining('Ort') }]);
  });

  test('that names an unknown path is refused when the header is read', async () => {
    const { facts } = await refusal('Ort\nBerlin\n', map({ columns: { Ort: 'receiver.adress.city' } }));
    expect(facts.issues).toEqual([
      expect.objectContaining({ path: 'Ort', suggestion: 'receiver.address.city' }),
    ]);
  });
});

const IDS = ['proposal', 'rates', 'createShipment', 'createDualShipment', 'createLabels'] as const;

test.each(IDS)('the template of %s reads back without an issue', async id => {
  const recordOptions = (id === 'createShipment' && job.recordOptions) || {};
  const { records } = await readAll(template(schemaOf(id), recordOptions, 'ORDER-2001'), {
    fields: schemaOf(id),
    recordOptions,
  });
  expect(records.map(({ key, issues }) => [key, issues])).toEqual([['ORDER-2001', []]]);
  expect(schemaOf(id).safeParse(records[0]?.value).error?.issues ?? []).toEqual([]);
});

test('a column of the map that the file does not have gives a warning, with the column that may be meant', async () => {
  const warned: string[][] = [];
  const onWarnings = (warnings: readonly string[]) => void warned.push([...warnings]);
  const columns = { Order: 'key', Prais: 'customs.totalGoodsValue', Colour: '_' };
  const { message } = await refusal('Order,Price,type\nA,,\n', { ...map({ columns }), onWarnings });
  expect(message).toContain('the header of orders.csv has a problem');
  expect(warned).toEqual([
    [
      'the map names the column "Prais", which orders.csv does not have; did you mean "Price"?',
      'the map names the column "Colour", which orders.csv does not have',
    ],
  ]);
  await readAll('Order,Prais,Colour\nA,,\n', { ...map({ columns }), onWarnings });
  expect(warned).toHaveLength(1);
});
