import fc from 'fast-check';
import { expect, test } from 'vitest';
import { safe, safeJson, safeLines } from '../../src/output/text.ts';

const text = fc.string({ unit: 'binary' });
// Lone surrogates and unsafe characters, which a random string seldom has.
const nasty = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      '\x1b',
      '[',
      'm',
      '\x9b',
      '\x7f',
      '\u202e',
      '\u200b',
      '\u2066',
      '\ufeff',
      '\u2028',
      '\ud800',
      '\udc00',
    ),
    fc.integer({ min: 0, max: 0xffff }).map(code => String.fromCharCode(code)),
  ),
});
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
const BIDI = /[\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/;

test('safe text has no control, bidi or invisible character, and no half of a surrogate pair', () => {
  fc.assert(
    fc.property(fc.oneof(text, nasty), given => {
      const shown = safe(given);
      expect(shown).not.toMatch(CONTROL);
      expect(shown).not.toMatch(BIDI);
      expect(shown).not.toMatch(/\p{Cs}/u);
      expect(safe(shown)).toBe(shown);
    }),
  );
});

test('safe text keeps letters of every script, and spaces between words', () => {
  expect(safe('Łódź 東京 Ελλάδα 📦 שלום')).toBe('Łódź 東京 Ελλάδα 📦 שלום');
  expect(safe('one\r\ntwo\tthree\u2028four')).toBe('one two three four');
});

test('an escape sequence becomes harmless text', () => {
  expect(safe('\x1b[31mred\x1b]0;title\x07')).toBe('[31mred]0;title');
  expect(safe('gnp.\u202eexe')).toBe('gnp.exe');
});

test('safe lines keep their line feeds and no other control character', () => {
  expect(safeLines('a\nb\r\nc\x1bd')).toBe('a\nb\ncd');
});

test('safe JSON parses to the same value and shows no control or bidi character', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.jsonValue({ stringUnit: 'binary' }), nasty, fc.dictionary(nasty, nasty)),
      value => {
        const json = safeJson(value);
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(json).not.toMatch(CONTROL);
        expect(json).not.toMatch(/[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\p{Cs}]/u);
      },
    ),
  );
});

test('safe JSON of undefined is null', () => {
  expect(safeJson(undefined)).toBe('null');
});
