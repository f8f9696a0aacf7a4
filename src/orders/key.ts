// What a key may be: text that every journal keeps as it was given, and that is shown on one line.
import { Failure } from '../errors.ts';
import { shellWord, shown } from '../text.ts';

/** Of UTF-8, because a database bounds what it indexes. */
const LONGEST_KEY = 1024;

/** Why a key is refused, for a sentence that begins with the key; `undefined` if it is not. */
export function keyFault(key: string): string | undefined {
  if (/\p{Cc}/u.test(key)) return 'holds a line break or another control character';
  // Two keys that lost different characters are one key, and the second order would never be booked.
  if (!key.isWellFormed())
    return 'is not text: it has half of a surrogate pair, which no journal can keep; write the key again';
  if (key.includes('\ufffd'))
    return 'holds U+FFFD, the sign for a character that was lost when the text was converted; write the key again, in UTF-8';
  const bytes = Buffer.byteLength(key);
  return bytes > LONGEST_KEY
    ? `has ${bytes} bytes, but at most ${LONGEST_KEY} are allowed; give a shorter key`
    : undefined;
}

/** What is seen of a key: the same for two keys that nobody can tell apart. */
export const seenKey = (key: string): string => key.replace(/\p{Cf}/gu, '').normalize('NFC');

/** Refuses the key of a command line. Throws `usage`. */
export function checkKey(key: string | undefined): void {
  if (key?.trim() === '')
    throw new Failure('usage', '--key is empty; give it a name of your own, such as an order number');
  const fault = key === undefined ? undefined : keyFault(key);
  if (fault !== undefined) throw new Failure('usage', `--key ${shown(key)} ${fault}; nothing was sent`);
}

/** Refuses the key of a new order, too, if a batch would read it as another key. Throws `usage`. */
export function checkNewKey(key: string | undefined): void {
  checkKey(key);
  if (key !== undefined && key !== key.trim())
    throw new Failure(
      'usage',
      `--key ${shown(key)} begins or ends with a blank, and would be another order than --key ${shellWord(key.trim())}; nothing was sent. Give it without the blank`,
    );
}
