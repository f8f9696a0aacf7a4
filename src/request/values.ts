import { type Field, fieldAt } from '../contract/fields.ts';
import type { Schema } from '../contract/operation.ts';
import { parsePath, setAt } from '../contract/paths.ts';
import { Failure } from '../errors.ts';
import { DEEPEST, parseJson } from '../json.ts';
import { shown } from '../text.ts';
import { numberOf } from './number.ts';

/**
 * Text as a value of the field's type. Text that does not parse stays text, so that validation can show it; the value
 * of an unknown field stays text too.
 */
export function typed(field: Field | undefined, written: string): unknown {
  switch (field?.kind) {
    case 'number':
      return numberOf(written) ?? written;
    case 'boolean':
      return written === 'true' ? true : written === 'false' ? false : written;
    case 'list':
    case 'object':
    case 'map': {
      const value = parseJson(written);
      return value === undefined ? written : value;
    }
    default:
      return written;
  }
}

/** The path of `PATH=VALUE`, as it is written; empty if that is of another form. */
export const pathOfSet = (set: string): string => set.slice(0, Math.max(0, set.indexOf('='))).trim();

/** A copy of the body with every `PATH=VALUE` set. Throws `usage` for any other form. */
export function applySets(schema: Schema, body: unknown, sets: readonly string[]): unknown {
  return sets.reduce((target: unknown, set) => {
    const written = pathOfSet(set);
    const path = parsePath(written);
    if (path === undefined || path.length > DEEPEST)
      throw new Failure(
        'usage',
        `--set ${shown(set)} is not of the form PATH=VALUE; ${/\[\d{4,}\]/.test(written) ? 'an index is at most 999' : "try --set receiver.address.city=Berlin or --set 'items[0].hsCode=610910'"}`,
      );
    return setAt(target, path, typed(fieldAt(schema, path), set.slice(set.indexOf('=') + 1)));
  }, body);
}
