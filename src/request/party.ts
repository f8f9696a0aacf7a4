import { fieldsOf } from '../contract/fields.ts';
import type { Schema } from '../contract/operation.ts';
import type { PartyRole } from '../contract/parties.ts';
import { isRecord } from '../contract/paths.ts';

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
