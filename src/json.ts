// Reads JSON, more strictly than `JSON.parse` does.

/** Thrown if an object in a JSON text has a name twice: the parser would take the last value, which may be the wrong limit. */
export class NameTwice extends SyntaxError {
  constructor(name: string) {
    super(`it has the name ${JSON.stringify(name)} twice`);
  }
}

// The most levels of a JSON value: no body of the service is nearly as deep, and no code could walk an endlessly deep value.
export const DEEPEST = 100;

/**
 * Parses a JSON text that a person or a program gave. A whole number that JavaScript would round becomes text: it may be an id, and
 * rounding would make another id of it. Throws `NameTwice`, and `SyntaxError` with line and column, or for more levels than `DEEPEST`.
 */
export function readJson(text: string): unknown {
  const { value, fields } = parsedExactly(text, syntaxFault);
  const repeated = countNames(text) > fields ? repeatedIn(text) : undefined;
  if (repeated !== undefined) throw new NameTwice(repeated);
  return value;
}

/** The value of a JSON text that was received or kept, with its numbers as `readJson` reads them; `undefined` if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return parsedExactly(text, () => '').value;
  } catch {
    return undefined;
  }
}

/** The value of a JSON text. `fields`: how many fields all objects in the value have. */
function parsedExactly(text: string, wordsOf: (text: string) => string): { value: unknown; fields: number } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new SyntaxError(wordsOf(text));
  }
  if (MAY_BE_ROUNDED.test(text)) value = JSON.parse(text.replace(LITERAL, exact));
  return { value, fields: countFields(value, DEEPEST) };
}

/** How many names the objects of a JSON text have, at most: a part of a string may look like a name, too. */
const countNames = (text: string): number => text.split(/"\s*:/).length - 1;

/** How many fields the objects in a value have. Throws `SyntaxError` if the value has more levels than `levels`. */
function countFields(value: unknown, levels: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (levels === 0) throw new SyntaxError(`it is nested more than ${DEEPEST} levels deep`);
  const isList = Array.isArray(value);
  let fields = 0;
  // The same as a sum over `Object.values(value)`, but no list is made.
  for (const name in value)
    fields += (isList ? 0 : 1) + countFields((value as Record<string, unknown>)[name], levels - 1);
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

/** Says where a text is no JSON, and what may stand there. The parser's own words change with its version, and may show an address. */
function syntaxFault(text: string): string {
  const { at, allowed } = breakIn(text);
  const [letter = ''] = text.slice(at, at + 2);
  // A file ends in a line break; the place that is told is before that line break.
  const before = letter === '' ? text.slice(0, at).trimEnd() : text.slice(0, at);
  const lines = before.split('\n');
  // A text of one line may be one line of a file: no line number is told.
  const line = text.trim().includes('\n') ? `line ${lines.length}, ` : '';
  const where = `in ${line}column ${(lines.at(-1)?.length ?? 0) + 1}`;
  const words =
    letter === ''
      ? `it ends ${where}, before ${allowed}`
      : `${JSON.stringify(letter)} ${where} is not ${allowed}`;
  if (/^\s*(\/[/*]|#)/.test(text)) return `${words} (JSON has no comments)`;
  return /,\s*$/.test(before) ? `${words} (remove the comma after the last entry)` : words;
}

const TOKEN =
  /[ \t\r\n]*(?:("[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[^"\\\u0000-\u001f]*)*")|(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.])|([{}[\],:]))/y;

/** The first place where a text breaks the rules of JSON, and what may stand at that place. */
function breakIn(text: string): { at: number; allowed: string } {
  const open: ('{' | '[')[] = [];
  let allowed = 'a value';
  let at = 0;
  for (;;) {
    TOKEN.lastIndex = at;
    const { 0: token, 1: word, 2: mark } = TOKEN.exec(text) ?? [];
    const next = token === undefined ? undefined : after({ word, mark }, allowed, open);
    if (token === undefined || next === undefined)
      return { at: at + (/^[ \t\r\n]*/.exec(text.slice(at))?.[0].length ?? 0), allowed };
    allowed = next;
    at += token.length;
  }
}

const VALUE = ['a value', 'a value or ]'];
const NAME = ['a name in double quotes', 'a name in double quotes or }'];

/** What may stand after a token; `undefined` if the token may not stand where it does. `open`: the lists and objects around the token. */
function after(
  token: { word: string | undefined; mark: string | undefined },
  allowed: string,
  open: ('{' | '[')[],
): string | undefined {
  const { word, mark } = token;
  const behind = () =>
    open.length === 0 ? 'the end' : open.at(-1) === '{' ? 'a comma or }' : 'a comma or ]';
  if (NAME.includes(allowed) && word !== undefined) return 'a colon';
  if (VALUE.includes(allowed) && (mark === '{' || mark === '[')) {
    open.push(mark);
    return mark === '{' ? 'a name in double quotes or }' : 'a value or ]';
  }
  if (VALUE.includes(allowed) && mark === undefined) return behind();
  if (allowed === 'a colon' && mark === ':') return 'a value';
  if (allowed.startsWith('a comma') && mark === ',')
    return open.at(-1) === '{' ? 'a name in double quotes' : 'a value';
  if ((mark === '}' || mark === ']') && allowed.endsWith(` or ${mark}`)) {
    open.pop();
    return behind();
  }
  return undefined;
}

/** A value and its JSON text. The missing one is made from the other once, when it is first needed. */
export class Json {
  #text: string | undefined;
  #value: unknown;

  constructor(value: unknown, text?: string) {
    this.#value = value;
    this.#text = text;
  }

  /** Takes a JSON text that this program wrote; it is parsed only when its value is needed. */
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

/**
 * An object with these fields, to be copied and filled: V8 makes a slow hash table, several times as large, of an object that gets
 * more than a dozen fields one by one.
 */
export const emptyWith = (names: readonly string[]): Readonly<Record<string, null>> =>
  JSON.parse(JSON.stringify(Object.fromEntries(names.map(name => [name, null]))));
