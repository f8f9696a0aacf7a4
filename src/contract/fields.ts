import * as z from 'zod/mini';
import type { Schema } from './operation.ts';
import { formatPath, type Path, parsePath, setAt } from './paths.ts';
import { type FieldFacts, fieldFacts } from './shapes.ts';

/** What a body may have at one path. `[]` in a pattern stands for any element of a list. */
export interface Field extends FieldFacts {
  /** `packages[].dimensions.width` */
  pattern: string;
  kind: 'text' | 'number' | 'boolean' | 'country' | 'choice' | 'list' | 'object' | 'map';
  /** Is it required if its parent is there? */
  required: boolean;
  description: string;
  /** Of a choice: each value with the description of the document. */
  values?: Readonly<Record<string, string>>;
}

interface Meta {
  description?: string | undefined;
  'x-kind'?: 'country';
  'x-values'?: Record<string, string>;
}

// zod publishes `_zod.def` for libraries that read schemas; these are the parts of it that our shapes use.
type Node = Schema & {
  _zod: {
    def: { type: string; innerType?: Schema; element?: Schema; shape?: Readonly<Record<string, Schema>> };
  };
};

const known = new WeakMap<Schema, readonly Field[]>();

/** Every field of a body, parents before children, in the order of the schema. */
export function fieldsOf(schema: Schema): readonly Field[] {
  const listed = known.get(schema) ?? [...walk(schema, '')];
  known.set(schema, listed);
  return listed;
}

export const hasField = (schema: Schema, pattern: string): boolean =>
  fieldsOf(schema).some(field => field.pattern === pattern);

/** What a schema says of a value itself, and the schemas of what is in it. */
export function partsOf(schema: Schema) {
  const { def } = (schema as Node)._zod;
  if (def.type === 'optional' && def.innerType) return { ...readParts(def.innerType), required: false };
  return readParts(schema);
}

function readParts(schema: Schema) {
  const { type, element, shape = {} } = (schema as Node)._zod.def;
  const meta: Meta = z.globalRegistry.get(schema) ?? {};
  const { description = '', 'x-values': values } = meta;
  const own = { kind: kindOf(type, meta), description, ...(values && { values }), ...fieldFacts(schema) };
  return { own, required: true, element, shape };
}

function* walk(schema: Schema, pattern: string): Generator<Field> {
  const { own, required, element, shape } = partsOf(schema);
  if (pattern !== '') yield { pattern, required, ...own };
  if (element) yield* walk(element, `${pattern}[]`);
  for (const [name, child] of Object.entries(shape))
    yield* walk(child, pattern === '' ? name : `${pattern}.${name}`);
}

function kindOf(type: string, meta: Meta): Field['kind'] {
  if (meta['x-kind'] === 'country') return 'country';
  if (meta['x-values']) return 'choice';
  if (type === 'number' || type === 'boolean' || type === 'object') return type;
  if (type === 'array') return 'list';
  if (type === 'record') return 'map';
  return 'text';
}

/** The field at a concrete path; elements of a map count as text. */
export function fieldAt(schema: Schema, path: Path): Field | undefined {
  const pattern = formatPath(path).replace(/\[\d+\]/g, '[]');
  const fields = fieldsOf(schema);
  const exact = fields.find(field => field.pattern === pattern);
  if (exact) return exact;
  const parent = fields.find(field => field.kind === 'map' && pattern.startsWith(`${field.pattern}.`));
  return parent && { pattern, kind: 'text', required: false, description: parent.description };
}

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
