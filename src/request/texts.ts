/** A text somewhere in a value. */
export interface FoundText {
  path: readonly PropertyKey[];
  text: string;
}

const NONE: readonly FoundText[] = [];

/**
 * The texts anywhere in the value that are wanted. A batch asks this of every text of every record, and wanted texts are
 * rare, so paths are made only for what is found.
 */
export function textsIn(value: unknown, isWanted: (text: string) => boolean): readonly FoundText[] {
  if (typeof value === 'string') return isWanted(value) ? [{ path: [], text: value }] : NONE;
  if (typeof value !== 'object' || value === null) return NONE;
  let found = NONE;
  if (Array.isArray(value))
    for (let at = 0; at < value.length; at += 1) found = under(at, textsIn(value[at], isWanted), found);
  else
    for (const name in value)
      found = under(name, textsIn((value as Record<string, unknown>)[name], isWanted), found);
  return found;
}

const under = (part: string | number, inner: readonly FoundText[], before: readonly FoundText[]) =>
  inner.length === 0
    ? before
    : [...before, ...inner.map(({ path, text }) => ({ path: [part, ...path], text }))];
