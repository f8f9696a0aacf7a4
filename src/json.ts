// How JSON is read.

/** An object of a text has a name twice: the parser would take the last one, which may be the wrong bound. */
export class NameTwice extends SyntaxError {
  constructor(name: string) {
    super(`it has the name ${JSON.stringify(name)} twice`);
  }
}

// Nothing of the service document is nearly as deep, and nothing could walk a value that is endlessly deep.
export const DEEPEST = 100;

/**
 * The text that a person or a program gave, parsed as JSON. A whole number that JavaScript would round becomes text: it may be an id,
 * and would be another one. Throws `SyntaxError`, with line and column, for absurd nesting, too; `NameTwice`.
 */
export function readJson(text: string): unknown {
  const { value, fields } = parsed(text);
  const repeated = namesIn(text) > fields ? repeatedIn(text) : undefined;
  if (repeated !== undefined) throw new NameTwice(repeated);
  return value;
}

/** The value of a JSON text that was received or kept, with its numbers as `readJson` reads them; `undefined` if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return parsed(text).value;
  } catch {
    return undefined;
  }
}

/** `fields`: how many its objects have. */
function parsed(text: string): { value: unknown; fields: number } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new SyntaxError(faultIn(text, (error as SyntaxError).message));
  }
  if (MAY_BE_ROUNDED.test(text)) value = JSON.parse(text.replace(LITERAL, exact));
  return { value, fields: fieldsOf(value, DEEPEST) };
}

/** How many names a text has, or more: what stands in its texts may look like one. */
const namesIn = (text: string): number => text.split(/"\s*:/).length - 1;

/** Throws `SyntaxError` if the value has more levels. */
function fieldsOf(value: unknown, levels: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (levels === 0) throw new SyntaxError(`it is nested more than ${DEEPEST} levels deep`);
  const isList = Array.isArray(value);
  let fields = 0;
  // As a sum over `Object.values(value)`, without a list.
  for (const name in value)
    fields += (isList ? 0 : 1) + fieldsOf((value as Record<string, unknown>)[name], levels - 1);
  return fields;
}

/** A name that an object of the text has twice. */
function repeatedIn(text: string): string | undefined {
  const open: Set<string>[] = [];
  for (const [token, written, colon] of text.matchAll(/("(?:[^"\\]|\\.)*")(\s*:)?|[{}]/g)) {
    if (token === '{') open.push(new Set());
    else if (token === '}') open.pop();
    else if (colon !== undefined && written !== undefined) {
      const name: string = JSON.parse(written);
      if (open.at(-1)?.has(name)) return name;
      open.at(-1)?.add(name);
    }
  }
  return undefined;
}

const MAY_BE_ROUNDED = /[[:,\s]-?\d{16}/;
const LITERAL = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

const exact = (literal: string): string =>
  /^-?\d{16,}$/.test(literal) && !Number.isSafeInteger(Number(literal)) ? `"${literal}"` : literal;

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
