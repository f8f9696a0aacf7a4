// How any result is shown in each format. A literal as --query is a result of any shape.
import { expect, test } from 'vitest';
import { compileQuery } from '../../src/output/query.ts';
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

test.each([
  ['proposals[?id == "ECO"].price', 'Text has single quotes'],
  ['proposals[?id == true]', 'a number backticks'],
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

const runQuery = async (expression: string, value: unknown) => (await compileQuery(expression))(value);

test('an expression of 4,096 bytes is accepted, however deep', async () => {
  expect(await runQuery('é'.repeat(2048), {}).catch(String)).toContain('cannot stand there (character 1)');
  expect(await runQuery(`a${' '.repeat(4095)}`, { a: 1 })).toBe(1);
  expect(await runQuery(`${'!'.repeat(98)}a`, { a: true })).toBe(true);
  expect(await runQuery('('.repeat(4000), {}).catch(String)).toContain('too deep');
  expect(await runQuery(`${'['.repeat(2000)}@${']'.repeat(2000)}`, {}).catch(String)).toContain('too deep');
});

test('one = is only in `let`, where it is no comparison; quoted ones are text', async () => {
  for (const expression of ["p[?a = 'X']", "let $x = 'X' in p[?id = $x]", "p[?a == 'X' && b = `1`]", 'a = b'])
    await expect(compileQuery(expression)).rejects.toThrow(
      /^.*is not a JMESPath expression.*(a single = does not compare|\[\?id == 'EXP'\])/s,
    );
  const value = { p: [{ id: 'a=b' }, { id: 'c' }] };
  for (const expression of [
    "p[?id == 'a=b']",
    'let $x = `"a=b"` in p[?id == $x]',
    '`{"type":"Binding"}` && p[:1]',
  ])
    expect((await compileQuery(expression))(value)).toEqual([{ id: 'a=b' }]);
});
