import type { Issue } from '../contract/operation.ts';
import { isRecord } from '../contract/paths.ts';
import { Failure } from '../errors.ts';
import { nearest } from '../nearest.ts';

/** `--map`: how a shop's own export becomes records of ours. */
export interface InputMap {
  /** Headers, or names of a JSON record, and the path that each of them gives; one with a `_` is left out. */
  columns: Readonly<Record<string, string>>;
  /** Values for paths that a record does not give; `items[].countryOfOrigin` is for each item that is there. */
  constants: Readonly<Record<string, string>>;
  decimal: '.' | ',';
  /** Of CSV; told from the header where it is left out. */
  delimiter?: string;
}

/**
 * What the map says of columns that are not there: a misspelt one would leave its field to be missed, or to a default.
 * `unknown`: those of the header that mean nothing as they are.
 */
export function strangersIn(
  map: InputMap | undefined,
  { header, unknown, name }: { header: readonly string[]; unknown: readonly string[]; name: string },
): string[] {
  return Object.keys(map?.columns ?? {})
    .filter(column => !header.includes(column))
    .map(column => {
      // There are few of them, so that one which is half as written may be the one.
      const meant = nearest(column, unknown, Math.ceil(column.length / 2));
      const hint = meant === undefined ? '' : `; did you mean ${JSON.stringify(meant)}?`;
      return `the map names the column ${JSON.stringify(column)}, which ${name} does not have${hint}`;
    });
}

const PARTS = ['columns', 'constants', 'decimal', 'delimiter'];

/** Reads the JSON of a map; all of its parts are optional. Throws `invalid_request` with every fault. */
export function readMap(value: Readonly<Record<string, unknown>>, name: string): InputMap {
  const issues: Issue[] = [];
  const fault = (path: string, message: string) => void issues.push({ path, message });
  for (const part of Object.keys(value))
    if (!PARTS.includes(part)) fault(part, `is not a part of a map; there are ${PARTS.join(', ')}`);

  function words(part: 'columns' | 'constants'): Record<string, string> {
    const given = value[part] ?? {};
    const read: Record<string, string> = {};
    if (!isRecord(given)) fault(part, 'must be an object');
    else
      for (const [key, word] of Object.entries(given))
        if (['string', 'number', 'boolean'].includes(typeof word)) read[key] = String(word);
        else fault(`${part}.${key}`, 'must be text');
    return read;
  }

  const { decimal = '.', delimiter } = value;
  if (decimal !== '.' && decimal !== ',') fault('decimal', 'must be "." or ","');
  if (delimiter !== undefined && !(typeof delimiter === 'string' && /^[,;\t|]$/.test(delimiter)))
    fault('delimiter', 'must be one of "," ";" "|" and a tab');
  const columns = words('columns');
  const constants = words('constants');
  if (issues.length > 0)
    throw new Failure('invalid_request', `the map ${name} is not valid; nothing was sent`, { issues });
  return {
    columns,
    constants,
    decimal: decimal === ',' ? ',' : '.',
    ...(typeof delimiter === 'string' && { delimiter }),
  };
}
