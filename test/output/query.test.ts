import { expect, test } from 'vitest';
import { compileQuery } from '../../src/output/query.ts';

const runQuery = async (expression: string, value: unknown) => (await compileQuery(expression))(value);

test('a query selects a part of the value', async () => {
  expect(
    await runQuery('prices[?valid].carrier | [0]', {
      prices: [{ carrier: 'A' }, { carrier: 'B', valid: true }],
    }),
  ).toBe('B');
  expect(await runQuery('missing', {})).toBe(null);
  expect(await runQuery('@', undefined)).toBe(null);
});

test.each([
  ['a b', 'unexpected token type: UnquotedIdentifier, value: b; at character 3 (b)'],
  ['a..b', 'at character 3 (.b)'],
  ['prices[?', 'it ends too early'],
  ['', 'it ends too early'],
  ['nope(@)', 'Unknown function: nope()'],
  ['a[].{x: nope(b)}', 'Unknown function: nope()'],
  ['('.repeat(20_000), 'it is nested too deeply'],
  ['sort_by(@)', 'Invalid arity: sort_by()'],
])('the invalid expression %j is refused before anything is sent', async (expression, says) => {
  await expect(compileQuery(expression)).rejects.toMatchObject({ code: 'usage', exitCode: 2 });
  await expect(compileQuery(expression)).rejects.toThrow(says);
});

test('valid calls are accepted, whatever their arguments will be', async () => {
  for (const expression of [
    'length(@)',
    'sort_by(@, &price)',
    "join(',', @)",
    'not_null(a, b)',
    '`{"type": "Function"}`',
  ])
    await expect(compileQuery(expression)).resolves.toBeTypeOf('function');
});

test('the failure of a query that does not fit the answer never says that nothing was sent', async () => {
  const query = await compileQuery('length(price)');
  expect(() => query({ price: 5 })).toThrow(expect.objectContaining({ code: 'partial' }));
});
