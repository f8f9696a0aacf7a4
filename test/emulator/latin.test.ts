import fc from 'fast-check';
import { expect, test } from 'vitest';
import { latin } from '../../src/emulator/latin.ts';
import { runs } from '../torture/size.ts';

test.each([
  ['İğne Şişli ığ', 'Igne Sisli ig'],
  ['Łódź, Đặng Thị', 'L\xf3dz, Dang Thi'],
  ['王小明', 'WangXiaoMing'],
  ['Александр Щукин', 'Aleksandr Shchukin'],
  ['محمد الرياض', 'mhmd alryad'],
  ['김철수', 'GimCheolSu'],
  ['さくら', 'sakura'],
  ['Cafe\u0301 № 5 — 3 €', 'Caf\xe9 No 5 - 3 EUR'],
  ['two\nlines\u0007 here\u3000now', 'two lines here now'],
])('%s is written %s', (text, written) => {
  expect(latin(text)).toBe(written);
});

test('what has no writing in Latin letters is its code points', () => {
  expect(latin('\u3ab2明')).toBe('U+3AB2Ming');
  expect(latin('\ue000 \ud800 \ufffd')).toBe('U+E000 U+D800 U+FFFD');
});

test('text is Latin-1 of one line, with no question mark of its own, and never empty', () => {
  const letter = fc
    .integer({ min: 0xa1, max: 0x2ffff })
    .filter(code => /[\p{L}\p{N}\p{Co}]/u.test(String.fromCodePoint(code)))
    .map(code => String.fromCodePoint(code));
  fc.assert(
    fc.property(fc.string({ unit: letter, minLength: 1 }), text => {
      expect(latin(text)).toMatch(/^[\x20-\x3e\x40-\x7e\xa1-\xff]+$/);
    }),
    runs(2000),
  );
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), text => {
      expect(latin(text)).toMatch(/^[\x20-\x7e\xa1-\xac\xae-\xff]*$/);
    }),
    runs(2000),
  );
});
