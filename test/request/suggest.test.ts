import fc from 'fast-check';
import { expect, test } from 'vitest';
import { COUNTRIES } from '../../src/contract/countries.ts';
import { countryFor, nearest } from '../../src/request/suggest.ts';

const FIELDS = ['sender', 'receiver', 'invoice', 'packages', 'items', 'customs'];

test.each([
  ['reciever', 'receiver'],
  ['Receiver', 'receiver'],
  ['recever', 'receiver'],
  ['package', 'packages'],
  ['item', 'items'],
  ['custms', 'customs'],
])('for %j, %j was meant', (given, meant) => {
  expect(nearest(given, FIELDS)).toBe(meant);
});

test.each(['weight', 'x', '', 'zzzzzzzz', 'constructor'])('for %j nothing is guessed', given => {
  expect(nearest(given, FIELDS)).toBeUndefined();
});

test('a word is nearest to itself, in whatever case', () => {
  fc.assert(
    fc.property(fc.constantFrom(...FIELDS), fc.func(fc.boolean()), (word, upper) => {
      const given = [...word].map((letter, at) => (upper(at) ? letter.toUpperCase() : letter)).join('');
      expect(nearest(given, FIELDS)).toBe(word);
    }),
  );
});

test.each([
  ['UK', 'GB'],
  ['uk', 'GB'],
  ['U.K.', 'GB'],
  ['England', 'GB'],
  ['United Kingdom', 'GB'],
  ['Great Britain', 'GB'],
  ['Germany', 'DE'],
  ['germany', 'DE'],
  [' Germany ', 'DE'],
  ['Germny', 'DE'],
  ['DEU', 'DE'],
  ['de', 'DE'],
  ['USA', 'US'],
  ['KSA', 'SA'],
  ['Turkey', 'TR'],
  ['Türkiye', 'TR'],
  ['Netherland', 'NL'],
  ['Austria', 'AT'],
  ['Austraia', 'AU'],
  ['EL', 'GR'],
])('%j is the country %s', async (given, code) => {
  expect(await countryFor(given)).toBe(code);
});

test.each(['', 'ZZ', 'qqq', '__proto__', 'constructor', 'toString', '12345'])(
  '%j is no country',
  async given => {
    expect(await countryFor(given)).toBeUndefined();
  },
);

test('whatever is suggested for a country is a code that passes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 12 }), async given => {
      const code = await countryFor(given);
      expect(code === undefined || COUNTRIES.has(code)).toBe(true);
    }),
  );
});
