import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseStrictJson } from '../../src/json.ts';
import { readJsonObject } from '../../src/request/read-json.ts';

const read = (text: string | Uint8Array) => readJsonObject(Buffer.from(text), 'order.json');
const refusal = (text: string | Uint8Array) => {
  try {
    read(text);
  } catch (error) {
    return error;
  }
  return undefined;
};

test('an object is parsed with or without a byte order mark', () => {
  expect(read('{"a":"ü"}')).toEqual({ a: 'ü' });
  expect(read('\uFEFF{"a":1}\r\n')).toEqual({ a: 1 });
});

test.each([
  ['', 'order.json is empty, but must be one JSON object; nothing was sent'],
  ['\uFEFF \n', 'order.json is empty, but must be one JSON object; nothing was sent'],
  ['[{"a":1}]', 'order.json holds a list, but must be one JSON object; nothing was sent'],
  ['"a"', 'order.json holds a bare value, but must be one JSON object; nothing was sent'],
  ['null', 'order.json holds a bare value, but must be one JSON object; nothing was sent'],
  ['{"a":1', 'order.json is not JSON: '],
  ["{'a':1}", 'order.json is not JSON: '],
  ['{"a":1,}', 'order.json is not JSON: '],
  ['{"a":NaN}', 'order.json is not JSON: '],
])('a file that contains %j is refused', (text, message) => {
  expect(refusal(text)).toMatchObject({ code: 'invalid_request', message: expect.stringContaining(message) });
});

test.each([
  ['Latin-1', Buffer.from('{"city":"Münster"}', 'latin1')],
  ['UTF-16', Buffer.from('\uFEFF{"a":1}', 'utf16le')],
])('a file in %s is refused, and the message asks for UTF-8', (_, bytes) => {
  expect(refusal(bytes)).toMatchObject({
    code: 'invalid_request',
    message: expect.stringMatching(
      /^order\.json is not UTF-8 text: save it in that encoding\. The first other byte is byte \d+ of it, in line 1; nothing was sent$/,
    ),
  });
});

test('every repeated field is reported with its path, because one value would be lost', () => {
  const text = `{
    "type": "package", "items": [{ "hsCode": "1" }, { "hsCode": "2", "hsCode" : "3" }],
    "receiver": { "address": { "city": "a\\"{b", "city": "c" }, "phone": {} },
    "ty\\u0070e": "document", "receiver": {}
  }`;
  expect(refusal(text)).toMatchObject({
    code: 'invalid_request',
    facts: {
      issues: ['items[].hsCode', 'receiver.address.city', 'type', 'receiver'].map(path => ({
        path,
        message: 'is given twice in one object',
      })),
    },
  });
});

test('the same name in another object, or as a value, is no repeated field', () => {
  const text = '{"a":{"a":"a"},"b":[{"a":1},{"a":2},"a","a"],"c":"\\"a\\":1,\\"a\\":2"}';
  expect(read(text)).toEqual(JSON.parse(text));
});

const json = fc.jsonValue({ maxDepth: 4 });
const LAYOUTS = [undefined, 2, '\t'];

test('every output of JSON.stringify is parsed as JSON.parse does', () => {
  fc.assert(
    fc.property(fc.oneof(json, fc.json()), fc.constantFrom(...LAYOUTS), (given, layout) => {
      const text = JSON.stringify(given, null, layout);
      expect(parseStrictJson(text)).toEqual({ value: JSON.parse(text), repeated: [] });
    }),
  );
});

test('a repeated name is found at any place and with any characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), json, json, json, (name, one, two, between) => {
      const key = JSON.stringify(name);
      const text = `[{${key}:${JSON.stringify(one)},"_${key.slice(1)}:${JSON.stringify(between)},${key} :${JSON.stringify(two)}}]`;
      expect(parseStrictJson(text).repeated).toHaveLength(1);
    }),
  );
});

test('extremely deep nesting is refused and does not crash', () => {
  const deep = (levels: number) => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;
  expect(refusal(deep(10_000))).toMatchObject({
    code: 'invalid_request',
    message: 'order.json is not JSON: it is nested more than 100 levels deep; nothing was sent',
  });
  expect(refusal(`${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`)).toMatchObject({
    code: 'invalid_request',
  });
  expect(read(deep(99))).toHaveProperty('a');
});

test('a long text is parsed', () => {
  const text = 'x\\"'.repeat(1_000_000);
  expect(Object.keys(read(`{"a":"${text}"}`))).toEqual(['a']);
});

test('a field named __proto__ stays a field', () => {
  const given = read('{"__proto__":{"polluted":1}}');
  expect(Object.keys(given)).toEqual(['__proto__']);
  expect(Object.getPrototypeOf(given)).toBe(Object.prototype);
});
