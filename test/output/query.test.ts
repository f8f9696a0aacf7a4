import { expect, test } from 'vitest';
import { compileQuery } from '../../src/output/query.ts';

const runQuery = async (expression: string, value: unknown) => (await compileQuery(expression))(value);

test('the failure of a query that does not fit the answer never says that nothing was sent', async () => {
  const query = await compileQuery('length(price)');
  expect(() => query({ price: 5 })).toThrow(expect.objectContaining({ code: 'partial' }));
});

test('an expression of 4,096 bytes is accepted, however deep', async () => {
  expect(await runQuery('é'.repeat(2048), {}).catch(String)).toContain('unknown character');
  expect(await runQuery(`a${' '.repeat(4095)}`, { a: 1 })).toBe(1);
  expect(await runQuery(`${'!'.repeat(98)}a`, { a: true })).toBe(true);
  expect(await runQuery('('.repeat(4000), {}).catch(String)).toContain('nested too deeply');
  expect(await runQuery(`${'['.repeat(2000)}@${']'.repeat(2000)}`, {}).catch(String)).toContain('nested');
});

test.each([
  ['lists', Array(60).fill('[@,@]').join('|')],
  ['objects', Array(60).fill('{a:@,b:@}').join('|')],
])('a short query that makes %s without end is stopped', async (_, expression) => {
  const query = await compileQuery(expression);
  expect(() => query({ text: 'x' })).toThrow(
    expect.objectContaining({ code: 'partial', message: expect.stringContaining('would be too large') }),
  );
});

test('one = is only in `let`, where it is no comparison; quoted ones are text', async () => {
  for (const expression of ["p[?a = 'X']", "let $x = 'X' in p[?id = $x]", "p[?a == 'X' && b = `1`]", 'a = b'])
    await expect(compileQuery(expression)).rejects.toThrow(
      /^.*is not a JMESPath expression.*(a single = does not compare|== compares)/s,
    );
  const value = { p: [{ id: 'a=b' }, { id: 'c' }] };
  for (const expression of [
    "p[?id == 'a=b']",
    'let $x = `"a=b"` in p[?id == $x]',
    '`{"type":"Binding"}` && p[:1]',
  ])
    expect((await compileQuery(expression))(value)).toEqual([{ id: 'a=b' }]);
});
