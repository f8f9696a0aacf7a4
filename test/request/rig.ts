import type { Issue, RuleContext, Schema } from '../../src/contract/operation.ts';
import { OPERATIONS, type OperationId } from '../../src/contract/operations.ts';
import { parsePath, setAt } from '../../src/contract/paths.ts';
import { sampleOf } from '../../src/contract/sample.ts';
import { type ValidateOptions, validate } from '../../src/request/validate.ts';

export const WITH_BODY = Object.values(OPERATIONS).filter(operation => operation.body !== undefined);

export function schemaOf(id: OperationId): Schema {
  const { body: schema } = OPERATIONS[id];
  if (schema === undefined) throw new Error(`${id} has no body`);
  return schema;
}

/** The example of the operation, with other values at some paths; `undefined` takes a field away. */
export function body(id: OperationId, changes: Record<string, unknown> = {}): unknown {
  const changed = Object.entries(changes).reduce(
    (target, [path, value]) => setAt(target, parsePath(path) ?? [], value),
    sampleOf(schemaOf(id)),
  );
  return JSON.parse(JSON.stringify(changed));
}

export function faults(
  id: OperationId,
  given: unknown,
  { rules, ...options }: Partial<Omit<ValidateOptions, 'rules'>> & { rules?: Partial<RuleContext> } = {},
): Promise<Issue[]> {
  return validate(OPERATIONS[id], given, {
    rules: { economyCarriers: [], serviceOnLoopback: false, ...rules },
    allowUnknown: false,
    ...options,
  });
}
