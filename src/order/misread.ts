// Text that was UTF-8 and was read as windows-1252, or as ISO 8859-1: `München` as `MÃ¼nchen`.

/** The signs of windows-1252 for the bytes from 80 to 9f. */
const SIGNS = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

const UTF_8 = new TextDecoder('utf-8', { fatal: true });

// A letter of two or three bytes: the sign of the first byte, then those of the others.
const MISREAD = new RegExp(
  `[\\u00c2-\\u00df][\\u0080-\\u00bf${SIGNS}]|[\\u00e0-\\u00ef][\\u0080-\\u00bf${SIGNS}]{2}`,
  'gu',
);

/** Letters of European languages, and signs of punctuation. Others stand where a capital letter meets a dash: `CAFÉ–BAR`. */
const USUAL = /^[\u00a0-\u017f\u0384-\u03ce\u0410-\u044f\u1e9e\u2010-\u2122]$/u;

/** What the text was before it was read in the wrong way; `undefined` if it was not. */
export function readAgain(text: string): string | undefined {
  const meant = text.replace(MISREAD, letters => {
    const bytes = Array.from(letters, sign => {
      const at = SIGNS.indexOf(sign);
      return at < 0 ? sign.charCodeAt(0) : 0x80 + at;
    });
    try {
      const letter = UTF_8.decode(Uint8Array.from(bytes));
      return USUAL.test(letter) ? letter : letters;
    } catch {
      return letters;
    }
  });
  return meant === text ? undefined : meant;
}
