import { fieldsOf } from '../contract/fields.ts';
import type { Schema } from '../contract/operation.ts';
import { getAt } from '../contract/paths.ts';
import { sampleOf } from '../contract/sample.ts';
import { csvRow } from './csv.ts';

const LEAVES: readonly string[] = ['text', 'number', 'boolean', 'country', 'choice'];

/** A CSV with every header that a record may have, and one example row, whose key is `key`. */
export function template(fields: Schema, key: string): string {
  const leaves = fieldsOf(fields).filter(
    ({ kind, pattern }) => LEAVES.includes(kind) && !pattern.endsWith('[]'),
  );
  const body = sampleOf(fields);
  const cells = leaves.map(({ pattern }) => String(getAt(body, pattern.replaceAll('[]', '[0]')) ?? ''));
  const header = ['key', ...leaves.map(({ pattern }) => pattern)];
  return csvRow(header, ',') + csvRow([key, ...cells], ',');
}
