// How any result is shown in each format. A literal as --query is a result of any shape.
import { expect, test } from 'vitest';
import { createRig } from '../rig/command.ts';

/** What is on stdout for this JSON. */
async function shown(json: string, ...options: string[]): Promise<string> {
  const { run } = await createRig();
  const ran = await run(['schema', '--openapi', '--query', `\`${json}\``, ...options]);
  expect(ran).toMatchObject({ exitCode: 0, requests: [] });
  return ran.stdout;
}

test.each([
  ['"EXP"', 'EXP\n'],
  ['12.5', '12.5\n'],
  ['null', 'None\n'],
  ['["a",1,null]', 'a\t1\tNone\n'],
  ['[]', ''],
  ['[["a",1],["b",2]]', 'a\t1\nb\t2\n'],
  ['{"b":2,"a":1}', '1\t2\n'],
  ['[{"a":1,"b":2},{"b":3}]', '1\t2\n\t3\n'],
  ['{"id":"x","tags":["p","q"],"to":{"city":"Bonn"}}', 'x\nTAGS\tp\nTAGS\tq\nTO\tBonn\n'],
  ['"a\\tb\\nc\\u001b"', 'a b c\n'],
])('%s as text', async (json, text) => {
  expect(await shown(json, '-o', 'text')).toBe(text);
});

test.each([
  ['[{"id":1,"to":{"city":"Bonn"}},{"id":2}]', 'ID  TO.CITY\n1   Bonn\n2   -\n'],
  ['{"id":1,"to":{"city":"Bonn"}}', 'id       1\nto.city  Bonn\n'],
  ['["a","b"]', 'VALUE\na\nb\n'],
  ['null', '-\n'],
  ['[]', ''],
  ['[{}]', ''],
])('%s as a table', async (json, table) => {
  expect(await shown(json, '-o', 'table')).toBe(table);
});

test('a query alone is JSON, a list is lines of JSON and rows of CSV, and --quiet hides none of it', async () => {
  const json = '[{"carrier":"ECO","price":9.5},{"carrier":"EXP","price":20}]';
  expect(JSON.parse(await shown(json))).toEqual(JSON.parse(json));
  expect(await shown(json, '-q')).toBe(await shown(json));
  expect(await shown(json, '-o', 'jsonl')).toBe(
    '{"carrier":"ECO","price":9.5}\n{"carrier":"EXP","price":20}\n',
  );
  expect(await shown(json, '-o', 'csv')).toBe('carrier,price\r\nECO,9.5\r\nEXP,20\r\n');
  expect(await shown('[1,2]', '-o', 'jsonl')).toBe('1\n2\n');
  for (const format of ['jsonl', 'csv']) expect(await shown('null', '-o', format)).toBe('');
});

test.each([
  ['proposals[?id == "ECO"].price', 'Text goes in single quotes'],
  ['proposals[?id == true]', 'numbers in backticks'],
  ["proposals[?id == 'NONE']", undefined],
])(
  'of the query %s, which finds nothing, it is said if it compares with the name of a field',
  async (query, says) => {
    const { run } = await createRig();
    const { stdout, stderr } = await run([
      ...'quote --from TR --to DE --package 1@1x1x1 --query'.split(' '),
      query,
    ]);
    expect(stdout).toBe('[]\n');
    if (says === undefined) expect(stderr).toBe('');
    else expect(JSON.parse(stderr).note).toContain(says);
  },
);
