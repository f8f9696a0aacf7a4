import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inputFormat } from '../../src/batch/input.ts';
import type { InputFormat } from '../../src/batch/source.ts';
import { Failure } from '../../src/errors.ts';
import { RUNS, readAll, refusal } from '../rig/batch.ts';

const JSON_LINES = { format: 'jsonl', name: 'orders.jsonl' } as const;
const JSON_ARRAY = { format: 'json', name: 'orders.json' } as const;

test('the format comes from --format, else from the ending of the name', () => {
  const endings = ['a.csv', 'A.TSV', 'a.json', 'a.jsonl', 'a.ndjson'];
  expect(endings.map(name => inputFormat(name))).toEqual(['csv', 'csv', 'json', 'jsonl', 'jsonl']);
  expect(inputFormat('-', 'json')).toBe('json');
  for (const name of ['-', 'orders', 'orders.txt']) {
    expect(() => inputFormat(name)).toThrow(Failure);
    expect(() => inputFormat(name)).toThrow('--format');
  }
});

describe.each([
  ['JSON lines', JSON_LINES, (texts: readonly string[]) => texts.map(text => `${text}\n`).join('')],
  ['a JSON array', JSON_ARRAY, (texts: readonly string[]) => `[${texts.join(',')}]`],
])('%s', (_, given: { format: InputFormat; name: string }, file) => {
  test('give each object unchanged, wherever the chunks end', async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 });
    const objects = fc.array(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue({ maxDepth: 3 })));
    await fc.assert(
      fc.asyncProperty(objects, sizes, async (all, chunks) => {
        const texts = all.map(object => JSON.stringify(object));
        const { raw } = await readAll(file(texts), { ...given, sizes: chunks });
        expect(raw.map(({ text }) => text)).toEqual(texts);
      }),
      RUNS,
    );
  });

  test('take the key out, ignore names that begin with _, and keep the rest', async () => {
    const { records } = await readAll(
      file(['{"key":" K1 ","_note":{},"receiver":{"_in":1}}', '{"key":17}', '{"key":null}', '{}']),
      given,
    );
    expect(records.map(({ key, value, issues }) => [key, value, issues])).toEqual([
      ['K1', { receiver: { _in: 1 } }, []],
      ['17', {}, []],
      [undefined, {}, []],
      [undefined, {}, []],
    ]);
  });

  test('have issues for each record', async () => {
    const { records } = await readAll(
      file(['{"key":"a","receiver":{"email":1,"email":2}}', '5', '{"key":{}}', '{"key":"b"}']),
      given,
    );
    expect(records.map(({ issues }) => issues.map(({ path }) => path))).toEqual([
      ['receiver.email'],
      [''],
      ['key'],
      [],
    ]);
  });

  test('may give packages as SPECs', async () => {
    const { records } = await readAll(
      file(['{"package":"1kg@1x1x1"}', '{"package":["1kg@1x1x1","x"]}']),
      given,
    );
    expect(records.map(({ value, issues }) => [value, issues.length])).toEqual([
      [{ packages: [expect.objectContaining({ weight: 1, quantity: 1 })] }, 0],
      [{}, 1],
    ]);
  });

  test('refuse a key that lost digits as a number: two orders would share it', async () => {
    const { records } = await readAll(
      file(['{"key":12345678901234567891}', '{"key":9007199254740991}']),
      given,
    );
    expect(records.map(({ key, issues }) => [key, issues.map(({ path }) => path)])).toEqual([
      [undefined, ['key']],
      ['9007199254740991', []],
    ]);
  });
});

describe('JSON lines', () => {
  test('are counted as in an editor, and blank lines are skipped', async () => {
    const { records } = await readAll('\ufeff{"key":"a"}\r\n\r\n  \n{"key":"b"}', JSON_LINES);
    expect(records.map(({ line, key }) => [line, key])).toEqual([
      [1, 'a'],
      [4, 'b'],
    ]);
  });

  test('that are not JSON are issues of their own', async () => {
    const { records } = await readAll('{"key":\n{"key":"b"}\n', JSON_LINES);
    expect(records.map(({ issues }) => issues.length)).toEqual([1, 0]);
    expect(records[0]?.issues[0]).toMatchObject({
      path: '',
      message: expect.stringContaining('is not JSON'),
    });
  });

  test('above 1 MiB end the reading, and the message has the line', async () => {
    const { code, message } = await refusal(`{}\n{"key":"${'a'.repeat(1024 * 1024)}"}\n`, JSON_LINES);
    expect(code).toBe('invalid_request');
    expect(message).toContain('orders.jsonl, line 2:');
  });
});

describe('a JSON array', () => {
  test('has the line of each record, and ignores brackets in strings', async () => {
    const { raw } = await readAll('\n[\n  {"a": "],}[{\\""},\n\n  {\n"b": [1, {}]}\n]\n', JSON_ARRAY);
    expect(raw).toEqual([
      { line: 3, text: '{"a": "],}[{\\""}' },
      { line: 5, text: '{\n"b": [1, {}]}\n' },
    ]);
  });

  test('may be empty', async () => {
    expect((await readAll(' [ ] ', JSON_ARRAY)).raw).toEqual([]);
  });

  test.each([
    ['one object', '\n{"key":"a"}', 2, '--format jsonl'],
    ['more after its end', '[{}]\n{}', 2, 'after the end'],
    ['an end in the middle', '[{},\n{"a":', 2, 'ends in the middle'],
    ['a comma too many', '[{},\n]', 2, 'expected a record here'],
    ['nothing', '  \n', 2, 'empty'],
  ])('is refused, with its line and words that help, where it is %s', async (_, text, line, words) => {
    const { code, message } = await refusal(text, JSON_ARRAY);
    expect(code).toBe('invalid_request');
    expect(message).toContain(`orders.json, line ${line}:`);
    expect(message).toContain(words);
  });
});
