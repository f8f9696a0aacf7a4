import { hash } from 'node:crypto';
import { isRecord } from '../contract/paths.ts';

/** The same for the same input, in any order of its fields. */
export const fingerprint = (given: unknown): string => hash('sha256', JSON.stringify(sorted(given)) ?? '');

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  const names = sortedNames(value);
  // Assignment is twice as fast, but for this name it would change the prototype.
  if (names.includes('__proto__')) return Object.fromEntries(names.map(name => [name, sorted(value[name])]));
  const copy: Record<string, unknown> = {};
  for (const name of names) copy[name] = sorted(value[name]);
  return copy;
}

const FEW = 40;

/** `sort` of V8 copies the list several times; for a few names it is twice as fast to insert each in its place. */
function sortedNames(value: Record<string, unknown>): string[] {
  const names = Object.keys(value);
  if (names.length > FEW) return names.sort();
  for (let next = 1; next < names.length; next += 1) {
    const name = names[next] as string;
    let at = next;
    for (; at > 0 && (names[at - 1] as string) > name; at -= 1) names[at] = names[at - 1] as string;
    names[at] = name;
  }
  return names;
}
