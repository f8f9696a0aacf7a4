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
  for (const [name, value] of Object.entries(over)) {
    if (value === undefined) continue;
    const own = Object.hasOwn(under, name) ? under[name] : undefined;
    // `__proto__` in a JSON file is an own property; plain assignment would change the prototype.
    Object.defineProperty(merged, name, {
      value: WHOLE.has(name) ? value : layer(own, value),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return merged;
}
