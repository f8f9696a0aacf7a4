// How a secret is masked, and what is taken for a secret.
import { isLabel } from './contract/content.ts';
import { isRecord } from './contract/paths.ts';
import { parseJson } from './json.ts';

export const MASK = '••••';

/** A copy of a JSON value with `mask` in place of the fields that `isSecret` names; `text` changes all other text. */
export function maskFields(
  value: unknown,
  isSecret: (name: string, value: unknown) => boolean,
  mask = MASK,
  text = (written: string) => written,
): unknown {
  const masked = (inner: unknown) => maskFields(inner, isSecret, mask, text);
  if (typeof value === 'string') return text(value);
  if (Array.isArray(value)) return value.map(masked);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, isSecret(name, inner) ? mask : masked(inner)]),
  );
}

/** Text with the user name and the password of each address in it masked. */
export const maskAddresses = (text: string): string =>
  text.replace(/\b(https?:\/\/)[^\s/?#"]+@/gi, `$1${MASK}@`);

// A challenge such as `www-authenticate` is no secret, and explains a 401.
const NAMES = 'auth(?!enticate$)|token|secret|cookie|credential|passw|session|[^"\\s]key';
const SECRET_FIELD = new RegExp(NAMES, 'i');
const SECRET_HEADER = new RegExp(`^key|${NAMES}`, 'i');
// For text that is not JSON, such as one half of a JSON text: a pattern of the name, then of as much of the value as there is.
const VALUE = '(?:"[^"\\\\]*(?:\\\\[^][^"\\\\]*)*(?:"|\\\\?$)|[[{][^]*|[^\\s",}\\]]+)';
const SECRET_TEXT = new RegExp(`("[^"\\\\]{0,99}(?:${NAMES})[^"\\\\]{0,99}"\\s*:\\s*)${VALUE}`, 'gi');
// Strings that are no name of a secret match as a whole, so that quotes in them do not shift the next match.
const SECRET_IN_STEP = new RegExp(`${SECRET_TEXT.source}|"[^"\\\\]*(?:\\\\[^][^"\\\\]*)*"?`, 'gi');
/** The least characters of a credential that is masked inside other text. A shorter one may occur by chance: it must be the whole text. */
const SHORTEST_ANYWHERE = 8;
/** A credential with fewer characters may be the code of a country or a currency, and is not masked in an answer. */
const SHORTEST = 4;

const ID = /(^|_)(id|ID|uuid)$|[a-z](Id|ID)$|[nN]umber$/;

/**
 * Characters that are removed before a text is shown, or that no terminal shows. A secret with such characters between its
 * letters would be shown as it is. A line break is shown as a space.
 */
const UNSEEN = /(?![\t\n\v\f\r\u0085])[\p{Cc}\p{Cf}\p{Cs}\p{DI}]/gu;
/** Nearly all texts match this pattern, so that the pattern above, which takes a millisecond to compile, is not needed for them. */
const ALL_SEEN = /^[\t\n\v\f\r -~]*$/;
const withoutUnseen = (text: string): string => (ALL_SEEN.test(text) ? text : text.replace(UNSEEN, ''));

/** A pattern of a character that is no letter or digit: as it is, or escaped for JSON (even JSON within JSON), a web page or a URL. */
function signPattern(sign: string): string {
  const literal = `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const inUrl = Buffer.from(sign).toString('hex').replace(/../g, '%$&');
  return `(?:\\\\{0,3}${literal}|\\\\{1,3}u[\\da-f]{4}|&#?\\w{2,8};|${inUrl}${sign === ' ' ? '|\\+' : ''})`;
}

/** A pattern of a secret as text, in whatever form its characters are escaped. */
const textPattern = (secret: string): string =>
  // Backslashes in a row are one piece of the pattern: as single pieces they would match in too many ways.
  secret.replace(/\\+|[^A-Za-z0-9]/g, signs =>
    signs.startsWith('\\') ? `(?:\\\\|%5c){${signs.length},${4 * signs.length}}` : signPattern(signs),
  );

/** A pattern of a secret within base64. `before`: how many other bytes precede the secret in its group of three, whatever they are. */
function base64Pattern(secret: string, before: number): string {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
  const own = bytes.toString('base64').slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6));
  const letters = own.replace(/[+/]/g, sign => `(?:[-_]|${signPattern(sign)})`);
  // If nothing follows the secret in the base64, its last bits and the padding match, too.
  return `${letters}(?:[\\w+/-]?={0,2}(?![\\w+/=-]))?`;
}

/** Patterns of a secret in which each character is written as a number. */
function numberPatterns(secret: string): string[] {
  const hex = Buffer.from(secret).toString('hex');
  const codes = secret.split('').map(char => char.charCodeAt(0));
  return [
    hex,
    hex.replace(/../g, '%$&'),
    codes.map(code => `\\\\{1,3}u${code.toString(16).padStart(4, '0')}`).join(''),
    codes.map(code => `&#(?:0*${code}|x0*${code.toString(16)});`).join(''),
  ];
}

/** The parts of a credential that are secrets of their own: a token without its scheme, a password without its user. */
function secretParts(credential: string): string[] {
  const words = credential.split(/\s+/);
  const [scheme = '', given = ''] = words;
  const pair = /^basic$/i.test(scheme) ? Buffer.from(given, 'base64').toString() : '';
  return [credential, ...(words.length > 1 ? words.slice(1) : []), pair, pair.replace(/^[^:]*:/, '')];
}

export type Redactor = ReturnType<typeof createRedactor>;

/**
 * Makes an exchange fit to be shown. Fields and headers that are named like a secret are masked, and so are the
 * credentials of the request (its headers, by name) in any place, because some services repeat them.
 */
export function createRedactor(credentials: Readonly<Record<string, string>>) {
  const given = Object.values(credentials).flatMap(secretParts);
  const secrets = [...new Set([...given, ...given.map(withoutUnseen)])];
  const known = secrets.filter(secret => secret.length >= SHORTEST_ANYWHERE);
  const short = secrets.filter(secret => secret.length >= SHORTEST && secret.length < SHORTEST_ANYWHERE);
  const patterns = known
    .sort((first, second) => second.length - first.length)
    .flatMap(secret => [
      textPattern(secret),
      ...[0, 1, 2].map(before => base64Pattern(secret, before)),
      ...numberPatterns(secret),
    ]);
  const pattern = patterns.length === 0 ? undefined : new RegExp(patterns.join('|'), 'gi');

  const text = (written: string) => {
    if (pattern === undefined) return written;
    const masked = written.replace(pattern, MASK);
    const shown = withoutUnseen(masked);
    return shown === masked || shown.search(pattern) < 0 ? masked : shown.replace(pattern, MASK);
  };
  /** May a JSON text have something to mask? It may escape letters, digits and unseen characters. */
  const mayRepeat = (written: string) =>
    (pattern !== undefined && (/\\[bu]/.test(written) || withoutUnseen(written).search(pattern) >= 0)) ||
    short.some(secret => withoutUnseen(written).includes(secret));
  /** Does a field keep its id? An id stays if only a part of it is a credential, such as the name of an account. */
  const isKept = (name: string, value: unknown) =>
    ID.test(name) && !isRecord(value) && /^\S+$/.test(String(value)) && text(String(value)) !== MASK;
  const ofText = (written: string): string => {
    if (short.includes(withoutUnseen(written))) return MASK;
    const masked = text(written);
    // A label may have a text that looks like the name of an account: masking would damage the label.
    return masked !== written && isLabel(written) ? written : masked;
  };
  const inJson = (value: unknown): unknown => {
    if (typeof value === 'string') return ofText(value);
    // A credential that has only digits may be written as a number.
    if (typeof value === 'number') return known.includes(String(value)) ? MASK : value;
    if (Array.isArray(value)) return value.map(inJson);
    if (!isRecord(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [text(name), isKept(name, inner) ? inner : inJson(inner)]),
    );
  };
  return {
    text,
    /** A body without the credentials of the request; its ids and labels stay. If nothing is masked, the text stays as it is. */
    answer(written: string): string {
      if (!mayRepeat(written)) return written;
      const json = parseJson(written);
      if (json === undefined) return text(written);
      const masked = JSON.stringify(inJson(json));
      // If an object has a name twice, the text has a value that the parsed JSON lacks: so the text is searched, too.
      return masked === JSON.stringify(json) && text(written) === written ? written : masked;
    },
    /** Headers without the credentials of the request. */
    texts: (headers: Readonly<Record<string, string>>): Record<string, string> =>
      Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, text(value)])),
    /** Headers without the credentials of the request and without any value whose header is named like a secret. */
    headers: (headers: Readonly<Record<string, string>>): Record<string, string> =>
      Object.fromEntries(
        Object.entries(headers).map(([name, value]) => {
          const isSecret = Object.hasOwn(credentials, name) || SECRET_HEADER.test(name);
          return [name, isSecret ? MASK : text(value)];
        }),
      ),
    body(written: string): string {
      const json = parseJson(written);
      const masked = JSON.stringify(maskFields(json, name => SECRET_FIELD.test(name), MASK, ofText));
      // A body without a secret is shown as it came, with its own form of numbers and blanks.
      const shown = json === undefined || masked === JSON.stringify(json) ? written : masked;
      const maskValue = (whole: string, name: string | undefined) => (name ? `${name}"${MASK}"` : whole);
      return text(maskAddresses(shown.replace(SECRET_IN_STEP, maskValue).replace(SECRET_TEXT, maskValue)));
    },
  };
}
