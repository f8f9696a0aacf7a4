import { expect, test } from 'vitest';
import { issuesOf, serviceMessage } from '../../src/service/response.ts';

const field = (path: unknown, message: unknown) => ({ path, message });

test.each([
  [{ error: 'Unauthorized' }, 'Unauthorized'],
  [{ error: { code: 'E1', message: 'No contract' } }, 'No contract'],
  [
    { statusCode: 400, message: ['a is text', 'b is missing'], error: 'Bad Request' },
    'a is text; b is missing',
  ],
  [{ type: 'about:blank', title: 'Not valid', detail: 'it is too high', status: 422 }, 'it is too high'],
  [{ success: false, data: { message: 'Carrier is closed' } }, 'Carrier is closed'],
  [{ errors: [field('a', 'is short'), { field: 'b', msg: 'is long' }] }, 'is short; is long'],
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
  ['  <?xml version="1.0"?><Error/>', 'a web page'],
])('the message of the text %j is %j', (text, words) => {
  expect(serviceMessage(text)).toBe(words);
});

test.each([
  [{ errors: [field('receiver.zip', 'is short')] }, [field('receiver.zip', 'is short')]],
  [{ details: [field(['items', 0, 'hsCode'], 'is odd')] }, [field('items.0.hsCode', 'is odd')]],
  [{ detail: [{ loc: ['body', 'weight'], msg: 'is odd' }] }, [field('body.weight', 'is odd')]],
  [{ error: { message: 'no', errors: [{ field: 'zip', reason: 'is odd' }] } }, [field('zip', 'is odd')]],
  [{ errors: { zipCode: ['is short', 'is odd'] } }, [field('zipCode', 'is short; is odd')]],
  [{ errors: [field([{ toString: 1 }], 'is odd')] }, []],
  [{ errors: ['zip is short'] }, []],
  [{ message: 'no' }, []],
])('the issues of %j', (body, issues) => {
  expect(issuesOf(body)).toEqual(issues);
});

test('a message that is long, and a body that is made to be slow or deep, are told in short', () => {
  const long = 'é'.repeat(5000);
  const [issue] = issuesOf({ errors: [field(long, `${long}\n${long}`)] });
  const short = `${'é'.repeat(400)}…`;
  const told = serviceMessage(JSON.stringify({ message: long }));
  expect([issue?.path, issue?.message, told]).toEqual([short, short, short]);
  expect(serviceMessage('<title'.repeat(300_000))).toBe('a web page');
  for (const open of ['[', '{"error":']) {
    const deep = `${open.repeat(200_000)}1${(open === '[' ? ']' : '}').repeat(200_000)}`;
    expect(serviceMessage(deep).length).toBeLessThanOrEqual(401);
  }
});
