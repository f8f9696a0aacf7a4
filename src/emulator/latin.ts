import anyAscii from 'any-ascii';

// A Han character stands for a word or a part of one, so each must leave something.
const FOREIGN = /\p{Script=Han}|[^\x20-\x7e\xa1-\xac\xae-\xff\p{Script=Han}]+/gu;
const HIDDEN = /^[\p{M}\p{Cf}]+$/u;
const PUNCTUATION = /\p{P}/u;

/**
 * Text as one line of Latin-1, which is what the fonts of a PDF have: other scripts are written in Latin letters, and what
 * has no such writing as its code points (`U+3AB2`). Empty only if nothing of the text can be seen.
 */
export const latin = (text: string): string =>
  text
    .normalize('NFC')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .replace(FOREIGN, run => {
      const characters = [...run];
      return (
        characters.map(written).join('') || (HIDDEN.test(run) ? '' : characters.map(codePoint).join(' '))
      );
    })
    .replace(/ +/g, ' ')
    .trim();

// The library leaves out the alef, and writes a question mark also for letters of which nobody knows the sound.
const ALEF = '\u0627';
const written = (character: string): string => {
  if (character === ALEF) return 'a';
  const ascii = anyAscii(character);
  return ascii.includes('?') && !PUNCTUATION.test(character) ? codePoint(character) : ascii;
};

const codePoint = (character: string): string =>
  `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`;
