import { type Field, fieldsOf } from './fields.ts';
import type { Schema } from './operation.ts';
import { parsePath, setAt } from './paths.ts';

/** A valid body: the required fields, and the optional ones that have a sample. */
export function sampleOf(schema: Schema): unknown {
  const fields = fieldsOf(schema);
  const leftOut = fields.filter(field => !field.required && field.sample === undefined);
  return fields.reduce((body: unknown, field) => {
    const { pattern } = field;
    if (leftOut.some(parent => pattern === parent.pattern || pattern.startsWith(`${parent.pattern}.`)))
      return body;
    const value = exampleOf(field);
    return value === undefined ? body : setAt(body, parsePath(pattern.replaceAll('[]', '[0]')) ?? [], value);
  }, {});
}

function exampleOf({ pattern, kind, values, sample }: Field): unknown {
  if (Array.isArray(sample)) return sample[pattern.startsWith('receiver.') ? 1 : 0];
  return sample ?? Object.keys(values ?? {})[0] ?? (kind === 'text' ? 'text' : undefined);
}
