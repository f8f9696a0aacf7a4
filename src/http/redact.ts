import { isRecord } from '../contract/paths.ts';
import { parseJson } from '../json.ts';
import { MASK, maskFields } from '../mask.ts';

// A challenge such as `www-authenticate` is no secret, and explains a 401.
const SECRET_HEADER = /auth(?!enticate$)|token|key|secret|cookie|credential|password|session/i;
const NAMES = 'auth|token|secret|cookie|credential|passw|session|[^"\\s]key';
const SECRET_FIELD = new RegExp(NAMES, 'i');
// For text that is not JSON, such as one half of it: the name, then as much of the value as there is.
const VALUE = '(?:"[^"\\\\]*(?:\\\\[^][^"\\\\]*)*(?:"|\\\\?$)|[[{][^]*|[^\\s",}\\]]+)';
const SECRET_TEXT = new RegExp(`("[^"\\\\]{0,99}(?:${NAMES})[^"\\\\]{0,99}"\\s*:\\s*)${VALUE}`, 'gi');
// The same, but other strings match as a whole, so that quotes in them do not shift the match.
const SECRET_IN_STEP = new RegExp(`${SECRET_TEXT.source}|"[^"\\\\]*(?:\\\\[^][^"\\\\]*)*"?`, 'gi');
/** Shorter ones are words that may occur by chance. */
const SHORTEST_KNOWN = 8;

const ID = /(^|_)(id|ID|uuid)$|[a-z](Id|ID)$|[nN]umber$/;

/** How a secret may be written in what repeats it: as it is, in JSON, in a URL, in a page, or in base64. */
function formsOf(secret: string): string[] {
  const inJson = JSON.stringify(secret).slice(1, -1);
  const inUrl = encodeURIComponent(secret);
  const form = new URLSearchParams([['', secret]]).toString().slice(1);
  const escapes: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return [
    ...[secret, inJson, inJson.replaceAll('/', '\\/')],
    ...[inUrl, form].flatMap(one => [one, one.replace(/%../g, code => code.toLowerCase())]),
    secret.replace(/[&<>"']/g, sign => escapes[sign] ?? sign),
    ...[0, 1, 2].flatMap(before => inBase64(secret, before)),
  ];
}

/** What base64 has of a secret after this many other bytes (of three), whatever these and the next ones are. */
function inBase64(secret: string, before: number): string[] {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
  const whole = bytes.toString('base64').replace(/=+$/, '');
  const end = Math.floor((bytes.length * 8) / 6);
  const own = whole.slice(Math.ceil((before * 8) / 6), end);
  return [own, own.replaceAll('+', '-').replaceAll('/', '_')];
}

export type Redactor = ReturnType<typeof createRedactor>;

/**
 * Makes an exchange fit to be shown. Fields and headers that are named like a secret are masked, and so are the
 * credentials of the request (headers, by name) in any place, because some services repeat them.
 */
export function createRedactor(credentials: Readonly<Record<string, string>>) {
  // Every request of a batch has a redactor, and few need it.
  let secrets: string[] | undefined;
  const known = () => {
    secrets ??= Object.values(credentials)
      .flatMap(value => [value, ...value.split(/\s+/)])
      .filter(secret => secret.length >= SHORTEST_KNOWN);
    return secrets;
  };
  let forms: string[] | undefined;
  const text = (given: string) => {
    forms ??= [...new Set(known().flatMap(formsOf))].sort((one, other) => other.length - one.length);
    return forms.reduce((masked, form) => masked.replaceAll(form, MASK), given);
  };
  /** The name of an account may be a credential, and a part of an id: an id is masked only if it is one. */
  const isKept = (name: string, value: unknown) =>
    ID.test(name) && /^\S+$/.test(String(value)) && !isRecord(value) && !known().includes(String(value));
  const inJson = (value: unknown): unknown => {
    if (typeof value === 'string') return text(value);
    // A credential of digits, written as a number.
    if (typeof value === 'number') return known().includes(String(value)) ? MASK : value;
    if (Array.isArray(value)) return value.map(inJson);
    if (!isRecord(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [text(name), isKept(name, inner) ? inner : inJson(inner)]),
    );
  };
  return {
    text,
    /** A body without the credentials of the request; its ids stay, and all of it if nothing is masked. */
    answer(given: string): string {
      const json = parseJson(given);
      if (json === undefined) return text(given);
      const masked = JSON.stringify(inJson(json));
      // Of a name that an object has twice, the text has a value more.
      return masked === JSON.stringify(json) && text(given) === given ? given : masked;
    },
    headers: (headers: Readonly<Record<string, string>>): Record<string, string> =>
      Object.fromEntries(
        Object.entries(headers).map(([name, value]) => {
          const isSecret = Object.hasOwn(credentials, name) || SECRET_HEADER.test(name);
          return [name, isSecret ? MASK : text(value)];
        }),
      ),
    body(given: string): string {
      const json = parseJson(given);
      const masked = JSON.stringify(maskFields(json, name => SECRET_FIELD.test(name), MASK, text));
      // Without a secret it is shown as it came, with its numbers and blanks.
      const shown = json === undefined || masked === JSON.stringify(json) ? given : masked;
      const maskValue = (whole: string, name: string | undefined) => (name ? `${name}"${MASK}"` : whole);
      return text(shown.replace(SECRET_IN_STEP, maskValue).replace(SECRET_TEXT, maskValue));
    },
  };
}
