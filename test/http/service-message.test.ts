import { expect, test } from 'vitest';
import { issuesOf, serviceMessage } from '../../src/http/service-message.ts';

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
  [{ error: 'invalid_token', error_description: 'The token expired' }, 'The token expired'],
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
  [{}, ''],
  [42, ''],
])('the message of %j is %j', (body, words) => {
  expect(serviceMessage(JSON.stringify(body))).toBe(words);
});

test.each([
  ['Service Unavailable\n', 'Service Unavailable'],
  ['<html><head><title>502 Bad Gateway</title></head><body>…', 'a web page: 502 Bad Gateway'],
  ['<!DOCTYPE html><body><h1>Not here</h1>', 'a web page: Not here'],
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
  [{ errors: [{ path: [{ toString: 1 }], message: 'is odd' }] }, []],
  [{ errors: ['zip is short'] }, []],
  [{ message: 'no' }, []],
])('the issues of %j', (body, issues) => {
  expect(issuesOf(body)).toEqual(issues);
});

test('a body that is made to be slow or deep is told in short', () => {
  expect(serviceMessage('<title'.repeat(300_000))).toBe('a web page in place of an answer');
  for (const open of ['[', '{"error":']) {
    const deep = `${open.repeat(200_000)}1${(open === '[' ? ']' : '}').repeat(200_000)}`;
    expect(serviceMessage(deep).length).toBeLessThanOrEqual(401);
  }
});
