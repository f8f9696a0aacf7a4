import { getAt } from '../contract/paths.ts';
import { fieldsOf, type Schema, sampleOf } from '../contract/shapes.ts';
import { csvRow } from './csv.ts';
import type { RecordOptions } from './record-options.ts';

const COMMAS = { delimiter: ',' };
const LEAVES: readonly string[] = ['text', 'number', 'boolean', 'country', 'choice'];

/** A CSV with every header that a record may have, and one example row, whose key is `key`. */
export function template(fields: Schema, recordOptions: RecordOptions, key: string): string {
  const optionColumns = Object.entries(recordOptions).map(([name, option]) => ({
    name,
    path: 'path' in option ? option.path : undefined,
  }));
  const paths = fieldsOf(fields)
    .filter(({ kind, pattern }) => LEAVES.includes(kind) && !pattern.endsWith('[]'))
    .map(({ pattern }) => pattern)
    .filter(pattern => !optionColumns.some(({ path }) => path === pattern));
  const body = sampleOf(fields);
  const cellAt = (path = '') => String(getAt(body, path.replaceAll('[]', '[0]')) ?? '');
  const header = ['key', ...optionColumns.map(({ name }) => name), ...paths];
  const cells = [
    key,
    ...optionColumns.map(({ path }) => (path === undefined ? '' : cellAt(path))),
    ...paths.map(cellAt),
  ];
  return csvRow(header, COMMAS) + csvRow(cells, COMMAS);
}
