// Fills a record with the constants of a map.
import { getAt, isRecord, setAt, setMissing } from '../contract/paths.ts';
import type { Issue } from '../contract/shapes.ts';
import { Failure } from '../errors.ts';
import { valueFrom } from '../order/build.ts';
import { columnOf } from './columns.ts';
import type { InputSettings } from './input-types.ts';

/**
 * Gives a function that fills empty fields of a record with the constants of the map; with `only`, fields below that field of the body.
 * Throws `invalid_request` for a constant without a field.
 */
export function withConstants(
  input: InputSettings,
): (value: unknown, only?: string) => Record<string, unknown> {
  const { map, packages: _, ...settings } = input;
  const issues: Issue[] = [];
  const constants = Object.entries(map?.constants ?? {}).flatMap(([name, written]) => {
    const column = columnOf(name, settings);
    if ('kind' in column && column.kind === 'field')
      return [{ ...column, value: valueFrom(column.field, written) }];
    if (settings.ignoresOthers) return [];
    issues.push({
      ...('kind' in column ? { message: 'is not a field' } : column),
      path: `constants.${name}`,
    });
    return [];
  });
  if (issues.length > 0)
    throw new Failure('invalid_request', 'the map has constants for unknown fields', {
      issues,
    });
  return (start, only) =>
    constants.reduce((value: unknown, { path, inner, value: constant }) => {
      if (only !== undefined && path[0] !== only) return value;
      if (inner === undefined) return setMissing(value, path, constant);
      const list = getAt(value, path);
      if (!Array.isArray(list)) return value;
      return setAt(
        value,
        path,
        list.map(entry => setMissing(entry, inner, constant)),
      );
    }, start) as Record<string, unknown>;
}

export function withoutGoodsValue(record: Record<string, unknown>): Record<string, unknown> {
  const { customs, ...value } = record;
  if (!isRecord(customs)) return { ...value, ...(customs !== undefined && { customs }) };
  const { totalGoodsValue: _, ...rest } = customs;
  return { ...value, customs: rest };
}
