const SECRET_HEADER = /auth|token|key|secret|cookie|credential|password|session/i;
const SECRET_FIELD = /("(?:[a-z_-]*(?:secret|token|password|api_?key)[a-z_-]*)"\s*:\s*)"(?:[^"\\]|\\.)*"/gi;
const MASK = '••••';

/** Headers for `--verbose`: credentials (by header name, or because we know them) are masked. */
export function redactHeaders(headers: Record<string, string>, secret: ReadonlySet<string>): string[] {
  return Object.entries(headers).map(
    ([name, value]) => `${name}: ${secret.has(name) || SECRET_HEADER.test(name) ? MASK : value}`,
  );
}

/** A body for `--verbose`: values of fields that are named like a secret are masked. */
export const redactBody = (text: string): string => text.replace(SECRET_FIELD, `$1"${MASK}"`);
