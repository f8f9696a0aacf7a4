import { PARTIES } from '../contract/parties.ts';
import { isRecord } from '../contract/paths.ts';

const WHOLE: ReadonlySet<string> = new Set(PARTIES);

/**
 * `over` merged into `under`: objects field by field, but a party or a list is replaced as a whole, so that two people or
 * two parcels are never mixed. `undefined` in `over` keeps the value of `under`.
 */
export function layer(under: unknown, over: unknown): unknown {
  if (over === undefined) return under;
  if (!isRecord(under) || !isRecord(over)) return over;
  const merged: Record<string, unknown> = { ...under };
  for (const name of Object.keys(over)) {
    const given = over[name];
    if (given === undefined) continue;
    const own = Object.hasOwn(under, name) ? under[name] : undefined;
    const value = WHOLE.has(name) ? given : layer(own, given);
    // `__proto__` in a JSON file is an own property; plain assignment would change the prototype, and is ten times as fast.
    if (name !== '__proto__') merged[name] = value;
    else Object.defineProperty(merged, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return merged;
}
