import * as z from 'zod/mini';
import type { Schema } from './operation.ts';
import { formatPath, isRecord, type Path } from './paths.ts';

/** What a body may have at one path. `[]` in a pattern stands for any element of a list. */
export interface Field {
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
  description?: string;
  'x-kind'?: 'country';
  'x-values'?: Record<string, string>;
}

// zod publishes `_zod.def` for libraries that read schemas; these are the parts of it that our shapes use.
interface Def {
  type: string;
  innerType?: Node;
  element?: Node;
  valueType?: Node;
  shape?: Record<string, Node>;
}
type Node = Schema & { _zod: { def: Def } };

const known = new WeakMap<Schema, readonly Field[]>();
const byKind = new WeakMap<Schema, Map<Field['kind'], readonly Field[]>>();
const patterns = new WeakMap<Schema, ReadonlySet<string>>();

/** Every field of a body, parents before children, in the order of the schema. */
export function fieldsOf(schema: Schema): readonly Field[] {
  const listed = known.get(schema) ?? [...walk(schema as Node, '', true)];
  known.set(schema, listed);
  return listed;
}

/** Those of one kind. */
function fieldsOfKind(schema: Schema, kind: Field['kind']): readonly Field[] {
  const lists = byKind.get(schema) ?? new Map<Field['kind'], readonly Field[]>();
  byKind.set(schema, lists);
  const listed = lists.get(kind) ?? fieldsOf(schema).filter(field => field.kind === kind);
  lists.set(kind, listed);
  return listed;
}

export function hasField(schema: Schema, pattern: string): boolean {
  const listed = patterns.get(schema) ?? new Set(fieldsOf(schema).map(field => field.pattern));
  patterns.set(schema, listed);
  return listed.has(pattern);
}

function* walk(node: Node, pattern: string, required: boolean): Generator<Field> {
  const { def } = node._zod;
  if (def.type === 'optional' && def.innerType) return yield* walk(def.innerType, pattern, false);
  const meta = (z.globalRegistry.get(node) ?? {}) as Meta;
  if (pattern !== '')
    yield {
      pattern,
      required,
      kind: kindOf(def.type, meta),
      description: meta.description ?? '',
      ...(meta['x-values'] && { values: meta['x-values'] }),
    };
  if (def.element) yield* walk(def.element, `${pattern}[]`, true);
  for (const [name, child] of Object.entries(def.shape ?? {}))
    yield* walk(child, pattern === '' ? name : `${pattern}.${name}`, true);
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

/** A copy of the body in which `change` replaced every value whose field is of that kind. */
export function mapFields(
  schema: Schema,
  body: unknown,
  kind: Field['kind'],
  change: (value: unknown) => unknown,
): unknown {
  return fieldsOfKind(schema, kind).reduce(
    (mapped, field) => changeAt(mapped, stepsOf(field), 0, change),
    body,
  );
}

const steps = new WeakMap<Field, readonly string[]>();

/** `items[].hsCode` → `items`, `[]`, `hsCode`. */
function stepsOf(field: Field): readonly string[] {
  const listed = steps.get(field) ?? field.pattern.split(/\.|(?=\[\])/);
  steps.set(field, listed);
  return listed;
}

/** A value in which nothing changes is not copied: a batch does this for every field of every record. */
function changeAt(
  value: unknown,
  path: readonly string[],
  from: number,
  change: (value: unknown) => unknown,
): unknown {
  const step = path[from];
  if (step === undefined) return change(value);
  if (step === '[]')
    return Array.isArray(value) ? mapped(value, entry => changeAt(entry, path, from + 1, change)) : value;
  if (!isRecord(value) || !Object.hasOwn(value, step)) return value;
  const inner = changeAt(value[step], path, from + 1, change);
  return inner === value[step] ? value : { ...value, [step]: inner };
}

/** The list with each entry changed; the list itself if no entry is. */
export function mapped(list: readonly unknown[], change: (entry: unknown) => unknown): readonly unknown[] {
  const changed = list.map(change);
  return changed.every((entry, index) => entry === list[index]) ? list : changed;
}
