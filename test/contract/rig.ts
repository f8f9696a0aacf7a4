// Example bodies: those of fixtures/ and of the operations, with fields changed, and the problems that are found in them.
import { readdirSync } from 'node:fs';
import {
  OPERATIONS,
  type Operation,
  type OperationId,
  type RuleContext,
} from '../../src/contract/operations.ts';
import { formatPath, getAt, isRecord, type Path, parsePath, setAt } from '../../src/contract/paths.ts';
import type { Schema } from '../../src/contract/shapes.ts';
import { fixture } from '../rig/service.ts';

export interface Example {
  /** `v1/shipments/POST/full.request.json` */
  name: string;
  operation: Operation;
  /** `full` */
  title: string;
  /** Of an answer; a request has none. */
  status?: number;
  body: unknown;
}

const SERVICE_FILES = (readdirSync('fixtures/service', { recursive: true }) as string[])
  .filter(name => name.endsWith('.json'))
  .sort();

const NAME = /^(.+)\/([A-Z]+)\/([\w-]+)\.(request|\d{3})\.json$/;

/** Every file of fixtures/service with the row that its folder names; one that names none throws. */
export const EXAMPLES: readonly Example[] = SERVICE_FILES.map(name => {
  const [, path, method, title = '', kind] = NAME.exec(name) ?? [];
  const operation = Object.values(OPERATIONS).find(row => row.path === `/${path}` && row.method === method);
  if (operation === undefined) throw new Error(`${name} belongs to no operation`);
  return { name, operation, title, body: fixture(name), ...(kind !== 'request' && { status: Number(kind) }) };
});

export const REQUESTS = EXAMPLES.filter(example => example.status === undefined);
export const ANSWERS = EXAMPLES.filter(example => example.status !== undefined);

export const STRICT: RuleContext = { economyCarriers: ['ECO'], serviceOnLoopback: false };

/** The paths at which a shape refuses a body. */
export function shapeFaults(schema: Schema | undefined, body: unknown): string[] {
  const issues = schema?.safeParse(body).error?.issues ?? [];
  const paths = issues.flatMap(issue =>
    issue.code === 'unrecognized_keys' ? issue.keys.map(key => [...issue.path, key]) : [issue.path],
  );
  return [...new Set(paths.map(formatPath))];
}

/** The paths at which shape and rules of a row refuse a body. */
export function faults(operation: Operation, body: unknown, context = STRICT): string[] {
  const broken = operation.rules.flatMap(rule => rule.check(body, context)).map(issue => issue.path);
  return [...new Set([...shapeFaults(operation.body, body), ...broken])];
}

/** The places of a body that a pattern such as `items[].hsCode` means. */
export function placesOf(body: unknown, pattern: string): Path[] {
  const [head = '', ...rest] = pattern.split('[]');
  return rest
    .reduce<Path[]>(
      (places, names) =>
        places.flatMap(place => {
          const list = getAt(body, place);
          if (!Array.isArray(list)) return [];
          return list.map((_, index) => [...place, index, ...(parsePath(names.replace(/^\./, '')) ?? [])]);
        }),
      [parsePath(head) ?? []],
    )
    .filter(place => getAt(body, place) !== undefined);
}

/** A copy of the body, and the object or list in it that holds the last part of the path. */
function copyOf(body: unknown, place: Path): { copy: unknown; parent: Record<string | number, unknown> } {
  const copy: unknown = structuredClone(body);
  const parent = getAt(copy, place.slice(0, -1));
  if (typeof parent !== 'object' || parent === null) throw new Error(`nothing holds ${formatPath(place)}`);
  return { copy, parent: parent as Record<string | number, unknown> };
}

export function without(body: unknown, place: Path): unknown {
  const { copy, parent } = copyOf(body, place);
  delete parent[place.at(-1) ?? ''];
  return copy;
}

export function withValue(body: unknown, place: Path, value: unknown): unknown {
  const { copy, parent } = copyOf(body, place);
  parent[place.at(-1) ?? ''] = value;
  return copy;
}

/** Every object in a body, the body itself first. */
export function objectsIn(value: unknown, at: Path = []): Path[] {
  const inner = isRecord(value) ? Object.entries(value) : Array.isArray(value) ? [...value.entries()] : [];
  return [
    ...(isRecord(value) ? [at] : []),
    ...inner.flatMap(([name, part]) => objectsIn(part, [...at, name])),
  ];
}

export function schemaOf(id: OperationId): Schema {
  const { body: schema } = OPERATIONS[id];
  if (schema === undefined) throw new Error(`${id} has no body`);
  return schema;
}

/** A body with other values at some paths; `undefined` leaves a field out of its JSON. */
export const changed = (body: unknown, changes: Readonly<Record<string, unknown>>): unknown =>
  Object.entries(changes).reduce(
    (target, [path, value]) => setAt(target, parsePath(path) ?? [], value),
    body,
  );
