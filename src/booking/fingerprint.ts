import { hash } from 'node:crypto';
import { isRecord } from '../contract/paths.ts';

/** The same for the same input, in any order of its fields. */
export const fingerprint = (given: unknown): string => hash('sha256', JSON.stringify(sorted(given)) ?? '');

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  const names = Object.keys(value).sort();
  // Assignment is twice as fast, but for this name it would change the prototype.
  if (names.includes('__proto__')) return Object.fromEntries(names.map(name => [name, sorted(value[name])]));
  const copy: Record<string, unknown> = {};
  for (const name of names) copy[name] = sorted(value[name]);
  return copy;
}
