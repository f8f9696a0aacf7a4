// Text in UTF-8 that was read as windows-1252 or as ISO 8859-1: `München` became `MÃ¼nchen`.

/** The characters of windows-1252 for the bytes 80 to 9f. */
const SIGNS = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

const UTF_8 = new TextDecoder('utf-8', { fatal: true });

// One misread letter of two or three bytes: the character of its first byte, then those of the others.
const MISREAD = new RegExp(
  `[\\u00c2-\\u00df][\\u0080-\\u00bf${SIGNS}]|[\\u00e0-\\u00ef][\\u0080-\\u00bf${SIGNS}]{2}`,
  'gu',
);

/** Letters of European languages, and punctuation. Other letters only seem to be misread, as where a capital meets a dash: `CAFÉ–BAR`. */
const USUAL = /^[\u00a0-\u017f\u0384-\u03ce\u0410-\u044f\u1e9e\u2010-\u2122]$/u;

/** The text as it was before it was misread; `undefined` if it was not misread. */
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
