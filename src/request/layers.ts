import { fieldsOf } from '../contract/fields.ts';
import type { Schema } from '../contract/operation.ts';
import { PARTIES, type PartyRole } from '../contract/parties.ts';
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

/**
 * A saved party in the shape that this operation accepts for that role. Fields that only another body has are left out
 * and listed. Fields that no body has stay, so that validation refuses them.
 */
export function fitParty(
  schema: Schema,
  widest: Schema,
  role: PartyRole,
  party: unknown,
): { party: unknown; dropped: string[] } {
  const here = new Set(fieldsOf(schema).map(field => field.pattern));
  const elsewhere = new Set(fieldsOf(widest).map(field => field.pattern));
  const dropped: string[] = [];
  const prune = (value: unknown, pattern: string): unknown => {
    if (!isRecord(value)) return value;
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, inner]) => {
        const path = `${pattern}.${name}`;
        if (here.has(path) || !elsewhere.has(path)) return [[name, prune(inner, path)]];
        dropped.push(path);
        return [];
      }),
    );
  };
  return { party: prune(party, role), dropped };
}
