import { formatPath, isRecord } from '../contract/paths.ts';

export type Scalar = string | number | boolean | null | undefined;

/** The name of the column of a bare value. */
const BARE = 'value';

/** A JSON value without its structure: each scalar by its written path (`packages[0].weight`), in order. */
export function leavesOf(value: unknown): Map<string, Scalar> {
  const found = new Map<string, Scalar>();
  collect(value, [], found);
  return found;
}

/** The paths of all rows, in the order of their first occurrence. */
export function columnsOf(rows: readonly ReadonlyMap<string, Scalar>[]): string[] {
  return [...new Set(rows.flatMap(row => [...row.keys()]))];
}

/** The items of a result: the elements of an array, else the value itself; none for null. */
export function itemsOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return value === null || value === undefined ? [] : [value];
}

/** True for a value without fields and elements. */
export const isScalar = (value: unknown): value is Scalar => !Array.isArray(value) && !isRecord(value);

function collect(value: unknown, path: readonly (string | number)[], found: Map<string, Scalar>): void {
  if (Array.isArray(value))
    for (const [index, element] of value.entries()) collect(element, [...path, index], found);
  else if (isRecord(value))
    for (const [name, inner] of Object.entries(value)) collect(inner, [...path, name], found);
  else if (isScalar(value)) found.set(path.length === 0 ? BARE : formatPath(path), value);
}
