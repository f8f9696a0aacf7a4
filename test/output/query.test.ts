import { expect, test } from 'vitest';
import { compileQuery } from '../../src/output/query.ts';
import { FULL } from '../torture/size.ts';

const runQuery = async (expression: string, value: unknown) => (await compileQuery(expression))(value);

test('the failure of a query that does not fit the answer never says that nothing was sent', async () => {
  const query = await compileQuery('length(price)');
  expect(() => query({ price: 5 })).toThrow(expect.objectContaining({ code: 'partial' }));
});

test('an expression of 4,096 bytes or 100 levels is accepted', async () => {
  expect(await runQuery('é'.repeat(2048), {}).catch(String)).toContain('unknown character');
  expect(await runQuery(`a${' '.repeat(4095)}`, { a: 1 })).toBe(1);
  expect(await runQuery(`${"'('||".repeat(90)}a`, {})).toBe('(');
  expect(await runQuery(`${'!'.repeat(98)}a`, { a: true })).toBe(true);
});

const ENDLESS = [
  ['lists of lists', Array(60).fill('[@,@]').join('|'), 'its result would be too large'],
  ['lists that grow', Array(60).fill('[@,@][]').join('|'), 'its result would be too large'],
  ['objects', Array(60).fill('{a:@,b:@}').join('|'), 'its result would be too large'],
  ['texts that grow', `[text]${"|[join('',@),join('',@)]".repeat(60)}`, 'its result would be too large'],
  ['in let', `let $x = text in ${Array(40).fill('[@,@]').join('|')}`, 'its result would be too large'],
  ['padding', "pad_left('a', `500000000`)", 'pad_left() takes numbers up to 1000000 here'],
  ['repeated replacement', "replace('a', 'b', 'c', `900000000`)", 'replace() takes numbers up to'],
  ['trimming', 'trim(blanks)', 'trim() takes texts of up to 10000 characters here'],
  ['functions', 'map(&map(&map(&map(&@, $.list), $.list), $.list), list)', 'it takes too long'],
];
// It takes seconds until these are stopped.
const ENDLESS_SLOWLY = [
  ['loops', 'list[].[$.list[].[$.list[].[$.list[].[@]]]]', 'it takes too long'],
  ['functions in let', 'let $l = list in map(&map(&map(&map(&@, $l), $l), $l), $l)', 'it takes too long'],
];

// Each of them is short, and would make or do so much that the process hangs or dies.
test.each([...ENDLESS, ...(FULL ? ENDLESS_SLOWLY : [])] as [string, string, string][])(
  'a query that never ends is stopped: %s',
  async (_, expression, says) => {
    const value = {
      text: 'x',
      blanks: `${' '.repeat(20_000)}x`,
      list: Array.from({ length: 1000 }, (_one, index) => index),
    };
    const query = await compileQuery(expression);
    expect(() => query(value)).toThrow(
      expect.objectContaining({ code: 'partial', message: expect.stringContaining(says) }),
    );
  },
);

test('a large value may be queried as a whole', async () => {
  const rows = Array.from({ length: 50_000 }, (_, at) => ({ at, key: `K-${at}`, price: { amount: at % 7 } }));
  expect(
    await runQuery('length(sort_by(@, &price.amount)[?price.amount > `3`].{k: key, p: price.amount})', rows),
  ).toBe(21_428);
});

// What people write who come from the AWS CLI, and what a shell makes of it.
test.each([
  [
    'a shell that ran `10` as a command',
    'p[?price > ].id',
    "in single quotes: --query 'p[?price > `10`].id'",
  ],
  ['a shell that ran `true` as a command', 'p[?valid==]', "--query 'p[?valid== `true`]'"],
  ['the same before a further condition', 'p[?valid == && id]', "--query 'p[?valid == `true`&& id]'"],
  ['a number without backticks', 'p[?price <= 12.5].id', "--query 'p[?price <= `12.5`].id'"],
  ['text in backticks', 'p[?id==`EXP`].id', 'plain text goes in single quotes: --query "p[?id==\'EXP\'].id"'],
  ['typographic quotes', 'p[?id == \u2018EXP\u2019]', '--query "p[?id == \'EXP\']"'],
  ['one = in place of two', "p[?id = 'a=b']", 'JMESPath compares with ==: --query "p[?id == \'a=b\']"'],
  [
    'one = before a number',
    'p[?price=12.5 && weight >= `2`]',
    "--query 'p[?price== `12.5` && weight >= `2`]'",
  ],
  ['a path of jq', '.p[0].id', "--query 'p[0].id'"],
])('an expression with %s gets the one that works in a shell', async (_, expression, says) => {
  const { message } = await compileQuery(expression).catch(error => error);
  expect(message).toContain('is not a JMESPath expression');
  expect(message).toContain(says);
  const fixed = /--query (?:'([^']+)'|"([^"]+)")$/.exec(message);
  await expect(compileQuery(fixed?.[1] ?? fixed?.[2] ?? '(')).resolves.toBeTypeOf('function');
});

test('one = is only in `let`, where it is no comparison; quoted ones are text', async () => {
  for (const expression of ["p[?a = 'X']", "let $x = 'X' in p[?id = $x]", "p[?a == 'X' && b = `1`]", 'a = b'])
    await expect(compileQuery(expression)).rejects.toThrow(
      /a single = does not compare|JMESPath compares with ==/,
    );
  const value = { p: [{ id: 'a=b' }, { id: 'c' }] };
  for (const expression of [
    "p[?id == 'a=b']",
    'let $x = `"a=b"` in p[?id == $x]',
    '`{"type":"Binding"}` && p[:1]',
  ])
    expect((await compileQuery(expression))(value)).toEqual([{ id: 'a=b' }]);
});
