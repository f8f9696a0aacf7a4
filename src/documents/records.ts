import { RECORD_COLUMN } from '../batch/record-name.ts';
import type { RecordOption } from '../batch/record-options.ts';
import type { Job } from '../batch/run/job.ts';
import { isRecord } from '../contract/paths.ts';
import { jsonSchema } from './openapi.ts';

const WORD = { type: ['string', 'number', 'boolean', 'null'] };

/** The JSON Schema of a record. At most its key is required: flags and the profile may give everything else. */
export function recordSchema(job: Job<never>) {
  const { fields, packages, recordOptions = {}, requiresKey } = job;
  const { properties, ...body } = jsonSchema(fields);
  const ownProperties = isRecord(properties) ? properties : {};
  const options = Object.entries(recordOptions).map(([name, option]) => [
    name,
    optionSchema(option, ownProperties[name]),
  ]);
  return {
    ...body,
    properties: {
      key: { type: ['string', 'number'], description: 'Your own name for it, such as an order number' },
      ...ownProperties,
      ...(packages && {
        package: {
          description: 'A package such as 2x1.5kg@30x20x10cm, or a list of them',
          anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
        },
      }),
      ...Object.fromEntries(options),
      [RECORD_COLUMN]: {
        type: ['string', 'null'],
        description: 'Which record of an earlier file it was, as --failed wrote it',
      },
    },
    patternProperties: { '^_': {} },
    required: requiresKey ? ['key'] : [],
  };
}

/** The schema of a record's option. `field`: the schema of the body's field with the same name, if there is one. */
function optionSchema(option: RecordOption, field: unknown): Record<string, unknown> {
  const { description } = option;
  if ('parse' in option) return { ...WORD, description: `${description}: ${option.allowed}` };
  return { description, anyOf: [WORD, ...(field === undefined ? [] : [field])] };
}
