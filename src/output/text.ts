// The text format of the AWS CLI, for `read` and `cut` in a shell: fields are separated by tabs.
//
//   scalar            itself; null is `None`
//   list of scalars   one line
//   object            one line with its scalars, in the order of their names; then each nested value on lines
//                     of its own that begin with its name in capitals
//   list of objects   the same for each, with the same columns for all
import { isRecord } from '../contract/paths.ts';
import { isScalar, type Scalar } from './leaves.ts';
import { safe } from './safe.ts';

/** The lines of a value in the text format. */
export function textLines(value: unknown, name?: string): string[] {
  if (Array.isArray(value)) return listLines(value, name);
  if (isRecord(value)) return recordLines(value, scalarNames([value]), name);
  return [line(name, [isScalar(value) ? value : null])];
}

function listLines(list: readonly unknown[], name: string | undefined): string[] {
  const scalars = list.filter(isScalar);
  const names = scalarNames(list.filter(isRecord));
  const nested = list
    .filter(element => !isScalar(element))
    .flatMap(element => (isRecord(element) ? recordLines(element, names, name) : textLines(element, name)));
  if (scalars.length === 0) return nested;
  // A named list has a line for each element, so that `grep NAME` finds all of them.
  const own = name === undefined ? [line(name, scalars)] : scalars.map(scalar => line(name, [scalar]));
  return [...own, ...nested];
}

function recordLines(record: Record<string, unknown>, names: readonly string[], name?: string): string[] {
  const cells = names.map(key => {
    const cell = Object.hasOwn(record, key) ? record[key] : '';
    return isScalar(cell) ? cell : '';
  });
  const nested = Object.keys(record)
    .filter(key => !isScalar(record[key]))
    .sort()
    .flatMap(key => textLines(record[key], key));
  return [...(cells.length > 0 ? [line(name, cells)] : []), ...nested];
}

/** Every name under which one of the records has a scalar. */
function scalarNames(records: readonly Record<string, unknown>[]): string[] {
  const names = records.flatMap(record => Object.keys(record).filter(key => isScalar(record[key])));
  return [...new Set(names)].sort();
}

function line(name: string | undefined, cells: readonly Scalar[]): string {
  const texts = cells.map(cell => safe(String(cell ?? 'None')));
  return (name === undefined ? texts : [safe(name.toUpperCase()), ...texts]).join('\t');
}
