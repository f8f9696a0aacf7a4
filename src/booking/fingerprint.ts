import { createHash } from 'node:crypto';
import { isRecord } from '../contract/paths.ts';

/** The same for the same input, whatever the order of its fields. */
export const fingerprint = (given: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(sorted(given)) ?? '')
    .digest('hex');

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map(name => [name, sorted(value[name])]));
}
