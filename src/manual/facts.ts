import { fieldsOf } from '../contract/fields.ts';
import { OPERATIONS, type OperationId } from '../contract/operations.ts';

/** `id, carrier, status, …`: the fields at the top level of an operation's answer. */
export const answerFields = (id: OperationId): string =>
  fieldsOf(OPERATIONS[id].success.schema)
    .map(({ pattern }) => pattern)
    .filter(pattern => /^\w+$/.test(pattern))
    .join(', ');
