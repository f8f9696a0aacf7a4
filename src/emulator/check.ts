import { fieldAt } from '../contract/fields.ts';
import type { Issue } from '../contract/operation.ts';
import type { Operation } from '../contract/operations.ts';
import { formatPath, getAt } from '../contract/paths.ts';
import { ECONOMY_CARRIERS } from './carriers.ts';

/** The problems of a body. */
export interface BadBody {
  /** `shape`: fields missing, unknown or of a wrong type. `value`: of the right type, but not allowed. */
  kind: 'shape' | 'value';
  issues: Issue[];
}

type FoundIssue = { kind: BadBody['kind']; issue: Issue };

/** Checks a body against schema and rules of its row; `undefined` if it is valid. */
export function check({ body: schema, rules }: Operation, body: unknown): BadBody | undefined {
  const found: FoundIssue[] = schema ? shapeOf(schema, body) : [];
  for (const rule of rules)
    for (const issue of rule.check(body, { economyCarriers: ECONOMY_CARRIERS, serviceOnLoopback: true }))
      found.push({ kind: 'value', issue });
  if (found.length === 0) return undefined;
  return {
    kind: found.some(({ kind }) => kind === 'shape') ? 'shape' : 'value',
    issues: found.map(({ issue }) => issue),
  };
}

function shapeOf(schema: NonNullable<Operation['body']>, body: unknown): FoundIssue[] {
  const { error } = schema.safeParse(body);
  return (error?.issues ?? []).flatMap((fault): FoundIssue[] => {
    // JSON has no symbols for keys.
    const path = fault.path.map(part => (typeof part === 'number' ? part : String(part)));
    const at = formatPath(path);
    if (fault.code === 'unrecognized_keys')
      return fault.keys.map(key => ({
        kind: 'shape',
        issue: { path: formatPath([...path, key]), message: 'is not a field of this request' },
      }));
    const value = getAt(body, path);
    if (value === undefined) return [{ kind: 'shape', issue: { path: at, message: 'is required' } }];
    const field = fieldAt(schema, path);
    const ofWrongType =
      fault.code === 'invalid_type' || (fault.code === 'invalid_value' && typeof value !== 'string');
    if (ofWrongType)
      return [{ kind: 'shape', issue: { path: at, message: `must be ${field?.kind ?? fault.code}` } }];
    const allowed = field?.values ? `: it must be one of ${Object.keys(field.values).join(', ')}` : '';
    return [{ kind: 'value', issue: { path: at, message: `is not valid${allowed}` } }];
  });
}
