import { isUtf8 } from 'node:buffer';
import { isRecord } from '../contract/paths.ts';
import { Failure, messageOf } from '../errors.ts';
import { parseStrictJson } from '../json.ts';

/** A JSON object from the bytes of a file (UTF-8, with or without a byte order mark). Throws `invalid_request`. */
export function readJsonObject(
  bytes: Uint8Array,
  name: string,
  consequence = 'nothing was sent',
): Record<string, unknown> {
  const refuse = (why: string, repeated: readonly string[] = []) =>
    new Failure('invalid_request', `${name} ${why}; ${consequence}`, {
      issues: repeated.map(path => ({ path, message: 'is given twice in one object' })),
    });
  if (!isUtf8(bytes))
    throw refuse(`is not UTF-8 text: save it in that encoding. The first other byte is ${firstOther(bytes)}`);
  const text = new TextDecoder().decode(bytes);
  if (text.includes('\0'))
    throw refuse('is not UTF-8 text (it has NUL bytes, as UTF-16 does): save it in that encoding');
  if (text.trim() === '') throw refuse('is empty, but must be one JSON object');
  let read: ReturnType<typeof parseStrictJson>;
  try {
    read = parseStrictJson(text);
  } catch (error) {
    throw refuse(`is not JSON: ${faultIn(text, messageOf(error))}`);
  }
  const { value, repeated } = read;
  if (!isRecord(value))
    throw refuse(`holds ${Array.isArray(value) ? 'a list' : 'a bare value'}, but must be one JSON object`);
  if (repeated.length > 0) throw refuse('gives a field twice; remove one of them', repeated);
  return value;
}

/** The parser's message with line and column, and a hint about common mistakes. */
function faultIn(text: string, message: string): string {
  if (/^\s*(\/[/*]|#)/.test(text)) return `${message} (JSON has no comments)`;
  const [words = message, at] = message.split(/(?: in JSON)? at position (\d+).*/);
  if (at === undefined) return message;
  const before = text.slice(0, Number(at));
  const lines = before.split('\n');
  const where = `${words} in line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
  return /,\s*$/.test(before) ? `${where} (remove the comma after the last entry)` : where;
}

/** The place of the first byte that is no UTF-8. */
function firstOther(bytes: Uint8Array): string {
  let [low, high] = [0, bytes.length];
  // The longest beginning that is UTF-8, but for a character that is cut off.
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, middle), { stream: true });
      low = middle;
    } catch {
      high = middle - 1;
    }
  }
  const line = bytes.subarray(0, low).filter(byte => byte === 10).length + 1;
  return `byte ${Math.min(low + 1, bytes.length)} of it, in line ${line}`;
}
