// How JSON is read.

// Nothing of the service document is nearly as deep, and nothing could walk a value that is endlessly deep.
export const DEEPEST = 100;

/**
 * The text parsed as JSON. A whole number that JavaScript would round becomes text: it may be an id, and would be another
 * one. Throws `SyntaxError`, with line and column, and for absurd nesting too.
 */
export function readJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new SyntaxError(faultIn(text, (error as SyntaxError).message));
  }
  if (MAY_BE_ROUNDED.test(text)) value = JSON.parse(text.replace(LITERAL, exact));
  if (isDeeper(value, DEEPEST)) throw new SyntaxError(`it is nested more than ${DEEPEST} levels deep`);
  return value;
}

/** The value of a JSON text, as `readJson` reads it; `undefined` if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}

const MAY_BE_ROUNDED = /[[:,\s]-?\d{16}/;
const LITERAL = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

const exact = (literal: string): string =>
  /^-?\d{16,}$/.test(literal) && !Number.isSafeInteger(Number(literal)) ? `"${literal}"` : literal;

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  // As `Object.values(value).some(…)`, without a list.
  for (const name in value) if (isDeeper((value as Record<string, unknown>)[name], levels - 1)) return true;
  return false;
}

/** The parser's message with the place, and a hint about common mistakes. */
function faultIn(text: string, message: string): string {
  if (/^\s*(\/[/*]|#)/.test(text)) return `${message} (JSON has no comments)`;
  const [words = message, at] = message.split(/(?: in JSON)? at position (\d+).*/);
  if (at === undefined) return message;
  const before = text.slice(0, Number(at));
  const lines = before.split('\n');
  // A text of one line may be a line of a file.
  const line = text.trim().includes('\n') ? `line ${lines.length}, ` : '';
  const where = `${words} in ${line}column ${(lines.at(-1)?.length ?? 0) + 1}`;
  return /,\s*$/.test(before) ? `${where} (remove the comma after the last entry)` : where;
}

/** A value and its JSON text. Each is made from the other once, when it is first needed. */
export class Json {
  #text: string | undefined;
  #value: unknown;

  constructor(value: unknown, text?: string) {
    this.#value = value;
    this.#text = text;
  }

  /** Of text that was written by this program. */
  static read = (text: string): Json => new Json(undefined, text);

  get text(): string {
    this.#text ??= JSON.stringify(this.#value);
    return this.#text;
  }

  get value(): unknown {
    this.#value ??= JSON.parse(this.#text ?? 'null');
    return this.#value;
  }
}
