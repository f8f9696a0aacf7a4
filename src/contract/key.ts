// Keys, the names that users give to their orders: which keys are allowed, and which keys count as the same.

/** In bytes of UTF-8: a database limits the length of what it indexes. */
const LONGEST_KEY = 1024;

const PRINTABLE_ASCII = /^[!-~]+$/;

/** Characters that look like `-`; NFKC turns some other characters into these. */
const DASHES = /[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]/g;
/** A braille pattern without dots looks like a blank, but Unicode does not count it among the blanks. */
const BLANKS = /[\s\u2800]+/g;

/**
 * The form in which keys are compared: keys that look the same, or that a spreadsheet makes the same, have one identity. `00123` and
 * `123`, `ORDER  1` and `ORDER 1`, `A–1` and `A-1`, `Müller-1` with a composed and a decomposed `ü`. Case counts.
 */
export function keyIdentity(key: string): string {
  // step: identity of a key asked
  const text = PRINTABLE_ASCII.test(key)
    ? key
    : key
        .normalize('NFKC')
        .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
        // Normalized once more: a letter and its mark may stand side by side only now.
        .normalize('NFKC')
        .replace(DASHES, '-')
        .replace(BLANKS, ' ')
        .trim();
  return /^0[0-9]+$/.test(text) ? text.replace(/^0+(?=[0-9])/, '') : text;
}

export const isSameKey = (first: string | null | undefined, second: string | null | undefined): boolean =>
  typeof first === 'string' && typeof second === 'string' && keyIdentity(first) === keyIdentity(second);

/** The beginning of the identity of every key that begins with this text. */
export function identityBeginning(beginning: string): string {
  const identity = keyIdentity(beginning);
  return identity === '0' ? '' : identity;
}

/** Why a key is refused, for a sentence that begins with the key; `undefined` if the key is allowed. */
export function keyFault(key: string): string | undefined {
  if (/\p{Cc}/u.test(key)) return 'holds a line break or another control character';
  // Two keys that lost different characters would count as one key, and the second order would never be booked.
  if (!key.isWellFormed())
    return 'is not text: it has half of a surrogate pair, which no journal can keep; write the key again';
  if (key.includes('\ufffd'))
    return 'holds U+FFFD, the sign for a character that was lost when the text was converted; write the key again, in UTF-8';
  const identity = keyIdentity(key);
  if (identity === '')
    return 'has no character that can be seen; give a name of your own, such as an order number';
  const bytes = Math.max(Buffer.byteLength(key), Buffer.byteLength(identity));
  return bytes > LONGEST_KEY
    ? `has ${bytes} bytes, but at most ${LONGEST_KEY} are allowed; give a shorter key`
    : undefined;
}

/**
 * Why a key is no name for a new order: a spreadsheet has rounded the number that it was, so that several orders have it
 * now. For a sentence that begins with the key.
 */
export const mangledKeyFault = (key: string): string | undefined => {
  const identity = keyIdentity(key);
  return /^[0-9]+(?:[.,][0-9]+)?e\+?[0-9]+$/i.test(identity) || /^[0-9]{14,}000$/.test(identity)
    ? 'looks like a number that a spreadsheet has rounded, so that other orders may have the same; give the order number as it was, from the file as the shop wrote it'
    : undefined;
};
