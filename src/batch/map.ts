import type { Issue } from '../contract/operation.ts';
import { getAt, isRecord, setAt, setMissing } from '../contract/paths.ts';
import { Failure } from '../errors.ts';
import { nearest } from '../nearest.ts';
import { typed } from '../order/build.ts';
import type { Phones } from '../order/warnings.ts';
import { shown } from '../text.ts';
import { columnOf } from './columns.ts';
import { DELIMITERS } from './csv.ts';
import type { InputMap, InputSettings } from './source.ts';
import { TRANSFORM_NAMES } from './transform.ts';

/**
 * Warnings for columns that the map names and the file does not have: for a misspelt one the field would be missing, or
 * a default would be used. `unknown`: titles of the header that mean nothing as they are.
 */
export function missingColumns(
  map: InputMap | undefined,
  { header, unknown, name }: { header: readonly string[]; unknown: readonly string[]; name: string },
): string[] {
  return [...new Set([...Object.keys(map?.columns ?? {}), ...Object.keys(map?.transform ?? {})])]
    .filter(column => !header.includes(column))
    .map(column => {
      // There are few of them, so half of the letters may differ.
      const meant = nearest(column, unknown, Math.ceil(column.length / 2));
      const hint = meant === undefined ? '' : `; did you mean ${JSON.stringify(meant)}?`;
      return `the map names the column ${JSON.stringify(column)}, which ${name} does not have${hint}`;
    });
}

/** What reads phone numbers, for a map that transforms them. */
export const phonesOf = async (map: InputMap): Promise<Phones | undefined> =>
  Object.values(map.transform ?? {}).includes('phone') ? import('../order/phone.ts') : undefined;

const PARTS = ['columns', 'constants', 'transform', 'decimal', 'delimiter'];

/** Parses the JSON of a map; all of its parts are optional. Throws `invalid_request` with every issue. */
export function parseMap(value: Readonly<Record<string, unknown>>, name: string): InputMap {
  const issues: Issue[] = [];
  const report = (path: string, message: string, suggestion?: string) =>
    void issues.push({ path, message, ...(suggestion !== undefined && { suggestion }) });
  for (const part of Object.keys(value))
    if (!PARTS.includes(part)) report(part, `is not a part of a map; the parts are ${PARTS.join(', ')}`);

  function words(part: 'columns' | 'constants' | 'transform'): Record<string, string> {
    const given = value[part] ?? {};
    const read: Record<string, string> = {};
    if (!isRecord(given)) report(part, 'must be an object');
    else
      for (const [key, word] of Object.entries(given))
        if (['string', 'number', 'boolean'].includes(typeof word)) read[key] = String(word);
        else report(`${part}.${key}`, 'must be text');
    return read;
  }

  const { decimal = '.', delimiter } = value;
  if (decimal !== '.' && decimal !== ',') report('decimal', 'must be "." or ","');
  if (delimiter !== undefined && !DELIMITERS.some(one => one === delimiter))
    report('delimiter', 'must be one of "," ";" "|" and a tab');
  const columns = words('columns');
  const constants = words('constants');
  const transform = words('transform');
  for (const [column, name] of Object.entries(transform))
    if (!isTransform(name)) {
      const suggestion = nearest(name, TRANSFORM_NAMES);
      report(
        `transform.${column}`,
        `must be one of ${TRANSFORM_NAMES.join(', ')}, not ${shown(name)}`,
        suggestion,
      );
    }
  if (issues.length > 0)
    throw new Failure('invalid_request', `the map ${name} is not valid; nothing was sent`, { issues });
  return {
    columns,
    constants,
    decimal: decimal === ',' ? ',' : '.',
    ...(typeof delimiter === 'string' && { delimiter }),
    // Absent, and not empty: a record of an earlier run is known again by its map.
    ...(Object.keys(transform).length > 0 && { transform: transform as InputMap['transform'] & object }),
  };
}

const isTransform = (name: string): boolean => (TRANSFORM_NAMES as readonly string[]).includes(name);

/** Puts the constants of the map below what a record says. Throws `invalid_request` for a constant without a field. */
export function withConstants({
  map,
  packages: _,
  ...settings
}: InputSettings): (value: unknown) => Record<string, unknown> {
  const issues: Issue[] = [];
  const constants = Object.entries(map?.constants ?? {}).flatMap(([name, written]) => {
    const column = columnOf(name, settings);
    if ('kind' in column && column.kind === 'field')
      return [{ ...column, value: typed(column.field, written) }];
    if (settings.onIgnored) return [];
    issues.push({
      ...('kind' in column ? { message: 'is not a field' } : column),
      path: `constants.${name}`,
    });
    return [];
  });
  if (issues.length > 0)
    throw new Failure('invalid_request', 'the map has constants for unknown fields; nothing was sent', {
      issues,
    });
  return start =>
    constants.reduce((value: unknown, { path, inner, value: constant }) => {
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
