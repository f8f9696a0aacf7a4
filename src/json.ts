// How JSON is parsed: tolerantly where a service wrote it, strictly where a person did.

// Nothing of the service document is nearly as deep, and nothing could walk a value that is endlessly deep.
export const DEEPEST = 100;

/**
 * The text parsed as JSON; `undefined` if it is not JSON, or is nested too deeply. A whole number that JavaScript would
 * round becomes text: it may be an id, and would be another one.
 */
export function parseJson(text: string): unknown {
  try {
    let json: unknown = JSON.parse(text);
    if (MAY_BE_ROUNDED.test(text)) json = JSON.parse(text.replace(LITERAL, exact));
    return isDeeper(json, DEEPEST) ? undefined : json;
  } catch {
    return undefined;
  }
}

const MAY_BE_ROUNDED = /[[:,\s]-?\d{16}/;
const LITERAL = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

const exact = (literal: string): string =>
  /^-?\d{16,}$/.test(literal) && !Number.isSafeInteger(Number(literal)) ? `"${literal}"` : literal;

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || someIn(value as Record<string, unknown>, inner => isDeeper(inner, levels - 1)));

/** As `Object.values(value).some(…)`, without a list. */
function someIn(value: Readonly<Record<string, unknown>>, is: (inner: unknown) => boolean): boolean {
  for (const name in value) if (is(value[name])) return true;
  return false;
}

// A text in which `JSON.parse` found no fault: a string before a colon is a name, brackets outside strings are real.
const TOKEN = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}[\]]/g;

interface Level {
  names: Set<string>;
  /** How a path goes on from here: `.name`, or `[]` in a list. */
  step: string;
}

export interface JsonText {
  value: unknown;
  /** Paths of names that one object holds twice, of which `JSON.parse` silently drops all but the last. */
  repeated: string[];
}

/** Reads JSON, and tells what `JSON.parse` would lose. Throws `SyntaxError`, for absurd nesting too. */
export function parseStrictJson(text: string): JsonText {
  const value: unknown = JSON.parse(text);
  const levels: Level[] = [];
  const repeated = new Set<string>();
  for (const [token, literal, colon] of text.matchAll(TOKEN)) {
    const level = levels.at(-1);
    if (literal === undefined) {
      if (token === '{' || token === '[') levels.push({ names: new Set(), step: token === '[' ? '[]' : '' });
      else levels.pop();
      if (levels.length > DEEPEST) throw new SyntaxError(`it is nested more than ${DEEPEST} levels deep`);
    } else if (colon !== undefined && level !== undefined) {
      const name: string = JSON.parse(literal);
      level.step = `.${name}`;
      if (level.names.has(name)) repeated.add(levels.map(({ step }) => step).join(''));
      level.names.add(name);
    }
  }
  return { value, repeated: [...repeated].map(path => path.replace(/^\./, '')) };
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
