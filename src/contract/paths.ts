// Field paths as people write them: `receiver.address.city`, `items[0].hsCode`.

export type Path = readonly (string | number)[];

// At most three digits: a typing mistake must not make a list of four billion holes, or an index that JSON drops.
const SEGMENT = /([^.[\]]+)|\[(\d{1,3})\]/y;

// The paths that were parsed already: a batch asks for the same few paths again and again.
const known = new Map<string, Path | undefined>();
const MOST_KNOWN = 1000;

/** Parses a written path; `undefined` if the text is not a path. */
export function parsePath(written: string): Path | undefined {
  if (known.has(written)) return known.get(written);
  const path = parse(written);
  if (known.size < MOST_KNOWN) known.set(written, path);
  return path;
}

function parse(written: string): Path | undefined {
  const path: (string | number)[] = [];
  let at = 0;
  while (at < written.length) {
    SEGMENT.lastIndex = at;
    const match = SEGMENT.exec(written);
    if (match === null) return undefined;
    const [whole, name, index] = match;
    if (name === '__proto__') return undefined;
    path.push(name ?? Number(index));
    at += whole.length;
    if (written[at] === '.') {
      at += 1;
      if (at === written.length || written[at] === '[') return undefined;
    } else if (at < written.length && written[at] !== '[') return undefined;
  }
  return path.length > 0 && typeof path[0] === 'string' ? path : undefined;
}

export function formatPath(path: readonly PropertyKey[]): string {
  let written = '';
  for (const part of path)
    written += typeof part === 'number' ? `[${part}]` : written === '' ? String(part) : `.${String(part)}`;
  return written;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a path; `undefined` if a part of the path is missing, or the text is not a path. Own properties only. */
export function getAt(value: unknown, path: Path | string): unknown {
  const parts = typeof path === 'string' ? parsePath(path) : path;
  if (parts === undefined) return undefined;
  let here = value;
  for (const part of parts) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, part)) return undefined;
    here = (here as Record<string | number, unknown>)[part];
  }
  return here;
}

/** The text at a path; `undefined` if there is none. */
export function textAt(value: unknown, path: Path | string): string | undefined {
  const found = getAt(value, path);
  return typeof found === 'string' ? found : undefined;
}

/** The list at a path; empty if there is none. */
export function listAt(value: unknown, path: Path | string): unknown[] {
  const found = getAt(value, path);
  return Array.isArray(found) ? found : [];
}

/** A copy of `target` with the value at the path; objects and arrays on the way are made. */
export function setAt(target: unknown, path: Path, value: unknown): unknown {
  const [part, ...rest] = path;
  if (part === undefined) return value;
  if (typeof part === 'number') {
    const list = Array.isArray(target) ? [...target] : [];
    list[part] = setAt(list[part], rest, value);
    return list;
  }
  const record = isRecord(target) ? target : {};
  const inner = Object.hasOwn(record, part) ? record[part] : undefined;
  return { ...record, [part]: setAt(inner, rest, value) };
}

/**
 * A copy of `target` with the value at the path. `target` itself if it has a value there already, or if the path leads through a
 * value that cannot hold it, or to an element that a list does not have.
 */
export function setMissing(target: unknown, path: Path, value: unknown): unknown {
  const isFree = path.every((part, index) => {
    const there = getAt(target, path.slice(0, index));
    if (there === undefined) return true;
    return typeof part === 'number' ? Array.isArray(there) && part < there.length : isRecord(there);
  });
  return isFree && getAt(target, path) === undefined ? setAt(target, path, value) : target;
}

/** The paths in a value that a pattern stands for: `items[].hsCode` -> that of each item. */
export function pathsOf(pattern: string, value: unknown): string[] {
  if (!pattern.includes('[]')) return [pattern];
  const [list = '', rest] = pattern.split('[]');
  return listAt(value, list).map((_, index) => `${list}[${index}]${rest}`);
}

/** A text somewhere in a value. */
export interface FoundText {
  path: readonly PropertyKey[];
  text: string;
}

const NONE: readonly FoundText[] = [];

/**
 * All texts in a value for which `isWanted` holds. A batch searches every text of every record, and wanted texts are
 * rare, so paths are made only for what is found.
 */
export function textsIn(value: unknown, isWanted: (text: string) => boolean): readonly FoundText[] {
  if (typeof value === 'string') return isWanted(value) ? [{ path: [], text: value }] : NONE;
  if (typeof value !== 'object' || value === null) return NONE;
  let found = NONE;
  if (Array.isArray(value))
    for (let at = 0; at < value.length; at += 1)
      found = withTextsUnder(at, textsIn(value[at], isWanted), found);
  else
    for (const name in value)
      found = withTextsUnder(name, textsIn((value as Record<string, unknown>)[name], isWanted), found);
  return found;
}

const withTextsUnder = (part: string | number, inner: readonly FoundText[], before: readonly FoundText[]) =>
  inner.length === 0
    ? before
    : [...before, ...inner.map(({ path, text }) => ({ path: [part, ...path], text }))];
