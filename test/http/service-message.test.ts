import fc from 'fast-check';
import { expect, test } from 'vitest';
import { issuesOf, serviceMessage } from '../../src/http/service-message.ts';
import { parseJson } from '../../src/json.ts';
import { runs } from '../torture/size.ts';

const LISTS = ['errors', 'details', 'issues', 'violations', 'fields', 'message', 'error', 'data'];
const NAMES = [
  ...LISTS,
  'path',
  'field',
  'loc',
  'name',
  'detail',
  'title',
  '__proto__',
  'constructor',
  'toString',
];

/** JSON that looks like the error bodies of services, which random JSON never does. */
const errorBody = fc.letrec(tie => ({
  value: fc.oneof(
    { maxDepth: 6 },
    fc.jsonValue(),
    fc.string(),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...NAMES), tie('value'), { maxKeys: 4 }),
  ),
})).value;

test('the message of any body is one line of bounded length', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        errorBody.map(json => JSON.stringify(json)),
        fc.string({ unit: 'binary' }),
      ),
      text => {
        const words = serviceMessage(text);
        expect(words.length).toBeLessThanOrEqual(401);
        expect(words).not.toMatch(/[\n\r\t]/);
        expect(words).toBe(words.trim());
      },
    ),
    runs(500),
  );
});

test('the issues of any body are a bounded list of paths with messages', () => {
  fc.assert(
    fc.property(errorBody, json => {
      const issues = issuesOf(json);
      expect(issues.length).toBeLessThanOrEqual(50);
      for (const { path, message } of issues) {
        expect(path.length).toBeLessThanOrEqual(401);
        expect(message).not.toBe('');
        expect(message.length).toBeLessThanOrEqual(401);
      }
    }),
    runs(500),
  );
});

test.each([
  [{ message: 'Zip code is not valid' }, 'Zip code is not valid'],
  [{ error: 'Unauthorized' }, 'Unauthorized'],
  [{ error: { code: 'E1', message: 'No contract' } }, 'No contract'],
  [
    { statusCode: 400, message: ['a must be text', 'b is missing'], error: 'Bad Request' },
    'a must be text; b is missing',
  ],
  [
    { type: 'about:blank', title: 'Not valid', detail: 'weight is too high', status: 422 },
    'weight is too high',
  ],
  [{ title: 'Not valid', status: 422 }, 'Not valid'],
  [{ error: 'invalid_token', error_description: 'The token expired' }, 'The token expired'],
  [{ success: false, error: null, message: 'Carrier is closed' }, 'Carrier is closed'],
  [{ success: false, data: { message: 'Carrier is closed' } }, 'Carrier is closed'],
  [
    {
      errors: [
        { field: 'a', message: 'is short' },
        { field: 'b', msg: 'is long' },
      ],
    },
    'is short; is long',
  ],
  [{ errors: { zipCode: ['is required'] } }, 'zipCode: is required'],
  [{ detail: [{ loc: ['body', 'weight'], msg: 'field required' }] }, 'field required'],
  [['one', 'two'], 'one; two'],
  ['just text', 'just text'],
  [{ message: '  two\n  lines ' }, 'two lines'],
  [{ message: '' }, ''],
  [{}, ''],
  [null, ''],
  [42, ''],
])('the message of %j is %j', (body, words) => {
  expect(serviceMessage(JSON.stringify(body))).toBe(words);
});

test.each([
  ['Service Unavailable\n', 'Service Unavailable'],
  ['<html><head><title>502 Bad Gateway</title></head><body>…', 'a web page: 502 Bad Gateway'],
  ['<!DOCTYPE html><body><h1>Not here</h1>', 'a web page: Not here'],
  ['<html><body>', 'a web page in place of an answer'],
  ['  <?xml version="1.0"?><Error/>', 'a web page in place of an answer'],
  ['{"message":"cut', '{"message":"cut'],
  ['', ''],
])('the message of the text %j is %j', (text, words) => {
  expect(serviceMessage(text)).toBe(words);
});

test('a long message is cut, also in issues', () => {
  const long = 'x'.repeat(5000);
  const [issue] = issuesOf({ errors: [{ path: long, message: `${long}\n${long}` }] });
  expect(issue?.path).toHaveLength(401);
  expect(issue?.message).toHaveLength(401);
  expect(serviceMessage(JSON.stringify({ message: 'é'.repeat(500) }))).toBe(`${'é'.repeat(400)}…`);
});

test.each([
  [
    { errors: [{ path: 'receiver.zip', message: 'is short' }] },
    [{ path: 'receiver.zip', message: 'is short' }],
  ],
  [
    { details: [{ path: ['items', 0, 'hsCode'], message: 'is required' }] },
    [{ path: 'items.0.hsCode', message: 'is required' }],
  ],
  [
    { detail: [{ loc: ['body', 'weight'], msg: 'field required' }] },
    [{ path: 'body.weight', message: 'field required' }],
  ],
  [
    { error: { message: 'no', errors: [{ field: 'zip', reason: 'is short' }] } },
    [{ path: 'zip', message: 'is short' }],
  ],
  [{ errors: { zipCode: ['is short', 'is odd'] } }, [{ path: 'zipCode', message: 'is short; is odd' }]],
  [{ errors: { zipCode: 'is short' } }, [{ path: 'zipCode', message: 'is short' }]],
  [{ errors: [{ path: [{ toString: 1 }], message: 'is odd' }] }, []],
  [{ errors: ['zip is short'] }, []],
  [{ message: 'no' }, []],
  ['no', []],
])('the issues of %j', (body, issues) => {
  expect(issuesOf(body)).toEqual(issues);
});

test('a deeply nested body is treated as text', () => {
  for (const [open, close] of [
    ['[', ']'],
    ['{"error":', '}'],
  ] as const) {
    const deep = `${open.repeat(200_000)}1${close.repeat(200_000)}`;
    expect(parseJson(deep)).toBeUndefined();
    expect(serviceMessage(deep).length).toBeLessThanOrEqual(401);
  }
  expect(parseJson(`${'['.repeat(100)}${']'.repeat(100)}`)).toBeDefined();
});

test('a page that is made to be slow to parse is parsed in time', () => {
  expect(serviceMessage('<title'.repeat(300_000))).toBe('a web page in place of an answer');
});
