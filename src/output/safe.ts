// Text from the service is made safe for a terminal, which would execute control characters.

const BREAK = /\r\n|[\t\n\v\f\r\u0085\u2028\u2029]/g;
// Controls (ESC among them), formats (bidi, zero-width, BOM, tags), separators and lone surrogates.
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
const UNSAFE_IN_JSON = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** One line of text without control characters; a line break or tab becomes a space. */
export function safe(text: string): string {
  return text.replace(BREAK, ' ').replace(UNSAFE, '');
}

/** The same for text of several lines: its line feeds stay. */
export function safeLines(text: string): string {
  return text
    .split(/\r?\n/)
    .map(line => safe(line))
    .join('\n');
}

/** JSON that parses to the same value, with control and bidi characters escaped. */
export function safeJson(value: unknown, indent?: number): string {
  // Lone surrogates and C0 are escaped by JSON.stringify itself.
  const json: string | undefined = JSON.stringify(value, undefined, indent);
  return (json ?? 'null').replace(
    UNSAFE_IN_JSON,
    char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
