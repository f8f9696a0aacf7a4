import { expect, test } from 'vitest';
import { parseToken } from '../../src/emulator/tokens.ts';

test('a token without a list has all scopes', () => {
  expect(parseToken('demo')).toEqual(['demo', 'all']);
});

test('a token is split from its scopes at the first colon', () => {
  expect(parseToken('tok:shipment:write, shipment:label')).toEqual([
    'tok',
    new Set(['shipment:write', 'shipment:label']),
  ]);
});

test('a token with an empty list has no scope', () => {
  expect(parseToken('tok:')).toEqual(['tok', new Set()]);
});

test.each(['', ':shipment:write', 'two words'])('%j is no token', written => {
  expect(() => parseToken(written)).toThrow('TOKEN:SCOPE,SCOPE');
});
