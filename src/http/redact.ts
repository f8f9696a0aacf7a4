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

export type Redactor = ReturnType<typeof createRedactor>;

/**
 * Makes an exchange fit to be shown. Fields and headers that are named like a secret are masked, and so are the
 * credentials of the request (headers, by name) in any place, because some services repeat them.
 */
export function createRedactor(credentials: Readonly<Record<string, string>>) {
  const text = (given: string) =>
    Object.values(credentials)
      .flatMap(value => [value, ...value.split(/\s+/)])
      .filter(secret => secret.length >= SHORTEST_KNOWN)
      .reduce((masked, secret) => masked.replaceAll(secret, MASK), given);
  return {
    text,
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
